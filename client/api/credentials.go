package api

import "encoding/json"

// Credentials are an account's profile and settings as admins see them. Bio and
// the values of Fields are HTML; Email is null without an address.
type Credentials struct {
	ActorType             string                 `json:"actor_type"`
	AllowFollowingMove    bool                   `json:"allow_following_move"`
	Avatar                string                 `json:"avatar"`
	Background            *string                `json:"background"`
	Banner                string                 `json:"banner"`
	Bio                   string                 `json:"bio"`
	DefaultScope          string                 `json:"default_scope"`
	Discoverable          bool                   `json:"discoverable"`
	Email                 *string                `json:"email"`
	Fields                List[CredentialsField] `json:"fields"`
	HideFavorites         bool                   `json:"hide_favorites"`
	HideFollowers         bool                   `json:"hide_followers"`
	HideFollowersCount    bool                   `json:"hide_followers_count"`
	HideFollows           bool                   `json:"hide_follows"`
	HideFollowsCount      bool                   `json:"hide_follows_count"`
	ID                    string                 `json:"id"`
	Locked                bool                   `json:"locked"`
	Name                  string                 `json:"name"`
	NoRichText            bool                   `json:"no_rich_text"`
	SettingsStore         json.RawMessage        `json:"svc_settings_store"`
	RawFields             List[RawField]         `json:"raw_fields"`
	ShowRole              bool                   `json:"show_role"`
	SkipThreadContainment bool                   `json:"skip_thread_containment"`

	Raw json.RawMessage `json:"-"`
}

// UnmarshalJSON decodes credentials and keeps its bytes in Raw.
func (c *Credentials) UnmarshalJSON(data []byte) error {
	type plain Credentials
	if err := json.Unmarshal(data, (*plain)(c)); err != nil {
		return err
	}
	c.Raw = keep(data)
	return nil
}

// CredentialsField is a line of a profile's table as it is shown.
type CredentialsField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// RawField is a line of a profile's table as it was typed, numbered from 1.
type RawField struct {
	ID    int    `json:"id"`
	Name  string `json:"name"`
	Value string `json:"value"`
}

// CredentialsUpdate is the form of PATCH
// /api/svc/admin/users/:nickname/credentials. An absent field stays as it is. Of
// the pictures "" is the default one; new ones are sent as files. A Password
// ends all that the user was signed in with, and they must choose another one
// before they can sign in again.
type CredentialsUpdate struct {
	Email                 *string       `json:"email,omitempty" form:"email"`
	Password              *string       `json:"password,omitempty" form:"password"`
	Name                  *string       `json:"name,omitempty" form:"name"`
	Bio                   *string       `json:"bio,omitempty" form:"bio"`
	Avatar                *string       `json:"avatar,omitempty" form:"avatar"`
	Banner                *string       `json:"banner,omitempty" form:"banner"`
	Background            *string       `json:"background,omitempty" form:"background"`
	Locked                *bool         `json:"locked,omitempty" form:"locked"`
	IsLocked              *bool         `json:"is_locked,omitempty" form:"is_locked"`             // another name of it
	IsDiscoverable        *bool         `json:"is_discoverable,omitempty" form:"is_discoverable"` // of Discoverable
	NoRichText            *bool         `json:"no_rich_text,omitempty" form:"no_rich_text"`
	DefaultScope          *string       `json:"default_scope,omitempty" form:"default_scope"`
	HideFollows           *bool         `json:"hide_follows,omitempty" form:"hide_follows"`
	HideFollowers         *bool         `json:"hide_followers,omitempty" form:"hide_followers"`
	HideFollowersCount    *bool         `json:"hide_followers_count,omitempty" form:"hide_followers_count"`
	HideFollowsCount      *bool         `json:"hide_follows_count,omitempty" form:"hide_follows_count"`
	HideFavorites         *bool         `json:"hide_favorites,omitempty" form:"hide_favorites"`
	AllowFollowingMove    *bool         `json:"allow_following_move,omitempty" form:"allow_following_move"`
	ShowRole              *bool         `json:"show_role,omitempty" form:"show_role"`
	SkipThreadContainment *bool         `json:"skip_thread_containment,omitempty" form:"skip_thread_containment"`
	Discoverable          *bool         `json:"discoverable,omitempty" form:"discoverable"`
	ActorType             *string       `json:"actor_type,omitempty" form:"actor_type"` // Person, Service
	Fields                []SourceField `json:"fields,omitzero" form:"-"`               // empty, not nil, for none
}
