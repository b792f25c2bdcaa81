package clientapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/server/servertest"
)

// texts returns the texts of statuses, which show their order.
func texts(t *testing.T, all []api.Status, err error) []string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, s := range all {
		out = append(out, s.Svc.Content.Plain)
	}
	return out
}

// walked reads a list to its end, one status a page.
func walked(t *testing.T, all func(func(api.Status, error) bool)) []string {
	t.Helper()
	out := []string{}
	for s, err := range all {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s.Svc.Content.Plain)
	}
	return out
}

func say(t *testing.T, c *client.Client, text string) string {
	t.Helper()
	s, err := c.Statuses.Post(t.Context(), api.NewStatus{Status: text})
	if err != nil {
		t.Fatal(err)
	}
	return s.ID
}

// told returns the status and text of a refusal.
func told(err error) string {
	if e := new(client.Error); asError(err, &e) {
		return http.StatusText(e.Status) + ": " + e.Message
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

func TestBookmarksArePagedInTheOrderTheyWereMade(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, bob := s.Client("ann"), s.Client("bob")
		one, two, three := say(t, ann, "one"), say(t, ann, "two"), say(t, ann, "three")
		for _, id := range []string{two, three, one, three} {
			got, err := bob.Statuses.Bookmark(ctx, id)
			if err != nil || !got.Bookmarked {
				t.Fatalf("not bookmarked: %v", err)
			}
		}
		if diff := cmp.Diff([]string{"one", "three", "two"}, walked(t, bob.Statuses.Bookmarks(api.PageQuery{Limit: 1}).All(ctx))); diff != "" {
			t.Error(diff)
		}
		home, err := bob.Timelines.Public(api.TimelineQuery{}).Page(ctx)
		if err != nil || len(home.Items) != 3 || !home.Items[0].Bookmarked {
			t.Errorf("a timeline does not tell: %v", err)
		}
		if other, err := ann.Statuses.Get(ctx, one); err != nil || other.Bookmarked {
			t.Errorf("others are told: %v", err)
		}
		if got, err := bob.Statuses.Unbookmark(ctx, three); err != nil || got.Bookmarked {
			t.Errorf("still bookmarked, %v", err)
		}
		all, err := bob.Statuses.Bookmarks(api.PageQuery{}).Page(ctx)
		if diff := cmp.Diff([]string{"one", "two"}, texts(t, all.Items, err)); diff != "" {
			t.Error(diff)
		}
		if _, err := bob.Statuses.Bookmarks(api.PageQuery{MaxID: "x"}).Page(ctx); told(err) != "Bad Request: max_id - Invalid integer. Got: string." {
			t.Error(err)
		}
		if _, err := bob.Statuses.Bookmark(ctx, "nothing"); told(err) != "Not Found: Record not found" {
			t.Error(err)
		}
	})
}

func TestFavouritesArePagedInTheOrderOfLikesAndShownIfNotHidden(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, bob, cat := s.Client("ann"), s.Client("bob"), s.Client("cat")
		one, two := say(t, ann, "one"), say(t, ann, "two")
		secret, err := ann.Statuses.Post(ctx, api.NewStatus{Status: "@bob three", Visibility: "direct"})
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{two, secret.ID, one} {
			if _, err := bob.Statuses.Favourite(ctx, id); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff([]string{"one", "@bob three", "two"}, walked(t, bob.Statuses.Favourites(api.PageQuery{Limit: 1}).All(ctx))); diff != "" {
			t.Error(diff)
		}
		id := s.User("bob").ID
		for name, c := range map[string]*client.Client{"cat": cat, "a stranger": s.Anonymous()} {
			if _, err := c.Accounts.Favourites(id, api.PageQuery{}).Page(ctx); told(err) != "Forbidden: Can't get favorites" {
				t.Errorf("%s: %v", name, err)
			}
		}
		own, err := bob.Accounts.Favourites(id, api.PageQuery{}).Page(ctx)
		if diff := cmp.Diff([]string{"one", "@bob three", "two"}, texts(t, own.Items, err)); diff != "" {
			t.Error(diff)
		}
		if _, err := bob.Accounts.UpdateCredentials(ctx, api.UpdateCredentials{HideFavorites: new(api.Bool)}); err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]*client.Client{"cat": cat, "a stranger": s.Anonymous()} {
			if diff := cmp.Diff([]string{"one", "two"}, walked(t, c.Accounts.Favourites(id, api.PageQuery{Limit: 1}).All(ctx))); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
		if _, err := cat.Accounts.Favourites("nobody", api.PageQuery{}).Page(ctx); status(err) != 404 {
			t.Error(err)
		}
	})
}

