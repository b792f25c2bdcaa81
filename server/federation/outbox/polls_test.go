package outbox_test

import (
	"fmt"
	"testing"
	"time"

	"svc/client/api"
	"svc/db/dbtest"
	"svc/server/platform/jobs"
	"svc/server/servertest"
)

// TestTheEndOfAPollIsToldOnce ends a poll in which votes came in at several
// times: each asked for a job at its end, and one for the changed votes runs
// late.
func TestTheEndOfAPollIsToldOnce(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		w, ctx := newWorld(t, s), t.Context()
		poll, err := w.ann.Statuses.Post(ctx, api.NewStatus{Status: "which?", Poll: &api.NewPoll{Options: []string{"a", "b"}, ExpiresIn: ptr(api.Int(7200))}})
		w.must(err)
		tell := func(closed bool) {
			t.Helper()
			w.must(w.Server.Server.Outbox.TellTally(ctx, w.DB, jobs.TellTally{StatusID: poll.ID, Closed: closed}))
		}
		for _, name := range []string{"bob", "cat", "dan"} {
			w.must(second(w.Client(name).Polls.Vote(ctx, poll.Poll.ID, 1)))
			if name != "dan" {
				tell(false)
			}
			w.Advance(10 * time.Minute)
		}
		w.told()
		w.Advance(3 * time.Hour)
		for _, closed := range []bool{true, true, false, true} {
			tell(closed)
		}
		if told := w.told(); len(told) != 1 || told[0].Type != "Update" {
			t.Errorf("the end is told in %d activities", len(told))
		}
	})
}

// TestThePollOfSomeIsToldToThem has a stranger, the server of a stranger, and
// someone who is blocked have to do with polls that are not for everybody: none
// of them is told how the polls stand.
func TestThePollOfSomeIsToldToThem(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		w, ctx := newWorld(t, s), t.Context()
		list, err := w.ann.Lists.Create(ctx, api.NewList{Title: "friends"})
		w.must(err)
		w.stranger("fay", true)
		w.must(w.ann.Lists.Add(ctx, list.ID, w.id["zed"], w.id["fay"]))
		for visibility, want := range map[string][]string{"private": nil, "direct": {"zed"}, "list:" + list.ID: {"zed"}} {
			text := "which?"
			if visibility == "direct" {
				text += " @zed@127.0.0.9:1 @fay@127.0.0.9:1"
			}
			poll, err := w.ann.Statuses.Post(ctx, api.NewStatus{Status: text, Visibility: visibility,
				Poll: &api.NewPoll{Options: []string{"a", "b"}, ExpiresIn: ptr(api.Int(7200))}})
			w.must(err)
			reply := w.theirs("eve", "public", "/objects/"+poll.ID, nil)
			w.must(dbtest.Exec(t, w.DB, "UPDATE statuses SET in_reply_to_id = ? WHERE id = ?", poll.ID, reply.ID))
			w.must(dbtest.Exec(t, w.DB, "INSERT INTO fetchers (status_id, inbox) VALUES (?, ?)", poll.ID, far+"/inbox"))
			w.must(second(w.ann.Accounts.Block(ctx, w.id["fay"])))
			w.told()
			w.must(w.Server.Server.Outbox.TellTally(ctx, w.DB, jobs.TellTally{StatusID: poll.ID, Closed: true}))
			w.must(second(w.ann.Accounts.Unblock(ctx, w.id["fay"])))
			told := w.told()
			if len(told) == 0 || told[0].Type != "Update" {
				t.Fatalf("%s: nobody is told", visibility)
			}
			var ids []string
			for _, name := range want {
				ids = append(ids, w.id[name])
			}
			a := told[0].Audience
			got := fmt.Sprint(a.AccountIDs, a.Followers, a.Inboxes, a.Reached, a.StatusID, a.Relays, a.Everywhere)
			if wanted := fmt.Sprint(ids, visibility == "private", []string(nil), false, "", false, false); got != wanted {
				t.Errorf("%s: told are %s, want %s", visibility, got, wanted)
			}
		}
	})
}
