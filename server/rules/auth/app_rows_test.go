package auth_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/jobs"
	"svc/server/rules/auth"
)

// root is an admin, who may register and change apps.
var root = &db.Account{IsAdmin: true}

func TestAppsThatNobodyUsesAreSwept(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		ctx := t.Context()
		now := time.Now()
		s := auth.New(auth.Parts{DB: d, Settings: w.live, Now: func() time.Time { return now }})
		ids, err := auth.NewIdentities(d, w.live, func() time.Time { return now })
		if err != nil {
			t.Fatal(err)
		}
		app := func(name string) *auth.App {
			a, err := s.CreateApp(ctx, auth.NewApp{Name: name, RedirectURIs: callback, Scopes: "read"})
			if err != nil {
				t.Fatal(err)
			}
			return a
		}
		own := func(a *auth.App) *auth.Issued {
			issued, err := s.Grant(ctx, auth.Grant{Type: "client_credentials", ClientID: a.ClientID, ClientSecret: a.ClientSecret})
			if err != nil {
				t.Fatal(err)
			}
			return issued
		}
		tried, byPassword, byCode, byItself := app("tried"), app("by password"), app("by code"), app("by itself")
		byAdmin, err := s.AddApp(ctx, root, auth.NewApp{Name: "by an admin", RedirectURIs: callback, Scopes: "read"})
		if err != nil {
			t.Fatal(err)
		}
		leftAlone := own(tried)
		if _, err := ids.Identify(ctx, leftAlone.AccessToken); err != nil { // a call with a fresh token does not mark its app as used
			t.Fatal(err)
		}
		if _, err := s.Grant(ctx, auth.Grant{Type: "password", ClientID: byPassword.ClientID, ClientSecret: byPassword.ClientSecret, Username: "alice", Password: password}); err != nil {
			t.Fatal(err)
		}
		q, err := s.Question(ctx, auth.Ask{ResponseType: "code", ClientID: byCode.ClientID, RedirectURI: callback})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Authorise(ctx, q, w.proof(w.alice)); err != nil {
			t.Fatal(err)
		}
		token := own(byItself)
		now = now.Add(25 * time.Hour)
		if _, err := ids.Identify(ctx, token.AccessToken); err != nil {
			t.Fatal(err)
		}
		names := func() string {
			rows, _, err := s.Apps(ctx, db.AppFilter{}, db.NumberedPage{Number: 1, Size: 20})
			if err != nil {
				t.Fatal(err)
			}
			var out []string
			for _, a := range rows {
				out = append(out, a.Name)
			}
			return strings.Join(out, ", ")
		}
		all := names()
		now = now.Add(6*24*time.Hour - 2*time.Hour)
		if err := s.Sweep(ctx); err != nil || names() != all {
			t.Errorf("within a week there are %s, %v", names(), err)
		}
		now = now.Add(2 * time.Hour)
		if err := s.Sweep(ctx); err != nil {
			t.Fatal(err)
		}
		// The world's own app has issued no token yet, so it is swept too.
		if got, want := names(), "by password, by code, by itself, "+byAdmin.Name; got != want {
			t.Errorf("after a week there are %s, want %s", got, want)
		}
		if id, err := ids.Identify(ctx, leftAlone.AccessToken); id != nil || err != nil {
			t.Errorf("the token of a swept app: %+v, %v", id, err)
		}
		if id, err := ids.Identify(ctx, token.AccessToken); id == nil || err != nil {
			t.Errorf("the token of an app in use: %+v, %v", id, err)
		}
	})
}

func TestAnAppHasSoManyTokensOfItsOwn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		ids := w.identities()
		alices := w.login("read")
		var tokens []string
		for range 60 {
			issued, err := w.grant("client_credentials", nil)
			if err != nil {
				t.Fatal(err)
			}
			tokens = append(tokens, issued.AccessToken)
		}
		for i, token := range tokens {
			if got := works(t, ids, token); got != (i >= 10) {
				t.Errorf("token %d of 60 works: %v", i+1, got)
			}
		}
		if !works(t, ids, alices.AccessToken) {
			t.Error("a user's token ended too")
		}
	})
}

