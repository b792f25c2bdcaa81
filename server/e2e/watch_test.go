package e2e

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // to look at a database beside the service

	"svc/db"
	"svc/server/servertest"
)

// watched are the tables that a refused request must leave as they are.
var watched = []string{
	"accounts", "account_tallies", "users", "keys", "conversations", "statuses", "status_recipients", "status_tags", "media_attachments", "tombstones",
	"favourites", "follows", "blocks", "mutes", "notifications", "reports", "report_tallies", "report_statuses", "report_notes", "moderation_log",
	"apps", "authorisations", "tokens", "sessions", "settings", "mail_tokens", "invites", "captchas",
	"lists", "list_accounts", "filters", "filter_numbers", "domain_blocks", "thread_mutes", "bookmarks", "emoji_reactions", "polls", "poll_votes", "cards",
}

// watch tells when rows change.
type watch struct {
	t       *testing.T
	pool    *sql.DB
	sqlite  bool
	version int64 // of SQLite's file
	known   map[string]string
}

func newWatch(t *testing.T, s *servertest.Server) *watch {
	t.Helper()
	w := &watch{t: t, pool: s.DB.Writer(), sqlite: s.DB.Dialect() == db.SQLite}
	if w.sqlite {
		// data_version tells one connection of the commits of others.
		pool, err := sql.Open("sqlite", "file:"+filepath.ToSlash(strings.TrimPrefix(s.DSN, "sqlite:"))+"?_pragma=busy_timeout(10000)")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = pool.Close() })
		pool.SetMaxOpenConns(1)
		w.pool = pool
	}
	w.accept()
	return w
}

// accept takes what is there now for granted.
func (w *watch) accept() {
	w.known = nil
	_ = w.changed()
}

// changed names the tables that are not as they were at the last call, "" for
// none.
func (w *watch) changed() string {
	w.t.Helper()
	if w.sqlite {
		var version int64
		if err := w.pool.QueryRow("PRAGMA data_version").Scan(&version); err != nil {
			w.t.Fatal(err)
		}
		if w.known != nil && version == w.version {
			return ""
		}
		w.version = version
	}
	now := w.look()
	var diff []string
	for _, table := range slices.Sorted(maps.Keys(w.known)) {
		if w.known[table] != now[table] {
			diff = append(diff, table)
		}
	}
	w.known = now
	return strings.Join(diff, ", ")
}

// look sums up each table.
func (w *watch) look() map[string]string {
	w.t.Helper()
	ctx := context.Background()
	out := map[string]string{}
	if !w.sqlite {
		var parts []string
		for _, table := range watched {
			// Each row names the transaction that wrote it.
			parts = append(parts, fmt.Sprintf("SELECT '%s', COUNT(*) || ' ' || COALESCE(MAX(xmin::text::bigint), 0) FROM %s", table, table))
		}
		rows, err := w.pool.QueryContext(ctx, strings.Join(parts, " UNION ALL "))
		if err != nil {
			w.t.Fatal(err)
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var table, sum string
			if err := rows.Scan(&table, &sum); err != nil {
				w.t.Fatal(err)
			}
			out[table] = sum
		}
		if err := rows.Err(); err != nil {
			w.t.Fatal(err)
		}
		return out
	}
	for _, table := range watched {
		out[table] = w.sum(table)
	}
	return out
}

// sum is a table's rows, by the hash of each.
func (w *watch) sum(table string) string {
	w.t.Helper()
	rows, err := w.pool.Query("SELECT * FROM " + table)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	names, err := rows.Columns()
	if err != nil {
		w.t.Fatal(err)
	}
	var lines []string
	for rows.Next() {
		values, into := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			w.t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, values...))))
	}
	if err := rows.Err(); err != nil {
		w.t.Fatal(err)
	}
	slices.Sort(lines)
	return fmt.Sprintf("%d %x", len(lines), sha256.Sum256([]byte(strings.Join(lines, ""))))
}
