package auth

import (
	"context"
	"strings"
	"time"

	"svc/db"
)

// Standings caches the OwnStanding of accounts for a moment, since clients ask
// again and again. Values are shared and never changed.
type Standings struct {
	db    *db.DB
	known *cached[*db.OwnStanding] // by account
}

// NewStandings returns Standings that subscribe to the announcements of d.
func NewStandings(d *db.DB, now func() time.Time) (*Standings, error) {
	cache, err := newBelieved[*db.OwnStanding](now)
	if err != nil {
		return nil, err
	}
	s := &Standings{db: d, known: cache}
	d.Subscribe(func(topic, payload string) {
		switch {
		case topic == db.AnythingMissed, topic == db.CountsChanged && payload == db.Everybody:
			s.known.forgetAll()
		case topic == db.CountsChanged:
			s.known.forget(strings.Split(payload, ",")...)
		case topic == db.AccountChanged:
			s.known.forget(payload)
		}
	})
	return s, nil
}

// Of returns the standing of an account.
func (s *Standings) Of(ctx context.Context, accountID string) (*db.OwnStanding, error) {
	return s.known.get(accountID, func() (*db.OwnStanding, error) { return s.db.OwnStanding(ctx, accountID) })
}
