package tui

import (
	"slices"
	"testing"
	"time"

	"svc/client"
	"svc/client/api"
	"svc/server/servertest"
	"svc/tui/grid"
	"svc/tui/keys"
)

// TestTheThreadOfAPostIsShown goes from a reported post to what it answers, to who wrote
// that, and to an answer that is deleted there.
func TestTheThreadOfAPostIsShown(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	root, ctx := s.Admin("root"), t.Context()
	s.User("ann")
	s.User("kim")
	bob := s.User("bob")
	post := func(by *client.Client, form api.NewStatus) string {
		t.Helper()
		one, err := by.Statuses.Post(ctx, form)
		if err != nil {
			t.Fatal(err)
		}
		return one.ID
	}
	ann, kim, rude := s.Client("ann"), s.Client("kim"), s.Client("bob")
	first := post(ann, api.NewStatus{Status: "my cat died"})
	worst := post(rude, api.NewStatus{Status: "@ann good riddance", InReplyToID: first})
	post(kim, api.NewStatus{Status: "@bob you are vile", InReplyToID: worst, SpoilerText: "angry"})
	quiet := post(rude, api.NewStatus{Status: "@ann and you are next", InReplyToID: worst, Visibility: "direct"})
	if _, err := ann.Reports.Create(ctx, api.NewReport{AccountID: bob.ID, StatusIDs: []string{worst}, Comment: "cruel"}); err != nil {
		t.Fatal(err)
	}
	d := beginOn(t, root, 120, 40, Options{})
	d.press("T")
	d.shows("THREAD "+worst+" 4", "ann", "my cat died", ">   ", ". > bob", ". . kim", "[CW] angry", "direct", "and you are next")
	if got := d.m.Screen().(*grid.Screen).UnderID(); got != worst {
		t.Errorf("the cursor is on %s, not on the post %s", got, worst)
	}
	d.press("P")
	d.shows("USER bob")
	d.press("<esc>")
	d.shows("THREAD")
	d.press("j")
	d.hides("you are vile")
	d.shows("hidden behind a warning; w shows it")
	d.press("w")
	d.shows("you are vile")
	d.press("W")
	d.hides("you are vile")
	d.press("jD")
	d.pass(9 * time.Second)
	if _, err := root.Admin.Statuses.Get(ctx, quiet); err == nil {
		t.Error("the answer is still there")
	}
	d.press("<esc>")
	d.shows("REPORTS open")
	// From the statuses, the log, and the page of a person; not where there is no post.
	d.press("6T")
	d.shows("THREAD")
	d.press("<esc><esc>3T")
	d.shows("could not be loaded") // the post is gone, and no report names it
	d.press("<esc>2P")
	d.shows("USER ")
	d.press("1P")
	d.shows("USER bob")
	d.press("T")
	d.shows("THREAD "+worst, "good riddance")

	// Who has no right to statuses is not offered it.
	d = beginOn(t, s.Admin("tess"), 80, 24, Options{})
	d.m.Keys = d.m.Keys.Of(keys.Rights{May: func(p api.Privilege) bool { return p == api.PrivilegeReports }})
	if slices.ContainsFunc(d.m.Keys.Bindings, func(b keys.Binding) bool { return b.Do == keys.Thread }) {
		t.Error("the thread is offered without the right to statuses")
	}
}
