package config

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client/settings/term"
)

func everything(string, string) bool { return true }

// legalTypes are all that clients know how to make forms for.
var legalTypes = strings.Fields(`string integer boolean atom module tuple map keyword group
	[list,string] [list,module] [list,atom] [list,tuple] [list,map] [list,charlist]
	[keyword,integer] [keyword,string] [keyword,map] [keyword,[list,string]] [map,string] [map,[list,string]]
	[string,image] [dropdown,atom] [string,tuple] [string,boolean] [string,atom] [integer,boolean] [boolean,tuple]
	[atom,boolean] [atom,tuple,module] [tuple,[list,tuple]] [module,[list,module]] [string,[list,string],[list,tuple]]`)

var leaning = regexp.MustCompile(`^(What|Its|Whom|Who) | of (that|them)\b|\b(that program|that request|do(ne)? then)\b`)

func (t Type) text() string {
	if t.Of == nil {
		return t.Name
	}
	var parts []string
	for _, one := range t.Of {
		parts = append(parts, one.text())
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// described finds the description of a row.
func described(entries []Description, s Setting) (Description, bool) {
	at := func(list []Description, is func(Description) bool) (Description, bool) {
		i := slices.IndexFunc(list, is)
		if i < 0 {
			return Description{}, false
		}
		return list[i], true
	}
	d, ok := at(entries, func(d Description) bool { return d.Group == s.Group && d.Key == s.Key })
	path := s.Path
	for !ok && len(entries) > 0 && len(s.Path) == 0 {
		for _, e := range entries {
			if e.Group == s.Group && e.Key == "" {
				if d, ok = at(e.Children, func(d Description) bool { return d.Key == s.Key }); ok {
					break
				}
			}
		}
		return d, ok
	}
	for _, word := range path {
		if !ok {
			return d, false
		}
		d, ok = at(d.Children, func(d Description) bool { return d.Key == word })
	}
	return d, ok
}

func TestEverySettingIsDescribed(t *testing.T) {
	entries := Descriptions(everything)
	for _, s := range Registry() {
		d, ok := described(entries, s)
		switch {
		case !ok:
			t.Errorf("%s is not described", s.Name())
		case d.Description == "":
			t.Errorf("%s is described without words", s.Name())
		case d.Secret != s.Secret:
			t.Errorf("%s: secret is %v", s.Name(), d.Secret)
		}
	}
}

func TestDescriptionsAreFitForForms(t *testing.T) {
	var check func(where string, d Description)
	check = func(where string, d Description) {
		where += " " + d.Key
		if !slices.Contains(legalTypes, d.Type.text()) {
			t.Errorf("%s has the type %s, which no client knows", where, d.Type.text())
		}
		if d.Label == "" || strings.ContainsAny(d.Label, "_:") || d.Label != strings.TrimSpace(d.Label) {
			t.Errorf("%s has the label %q", where, d.Label)
		}
		if d.Secret && len(d.Suggestions) > 0 {
			t.Errorf("%s is secret, and suggests %v", where, d.Suggestions)
		}
		// A text that leans on another one helps nobody who sees it alone.
		if d.Description == "" || leaning.MatchString(d.Description) {
			t.Errorf("%s is described as %q", where, d.Description)
		}
		keys := map[string]bool{}
		for _, child := range d.Children {
			if child.Key == "" || keys[child.Key] || child.Group != "" {
				t.Errorf("%s has the child %q of %q", where, child.Key, child.Group)
			}
			keys[child.Key] = true
			check(where, child)
		}
	}
	seen := map[string]bool{}
	for _, e := range Descriptions(everything) {
		if e.Type.text() != "group" {
			t.Errorf("%s %s is a %s", e.Group, e.Key, e.Type.text())
		}
		if name := e.Group + e.Key; e.Key != "" && seen[name] {
			t.Errorf("%s is there twice", name)
		} else {
			seen[name] = true
		}
		if strings.HasPrefix(e.Key, ":mrf") != (e.Tab == "mrf") || e.Tab != "" && (e.RelatedPolicy == "") != (e.Key == ":mrf") {
			t.Errorf("%s is on tab %q, with policy %q", e.Key, e.Tab, e.RelatedPolicy)
		}
		check(e.Group, e)
	}
}

func TestLabelsFollowNames(t *testing.T) {
	for name, want := range map[string]string{
		":user_name_length": "User name length", ":access_key_id": "Access key", ":id": "Id", ":éa_b": "Éa b",
		"Svc.Upload": "Svc.Upload", "application/xml": `"application/xml"`, "name": `"name"`,
	} {
		if got := label(name); got != want {
			t.Errorf("%s is labelled %s", name, got)
		}
	}
}

func TestTheOperatorsOwnSettingsHaveNoForm(t *testing.T) {
	for _, e := range Descriptions(everything) {
		if BootOnly(e.Group, e.Key) || slices.ContainsFunc(e.Children, func(d Description) bool { return e.Key == "" && BootOnly(e.Group, d.Key) }) {
			t.Errorf("%s %s has one", e.Group, e.Key)
		}
	}
}

func TestFormsAreChosen(t *testing.T) {
	only := func(group, key string) bool { return group == ":cors_plug" || key == ":mrf_object_age" }
	got := Descriptions(only)
	if len(got) != 2 || got[0].Key != ":mrf_object_age" || got[1].Group != ":cors_plug" || got[1].Key != "" {
		t.Errorf("%+v", got)
	}
}

func TestDescriptions(t *testing.T) {
	entries := Descriptions(everything)
	find := func(group, key string) Description {
		t.Helper()
		i := slices.IndexFunc(entries, func(d Description) bool { return d.Group == group && d.Key == key })
		if i < 0 {
			t.Fatalf("no entry of %s %s", group, key)
		}
		return entries[i]
	}
	child := func(d Description, key string) Description {
		t.Helper()
		i := slices.IndexFunc(d.Children, func(d Description) bool { return d.Key == key })
		if i < 0 {
			t.Fatalf("no %s under %s", key, d.Key)
		}
		return d.Children[i]
	}
	without := func(d Description) Description { // words, which may be bettered
		d.Description = ""
		d.Children = slices.Clone(d.Children)
		for i := range d.Children {
			d.Children[i].Description = ""
		}
		return d
	}
	if first := entries[0]; first.Key != ":mrf" || first.Tab != "mrf" || first.RelatedPolicy != "" {
		t.Errorf("the first is %s %s", first.Group, first.Key)
	}
	for _, tt := range []struct {
		got, want Description
	}{
		{find(":svc", ":chat"), Description{Group: ":svc", Key: ":chat", Label: "Chat", Type: simple("group"), Children: []Description{
			{Key: ":enabled", Label: "Enabled", Type: simple("boolean")},
		}}},
		{find(":svc", ":mrf_object_age"), Description{
			Group: ":svc", Key: ":mrf_object_age", Label: "MRF Object Age", Type: simple("group"),
			Tab: "mrf", RelatedPolicy: "Svc.Web.ActivityPub.MRF.ObjectAgePolicy",
			Children: []Description{
				{Key: ":threshold", Label: "Threshold", Type: simple("integer"), Suggestions: []string{"604800"}},
				{Key: ":actions", Label: "Actions", Type: listOf("atom"), Suggestions: []string{":delist", ":strip_followers", ":reject"}},
			},
		}},
		{child(find(":svc", ":instance"), ":poll_limits"), Description{Key: ":poll_limits", Label: "Poll limits", Type: simple("map"), Children: []Description{
			{Key: ":max_options", Label: "Max options", Type: simple("integer"), Suggestions: []string{"20"}},
			{Key: ":max_option_chars", Label: "Max option chars", Type: simple("integer"), Suggestions: []string{"200"}},
			{Key: ":min_expiration", Label: "Min expiration", Type: simple("integer"), Suggestions: []string{"0"}},
			{Key: ":max_expiration", Label: "Max expiration", Type: simple("integer"), Suggestions: []string{"31536000"}},
		}}},
		{child(find(":svc", ":instance"), ":limit_to_local_content"), Description{
			Key: ":limit_to_local_content", Label: "Limit to local content",
			Type: several(simple("atom"), simple("boolean")), Suggestions: []string{":unauthenticated", ":all", "false"},
		}},
		{child(find(":svc", "Svc.Emails.Mailer"), ":password"), Description{
			Key: ":password", Label: "Password", Type: simple("string"), Subgroup: "Swoosh.Adapters.SMTP", Secret: true,
		}},
		{child(find(":svc", ":rate_limit"), ":search"), Description{
			Key: ":search", Label: "Search", Type: several(simple("tuple"), listOf("tuple")),
			Suggestions: []string{`{"tuple":[1000,10]}`, `{"tuple":[1000,30]}`},
		}},
		{child(find(":cors_plug", ""), ":max_age"), Description{Key: ":max_age", Label: "Max age", Type: simple("integer"), Suggestions: []string{"86400"}}},
		{find(":svc", ":frontend_configurations"), Description{
			Group: ":svc", Key: ":frontend_configurations", Label: "Frontend configurations", Type: simple("group"),
			Children: []Description{
				{Key: ":masto_fe", Label: "Masto fe", Type: simple("map")},
				{Key: ":svc_fe", Label: "Svc fe", Type: simple("map")},
			},
		}},
	} {
		if diff := cmp.Diff(tt.want, without(tt.got)); diff != "" {
			t.Errorf("%s: %s", tt.want.Key, diff)
		}
	}
	var whole []string // the service's own whole keys
	for _, e := range entries {
		if e.Group == ":svc" && e.Key == "" {
			whole = append(whole, e.Children[0].Key)
		}
	}
	slices.Sort(whole)
	if diff := cmp.Diff([]string{":admin_token", ":mrf_user_allowlist", "Svc.Web.Auth.Authenticator"}, whole); diff != "" {
		t.Error(diff)
	}
}

func TestSuggestionsAreInTheFormsThatClientsShow(t *testing.T) {
	for _, tt := range []struct {
		given term.Term
		want  string
	}{
		{term.Atom("x"), ":x"},
		{term.Module("Svc.X"), "Svc.X"},
		{term.Bool(true), "true"},
		{term.Nil(), "nil"},
		{term.Integer(1), "1"},
		{term.TupleOf(term.Atom("a"), term.Bool(false)), `{"tuple":[":a",false]}`},
		{term.Keyword(term.Entry(":a", term.Integer(1))), `[{"tuple":[":a",1]}]`},
		{term.MapOf(term.Entry(":a", term.Atom("b"))), `{":a":":b"}`},
	} {
		if diff := cmp.Diff(tt.want, suggestion(tt.given)); diff != "" {
			t.Error(diff)
		}
	}
}
