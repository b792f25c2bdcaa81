package api

import (
	"bytes"
	"encoding/json"
)

// Account is a person, bot or group as others see it, and to its owner with
// more in Source and Svc.
type Account struct {
	ID              string        `json:"id" schema:"filled"`
	Username        string        `json:"username" schema:"filled"` // the part before @
	Acct            string        `json:"acct" schema:"filled"`     // user, or user@domain of a remote account
	DisplayName     string        `json:"display_name"`
	Locked          bool          `json:"locked"`
	Bot             bool          `json:"bot"`
	Group           bool          `json:"group"`
	Discoverable    bool          `json:"discoverable"`
	NoIndex         bool          `json:"noindex"`          // the opposite of discoverable
	Indexable       bool          `json:"indexable"`        // a search shows its statuses to others
	HideCollections bool          `json:"hide_collections"` // neither followers nor following are shown
	CreatedAt       Time          `json:"created_at"`
	Note            string        `json:"note"` // HTML
	URL             string        `json:"url" schema:"url"`
	URI             string        `json:"uri"` // the ActivityPub id
	Avatar          string        `json:"avatar" schema:"url"`
	AvatarStatic    string        `json:"avatar_static" schema:"url"`
	Header          string        `json:"header" schema:"url"`
	HeaderStatic    string        `json:"header_static" schema:"url"`
	FollowersCount  int           `json:"followers_count"`
	FollowingCount  int           `json:"following_count"`
	StatusesCount   int           `json:"statuses_count"`
	LastStatusAt    *string       `json:"last_status_at" schema:"date"` // a date, 2006-01-02
	Emojis          List[Emoji]   `json:"emojis"`
	Fields          List[Field]   `json:"fields"`
	Roles           ShownRoles    `json:"roles"` // of local accounts that show theirs
	Moved           *Account      `json:"moved"`
	FollowRequests  *int          `json:"follow_requests_count,omitempty"`             // to the owner
	Role            *OwnRole      `json:"role,omitempty"`                              // to the owner
	MuteExpiresAt   *Time         `json:"mute_expires_at,omitempty" schema:"nullable"` // in GET /api/v1/mutes, null for mutes without an end
	Source          AccountSource `json:"source"`
	Svc             AccountSvc    `json:"svc"`

	Raw json.RawMessage `json:"-"`
}

// UnmarshalJSON decodes an account and keeps its bytes in Raw.
func (a *Account) UnmarshalJSON(data []byte) error {
	type plain Account
	if err := json.Unmarshal(data, (*plain)(a)); err != nil {
		return err
	}
	a.finish(data)
	return nil
}

// finish keeps the bytes of a decoded account.
func (a *Account) finish(data []byte) {
	if a.Moved != nil {
		a.Moved.Raw = nil
	}
	a.Raw = keep(data)
}

// Role is a role that an account shows.
type Role struct {
	ID    string `json:"id" schema:"filled"`
	Name  string `json:"name"`
	Color string `json:"color"` // always ""
}

// ShownRoles is the list of an account's roles. The accounts of the admin API have an
// object in its place, Roles, which is read as an empty list.
type ShownRoles List[Role]

// MarshalJSON renders no roles as [].
func (r ShownRoles) MarshalJSON() ([]byte, error) { return json.Marshal(List[Role](r)) }

// UnmarshalJSON reads a list, and passes an object by.
func (r *ShownRoles) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte("{")) {
		return nil
	}
	return json.Unmarshal(data, (*List[Role])(r))
}

// OwnRole is the role of the caller's account; one without a role has a name of "".
type OwnRole struct {
	Role
	Permissions string `json:"permissions"` // always "0": there is no admin API of this form
	Highlighted bool   `json:"highlighted"` // others see it
}

// Field is a row of an account's profile table. Name is plain text, Value
// HTML; VerifiedAt is null, never empty, where no page links back.
type Field struct {
	Name       string `json:"name"`
	Value      string `json:"value"`
	VerifiedAt *Time  `json:"verified_at"`
}

