package mrf

import (
	"slices"

	"svc/server/platform/config"
	"svc/server/platform/hosts"
)

func (j *judge) from(list []string) bool { return hosts.Among(list, j.Actor.Host) }

// simple applies the settings of the actor's host.
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

// rejectReason returns why a host is rejected, "" if it is not.
func rejectReason(s *config.SimplePolicy, here Here, host string) string {
	switch {
	case len(s.Accept) > 0 && !hosts.Same(host, here.Host) && !hosts.Among(s.Accept, host):
		return "host not in accept list"
	case hosts.Among(s.Reject, host):
		return "host in reject list"
	}
	return ""
}

// Refuses reports whether a host is rejected: nothing is taken from it, sent to
// it, or fetched.
func Refuses(settings *config.Policies, here Here, host string) bool {
	return has(settings.Chain, "SimplePolicy") && rejectReason(&settings.Simple, here, host) != ""
}

// toFollowers keeps only followers of the actor, and the followers collection
// if it was there, as recipients.
func (j *judge) toFollowers() {
	keep := func(list []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(uri string) bool {
			return uri != j.Actor.Followers && !slices.Contains(j.Following, uri)
		})
	}
	j.To, j.CC = keep(j.To), keep(j.CC)
}

// AsksFollowers reports whether a policy needs to know which recipients follow
// the actor.
func AsksFollowers(settings *config.Policies, actor Actor) bool {
	return hosts.Among(settings.Simple.FollowersOnly, actor.Host) &&
		(has(settings.Chain, "SimplePolicy") || len(settings.Subchains) > 0)
}

// AsksFollowed reports whether a policy needs to know whether the target of a
// follow follows back.
func AsksFollowed(settings *config.Policies) bool {
	return has(settings.Chain, "AntiFollowbotPolicy") || len(settings.Subchains) > 0
}

// AsksParent reports whether a policy needs the subject of a reply's parent.
func AsksParent(settings *config.Policies) bool {
	return has(settings.Chain, "EnsureRePrepended") || len(settings.Subchains) > 0
}

func has(chain []string, name string) bool {
	return slices.ContainsFunc(chain, func(module string) bool { return config.PolicyName(module) == name })
}

// Profile is an actor's profile.
type Profile struct {
	Actor          Actor
	Avatar, Banner bool // whether the profile has these pictures
}

// FilterProfile is Filter for profiles: policies about hosts drop pictures, or
// reject the profile.
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
