package config

import (
	"bytes"
	"errors"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
)

// load runs Load as a process with these arguments and variables would.
func load(t *testing.T, args []string, env map[string]string) (Config, error) {
	t.Helper()
	flags := pflag.NewFlagSet("svcd", pflag.ContinueOnError)
	BindFlags(flags)
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	return Load(flags, func(name string) (string, bool) { v, ok := env[name]; return v, ok })
}

func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

var prefixes = cmp.Comparer(func(a, b netip.Prefix) bool { return a == b })

func TestWithNoSettingsItServesSQLiteOnLoopback(t *testing.T) {
	got, err := load(t, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		Name:      "svc",
		Listen:    "127.0.0.1:8080",
		BaseURL:   "http://127.0.0.1:8080",
		Database:  "sqlite:svc-data/svc.db",
		DataDir:   "./svc-data",
		Media:     MediaStore{Path: "svc-data/uploads"},
		Drain:     5 * time.Second,
		Roles:     AllRoles,
		AccessLog: AccessOn,
		Settings:  DefaultSettings(),

		FromDatabase: true,
	}
	if diff := cmp.Diff(want, got, prefixes); diff != "" {
		t.Error(diff)
	}
}

func TestFlagBeatsEnvironmentBeatsFile(t *testing.T) {
	file := write(t, "svc.yaml", `
listen: 127.0.0.1:1
base_url: https://file.example
data_dir: /var/file
trusted_proxies: [10.1.2.3/8, "::1"]
log: warn,json
drain: 1m
access_log: address
memory: 512MiB
database: postgres://svc@db/svc
roles: [web, stream]
database_connections: 30
`)
	got, err := load(t,
		[]string{"--listen", "127.0.0.1:3", "--log-level", "debug"},
		map[string]string{"SVC_CONFIG": file, "SVC_LISTEN": "127.0.0.1:2", "SVC_DRAIN": "15s", "SVC_MEMORY": "2 GiB", "SVC_ROLES": "deliver,work", "SVC_BASE_URL": "https://Env.example:443/"})
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		Name:           "svc",
		Listen:         "127.0.0.1:3",
		BaseURL:        "https://env.example",
		BaseURLGiven:   true,
		Database:       "postgres://svc@db/svc",
		DataDir:        "/var/file",
		Media:          MediaStore{Path: "/var/file/uploads"},
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")},
		Drain:          15 * time.Second,
		Roles:          Roles{Work: true, Deliver: true},
		Memory:         2 << 30,
		AccessLog:      AccessAddress,
		LogLevel:       slog.LevelDebug,
		LogFormat:      "json",
		Settings:       DefaultSettings(),
		FromDatabase:   true,

		DatabaseConnections: 30,
	}
	want.Settings.LogLevel = ":debug"
	if diff := cmp.Diff(want, got, prefixes); diff != "" {
		t.Error(diff)
	}
}

func TestSecretComesFromAFile(t *testing.T) {
	path := write(t, "dsn", "postgres://svc:s3cret@db/svc\n")
	got, err := load(t, nil, map[string]string{"SVC_DATABASE_FILE": path})
	if err != nil || got.Database != "postgres://svc:s3cret@db/svc" {
		t.Errorf("database %q, error %v", got.Database, err)
	}
}

