package delivery

import (
	"context"
	"slices"
	"strings"
	"time"

	"svc/db"
	"svc/server/platform/jobs"
	"svc/server/platform/rights"
)

// Hosts returns a page of up to limit hosts after one, of a kind: HostsFailing,
// HostsDead and HostsWaiting of db, or "" for all.
func (s *Service) Hosts(ctx context.Context, kind, after string, limit int) ([]db.HostState, error) {
	f := db.HostFilter{Kind: kind, After: after, Limit: limit}
	if days := s.settings.Load().Instance.FederationReachabilityTimeoutDays; days > 0 {
		f.Dead = db.At(s.now().Add(-time.Duration(days) * 24 * time.Hour))
	}
	return s.db.HostStates(ctx, f)
}

// GivenUp reports whether a host gets nothing but follows and one probe a day.
func (s *Service) GivenUp(h *db.HostState) bool { return s.givenUp(h.UnreachableSince) }

// failedPage bounds the failed jobs that are read at once.
const failedPage = 100

// RetryHost has all that waits for a host tried at once, for an admin. An unknown
// host is db.ErrNotFound.
func (s *Service) RetryHost(ctx context.Context, by *db.Account, host string) error {
	for more := true; more; {
		err := s.administer(ctx, by, func(tx *db.DB) (err error) {
			more, err = tx.RetryHost(ctx, host)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ForgetHost drops all that waits for a host, and its failures, for an admin. It
// returns the number of deliveries. An unknown host is db.ErrNotFound.
func (s *Service) ForgetHost(ctx context.Context, by *db.Account, host string) (dropped int, err error) {
	for more := true; more; {
		var n int
		err := s.administer(ctx, by, func(tx *db.DB) (err error) {
			n, more, err = tx.ForgetHost(ctx, host)
			return err
		})
		if err != nil {
			return dropped, err
		}
		dropped += n
	}
	return dropped, nil
}

// RetryJob has a failed job run again, for an admin. Another is db.ErrNotFound.
func (s *Service) RetryJob(ctx context.Context, by *db.Account, id int64) error {
	return s.administer(ctx, by, func(tx *db.DB) error { return tx.RetryJob(ctx, id) })
}

// RetryQueue retries all failed work of a queue and returns its amount: jobs
// or, for deliveries, hosts.
func (s *Service) RetryQueue(ctx context.Context, by *db.Account, queue string) (n int64, err error) {
	if queue == QueueOutgoing {
		err = s.administer(ctx, by, func(tx *db.DB) (err error) {
			n, err = tx.RetryHosts(ctx)
			return err
		})
		return n, err
	}
	for before, failed := int64(0), make([]db.FailedJob, failedPage); len(failed) == failedPage; {
		err := s.administer(ctx, by, func(tx *db.DB) (err error) {
			if failed, err = tx.FailedJobs(ctx, queue, before, failedPage); err != nil {
				return err
			}
			for _, j := range failed {
				if err := tx.RetryJob(ctx, j.ID); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return n, err
		}
		if n += int64(len(failed)); len(failed) > 0 {
			before = failed[len(failed)-1].ID
		}
	}
	return n, nil
}

// administer runs do in a transaction in which by stays an admin.
func (s *Service) administer(ctx context.Context, by *db.Account, do func(tx *db.DB) error) error {
	if err := rights.Administer(by); err != nil {
		return err
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if err := rights.HoldAdmin(ctx, tx, by); err != nil {
			return err
		}
		return do(tx)
	})
}

// The queues without jobs, as admins see them.
const (
	QueueOutgoing     = "federator_outgoing" // deliveries
	QueueDistribution = "publisher"          // undistributed activities
	QueueIncoming     = "federator_incoming" // inbox items
)

// Queues returns all queues: of jobs by name, then of federation.
func (s *Service) Queues(ctx context.Context) ([]db.JobQueue, error) {
	queues, err := s.db.JobQueues(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range jobs.Queues() { // also those without work
		if !slices.ContainsFunc(queues, func(q db.JobQueue) bool { return q.Queue == name }) {
			queues = append(queues, db.JobQueue{Queue: name})
		}
	}
	slices.SortFunc(queues, func(a, b db.JobQueue) int { return strings.Compare(a.Queue, b.Queue) })
	depth, err := s.db.DeliveryDepth(ctx)
	if err != nil {
		return nil, err
	}
	in, oldest, err := s.db.InboxDepth(ctx)
	if err != nil {
		return nil, err
	}
	micros := func(t db.Time) int64 {
		if t.IsZero() {
			return 0
		}
		return t.UnixMicro()
	}
	return append(queues,
		db.JobQueue{Queue: QueueIncoming, Available: in, OldestAt: micros(oldest)},
		db.JobQueue{Queue: QueueOutgoing, Available: depth.Deliveries, OldestAt: micros(depth.Oldest)},
		db.JobQueue{Queue: QueueDistribution, Available: depth.Undistributed, OldestAt: micros(depth.OldestActivity)}), nil
}
