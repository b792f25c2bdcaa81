package pages_test

import (
	"net/url"
	"strings"
	"testing"

	"svc/server/servertest"
)

// TestWhoWantsToFollowFromHereIsToldHow opens the address that WebFinger names.
func TestWhoWantsToFollowFromHereIsToldHow(t *testing.T) {
	s := servertest.Start(t)
	s.User("alice")
	_, host, _ := strings.Cut(s.Base(), "://")
	for acct, want := range map[string]struct {
		status   int
		location string
		words    string
	}{
		"":                              {400, "", "Whom do you want to follow?"},
		"alice@" + host:                 {302, "/users/alice", ""},
		"@ALICE@" + host:                {302, "/users/alice", ""},
		s.Base() + "/users/alice":       {302, "/users/alice", ""},
		s.Base() + "/@alice":            {302, "/users/alice", ""},
		"nobody@" + host:                {200, "", "search there for nobody@" + host},
		"bob@far.example":               {200, "", "search there for bob@far.example"},
		"https://far.example/users/bob": {200, "", "search there for https://far.example/users/bob"},
		"<script>alert(1)</script>@x":   {200, "", "search there for &lt;script&gt;alert(1)&lt;/script&gt;@x"},
		strings.Repeat("x", 1000):       {200, "", "x…. It finds"},
	} {
		got := newVisitor(t, s).send("GET", "/ostatus_subscribe?acct="+url.QueryEscape(acct), nil)
		if got.status != want.status || got.header.Get("Location") != want.location || !strings.Contains(got.text, want.words) {
			t.Errorf("%.50s: %d %q %.2000s", acct, got.status, got.header.Get("Location"), got.text)
		}
	}
}
