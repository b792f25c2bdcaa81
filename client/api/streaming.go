package api

import "encoding/json"

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

// StreamQuery names a stream: user, user:notification, user:svc_chat, public,
// hashtag, list, direct, and public:local and others of its kind.
type StreamQuery struct {
	Stream   string `form:"stream"`
	Tag      string `form:"tag"`      // of hashtag and hashtag:local
	List     string `form:"list"`     // of list
	Instance string `form:"instance"` // of public:remote: only from there
}

// StreamEvent is something that happened. Name is update, status.update, delete,
// notification, conversation, filters_changed, svc:chat_update,
// svc:follow_relationships_update, or gap: events were missed that are not kept
// any more, so that what is shown should be read anew.
type StreamEvent struct {
	ID      string // where to go on after it
	Name    string
	Payload json.RawMessage // of delete, the id of the status as it is; nil for none
}
