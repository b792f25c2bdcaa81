package social

import (
	"context"
	"errors"
	"slices"
	"strings"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/platform/jobs"
	"svc/server/platform/text"
	"svc/server/rules/notify"
)

// FollowOptions are the choices of a follower; nil keeps a value. In a new follow,
// Reblogs means true, Notify no subscription, and Languages all. Languages are ISO 639-1
// codes; none are all.
type FollowOptions struct {
	Reblogs   *bool
	Notify    *bool
	Languages []string
}

// valid returns o with its languages each once and in lower case.
func (o FollowOptions) valid() (FollowOptions, error) {
	if o.Languages == nil {
		return o, nil
	}
	codes := []string{}
	for _, code := range o.Languages {
		code = strings.ToLower(code)
		if !text.IsLanguage(code) {
			return o, fault.Invalid("Validation failed: Languages are no codes of ISO 639-1")
		}
		if !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
	}
	o.Languages = codes
	return o, nil
}

// FollowState is a state of a follow, as its follower's streams are told.
type FollowState string

// The states of a follow.
const (
	FollowRequested FollowState = "follow_pending"
	FollowBegun     FollowState = "follow_accept"
	FollowRefused   FollowState = "follow_reject" // ended by its target
	FollowEnded     FollowState = "unfollow"
)

// Follow follows an account, or requests to if it is locked. Repeating it
// changes the options, and asks again where there is no answer yet. It is refused for oneself, for a deactivated account,
// and if either blocks the other.
func (s *Service) Follow(ctx context.Context, by *db.Account, targetID string, o FollowOptions) error {
	if by.ID == targetID {
		return fault.Malformed("Can not follow yourself")
	}
	o, err := o.valid()
	if err != nil {
		return err
	}
	return s.withTarget(ctx, by, targetID, func(tx *db.DB, target *db.Account) error {
		if err := s.mayFollow(ctx, tx, by, target); err != nil {
			return err
		}
		f, err := tx.Follow(ctx, by.ID, target.ID)
		if errors.Is(err, db.ErrNotFound) {
			if err := s.follow(ctx, tx, by, target, o); err != nil {
				return err
			}
			return subscribed(ctx, tx, by.ID, target.ID, o)
		}
		if err != nil {
			return err
		}
		if err := subscribed(ctx, tx, by.ID, target.ID, o); err != nil {
			return err
		}
		uri := ""
		if f.Pending && !target.Local {
			uri = s.newURI("activities") // servers skip an id that they know
		}
		if err := repeated(ctx, tx, f, target, uri, o); err != nil || uri == "" {
			return err
		}
		return s.outbox.Followed(ctx, tx, by, target, f)
	})
}

// subscribed begins or ends the subscription of a follower who chose so.
func subscribed(ctx context.Context, tx *db.DB, followerID, targetID string, o FollowOptions) error {
	if o.Notify == nil {
		return nil
	}
	if *o.Notify {
		return tx.PutSubscription(ctx, followerID, targetID, true)
	}
	return tx.DeleteSubscription(ctx, followerID, targetID)
}

// repeated is the effect of a repeated follow, local or remote: its answer may
// have been lost, and its target may have been unlocked since. Of the activities'
// ids the newest is kept; "" is no new one.
func repeated(ctx context.Context, tx *db.DB, f *db.Follow, target *db.Account, uri string, o FollowOptions) error {
	var columns []string
	if uri != "" && uri != f.URI {
		f.URI, columns = uri, append(columns, "uri")
	}
	if o.Reblogs != nil && *o.Reblogs != f.Reblogs {
		f.Reblogs, columns = *o.Reblogs, append(columns, "reblogs")
	}
	if o.Languages != nil && !slices.Equal(o.Languages, []string(f.Languages)) {
		f.Languages, columns = o.Languages, append(columns, "languages")
	}
	if f.Pending && target.Local && !target.Locked {
		return accepted(ctx, tx, target, f, columns...)
	}
	if len(columns) == 0 {
		return nil
	}
	return tx.UpdateFollow(ctx, f, columns...)
}

