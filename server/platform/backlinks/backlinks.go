// Package backlinks verifies the links of a profile: a linked page belongs to
// the same person if it links back to the profile with the relation "me".
//
// It fetches pages for its job. Formatting is left to text, the choice of
// profiles to social.
package backlinks

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"svc/db"
	"svc/server/platform/jobs"
	"svc/server/platform/outgoing"
	"svc/server/platform/text"
)

// The bounds of a check.
const (
	timeout  = 5 * time.Second // of one page
	maxPage  = 1 << 20         // bytes
	maxPages = 20              // of one profile
)

// Service checks profiles.
type Service struct {
	db     *db.DB
	client *outgoing.Client
	base   string // public base URL
	now    func() time.Time
}

// New returns a Service that calls with client.
func New(d *db.DB, client *outgoing.Client, base string, now func() time.Time) *Service {
	return &Service{db: d, client: client.Within(timeout), base: base, now: now}
}

// Check runs a job of its kind: links in the bio and fields of a local account
// whose pages link back get the relation "me", and such fields are verified;
// all others are not. A page without an answer does not link back.
func (s *Service) Check(ctx context.Context, job jobs.CheckBacklinks) error {
	a, err := s.db.Account(ctx, job.AccountID)
	if errors.Is(err, db.ErrNotFound) || err == nil && (!a.Local || a.Deactivated) {
		return nil
	}
	if err != nil {
		return err
	}
	mine := map[string]bool{}
	for _, link := range s.links(a) {
		if mine[link] = s.linksBack(ctx, a, link); ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if err := tx.HoldAccounts(ctx, a.ID); err != nil {
			return err
		}
		// The current row, which may have changed during the fetches.
		a, err := tx.Account(ctx, a.ID)
		if err != nil {
			return err
		}
		changed := false
		set := func(html *string) {
			marked := text.SetMe(*html, func(href string) bool { return mine[href] })
			changed = changed || marked != *html
			*html = marked
		}
		set(&a.NoteHTML)
		for i := range a.FieldsHTML {
			f := &a.FieldsHTML[i]
			set(&f.Value)
			verified := slices.ContainsFunc(text.PageLinks(f.Value), func(href string) bool { return mine[href] })
			if verified == !f.VerifiedAt.IsZero() {
				continue
			}
			changed = true
			f.VerifiedAt = time.Time{}
			if verified {
				f.VerifiedAt = s.now().UTC().Truncate(time.Second)
			}
		}
		if !changed {
			return nil
		}
		return tx.UpdateAccount(ctx, a, "note_html", "fields_html")
	})
}

// links returns the links of a profile to other sites.
func (s *Service) links(a *db.Account) []string {
	all := text.PageLinks(a.NoteHTML)
	for _, f := range a.FieldsHTML {
		all = append(all, text.PageLinks(f.Value)...)
	}
	var out []string
	for _, link := range all {
		if len(out) < maxPages && !strings.HasPrefix(link, s.base+"/") && !slices.Contains(out, link) {
			out = append(out, link)
		}
	}
	return out
}

// linksBack fetches a page. A failure does not link back.
func (s *Service) linksBack(ctx context.Context, a *db.Account, link string) bool {
	resp, err := s.client.Get(ctx, link, "text/html, application/xhtml+xml;q=0.9")
	if err != nil {
		return false
	}
	defer func() { _ = resp.Body.Close() }()
	// Many sites redirect to any address in a link of theirs: such a link does not
	// prove whose site it is.
	if named, err := url.Parse(link); err != nil || !sameHost(named, resp.Request.URL) {
		return false
	}
	kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	if kind = strings.ToLower(strings.TrimSpace(kind)); resp.StatusCode != http.StatusOK || kind != "text/html" && kind != "application/xhtml+xml" {
		return false
	}
	body, err := outgoing.Read(resp.Body, maxPage)
	if err != nil && !errors.Is(err, outgoing.ErrTooLarge) {
		return false
	}
	return slices.ContainsFunc(text.MeLinks(string(body)), func(ref string) bool {
		u, err := resp.Request.URL.Parse(ref)
		return err == nil && s.isProfile(a, u)
	})
}

// sameHost reports whether two addresses have the same host and port; the
// default ports of HTTP and HTTPS count as one.
func sameHost(a, b *url.URL) bool {
	port := func(u *url.URL) string {
		if p := u.Port(); p != map[string]string{"http": "80", "https": "443"}[u.Scheme] {
			return p
		}
		return ""
	}
	return strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

// isProfile reports whether u is an address of the account's profile.
func (s *Service) isProfile(a *db.Account, u *url.URL) bool {
	u.Fragment, u.RawQuery = "", ""
	at := strings.TrimSuffix(u.String(), "/")
	return slices.ContainsFunc([]string{a.URL, a.URI, s.base + "/@" + a.Nickname, s.base + "/users/" + a.Nickname}, func(own string) bool {
		return strings.EqualFold(at, own)
	})
}
