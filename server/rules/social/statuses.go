package social

import (
	"context"
	"errors"
	"time"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/platform/jobs"
	"svc/server/rules/notify"
)

// NewStatus is a request to post a status.
type NewStatus struct {
	Text        string // as typed
	ContentType string // an unknown one counts as text/plain
	SpoilerText string
	Sensitive   *bool  // nil is the author's default
	Visibility  string // "" is the parent's, or the author's default; list:ID is one of their lists
	InReplyToID string
	// ConversationID is the author's participation in a thread of direct statuses:
	// the status is a direct one in it, to its recipients. 0 is none.
	ConversationID int64
	Language       string // "" is the author's default
	// To, if not nil, names the recipients instead of the mentions.
	To []string
	// Expected, if not nil, are the ids of the only accounts that the text may mention.
	Expected []string
	// QuotedID is a status to quote, which is refused.
	QuotedID string
	// MediaIDs are uploads of the author's that are not used yet.
	MediaIDs []int64
	Poll     *db.PollParams
	// ExpiresIn is when the status is deleted, from now; 0 is never.
	ExpiresIn  time.Duration
	AppName    string
	AppWebsite string
	// IdempotencyKey makes a repeated request return the first status. It must be
	// unique to the caller.
	IdempotencyKey string
}

// PostStatus posts a status and returns its row, with Author if it was counted.
// A parent that by may not see, or another's conversation, is db.ErrNotFound; a
// broken rule is a fault. With a key that was used before, the first status is
// returned.
//
// The number of statements does not depend on the number of recipients: some
// for every status, and one or two each for mentions, hashtags, files,
// conversations and the like.
func (s *Service) PostStatus(ctx context.Context, by *db.Account, in NewStatus) (*db.Status, error) {
	return db.Once(ctx, s.db, "status", in.IdempotencyKey, func(claim db.Claim[string]) (*db.Status, error) {
		d, err := s.draft(ctx, by, in, true)
		if err != nil {
			return nil, err
		}
		return d.row, s.db.Tx(ctx, func(tx *db.DB) error {
			// Who asks for what is newer than an id misses a lower one that comes later.
			s.number(d.row, tx.NewID())
			if err := claim(ctx, tx, d.row.ID); err != nil {
				return err
			}
			return s.post(ctx, tx, by, d)
		})
	}, func(id string) (*db.Status, error) { return s.db.StatusByID(ctx, id) })
}

// Preview is a status that was not posted, with its rows of other tables.
type Preview struct {
	Status *db.Status
	Files  []db.MediaAttachment
	Poll   *db.Poll
}

// PreviewID is the id of every preview.
const PreviewID = "svc:fakeid"

// PreviewStatus returns the status that PostStatus would post, or its refusal.
// Nothing is stored or sent.
func (s *Service) PreviewStatus(ctx context.Context, by *db.Account, in NewStatus) (*Preview, error) {
	d, err := s.draft(ctx, by, in, false)
	if err != nil {
		return nil, err
	}
	row := d.row
	uri := s.base + "/objects/" + PreviewID
	row.ID, row.URI, row.URL = PreviewID, &uri, s.base+"/notice/"+PreviewID
	row.ConversationID = d.thread()
	return &Preview{Status: row, Files: d.uploads, Poll: d.poll}, nil
}

// post inserts d.
func (s *Service) post(ctx context.Context, tx *db.DB, by *db.Account, d *draft) error {
	row := d.row
	if row.ConversationID = d.thread(); row.ConversationID == nil {
		id, err := tx.CreateConversation(ctx, s.newURI("contexts"))
		if err != nil {
			return err
		}
		row.ConversationID = &id
	}
	if err := createPoll(ctx, tx, row, d.poll); err != nil {
		return err
	}
	if err := tx.AttachMedia(ctx, by.ID, row.ID, d.mediaIDs); err != nil {
		return noMedia(err)
	}
	for _, f := range d.described {
		if err := tx.DescribeAttachment(ctx, &f); err != nil {
			return err
		}
	}
	p := posting{row: row, by: by, followers: by.FollowersCount}
	for _, a := range d.addressed {
		p.recipients = append(p.recipients, db.Recipient{AccountID: a.ID, Mentioned: true})
		if a.Local && a.ID != by.ID {
			p.reached = append(p.reached, a.ID)
		}
	}
	p.told = p.reached
	p.join = func() error { return replied(ctx, tx, row, d.parent) }
	return s.posted(ctx, tx, p)
}

