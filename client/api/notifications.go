package api

import "encoding/json"

// Notification tells its receiver of an act of Account. Its id is an integer
// printed as a string. Type is mention, follow, follow_request, reblog,
// favourite, update, poll, status, move (with Target), svc:emoji_reaction (with Emoji),
// svc:chat_mention (with ChatMessage), svc:report (with Report), admin.report (with the
// report as a type Report, in Raw) or admin.sign_up.
type Notification struct {
	ID        string   `json:"id" schema:"filled"`
	Type      string   `json:"type" schema:"enum=mention status reblog follow follow_request favourite poll update move admin.sign_up admin.report svc:emoji_reaction svc:chat_mention svc:report,named"`
	CreatedAt Time     `json:"created_at"`
	Account   *Account `json:"account" schema:"notnull"`
	Status    *Status  `json:"status"`
	Target    *Account `json:"target,omitempty"`
	Emoji     string   `json:"emoji,omitempty" schema:"filled"`
	// ChatMessage is the message of svc:chat_mention.
	ChatMessage *ChatMessage    `json:"chat_message,omitempty"`
	Report      *AdminReport    `json:"report,omitempty" schema:"or=Report"`
	Svc         NotificationSvc `json:"svc"`

	Raw json.RawMessage `json:"-"`
}

// NotificationSvc is the service's part of a notification.
type NotificationSvc struct {
	IsSeen  bool `json:"is_seen"`
	IsMuted bool `json:"is_muted"`
}

// UnmarshalJSON decodes a notification and keeps its bytes in Raw.
func (n *Notification) UnmarshalJSON(data []byte) error {
	type plain Notification
	if err := json.Unmarshal(data, (*plain)(n)); err != nil {
		return err
	}
	for _, a := range []*Account{n.Account, n.Target} {
		if a != nil {
			a.Raw = nil
		}
	}
	if n.Status != nil {
		n.Status.Raw = nil
	}
	if n.Report != nil {
		n.Report.Raw = nil
	}
	n.Raw = keep(data)
	return nil
}

// NotificationQuery selects a page of the caller's notifications. Types is
// another name of IncludeTypes.
type NotificationQuery struct {
	PageQuery
	ExcludeTypes        []string `json:"exclude_types,omitempty" form:"exclude_types[]" schema:"named"`
	IncludeTypes        []string `json:"include_types,omitempty" form:"include_types[]" schema:"named"`
	Types               []string `json:"types,omitempty" form:"types[]" schema:"named"`
	AccountID           string   `json:"account_id,omitempty" form:"account_id"`
	ExcludeVisibilities []string `json:"exclude_visibilities,omitempty" form:"exclude_visibilities[]"`
	WithMuted           bool     `json:"with_muted,omitempty" form:"with_muted"`
}

// UnreadQuery selects the unread notifications to be counted, up to Limit. Types is
// another name of IncludeTypes.
type UnreadQuery struct {
	Limit        int      `json:"limit,omitempty" form:"limit"`
	ExcludeTypes []string `json:"exclude_types,omitempty" form:"exclude_types[]" schema:"named"`
	IncludeTypes []string `json:"include_types,omitempty" form:"include_types[]" schema:"named"`
	Types        []string `json:"types,omitempty" form:"types[]" schema:"named"`
	AccountID    string   `json:"account_id,omitempty" form:"account_id"`
}

// UnreadCount is the number of unread notifications.
type UnreadCount struct {
	Count int `json:"count"`
}

// DismissNotification is the form of POST /api/v1/notifications/dismiss.
type DismissNotification struct {
	ID string `json:"id" form:"id" binding:"required"`
}

// DestroyNotifications is the form of DELETE /api/v1/notifications/destroy_multiple. An id
// names a notification, or the status of notifications.
type DestroyNotifications struct {
	IDs []string `json:"ids" form:"ids[]" binding:"required"`
}

// ReadNotifications is the form of POST /api/v1/svc/notifications/read: one by
// its id, or all up to one.
type ReadNotifications struct {
	ID    *Int `json:"id,omitempty" form:"id"`
	MaxID *Int `json:"max_id,omitempty" form:"max_id"`
}
