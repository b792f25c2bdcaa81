package social

import (
	"context"
	"slices"
	"strings"
	"time"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/platform/text"
)

// The lengths of texts of filters, in characters.
const (
	maxFilterTitle = 256
	maxKeyword     = 512
)

// Filter is the requested state of a filter. Contexts are db's bits. nil keeps a value
// or, in a new filter, means no expiry, and a warning.
type Filter struct {
	Title     *string
	Contexts  *int64
	Action    *FilterAction
	ExpiresIn *time.Duration // 0 is for good
	Keywords  []Keyword
}

// FilterAction is what becomes of a status that a filter matches.
type FilterAction string

// The actions: all but hide are the client's.
const (
	FilterWarn FilterAction = "warn"
	FilterBlur FilterAction = "blur"
	FilterHide FilterAction = "hide"
)

// ActionOf returns the action of a filter.
func ActionOf(f *db.Filter) FilterAction {
	switch {
	case f.Irreversible:
		return FilterHide
	case f.Blur:
		return FilterBlur
	}
	return FilterWarn
}

// Keyword is the requested state of a keyword of a filter. nil keeps a value or, in a
// new keyword, means whole words.
type Keyword struct {
	Number    int64 // 0 is a new one
	Keyword   *string
	WholeWord *bool
	Remove    bool
}

// Phrase is the requested state of a keyword together with its filter, as the first
// version of the API has them. nil keeps a value or, in a new one, means whole words, no
// expiry, and not irreversible.
type Phrase struct {
	Keyword
	Contexts     *int64
	Irreversible *bool
	ExpiresIn    *time.Duration // 0 is for good
}

// CreateFilter creates a filter of by and returns it, once for an idempotency
// key, which may be empty.
func (s *Service) CreateFilter(ctx context.Context, by *db.Account, in Filter, key string) (*db.Filter, error) {
	f := &db.Filter{AccountID: by.ID}
	if err := s.fillFilter(f, in); err != nil {
		return nil, err
	}
	return s.createFilter(ctx, f, in.Keywords, key, func(tx *db.DB) (err error) {
		f.Number, err = tx.NumberFilters(ctx, by.ID, 1)
		return err
	})
}

// CreatePhrase creates a filter of by with one keyword, of the same number, likewise.
func (s *Service) CreatePhrase(ctx context.Context, by *db.Account, in Phrase, key string) (*db.Filter, error) {
	f := &db.Filter{AccountID: by.ID}
	if in.Irreversible != nil {
		f.Irreversible = *in.Irreversible
	}
	var row db.FilterKeyword
	if err := fillKeyword(&row, in.Keyword, "Phrase"); err != nil {
		return nil, err
	}
	title := titleOf(row.Keyword)
	if err := s.fillFilter(f, Filter{Title: &title, Contexts: in.Contexts, ExpiresIn: in.ExpiresIn}); err != nil {
		return nil, err
	}
	return s.createFilter(ctx, f, []Keyword{in.Keyword}, key, func(*db.DB) error { return nil })
}

// createFilter stores f with keywords. number numbers f; one without a number gets that
// of its first keyword.
func (s *Service) createFilter(ctx context.Context, f *db.Filter, keywords []Keyword, key string, number func(tx *db.DB) error) (*db.Filter, error) {
	return db.Once(ctx, s.db, "filter", key, func(claim db.Claim[int64]) (*db.Filter, error) {
		err := s.filters(ctx, f.AccountID, func(tx *db.DB) error {
			all, err := tx.Filters(ctx, f.AccountID)
			if err != nil {
				return err
			}
			if len(all) >= db.MaxFilters {
				return fault.Invalidf("Validation failed: You cannot have more than %d filters", db.MaxFilters)
			}
			if err := number(tx); err != nil {
				return err
			}
			if err := keepKeywords(ctx, tx, f, keywords); err != nil {
				return err
			}
			if err := tx.CreateFilter(ctx, f); err != nil {
				return err
			}
			return claim(ctx, tx, f.Number)
		})
		return f, err
	}, func(number int64) (*db.Filter, error) { return s.db.Filter(ctx, f.AccountID, number) })
}

// filters changes filters of an account in a transaction, which holds the account, and
// announces it.
func (s *Service) filters(ctx context.Context, accountID string, change func(tx *db.DB) error) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if err := holdActive(ctx, tx, &db.Account{ID: accountID}); err != nil {
			return err
		}
		if err := change(tx); err != nil {
			return err
		}
		return tx.FiltersChanged(ctx, accountID)
	})
}