func TestPinnedStatusesStandOnTheProfile(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, bob := s.Client("ann"), s.Client("bob")
		one, two := say(t, ann, "one"), say(t, ann, "two")
		pinned := func() []string {
			all, err := bob.Accounts.Statuses(s.User("ann").ID, api.AccountStatusQuery{Pinned: true}).Page(ctx)
			return texts(t, all.Items, err)
		}
		if got, err := ann.Statuses.Pin(ctx, one); err != nil || !got.Pinned {
			t.Fatalf("pinned %v, %v", got, err)
		}
		if diff := cmp.Diff([]string{"one"}, pinned()); diff != "" {
			t.Error(diff)
		}
		if seen, err := bob.Statuses.Get(ctx, one); err != nil || !seen.Pinned {
			t.Errorf("others do not see that it is pinned: %v", err)
		}
		if _, err := ann.Statuses.Pin(ctx, two); told(err) != "Bad Request: You have already pinned the maximum number of statuses" {
			t.Error(err)
		}
		if _, err := bob.Statuses.Pin(ctx, one); told(err) != "Bad Request: Could not pin" {
			t.Error(err)
		}
		if _, err := bob.Statuses.Unpin(ctx, one); told(err) != "Bad Request: Could not unpin" {
			t.Error(err)
		}
		if got, err := ann.Statuses.Unpin(ctx, one); err != nil || got.Pinned {
			t.Errorf("still pinned, %v", err)
		}
		if diff := cmp.Diff([]string{}, pinned()); diff != "" {
			t.Error(diff)
		}
	})
}

// reacted renders reactions as: emoji, count, own or not, accounts.
func reacted(t *testing.T, all []api.Reaction, err error) []any {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	out := []any{}
	for _, r := range all {
		out = append(out, r.Name, r.Count, r.Me)
		for _, a := range r.Accounts {
			out = append(out, a.Acct)
		}
	}
	return out
}

func TestReactionsTellWhoReacted(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, bob, cat := s.Client("ann"), s.Client("bob"), s.Client("cat")
		id := say(t, ann, "post")
		for _, r := range []struct {
			by    *client.Client
			emoji string
		}{{cat, "🐈"}, {bob, "👍🏽"}, {cat, "👍🏽"}, {bob, "❤\ufe0f"}} {
			if _, err := r.by.Statuses.React(ctx, id, r.emoji); err != nil {
				t.Fatal(err)
			}
		}
		got, err := bob.Statuses.Get(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		want := api.List[api.EmojiReaction]{{Name: "🐈", Count: 1}, {Name: "👍🏽", Count: 2, Me: true}, {Name: "❤\ufe0f", Count: 1, Me: true}}
		if diff := cmp.Diff(want, got.Svc.EmojiReactions); diff != "" {
			t.Error(diff)
		}
		all, err := bob.Statuses.Reactions(ctx, id, api.ReactionQuery{})
		if diff := cmp.Diff([]any{"🐈", 1, false, "cat", "👍🏽", 2, true, "bob", "cat", "❤\ufe0f", 1, true, "bob"}, reacted(t, all, err)); diff != "" {
			t.Error(diff)
		}
		all, err = s.Anonymous().Statuses.ReactionsWith(ctx, id, "👍🏽", api.ReactionQuery{})
		if diff := cmp.Diff([]any{"👍🏽", 2, false, "bob", "cat"}, reacted(t, all, err)); diff != "" {
			t.Error(diff)
		}
		for _, path := range []string{id, "nothing"} {
			all, err = bob.Statuses.ReactionsWith(ctx, path, "🦊", api.ReactionQuery{})
			if diff := cmp.Diff([]any{}, reacted(t, all, err)); diff != "" {
				t.Error(diff)
			}
		}
		if _, err := bob.Accounts.Mute(ctx, s.User("cat").ID, api.Mute{}); err != nil {
			t.Fatal(err)
		}
		all, err = bob.Statuses.Reactions(ctx, id, api.ReactionQuery{})
		if diff := cmp.Diff([]any{"👍🏽", 1, true, "bob", "❤\ufe0f", 1, true, "bob"}, reacted(t, all, err)); diff != "" {
			t.Errorf("without whom he mutes: %s", diff)
		}
		all, err = bob.Statuses.Reactions(ctx, id, api.ReactionQuery{WithMuted: true})
		if diff := cmp.Diff([]any{"🐈", 1, false, "cat", "👍🏽", 2, true, "bob", "cat", "❤\ufe0f", 1, true, "bob"}, reacted(t, all, err)); diff != "" {
			t.Errorf("with whom he mutes: %s", diff)
		}
		for path, most := range map[string]int{"/api/v1/statuses/" + id: 2, "/api/v1/statuses/" + id + "?with_muted=true": 3, "/api/v1/statuses?ids[]=" + id + "&with_muted=1": 3} {
			raw := s.Get(ctx, path, s.Token("bob", servertest.AllScopes)).Body.String()
			if n := strings.Count(raw, `"count":`); n != most {
				t.Errorf("%s has %d emoji, want %d", path, n, most)
			}
		}
		news, err := ann.Notifications.List(api.NotificationQuery{}).Page(ctx)
		if err != nil || len(news.Items) != 4 || news.Items[0].Type != "svc:emoji_reaction" || news.Items[0].Emoji != "❤\ufe0f" || news.Items[0].Account.Acct != "bob" || news.Items[0].Status.ID != id {
			t.Errorf("%d news, %+v, %v", len(news.Items), news.Items, err)
		}
		if got, err = bob.Statuses.Unreact(ctx, id, "❤\ufe0f"); err != nil || len(got.Svc.EmojiReactions) != 1 {
			t.Errorf("%+v, %v", got, err)
		}
		if _, err := bob.Statuses.Unreact(ctx, id, "❤\ufe0f"); told(err) != "Bad Request: Could not remove reaction emoji" {
			t.Error(err)
		}
		if _, err := bob.Statuses.React(ctx, id, "x"); told(err) != "Bad Request: Could not add reaction emoji" {
			t.Error(err)
		}
		settings := *s.Settings.Load()
		settings.Instance.ShowReactions = false
		if err := s.Server.Settings.Swap(settings); err != nil {
			t.Fatal(err)
		}
		all, err = ann.Statuses.Reactions(ctx, id, api.ReactionQuery{})
		if diff := cmp.Diff([]any{}, reacted(t, all, err)); diff != "" {
			t.Errorf("where reactions are not shown: %s", diff)
		}
	})
}

