package server_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/servertest"
)

// unreadables are the columns that hold more than SQL checks, each with a row
// to break. POST is Ann's public post.
var unreadables = []struct{ table, column, row string }{
	{"statuses", "mentions", "id = 'POST'"},
	{"statuses", "tags", "id = 'POST'"},
	{"statuses", "emojis", "id = 'POST'"},
	{"statuses", "to_uris", "id = 'POST'"},
	{"statuses", "cc_uris", "id = 'POST'"},
	{"statuses", "reactions", "id = 'POST'"},
	{"polls", "options", "status_id = 'POST'"},
	{"accounts", "fields", "nickname = 'flo'"},
	{"accounts", "emojis", "nickname = 'flo'"},
	{"accounts", "tags", "nickname = 'flo'"},
	{"accounts", "also_known_as", "nickname = 'flo'"},
	{"users", "settings_store", "account_id = (SELECT id FROM accounts WHERE nickname = 'flo')"},
	{"users", "backup_codes", "account_id = (SELECT id FROM accounts WHERE nickname = 'flo')"},
	{"scheduled_statuses", "params", "id = (SELECT MIN(id) FROM scheduled_statuses)"},
	{"chat_messages", "emojis", "id = (SELECT MIN(id) FROM chat_messages)"},
	{"moderation_log", "data", "id = (SELECT MIN(id) FROM moderation_log)"},
}

// TestARowThatCannotBeReadIsLeftOut breaks one row after another and asks for
// everything: nothing fails, the other rows are shown, and the log names the
// broken one once.
func TestARowThatCannotBeReadIsLeftOut(t *testing.T) {
	dbtest.Alone(t)
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		w := newVisibilityWorld(t, s)
		ctx := t.Context()
		flo, ann := s.Client("flo"), s.Client("ann")
		follow(t, flo, w.ids["ann"])
		follow(t, ann, w.ids["flo"])
		say(t, flo, "@ann @ned of flo #needle")
		must(flo.Statuses.Favourite(ctx, w.posts[db.Public].ID))(t)
		must(flo.Statuses.React(ctx, w.posts[db.Public].ID, "☕"))(t)
		must(flo.Statuses.Reblog(ctx, w.posts[db.Public].ID, api.NewReblog{}))(t)
		chat := must(ann.Chats.Open(ctx, w.ids["flo"]))(t)
		for _, text := range []string{"rotten", "sound"} {
			must(ann.Statuses.Schedule(ctx, api.NewStatus{Status: text, ScheduledAt: time.Now().Add(time.Hour).UTC().Format(time.RFC3339)}))(t)
			must(ann.Chats.Send(ctx, chat.ID, api.NewChatMessage{Content: text}))(t)
		}
		report := must(flo.Reports.Create(ctx, api.NewReport{AccountID: w.ids["ann"], StatusIDs: []string{w.posts[db.Public].ID, w.posts[db.Unlisted].ID}}))(t)
		must(s.Admin("root").Admin.Users.Deactivate(ctx, "bob"))(t)

		paths := map[string][]string{} // by viewer; who is turned away reads no row
		other := regexp.MustCompile("streaming|/healthcheck$")
		for _, r := range s.Routes() {
			if r.Method != http.MethodGet || r.Access == server.OAuth || other.MatchString(r.Path) {
				continue
			}
			asking := only("", "ned", "ann", "root")
			switch r.Access {
			case server.User:
				asking = asking[1:]
			case server.Admin:
				asking = only("root")
			case server.Public, server.Page, server.Federation:
				asking = only("") // all get the same
			}
			for _, viewer := range asking {
				paths[viewer] = append(paths[viewer], w.fill(r.Path, report.ID, chat.ID)...)
			}
		}
		tokens := map[string]string{
			"": "", "ned": s.Token("ned", servertest.AllScopes), "ann": s.Token("ann", servertest.AllScopes), "root": s.Token("root", servertest.AllScopes+" "+servertest.AdminScopes),
		}
		for _, u := range unreadables {
			row := strings.ReplaceAll(u.row, "POST", w.posts[db.Public].ID)
			var sound string
			if err := s.DB.Writer().QueryRowContext(ctx, "SELECT "+u.column+" FROM "+u.table+" WHERE "+row).Scan(&sound); err != nil {
				t.Errorf("%s.%s: %v", u.table, u.column, err)
				continue
			}
			w.rot(t, u.table, u.column, row, "[7]")
			for viewer, token := range tokens {
				for _, path := range paths[viewer] {
					req := httptest.NewRequestWithContext(ctx, http.MethodGet, path, http.NoBody)
					if token != "" {
						req.Header.Set("Authorization", "Bearer "+token)
					}
					got := httptest.NewRecorder()
					s.Handler().ServeHTTP(got, req)
					if got.Code >= 500 {
						t.Errorf("%s.%s broken: %s for %s: %d %.100s", u.table, u.column, path, relations[viewer], got.Code, got.Body)
					}
				}
			}
			for _, p := range shownAt {
				if p.shows == nil || !slices.Contains(p.shows("ned"), db.Unlisted) {
					continue
				}
				if status, body := w.ask("ned", http.MethodGet, p.path, ""); status != http.StatusOK || !slices.Contains(found(body), db.Unlisted) {
					t.Errorf("%s.%s broken: %s misses the other posts: %d %.100s", u.table, u.column, p.name, status, body)
				}
			}
			w.rot(t, u.table, u.column, row, sound)
		}
		left := s.Log.Lines("a row is left out")
		if len(left) == 0 {
			t.Error("the log names no row that is left out")
		}
		for i, line := range left {
			if strings.Contains(line, w.posts[db.Unlisted].ID) {
				t.Errorf("a sound row is left out: %s", line)
			}
			_, line, _ = strings.Cut(line, "what=")
			for _, other := range left[:i] {
				if _, other, _ = strings.Cut(other, "what="); line == other {
					t.Errorf("twice in the log: %s", line)
				}
			}
		}
	}, pinsForAll)
}

