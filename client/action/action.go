// Package action is what the command line and the terminal UI do alike: which
// changes a moderator can make, how dangerous each is, how many go in one
// request, when nothing needs sending, and whose change would be overwritten.
//
// It asks nobody and prints nothing: confirming is its callers' part, and so
// is showing results. It speaks to the server through svc/client alone.
package action

import (
	"fmt"
	"time"
)

// Action is one wished change. Target is a typed name: report/ID, user/NICK or
// user/id:ID, status/ID, invite/TOKEN, app/ID, chat/ID, media/URL, relay/URL. Before holds what the person saw when deciding, as far
// as it is known: "state" of a report, "deactivated", "admin" and "moderator" of
// a user, "sensitive" and "visibility" of a status. What differs from it when the action is carried out
// was changed by somebody meanwhile.
type Action struct {
	Kind   Kind              `json:"kind"`
	Target string            `json:"target"`
	Args   map[string]string `json:"args,omitempty"`
	Before map[string]string `json:"before,omitempty"`
}

// Outcome is how an action ended.
type Outcome string

const (
	Changed   Outcome = "changed"
	Unchanged Outcome = "unchanged" // it was already so
	Skipped   Outcome = "skipped"   // nothing was sent: a preview, or the run was stopped
	Failed    Outcome = "failed"    // it is not so, and Err says why
	Unknown   Outcome = "unknown"   // it was sent, and nobody could tell whether it took effect
)

// Result is the end of one action. Err explains failed, unknown and skipped;
// Inverse, when there is one, takes the change back as long as the object is
// still as this action left it.
type Result struct {
	Action  Action
	Outcome Outcome
	Err     error
	Inverse *Action
}

// Conflict is the error of an action whose object somebody changed after the
// person looked at it. By is empty when the moderation log does not say who.
type Conflict struct {
	Target string
	Now    string // what it is now: "closed", "deactivated", "private"
	By     string
	At     time.Time
}

func (c *Conflict) Error() string {
	if c.By == "" {
		return c.Now + " meanwhile"
	}
	return fmt.Sprintf("%s by %s at %s", c.Now, c.By, c.At.UTC().Format(time.RFC3339))
}
