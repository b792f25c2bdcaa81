package api

import "encoding/json"

// Preferences is the caller's settings for all clients.
type Preferences struct {
	PostingVisibility string  `json:"posting:default:visibility" schema:"filled"`
	PostingSensitive  bool    `json:"posting:default:sensitive"`
	PostingLanguage   *string `json:"posting:default:language" schema:"filled"`
	ReadingMedia      string  `json:"reading:expand:media" schema:"filled"`
	ReadingSpoilers   bool    `json:"reading:expand:spoilers"`
}

// WebSettings is the form of PUT /api/web/settings: an object that the web
// client alone understands.
type WebSettings struct {
	Data json.RawMessage `json:"data" form:"-" binding:"required"`
}

// SetNotificationSettings is the form of PUT /api/svc/notification_settings;
// nil keeps a setting.
type SetNotificationSettings struct {
	BlockFromStrangers       *Bool `json:"block_from_strangers,omitempty" form:"block_from_strangers"`
	HideNotificationContents *Bool `json:"hide_notification_contents,omitempty" form:"hide_notification_contents"`
}
