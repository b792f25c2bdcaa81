package chats

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/platform/fault"
	"svc/server/platform/text"
)

// Receive stores a message of a remote account in the chat of a local one, with
// a notification. The policies have judged it before. A message that is empty
// or too long is refused, also one to a recipient who takes no messages or
// blocks the author. A stored message is db.ErrDuplicate; one that was deleted
// before it came is db.ErrNotFound.
func (s *Service) Receive(ctx context.Context, by, to *db.Account, p *activitypub.Post) (*db.ChatMessage, error) {
	m, file, err := s.read(by, to, p)
	if err != nil {
		return nil, err
	}
	received := *m // a transaction may run again
	err = s.db.Tx(ctx, func(tx *db.DB) error {
		received = *m
		known, err := tx.KnownObject(ctx, m.URI, by.URI)
		switch {
		case err != nil:
			return err
		case known.StatusID != "" || known.Message:
			return db.ErrDuplicate
		case known.Gone:
			return db.ErrNotFound
		}
		if err := mayWrite(ctx, tx, by, to); err != nil {
			return err
		}
		received.ID = tx.NewID()
		if file != nil {
			with := *file
			with.StatusID = &received.ID
			if err := tx.CreateAttachments(ctx, []db.MediaAttachment{with}); err != nil {
				return err
			}
		}
		return s.sent(ctx, tx, by, to, &received)
	})
	if err != nil {
		return nil, err
	}
	return &received, nil
}

// read converts a received message to safe HTML and checks its limits.
func (s *Service) read(by, to *db.Account, p *activitypub.Post) (*db.ChatMessage, *db.MediaAttachment, error) {
	if by.Local || by.Deactivated || !to.Local {
		return nil, nil, fault.Forbidden("A message from or to nobody who could")
	}
	limit := s.settings.Load().Instance.RemoteLimit
	if len(p.Content) > limit && text.Length(p.Content) > limit {
		return nil, nil, fault.Invalid("The message is over the character limit")
	}
	content := p.Content
	if p.ContentType == text.TypePlain || p.ContentType == text.TypeMarkdown {
		content = text.Format(content, p.ContentType, text.Options{}).HTML
	}
	m := &db.ChatMessage{
		URI: p.ID, AccountID: by.ID, RecipientID: to.ID, Content: strings.TrimSpace(text.SanitizeRemote(content)), CreatedAt: db.At(p.Published),
	}
	if now := s.db.Now(); m.CreatedAt.IsZero() || m.CreatedAt.After(now.Time) {
		m.CreatedAt = now
	}
	m.Text = text.Plain(m.Content)
	for _, e := range p.Emojis {
		if strings.Contains(p.Content, ":"+e.Shortcode+":") && !slices.ContainsFunc(m.Emojis, func(known db.Emoji) bool { return known.Shortcode == e.Shortcode }) {
			m.Emojis = append(m.Emojis, db.Emoji{Shortcode: e.Shortcode, URL: e.URL, StaticURL: e.URL})
		}
	}
	if len(p.Attachments) == 0 {
		if strings.TrimSpace(m.Text) == "" {
			return nil, nil, fault.Malformed("no_content")
		}
		return m, nil, nil
	}
	a := p.Attachments[0]
	m.HasMedia = true
	description, _ := text.Clean(a.Description)
	return m, &db.MediaAttachment{
		AccountID: by.ID, Type: cmp.Or(a.Kind, "unknown"), URL: a.URL, RemoteURL: a.URL, Description: strings.TrimSpace(description),
		MimeType: a.MediaType, Blurhash: a.Blurhash, CreatedAt: m.CreatedAt,
	}, nil
}

// Withdraw deletes a message of a remote account at the request of its server.
// A message of another account is db.ErrNotFound.
func (s *Service) Withdraw(ctx context.Context, by *db.Account, uri string) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		m, err := tx.ChatMessageByURI(ctx, uri)
		if err == nil && m.AccountID != by.ID {
			err = db.ErrNotFound
		}
		if err != nil {
			return err
		}
		return s.remove(ctx, tx, by, m)
	})
}
