package clientapi_test

import (
	"strconv"
	"testing"
	"time"

	"svc/client/api"
	"svc/db/dbtest"
	"svc/server/platform/jobs"
	"svc/server/platform/webpush/webpushtest"
	"svc/server/servertest"
)

// soon is the end of a poll, in seconds, of a test that waits for it.
const soon = 2

func TestTheEndOfAPollIsToldOnce(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, bob, service := t.Context(), s.Client("ann"), s.Client("bob"), webpushtest.Start(t)
		ask := func(in int64) *api.Status {
			t.Helper()
			got, err := ann.Statuses.Post(ctx, api.NewStatus{Status: "which?", Poll: &api.NewPoll{Options: []string{"a", "b"}, ExpiresIn: new(api.Int(in))}})
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		vote := func(name string, on *api.Status) {
			t.Helper()
			if _, err := s.Client(name).Polls.Vote(ctx, on.Poll.ID, 1); err != nil {
				t.Fatal(err)
			}
		}
		told := func(name string) (out []string) {
			t.Helper()
			rows, err := s.Client(name).Notifications.List(api.NotificationQuery{}).Page(ctx)
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range rows.Items {
				if n.Type != "poll" {
					continue
				}
				if n.Account.Acct != "ann" {
					t.Errorf("%s: from %s", name, n.Account.Acct)
				}
				out = append(out, n.Status.ID)
			}
			return out
		}
		subscribe(t, bob, &service.Device, api.PushAlerts{Poll: true})
		if _, err := s.Client("mute").Accounts.Mute(ctx, s.User("ann").ID, api.Mute{}); err != nil {
			t.Fatal(err)
		}
		if err := s.Client("shy").Accounts.SetNotificationSettings(ctx, api.SetNotificationSettings{BlockFromStrangers: new(api.Bool(true))}); err != nil {
			t.Fatal(err)
		}
		s.User("eve")
		alone, open, poll := ask(soon), ask(3600), ask(soon)
		for _, name := range []string{"bob", "mute", "shy"} {
			vote(name, poll)
			vote(name, open)
		}
		if got := told("bob"); got != nil {
			t.Errorf("told before the end: %v", got)
		}
		end := poll.Poll.ExpiresAt.Time
		if p, _ := read(t, service); p.NotificationType != "poll" || p.Title != "Poll Ended" || p.Body != "@ann: which?" || time.Now().Before(end) {
			t.Errorf("%+v at %v, the end is %v", p, time.Now(), end)
		}
		if late := time.Since(end); late > 10*time.Second {
			t.Errorf("%s after the end", late)
		}
		once := func() {
			t.Helper()
			for name, want := range map[string]int{"ann": 1, "bob": 1, "mute": 0, "shy": 0, "eve": 0} {
				if got := told(name); len(got) != want || want > 0 && got[0] != poll.ID {
					t.Errorf("%s: told of %v, not of %s (no votes: %s, open: %s)", name, got, poll.ID, alone.ID, open.ID)
				}
			}
		}
		once()
		if err := s.Social.EndPoll(ctx, theEnd(t, s, poll)); err != nil {
			t.Fatal(err)
		}
		once()
	})
}

// theEnd is the job of the present end of a poll.
func theEnd(t *testing.T, s *servertest.Server, p *api.Status) jobs.EndPoll {
	t.Helper()
	id, err := strconv.ParseInt(p.Poll.ID, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return jobs.EndPoll{PollID: id, End: number(t, s, "SELECT expires_at FROM polls WHERE id = "+p.Poll.ID)}
}

// TestAnEndThatMovedIsToldWhenItIsReached: an edit with the same options keeps the votes,
// one with others removes them. Neither is told of at the former end.
func TestAnEndThatMovedIsToldWhenItIsReached(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, bob := t.Context(), s.Client("ann"), s.Client("bob")
		form := func(in int64, options ...string) *api.NewPoll {
			return &api.NewPoll{Options: options, ExpiresIn: new(api.Int(in))}
		}
		var ends []jobs.EndPoll
		var posts []*api.Status
		for range 2 {
			p, err := ann.Statuses.Post(ctx, api.NewStatus{Status: "which?", Poll: form(60, "a", "b")})
			if err == nil {
				_, err = bob.Polls.Vote(ctx, p.Poll.ID, 0)
			}
			if err != nil {
				t.Fatal(err)
			}
			posts = append(posts, p)
		}
		end := func(p *api.Status) jobs.EndPoll { return theEnd(t, s, p) }
		for i, options := range [][]string{{"a", "b"}, {"c", "d"}} {
			ends = append(ends, end(posts[i]))
			edited, err := ann.Statuses.Edit(ctx, posts[i].ID, api.StatusForm{Status: "which?", Poll: form(3600, options...)})
			if err != nil {
				t.Fatal(err)
			}
			posts[i] = edited
		}
		told := func(want int64) {
			t.Helper()
			if got := number(t, s, "SELECT COUNT(*) FROM notifications WHERE type = 'poll'"); got != want {
				t.Errorf("%d are told, want %d", got, want)
			}
		}
		do := func(jobs ...jobs.EndPoll) {
			t.Helper()
			for _, job := range jobs {
				if err := s.Social.EndPoll(ctx, job); err != nil {
					t.Fatal(err)
				}
			}
		}
		s.Advance(2 * time.Minute)
		do(ends...)
		told(0)
		s.Advance(time.Hour)
		do(end(posts[0]), end(posts[1]))
		told(2) // ann and bob, of the poll whose votes stayed
		do(end(posts[0]), end(posts[1]))
		told(2)
		// Dismissed, and done again: not once more.
		if err := dbtest.Exec(t, s.DB, "DELETE FROM notifications"); err != nil {
			t.Fatal(err)
		}
		do(end(posts[0]))
		told(0)
	})
}
