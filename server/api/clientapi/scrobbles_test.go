package clientapi_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client/api"
	"svc/server/servertest"
)

func TestWhatIsListenedToIsKept(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann := t.Context(), s.Client("ann")
		length := api.Int(180)
		for i, form := range []api.NewScrobble{
			{Title: " One ", Artist: "A", Album: "B", Length: &length}, {Title: "Two", Visibility: "unlisted"},
			{Title: "Three", Visibility: "private"}, {Title: "Four", Visibility: "direct"},
		} {
			got, err := ann.Accounts.Scrobble(ctx, form)
			if err != nil {
				t.Fatal(err)
			}
			if i > 0 {
				continue
			}
			seconds := int64(180)
			want := &api.Scrobble{ID: got.ID, Account: got.Account, Title: "One", Artist: "A", Album: "B", Length: &seconds, CreatedAt: got.CreatedAt}
			if diff := cmp.Diff(want, got); diff != "" || got.Account.Acct != "ann" {
				t.Errorf("%s %s", got.Account.Acct, diff)
			}
		}
		if _, err := s.Client("bob").Accounts.Follow(ctx, s.User("ann").ID, api.Follow{}); err != nil {
			t.Fatal(err)
		}
		for who, want := range map[string]string{"ann": "Four Three Two One", "bob": "Three Two One", "cat": "Two One", "": "Two One"} {
			c := s.Anonymous()
			if who != "" {
				c = s.Client(who)
			}
			var got []string
			for one, err := range c.Accounts.Scrobbles(s.User("ann").ID, api.PageQuery{Limit: 1}).All(ctx) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, one.Title)
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%q sees %v, want %s", who, got, want)
			}
		}
		rows, err := ann.Accounts.Scrobbles(s.User("ann").ID, api.PageQuery{MaxID: "0"}).Page(ctx)
		if err != nil || len(rows.Items) != 0 {
			t.Errorf("%v %v", rows.Items, err)
		}
		token := s.Token("ann", servertest.AllScopes)
		for body, want := range map[string]int{
			`{}`: 400, `{"title":" "}`: 422, `{"title":"x","visibility":"list"}`: 422, `{"title":"x","length":-1}`: 422, `{"title":"x","length":"y"}`: 400,
			`{"title":"` + strings.Repeat("x", 501) + `"}`: 422,
		} {
			if a := call(t, s, token, "POST", "/api/v1/svc/scrobble", asJSON, body); a.status != want {
				t.Errorf("%.50s: %s", body, a.text())
			}
		}
	})
}

// TestAScrobbleShowsItsListenerAsTheyAreNow changes an account in another
// process. This one, which caches its callers, shows the change at once.
func TestAScrobbleShowsItsListenerAsTheyAreNow(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, token := t.Context(), s.Token("ann", servertest.AllScopes)
		here, there := s.With(token), s.Second(t).With(token)
		for n := range 5 {
			got, err := here.Accounts.Scrobble(ctx, api.NewScrobble{Title: "Song"})
			if err != nil || got.Account.StatusesCount != n {
				t.Fatalf("after %d posts: %+v, %v", n, got, err)
			}
			if _, err := there.Statuses.Post(ctx, api.NewStatus{Status: "elsewhere"}); err != nil {
				t.Fatal(err)
			}
		}
	})
}
