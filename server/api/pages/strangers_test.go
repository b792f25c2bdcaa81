package pages_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client/api"
	"svc/db"
	"svc/server/platform/config"
	"svc/server/servertest"
)

// TestStrangersSeeNothingElse goes through everything that may not be shown to
// everybody, and through every page and feed that could show it.
func TestStrangersSeeNothingElse(t *testing.T) {
	const secret = "XSECRETX"
	type world struct {
		s     *servertest.Server
		paths []string
	}
	all := func(w *world, nickname string, ids ...string) {
		w.paths = append(w.paths, "/", "/main/public", "/tag/hush", "/tags/hush.atom", "/users/"+nickname, "/users/"+nickname+"/feed", "/users/"+nickname+".atom", "/users/"+nickname+"/feed.atom")
		for _, id := range ids {
			w.paths = append(w.paths, "/notice/"+id)
		}
	}
	hide := func(edit func(*db.Account), column string) func(*testing.T, *world) {
		return func(t *testing.T, w *world) {
			a := w.s.User("hidden")
			bio := secret
			if _, err := w.s.Client("hidden").Accounts.UpdateCredentials(t.Context(), api.UpdateCredentials{Note: &bio}); err != nil {
				t.Fatal(err)
			}
			all(w, "hidden")
			if column == "deactivated" {
				post := write(t, w.s, "hidden", api.NewStatus{Status: secret + " #hush"})
				if _, err := w.s.Client("alice").Statuses.Reblog(t.Context(), post.ID, api.NewReblog{}); err != nil {
					t.Fatal(err)
				}
				all(w, "alice", post.ID)
			}
			edit(a)
			if err := w.s.DB.UpdateAccount(t.Context(), a, column); err != nil {
				t.Fatal(err)
			}
		}
	}
	post := func(form api.NewStatus) func(*testing.T, *world) {
		return func(t *testing.T, w *world) {
			form.Status = secret + " #hush @bob"
			hidden := write(t, w.s, "alice", form)
			public := write(t, w.s, "bob", api.NewStatus{Status: "an answer", InReplyToID: hidden.ID, Visibility: map[string]string{db.Direct: db.Direct}[form.Visibility]})
			all(w, "alice", hidden.ID, public.ID)
			all(w, "bob")
			w.paths = append(w.paths, strings.TrimPrefix(hidden.URI, w.s.Base()))
		}
	}
	public := func(t *testing.T, w *world) {
		made := write(t, w.s, "alice", api.NewStatus{Status: secret + " #hush"})
		boost, err := w.s.Client("bob").Statuses.Reblog(t.Context(), made.ID, api.NewReblog{})
		if err != nil {
			t.Fatal(err)
		}
		bio := secret
		if _, err := w.s.Client("alice").Accounts.UpdateCredentials(t.Context(), api.UpdateCredentials{Note: &bio}); err != nil {
			t.Fatal(err)
		}
		all(w, "alice", made.ID, boost.ID)
		all(w, "bob")
	}
	for name, tt := range map[string]struct {
		settings func(*config.Settings)
		make     func(*testing.T, *world)
	}{
		"private": {nil, post(api.NewStatus{Visibility: db.Private})},
		"direct":  {nil, post(api.NewStatus{Visibility: db.Direct})},
		"local":   {nil, post(api.NewStatus{Visibility: db.Local})},
		"deleted": {nil, func(t *testing.T, w *world) {
			public(t, w)
			for _, path := range w.paths {
				if id, ok := strings.CutPrefix(path, "/notice/"); ok {
					_, _ = w.s.Client("alice").Statuses.Delete(t.Context(), id)
				}
			}
			bio := ""
			if _, err := w.s.Client("alice").Accounts.UpdateCredentials(t.Context(), api.UpdateCredentials{Note: &bio}); err != nil {
				t.Fatal(err)
			}
		}},
		"deactivated":      {nil, hide(func(a *db.Account) { a.Deactivated = true }, "deactivated")},
		"unapproved":       {nil, hide(func(a *db.Account) { a.ApprovalPending = true }, "approval_pending")},
		"unconfirmed":      {nil, hide(func(a *db.Account) { a.ConfirmationPending = true }, "confirmation_pending")},
		"invisible":        {nil, hide(func(a *db.Account) { a.Invisible = true }, "invisible")},
		"private instance": {func(s *config.Settings) { s.Instance.Public = false }, public},
		"all restricted": {func(s *config.Settings) {
			s.Restrict.TimelinesLocal, s.Restrict.ProfilesLocal, s.Restrict.ActivitiesLocal = config.Restricted, config.Restricted, config.Restricted
		}, public},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var edits []func(*config.Settings)
			if tt.settings != nil {
				edits = append(edits, tt.settings)
			}
			w := &world{s: servertest.Start(t, edits...)}
			w.s.User("alice")
			w.s.User("bob")
			tt.make(t, w)
			signedIn := newVisitor(t, w.s) // a session shows no more than strangers see
			app := newApp(t, w.s, "urn:ietf:wg:oauth:2.0:oob", "read")
			form := signedIn.send("GET", authorize(app, "urn:ietf:wg:oauth:2.0:oob"), nil).fields()
			form.Set("authorization[name]", "alice")
			form.Set("authorization[password]", servertest.Password)
			form.Set("authorization[scope][]", "read")
			if got := signedIn.send("POST", "/oauth/authorize", form); got.status != 200 {
				t.Fatalf("signing in: %d", got.status)
			}
			for _, path := range w.paths {
				for _, v := range []*visitor{newVisitor(t, w.s), signedIn} {
					got := v.open(path, "Authorization", "Bearer "+w.s.Token("alice", servertest.AllScopes))
					if got.status >= 500 || strings.Contains(got.text, secret) {
						t.Errorf("%s: %d\n%s", path, got.status, got.text)
					}
				}
			}
		})
	}
}

// Each restriction shuts its own pages, with the documented status.
func TestRestrictionsShutPages(t *testing.T) {
	s := servertest.Start(t)
	post := write(t, s, "alice", api.NewStatus{Status: "hello #tea"})
	paths := []string{"/", "/main/public", "/tag/tea", "/tags/tea.atom", "/users/alice", "/users/alice/feed.atom", "/notice/" + post.ID}
	for name, tt := range map[string]struct {
		edit func(*config.Settings)
		want []int
	}{
		"open":       {func(*config.Settings) {}, []int{200, 200, 200, 200, 200, 200, 200}},
		"timelines":  {func(c *config.Settings) { c.Restrict.TimelinesLocal = config.Restricted }, []int{200, 401, 401, 404, 200, 200, 200}},
		"profiles":   {func(c *config.Settings) { c.Restrict.ProfilesLocal = config.Restricted }, []int{200, 200, 200, 200, 401, 404, 200}},
		"activities": {func(c *config.Settings) { c.Restrict.ActivitiesLocal = config.Restricted }, []int{200, 200, 200, 404, 200, 404, 404}},
		"private":    {func(c *config.Settings) { c.Instance.Public = false }, []int{200, 401, 401, 404, 401, 404, 404}},
	} {
		before := *s.Settings.Load()
		settings(t, s, tt.edit)
		var got []int
		for _, path := range paths {
			got = append(got, newVisitor(t, s).open(path).status)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s %q (-want +got):\n%s", name, paths, diff)
		}
		settings(t, s, func(c *config.Settings) { *c = before })
	}
}
