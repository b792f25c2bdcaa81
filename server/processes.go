package server

import (
	"context"
	"time"

	"svc/db"
)

// A process that runs jobs says so every heartbeat. One that was silent for
// lifetime has died, and the others take over what it ran.
const (
	heartbeat = 5 * time.Second
	lifetime  = 30 * time.Second
)

// live takes over what dead processes ran, now and until end is called, and
// tells the others that this one, by this id, runs jobs. On SQLite one process
// serves: whatever runs when it starts, died with the one before.
func (s *Server) live(ctx context.Context, id string) (end func(), err error) {
	if s.DB.Dialect() != db.Postgres {
		return func() {}, s.revive(ctx, s.now())
	}
	if err := s.beat(ctx, id); err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(heartbeat)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if err := s.beat(ctx, id); err != nil && ctx.Err() == nil {
				s.log.WarnContext(ctx, "cannot say that this process lives", "err", err)
			}
		}
	}()
	return func() {
		stop()
		<-ended
		if err := s.DB.ProcessGone(context.WithoutCancel(ctx), id); err != nil {
			s.log.WarnContext(ctx, "cannot say that this process ends", "err", err)
		}
	}, nil
}

func (s *Server) beat(ctx context.Context, id string) error {
	if err := s.DB.ProcessSeen(ctx, id); err != nil {
		return err
	}
	return s.revive(ctx, s.now().Add(-lifetime))
}

// revive gives the jobs of processes that were not seen since before back to
// their queues.
func (s *Server) revive(ctx context.Context, before time.Time) error {
	n, err := s.DB.ReviveJobs(ctx, db.At(before))
	if n > 0 {
		s.log.InfoContext(ctx, "took over the jobs of a process that died", "jobs", n)
	}
	return err
}
