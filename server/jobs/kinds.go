package jobs

// FanOut puts a status on the home timelines of its author's local followers,
// where they are too many for the author's own request. After is the follower
// to go on from.
type FanOut struct {
	StatusID string `json:"status_id"`
	After    string `json:"after"`
}

// Kind names the job.
func (FanOut) Kind() string { return "fan_out" }

// Unfollowed removes an author's statuses from the home timeline of somebody
// who no longer follows him.
type Unfollowed struct {
	AccountID string `json:"account_id"`
	AuthorID  string `json:"author_id"`
}

// Kind names the job.
func (Unfollowed) Kind() string { return "unfollowed" }

// Sweep removes what has expired: tokens, codes, sessions, mutes, stored
// answers, and home entries of deleted statuses.
type Sweep struct{}

// Kind names the job.
func (Sweep) Kind() string { return "sweep" }
