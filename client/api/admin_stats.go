package api

// Stats counts the posts of all servers, or of one.
type Stats struct {
	StatusVisibility StatusVisibility `json:"status_visibility"`
}

// StatusVisibility counts statuses by visibility. Chat messages, votes and
// statuses to lists count as direct, local-only ones as private; reblogs do not
// count.
type StatusVisibility struct {
	Direct   int64 `json:"direct"`
	Private  int64 `json:"private"`
	Public   int64 `json:"public"`
	Unlisted int64 `json:"unlisted"`
}

// StatsQuery selects the statuses of one server by its host; "" is all.
type StatsQuery struct {
	Instance string `json:"instance,omitempty" form:"instance"`
}
