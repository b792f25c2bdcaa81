package api

// Scrobble is something that Account has listened to. Length is in the unit of
// the sending program.
type Scrobble struct {
	ID        string   `json:"id" schema:"filled"`
	Account   *Account `json:"account" schema:"notnull"`
	Title     string   `json:"title"`
	Artist    string   `json:"artist"`
	Album     string   `json:"album"`
	Length    *int64   `json:"length"`
	CreatedAt Time     `json:"created_at"`
}

// NewScrobble is the form of POST /api/v1/svc/scrobble. Visibility absent is
// public.
type NewScrobble struct {
	Title      string `json:"title" form:"title" binding:"required"`
	Artist     string `json:"artist,omitempty" form:"artist"`
	Album      string `json:"album,omitempty" form:"album"`
	Length     *Int   `json:"length,omitempty" form:"length"`
	Visibility string `json:"visibility,omitempty" form:"visibility"`
}
