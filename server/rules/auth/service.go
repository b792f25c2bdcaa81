package auth

import (
	"log/slog"
	"sync/atomic"
	"time"

	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/fault"
)

// Parts are the dependencies of a Service.
type Parts struct {
	DB       *db.DB
	Settings *config.Live
	Log      *slog.Logger // for faults that an operator must fix; nil discards
	Now      func() time.Time
}

// Service registers apps, signs people in, and issues codes, tokens and
// sessions.
type Service struct {
	db       *db.DB
	settings *config.Live
	now      func() time.Time
	hasher   *hasher
	attempts *attempts
	// directory is the state of the sign-in directory.
	directory *directory
	log       *slog.Logger
	chatKey   *atomic.Pointer[[]byte] // once it was read
	sealed    *atomic.Pointer[seals]  // likewise
}

// New returns a Service. A process needs only one, which bounds concurrent
// hashes.
func New(p Parts) *Service {
	if p.Log == nil {
		p.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{
		db: p.DB, settings: p.Settings, now: p.Now, hasher: newHasher(usual), attempts: newAttempts(),
		directory: &directory{queue: newQueue(directorySlots)}, log: p.Log,
		chatKey: new(atomic.Pointer[[]byte]), sealed: new(atomic.Pointer[seals]),
	}
}

// Cheap returns a Service whose new hashes cost next to nothing, for tests.
func (s *Service) Cheap() *Service {
	c := *s
	c.hasher = newHasher(cost{memory: 64, passes: 1, lanes: 1})
	return &c
}

// In binds the service to a transaction.
func (s *Service) In(tx *db.DB) *Service {
	c := *s
	c.db = tx
	return &c
}

// Denied is the refusal of a grant. Description tells developers more than the
// refusal's own text, which the API fixes.
type Denied struct {
	Refusal     *fault.Error
	Description string
}

// Error is the refusal's text.
func (d *Denied) Error() string { return d.Refusal.Error() }

// Unwrap is the refusal.
func (d *Denied) Unwrap() error { return d.Refusal }

// badCredentials refuses a client, code, token or password alike.
func badCredentials(description string) error {
	return &Denied{Refusal: fault.Malformed("Invalid credentials"), Description: description}
}

// badRequest refuses a malformed token request.
func badRequest(description string) error {
	return &Denied{Refusal: fault.Malformed("Bad request"), Description: description}
}
