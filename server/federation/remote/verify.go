package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/federation/httpsig"
	"svc/server/platform/hosts"
)

// Signer is the signer of a request.
type Signer struct {
	Account *db.Account
	KeyID   string
	Kind    string // httpsig.Cavage or httpsig.RFC9421
}

// sourceKey is the context key of the client that causes key fetches.
type sourceKey struct{}

// WithSource returns a context for Verify with the client of the request, since
// each client may cause only so many key fetches.
func WithSource(ctx context.Context, client string) context.Context {
	return context.WithValue(ctx, sourceKey{}, client)
}

// Verify returns the signer of a request; body is the received body. An unknown
// key is fetched from its server.
//
// Errors: ErrUnsigned and ErrBadSignature (401), including ErrSignerGone;
// ErrBlocked (403); ErrKeyAway (503).
func (s *Service) Verify(ctx context.Context, req *http.Request, body []byte) (*Signer, error) {
	sig, err := s.Parse(req, body)
	if err != nil {
		return nil, err
	}
	return s.Signed(ctx, sig)
}

// Parse is the part of Verify that needs no key: a signature exists, is in
// time, covers enough of this request, and is not by a blocked server.
func (s *Service) Parse(req *http.Request, body []byte) (*httpsig.Signature, error) {
	scheme, _, _ := strings.Cut(s.base, "://")
	window := s.live.Load().ActivityPub.SignatureAge
	sig, err := httpsig.Parse(req, body, httpsig.Options{
		Scheme: scheme, Host: s.host, Now: s.now(), Past: window, Future: time.Hour, AnyPort: s.ids.Insecure,
	})
	switch {
	case errors.Is(err, httpsig.ErrUnsigned):
		return nil, ErrUnsigned
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrBadSignature, err)
	}
	sig.KeyID = hosts.URI(sig.KeyID)
	if _, err := s.ids.Check(sig.KeyID); err != nil || s.Local(sig.KeyID) {
		return nil, fmt.Errorf("%w: key %.200q", ErrBadSignature, sig.KeyID)
	}
	if host := s.ids.Host(sig.KeyID); s.Blocked(host) {
		return nil, fmt.Errorf("%w: %.200q", ErrBlocked, host)
	}
	return sig, nil
}

// Signed is the rest of Verify: it returns the signer of a parsed signature.
func (s *Service) Signed(ctx context.Context, sig *httpsig.Signature) (*Signer, error) {
	host := s.ids.Host(sig.KeyID)
	a, err := s.signer(ctx, sig)
	if err != nil {
		return nil, err
	}
	if _, domain, ok := strings.Cut(a.Nickname, "@"); ok && domain != host && s.Blocked(domain) {
		return nil, fmt.Errorf("%w: %.200q", ErrBlocked, domain)
	}
	if err := s.db.HostSeen(ctx, host); err != nil {
		return nil, err
	}
	return &Signer{Account: a, KeyID: sig.KeyID, Kind: sig.Kind}, nil
}

// signer returns the account of a signature's key.
func (s *Service) signer(ctx context.Context, sig *httpsig.Signature) (*db.Account, error) {
	a, err := s.db.AccountByKey(ctx, sig.KeyID)
	switch {
	case err == nil && ofKey(sig, a.PublicKey) == nil:
		return a, nil
	case err == nil && s.now().Sub(a.FetchedAt.Time) < forgiven:
		return nil, fmt.Errorf("%w: key %.200q", ErrBadSignature, sig.KeyID)
	case err != nil && !errors.Is(err, db.ErrNotFound):
		return nil, err
	}
	gone, err := s.db.IsKeyGone(ctx, sig.KeyID, db.At(s.now().Add(-goneFor)))
	if err != nil {
		return nil, err
	}
	if gone {
		return nil, fmt.Errorf("%w: %.200q", ErrSignerGone, sig.KeyID)
	}
	if !s.mayAsk(ctx) {
		return nil, fmt.Errorf("%w: %.200q: %w", ErrKeyAway, sig.KeyID, ErrBusy)
	}
	began := s.now()
	doc, key, err := s.fetchKey(ctx, sig.KeyID)
	if err != nil {
		return nil, keyError(sig.KeyID, err)
	}
	if a != nil && key == a.PublicKey { // the signature was checked with it already
		if err := s.db.MarkAccountFetched(ctx, a.ID, s.now()); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%w: key %.200q", ErrBadSignature, sig.KeyID)
	}
	if err := ofKey(sig, key); err != nil {
		return nil, err
	}
	a, err = s.adopt(ctx, doc, sig.KeyID, began)
	var refused refusal
	switch {
	case errors.As(err, &refused):
		return nil, fmt.Errorf("%w: %w", ErrBlocked, err)
	case err != nil:
		return nil, keyError(sig.KeyID, err)
	}
	return a, nil
}