func (s *Service) mayFollow(ctx context.Context, tx *db.DB, by, target *db.Account) error {
	if target.Deactivated || by.Deactivated {
		return fault.Forbidden("rejected")
	}
	blocked, err := tx.Blocks(ctx, by.ID, target.ID)
	if err == nil && !blocked && s.settings.Load().User.DenyFollowBlocked {
		if blocked, err = tx.Blocks(ctx, target.ID, by.ID); err == nil && !blocked {
			blocked, err = tx.BlocksDomainOf(ctx, target.ID, by)
		}
	}
	if err == nil && blocked {
		return fault.Forbidden("rejected")
	}
	return err
}

func (s *Service) follow(ctx context.Context, tx *db.DB, by, target *db.Account, o FollowOptions) error {
	if err := s.admitFollow(ctx, tx, by, target); err != nil {
		return err
	}
	f := &db.Follow{
		FollowerID: by.ID, TargetID: target.ID, URI: s.newURI("activities"),
		Pending: target.Locked || by.Local && !target.Local, // until its server says so
		Reblogs: o.Reblogs == nil || *o.Reblogs, Languages: o.Languages, Local: by.Local,
	}
	return s.followed(ctx, tx, by, target, f)
}

// followed is the effect of a new follow or follow request, local or remote.
func (s *Service) followed(ctx context.Context, tx *db.DB, by, target *db.Account, f *db.Follow) error {
	if err := tx.CreateFollow(ctx, f); err != nil {
		return err
	}
	if err := s.outbox.Followed(ctx, tx, by, target, f); err != nil {
		return err
	}
	if f.Narrowed() {
		if err := tx.Announce(ctx, db.AccountChanged, by.ID); err != nil {
			return err
		}
	}
	news := db.News{Type: db.NotifyFollow, From: by}
	if f.Pending {
		news.Type = db.NotifyFollowRequest
		if err := related(ctx, tx, f, FollowRequested); err != nil {
			return err
		}
	} else if err := accept(ctx, tx, f); err != nil {
		return err
	}
	return notify.Notify(ctx, tx, news, target.ID)
}

// accepted is the effect of a follow request that its target, local or remote,
// accepts. also names further changed columns of f.
func accepted(ctx context.Context, tx *db.DB, target *db.Account, f *db.Follow, also ...string) error {
	f.Pending = false
	if err := tx.UpdateFollow(ctx, f, append(also, "pending")...); err != nil {
		return err
	}
	if target.Local {
		if err := tx.FollowRequestAccepted(ctx, target.ID, f.FollowerID); err != nil {
			return err
		}
	}
	return accept(ctx, tx, f)
}

// accept applies an accepted follow: counters, and the author's newest statuses
// on the follower's home timeline.
func accept(ctx context.Context, tx *db.DB, f *db.Follow) error {
	if err := countFollow(ctx, tx, f, 1); err != nil || !f.Local {
		return err
	}
	if err := related(ctx, tx, f, FollowBegun); err != nil {
		return err
	}
	return tx.BackfillHome(ctx, f, backfill)
}

// related emits the new state of a local account's follow, for its open streams.
func related(ctx context.Context, tx *db.DB, f *db.Follow, state FollowState) error {
	if !f.Local {
		return nil
	}
	return tx.Emit(ctx, db.Event{Kind: db.EventRelationship, Subject: f.TargetID, AccountID: f.FollowerID, Data: string(state)})
}

// countFollow changes the counters of both accounts. The follower does not
// count the follow of a deactivated account.
func countFollow(ctx context.Context, tx *db.DB, f *db.Follow, by int64) error {
	if by > 0 {
		target, err := tx.Account(ctx, f.TargetID)
		if err != nil {
			return err
		}
		if target.Deactivated {
			f.Uncounted = true
			if err := tx.UpdateFollow(ctx, f, "uncounted"); err != nil {
				return err
			}
		}
	}
	if err := tx.AddCounts(ctx, f.TargetID, db.Counts{Followers: by}); err != nil || f.Uncounted {
		return err
	}
	return tx.AddCounts(ctx, f.FollowerID, db.Counts{Following: by})
}