// UpdateFilter changes a filter of by and returns it. An unknown one, and an unknown
// keyword, is db.ErrNotFound.
func (s *Service) UpdateFilter(ctx context.Context, by *db.Account, number int64, in Filter) (*db.Filter, error) {
	var f *db.Filter
	err := s.filters(ctx, by.ID, func(tx *db.DB) (err error) {
		if f, err = tx.Filter(ctx, by.ID, number); err != nil {
			return err
		}
		if err := s.fillFilter(f, in); err != nil {
			return err
		}
		if err := keepKeywords(ctx, tx, f, in.Keywords); err != nil {
			return err
		}
		return tx.UpdateFilter(ctx, f)
	})
	return f, err
}

// DeleteFilter removes a filter of by with all that it has. An unknown one is
// db.ErrNotFound.
func (s *Service) DeleteFilter(ctx context.Context, by *db.Account, number int64) error {
	return s.filters(ctx, by.ID, func(tx *db.DB) error { return tx.DeleteFilter(ctx, by.ID, number) })
}

// errShared refuses to change a filter by one of its keywords. Source of the text:
// Mastodon.
var errShared = fault.Invalid("This parameter cannot be changed from this application because it applies to more than one filter keyword. " +
	"Use a more recent application or the web interface.")

// UpdatePhrase changes a keyword of by and its filter, and returns both. The filter
// cannot change if it has more keywords. An unknown keyword is db.ErrNotFound.
func (s *Service) UpdatePhrase(ctx context.Context, by *db.Account, number int64, in Phrase) (f *db.Filter, row *db.FilterKeyword, err error) {
	err = s.filters(ctx, by.ID, func(tx *db.DB) (err error) {
		if f, row, err = keywordOf(ctx, tx, by.ID, number); err != nil {
			return err
		}
		before := *row
		if err := fillKeyword(row, in.Keyword, "Phrase"); err != nil {
			return err
		}
		was := *f
		change := Filter{Contexts: in.Contexts, ExpiresIn: in.ExpiresIn}
		if in.Irreversible != nil && *in.Irreversible != f.Irreversible {
			action := FilterWarn
			if *in.Irreversible {
				action = FilterHide
			}
			change.Action = &action
		}
		alone := len(f.Keywords) == 1
		if alone && row.Keyword != before.Keyword {
			title := titleOf(row.Keyword)
			change.Title = &title
		}
		if err := s.fillFilter(f, change); err != nil {
			return err
		}
		if !alone && (f.Contexts != was.Contexts || f.Irreversible != was.Irreversible || !f.ExpiresAt.Equal(was.ExpiresAt.Time)) {
			return errShared
		}
		if err := tx.UpdateFilterKeyword(ctx, row); err != nil {
			return err
		}
		return tx.UpdateFilter(ctx, f)
	})
	return f, row, err
}

// DeletePhrase removes a keyword of by, and its filter if that has nothing else. An
// unknown one is db.ErrNotFound.
func (s *Service) DeletePhrase(ctx context.Context, by *db.Account, number int64) error {
	return s.filters(ctx, by.ID, func(tx *db.DB) error {
		f, _, err := keywordOf(ctx, tx, by.ID, number)
		if err != nil {
			return err
		}
		if len(f.Keywords) == 1 && len(f.Statuses) == 0 {
			return tx.DeleteFilter(ctx, by.ID, f.Number)
		}
		return tx.DeleteFilterKeyword(ctx, by.ID, number)
	})
}

// keywordOf returns a keyword with its filter.
func keywordOf(ctx context.Context, tx *db.DB, accountID string, number int64) (*db.Filter, *db.FilterKeyword, error) {
	row, err := tx.FilterKeyword(ctx, accountID, number)
	if err != nil {
		return nil, nil, err
	}
	f, err := tx.Filter(ctx, accountID, row.Filter)
	return f, row, err
}

