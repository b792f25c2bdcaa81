// Package action is what the command line and the terminal UI do alike: which
// changes a moderator can make, how dangerous each is, how many go in one
// request, when nothing needs sending, and whose change would be overwritten.
//
// It asks nobody and prints nothing: confirming is its callers' part, and so
// is showing results. It speaks to the server through svc/client alone.
package action

import (
	"fmt"
	"strings"
	"time"
)

// Kind names one change of one object, noun first.
type Kind string

const (
	ReportResolve    Kind = "report.resolve"
	ReportClose      Kind = "report.close"
	ReportReopen     Kind = "report.reopen"
	ReportNote       Kind = "report.note"        // Args: text
	ReportNoteDelete Kind = "report.note.delete" // Args: note, the note's number
	UserActivate     Kind = "user.activate"
	UserDeactivate   Kind = "user.deactivate"

	UserApprove         Kind = "user.approve"
	UserConfirm         Kind = "user.confirm"
	UserResend          Kind = "user.resend-confirmation"
	UserDelete          Kind = "user.delete"
	UserForceReset      Kind = "user.force-reset"
	UserDisableMFA      Kind = "user.mfa.disable"
	UserTag             Kind = "user.tag.add"    // Args: tags, joined by commas
	UserUntag           Kind = "user.tag.remove" // Args: tags, joined by commas
	UserMakeAdmin       Kind = "user.role.add.admin"
	UserMakeModerator   Kind = "user.role.add.moderator"
	UserUnmakeAdmin     Kind = "user.role.remove.admin"
	UserUnmakeModerator Kind = "user.role.remove.moderator"
	UserFollow          Kind = "user.follow"   // Args: followed, a nickname
	UserUnfollow        Kind = "user.unfollow" // Args: followed, a nickname

	InviteRevoke      Kind = "invite.revoke"
	AppDelete         Kind = "app.delete"
	ChatMessageDelete Kind = "chat.delete-message" // Args: message, its id
	MediaPurge        Kind = "media.purge"         // Args: ban, "true" or "false"
	MediaUnban        Kind = "media.unban"
	RelayFollow       Kind = "relay.follow"
	RelayUnfollow     Kind = "relay.unfollow"

	StatusDelete     Kind = "status.delete"
	StatusSensitive  Kind = "status.sensitive"  // Args: sensitive, "true" or "false"; may carry visibility too
	StatusVisibility Kind = "status.visibility" // Args: visibility; may carry sensitive too
)

// Kinds lists every kind there is, in the order people meet them.
func Kinds() []Kind {
	return []Kind{
		ReportResolve, ReportClose, ReportReopen, ReportNote, ReportNoteDelete,
		UserActivate, UserDeactivate, StatusDelete, StatusSensitive, StatusVisibility,
		UserApprove, UserConfirm, UserResend, UserDelete, UserForceReset, UserDisableMFA, UserTag, UserUntag,
		UserMakeAdmin, UserMakeModerator, UserUnmakeAdmin, UserUnmakeModerator, UserFollow, UserUnfollow,
		InviteRevoke, AppDelete, ChatMessageDelete, MediaPurge, MediaUnban,
		RelayFollow, RelayUnfollow,
	}
}

// Noun is what k changes: "report", "user", "invite".
func (k Kind) Noun() string {
	noun, _, _ := strings.Cut(string(k), ".")
	return noun
}

// Verb is what k does to it, as the command line says it: "resolve", "note
// delete", "role add admin".
func (k Kind) Verb() string {
	switch k {
	case ReportNote:
		return "note add"
	case StatusSensitive, StatusVisibility:
		return "set"
	}
	_, verb, _ := strings.Cut(string(k), ".")
	return strings.ReplaceAll(verb, ".", " ")
}

// Done is the verb for a result: "resolved", "deactivated".
func (k Kind) Done() string {
	switch k {
	case ReportResolve:
		return "resolved"
	case ReportClose:
		return "closed"
	case ReportReopen:
		return "reopened"
	case ReportNote:
		return "noted"
	case ReportNoteDelete, StatusDelete, UserDelete, AppDelete, ChatMessageDelete:
		return "deleted"
	case UserActivate:
		return "activated"
	case UserDeactivate:
		return "deactivated"
	case UserApprove:
		return "approved"
	case UserConfirm:
		return "confirmed"
	case UserResend:
		return "mailed"
	case InviteRevoke:
		return "revoked"
	case MediaPurge:
		return "purged"
	case MediaUnban:
		return "unbanned"
	case RelayFollow:
		return "asked"
	case RelayUnfollow:
		return "left"
	}
	return "changed"
}

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
