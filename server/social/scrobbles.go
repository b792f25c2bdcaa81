package social

import (
	"context"
	"slices"
	"strings"

	"svc/db"
	"svc/server/fault"
	"svc/server/text"
)

// maxScrobble is the most of a title and the like, in characters.
const maxScrobble = 500

// Scrobble keeps what by has listened to. Its id and time are set.
func (s *Service) Scrobble(ctx context.Context, by *db.Account, row db.Scrobble) (*db.Scrobble, error) {
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
	err := s.db.CreateScrobble(ctx, &row)
	return &row, err
}
