package social

import (
	"context"
	"errors"
	"fmt"
	"time"

	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/platform/fault"
	"svc/server/platform/jobs"
)

// RemoteStatus is a status of another server, with what was found out about it.
type RemoteStatus struct {
	Post *activitypub.Post
	// Accounts are those known of whom it names and is addressed to, by id.
	Accounts map[string]*db.Account
	// Wanted is kept whether or not it concerns anybody here: someone asked for
	// it, or a relay brought it.
	Wanted bool
	// Fetched was asked for, not sent: it is filed at the time it was written.
	Fetched bool
	// Walked is found on the way through a thread: whoever walks fetches what it
	// replies to.
	Walked bool
	// Edit is another version of a status that is here.
	Edit bool
}

// ErrUnconcerned is a status that nobody here asked for: its author has no local
// followers, it is addressed to nobody here and answers nothing that is here.
var ErrUnconcerned = fmt.Errorf("a post that concerns nobody here: %w", db.ErrNotFound)

// RemoteDraft is a status of another server on its way into the database.
type RemoteDraft struct {
	row       *db.Status
	author    *db.Account
	parent    *db.Status
	parentURI string
	context   string
	addressed []db.Recipient
	files     []db.MediaAttachment
	poll      *db.Poll
	updated   time.Time
	followers int // local ones of the author
	walked    bool
	told      []string // local accounts that the text names
	reached   []string // local accounts that it is addressed to
}

// lookAhead is how far clocks of other servers may be ahead before a status
// counts as written when it came.
const lookAhead = 2 * time.Minute

// DraftRemote applies the rules to a status of another server, by an account that
// is known here: limits, sanitising, addressing and relevance. The policies have
// judged it before. It asks nobody. Errors are ErrUnconcerned, and faults of what
// must not be kept.
func (s *Service) DraftRemote(ctx context.Context, author *db.Account, in RemoteStatus) (*RemoteDraft, error) {
	p, settings := in.Post, s.settings.Load()
	d := &RemoteDraft{author: author, context: p.Context, parentURI: p.InReplyTo, walked: in.Walked}
	if author.Local || author.Deactivated {
		return nil, fault.Forbidden("The author is not one to take posts from")
	}
	uri := p.ID
	d.row = &db.Status{AccountID: author.ID, URI: &uri, URL: p.URL}
	if err := s.remoteTexts(settings, d, p); err != nil {
		return nil, err
	}
	s.remoteTimes(d, in)
	d.row.ToURIs, d.row.CCURIs = p.To, p.CC
	if err := s.remoteParent(ctx, d); err != nil {
		return nil, err
	}
	d.remoteFiles(p)
	d.remotePoll(p)
	d.address(in)
	var err error
	if d.followers, err = s.db.LocalFollowers(ctx, author.ID, fanOutNow+1); err != nil {
		return nil, err
	}
	if !in.Wanted && !in.Edit && d.parent == nil && len(d.reached) == 0 && d.followers == 0 {
		return nil, ErrUnconcerned
	}
	return d, nil
}

// remoteTimes says when a status was written, and files it: what is asked for
// where it belongs in time, what is sent as the newest.
func (s *Service) remoteTimes(d *RemoteDraft, in RemoteStatus) {
	now, p := s.now(), in.Post
	written := p.Published
	// Before 1980 ids would no longer sort by their bytes.
	if written.IsZero() || written.After(now.Add(lookAhead)) || written.Year() < 1980 {
		written = now
	}
	if written.After(now) {
		written = now
	}
	d.row.CreatedAt = db.At(written)
	// Two versions from a server whose clock is ahead keep their order.
	if d.updated = p.Updated; d.updated.After(now.Add(lookAhead)) {
		d.updated = now
	}
	// A status may have been edited before it came here.
	if !in.Edit && d.updated.After(written) && p.Updated.After(p.Published) {
		d.row.EditedAt = db.At(d.updated)
	}
	d.row.ID = s.db.NewID()
	if in.Fetched && now.Sub(written) > lookAhead {
		d.row.ID = s.db.NewIDAt(written)
	}
}

// remoteParent finds what a status replies to, where that is here. A status of
// this server that the author may not see is not.
func (s *Service) remoteParent(ctx context.Context, d *RemoteDraft) error {
	if d.parentURI == "" {
		return nil
	}
	parent, err := s.db.StatusByURI(ctx, d.parentURI)
	if err == nil && parent.Local {
		parent, err = shownTo(ctx, s.db, d.author, parent.ID)
	}
	if ignoreNotFound(err) != nil {
		return err
	}
	if err != nil || parent.ReblogOfID != nil {
		d.row.InReplyToURI = d.parentURI
		return nil
	}
	d.parent = parent
	d.row.InReplyToID, d.row.InReplyToAccountID = &parent.ID, &parent.AccountID
	return nil
}

