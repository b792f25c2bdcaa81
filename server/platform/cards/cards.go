// Package cards makes previews of the pages that statuses link to. A job
// fetches a status's first page with package outgoing; the results are bounded,
// plain text, and addresses of http or https alone.
//
// Rendering is left to view, and the decision about jobs to social.
package cards

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/hosts"
	"svc/server/platform/jobs"
	"svc/server/platform/outgoing"
	"svc/server/platform/text"
)

// The bounds of a fetch.
const (
	timeout = 5 * time.Second
	maxPage = 1 << 20 // bytes
	maxURL  = 2000    // bytes
	tries   = 3
)

// fresh is how long a card is used for new statuses without another fetch.
const fresh = 24 * time.Hour

// Service fetches cards.
type Service struct {
	db       *db.DB
	settings *config.Live
	client   *outgoing.Client
	now      func() time.Time
}

// New returns a Service that calls with client.
func New(d *db.DB, settings *config.Live, client *outgoing.Client, now func() time.Time) *Service {
	return &Service{db: d, settings: settings, client: client.Within(timeout), now: now}
}

// Wanted reports whether a status with this HTML gets a card: whether it links
// to a page that may be fetched. A nil Service wants none.
func (s *Service) Wanted(html string) bool {
	return s != nil && s.settings.Load().RichMedia.Enabled && s.link(html, nil) != ""
}

// Link returns the page of a status's text that its card is of, "" for none.
func (s *Service) Link(html string) string {
	if s == nil {
		return ""
	}
	return s.link(html, nil)
}

// link returns the first link of html that may be fetched; "" for none. The
// status's own files are no pages.
func (s *Service) link(html string, files []db.MediaAttachment) string {
	for _, link := range text.PageLinks(html) {
		isFile := func(f db.MediaAttachment) bool { return link == f.RemoteURL || link == f.URL }
		if u := s.page(link); u != nil && !slices.ContainsFunc(files, isFile) {
			return link
		}
	}
	return ""
}

// page returns the address of a page that may be fetched, else nil.
func (s *Service) page(link string) *url.URL {
	u, err := url.Parse(link)
	if err != nil || len(link) > maxURL || u.Host == "" || u.User != nil {
		return nil
	}
	if s.client.Insecure() && u.Scheme == "http" {
		return u
	}
	host := hosts.Clean(u.Hostname())
	settings := s.settings.Load().RichMedia
	_, err = netip.ParseAddr(strings.Trim(host, "[]"))
	if u.Scheme != "https" || err == nil && !s.client.Insecure() || hosts.Among(settings.IgnoreHosts, host) {
		return nil
	}
	if tld := host[strings.LastIndexByte(host, '.')+1:]; hosts.Among(settings.IgnoreTLD, tld) {
		return nil
	}
	return u
}

// Fetch runs a job of its kind. A failed fetch is repeated a few times.
func (s *Service) Fetch(ctx context.Context, job jobs.FetchCard) error {
	settings := s.settings.Load().RichMedia
	status, err := s.db.StatusByID(ctx, job.StatusID)
	if errors.Is(err, db.ErrNotFound) || !settings.Enabled {
		return nil
	}
	if err != nil {
		return err
	}
	files, err := s.db.Attachments(ctx, []string{status.ID})
	if err != nil {
		return err
	}
	link := s.link(status.Content, files)
	if link == "" {
		return nil
	}
	known, err := s.db.CardByLink(ctx, link)
	switch {
	case errors.Is(err, db.ErrNotFound):
		known = nil
	case err != nil:
		return err
	case known.FetchedAt.After(s.now().Add(-fresh)):
		return s.db.AttachCard(ctx, status.ID, known.ID)
	}
	backoff := time.Duration(settings.FailureBackoff) * time.Millisecond
	failed, err := s.db.LinkFailedSince(ctx, link, db.At(s.now().Add(-backoff)))
	if err != nil {
		return err
	}
	if failed {
		return s.later(ctx, job, link, backoff, false)
	}
	found, err := s.fetch(ctx, link)
	if err != nil {
		var hopeless *hopelessError
		if known != nil {
			err = errors.Join(err, s.db.AttachCard(ctx, status.ID, known.ID))
		}
		if errors.As(err, &hopeless) || errors.Is(err, outgoing.ErrRefused) {
			job.Try = tries
		}
		return s.later(ctx, job, link, backoff, true)
	}
	return s.keep(ctx, status.ID, known, found)
}

// later enqueues another try, if one is left. failed marks a failure of the
// page itself.
func (s *Service) later(ctx context.Context, job jobs.FetchCard, link string, after time.Duration, failed bool) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if failed {
			if err := tx.MarkLinkFailed(ctx, link); err != nil {
				return err
			}
		}
		if job.Try++; job.Try >= tries {
			return nil
		}
		return jobs.EnqueueAt(ctx, tx, job, s.now().Add(after+time.Second))
	})
}

// keep attaches found to a status, or the known row if the page is unchanged.
func (s *Service) keep(ctx context.Context, statusID string, known, found *db.Card) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		found.FetchedAt = tx.Now()
		if known != nil && same(known, found) {
			found.ID = known.ID
			if err := tx.MarkCardFetched(ctx, known.ID); err != nil {
				return err
			}
		} else if err := tx.CreateCard(ctx, found); err != nil {
			return err
		}
		return tx.AttachCard(ctx, statusID, found.ID)
	})
}

func same(a, b *db.Card) bool {
	return a.URL == b.URL && a.Title == b.Title && a.Description == b.Description && a.Image == b.Image && maps.Equal(a.OpenGraph, b.OpenGraph)
}

// sweepChunk bounds the rows that one transaction of a sweep removes.
const sweepChunk = 5000

// Sweep removes old failures.
func (s *Service) Sweep(ctx context.Context) error {
	return s.db.Steps(ctx, func(tx *db.DB) (bool, error) { return tx.SweepCards(ctx, sweepChunk) })
}

// hopelessError is a page that never gives a card.
type hopelessError struct{ why string }

func (e *hopelessError) Error() string { return e.why }

// fetch fetches a page.
func (s *Service) fetch(ctx context.Context, link string) (*db.Card, error) {
	resp, err := s.client.Get(ctx, link, "text/html, application/xhtml+xml;q=0.9")
	if err != nil {
		return nil, fmt.Errorf("fetch a page: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	switch {
	case resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusRequestTimeout || resp.StatusCode >= 500:
		return nil, fmt.Errorf("fetch a page: it answered %d", resp.StatusCode)
	case resp.StatusCode != http.StatusOK:
		return nil, &hopelessError{fmt.Sprintf("a page answered %d", resp.StatusCode)}
	}
	kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	if kind = strings.ToLower(strings.TrimSpace(kind)); kind != "text/html" && kind != "application/xhtml+xml" {
		return nil, &hopelessError{"a page is no HTML"}
	}
	at := resp.Request.URL
	if s.page(at.String()) == nil {
		return nil, &hopelessError{"a page leads where none is asked"}
	}
	// The metadata is at the beginning of a page.
	body, err := outgoing.Read(resp.Body, maxPage)
	if err != nil && !errors.Is(err, outgoing.ErrTooLarge) {
		return nil, fmt.Errorf("fetch a page: %w", err)
	}
	card := read(body, resp.Header.Get("Content-Type"), at)
	if card.Title == "" {
		return nil, &hopelessError{"a page has no title"}
	}
	card.Link = link
	return card, nil
}
