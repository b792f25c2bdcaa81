package config

import "time"

// ActivityPub is the group :activitypub: communication with other servers.
type ActivityPub struct {
	UnfollowBlocked bool // a block ends the blocker's follow
	OutgoingBlocks  bool // the blocked account's server is told
	// FollowHandshake is how long a follow request waits for the answer.
	FollowHandshake time.Duration
	// SignObjectFetches signs the server's own requests.
	SignObjectFetches bool
	// SignatureAge is the greatest age of a signed request.
	SignatureAge  time.Duration
	RepliesListed int  // the author's own replies that are listed with a status
	SecureMode    bool // requests for documents must be signed
}

// Documents is :web_cache_ttl: the life of cached documents for other servers.
type Documents struct {
	Kept      time.Duration
	PollsKept time.Duration
}

// Forever is the life of a document without a set time: until it changes. It is
// the longest time that can be set.
const Forever = maxInt * time.Millisecond

func federationSettings() []Setting {
	pub := func(path string, kind Kind, value any, field func(*ActivityPub) any, description string) Setting {
		return row(":activitypub", path, kind, value, func(s *Settings) any { return field(&s.ActivityPub) }, description)
	}
	return []Setting{
		pub(":unfollow_blocked", Boolean, true, func(a *ActivityPub) any { return &a.UnfollowBlocked }, "Whether a block ends following"),
		pub(":outgoing_blocks", Boolean, true, func(a *ActivityPub) any { return &a.OutgoingBlocks }, "Whether blocked accounts' servers are told"),
		pub(":follow_handshake_timeout", Millis, 500*time.Millisecond, func(a *ActivityPub) any { return &a.FollowHandshake },
			"How long an answer to a follow is waited for, in milliseconds").between(0, 10000),
		pub(":sign_object_fetches", Boolean, true, func(a *ActivityPub) any { return &a.SignObjectFetches }, "Whether requests to other servers are signed"),
		pub(":signature_max_age", Seconds, 2*time.Hour, func(a *ActivityPub) any { return &a.SignatureAge }, "How old a signed request of another server may be, in seconds").between(60, 43200),
		pub(":note_replies_output_limit", Integer, 5, func(a *ActivityPub) any { return &a.RepliesListed }, "Replies by its author that are listed with a post; 0 for none").between(0, 500),
		pub(":authorized_fetch_mode", Boolean, false, func(a *ActivityPub) any { return &a.SecureMode }, "Whether other servers must sign their requests"),
		row(":web_cache_ttl", ":activity_pub", Millis, Forever, func(s *Settings) any { return &s.Documents.Kept },
			"How long documents for other servers are kept ready while they do not change, in milliseconds; null for ever").null(Forever),
		row(":web_cache_ttl", ":activity_pub_question", Millis, 30*time.Second, func(s *Settings) any { return &s.Documents.PollsKept },
			"How long polls for other servers are kept ready, in milliseconds; null for ever").null(Forever),
	}
}
