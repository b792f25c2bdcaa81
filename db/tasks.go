package db

import (
	"context"
	"fmt"
)

// Task is bulk work that a command asks the serving process for. It is kept for a
// while after its end, for the command to read.
type Task struct {
	ID        int64 `gorm:"primaryKey"`
	Kind      string
	CreatedAt Time `gorm:"autoCreateTime:false"`
	BegunAt   Time
	EndedAt   Time
	Result    string // JSON
	Error     string // for people, "" for success
}

// CreateTask stores a task and sets its id and time.
func (d *DB) CreateTask(ctx context.Context, t *Task) error {
	t.CreatedAt = d.Now()
	return create(ctx, d, t, "task %s", t.Kind)
}

// Task returns the task with this id.
func (d *DB) Task(ctx context.Context, id int64) (*Task, error) {
	return one[Task](ctx, d, fmt.Sprintf("task %d", id), "SELECT * FROM tasks WHERE id = ?", id)
}

// BeginTask marks a task as begun and returns it. One that has ended is ErrNotFound.
func (d *DB) BeginTask(ctx context.Context, id int64) (*Task, error) {
	return one[Task](ctx, d.writing(), fmt.Sprintf("task %d", id), "UPDATE tasks SET begun_at = ? WHERE id = ? AND ended_at IS NULL RETURNING *", d.Now(), id)
}

// EndTask stores what came of a task.
func (d *DB) EndTask(ctx context.Context, id int64, result, failure string) error {
	_, err := d.exec(ctx, "end task", "UPDATE tasks SET ended_at = ?, result = ?, error = ? WHERE id = ?", d.Now(), result, failure, id)
	return err
}

// SweepTasks removes up to limit tasks created before a moment, and reports whether
// there may be more.
func (d *DB) SweepTasks(ctx context.Context, before Time, limit int) (more bool, err error) {
	return d.sweep(ctx, limit, aged{"tasks", "id", "created_at", before})
}
