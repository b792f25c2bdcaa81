package clientapi_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/server/platform/config"
	"svc/server/servertest"
)

func post(t *testing.T, c *client.Client, form api.NewStatus) *api.Status {
	t.Helper()
	status, err := c.Statuses.Post(t.Context(), form)
	if err != nil {
		t.Fatal(err)
	}
	return status
}

func find(t *testing.T, c *client.Client, q api.SearchQuery) *api.Found {
	t.Helper()
	found, err := c.Search.Find(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func statusIDs(list []api.Status) []string {
	out := []string{}
	for _, s := range list {
		out = append(out, s.ID)
	}
	return out
}

func accts(list []api.Account) []string {
	out := []string{}
	for _, a := range list {
		out = append(out, a.Acct)
	}
	return out
}

func TestSearchFindsAllThreeKinds(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, bob := s.Client("ann"), s.Client("bob")
		lantern := s.User("lantern")
		first := post(t, ann, api.NewStatus{Status: "A <b>lantern</b> in the #Market"})
		hidden := post(t, ann, api.NewStatus{Status: "secret lantern", Visibility: "private"})
		second := post(t, bob, api.NewStatus{Status: "nothing", SpoilerText: "Lantern inside", Visibility: "unlisted"})

		found := find(t, ann, api.SearchQuery{Q: "lantern"})
		if diff := cmp.Diff([]string{second.ID, first.ID}, statusIDs(found.Statuses)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"lantern"}, accts(found.Accounts)); diff != "" {
			t.Error(diff)
		}
		no := false
		tag := api.Tag{ID: "lantern", Name: "lantern", URL: s.Base() + "/tag/lantern", History: found.Hashtags[0].History, Following: &no}
		if diff := cmp.Diff(api.List[api.Tag]{tag}, found.Hashtags); diff != "" {
			t.Error(diff)
		}
		v1, err := ann.Search.FindV1(ctx, api.SearchQuery{Q: "#market of #lantern"})
		if err != nil || !slices.Equal(v1.Hashtags, []string{"market", "lantern"}) {
			t.Error(v1, err)
		}
		if got := find(t, ann, api.SearchQuery{Q: "winter market", Type: "hashtags"}); len(got.Hashtags) != 3 || got.Hashtags[2].Name != "WinterMarket" || len(got.Statuses) != 0 {
			t.Errorf("%+v", got)
		}
		if got := find(t, ann, api.SearchQuery{Q: "lantern", Type: "statuses", Limit: 1, Offset: 1}); !slices.Equal(statusIDs(got.Statuses), []string{first.ID}) || len(got.Accounts)+len(got.Hashtags) != 0 {
			t.Errorf("%+v", got)
		}
		if got := find(t, ann, api.SearchQuery{Q: "lantern", AccountID: s.User("bob").ID}); !slices.Equal(statusIDs(got.Statuses), []string{second.ID}) {
			t.Errorf("%+v", got.Statuses)
		}
		if got := find(t, ann, api.SearchQuery{Q: "lantern", MaxID: second.ID}); !slices.Equal(statusIDs(got.Statuses), []string{first.ID}) {
			t.Errorf("below the second: %+v", statusIDs(got.Statuses))
		}
		if got := find(t, ann, api.SearchQuery{Q: "lantern", MinID: first.ID}); !slices.Equal(statusIDs(got.Statuses), []string{second.ID}) {
			t.Errorf("above the first: %+v", statusIDs(got.Statuses))
		}
		if got := find(t, ann, api.SearchQuery{Q: "lantern", MinID: second.ID}); len(got.Statuses) != 0 || len(got.Accounts) != 1 {
			t.Errorf("above the second: %+v", statusIDs(got.Statuses))
		}
		// A pasted address finds its status alone, and nothing if the viewer
		// may not see that.
		if got := find(t, bob, api.SearchQuery{Q: first.URL}); !slices.Equal(statusIDs(got.Statuses), []string{first.ID}) {
			t.Errorf("%+v", got.Statuses)
		}
		for _, address := range []string{hidden.URL, hidden.URI} {
			if got := find(t, bob, api.SearchQuery{Q: address}); len(got.Statuses) != 0 {
				t.Errorf("%s is found: %v", address, statusIDs(got.Statuses))
			}
		}
		if got := find(t, bob, api.SearchQuery{Q: s.User("lantern").URI}); !slices.Equal(accts(got.Accounts), []string{"lantern"}) {
			t.Errorf("%+v", accts(got.Accounts))
		}
		if got := find(t, bob, api.SearchQuery{Q: "@lantern@" + s.Base()[len("http://"):]}); !slices.Equal(accts(got.Accounts), []string{"lantern"}) {
			t.Errorf("%+v", accts(got.Accounts))
		}
		if _, err := bob.Accounts.Follow(ctx, lantern.ID, api.Follow{}); err != nil {
			t.Fatal(err)
		}
		got := find(t, bob, api.SearchQuery{Q: "lan", Following: true, WithRelationships: true})
		if len(got.Accounts) != 1 || !got.Accounts[0].Svc.Relationship.Following {
			t.Errorf("%+v", got.Accounts)
		}
		if got := find(t, ann, api.SearchQuery{Q: "lan", Following: true}); len(got.Accounts) != 0 {
			t.Errorf("%+v", got.Accounts)
		}
		// Blocked, an author is found by name, and their posts are not.
		if _, err := ann.Accounts.Block(ctx, s.User("bob").ID); err != nil {
			t.Fatal(err)
		}
		if got := find(t, ann, api.SearchQuery{Q: "lantern"}); !slices.Equal(statusIDs(got.Statuses), []string{first.ID}) {
			t.Errorf("%+v", statusIDs(got.Statuses))
		}
		if _, err := ann.Statuses.Delete(ctx, first.ID); err != nil {
			t.Fatal(err)
		}
		if got := find(t, ann, api.SearchQuery{Q: "lantern"}); len(got.Statuses) != 0 {
			t.Error("a deleted post is found")
		}
		for path, want := range map[string]string{
			"/api/v2/search":               `{"error":"Missing field: q.",`,
			"/api/v2/search?q=%20":         `{"error":"Missing field: q.",`,
			"/api/v1/search?q=x&type=cats": `{"error":"type - Invalid value for enum.",`,
		} {
			if a := call(t, s, "", "GET", path, "", ""); a.status != 400 || !strings.HasPrefix(a.body, want) {
				t.Errorf("%s: %d %s", path, a.status, a.body)
			}
		}
	})
}

