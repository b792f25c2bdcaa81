package db_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

// notFlakes are the tables with other texts for ids.
var notFlakes = []string{"processes", "paced_updates", "quotes"}

// TestIDsNeverFallBehindThoseThereAre inserts a row into each table with a
// clock that is an hour ahead, and starts again with the right clock.
func TestIDsNeverFallBehindThoseThereAre(t *testing.T) {
	dbtest.EachReady(t, func(t *testing.T, dsn string) {
		now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
		ahead := dbtest.OpenAt(t, dsn, func() time.Time { return now.Add(time.Hour) })
		tables := textIDs(t, ahead)
		if len(tables) < 9 {
			t.Fatalf("%q", tables)
		}
		dbtest.Account(t, ahead, "ann")
		for i, table := range tables {
			id := ahead.NewID()
			if err := plant(t, ahead, table, id, i); err != nil {
				t.Fatalf("%s: %v", table, err)
			}
			d := dbtest.OpenAt(t, dsn, func() time.Time { return now })
			if next := d.NewID(); next <= id || len(next) != 18 {
				t.Errorf("after %s of %s comes %s", id, table, next)
			}
		}
		// An id that no clock can have made does not count.
		if err := plant(t, ahead, "reports", "zzzzzzzzzzzzzzzzzz", 99); err != nil {
			t.Fatal(err)
		}
		d := dbtest.OpenAt(t, dsn, func() time.Time { return now })
		if at, _ := db.FlakeTime(d.NewID()); at.After(now.Add(2 * time.Hour)) {
			t.Errorf("ids are of %v", at)
		}
	})
}

// TestTheLookAtTheIDsReadsNoTable holds the statements of a start to indexes.
func TestTheLookAtTheIDsReadsNoTable(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		for sql, plan := range dbtest.Plans(t, d, func(ctx context.Context) {
			if err := d.Migrate(ctx); err != nil {
				t.Fatal(err)
			}
		}) {
			if strings.Contains(sql, "river_migration") || strings.Contains(sql, "sqlite_master") {
				continue // a row for each migration or table
			}
			if waste := dbtest.Wasteful(plan); len(waste) > 0 {
				t.Errorf("%q\n%q\n%s", waste, plan, sql)
			}
		}
	})
}

// plant puts a row with this id into a table.
func plant(t *testing.T, d *db.DB, table, id string, n int) error {
	t.Helper()
	other := fmt.Sprint("other", n)
	switch table {
	case "accounts":
		a := db.NewAccount(dbtest.Base, other)
		a.ID = id
		return d.CreateAccount(t.Context(), a)
	case "statuses":
		return d.CreateStatus(t.Context(), &db.Status{ID: id, AccountID: other, Local: true, Visibility: db.Public, CreatedAt: d.Now()})
	case "favourites":
		return dbtest.Exec(t, d, "INSERT INTO favourites (id, account_id, status_id, created_at) VALUES (?, ?, ?, 1)", id, other, other)
	case "follows":
		return dbtest.Exec(t, d, "INSERT INTO follows (id, follower_id, target_id, local, created_at) VALUES (?, ?, ?, TRUE, 1)", id, other, other)
	case "reports":
		return dbtest.Exec(t, d, "INSERT INTO reports (id, account_id, reporter_id, created_at, updated_at) VALUES (?, ?, ?, 1, 1)", id, other, other)
	case "emoji_reactions":
		return dbtest.Exec(t, d, "INSERT INTO emoji_reactions (id, account_id, status_id, emoji, created_at) VALUES (?, ?, ?, 'x', 1)", id, other, other)
	case "chats":
		return dbtest.Exec(t, d, "INSERT INTO chats (id, account_id, recipient_id, created_at, updated_at) VALUES (?, ?, ?, 1, 1)", id, other, other)
	case "chat_messages":
		return dbtest.Exec(t, d, "INSERT INTO chat_messages (id, uri, account_id, recipient_id, created_at) VALUES (?, ?, ?, ?, 1)", id, other, other, other)
	case "scrobbles":
		return dbtest.Exec(t, d, "INSERT INTO scrobbles (id, account_id, title, visibility, created_at) VALUES (?, ?, 'x', 'public', 1)", id, other)
	}
	return fmt.Errorf("no row of it is known here")
}

// textIDs returns the tables with flakes for ids.
func textIDs(t *testing.T, d *db.DB) []string {
	t.Helper()
	list := `SELECT name FROM sqlite_master m WHERE type = 'table'
		AND EXISTS (SELECT 1 FROM pragma_table_info(m.name) WHERE name = 'id' AND upper(type) = 'TEXT')`
	if d.Dialect() == db.Postgres {
		list = `SELECT table_name FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
			WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' AND column_name = 'id' AND data_type = 'text'`
	}
	rows, err := d.Writer().QueryContext(t.Context(), list)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var tables []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(notFlakes, name) && !strings.HasPrefix(name, "river_") {
			tables = append(tables, name)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return tables
}
