package outbox

import (
	"context"

	"svc/db"
	"svc/server/federation/activitypub"
)

// ChatSent sends a chat message to a remote account, unless it is known to
// accept none.
func (s *Service) ChatSent(ctx context.Context, tx *db.DB, by, to *db.Account, m *db.ChatMessage) error {
	if s.silent(by) || !hears(to) {
		return nil
	}
	var shown *db.MediaAttachment
	if m.HasMedia {
		files, err := tx.Attachments(ctx, []string{m.ID})
		if err != nil {
			return err
		}
		if len(files) > 0 {
			shown = &files[0]
		}
	}
	return s.keep(ctx, tx, chat(act{
		id: activitypub.CreateID(m.URI), at: m.CreatedAt, kind: "Create", by: by, object: activitypub.ChatMessage(m, by, to, shown, s.base),
	}, to, m))
}

// ChatDeleted sends the deletion of a chat message, by its author or a
// moderator.
//
// Other servers accept it from the author only, so that a deletion by another
// account is sent twice.
func (s *Service) ChatDeleted(ctx context.Context, tx *db.DB, by *db.Account, m *db.ChatMessage) error {
	if s.off() || by.ID == m.AccountID && !by.Local {
		return nil
	}
	to, err := tx.Account(ctx, m.RecipientID)
	if err != nil || !hears(to) {
		return err
	}
	author := by
	if by.ID != m.AccountID {
		if author, err = tx.Account(ctx, m.AccountID); err != nil {
			return err
		}
	}
	if !author.Local {
		return nil
	}
	gone := chat(act{kind: "Delete", by: author, object: activitypub.Tombstone(m.URI, "ChatMessage", tx.Now())}, to, m)
	if by.ID != author.ID {
		other := gone
		other.by = by
		if err := s.keep(ctx, tx, other); err != nil {
			return err
		}
	}
	return s.keep(ctx, tx, gone)
}

func hears(a *db.Account) bool {
	return !a.Local && (a.AcceptsChatMessages == nil || *a.AcceptsChatMessages)
}

func chat(a act, to *db.Account, m *db.ChatMessage) act {
	a.of, a.to, a.priority, a.audience = m.URI, []string{to.URI}, db.PriorityPerson, only(to)
	a.audience.Personal = true
	return a
}
