package remote

import (
	"bytes"
	"context"
	"crypto/rsa"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/federation/httpsig"
	"svc/server/platform/outgoing"
)

const (
	maxRedirects = 3
	// doubt is how long a server that refused both kinds of signatures gets one
	// kind only.
	doubt = 10 * time.Minute
	// knownFor is how long the kind of signature for a server is cached.
	knownFor = time.Hour
	// maxAnswer bounds the answer to a delivery, in bytes, which is for the log.
	maxAnswer = 1024
	// maxWait bounds Retry-After.
	maxWait = 24 * time.Hour
)

// signatureSupport is the kind of signature that a server accepts, as far as
// known.
type signatureSupport struct {
	kind    string
	at      time.Time
	refused time.Time // the last refusal of both kinds
}

// Result is the answer to a delivery.
type Result struct {
	Status     int
	RetryAfter time.Duration // Retry-After; 0 for none
	Text       string        // the beginning of its answer
}

// Post delivers an activity to an inbox, signed as a local account. An answer
// of any status is a Result. An error is a server without an answer
// (outgoing.ErrBusy: not called at all), ErrRefused for a forbidden address, or
// db.ErrNotFound for an unknown account.
func (s *Service) Post(ctx context.Context, accountID, inbox string, body []byte) (*Result, error) {
	to, err := s.foreign(inbox)
	if err != nil {
		return nil, err
	}
	as, err := s.recentSigner(ctx, accountID)
	if err != nil {
		return nil, err
	}
	for hops := 0; ; hops++ {
		resp, err := s.send(ctx, as, http.MethodPost, to, body)
		if err != nil {
			return nil, err
		}
		text, _ := outgoing.Read(resp.Body, maxAnswer) // the text is optional
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusTemporaryRedirect && resp.StatusCode != http.StatusPermanentRedirect {
			return &Result{Status: resp.StatusCode, RetryAfter: min(outgoing.RetryAfter(resp, s.now()), maxWait), Text: string(text)}, nil
		}
		if to, err = s.redirected(resp, to, hops); err != nil {
			return nil, err
		}
	}
}

// foreign returns a remote address that may be requested.
func (s *Service) foreign(address string) (string, error) {
	id, err := s.ids.Check(address)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrRefused, err)
	}
	switch host := s.ids.Host(id); {
	case s.Local(id):
		return "", fmt.Errorf("%w: %.200q is of this server", ErrRefused, id)
	case s.Blocked(host):
		return "", fmt.Errorf("%w: host %.200q is blocked", ErrRefused, host)
	case !s.live.Load().Instance.Federating:
		return "", fmt.Errorf("%w: federation is off", ErrRefused)
	}
	return id, nil
}

// redirected returns the target of a redirect: on the same server, and not too
// many.
func (s *Service) redirected(resp *http.Response, from string, hops int) (string, error) {
	if hops >= maxRedirects {
		return "", fmt.Errorf("%w: more than %d redirects from %.200q", ErrRefused, maxRedirects, from)
	}
	at, err := url.Parse(from)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrRefused, err)
	}
	to, err := at.Parse(resp.Header.Get("Location"))
	if err != nil || resp.Header.Get("Location") == "" {
		return "", fmt.Errorf("%w: a redirect from %.200q to nowhere", ErrRefused, from)
	}
	to.Fragment = ""
	id, err := s.ids.Check(to.String())
	if err != nil || !s.ids.SameOrigin(id, from) {
		return "", fmt.Errorf("%w: a redirect from %.200q to %.200q", ErrRefused, from, to)
	}
	return id, nil
}