func TestEveryWrongSettingIsNamedAtOnce(t *testing.T) {
	file := write(t, "svc.yaml", `
listne: 1
base_url: {a: b}
settings:
  instance: {limit: -1, limmit: 3, name: [a], poll_limits: 3}
  rate_limit: {authentication: [1]}
  oauth2: {token_expires_in: 99999999999999}
  nothing: 1
`)
	_, err := load(t, []string{"--config", file, "--log-level", "loud", "--log-format", "xml"}, map[string]string{
		"SVC_LISTEN":          "nowhere",
		"SVC_BASE_URL":        "https://me:pw@host/path?x",
		"SVC_DATABASE":        "mysql://root:hunter2@localhost/x",
		"SVC_DATABASE_FILE":   file,
		"SVC_DATA_DIR_FILE":   filepath.Join(filepath.Dir(file), "absent"),
		"SVC_TRUSTED_PROXIES": "10.0.0.0/33",
		"SVC_LOG":             "info,chatty",
		"SVC_MEMORY":          "63MiB",
		"SVC_ROLES":           "web,worker",

		"SVC_DATABASE_CONNECTIONS": "3",
		"SVC_ACCESS_LOG":           "yes",
	})
	var got Problems
	if !errors.As(err, &got) {
		t.Fatalf("error %v", err)
	}
	var names []string
	for _, p := range got {
		names = append(names, strings.ReplaceAll(p.Setting+" "+p.Value, filepath.Dir(file), ""))
	}
	want := []string{
		"base_url in /svc.yaml map[a:b]",
		"instance.name in /svc.yaml [a]",
		"instance.limit in /svc.yaml -1",
		"oauth2.token_expires_in in /svc.yaml 99999999999999",
		"rate_limit.authentication in /svc.yaml [1]",
		"instance.limmit in /svc.yaml (hidden)",
		"instance.poll_limits in /svc.yaml (hidden)",
		"nothing in /svc.yaml (hidden)",
		"listne in /svc.yaml (hidden)",
		"SVC_LISTEN nowhere",
		"SVC_BASE_URL https://me:pw@host/path?x",
		"SVC_DATABASE_FILE /svc.yaml",
		"SVC_DATABASE_CONNECTIONS 3",
		"SVC_DATA_DIR_FILE /absent",
		"SVC_TRUSTED_PROXIES 10.0.0.0/33",
		"SVC_ROLES web,worker",
		"SVC_MEMORY 63MiB",
		"SVC_LOG info,chatty",
		"SVC_ACCESS_LOG yes",
		"--log-level loud",
		"--log-format xml",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	line := `SVC_LISTEN: "nowhere" is not accepted; give host:port, or unix:/path for a socket`
	if !strings.Contains(err.Error(), line+"\n") {
		t.Errorf("no line %q in\n%v", line, err)
	}
}

func TestDatabaseURLIsNotRepeatedInErrors(t *testing.T) {
	_, err := load(t, []string{"--database", "mysql://root:hunter2@localhost/x"}, nil)
	if err == nil || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "--database") {
		t.Errorf("error %v", err)
	}
}

func TestAcceptedValues(t *testing.T) {
	for _, c := range []struct {
		flag string
		good []string
		bad  []string
	}{
		{"listen", []string{":8080", "[::1]:80", "localhost:1", "unix:/run/svc.sock", "0.0.0.0:65535"},
			[]string{"", "8080", "host", "h:x", "h:70000", "unix:", "a b:1"}},
		{"base-url", []string{"http://h", "https://social.example/", "https://[::1]:8443", "http://xn--bcher-kva.example"},
			[]string{"", "social.example", "ftp://h", "https://h/sub", "https://h?x", "https://h#x", "https://", "https://h:0", "https://h:", "https://h..", "https://.", "https://-.example", "https://b\u00fc\u200bcher_.example"}},
		{"database", []string{"sqlite:a.db", "sqlite:/var/lib/svc.db", "postgres://h/n", "postgresql:///n?host=/run"},
			[]string{"", "sqlite:", "sqlite::memory:", "a.db", "mysql://h"}},
		{"data-dir", []string{".", "/var/lib/svc"}, []string{""}},
	} {
		base := []string{"--base-url", "https://social.example"}
		if c.flag == "base-url" {
			base = nil
		}
		for _, v := range c.good {
			if _, err := load(t, append(base, "--"+c.flag, v), nil); err != nil {
				t.Errorf("--%s %q: %v", c.flag, v, err)
			}
		}
		for _, v := range c.bad {
			if _, err := load(t, append(base, "--"+c.flag, v), nil); err == nil {
				t.Errorf("--%s %q is taken", c.flag, v)
			}
		}
	}
}

func TestTheBaseURLIsAsOtherServersWriteIt(t *testing.T) {
	for given, want := range map[string]string{
		"https://bücher.example":            "https://xn--bcher-kva.example",
		"https://BÜCHER.Example/":           "https://xn--bcher-kva.example",
		"https://bu\u0308cher.example:8443": "https://xn--bcher-kva.example:8443",
		"https://b%C3%BCcher.example":       "https://xn--bcher-kva.example",
		"https://例え。テスト":                    "https://xn--r8jz45g.xn--zckzah",
		"https://social.example.":           "https://social.example",
		"https://social.example.:443":       "https://social.example",
		"http://social.example.:8080":       "http://social.example:8080",
		"https://Social.Example":            "https://social.example",
		"https://r3---sn.example":           "https://r3---sn.example",
		"http://127.0.0.1:80":               "http://127.0.0.1",
		"http://[2001:DB8::1]:8080":         "http://[2001:db8::1]:8080",
		"https://[2001:db8::1]":             "https://[2001:db8::1]",
	} {
		got, err := load(t, []string{"--base-url", given}, nil)
		if err != nil || got.BaseURL != want {
			t.Errorf("%s: %q, %v, want %s", given, got.BaseURL, err, want)
		}
	}
	_, err := load(t, []string{"--base-url", "https://b_ü.example"}, nil)
	if err == nil || !strings.Contains(err.Error(), "b_ü.example") || !strings.Contains(err.Error(), "xn--") {
		t.Errorf("a name that cannot be: %v", err)
	}
}

