package api

import (
	"bytes"
	"encoding/json"
)

// UserPart is any account, local or remote, as admins see it. AccountID is
// the flake; DisplayName has no tags; Tags are the moderators'.
type UserPart struct {
	AccountID           string       `json:"account_id"`
	Nickname            string       `json:"nickname"` // remote: with @host
	Email               *string      `json:"email"`
	Avatar              string       `json:"avatar"`
	DisplayName         string       `json:"display_name"`
	Deactivated         bool         `json:"deactivated"`
	Local               bool         `json:"local"`
	ConfirmationPending bool         `json:"confirmation_pending"`
	ApprovalPending     bool         `json:"approval_pending"`
	Roles               Roles        `json:"roles"`
	Tags                List[string] `json:"tags"`
	URL                 string       `json:"url"`
	RegistrationReason  *string      `json:"registration_reason"`
	ActorType           string       `json:"actor_type"`
}

// Roles says which permission groups an account is in.
type Roles struct {
	Admin     bool `json:"admin"`
	Moderator bool `json:"moderator"`
}

// UnmarshalJSON reads an object, and passes by the list that accounts of the client API
// have in its place.
func (r *Roles) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte("[")) {
		return nil
	}
	type plain Roles
	return json.Unmarshal(data, (*plain)(r))
}

// AdminUser is an account in the user list. ID is the account's serial number,
// an integer.
//
// CreatedAt is when it registered here, or as its server says. DeletedAt is when a
// deactivated account was deleted for good; a remote one stays away until it is
// activated. Statuses is how many posts it has, as far as they are known here, and
// LastStatusAt when it posted last. ReportsAbout are there for who may read reports, but
// not while the account awaits approval.
// Signup is there while ApprovalPending.
type AdminUser struct {
	ID int64 `json:"id"`
	UserPart
	CreatedAt    *Time         `json:"created_at,omitempty"`
	DeletedAt    *Time         `json:"deleted_at,omitempty"`
	Statuses     *int          `json:"statuses_count,omitempty"`
	LastStatusAt *Time         `json:"last_status_at,omitempty"`
	ReportsAbout *ReportCounts `json:"reports_about,omitempty"`
	Signup       *Signup       `json:"signup,omitempty"`

	Raw json.RawMessage `json:"-"`
}

// MaxMailDomainUsers is the highest MailDomainUsers of a Signup.
const MaxMailDomainUsers = 100

// Signup is what a decision about a pending account needs beside the account.
//
// EmailConfirmedAt is null while nobody opened the mailed link; servers that do not
// require it mail none. InviteID is that of the invite they registered with, null for
// none. MailDomain is the domain of the address, "" without one; MailDomainUsers counts
// the other users with an address of that domain, up to MaxMailDomainUsers.
type Signup struct {
	EmailConfirmedAt  *Time  `json:"email_confirmed_at"`
	InviteID          *int64 `json:"invite_id"`
	MailDomain        string `json:"mail_domain"`
	MailDomainBlocked bool   `json:"mail_domain_blocked"`
	MailDomainUsers   int    `json:"mail_domain_users"`
}

// UnmarshalJSON decodes a user and keeps its bytes in Raw.
func (u *AdminUser) UnmarshalJSON(data []byte) error {
	type plain AdminUser
	if err := json.Unmarshal(data, (*plain)(u)); err != nil {
		return err
	}
	u.Raw = keep(data)
	return nil
}

// PublicAccount sets an Account one step deeper, so that names of UserPart win
// in a MergedAccount.
type PublicAccount struct{ Account }

// MergedAccount is an account in reports, notes and admin status lists: the
// public account and all of UserPart at top level, where UserPart's avatar,
// display_name and url win and id stays the account's flake. Without ID, that
// is for an account that is gone, it is {}.
type MergedAccount struct {
	PublicAccount
	UserPart
}

// MarshalJSON renders the merged account, or {} without an ID.
func (m MergedAccount) MarshalJSON() ([]byte, error) {
	if m.ID == "" {
		return []byte("{}"), nil
	}
	type plain MergedAccount
	return json.Marshal(plain(m))
}

