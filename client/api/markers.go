package api

import "encoding/json"

// Markers is how far the caller has read, by timeline: home, notifications.
type Markers map[string]Marker

// Marker is a place in a timeline. Version counts its changes.
type Marker struct {
	LastReadID string    `json:"last_read_id"`
	Version    int64     `json:"version"`
	UpdatedAt  Time      `json:"updated_at"`
	Svc        MarkerSvc `json:"svc"`
}

// MarkerSvc is the service's part of a marker: how many notifications have not
// been seen, up to 5000, and 0 for other timelines.
type MarkerSvc struct {
	UnreadCount int `json:"unread_count"`
}

// SetMarkers is the form of POST /api/v1/markers; nil keeps a marker.
type SetMarkers struct {
	Home          *SetMarker `json:"home,omitempty" form:"home"`
	Notifications *SetMarker `json:"notifications,omitempty" form:"notifications"`
}

// SetMarker moves one marker.
type SetMarker struct {
	LastReadID ID `json:"last_read_id" form:"last_read_id" schema:"type=string integer"`
}

// MarkerQuery selects markers.
type MarkerQuery struct {
	Timeline []string `json:"timeline" form:"timeline[]"`
}

// ID is an id of a form, which may also arrive as a JSON number.
type ID string

// UnmarshalJSON reads a string or an integer.
func (i *ID) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] != '"' && string(data) != "null" {
		var n json.Number
		if err := json.Unmarshal(data, &n); err != nil {
			return err
		}
		if _, err := n.Int64(); err != nil {
			return err
		}
		*i = ID(n.String())
		return nil
	}
	return json.Unmarshal(data, (*string)(i))
}
