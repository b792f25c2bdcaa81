package social

import (
	"context"
	"slices"
	"strings"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/platform/jobs"
	"svc/server/platform/text"
)

const (
	// maxTitle is how long a list's title may be, in characters.
	maxTitle = 255
	// maxAtOnce is how many members one request may name.
	maxAtOnce = 500
)

// List is the requested state of a list. nil keeps a value or, in a new list, means
// replies to members, and not exclusive.
type List struct {
	Title         *string
	RepliesPolicy *string
	Exclusive     *bool
}

// CreateList creates a list and returns it, once for an idempotency key, which
// may be empty.
func (s *Service) CreateList(ctx context.Context, by *db.Account, in List, key string) (*db.AccountList, error) {
	made := db.AccountList{AccountID: by.ID, RepliesPolicy: db.RepliesToMembers}
	if err := fillList(&made, in); err != nil {
		return nil, err
	}
	return db.Once(ctx, s.db, "list", key, func(claim db.Claim[int64]) (l *db.AccountList, err error) {
		err = s.db.Tx(ctx, func(tx *db.DB) error {
			row := made
			l = &row
			if err := holdActive(ctx, tx, by); err != nil {
				return err
			}
			lists, err := tx.Lists(ctx, by.ID)
			if err != nil {
				return err
			}
			if len(lists) >= db.MaxLists {
				return fault.Invalidf("You cannot have more than %d lists", db.MaxLists)
			}
			if err := tx.CreateList(ctx, l); err != nil {
				return err
			}
			return claim(ctx, tx, l.ID)
		})
		return l, err
	}, func(id int64) (*db.AccountList, error) { return s.db.ListByID(ctx, by.ID, id) })
}

// UpdateList changes a list of by and returns it. Another's list is db.ErrNotFound, here
// and below.
func (s *Service) UpdateList(ctx context.Context, by *db.Account, id int64, in List) (*db.AccountList, error) {
	var l *db.AccountList
	err := s.db.Tx(ctx, func(tx *db.DB) (err error) {
		if err := holdActive(ctx, tx, by); err != nil {
			return err
		}
		if l, err = tx.ListByID(ctx, by.ID, id); err != nil {
			return err
		}
		if err := fillList(l, in); err != nil {
			return err
		}
		return tx.UpdateList(ctx, l)
	})
	return l, err
}

func fillList(l *db.AccountList, in List) (err error) {
	if in.Title != nil || l.Title == "" {
		title := ""
		if in.Title != nil {
			title = *in.Title
		}
		if l.Title, err = listTitle(title); err != nil {
			return err
		}
	}
	if in.RepliesPolicy != nil {
		if !slices.Contains([]string{db.RepliesToMembers, db.RepliesToFollowed, db.NoReplies}, *in.RepliesPolicy) {
			return fault.Invalid("Validation failed: Replies policy is not included in the list")
		}
		l.RepliesPolicy = *in.RepliesPolicy
	}
	if in.Exclusive != nil {
		l.Exclusive = *in.Exclusive
	}
	return nil
}

func listTitle(title string) (string, error) {
	title, _ = text.Clean(title)
	title = strings.TrimSpace(strings.ReplaceAll(title, "\n", " "))
	switch {
	case title == "":
		return "", fault.Invalid("can't be blank")
	case text.Length(title) > maxTitle:
		return "", fault.Invalidf("A title cannot be longer than %d characters", maxTitle)
	}
	return title, nil
}

// DeleteList removes a list of by.
func (s *Service) DeleteList(ctx context.Context, by *db.Account, id int64) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		// The owner is held against members that are added meanwhile.
		if err := holdActive(ctx, tx, by); err != nil {
			return err
		}
		l, err := tx.ListByID(ctx, by.ID, id)
		if err != nil {
			return err
		}
		if err := tx.DeleteList(ctx, l); err != nil {
			return err
		}
		return jobs.Enqueue(ctx, tx, jobs.Unlisted{ListID: id})
	})
}

// AddToList adds accounts to a list of by. Unknown accounts and existing
// members are skipped. Members need not be followed, but the list's timeline
// has only statuses of followed ones.
func (s *Service) AddToList(ctx context.Context, by *db.Account, id int64, accountIDs []string) error {
	return s.onList(ctx, by, id, accountIDs, func(tx *db.DB, l *db.AccountList, ids []string) error {
		n, err := tx.CountListMembers(ctx, l.ID)
		if err != nil {
			return err
		}
		if n+len(ids) > db.MaxListMembers {
			return fault.Invalidf("A list cannot have more than %d members", db.MaxListMembers)
		}
		return tx.AddListMembers(ctx, l, ids, backfill)
	})
}

// RemoveFromList removes accounts from a list of by. Accounts that are no
// members are skipped.
func (s *Service) RemoveFromList(ctx context.Context, by *db.Account, id int64, accountIDs []string) error {
	return s.onList(ctx, by, id, accountIDs, func(tx *db.DB, l *db.AccountList, ids []string) error {
		if err := tx.RemoveListMembers(ctx, l, ids); err != nil {
			return err
		}
		return jobs.Enqueue(ctx, tx, jobs.Unlisted{ListID: id, AuthorIDs: ids})
	})
}

func (s *Service) onList(ctx context.Context, by *db.Account, id int64, accountIDs []string, do func(tx *db.DB, l *db.AccountList, ids []string) error) error {
	ids := slices.Clone(accountIDs)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) > maxAtOnce {
		return fault.Invalidf("No more than %d accounts can be named at once", maxAtOnce)
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		// The owner is held against concurrent follows.
		if err := holdActive(ctx, tx, by); err != nil {
			return err
		}
		l, err := tx.ListByID(ctx, by.ID, id)
		if err != nil || len(ids) == 0 {
			return err
		}
		return do(tx, l, ids)
	})
}

// Unlisted runs a job of its kind, in steps of their own transactions. Accounts
// that are members again by then are skipped.
func (s *Service) Unlisted(ctx context.Context, job jobs.Unlisted) error {
	if len(job.AuthorIDs) == 0 {
		return s.clearList(ctx, job.ListID)
	}
	for _, author := range job.AuthorIDs {
		err := db.StepsFrom(ctx, s.db, "", func(tx *db.DB, after string) (next string, err error) {
			again, err := tx.InList(ctx, job.ListID, author)
			if err != nil || again {
				return "", err
			}
			return tx.RemoveHomeEntries(ctx, []string{db.ListTimelineName(job.ListID)}, author, after, fanOutChunk)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) clearList(ctx context.Context, id int64) error {
	return s.db.Steps(ctx, func(tx *db.DB) (bool, error) {
		n, err := tx.RemoveListEntries(ctx, id, fanOutChunk)
		return n == fanOutChunk, err
	})
}