// Unfollow ends a follow or a request; none is no error.
func (s *Service) Unfollow(ctx context.Context, by *db.Account, targetID string) error {
	if by.ID == targetID {
		return fault.Malformed("Can not unfollow yourself")
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if err := tx.HoldAccounts(ctx, by.ID, targetID); err != nil {
			return err
		}
		target, err := tx.Account(ctx, targetID)
		if err != nil {
			return err
		}
		return s.endFollow(ctx, tx, by, target)
	})
}

// endFollow ends a follow of target and tells its server.
func (s *Service) endFollow(ctx context.Context, tx *db.DB, by, target *db.Account) error {
	f, err := CutFollow(ctx, tx, by.ID, target.ID, FollowEnded)
	if err != nil || f == nil {
		return err
	}
	return s.outbox.Unfollowed(ctx, tx, by, target, f)
}

// RemoveFollower ends the follow of by by an account and tells its server; none, or a
// request, stays as it is.
func (s *Service) RemoveFollower(ctx context.Context, by *db.Account, followerID string) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if err := tx.HoldAccounts(ctx, by.ID, followerID); err != nil {
			return err
		}
		follower, err := tx.Account(ctx, followerID)
		if err != nil {
			return err
		}
		f, err := tx.Follow(ctx, followerID, by.ID)
		if err != nil || f.Pending {
			return ignoreNotFound(err)
		}
		if err := removeFollow(ctx, tx, followerID, by.ID, FollowRefused); err != nil {
			return err
		}
		return s.outbox.Rejected(ctx, tx, by, follower, f)
	})
}

// removeFollow removes a follow or request, if there is one, with its
// subscription, without telling other servers. Both accounts must be held.
func removeFollow(ctx context.Context, tx *db.DB, followerID, targetID string, state FollowState) error {
	_, err := CutFollow(ctx, tx, followerID, targetID, state)
	return err
}

// CutFollow removes a follow or request, on behalf of either side: row,
// subscription, counters, notifications and home entries. Its follower is told
// of state. It tells no other server, and returns the removed follow, nil for
// none. Both accounts must be held.
func CutFollow(ctx context.Context, tx *db.DB, followerID, targetID string, state FollowState) (*db.Follow, error) {
	if err := tx.DeleteSubscription(ctx, followerID, targetID); err != nil {
		return nil, err
	}
	f, err := tx.Follow(ctx, followerID, targetID)
	if err != nil {
		return nil, ignoreNotFound(err)
	}
	if err := tx.DeleteFollow(ctx, f); err != nil {
		return nil, err
	}
	if err := related(ctx, tx, f, state); err != nil {
		return nil, err
	}
	if f.Pending {
		return f, tx.DeleteFollowRequestNotification(ctx, targetID, followerID)
	}
	if err := countFollow(ctx, tx, f, -1); err != nil || !f.Local {
		return f, err
	}
	return f, jobs.Enqueue(ctx, tx, jobs.Unfollowed{AccountID: followerID, AuthorID: targetID})
}

// ForceFollow makes an account follow another for an admin: at once, even if
// the other is locked, and without notification. It does nothing for a single
// account, a deactivated target, a target that blocks the follower, and an
// existing follow.
func (s *Service) ForceFollow(ctx context.Context, followerID, targetID string) error {
	if followerID == targetID {
		return nil
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if err := tx.HoldAccounts(ctx, followerID, targetID); err != nil {
			return err
		}
		follower, err := tx.Account(ctx, followerID)
		if err != nil {
			return err
		}
		target, err := tx.Account(ctx, targetID)
		if err != nil || target.Deactivated || target.Invisible {
			return err
		}
		blocked, err := tx.Blocks(ctx, targetID, followerID)
		if err != nil || blocked {
			return err
		}
		f, err := tx.Follow(ctx, followerID, targetID)
		switch {
		case errors.Is(err, db.ErrNotFound):
			f = &db.Follow{FollowerID: followerID, TargetID: targetID, URI: s.newURI("activities"), Reblogs: true, Local: follower.Local}
			err = tx.CreateFollow(ctx, f)
		case err != nil || !f.Pending:
			return err
		default:
			f.Pending = false
			if err = tx.UpdateFollow(ctx, f, "pending"); err == nil {
				err = tx.DeleteFollowRequestNotification(ctx, targetID, followerID)
			}
		}
		if err != nil {
			return err
		}
		return accept(ctx, tx, f)
	})
}

