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
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/fault"
)

// cost is the price of one try of a password: memory in KiB, passes, and lanes.
// OWASP advises at least 19 MiB and two passes for argon2id, which small
// machines can afford.
type cost struct {
	memory uint32
	passes uint32
	lanes  uint8
}

var usual = cost{memory: 19 * 1024, passes: 2, lanes: 1}

const (
	saltLen = 16
	keyLen  = 32
	// minPassword is in characters. Older, shorter passwords still work.
	minPassword = 8
	// maxMemory bounds the memory that a stored hash may ask for, in KiB.
	maxMemory = 256 * 1024
)

var errHash = errors.New("the stored password hash cannot be read")

// hasher computes argon2id, a few at a time.
type hasher struct {
	queue *queue
	decoy func() string
	cost  cost
}

func newHasher(c cost) *hasher {
	h := &hasher{cost: c, queue: newQueue(min(2, max(1, runtime.GOMAXPROCS(0))))}
	// The hash for unknown users, so that they take as long as known ones.
	h.decoy = sync.OnceValue(func() string {
		var salt [saltLen]byte
		_, _ = rand.Read(salt[:])
		return encodeHash(c, salt[:], argon2.IDKey([]byte(Secret()), salt[:], c.passes, c.memory, c.lanes, keyLen))
	})
	return h
}

// hash returns the password as a PHC string. It takes tens of milliseconds.
func (h *hasher) hash(ctx context.Context, at place, password string) (string, error) {
	leave, err := h.queue.enter(ctx, at)
	if err != nil {
		return "", err
	}
	defer leave()
	var salt [saltLen]byte
	_, _ = rand.Read(salt[:]) // never fails, by crypto/rand's contract
	c := h.cost
	return encodeHash(c, salt[:], argon2.IDKey([]byte(password), salt[:], c.passes, c.memory, c.lanes, keyLen)), nil
}

// matches compares password with a stored hash. An empty hash matches nothing
// and takes as long.
func (h *hasher) matches(ctx context.Context, at place, stored, password string) (bool, error) {
	leave, err := h.queue.enter(ctx, at)
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

// PasswordFault returns the fault of a new password; "" is none.
func PasswordFault(password string) string {
	switch {
	case strings.TrimSpace(password) == "":
		return "can't be blank"
	case utf8.RuneCountInString(password) < minPassword:
		return fmt.Sprintf("should be at least %d character(s)", minPassword)
	}
	return ""
}

// HashPassword returns the stored form of a new password that passes
// PasswordFault. It takes tens of milliseconds and must not run in a
// transaction. by is an address or an account: concurrent callers take turns.
func (s *Service) HashPassword(ctx context.Context, by, password string) (string, error) {
	if message := PasswordFault(password); message != "" {
		return "", fault.Invalid("", fault.Field{Name: "password", Message: message})
	}
	return s.hasher.hash(ctx, place{lane: by}, password)
}

// ErrPassword refuses a wrong password for a change.
var ErrPassword = fault.Malformed("Invalid password.")

// checkOwnPassword checks the password of a signed-in account.
func (s *Service) checkOwnPassword(ctx context.Context, account *db.Account, password string) (*Proof, error) {
	rate := s.settings.Load().RateLimits[config.BucketAuthentication].User
	try := attempt{origin: account.ID} // independent of guesses by others
	at := place{lane: try.lane(), still: func() error { return s.attempts.check(try, rate, s.now()) }}
	if err := at.still(); err != nil {
		return nil, err
	}
	u, err := s.db.User(ctx, account.ID)
	if err != nil {
		return nil, err
	}
	ok, err := s.hasher.matches(ctx, at, u.PasswordHash, password)
	if err != nil {
		return nil, err
	}
	if !ok {
		s.attempts.wrong(try, rate, s.now())
		return nil, ErrPassword
	}
	return proofOf(account, u), nil
}

// ChangePassword changes an account's password, given the old one. All its
// logins end.
func (s *Service) ChangePassword(ctx context.Context, account *db.Account, old, password, confirmation string) error {
	proof, err := s.checkOwnPassword(ctx, account, old)
	if err != nil {
		return err
	}
	if message := PasswordFault(password); message != "" {
		return fault.Malformedf("New password %s.", message)
	}
	if password != confirmation {
		return fault.Malformed("New password does not match confirmation.")
	}
	hash, err := s.HashPassword(ctx, account.ID, password)
	if err != nil {
		return err
	}
	return s.whileProven(ctx, proof, func(tx *db.DB) error { return replacePassword(ctx, tx, account.ID, hash) })
}

// SetPassword sets the password of a local account, clears a forced reset, and
// ends all its logins.
func (s *Service) SetPassword(ctx context.Context, accountID, password string) error {
	hash, err := s.HashPassword(ctx, accountID, password)
	if err != nil {
		return err
	}
	return s.ReplacePassword(ctx, accountID, hash)
}

// ForceReset shuts a local account out until it chooses a new password. Its
// tokens stay, without effect. A remote or deleted account is db.ErrNotFound.
func (s *Service) ForceReset(ctx context.Context, accountID string) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if _, err := tx.User(ctx, accountID); err != nil {
			return err
		}
		return tx.UpdateUser(ctx, &db.User{AccountID: accountID, PasswordResetPending: true}, "password_reset_pending")
	})
}

// EndLogIns ends all log-ins of a local account: of apps, browsers and SSH. Its password
// and second factor stay. A remote or deleted account is db.ErrNotFound.
func (s *Service) EndLogIns(ctx context.Context, accountID string) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if err := tx.HoldAccounts(ctx, accountID); err != nil {
			return err
		}
		u, err := tx.User(ctx, accountID)
		if err != nil {
			return err
		}
		u.CredentialVersion++
		if err := tx.UpdateUser(ctx, u, "credential_version"); err != nil {
			return err
		}
		return tx.DeleteLogins(ctx, accountID)
	})
}

// ReplacePassword is SetPassword for a hashed password.
func (s *Service) ReplacePassword(ctx context.Context, accountID, hash string) error {
	return s.db.Tx(ctx, func(tx *db.DB) error { return replacePassword(ctx, tx, accountID, hash) })
}

func replacePassword(ctx context.Context, tx *db.DB, accountID, hash string) error {
	if err := tx.HoldAccounts(ctx, accountID); err != nil {
		return err
	}
	u, err := tx.User(ctx, accountID)
	if err != nil {
		return err
	}
	u.PasswordHash, u.PasswordResetPending, u.CredentialVersion = hash, false, u.CredentialVersion+1
	if err := tx.UpdateUser(ctx, u, "password_hash", "password_reset_pending", "credential_version"); err != nil {
		return err
	}
	// Mailed reset links are not valid for the new password.
	if err := tx.DeleteMailTokens(ctx, accountID, db.TokenPasswordReset); err != nil {
		return err
	}
	return tx.DeleteLogins(ctx, accountID)
}
