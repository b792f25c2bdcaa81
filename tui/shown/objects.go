// Package shown holds the objects of the terminal UI, and is the only way from
// the wire to them. Text of strangers is safe.Safe from here on. Ids and
// nicknames are kept as they came, for requests, and never drawn.
package shown

import (
	"fmt"
	"path"
	"strings"
	"time"

	"golang.org/x/net/idna"

	"svc/client/action"
	"svc/client/api"
	"svc/client/evidence"
	"svc/client/safe"
)

// Person is an account. Name, Bio and the like may be in any script; Acct is
// for columns.
type Person struct {
	ID          string
	Nick        string
	Acct        safe.Safe // nick or nick@host, in ASCII
	Name        safe.Safe
	Bio         safe.Safe
	Tags        safe.Safe
	Reason      safe.Safe // for registering
	Roles       string
	Domain      string
	Joined      time.Time
	Followers   int
	Posts       int
	LastPost    time.Time         // zero for none, or from a server that does not say
	Reports     *api.ReportCounts // about them, nil where they may not be told
	Local       bool
	Deactivated bool
	Pending     bool // awaits approval
	Unconfirmed bool
	Deleted     bool   // for good; a remote one stays away until it is activated
	State       string // the gravest of what it is: rejected, pending; "" for active
	Gone        bool
	Listed      bool    // from the list of users, which has neither followers nor bio
	Signup      *Signup // while Pending, as far as the account may be told
}

// Signup is what a decision about a pending account needs beside the account.
type Signup struct {
	At            time.Time
	Mail          safe.Safe
	Address       string // whether somebody confirmed the address, in a word
	Invite        string
	Domain        string // of the address, as it came; "" for none
	Others        string // with an address of that domain: "3", "100+, blocked"
	DomainBlocked bool
}

// Post is a status.
type Post struct {
	ID         string
	At         time.Time
	CW         safe.Safe
	Text       safe.Safe
	Media      []Medium
	Visibility string
	Sensitive  bool
	Deleted    bool
	DeletedBy  safe.Safe // "author", "moderator bea", "server", "account"; empty if it was deleted here
	Reported   safe.Safe // all of it as it was reported, if it was edited since
	Replies    int
	Reblogs    int
	URL        string
}

// Medium is an attachment, of which only the kind is ever shown.
type Medium struct {
	Kind safe.Safe
	Alt  safe.Safe
	URL  string
}

// Hides reports whether the text stands behind a warning.
func (p Post) Hides() bool { return p.CW.String() != "" && p.Text.String() != "" }

// Beginning is the first words of the post on one line, or its warning, or what it is of.
func (p Post) Beginning() string {
	const most = 120
	text := p.Text.OneLine().String()
	switch {
	case p.Hides():
		text = "CW: " + p.CW.OneLine().String()
	case text == "" && len(p.Media) > 0:
		text = "[" + p.Media[0].Kind.String() + "]"
	case text == "":
		text = "(no text)"
	}
	return safe.Truncate(text, most, "")
}

// Label names a medium, which is never fetched, and the key that tells more.
func (m Medium) Label(key string) string {
	text := "[" + m.Kind.String()
	if m.Alt.String() != "" {
		const width = 40
		text += ", alt \"" + safe.Truncate(m.Alt.String(), width, "~") + "\""
	}
	return text + " hidden: " + key + "]"
}

// Note is a moderator's note under a report.
type Note struct {
	By   safe.Safe
	At   time.Time
	Text safe.Safe
}

// Report is a report with all there is to judge it by: By reported About.
type Report struct {
	ID    string
	State string
	At    time.Time
	About Person
	By    Person
	Text  safe.Safe
	// Category is "" for other, and Rules are those that By named.
	Category safe.Safe
	Rules    []safe.Safe
	Posts    []Post
	Notes    []Note
	// Was is the account as it was, if it shows something else now.
	Was   safe.Safe
	Noted bool // the answer carries notes, if there are any
	// Reports about the same account, this one among them.
	Counts Counts
}

// NewReport converts a report and all in it.
func NewReport(r api.AdminReport) *Report {
	out := &Report{
		ID: r.ID, State: r.State, At: r.CreatedAt.Time,
		About: NewPerson(r.Account), By: NewPerson(r.Actor), Counts: NewCounts(r.Svc.ReportsAbout),
	}
	if r.Content != nil {
		out.Text = safe.HTML(*r.Content)
	}
	if was := r.Svc.ReportedAccount; was != nil {
		out.Was = safe.Clean(safe.Raw(evidence.Profile(was)))
	}
	if r.Category != api.CategoryOther {
		out.Category = safe.Clean(safe.Raw(r.Category)).OneLine()
	}
	for _, rule := range r.Rules {
		out.Rules = append(out.Rules, safe.Clean(safe.Raw(rule.Text)).OneLine())
	}
	for _, s := range r.Statuses {
		out.Posts = append(out.Posts, NewPost(s))
	}
	out.Noted = r.Notes != nil
	for _, n := range r.Notes {
		out.Notes = append(out.Notes, Note{By: Acct(n.User.Nickname), At: n.CreatedAt.Time, Text: safe.Clean(safe.Raw(n.Content))})
	}
	return out
}

// NewPerson converts an account of a report or note; a deleted one has Gone
// alone.
func NewPerson(m api.MergedAccount) Person {
	if m.ID == "" {
		return Person{Acct: safe.Own("(gone)"), Gone: true}
	}
	p := userPerson(m.UserPart)
	p.ID = m.ID
	p.Joined, p.Followers, p.Posts = m.CreatedAt.Time, m.FollowersCount, m.StatusesCount
	p.Bio = safe.HTML(m.Note)
	return p
}