func TestBaseURLFollowsListen(t *testing.T) {
	for listen, want := range map[string]string{
		"127.0.0.1:9000": "http://127.0.0.1:9000",
		"0.0.0.0:9000":   "http://localhost:9000",
		":9000":          "http://localhost:9000",
		"[::1]:9000":     "http://[::1]:9000",
		"[::1]:80":       "http://[::1]",
		"localhost:80":   "http://localhost",
	} {
		got, err := load(t, []string{"--listen", listen}, nil)
		if err != nil || got.BaseURL != want {
			t.Errorf("listen %s: base URL %q, error %v; want %q", listen, got.BaseURL, err, want)
		}
	}
	for _, listen := range []string{"unix:/run/svc.sock", "127.0.0.1:0"} {
		if _, err := load(t, []string{"--listen", listen}, nil); err == nil || !strings.Contains(err.Error(), "SVC_BASE_URL") {
			t.Errorf("listen %s without base URL: error %v", listen, err)
		}
	}
}

func TestDomainAndNetwork(t *testing.T) {
	c := Config{BaseURL: "https://social.example:8443", Listen: "unix:/run/svc.sock"}
	network, address := c.Network()
	if got := []string{c.Domain(), network, address}; !cmp.Equal(got, []string{"social.example:8443", "unix", "/run/svc.sock"}) {
		t.Errorf("got %q", got)
	}
}

func TestLogFormatFollowsTheTerminal(t *testing.T) {
	for _, c := range []struct {
		format   string
		terminal bool
		json     bool
	}{{"", true, false}, {"", false, true}, {"text", false, false}, {"json", true, true}} {
		var b bytes.Buffer
		log := Config{LogFormat: c.format, LogLevel: slog.LevelWarn}.Logger(&b, c.terminal)
		log.Info("quiet")
		log.Warn("loud")
		if json := strings.HasPrefix(b.String(), "{"); json != c.json || strings.Contains(b.String(), "quiet") || !strings.Contains(b.String(), "loud") {
			t.Errorf("%+v wrote %q", c, b.String())
		}
	}
}

func TestHelpListsEverySettingWithItsDefault(t *testing.T) {
	flags := pflag.NewFlagSet("svcd", pflag.ContinueOnError)
	BindFlags(flags)
	help := flags.FlagUsages()
	for _, want := range []string{"--listen", "SVC_LISTEN", "127.0.0.1:8080", "--base-url", "--database", "--data-dir", "./svc-data", "--log-level", "--log-format", "--config"} {
		if !strings.Contains(help, want) {
			t.Errorf("no %s in\n%s", want, help)
		}
	}
}

func TestABadNameIsRefused(t *testing.T) {
	for _, name := range []string{"Pleroma", "v1", "a b", "2", "users"} {
		_, err := load(t, nil, map[string]string{"SVC_NAME": name})
		if err == nil || !strings.Contains(err.Error(), "SVC_NAME") || !strings.Contains(err.Error(), "lower-case letters and digits") {
			t.Errorf("%q: %v", name, err)
		}
	}
	if c, err := load(t, nil, map[string]string{"SVC_NAME": "pleroma"}); err != nil || c.Name != "pleroma" {
		t.Errorf("%q, %v", c.Name, err)
	}
}

func TestSQLiteIsServedByOneProcessThatDoesAll(t *testing.T) {
	_, err := load(t, nil, map[string]string{"SVC_ROLES": "web"})
	if err == nil || !strings.Contains(err.Error(), "SQLite allows one process") {
		t.Errorf("error %v", err)
	}
	if _, err := load(t, nil, map[string]string{"SVC_ROLES": "deliver, work stream web"}); err != nil {
		t.Error(err)
	}
}