// AccountSource is the profile as the account's owner typed it.
type AccountSource struct {
	Note            string            `json:"note"`
	Fields          List[SourceField] `json:"fields"`
	Sensitive       bool              `json:"sensitive"`
	Privacy         string            `json:"privacy" schema:"enum=public unlisted private direct local list"` // always sent: clients require it
	Language        *string           `json:"language"`
	FollowRequests  int               `json:"follow_requests_count"`
	HideCollections bool              `json:"hide_collections"`
	Discoverable    bool              `json:"discoverable"`
	Indexable       bool              `json:"indexable"`
	Svc             AccountSourceSvc  `json:"svc"`
}

// SourceField is a profile field as typed.
type SourceField struct {
	Name  string `json:"name" form:"name"`
	Value string `json:"value" form:"value"`
}

// AccountSourceSvc is the service's part of an account's source.
type AccountSourceSvc struct {
	ShowRole     *bool  `json:"show_role"`
	NoRichText   *bool  `json:"no_rich_text,omitempty"` // to the owner
	Discoverable bool   `json:"discoverable"`
	ActorType    string `json:"actor_type" schema:"filled"`
}

// AccountSvc is the service's part of an account.
type AccountSvc struct {
	APID                  *string      `json:"ap_id"`
	AlsoKnownAs           List[string] `json:"also_known_as"`
	BackgroundImage       *string      `json:"background_image" schema:"url"`
	Tags                  List[string] `json:"tags"`
	Relationship          Relationship `json:"relationship" schema:"or-empty"` // {} unless asked for
	IsAdmin               *bool        `json:"is_admin,omitempty"`             // where the role is shown
	IsModerator           *bool        `json:"is_moderator,omitempty"`         // likewise
	ConfirmationPending   bool         `json:"confirmation_pending"`
	HideFavorites         bool         `json:"hide_favorites"`
	HideFollowers         bool         `json:"hide_followers"`
	HideFollows           bool         `json:"hide_follows"`
	HideFollowersCount    bool         `json:"hide_followers_count"`
	HideFollowsCount      bool         `json:"hide_follows_count"`
	SkipThreadContainment bool         `json:"skip_thread_containment"`
	AcceptsChatMessages   *bool        `json:"accepts_chat_messages"` // null when unknown
	Favicon               *string      `json:"favicon"`

	// The rest is for the owner, Deactivated for admins. Privileges are what the
	// account may use of the admin API; admins have all, and more.
	Privileges           []Privilege           `json:"privileges,omitempty"`
	Deactivated          *bool                 `json:"deactivated,omitempty"`
	SettingsStore        json.RawMessage       `json:"settings_store,omitempty"`
	ChatToken            string                `json:"chat_token,omitempty" schema:"filled"`
	AllowFollowingMove   *bool                 `json:"allow_following_move,omitempty"`
	UnreadConversations  *int                  `json:"unread_conversation_count,omitempty"`
	UnreadNotifications  *int                  `json:"unread_notifications_count,omitempty"`
	NotificationSettings *NotificationSettings `json:"notification_settings,omitempty"`
}

// NotificationSettings selects the notifications of the owner.
type NotificationSettings struct {
	BlockFromStrangers       bool `json:"block_from_strangers"`
	HideNotificationContents bool `json:"hide_notification_contents"`
}

// Relationship is how the viewer stands to the account ID. Without an ID it
// is {} on the wire.
type Relationship struct {
	ID                  string `json:"id" schema:"filled"`
	Following           bool   `json:"following"`
	FollowedBy          bool   `json:"followed_by"`
	Blocking            bool   `json:"blocking"`
	BlockedBy           bool   `json:"blocked_by"`
	Muting              bool   `json:"muting"`
	MutingNotifications bool   `json:"muting_notifications"`
	Requested           bool   `json:"requested"`
	RequestedBy         bool   `json:"requested_by"`
	DomainBlocking      bool   `json:"domain_blocking"`
	ShowingReblogs      bool   `json:"showing_reblogs"`
	Endorsed            bool   `json:"endorsed"`
	Subscribing         bool   `json:"subscribing"`
	Notifying           bool   `json:"notifying"`
	Note                string `json:"note"` // the viewer's own
	// Languages are those of its statuses that the viewer follows; nil is all.
	Languages []string `json:"languages" schema:"filled,nullable"`
}

// MarshalJSON renders a Relationship without ID as {}.
func (r Relationship) MarshalJSON() ([]byte, error) {
	if r.ID == "" {
		return []byte("{}"), nil
	}
	type plain Relationship
	return json.Marshal(plain(r))
}

