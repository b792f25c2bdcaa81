package clientapi_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/server/servertest"
)

func TestAccountsHaveTheFieldsOfTodaysApps(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, bob, root := s.Client("ann"), s.Client("bob"), s.Admin("root")
		form := `{"discoverable":true,"hide_collections":true,"indexable":false}`
		got := decoded[api.Account](t, call(t, s, s.Token("ann", servertest.AllScopes), "PATCH", "/api/v1/accounts/update_credentials", asJSON, form))
		if got.URI != *got.Svc.APID || got.NoIndex || got.Indexable || !got.HideCollections || !got.Svc.HideFollows || !got.Svc.HideFollowers ||
			!got.Source.HideCollections || !got.Source.Discoverable || got.Source.Indexable || got.Role == nil || *got.Role != (api.OwnRole{Role: api.Role{ID: "-99"}, Permissions: "0", Highlighted: true}) {
			t.Errorf("%s", got.Raw)
		}
		seen, err := bob.Accounts.Get(ctx, got.ID)
		if err != nil || seen.Indexable || !seen.HideCollections || seen.NoIndex || seen.Role != nil || len(seen.Roles) != 0 || !strings.Contains(string(seen.Raw), `"roles":[]`) ||
			strings.Contains(string(seen.Raw), "mute_expires_at") {
			t.Errorf("%v %s", err, seen.Raw)
		}
		req := httptest.NewRequestWithContext(ctx, http.MethodGet, "/users/ann", nil)
		req.Header.Set("Accept", "application/activity+json")
		doc := httptest.NewRecorder()
		s.Handler().ServeHTTP(doc, req)
		if body := doc.Body.String(); !strings.Contains(body, `"indexable":false`) || !strings.Contains(body, `"discoverable":true`) {
			t.Errorf("the actor is %s", body)
		}
		// One of the two alone is no hidden collection; the words for one win over the word for both.
		part := decoded[api.Account](t, call(t, s, s.Token("ann", servertest.AllScopes), "PATCH", "/api/v1/accounts/update_credentials", asForm, "hide_collections=true&hide_follows=false&indexable=true"))
		if part.HideCollections || part.Svc.HideFollows || !part.Svc.HideFollowers || !part.Indexable {
			t.Errorf("%s", part.Raw)
		}
		for _, hidden := range []bool{false, true} {
			shown := api.Bool(!hidden)
			own, err := root.Accounts.UpdateCredentials(ctx, api.UpdateCredentials{ShowRole: &shown})
			if err != nil || own.Role == nil || own.Role.ID != "1" || own.Role.Name != "Admin" || own.Role.Highlighted == hidden {
				t.Fatalf("%v %s", err, own.Raw)
			}
			for _, c := range []*client.Client{ann, s.Anonymous()} {
				seen, err := c.Accounts.Get(ctx, own.ID)
				if err != nil || (len(seen.Roles) == 0) != hidden || !hidden && seen.Roles[0] != (api.Role{ID: "1", Name: "Admin"}) {
					t.Errorf("%v %s", err, seen.Raw)
				}
			}
		}
	})
}

func TestMutesSayWhenTheyEnd(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann := t.Context(), s.Client("ann")
		bob, cat := s.User("bob"), s.User("cat")
		if _, err := ann.Accounts.Mute(ctx, bob.ID, api.Mute{ExpiresIn: 3600}); err != nil {
			t.Fatal(err)
		}
		if _, err := ann.Accounts.Mute(ctx, cat.ID, api.Mute{}); err != nil {
			t.Fatal(err)
		}
		page, err := ann.Mutes.List(api.PageQuery{}).Page(ctx)
		if err != nil || len(page.Items) != 2 {
			t.Fatalf("%v %v", page, err)
		}
		ends := map[string]*api.Time{}
		for _, a := range page.Items {
			ends[a.ID] = a.MuteExpiresAt
			if !strings.Contains(string(a.Raw), `"mute_expires_at":`) {
				t.Errorf("%s", a.Raw)
			}
		}
		if ends[bob.ID] == nil || ends[cat.ID] != nil {
			t.Errorf("%v", ends)
		}
		page, err = ann.Mutes.List(api.PageQuery{Limit: 1}).Page(ctx)
		if err != nil || len(page.Items) != 1 || page.Next == nil {
			t.Errorf("a page of one: %v %v", page, err)
		}
	})
}

// TestSearchesRespectWhoIsNotToBeFound: only its author, staff and those with its address
// find a status of an account that is not indexable.
func TestSearchesRespectWhoIsNotToBeFound(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, bob, root := s.Client("ann"), s.Client("bob"), s.With(s.Token("ada", servertest.AllScopes))
		if err := s.DB.SetRoles(ctx, staff(t, s, "ada")); err != nil {
			t.Fatal(err)
		}
		lantern := post(t, ann, api.NewStatus{Status: "a lantern"})
		finds := func(c *client.Client, q string) bool {
			return slices.Contains(statusIDs(find(t, c, api.SearchQuery{Q: q, Type: "statuses"}).Statuses), lantern.ID)
		}
		no, yes := api.Bool(false), api.Bool(true)
		for _, indexable := range []*api.Bool{&yes, &no, &yes} {
			if _, err := ann.Accounts.UpdateCredentials(ctx, api.UpdateCredentials{Indexable: indexable}); err != nil {
				t.Fatal(err)
			}
			for name, tt := range map[string]struct {
				as   *client.Client
				q    string
				want bool
			}{
				"the author": {ann, "lantern", true}, "another": {bob, "lantern", bool(*indexable)}, "a stranger": {s.Anonymous(), "lantern", bool(*indexable)},
				"staff": {root, "lantern", true}, "an address": {bob, lantern.URI, true},
			} {
				if finds(tt.as, tt.q) != tt.want {
					t.Errorf("indexable %v: found by %s: %v", *indexable, name, !tt.want)
				}
			}
		}
	})
}

// staff makes an account a moderator.
func staff(t *testing.T, s *servertest.Server, nickname string) *db.Account {
	t.Helper()
	a, err := s.DB.AccountByNickname(t.Context(), nickname)
	if err != nil {
		t.Fatal(err)
	}
	a.IsModerator = true
	return a
}
