package server_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/servertest"
)

func say(t *testing.T, c *client.Client, text string, edit ...func(*api.NewStatus)) *api.Status {
	t.Helper()
	form := api.NewStatus{Status: text}
	for _, e := range edit {
		e(&form)
	}
	s, err := c.Statuses.Post(t.Context(), form)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func to(s *api.Status) func(*api.NewStatus) { return func(f *api.NewStatus) { f.InReplyToID = s.ID } }

func texts(statuses []api.Status) []string {
	out := []string{}
	for _, s := range statuses {
		out = append(out, s.Content)
	}
	return out
}

func TestContextIsTheParentsAndTheTreeBelow(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ann, ben := s.Client("ann"), s.Client("ben")
		root := say(t, ann, "root")
		first := say(t, ben, "first", to(root))
		second := say(t, ann, "second", to(root))
		say(t, ben, "below second", to(second))
		below := say(t, ann, "below first", to(first))
		say(t, ben, "at the bottom", to(below))
		say(t, ann, "secret", to(first), func(f *api.NewStatus) { f.Visibility = "private" })
		for _, tt := range []struct {
			of           *api.Status
			above, below []string
		}{
			{root, []string{}, []string{"first", "below first", "at the bottom", "second", "below second"}},
			{first, []string{"root"}, []string{"below first", "at the bottom"}},
			{below, []string{"root", "first"}, []string{"at the bottom"}},
		} {
			got, err := s.Anonymous().Statuses.Context(t.Context(), tt.of.ID)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.above, texts(got.Ancestors)); diff != "" {
				t.Errorf("above %s: %s", tt.of.Content, diff)
			}
			if diff := cmp.Diff(tt.below, texts(got.Descendants)); diff != "" {
				t.Errorf("below %s: %s", tt.of.Content, diff)
			}
		}
		if _, err := ann.Statuses.Context(t.Context(), "9nothing"); client.Status(err) != 404 {
			t.Errorf("the context of nothing: %v", err)
		}
	})
}

func TestHomeShowsWhatItShould(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, ben, cho := s.Client("ann"), s.Client("ben"), s.Client("cho")
		before := say(t, ben, "before the follow")
		if _, err := ann.Accounts.Follow(ctx, s.User("ben").ID, api.Follow{}); err != nil {
			t.Fatal(err)
		}
		say(t, ann, "my own")
		say(t, ben, "followed")
		say(t, cho, "a stranger")
		named := say(t, cho, "@ann a stranger calls")
		mine := say(t, ann, "mine, boosted")
		if _, err := ben.Statuses.Reblog(ctx, mine.ID, api.NewReblog{}); err != nil {
			t.Fatal(err)
		}
		theirs := say(t, cho, "theirs, boosted")
		boost, err := ben.Statuses.Reblog(ctx, theirs.ID, api.NewReblog{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ann.Statuses.Favourite(ctx, theirs.ID); err != nil {
			t.Fatal(err)
		}
		home, err := ann.Timelines.Home(api.TimelineQuery{}).Page(ctx)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"theirs, boosted", "mine, boosted", named.Content, "followed", "my own", before.Content}
		if diff := cmp.Diff(want, texts(home.Items)); diff != "" {
			t.Error(diff)
		}
		if got := home.Items[0]; got.ID != boost.ID || got.Reblog == nil || got.Reblog.ID != theirs.ID || !got.Reblog.Favourited || got.Account.Acct != "ben" || got.Reblog.Account.Acct != "cho" {
			t.Errorf("the boost is %+v", got)
		}
		// The statuses of an unfollowed account leave; those addressed to the reader stay.
		if _, err := ann.Accounts.Unfollow(ctx, s.User("ben").ID); err != nil {
			t.Fatal(err)
		}
		if home, err = ann.Timelines.Home(api.TimelineQuery{}).Page(ctx); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"mine, boosted", named.Content, "my own"}, texts(home.Items)); diff != "" {
			t.Error(diff)
		}
		// A deleted status is gone everywhere, its reblogs too.
		if _, err := cho.Statuses.Delete(ctx, theirs.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Anonymous().Statuses.Get(ctx, boost.ID); client.Status(err) != 404 {
			t.Errorf("the boost of a deleted status: %v", err)
		}
	})
}

