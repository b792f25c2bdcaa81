package demo

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/config"
)

// build carries out a plan on an empty database.
func build(t testing.TB, dsn string, o Options) (*db.DB, Place) {
	t.Helper()
	d := dbtest.Open(t, dsn)
	o.End = end
	p, err := NewPlan(o)
	if err != nil {
		t.Fatal(err)
	}
	at := Place{Database: dsn, BaseURL: "https://demo.example", DataDir: t.TempDir(), Settings: config.DefaultSettings(), Password: "open sesame"}
	if err := Build(t.Context(), p, at); err != nil {
		t.Fatal(err)
	}
	return d, at
}

var small = Options{Seed: 1, Accounts: 60, Statuses: 600, Reports: 48}

// told are the tables that a plan fills, with the columns to compare if some
// have secrets.
var told = map[string]string{
	"accounts": "", "instances": "", "conversations": "", "statuses": "", "status_recipients": "", "status_tags": "",
	"media_attachments": "", "tombstones": "", "home_entries": "", "favourites": "", "follows": "", "blocks": "", "mutes": "",
	"notifications": "", "reports": "", "report_statuses": "", "report_notes": "", "moderation_log": "",
	"users": "account_id, email, email_key, registration_reason, created_at",
}

// dump is all rows of the tables of told, as text, in the order of text.
func dump(t *testing.T, d *db.DB) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for table, columns := range told {
		if columns == "" {
			columns = "*"
		}
		rows, err := d.Writer().QueryContext(t.Context(), "SELECT "+columns+" FROM "+table)
		if err != nil {
			t.Fatal(err)
		}
		out[table] = lines(t, rows)
	}
	return out
}

