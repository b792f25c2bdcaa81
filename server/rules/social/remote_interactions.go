package social

import (
	"context"
	"errors"
	"slices"
	"time"

	"golang.org/x/text/unicode/norm"

	"svc/db"
	"svc/server/platform/text"
)

// VisibleToRemote returns a status if a remote account may see it; else it is
// db.ErrNotFound. Local-only statuses are never visible, and non-public ones
// are not if their author blocks the account.
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

// TakeFavourite favourites a status for a remote account; uri is the activity's
// id. Repeating it changes nothing. A status that the account may not see is
// db.ErrNotFound.
func (s *Service) TakeFavourite(ctx context.Context, by *db.Account, id, uri string) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		status, err := shownTo(ctx, tx, by, id)
		if err != nil {
			return err
		}
		return s.favourited(ctx, tx, by, status, uri)
	})
}

// TakeReaction reacts to a status for a remote account with an emoji: one
// character, or a shortcode between colons. Otherwise it is like TakeFavourite.
func (s *Service) TakeReaction(ctx context.Context, by *db.Account, id, emoji, uri string) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		status, err := shownTo(ctx, tx, by, id)
		if err != nil {
			return err
		}
		return s.reacted(ctx, tx, by, status, emoji, uri)
	})
}

// RemoteReblog is a reblog on another server.
type RemoteReblog struct {
	URI    string // the activity's id
	To, CC []string
	At     db.Time // zero is now
}

// TakeReblog reblogs a status for a remote account. A non-public status may be
// reblogged by its author alone, and not publicly; any other is db.ErrNotFound.
// Repeating it changes nothing.
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
			AccountID: by.ID, URI: &uri, Visibility: as, ReblogOfID: &status.ID, ReblogOfAccountID: &status.AccountID,
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

// RemoteInteraction names a favourite, reaction or reblog in an Undo.
type RemoteInteraction struct {
	URI    string // the activity's id, "" for none
	Type   string // Like, EmojiReact or Announce; "" if only the id is known
	Object string // the id of its object
	Emoji  string // of a reaction
}

// UndoRemote undoes an interaction of a remote account: the one with its id, or
// else the one of its kind with its object. It reports whether there was one.
func (s *Service) UndoRemote(ctx context.Context, by *db.Account, act RemoteInteraction) (found bool, err error) {
	err = s.db.Tx(ctx, func(tx *db.DB) error {
		found, err = s.undoByURI(ctx, tx, by, act.URI)
		if err != nil || found || act.Object == "" {
			return err
		}
		status, err := tx.StatusAt(ctx, act.Object)
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

// maxFeatured bounds the pinned statuses of a remote account.
const maxFeatured = 20

// TakePin pins or unpins a status on its remote author's profile. A status of
// another author, or one that is neither public nor unlisted, is
// db.ErrNotFound; above the limit none is added. An unknown status, which can only
// be unpinned, has the id "".
func (s *Service) TakePin(ctx context.Context, by *db.Account, id string, pinned bool) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if id != "" {
			if err := tx.HoldStatus(ctx, id); err != nil {
				return err
			}
		}
		if err := tx.HoldAccounts(ctx, by.ID); err != nil {
			return err
		}
		if err := tx.PinsTold(ctx, by.ID); err != nil {
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

// CollectionAge is how old an answer with a collection may be: servers, and caches in
// front of them, send the same one for some minutes.
const CollectionAge = 5 * time.Minute

// TakePins makes these statuses, and no others, the pinned ones of a remote
// account, as its collection had them when it was asked for. If the account may have
// told pins after that by activities, these stand: nothing is changed, and later is
// when the collection can be asked for again.
func (s *Service) TakePins(ctx context.Context, by *db.Account, ids []string, asked db.Time) (later time.Time, err error) {
	ids = ids[:min(len(ids), maxFeatured)]
	err = s.db.Tx(ctx, func(tx *db.DB) error {
		now, err := tx.PinnedIDs(ctx, by.ID)
		if err != nil {
			return err
		}
		if err := tx.HoldStatuses(ctx, slices.Concat(now, ids)...); err != nil {
			return err
		}
		if err := tx.HoldAccounts(ctx, by.ID); err != nil {
			return err
		}
		held, err := tx.Account(ctx, by.ID)
		if err != nil {
			return err
		}
		if until := held.PinsToldAt.Add(CollectionAge); !held.PinsToldAt.IsZero() && until.After(asked.Time) {
			later = until.Time
			return nil
		}
		now, err = tx.PinnedIDs(ctx, by.ID)
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
	return later, err
}

// ErrNoVote is a vote that does not count.
var ErrNoVote = errors.New("a vote that does not count")

// TakeVote counts a remote account's vote in the poll of a local status: for
// the option of that name, while the poll is open, once for each option and, in
// a single choice, once at all. uri is the vote's id. A vote that does not
// count is ErrNoVote; a status that the voter may not see is db.ErrNotFound.
func (s *Service) TakeVote(ctx context.Context, by *db.Account, statusID, option, uri string) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		// Every vote holds the status, so that the poll cannot change from here on.
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
		choice := slices.IndexFunc(poll.Options, func(o db.PollOption) bool { return o.Named() == option })
		if choice < 0 { // some servers trim names, or send them in another Unicode form
			choice = slices.IndexFunc(poll.Options, func(o db.PollOption) bool { return norm.NFC.String(o.Title) == norm.NFC.String(text.Line(option)) })
		}
		if choice < 0 || poll.Closed(db.At(s.now())) {
			return ErrNoVote
		}
		if err := keepActive(ctx, tx, by); err != nil {
			return err
		}
		counts, err := tx.TakeVote(ctx, poll, by.ID, choice, uri)
		if err != nil {
			return err
		}
		if !counts {
			return ErrNoVote
		}
		if err := awaitEnd(ctx, tx, poll); err != nil {
			return err
		}
		return s.outbox.PollTallied(ctx, tx, poll, status)
	})
}