func TestSecretsOfAppsAreSealed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		ctx := t.Context()
		old := &db.App{Name: "old", RedirectURIs: callback, Scopes: "read", ClientID: auth.Secret(), Secret: auth.Secret(), Used: true}
		clear := old.Secret
		if err := d.CreateApp(ctx, old); err != nil {
			t.Fatal(err)
		}
		signs := func() bool {
			_, err := w.Grant(ctx, auth.Grant{Type: "client_credentials", ClientID: old.ClientID, ClientSecret: clear})
			return err == nil
		}
		if !signs() {
			t.Error("an app of before the seals is turned away")
		}
		if err := w.Sweep(ctx); err != nil {
			t.Fatal(err)
		}
		if !signs() {
			t.Error("an app whose secret was sealed is turned away")
		}
		for id, secret := range map[int64]string{old.ID: clear, w.app.ID: w.app.ClientSecret} {
			row, err := d.App(ctx, id)
			if err != nil || !row.Sealed || strings.Contains(row.Secret, secret) || row.Secret == "" {
				t.Errorf("%+v keeps %s, %v", row, secret, err)
			}
			if _, err := w.Grant(ctx, auth.Grant{Type: "client_credentials", ClientID: row.ClientID, ClientSecret: row.Secret}); words(err) != "Invalid credentials" {
				t.Errorf("what is stored opens %s: %v", row.Name, err)
			}
		}
		shown, _, err := w.Apps(ctx, db.AppFilter{ClientID: old.ClientID}, db.NumberedPage{Number: 1, Size: 1})
		if err != nil || len(shown) != 1 || shown[0].ClientSecret != clear {
			t.Errorf("admins are shown %+v, %v", shown, err)
		}
		name := "new name"
		if changed, err := w.ChangeApp(ctx, root, old.ID, auth.AppChange{Name: &name}); err != nil || changed.ClientSecret != clear {
			t.Errorf("changed: %+v, %v", changed, err)
		}
	})
}

func TestTwoChangesOfAnAppAreBothKept(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		app, err := w.CreateApp(t.Context(), auth.NewApp{Name: "one", RedirectURIs: callback, Scopes: "read"})
		if err != nil {
			t.Fatal(err)
		}
		name, site := "two", "https://svc.example"
		change := func(in auth.AppChange) func(ctx context.Context) error {
			return func(ctx context.Context) error { _, err := w.ChangeApp(ctx, root, app.ID, in); return err }
		}
		if err, other := dbtest.Between(t, d, "FROM apps WHERE id", change(auth.AppChange{Name: &name}), change(auth.AppChange{Website: &site})); err != nil || other != nil {
			t.Fatal(err, other)
		}
		if got, err := d.App(t.Context(), app.ID); err != nil || got.Name != name || got.Website != site {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

// TestAnAppWithManyTokensIsDeletedInChunks: the tokens of a deleted app end at once,
// and their rows go some hundred at a time.
func TestAnAppWithManyTokensIsDeletedInChunks(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		ctx := t.Context()
		const n, chunk = 620, 500
		ids := w.identities()
		token := w.login("read").AccessToken
		use, err := ids.Identify(ctx, token)
		if err != nil {
			t.Fatal(err)
		}
		rows := func() (n int) {
			if err := d.Writer().QueryRowContext(ctx, "SELECT COUNT(*) FROM tokens").Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		first := rows()
		if err := dbtest.Exec(t, d, `WITH RECURSIVE g (v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM g WHERE v < ?)
			INSERT INTO tokens (token_hash, app_id, account_id, scopes, expires_at, created_at) SELECT 't' || v, CAST(? AS BIGINT), ?, 'read', 0, 0 FROM g`, n, use.App.ID, w.alice.ID); err != nil {
			t.Fatal(err)
		}
		if err := w.DeleteApp(ctx, root, use.App.ID); err != nil {
			t.Fatal(err)
		}
		if works(t, ids, token) {
			t.Error("a token of a deleted app works")
		}
		if got, want := rows(), first+n-chunk; got != want {
			t.Errorf("%d tokens are left, want %d", got, want)
		}
		check := func() {
			if err := d.Check(ctx, db.CheckOptions{}, func(f db.Finding) error {
				if strings.HasPrefix(f.Check, "tokens.") {
					t.Errorf("%s of %s: %s", f.Check, f.Row, f.Fault)
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		check()
		if err := w.ForgetApp(ctx, jobs.ForgetApp{AppID: use.App.ID}); err != nil {
			t.Fatal(err)
		}
		if got := rows(); got != first-1 {
			t.Errorf("%d tokens are left, want none of the app's", got)
		}
		check()
	})
}
