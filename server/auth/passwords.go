package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/crypto/argon2"

	"svc/db"
	"svc/server/config"
	"svc/server/fault"
)

// cost is what one password takes to try: memory in KiB, passes over it, and
// lanes. 19 MiB and two passes are the least that OWASP advises for argon2id;
// small machines can afford it.
type cost struct {
	memory uint32
	passes uint32
	lanes  uint8
}

var usual = cost{memory: 19 * 1024, passes: 2, lanes: 1}

const (
	saltLen = 16
	keyLen  = 32
	// maxWaiting is how many may queue for a hash; a flood beyond it is turned
	// away, so that it costs neither memory nor the patience of the others.
	maxWaiting = 64
	// maxMemory bounds what a stored hash may ask for, in KiB.
	maxMemory = 256 * 1024
)

var errHash = errors.New("the stored password hash cannot be read")

// hasher computes argon2id, a few at a time.
type hasher struct {
	slots   chan struct{}
	waiting atomic.Int64
	decoy   func() string
	cost    cost
}

func newHasher(c cost) *hasher {
	h := &hasher{cost: c, slots: make(chan struct{}, min(2, max(1, runtime.GOMAXPROCS(0))))}
	// What an unknown user's password is compared with, so that the answer
	// takes as long as a known one's.
	h.decoy = sync.OnceValue(func() string {
		var salt [saltLen]byte
		_, _ = rand.Read(salt[:])
		return encodeHash(c, salt[:], argon2.IDKey([]byte(Secret()), salt[:], c.passes, c.memory, c.lanes, keyLen))
	})
	return h
}

// enter waits for a slot; the function it returns gives it back.
func (h *hasher) enter(ctx context.Context) (func(), error) {
	if h.waiting.Add(1) > maxWaiting {
		h.waiting.Add(-1)
		return nil, fault.RateLimited("Throttled")
	}
	defer h.waiting.Add(-1)
	select {
	case h.slots <- struct{}{}:
		return func() { <-h.slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// hash returns password as a PHC string. It takes tens of milliseconds.
func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	leave, err := h.enter(ctx)
	if err != nil {
		return "", err
	}
	defer leave()
	var salt [saltLen]byte
	_, _ = rand.Read(salt[:]) // never fails, by crypto/rand's contract
	c := h.cost
	return encodeHash(c, salt[:], argon2.IDKey([]byte(password), salt[:], c.passes, c.memory, c.lanes, keyLen)), nil
}

// matches compares password with a stored hash; an empty hash matches nothing
// and takes as long.
func (h *hasher) matches(ctx context.Context, stored, password string) (bool, error) {
	leave, err := h.enter(ctx)
	if err != nil {
		return false, err
	}
	defer leave()
	real := stored != ""
	if !real {
		stored = h.decoy()
	}
	c, salt, key, err := decodeHash(stored)
	if err != nil {
		return false, err
	}
	got := argon2.IDKey([]byte(password), salt, c.passes, c.memory, c.lanes, uint32(len(key)))
	return subtle.ConstantTimeCompare(got, key) == 1 && real, nil
}

// encodeHash writes the PHC string: $argon2id$v=19$m=…,t=…,p=…$salt$key.
func encodeHash(c cost, salt, key []byte) string {
	b64 := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, c.memory, c.passes, c.lanes, b64(salt), b64(key))
}

func decodeHash(s string) (c cost, salt, key []byte, err error) {
	parts := strings.Split(s, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return c, nil, nil, errHash
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &c.memory, &c.passes, &c.lanes); err != nil {
		return c, nil, nil, errHash
	}
	salt, err1 := base64.RawStdEncoding.DecodeString(parts[4])
	key, err2 := base64.RawStdEncoding.DecodeString(parts[5])
	if err1 != nil || err2 != nil || len(salt) < 8 || len(key) < 16 ||
		c.memory > maxMemory || c.passes == 0 || c.passes > 64 || c.lanes == 0 {
		return c, nil, nil, errHash
	}
	return c, salt, key, nil
}

// HashPassword returns what a User keeps of a password. It takes tens of
// milliseconds, so it has no place in a transaction.
func (s *Service) HashPassword(ctx context.Context, password string) (string, error) {
	if strings.TrimSpace(password) == "" {
		return "", fault.Invalid("", fault.Field{Name: "password", Message: "can't be blank"})
	}
	return s.hasher.hash(ctx, password)
}

// CheckPassword tells whether this is the user's password.
func (s *Service) CheckPassword(ctx context.Context, u *db.User, password string) (bool, error) {
	return s.hasher.matches(ctx, u.PasswordHash, password)
}

// ErrPassword refuses a change for which the account's password is asked.
var ErrPassword = fault.Malformed("Invalid password.")

// CheckOwnPassword asks somebody who is signed in for his password once more,
// before what cannot be undone: a wrong one is ErrPassword. Too many wrong ones
// are refused as too quick.
func (s *Service) CheckOwnPassword(ctx context.Context, account *db.Account, password string) error {
	rate := s.settings.Load().RateLimits[config.BucketAuthentication].User
	if err := s.attempts.checkKey(account.ID, rate, s.now()); err != nil {
		return err
	}
	u, err := s.db.User(ctx, account.ID)
	if err != nil {
		return err
	}
	ok, err := s.CheckPassword(ctx, u, password)
	if err == nil && !ok {
		s.attempts.wrongKey(account.ID, rate, s.now())
		err = ErrPassword
	}
	return err
}

// ChangePassword gives an account a new password, for whoever knows the old
// one. Everything that it was signed in with ends.
func (s *Service) ChangePassword(ctx context.Context, account *db.Account, old, password, confirmation string) error {
	if err := s.CheckOwnPassword(ctx, account, old); err != nil {
		return err
	}
	switch {
	case strings.TrimSpace(password) == "":
		return fault.Malformed("New password can't be blank.")
	case password != confirmation:
		return fault.Malformed("New password does not match confirmation.")
	}
	return s.SetPassword(ctx, account.ID, password)
}

// SetPassword gives a local account a new password, clears a forced reset, and
// ends everything that it was signed in with.
func (s *Service) SetPassword(ctx context.Context, accountID, password string) error {
	hash, err := s.HashPassword(ctx, password)
	if err != nil {
		return err
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if _, err := tx.User(ctx, accountID); err != nil {
			return err
		}
		return replacePassword(ctx, tx, accountID, hash)
	})
}

// ForceReset shuts a local account out until it has chosen a new password: its
// tokens stay, and authenticate nobody. Who is not local, or deleted, is
// db.ErrNotFound.
func (s *Service) ForceReset(ctx context.Context, accountID string) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if _, err := tx.User(ctx, accountID); err != nil {
			return err
		}
		return tx.UpdateUser(ctx, &db.User{AccountID: accountID, PasswordResetPending: true}, "password_reset_pending")
	})
}

// ReplacePassword is SetPassword for a password that is hashed already.
func (s *Service) ReplacePassword(ctx context.Context, accountID, hash string) error {
	return s.db.Tx(ctx, func(tx *db.DB) error { return replacePassword(ctx, tx, accountID, hash) })
}

func replacePassword(ctx context.Context, tx *db.DB, accountID, hash string) error {
	u := &db.User{AccountID: accountID, PasswordHash: hash}
	if err := tx.UpdateUser(ctx, u, "password_hash", "password_reset_pending"); err != nil {
		return err
	}
	// Links that were mailed to choose a password are not for this one.
	if err := tx.DeleteMailTokens(ctx, accountID, db.TokenPasswordReset); err != nil {
		return err
	}
	return tx.DeleteLogins(ctx, accountID)
}
