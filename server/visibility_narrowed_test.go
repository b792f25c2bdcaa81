package server_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/servertest"
)

// TestWhoSeesWhatWasNarrowed is the matrix again after a post was reblogged, kept
// and put on timelines, and then narrowed: by a moderator to followers, and as
// another server may do, to those addressed.
func TestWhoSeesWhatWasNarrowed(t *testing.T) {
	dbtest.Alone(t)
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		w := newVisibilityWorld(t, s)
		ctx, admin := t.Context(), s.Admin("chief")
		wide := only(db.Public, db.Unlisted, db.Local)
		boosts := map[string][]string{}
		for _, visibility := range wide {
			id := w.posts[visibility].ID
			boosts[visibility] = append(boosts[visibility], must(s.Client("ann").Statuses.Reblog(ctx, id, api.NewReblog{}))(t).ID)
			for _, viewer := range only("sam", "fay") {
				must(s.Client(viewer).Statuses.Favourite(ctx, id))(t)
				must(s.Client(viewer).Statuses.Bookmark(ctx, id))(t)
			}
			boosts[visibility] = append(boosts[visibility], must(s.Client("flo").Statuses.Reblog(ctx, id, api.NewReblog{}))(t).ID)
		}
		// Sam follows Ann for a while, so that their home timeline has her statuses.
		follow(t, s.Client("sam"), w.ids["ann"])
		must(s.Client("sam").Accounts.Unfollow(ctx, w.ids["ann"]))(t)

		private := api.StatusUpdate{Visibility: given(db.Private)}
		for _, visibility := range wide {
			must(admin.Admin.Statuses.Update(ctx, w.posts[visibility].ID, private))(t)
		}
		t.Run("to followers", func(t *testing.T) {
			w.narrowed(t, wide, boosts, only("ann", "ned", "fay", "mel"))
		})
		for _, visibility := range wide {
			if _, err := s.DB.Writer().ExecContext(ctx, "UPDATE statuses SET visibility = 'direct' WHERE id = '"+w.posts[visibility].ID+"'"); err != nil {
				t.Fatal(err)
			}
		}
		t.Run("to those addressed", func(t *testing.T) {
			w.narrowed(t, wide, boosts, only("ann", "ned"))
		})
	}, pinsForAll)
}

// narrowed asks every place for posts that only some may see, and every path of
// each post and of its reblogs.
func (w *visibilityWorld) narrowed(t *testing.T, visibilities []string, boosts map[string][]string, may []string) {
	for _, viewer := range viewers {
		sees := slices.Contains(may, viewer)
		places := slices.Clone(shownAt)
		places = append(places, place{name: "favourites", path: "/api/v1/favourites", signedIn: true}, place{name: "bookmarks", path: "/api/v1/bookmarks", signedIn: true})
		for _, p := range places {
			if p.signedIn && viewer == "" {
				continue
			}
			_, body := w.ask(viewer, http.MethodGet, p.path, "")
			for _, visibility := range found(body) {
				if slices.Contains(visibilities, visibility) && (!sees || !strings.HasPrefix(p.path, "/api/")) {
					t.Errorf("%s shows %s what was %s", p.name, relations[viewer], visibility)
				}
			}
		}
		for _, visibility := range visibilities {
			for _, p := range asked {
				if status, body := w.ask(viewer, http.MethodGet, w.path(p.path, visibility), ""); (status == http.StatusOK) != sees {
					t.Errorf("%s of what was %s, for %s: %d %.200s", p.name, visibility, relations[viewer], status, body)
				}
			}
			own := boosts[visibility][0]
			for _, path := range only("", "/context", "/reblogged_by", "/favourited_by", "/card", "/history") {
				status, body := w.ask(viewer, http.MethodGet, "/api/v1/statuses/"+own+path, "")
				if (status == http.StatusOK) != sees || !sees && len(found(body)) > 0 {
					t.Errorf("%s of the author's boost of what was %s, for %s: %d %.200s", path, visibility, relations[viewer], status, body)
				}
			}
			for _, other := range boosts[visibility] {
				if status, body := w.ask("", http.MethodGet, "/notice/"+other, ""); status == http.StatusOK || len(found(body)) > 0 {
					t.Errorf("the page of a boost of what was %s: %d", visibility, status)
				}
			}
		}
	}
	if _, body := w.ask("fay", http.MethodGet, "/api/v1/timelines/home", ""); slices.Contains(may, "fay") != (len(found(body)) > 1) {
		t.Errorf("the home of a follower shows %v", found(body))
	}
}

// A reblog is local or remote, and so is the status that it shows. If strangers
// may see only one of the two kinds, a mixed pair shows them nothing.
func TestABoostShowsNoKindThatStrangersMayNotSee(t *testing.T) {
	for name, tt := range map[string]struct {
		edit          func(*config.Settings)
		local, remote bool // the kinds that strangers see
	}{
		"local":  {func(s *config.Settings) { s.Restrict.ActivitiesLocal = config.Restricted }, false, true},
		"remote": {func(s *config.Settings) { s.Restrict.ActivitiesRemote = config.Restricted }, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			servertest.Each(t, func(t *testing.T, s *servertest.Server) {
				ctx, ann, far := t.Context(), s.User("ann"), remote(t, s, "far@far.example")
				here, there := postBy(t, s, ann, word(db.Public)+" #needle", db.Public), postBy(t, s, far, word(db.Unlisted)+" #needle", db.Public)
				ours := must(s.Social.Reblog(ctx, ann, there.ID, ""))(t)
				theirs := must(s.Social.Reblog(ctx, far, here.ID, ""))(t)
				w := &visibilityWorld{t: t, s: s}
				for _, p := range []struct {
					path string
					sees []string
				}{
					{"/api/v1/statuses/" + here.ID, shownIf(tt.local, db.Public)},
					{"/api/v1/statuses/" + there.ID, shownIf(tt.remote, db.Unlisted)},
					{"/api/v1/statuses/" + ours.ID, nil},
					{"/api/v1/statuses/" + theirs.ID, nil},
					{"/api/v1/accounts/" + ann.ID + "/statuses", shownIf(tt.local, db.Public)},
					{"/api/v1/accounts/" + far.ID + "/statuses", shownIf(tt.remote, db.Unlisted)},
					{"/api/v1/timelines/public", append(shownIf(tt.local, db.Public), shownIf(tt.remote, db.Unlisted)...)},
					{"/api/v1/timelines/tag/needle", append(shownIf(tt.local, db.Public), shownIf(tt.remote, db.Unlisted)...)},
					{"/users/ann", shownIf(tt.local, db.Public)},
				} {
					if _, body := w.ask("", http.MethodGet, p.path, ""); !slices.Equal(found(body), append([]string{}, p.sees...)) {
						t.Errorf("a stranger sees %v at %s, want %v", found(body), p.path, p.sees)
					}
				}
				if _, body := w.ask("ann", http.MethodGet, "/api/v1/statuses/"+theirs.ID, ""); len(found(body)) != 1 {
					t.Errorf("a user does not see the boost: %.200s", body)
				}
			}, tt.edit)
		})
	}
}

func shownIf(ok bool, visibility string) []string {
	if ok {
		return only(visibility)
	}
	return nil
}
