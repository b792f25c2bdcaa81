package server

import (
	"context"
	"encoding/json"
	"time"

	"github.com/riverqueue/river/riverdriver"

	"svc/db"
)

// insertTopic is the topic on which the job runner hears of queues with available jobs. The
// payload is {"queue": name}.
const insertTopic = "river_insert"

// fetchAnyway is how often each queue is fetched that wakes say nothing of.
const fetchAnyway = time.Minute

// SupportsListener makes the job runner wait for wakes instead of asking for each queue
// every second.
func (r *runner) SupportsListener() bool { return true }

// GetListener returns the wakes of this runner.
func (r *runner) GetListener(*riverdriver.GetListenenerParams) riverdriver.Listener {
	return &wakes{db: r.db}
}

// wakes tells the job runner which queues have available jobs: at once when this process
// has stored jobs, and within a second of those of others, or that were stored for later.
// It needs no connection of its own.
type wakes struct {
	db     *db.DB
	last   db.DueWork
	queues []string // of last, to be told yet
}

// WaitForNotification waits for a queue with available jobs.
func (w *wakes) WaitForNotification(ctx context.Context) (*riverdriver.Notification, error) {
	for len(w.queues) == 0 {
		if err := w.db.WaitForWork(ctx, w.last); err != nil {
			return nil, err
		}
		waiting, err := w.db.DueWork(ctx)
		if err != nil { // the database is away
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
			continue
		}
		w.last, w.queues = waiting, waiting.Queues
	}
	payload, err := json.Marshal(map[string]string{"queue": w.queues[0]})
	if err != nil {
		return nil, err
	}
	w.queues = w.queues[1:]
	return &riverdriver.Notification{Topic: insertTopic, Payload: string(payload)}, nil
}

// Connect, and all below, have nothing to do.
func (w *wakes) Connect(context.Context) error { return nil }

// Close ends nothing.
func (w *wakes) Close(context.Context) error { return nil }

// Listen hears insertTopic anyway, and no other.
func (w *wakes) Listen(context.Context, string) error { return nil }

// Unlisten does nothing.
func (w *wakes) Unlisten(context.Context, string) error { return nil }

// Ping probes nothing.
func (w *wakes) Ping(context.Context) error { return nil }

// Schema is the default one.
func (w *wakes) Schema() string { return "" }

// SetAfterConnectExec is for tests of the job runner.
func (w *wakes) SetAfterConnectExec(string) {}
