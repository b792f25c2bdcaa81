package login

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseOrigin(t *testing.T) {
	tests := []struct {
		in       string
		insecure bool
		want     string
	}{
		{"https://example.social", false, "https://example.social"},
		{"https://Example.Social/", false, "https://example.social"},
		{" example.social ", false, "https://example.social"},
		{"https://example.social:8443", false, "https://example.social:8443"},
		{"http://127.0.0.1:8080", false, "http://127.0.0.1:8080"},
		{"http://[::1]:8080", false, "http://[::1]:8080"},
		{"http://localhost:8080", false, "http://localhost:8080"},
		{"http://example.social", true, "http://example.social"},
	}
	for _, tt := range tests {
		got, err := ParseOrigin(tt.in, tt.insecure)
		if err != nil || got.String() != tt.want {
			t.Errorf("ParseOrigin(%q) = %v, %v, want %s", tt.in, got, err, tt.want)
		}
	}
	for _, bad := range []string{
		"", "http://example.social", "ftp://example.social", "https://", "https://:80",
		"https://u:p@example.social", "https://example.social/path", "https://example.social?x=1", "https://a b",
	} {
		if got, err := ParseOrigin(bad, false); err == nil {
			t.Errorf("ParseOrigin(%q) = %v, want a refusal", bad, got)
		}
	}
}

func env(pairs ...string) func(string) string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return m[name] }
}

func TestSavingKeepsWhatThisVersionDoesNotKnow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "svcctl", "config.yaml")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	before := `current: prod
contexts:
    prod:
        url: https://example.social
        protected: true
        delete_params: query
aliases:
    r: report list
`
	if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := LoadConfig(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Save(path); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, string(after)); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestABrokenConfigurationNamesItsFile(t *testing.T) {
	for _, text := range []string{
		"current: nowhere\n", "contexts: 7\n", "contexts: {a: {url: 'http://example.social'}}\n",
		"contexts: {'../x': {url: 'https://example.social'}}\n", "\tx",
	} {
		path := filepath.Join(t.TempDir(), "config.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := LoadConfig(path)
		var broken *ConfigError
		if !errors.As(err, &broken) || !strings.HasPrefix(err.Error(), path+": ") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestFlagBeatsEnvironmentBeatsContext(t *testing.T) {
	dir := t.TempDir()
	config := filepath.Join(dir, "config.yaml")
	err := os.WriteFile(config, []byte(`current: prod
contexts:
  prod: {url: "https://prod.example", protected: true}
  test: {url: "https://test.example", read_only: true}
`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	type got struct {
		Name, Origin, From  string
		ReadOnly, Protected bool
	}
	tests := []struct {
		name string
		env  []string
		want Wanted
		got  got
	}{
		{"the current context", nil, Wanted{}, got{"prod", "https://prod.example", "stored", false, true}},
		{"a context from the environment", []string{"SVCCTL_CONTEXT", "test"}, Wanted{}, got{"test", "https://test.example", "stored", true, false}},
		{"a context from a flag", []string{"SVCCTL_CONTEXT", "test"}, Wanted{Context: "prod"}, got{"prod", "https://prod.example", "stored", false, true}},
		{"an address finds its context", []string{"SVCCTL_URL", "https://test.example"}, Wanted{}, got{"test", "https://test.example", "stored", true, false}},
		{"an address of no context", []string{"SVCCTL_URL", "https://other.example"}, Wanted{}, got{"", "https://other.example", "", false, false}},
		{"a flag's address", []string{"SVCCTL_URL", "https://test.example"}, Wanted{URL: "https://prod.example"}, got{"prod", "https://prod.example", "stored", false, true}},
		{"a token from the environment", []string{"SVCCTL_TOKEN", "abc"}, Wanted{}, got{"prod", "https://prod.example", "SVCCTL_TOKEN", false, true}},
		{"reading only by flag", nil, Wanted{ReadOnly: true}, got{"prod", "https://prod.example", "stored", true, true}},
		{"reading only by environment", []string{"SVCCTL_READ_ONLY", "1"}, Wanted{}, got{"prod", "https://prod.example", "stored", true, true}},
	}
	for _, tt := range tests {
		getenv := env(append(tt.env, "SVCCTL_CONFIG", config)...)
		s, err := Open(PathsFrom(getenv), getenv, tt.want, false)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		seen := got{s.Name, s.Origin.String(), s.From, s.ReadOnly, s.Protected}
		if diff := cmp.Diff(tt.got, seen); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	getenv := env("SVCCTL_CONFIG", config)
	if _, err := Open(PathsFrom(getenv), getenv, Wanted{Context: "nope"}, false); err == nil {
		t.Error("a context that is not there was accepted")
	}
}

func TestTheTokenFileOfOthersIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte("secret-token\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	getenv := env("SVCCTL_URL", "https://example.social", "SVCCTL_TOKEN_FILE", path, "SVCCTL_CONFIG", filepath.Join(t.TempDir(), "c.yaml"))
	_, err := Open(PathsFrom(getenv), getenv, Wanted{}, false)
	var permission *PermissionError
	if !errors.As(err, &permission) || permission.Hint() != "chmod 600 "+path || strings.Contains(err.Error(), "secret-token") {
		t.Errorf("got %v", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Open(PathsFrom(getenv), getenv, Wanted{}, false)
	if err != nil {
		t.Fatal(err)
	}
	if token, err := s.Token(t.Context()); token != "secret-token" || err != nil {
		t.Errorf("token %q, %v", token, err)
	}
}

func TestTokenCommandRunsOnceAndItsFailureIsSaid(t *testing.T) {
	dir := t.TempDir()
	config := filepath.Join(dir, "config.yaml")
	write := func(args string) {
		t.Helper()
		text := "current: a\ncontexts: {a: {url: 'https://a.example', token_command: " + args + "}}\n"
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	getenv := env("SVCCTL_CONFIG", config)
	count := filepath.Join(dir, "count")
	write("[sh, -c, 'echo x >> " + count + "; echo my-token']")
	s, err := Open(PathsFrom(getenv), getenv, Wanted{}, false)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if token, err := s.Token(t.Context()); token != "my-token" || err != nil {
			t.Errorf("token %q, %v", token, err)
		}
	}
	if ran, err := os.ReadFile(count); err != nil || string(ran) != "x\n" {
		t.Errorf("ran %q, %v", ran, err)
	}
	write("[sh, -c, 'echo the store is locked >&2; exit 3']")
	if s, err = Open(PathsFrom(getenv), getenv, Wanted{}, false); err != nil {
		t.Fatal(err)
	}
	_, err = s.Token(t.Context())
	var auth *AuthError
	if !errors.As(err, &auth) || !strings.Contains(err.Error(), "the store is locked") {
		t.Errorf("got %v", err)
	}
}
