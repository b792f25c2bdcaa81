package ingest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"svc/db"
	"svc/server/federation/activitypub"
)

// Incoming is an activity with a verified signature, and the accounts that it
// concerns.
type Incoming struct {
	// Activity is normalised: addresses are lists, and disallowed parts are
	// removed.
	Activity activitypub.Object
	ID       string // "" where it has none
	Hash     string // of the received body
	// Actor is the actor of the activity. For a forwarded one only the actor's own
	// server can confirm that.
	Actor     *db.Account
	Signer    *db.Account
	Forwarded bool // Signer is not Actor: nothing in the activity is proved
	// Owner is the owner of the inbox, if the activity concerns them; nil is the
	// shared inbox.
	Owner      *db.Account
	ReceivedAt time.Time

	db        *db.DB
	item      *item
	repeated  bool // a repeated Undo
	committed bool
}

// errTaken is an activity that another process took over, since this one was
// silent for too long.
var errTaken = errors.New("another process has the activity")

// Commit runs fn in the transaction that ends the activity: it is marked as
// seen and leaves the queue, or none of it happens. An activity that was seen
// before, or undone before it came, ends without fn. fn must not call other
// servers. The activities of one actor wait for each other here, so that an act
// and its Undo in two processes do not miss each other.
//
// A Follow is identified by its accounts alone: many servers reuse the id of a
// withdrawn follow. For the same reason every Undo counts.
func (in *Incoming) Commit(ctx context.Context, fn func(tx *db.DB) error) error {
	err := in.db.Tx(ctx, func(tx *db.DB) error {
		if err := tx.HoldURIs(ctx, in.Actor.URI); err != nil {
			return err
		}
		if in.item != nil {
			err := tx.DeleteInboxItem(ctx, in.item.row.ID, in.item.row.ClaimedBy)
			if errors.Is(err, db.ErrNotFound) {
				return errTaken
			}
			if err != nil {
				return err
			}
		}
		known, err := in.known(ctx, tx)
		if err != nil || known {
			return err
		}
		return fn(tx)
	})
	in.committed = in.committed || err == nil
	return err
}

// known marks the activity as seen, and reports whether it needs no processing.
func (in *Incoming) known(ctx context.Context, tx *db.DB) (bool, error) {
	if in.ID == "" {
		return false, nil
	}
	if in.Activity.Is("Follow") {
		return tx.TakeUndone(ctx, in.ID, in.Actor.URI)
	}
	undone, fresh, err := tx.MarkActivitySeen(ctx, in.ID, in.Hash, in.Actor.URI)
	if err != nil {
		return false, err
	}
	if in.Activity.Is("Undo") {
		in.repeated = !fresh
		return false, nil
	}
	return undone || !fresh, nil
}

// dropped is the reason why an activity is dropped for good.
type dropped struct{ reason string }

func (d *dropped) Error() string { return d.reason }

// errDrop ends an activity: it is logged, and not tried again.
func errDrop(format string, args ...any) error { return &dropped{fmt.Sprintf(format, args...)} }

// delayed is the reason why an activity is postponed.
type delayed struct{ reason string }

func (d *delayed) Error() string { return d.reason }

// errLater postpones an activity, as often as the settings say. Other errors
// are faults, and tried again too.
func errLater(format string, args ...any) error { return &delayed{fmt.Sprintf(format, args...)} }

// handler carries out one type of activity.
type handler func(ctx context.Context, in *Incoming) error

// handler returns the handler of a type of activity, nil for types that are
// ignored.
func (s *Service) handler(kind string) handler {
	switch kind {
	case "Follow":
		return s.onFollow
	case "Accept":
		return s.onAccept
	case "Reject":
		return s.onReject
	case "Undo":
		return s.onUndo
	case "Block":
		return s.onBlock
	case "Update":
		return s.onUpdate
	case "Delete":
		return s.onDelete
	case "Move":
		return s.onMove
	case "Flag":
		return s.onFlag
	case "Create":
		return s.onCreate
	case "Like":
		return s.onLike
	case "EmojiReact":
		return s.onReact
	case "Announce":
		return s.onAnnounce
	case "QuoteRequest":
		return s.onQuoteRequest
	case "Add", "Remove":
		return s.onPin
	}
	return nil
}

// forwarded reports whether activities of a type count from others than their
// actors: their objects are fetched from their own servers.
func forwarded(kind string) bool {
	return kind == "Create" || kind == "Update" || kind == "Announce" || kind == "Delete"
}

// Process carries out one activity. Errors are those of errDrop and errLater,
// rejections by policies, and faults.
func (s *Service) Process(ctx context.Context, in *Incoming) error {
	kind := in.Activity.Type()
	act := s.handler(kind)
	if act == nil {
		return errDrop("type %.50q means nothing here", kind)
	}
	// Fetched objects are judged once more.
	judged, err := s.judge(ctx, in.Actor, in.Activity)
	if err != nil {
		return err
	}
	in.Activity = judged
	if err := act(ctx, in); err != nil {
		return err
	}
	if in.committed {
		return nil
	}
	return in.Commit(ctx, func(*db.DB) error { return nil })
}

// isNotFound reports whether err means a missing row.
func isNotFound(err error) bool { return errors.Is(err, db.ErrNotFound) }
