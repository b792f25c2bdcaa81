package clientapi_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"svc/client/api"
	"svc/db"
	"svc/server/servertest"
	"svc/server/servertest/peer"
)

// TestEveryDoorKnowsEveryHandle asks each door that takes a handle for accounts
// of the names that other servers give, in each way that people write them.
func TestEveryDoorKnowsEveryHandle(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, root, far := s.Client("ann"), s.Admin("root"), peer.Start(t, "127.0.0.2")
		token := s.Token("ann", servertest.AllScopes)
		for _, local := range []string{"first", "jos", "x", "kim"} {
			s.User(local)
		}
		names := map[string][]string{} // how people write each
		for _, nick := range []string{"first.last.bsky.social", "jos\u00e9", "用户.名", "x-y_Z."} {
			acct := far.Actor(nick).Handle()
			names[acct] = []string{acct, strings.ToUpper(acct), "@" + acct}
		}
		names["jos\u00e9@"+far.Host()] = append(names["jos\u00e9@"+far.Host()], "jose\u0301@"+far.Host())
		for acct, written := range map[string][]string{
			"kim.lee@xn--mnchen-3ya.example":      {"kim.lee@münchen.example", "@Kim.Lee@MÜNCHEN.example", "kim.lee@xn--mnchen-3ya.example", "kim.lee@mu\u0308nchen.example", "kim.lee@münchen.example:443"},
			"kim.lee@xn--mnchen-3ya.example:8443": {"kim.lee@münchen.example:8443", "@KIM.LEE@xn--mnchen-3ya.EXAMPLE:8443"},
		} {
			_, host, _ := strings.Cut(acct, "@")
			if err := s.DB.CreateAccount(ctx, &db.Account{URI: "https://" + host + "/users/kim", Nickname: acct, Domain: host, ActorType: "Person"}); err != nil {
				t.Fatal(err)
			}
			names[acct] = written
		}
		names["first"] = []string{"first", "@first@" + s.Host(), "FIRST@" + s.Host()}
		for acct, written := range names {
			if strings.Contains(acct, far.Host()) {
				// The first of these is not known before.
				body, err := json.Marshal(map[string]string{"uri": written[0]})
				if err != nil {
					t.Fatal(err)
				}
				if got := call(t, s, token, "POST", "/api/v1/follows", "application/json", string(body)); got.status != 200 {
					t.Errorf("follow %s: %d %s", written[0], got.status, got.body)
				}
			}
			for _, w := range written {
				said := post(t, ann, api.NewStatus{Status: "psst @" + strings.TrimPrefix(w, "@") + " hear", Visibility: "direct"})
				if len(said.Mentions) != 1 || said.Mentions[0].Acct != acct {
					t.Errorf("a status to %q mentions %+v", w, said.Mentions)
				}
				a, err := ann.Accounts.Get(ctx, w)
				if err != nil || a.Acct != acct {
					t.Errorf("account %q: %+v, %v", w, a, err)
				}
				found := find(t, ann, api.SearchQuery{Q: w, Type: "accounts", Resolve: true})
				if got := accts(found.Accounts); len(got) == 0 || got[0] != acct {
					t.Errorf("search %q: %q", w, got)
				}
				found = find(t, ann, api.SearchQuery{Q: w, Type: "accounts"})
				if got := accts(found.Accounts); len(got) == 0 || got[0] != acct {
					t.Errorf("search for known %q: %q", w, got)
				}
				u, err := root.Admin.Users.Get(ctx, w)
				if err != nil || u.Nickname != acct {
					t.Errorf("admin gets %q: %+v, %v", w, u, err)
					continue
				}
				if err := root.Admin.Users.Tag(ctx, []string{w}, []string{"mrf_tag:sandbox"}); err != nil {
					t.Errorf("tag %q: %v", w, err)
				}
				page, err := root.Admin.Users.List(api.UserQuery{Query: w}).Page(ctx)
				if err != nil || !slices.ContainsFunc(page.Items, func(u api.AdminUser) bool { return u.Nickname == acct && slices.Contains(u.Tags, "mrf_tag:sandbox") }) {
					t.Errorf("admin's list %q: %+v, %v", w, page, err)
				}
				if err := root.Admin.Users.Untag(ctx, []string{w}, []string{"mrf_tag:sandbox"}); err != nil {
					t.Errorf("untag %q: %v", w, err)
				}
			}
		}
		for typed, want := range map[string]string{
			"@first.l": "first.last.bsky.social@" + far.Host(), "JOS\u00c9@127": "jos\u00e9@" + far.Host(), "用户.": "用户.名@" + far.Host(),
			"@x-y_z.@": "x-y_Z.@" + far.Host(), "kim.lee@mün": "kim.lee@xn--mnchen-3ya.example", "@kim.lee@münchen.example:8": "kim.lee@xn--mnchen-3ya.example:8443",
			"kim.lee@xn--mnc": "kim.lee@xn--mnchen-3ya.example", "first@" + strings.ToUpper(s.Host()): "first",
		} {
			list, err := ann.Accounts.Search(ctx, api.AccountSearchQuery{Q: typed})
			if got := accts(list); err != nil || len(got) == 0 || got[0] != want {
				t.Errorf("%q is completed to %q, %v", typed, got, err)
			}
		}
	})
}
