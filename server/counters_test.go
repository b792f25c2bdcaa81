package server_test

import (
	"slices"
	"testing"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/servertest"
)

// TestEveryCounterIsCounted finds nothing to say of a server where much was done,
// and each counter that is set to something else.
func TestEveryCounterIsCounted(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		w := newVisibilityWorld(t, s)
		must(s.Client("ned").Statuses.Delete(ctx, w.replies[db.Public].ID))(t)
		must(s.Client("ned").Statuses.Unfavourite(ctx, w.posts[db.Unlisted].ID))(t)
		must(s.Admin("root").Admin.Users.Deactivate(ctx, "flo"))(t)
		if wrong, err := s.DB.Miscounts(ctx); err != nil || len(wrong) > 0 {
			t.Fatalf("%+v, %v", wrong, err)
		}
		var want []string
		for _, c := range []struct{ name, spoil string }{
			{"accounts.followers_count", "UPDATE accounts SET followers_count = followers_count + 7 WHERE nickname = 'ann'"},
			{"accounts.following_count", "UPDATE accounts SET following_count = following_count + 7 WHERE nickname = 'ann'"},
			{"accounts.statuses_count", "UPDATE accounts SET statuses_count = statuses_count + 7 WHERE nickname = 'ann'"},
			{"statuses.replies_count", "UPDATE statuses SET replies_count = replies_count + 7 WHERE id = ?"},
			{"statuses.reblogs_count", "UPDATE statuses SET reblogs_count = reblogs_count + 7 WHERE id = ?"},
			{"statuses.favourites_count", "UPDATE statuses SET favourites_count = favourites_count + 7 WHERE id = ?"},
			{"polls.voters_count", "UPDATE polls SET voters_count = voters_count + 7 WHERE status_id = ?"},
			{"account_tallies", "INSERT INTO account_tallies (mask, n) VALUES (4711, 1)"},
			{"report_tallies", "INSERT INTO report_tallies (state, n) VALUES ('x', 1)"},
			{"app_tallies", "DELETE FROM app_tallies"},
			{"status_tallies", "INSERT INTO status_tallies (host, visibility, n) VALUES ('x.example', 'public', 1)"},
		} {
			var args []any
			if c.spoil[len(c.spoil)-1] == '?' {
				args = append(args, w.posts[db.Public].ID)
			}
			if err := dbtest.Exec(t, s.DB, c.spoil, args...); err != nil {
				t.Fatal(c.name, err)
			}
			want = append(want, c.name)
		}
		wrong, err := s.DB.Miscounts(ctx)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range wrong {
			if got = append(got, m.Counter); m.Kept == m.Counted {
				t.Errorf("%+v", m)
			}
		}
		if got = slices.Compact(got); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}, pinsForAll)
}
