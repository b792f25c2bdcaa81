// Package jobs lists every kind of background work, and enqueues it in the
// transaction of what causes it. What the kinds do is bound in package server.
package jobs

import (
	"context"
	"fmt"

	"github.com/riverqueue/river"

	"svc/db"
)

// Enqueue inserts a job in tx: it runs if and only if tx commits, at least once.
func Enqueue(ctx context.Context, tx *db.DB, args river.JobArgs) error {
	sqlTx, err := tx.SQLTx()
	if err != nil {
		return fmt.Errorf("enqueue %s: %w", args.Kind(), err)
	}
	client, err := tx.JobInserter()
	if err != nil {
		return fmt.Errorf("enqueue %s: %w", args.Kind(), err)
	}
	if _, err := client.InsertTx(ctx, sqlTx, args, nil); err != nil {
		return fmt.Errorf("enqueue %s: %w", args.Kind(), err)
	}
	return nil
}