// Emoji is a custom emoji that occurs in a text as :shortcode:.
type Emoji struct {
	Shortcode       string `json:"shortcode" schema:"filled"`
	URL             string `json:"url" schema:"url"`
	StaticURL       string `json:"static_url" schema:"url"`
	VisibleInPicker bool   `json:"visible_in_picker"`
}

// NewAccount is the form of POST /api/v1/accounts. Agreement need only be
// there.
type NewAccount struct {
	Username          string `json:"username" form:"username" binding:"required"`
	Password          string `json:"password" form:"password" binding:"required"`
	Email             string `json:"email,omitempty" form:"email"`
	Agreement         *Bool  `json:"agreement,omitempty" form:"agreement" binding:"required"`
	Locale            string `json:"locale,omitempty" form:"locale"`
	Reason            string `json:"reason,omitempty" form:"reason"`
	Fullname          string `json:"fullname,omitempty" form:"fullname"`
	Bio               string `json:"bio,omitempty" form:"bio"`
	CaptchaSolution   string `json:"captcha_solution,omitempty" form:"captcha_solution"`
	CaptchaToken      string `json:"captcha_token,omitempty" form:"captcha_token"`
	CaptchaAnswerData string `json:"captcha_answer_data,omitempty" form:"captcha_answer_data"`
	Token             string `json:"token,omitempty" form:"token"` // an invite
}

// Registration answers POST /api/v1/accounts: a Token, or a Message with an
// Identifier (missing_confirmed_email, awaiting_approval,
// manual_login_required) where the account may not sign in yet.
type Registration struct {
	*Token
	Message    string `json:"message,omitempty" schema:"filled"`
	Identifier string `json:"identifier,omitempty" schema:"enum=missing_confirmed_email awaiting_approval manual_login_required"`
}

// UpdateCredentials is the form of PATCH /api/v1/accounts/update_credentials.
// An absent or null field stays as it is.
type UpdateCredentials struct {
	DisplayName           *string         `json:"display_name,omitempty" form:"display_name"`
	Avatar                *string         `json:"avatar,omitempty" form:"avatar"` // a data: URI; "" is the default picture
	Header                *string         `json:"header,omitempty" form:"header"` // likewise, as Background
	Background            *string         `json:"svc_background_image,omitempty" form:"svc_background_image"`
	Note                  *string         `json:"note,omitempty" form:"note"`
	Locked                *Bool           `json:"locked,omitempty" form:"locked"`
	Bot                   *Bool           `json:"bot,omitempty" form:"bot"`
	Discoverable          *Bool           `json:"discoverable,omitempty" form:"discoverable"`
	Indexable             *Bool           `json:"indexable,omitempty" form:"indexable"`
	FieldsAttributes      []SourceField   `json:"fields_attributes,omitzero" form:"-"` // indexed in forms
	Source                *UpdateSource   `json:"source,omitempty" form:"source"`
	NoRichText            *Bool           `json:"no_rich_text,omitempty" form:"no_rich_text"`
	HideFollowers         *Bool           `json:"hide_followers,omitempty" form:"hide_followers"`
	HideFollows           *Bool           `json:"hide_follows,omitempty" form:"hide_follows"`
	HideCollections       *Bool           `json:"hide_collections,omitempty" form:"hide_collections"` // both; the two above win
	HideFollowersCount    *Bool           `json:"hide_followers_count,omitempty" form:"hide_followers_count"`
	HideFollowsCount      *Bool           `json:"hide_follows_count,omitempty" form:"hide_follows_count"`
	HideFavorites         *Bool           `json:"hide_favorites,omitempty" form:"hide_favorites"`
	ShowRole              *Bool           `json:"show_role,omitempty" form:"show_role"`
	SkipThreadContainment *Bool           `json:"skip_thread_containment,omitempty" form:"skip_thread_containment"`
	AllowFollowingMove    *Bool           `json:"allow_following_move,omitempty" form:"allow_following_move"`
	AcceptsChatMessages   *Bool           `json:"accepts_chat_messages,omitempty" form:"accepts_chat_messages"`
	DefaultScope          *string         `json:"default_scope,omitempty" form:"default_scope" binding:"filled"`
	ActorType             *string         `json:"actor_type,omitempty" form:"actor_type" binding:"filled"` // Person or Service; wins over Bot
	SettingsStore         json.RawMessage `json:"svc_settings_store,omitempty" form:"-"`
	AlsoKnownAs           []string        `json:"also_known_as,omitzero" form:"also_known_as[]"`
}