// ForceUnfollow ends a follow or request for an admin; none is no error.
func (s *Service) ForceUnfollow(ctx context.Context, followerID, targetID string) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if err := tx.HoldAccounts(ctx, followerID, targetID); err != nil {
			return err
		}
		return removeFollow(ctx, tx, followerID, targetID, FollowEnded)
	})
}

// AuthorizeFollow accepts the follow request of an account. Without a request
// it is db.ErrNotFound.
func (s *Service) AuthorizeFollow(ctx context.Context, by *db.Account, followerID string) error {
	return s.answerFollow(ctx, by, followerID, func(tx *db.DB, f *db.Follow) error {
		if err := accepted(ctx, tx, by, f); err != nil {
			return err
		}
		return s.answerFollower(ctx, tx, by, f, s.outbox.Accepted)
	})
}

// RejectFollow rejects the follow request of an account. Without a request it
// is db.ErrNotFound.
func (s *Service) RejectFollow(ctx context.Context, by *db.Account, followerID string) error {
	return s.answerFollow(ctx, by, followerID, func(tx *db.DB, f *db.Follow) error {
		if err := removeFollow(ctx, tx, f.FollowerID, f.TargetID, FollowRefused); err != nil {
			return err
		}
		return s.answerFollower(ctx, tx, by, f, s.outbox.Rejected)
	})
}

// acceptChunk is how many follow requests a step of AcceptWaiting accepts.
const acceptChunk = 50

// AcceptWaiting runs a job of its kind, in steps of their own transactions, until
// the account is locked again. Run twice it accepts nothing twice.
func (s *Service) AcceptWaiting(ctx context.Context, job jobs.AcceptWaiting) error {
	return db.StepsFrom(ctx, s.db, "", func(tx *db.DB, after string) (next string, err error) {
		ids, err := tx.Waiting(ctx, job.AccountID, after, acceptChunk)
		if err != nil || len(ids) == 0 {
			return "", err
		}
		if err := tx.HoldAccounts(ctx, append(slices.Clone(ids), job.AccountID)...); err != nil {
			return "", ignoreNotFound(err)
		}
		target, err := tx.Account(ctx, job.AccountID)
		if err != nil || target.Locked || target.Deactivated {
			return "", ignoreNotFound(err)
		}
		for _, id := range ids {
			if err := s.acceptWaiting(ctx, tx, target, id); err != nil {
				return "", err
			}
		}
		if len(ids) == acceptChunk {
			next = ids[len(ids)-1]
		}
		return next, nil
	})
}

func (s *Service) acceptWaiting(ctx context.Context, tx *db.DB, target *db.Account, followerID string) error {
	follower, err := tx.Account(ctx, followerID)
	if err != nil {
		return ignoreNotFound(err)
	}
	if err := s.mayFollow(ctx, tx, follower, target); err != nil {
		if fault.Is(err, fault.KindForbidden) {
			return nil
		}
		return err
	}
	f, err := tx.Follow(ctx, followerID, target.ID)
	if err != nil || !f.Pending {
		return ignoreNotFound(err)
	}
	if err := accepted(ctx, tx, target, f); err != nil {
		return err
	}
	return s.answerFollower(ctx, tx, target, f, s.outbox.Accepted)
}

// answerFollower sends the answer to a remote account's follow of by.
func (s *Service) answerFollower(ctx context.Context, tx *db.DB, by *db.Account, f *db.Follow,
	tell func(ctx context.Context, tx *db.DB, by, follower *db.Account, f *db.Follow) error) error {
	if f.Local {
		return nil
	}
	follower, err := tx.Account(ctx, f.FollowerID)
	if err != nil {
		return err
	}
	return tell(ctx, tx, by, follower, f)
}

func (s *Service) answerFollow(ctx context.Context, by *db.Account, followerID string, answer func(tx *db.DB, f *db.Follow) error) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if err := tx.HoldAccounts(ctx, by.ID, followerID); err != nil {
			return err
		}
		f, err := tx.Follow(ctx, followerID, by.ID)
		if err != nil {
			return err
		}
		if !f.Pending {
			return errNotFound("follow request of", followerID)
		}
		return answer(tx, f)
	})
}
