// Package action has the changes that a moderator can make with the command
// line and the terminal UI: how dangerous each is, how many fit in one request,
// when nothing needs to be sent, and whether another person's change would be
// overwritten.
//
// It neither asks nor prints: its callers confirm actions and show results. It
// speaks to the server through svc/client alone.
package action

import (
	"fmt"
	"time"
)

// Action is one requested change. Target is a typed name: report/ID, user/NICK
// or user/id:ID, status/ID, invite/TOKEN, app/ID, chat/ID, media/URL,
// relay/URL. Before is the state that the person saw when deciding, as far as
// it is known: "state" of a report, "deactivated", "admin" and "moderator" of a
// user, "sensitive" and "visibility" of a status. If the state differs from it
// when the action is carried out, somebody changed the object meanwhile.
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
	Unknown   Outcome = "unknown"   // it was sent, but its effect is unclear
)

// Result is the end of one action. Err explains failed, unknown and skipped;
// Inverse, when there is one, takes the change back as long as the object is
// still as this action left it. Meanwhile, of an unchanged object, is somebody
// else's change to the same end, made after the person looked.
type Result struct {
	Action    Action
	Outcome   Outcome
	Err       error
	Inverse   *Action
	Meanwhile *Conflict
	// Means is the consequence of the action for this object, if it is not the same
	// for all: "it stays away until it is activated".
	Means string
}

// Conflict is the error of an action on an object that somebody changed after
// the person looked at it. By is empty if the moderation log does not name
// them.
type Conflict struct {
	Target string
	Now    string // the present state: "closed", "deactivated", "private"
	By     string
	At     time.Time
}

func (c *Conflict) Error() string {
	if c.By == "" {
		return c.Now + " meanwhile"
	}
	return fmt.Sprintf("%s by %s at %s", c.Now, c.By, c.At.UTC().Format(time.RFC3339))
}
