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
	} {
		if got := SameHandle(tt.a, tt.b); got != tt.same {
			t.Errorf("%s and %s: %v", tt.a, tt.b, got)
		}
	}
	if !sameNickname("bob@xn--mller-kva.example", "bob@müller.example") {
		t.Error("a user who is asked for in Unicode is not found")
	}
}
