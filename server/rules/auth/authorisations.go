package auth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"strings"
	"time"

	"svc/db"
	"svc/server/platform/fault"
)

// codeLife is how long a code can be exchanged.
const codeLife = 10 * time.Minute

// Why a person cannot be asked. The first two are shown to the person alone,
// since the place to send an answer is wrong.
var (
	ErrUnknownApp = fault.Unauthenticated("This app is not known here.").With("unknown_app")
	ErrRedirect   = fault.Unauthenticated("The app asks to send you to an address that it did not register.").With("unlisted_redirect")
	ErrScope      = fault.Unauthenticated("This action is outside the authorized scopes").With("invalid_scope")
	ErrResponse   = fault.Malformed("The response type must be code.").With("unsupported_response_type")
	ErrChallenge  = fault.Malformed("The code challenge must be the S256 of a verifier.").With("invalid_request")
)

// Ask is an app's request for authorisation, unchecked.
type Ask struct {
	ResponseType    string
	ClientID        string
	RedirectURI     string
	Scope           string // separated by spaces; empty: all of the app's
	Challenge       string // RFC 7636
	ChallengeMethod string
}

// Question is a checked Ask, to be put to the person.
type Question struct {
	App         *db.App
	RedirectURI string
	Scopes      []string
	Challenge   string // S256, or empty
}

// Question checks ask. With ErrScope, ErrResponse or ErrChallenge, App and
// RedirectURI are set and valid, so that the error can be sent to the app.
func (s *Service) Question(ctx context.Context, ask Ask) (*Question, error) {
	q := &Question{}
	app, err := s.db.AppByClientID(ctx, ask.ClientID)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return q, ErrUnknownApp
	case err != nil:
		return q, err
	case !listed(app, ask.RedirectURI):
		return q, ErrRedirect
	}
	q.App, q.RedirectURI, q.Challenge = app, ask.RedirectURI, ask.Challenge
	if ask.ResponseType != "code" {
		return q, ErrResponse
	}
	if !soundChallenge(ask.Challenge, ask.ChallengeMethod) {
		return q, ErrChallenge
	}
	q.Scopes, err = requested(app, ask.Scope)
	return q, err
}

// soundChallenge accepts no challenge, or one of method S256. With the method
// "plain", which is also the standard's default, a reader of the request could
// use the code.
func soundChallenge(challenge, method string) bool {
	if challenge == "" {
		return method == ""
	}
	raw, err := base64.RawURLEncoding.DecodeString(challenge)
	return method == "S256" && err == nil && len(raw) == sha256.Size
}

// requested returns the requested scopes, or all of the app's for none.
func requested(app *db.App, scope string) ([]string, error) {
	held := SplitScopes(app.Scopes)
	wanted := unique(SplitScopes(scope))
	if len(wanted) == 0 {
		return held, nil
	}
	if !Covers(held, wanted) {
		return nil, ErrScope
	}
	return wanted, nil
}

// Authorise stores a person's consent and returns its code, which works once
// and for ten minutes.
func (s *Service) Authorise(ctx context.Context, q *Question, by *Proof) (string, error) {
	if len(q.Scopes) == 0 {
		return "", ErrScope
	}
	code := Secret()
	return code, s.prove(ctx, by, func(in *Service, account *db.Account) error {
		err := in.db.CreateAuthorisation(ctx, &db.Authorisation{
			CodeHash: Hash(code), AppID: q.App.ID, AccountID: account.ID, Scopes: strings.Join(q.Scopes, " "),
			RedirectURI: q.RedirectURI, CodeChallenge: q.Challenge, CodeChallengeMethod: method(q.Challenge),
			ExpiresAt: db.At(s.now().Add(codeLife)),
		})
		if err != nil {
			return err
		}
		return in.Use(ctx, q.App)
	})
}

func method(challenge string) string {
	if challenge == "" {
		return ""
	}
	return "S256"
}

// verify compares a verifier with the challenge of the question. A verifier
// without a challenge is refused too: the challenge was removed on the way.
func verify(a *db.Authorisation, verifier string) bool {
	if a.CodeChallenge == "" {
		return verifier == ""
	}
	sum := sha256.Sum256([]byte(verifier))
	got := base64.RawURLEncoding.EncodeToString(sum[:])
	return len(verifier) >= 43 && len(verifier) <= 128 && subtle.ConstantTimeCompare([]byte(got), []byte(a.CodeChallenge)) == 1
}
