package action

import "testing"

func TestHandlesAreComparedAsServersKeepThem(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"bob", "BOB", true}, {"bob@far.example", "bob@FAR.example.", true}, {"bob@xn--mller-kva.example", "Bob@MÜLLER.example", true},
		{"bob@xn--mller-kva.example:8443", "bob@müller.example:8443", true}, {"bob@far.example", "bob@far.example:8443", false},
		{"bob", "bob@far.example", false}, {"bob@far.example", "ann@far.example", false}, {"bob@[::1]:4001", "bob@[::1]:4001", true},
		{"first.last@far.example", "First.Last@far.example:443", true}, {"jos\u00e9@far.example", "JOSE\u0301@far.example", true}, {"bob.x@far.example", "bob@far.example", false},
	} {
		if got := SameHandle(tt.a, tt.b); got != tt.same {
			t.Errorf("%s and %s: %v", tt.a, tt.b, got)
		}
	}
	for message, about := range map[string]string{
		"@root deactivated users: @kim": "@kim", "@root tagged @jos\u00e9, @kim": "@JOS\u00c9", "@root tagged @kim@far.example:8443": "@kim@far.example:8443",
	} {
		if !Mentions(message, about) {
			t.Errorf("%q does not mention %s", message, about)
		}
	}
	for message, about := range map[string]string{
		"@root tagged @kim.lee": "@kim", "@root tagged @jos\u00e9": "@jos", "@root tagged @kim@far.example:8443, @kim@far.example.org": "@kim@far.example", "@root tagged @kimи": "@kim",
	} {
		if Mentions(message, about) {
			t.Errorf("%q mentions %s", message, about)
		}
	}
	if !sameNickname("bob@xn--mller-kva.example", "bob@müller.example") {
		t.Error("a user who is asked for in Unicode is not found")
	}
}
