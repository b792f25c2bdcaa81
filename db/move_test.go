package db_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/db/dbtest"
)

// both returns a migrated SQLite database, and the addresses of an empty PostgreSQL one and
// of a SQLite file that is not there.
func both(t *testing.T) (from *db.DB, postgres, file string) {
	t.Helper()
	postgres = dbtest.Postgres(t)
	if postgres == "" {
		t.Skip("SVC_TEST_POSTGRES is not set")
	}
	return dbtest.New(t), postgres, "sqlite:" + filepath.Join(t.TempDir(), "back.db")
}

// opened opens a database without migrating it.
func opened(t *testing.T, dsn string) *db.DB {
	t.Helper()
	d, err := db.Open(t.Context(), dsn, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func textOf(s *db.Status) string { return s.Content }

// move moves from one database to another.
func move(t *testing.T, from, to *db.DB) *db.Move {
	t.Helper()
	m, err := db.PrepareMove(t.Context(), from, to, db.MoveOptions{Text: textOf})
	if err == nil {
		err = m.Run(t.Context())
	}
	if err == nil {
		err = m.Finish(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// hostile are texts that both databases can store.
var hostile = []string{"", " ", "\\N", "\\", "a\\tb", "tab\there", "line\nfeed\r\n", "'quo\"te'", "{\"a\":1}", "[]", "NULL", "\\.", "\u202e\u0000"[:3], "𝒳 ümlaut 日本語", "\x01\x1f\x7f", "\ufffd", "a,b{c}", "%s ?1 $1 :x"}

// randomValue returns a literal of SQLite for a column, unlike those of other rows where it
// is in a key.
func randomValue(r *rand.Rand, c db.PlannedColumn, n int) any {
	text := hostile[r.IntN(len(hostile))]
	switch c.Kind {
	case "text":
		return fmt.Sprintf("%s%d", text, n)
	case "int":
		if c.Key || r.IntN(3) > 0 {
			return n + 1
		}
		return []int64{0, -1, 1 << 62, -1 << 63, 1<<53 + 1}[r.IntN(5)]
	case "bool":
		return n % 2
	case "real":
		return []float64{0, -0.5, 0.1, 1e300, 3}[r.IntN(5)]
	case "bytes":
		return []byte(fmt.Sprintf("\x00\xff\\%s%d", text, n))
	}
	return nil
}

// fillTables adds rows to every table of a SQLite database: whatever its rules would refuse is
// left out.
func fillTables(t *testing.T, d *db.DB, columns []db.PlannedColumn, rows int, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	byTable := map[string][]db.PlannedColumn{}
	var tables []string
	for _, c := range columns {
		if byTable[c.Table] == nil {
			tables = append(tables, c.Table)
		}
		byTable[c.Table] = append(byTable[c.Table], c)
	}
	var refused []string
	for _, table := range tables {
		if strings.HasPrefix(table, "river_") {
			continue
		}
		var last error
		added := 0
		for n := range rows {
			var names []string
			var args []any
			for _, c := range byTable[table] {
				v := randomValue(r, c, n)
				switch table + "." + c.Name { // these are read by triggers, as JSON
				case "accounts.tags", "statuses.tags":
					v = `["tag` + fmt.Sprint(n) + `"]`
				}
				names, args = append(names, `"`+c.Name+`"`), append(args, v)
			}
			query := "INSERT OR REPLACE INTO " + table + " (" + strings.Join(names, ", ") + ") VALUES (" + strings.TrimSuffix(strings.Repeat("?, ", len(names)), ", ") + ")"
			if err := dbtest.Exec(t, d, query, args...); err != nil {
				last = err
			} else {
				added++
			}
		}
		if added == 0 {
			refused = append(refused, fmt.Sprintf("%s: %v", table, last))
		}
	}
	if len(refused) > 0 {
		t.Errorf("no row of: %s", strings.Join(refused, "\n"))
	}
	fillJobs(t, d, rows)
}

// fillJobs adds rows of the job queue in all states, as the queue and its driver write them.
func fillJobs(t *testing.T, d *db.DB, rows int) {
	t.Helper()
	exec := func(query string, args ...any) {
		if err := dbtest.Exec(t, d, query, args...); err != nil {
			t.Errorf("%s: %v", query, err)
		}
	}
	for n := range rows {
		state := []string{"available", "cancelled", "completed", "discarded", "pending", "retryable", "running", "scheduled"}[n%8]
		var finalized any
		if n%8 >= 1 && n%8 <= 3 {
			finalized = "2026-03-04 05:06:07.123456789 +0000 UTC m=+12.971342927"
		}
		exec(`INSERT INTO river_job (args, attempt, attempted_at, attempted_by, created_at, errors, finalized_at, kind, max_attempts, metadata, priority, queue, state, scheduled_at, tags, unique_key, unique_states)
			VALUES (?, 1, '2026-01-02 03:04:05.12', ?, CURRENT_TIMESTAMP, ?, ?, 'kind', 5, '{"b":1e2,"a":[1.50,-0.1,null,true]}', 1 + `+fmt.Sprint(n%4)+`, 'default', ?, '2030-01-02 03:04:05', ?, ?, ?)`,
			[]byte(`{"z":"\\ \"<&>","text":"日本 \ud83d\ude00"}`), `["a/1","b\"\\,{}/2"]`, `[{"at":"x","error":"\\N, {\"q\"}"},{"n":12345678901234567890}]`, finalized, state, `["t 1","t\\2"]`, []byte{byte(n), 0, 0xff}, 0b11110001)
	}
	exec(`INSERT INTO river_queue (name, metadata, updated_at) VALUES ('q', '{}', '2026-01-02 03:04:05.999')`)
	exec(`INSERT INTO river_leader (elected_at, expires_at, leader_id) VALUES ('2026-01-02 03:04:05', '2026-01-02 03:04:10', 'me')`)
	if numberOf(t, d, "SELECT COUNT(*) FROM sqlite_master WHERE name = 'river_client'") == 0 {
		return // of an earlier release of the queue
	}
	exec(`INSERT INTO river_client (id, metadata, updated_at) VALUES ('c', '{}', '2026-01-02 03:04:05.5')`)
	exec(`INSERT INTO river_client_queue (river_client_id, name, updated_at) VALUES ('c', 'q', '2026-01-02 03:04:05.5')`)
}

// TestAMoveKeepsRowsOfEveryTable moves random rows of every table to PostgreSQL and back,
// more of one of them than a transaction copies.
func TestAMoveKeepsRowsOfEveryTable(t *testing.T) {
	t.Parallel()
	from, address, file := both(t)
	there, back := opened(t, address), opened(t, file)
	columns, err := db.PlannedMove(t.Context(), from, there)
	if err != nil {
		t.Fatal(err)
	}
	fillTables(t, from, columns, 40, 1)
	if err := dbtest.Exec(t, from, `INSERT INTO home_entries WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4500)
		SELECT 'a' || (i % 3), 's' || i, 'b', i FROM n`); err != nil {
		t.Fatal(err)
	}
	if err := dbtest.Exec(t, from, "DELETE FROM conversations WHERE id = (SELECT MAX(id) FROM conversations)"); err != nil {
		t.Fatal(err)
	}
	want := movedRowsOf(t, from, from, there)
	if m := move(t, from, there); m.Rows() < 4000 {
		t.Errorf("%d rows", m.Rows())
	}
	if diff := cmp.Diff(want, movedRowsOf(t, there, from, there)); diff != "" {
		t.Errorf("in PostgreSQL:\n%.3000s", diff)
	}
	// A deleted row's number is not given again, and triggers work.
	for _, d := range []*db.DB{there, back} {
		if d == back {
			move(t, there, back)
		}
		if err := dbtest.Exec(t, d, "INSERT INTO conversations (uri) VALUES ('next')"); err != nil {
			t.Fatal(err)
		}
		if n := numberOf(t, d, "SELECT id FROM conversations WHERE uri = 'next'"); n != 41 {
			t.Errorf("%s: the next conversation has the number %d", d.Dialect(), n)
		}
		if err := dbtest.Exec(t, d, "DELETE FROM conversations WHERE uri = 'next'"); err != nil {
			t.Fatal(err)
		}
		for _, query := range []string{"DELETE FROM loose_files", "DELETE FROM media_attachments WHERE id = (SELECT MAX(id) FROM media_attachments)"} {
			if err := dbtest.Exec(t, d, query); err != nil {
				t.Fatal(err)
			}
		}
		if n := numberOf(t, d, "SELECT COUNT(*) FROM loose_files"); n != 1 {
			t.Errorf("%s: %d files are loose after a deletion", d.Dialect(), n)
		}
		if d == there {
			setSequence(t, d)
		}
	}
}

// setSequence has the next conversation get 41 again.
func setSequence(t *testing.T, d *db.DB) {
	t.Helper()
	if err := dbtest.Exec(t, d, "SELECT setval(pg_get_serial_sequence('conversations', 'id'), 40)"); err != nil {
		t.Fatal(err)
	}
}

func movedRowsOf(t *testing.T, d, sqlite, postgres *db.DB) map[string][]string {
	t.Helper()
	rows, err := d.MovedRows(t.Context(), sqlite, postgres)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func numberOf(t *testing.T, d *db.DB, query string) (n int64) {
	t.Helper()
	if err := d.Writer().QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// TestAnInterruptedMoveGoesOn interrupts a move again and again.
func TestAnInterruptedMoveGoesOn(t *testing.T) {
	t.Parallel()
	from, address, file := both(t)
	there := opened(t, address)
	columns, err := db.PlannedMove(t.Context(), from, there)
	if err != nil {
		t.Fatal(err)
	}
	fillTables(t, from, columns, 10, 2)
	want := movedRowsOf(t, from, from, there)
	r := rand.New(rand.NewPCG(3, 3))
	for _, way := range [][2]string{{from.DSN(), address}, {address, file}} {
		interrupted := 0
		for {
			source, target := opened(t, way[0]), opened(t, way[1])
			ctx, stop := context.WithCancel(t.Context())
			left := 1 + r.IntN(120)
			m, err := db.PrepareMove(ctx, source, target, db.MoveOptions{Text: textOf, Progress: func(db.MoveProgress) {
				if left--; left == 0 && interrupted < 5 {
					stop()
				}
			}})
			if err == nil {
				err = m.Run(ctx)
			}
			if err == nil {
				err = m.Finish(t.Context())
			}
			stop()
			if err == nil {
				_ = source.Close()
				_ = target.Close()
				break
			}
			if interrupted++; interrupted > 200 || !errors.Is(err, context.Canceled) {
				t.Fatal(interrupted, err)
			}
			if err := target.Migrate(t.Context()); !errors.Is(err, db.ErrMoving) {
				t.Errorf("a target that is not complete: %v", err)
			}
			if err := source.Migrate(t.Context()); !errors.Is(err, db.ErrMoved) {
				t.Errorf("a source under way: %v", err)
			}
			_ = source.Close()
			_ = target.Close()
		}
		if interrupted == 0 {
			t.Error("it was never interrupted")
		}
	}
	back := opened(t, file)
	if diff := cmp.Diff(want, movedRowsOf(t, back, from, there)); diff != "" {
		t.Errorf("%.3000s", diff)
	}
	if err := back.Migrate(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestAMoveReplacesWhatPostgreSQLCannotStore moves zero bytes and invalid UTF-8.
func TestAMoveReplacesWhatPostgreSQLCannotStore(t *testing.T) {
	t.Parallel()
	from, address, _ := both(t)
	if err := dbtest.Exec(t, from, "INSERT INTO conversations (uri) VALUES (CAST(x'61006280' AS TEXT)), ('right')"); err != nil {
		t.Fatal(err)
	}
	if err := dbtest.Exec(t, from, `INSERT INTO river_job (args, kind, max_attempts, errors) VALUES ('{"a":"x\u0000y"}', 'k', 1, '[{"error":"\u0000"}]')`); err != nil {
		t.Fatal(err)
	}
	there := opened(t, address)
	m := move(t, from, there)
	replaced := map[string]map[string]int64{}
	for _, table := range m.Tables() {
		if len(table.Replaced) > 0 {
			replaced[table.Name] = table.Replaced
		}
	}
	if diff := cmp.Diff(map[string]map[string]int64{"conversations": {"uri": 1}, "river_job": {"args": 1, "errors": 1}}, replaced); diff != "" {
		t.Error(diff)
	}
	if n := numberOf(t, there, "SELECT COUNT(*) FROM conversations WHERE uri = 'a\ufffdb\ufffd' OR uri = 'right'"); n != 2 {
		t.Errorf("%d of the texts are there", n)
	}
}

// TestEventsKeepTheirNumbers moves events that have no number yet.
func TestEventsKeepTheirNumbers(t *testing.T) {
	t.Parallel()
	_, address, file := both(t)
	from := dbtest.Open(t, address)
	for i := range 5 {
		if err := from.Emit(t.Context(), db.Event{Kind: db.EventRoom, Subject: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	epoch, err := from.EventHead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	back := opened(t, file)
	move(t, from, back)
	head, err := back.EventHead(t.Context())
	if err != nil || head.Seq != 5 || head.Epoch != epoch.Epoch {
		t.Errorf("%+v, %v; the epoch was %s", head, err, epoch.Epoch)
	}
	events, err := back.EventsAfter(t.Context(), 2, 10)
	if err != nil || len(events) != 3 || events[0].Subject != "2" {
		t.Errorf("%+v, %v", events, err)
	}
}

// TestMovesThatAreRefused change nothing.
func TestMovesThatAreRefused(t *testing.T) {
	t.Parallel()
	from, address, file := both(t)
	there := opened(t, address)
	refused := func(from, to *db.DB, want string) {
		t.Helper()
		if _, err := db.PrepareMove(t.Context(), from, to, db.MoveOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	back := opened(t, file)
	refused(from, back, "both are sqlite databases")
	refused(back, there, "there is nothing to move")
	if err := dbtest.Exec(t, there, "INSERT INTO rules (text, hint, created_at) VALUES ('x', '', 1)"); err != nil {
		t.Fatal(err)
	}
	refused(from, there, `its table "rules" has rows`)
	if err := dbtest.Exec(t, there, "DELETE FROM rules"); err != nil {
		t.Fatal(err)
	}
	if err := dbtest.Exec(t, there, "CREATE TABLE foreign_matter (x int)"); err != nil {
		t.Fatal(err)
	}
	refused(from, there, `it has a table "foreign_matter"`)
	if err := dbtest.Exec(t, there, "DROP TABLE foreign_matter"); err != nil {
		t.Fatal(err)
	}
	if err := dbtest.Exec(t, there, "INSERT INTO schema_migrations (version, name, applied_at) VALUES (9999, 'x', 1)"); err != nil {
		t.Fatal(err)
	}
	refused(from, there, "newer than this program")
	if err := dbtest.Exec(t, there, "DELETE FROM schema_migrations WHERE version = 9999"); err != nil {
		t.Fatal(err)
	}
	if _, err := there.ProcessSeen(t.Context(), "p", 1); err != nil {
		t.Fatal(err)
	}
	refused(there, back, "process p was heard")
	if err := there.ProcessGone(t.Context(), "p"); err != nil {
		t.Fatal(err)
	}
	if err := from.UndoMove(t.Context()); err == nil {
		t.Error("nothing was undone")
	}

	// A source that was taken into use again cannot go on into the same target.
	ctx, stop := context.WithCancel(t.Context())
	m, err := db.PrepareMove(ctx, from, there, db.MoveOptions{Text: textOf, Progress: func(db.MoveProgress) { stop() }})
	if err == nil {
		err = m.Run(ctx)
	}
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := there.UndoMove(t.Context()); !errors.Is(err, db.ErrMoving) {
		t.Error(err)
	}
	for _, d := range []*db.DB{from, there} {
		into := db.Restoring{DSN: d.DSN(), Run: "x"}
		if _, err := into.Begun(t.Context()); d == from && !errors.Is(err, db.ErrServed) && !errors.Is(err, db.ErrMoved) || d == there && !errors.Is(err, db.ErrMoving) {
			t.Errorf("restore into a part of a move on %s: %v", d.Dialect(), err)
		}
	}
	if err := from.UndoMove(t.Context()); err != nil {
		t.Error(err)
	}
	if err := from.Migrate(t.Context()); err != nil {
		t.Error(err)
	}
	refused(from, there, "a part of another move")
}

// TestAMoveKnowsEveryColumn adds to the schemas what a move cannot know.
func TestAMoveKnowsEveryColumn(t *testing.T) {
	t.Parallel()
	from, address, _ := both(t)
	there := opened(t, address)
	columns, err := db.PlannedMove(t.Context(), from, there)
	if err != nil || len(columns) < 500 {
		t.Fatal(len(columns), err)
	}
	at := func(column string) int {
		return slices.IndexFunc(columns, func(c db.PlannedColumn) bool { return c.Table+"."+c.Name == column })
	}
	if at("push_subscriptions.id") < at("tokens.id") || at("pushes_sent.created_at") < at("push_subscriptions.id") {
		t.Error("a table comes before the one that its rows refer to")
	}
	for _, c := range []struct {
		on               *db.DB
		do, undo, refuse string
	}{
		{from, "CREATE TABLE novelties (id TEXT PRIMARY KEY)", "DROP TABLE novelties", "table novelties is in one of the databases only"},
		{there, "CREATE TABLE novelties (id TEXT PRIMARY KEY)", "DROP TABLE novelties", "table novelties is in one of the databases only"},
		{from, "ALTER TABLE rules ADD COLUMN shade TEXT", "ALTER TABLE rules DROP COLUMN shade", "column rules.shade is in SQLite only"},
		{there, "ALTER TABLE rules ADD COLUMN shade TEXT", "ALTER TABLE rules DROP COLUMN shade", "column rules.shade is in PostgreSQL only"},
		{there, "ALTER TABLE rules ALTER COLUMN hint TYPE uuid USING NULL", "ALTER TABLE rules ALTER COLUMN hint TYPE text", "column rules.hint is text in SQLite and uuid in PostgreSQL"},
	} {
		if err := dbtest.Exec(t, c.on, c.do); err != nil {
			t.Fatal(err)
		}
		if _, err := db.PlannedMove(t.Context(), from, there); err == nil || !strings.Contains(err.Error(), c.refuse) {
			t.Errorf("%s: %v", c.do, err)
		}
		if err := dbtest.Exec(t, c.on, c.undo); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAddressesAreShownWithoutPasswords names databases for people.
func TestAddressesAreShownWithoutPasswords(t *testing.T) {
	for in, want := range map[string]string{
		"sqlite:/a/b.db":                                          "sqlite:/a/b.db",
		"postgres://svc@h/svc":                                    "postgres://svc@h/svc",
		"postgres://svc:s3cret@h:1/svc":                           "postgres://svc@h:1/svc",
		"postgres://svc:p%40ss@h/svc?sslmode=on":                  "postgres://svc@h/svc?sslmode=on",
		"postgres://h/svc?user=u&password=x":                      "postgres://h/svc?user=u",
		"postgres://a:b@c:d@h/%zz":                                "postgres://a@h/%zz",
		"postgres://a:b@h1:1,h2:2/svc?password=x&sslmode=disable": "postgres://a@h1:1,h2:2/svc?sslmode=disable",
	} {
		if got := db.WithoutPassword(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}
