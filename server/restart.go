package server

import (
	"context"
	"sync"
	"time"

	"svc/server/platform/config"
	"svc/server/platform/outgoing"
)

// restart sets up anew all parts that read the settings once: connections to
// other servers, request counters, emoji, and the job runner with its queues.
// Requests go on. Running jobs end on the old runner while the new one takes
// the next.
func (s *Server) restart(ctx context.Context) {
	s.Outgoing.Renew()
	s.limiter.Reset()
	if err := s.Emojis.Reload(); err != nil {
		s.log.ErrorContext(ctx, "restart: cannot reload emoji", "err", err)
	}
	if err := s.startJobs(context.WithoutCancel(ctx)); err != nil {
		s.log.ErrorContext(ctx, "restart: jobs stay with the old runner", "err", err)
	}
	s.log.InfoContext(ctx, "restarted")
}

// Reload reads again what a running service can read again, for this process: the saved
// settings, emoji, and all that a restart sets up anew. Variables, the settings file and
// addresses need a new process.
func (s *Server) Reload(ctx context.Context) {
	if err := s.Saved.Reload(ctx); err != nil {
		s.log.ErrorContext(ctx, "SIGHUP: cannot read the saved settings; the last ones stay", "err", err)
	}
	s.restart(ctx)
	s.log.InfoContext(ctx, "SIGHUP: read saved settings and emoji again, and renewed connections and job runners; changed variables, a changed settings file and the address need a new process")
}

// bounds are the settings for calls to other servers.
func bounds(s *config.Settings) outgoing.Bounds {
	pool := func(p config.Pool) outgoing.Pool {
		return outgoing.Pool{Size: p.Size, Waiting: p.MaxWaiting, Receive: p.Receive}
	}
	b := outgoing.Bounds{Most: s.Connections.Most, Connect: s.Connections.Connect, Idle: s.Connections.Idle}
	b.Pools[outgoing.Default], b.Pools[outgoing.Media] = pool(s.Connections.Default), pool(s.Connections.Media)
	b.Pools[outgoing.Federation] = pool(s.Connections.Federation)
	return b
}

// lastJobs is the time that running jobs have after a restart, the longest time
// of any job but an archive. Until they end, the old timetable applies. Then
// they go back to their queue.
const lastJobs = 5 * time.Minute

// runners are the job runners of this process: the latest one, and earlier ones
// with running jobs.
type runners struct {
	mu       sync.Mutex
	last     func(context.Context) error
	stopping sync.WaitGroup
	give     chan struct{} // closed to give running jobs up
	stopped  bool
}

// startJobs runs jobs on a new runner, and lets the one before it end.
func (s *Server) startJobs(ctx context.Context) error {
	r := &s.runners
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped || !s.cfg.Roles.Work {
		return nil
	}
	stop, err := s.work(ctx)
	if err != nil {
		return err
	}
	if r.give == nil {
		r.give = make(chan struct{})
	}
	if before := r.last; before != nil {
		r.stopping.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, lastJobs)
			defer cancel()
			go func() {
				select {
				case <-r.give:
					cancel()
				case <-ctx.Done():
				}
			}()
			if err := before(ctx); err != nil {
				s.log.WarnContext(ctx, "old job runner stopped with an error", "err", err)
			}
		})
	}
	r.last = stop
	return nil
}

// stop lets running jobs end, and gives up those that run when ctx ends.
func (r *runners) stop(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = true
	if r.last == nil {
		return nil
	}
	err := r.last(ctx)
	done := make(chan struct{})
	go func() { r.stopping.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
		close(r.give)
		<-done
	}
	return err
}
