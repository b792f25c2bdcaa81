package social

import (
	"context"
	"errors"
	"slices"

	"svc/db"
	"svc/server/platform/text"
)

// VisibleToRemote returns the status that a remote account speaks of, where it may see
// it: any other is db.ErrNotFound, as if there were none. What stays on this
// server is not for it, nor what not everybody may see by an author who blocks
// it.
func (s *Service) VisibleToRemote(ctx context.Context, by *db.Account, id string) (*db.Status, error) {
	return shownTo(ctx, s.db, by, id)
}

func shownTo(ctx context.Context, d *db.DB, by *db.Account, id string) (*db.Status, error) {
	status, err := visible(ctx, d, by, id)
	if err != nil {
		return nil, err
	}
	switch status.Visibility {
	case db.Public, db.Unlisted:
		return status, nil
	case db.Local:
		return nil, errNotFound("status", id)
	}
	blocked, err := d.Blocks(ctx, status.AccountID, by.ID)
	if err == nil && blocked {
		err = errNotFound("status", id)
	}
	if err != nil {
		return nil, err
	}
	return status, nil
}

// TakeFavourite has a remote account like a status; uri is the activity's id.
// Repeating changes nothing. A status that it may not see is db.ErrNotFound.
func (s *Service) TakeFavourite(ctx context.Context, by *db.Account, id, uri string) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		status, err := shownTo(ctx, tx, by, id)
		if err != nil {
			return err
		}
		return s.favourited(ctx, tx, by, status, uri)
	})
}

// TakeReaction has a remote account react to a status with an emoji: one
// character, or a shortcode between colons. It is TakeFavourite otherwise.
func (s *Service) TakeReaction(ctx context.Context, by *db.Account, id, emoji, uri string) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		status, err := shownTo(ctx, tx, by, id)
		if err != nil {
			return err
		}
		return s.reacted(ctx, tx, by, status, emoji, uri)
	})
}

// RemoteReblog is a reblog of another server.
type RemoteReblog struct {
	URI    string // the activity's id
	To, CC []string
	At     db.Time // zero is now
}

// TakeReblog has a remote account reblog the status that id names. One that not
// everybody may see is reblogged by its author alone, and not for everybody;
// any other is db.ErrNotFound. Repeating changes nothing.
func (s *Service) TakeReblog(ctx context.Context, by *db.Account, id string, in RemoteReblog) error {
	followers, err := s.db.LocalFollowers(ctx, by.ID, fanOutNow+1)
	if err != nil {
		return err
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		status, err := shownTo(ctx, tx, by, id)
		if err != nil {
			return err
		}
		as := reblogVisibility(by, in)
		switch status.Visibility {
		case db.Public, db.Unlisted:
		case db.Private:
			if status.AccountID != by.ID || as == db.Public || as == db.Unlisted {
				return errNotFound("status", id)
			}
		default:
			return errNotFound("status", id)
		}
		uri := in.URI
		reblog := &db.Status{
			ID: tx.NewID(), AccountID: by.ID, URI: &uri, Visibility: as, ReblogOfID: &status.ID, ReblogOfAccountID: &status.AccountID,
			HasMedia: status.HasMedia, ToURIs: in.To, CCURIs: in.CC, CreatedAt: in.At,
		}
		if reblog.CreatedAt.IsZero() || reblog.CreatedAt.After(s.now()) {
			reblog.CreatedAt = tx.Now()
		}
		_, err = s.reblogged(ctx, tx, by, reblog, status, int64(followers))
		return err
	})
}

func reblogVisibility(by *db.Account, in RemoteReblog) string {
	all := slices.Concat(in.To, in.CC)
	switch {
	case slices.Contains(in.To, Public):
		return db.Public
	case slices.Contains(in.CC, Public):
		return db.Unlisted
	case by.FollowersURI != "" && slices.Contains(all, by.FollowersURI):
		return db.Private
	}
	return db.Direct
}

// RemoteInteraction is a favourite, reaction or reblog as whoever takes it back names it.
type RemoteInteraction struct {
	URI    string // the activity's id, "" for none
	Type   string // Like, EmojiReact or Announce; "" where only the id is told
	Object string // what it was about
	Emoji  string // of a reaction
}

// UndoRemote takes back what a remote account did: what has that id, or else what
// it did of that kind to that object. It reports whether there was anything.
func (s *Service) UndoRemote(ctx context.Context, by *db.Account, act RemoteInteraction) (found bool, err error) {
	err = s.db.Tx(ctx, func(tx *db.DB) error {
		found, err = s.undoByURI(ctx, tx, by, act.URI)
		if err != nil || found || act.Object == "" {
			return err
		}
		status, err := tx.StatusByURI(ctx, act.Object)
		if err != nil {
			return ignoreNotFound(err)
		}
		switch act.Type {
		case "Like":
			if found, err = tx.DeleteFavourite(ctx, by.ID, status.ID); err != nil || found || act.Emoji == "" {
				return err
			}
			found, err = tx.DeleteReaction(ctx, by.ID, status.ID, act.Emoji)
		case "EmojiReact":
			found, err = tx.DeleteReaction(ctx, by.ID, status.ID, act.Emoji)
		case "Announce":
			var reblog *db.Status
			if reblog, err = tx.ReblogBy(ctx, by.ID, status.ID); err != nil {
				return ignoreNotFound(err)
			}
			found, err = true, s.deleted(ctx, tx, by, reblog)
		}
		return err
	})
	return found, err
}

