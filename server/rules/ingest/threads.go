package ingest

import (
	"context"
	"errors"
	"time"

	"svc/server/federation/activitypub"
	"svc/server/platform/jobs"
	"svc/server/rules/social"
)

// The bounds of fetching threads.
const (
	maxAncestors = 100
	maxReplies   = 500
	maxOfHost    = 100 // documents of one host in one job
	threadTime   = 3 * time.Minute
)

// walk bounds the fetches of one job: each document once, few of one host, and
// none after its time.
type walk struct {
	s     *Service
	seen  map[string]bool
	hosts map[string]int
}

func (s *Service) walk() *walk { return &walk{s: s, seen: map[string]bool{}, hosts: map[string]int{}} }

// next reports whether a document is to be fetched, and counts it.
func (w *walk) next(ctx context.Context, uri string) bool {
	host := w.s.ids.Host(uri)
	if ctx.Err() != nil || host == "" || w.seen[uri] || w.s.ours(uri) || w.hosts[host] >= maxOfHost {
		return false
	}
	w.seen[uri] = true
	w.hosts[host]++
	return true
}

// depth returns the depth to which threads are fetched, by the settings.
func (s *Service) depth() int {
	return min(maxAncestors, s.settings.Load().Instance.RepliesMaxDepth)
}

// FetchThread runs a job of its kind: it fetches the parents of a reply, up to
// a stored one, and stores them from the top down, so that all statuses join
// one thread.
func (s *Service) FetchThread(ctx context.Context, job jobs.FetchThread) error {
	ctx, cancel := context.WithTimeout(ctx, threadTime)
	defer cancel()
	status, err := s.db.StatusByID(ctx, job.StatusID)
	if err != nil || status.InReplyToURI == "" || status.InReplyToID != nil {
		return ignoreNotFound(err)
	}
	found, failed := s.ancestors(ctx, status.InReplyToURI)
	if failed != nil && len(found) == 0 {
		return cancelMissing(failed)
	}
	if len(found) > 0 && found[0].ID() != status.InReplyToURI { // the address of a page
		if err := s.db.AwaitParent(ctx, job.StatusID, status.InReplyToURI, found[0].ID()); err != nil {
			return err
		}
	}
	for i := len(found) - 1; i >= 0; i-- {
		_, err := s.ingest(ctx, found[i], social.RemoteStatus{Wanted: true, Fetched: true, Walked: true})
		var no *dropped
		if err != nil && !errors.As(err, &no) {
			return err
		}
	}
	// If the parent came while the reply was stored, or meanwhile, nothing joined them.
	return s.social.JoinParent(ctx, job.StatusID)
}

// ancestors fetches a status and its ancestors, up to a stored one. After a
// failure it returns those found.
func (s *Service) ancestors(ctx context.Context, uri string) (found []activitypub.Object, err error) {
	w := s.walk()
	for len(found) < s.depth() && w.next(ctx, uri) {
		_, err := s.db.StatusAt(ctx, uri)
		if err == nil || !isNotFound(err) {
			return found, err
		}
		doc, err := s.remote.Fetch(ctx, uri)
		if err != nil {
			return found, dropUnfetched(uri, err)
		}
		p, err := activitypub.ReadPost(doc, s.ids, "")
		if err != nil || !doc.IsPost() {
			return found, dropRefused(err)
		}
		if w.seen[p.ID] && p.ID != uri {
			return found, nil // another address of one that was there
		}
		w.seen[p.ID] = true
		if len(found) > 0 && p.ID != uri { // the reply waits for it under its id
			found[len(found)-1]["inReplyTo"] = p.ID
		}
		found, uri = append(found, doc), p.InReplyTo
		if uri == "" {
			return found, nil
		}
	}
	return found, nil
}

// FetchReplies runs a job of its kind: it fetches the replies that a status's
// server lists, and theirs.
func (s *Service) FetchReplies(ctx context.Context, job jobs.FetchReplies) error {
	ctx, cancel := context.WithTimeout(ctx, threadTime)
	defer cancel()
	status, err := s.db.StatusByID(ctx, job.StatusID)
	if err != nil || status.Local || status.URI == nil || s.depth() <= 0 {
		return ignoreNotFound(err)
	}
	w := s.walk()
	w.next(ctx, *status.URI)
	doc, err := s.remote.Fetch(ctx, *status.URI)
	if err != nil {
		return cancelMissing(dropUnfetched(*status.URI, err))
	}
	type level struct {
		uri   string
		depth int
	}
	var queue []level
	add := func(doc activitypub.Object, depth int) {
		if depth > s.depth() || len(w.seen)+len(queue) > maxReplies {
			return
		}
		for _, uri := range s.repliesOf(ctx, w, doc) {
			queue = append(queue, level{uri, depth})
		}
	}
	add(doc, 1)
	for fetched := 0; len(queue) > 0 && fetched < maxReplies; {
		at := queue[0]
		queue = queue[1:]
		if !w.next(ctx, at.uri) {
			continue
		}
		fetched++
		doc, err := s.remote.Fetch(ctx, at.uri)
		if err != nil {
			continue // others may work
		}
		if !s.replies(ctx, doc) {
			continue
		}
		_, err = s.ingest(ctx, doc, social.RemoteStatus{Wanted: true, Fetched: true, Walked: true})
		var no *dropped
		if err != nil && !errors.As(err, &no) {
			return err
		}
		add(doc, at.depth+1)
	}
	return nil
}

// replies reports whether a document replies to a stored status, since
// collections may name anything.
func (s *Service) replies(ctx context.Context, doc activitypub.Object) bool {
	p, err := activitypub.ReadPost(doc, s.ids, "")
	if err != nil || p.InReplyTo == "" {
		return false
	}
	_, err = s.db.StatusAt(ctx, p.InReplyTo)
	return err == nil
}

// repliesOf returns the ids of a document's replies, as far as its server lists
// them.
func (s *Service) repliesOf(ctx context.Context, w *walk, doc activitypub.Object) []string {
	p, err := activitypub.ReadPost(doc, s.ids, "")
	if err != nil {
		return nil
	}
	out := p.FirstReplies
	if p.Replies != "" && s.ids.SameOrigin(p.Replies, p.ID) && w.next(ctx, p.Replies) {
		if more, err := s.collection(ctx, p.Replies, maxReplies); err == nil {
			out = append(out, more...)
		}
	}
	return out[:min(len(out), maxReplies)]
}
