package adminapi_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/server/platform/config"
	"svc/server/servertest"
)

func TestAnAdminKeepsApps(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, apps := t.Context(), w.Admin("root").Admin.Apps
		yes, website, name := true, "https://app.example", " Reader "
		uris := " https://app.example/cb urn:ietf:wg:oauth:2.0:oob"
		app, err := apps.Create(ctx, api.AppForm{Name: &name, RedirectURIs: &uris, Scopes: []string{"read", "write:media", "read"}, Website: &website, Trusted: &yes})
		w.must(err)
		instance, err := w.Anonymous().Instance.Get(ctx)
		w.must(err)
		want := &api.AdminApp{
			ID: app.ID, Name: " Reader ", ClientID: app.ClientID, ClientSecret: app.ClientSecret, RedirectURI: uris, Website: &website, Trusted: true,
			VAPIDKey: *instance.VAPIDPublicKey,
		}
		if diff := cmp.Diff(want, app, decoded); diff != "" || len(app.ClientID) != 43 || len(app.ClientSecret) != 43 || app.ClientID == app.ClientSecret {
			t.Errorf("created: %s", diff)
		}
		kept, err := w.DB.App(ctx, app.ID)
		if err != nil || kept.Scopes != "read write:media" {
			t.Errorf("scopes %+v, %v", kept, err)
		}
		no, renamed, empty := false, "Writer", ""
		got, err := apps.Update(ctx, app.ID, api.AppForm{Name: &renamed, Trusted: &no, Website: &empty})
		w.must(err)
		want.Name, want.Trusted, want.Website = "Writer", false, &empty
		if diff := cmp.Diff(want, got, decoded); diff != "" {
			t.Errorf("changed: %s", diff)
		}
		if got, err = apps.Update(ctx, app.ID, api.AppForm{}); err != nil || cmp.Diff(want, got, decoded) != "" {
			t.Errorf("changed in nothing: %v %s", err, cmp.Diff(want, got, decoded))
		}
		w.must(apps.Delete(ctx, app.ID))
		if list, err := apps.List(api.AppQuery{ClientID: app.ClientID}).Page(ctx); err != nil || list.Total != 0 || len(list.Items) != 0 {
			t.Errorf("deleted: %+v, %v", list, err)
		}
		w.wantLog()
	})
}

func TestAppsAreFilteredAndCounted(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		token := w.Token("root", servertest.AdminScopes) // an app of its own
		all, err := w.Admin("root").Admin.Apps.List(api.AppQuery{}).Page(t.Context())
		w.must(err)
		first := int64(all.Total)
		var clientID string
		for i := range 7 {
			trusted := i%3 == 0
			name, uri := fmt.Sprint("app ", i%2), "https://app.example/"
			app, err := w.Admin("root").Admin.Apps.Create(t.Context(), api.AppForm{Name: &name, RedirectURIs: &uri, Scopes: []string{"read"}, Trusted: &trusted})
			w.must(err)
			clientID = app.ClientID
		}
		for query, want := range map[string]string{
			"?name=app+0":                                 "4/50: 1 3 5 7",
			"?name=app":                                   "0/50:",
			"?name=APP+0":                                 "0/50:",
			"?name=app+0&trusted=true":                    "2/50: 1 7",
			"?trusted=true":                               "3/50: 1 4 7",
			"?trusted=true&page_size=2&page=2":            "3/2: 7",
			"?trusted=true&page_size=2&page=1":            "3/2: 1 4",
			"?trusted=true&page_size=1&page=2":            "3/1: 4",
			"?trusted=true&page_size=2&page=9":            "3/2:",
			"?trusted=true&page_size=-2&page=0":           "3/1: 1",
			"?client_id=" + clientID:                      "1/50: 7",
			"?client_id=" + clientID[:20]:                 "0/50:",
			"?client_id=" + clientID + "&name=app+1":      "0/50:",
			"?name=app+1&trusted=&client_id=&page_size=2": "3/2: 2 4",
		} {
			status, _, text := w.call(token, "GET", "/oauth_app"+query, "")
			var list api.AdminApps
			w.decode(text, &list)
			got := fmt.Sprintf("%d/%d:", list.Count, list.PageSize)
			for _, a := range list.Apps {
				got += fmt.Sprint(" ", a.ID-all.Items[first-1].ID)
			}
			if status != 200 || got != want {
				t.Errorf("%s: %d %s, want %s", query, status, got, want)
			}
		}
		untrusted, err := w.Admin("root").Admin.Apps.List(api.AppQuery{Trusted: new(bool)}).Page(t.Context())
		if err != nil || untrusted.Total != int(first)+4 || len(untrusted.Items) != untrusted.Total {
			t.Errorf("untrusted: %+v, %v", untrusted, err)
		}
		var walked int
		for _, err := range w.Admin("root").Admin.Apps.List(api.AppQuery{PageSize: 2}).All(t.Context()) {
			w.must(err)
			walked++
		}
		if walked != int(first)+7 {
			t.Errorf("walked %d", walked)
		}
	})
}

func TestWhatAppsAreRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		name, uri := "x", "https://app.example/"
		app, err := w.Admin("root").Admin.Apps.Create(t.Context(), api.AppForm{Name: &name, RedirectURIs: &uri, Scopes: []string{"read"}})
		w.must(err)
		one := fmt.Sprint("/oauth_app/", app.ID)
		whole := func(edit string) string {
			return `{"name":"x","redirect_uris":"https://app.example/","scopes":["read"]` + edit + `}`
		}
		for _, c := range []struct{ method, path, body, answer string }{
			{"POST", "/oauth_app", ``, `{"name":"can't be blank","redirect_uris":"can't be blank","scopes":"can't be blank"}`},
			{"POST", "/oauth_app", `{"name":"","redirect_uris":" ","scopes":[]}`, `{"name":"can't be blank","redirect_uris":"can't be blank","scopes":"can't be blank"}`},
			{"POST", "/oauth_app", `{"name":null,"redirect_uris":"https://app.example/","scopes":["read"]}`, `{"name":"can't be blank"}`},
			{"POST", "/oauth_app", whole(`,"scopes":[" "]`), `{"scopes":"can't be blank"}`},
			{"POST", "/oauth_app", whole(`,"redirect_uris":"javascript:alert(1)"`), `{"redirect_uris":"must be absolute URIs"}`},
			{"POST", "/oauth_app", whole(`,"website":"javascript:alert(1)"`), `{"website":"must be an http or https URL"}`},
			{"POST", "/oauth_app", whole(`,"name":"` + strings.Repeat("x", 256) + `"`), `{"name":"is too long"}`},
			{"POST", "/oauth_app", whole(`,"name":5`), `{"name":"is invalid"}`},
			{"POST", "/oauth_app", whole(`,"scopes":"read"`), `{"scopes":"is invalid"}`},
			{"POST", "/oauth_app", whole(`,"scopes":["read",5]`), `{"scopes":"is invalid"}`},
			{"POST", "/oauth_app", whole(`,"trusted":"maybe"`), `{"trusted":"is invalid"}`},
			{"PATCH", one, `{"name":""}`, `{"name":"can't be blank"}`},
			{"PATCH", one, `{"redirect_uris":"","scopes":[]}`, `{"redirect_uris":"can't be blank","scopes":"can't be blank"}`},
			{"PATCH", one, `{"redirect_uris":{}}`, `{"redirect_uris":"is invalid"}`},
			{"PATCH", "/oauth_app/999999", `{"name":"y"}`, badly},
			{"PATCH", "/oauth_app/99999999999999999999999", `{"name":"y"}`, badly},
			{"PATCH", "/oauth_app/one", `{"name":"y"}`, invalid("id", "id - Invalid integer. Got: string.")},
			{"DELETE", "/oauth_app/999999", ``, badly},
			{"DELETE", "/oauth_app/0", ``, badly},
			{"DELETE", "/oauth_app/one", ``, badly},
			{"GET", "/oauth_app?trusted=maybe", ``, invalid("trusted", "trusted - Invalid boolean. Got: string.")},
			{"GET", "/oauth_app?page=x", ``, invalid("page", "page - Invalid integer. Got: string.")},
			{"GET", "/oauth_app?name[]=x", ``, invalid("name", "name - Invalid string. Got: array.")},
		} {
			w.want(c.method, c.path, c.body, 400, c.answer)
		}
		narrow := w.Token("root", "admin:read")
		for _, c := range []struct{ method, path string }{{"GET", "/oauth_app"}, {"POST", "/oauth_app"}, {"PATCH", one}, {"DELETE", one}} {
			if status, _, text := w.call(narrow, c.method, c.path, ""); status != 403 || text != `{"error":"Insufficient permissions: admin:write."}` {
				t.Errorf("%s %s without the scope: %d %s", c.method, c.path, status, text)
			}
		}
		kept, err := w.DB.App(t.Context(), app.ID)
		if err != nil || kept.Name != "x" || kept.Scopes != "read" || kept.RedirectURIs != uri {
			t.Errorf("app %+v, %v", kept, err)
		}
		status, text := w.admin("POST", "/oauth_app", "name=form&redirect_uris=https://app.example/&scopes[]=read&scopes[]=write&trusted=true")
		if status != 200 || !strings.Contains(text, `"name":"form"`) || !strings.Contains(text, `"trusted":true`) || !strings.Contains(text, `"website":""`) {
			t.Errorf("a form: %d %s", status, text)
		}
	})
}

