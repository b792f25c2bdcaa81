package config

// ActivityPub is the group :activitypub: how the instance talks to other
// servers.
type ActivityPub struct {
	UnfollowBlocked bool // who blocks somebody follows him no more
	OutgoingBlocks  bool // the blocked account's server is told
}

func federationSettings() []Setting {
	pub := func(path string, kind Kind, value any, field func(*ActivityPub) any, description string) Setting {
		return row(":activitypub", path, kind, value, func(s *Settings) any { return field(&s.ActivityPub) }, description)
	}
	return []Setting{
		pub(":unfollow_blocked", Boolean, true, func(a *ActivityPub) any { return &a.UnfollowBlocked }, "Whether a block ends following"),
		pub(":outgoing_blocks", Boolean, true, func(a *ActivityPub) any { return &a.OutgoingBlocks }, "Whether blocked accounts' servers are told"),
	}
}
