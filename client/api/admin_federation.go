package api

// The hosts that a HostQuery selects by State.
const (
	HostsFailing = "failing" // the last calls failed
	HostsDead    = "dead"    // they are given up
	HostsWaiting = "waiting" // something waits for them
)

// HostQuery selects a page of other servers by name: those after After, at most
// Limit, 0 for 50. State "" is all that are known.
type HostQuery struct {
	State string `json:"state,omitempty" form:"state"`
	After string `json:"after,omitempty" form:"after"`
	Limit int    `json:"limit,omitempty" form:"limit"`
}

// Host is how sending to another server goes.
type Host struct {
	Host     string `json:"host"` // with its port where that is not the usual one
	Software string `json:"software"`
	Waiting  int64  `json:"waiting"`  // deliveries
	Failures int    `json:"failures"` // calls in a row
	GivenUp  bool   `json:"given_up"`
	// LastError is of the last failure, "" for none.
	LastError        string `json:"last_error"`
	LastErrorAt      *Time  `json:"last_error_at"`
	UnreachableSince *Time  `json:"unreachable_since"`
	RetryAt          *Time  `json:"retry_at"`     // no delivery before this time
	DeliveredAt      *Time  `json:"delivered_at"` // the last success
	HeardAt          *Time  `json:"heard_at"`     // time of its last signed request
}

// Hosts is the answer to a HostQuery. Next is the After of the next page, "" on
// the last.
type Hosts struct {
	Hosts List[Host] `json:"hosts"`
	Next  string     `json:"next"`
}

// Dropped says how many deliveries were dropped.
type Dropped struct {
	Dropped int `json:"dropped"`
}

// Queue is how much work of a kind there is. Available waits for somebody to do
// it, Scheduled for its time; Retryable failed and is tried again, Discarded is
// not. OldestAt is since when the oldest that is available waits.
type Queue struct {
	Queue     string `json:"queue"`
	Available int64  `json:"available"`
	Scheduled int64  `json:"scheduled"`
	Running   int64  `json:"running"`
	Retryable int64  `json:"retryable"`
	Discarded int64  `json:"discarded"`
	OldestAt  *Time  `json:"oldest_at"`
}

// Queues is the answer of GET /api/svc/admin/jobs/queues.
type Queues struct {
	Queues List[Queue] `json:"queues"`
}

// JobQuery selects a page of the jobs that failed, those that were made last
// first: of a Queue, or of all where that is ""; those below Before, at most
// Limit, 0 for 50.
type JobQuery struct {
	Queue  string `json:"queue,omitempty" form:"queue"`
	Before int64  `json:"before,omitempty" form:"before"`
	Limit  int    `json:"limit,omitempty" form:"limit"`
}

// Job is one that failed.
type Job struct {
	ID          int64  `json:"id"`
	Queue       string `json:"queue"`
	Kind        string `json:"kind"`
	State       string `json:"state"` // retryable, or discarded when it is not tried again
	Attempt     int    `json:"attempt"`
	MaxAttempts int    `json:"max_attempts"`
	Error       string `json:"error"` // the last
	CreatedAt   *Time  `json:"created_at"`
	RetryAt     *Time  `json:"retry_at"`
}

// Jobs is the answer to a JobQuery. Next is the Before of the next page, 0 on
// the last.
type Jobs struct {
	Jobs List[Job] `json:"jobs"`
	Next int64     `json:"next"`
}

// QueueName names a queue, as Queues does.
type QueueName struct {
	Queue string `json:"queue" form:"queue"`
}

// Retried says how much is done again.
type Retried struct {
	Retried int64 `json:"retried"`
}
