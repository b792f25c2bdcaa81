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

// StreamModeration is the stream for moderators.
const StreamModeration = "svc:moderation"

// The names of the events of StreamModeration. Their payload is a
// ModerationEvent.
const (
	EventReport       = "svc:report"       // its object is an AdminReport
	EventRegistration = "svc:registration" // a pending AdminUser
	EventLog          = "svc:log"          // a LogEntry
	EventJob          = "svc:job"          // a Job that failed
)

// The changes of an object in a ModerationEvent.
const (
	ModerationAdded   = "added"
	ModerationChanged = "changed"
	ModerationGone    = "gone" // it needs no moderator any more: an account was approved, a job runs again
)

// ModerationEvent is a change of an object that moderators look after. Object
// is its JSON in the admin API, absent if the object is gone.
type ModerationEvent struct {
	Event  string          `json:"event"`
	ID     string          `json:"id"` // of a registration, that of the account
	Object json.RawMessage `json:"object"`
}

// StreamQuery names a stream: user, user:notification, user:svc_chat, public,
// hashtag, list, direct, svc:moderation, and public:local and others of its kind.
type StreamQuery struct {
	Stream   string `json:"stream,omitempty" form:"stream"`
	Tag      string `json:"tag,omitempty" form:"tag"`           // of hashtag and hashtag:local
	List     string `json:"list,omitempty" form:"list"`         // of list
	Instance string `json:"instance,omitempty" form:"instance"` // of public:remote: only from there
}

// StreamEvent is one event. Name is update, status.update, delete,
// notification, conversation, filters_changed, announcement,
// announcement.reaction, announcement.delete, svc:chat_update,
// svc:follow_relationships_update, an event of StreamModeration, or gap. A gap
// means that missed events are not kept any more, so that the shown lists
// should be read again.
type StreamEvent struct {
	ID      string // where to go on after it
	Name    string
	Payload json.RawMessage // of delete, the id of the status as it is; nil for none
}
