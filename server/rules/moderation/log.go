package moderation

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"svc/db"
)

// Action is what was done, as the log names it.
type Action string

// The actions that are logged.
const (
	Activated     Action = "activate"
	Deactivated   Action = "deactivate"
	UsersCreated  Action = "create"
	UsersDeleted  Action = "delete"
	UsersApproved Action = "approve"
	Followed      Action = "follow"
	Unfollowed    Action = "unfollow"
	Tagged        Action = "tag"
	Untagged      Action = "untag"
	Granted       Action = "grant"
	Revoked       Action = "revoke"
	UsersUpdated  Action = "updated_users"

	ResetForced        Action = "force_password_reset"
	EmailConfirmed     Action = "confirm_email"
	ConfirmationResent Action = "resend_confirmation_email"
	BackupRequested    Action = "create_backup"

	ReportUpdated Action = "report_update"
	NoteAdded     Action = "report_note"
	NoteDeleted   Action = "report_note_delete"
	StatusUpdated Action = "status_update"
	StatusDeleted Action = "status_delete"

	ChatMessageDeleted Action = "chat_message_delete"

	RelayFollowed   Action = "relay_follow"
	RelayUnfollowed Action = "relay_unfollow"
)

// Data is what an entry says beside actor and action; which fields count
// depends on the action.
type Data struct {
	Users      []*db.Account // of what is done to users
	Follower   *db.Account   // follow, unfollow
	Followed   *db.Account   // likewise
	Report     *db.Report    // report_…: with its new state
	Reported   *db.Account   // of Report; nil when they are gone
	Text       string        // of a note
	StatusID   string        // status_…
	MessageID  string        // chat_message_delete
	Target     string        // relay_…: the relay's address
	Sensitive  *bool         // status_update; nil when it was not sent
	Visibility *string       // likewise
	Nicknames  []string      // tag, untag: as they were sent
	Tags       []string      // likewise
	Permission Role          // grant, revoke
}

// user is an account in an entry's data.
type user struct {
	ID        int64  `json:"id"`
	AccountID string `json:"account_id"`
	Nickname  string `json:"nickname"`
	Type      string `json:"type"`
}

// subject is a report or status in an entry's data.
type subject struct {
	Type  string `json:"type"`
	ID    string `json:"id"`
	State string `json:"state,omitempty"`
}

// stored is an entry's data. Shape: the admin API's moderation log.
type stored struct {
	Actor        user    `json:"actor"`
	Action       Action  `json:"action"`
	Message      string  `json:"message"`
	Subject      any     `json:"subject,omitempty"`
	SubjectActor *user   `json:"subject_actor,omitempty"`
	SubjectID    string  `json:"subject_id,omitempty"`
	Target       string  `json:"target,omitempty"`
	Text         string  `json:"text,omitempty"`
	Sensitive    *bool   `json:"sensitive,omitempty"`
	Visibility   *string `json:"visibility,omitempty"`

	Subjects   []user   `json:"subjects,omitempty"`
	Follower   *user    `json:"follower,omitempty"`
	Followed   *user    `json:"followed,omitempty"`
	Nicknames  []string `json:"nicknames,omitempty"`
	Tags       []string `json:"tags,omitempty"`
	Permission Role     `json:"permission,omitempty"`
}

func userOf(a *db.Account) user {
	return user{ID: a.Serial, AccountID: a.ID, Nickname: a.Nickname, Type: "user"}
}

// Log writes in tx that by did action.
func (s *Service) Log(ctx context.Context, tx *db.DB, by *db.Account, action Action, data Data) error {
	entry := stored{Actor: userOf(by), Action: action, Message: message(by, action, &data)}
	users := make([]user, len(data.Users))
	for i, a := range data.Users {
		users[i] = userOf(a)
	}
	switch action {
	case Activated, Deactivated, Granted, Revoked, UsersUpdated, UsersDeleted, UsersApproved, ResetForced, EmailConfirmed, ConfirmationResent:
		entry.Subject = users
	case UsersCreated:
		entry.Subjects = users
	case BackupRequested:
		entry.Subject = users[0]
	case Followed, Unfollowed:
		follower, followed := userOf(data.Follower), userOf(data.Followed)
		entry.Follower, entry.Followed = &follower, &followed
	case ReportUpdated, NoteAdded, NoteDeleted:
		entry.Subject = subject{Type: "report", ID: data.Report.ID, State: data.Report.State}
		if data.Reported != nil {
			reported := userOf(data.Reported)
			entry.SubjectActor = &reported
		}
		entry.Text = data.Text
	case StatusUpdated:
		entry.Subject = subject{Type: "status", ID: data.StatusID}
		entry.Sensitive, entry.Visibility = data.Sensitive, data.Visibility
	case StatusDeleted:
		entry.SubjectID = data.StatusID
	case ChatMessageDeleted:
		entry.SubjectID = data.MessageID
	}
	entry.Nicknames, entry.Tags, entry.Permission, entry.Target = data.Nicknames, data.Tags, data.Permission, data.Target
	raw, err := json.Marshal(entry)
	if err != nil {
		return fmt.Errorf("log %s: %w", action, err)
	}
	return tx.CreateLogEntry(ctx, &db.LogEntry{
		ActorID: by.ID, Action: string(action), Data: string(raw), Message: entry.Message, CreatedAt: db.At(s.now()),
	})
}

func message(by *db.Account, action Action, d *Data) string {
	actor := "@" + by.Nickname + " "
	switch action {
	case Activated:
		return actor + "activated users: " + nicknames(d.Users)
	case Deactivated:
		return actor + "deactivated users: " + nicknames(d.Users)
	case UsersCreated:
		return actor + "created users: " + nicknames(d.Users)
	case UsersDeleted:
		return actor + "deleted users: " + nicknames(d.Users)
	case UsersApproved:
		return actor + "approved users: " + nicknames(d.Users)
	case ResetForced:
		return actor + "forced password reset for users: " + nicknames(d.Users)
	case EmailConfirmed:
		return actor + "confirmed email for users: " + nicknames(d.Users)
	case ConfirmationResent:
		return actor + "re-sent confirmation email for users: " + nicknames(d.Users)
	case BackupRequested:
		return actor + "requested account backup for " + nicknames(d.Users)
	case Followed:
		return actor + "made @" + d.Follower.Nickname + " follow @" + d.Followed.Nickname
	case Unfollowed:
		return actor + "made @" + d.Follower.Nickname + " unfollow @" + d.Followed.Nickname
	case Tagged:
		return actor + "added tags: " + strings.Join(d.Tags, ", ") + " to users: @" + strings.Join(d.Nicknames, ", @")
	case Untagged:
		return actor + "removed tags: " + strings.Join(d.Tags, ", ") + " from users: @" + strings.Join(d.Nicknames, ", @")
	case Granted:
		return actor + "made " + nicknames(d.Users) + " " + string(d.Permission)
	case Revoked:
		return actor + "revoked " + string(d.Permission) + " role from " + nicknames(d.Users)
	case UsersUpdated:
		return actor + "updated users: " + nicknames(d.Users)
	case ReportUpdated:
		return fmt.Sprintf("%supdated report #%s%s with '%s' state", actor, d.Report.ID, reported(d, " (on user @%s)"), d.Report.State)
	case NoteAdded:
		return fmt.Sprintf("%sadded note '%s' to report #%s%s", actor, d.Text, d.Report.ID, reported(d, " on user @%s"))
	case NoteDeleted:
		return fmt.Sprintf("%sdeleted note '%s' from report #%s%s", actor, d.Text, d.Report.ID, reported(d, " on user @%s"))
	case StatusUpdated:
		var set []string
		if d.Sensitive != nil {
			set = append(set, fmt.Sprintf("sensitive: '%t'", *d.Sensitive))
		}
		if d.Visibility != nil {
			set = append(set, fmt.Sprintf("visibility: '%s'", *d.Visibility))
		}
		return fmt.Sprintf("%supdated status #%s, set %s", actor, d.StatusID, strings.Join(set, ", "))
	case StatusDeleted:
		return actor + "deleted status #" + d.StatusID
	case ChatMessageDeleted:
		return actor + "deleted chat message #" + d.MessageID
	case RelayFollowed:
		return actor + "followed relay: " + d.Target
	case RelayUnfollowed:
		return actor + "unfollowed relay: " + d.Target
	}
	return actor + string(action)
}

// reported words which account the report is on. The messages leave it out when
// it is gone.
func reported(d *Data, format string) string {
	if d.Reported == nil {
		return ""
	}
	return fmt.Sprintf(format, d.Reported.Nickname)
}

func nicknames(accounts []*db.Account) string {
	names := make([]string, len(accounts))
	for i, a := range accounts {
		names[i] = "@" + a.Nickname
	}
	return strings.Join(names, ", ")
}