func lines(t *testing.T, rows *sql.Rows) []string {
	t.Helper()
	defer func() { _ = rows.Close() }()
	names, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for rows.Next() {
		values, into := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for i, v := range values {
			if raw, ok := v.([]byte); ok {
				v = string(raw)
			}
			fmt.Fprintf(&b, "%s=%v ", names[i], v)
		}
		out = append(out, b.String())
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

func TestOneSeedGivesOneDatabase(t *testing.T) {
	dbtest.Alone(t)
	dbtest.EachDSN(t, func(t *testing.T, dsn string) {
		first, _ := build(t, dsn, small)
		again := "sqlite:" + filepath.Join(t.TempDir(), "again.db")
		if first.Dialect() == db.Postgres {
			again = dbtest.Postgres(t)
		}
		second, _ := build(t, again, small)
		want, got := dump(t, first), dump(t, second)
		for table := range told {
			if diff := cmp.Diff(want[table], got[table]); diff != "" {
				t.Errorf("%s: %s", table, diff)
			}
			if len(want[table]) == 0 {
				t.Errorf("%s is empty", table)
			}
		}
	})
}

func TestEveryBuilderOfEverySeedHasItsOwnIDs(t *testing.T) {
	seen := map[uint64]bool{}
	for seed := range uint64(100) {
		for builder := range uint64(1 + circles) {
			w := worker(seed, builder)
			if seen[w] || w == 0 || w>>48 != 0 {
				t.Errorf("worker %x of seed %d", w, seed)
			}
			seen[w] = true
		}
	}
}

// TestCirclesBuildOnlyWhatIsTheirOwn: the steps of one circle must wait neither
// for the other circle nor for the rest.
func TestCirclesBuildOnlyWhatIsTheirOwn(t *testing.T) {
	p := plan(t, Options{Seed: 2, Accounts: 60, Statuses: 3000, Reports: 300})
	c := &crew{authors: make([]int32, 3000)}
	var all []Step
	for s := range p.Steps() {
		all = append(all, s)
	}
	done := map[int]bool{} // statuses, by number
	joined := map[int]bool{}
	counts := [circles + 1]int{}
	for window := range slices.Chunk(all, 700) {
		parts, rest := c.divide(window)
		if n := len(parts[0]) + len(parts[1]) + len(rest); n != len(window) {
			t.Fatalf("%d steps of %d", n, len(window))
		}
		made := [circles]map[int]bool{{}, {}}
		for i, part := range parts {
			counts[i] += len(part)
			there := func(seq int) bool {
				return (done[seq] || made[i][seq]) && circle(int(c.authors[seq])) == i
			}
			for _, s := range part {
				switch a := s.Do.(type) {
				case *Post:
					if circle(a.Author) != i || !joined[a.Author] || a.ReplyTo != nil && !there(a.ReplyTo.Seq) {
						t.Fatalf("circle %d posts %+v", i, a)
					}
					made[i][a.Seq] = true
				case Reblog:
					// A reblog holds its account.
					if !there(a.Seq) || circle(a.By) != i {
						t.Fatalf("circle %d: %+v", i, a)
					}
				case Favourite:
					if !there(a.Seq) {
						t.Fatalf("circle %d: %+v", i, a)
					}
				default:
					t.Fatalf("circle %d: %T", i, a)
				}
			}
		}
		for _, m := range made {
			for seq := range m {
				done[seq] = true
			}
		}
		counts[circles] += len(rest)
		for _, s := range rest {
			switch a := s.Do.(type) {
			case Join:
				joined[a.Who] = true
			case *Post:
				done[a.Seq] = true
			}
		}
	}
	if counts[0] < len(all)/4 || counts[1] < len(all)/4 {
		t.Errorf("of %d steps the circles and the rest build %v", len(all), counts)
	}
}

func TestACrewBuildsTheSameWorldAsOneAlone(t *testing.T) {
	dsn := dbtest.Postgres(t)
	if dsn == "" {
		return // SQLite has one writer
	}
	p := plan(t, Options{Seed: 3, Accounts: 60, Statuses: 1500, Reports: 150})
	var worlds [2]map[string][]string
	for i, dsn := range []string{dsn, dbtest.Postgres(t)} {
		d := dbtest.Open(t, dsn)
		at := Place{Database: dsn, BaseURL: "https://demo.example", DataDir: t.TempDir(), Settings: config.DefaultSettings(), Password: "long enough", Progress: func(int, int) {}}
		c, err := hire(t.Context(), p, at, i == 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(c.build(t.Context(), at.Progress), c.leave()); err != nil {
			t.Fatal(err)
		}
		worlds[i] = map[string][]string{}
		for name, query := range map[string]string{
			"accounts": "SELECT nickname, followers_count, following_count, statuses_count, last_status_at, deactivated, created_at FROM accounts",
			"statuses": `SELECT a.nickname, s.created_at, s.content, s.visibility, s.replies_count, s.favourites_count, s.reblogs_count
				FROM statuses s JOIN accounts a ON a.id = s.account_id`,
			"home": `SELECT a.nickname, s.created_at, h.why FROM home_entries h JOIN accounts a ON a.id = h.account_id
				LEFT JOIN statuses s ON s.id = h.status_id`,
			"notifications": `SELECT a.nickname, n.type, f.nickname, n.created_at FROM notifications n
				JOIN accounts a ON a.id = n.account_id JOIN accounts f ON f.id = n.from_id`,
			"reports": "SELECT a.nickname, r.state, r.content, r.created_at FROM reports r JOIN accounts a ON a.id = r.account_id",
			"log":     "SELECT action, created_at FROM moderation_log",
		} {
			rows, err := d.Writer().QueryContext(t.Context(), query)
			if err != nil {
				t.Fatal(err)
			}
			worlds[i][name] = lines(t, rows)
		}
	}
	for name, want := range worlds[0] {
		if diff := cmp.Diff(want, worlds[1][name]); diff != "" || len(want) == 0 {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// count is how many rows a query gives per first column.
func count(t *testing.T, d *db.DB, query string) map[string]int {
	t.Helper()
	rows, err := d.Writer().QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	out := map[string]int{}
	for rows.Next() {
		var (
			key string
			n   int
		)
		if err := rows.Scan(&key, &n); err != nil {
			t.Fatal(err)
		}
		out[key] = n
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAWorldHoldsWhatItsPlanSays(t *testing.T) {
	dbtest.Alone(t)
	o := small
	o.End = end
	p, err := NewPlan(o)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{}
	note := func(key string) { want[key]++ }
	for s := range p.Steps() {
		switch a := s.Do.(type) {
		case Join:
			note(fmt.Sprintf("account of domain %q", p.People[a.Who].Domain))
		case *Post:
			note("status " + a.Visibility)
			want["attachment"] += len(a.Pictures)
		case Delete:
			want["status "+a.Post.Visibility]--
			want["attachment"] -= len(a.Post.Pictures)
			note("tombstone")
		case *Report:
			note("report open")
			want["copied status"] += len(a.Posts)
		case *Handling:
			for range a.Reports { // its copies stay for a while
				want["report open"]--
				note("report " + a.State)
			}
		case Note:
			note("note")
		case Deactivate:
			note("deactivated")
		}
	}
	dbtest.EachDSN(t, func(t *testing.T, dsn string) {
		d, _ := build(t, dsn, small)
		got := map[string]int{}
		for prefix, query := range map[string]string{
			"account of domain ": `SELECT '"' || domain || '"', COUNT(*) FROM accounts GROUP BY domain`,
			"status ":            "SELECT visibility, COUNT(*) FROM statuses WHERE reblog_of_id IS NULL GROUP BY visibility",
			"report ":            "SELECT state, COUNT(*) FROM reports GROUP BY state",
			"":                   "SELECT 'attachment', COUNT(*) FROM media_attachments",
			"tomb":               "SELECT 'stone', COUNT(*) FROM tombstones",
			"copied ":            "SELECT 'status', COUNT(*) FROM report_statuses WHERE copy <> ''",
			"no":                 "SELECT 'te', COUNT(*) FROM report_notes",
			"de":                 "SELECT 'activated', COUNT(*) FROM accounts WHERE deactivated",
		} {
			for key, n := range count(t, d, query) {
				got[prefix+key] = n
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestPicturesAreWhereStatusesSay(t *testing.T) {
	d, at := build(t, "sqlite:"+filepath.Join(t.TempDir(), "svc.db"), small)
	for url := range count(t, d, "SELECT url, COUNT(*) FROM media_attachments GROUP BY url") {
		path, ok := strings.CutPrefix(url, at.BaseURL+"/static/")
		if info, err := os.Stat(filepath.Join(at.DataDir, "static", filepath.FromSlash(path))); !ok || err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", url, err)
		}
	}
}

func TestInhabitedDatabasesAreLeftAlone(t *testing.T) {
	d := dbtest.New(t)
	dbtest.Account(t, d, "alice")
	p := plan(t, small)
	err := Build(t.Context(), p, Place{Database: d.DSN(), BaseURL: dbtest.Base, DataDir: t.TempDir(), Settings: config.DefaultSettings(), Password: "long enough"})
	if !errors.Is(err, ErrInhabited) {
		t.Errorf("error %v", err)
	}
	if n := count(t, d, "SELECT 'accounts', COUNT(*) FROM accounts")["accounts"]; n != 1 {
		t.Errorf("%d accounts", n)
	}
}

func TestBuildingStopsWhenItIsTold(t *testing.T) {
	d := dbtest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	at := Place{Database: d.DSN(), BaseURL: dbtest.Base, DataDir: t.TempDir(), Settings: config.DefaultSettings(), Password: "long enough"}
	at.Progress = func(int, int) { cancel() }
	if err := Build(ctx, plan(t, small), at); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func BenchmarkBuild(b *testing.B) {
	for name, dsn := range map[string]string{"sqlite": "sqlite:" + filepath.Join(b.TempDir(), "svc.db"), "postgres": dbtest.Postgres(b)} {
		if dsn == "" {
			continue
		}
		b.Run(name, func(b *testing.B) {
			for range b.N {
				build(b, dsn, Options{Seed: 1, Accounts: 2000, Statuses: 50_000, Reports: 5_000})
			}
		})
	}
}