func TestStrangersFindWhatIsOfThisServer(t *testing.T) {
	far := func(t *testing.T, s *servertest.Server) string {
		t.Helper()
		ctx := t.Context()
		a := &db.Account{URI: "https://far.example/users/lamp", Nickname: "lamp@far.example", Domain: "far.example", ActorType: "Person", URL: "https://far.example/@lamp"}
		if err := s.DB.CreateAccount(ctx, a); err != nil {
			t.Fatal(err)
		}
		uri := "https://far.example/objects/1"
		status := &db.Status{ID: s.DB.NewID(), AccountID: a.ID, URI: &uri, URL: "https://far.example/@lamp/1", Visibility: db.Public, Content: "a far lamp", CreatedAt: s.DB.Now()}
		err := s.DB.Tx(ctx, func(tx *db.DB) error {
			if err := tx.CreateStatus(ctx, status); err != nil {
				return err
			}
			return tx.IndexStatus(ctx, status, status.Content)
		})
		if err != nil {
			t.Fatal(err)
		}
		return status.ID
	}
	for limit, sees := range map[string][2]bool{config.LimitAnonymous: {false, true}, config.LimitAll: {false, false}, config.LimitNobody: {true, true}} {
		t.Run(limit, func(t *testing.T) {
			s := servertest.Start(t, func(in *config.Settings) { in.Instance.LimitToLocalContent = limit })
			id := far(t, s)
			near := post(t, s.Client("lampann"), api.NewStatus{Status: "a near lamp"})
			for i, c := range []*client.Client{s.Anonymous(), s.Client("bob")} {
				statuses, accounts := []string{near.ID}, []string{"lampann"}
				if sees[i] {
					statuses, accounts = []string{near.ID, id}, []string{"lamp@far.example", "lampann"}
				}
				found := find(t, c, api.SearchQuery{Q: "lamp"})
				if diff := cmp.Diff(statuses, statusIDs(found.Statuses)); diff != "" {
					t.Errorf("caller %d: %s", i, diff)
				}
				if diff := cmp.Diff(accounts, accts(found.Accounts)); diff != "" {
					t.Errorf("caller %d: %s", i, diff)
				}
			}
		})
	}
}
