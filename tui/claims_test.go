package tui

import (
	"strings"
	"testing"
	"time"

	"svc/client/api"
	"svc/server/servertest"
)

// TestAClaimIsReadByOthersAndEnds has two moderators on one server.
func TestAClaimIsReadByOthersAndEnds(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	for _, nick := range []string{"bob", "kim"} {
		if _, err := s.Client("ann").Reports.Create(t.Context(), api.NewReport{AccountID: s.User(nick).ID, Comment: "spam"}); err != nil {
			t.Fatal(err)
		}
	}
	tess, mika := beginOn(t, s.Admin("tess"), 120, 24, Options{}), beginOn(t, s.Admin("mika"), 120, 24, Options{})
	tess.clock, mika.clock = time.Now(), time.Now() // notes have the server's time
	mika.press("j")
	tess.press("ja")
	tess.shows("OUTBOX 1  claim")
	tess.pass(5 * time.Second)
	tess.shows("claimed by tess, ")
	tess.press("r") // one's own claim is no reason to warn
	tess.hides("is claimed by")
	tess.press("u")
	mika.pass(10 * time.Second)
	mika.shows("claimed by tess, ", "NOTE tess")
	mika.press("kj")
	mika.shows("tess here; ")
	mika.press("r")
	mika.shows("is claimed by tess", "u cancels", "OUTBOX 1  resolve")
	mika.press("uka")
	mika.hides("claim what others have claimed")
	mika.press("uja")
	mika.shows("claim what others have claimed", "(tess, ", "y yes")
	mika.press("<esc>")
	mika.pass(30 * time.Minute)
	mika.hides("claimed by tess, ")
	mika.press("r")
	mika.hides("is claimed by")
}

func TestAClaimShowsInTheRow(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press("a")
	d.pass(5 * time.Second)
	d.shows("[claimed by mika]")
	d.press("a")
	d.shows("claimed by you already")
	d.press("u") // takes it back
	d.hides("claimed by mika")
	if w := d.world.writes(); len(w) != 2 || !strings.Contains(w[0], `{"content":"claimed by mika"}`) {
		t.Errorf("sent %q", w)
	}
	d.press("<enter>a")
	d.shows("OUTBOX 1  claim 9xA1q")
}

// TestOnlyOnesOwnNameClaims has a note that claims for somebody else.
func TestOnlyOnesOwnNameClaims(t *testing.T) {
	w := newWorld(t)
	note := w.Reports[1]["notes"].([]any)[0].(object)
	note["content"], note["created_at"] = "claimed by mika", "2026-01-31T12:00:00.000Z" // says tess
	d := begin(t, w, 100, 24)
	d.press("j")
	d.shows("NOTE tess")
	d.hides("[claimed by")
}

func TestWithoutNotesThereAreNoClaims(t *testing.T) {
	w := newWorld(t)
	for _, r := range w.Reports {
		delete(r, "notes")
	}
	d := begin(t, w, 100, 24)
	d.press("a")
	d.shows("this server does not return notes")
	if len(d.m.Staged.Items) != 0 {
		t.Error("it was staged")
	}
}

func TestPresenceComesFromTheLog(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.hides("tess here")
	d.world.change(func() { d.world.log("tess", "9x000000000009x8fw", "resolved") })
	d.pass(6 * time.Second)
	d.pass(4 * time.Second)
	d.press("jk")
	d.shows("tess here; resolved 9x8fw 0s ago")
	d.world.change(func() { d.world.log("tom", "9x000000000009x7aa", "closed") })
	d.pass(10 * time.Second)
	d.press("jk")
	d.shows("tess and tom here") // by name where the time is the same
	d.pass(10 * time.Minute)
	d.hides(" here; ")
}

func TestPlainModeClaims(t *testing.T) {
	d := beginTalk(t, newWorld(t), Options{})
	d.says("claim").hears("Claim 9xA1q: sent in 4 seconds")
	d.pass(5 * time.Second)
	d.says("read").hears("Claimed by mika", "Note by mika")
}
