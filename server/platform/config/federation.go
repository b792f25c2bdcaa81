package config

import "time"

// ActivityPub is the group :activitypub: how the instance talks to other
// servers.
type ActivityPub struct {
	UnfollowBlocked bool // who blocks someone follows him no more
	OutgoingBlocks  bool // the blocked account's server is told
	// FollowHandshake is how long whoever follows waits for the answer.
	FollowHandshake time.Duration
	// SignObjectFetches has what this server asks for be signed by it.
	SignObjectFetches bool
	// SignatureAge is how old a signed request may be.
	SignatureAge  time.Duration
	RepliesListed int  // with a post: what its author answered himself
	SecureMode    bool // who asks for documents must sign
}

// Documents is :web_cache_ttl: for how long answers to other servers are kept
// ready.
type Documents struct {
	Kept      time.Duration
	PollsKept time.Duration
}

// Forever is for how long an answer is kept where no time is set: until it
// changes. It is the longest time that can be set, and means any.
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
