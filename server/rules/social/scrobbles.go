package social

import (
	"context"
	"slices"
	"strings"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/platform/text"
)

// maxScrobble bounds titles and similar texts, in characters.
const maxScrobble = 500

// Scrobble stores a piece that by listened to, and returns it with its id and
// time, once for an idempotency key, which may be empty.
func (s *Service) Scrobble(ctx context.Context, by *db.Account, row db.Scrobble, key string) (*db.Scrobble, error) {
	row.AccountID = by.ID
	for _, t := range []*string{&row.Title, &row.Artist, &row.Album} {
		*t, _ = text.Clean(*t)
		*t = strings.TrimSpace(*t)
		if text.Length(*t) > maxScrobble {
			return nil, fault.Invalidf("Title, artist and album must be up to %d characters", maxScrobble)
		}
	}
	if row.Title == "" {
		return nil, fault.Invalid("Title can't be blank")
	}
	if row.Length != nil && *row.Length < 0 {
		return nil, fault.Invalid("Length must not be negative")
	}
	if row.Visibility == "" {
		row.Visibility = db.Public
	}
	if !slices.Contains([]string{db.Public, db.Unlisted, db.Private, db.Direct}, row.Visibility) {
		return nil, fault.Invalid("Visibility is not included in the list")
	}
	return db.Once(ctx, s.db, "scrobble", key, func(claim db.Claim[string]) (*db.Scrobble, error) {
		return &row, s.db.Tx(ctx, func(tx *db.DB) error {
			if err := keepActive(ctx, tx, by); err != nil {
				return err
			}
			if err := tx.CreateScrobble(ctx, &row); err != nil {
				return err
			}
			return claim(ctx, tx, row.ID)
		})
	}, func(id string) (*db.Scrobble, error) { return s.db.Scrobble(ctx, by.ID, id) })
}
