package server

import (
	"cmp"
	"context"

	"svc/db"
	"svc/server/platform/alive"
	"svc/server/platform/config"
)

// attend makes this process one of those that serve the database, until the holder ends. All
// of them have one name: while others serve under another, this one is refused.
func (s *Server) attend(ctx context.Context) (*alive.Holder, error) {
	name := s.site.Words.Name()
	err := s.DB.Tx(ctx, func(tx *db.DB) error {
		known, err := tx.HoldMeta(ctx, db.ServiceName)
		if err != nil {
			return err
		}
		others, err := s.process.Others(ctx, tx)
		if err != nil {
			return err
		}
		if known = cmp.Or(known, name); others && known != name {
			return config.Problems{{Setting: "name", Value: name, Accepted: known +
				", as another process serves this database under it: stop all of them, wait half a minute after one that was killed, and start them with one name (SVC_NAME)"}}
		}
		return tx.SetMeta(ctx, db.ServiceName, name)
	})
	if err != nil {
		return nil, err
	}
	return s.process.Attend(ctx)
}

// leave ends the attendance.
func (s *Server) leave(present *alive.Holder) {
	ctx, cancel := context.WithTimeout(context.Background(), lastWords)
	defer cancel()
	if err := present.End(ctx); err != nil {
		s.log.Warn("cannot tell that the process ends", "err", err)
	}
}
