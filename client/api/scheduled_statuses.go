package api

import "encoding/json"

// ScheduledStatus is a status to be posted later. Its id is an integer printed
// as a string.
type ScheduledStatus struct {
	ID               string           `json:"id" schema:"filled"`
	ScheduledAt      Time             `json:"scheduled_at"`
	Params           ScheduledParams  `json:"params"`
	MediaAttachments List[Attachment] `json:"media_attachments"`

	Raw json.RawMessage `json:"-"`
}

// ScheduledParams are the parameters of the request. Visibility is nil if it
// was absent.
type ScheduledParams struct {
	Text        string         `json:"text"`
	Sensitive   *bool          `json:"sensitive"`
	SpoilerText *string        `json:"spoiler_text"`
	Visibility  *string        `json:"visibility" schema:"filled"`
	ScheduledAt Time           `json:"scheduled_at"`
	Poll        *ScheduledPoll `json:"poll"`
	InReplyToID *string        `json:"in_reply_to_id" schema:"filled"`
	MediaIDs    List[string]   `json:"media_ids,omitzero" schema:"filled"`
}

// ScheduledPoll is the poll of a status to come. ExpiresIn is in seconds, from
// when it is posted.
type ScheduledPoll struct {
	Options    List[string] `json:"options"`
	ExpiresIn  int64        `json:"expires_in"`
	Multiple   bool         `json:"multiple"`
	HideTotals bool         `json:"hide_totals"`
}

// UnmarshalJSON decodes a scheduled status and keeps its bytes in Raw.
func (s *ScheduledStatus) UnmarshalJSON(data []byte) error {
	type plain ScheduledStatus
	if err := json.Unmarshal(data, (*plain)(s)); err != nil {
		return err
	}
	s.Raw = keep(data)
	return nil
}

// Reschedule is the form of PUT /api/v1/scheduled_statuses/:id. Without a time
// nothing changes.
type Reschedule struct {
	ScheduledAt string `json:"scheduled_at,omitempty" form:"scheduled_at"`
}
