package mrf

import (
	"slices"

	"svc/server/platform/config"
	"svc/server/platform/hosts"
)

func (j *judge) from(list []string) bool { return hosts.Among(list, j.Actor.Host) }

// simple does to activities what is set for their actor's host.
func simple(j *judge) string {
	s := &j.settings.Simple
	if j.Type == Delete {
		if j.from(s.RejectDeletes) {
			return "host in reject_deletes list"
		}
		return ""
	}
	if refusal := rejectReason(s, j.here, j.Actor.Host); refusal != "" {
		return refusal
	}
	if j.created() {
		if j.from(s.MediaRemoval) {
			j.Object.Attachments = false
		}
		if j.from(s.MediaNSFW) {
			j.markSensitive()
		}
	}
	if j.from(s.FederatedTimelineRemoval) {
		j.unlist()
	}
	if j.from(s.FollowersOnly) {
		j.toFollowers()
	}
	if j.Type == Flag && j.from(s.ReportRemoval) {
		return "host in report_removal list"
	}
	return ""
}

// rejectReason says why nothing is taken from a host.
func rejectReason(s *config.SimplePolicy, here Here, host string) string {
	switch {
	case len(s.Accept) > 0 && !hosts.Same(host, here.Host) && !hosts.Among(s.Accept, host):
		return "host not in accept list"
	case hosts.Among(s.Reject, host):
		return "host in reject list"
	}
	return ""
}

// Refuses reports whether nothing is taken from a host, nor sent there or
// fetched.
func Refuses(settings *config.Policies, here Here, host string) bool {
	return has(settings.Chain, "SimplePolicy") && rejectReason(&settings.Simple, here, host) != ""
}

// toFollowers leaves as addressees only those who follow the actor, and his
// followers where they were.
func (j *judge) toFollowers() {
	keep := func(list []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(uri string) bool {
			return uri != j.Actor.Followers && !slices.Contains(j.Following, uri)
		})
	}
	j.To, j.CC = keep(j.To), keep(j.CC)
}

// AsksFollowers reports whether a policy wants to know who of the addressees of
// an actor's activities follows him.
func AsksFollowers(settings *config.Policies, actor Actor) bool {
	return hosts.Among(settings.Simple.FollowersOnly, actor.Host) &&
		(has(settings.Chain, "SimplePolicy") || len(settings.Subchains) > 0)
}

// AsksFollowed reports whether a policy wants to know whether who follows is
// followed by his target.
func AsksFollowed(settings *config.Policies) bool {
	return has(settings.Chain, "AntiFollowbotPolicy") || len(settings.Subchains) > 0
}

// AsksParent reports whether a policy wants to know the subject of what a reply
// replies to.
func AsksParent(settings *config.Policies) bool {
	return has(settings.Chain, "EnsureRePrepended") || len(settings.Subchains) > 0
}

func has(chain []string, name string) bool {
	return slices.ContainsFunc(chain, func(module string) bool { return config.PolicyName(module) == name })
}

// Profile is how an actor presents himself.
type Profile struct {
	Actor          Actor
	Avatar, Banner bool // whether he has these pictures
}

// FilterProfile is Filter for the documents of actors, of which the policies
// about hosts drop pictures, or refuse them whole.
func FilterProfile(settings *config.Policies, here Here, p Profile) (Profile, error) {
	s, host := &settings.Simple, p.Actor.Host
	for _, module := range settings.Chain {
		switch config.PolicyName(module) {
		case "SimplePolicy":
			if refusal := rejectReason(s, here, host); refusal != "" {
				return Profile{}, &Rejection{Policy: "SimplePolicy", Reason: refusal}
			}
			p.Avatar = p.Avatar && !hosts.Among(s.AvatarRemoval, host)
			p.Banner = p.Banner && !hosts.Among(s.BannerRemoval, host)
		case "UserAllowListPolicy":
			if refusal := unlistedActor(settings, p.Actor); refusal != "" {
				return Profile{}, &Rejection{Policy: "UserAllowListPolicy", Reason: refusal}
			}
		}
	}
	return p, nil
}