func (s *Service) undoByURI(ctx context.Context, tx *db.DB, by *db.Account, uri string) (bool, error) {
	if uri == "" {
		return false, nil
	}
	f, err := tx.FavouriteByURI(ctx, uri)
	if err == nil && f.AccountID == by.ID {
		return tx.DeleteFavourite(ctx, by.ID, f.StatusID)
	}
	if ignoreNotFound(err) != nil {
		return false, err
	}
	r, err := tx.ReactionByURI(ctx, uri)
	if err == nil && r.AccountID == by.ID {
		return tx.DeleteReaction(ctx, by.ID, r.StatusID, r.Emoji)
	}
	if ignoreNotFound(err) != nil {
		return false, err
	}
	reblog, err := tx.StatusByURI(ctx, uri)
	if err == nil && reblog.AccountID == by.ID && reblog.ReblogOfID != nil {
		return true, s.deleted(ctx, tx, by, reblog)
	}
	return false, ignoreNotFound(err)
}

// maxFeatured is how many statuses of a remote account are shown on its profile.
const maxFeatured = 20

// TakePin shows a status on its remote author's profile, or no more. One that is
// another's, or not for everybody, is db.ErrNotFound; of too many none is added.
func (s *Service) TakePin(ctx context.Context, by *db.Account, id string, pinned bool) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if err := tx.HoldAccounts(ctx, by.ID); err != nil {
			return err
		}
		now, err := tx.PinnedIDs(ctx, by.ID)
		if err != nil || pinned == slices.Contains(now, id) || pinned && len(now) >= maxFeatured {
			return err
		}
		return s.repinRemote(ctx, tx, by, id, pinned)
	})
}

func (s *Service) repinRemote(ctx context.Context, tx *db.DB, by *db.Account, id string, pinned bool) error {
	status, err := tx.StatusByID(ctx, id)
	if err != nil {
		return err
	}
	if status.AccountID != by.ID || status.ReblogOfID != nil || status.Visibility != db.Public && status.Visibility != db.Unlisted {
		return errNotFound("status", id)
	}
	return s.pinned(ctx, tx, by, status, pinned)
}

// TakePins has a remote account's profile show these statuses of its own and no
// others.
func (s *Service) TakePins(ctx context.Context, by *db.Account, ids []string) error {
	ids = ids[:min(len(ids), maxFeatured)]
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if err := tx.HoldAccounts(ctx, by.ID); err != nil {
			return err
		}
		now, err := tx.PinnedIDs(ctx, by.ID)
		if err != nil {
			return err
		}
		for _, id := range now {
			if !slices.Contains(ids, id) {
				if err := s.repinRemote(ctx, tx, by, id, false); ignoreNotFound(err) != nil {
					return err
				}
			}
		}
		for _, id := range ids {
			if !slices.Contains(now, id) {
				if err := s.repinRemote(ctx, tx, by, id, true); ignoreNotFound(err) != nil {
					return err
				}
			}
		}
		return nil
	})
}

// ErrNoVote is a vote that does not count.
var ErrNoVote = errors.New("a vote that does not count")

// TakeVote counts the vote of a remote account in the poll of a local status:
// for the option of that name, while the poll is open, once for each option
// and, where only one may be chosen, once at all. uri is the vote's id. What
// does not count is ErrNoVote; a status that the voter may not see is
// db.ErrNotFound.
func (s *Service) TakeVote(ctx context.Context, by *db.Account, statusID, option, uri string) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		// Whoever votes holds the status, so from here on the poll stands still.
		if err := tx.HoldStatus(ctx, statusID); err != nil {
			return err
		}
		status, err := shownTo(ctx, tx, by, statusID)
		if err != nil {
			return err
		}
		if status.PollID == nil || !status.Local || status.AccountID == by.ID {
			return ErrNoVote
		}
		poll, err := tx.Poll(ctx, *status.PollID)
		if err != nil {
			return err
		}
		choice := slices.IndexFunc(poll.Options, func(o db.PollOption) bool { return o.Title == option })
		if choice < 0 {
			choice = slices.IndexFunc(poll.Options, func(o db.PollOption) bool { return o.Title == text.StripTags(option) })
		}
		if choice < 0 || poll.Closed(db.At(s.now())) {
			return ErrNoVote
		}
		counts, err := tx.TakeVote(ctx, poll, by.ID, choice, uri)
		if err != nil {
			return err
		}
		if !counts {
			return ErrNoVote
		}
		return s.outbox.PollTallied(ctx, tx, poll, status)
	})
}
