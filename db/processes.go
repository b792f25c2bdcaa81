package db

import "context"

// ProcessSeen keeps that the process with this id runs jobs now.
func (d *DB) ProcessSeen(ctx context.Context, id string) error {
	_, err := d.exec(ctx, "keep process", `INSERT INTO processes (id, seen_at) VALUES (?, ?)
		ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`, id, d.Now())
	return err
}

// ProcessGone forgets a process: it runs nothing any more.
func (d *DB) ProcessGone(ctx context.Context, id string) error {
	_, err := d.exec(ctx, "forget process", `DELETE FROM processes WHERE id = ?`, id)
	return err
}

// ReviveJobs puts jobs back into their queues whose process died over them: it
// was not seen since before. One that has been tried as often as its kind may
// be is given up. It returns how many were put back.
func (d *DB) ReviveJobs(ctx context.Context, before Time) (int64, error) {
	if _, err := d.exec(ctx, "forget processes", `DELETE FROM processes WHERE seen_at < ?`, before); err != nil {
		return 0, err
	}
	last, now := `attempted_by ->> '$[#-1]'`, `datetime('now', 'subsec')`
	if d.Dialect() == Postgres {
		last, now = `attempted_by[array_upper(attempted_by, 1)]`, `now()`
	}
	orphaned := ` WHERE state = 'running' AND NOT EXISTS (SELECT 1 FROM processes p WHERE p.id = ` + last + `) AND attempt `
	if _, err := d.exec(ctx, "give up jobs", `UPDATE river_job SET state = 'discarded', finalized_at = `+now+orphaned+`>= max_attempts`); err != nil {
		return 0, err
	}
	return d.exec(ctx, "revive jobs", `UPDATE river_job SET state = 'available', scheduled_at = `+now+orphaned+`< max_attempts`)
}
