// Package chats holds the rules of private messages between two accounts: a
// chat belongs to one account, names the other, and has messages, read or
// unread. The package decides which accounts may write.
//
// It leaves rows to db, texts to text, and notifications to notify; it knows
// neither HTTP nor JSON.
package chats

import (
	"context"
	"fmt"
	"time"

	"svc/db"
	"svc/server/federation/outbox"
	"svc/server/platform/config"
	"svc/server/platform/emoji"
)

// Parts are the dependencies of a Service.
type Parts struct {
	DB       *db.DB
	Settings *config.Live
	Site     config.Site
	Emojis   *emoji.Live
	Outbox   *outbox.Service
	Now      func() time.Time
}

// Service carries out operations, on the pool or within one transaction.
type Service struct {
	db       *db.DB
	settings *config.Live
	emojis   *emoji.Live
	outbox   *outbox.Service
	base     string
	host     string
	now      func() time.Time
}

// New returns a Service.
func New(p Parts) *Service {
	return &Service{db: p.DB, settings: p.Settings, emojis: p.Emojis, outbox: p.Outbox, base: p.Site.Base, host: p.Site.Host, now: p.Now}
}

// In returns a Service whose operations join tx.
func (s *Service) In(tx *db.DB) *Service {
	in := *s
	in.db = tx
	return &in
}

// Open returns the chat of by with an account, and creates a missing one. An
// unknown account is db.ErrNotFound.
func (s *Service) Open(ctx context.Context, by *db.Account, accountID string) (*db.Chat, error) {
	var chat *db.Chat
	err := s.db.Tx(ctx, func(tx *db.DB) error {
		other, err := tx.Account(ctx, accountID)
		if err != nil {
			return err
		}
		if other.Invisible || other.Deactivated {
			return fmt.Errorf("account %s: %w", accountID, db.ErrNotFound)
		}
		if err := tx.KeepAccounts(ctx, by.ID, other.ID); err != nil {
			return err
		}
		chat, err = tx.EnsureChat(ctx, by.ID, other.ID)
		return err
	})
	return chat, err
}

// Read marks the messages of one of by's chats as read, up to one of them.
func (s *Service) Read(ctx context.Context, by *db.Account, chatID, upTo string) (*db.Chat, error) {
	var chat *db.Chat
	err := s.db.Tx(ctx, func(tx *db.DB) error {
		c, err := tx.Chat(ctx, by.ID, chatID)
		if err != nil {
			return err
		}
		if err := tx.ReadChat(ctx, c.ID, upTo); err != nil {
			return err
		}
		chat, err = tx.Chat(ctx, by.ID, chatID)
		return err
	})
	return chat, err
}
