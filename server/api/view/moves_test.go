package view

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/config"
)

// TestAnAccountShowsWhereItMoved renders an account that moved, while the
// target of its move changes.
func TestAnAccountShowsWhereItMoved(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx, settings := t.Context(), config.DefaultSettings()
		live, err := config.NewLive(settings)
		if err != nil {
			t.Fatal(err)
		}
		v, err := newView(d, live)
		if err != nil {
			t.Fatal(err)
		}
		made := func(nickname string, local bool) *db.Account {
			a := db.NewAccount(dbtest.Base, nickname)
			if !local {
				a = db.NewAccount("https://far.example", nickname)
				a.Local, a.Domain, a.Nickname, a.NickKey = false, "far.example", nickname+"@far.example", nickname+"@far.example"
			}
			if err := d.CreateAccount(ctx, a); err != nil {
				t.Fatal(err)
			}
			return a
		}
		old, fresh, here, still := made("old", false), made("fresh", false), made("here", true), made("still", false)
		shows := func(when, want string) {
			t.Helper()
			versions, err := d.AccountVersions(ctx, []string{old.ID})
			if err != nil {
				t.Fatal(err)
			}
			raw, err := v.AccountsAt(ctx, []db.AccountRef{{ID: old.ID, Version: versions[old.ID]}})
			row, failed := d.Account(ctx, old.ID)
			if err = errors.Join(err, failed); err != nil {
				t.Fatal(err)
			}
			single, err := v.Accounts(ctx, []db.Account{*row})
			if err != nil || string(single) != string(raw) {
				t.Errorf("%s: by itself %s, in a list %s: %v", when, single, raw, err)
			}
			var got []api.Account
			if err := json.Unmarshal(raw, &got); err != nil || len(got) != 1 {
				t.Fatalf("%s: %s: %v", when, raw, err)
			}
			acct := ""
			if m := got[0].Moved; m != nil {
				if acct = m.Acct + " " + m.DisplayName; m.Moved != nil {
					t.Errorf("%s: it moved on, to %s", when, m.Moved.Acct)
				}
			}
			if acct != want {
				t.Errorf("%s it moved to %q, want %q", when, acct, want)
			}
		}
		set := func(a *db.Account, edit func(a *db.Account), columns ...string) {
			t.Helper()
			edit(a)
			if err := d.UpdateAccount(ctx, a, columns...); err != nil {
				t.Fatal(err)
			}
		}
		shows("at first", "")
		set(old, func(a *db.Account) { a.MovedTo = fresh.URI }, "moved_to")
		shows("where the other does not know of it", "")
		set(fresh, func(a *db.Account) { a.AlsoKnownAs, a.MovedTo = db.Slice[string]{old.URI}, here.URI }, "also_known_as", "moved_to")
		shows("then", "fresh@far.example fresh")
		set(fresh, func(a *db.Account) { a.DisplayName = "Fresh" }, "display_name")
		shows("renamed", "fresh@far.example Fresh")
		set(fresh, func(a *db.Account) { a.Deactivated = true }, "deactivated")
		shows("deactivated", "")
		set(old, func(a *db.Account) { a.MovedTo = here.URI }, "moved_to")
		set(here, func(a *db.Account) { a.AlsoKnownAs = db.Slice[string]{old.URI} }, "also_known_as")
		shows("to an account of this server", "here here")
		settings.Restrict.ProfilesLocal = config.Restricted
		if err := live.Swap(settings); err != nil {
			t.Fatal(err)
		}
		shows("to one that strangers may not see", "")

		versions, err := d.AccountVersions(ctx, []string{old.ID, still.ID})
		if err != nil {
			t.Fatal(err)
		}
		for id, want := range map[string]int64{old.ID: 2, still.ID: 0} {
			refs := []db.AccountRef{{ID: id, Version: versions[id]}}
			if _, err := v.AccountsAt(ctx, refs); err != nil {
				t.Fatal(err)
			}
			if got := dbtest.Queries(t, func(ctx context.Context) { _, err = v.AccountsAt(ctx, refs) }); got != want || err != nil {
				t.Errorf("%d statements, want %d: %v", got, want, err)
			}
		}
	})
}