// send signs a request and sends it, once more in the other format if the
// server refuses the signature. The caller closes the answer's body. A nil
// signer signs nothing.
func (s *Service) send(ctx context.Context, by *signer, method, address string, body []byte) (*http.Response, error) {
	if by == nil {
		return s.once(ctx, method, address, body, func(*http.Request) error { return nil })
	}
	as, key, other := by.account, by.key, by.previous
	if other != nil && method == http.MethodPost && announces(body, as, by.row.RotatedAt.Time) {
		key, other = other, key // the recipient of a new key knows the one before
	}
	host := s.ids.Host(address)
	known, err := s.knockOf(ctx, host)
	if err != nil {
		return nil, err
	}
	var resp *http.Response
	for i, kind := range kinds(known.kind, method == http.MethodGet && strings.Contains(address, "?")) {
		if i > 0 && kind != httpsig.CavagePath && s.now().Sub(known.refused) < doubt {
			break
		}
		if resp != nil {
			_ = resp.Body.Close()
		}
		if resp, err = s.signed(ctx, as, key, kind, method, address, body); err != nil {
			return nil, err
		}
		if !signatureRefused(resp.StatusCode) {
			s.rememberSupport(ctx, host, known, kind, resp.StatusCode)
			return resp, nil
		}
	}
	if other != nil && resp.StatusCode == http.StatusUnauthorized {
		_ = resp.Body.Close()
		return s.signed(ctx, as, other, httpsig.Cavage, method, address, body)
	}
	known.refused = s.now()
	s.knocks.Add(host, known)
	return resp, nil
}

func (s *Service) signed(ctx context.Context, as *db.Account, key *rsa.PrivateKey, kind, method, address string, body []byte) (*http.Response, error) {
	return s.once(ctx, method, address, body, func(req *http.Request) error {
		return httpsig.Sign(req, body, as.KeyID, key, kind, s.now())
	})
}

func (s *Service) once(ctx context.Context, method, address string, body []byte, sign func(*http.Request) error) (*http.Response, error) {
	var content io.Reader
	if method == http.MethodPost {
		content = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, address, content)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", activitypub.ContentType)
	} else {
		req.Header.Set("Accept", activitypub.Accept)
	}
	if err := sign(req); err != nil {
		return nil, err
	}
	resp, err := s.out.Do(req)
	if errors.Is(err, outgoing.ErrRefused) {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if err != nil {
		return nil, fmt.Errorf("ask %.200q: %w", address, err)
	}
	return resp, nil
}

// signatureRefused reports whether a status may mean that the signature was not
// understood.
func signatureRefused(status int) bool {
	return status == http.StatusUnauthorized || status == http.StatusForbidden
}

// kinds returns the signature formats to try, in order.
func kinds(known string, query bool) []string {
	if known == db.KnockRFC9421 {
		return []string{httpsig.RFC9421, httpsig.Cavage}
	}
	if query {
		return []string{httpsig.Cavage, httpsig.CavagePath, httpsig.RFC9421}
	}
	return []string{httpsig.Cavage, httpsig.RFC9421}
}

func (s *Service) knockOf(ctx context.Context, host string) (signatureSupport, error) {
	if k, ok := s.knocks.Get(host); ok && s.now().Sub(k.at) < knownFor {
		return k, nil
	}
	k := signatureSupport{at: s.now()}
	switch i, err := s.db.Instance(ctx, host); {
	case err == nil:
		k.kind = i.Knock
	case !errors.Is(err, db.ErrNotFound):
		return k, err
	}
	s.knocks.Add(host, k)
	return k, nil
}

// rememberSupport stores the accepted signature format if it is new. The answer
// counts even if that fails.
func (s *Service) rememberSupport(ctx context.Context, host string, known signatureSupport, kind string, status int) {
	if kind == httpsig.CavagePath {
		kind = httpsig.Cavage
	}
	if status/100 != 2 || kind == known.kind || kind == httpsig.Cavage && known.kind == "" {
		return
	}
	s.knocks.Add(host, signatureSupport{kind: kind, at: s.now()})
	if err := s.db.SetSignatureKind(ctx, host, kind); err != nil {
		s.log.WarnContext(ctx, "cannot store the signature format of a server", "host", host, "err", err)
	}
}

// announces reports whether an activity tells others of the actor's key from a
// time: it contains the key, and was written then.
func announces(body []byte, as *db.Account, rotated time.Time) bool {
	doc, err := activitypub.Decode(body)
	return err == nil && doc.Is("Update") && doc.IDOf("object") == as.URI && doc.Object("object").Object("publicKey") != nil &&
		!doc.Time("published").After(rotated.Add(time.Second))
}
