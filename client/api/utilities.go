package api

import "encoding/json"

// ActivityWeek counts what happened on the server in a week, which begins at
// Week, in Unix seconds. All are strings.
type ActivityWeek struct {
	Week          string `json:"week"`
	Statuses      string `json:"statuses"`
	Logins        string `json:"logins"`
	Registrations string `json:"registrations"`
}

// FederationStatus tells since when servers could not be reached, by host.
type FederationStatus struct {
	Unreachable map[string]Time `json:"unreachable"`
}

// Health is how the server is doing. Memory is in MiB; jobs are counted by
// queue and state.
type Health struct {
	PoolSize      int                         `json:"pool_size"`
	Active        int                         `json:"active"`
	Idle          int                         `json:"idle"`
	MemoryUsed    float64                     `json:"memory_used"`
	Healthy       bool                        `json:"healthy"`
	JobQueueStats map[string]map[string]int64 `json:"job_queue_stats"`
}

// Preferences is what the caller wants of every client.
type Preferences struct {
	PostingVisibility string  `json:"posting:default:visibility"`
	PostingSensitive  bool    `json:"posting:default:sensitive"`
	PostingLanguage   *string `json:"posting:default:language"`
	ReadingMedia      string  `json:"reading:expand:media"`
	ReadingSpoilers   bool    `json:"reading:expand:spoilers"`
}

// WebSettings is the form of PUT /api/web/settings: an object that the web
// client alone understands.
type WebSettings struct {
	Data json.RawMessage `json:"data" form:"-" binding:"required"`
}

// SetNotificationSettings is the form of PUT /api/svc/notification_settings;
// nil leaves what there is.
type SetNotificationSettings struct {
	BlockFromStrangers       *Bool `json:"block_from_strangers,omitempty" form:"block_from_strangers"`
	HideNotificationContents *Bool `json:"hide_notification_contents,omitempty" form:"hide_notification_contents"`
}

// NewImport is the form of the imports: a list of handles, one a line or in the
// first column of CSV. It may also come as a file.
type NewImport struct {
	List string `json:"list" form:"list"`
}

// ReadNotifications is the form of POST /api/v1/svc/notifications/read: one by
// its id, or all up to one.
type ReadNotifications struct {
	ID    *Int `json:"id,omitempty" form:"id"`
	MaxID *Int `json:"max_id,omitempty" form:"max_id"`
}

// Done is the answer of an endpoint that says no more than that it did it:
// success.
type Done struct {
	Status string `json:"status"`
}

// WebFinger names an account and where to find more about it. Shape: RFC 7033.
type WebFinger struct {
	Subject string              `json:"subject"`
	Aliases List[string]        `json:"aliases"`
	Links   List[WebFingerLink] `json:"links"`
}

// WebFingerLink is one place to find more.
type WebFingerLink struct {
	Rel      string `json:"rel"`
	Type     string `json:"type,omitempty"`
	Href     string `json:"href,omitempty"`
	Template string `json:"template,omitempty"` // with {uri} for what is asked about
}