// UnmarshalJSON decodes both parts from the one object, in one pass: lists have
// many accounts.
func (m *MergedAccount) UnmarshalJSON(data []byte) error {
	type (
		plain  Account
		deeper struct{ *plain }
	)
	both := struct {
		deeper
		*UserPart
	}{deeper{(*plain)(&m.Account)}, &m.UserPart}
	if err := json.Unmarshal(data, &both); err != nil {
		return err
	}
	// These are in both parts.
	m.Account.Avatar, m.Account.DisplayName, m.Account.URL = m.Avatar, m.DisplayName, m.URL
	m.finish(data)
	return nil
}

// UserList answers GET /api/svc/admin/users: a page by nickname, and the
// number of all matches.
type UserList struct {
	Users    List[AdminUser] `json:"users"`
	Count    int             `json:"count"`
	PageSize int             `json:"page_size"`
}

// Users answers a change of several users, in the order of the request.
type Users struct {
	Users List[AdminUser] `json:"users"`
}

// UserMove is the form of POST /api/svc/admin/users/:nickname/move. Target is a
// handle or an ActivityPub id.
type UserMove struct {
	Target string `json:"target" form:"target" binding:"required"`
}

// Nicknames is the form of requests about several users.
type Nicknames struct {
	Nicknames []string `json:"nicknames" form:"nicknames[]"`
}

// DeletedUsers is the form of DELETE /api/svc/admin/users. Nickname names one, which is
// then answered as a text.
type DeletedUsers struct {
	Nicknames []string `json:"nicknames,omitempty" form:"nicknames[]"`
	Nickname  string   `json:"nickname,omitempty" form:"nickname"`
}

// Rejection is the form of PATCH /api/svc/admin/users/reject. Message is mailed to each
// of them; without one nobody is mailed.
type Rejection struct {
	Nicknames []string `json:"nicknames" form:"nicknames[]"`
	Message   string   `json:"message,omitempty" form:"message"`
}

// MailDomains is mail domains that nobody may sign up with: the answer and the form of
// /api/svc/admin/mail_domains.
type MailDomains struct {
	Domains List[string] `json:"domains" form:"domains[]"`
}

// UserQuery selects a page of users; its conditions are ANDed. Query is part
// of a nickname, Name of a display name, Email the whole address, MailDomain its
// domain; Filters are joined by commas: local, external, active, deactivated, need_approval,
// unconfirmed, is_admin, is_moderator. Page counts from 1; PageSize 0 is 50.
type UserQuery struct {
	Query      string   `json:"query,omitempty" form:"query"`
	Filters    string   `json:"filters,omitempty" form:"filters"`
	Tags       []string `json:"tags,omitempty" form:"tags[]"`
	ActorTypes []string `json:"actor_types,omitempty" form:"actor_types[]"`
	Name       string   `json:"name,omitempty" form:"name"`
	Email      string   `json:"email,omitempty" form:"email"`
	MailDomain string   `json:"mail_domain,omitempty" form:"mail_domain"`
	Page       int      `json:"page,omitempty" form:"page"`
	PageSize   int      `json:"page_size,omitempty" form:"page_size"`
}

// NewUser is a local user to be made by an admin.
type NewUser struct {
	Nickname string `json:"nickname"`
	Email    string `json:"email"`
	Password string `json:"password"`
}

// NewUsers is the form of POST /api/svc/admin/users.
type NewUsers struct {
	Users []NewUser `json:"users"`
}

// The types of UserResult.
const (
	UserMade    = "success"
	UserRefused = "error"
)

// UserResult is the result of one NewUser. Type and Code are UserMade and 200,
// or UserRefused and 409: then no user was created, and Error is the first
// fault of this one, "" for none.
type UserResult struct {
	Type  string    `json:"type"`
	Code  int       `json:"code"`
	Error *string   `json:"error,omitempty"`
	Data  NamedUser `json:"data"`
}

// NamedUser identifies the user of a result.
type NamedUser struct {
	Nickname string `json:"nickname"`
	Email    string `json:"email"`
}

// Nickname is the form of requests about one user.
type Nickname struct {
	Nickname string `json:"nickname"`
}

// FollowPair is the form of a forced follow, both by nickname.
type FollowPair struct {
	Follower string `json:"follower"`
	Followed string `json:"followed"`
}

// PasswordReset is a link to choose a new password, and the token in it.
type PasswordReset struct {
	Token string `json:"token"`
	Link  string `json:"link"`
}