// UpdateSource is the nested part of UpdateCredentials. Privacy wins over
// DefaultScope.
type UpdateSource struct {
	Privacy   *string `json:"privacy,omitempty" form:"source[privacy]" binding:"filled"`
	Sensitive *Bool   `json:"sensitive,omitempty" form:"source[sensitive]"`
	Language  *string `json:"language,omitempty" form:"source[language]"`
}

// AccountStatusQuery selects an account's statuses.
type AccountStatusQuery struct {
	PageQuery
	Pinned              bool     `json:"pinned,omitempty" form:"pinned"`
	Tagged              string   `json:"tagged,omitempty" form:"tagged"`
	OnlyMedia           bool     `json:"only_media,omitempty" form:"only_media"`
	ExcludeReblogs      bool     `json:"exclude_reblogs,omitempty" form:"exclude_reblogs"`
	ExcludeReplies      bool     `json:"exclude_replies,omitempty" form:"exclude_replies"`
	ExcludeVisibilities []string `json:"exclude_visibilities,omitempty" form:"exclude_visibilities[]"`
	WithMuted           bool     `json:"with_muted,omitempty" form:"with_muted"`
}

// AccountQuery selects a page of followers, following, blocks or mutes, which
// go by account id.
type AccountQuery struct {
	PageQuery
	WithRelationships bool `json:"with_relationships,omitempty" form:"with_relationships"`
}

// AccountLookup is the query of GET /api/v1/accounts/lookup: a handle, with or without @
// before it and the own host behind it.
type AccountLookup struct {
	Acct string `json:"acct" form:"acct"`
}

// AccountsByID is the query of GET /api/v1/accounts, of which the first 100 count.
type AccountsByID struct {
	ID []string `json:"id" form:"id[]"`
}

// FamiliarFollowers are the accounts that the caller follows and that follow the account
// ID, at most 40.
type FamiliarFollowers struct {
	ID       string        `json:"id" schema:"filled"`
	Accounts List[Account] `json:"accounts"`
}

// AccountNote is the form of POST /api/v1/accounts/:id/note. An empty comment removes
// the note.
type AccountNote struct {
	Comment string `json:"comment" form:"comment"`
}

// AccountSearchQuery selects accounts by name; Limit 0 is 40.
type AccountSearchQuery struct {
	Q         string `json:"q" form:"q"`
	Limit     int    `json:"limit,omitempty" form:"limit"`
	Offset    int    `json:"offset,omitempty" form:"offset"`
	Resolve   bool   `json:"resolve,omitempty" form:"resolve"`
	Following bool   `json:"following,omitempty" form:"following"`
}

// Follow is the form of POST /api/v1/accounts/:id/follow. What is absent stays, and in a
// new follow Reblogs is true. Notify notifies of the account's posts. Languages are codes
// of ISO 639-1, of which the timelines show the account's own posts; [] is all.
type Follow struct {
	Reblogs   *Bool    `json:"reblogs,omitempty" form:"reblogs"`
	Notify    *Bool    `json:"notify,omitempty" form:"notify"`
	Languages []string `json:"languages,omitzero" form:"languages[]"`
}

// Mute is the form of POST /api/v1/accounts/:id/mute. Notifications absent is
// true; ExpiresIn is in seconds, 0 is forever, and Duration is its other name.
type Mute struct {
	Notifications *Bool `json:"notifications,omitempty" form:"notifications"`
	ExpiresIn     Int   `json:"expires_in,omitempty" form:"expires_in"`
	Duration      Int   `json:"duration,omitempty" form:"duration"`
}

// AccountIDs names accounts.
type AccountIDs struct {
	ID []string `json:"id" form:"id[]"`
}

// FollowURI is the form of POST /api/v1/follows: a handle.
type FollowURI struct {
	URI string `json:"uri" form:"uri" binding:"required"`
}
