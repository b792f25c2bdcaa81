package backup

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"svc/db"
)

// The keys in meta of the last backup that was tried, and of the last one that was made.
const (
	lastTried = "backup_tried"
	lastMade  = "backup_made"
)

// Outcome is how a backup ended, as the database keeps it for whoever watches the instance.
type Outcome struct {
	Ended   time.Time `json:"ended"`
	Seconds float64   `json:"seconds"`
	Bytes   int64     `json:"bytes"` // of what the backup has, 0 for one that failed
	Failed  bool      `json:"failed,omitempty"`
}

// OutcomeOf returns the outcome of Create, which began at a time and ended now.
func OutcomeOf(r *Result, err error, began, now time.Time) Outcome {
	o := Outcome{Ended: now, Seconds: now.Sub(began).Seconds(), Failed: err != nil}
	if err == nil {
		o.Bytes = r.Count.Database + r.Count.FileBytes + r.Count.FolderBytes
	}
	return o
}

// Keep stores an outcome in the database that was copied.
func (o Outcome) Keep(ctx context.Context, d *db.DB) error {
	raw, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return d.Tx(ctx, func(tx *db.DB) error {
		if !o.Failed {
			if err := tx.SetMeta(ctx, lastMade, string(raw)); err != nil {
				return err
			}
		}
		return tx.SetMeta(ctx, lastTried, string(raw))
	})
}

// Last returns the outcomes of the last backup that was tried, and of the last one that was
// made; nil for none.
func Last(ctx context.Context, d *db.DB) (tried, made *Outcome, err error) {
	if tried, err = outcomeAt(ctx, d, lastTried); err != nil {
		return nil, nil, err
	}
	made, err = outcomeAt(ctx, d, lastMade)
	return tried, made, err
}

func outcomeAt(ctx context.Context, d *db.DB, key string) (*Outcome, error) {
	text, err := d.Meta(ctx, key)
	if err != nil || text == "" {
		return nil, err
	}
	o := new(Outcome)
	if err := json.Unmarshal([]byte(text), o); err != nil {
		return nil, fmt.Errorf("meta %s: %w", key, err)
	}
	return o, nil
}