// replied counts a reply on its parent, if it has one, and holds that. If the
// parent's thread became part of another since it was read, the reply follows.
func replied(ctx context.Context, tx *db.DB, row, parent *db.Status) error {
	if parent == nil {
		return nil
	}
	thread, err := tx.CountReply(ctx, parent.ID, counted(row.Visibility))
	if err != nil || thread == nil || parent.ConversationID == nil || *thread == *parent.ConversationID {
		return err
	}
	if *row.ConversationID == *parent.ConversationID {
		row.ConversationID = thread
	}
	return mergeThreads(ctx, tx, jobs.MergeThreads{From: *parent.ConversationID, Into: *thread, StatusID: parent.ID})
}

// posting is a status about to be stored, with its recipients.
type posting struct {
	row        *db.Status
	by         *db.Account
	recipients []db.Recipient
	reached    []string // local recipients, without the author
	told       []string // mentioned ones of reached
	followers  int64    // as in deliver
	// join joins the thread, and counts the status on its parent.
	join func() error
}

// posted is the effect of a new status, local or remote: its rows,
// notifications, jobs and activity, its author's counter, and home entries.
// Thread, poll and files are stored before. Other statuses and then the author
// are locked as late as possible, so that concurrent ones wait for a moment
// only.
func (s *Service) posted(ctx context.Context, tx *db.DB, p posting) error {
	row := p.row
	if err := tx.CreateStatus(ctx, row); err != nil {
		return err
	}
	if err := tx.PutRecipients(ctx, row.ID, p.recipients); err != nil {
		return err
	}
	if row.ListID != nil {
		if err := tx.AddListRecipients(ctx, row.ID, *row.ListID); err != nil {
			return err
		}
	}
	if err := tx.AddTags(ctx, row.ID, row.Tags); err != nil {
		return err
	}
	if err := tx.IndexStatus(ctx, row, Searchable(row)); err != nil {
		return err
	}
	if len(p.told) > 0 {
		if err := notify.Notify(ctx, tx, postNews(p.by, row), p.told...); err != nil {
			return err
		}
	}
	if err := notifySubscribers(ctx, tx, p.by, row); err != nil {
		return err
	}
	if err := expireLater(ctx, tx, row); err != nil {
		return err
	}
	if s.cards.Wanted(row.Content) {
		if err := jobs.Enqueue(ctx, tx, jobs.FetchCard{StatusID: row.ID}); err != nil {
			return err
		}
	}
	if err := s.outbox.Created(ctx, tx, p.by, row); err != nil {
		return err
	}
	if err := s.show(ctx, tx, row, p.followers); err != nil {
		return err
	}
	if err := p.join(); err != nil {
		return err
	}
	if row.Visibility == db.Direct {
		all := make([]string, len(p.recipients))
		for i, r := range p.recipients {
			all[i] = r.AccountID
		}
		if err := tx.AddToParticipations(ctx, row, row.Local, all, p.reached); err != nil {
			return err
		}
	}
	if err := countPosted(ctx, tx, p.by, row); err != nil {
		return err
	}
	return deliver(ctx, tx, row, p.followers, p.reached)
}

// countPosted counts a new status on its author, if it counts, and holds the
// author if followers get it. An author who was deactivated meanwhile is refused:
// they may be erased already.
func countPosted(ctx context.Context, tx *db.DB, by *db.Account, row *db.Status) error {
	if counted(row.Visibility) {
		author, err := tx.CountStatus(ctx, by.ID, row.CreatedAt)
		if err == nil && author.Deactivated {
			err = disabled()
		}
		if row.Local {
			row.Author = author
		}
		return err
	}
	if row.Visibility == db.Private {
		return holdActive(ctx, tx, by)
	}
	return keepActive(ctx, tx, by)
}

// noMedia refuses files that are another's, used or unknown.
func noMedia(err error) error {
	if errors.Is(err, db.ErrNotFound) {
		return fault.Invalid("Could not find the media to attach")
	}
	return err
}
