package outbox

import (
	"context"

	"svc/db"
	"svc/server/federation/activitypub"
)

// Reblogged sends a reblog to the actor's followers and the status's author. A
// local-only one is not sent.
func (s *Service) Reblogged(ctx context.Context, tx *db.DB, by *db.Account, reblog, status *db.Status) error {
	a, err := s.announce(ctx, tx, by, reblog, status)
	if err != nil || a == nil {
		return err
	}
	return s.keep(ctx, tx, *a)
}

// Unreblogged sends the Undo of a reblog. by may be nil for a remote one.
func (s *Service) Unreblogged(ctx context.Context, tx *db.DB, by *db.Account, reblog *db.Status) error {
	if !reblog.Local || s.silent(by) {
		return nil
	}
	status, err := tx.StatusByID(ctx, *reblog.ReblogOfID)
	if err != nil {
		return err
	}
	a, err := s.announce(ctx, tx, by, reblog, status)
	if err != nil || a == nil {
		return err
	}
	return s.keep(ctx, tx, undo(*a))
}

// announce is the activity of a reblog, nil without recipients.
func (s *Service) announce(ctx context.Context, tx *db.DB, by *db.Account, reblog, status *db.Status) (*act, error) {
	if s.silent(by) || reblog.Visibility == db.Local || status.Visibility == db.Local || reblog.URI == nil || status.URI == nil {
		return nil, nil
	}
	audience, err := s.audience(ctx, tx, by, reblog)
	if err != nil {
		return nil, err
	}
	if status.AccountID != by.ID && s.remote(*status.URI) {
		audience.AccountIDs = append(audience.AccountIDs, status.AccountID)
	}
	if nobody(&audience) {
		return nil, nil
	}
	a := &act{
		id: *reblog.URI, kind: "Announce", by: by, object: *status.URI, of: orderKey("Announce", by.URI, *status.URI),
		to: reblog.ToURIs, cc: reblog.CCURIs, at: reblog.CreatedAt, more: activitypub.Object{}, priority: db.PriorityAct, audience: audience,
	}
	thread, err := s.thread(ctx, tx, status)
	if err == nil && thread != "" {
		a.more["context"] = thread
	}
	return a, err
}

// thread returns the id of a status's conversation, "" for none.
func (s *Service) thread(ctx context.Context, tx *db.DB, status *db.Status) (string, error) {
	if status.ConversationID == nil {
		return "", nil
	}
	all, err := tx.ConversationURIs(ctx, []int64{*status.ConversationID})
	return all[*status.ConversationID], err
}

// Favourited sends a favourite to the status's author.
func (s *Service) Favourited(ctx context.Context, tx *db.DB, by *db.Account, f *db.Favourite, status *db.Status) error {
	a, err := s.toAuthor(ctx, tx, by, status, "Like", f.URI, f.CreatedAt)
	if err != nil || a == nil {
		return err
	}
	return s.keep(ctx, tx, *a)
}

// Unfavourited sends the Undo of a favourite.
func (s *Service) Unfavourited(ctx context.Context, tx *db.DB, by *db.Account, f *db.Favourite, status *db.Status) error {
	a, err := s.toAuthor(ctx, tx, by, status, "Like", f.URI, db.Time{})
	if err != nil || a == nil {
		return err
	}
	return s.keep(ctx, tx, undo(*a))
}

// Reacted sends a reaction to the status's author.
func (s *Service) Reacted(ctx context.Context, tx *db.DB, by *db.Account, r *db.EmojiReaction, status *db.Status) error {
	a, err := s.reaction(ctx, tx, by, r, status)
	if err != nil || a == nil {
		return err
	}
	return s.keep(ctx, tx, *a)
}

// Unreacted sends the Undo of a reaction.
func (s *Service) Unreacted(ctx context.Context, tx *db.DB, by *db.Account, r *db.EmojiReaction, status *db.Status) error {
	a, err := s.reaction(ctx, tx, by, r, status)
	if err != nil || a == nil {
		return err
	}
	return s.keep(ctx, tx, undo(*a))
}

func (s *Service) reaction(ctx context.Context, tx *db.DB, by *db.Account, r *db.EmojiReaction, status *db.Status) (*act, error) {
	a, err := s.toAuthor(ctx, tx, by, status, "EmojiReact", r.URI, r.CreatedAt)
	if err != nil || a == nil {
		return nil, err
	}
	a.of += " " + r.Emoji
	a.more = activitypub.Object{"content": r.Emoji}
	return a, nil
}

// toAuthor is an activity for a status's author alone, nil for a local one.
func (s *Service) toAuthor(ctx context.Context, tx *db.DB, by *db.Account, status *db.Status, kind, id string, at db.Time) (*act, error) {
	if s.silent(by) || status.Visibility == db.Local || status.URI == nil || !s.remote(*status.URI) {
		return nil, nil
	}
	author, err := tx.Account(ctx, status.AccountID)
	if err != nil {
		return nil, err
	}
	if id == "" {
		id = s.newURI(tx, "activities")
	}
	return &act{
		id: id, kind: kind, by: by, object: *status.URI, of: orderKey(kind, by.URI, *status.URI), to: []string{author.URI},
		at: at, priority: db.PriorityAct, audience: only(author),
	}, nil
}