// rot writes a column past all that checks it, and has the row read anew where
// it is remembered by version.
func (w *visibilityWorld) rot(t *testing.T, table, column, row, value string) {
	t.Helper()
	also := ""
	if table == "statuses" || table == "accounts" {
		also = ", version = version + 1"
	}
	if err := dbtest.Exec(t, w.s.DB, "UPDATE "+table+" SET "+column+" = ?"+also+" WHERE "+row, value); err != nil {
		t.Fatal(err)
	}
	if table == "users" {
		if err := dbtest.Exec(t, w.s.DB, "UPDATE accounts SET version = version + 1 WHERE nickname = 'flo'"); err != nil {
			t.Fatal(err)
		}
	}
}

// fill returns the addresses of a route for the existing objects.
func (w *visibilityWorld) fill(path, report, chat string) []string {
	if !strings.ContainsAny(path, ":*") {
		return []string{path, path + "?q=needle&limit=40&resolve=true&ids[]=" + w.posts[db.Public].ID}
	}
	var out []string
	for _, post := range []string{db.Public, db.Unlisted} {
		for _, who := range []string{"ann", "flo"} {
			_, object, _ := strings.Cut(*w.posts[post].URI, "/objects/")
			id := w.posts[post].ID
			switch {
			case strings.Contains(path, "accounts/:id"):
				id = w.ids[who]
			case strings.Contains(path, "reports/"):
				id = report
			case strings.Contains(path, "chats/"):
				id = chat
			case strings.Contains(path, "lists/"):
				id = w.lists["ann"]
			case strings.Contains(path, "polls/"):
				id = w.polls[post]
			case strings.Contains(path, "scheduled"), strings.Contains(path, "notifications/"), strings.Contains(path, "conversations/"):
				id = "1"
			}
			out = append(out, strings.NewReplacer(":nickname_or_id", who, ":nickname", who, ":tag", "needle", ":uuid", object, ":id", id,
				":emoji", "☕", ":instance", "svc.test", ":permission_group", "admin").Replace(path))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestABrokenRowHoldsUpNoSweep has the first of those that are due broken, in
// its own way each.
func TestABrokenRowHoldsUpNoSweep(t *testing.T) {
	for _, broken := range []string{"scheduled_statuses SET params", "statuses SET emojis"} {
		t.Run(broken, func(t *testing.T) {
			servertest.Each(t, func(t *testing.T, s *servertest.Server) {
				ctx, ann := t.Context(), s.Client("ann")
				for _, text := range []string{"first", "second"} {
					must(ann.Statuses.Schedule(ctx, api.NewStatus{Status: "due " + text, ScheduledAt: time.Now().Add(time.Hour).UTC().Format(time.RFC3339)}))(t)
					say(t, ann, "brief "+text, func(f *api.NewStatus) { f.ExpiresIn = given(api.Int(7200)) })
				}
				past := time.Now().Add(-time.Minute).UnixMicro()
				for _, query := range []string{
					"UPDATE scheduled_statuses SET scheduled_at = CAST(? AS BIGINT) + id", "UPDATE statuses SET expires_at = ? WHERE content LIKE '%first%'",
					"UPDATE statuses SET expires_at = CAST(? AS BIGINT) + 1 WHERE content LIKE '%second%'",
				} {
					if err := dbtest.Exec(t, s.DB, query, past); err != nil {
						t.Fatal(err)
					}
				}
				table, _, _ := strings.Cut(broken, " ")
				if err := dbtest.Exec(t, s.DB, "UPDATE "+broken+" = '[7]' WHERE id = (SELECT MIN(id) FROM "+table+")"); err != nil {
					t.Fatal(err)
				}
				if err := s.Social.Due(ctx); err != nil {
					t.Errorf("the sweep ends with %v", err)
				}
				shown := must(ann.Accounts.Statuses(s.User("ann").ID, api.AccountStatusQuery{}).Page(ctx))(t).Items
				var texts []string
				for i := range shown {
					texts = append(texts, shown[i].Svc.Content.Plain)
				}
				slices.Sort(texts)
				want := []string{"due first", "due second"}
				if table == "scheduled_statuses" {
					want = want[1:]
				}
				if !slices.Equal(texts, want) {
					t.Errorf("%q, want %q", texts, want)
				}
			})
		})
	}
}
