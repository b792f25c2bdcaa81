package server_test

import (
	"slices"
	"strings"
	"testing"

	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server/servertest"
)

// TestEveryFaultIsFoundAndRepaired checks a server with rows of all kinds, and
// finds nothing. Then it makes each fault alone, which is found and repaired.
func TestEveryFaultIsFoundAndRepaired(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		w := newVisibilityWorld(t, s)
		must(s.Client("ned").Statuses.Delete(ctx, w.replies[db.Public].ID))(t)
		must(s.Client("ned").Statuses.Unfavourite(ctx, w.posts[db.Unlisted].ID))(t)
		must(s.Admin("root").Admin.Users.Deactivate(ctx, "flo"))(t)
		for range 3 {
			must(s.Client("ann").Statuses.Post(ctx, api.NewStatus{Status: "more"}))(t)
		}
		check := func(repair bool) (names []string, all []db.Finding) {
			t.Helper()
			err := s.DB.Check(ctx, db.CheckOptions{Repair: repair}, func(f db.Finding) error {
				names, all = append(names, f.Check), append(all, f)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			return names, all
		}
		if _, all := check(false); len(all) > 0 {
			t.Fatalf("%+v", all)
		}
		public := w.posts[db.Public].ID
		for _, c := range []struct{ want, spoil string }{
			{"accounts.followers_count", "UPDATE accounts SET followers_count = followers_count + 7 WHERE nickname = 'ann'"},
			{"accounts.following_count", "UPDATE accounts SET following_count = following_count + 7 WHERE nickname = 'ann'"},
			{"accounts.statuses_count", "UPDATE accounts SET statuses_count = statuses_count + 7 WHERE nickname = 'ann'"},
			{"statuses.replies_count", "UPDATE statuses SET replies_count = replies_count + 7 WHERE id = ?"},
			{"statuses.reblogs_count", "UPDATE statuses SET reblogs_count = reblogs_count + 7 WHERE id = ?"},
			{"statuses.favourites_count", "UPDATE statuses SET favourites_count = favourites_count + 7 WHERE id = ?"},
			{"statuses.reactions", `UPDATE statuses SET reactions = '[{"emoji":"x","count":7}]' WHERE id = ?`},
			{"polls.voters_count", "UPDATE polls SET voters_count = voters_count - 1 WHERE status_id = ?"},
			{"account_tallies.n", "INSERT INTO account_tallies (mask, n) VALUES (4711, 1)"},
			{"report_tallies.n", "INSERT INTO report_tallies (state, n) VALUES ('x', 1)"},
			{"app_tallies.n", "DELETE FROM app_tallies"},
			{"status_tallies.n", "INSERT INTO status_tallies (host, visibility, n) VALUES ('x.example', 'public', 1)"},
			{"statuses.conversation_id", "UPDATE statuses SET conversation_id = (SELECT MAX(id) FROM conversations WHERE id <> statuses.conversation_id) WHERE id = (SELECT MAX(r.id) FROM statuses r JOIN statuses p ON p.id = r.in_reply_to_id)"},
			{"statuses.in_reply_to_uri", `UPDATE statuses SET in_reply_to_uri = (SELECT p.uri FROM statuses p WHERE p.id = statuses.in_reply_to_id), in_reply_to_id = NULL,
				in_reply_to_account_id = NULL WHERE id = (SELECT MAX(r.id) FROM statuses r JOIN statuses p ON p.id = r.in_reply_to_id WHERE r.visibility NOT IN ('public', 'unlisted', 'local'))`},
			{"statuses.reblog_of_id", `INSERT INTO statuses (id, account_id, local, visibility, reblog_of_id, created_at) SELECT 'zz', a.id, TRUE, 'public', s.id, 0
				FROM accounts a, statuses s WHERE a.nickname = 'sam' AND s.id = (SELECT MAX(id) FROM statuses WHERE visibility = 'direct');
				UPDATE statuses SET reblogs_count = reblogs_count + 1 WHERE id = (SELECT reblog_of_id FROM statuses WHERE id = 'zz')`},
			{"home_entries.account_id", "INSERT INTO home_entries (account_id, status_id, author_id, why) VALUES ('nobody', 'gone', 'gone', 1)"},
			{"home_entries.status_id", `INSERT INTO home_entries (account_id, status_id, author_id, why) SELECT a.id, s.id, s.account_id, 1 FROM accounts a, statuses s
				WHERE a.nickname = 'sam' AND s.id = ?`},
			{"home_entries.author_id", "UPDATE home_entries SET author_id = 'other' WHERE status_id = ? AND account_id = author_id"},
			{"follows.target_id", `DELETE FROM home_entries WHERE account_id = (SELECT id FROM accounts WHERE nickname = 'fay') AND status_id =
				(SELECT MAX(s.id) FROM statuses s JOIN accounts a ON a.id = s.account_id WHERE a.nickname = 'ann' AND s.reblog_of_id IS NULL
				AND s.visibility NOT IN ('direct', 'list') AND NOT EXISTS (SELECT 1 FROM status_recipients r WHERE r.status_id = s.id))`},
			{"deliveries.host", `INSERT INTO activities (uri, account_id, type, body, priority, audience, distributed_at, created_at) VALUES ('x', 'x', 'x', '', 1, '{}', 0, 0);
				INSERT INTO deliveries (activity_id, inbox, host, priority, next_at, created_at) SELECT id, 'x', 'x.example', 1, 0, 0 FROM activities WHERE uri = 'x'`},
			{"delivery_hosts.waiting", "INSERT INTO delivery_hosts (host, priority, due_at, waiting, holder) VALUES ('y.example', 1, 0, 5, 'another process')"},
			{"stored_files.name", "INSERT INTO stored_files (name, size) VALUES ('ab.png', 1)"},
		} {
			for _, statement := range strings.Split(c.spoil, ";") {
				var args []any
				if strings.Contains(statement, "?") {
					args = append(args, public)
				}
				if err := dbtest.Exec(t, s.DB, statement, args...); err != nil {
					t.Fatal(c.want, err)
				}
			}
			if names, all := check(false); !slices.Equal(slices.Compact(names), []string{c.want}) {
				t.Errorf("%s: %+v", c.want, all)
			}
			if _, all := check(true); slices.ContainsFunc(all, func(f db.Finding) bool { return !f.Repaired }) {
				t.Errorf("%s: %+v", c.want, all)
			}
			if _, all := check(false); len(all) > 0 {
				t.Errorf("%s: after the repair: %+v", c.want, all)
			}
		}
	}, pinsForAll)
}
