// Package jobs lists every kind of background job, and enqueues jobs in the
// transaction of their cause. Package server binds the kinds to their workers.
package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/riverqueue/river"

	"svc/db"
)

// Enqueue inserts a job in tx: it runs if and only if tx commits, at least once.
func Enqueue(ctx context.Context, tx *db.DB, args river.JobArgs) error {
	return enqueue(ctx, tx, args, nil)
}

// EnqueueAt is Enqueue for a job that must not run before at.
func EnqueueAt(ctx context.Context, tx *db.DB, args river.JobArgs, at time.Time) error {
	return enqueue(ctx, tx, args, &river.InsertOpts{ScheduledAt: at})
}

func enqueue(ctx context.Context, tx *db.DB, args river.JobArgs, o *river.InsertOpts) error {
	sqlTx, err := tx.SQLTx()
	if err != nil {
		return fmt.Errorf("enqueue %s: %w", args.Kind(), err)
	}
	client, err := tx.JobInserter()
	if err != nil {
		return fmt.Errorf("enqueue %s: %w", args.Kind(), err)
	}
	if _, err := client.InsertTx(ctx, sqlTx, args, o); err != nil {
		return fmt.Errorf("enqueue %s: %w", args.Kind(), err)
	}
	tx.LookForWork()
	return nil
}

// EnqueueAll is Enqueue for several jobs, in one statement.
func EnqueueAll[T river.JobArgs](ctx context.Context, tx *db.DB, args []T) error {
	if len(args) == 0 {
		return nil
	}
	sqlTx, err := tx.SQLTx()
	if err != nil {
		return fmt.Errorf("enqueue %s: %w", args[0].Kind(), err)
	}
	client, err := tx.JobInserter()
	if err != nil {
		return fmt.Errorf("enqueue %s: %w", args[0].Kind(), err)
	}
	params := make([]river.InsertManyParams, len(args))
	for i, a := range args {
		params[i].Args = a
	}
	if _, err := client.InsertManyFastTx(ctx, sqlTx, params); err != nil {
		return fmt.Errorf("enqueue %s: %w", args[0].Kind(), err)
	}
	tx.LookForWork()
	return nil
}
