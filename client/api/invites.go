package api

import "encoding/json"

// The kinds of invites, by their bounds.
const (
	InviteOneTime             = "one_time"
	InviteReusable            = "reusable"
	InviteDateLimited         = "date_limited"
	InviteReusableDateLimited = "reusable_date_limited"
)

// Invite lets people register while registration is closed. Used is true once
// it is used up or revoked, Revoked in the second case; ExpiresAt is its last day, in
// UTC: 2006-01-02.
type Invite struct {
	ID         int64   `json:"id"`
	Token      string  `json:"token"`
	Used       bool    `json:"used"`
	ExpiresAt  *string `json:"expires_at"`
	Uses       int64   `json:"uses"`
	MaxUse     *int64  `json:"max_use"`
	InviteType string  `json:"invite_type"`
	Revoked    bool    `json:"revoked,omitempty"`

	Raw json.RawMessage `json:"-"`
}

// UnmarshalJSON decodes an invite and keeps its bytes in Raw.
func (i *Invite) UnmarshalJSON(data []byte) error {
	type plain Invite
	if err := json.Unmarshal(data, (*plain)(i)); err != nil {
		return err
	}
	i.Raw = keep(data)
	return nil
}

// Invites answers GET /api/svc/admin/users/invites: all of them, by id.
type Invites struct {
	Invites List[Invite] `json:"invites"`
}

// NewInvite is the form of POST /api/svc/admin/users/invite_token. With neither
// field, the invite is for one account.
type NewInvite struct {
	MaxUse    *int64  `json:"max_use,omitempty" form:"max_use"`
	ExpiresAt *string `json:"expires_at,omitempty" form:"expires_at"` // 2006-01-02
}

// InviteToken is the form of POST /api/svc/admin/users/revoke_invite.
type InviteToken struct {
	Token string `json:"token" form:"token" binding:"required"`
}

// InviteMail is the form of POST /api/svc/admin/users/email_invite.
type InviteMail struct {
	Email string `json:"email" form:"email" binding:"required"`
	Name  string `json:"name,omitempty" form:"name"`
}

// Refusal is one of the reasons in an answer that lists them.
type Refusal struct {
	Error string `json:"error"`
}
