package chats_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/platform/fault"
	"svc/server/rules/chats"
)

func open(t *testing.T, d *db.DB) *chats.Service {
	t.Helper()
	settings, err := config.NewLive(config.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	return chats.New(chats.Parts{DB: d, Settings: settings, Site: config.NewSite(dbtest.Base, false), Now: time.Now})
}

// remote creates an account of another server. accepts says whether it takes
// messages; nil is unknown.
func remote(t *testing.T, d *db.DB, nickname string, accepts *bool) *db.Account {
	t.Helper()
	a := db.NewAccount("https://other.example", nickname)
	a.Local, a.Domain, a.AcceptsChatMessages = false, "other.example", accepts
	a.Nickname += "@other.example"
	a.NickKey = a.Nickname
	if err := d.CreateAccount(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestNoLowerIDIsStoredLater: a message that waits for the one writer of SQLite
// has an id above those made meanwhile.
func TestNoLowerIDIsStoredLater(t *testing.T) {
	d := dbtest.New(t)
	s, ann, bob := open(t, d), dbtest.Account(t, d, "ann"), dbtest.Account(t, d, "bob")
	chat, err := s.Open(t.Context(), ann, bob.ID)
	if err != nil {
		t.Fatal(err)
	}
	var (
		before string
		sent   *db.ChatEntry
	)
	err, other := dbtest.Between(t, d, "FROM accounts", func(ctx context.Context) error {
		return d.Tx(ctx, func(tx *db.DB) error {
			_, err := tx.Account(ctx, ann.ID)
			before = tx.NewID()
			return err
		})
	}, func(ctx context.Context) (err error) {
		sent, err = s.Send(ctx, ann, chat.ID, chats.NewMessage{Text: "x"})
		return err
	})
	if err := errors.Join(err, other); err != nil {
		t.Fatal(err)
	}
	if sent.ID < before {
		t.Errorf("%s was stored after %s", sent.ID, before)
	}
}

// TestNothingIsStoredForADeletedAccount deletes an account while it opens a chat
// and while it writes. The erasure begins after the deletion, so the request has
// stored all or stores nothing.
func TestNothingIsStoredForADeletedAccount(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx, s, bob := t.Context(), open(t, d), dbtest.Account(t, d, "bob")
		for name, write := range map[string]func(ctx context.Context, by *db.Account, chat string) error{
			"open": func(ctx context.Context, by *db.Account, _ string) error {
				_, err := s.Open(ctx, by, dbtest.Account(t, d, "eve").ID)
				return err
			},
			"send": func(ctx context.Context, by *db.Account, chat string) error {
				_, err := s.Send(ctx, by, chat, chats.NewMessage{Text: "x"})
				return err
			},
		} {
			by := dbtest.Account(t, d, name)
			chat, err := s.Open(ctx, by, bob.ID)
			if err != nil {
				t.Fatal(err)
			}
			count := func() (n int) {
				t.Helper()
				if err := d.Writer().QueryRowContext(ctx, "SELECT (SELECT COUNT(*) FROM chats) + (SELECT COUNT(*) FROM chat_entries)").Scan(&n); err != nil {
					t.Fatal(err)
				}
				return n
			}
			var atDeletion int
			err, other := dbtest.Between(t, d, "chat", func(ctx context.Context) error { return write(ctx, by, chat.ID) }, func(ctx context.Context) error {
				err := d.Tx(ctx, func(tx *db.DB) error {
					if _, err := tx.MarkDeleted(ctx, by.ID); err != nil {
						return err
					}
					by.Deactivated = true
					return tx.UpdateAccount(ctx, by, "deactivated")
				})
				atDeletion = count()
				return err
			})
			var refused *fault.Error
			if other != nil || err != nil && !errors.As(err, &refused) && !errors.Is(err, db.ErrNotFound) {
				t.Errorf("%s: %v, %v", name, err, other)
			}
			if n := count(); n != atDeletion {
				t.Errorf("%s: %d rows, %d when the account was deleted", name, n, atDeletion)
			}
		}
	})
}

// TestWhoMayBeWrittenTo sends a message to accounts of every kind. Only a local
// recipient gets a chat of their own.
func TestWhoMayBeWrittenTo(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx, s, ann := t.Context(), open(t, d), dbtest.Account(t, d, "ann")
		yes, no := true, false
		gone, strange := dbtest.Account(t, d, "gone"), remote(t, d, "strange", nil)
		strange.Domain = "described.example"
		if err := errors.Join(d.UpdateAccount(ctx, strange, "domain"), d.AddInstance(ctx, strange.Domain), d.DescribeInstance(ctx, strange.Domain, "gotosocial 0.20.0", "")); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			to    *db.Account
			sent  bool
			chats int // in the database afterwards
		}{
			{dbtest.Account(t, d, "bob"), true, 2}, {remote(t, d, "unknown", nil), true, 1}, {strange, false, 1}, {remote(t, d, "open", &yes), true, 1},
			{remote(t, d, "closed", &no), false, 1}, {ann, true, 1}, {gone, false, 1},
		} {
			chat, err := s.Open(ctx, ann, tt.to.ID)
			if err != nil {
				t.Fatal(err)
			}
			if tt.to == gone {
				gone.Deactivated = true
				if err := d.UpdateAccount(ctx, gone, "deactivated"); err != nil {
					t.Fatal(err)
				}
			}
			entry, err := s.Send(ctx, ann, chat.ID, chats.NewMessage{Text: "hi"})
			if refused := new(fault.Error); (err == nil) != tt.sent || !tt.sent && !errors.As(err, &refused) {
				t.Errorf("to %s: %v", tt.to.Nickname, err)
			}
			var n int
			if err := d.Writer().QueryRowContext(ctx, "SELECT COUNT(*) FROM chats WHERE account_id = '"+ann.ID+"' AND recipient_id = '"+tt.to.ID+
				"' OR account_id = '"+tt.to.ID+"' AND recipient_id = '"+ann.ID+"'").Scan(&n); err != nil || n != tt.chats {
				t.Errorf("to %s: %d chats, %v", tt.to.Nickname, n, err)
			}
			if !tt.sent {
				continue
			}
			got, err := d.ChatEntry(ctx, chat.ID, entry.ID)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(entry, got); diff != "" {
				t.Errorf("to %s: told and kept differ: %s", tt.to.Nickname, diff)
			}
		}
		if _, err := s.Open(ctx, ann, gone.ID); !errors.Is(err, db.ErrNotFound) {
			t.Errorf("a chat with somebody gone: %v", err)
		}
	})
}

