package ingest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/federation/remote"
	"svc/server/platform/jobs"
	"svc/server/rules/social"
)

const (
	// statusAge is how long a fetched status counts as current.
	statusAge = 2 * time.Hour
	// patience bounds the wait for a requested status.
	patience = 20 * time.Second
)

// Take stores a status that was fetched on request, or finds the stored one,
// and enqueues the fetch of its replies. A document that is no status, or must
// not be stored, is db.ErrNotFound.
func (s *Service) Take(ctx context.Context, doc activitypub.Object) (*db.Status, error) {
	if !s.settings.Load().Instance.Federating {
		return nil, fmt.Errorf("status %.200q: %w", doc.ID(), db.ErrNotFound)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	status, err := s.ingest(ctx, doc, social.RemoteStatus{Wanted: true, Fetched: true})
	var (
		no    *dropped
		later *delayed
	)
	if errors.As(err, &no) || errors.As(err, &later) {
		return nil, fmt.Errorf("status %.200q: %w: %w", doc.ID(), db.ErrNotFound, err)
	}
	if err != nil {
		return nil, err
	}
	return status, s.db.Tx(ctx, func(tx *db.DB) error { return jobs.Enqueue(ctx, tx, jobs.FetchReplies{StatusID: status.ID}) })
}

// Recent fetches a remote status again that was not fetched for two hours. If
// that fails it stays; if it is gone it is removed.
func (s *Service) Recent(ctx context.Context, id string) {
	status, err := s.db.StatusByID(ctx, id)
	if err != nil || status.Local || status.ReblogOfID != nil || !s.settings.Load().Instance.Federating {
		return
	}
	last, err := s.fetchedAt(ctx, status)
	if err != nil || s.now().Sub(last) < statusAge {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := s.refetch(ctx, status); err != nil {
		s.log.DebugContext(ctx, "cannot fetch a status again", "status", status.ID, "err", err)
	}
}

// fetchedAt returns when a status was last fetched, or came.
func (s *Service) fetchedAt(ctx context.Context, status *db.Status) (time.Time, error) {
	at, err := s.db.StatusFetchedAt(ctx, status.ID)
	if err != nil || !at.IsZero() {
		return at.Time, err
	}
	made, _ := db.FlakeTime(status.ID)
	return made, nil
}

// refetch updates a status from its server, and removes it if that says that it
// is gone.
func (s *Service) refetch(ctx context.Context, status *db.Status) error {
	if said := status.SaidVisibility(); status.Local || status.URI == nil || said != db.Public && said != db.Unlisted {
		return nil // non-public statuses cannot be fetched
	}
	if err := s.db.MarkStatusFetched(ctx, status.ID); err != nil {
		return err
	}
	doc, err := s.remote.Fetch(ctx, *status.URI)
	if errors.Is(err, remote.ErrGone) {
		return s.social.RemoveRemote(ctx, status.ID)
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

// ingest stores a fetched status with the options of how, and returns its row;
// a known one stays as it is. A Create leads to its object.
func (s *Service) ingest(ctx context.Context, doc activitypub.Object, how social.RemoteStatus) (*db.Status, error) {
	if doc.Is("Create") {
		id := doc.IDOf("object")
		if s.ours(id) || strings.TrimSpace(id) == "" {
			return nil, errDrop("%.200q makes nothing that could be fetched", doc.ID())
		}
		inner, err := s.remote.Fetch(ctx, id)
		if err != nil {
			return nil, dropUnfetched(id, err)
		}
		doc = inner
	}
	if !doc.IsPost() || isVote(doc) {
		return nil, errDrop("%.200q of type %.50q is no post", doc.ID(), doc.Type())
	}
	status, err := s.db.StatusByURI(ctx, doc.ID())
	if err == nil || !isNotFound(err) {
		return status, err
	}
	object, author, err := s.fetched(ctx, doc, "Create")
	if err != nil {
		return nil, err
	}
	post, err := s.readPost(ctx, author, object)
	if err != nil {
		return nil, dropRefused(err)
	}
	post.Wanted, post.Fetched, post.Walked = how.Wanted, how.Fetched, how.Walked
	draft, err := s.social.DraftRemote(ctx, author, *post)
	if err != nil {
		return nil, dropRefused(err)
	}
	status, err = s.social.KeepRemote(ctx, draft)
	if errors.Is(err, db.ErrDuplicate) {
		return s.db.StatusByURI(ctx, object.ID())
	}
	return status, dropRefused(err)
}