// holdParent holds the parent of a draft, if it is of this server. One that the
// author may not see any more, or that is gone, becomes unknown.
func (s *Service) holdParent(ctx context.Context, tx *db.DB, d *RemoteDraft, row *db.Status) error {
	if d.parent == nil || !d.parent.Local {
		return nil
	}
	err := tx.HoldStatus(ctx, d.parent.ID)
	if err == nil {
		_, err = shownTo(ctx, tx, d.author, d.parent.ID)
	}
	if errors.Is(err, db.ErrNotFound) {
		d.parent, err = nil, nil
		row.InReplyToURI, row.InReplyToID, row.InReplyToAccountID = d.parentURI, nil, nil
	}
	return err
}

// KeepRemote inserts what was drafted, in the transaction that the service is
// bound to or one of its own, and returns its row. What is here already is
// db.ErrDuplicate; what was deleted before it came is db.ErrNotFound.
func (s *Service) KeepRemote(ctx context.Context, d *RemoteDraft) (*db.Status, error) {
	row := *d.row // a transaction may run again
	err := s.db.Tx(ctx, func(tx *db.DB) error {
		d := new(*d)
		row = *d.row
		known, err := tx.KnownObject(ctx, *row.URI, d.author.URI)
		switch {
		case err != nil:
			return err
		case known.StatusID != "" || known.Message:
			return fmt.Errorf("status %s: %w", *row.URI, db.ErrDuplicate)
		case known.Gone:
			return errNotFound("status", *row.URI)
		}
		if err := s.holdParent(ctx, tx, d, &row); err != nil {
			return err
		}
		if err := s.keepRemote(ctx, tx, d, &row); err != nil {
			return err
		}
		if err := s.fetchForPolicies(ctx, tx, d, &row); err != nil {
			return err
		}
		return s.joinThread(ctx, tx, d, &row)
	})
	if err != nil {
		return nil, err
	}
	return &row, nil
}

// keepRemote inserts a status.
func (s *Service) keepRemote(ctx context.Context, tx *db.DB, d *RemoteDraft, row *db.Status) error {
	if err := s.conversation(ctx, tx, d, row); err != nil {
		return err
	}
	if d.poll != nil {
		poll := *d.poll
		if err := createPoll(ctx, tx, row, &poll); err != nil {
			return err
		}
	}
	if err := tx.CreateAttachments(ctx, d.filesOf(row)); err != nil {
		return err
	}
	p := posting{row: row, by: d.author, recipients: d.addressed, reached: d.reached, told: d.told, followers: int64(d.followers)}
	if err := s.posted(ctx, tx, p); err != nil || row.EditedAt.IsZero() {
		return err
	}
	return tx.UpdateStatus(ctx, row, "edited_at")
}

// conversation finds the thread of a status: its parent's, or the one it names,
// or a new one.
func (s *Service) conversation(ctx context.Context, tx *db.DB, d *RemoteDraft, row *db.Status) error {
	if d.parent != nil && d.parent.ConversationID != nil {
		row.ConversationID = d.parent.ConversationID
		return nil
	}
	uri := d.context
	if s.isLocalURI(uri) {
		// Threads of this server begin here: one that does not exist, or of which
		// the author may see nothing, is none.
		id, err := tx.ConversationVisibleTo(ctx, uri, d.author.ID)
		if err == nil {
			row.ConversationID = &id
		}
		if ignoreNotFound(err) != nil || err == nil {
			return err
		}
		uri = ""
	}
	if uri == "" {
		uri = s.newURI("contexts")
	}
	id, err := tx.EnsureConversation(ctx, uri)
	row.ConversationID = &id
	return err
}

// joinThread counts a status where it replies to something, or has that fetched, and
// joins what waited for it.
func (s *Service) joinThread(ctx context.Context, tx *db.DB, d *RemoteDraft, row *db.Status) error {
	if row.InReplyToURI != "" && !d.walked && s.settings.Load().Instance.RepliesMaxDepth > 0 {
		if err := jobs.Enqueue(ctx, tx, jobs.FetchThread{StatusID: row.ID}); err != nil {
			return err
		}
	}
	if err := adoptReplies(ctx, tx, row); err != nil || d.parent == nil || !counted(row.Visibility) {
		return err
	}
	return ignoreNotFound(tx.AddStatusCounts(ctx, d.parent.ID, db.StatusCounts{Replies: 1}))
}

// adoptReplies joins the replies that came before what they reply to, and the threads
// they began.
func adoptReplies(ctx context.Context, tx *db.DB, row *db.Status) error {
	waiting, err := tx.AdoptReplies(ctx, row)
	if err != nil || len(waiting) == 0 {
		return err
	}
	merged, replies := map[int64]bool{*row.ConversationID: true}, int64(0)
	for _, w := range waiting {
		if counted(w.Visibility) {
			replies++
		}
		if w.ConversationID == nil || merged[*w.ConversationID] {
			continue
		}
		merged[*w.ConversationID] = true
		if err := tx.MergeConversations(ctx, *w.ConversationID, *row.ConversationID); err != nil {
			return err
		}
	}
	return tx.AddStatusCounts(ctx, row.ID, db.StatusCounts{Replies: replies})
}

// RemoveRemote deletes a status or takes back a reblog because its author's
// server says so.
func (s *Service) RemoveRemote(ctx context.Context, status *db.Status) error {
	return s.db.Tx(ctx, func(tx *db.DB) error { return s.deleted(ctx, tx, nil, status) })
}