func TestAPollIsPostedAndVotedOn(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, bob := s.Client("ann"), s.Client("bob")
		hour := api.Int(3600)
		posted, err := ann.Statuses.Post(ctx, api.NewStatus{Status: "which?", Poll: &api.NewPoll{Options: []string{"this", "that", "both"}, ExpiresIn: &hour, Multiple: true}})
		if err != nil {
			t.Fatal(err)
		}
		p := posted.Poll
		if p == nil || p.ExpiresAt == nil {
			t.Fatalf("%s", posted.Raw)
		}
		want := &api.Poll{ID: p.ID, ExpiresAt: p.ExpiresAt, Multiple: true, Voted: true, OwnVotes: api.List[int]{}, Emojis: api.List[api.Emoji]{},
			Options: api.List[api.PollOption]{{Title: "this"}, {Title: "that"}, {Title: "both"}}}
		if diff := cmp.Diff(want, p); diff != "" {
			t.Errorf("the author's: %s", diff)
		}
		if end := p.ExpiresAt.Sub(posted.CreatedAt.Time).Seconds(); end != 3600 {
			t.Errorf("it ends after %v s", end)
		}
		got, err := bob.Polls.Vote(ctx, p.ID, 2, 0)
		if err != nil {
			t.Fatal(err)
		}
		want.Options[0].VotesCount, want.Options[2].VotesCount, want.VotesCount, want.VotersCount, want.OwnVotes = 1, 1, 2, 1, api.List[int]{0, 2}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the voter's: %s", diff)
		}
		want.Voted, want.OwnVotes = false, api.List[int]{}
		got, err = s.Anonymous().Polls.Get(ctx, p.ID)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("a stranger's: %v %s", err, diff)
		}
		for who, c := range map[string]*client.Client{"ann": ann, "bob": bob, "a stranger": s.Anonymous()} {
			shown, err := c.Statuses.Get(ctx, posted.ID)
			if err != nil {
				t.Fatal(err)
			}
			alone, err := c.Polls.Get(ctx, p.ID)
			if diff := cmp.Diff(alone, shown.Poll); diff != "" || err != nil || alone.VotesCount != 2 {
				t.Errorf("%s sees the poll otherwise in its status: %v %s", who, err, diff)
			}
		}
		if _, err := bob.Polls.Vote(ctx, p.ID, 1); told(err) != "Unprocessable Entity: Already voted" {
			t.Error(err)
		}
		if _, err := ann.Polls.Vote(ctx, p.ID, 1); told(err) != "Unprocessable Entity: Poll's author can't vote" {
			t.Error(err)
		}
		secret, err := ann.Statuses.Post(ctx, api.NewStatus{Status: "?", Visibility: "private", Poll: &api.NewPoll{Options: []string{"a", "b"}, ExpiresIn: &hour}})
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{secret.Poll.ID, "4711", "x", "99999999999999999999"} {
			if _, err := bob.Polls.Get(ctx, id); told(err) != "Not Found: Record not found" {
				t.Errorf("poll %s: %v", id, err)
			}
			if _, err := bob.Polls.Vote(ctx, id, 0); told(err) != "Not Found: Record not found" {
				t.Errorf("a vote for poll %s: %v", id, err)
			}
		}
		if _, err := ann.Statuses.Post(ctx, api.NewStatus{Status: "?", Poll: &api.NewPoll{Options: []string{"a", "b"}}}); told(err) != "Unprocessable Entity: Expiration date is too soon" {
			t.Error(err)
		}
		if _, err := ann.Statuses.Delete(ctx, posted.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := bob.Polls.Get(ctx, p.ID); status(err) != 404 {
			t.Errorf("after the status is deleted: %v", err)
		}
	})
}