// AddFilterKeyword adds a keyword to a filter of by and returns it, once for an
// idempotency key. An unknown filter is db.ErrNotFound.
func (s *Service) AddFilterKeyword(ctx context.Context, by *db.Account, filter int64, in Keyword, key string) (*db.FilterKeyword, error) {
	return db.Once(ctx, s.db, "keyword", key, func(claim db.Claim[int64]) (row *db.FilterKeyword, err error) {
		err = s.filters(ctx, by.ID, func(tx *db.DB) error {
			f, err := tx.Filter(ctx, by.ID, filter)
			if err != nil {
				return err
			}
			if err := keepKeywords(ctx, tx, f, []Keyword{in}); err != nil {
				return err
			}
			row = &f.Keywords[len(f.Keywords)-1]
			return claim(ctx, tx, row.Number)
		})
		return row, err
	}, func(number int64) (*db.FilterKeyword, error) { return s.db.FilterKeyword(ctx, by.ID, number) })
}

// UpdateFilterKeyword changes a keyword of by and returns it. An unknown one is
// db.ErrNotFound.
func (s *Service) UpdateFilterKeyword(ctx context.Context, by *db.Account, in Keyword) (row *db.FilterKeyword, err error) {
	err = s.filters(ctx, by.ID, func(tx *db.DB) (err error) {
		if row, err = tx.FilterKeyword(ctx, by.ID, in.Number); err != nil {
			return err
		}
		if err := fillKeyword(row, in, "Keyword"); err != nil {
			return err
		}
		return tx.UpdateFilterKeyword(ctx, row)
	})
	return row, err
}

// DeleteFilterKeyword removes a keyword of by; its filter stays. An unknown one is
// db.ErrNotFound.
func (s *Service) DeleteFilterKeyword(ctx context.Context, by *db.Account, number int64) error {
	return s.filters(ctx, by.ID, func(tx *db.DB) error {
		if _, err := tx.FilterKeyword(ctx, by.ID, number); err != nil {
			return err
		}
		return tx.DeleteFilterKeyword(ctx, by.ID, number)
	})
}

// AddFilterStatus adds a status that by may see to a filter of theirs and returns its
// row, once for an idempotency key. An unknown filter or status is db.ErrNotFound.
func (s *Service) AddFilterStatus(ctx context.Context, by *db.Account, filter int64, statusID, key string) (*db.FilterStatus, error) {
	return db.Once(ctx, s.db, "filtered status", key, func(claim db.Claim[int64]) (row *db.FilterStatus, err error) {
		err = s.db.Tx(ctx, func(tx *db.DB) error {
			status, err := tx.VisibleStatus(ctx, db.Viewer{ID: by.ID}, statusID)
			if err != nil {
				return err
			}
			// Held, so that the row does not outlive a status that is being deleted.
			if err := tx.HoldStatus(ctx, status.ID); err != nil {
				return err
			}
			return s.In(tx).filters(ctx, by.ID, func(tx *db.DB) error {
				row, err = addFilterStatus(ctx, tx, by.ID, filter, status.ID)
				if err != nil {
					return err
				}
				return claim(ctx, tx, row.Number)
			})
		})
		return row, err
	}, func(number int64) (*db.FilterStatus, error) { return s.db.FilterStatus(ctx, by.ID, number) })
}

func addFilterStatus(ctx context.Context, tx *db.DB, accountID string, filter int64, statusID string) (*db.FilterStatus, error) {
	f, err := tx.Filter(ctx, accountID, filter)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(f.Statuses, func(s db.FilterStatus) bool { return s.StatusID == statusID }) {
		return nil, fault.Invalid("Validation failed: Status has already been taken")
	}
	if len(f.Statuses) >= db.MaxFilterStatuses {
		return nil, fault.Invalidf("Validation failed: A filter cannot have more than %d statuses", db.MaxFilterStatuses)
	}
	row := &db.FilterStatus{AccountID: accountID, Filter: filter, StatusID: statusID}
	if row.Number, err = tx.NumberFilters(ctx, accountID, 1); err != nil {
		return nil, err
	}
	return row, tx.CreateFilterStatus(ctx, row)
}

// DeleteFilterStatus removes a status from a filter of by. An unknown one is
// db.ErrNotFound.
func (s *Service) DeleteFilterStatus(ctx context.Context, by *db.Account, number int64) error {
	return s.filters(ctx, by.ID, func(tx *db.DB) error { return tx.DeleteFilterStatus(ctx, by.ID, number) })
}

