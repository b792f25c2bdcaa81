package api

import "encoding/json"

// Announcement is a text of the admins for everybody here, shown from StartsAt to EndsAt.
// In streams it has no Read, and its reactions no Me.
type Announcement struct {
	ID          string                     `json:"id" schema:"filled"`
	Content     string                     `json:"content"` // HTML
	StartsAt    *Time                      `json:"starts_at"`
	EndsAt      *Time                      `json:"ends_at"`
	AllDay      bool                       `json:"all_day"` // the times mean days
	Published   bool                       `json:"published"`
	PublishedAt Time                       `json:"published_at"`
	UpdatedAt   Time                       `json:"updated_at"`
	Read        *bool                      `json:"read,omitempty"`
	Mentions    List[Mention]              `json:"mentions"`
	Statuses    List[AnnouncedStatus]      `json:"statuses"`
	Tags        List[AnnouncedTag]         `json:"tags"`
	Emojis      List[Emoji]                `json:"emojis"`
	Reactions   List[AnnouncementReaction] `json:"reactions"`
}

// AnnouncedStatus is a status that an announcement links to.
type AnnouncedStatus struct {
	ID  string `json:"id"`
	URL string `json:"url"`
}

// AnnouncedTag is a hashtag of an announcement.
type AnnouncedTag struct {
	Name string `json:"name" schema:"filled"`
	URL  string `json:"url" schema:"url"`
}

// AnnouncementReaction counts the reactions to an announcement with one emoji. A custom
// emoji has the addresses of its picture.
type AnnouncementReaction struct {
	Name      string `json:"name" schema:"filled"`
	Count     int    `json:"count"`
	Me        *bool  `json:"me,omitempty" schema:"required"`
	URL       string `json:"url,omitempty" schema:"url"`
	StaticURL string `json:"static_url,omitempty" schema:"url"`
}

// AnnouncementReactionUpdate is the payload of announcement.reaction in streams: the count
// of a reaction by now, 0 for none.
type AnnouncementReactionUpdate struct {
	AnnouncementReaction
	AnnouncementID string `json:"announcement_id"`
}

// AnnouncementQuery selects announcements; with false for WithDismissed, those that the
// caller has not read.
type AnnouncementQuery struct {
	WithDismissed *Bool `json:"with_dismissed,omitempty" form:"with_dismissed"`
}

// AdminAnnouncement is an announcement as admins see it, published or not.
type AdminAnnouncement struct {
	Announcement
	Svc AnnouncementSvc `json:"svc"`

	Raw json.RawMessage `json:"-"`
}

// AnnouncementSvc has the text of an announcement as it was written.
type AnnouncementSvc struct {
	RawContent string `json:"raw_content"`
}

// UnmarshalJSON decodes an announcement and keeps its bytes in Raw.
func (a *AdminAnnouncement) UnmarshalJSON(data []byte) error {
	type plain AdminAnnouncement
	if err := json.Unmarshal(data, (*plain)(a)); err != nil {
		return err
	}
	a.Raw = keep(data)
	return nil
}

// AdminAnnouncementQuery selects a page of all announcements.
type AdminAnnouncementQuery struct {
	Page     int `json:"page,omitempty" form:"page"`
	PageSize int `json:"page_size,omitempty" form:"page_size"`
}

// AnnouncementForm is the form of POST /api/svc/admin/announcements, which needs Content,
// and of PATCH /api/svc/admin/announcements/:id, where nil keeps a value. Times are RFC
// 3339 or dates; "" takes one away. AllDay needs both times.
type AnnouncementForm struct {
	Content   *string `json:"content,omitempty" form:"content"` // plain text
	StartsAt  *string `json:"starts_at,omitempty" form:"starts_at"`
	EndsAt    *string `json:"ends_at,omitempty" form:"ends_at"`
	AllDay    *Bool   `json:"all_day,omitempty" form:"all_day"`
	Published *Bool   `json:"published,omitempty" form:"published"`
}
