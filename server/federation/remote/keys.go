package remote

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"time"

	"svc/db"
)

// keyBits is the size of keys. Some servers refuse others.
const keyBits = 2048

// remembersOld is how long other servers may cache a replaced key.
const remembersOld = 30 * 24 * time.Hour

// Key returns the signing key of a local account, and its id. An account
// without one gets one.
func (s *Service) Key(ctx context.Context, accountID string) (keyID string, key *rsa.PrivateKey, err error) {
	a, err := s.db.Account(ctx, accountID)
	if err != nil {
		return "", nil, err
	}
	k, err := s.keyOf(ctx, a)
	if err != nil {
		return "", nil, err
	}
	return a.KeyID, k.key, nil
}

// signingKey is an account's key, and the one before while other servers may
// cache it.
type signingKey struct {
	key, previous *rsa.PrivateKey
	row           *db.Key
}

func (s *Service) keyOf(ctx context.Context, a *db.Account) (*signingKey, error) {
	if !a.Local {
		return nil, fmt.Errorf("sign as %s: not an account of this server", a.URI)
	}
	row, err := s.db.Key(ctx, a.ID)
	if errors.Is(err, db.ErrNotFound) {
		row, err = s.addKey(ctx, a)
	}
	if err != nil {
		return nil, err
	}
	out := &signingKey{row: row}
	if out.key, err = s.read(row.PrivateKey); err != nil {
		return nil, fmt.Errorf("key of %s: %w", a.Nickname, err)
	}
	if row.PreviousKey != "" && s.now().Sub(row.RotatedAt.Time) < remembersOld {
		if out.previous, err = s.read(row.PreviousKey); err != nil {
			return nil, fmt.Errorf("previous key of %s: %w", a.Nickname, err)
		}
	}
	return out, nil
}

// recently is how long a signer is cached: an activity to many servers is
// signed many times.
const recently = time.Second

// signer is a local account with its keys.
type signer struct {
	*signingKey
	account *db.Account
	read    time.Time
}

// signerOf returns an account as a signer.
func (s *Service) signerOf(ctx context.Context, a *db.Account) (*signer, error) {
	key, err := s.keyOf(ctx, a)
	if err != nil {
		return nil, err
	}
	return &signer{signingKey: key, account: a, read: s.now()}, nil
}

// recentSigner returns an account as a signer, at most a second old.
func (s *Service) recentSigner(ctx context.Context, accountID string) (*signer, error) {
	if by, ok := s.signers.Get(accountID); ok && s.now().Sub(by.read) < recently {
		return by, nil
	}
	a, err := s.db.Account(ctx, accountID)
	if err != nil {
		return nil, err
	}
	by, err := s.signerOf(ctx, a)
	if err == nil {
		s.signers.Add(accountID, by)
	}
	return by, err
}

// addKey gives an account its first key. Another process may be first.
func (s *Service) addKey(ctx context.Context, a *db.Account) (*db.Key, error) {
	private, public, err := encoded(s.newKey())
	if err != nil {
		return nil, err
	}
	var row *db.Key
	err = s.db.Tx(ctx, func(tx *db.DB) error {
		if _, err := tx.AddKey(ctx, a.ID, private, public); err != nil {
			return err
		}
		row, err = tx.Key(ctx, a.ID)
		return err
	})
	return row, err
}

func generate() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, keyBits) }

// encoded writes a new key: PEM of PKCS #8, and of its public part as SPKI.
func encoded(key *rsa.PrivateKey, err error) (private, public string, _ error) {
	if err != nil {
		return "", "", fmt.Errorf("make a key: %w", err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return "", "", fmt.Errorf("write a key: %w", err)
	}
	pub, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return "", "", fmt.Errorf("write a key: %w", err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
		string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: pub})), nil
}

// read parses a private key, cached by its text, so that a key replaced by
// another process is never used.
func (s *Service) read(text string) (*rsa.PrivateKey, error) {
	if key, ok := s.keys.Get(text); ok {
		return key, nil
	}
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("not PEM")
	}
	any, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	key, ok := any.(*rsa.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("a key of type %T", any)
	}
	s.keys.Add(text, key)
	return key, nil
}

// RotateKey replaces the key of a local account. tell runs in the same
// transaction, with the updated account: it enqueues the profile for other
// servers, signed by Post with the key that they know.
func (s *Service) RotateKey(ctx context.Context, accountID string, tell func(tx *db.DB, a *db.Account) error) error {
	a, err := s.db.Account(ctx, accountID)
	if err != nil {
		return err
	}
	old, err := s.keyOf(ctx, a)
	if err != nil {
		return err
	}
	private, public, err := encoded(generate())
	if err != nil {
		return err
	}
	defer s.signers.Remove(a.ID)
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if err := tx.ReplaceKey(ctx, a.ID, old.row.PrivateKey, private, public); err != nil {
			return err
		}
		now, err := tx.Account(ctx, a.ID)
		if err != nil {
			return err
		}
		return tell(tx, now)
	})
}

// Sweep forgets after weeks which keys are gone, so that they are fetched
// again.
func (s *Service) Sweep(ctx context.Context) error {
	for {
		n, err := s.db.ForgetGoneKeys(ctx, db.At(s.now().Add(-goneFor)), swept)
		if err != nil || n < swept {
			return err
		}
	}
}

// swept is how many rows one statement of a sweep removes.
const swept = 1000

// Fetcher returns the service actor internal.fetch, which signs the server's
// own requests and sends reports.
func (s *Service) Fetcher(ctx context.Context) (*db.Account, error) {
	return s.service(ctx, "/internal/fetch", "internal.fetch")
}

// RelayActor returns the service actor of relays. Its id ends in /relay, as
// other relays expect.
func (s *Service) RelayActor(ctx context.Context) (*db.Account, error) {
	return s.service(ctx, "/relay", "relay")
}

// service returns a service actor, created with its key at first use.
func (s *Service) service(ctx context.Context, path, nickname string) (*db.Account, error) {
	uri := s.base + path
	a, err := s.db.AccountByURI(ctx, uri)
	if errors.Is(err, db.ErrNotFound) {
		a, err = s.addService(ctx, uri, nickname)
	}
	if err != nil {
		return nil, err
	}
	if a.PublicKey == "" {
		if _, err := s.keyOf(ctx, a); err != nil {
			return nil, err
		}
		return s.db.Account(ctx, a.ID)
	}
	return a, nil
}

func (s *Service) addService(ctx context.Context, uri, nickname string) (*db.Account, error) {
	no := false
	a := db.NewAccount(s.base, nickname)
	a.URI, a.URL, a.ActorType, a.Invisible, a.Locked, a.ShowRole, a.AcceptsChatMessages = uri, uri, "Application", true, false, false, &no
	a.Inbox, a.Outbox, a.KeyID = uri+"/inbox", uri+"/outbox", uri+"#main-key"
	a.FollowersURI, a.FollowingURI, a.FeaturedURI = uri+"/followers", uri+"/following", ""
	err := s.db.Tx(ctx, func(tx *db.DB) error {
		if _, err := tx.AccountByNickname(ctx, nickname); err == nil {
			a.Nickname, a.NickKey = "internal."+nickname, "" // the name is taken
		}
		return tx.CreateAccount(ctx, a)
	})
	if errors.Is(err, db.ErrDuplicate) { // another process was quicker
		return s.db.AccountByURI(ctx, uri)
	}
	return a, err
}