// keepKeywords changes keywords of f, which need not be stored yet, as asked. A new
// filter without a number gets that of its first keyword.
func keepKeywords(ctx context.Context, tx *db.DB, f *db.Filter, in []Keyword) error {
	var added []db.FilterKeyword
	for _, k := range in {
		if k.Number == 0 {
			if k.Remove {
				continue
			}
			row := db.FilterKeyword{AccountID: f.AccountID}
			if err := fillKeyword(&row, k, "Keyword"); err != nil {
				return err
			}
			added = append(added, row)
			continue
		}
		i := slices.IndexFunc(f.Keywords, func(row db.FilterKeyword) bool { return row.Number == k.Number })
		if i < 0 {
			return db.ErrNotFound
		}
		if k.Remove {
			if err := tx.DeleteFilterKeyword(ctx, f.AccountID, k.Number); err != nil {
				return err
			}
			f.Keywords = slices.Delete(f.Keywords, i, i+1)
			continue
		}
		if err := fillKeyword(&f.Keywords[i], k, "Keyword"); err != nil {
			return err
		}
		if err := tx.UpdateFilterKeyword(ctx, &f.Keywords[i]); err != nil {
			return err
		}
	}
	if len(f.Keywords)+len(added) > db.MaxFilterKeywords {
		return fault.Invalidf("Validation failed: A filter cannot have more than %d keywords", db.MaxFilterKeywords)
	}
	if len(added) == 0 {
		return nil
	}
	first, err := tx.NumberFilters(ctx, f.AccountID, len(added))
	if err != nil {
		return err
	}
	if f.Number == 0 {
		f.Number = first
	}
	for i := range added {
		added[i].Number, added[i].Filter = first+int64(i), f.Number
	}
	f.Keywords = append(f.Keywords, added...)
	return tx.CreateFilterKeywords(ctx, added)
}

// fillKeyword writes in to row; name is that of the parameter.
func fillKeyword(row *db.FilterKeyword, in Keyword, name string) error {
	if in.Keyword != nil {
		keyword, _ := text.Clean(*in.Keyword)
		row.Keyword = strings.TrimSpace(keyword)
	}
	switch {
	case in.WholeWord != nil:
		row.WholeWord = *in.WholeWord
	case row.Number == 0:
		row.WholeWord = true
	}
	switch {
	case row.Keyword == "" && name == "Phrase":
		return fault.Invalid("Phrase can't be blank")
	case row.Keyword == "":
		return fault.Invalid("Validation failed: Keyword can't be blank")
	case in.Keyword != nil && text.Length(row.Keyword) > maxKeyword:
		return fault.Invalidf("Validation failed: %s is too long (maximum is %d characters)", name, maxKeyword)
	}
	return nil
}

// titleOf is the title of a filter that has one keyword and no title of its own.
func titleOf(keyword string) string {
	if runes := []rune(keyword); len(runes) > maxFilterTitle {
		return string(runes[:maxFilterTitle])
	}
	return keyword
}

func (s *Service) fillFilter(f *db.Filter, in Filter) error {
	if in.Title != nil {
		title, _ := text.Clean(*in.Title)
		f.Title = strings.TrimSpace(title)
	}
	if in.Contexts != nil {
		f.Contexts = *in.Contexts
	}
	if in.Action != nil {
		if !slices.Contains([]FilterAction{FilterWarn, FilterBlur, FilterHide}, *in.Action) {
			return fault.Invalid("Validation failed: Filter action is not included in the list")
		}
		f.Irreversible, f.Blur = *in.Action == FilterHide, *in.Action == FilterBlur
	}
	if in.ExpiresIn != nil {
		switch {
		case *in.ExpiresIn < 0:
			return fault.Invalid("Validation failed: A filter cannot end before it begins")
		case *in.ExpiresIn == 0:
			f.ExpiresAt = db.Time{}
		default:
			f.ExpiresAt = db.At(s.now().Add(*in.ExpiresIn))
		}
	}
	switch {
	case f.Title == "":
		return fault.Invalid("Validation failed: Title can't be blank")
	case in.Title != nil && text.Length(f.Title) > maxFilterTitle:
		return fault.Invalidf("Validation failed: Title is too long (maximum is %d characters)", maxFilterTitle)
	case f.Contexts == 0:
		return fault.Invalid("Context can't be blank")
	}
	return nil
}

// settleFilters completes filters that the version before created.
func (s *Service) settleFilters(ctx context.Context) error {
	return s.db.Steps(ctx, func(tx *db.DB) (bool, error) {
		n, err := tx.SettleFilters(ctx, sweepChunk)
		return n == sweepChunk, err
	})
}
