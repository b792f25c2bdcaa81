package federation

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"svc/db"
	"svc/server/activitypub"
	"svc/server/jobs"
	"svc/server/remote"
	"svc/server/social"
)

const (
	// statusAge is for how long a post counts as what its server says.
	statusAge = 2 * time.Hour
	// patience is how long somebody waits for a post that he asks for.
	patience = 20 * time.Second
)

// Status returns the post at an address that somebody pasted: its id, or that of
// its page. It is fetched where it is not here, and again where it is here for
// long. Errors: db.ErrNotFound is what is no post, or cannot be had now.
func (s *Service) Status(ctx context.Context, address string) (*db.Status, error) {
	return s.StatusFor(ctx, address, nil)
}

// StatusFor is Status for an account of this server, as which it is asked for
// where it is not shown to everybody.
func (s *Service) StatusFor(ctx context.Context, address string, by *db.Account) (*db.Status, error) {
	id, err := s.ids.Check(address)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", db.ErrNotFound, err)
	}
	known, err := s.db.StatusByAddress(ctx, id)
	switch {
	case err == nil:
		status, err := s.db.StatusByID(ctx, known)
		if err == nil {
			status = s.recent(ctx, status)
		}
		return status, err
	case !missing(err):
		return nil, err
	case s.ours(id) || !s.settings.Load().Instance.Federating:
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	status, err := s.askFor(ctx, id, by)
	var (
		no    *dropped
		later *delayed
	)
	if errors.As(err, &no) || errors.As(err, &later) {
		return nil, fmt.Errorf("status at %.200q: %w: %w", id, db.ErrNotFound, err)
	}
	if err != nil {
		return nil, err
	}
	return status, s.db.Tx(ctx, func(tx *db.DB) error { return jobs.Enqueue(ctx, tx, jobs.FetchReplies{StatusID: status.ID}) })
}

func (s *Service) askFor(ctx context.Context, id string, by *db.Account) (*db.Status, error) {
	how := social.RemotePost{Wanted: true, Fetched: true}
	status, err := s.ask(ctx, id, how)
	if err == nil || by == nil || !by.Local {
		return status, err
	}
	doc, again := s.remote.FetchAs(ctx, id, by)
	if again != nil {
		return nil, err
	}
	return s.ingest(ctx, doc, how)
}

// recent is a post that is asked for again where it was not for long; where that
// fails it stays as it is.
func (s *Service) recent(ctx context.Context, status *db.Status) *db.Status {
	if status.Local || status.ReblogOfID != nil || !s.settings.Load().Instance.Federating {
		return status
	}
	last, err := s.asked(ctx, status)
	if err != nil || s.now().Sub(last) < statusAge {
		return status
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := s.refetch(ctx, status); err != nil {
		s.log.DebugContext(ctx, "a post is not fetched again", "status", status.ID, "err", err)
	}
	fresh, err := s.db.StatusByID(ctx, status.ID)
	if err != nil {
		return status
	}
	return fresh
}

// asked is when a post was last asked for, or came.
func (s *Service) asked(ctx context.Context, status *db.Status) (time.Time, error) {
	at, err := s.db.StatusFetchedAt(ctx, status.ID)
	if err != nil || !at.IsZero() {
		return at.Time, err
	}
	made, _ := db.FlakeTime(status.ID)
	return made, nil
}

// refetch brings a post up to date with what its server says of it, and removes
// it where that says that it is gone.
func (s *Service) refetch(ctx context.Context, status *db.Status) error {
	if status.Local || status.URI == nil || status.Visibility != db.Public && status.Visibility != db.Unlisted {
		return nil // what not everybody may see is not shown to us
	}
	if err := s.db.FetchedStatus(ctx, status.ID); err != nil {
		return err
	}
	doc, err := s.remote.Fetch(ctx, *status.URI)
	if errors.Is(err, remote.ErrGone) {
		return s.social.RemoveRemote(ctx, status)
	}
	if err != nil {
		return err
	}
	object, author, err := s.fetched(ctx, doc, "Update")
	if err != nil {
		return err
	}
	if object.ID() != *status.URI || author.ID != status.AccountID {
		return fmt.Errorf("status %s is another's at its server: %w", status.ID, db.ErrNotFound)
	}
	draft, err := s.revision(ctx, author, object)
	if err != nil {
		return err
	}
	_, err = s.social.EditRemote(ctx, status.ID, draft)
	return err
}

// ingest keeps a post that was fetched, as how says, and returns its row; one
// that is here already as it is. The activity that made it leads to it.
func (s *Service) ingest(ctx context.Context, doc activitypub.Object, how social.RemotePost) (*db.Status, error) {
	if doc.Is("Create") {
		id := doc.IDOf("object")
		if s.ours(id) || strings.TrimSpace(id) == "" {
			return nil, errDrop("%.200q makes nothing that could be fetched", doc.ID())
		}
		inner, err := s.remote.Fetch(ctx, id)
		if err != nil {
			return nil, unfetched(id, err)
		}
		doc = inner
	}
	if !doc.IsPost() || isVote(doc) {
		return nil, errDrop("%.200q of type %.50q is no post", doc.ID(), doc.Type())
	}
	status, err := s.db.StatusByURI(ctx, doc.ID())
	if err == nil || !missing(err) {
		return status, err
	}
	object, author, err := s.fetched(ctx, doc, "Create")
	if err != nil {
		return nil, err
	}
	post, err := s.post(ctx, author, object)
	if err != nil {
		return nil, outcome(err)
	}
	post.Wanted, post.Fetched, post.Walked = how.Wanted, how.Fetched, how.Walked
	draft, err := s.social.DraftRemote(ctx, author, *post)
	if err != nil {
		return nil, outcome(err)
	}
	status, err = s.social.KeepRemote(ctx, draft)
	if errors.Is(err, db.ErrDuplicate) {
		return s.db.StatusByURI(ctx, object.ID())
	}
	return status, outcome(err)
}
