package ingest

import (
	"context"
	"errors"
	"time"

	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/platform/jobs"
	"svc/server/rules/social"
)

// onPin handles an Add or Remove of a pinned status by its author.
func (s *Service) onPin(ctx context.Context, in *Incoming) error {
	if in.Forwarded {
		return errDrop("a %.50s that was passed on", in.Activity.Type())
	}
	target := in.Activity.IDOf("target")
	if in.Actor.FeaturedURI == "" || target != in.Actor.FeaturedURI {
		return errDrop("target %.200q is not what the actor shows", target)
	}
	id := in.Activity.IDOf("object")
	if !s.ids.SameOrigin(id, in.Actor.URI) {
		return errDrop("%.200q is not by the actor", id)
	}
	add := in.Activity.Is("Add")
	var statusID string
	if add {
		status, err := s.object(ctx, id)
		if err != nil {
			return err
		}
		statusID = status.ID
	} else if status, err := s.db.StatusByURI(ctx, id); err == nil {
		statusID = status.ID
	} else if ignoreNotFound(err) != nil {
		return err
	}
	return dropRefused(in.Commit(ctx, func(tx *db.DB) error {
		return s.social.In(tx).TakePin(ctx, in.Actor, statusID, add)
	}))
}

const (
	// maxFeatured bounds the pinned statuses that are fetched.
	maxFeatured = 20
	// maxAgain bounds how often a collection is asked for again because activities told
	// pins meanwhile. After that, they have said all.
	maxAgain = 3
)

// FetchFeatured runs a job of its kind.
func (s *Service) FetchFeatured(ctx context.Context, job jobs.FetchFeatured) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	account, err := s.db.Account(ctx, job.AccountID)
	if err != nil || account.Local || account.Deactivated || account.FeaturedURI == "" || !s.ids.SameOrigin(account.FeaturedURI, account.URI) {
		return ignoreNotFound(err)
	}
	asked := s.db.Now()
	items, err := s.collection(ctx, account.FeaturedURI, maxFeatured)
	if err != nil {
		return cancelMissing(err)
	}
	var ids []string
	for _, uri := range items {
		if !s.ids.SameOrigin(uri, account.URI) {
			continue
		}
		status, err := s.object(ctx, uri)
		var no *dropped
		switch {
		case errors.As(err, &no):
			continue
		case err != nil:
			return err
		}
		if status.AccountID == account.ID {
			ids = append(ids, status.ID)
		}
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		later, err := s.social.In(tx).TakePins(ctx, account, ids, asked)
		if err != nil || later.IsZero() || job.Again >= maxAgain {
			return err
		}
		return jobs.EnqueueAt(ctx, tx, jobs.FetchFeatured{AccountID: account.ID, Again: job.Again + 1}, later)
	})
}

// ignoreNotFound drops a "not found" error.
func ignoreNotFound(err error) error {
	if isNotFound(err) {
		return nil
	}
	return err
}

// cancelMissing cancels a job if its documents are gone for good.
func cancelMissing(err error) error {
	var no *dropped
	if errors.As(err, &no) {
		return nil
	}
	return err
}

// The bounds of collections.
const (
	maxPages = 10
	maxItems = 500
)

// collection returns up to most ids of a collection, given as one list or in
// pages, all of them on one server.
func (s *Service) collection(ctx context.Context, uri string, most int) ([]string, error) {
	most = min(most, maxItems)
	doc, err := s.remote.Fetch(ctx, uri)
	if err != nil {
		return nil, dropUnfetched(uri, err)
	}
	items := itemsOf(doc)
	next := doc.IDOf("first")
	if first := doc.Object("first"); first != nil && first.Is("CollectionPage", "OrderedCollectionPage") {
		items, next = append(items, itemsOf(first)...), first.IDOf("next")
	} else if doc.Is("CollectionPage", "OrderedCollectionPage") {
		next = doc.IDOf("next")
	}
	seen := map[string]bool{uri: true}
	for page := 0; page < maxPages && len(items) < most && next != "" && !seen[next] && s.ids.SameOrigin(next, uri); page++ {
		seen[next] = true
		doc, err := s.remote.Fetch(ctx, next)
		if err != nil {
			break // the items read so far count
		}
		items, next = append(items, itemsOf(doc)...), doc.IDOf("next")
	}
	return items[:min(len(items), most)], nil
}

func itemsOf(o activitypub.Object) []string {
	return append(o.IDs("orderedItems"), o.IDs("items")...)
}

// ask fetches a status and stores it.
func (s *Service) ask(ctx context.Context, id string, how social.RemoteStatus) (*db.Status, error) {
	doc, err := s.remote.Fetch(ctx, id)
	if err != nil {
		return nil, dropUnfetched(id, err)
	}
	return s.ingest(ctx, doc, how)
}
