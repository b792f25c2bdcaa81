package server_test

import (
	"slices"
	"strings"
	"testing"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/platform/jobs"
	"svc/server/servertest"
)

// TestEveryFaultIsFoundAndRepaired checks a server with rows of all kinds, and
// finds nothing. Then it makes each fault alone, which is found and repaired.
func TestEveryFaultIsFoundAndRepaired(t *testing.T) {
	dbtest.Alone(t)
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		w := newVisibilityWorld(t, s)
		must(s.Client("ned").Statuses.Delete(ctx, w.replies[db.Public].ID))(t)
		must(s.Client("ned").Statuses.Unfavourite(ctx, w.posts[db.Unlisted].ID))(t)
		must(s.Admin("root").Admin.Users.Deactivate(ctx, "flo"))(t)
		for range 3 {
			must(s.Client("ann").Statuses.Post(ctx, api.NewStatus{Status: "more"}))(t)
		}
		chat := must(s.Client("ann").Chats.Open(ctx, s.User("sam").ID))(t)
		must(s.Client("ann").Chats.Send(ctx, chat.ID, api.NewChatMessage{Content: "hello"}))(t)
		s.User("gus")
		must(s.Admin("root").Admin.Users.Delete(ctx, "gus"))(t)
		servertest.Eventually(t, "gus's erasure", func() bool {
			var n int
			err := s.DB.Writer().QueryRowContext(ctx, "SELECT COUNT(*) FROM river_job WHERE kind = 'erase_account' AND finalized_at IS NULL").Scan(&n)
			return err == nil && n == 0
		})
		check := func(repair bool) (names []string, all []db.Finding) {
			t.Helper()
			rules := server.CheckRules(s.Settings.Load())
			rules.Repair = repair
			err := s.DB.Check(ctx, rules, func(f db.Finding) error {
				names, all = append(names, f.Check), append(all, f)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			return names, all
		}
		// That world has pins which nobody can make, to look for them elsewhere.
		must(0, dbtest.Exec(t, s.DB, "UPDATE statuses SET pinned_at = NULL WHERE visibility NOT IN ('public', 'unlisted', 'local')"))(t)
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
			{"polls.voters_count", "UPDATE polls SET voters_count = voters_count + 7 WHERE status_id = ?"},
			{"polls.options", `UPDATE polls SET options = replace(options, '"votes":', '"votes":1') WHERE status_id = ?`},
			{"statuses.content", "DELETE FROM " + indexOf(s.DB) + " WHERE status_id = ?"},
			{"accounts.nickname", "DELETE FROM account_words WHERE word = 'ann'"},
			{"accounts.nickname", "DELETE FROM account_words WHERE account_id = (SELECT id FROM accounts WHERE nickname = 'sam')"},
			{"statuses.mentions", `DELETE FROM status_recipients WHERE mentioned AND status_id = (SELECT MIN(s.id) FROM statuses s JOIN status_recipients r ON r.status_id = s.id WHERE r.mentioned AND s.local AND s.visibility = 'public')`},
			{"follows.target_id", `INSERT INTO blocks (account_id, target_id, uri, created_at) SELECT f.target_id, f.follower_id, '', 0 FROM follows f
				JOIN accounts a ON a.id = f.target_id JOIN accounts b ON b.id = f.follower_id WHERE a.nickname = 'ann' AND b.nickname = 'mel'`},
			{"statuses.pinned_at", "UPDATE statuses SET pinned_at = 1 WHERE id = (SELECT MAX(id) FROM statuses WHERE visibility = 'direct' AND local)"},
			{"statuses.pinned_at", "UPDATE statuses SET pinned_at = 1 WHERE id = (SELECT MAX(id) FROM statuses WHERE visibility = 'private' AND local AND reblog_of_id IS NULL)"},
			{"tombstones.uri", "INSERT INTO tombstones (uri, former_type, account_id, deleted_at) SELECT uri, 'Note', account_id, 1 FROM statuses WHERE id = ?"},
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
			{"chat_messages.id", `INSERT INTO chat_messages (id, uri, account_id, recipient_id, content, created_at) SELECT 'zz', 'zz', id, id, 'x', 0
				FROM accounts WHERE nickname = 'ann'`},
			{"stored_files.name", "INSERT INTO stored_files (name, size) VALUES ('ab.png', 1)"},
			{"statuses.has_media", "UPDATE statuses SET has_media = NOT has_media WHERE id = ?"},
			{"statuses.tags", `UPDATE statuses SET tags = replace(tags, ']', ',"lost"]') WHERE id = ?`},
			{"status_tags.tag", "UPDATE statuses SET tags = '[]' WHERE id = ?"},
			{"chat_messages.has_media", "UPDATE chat_messages SET has_media = NOT has_media WHERE id = (SELECT MIN(id) FROM chat_messages)"},
			{"participations.last_status_id", "UPDATE participations SET last_status_id = '' WHERE id = (SELECT MIN(id) FROM participations WHERE last_status_id <> '')"},
			{"participations.last_status_id", `UPDATE participations SET last_status_id = (SELECT MAX(s.id) FROM statuses s WHERE s.conversation_id <> participations.conversation_id)
				WHERE id = (SELECT MIN(id) FROM participations WHERE last_status_id <> '')`},
			{"accounts.public_key", "UPDATE accounts SET public_key = 'x' WHERE id = (SELECT MIN(id) FROM accounts a WHERE a.local AND NOT EXISTS (SELECT 1 FROM keys k WHERE k.account_id = a.id))"},
			{"deletions.account_id", "INSERT INTO bookmarks (account_id, status_id, created_at) SELECT MIN(account_id), ?, 1 FROM deletions"},
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
			if c.want == "accounts.followers_count" {
				wantWalked(t, s.DB, c.want)
			}
			if names, all := check(false); !slices.Equal(slices.Compact(names), []string{c.want}) {
				t.Errorf("%s after %s: %+v", c.want, c.spoil, all)
			}
			if _, all := check(true); slices.ContainsFunc(all, func(f db.Finding) bool { return !f.Repaired }) {
				t.Errorf("%s: %+v", c.want, all)
			}
			if _, all := check(false); len(all) > 0 {
				t.Errorf("%s: after the repair: %+v", c.want, all)
			}
		}
		for want, spoil := range map[string]string{
			"accounts.id":            "DELETE FROM users WHERE account_id = (SELECT id FROM accounts WHERE nickname = 'fay')",
			"statuses.uri":           "UPDATE statuses SET uri = NULL WHERE id = (SELECT MAX(id) FROM statuses WHERE visibility = 'public' AND local AND reblog_of_id IS NULL)",
			"statuses.emojis":        "UPDATE statuses SET emojis = '[{' WHERE id = (SELECT MIN(id) FROM statuses)",
			"statuses.mentions":      "UPDATE statuses SET mentions = '[\"x\"]' WHERE id = (SELECT MIN(id) FROM statuses)",
			"statuses.tags":          "UPDATE statuses SET tags = '{}' WHERE id = (SELECT MIN(id) FROM statuses)",
			"statuses.reactions":     "UPDATE statuses SET reactions = 'x' WHERE id = (SELECT MIN(id) FROM statuses)",
			"accounts.fields":        "UPDATE accounts SET fields = '[1]' WHERE nickname = 'ann'",
			"polls.options":          "UPDATE polls SET options = '[' WHERE id = (SELECT MIN(id) FROM polls)",
			"accounts.avatar":        "UPDATE accounts SET avatar = '/media/lost.png' WHERE nickname = 'ann'",
			"media_attachments.file": "UPDATE media_attachments SET file = 'lost.png' WHERE id = (SELECT MIN(id) FROM media_attachments)",
		} {
			if err := dbtest.Exec(t, s.DB, spoil); err != nil {
				t.Fatal(want, err)
			}
			if names, all := check(true); !slices.Contains(names, want) || all[slices.Index(names, want)].Repaired {
				t.Errorf("%s: %+v", want, all)
			}
		}
	}, pinsForAll)
}

