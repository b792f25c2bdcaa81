package social

import (
	"context"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/platform/jobs"
	"svc/server/platform/text"
	"svc/server/rules/notify"
)

// tellNow is the number of subscribers that are notified in the author's own
// request; above, a job notifies them all.
const tellNow = 200

// tellChunk bounds the subscribers that one transaction of that job notifies.
const tellChunk = 1000

// Subscribe subscribes by to an account's statuses, followed or not. Repeating
// it changes nothing; a subscription by a follow becomes one of this kind. It is refused if the account blocks by.
func (s *Service) Subscribe(ctx context.Context, by *db.Account, targetID string) error {
	if by.ID == targetID {
		return fault.Malformed("Can not subscribe to yourself")
	}
	return s.withTargetHeld(ctx, by, targetID, func(tx *db.DB) error {
		blocked, err := tx.Blocks(ctx, targetID, by.ID)
		if err != nil {
			return err
		}
		if blocked {
			target, err := tx.Account(ctx, targetID)
			if err != nil {
				return err
			}
			return fault.Forbiddenf("Could not subscribe: %s is blocking you", target.Nickname)
		}
		return tx.PutSubscription(ctx, by.ID, targetID, false)
	})
}

// Unsubscribe ends a subscription; none is no error.
func (s *Service) Unsubscribe(ctx context.Context, by *db.Account, targetID string) error {
	return s.withTargetHeld(ctx, by, targetID, func(tx *db.DB) error { return tx.DeleteSubscription(ctx, by.ID, targetID) })
}

// notifySubscribers notifies the subscribers of an author of a new status that
// is no reply and that they may see. Mentioned accounts are notified already.
func notifySubscribers(ctx context.Context, tx *db.DB, by *db.Account, row *db.Status) error {
	if row.InReplyToID != nil || row.InReplyToURI != "" || !counted(row.Visibility) && row.Visibility != db.Private {
		return nil
	}
	of, err := tx.Subscribers(ctx, row, "", tellNow+1)
	if err != nil || len(of) == 0 {
		return err
	}
	if len(of) > tellNow {
		return jobs.Enqueue(ctx, tx, jobs.TellSubscribers{StatusID: row.ID})
	}
	return tellSubscribers(ctx, tx, by, row, of)
}

// tellSubscribers notifies subscribers of a status: as a mention, as those of the
// service's own kind know it, or as a status.
func tellSubscribers(ctx context.Context, tx *db.DB, by *db.Account, row *db.Status, of []db.Subscriber) error {
	for _, byFollow := range []bool{false, true} {
		news, to := postNews(by, row), []string(nil)
		if byFollow {
			news.Type = db.NotifyStatus
		}
		for _, s := range of {
			if s.ByFollow == byFollow {
				to = append(to, s.AccountID)
			}
		}
		if len(to) == 0 {
			continue
		}
		if err := notify.Notify(ctx, tx, news, to...); err != nil {
			return err
		}
	}
	return nil
}

// postNews returns the notification of a new status, for mentioned accounts and
// subscribers. Others about a status have another type.
func postNews(by *db.Account, row *db.Status) db.News {
	return db.News{
		Type: db.NotifyMention, From: by, StatusID: row.ID, Conversation: row.ConversationID,
		Text: row.SpoilerText + "\n" + text.Plain(row.Content),
	}
}

// TellSubscribers runs a job of its kind, in steps of their own transactions.
// Run twice it notifies nobody twice.
func (s *Service) TellSubscribers(ctx context.Context, job jobs.TellSubscribers) error {
	return db.StepsFrom(ctx, s.db, "", func(tx *db.DB, after string) (next string, err error) {
		row, err := tx.StatusByID(ctx, job.StatusID)
		if err != nil {
			return "", ignoreNotFound(err)
		}
		by, err := tx.Account(ctx, row.AccountID)
		if err != nil {
			return "", err
		}
		of, err := tx.Subscribers(ctx, row, after, tellChunk)
		if err != nil {
			return "", err
		}
		if len(of) == tellChunk {
			next = of[len(of)-1].AccountID
		}
		return next, tellSubscribers(ctx, tx, by, row, of)
	})
}
