package moderation

import (
	"cmp"
	"context"
	"time"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/platform/media"
)

// PurgeCachedMedia removes cached files of other servers in all processes, and returns
// what it removes in this one. A selection of everything is refused.
func (s *Service) PurgeCachedMedia(ctx context.Context, by *db.Account, sel media.Selection) ([]media.HostFiles, error) {
	if err := s.rights.Check(by, CachedMediaPurged.right); err != nil {
		return nil, err
	}
	if sel.Host == "" && sel.Before.IsZero() {
		return nil, fault.Malformed("A host or a time is needed")
	}
	found, err := s.proxy.Cached(sel)
	if err != nil {
		return nil, err
	}
	data := Data{Target: cmp.Or(sel.Host, "all hosts")}
	if !sel.Before.IsZero() {
		data.Text = sel.Before.UTC().Format(time.RFC3339)
	}
	err = s.db.Tx(ctx, func(tx *db.DB) error {
		if err := s.rights.Hold(ctx, tx, by, CachedMediaPurged.right); err != nil {
			return err
		}
		if err := s.proxy.PurgeCached(ctx, tx, sel); err != nil {
			return err
		}
		return s.Log(ctx, tx, by, CachedMediaPurged, data)
	})
	return found, err
}
