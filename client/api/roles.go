package api

import "encoding/json"

// The permission groups.
const (
	RoleAdmin     = "admin"
	RoleModerator = "moderator"
)

// Membership says which permission groups an account is in.
type Membership struct {
	IsModerator bool `json:"is_moderator"`
	IsAdmin     bool `json:"is_admin"`
}

// MemberUser answers a change of one user's permission groups: the user, and
// their groups now.
type MemberUser struct {
	AdminUser
	Membership
}

// UnmarshalJSON decodes both parts from the one object.
func (m *MemberUser) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, &m.AdminUser); err != nil {
		return err
	}
	return json.Unmarshal(data, &m.Membership)
}

// RoleChange answers a change of permission groups for several users, in the
// order of the request: of IsAdmin and IsModerator, the one that was changed.
// It is decoded from the answer for one user, too.
type RoleChange struct {
	IsAdmin     *bool           `json:"is_admin,omitempty"`
	IsModerator *bool           `json:"is_moderator,omitempty"`
	Users       List[AdminUser] `json:"users"`
}

// UnmarshalJSON decodes the answer for several users or for one.
func (r *RoleChange) UnmarshalJSON(data []byte) error {
	type plain RoleChange
	if err := json.Unmarshal(data, (*plain)(r)); err != nil || r.Users != nil {
		return err
	}
	var one AdminUser
	if err := json.Unmarshal(data, &one); err != nil {
		return err
	}
	r.Users = List[AdminUser]{one}
	return nil
}

// UserTags is the form of requests that tag users, or take tags from them.
type UserTags struct {
	Nicknames []string `json:"nicknames" form:"nicknames[]"`
	Tags      []string `json:"tags" form:"tags[]"`
}
