package e2e

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // to look at a database beside the service

	"svc/db"
	"svc/server/servertest"
)

// watched are the tables that a refused request must leave as they are. Tallies of
// accounts follow from accounts, and are added up later.
var watched = []string{
	"accounts", "users", "keys", "conversations", "statuses", "status_recipients", "status_tags", "media_attachments", "tombstones",
	"favourites", "follows", "blocks", "mutes", "notifications", "reports", "report_tallies", "report_statuses", "report_notes", "moderation_log",
	"apps", "authorisations", "tokens", "ssh_keys", "sessions", "settings", "setting_changes", "mail_tokens", "invites", "captchas",
	"lists", "list_accounts", "followed_tags", "filters", "filter_keywords", "filter_statuses", "filter_numbers", "domain_blocks", "thread_mutes", "bookmarks", "emoji_reactions", "polls", "poll_votes", "cards",
}

// watch tells when rows change, by triggers that keep the name of the table.
type watch struct {
	t       *testing.T
	pool    *sql.DB
	sqlite  bool
	version int64 // of SQLite's file
}

func newWatch(t *testing.T, s *servertest.Server) *watch {
	t.Helper()
	w := &watch{t: t, pool: s.DB.Writer(), sqlite: s.DB.Dialect() == db.SQLite}
	if w.sqlite {
		// data_version tells one connection of the commits of others.
		pool, err := sql.Open("sqlite", "file:"+filepath.ToSlash(strings.TrimPrefix(s.DSN, "sqlite:"))+"?_pragma=busy_timeout(10000)")
		must(t, err)
		t.Cleanup(func() { _ = pool.Close() })
		pool.SetMaxOpenConns(1)
		w.pool = pool
	}
	statements := []string{"CREATE TABLE changed_rows (name TEXT NOT NULL)"}
	if !w.sqlite {
		statements = append(statements, `CREATE FUNCTION row_changed() RETURNS trigger LANGUAGE plpgsql AS
			'BEGIN INSERT INTO changed_rows VALUES (TG_TABLE_NAME); RETURN NULL; END'`)
	}
	for _, table := range watched {
		if !w.sqlite {
			statements = append(statements, fmt.Sprintf("CREATE TRIGGER watched AFTER INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW EXECUTE FUNCTION row_changed()", table))
			continue
		}
		for _, event := range []string{"INSERT", "UPDATE", "DELETE"} {
			statements = append(statements, fmt.Sprintf("CREATE TRIGGER watched_%s_%s AFTER %s ON %s BEGIN INSERT INTO changed_rows VALUES ('%s'); END",
				event, table, event, table, table))
		}
	}
	must(t, err1(w.pool.Exec(strings.Join(statements, ";\n"))))
	w.accept()
	return w
}

// accept drops the changes so far.
func (w *watch) accept() { _ = w.changed() }

// changed names the tables that are not as they were at the last call, "" for
// none.
func (w *watch) changed() string {
	w.t.Helper()
	if w.sqlite {
		var version int64
		must(w.t, w.pool.QueryRow("PRAGMA data_version").Scan(&version))
		if version == w.version {
			return ""
		}
		w.version = version
	}
	rows, err := w.pool.Query("DELETE FROM changed_rows RETURNING name")
	must(w.t, err)
	defer func() { _ = rows.Close() }()
	var names []string
	for rows.Next() {
		var name string
		must(w.t, rows.Scan(&name))
		names = append(names, name)
	}
	must(w.t, rows.Err())
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}
