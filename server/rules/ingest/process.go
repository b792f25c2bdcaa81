package ingest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"svc/db"
	"svc/server/federation/activitypub"
)

// Incoming is an activity whose signature was verified, with the accounts that
// it concerns.
type Incoming struct {
	// Activity is normalised: addresses are lists, what nobody may send is gone.
	Activity activitypub.Object
	ID       string // "" where it has none
	Hash     string // of its body as it came
	// Actor is who the activity says did it. In a forward nobody vouches for
	// that but Actor's own server, when it is asked.
	Actor     *db.Account
	Signer    *db.Account
	Forwarded bool // Signer is not Actor: nothing that the activity holds is proved
	// Owner is whose inbox it came to, where the activity is for him; nil is the
	// shared inbox.
	Owner      *db.Account
	ReceivedAt time.Time

	db        *db.DB
	item      *item
	repeated  bool // the same Undo came before
	committed bool
}

// errTaken is an activity that another process works off, since this one was
// silent for too long.
var errTaken = errors.New("another process has the activity")

// Commit runs fn in the transaction that ends the activity: it is kept as seen
// and leaves the queue, or nothing of all that happens. An activity that was
// seen before, or undone before it came, ends without fn. Nothing may be asked
// of other servers within fn.
//
// A Follow is known by whom it is of alone: many servers follow again under the
// id of a follow that they took back. For the same reason an Undo counts each
// time.
func (in *Incoming) Commit(ctx context.Context, fn func(tx *db.DB) error) error {
	err := in.db.Tx(ctx, func(tx *db.DB) error {
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

// known keeps that the activity was seen, and reports whether nothing is to be
// done for it.
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

// dropped is why nothing becomes of an activity, now or later.
type dropped struct{ reason string }

func (d *dropped) Error() string { return d.reason }

// errDrop ends an activity: it is logged, and not tried again.
func errDrop(format string, args ...any) error { return &dropped{fmt.Sprintf(format, args...)} }

// delayed is why nothing becomes of an activity yet.
type delayed struct{ reason string }

func (d *delayed) Error() string { return d.reason }

// errLater has an activity tried again after a while, as often as the settings
// say. Errors that are neither drop nor later are faults, and tried again too.
func errLater(format string, args ...any) error { return &delayed{fmt.Sprintf(format, args...)} }

// handler carries out one kind of activity.
type handler func(ctx context.Context, in *Incoming) error

// handler returns what carries out activities of a type, nil for those that mean
// nothing here.
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

// forwarded are the types that count from others than their actors: what they
// are about is asked for where it is.
func forwarded(kind string) bool {
	return kind == "Create" || kind == "Update" || kind == "Announce" || kind == "Delete"
}

// Process carries out one activity. Errors are those of errDrop and errLater,
// policies' rejections, and faults.
func (s *Service) Process(ctx context.Context, in *Incoming) error {
	kind := in.Activity.Type()
	act := s.handler(kind)
	if act == nil {
		return errDrop("type %.50q means nothing here", kind)
	}
	// What has to be fetched is judged once more, when it is there.
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

// isNotFound reports whether err says that a row is not there.
func isNotFound(err error) bool { return errors.Is(err, db.ErrNotFound) }
