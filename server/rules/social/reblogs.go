package social

import (
	"context"
	"slices"

	"svc/db"
	"svc/server/federation/mrf"
	"svc/server/platform/fault"
	"svc/server/rules/notify"
)

// Reblog reblogs a status and returns the reblog, the first one if repeated.
// visibility is that of the reblog; "" is public. A local-only status is
// reblogged locally. A private one may be reblogged by its author alone, and
// privately; otherwise that, and any direct status, is db.ErrNotFound.
func (s *Service) Reblog(ctx context.Context, by *db.Account, id, visibility string) (*db.Status, error) {
	if visibility == "" {
		visibility = db.Public
	}
	if !slices.Contains([]string{db.Public, db.Unlisted, db.Private, db.Direct}, visibility) {
		return nil, fault.Invalid("Visibility is not included in the list")
	}
	var reblog *db.Status
	err := s.db.Tx(ctx, func(tx *db.DB) error {
		status, err := heldVisible(ctx, tx, by, id)
		if err != nil {
			return err
		}
		as := visibility
		switch status.Visibility {
		case db.Public, db.Unlisted:
		case db.Local:
			as = db.Local
		case db.Private:
			if status.AccountID != by.ID {
				return errNotFound("status", id)
			}
			as = db.Private
		default:
			return errNotFound("status", id)
		}
		uri := s.newURI("activities")
		reblog = &db.Status{
			AccountID: by.ID, URI: &uri, Local: by.Local, Visibility: as,
			ReblogOfID: &status.ID, ReblogOfAccountID: &status.AccountID, HasMedia: status.HasMedia, CreatedAt: tx.Now(),
		}
		if err := s.Admit(by, mrf.Announce); err != nil {
			return err
		}
		if err := s.addressReblog(ctx, tx, by, reblog, status); err != nil {
			return err
		}
		created, err := s.reblogged(ctx, tx, by, reblog, status, by.FollowersCount)
		if err == nil && !created {
			reblog, err = tx.ReblogBy(ctx, by.ID, status.ID)
		}
		return err
	})
	return reblog, err
}

// reblogged is the effect of a reblog, local or remote; followers is as in
// deliver. It is false, without changes, if by has reblogged the status
// already.
func (s *Service) reblogged(ctx context.Context, tx *db.DB, by *db.Account, reblog, status *db.Status, followers int64) (bool, error) {
	if !by.Local { // Reblog holds the status before it looks at it
		if err := tx.HoldStatuses(ctx, status.ID); err != nil {
			return false, err
		}
	}
	reblog.ID = tx.NewID()
	if created, err := tx.CreateReblog(ctx, reblog, status.Visibility); err != nil || !created {
		return false, err
	}
	if err := s.outbox.Reblogged(ctx, tx, by, reblog, status); err != nil {
		return false, err
	}
	if err := s.show(ctx, tx, reblog, followers); err != nil {
		return false, err
	}
	news := db.News{Type: db.NotifyReblog, From: by, StatusID: status.ID, Conversation: status.ConversationID}
	if err := notify.Notify(ctx, tx, news, status.AccountID); err != nil {
		return false, err
	}
	if err := holdActive(ctx, tx, by); err != nil {
		return false, err
	}
	return true, deliver(ctx, tx, reblog, followers, nil)
}

// addressReblog sets the addresses of a reblog: those of a status of its
// visibility, and the author of the reblogged status.
func (s *Service) addressReblog(ctx context.Context, tx *db.DB, by *db.Account, reblog, status *db.Status) error {
	s.addressURIs(by, reblog)
	if reblog.Visibility == db.Local {
		return nil
	}
	author := by
	if status.AccountID != by.ID {
		var err error
		if author, err = tx.Account(ctx, status.AccountID); err != nil {
			return err
		}
	}
	if reblog.Visibility == db.Public {
		reblog.CCURIs = append(reblog.CCURIs, author.URI)
	} else {
		reblog.ToURIs = append(reblog.ToURIs, author.URI)
	}
	return nil
}

// Unreblog removes the reblog of a status and returns the status. It is refused
// if there is none.
func (s *Service) Unreblog(ctx context.Context, by *db.Account, id string) (*db.Status, error) {
	var status *db.Status
	err := s.db.Tx(ctx, func(tx *db.DB) (err error) {
		if status, err = visible(ctx, tx, by, id); err != nil {
			return err
		}
		reblog, err := tx.ReblogBy(ctx, by.ID, status.ID)
		if ignoreNotFound(err) != nil {
			return err
		}
		if err == nil {
			err = s.deleted(ctx, tx, by, reblog)
		}
		if ignoreNotFound(err) == nil && err != nil {
			return fault.Malformed("Could not unrepeat")
		}
		return err
	})
	return status, err
}
