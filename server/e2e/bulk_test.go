package e2e

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/client"
	"svc/client/api"
)

// TestBulkWorkIsDoneByTheServer runs commands that change much beside a process that
// serves SQLite, while people post. The serving process does the work. With
// SVC_TEST_BULK=30000 that many rows are changed, and the times that posts take before
// and meanwhile are logged.
func TestBulkWorkIsDoneByTheServer(t *testing.T) {
	t.Parallel()
	rows, idle := 60, 300*time.Millisecond
	if s := os.Getenv("SVC_TEST_BULK"); s != "" {
		_, err := fmt.Sscan(s, &rows)
		must(t, err)
		idle = 10 * time.Second
	}
	dir := shortDir(t)
	p := newProcess(t, dir, "sqlite:"+filepath.Join(dir, "svc.db")).start()
	p.user("root", "--admin")
	p.user("leaver")
	root := p.client(p.logIn("root"))
	var people []*client.Client
	for i := range 4 {
		p.user(fmt.Sprint("poster", i))
		people = append(people, p.client(p.logIn(fmt.Sprint("poster", i))))
	}
	d, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "svc.db")+"?_pragma=busy_timeout(30000)")
	must(t, err)
	t.Cleanup(func() { _ = d.Close() })
	exec := func(query string, args ...any) {
		t.Helper()
		_, err := d.ExecContext(t.Context(), query, args...)
		must(t, err)
	}
	sample, err := people[0].Statuses.Post(t.Context(), api.NewStatus{Status: "a status of old times, with some words"})
	must(t, err)
	mine, err := p.client(p.logIn("leaver")).Statuses.Post(t.Context(), api.NewStatus{Status: "a status of somebody who leaves"})
	must(t, err)
	copies := func(of, first string, local int) {
		t.Helper()
		var columns []string
		for _, c := range columnsOf(t, d, "statuses") {
			switch c {
			case "id":
				c = "printf('" + first + "%016d', n)"
			case "uri":
				c = "printf('https://far.example/" + first + "%d', n)"
			case "local":
				c = fmt.Sprint(local)
			}
			columns = append(columns, c)
		}
		exec("WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ?) INSERT INTO statuses ("+strings.Join(columnsOf(t, d, "statuses"), ", ")+") SELECT "+
			strings.Join(columns, ", ")+" FROM c, statuses s WHERE s.id = ?", rows, of)
	}
	copies(sample.ID, "90", 0) // ids of years ago
	copies(mine.ID, "91", 1)
	exec("UPDATE statuses SET favourites_count = 7 WHERE id LIKE '91%'")

	// meanwhile returns how long posts took while do ran.
	meanwhile := func(do func()) (took []time.Duration) {
		var (
			mu   sync.Mutex
			all  sync.WaitGroup
			done = make(chan struct{})
		)
		for _, c := range people {
			all.Go(func() {
				for n := 0; ; n++ {
					select {
					case <-done:
						return
					case <-time.After(20 * time.Millisecond):
					}
					began := time.Now()
					if _, err := c.Statuses.Post(t.Context(), api.NewStatus{Status: fmt.Sprint("number ", n)}); err != nil {
						t.Errorf("a post failed: %v", err)
						return
					}
					mu.Lock()
					took = append(took, time.Since(began))
					mu.Unlock()
				}
			})
		}
		do()
		close(done)
		all.Wait()
		slices.Sort(took)
		return took
	}
	told := func(what string, do func()) {
		t.Helper()
		began := time.Now()
		took := meanwhile(do)
		if len(took) == 0 {
			t.Errorf("%s: nobody posted", what)
			return
		}
		t.Logf("%-12s %6.1f s, %5d posts: p50 %s, p99 %s, longest %s", what, time.Since(began).Seconds(), len(took),
			took[len(took)/2].Round(100*time.Microsecond), took[len(took)*99/100].Round(100*time.Microsecond), took[len(took)-1].Round(100*time.Microsecond))
	}
	exec("UPDATE accounts SET statuses_count = (SELECT COUNT(*) FROM statuses s WHERE s.account_id = accounts.id AND s.reblog_of_id IS NULL)")
	pause := func() { time.Sleep(idle) }
	told("warm", pause)
	told("idle", pause)
	told("repair", func() {
		if out := p.run("check", "--repair"); !strings.Contains(out, fmt.Sprintf("counters: %d repaired", rows)) {
			t.Errorf("check --repair said %s", out)
		}
	})
	told("prune", func() {
		if out := p.run("prune"); !strings.Contains(out, fmt.Sprintf("Posts removed: %d\n", rows)) {
			t.Errorf("prune said %s", out)
		}
	})
	told("erase", func() {
		_, err := root.Admin.Users.Delete(t.Context(), "leaver")
		must(t, err)
		for left := 1; left > 0; {
			time.Sleep(100 * time.Millisecond)
			must(t, d.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM river_job WHERE kind = 'erase_account' AND finalized_at IS NULL").Scan(&left))
		}
	})
	told("idle", pause)
	for _, kind := range []string{"repair", "prune"} {
		var ended int
		must(t, d.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM tasks WHERE kind = ? AND begun_at IS NOT NULL AND ended_at IS NOT NULL AND error = ''", kind).Scan(&ended))
		if ended != 1 {
			t.Errorf("%d tasks of kind %s were done by the server, want 1", ended, kind)
		}
	}
	for left, cond := range map[string]string{"old remote": "local = 0", "of the deleted account": "id LIKE '91%'"} {
		var n int
		must(t, d.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM statuses WHERE "+cond).Scan(&n))
		if n > 0 {
			t.Errorf("%d statuses are left: %s", n, left)
		}
	}
	// Without a serving process the commands do the work themselves.
	p.signal(15)
	p.wait(30 * time.Second)
	copies(sample.ID, "92", 0)
	exec("UPDATE accounts SET statuses_count = 7 WHERE nickname = 'poster0'")
	if out := p.run("prune"); !strings.Contains(out, fmt.Sprintf("Posts removed: %d\n", rows)) {
		t.Errorf("prune without the service said %s", out)
	}
	if out := p.run("check", "--repair"); !strings.Contains(out, "counters: 1 repaired") {
		t.Errorf("check --repair without the service said %s", out)
	}
}

func columnsOf(t *testing.T, d *sql.DB, table string) (out []string) {
	t.Helper()
	rows, err := d.QueryContext(t.Context(), "SELECT name FROM pragma_table_info('"+table+"')")
	must(t, err)
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var name string
		must(t, rows.Scan(&name))
		out = append(out, name)
	}
	must(t, rows.Err())
	return out
}
