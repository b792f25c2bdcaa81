package login

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"svc/client/suggest"
)

// DefaultContext is the name of the context if none is given.
const DefaultContext = "default"

// Context is one instance as the configuration file describes it.
type Context struct {
	URL          string   `yaml:"url"`
	Account      string   `yaml:"account,omitempty"` // nickname of the latest login
	ReadOnly     bool     `yaml:"read_only,omitempty"`
	Protected    bool     `yaml:"protected,omitempty"` // every confirmation one level higher
	InsecureHTTP bool     `yaml:"insecure_http,omitempty"`
	Theme        string   `yaml:"theme,omitempty"`
	Color        string   `yaml:"color,omitempty"` // of its name in the terminal UI
	TokenCommand []string `yaml:"token_command,omitempty"`
	// Rest has the fields that this version does not know, so that saving loses
	// nothing.
	Rest map[string]any `yaml:",inline"`
}

// Config is the configuration file. The zero value is an empty one.
type Config struct {
	Current  string             `yaml:"current,omitempty"`
	Contexts map[string]Context `yaml:"contexts,omitempty"`
	// Aliases are commands of svcctl by names of one's own; $1 and $@ are arguments.
	Aliases map[string]string `yaml:"aliases,omitempty"`
	// Templates are texts for notes and messages, by name; package templates fills
	// them.
	Templates map[string]string `yaml:"templates,omitempty"`
	// Playbooks are read and checked by package playbook where they are used, so
	// that a wrong step is in nobody else's way.
	Playbooks map[string]any `yaml:"playbooks,omitempty"`
	// Keys puts commands of the terminal UI on other keys: a key, or a list of
	// them, by the command's name.
	Keys map[string]any `yaml:"keys,omitempty"`
	// Filters are saved filters of the terminal UI, by name.
	Filters map[string]string `yaml:"filters,omitempty"`
	Rest    map[string]any    `yaml:",inline"`
}

// Unknown names the settings of the file that nothing reads, in their order, each with
// the one that was probably meant.
func (c *Config) Unknown() []string {
	var unknown []string
	add := func(where string, rest map[string]any, shape reflect.Type) {
		for _, name := range slices.Sorted(maps.Keys(rest)) {
			said := fmt.Sprintf("%s%q is no setting", where, name)
			if near := suggest.Words(name, yamlNames(shape)); len(near) > 0 {
				said += "; is it " + strings.Join(near, " or ") + "?"
			}
			unknown = append(unknown, said)
		}
	}
	add("", c.Rest, reflect.TypeFor[Config]())
	for _, name := range c.Names() {
		add("context "+name+": ", c.Contexts[name].Rest, reflect.TypeFor[Context]())
	}
	return unknown
}