// TestAMessageRemovedFromBothViewsIsGone removes a message from one view after the
// other, and leaves its address behind.
func TestAMessageRemovedFromBothViewsIsGone(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx, s, ann, bob := t.Context(), open(t, d), dbtest.Account(t, d, "ann"), dbtest.Account(t, d, "bob")
		chat, err := s.Open(ctx, ann, bob.ID)
		if err != nil {
			t.Fatal(err)
		}
		entry, err := s.Send(ctx, ann, chat.ID, chats.NewMessage{Text: "hi"})
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := s.Open(ctx, bob, ann.ID)
		if err != nil {
			t.Fatal(err)
		}
		count := func(what, query string, want int) {
			t.Helper()
			var n int
			if err := d.Writer().QueryRowContext(ctx, query).Scan(&n); err != nil || n != want {
				t.Errorf("%s: %d, %v", what, n, err)
			}
		}
		if _, err := s.Delete(ctx, bob, theirs.ID, entry.ID); err != nil {
			t.Fatal(err)
		}
		count("messages after bob's", "SELECT COUNT(*) FROM chat_messages", 1)
		count("notifications after bob's", "SELECT COUNT(*) FROM notifications", 0)
		if _, err := s.Delete(ctx, ann, chat.ID, entry.ID); err != nil {
			t.Fatal(err)
		}
		count("messages", "SELECT COUNT(*) FROM chat_messages", 0)
		count("entries", "SELECT COUNT(*) FROM chat_entries", 0)
		count("tombstones", "SELECT COUNT(*) FROM tombstones WHERE former_type = 'ChatMessage' AND uri = '"+entry.URI+"'", 1)
	})
}
