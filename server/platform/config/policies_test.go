package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/server/platform/text"
)

// TestPoliciesComeBackAsTheyWereWritten: settings saved by clients are read, and listed
// as they were.
func TestPoliciesComeBackAsTheyWereWritten(t *testing.T) {
	const module = "Svc.Web.ActivityPub.MRF."
	rows := map[string]Setting{}
	for _, row := range policySettings() {
		rows[row.Name()] = row
	}
	const allowed = `[{"tuple":["a.example",["https://a.example/x"]]},{"tuple":["b.example",[]]}]`
	for _, c := range []struct {
		name, wire string
		want       any
	}{
		{"mrf.policies", `["` + module + `SimplePolicy","` + module + `TagPolicy"]`, []string{module + "SimplePolicy", module + "TagPolicy"}},
		{"mrf_simple.reject", `["bad.example","*.worse.example"]`, []string{"bad.example", "*.worse.example"}},
		{"mrf_keyword.reject", `["~r/cheap watches/i","spamword",":atom","Svc.Thing"]`,
			[]Pattern{{text: "~r/cheap watches/i"}, {text: "spamword"}, {text: ":atom"}, {text: "Svc.Thing"}}},
		{"mrf_keyword.replace", `[{"tuple":["foo","bar"]},{"tuple":["~r/a+/",""]}]`, []Replacement{{Pattern{text: "foo"}, "bar"}, {Pattern{text: "~r/a+/"}, ""}}},
		{"mrf_subchain.match_actor", `{"~r/one/s":["` + module + `DropPolicy"]}`, []Subchain{{Pattern{text: "~r/one/s"}, []string{module + "DropPolicy"}}}},
		{"mrf_object_age.actions", `[":reject"]`, []string{":reject"}},
		{"mrf_user_allowlist", allowed, []Allowed{{"a.example", []string{"https://a.example/x"}}, {"b.example", []string{}}}},
	} {
		row := rows[c.name]
		got, ok := row.decode(read(t, c.wire))
		if diff := cmp.Diff(c.want, got); !ok || diff != "" || !row.within(got) {
			t.Errorf("%s %s: %v (-want +got):\n%s", c.name, c.wire, ok, diff)
			continue
		}
		back, listed := row.encode(got)
		if string(back.JSON()) != c.wire || !listed {
			t.Errorf("%s %s came back as %s, %v", c.name, c.wire, back.JSON(), listed)
		}
	}
	hosts := rows["mrf_user_allowlist"]
	for _, wire := range []string{
		`{"b.example":[],"a.example":["https://a.example/x"]}`,
		`[{"tuple":["b.example",[]]},{"tuple":["a.example",["https://a.example/x"]]},{"tuple":["a.example",[]]}]`,
	} {
		got, _ := hosts.decode(read(t, wire))
		if back, _ := hosts.encode(got); back.String() != allowed {
			t.Errorf("%s is %s", wire, back)
		}
	}
	for _, c := range []struct{ name, wire string }{
		{"mrf.policies", `5`}, {"mrf_simple.reject", `"bad.example"`}, {"mrf_keyword.reject", `[5]`}, {"mrf_keyword.reject", `"spam"`},
		{"mrf_keyword.replace", `["foo"]`}, {"mrf_keyword.replace", `[{"tuple":["foo"]}]`}, {"mrf_keyword.replace", `[{"tuple":["foo",5]}]`},
		{"mrf_subchain.match_actor", `["x"]`}, {"mrf_subchain.match_actor", `{"x":5}`}, {"mrf_object_age.actions", `[":delete"]`},
		{"mrf_user_allowlist", `{"a.example":"x"}`}, {"mrf_user_allowlist", `[{"tuple":["a.example","x"]}]`},
		{"mrf_user_allowlist", `[{"tuple":["a.example"]}]`}, {"mrf_user_allowlist", `["a.example"]`}, {"mrf_activity_expiration.days", `0`},
	} {
		row := rows[c.name]
		if got, ok := row.decode(read(t, c.wire)); ok && row.within(got) {
			t.Errorf("%s %s was taken as %v", c.name, c.wire, got)
		}
	}
}

func TestPatternsMatchNames(t *testing.T) {
	for _, c := range []struct {
		pattern, s string
		match      bool
	}{
		{"foo", "a foo foo", true},
		{"foo", "FOO", false},
		{"", "anything", false},
		{"a.b", "axb", false},
		{"~r/a.b/", "axb ayb", true},
		{"~r/FOO/i", "foo", true},
	} {
		if p, ok := PatternOf(c.pattern); !ok || p.Match(c.s) != c.match || p.Phrase().In(text.ReadText(c.s)) != c.match {
			t.Errorf("%s of %q: %v %v", c.pattern, c.s, ok, p.Match(c.s))
		}
	}
}
