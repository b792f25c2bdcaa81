package api

// FollowRelationshipsUpdate is the payload of the event
// svc:follow_relationships_update: how a follow stands now, as follow_pending,
// follow_accept, follow_reject or unfollow.
type FollowRelationshipsUpdate struct {
	State     string       `json:"state"`
	Follower  FollowCounts `json:"follower"`
	Following FollowCounts `json:"following"`
}

// FollowCounts are the counters of an account after a change of its follows.
type FollowCounts struct {
	ID             string `json:"id"`
	FollowerCount  int    `json:"follower_count"`
	FollowingCount int    `json:"following_count"`
}
