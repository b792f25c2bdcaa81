package db_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"svc/db"
	"svc/db/dbtest"
)

// TestChatsAndNewsReadOnlyWhatTheyShow holds the lists that a client reads
// often to indexes that give their order.
func TestChatsAndNewsReadOnlyWhatTheyShow(t *testing.T) {
	me := db.Viewer{ID: "a", Relations: db.Relations{Blocks: true, Mutes: true, DomainBlocks: true}}
	page := db.Page{Limit: 5}
	lists := map[string]func(ctx context.Context, d *db.DB) error{}
	for name, f := range map[string]db.NotificationFilter{
		"notifications": {}, "notifications with muted": {WithMuted: true}, "notifications of one type": {Types: []string{db.NotifyFavourite}},
		"notifications of types": {Types: []string{db.NotifyMention, db.NotifyFollow}}, "notifications of a sender": {FromID: "b"},
		"notifications of types and a sender": {Types: []string{db.NotifyMention, db.NotifyFollow}, FromID: "b"}, "these notifications": {IDs: []int64{1, 2}},
	} {
		for bound, p := range map[string]db.Page{"newest": page, "below": {MaxID: "9", Limit: 5}, "above": {MinID: "9", Limit: 5}} {
			lists[name+" "+bound] = func(ctx context.Context, d *db.DB) error {
				_, err := d.Notifications(ctx, me, f, p)
				return err
			}
		}
	}
	add := func(name string, list func(ctx context.Context, d *db.DB) error) { lists[name] = list }
	add("chats", func(ctx context.Context, d *db.DB) error {
		_, err := d.Chats(ctx, me, db.ChatFilter{Limit: 5})
		return err
	})
	add("chats below", func(ctx context.Context, d *db.DB) error {
		_, err := d.Chats(ctx, me, db.ChatFilter{Limit: 5, Below: &db.Chat{ID: "x", UpdatedAt: d.Now()}})
		return err
	})
	add("messages", func(ctx context.Context, d *db.DB) error { _, err := d.ChatEntries(ctx, "c1", page); return err })
	add("these messages", func(ctx context.Context, d *db.DB) error {
		_, err := d.ChatEntriesOf(ctx, "a", []string{"x", "y"})
		return err
	})
	add("read chat", func(ctx context.Context, d *db.DB) error { return d.ReadChat(ctx, "c1", "x") })
	add("markers", func(ctx context.Context, d *db.DB) error {
		_, err := d.Markers(ctx, "a", []string{db.MarkHome, db.MarkNotifications})
		return err
	})
	add("see", func(ctx context.Context, d *db.DB) error { _, err := d.SeeNotifications(ctx, "a", 9, 5); return err })
	add("see a thread", func(ctx context.Context, d *db.DB) error { _, err := d.SeeThread(ctx, "a", 1, 9, 5); return err })
	add("end logins", func(ctx context.Context, d *db.DB) error { return d.DeleteLogins(ctx, "a") })
	add("unseen", func(ctx context.Context, d *db.DB) error { _, err := d.UnseenNotifications(ctx, "a"); return err })
	add("subscribers", func(ctx context.Context, d *db.DB) error {
		_, err := d.Subscribers(ctx, &db.Status{ID: "s", AccountID: "a", Visibility: db.Private}, "b", 5)
		return err
	})
	for _, viewer := range []string{"", "a", "b"} {
		add("scrobbles for "+viewer, func(ctx context.Context, d *db.DB) error {
			_, err := d.Scrobbles(ctx, db.Viewer{ID: viewer}, "a", page)
			return err
		})
	}
	add("unreachable", func(ctx context.Context, d *db.DB) error { _, err := d.Unreachable(ctx, d.Now(), 5); return err })
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		seedNews(t, d)
		for name, list := range lists {
			plans := dbtest.Plans(t, d, func(ctx context.Context) {
				if err := list(ctx, d); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			})
			if len(plans) == 0 {
				t.Errorf("%s sent no statement", name)
			}
			for sql, plan := range plans {
				waste := slices.DeleteFunc(dbtest.Wasteful(plan), func(line string) bool {
					// A page of each type is sorted; notifications given by id
					// are few.
					return strings.Contains(sql, "UNION ALL") && strings.Contains(line, "TEMP B-TREE") ||
						strings.Contains(sql, "UNION ALL") && strings.HasPrefix(line, "SCAN k") ||
						strings.Contains(sql, "UNION ALL") && strings.Contains(line, "Sort") ||
						strings.HasPrefix(name, "these notifications") && strings.Contains(line, "TEMP B-TREE")
				})
				if len(waste) > 0 {
					t.Errorf("%s: %q\n%s\n%s", name, waste, strings.Join(plan, "\n"), sql)
				}
			}
		}
	})
}

// seedNews inserts rows of each kind for the account a.
func seedNews(t *testing.T, d *db.DB) {
	t.Helper()
	ctx := t.Context()
	seedMany(t, d)
	err := d.Tx(ctx, func(tx *db.DB) error {
		for i := range 60 {
			n := fmt.Sprint(i)
			for _, query := range []string{
				"INSERT INTO notifications (account_id, type, from_id, status_id, seen, created_at) VALUES ('a', 'mention', 'b', '" + n + "', TRUE, 0)",
				"INSERT INTO chats (id, account_id, recipient_id, created_at, updated_at) VALUES ('c" + n + "', 'a', 'r" + n + "', 0, " + n + ")",
				"INSERT INTO chat_messages (id, uri, account_id, recipient_id, created_at) VALUES ('m" + n + "', 'u" + n + "', 'a', 'b', 0)",
				"INSERT INTO chat_entries (chat_id, message_id) VALUES ('c1', 'm" + n + "')",
				"INSERT INTO subscriptions (account_id, target_id, created_at) VALUES ('s" + n + "', 'a', 0)",
				"INSERT INTO scrobbles (id, account_id, title, visibility, created_at) VALUES ('s" + n + "', 'a', 'x', 'public', 0)",
				"INSERT INTO instances (host, created_at, unreachable_since) VALUES ('h" + n + "', 0, 0)",
			} {
				sqlTx, err := tx.SQLTx()
				if err != nil {
					return err
				}
				if _, err := sqlTx.ExecContext(ctx, query); err != nil {
					return fmt.Errorf("%s: %w", query, err)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
