package api

// Stats counts the posts of all servers, or of one.
type Stats struct {
	StatusVisibility StatusVisibility `json:"status_visibility"`
}

// StatusVisibility counts posts by visibility. Chat messages,
// votes and posts to lists count as direct, posts to this server alone as
// private; boosts do not count.
type StatusVisibility struct {
	Direct   int64 `json:"direct"`
	Private  int64 `json:"private"`
	Public   int64 `json:"public"`
	Unlisted int64 `json:"unlisted"`
}

// StatsQuery names the server whose posts are counted, by its host; "" is all.
type StatsQuery struct {
	Instance string `json:"instance,omitempty" form:"instance"`
}
