package servertest

import (
	"context"
	"strconv"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/jobs"
)

// FailedJob inserts a job that was given up, and returns its number.
func (s *Server) FailedJob() string {
	s.t.Helper()
	ctx := context.Background()
	err := s.DB.Tx(ctx, func(tx *db.DB) error {
		return jobs.EnqueueAt(ctx, tx, jobs.ExpireStatus{StatusID: "none"}, time.Now().Add(time.Hour))
	})
	if err == nil {
		err = dbtest.Exec(s.t, s.DB, `UPDATE river_job SET state = 'discarded', finalized_at = created_at, attempt = 1 WHERE kind = 'expire_status'`)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	failed, err := s.DB.FailedJobs(ctx, jobs.QueueExpiry, 0, 10)
	if err != nil || len(failed) != 1 {
		s.t.Fatalf("failed jobs: %+v %v", failed, err)
	}
	return strconv.FormatInt(failed[0].ID, 10)
}
