package tui

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/server/platform/config"
	"svc/server/servertest"
	"svc/server/servertest/peer"
)

// withRelay is a server, and a peer that is a relay.
func withRelay(t *testing.T) (*servertest.Server, *peer.Peer) {
	t.Helper()
	t.Parallel()
	s := servertest.Start(t, func(s *config.Settings) { s.ActivityPub.FollowHandshake = 0 })
	p := peer.Start(t, "127.0.0.3")
	p.ActorAt("/actor", "relay").Edit(func(d peer.Doc) { d["type"], d["inbox"] = "Application", p.URL("/inbox") })
	return s, p
}

func followed(t *testing.T, s *servertest.Server) []string {
	t.Helper()
	relays, err := s.Admin("root").Admin.Relays.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var actors []string
	for _, r := range relays {
		actors = append(actors, r.Actor)
	}
	return actors
}

func TestRelaysAreFollowedLeftAndTakenBack(t *testing.T) {
	s, p := withRelay(t)
	d := beginOn(t, s.Admin("root"), 80, 24, Options{})
	d.press("4")
	d.shows("RELAYS 0", "no relays: posts reach only servers that somebody follows. f follows one")
	d.press("f" + p.URL("/actor") + "<enter>")
	d.shows("OUTBOX 1  follow 127.0.0.3", "4s")
	if have := followed(t, s); have != nil {
		t.Fatalf("sent early: %s", have)
	}
	d.pass(5 * time.Second)
	d.shows("RELAYS 1", "asked", p.URL("/actor"))
	if diff := cmp.Diff([]string{p.URL("/actor")}, followed(t, s)); diff != "" {
		t.Fatal(diff)
	}
	d.press("u")
	d.shows("RELAYS 0", "undone: follow")
	d.press("f" + p.URL("/actor") + "<enter>")
	d.pass(5 * time.Second)
	// Leaving asks, and counts down.
	d.press("d<enter>")
	d.shows("unfollow 127.0.0.3", "y yes", "RELAYS 1")
	d.press("y")
	d.shows("unfollow 4s")
	d.pass(5 * time.Second)
	d.shows("RELAYS 0", ": left")
	d.press("u")
	d.shows("RELAYS 1")
	if diff := cmp.Diff([]string{p.URL("/actor")}, followed(t, s)); diff != "" {
		t.Fatal(diff)
	}
}

func TestARelayThatCannotBeNamedIsAskedForAgain(t *testing.T) {
	s, _ := withRelay(t)
	d := beginOn(t, s.Admin("root"), 80, 24, Options{})
	for _, wrong := range []string{"relay.example", "ftp://relay.example/x", "user/kim"} {
		d.press("4f" + wrong + "<enter>")
		d.shows("relay: "+wrong+"_", "the address of a relay")
		d.press("<esc>")
	}
	d.pass(time.Minute)
	if len(d.m.Staged.Items) != 0 || followed(t, s) != nil {
		t.Error("something was staged")
	}
	// A relay on a server that does not answer is not followed, and the outbox
	// has the reason.
	d.press("fhttp://127.0.0.9:1/actor<enter>")
	d.pass(5 * time.Second)
	d.shows("the server cannot follow it")
}

// TestRelaysShowHowDeliveryGoes: a relay on a stopped server shows that, and
// the last error.
func TestRelaysShowHowDeliveryGoes(t *testing.T) {
	s, _ := withRelay(t)
	c := s.Admin("root")
	d := beginOn(t, c, 120, 40, Options{})
	const name = "127.0.0.1:9"
	d.press("4fhttp://" + name + "/inbox<enter>")
	d.pass(5 * time.Second)
	servertest.Eventually(t, "the host fails", func() bool {
		h, err := c.Admin.Federation.Host(t.Context(), name)
		return err == nil && h.Failures > 0
	})
	d.press("<ctrl+r>")
	d.shows("failing 1", "last error: ")
	d.press("<enter>")
	d.shows("HOSTS "+name, "failing 1")
	d.press("8")
	d.shows("failing 1", name)
	d.press("/state:failing<enter>")
	d.pass(time.Second)
	d.shows("HOSTS 1")
	d.press("F<enter>")
	d.shows("drop what waits, for good", "y yes")
	d.press("y")
	d.pass(time.Second)
	d.shows("nothing matches /state:failing", "deliveries dropped")
	if h, err := c.Admin.Federation.Host(t.Context(), name); err == nil && (h.Failures > 0 || h.Waiting > 0) {
		t.Errorf("the host is %+v", h)
	}
	d.press("@")
	d.shows("forget " + name)
}
