package commands

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client/api"
	"svc/client/settings"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/servertest"
)

// TestSettingsThatAreNotKeptInTheDatabase has a code of its own for every verb
// that needs them there.
func TestSettingsThatAreNotKeptInTheDatabase(t *testing.T) {
	s := servertest.Booted(t, dbtest.Ready(t), func(c *config.Config) { c.FromDatabase = false })
	token := s.Token("mika", servertest.AdminScopes)
	file := filepath.Join(t.TempDir(), "wish.yaml")
	if err := os.WriteFile(file, []byte(":svc:\n  :instance:\n    :limit: 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		line string
		code int
	}{
		{"config get", cli.ExitConfigOff},
		{"config set svc instance limit 3", cli.ExitConfigOff},
		{"config unset svc instance --yes --max 1", cli.ExitConfigOff},
		{"config add svc mrf_simple reject a.example", cli.ExitConfigOff},
		{"config remove svc mrf_simple reject a.example", cli.ExitConfigOff},
		{"config export", cli.ExitConfigOff},
		{"config edit", cli.ExitConfigOff},
		{"config diff " + file, cli.ExitConfigOff},
		{"config plan " + file, cli.ExitConfigOff},
		{"config apply " + file, cli.ExitConfigOff},
		{"server restart --yes --max 1", cli.ExitConfigOff},
		{"config describe", cli.ExitDone},
		{"server needs-reboot", cli.ExitDone},
	}
	for _, tt := range tests {
		c := newCLI(t, s.URL, "")
		c.env["SVCCTL_TOKEN"] = token
		if code := Run(c.App, strings.Fields(tt.line)); code != tt.code {
			t.Errorf("svcctl %s: exit %d, want %d: %s", tt.line, code, tt.code, &c.stderr)
		}
	}
}

// TestHostsAreCheckedAndAPolicyThatIsOffIsNamed by every verb that saves.
func TestHostsAreCheckedAndAPolicyThatIsOffIsNamed(t *testing.T) {
	s := servertest.Start(t)
	token := s.Token("mika", servertest.AdminScopes)
	file := filepath.Join(t.TempDir(), "wish.yaml")
	if err := os.WriteFile(file, []byte(":svc:\n  :mrf_simple:\n    :media_nsfw: [https://lewd.example]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const idle = "warning: :mrf_simple has no effect while Svc.Web.ActivityPub.MRF.SimplePolicy is not in :mrf :policies\n"
	for _, tt := range []struct {
		line   string
		code   int
		stderr string
	}{
		{"config add svc mrf_simple reject @user@bad.example", cli.ExitInvalid, "is none"},
		{"config set svc mrf_simple accept https://bad.example", cli.ExitInvalid, "is none"},
		{"config apply --yes " + file, cli.ExitInvalid, "is none"},
		{"config add svc mrf_simple reject bad.example", cli.ExitDone, idle},
		{"config add svc mrf policies Svc.Web.ActivityPub.MRF.SimplePolicy", cli.ExitDone, ""},
		{"config add svc mrf_simple reject worse.example", cli.ExitDone, ""},
	} {
		c := newCLI(t, s.URL, "")
		c.env["SVCCTL_TOKEN"] = token
		code := Run(c.App, strings.Fields(tt.line))
		if said := c.stderr.String(); code != tt.code || tt.stderr == "" && strings.Contains(said, "warning") || !strings.Contains(said, tt.stderr) {
			t.Errorf("svcctl %s: exit %d, want %d: %s", tt.line, code, tt.code, said)
		}
	}
}

// TestALostAnswerToSettingsIsMadeUpFor cuts the connection after the server has
// saved a setting.
func TestALostAnswerToSettingsIsMadeUpFor(t *testing.T) {
	s := servertest.Start(t)
	behind, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(behind)
	cut := 0
	proxy.ModifyResponse = func(r *http.Response) error {
		if r.Request.Method == http.MethodPost && strings.HasSuffix(r.Request.URL.Path, "/config") {
			cut++
			panic(http.ErrAbortHandler)
		}
		return nil
	}
	front := httptest.NewServer(proxy)
	t.Cleanup(front.Close)
	c := newCLI(t, front.URL, "")
	c.env["SVCCTL_TOKEN"] = s.Token("mika", servertest.AdminScopes)
	code := Run(c.App, strings.Fields("config set svc instance limit 3000 -o jsonl"))
	want := `{"target":"config/:svc/:instance/:limit","action":"config.set","result":"changed","error":null}` + "\n"
	if diff := cmp.Diff(want, c.stdout.String()); code != 0 || cut != 1 || diff != "" {
		t.Errorf("exit %d, %d answers cut: %s (-want +got):\n%s", code, cut, &c.stderr, diff)
	}
}

func TestValuesAreTypedByTheirDescriptions(t *testing.T) {
	word := func(name string) api.ConfigType { return api.ConfigType{Name: name} }
	several := func(of ...api.ConfigType) api.ConfigType { return api.ConfigType{Of: of} }
	modules := []string{"Svc.A.SimplePolicy", "Svc.A.TagPolicy", "Svc.B.TagPolicy"}
	tests := []struct {
		name, text  string
		typ         *api.ConfigType
		suggestions []string
		current     string
		want        string // "" where it is refused
	}{
		{"an integer", "12", ptr(word("integer")), nil, "", `12`},
		{"no integer", "1.5", ptr(word("integer")), nil, "", ``},
		{"a boolean", "true", ptr(word("boolean")), nil, "", `true`},
		{"no boolean", "yes", ptr(word("boolean")), nil, "", ``},
		{"text that looks like a number", "12", ptr(word("string")), nil, "", `"12"`},
		{"text that looks like a list", "[a]", ptr(word("string")), nil, "", `"[a]"`},
		{"an atom without its colon", "warn", ptr(word("atom")), nil, "", `":warn"`},
		{"a module by its last part", "SimplePolicy", ptr(word("module")), modules, "", `"Svc.A.SimplePolicy"`},
		{"a last part that two modules have", "TagPolicy", ptr(word("module")), modules, "", ``},
		{"items joined by commas", "a.example, b.example", ptr(several(word("list"), word("string"))), nil, "", `["a.example","b.example"]`},
		{"a list as in files", "[a, 'b, c']", ptr(several(word("list"), word("string"))), nil, "", `["a","b, c"]`},
		{"either of two types", "false", ptr(several(word("string"), word("boolean"))), nil, "", `false`},
		{"a tuple", "!tuple [1000, 5]", ptr(word("tuple")), nil, "", `{"tuple":[1000,5]}`},
		{"a map, as there is one", `{":a": 1}`, ptr(word("map")), nil, `{":a":2}`, `{":a":1}`},
		{"a keyword list, as there is one", `{":a": 1}`, ptr(word("keyword")), nil, `[{"tuple":[":a",2]}]`, `[{"tuple":[":a",1]}]`},
		{"a number as there is one", "x", nil, nil, `5`, ``},
		{"an atom as there is one", "info", nil, nil, `":warn"`, `":info"`},
		{"text as there is some", "true", nil, nil, `"x"`, `"true"`},
		{"a list as there is one", "a,b", nil, nil, `["x"]`, `["a","b"]`},
		{"nothing known", "3000", nil, nil, "", `3000`},
		{"nothing known, text", "a b", nil, nil, "", `"a b"`},
	}
	for _, tt := range tests {
		var how *settings.Typing
		if tt.typ != nil {
			how = &settings.Typing{ConfigType: *tt.typ, Suggestions: tt.suggestions}
		}
		var current *settings.Value
		if tt.current != "" {
			v, err := settings.ParseJSON([]byte(tt.current))
			if err != nil {
				t.Fatal(err)
			}
			current = &v
		}
		got := ""
		if v, err := settings.ReadTyped(tt.text, how, current); err == nil {
			got = string(output.JSON(v))
		}
		if got != tt.want {
			t.Errorf("%s: %s is read as %s, want %s", tt.name, tt.text, got, tt.want)
		}
	}
}

func ptr[T any](v T) *T { return &v }
