package server_test

import (
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/jobs"
	"svc/server/servertest"
)

func TestAJobThatItsRunnerDoesNotKnowOfIsPutBack(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		servertest.Eventually(t, "the process is known", func() bool {
			var n int
			err := s.DB.Writer().QueryRowContext(ctx, "SELECT COUNT(*) FROM processes").Scan(&n)
			return err == nil && n == 1
		})
		if err := s.DB.Tx(ctx, func(tx *db.DB) error {
			return jobs.EnqueueAt(ctx, tx, jobs.CheckBacklinks{AccountID: "nobody"}, s.DB.Now().Add(time.Hour).Time)
		}); err != nil {
			t.Fatal(err)
		}
		// The claim of the job is committed, and its answer is lost.
		by := `json_array((SELECT id FROM processes) || '/1')`
		if s.DB.Dialect() == db.Postgres {
			by = `ARRAY[(SELECT id FROM processes) || '/1']`
		}
		if err := dbtest.Exec(t, s.DB, "UPDATE river_job SET state = 'running', attempt = 1, attempted_by = "+by+" WHERE kind = 'check_backlinks'"); err != nil {
			t.Fatal(err)
		}
		var (
			state   string
			attempt int
		)
		servertest.Eventually(t, "the job is done", func() bool {
			err := s.DB.Writer().QueryRowContext(ctx, "SELECT CAST(state AS TEXT), attempt FROM river_job WHERE kind = 'check_backlinks'").Scan(&state, &attempt)
			return err == nil && state == "completed"
		})
		if attempt != 1 {
			t.Errorf("it took %d attempts", attempt)
		}
	})
}