// indexOf is the table whose rows make statuses findable.
func indexOf(d *db.DB) string {
	if d.Dialect() == db.Postgres {
		return "status_search"
	}
	return "status_docs"
}

// wantWalked checks row by row, each time from where the step before stored, and
// fails unless it makes this finding alone, once.
func wantWalked(t *testing.T, d *db.DB, want string) {
	t.Helper()
	var found []string
	for steps := 0; ; steps++ {
		w, err := d.CheckWalk(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if w.EndedAt > 0 || steps > 5000 {
			if !slices.Equal(found, []string{want}) || w.Result[db.CheckCounters] != 1 {
				t.Errorf("%d steps found %q, and stored %v", steps, found, w)
			}
			return
		}
		if w.BeganAt == 0 {
			d.BeginCheck(w, 1)
		}
		err = d.CheckNext(t.Context(), w, db.CheckOptions{Chunk: 1}, 2, func(f db.Finding) { found = append(found, f.Check) })
		if err != nil {
			t.Fatal(err)
		}
		if ours, err := d.SaveCheckWalk(t.Context(), w); err != nil || !ours {
			t.Fatal(ours, err)
		}
		if steps == 0 {
			if ours, err := d.SaveCheckWalk(t.Context(), &db.CheckWalk{}); err != nil || ours {
				t.Fatal("a process that fell behind stored its place", err)
			}
		}
	}
}

// TestTheDailyCheckReportsWhatItFinds: the job goes on where it stopped, and the
// metrics have the findings once it has ended, each once.
func TestTheDailyCheckReportsWhatItFinds(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		set(t, s, ":prometheus", "Svc.Web.Endpoint.MetricsExporter", client.Keyword(":enabled", true))
		must(s.Client("ann").Statuses.Post(ctx, api.NewStatus{Status: "x"}))(t)
		if err := dbtest.Exec(t, s.DB, "UPDATE accounts SET statuses_count = statuses_count + 7 WHERE nickname = 'ann'"); err != nil {
			t.Fatal(err)
		}
		// Files that are not there, and that no row names.
		if err := dbtest.Exec(t, s.DB, "INSERT INTO stored_files (name, size) VALUES ('aa.txt', 1), ('zz.txt', 1)"); err != nil {
			t.Fatal(err)
		}
		// Half way through, before the counters, with a finding, and behind the first file.
		w := &db.CheckWalk{}
		s.DB.BeginCheck(w, 1)
		w.Found[db.CheckRows] = 3
		w.Files, w.FilesLeft = "row m", 1
		if ours, err := s.DB.SaveCheckWalk(ctx, w); err != nil || !ours {
			t.Fatal(ours, err)
		}
		if _, _, numbers, err := answerOf(t, get(t, s.URL+"/api/svc/app_metrics")); err != nil || strings.Contains(numbers, "svc_check_") {
			t.Errorf("a result before the end: %v\n%s", err, numbers)
		}
		for range 2 { // the second does nothing, or ends the first
			must(0, s.DB.Tx(ctx, func(tx *db.DB) error { return jobs.Enqueue(ctx, tx, jobs.CheckDatabase{}) }))(t)
		}
		servertest.Eventually(t, "the check", func() bool {
			var err error
			w, err = s.DB.CheckWalk(ctx)
			return err == nil && w.Ended()
		})
		counted(t, s, `svc_check_findings{area="counters"} 1`, `svc_check_findings{area="rows"} 3`, `svc_check_findings{area="home"} 0`, `svc_check_findings{area="files"} 3`)
		if w.Files == "row m" || w.FilesLeft > 0 {
			t.Errorf("the files are at %q, with %d to come", w.Files, w.FilesLeft)
		}
	})
}
