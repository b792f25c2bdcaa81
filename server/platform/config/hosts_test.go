package config

import (
	"testing"

	"svc/client/settings/term"
)

// TestListsOfHostsAreCheckedOnSaving: wherever hosts are listed, and read as before.
func TestListsOfHostsAreCheckedOnSaving(t *testing.T) {
	for item, fine := range map[string]bool{
		"far.example": true, "*.far.example": true, "FAR.example:8443": true, "müller.example": true, "[::1]:4001": true, "127.0.0.1": true,
		"https://far.example/": false, "https://far.example": false, "@user@far.example": false, "user@far.example": false, "far.example/path": false, "bad host.example": false,
		"": false, "-": false, "*": false, "*.": false, "*.*.example": false, "far..example": false, "far.example:x": false, "~r/far/": false,
	} {
		list := term.Strings("near.example", item)
		for _, c := range []struct {
			key   string
			value term.Term
		}{
			{":mrf_simple", keyword(":reject", list)}, {":mrf_simple", keyword(":media_nsfw", list)}, {":mrf", keyword(":transparency_exclusions", list)},
			{":mrf_steal_emoji", keyword(":hosts", list)}, {":instance", keyword(":quarantined_instances", list)}, {":rich_media", keyword(":ignore_hosts", list)},
			{":mrf_user_allowlist", term.MapOf(term.Pair{Key: term.String(item), Value: term.Strings("https://far.example/x")})},
		} {
			wrong := CheckHosts(":svc", c.key, c.value, term.Nil())
			if (len(wrong) == 0) != fine {
				t.Errorf("%q in %s: %v", item, c.key, wrong)
			}
			if len(CheckHosts(":svc", c.key, c.value, c.value)) > 0 {
				t.Errorf("%q in %s is refused though it is saved already", item, c.key)
			}
			base := DefaultSettings()
			if _, wrong := base.With([]Saved{{Group: ":svc", Key: c.key, Value: c.value}}); len(wrong) > 0 {
				t.Errorf("an old list with %q in %s is not read: %v", item, c.key, wrong)
			}
		}
	}
	const want = `:mrf_simple :reject takes hosts such as far.example or *.far.example, and "@a@b.example" is none`
	if got := CheckHosts(":svc", ":mrf_simple", keyword(":reject", term.Strings("@a@b.example", "-")), term.Nil()); len(got) != 1 || got[0].Error() != want {
		t.Errorf("%v, want %s", got, want)
	}
	if got := CheckHosts(":svc", ":mrf_keyword", keyword(":reject", term.Strings("-")), term.Nil()); len(got) > 0 {
		t.Error(got)
	}
}

func keyword(key string, value term.Term) term.Term {
	return term.Keyword(term.Entry(key, value))
}

func TestSettingsOfPoliciesAreIdleUntilTheseAreSwitchedOn(t *testing.T) {
	s := DefaultSettings()
	hosts := keyword(":reject", term.Strings("far.example"))
	const simple, subchain = policyModule + "SimplePolicy", policyModule + "SubchainPolicy"
	check := func(name, want string, key string, value term.Term) {
		t.Helper()
		if got := s.Idle(":svc", key, value); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	check("off", simple, ":mrf_simple", hosts)
	check("off, with nothing in it", "", ":mrf_simple", keyword(":reject", term.Strings()))
	check("a number", policyModule+"HellthreadPolicy", ":mrf_hellthread", keyword(":delist_threshold", term.Integer(5)))
	check("on by default", "", ":mrf_object_age", keyword(":threshold", term.Integer(5)))
	check("of no policy", "", ":instance", keyword(":limit", term.Integer(5)))
	s.Policies.Subchains = []Subchain{{Policies: []string{simple}}}
	check("in a chain that is off itself", simple, ":mrf_simple", hosts)
	s.Policies.Chain = []string{subchain}
	check("in a chain for some", "", ":mrf_simple", hosts)
	s.Policies.Chain, s.Policies.Subchains = []string{simple}, nil
	check("on", "", ":mrf_simple", hosts)
}
