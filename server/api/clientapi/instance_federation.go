package clientapi

import (
	"slices"
	"strings"
	"time"

	"svc/client/api"
	"svc/server/platform/config"
	"svc/server/platform/hosts"
)

// federation is the public part of the policies: all in the chain, except for
// hosts that the settings leave out; or nothing.
func federation(s *config.Settings) api.FederationInfo {
	out, p := api.FederationInfo{Enabled: s.Instance.Federating}, &s.Policies
	if !p.Transparency {
		return out
	}
	exclusions := len(p.TransparencyExclusions) > 0
	out.Exclusions = &exclusions
	out.MRFPolicies, out.MRFSimple = api.List[string]{}, map[string]api.List[string]{}
	out.QuarantinedInstances = shown(s.Instance.QuarantinedInstances, p)
	for _, module := range p.Chain {
		name := module[strings.LastIndexByte(module, '.')+1:]
		out.MRFPolicies = append(out.MRFPolicies, name)
		describe(&out, name, p)
	}
	return out
}

// shown are the hosts that the settings do not leave out.
func shown(list []string, p *config.Policies) api.List[string] {
	return slices.DeleteFunc(append(api.List[string]{}, list...), func(host string) bool {
		return slices.ContainsFunc(p.TransparencyExclusions, func(hidden string) bool { return hosts.Same(host, hidden) })
	})
}

// describe adds the settings of a policy.
func describe(out *api.FederationInfo, name string, p *config.Policies) {
	switch name {
	case "SimplePolicy":
		for list, listed := range map[string][]string{
			"accept": p.Simple.Accept, "avatar_removal": p.Simple.AvatarRemoval, "banner_removal": p.Simple.BannerRemoval,
			"federated_timeline_removal": p.Simple.FederatedTimelineRemoval, "followers_only": p.Simple.FollowersOnly,
			"media_nsfw": p.Simple.MediaNSFW, "media_removal": p.Simple.MediaRemoval, "reject": p.Simple.Reject,
			"reject_deletes": p.Simple.RejectDeletes, "report_removal": p.Simple.ReportRemoval,
		} {
			out.MRFSimple[list] = shown(listed, p)
		}
	case "HellthreadPolicy":
		out.MRFHellthread = &api.MRFHellthread{DelistThreshold: p.Hellthread.Delist, RejectThreshold: p.Hellthread.Reject}
	case "KeywordPolicy":
		k := &api.MRFKeyword{Reject: patterns(p.Keyword.Reject), FederatedTimelineRemoval: patterns(p.Keyword.FederatedTimelineRemoval)}
		for _, r := range p.Keyword.Replace {
			k.Replace = append(k.Replace, api.MRFReplacement{Pattern: r.Pattern.String(), Replacement: r.With})
		}
		out.MRFKeyword = k
	case "ObjectAgePolicy":
		out.MRFObjectAge = &api.MRFObjectAge{Threshold: int64(p.ObjectAge.Threshold / time.Second)}
		for _, action := range p.ObjectAge.Actions {
			out.MRFObjectAge.Actions = append(out.MRFObjectAge.Actions, strings.TrimPrefix(action, ":"))
		}
	case "RejectNonPublic":
		out.MRFRejectNonPublic = &api.MRFRejectNonPublic{AllowFollowersOnly: p.RejectNonPublic.AllowFollowersOnly, AllowDirect: p.RejectNonPublic.AllowDirect}
	case "VocabularyPolicy":
		out.MRFVocabulary = &api.MRFVocabulary{Accept: p.Vocabulary.Accept, Reject: p.Vocabulary.Reject}
	case "UserAllowListPolicy":
		out.MRFUserAllowlist = map[string]int{}
		for _, allowed := range p.UserAllowlist {
			if len(shown([]string{allowed.Host}, p)) > 0 {
				out.MRFUserAllowlist[allowed.Host] = len(allowed.Actors)
			}
		}
	}
}

func patterns(list []config.Pattern) api.List[string] {
	out := make(api.List[string], len(list))
	for i, p := range list {
		out[i] = p.String()
	}
	return out
}
