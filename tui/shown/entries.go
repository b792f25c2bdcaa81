package shown

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"svc/client/api"
	"svc/client/safe"
)

// Entry is a line of the moderation log.
type Entry struct {
	Key     string // sorts bytewise like the log, newest last
	At      time.Time
	Actor   string
	Action  string
	Message safe.Safe // as the server words it
	What    safe.Safe // without the actor, and with the outcome first
	// The objects of the entry, as far as screens need them.
	Report string
	State  string
	Status string
	Users  []string
}

// NewEntry converts a line of the log.
func NewEntry(e api.LogEntry) Entry {
	out := Entry{
		Key: fmt.Sprintf("%020d", e.ID), At: time.Unix(e.Time, 0).UTC(), Actor: Acct(e.Data.Actor.Nickname).String(),
		Action: safe.Line(e.Data.Action), Message: safe.Clean(safe.Raw(e.Message)).OneLine(), Status: e.Data.SubjectID,
	}
	if e.ID == 0 { // some servers number nothing
		out.Key = fmt.Sprintf("%020d %s", e.Time, e.Message)
	}
	var about api.LogSubject
	var users []api.LogUser
	if json.Unmarshal(e.Data.Subject, &users) == nil {
		for _, u := range users {
			out.Users = append(out.Users, u.Nickname)
		}
	} else if json.Unmarshal(e.Data.Subject, &about) == nil {
		switch about.Type {
		case "report":
			out.Report, out.State = about.ID, about.State
		case "status":
			out.Status = about.ID
		}
	}
	for _, u := range e.Data.Subjects {
		out.Users = append(out.Users, u.Nickname)
	}
	for _, u := range []*api.LogUser{e.Data.Follower, e.Data.Followed} {
		if u != nil {
			out.Users = append(out.Users, u.Nickname)
		}
	}
	out.Users = append(out.Users, e.Data.Nicknames...)
	out.What = safe.Clean(safe.Raw(out.worded(e))).OneLine()
	return out
}

// changes are the words for actions on accounts that the entry lists.
var changes = map[string]string{
	"activate": "activated", "deactivate": "deactivated", "delete": "deleted", "approve": "approved", "reject": "rejected", "updated_users": "changed",
	"force_password_reset": "asked for a new password of", "logout": "ended the log-ins of", "confirm_email": "confirmed the address of",
	"move_cancel":               "took back the move of",
	"resend_confirmation_email": "mailed another link to",
}

// worded is the entry with the outcome first, so that a short line has it: what
// was done, to which object, and who was reported. Entries that lack that keep
// the words of the server.
func (out *Entry) worded(e api.LogEntry) string {
	d := e.Data
	about := ""
	if d.SubjectActor != nil && d.SubjectActor.Nickname != "" {
		about = " about " + Acct(d.SubjectActor.Nickname).String()
	}
	switch word := changes[d.Action]; {
	case d.Action == "report_update" && out.Report != "" && out.State != "":
		word := out.State
		if word == "open" {
			word = "reopened"
		}
		return word + " " + ShortID(out.Report) + about
	case d.Action == "report_create" && out.Report != "":
		return "filed " + ShortID(out.Report) + about
	case d.Action == "report_note" && out.Report != "":
		return "note on " + ShortID(out.Report) + about + ": " + d.Text
	case d.Action == "report_note_delete" && out.Report != "":
		return "note deleted on " + ShortID(out.Report) + about + ": " + d.Text
	case d.Action == "status_delete" && out.Status != "":
		return "deleted status " + ShortID(out.Status)
	case d.Action == "status_update" && out.Status != "":
		var set []string
		switch {
		case d.Sensitive == nil:
		case *d.Sensitive:
			set = append(set, "sensitive")
		default:
			set = append(set, "not sensitive")
		}
		if d.Visibility != "" {
			set = append(set, d.Visibility)
		}
		if len(set) > 0 {
			return "set " + strings.Join(set, ", ") + " on status " + ShortID(out.Status)
		}
	case word != "" && len(out.Users) > 0:
		return word + " " + accts(out.Users)
	case d.Action == "grant" && d.Permission != "" && len(out.Users) > 0:
		return "made " + accts(out.Users) + " " + d.Permission
	case d.Action == "revoke" && d.Permission != "" && len(out.Users) > 0:
		return "took " + d.Permission + " from " + accts(out.Users)
	case d.Action == "tag" && len(d.Nicknames) > 0:
		return "tagged " + accts(d.Nicknames) + ": " + strings.Join(d.Tags, ", ")
	case d.Action == "untag" && len(d.Nicknames) > 0:
		return "untagged " + accts(d.Nicknames) + ": " + strings.Join(d.Tags, ", ")
	}
	return strings.TrimPrefix(e.Message, "@"+d.Actor.Nickname+" ")
}

// accts are nicknames for a line.
func accts(nicks []string) string {
	names := make([]string, len(nicks))
	for i, nick := range nicks {
		names[i] = Acct(nick).String()
	}
	return strings.Join(names, ", ")
}
