package social

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/platform/fault"
	"svc/server/platform/jobs"
)

// RemoteStatus is a status of another server, with its resolved context.
type RemoteStatus struct {
	Post *activitypub.Post
	// Accounts are the known accounts among its mentions and recipients, by id.
	Accounts map[string]*db.Account
	// Wanted keeps a status without local interest, because it was requested or
	// came from a relay.
	Wanted bool
	// Fetched files the status at the time it was written, since it was fetched,
	// not sent.
	Fetched bool
	// Walked is set while a thread is fetched: the walk itself fetches the parent.
	Walked bool
	// Edit is another version of a stored status.
	Edit bool
}

// ErrUnconcerned is a status without local interest: its author has no local
// followers, it has no local recipients, and it does not reply to a stored
// status.
var ErrUnconcerned = fmt.Errorf("a post that concerns nobody here: %w", db.ErrNotFound)

// RemoteDraft is a remote status before it is stored.
type RemoteDraft struct {
	revision
	parent    *db.Status
	parentURI string
	context   string
	over      bool // poll has ended, nobody says when
	followers int  // local followers of the author
	walked    bool
	newest    bool     // its id is made when it is stored
	reached   []string // local recipients
}

// lookAhead is how far clocks of other servers may be ahead. A status from
// further ahead counts as written on arrival.
const lookAhead = 2 * time.Minute

// DraftRemote applies the rules to a status of a known remote account: limits,
// sanitising, addressing and relevance. The policies were applied before. It
// makes no calls. Errors are ErrUnconcerned, and faults of statuses that must
// not be stored.
func (s *Service) DraftRemote(ctx context.Context, author *db.Account, in RemoteStatus) (*RemoteDraft, error) {
	p, settings := in.Post, s.settings.Load()
	d := &RemoteDraft{revision: revision{author: author}, context: p.Context, parentURI: p.InReplyTo, walked: in.Walked}
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
	d.remotePoll(p, s.now())
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

// remoteTimes sets when a status was written, and its place in time: a fetched
// status where it belongs, a sent one as the newest.
func (s *Service) remoteTimes(d *RemoteDraft, in RemoteStatus) {
	now, p := s.now(), in.Post
	written := p.Published
	// Ids from before 1980 would not sort by their bytes.
	if written.IsZero() || written.After(now.Add(lookAhead)) || written.Year() < 1980 {
		written = now
	}
	if written.After(now) {
		written = now
	}
	d.row.CreatedAt = db.At(written)
	// Two versions from a server with a clock ahead of ours keep their order.
	if d.updated = p.Updated; d.updated.After(now.Add(lookAhead)) {
		d.updated = now
	}
	// The status may have been edited before it came here.
	if !in.Edit && d.updated.After(written) && p.Updated.After(p.Published) {
		d.row.EditedAt = db.At(d.updated)
	}
	d.newest = !in.Fetched || now.Sub(written) <= lookAhead
	if !d.newest {
		d.row.ID = s.db.NewIDAt(written)
	}
}

// remoteParent finds the stored parent of a status. A local parent that the
// author may not see does not count.
func (s *Service) remoteParent(ctx context.Context, d *RemoteDraft) error {
	if d.parentURI == "" {
		return nil
	}
	parent, err := s.db.StatusAt(ctx, d.parentURI)
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

// holdParent holds the parent of a draft, if it is local. One that is gone, or
// that the author may not see any more, becomes unknown.
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

// KeepRemote stores a draft, in the transaction of the service or one of its
// own, and returns its row. A known status is db.ErrDuplicate; one that was
// deleted before it came is db.ErrNotFound.
func (s *Service) KeepRemote(ctx context.Context, d *RemoteDraft) (*db.Status, error) {
	row := *d.row // a transaction may run again
	err := s.db.Tx(ctx, func(tx *db.DB) error {
		d := new(*d)
		row = *d.row
		d.row = &row
		if err := tx.HoldURIs(ctx, slices.DeleteFunc([]string{*row.URI, row.URL, row.InReplyToURI}, func(uri string) bool { return uri == "" })...); err != nil {
			return err
		}
		if row.InReplyToURI != "" { // its parent may have come meanwhile
			row.InReplyToURI = ""
			if err := s.In(tx).remoteParent(ctx, d); err != nil {
				return err
			}
		}
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
		if d.newest {
			row.ID = tx.NewID()
		}
		if err := s.keepRemote(ctx, tx, d, &row); err != nil {
			return err
		}
		return s.fetchForPolicies(ctx, tx, d, &row)
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
	p.join = func() error { return s.joinThread(ctx, tx, d, row) }
	if err := s.posted(ctx, tx, p); err != nil || row.EditedAt.IsZero() {
		return err
	}
	return tx.UpdateStatus(ctx, row, "edited_at")
}

// conversation finds the thread of a status: its parent's, the one that it
// names, or a new one.
func (s *Service) conversation(ctx context.Context, tx *db.DB, d *RemoteDraft, row *db.Status) error {
	if d.parent != nil && d.parent.ConversationID != nil {
		row.ConversationID = d.parent.ConversationID
		return nil
	}
	uri := d.context
	if s.isLocalURI(uri) {
		// Threads of this server are created here: an unknown one, or one without
		// statuses that the author may see, does not count.
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

// joinThread counts a reply on its parent, or enqueues the fetch of that, and
// joins waiting replies.
func (s *Service) joinThread(ctx context.Context, tx *db.DB, d *RemoteDraft, row *db.Status) error {
	if row.InReplyToURI != "" && !d.walked && s.settings.Load().Instance.RepliesMaxDepth > 0 {
		if err := jobs.Enqueue(ctx, tx, jobs.FetchThread{StatusID: row.ID}); err != nil {
			return err
		}
	}
	if err := ignoreNotFound(replied(ctx, tx, row, d.parent)); err != nil {
		return err
	}
	more, err := adoptReplies(ctx, tx, row, atOnce)
	if err != nil || !more {
		return err
	}
	return jobs.Enqueue(ctx, tx, jobs.AdoptReplies{StatusID: row.ID})
}

// RemoveRemote deletes a status, or removes a reblog, on behalf of its author's
// server.
func (s *Service) RemoveRemote(ctx context.Context, id string) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		status, err := tx.HeldStatus(ctx, id)
		if err != nil {
			return err
		}
		return s.deleted(ctx, tx, nil, status)
	})
}