// mayAsk spends one question of the client's budget.
func (s *Service) mayAsk(ctx context.Context) bool {
	source, _ := ctx.Value(sourceKey{}).(string)
	return s.sources.take(source, 1)
}

// keyError returns the error of a signature whose key or owner could not be
// fetched: for good, or for now.
func keyError(keyID string, err error) error {
	as := ErrKeyAway
	switch {
	case errors.Is(err, ErrGone):
		as = ErrSignerGone
	case errors.Is(err, ErrNotFound), errors.Is(err, ErrRefused):
		as = ErrBadSignature
	}
	return fmt.Errorf("%w: key %.200q: %w", as, keyID, err)
}

// ofKey verifies a signature with a key, as PEM.
func ofKey(sig *httpsig.Signature, text string) error {
	key, err := httpsig.ParseKey(text)
	if err == nil {
		err = sig.Verify(key)
	}
	if err != nil {
		return fmt.Errorf("%w: key %.200q: %w", ErrBadSignature, sig.KeyID, err)
	}
	return nil
}

// fetchKey fetches a key and returns its owner's own document, with the key as
// PEM.
func (s *Service) fetchKey(ctx context.Context, keyID string) (activitypub.Object, string, error) {
	at := keyID
	if path, ok := strings.CutSuffix(strings.SplitN(keyID, "#", 2)[0], "/publickey"); ok {
		at = path
	}
	doc, from, err := s.document(ctx, at, nil)
	if err != nil {
		return nil, "", err
	}
	id, err := s.ids.Check(doc.ID())
	if err != nil {
		return nil, "", fmt.Errorf("%w: a document without an id at %.200q", ErrRefused, from)
	}
	if doc.Is("Tombstone") && id == from {
		return nil, "", fmt.Errorf("%w: %.200q", ErrGone, from)
	}
	if id == from && doc.Object("publicKey") != nil {
		key, err := s.ownKey(doc, keyID)
		return doc, key, err
	}
	// The key is a document of its own, or a part of its owner's.
	owner := doc.IDOf("owner")
	if owner == "" {
		owner = id
	}
	if !s.ids.SameOrigin(owner, keyID) {
		return nil, "", fmt.Errorf("%w: key %.200q of %.200q", ErrRefused, keyID, owner)
	}
	if doc, err = s.Fetch(ctx, owner); err != nil {
		return nil, "", err
	}
	if doc.ID() != owner {
		return nil, "", fmt.Errorf("%w: key %.200q of %.200q", ErrRefused, keyID, owner)
	}
	key, err := s.ownKey(doc, keyID)
	return doc, key, err
}

// ownKey returns the key of this id in an actor's own document.
func (s *Service) ownKey(doc activitypub.Object, keyID string) (string, error) {
	for _, key := range doc.Objects("publicKey") {
		if key.ID() != keyID {
			continue
		}
		if key.IDOf("owner") != doc.ID() || !s.ids.SameOrigin(keyID, doc.ID()) {
			break
		}
		if text := key.Text("publicKeyPem"); text != "" {
			return text, nil
		}
	}
	return "", fmt.Errorf("%w: %.200q has no key %.200q", ErrRefused, doc.ID(), keyID)
}
