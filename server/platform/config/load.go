package config

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
)

// BindFlags adds the flags of all boot settings, with their defaults in the
// help.
func BindFlags(flags *pflag.FlagSet) { bindFlags(flags, func(string) bool { return true }) }

// BindSomeFlags is BindFlags for some names.
func BindSomeFlags(flags *pflag.FlagSet, names ...string) {
	bindFlags(flags, func(name string) bool { return slices.Contains(names, name) })
}

func bindFlags(flags *pflag.FlagSet, wanted func(name string) bool) {
	if wanted("config") {
		flags.String("config", "", "YAML file with settings (SVC_CONFIG)")
	}
	for _, s := range bootSettings() {
		if s.flag == "" || !wanted(s.flag) {
			continue
		}
		usage := s.usage
		if s.env != "" {
			usage += " (" + s.env + ")"
		}
		flags.String(s.flag, "", usage)
		flags.Lookup(s.flag).DefValue = s.shown
		if s.shown == "true" {
			flags.Lookup(s.flag).NoOptDefVal = s.shown
		}
	}
}

// Variables describes, a line each, the settings with a variable but no flag,
// for help. All may also be in the file, in lower case and without SVC_.
func Variables() string {
	var b strings.Builder
	for _, s := range bootSettings() {
		if s.flag != "" || s.env == "" {
			continue
		}
		fmt.Fprintf(&b, "  %-24s %s", s.env, s.accepted)
		if s.shown != "" {
			fmt.Fprintf(&b, " (default %s)", s.shown)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Load reads the boot settings: defaults, then the file named by --config or
// SVC_CONFIG, then the environment, then the given flags. lookupEnv is
// os.LookupEnv or the like. The error is Problems, with all of them.
func Load(flags *pflag.FlagSet, lookupEnv func(string) (string, bool)) (Config, error) {
	c := Defaults()
	l := loader{config: &c, settings: bootSettings(), given: map[string]string{}}
	if f := flags.Lookup("config"); f != nil && f.Changed {
		l.file("--config", f.Value.String())
	} else if path, ok := lookupEnv("SVC_CONFIG"); ok && path != "" {
		l.file("SVC_CONFIG", path)
	}
	for _, s := range l.settings {
		if s.env != "" {
			l.environment(s, lookupEnv)
		}
	}
	for _, s := range l.settings {
		if f := flags.Lookup(s.flag); s.flag != "" && f != nil && f.Changed {
			l.set(s, "--"+s.flag, f.Value.String())
		}
	}
	if l.given["log"] != "" || l.given["log_level"] != "" {
		// The environment and flags lie over the file.
		c.Settings.LogLevel = levelName(c.LogLevel)
	}
	_, c.BaseURLGiven = l.given["base_url"]
	c.complete()
	c.Media.underlay(&c.Settings.Upload, l.given["media"] != "")
	l.check()
	return c, l.problems.err()
}

type loader struct {
	config   *Config
	settings []bootSetting
	given    map[string]string // by setting name: the name it was given by last
	problems Problems
}

func (l *loader) set(s bootSetting, as, value string) {
	l.given[s.name] = as
	if !s.set(l.config, value) {
		l.problems.add(as, value, s.secret, s.accepted)
	}
}

// environment reads s from its variable, or from the file named by the variable
// with _FILE appended. An empty variable counts as absent, since container
// tools often set all of them.
func (l *loader) environment(s bootSetting, lookupEnv func(string) (string, bool)) {
	value, _ := lookupEnv(s.env)
	path, _ := lookupEnv(s.env + "_FILE")
	switch {
	case value != "" && path != "":
		l.problems.add(s.env+"_FILE", path, false, "either "+s.env+" or "+s.env+"_FILE")
	case value != "":
		l.set(s, s.env, value)
	case path != "":
		content, err := os.ReadFile(path)
		if err != nil {
			l.problems.add(s.env+"_FILE", path, false, "a readable file ("+reason(err)+")")
			return
		}
		l.set(s, s.env+"_FILE", strings.TrimRight(string(content), "\r\n"))
	}
}

// file reads boot settings by their lower-case names, and runtime settings
// under "settings".
func (l *loader) file(as, path string) {
	content, err := os.ReadFile(path)
	if err != nil {
		l.problems.add(as, path, false, "a readable file ("+reason(err)+")")
		return
	}
	var values map[string]any
	if err := yaml.Unmarshal(content, &values); err != nil {
		l.problems.add(as, path, false, "a file of YAML ("+err.Error()+")")
		return
	}
	known := []string{"settings"}
	for _, s := range l.settings {
		if !s.inFile {
			continue
		}
		known = append(known, s.name)
		value, ok := values[s.name]
		if !ok || value == nil {
			continue
		}
		as := s.name + " in " + path
		if text, ok := scalars(value); ok {
			l.set(s, as, text)
		} else {
			l.problems.add(as, fmt.Sprint(value), s.secret, s.accepted)
		}
	}
	if runtime, ok := values["settings"]; ok {
		l.problems = append(l.problems, overlay(&l.config.Settings, runtime, path)...)
	}
	slices.Sort(known)
	for _, name := range sortedKeys(values) {
		if !slices.Contains(known, name) {
			l.problems.add(name+" in "+path, fmt.Sprint(values[name]), true, "one of "+strings.Join(known, ", "))
		}
	}
}

// check checks settings that depend on each other.
func (l *loader) check() {
	if l.config.FederationInsecure && strings.HasPrefix(l.config.BaseURL, "https:") {
		l.problems.add(l.given["federation_insecure"], "true", false, "false, since the base URL is public: "+l.config.BaseURL)
	}
	if l.config.Roles != AllRoles && !strings.HasPrefix(l.config.Database, "postgres") {
		l.problems.add(l.given["roles"], l.config.Roles.String(), false, "all of them, since SQLite allows one process")
	}
	if l.config.BaseURL == "" {
		// An invalid Listen is reported already.
		if slices.ContainsFunc(l.problems, func(p Problem) bool { return p.Setting == l.given["listen"] }) {
			return
		}
		l.problems.add("SVC_BASE_URL", "", false, "the public URL, which cannot be told from listening on "+l.config.Listen)
	}
}

// scalars returns a YAML scalar as text, and a list of scalars as words.
func scalars(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case int, int64, uint64, float64, bool:
		return fmt.Sprint(v), true
	case []any:
		words := make([]string, len(v))
		for i, item := range v {
			if _, nested := item.([]any); nested {
				return "", false
			}
			word, ok := scalars(item)
			if !ok {
				return "", false
			}
			words[i] = word
		}
		return strings.Join(words, " "), true
	}
	return "", false
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// reason returns a file error without its path.
func reason(err error) string {
	text := err.Error()
	if i := strings.LastIndex(text, ": "); i >= 0 {
		return text[i+2:]
	}
	return text
}