func TestStatusesByIDKeepTheirOrderAndLeaveOutTheUnseen(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ann := s.Client("ann")
		a, b := say(t, ann, "a"), say(t, ann, "b")
		hidden := say(t, ann, "hidden", func(f *api.NewStatus) { f.Visibility = "direct" })
		got, err := s.Client("ben").Statuses.GetMany(t.Context(), b.ID, "9nothing", hidden.ID, a.ID)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"b", "a"}, texts(got)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestPagesAreLinkedToTheirNeighbours(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ann := s.Client("ann")
		var want []string
		for _, text := range []string{"1", "2", "3", "4", "5", "6", "7"} {
			want = append([]string{text}, want...)
			say(t, ann, text)
		}
		var got []string
		for status, err := range ann.Timelines.Public(api.TimelineQuery{PageQuery: api.PageQuery{Limit: 3}}).All(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, status.Content)
		}
		if !slices.Equal(got, want) {
			t.Errorf("walked %v", got)
		}
	})
}

func TestWhoActedOnAStatus(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, ben := s.Client("ann"), s.Client("ben")
		status := say(t, ann, "hello")
		if _, err := ben.Statuses.Favourite(ctx, status.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := ben.Statuses.Reblog(ctx, status.ID, api.NewReblog{}); err != nil {
			t.Fatal(err)
		}
		for name, list := range map[string]func(string, api.PageQuery) client.Listing[api.Account]{
			"favourited by": s.Anonymous().Statuses.FavouritedBy, "reblogged by": s.Anonymous().Statuses.RebloggedBy,
		} {
			page, err := list(status.ID, api.PageQuery{}).Page(ctx)
			if err != nil || len(page.Items) != 1 || page.Items[0].Acct != "ben" {
				t.Errorf("%s: %v, %v", name, page.Items, err)
			}
		}
		got, err := ann.Statuses.Get(ctx, status.ID)
		if err != nil || got.FavouritesCount != 1 || got.ReblogsCount != 1 || got.Favourited || got.Reblogged {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

// A page costs the same number of statements at any length, and one once its
// pieces are cached.
func TestAPageIsAFixedNumberOfStatements(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ann := s.Client("ann")
		root := say(t, ann, "root")
		for range 30 {
			say(t, ann, "reply #tag @ann", to(root))
		}
		token := s.Token("ann", servertest.AllScopes)
		count := func(s *servertest.Server, limit string) int64 {
			s.Get(t.Context(), "/api/v1/accounts/verify_credentials", token) // the owner of the token is cached for a second
			return dbtest.Queries(t, func(ctx context.Context) { s.Get(ctx, "/api/v1/timelines/home?limit="+limit, token) })
		}
		// Processes that have just begun keep no pieces yet.
		few, many := s.Second(t), s.Second(t)
		part, full := count(few, "5"), count(many, "30")
		if part != full || part < 2 {
			t.Errorf("5 statuses took %d statements, 30 %d, want the same and more than one", part, full)
		}
		if warm := count(many, "30"); warm != 1 {
			t.Errorf("a page whose pieces are kept took %d statements, want 1", warm)
		}
	})
}

func TestAPrivateInstanceShowsStrangersNothing(t *testing.T) {
	s := servertest.Start(t, func(settings *config.Settings) { settings.Instance.Public = false })
	status := say(t, s.Client("ann"), "hello")
	stranger := s.Anonymous()
	for name, err := range map[string]error{
		"timeline": second(stranger.Timelines.Public(api.TimelineQuery{}).Page(t.Context())),
		"profile":  second(stranger.Accounts.Statuses(status.Account.ID, api.AccountStatusQuery{}).Page(t.Context())),
	} {
		if client.Status(err) != 401 {
			t.Errorf("%s: %v, want 401", name, err)
		}
	}
	if _, err := stranger.Statuses.Get(t.Context(), status.ID); client.Status(err) != 404 {
		t.Errorf("status: %v, want 404", err)
	}
	if _, err := s.Client("ben").Statuses.Get(t.Context(), status.ID); err != nil {
		t.Errorf("a user: %v", err)
	}
}

func TestLocalStatusesMayBeKeptFromStrangers(t *testing.T) {
	s := servertest.Start(t, func(settings *config.Settings) { settings.Restrict.ActivitiesLocal = config.Restricted })
	status := say(t, s.Client("ann"), "hello")
	if _, err := s.Anonymous().Statuses.Get(t.Context(), status.ID); client.Status(err) != 404 {
		t.Errorf("by id: %v, want 404", err)
	}
	if _, err := s.Anonymous().Statuses.Context(t.Context(), status.ID); client.Status(err) != 404 {
		t.Errorf("its thread: %v, want 404", err)
	}
	if _, err := s.Client("ben").Statuses.Get(t.Context(), status.ID); err != nil {
		t.Errorf("a user: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }
