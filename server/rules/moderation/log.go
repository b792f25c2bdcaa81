package moderation

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"svc/db"
	"svc/server/platform/rights"
)

// An Action is one kind of logged operation: its name in the log, the right
// that it needs, and the message and subject of its entries.
type Action struct {
	name    string
	right   rights.Right
	message func(d *Data) string
	subject func(e *stored, d *Data)
}

// The actions that are logged.
var (
	Activated     = &Action{"activate", rights.UsersActivation, listed("activated users: "), aboutUsers}
	Deactivated   = &Action{"deactivate", rights.UsersActivation, listed("deactivated users: "), aboutUsers}
	UsersCreated  = &Action{"create", rights.Admins, listed("created users: "), func(e *stored, d *Data) { e.Subjects = usersOf(d) }}
	UsersDeleted  = &Action{"delete", rights.Admins, listed("deleted users: "), aboutUsers}
	UsersApproved = &Action{"approve", rights.Approvals, listed("approved users: "), aboutUsers}
	UsersRejected = &Action{"reject", rights.Approvals, func(d *Data) string {
		words := "rejected users: " + nicknames(d.Users)
		if d.Text != "" {
			words += " with message '" + d.Text + "'"
		}
		return words
	}, func(e *stored, d *Data) { aboutUsers(e, d); e.Text = d.Text }}
	UsersUpdated = &Action{"updated_users", rights.Admins, listed("updated users: "), aboutUsers}

	ResetForced        = &Action{"force_password_reset", rights.Admins, listed("forced password reset for users: "), aboutUsers}
	LoggedOut          = &Action{"logout", rights.Admins, listed("ended all log-ins of users: "), aboutUsers}
	UserMoved          = &Action{"move", rights.Admins, func(d *Data) string { return "moved " + nicknames(d.Users) + " to @" + d.Target }, func(e *stored, d *Data) { aboutUsers(e, d); e.Target = d.Target }}
	MoveCancelled      = &Action{"move_cancel", rights.Admins, listed("took back the move of users: "), aboutUsers}
	EmailConfirmed     = &Action{"confirm_email", rights.Admins, listed("confirmed email for users: "), aboutUsers}
	ConfirmationResent = &Action{"resend_confirmation_email", rights.Admins, listed("re-sent confirmation email for users: "), aboutUsers}
	BackupRequested    = &Action{"create_backup", rights.Admins, listed("requested account backup for "), func(e *stored, d *Data) { e.Subject = userOf(d.Users[0]) }}

	Granted = &Action{"grant", rights.Admins, func(d *Data) string {
		return "made " + nicknames(d.Users) + " " + string(d.Permission)
	}, aboutUsers}
	Revoked = &Action{"revoke", rights.Admins, func(d *Data) string {
		return "revoked " + string(d.Permission) + " role from " + nicknames(d.Users)
	}, aboutUsers}
	Followed   = &Action{"follow", rights.Admins, paired("follow"), aboutPair}
	Unfollowed = &Action{"unfollow", rights.Admins, paired("unfollow"), aboutPair}
	Tagged     = &Action{"tag", rights.Admins, func(d *Data) string {
		return "added tags: " + strings.Join(d.Tags, ", ") + " to users: @" + strings.Join(d.Nicknames, ", @")
	}, aboutNothing}
	Untagged = &Action{"untag", rights.Admins, func(d *Data) string {
		return "removed tags: " + strings.Join(d.Tags, ", ") + " from users: @" + strings.Join(d.Nicknames, ", @")
	}, aboutNothing}

	MailDomainsBlocked   = &Action{"mail_domain_block", rights.Approvals, func(d *Data) string { return "blocked mail domains: " + d.Target }, aboutNothing}
	MailDomainsUnblocked = &Action{"mail_domain_unblock", rights.Approvals, func(d *Data) string { return "unblocked mail domains: " + d.Target }, aboutNothing}

	ReportUpdated = &Action{"report_update", rights.Reports, func(d *Data) string {
		return fmt.Sprintf("updated report #%s%s with '%s' state", d.Report.ID, reported(d, " (on user @%s)"), d.Report.State)
	}, aboutReport}
	ReportFiled = &Action{"report_create", rights.Reports, func(d *Data) string {
		return fmt.Sprintf("filed report #%s%s for %s", d.Report.ID, reported(d, " on user @%s"), nicknames(d.Users))
	}, aboutReport}
	NoteAdded = &Action{"report_note", rights.Reports, func(d *Data) string {
		return fmt.Sprintf("added note '%s' to report #%s%s", d.Text, d.Report.ID, reported(d, " on user @%s"))
	}, aboutReport}
	NoteDeleted = &Action{"report_note_delete", rights.Reports, func(d *Data) string {
		return fmt.Sprintf("deleted note '%s' from report #%s%s", d.Text, d.Report.ID, reported(d, " on user @%s"))
	}, aboutReport}

	StatusUpdated      = &Action{"status_update", rights.Statuses, statusChange, aboutStatus}
	StatusDeleted      = &Action{"status_delete", rights.Staff, func(d *Data) string { return "deleted status #" + d.StatusID }, func(e *stored, d *Data) { e.SubjectID = d.StatusID }}
	ChatMessageDeleted = &Action{"chat_message_delete", rights.Admins, func(d *Data) string { return "deleted chat message #" + d.MessageID }, func(e *stored, d *Data) { e.SubjectID = d.MessageID }}

	SSHKeyAdded   = &Action{"ssh_key_add", rights.Admins, aboutKey("added SSH key %s to @%s"), aboutKeyOf}
	SSHKeyDeleted = &Action{"ssh_key_delete", rights.Admins, aboutKey("deleted SSH key %s of @%s"), aboutKeyOf}

	HostLimited   = &Action{"host_limit", rights.Admins, limitsOf("limited host %s: %s"), aboutHost}
	HostUnlimited = &Action{"host_unlimit", rights.Admins, limitsOf("lifted limits of host %s: %s"), aboutHost}

	CachedMediaPurged = &Action{"media_purge", rights.Media, func(d *Data) string {
		message := "purged cached media of " + d.Target
		if d.Text != "" {
			message += " from before " + d.Text
		}
		return message
	}, aboutHost}

	RelayFollowed   = &Action{"relay_follow", rights.Admins, func(d *Data) string { return "followed relay: " + d.Target }, aboutNothing}
	RelayUnfollowed = &Action{"relay_unfollow", rights.Admins, func(d *Data) string { return "unfollowed relay: " + d.Target }, aboutNothing}

	AnnouncementCreated = &Action{"announcement_create", rights.Admins, numbered("created announcement"), aboutNumber}
	AnnouncementUpdated = &Action{"announcement_update", rights.Admins, numbered("updated announcement"), aboutNumber}
	AnnouncementDeleted = &Action{"announcement_delete", rights.Admins, numbered("deleted announcement"), aboutNumber}

	RuleCreated = &Action{"rule_create", rights.Admins, numbered("created rule"), aboutNumber}
	RuleUpdated = &Action{"rule_update", rights.Admins, numbered("updated rule"), aboutNumber}
	RuleDeleted = &Action{"rule_delete", rights.Admins, numbered("deleted rule"), aboutNumber}
)

// Data is the content of an entry beside actor and action; the action decides
// which fields count.
type Data struct {
	Users      []*db.Account // of actions on users
	Follower   *db.Account   // follow, unfollow
	Followed   *db.Account   // likewise
	Report     *db.Report    // report_…: with its new state
	Reported   *db.Account   // of Report; nil when they are gone
	Text       string        // of a note, a rule or an announcement; to a rejected person; the name of an SSH key; the time of media_purge
	StatusID   string        // status_…
	MessageID  string        // chat_message_delete
	Target     string        // relay_…: the relay's address; ssh_key_…: the fingerprint; mail_domain_…: the domains; media_purge: the host; move: the handle of the new account
	Sensitive  *bool         // status_update; nil when it was not sent
	Visibility *string       // likewise
	Nicknames  []string      // tag, untag: as they were sent
	Tags       []string      // likewise
	Limits     []string      // host_…: of Target, for the reason Text
	Permission Role          // grant, revoke
	Number     int64         // rule_…, announcement_…
	About      []string      // ids of accounts that the entry is about and does not name
}

// about are the ids of all accounts that an entry is about.
func (d *Data) about() []string {
	ids := slices.Clone(d.About)
	for _, a := range append([]*db.Account{d.Follower, d.Followed}, d.Users...) {
		if a != nil {
			ids = append(ids, a.ID)
		}
	}
	if d.Report != nil {
		ids = append(ids, d.Report.AccountID)
	}
	return ids
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
	Action       string  `json:"action"`
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
	Limits     []string `json:"limits,omitempty"`
	Permission Role     `json:"permission,omitempty"`
}

func userOf(a *db.Account) user {
	return user{ID: a.Serial, AccountID: a.ID, Nickname: a.Nickname, Type: "user"}
}

// Log writes a log entry in tx: by did action.
func (s *Service) Log(ctx context.Context, tx *db.DB, by *db.Account, action *Action, data Data) error {
	entry := stored{
		Actor: userOf(by), Action: action.name, Message: "@" + by.Nickname + " " + action.message(&data),
		Nicknames: data.Nicknames, Tags: data.Tags, Limits: data.Limits, Permission: data.Permission, Target: data.Target,
	}
	action.subject(&entry, &data)
	raw, err := json.Marshal(entry)
	if err != nil {
		return fmt.Errorf("log %s: %w", action.name, err)
	}
	return tx.CreateLogEntry(ctx, &db.LogEntry{
		ActorID: by.ID, Action: action.name, Data: db.ObjectText(raw), Message: entry.Message, CreatedAt: db.At(s.now()), About: data.about(),
	})
}

func usersOf(d *Data) []user {
	users := make([]user, len(d.Users))
	for i, a := range d.Users {
		users[i] = userOf(a)
	}
	return users
}

func aboutNothing(*stored, *Data) {}

func aboutUsers(e *stored, d *Data) { e.Subject = usersOf(d) }

func aboutPair(e *stored, d *Data) {
	follower, followed := userOf(d.Follower), userOf(d.Followed)
	e.Follower, e.Followed = &follower, &followed
}

func aboutReport(e *stored, d *Data) {
	e.Subject = subject{Type: "report", ID: d.Report.ID, State: d.Report.State}
	if d.Reported != nil {
		reported := userOf(d.Reported)
		e.SubjectActor = &reported
	}
	e.Text = d.Text
}

func aboutStatus(e *stored, d *Data) {
	e.Subject = subject{Type: "status", ID: d.StatusID}
	e.Sensitive, e.Visibility = d.Sensitive, d.Visibility
}

// aboutKey names an SSH key by its fingerprint.
func aboutKey(format string) func(d *Data) string {
	return func(d *Data) string { return fmt.Sprintf(format, d.Target, d.Users[0].Nickname) }
}

func aboutKeyOf(e *stored, d *Data) { e.Subject, e.Text = userOf(d.Users[0]), d.Text }

// limitsOf names a host and its limits, with the reason where there is one.
func limitsOf(format string) func(d *Data) string {
	return func(d *Data) string {
		message := fmt.Sprintf(format, d.Target, strings.Join(d.Limits, ", "))
		if d.Text != "" {
			message += " (" + d.Text + ")"
		}
		return message
	}
}

// numbered names an object by its number and the beginning of its text.
func numbered(words string) func(d *Data) string {
	return func(d *Data) string { return fmt.Sprintf("%s #%d: %s", words, d.Number, cutForLog(d.Text)) }
}

func aboutNumber(e *stored, d *Data) { e.SubjectID = strconv.FormatInt(d.Number, 10) }

func aboutHost(e *stored, d *Data) { e.Text = d.Text }

func listed(words string) func(d *Data) string {
	return func(d *Data) string { return words + nicknames(d.Users) }
}

func paired(verb string) func(d *Data) string {
	return func(d *Data) string { return "made @" + d.Follower.Nickname + " " + verb + " @" + d.Followed.Nickname }
}

func statusChange(d *Data) string {
	var set []string
	if d.Sensitive != nil {
		set = append(set, fmt.Sprintf("sensitive: '%t'", *d.Sensitive))
	}
	if d.Visibility != nil {
		set = append(set, fmt.Sprintf("visibility: '%s'", *d.Visibility))
	}
	return fmt.Sprintf("updated status #%s, set %s", d.StatusID, strings.Join(set, ", "))
}

// reported names the reported account in a message. A deleted one is left out.
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