// NewUser converts an account of the user list, which lacks the public half:
// dates, counts and bio stay empty.
func NewUser(u api.AdminUser) *Person {
	p := userPerson(u.UserPart)
	p.ID, p.Deleted, p.Reports, p.Listed = u.AccountID, u.DeletedAt != nil, u.ReportsAbout, true
	if states := action.UserStates(u.UserPart, p.Deleted); len(states) > 0 {
		p.State = states[0]
	}
	if u.CreatedAt != nil {
		p.Joined = u.CreatedAt.Time
	}
	if u.Statuses != nil {
		p.Posts = *u.Statuses
	}
	if u.LastStatusAt != nil {
		p.LastPost = u.LastStatusAt.Time
	}
	if s := u.Signup; s != nil {
		p.Signup = &Signup{
			Address: action.AddressState(u), Invite: action.InviteOf(u), Domain: s.MailDomain, DomainBlocked: s.MailDomainBlocked,
			Others: strings.ReplaceAll(action.SameDomain(u), ",", ", "),
		}
		if u.CreatedAt != nil {
			p.Signup.At = u.CreatedAt.Time
		}
		if u.Email != nil {
			p.Signup.Mail = safe.Clean(safe.Raw(*u.Email)).OneLine()
		}
	}
	return &p
}

func userPerson(u api.UserPart) Person {
	p := Person{
		ID: u.AccountID, Nick: u.Nickname, Acct: Acct(u.Nickname),
		Name: safe.Clean(safe.Raw(u.DisplayName)).OneLine(), Tags: safe.Clean(safe.Raw(strings.Join(u.Tags, ", "))).OneLine(),
		Local: u.Local, Deactivated: u.Deactivated, Pending: u.ApprovalPending, Unconfirmed: u.ConfirmationPending,
	}
	if _, host, remote := strings.Cut(u.Nickname, "@"); remote {
		p.Domain = strings.ToLower(host)
	}
	switch {
	case u.Roles.Admin:
		p.Roles = "admin"
	case u.Roles.Moderator:
		p.Roles = "moderator"
	}
	if u.RegistrationReason != nil {
		p.Reason = safe.Clean(safe.Raw(*u.RegistrationReason))
	}
	return p
}

// Acct writes a nickname with fixed-width characters only: hosts in
// punycode, other foreign characters by their number.
func Acct(acct string) safe.Safe {
	nick, host, remote := strings.Cut(acct, "@")
	if remote {
		if puny, err := idna.ToASCII(host); err == nil {
			host = puny
		}
		nick += "@" + host
	}
	var b strings.Builder
	for _, r := range safe.Line(nick) {
		if r < 0x7f {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "<U+%04X>", r)
		}
	}
	return safe.Clean(safe.Raw(b.String()))
}

// NewPost converts a status.
func NewPost(s api.Status) Post {
	p := Post{
		ID: s.ID, At: s.CreatedAt.Time, CW: safe.Clean(safe.Raw(s.SpoilerText)).OneLine(),
		Visibility: s.Visibility, Sensitive: s.Sensitive, Replies: s.RepliesCount, Reblogs: s.ReblogsCount, URL: s.URL,
	}
	// The server's plain text has lost the targets of links; it serves where
	// there are none.
	if plain := s.Svc.Content.Plain; plain != "" && !strings.Contains(s.Content, "<a") {
		p.Text = safe.Clean(safe.Raw(plain))
	} else {
		p.Text = safe.HTMLNaming(s.Content, names(s))
	}
	if gone := s.Svc.Deleted; gone != nil {
		p.Deleted, p.DeletedBy = true, deletedBy(gone)
	}
	if poll := evidence.Poll(&s); poll != "" {
		p.Text = safe.Clean(safe.Raw(strings.TrimSpace(p.Text.String() + "\n" + poll)))
	}
	if was := s.Svc.Reported; was != nil {
		p.Reported = safe.Clean(safe.Raw(evidence.Post(was)))
	}
	for _, a := range s.MediaAttachments {
		p.Media = append(p.Media, newMedium(a))
	}
	return p
}

func deletedBy(d *api.StatusDeletion) safe.Safe {
	by := safe.Clean(safe.Raw(d.By)).OneLine()
	if d.Nickname != "" {
		by = safe.Clean(safe.Raw(d.By + " " + d.Nickname)).OneLine()
	}
	return by
}

// names maps the links of a status to the accounts and hashtags that the server
// gives for them.
func names(s api.Status) map[string]string {
	out := make(map[string]string, len(s.Mentions)+len(s.Tags))
	for _, m := range s.Mentions {
		out[m.URL] = "@" + m.Acct
	}
	for _, t := range s.Tags {
		out[t.URL] = "#" + t.Name
	}
	return out
}

func newMedium(a api.Attachment) Medium {
	kind := a.Svc.MimeType
	if kind == "" {
		kind = a.Type
		if ext := strings.TrimPrefix(path.Ext(a.URL), "."); ext != "" && len(ext) <= 4 {
			kind += "/" + ext
		}
	}
	m := Medium{Kind: safe.Clean(safe.Raw(kind)).OneLine(), URL: a.URL}
	if a.Description != nil {
		m.Alt = safe.Clean(safe.Raw(*a.Description)).OneLine()
	}
	return m
}

// ShortID is the end of an id, enough to tell neighbours apart: ids begin with
// the time, which is the same for them.
func ShortID(id string) string {
	const length = 5
	text := []rune(safe.Line(id))
	return safe.Truncate(string(text[max(0, len(text)-length):]), length, "")
}
