package login

import (
	"path/filepath"
	"testing"
)

func TestPermissionForPlainHTTPGoesWithItsAddress(t *testing.T) {
	dir := t.TempDir()
	paths := Paths{Config: filepath.Join(dir, "config.yaml"), Credentials: filepath.Join(dir, "credentials")}
	config := &Config{Current: "lab", Contexts: map[string]Context{
		"lab":  {URL: "http://lab.example", InsecureHTTP: true},
		"home": {URL: "https://home.example"},
	}}
	if err := config.Save(paths.Config); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		want Wanted
		env  string // SVCCTL_URL
		at   string // "" is refused
		from string // the context
	}{
		{"the context itself", Wanted{}, "", "http://lab.example", "lab"},
		{"its address by --url", Wanted{URL: "http://lab.example"}, "", "http://lab.example", "lab"},
		{"its address by SVCCTL_URL, from another context", Wanted{Context: "home"}, "http://lab.example", "http://lab.example", "lab"},
		{"another address by --url", Wanted{URL: "http://bank.example"}, "", "", ""},
		{"another address by SVCCTL_URL", Wanted{}, "http://bank.example", "", ""},
		{"another context's address, unencrypted", Wanted{URL: "http://home.example"}, "", "", ""},
		{"allowed by hand", Wanted{URL: "http://bank.example", InsecureHTTP: true}, "", "http://bank.example", ""},
		{"encrypted", Wanted{URL: "https://bank.example"}, "", "https://bank.example", ""},
	} {
		s, err := Open(paths, func(name string) string { return map[string]string{"SVCCTL_URL": tt.env}[name] }, tt.want, false)
		switch {
		case tt.at == "" && err == nil:
			t.Errorf("%s: goes to %s", tt.name, s.Origin)
		case tt.at != "" && (err != nil || s.Origin.String() != tt.at || s.Name != tt.from):
			t.Errorf("%s: %+v, %v", tt.name, s, err)
		}
	}
}