// yamlNames are the settings of a struct by their names in the file.
func yamlNames(shape reflect.Type) []string {
	var names []string
	for field := range shape.Fields() {
		if name, _, _ := strings.Cut(field.Tag.Get("yaml"), ","); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// ConfigError is a configuration file that cannot be used as it is.
type ConfigError struct {
	Path    string
	Message string
	Hint    string
}

func (e *ConfigError) Error() string {
	if e.Path == "" {
		return e.Message
	}
	return e.Path + ": " + e.Message
}

// Paths are the folders and files of one user, from the XDG variables.
type Paths struct {
	Config      string // the configuration file
	Credentials string // folder of credential files, mode 0700
	Of          string // the configuration file where it is not the usual one, for names in the keyring
	State       string // folder for files that should outlive a cache
	Cache       string
}

// PathsFrom reads the XDG variables, and SVCCTL_CONFIG for the file itself.
// Credentials lie beside the configuration file. Those of a file that is not named
// config.yaml have a folder of their own, so that two files in one folder share none.
func PathsFrom(getenv func(string) string) Paths {
	home := getenv("HOME")
	base := func(variable, fallback string) string {
		if dir := getenv(variable); filepath.IsAbs(dir) {
			return filepath.Join(dir, "svcctl")
		}
		return filepath.Join(home, fallback, "svcctl")
	}
	p := Paths{
		Config: filepath.Join(base("XDG_CONFIG_HOME", ".config"), "config.yaml"),
		State:  base("XDG_STATE_HOME", ".local/state"),
		Cache:  base("XDG_CACHE_HOME", ".cache"),
	}
	usual := p.Config
	if file := getenv("SVCCTL_CONFIG"); file != "" {
		p.Config = file
	}
	folder, name := filepath.Split(p.Config)
	p.Credentials = filepath.Join(folder, "credentials")
	if name != filepath.Base(usual) {
		p.Credentials = filepath.Join(p.Credentials, name)
	}
	if whole, err := filepath.Abs(p.Config); err == nil && whole != usual {
		p.Of = whole
	}
	return p
}

var contextName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$`)

// CheckContextName refuses names that could not be a file name or an argument.
func CheckContextName(name string) error {
	if !contextName.MatchString(name) {
		return &ConfigError{Message: fmt.Sprintf("context name %+q: letters, digits, dot, dash and underscore are accepted", name)}
	}
	return nil
}

// LoadConfig reads the file; one that does not exist is an empty Config.
func LoadConfig(path string) (*Config, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &Config{Contexts: map[string]Context{}}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	var c Config
	if err := yaml.Unmarshal(data, &c); err != nil {
		return nil, &ConfigError{Path: path, Message: strings.TrimPrefix(err.Error(), "yaml: ")}
	}
	if c.Contexts == nil {
		c.Contexts = map[string]Context{}
	}
	for name, ctx := range c.Contexts {
		if err := CheckContextName(name); err != nil {
			return nil, &ConfigError{Path: path, Message: err.Error()}
		}
		if _, err := ParseOrigin(ctx.URL, ctx.InsecureHTTP); err != nil {
			return nil, &ConfigError{Path: path, Message: fmt.Sprintf("context %s: %v", name, err)}
		}
	}
	if c.Current != "" {
		if _, ok := c.Contexts[c.Current]; !ok {
			return nil, &ConfigError{
				Path: path, Message: fmt.Sprintf("current is %q, which is no context", c.Current),
				Hint: "svcctl context list",
			}
		}
	}
	return &c, nil
}

// Save writes the file in one step, readable by its owner alone.
func (c *Config) Save(path string) error {
	data, err := yaml.Marshal(c)
	if err != nil {
		return fmt.Errorf("encode configuration: %w", err)
	}
	if err := writePrivate(path, data); err != nil {
		return fmt.Errorf("save configuration: %w", err)
	}
	return nil
}

// Names lists the contexts in bytewise order.
func (c *Config) Names() []string {
	names := make([]string, 0, len(c.Contexts))
	for name := range c.Contexts {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// writePrivate replaces a file so that readers see the old or the new one, and
// never one that others could read.
func writePrivate(path string, data []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, ".svcctl-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	if _, err := tmp.Write(data); err != nil {
		tmp.Close()
		return err
	}
	if err := tmp.Sync(); err != nil {
		tmp.Close()
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// ParseOrigin reads an instance's address: https, or http for loopback hosts
// and where insecure says so. A bare host name counts as https. The result has
// neither user, path, query nor fragment.
func ParseOrigin(raw string, insecure bool) (*url.URL, error) {
	text := strings.TrimSpace(raw)
	if text == "" {
		return nil, errors.New("url is empty")
	}
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Hostname() == "" {
		return nil, fmt.Errorf("url %+q is no address of an instance, like https://example.social", raw)
	}
	if u.User != nil {
		return nil, errors.New("url must not hold a user or password")
	}
	if (u.Path != "" && u.Path != "/") || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("url %+q must end after the host", raw)
	}
	switch u.Scheme {
	case "https":
	case "http":
		if !insecure && !loopback(u.Hostname()) {
			return nil, fmt.Errorf("url %+q would send the token unencrypted; use https, or --insecure-http", raw)
		}
	default:
		return nil, fmt.Errorf("url %+q is neither https nor http", raw)
	}
	return &url.URL{Scheme: u.Scheme, Host: strings.ToLower(u.Host)}, nil
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
