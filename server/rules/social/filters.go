package social

import (
	"context"
	"strings"
	"time"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/platform/text"
)

// maxPhrase is how long a filter's phrase may be, in characters.
const maxPhrase = 1000

// Filter is the requested state of a filter. Contexts are db's bits. nil keeps
// a value or, in a new filter, means whole words, no expiry, and not
// irreversible.
type Filter struct {
	Phrase       *string
	Contexts     *int64
	Irreversible *bool
	WholeWord    *bool
	ExpiresIn    *time.Duration // 0 is for good
}

// CreateFilter creates a filter of by and returns it, once for an idempotency
// key, which may be empty.
func (s *Service) CreateFilter(ctx context.Context, by *db.Account, in Filter, key string) (*db.Filter, error) {
	f := &db.Filter{AccountID: by.ID, WholeWord: true}
	if err := s.fillFilter(f, in); err != nil {
		return nil, err
	}
	return db.Once(ctx, s.db, "filter", key, func(claim db.Claim[int64]) (*db.Filter, error) {
		return f, s.db.Tx(ctx, func(tx *db.DB) error {
			if err := holdActive(ctx, tx, by); err != nil {
				return err
			}
			all, err := tx.Filters(ctx, by.ID)
			if err != nil {
				return err
			}
			if len(all) >= db.MaxFilters {
				return fault.Invalidf("You cannot have more than %d filters", db.MaxFilters)
			}
			if err := tx.CreateFilter(ctx, f); err != nil {
				return err
			}
			return claim(ctx, tx, f.Number)
		})
	}, func(number int64) (*db.Filter, error) { return s.db.Filter(ctx, by.ID, number) })
}

// UpdateFilter changes a filter of by and returns it. An unknown one is
// db.ErrNotFound.
func (s *Service) UpdateFilter(ctx context.Context, by *db.Account, number int64, in Filter) (*db.Filter, error) {
	var f *db.Filter
	err := s.db.Tx(ctx, func(tx *db.DB) (err error) {
		if err := holdActive(ctx, tx, by); err != nil {
			return err
		}
		if f, err = tx.Filter(ctx, by.ID, number); err != nil {
			return err
		}
		if err := s.fillFilter(f, in); err != nil {
			return err
		}
		return tx.UpdateFilter(ctx, f)
	})
	return f, err
}

// DeleteFilter removes a filter of by. An unknown one is db.ErrNotFound.
func (s *Service) DeleteFilter(ctx context.Context, by *db.Account, number int64) error {
	return s.db.Tx(ctx, func(tx *db.DB) error { return tx.DeleteFilter(ctx, by.ID, number) })
}

func (s *Service) fillFilter(f *db.Filter, in Filter) error {
	if in.Phrase != nil {
		phrase, _ := text.Clean(*in.Phrase)
		f.Phrase = strings.TrimSpace(phrase)
	}
	if in.Contexts != nil {
		f.Contexts = *in.Contexts
	}
	if in.Irreversible != nil {
		f.Irreversible = *in.Irreversible
	}
	if in.WholeWord != nil {
		f.WholeWord = *in.WholeWord
	}
	if in.ExpiresIn != nil {
		switch {
		case *in.ExpiresIn < 0:
			return fault.Invalid("A filter cannot end before it begins")
		case *in.ExpiresIn == 0:
			f.ExpiresAt = db.Time{}
		default:
			f.ExpiresAt = db.At(s.now().Add(*in.ExpiresIn))
		}
	}
	switch {
	case f.Phrase == "":
		return fault.Invalid("Phrase can't be blank")
	case text.Length(f.Phrase) > maxPhrase:
		return fault.Invalidf("A phrase cannot be longer than %d characters", maxPhrase)
	case f.Contexts == 0:
		return fault.Invalid("Context can't be blank")
	}
	return nil
}
