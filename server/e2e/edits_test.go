package e2e

import (
	"slices"
	"strings"
	"testing"

	"svc/client"
	"svc/client/api"
	texts "svc/server/platform/text"
	"svc/server/servertest"
)

// TestEditsReachTheOtherServer: ann's edits of text, warning, poll and files arrive once
// at bob's server, with their history.
func TestEditsReachTheOtherServer(t *testing.T) {
	servertest.EachPair(t, func(t *testing.T, home, away *servertest.Server) {
		ctx, ann, bob := t.Context(), home.Client("ann"), away.Client("bob")
		ok := func(_ any, err error) { t.Helper(); must(t, err) }
		ok(bob.Accounts.Follow(ctx, away.Find(t, bob, home.Handle("ann")).ID, api.Follow{}))
		servertest.Eventually(t, "bob follows ann", func() bool {
			me, err := ann.Accounts.Verify(ctx)
			return err == nil && me.FollowersCount == 1
		})
		upload := func(words string) string {
			file, err := ann.Media.Upload(ctx, client.File{Name: "a.txt", Content: strings.NewReader(words)}, api.MediaForm{Description: &words})
			must(t, err)
			return file.ID
		}
		hour := api.Int(3600)
		poll := func(options ...string) *api.NewPoll { return &api.NewPoll{Options: options, ExpiresIn: &hour} }
		first, err := ann.Statuses.Post(ctx, api.NewStatus{Status: "one", Poll: poll("a", "b"), MediaIDs: []string{upload("x")}})
		must(t, err)
		there := func() *api.Status { return away.FindStatus(t, bob, first.URI) }
		id := there().ID
		ok(bob.Statuses.Reblog(ctx, id, api.NewReblog{}))
		ok(bob.Polls.Vote(ctx, there().Poll.ID, 0))
		servertest.Eventually(t, "the vote counts", func() bool {
			st, err := ann.Statuses.Get(ctx, first.ID)
			return err == nil && st.Poll.VotesCount == 1
		})
		forms := []api.StatusForm{
			{Status: "two", SpoilerText: "cw", Sensitive: true, Poll: poll("a", "b"), MediaIDs: []string{first.MediaAttachments[0].ID}},
			{Status: "three @bob@" + away.Host(), Poll: poll("c", "d"), MediaIDs: []string{upload("y"), first.MediaAttachments[0].ID}},
			{Status: "four @bob@" + away.Host()},
		}
		for _, form := range forms { // within the same second
			ok(ann.Statuses.Edit(ctx, first.ID, form))
		}
		servertest.Eventually(t, "the edits arrive", func() bool {
			all, err := bob.Statuses.History(ctx, id)
			return err == nil && len(all) == 4
		})
		here, err := ann.Statuses.History(ctx, first.ID)
		must(t, err)
		got, err := bob.Statuses.History(ctx, id)
		must(t, err)
		for i := range here {
			a, b := here[i], got[i]
			if texts.Plain(a.Content) != texts.Plain(b.Content) || a.SpoilerText != b.SpoilerText || a.Sensitive != b.Sensitive || !a.CreatedAt.Equal(b.CreatedAt.Time) ||
				len(a.MediaAttachments) != len(b.MediaAttachments) || (a.Poll == nil) != (b.Poll == nil) {
				t.Errorf("version %d: %+v there, %+v here", i, b, a)
				continue
			}
			for j := range a.MediaAttachments {
				if *a.MediaAttachments[j].Description != *b.MediaAttachments[j].Description {
					t.Errorf("version %d: file %d is %q there", i, j, *b.MediaAttachments[j].Description)
				}
			}
			if a.Poll != nil && !slices.EqualFunc(a.Poll.Options, b.Poll.Options, func(x, y api.EditedOption) bool { return x.Title == y.Title }) {
				t.Errorf("version %d: %+v there, %+v here", i, b.Poll, a.Poll)
			}
		}
		st := there()
		if st.EditedAt == nil || texts.Plain(st.Content) != "four @bob" || st.Poll != nil || len(st.MediaAttachments) != 0 || len(st.Mentions) != 1 {
			t.Errorf("there it is %s", st.Raw)
		}
		notes, err := bob.Notifications.List(api.NotificationQuery{}).Page(ctx)
		must(t, err)
		var kinds []string
		for _, n := range notes.Items {
			kinds = append(kinds, n.Type)
		}
		if slices.Sort(kinds); !slices.Equal(kinds, []string{"mention", "update"}) {
			t.Errorf("bob has %v", kinds)
		}
	})
}
