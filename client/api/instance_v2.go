package api

import "encoding/json"

// InstanceV2 describes the server to today's apps. Sizes are in bytes, times in seconds.
// Source of the shape: Mastodon's entity Instance.
type InstanceV2 struct {
	Domain        string                  `json:"domain" schema:"filled"`
	Title         string                  `json:"title"`
	Version       string                  `json:"version" schema:"filled"` // 4.2.0 (compatible; svc …)
	SourceURL     string                  `json:"source_url"`
	Description   string                  `json:"description"`
	Usage         InstanceUsage           `json:"usage"`
	Thumbnail     InstanceThumbnail       `json:"thumbnail"`
	Icon          List[InstanceIcon]      `json:"icon"`
	Languages     List[string]            `json:"languages" schema:"filled"`
	Configuration InstanceV2Configuration `json:"configuration"`
	Registrations InstanceRegistrations   `json:"registrations"`
	Contact       InstanceContact         `json:"contact"`
	Rules         List[Rule]              `json:"rules"`

	Raw json.RawMessage `json:"-"`
}

// UnmarshalJSON decodes a description and keeps its bytes in Raw.
func (i *InstanceV2) UnmarshalJSON(data []byte) error {
	type plain InstanceV2
	if err := json.Unmarshal(data, (*plain)(i)); err != nil {
		return err
	}
	i.Raw = keep(data)
	return nil
}

// InstanceUsage says how many of the local accounts are in use.
type InstanceUsage struct {
	Users InstanceUsers `json:"users"`
}

// InstanceUsers counts local accounts that posted or signed in within thirty days.
type InstanceUsers struct {
	ActiveMonth int64 `json:"active_month"`
}

// InstanceThumbnail is the picture of the server.
type InstanceThumbnail struct {
	URL      string   `json:"url" schema:"url"`
	Blurhash *string  `json:"blurhash" schema:"filled"`
	Versions struct{} `json:"versions"`
}

// InstanceIcon is an icon for the server among apps.
type InstanceIcon struct {
	Src  string `json:"src" schema:"url"`
	Size string `json:"size" schema:"filled"`
}

// InstanceV2Configuration is the limits of the server.
type InstanceV2Configuration struct {
	URLs              InstanceV2URLs       `json:"urls"`
	VAPID             InstanceVAPID        `json:"vapid"`
	Accounts          AccountConfiguration `json:"accounts"`
	Statuses          StatusConfiguration  `json:"statuses"`
	MediaAttachments  MediaV2Configuration `json:"media_attachments"`
	Polls             PollConfiguration    `json:"polls"`
	Translation       Switch               `json:"translation"`
	TimelinesAccess   TimelinesAccess      `json:"timelines_access"`
	LimitedFederation bool                 `json:"limited_federation"`
}

// InstanceV2URLs are addresses of the server; nil ones do not exist.
type InstanceV2URLs struct {
	Streaming      string  `json:"streaming" schema:"filled"` // ws or wss, host and port, no path
	Status         *string `json:"status" schema:"url"`
	About          *string `json:"about" schema:"url"`
	PrivacyPolicy  *string `json:"privacy_policy" schema:"url"`
	TermsOfService *string `json:"terms_of_service" schema:"url"`
}

// InstanceVAPID has the key of push messages, "" where there is none.
type InstanceVAPID struct {
	PublicKey string `json:"public_key"`
}

// AccountConfiguration limits accounts, in characters and numbers.
type AccountConfiguration struct {
	MaxFeaturedTags        int `json:"max_featured_tags"`
	MaxPinnedStatuses      int `json:"max_pinned_statuses"`
	MaxProfileFields       int `json:"max_profile_fields"`
	ProfileFieldNameLimit  int `json:"profile_field_name_limit"`
	ProfileFieldValueLimit int `json:"profile_field_value_limit"`
	MaxDisplayNameLength   int `json:"max_display_name_length"`
	MaxNoteLength          int `json:"max_note_length"`
}

// MediaV2Configuration limits uploads and their descriptions.
type MediaV2Configuration struct {
	MediaConfiguration
	DescriptionLimit int `json:"description_limit"`
}

// Switch is something that is on or off.
type Switch struct {
	Enabled bool `json:"enabled"`
}

// TimelinesAccess says who may read which feeds: public, authenticated or disabled.
type TimelinesAccess struct {
	LiveFeeds         FeedAccess `json:"live_feeds"`
	HashtagFeeds      FeedAccess `json:"hashtag_feeds"`
	TrendingLinkFeeds FeedAccess `json:"trending_link_feeds"`
}

// FeedAccess is the access to the statuses of this server, and to others.
type FeedAccess struct {
	Local  string `json:"local" schema:"enum=public authenticated disabled"`
	Remote string `json:"remote" schema:"enum=public authenticated disabled"`
}

// InstanceRegistrations says whether one may register, and how.
type InstanceRegistrations struct {
	Enabled          bool    `json:"enabled"`
	ApprovalRequired bool    `json:"approval_required"`
	ReasonRequired   bool    `json:"reason_required"`
	Message          *string `json:"message"`
	MinAge           *int    `json:"min_age"`
	URL              *string `json:"url" schema:"url"`
}

// InstanceContact is whom to ask.
type InstanceContact struct {
	Email   string   `json:"email"`
	Account *Account `json:"account"`
}
