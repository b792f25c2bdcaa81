package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/platform/outgoing"
)

// page is a fetched document with its final address.
type page struct {
	body    []byte
	address string
}

// Fetch returns the document of an id, fetched and signed as the server itself.
// Its own id must be its final address, which differs from uri if uri leads to
// another document.
//
// Errors: ErrGone, ErrNotFound, ErrRefused; others are temporary.
func (s *Service) Fetch(ctx context.Context, uri string) (activitypub.Object, error) {
	return s.FetchAs(ctx, uri, nil)
}

// FetchAs is Fetch, signed as a local account; nil is the server itself.
func (s *Service) FetchAs(ctx context.Context, uri string, as *db.Account) (activitypub.Object, error) {
	doc, at, err := s.document(ctx, uri, as)
	if err != nil {
		return nil, err
	}
	id, err := s.ids.Check(doc.ID())
	if err != nil {
		return nil, fmt.Errorf("%w: a document without an id at %.200q", ErrRefused, at)
	}
	if id != at {
		if doc, at, err = s.document(ctx, id, as); err != nil {
			return nil, err
		}
		if again, err := s.ids.Check(doc.ID()); err != nil || again != at || again != id {
			return nil, fmt.Errorf("%w: the document at %.200q has id %.200q", ErrRefused, at, doc.ID())
		}
	}
	if doc.Is("Tombstone") {
		return nil, fmt.Errorf("%w: %.200q", ErrGone, at)
	}
	return doc, nil
}

// document fetches an address, with any id in its document, and returns it
// with its final address.
func (s *Service) document(ctx context.Context, uri string, as *db.Account) (activitypub.Object, string, error) {
	address, _, _ := strings.Cut(uri, "#")
	address, err := s.foreign(address)
	if err != nil {
		return nil, "", err
	}
	key := address
	if as != nil {
		key += " " + as.ID
	}
	if f, ok := s.failures.Get(key); ok && s.now().Before(f.until) {
		return nil, "", f.err
	}
	p, err := s.pages.do(ctx, key, func(ctx context.Context) (*page, error) {
		p, err := s.ask(ctx, address, as)
		s.remember(ctx, key, err)
		return p, err
	})
	if err != nil {
		return nil, "", err
	}
	doc, err := activitypub.Decode(p.body)
	if err != nil {
		return nil, "", fmt.Errorf("%w: the document at %.200q: %w", ErrRefused, p.address, err)
	}
	return doc, p.address, nil
}

// remember caches a failure for a while.
func (s *Service) remember(ctx context.Context, key string, err error) {
	switch {
	case err == nil, errors.Is(err, ErrBusy), errors.Is(err, outgoing.ErrBusy), ctx.Err() != nil:
		return
	}
	s.log.DebugContext(ctx, "fetch failed", "for", fmt.Sprintf("%.200q", key), "err", err)
	switch {
	case errors.Is(err, ErrGone), errors.Is(err, ErrNotFound), errors.Is(err, ErrRefused):
		s.failures.Add(key, failure{err: err, until: s.now().Add(forgiven)})
	default:
		s.failures.Add(key, failure{err: err, until: s.now().Add(unheard)})
	}
}

// ask gets a document over the network.
func (s *Service) ask(ctx context.Context, address string, as *db.Account) (*page, error) {
	ctx, span := s.traces.Fetch(ctx, s.ids.Host(address))
	outcome, failed := "failed", true // unless it ends
	defer func() { span.Fetched(outcome, failed) }()
	p, err := s.call(ctx, address, as)
	outcome, failed = outcomeOf(err)
	return p, err
}

// outcomeOf names the outcome of a fetch in traces.
func outcomeOf(err error) (outcome string, failed bool) {
	switch {
	case err == nil:
		return "done", false
	case errors.Is(err, ErrGone):
		return "gone", false
	case errors.Is(err, ErrNotFound):
		return "not_found", false
	case errors.Is(err, ErrRefused):
		return "refused", true
	case errors.Is(err, ErrBusy), errors.Is(err, outgoing.ErrBusy):
		return "busy", true
	}
	return "failed", true
}

// call is ask without its trace.
func (s *Service) call(ctx context.Context, address string, as *db.Account) (*page, error) {
	if !s.hosts.take(s.ids.Host(address), 1) {
		return nil, fmt.Errorf("%w: of %.200q", ErrBusy, s.ids.Host(address))
	}
	if as == nil && s.live.Load().ActivityPub.SignObjectFetches {
		fetcher, err := s.Fetcher(ctx)
		if err != nil {
			return nil, err
		}
		as = fetcher
	}
	var by *signer
	if as != nil {
		var err error
		if by, err = s.signerOf(ctx, as); err != nil {
			return nil, err
		}
	}
	for hops := 0; ; hops++ {
		resp, err := s.send(ctx, by, http.MethodGet, address, nil)
		if err != nil {
			return nil, err
		}
		body, err := s.answered(resp, address)
		_ = resp.Body.Close()
		if err != nil {
			return nil, err
		}
		if resp.StatusCode == http.StatusOK {
			return &page{body: body, address: address}, nil
		}
		if address, err = s.redirected(resp, address, hops); err != nil {
			return nil, err
		}
	}
}

// answered reads an answer: a document, nothing for a redirect, or an error.
func (s *Service) answered(resp *http.Response, address string) ([]byte, error) {
	switch code := resp.StatusCode; {
	case code == http.StatusOK:
	case code == http.StatusGone:
		return nil, fmt.Errorf("%w: %.200q", ErrGone, address)
	case code == http.StatusNotFound:
		return nil, fmt.Errorf("%w: %.200q", ErrNotFound, address)
	case code == http.StatusMovedPermanently, code == http.StatusFound, code == http.StatusSeeOther,
		code == http.StatusTemporaryRedirect, code == http.StatusPermanentRedirect:
		return nil, nil
	case code == http.StatusUnauthorized, code == http.StatusRequestTimeout, code == http.StatusTooManyRequests, code >= 500:
		return nil, fmt.Errorf("%.200q answered %d", address, code)
	default:
		return nil, fmt.Errorf("%w: %.200q answered %d", ErrRefused, address, code)
	}
	if kind := resp.Header.Values("Content-Type"); len(kind) != 1 || !activitypub.IsDocument(kind[0]) {
		return nil, fmt.Errorf("%w: %.200q is of type %.100q", ErrRefused, address, kind)
	}
	body, err := outgoing.Read(resp.Body, activitypub.MaxBody)
	switch {
	case errors.Is(err, outgoing.ErrTooLarge):
		return nil, fmt.Errorf("%w: %.200q: %w", ErrRefused, address, err)
	case err != nil:
		return nil, fmt.Errorf("read %.200q: %w", address, err)
	}
	return body, nil
}