// TestADeletedAppIsSignedOut: its tokens end at once, in every process.
func TestADeletedAppIsSignedOut(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		token := w.Token("ann", servertest.AllScopes)
		ann := w.With(token)
		_, err := ann.Accounts.Verify(ctx)
		w.must(err)
		list, err := w.Admin("root").Admin.Apps.List(api.AppQuery{Name: "tests"}).Page(ctx)
		w.must(err)
		for _, app := range list.Items {
			use, err := w.DB.App(ctx, app.ID)
			w.must(err)
			if use.Scopes == servertest.AllScopes { // not root's
				w.must(w.Admin("root").Admin.Apps.Delete(ctx, app.ID))
			}
		}
		if _, err := ann.Accounts.Verify(ctx); !errors.Is(err, client.ErrTokenRejected) {
			t.Errorf("a token of a deleted app: %v", err)
		}
		var n int
		if err := w.DB.Writer().QueryRowContext(ctx, "SELECT COUNT(*) FROM tokens WHERE account_id = '"+w.ann.ID+"'").Scan(&n); err != nil || n != 0 {
			t.Errorf("%d tokens are left, %v", n, err)
		}
	})
}

// TestATrustedAppRegistersWithoutACaptcha: the change takes effect at once, and
// so does its reversal.
func TestATrustedAppRegistersWithoutACaptcha(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, root := t.Context(), w.Admin("root")
		token := w.AppToken()
		list, err := root.Admin.Apps.List(api.AppQuery{Name: "tests"}).Page(ctx)
		w.must(err)
		app := list.Items[len(list.Items)-1]
		register := func(nickname string) int {
			status, _, _ := w.call(token, "POST", "/api/v1/accounts", `{"username":"`+nickname+`","email":"`+nickname+`@example.org","password":"correct horse","agreement":true}`)
			return status
		}
		if got := register("carol"); got == 200 {
			t.Error("registered without a captcha")
		}
		yes := true
		_, err = root.Admin.Apps.Update(ctx, app.ID, api.AppForm{Trusted: &yes})
		w.must(err)
		if got := register("dave"); got != 200 {
			t.Errorf("through a trusted app: %d", got)
		}
		_, err = root.Admin.Apps.Update(ctx, app.ID, api.AppForm{Trusted: new(bool)})
		w.must(err)
		if got := register("erin"); got == 200 {
			t.Error("registered through an app that is not trusted any more")
		}
	}, func(s *config.Settings) { s.Captcha.Enabled = true })
}
