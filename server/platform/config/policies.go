package config

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"svc/client/settings/term"
	"svc/server/platform/text"
)

// Policies is :mrf with the settings of its policies, which filter activities
// before they are stored. A policy acts only while it is in the chain.
type Policies struct {
	Chain []string // modules, in order
	// Transparency publishes the policies, without settings for the hosts of
	// TransparencyExclusions.
	Transparency           bool
	TransparencyExclusions []string

	Simple          SimplePolicy
	Keyword         KeywordPolicy
	Hellthread      HellthreadPolicy
	ScrubPolicy     string // module: the markup that stays in statuses
	Vocabulary      VocabularyPolicy
	Subchains       []Subchain
	ObjectAge       ObjectAgePolicy
	RejectNonPublic RejectNonPublicPolicy
	MentionActors   []string // URIs of actors whose mention rejects a status
	ExpirationDays  int      // life of local statuses
	UserAllowlist   []Allowed
	StealEmoji      StealEmojiPolicy
}

// SimplePolicy is :mrf_simple: hosts, where *.host is a host and all below it.
type SimplePolicy struct {
	Reject                   []string
	Accept                   []string
	MediaRemoval             []string
	MediaNSFW                []string
	FederatedTimelineRemoval []string
	FollowersOnly            []string
	ReportRemoval            []string
	AvatarRemoval            []string
	BannerRemoval            []string
	RejectDeletes            []string
	// Reasons are why hosts are limited, here and by :quarantined_instances. Nothing
	// acts on them, and only admins and moderators see them.
	Reasons []HostReason
}

// HostReason is why a host is limited.
type HostReason struct{ Host, Reason string }

// KeywordPolicy is :mrf_keyword.
type KeywordPolicy struct {
	Reject                   []Pattern
	FederatedTimelineRemoval []Pattern
	Replace                  []Replacement
}

// HellthreadPolicy is :mrf_hellthread: limits for the number of recipients; 0
// is none.
type HellthreadPolicy struct{ Delist, Reject int }

// VocabularyPolicy is :mrf_vocabulary: types of activities and objects.
type VocabularyPolicy struct{ Accept, Reject []string }

// ObjectAgePolicy is :mrf_object_age. Actions are :delist, :strip_followers and
// :reject.
type ObjectAgePolicy struct {
	Threshold time.Duration
	Actions   []string
}

// RejectNonPublicPolicy is :mrf_rejectnonpublic.
type RejectNonPublicPolicy struct{ AllowFollowersOnly, AllowDirect bool }

// StealEmojiPolicy is :mrf_steal_emoji.
type StealEmojiPolicy struct {
	Hosts              []string
	RejectedShortcodes []Pattern
	SizeLimit          int // bytes
}

// A Subchain is a chain of policies for the actors whose URI matches a pattern.
type Subchain struct {
	Actor    Pattern
	Policies []string // modules, in order
}

// Allowed are the only accepted actors of a host.
type Allowed struct {
	Host   string
	Actors []string // URIs
}

// A Pattern is a text, or a regular expression.
type Pattern struct {
	text   string // in wire form
	re     *regexp.Regexp
	phrase text.Phrase
}

// String returns the pattern in wire form: spam, ~r/spam/i.
func (p Pattern) String() string { return p.text }

// Equal reports whether both are written alike.
func (p Pattern) Equal(other Pattern) bool { return p.text == other.text }

// Match reports whether s, a name or an address, contains the text, or matches
// the expression. The empty text matches nothing.
func (p Pattern) Match(s string) bool {
	if p.re != nil {
		return p.re.MatchString(s)
	}
	return p.text != "" && strings.Contains(s, p.text)
}

// Phrase is the pattern for texts that people read.
func (p Pattern) Phrase() text.Phrase { return p.phrase }

// A Replacement is a pattern and its replacement.
type Replacement struct {
	Pattern Pattern
	With    string
}

// PatternOf parses a pattern in wire form; ok is false for an invalid
// expression.
func PatternOf(s string) (p Pattern, ok bool) { return decodePattern(wordTerm(s)) }

// policyModule is the prefix of policy modules.
const policyModule = "Svc.Web.ActivityPub.MRF."

// PolicyName returns the short name of a policy's module; "" for other modules.
func PolicyName(module string) string {
	name, ok := strings.CutPrefix(module, policyModule)
	if !ok {
		return ""
	}
	return name
}

func policySettings() []Setting {
	const mrf, simple, keyword = ":mrf", ":mrf_simple", ":mrf_keyword"
	hosts := func(path string, field func(*SimplePolicy) *[]string, description string) Setting {
		return row(simple, path, Strings, []string{}, func(s *Settings) any { return field(&s.Policies.Simple) }, description).ofHosts()
	}
	return []Setting{
		row(mrf, ":policies", Words, []string{policyModule + "ObjectAgePolicy", policyModule + "TagPolicy"},
			func(s *Settings) any { return &s.Policies.Chain }, "Policies that activities pass, in order"),
		row(mrf, ":transparency", Boolean, true, func(s *Settings) any { return &s.Policies.Transparency }, "Whether everybody may see the policies"),
		row(mrf, ":transparency_exclusions", Strings, []string{}, func(s *Settings) any { return &s.Policies.TransparencyExclusions }, "Hosts that are left out where the policies are shown").ofHosts(),
		hosts(":reject", func(p *SimplePolicy) *[]string { return &p.Reject }, "Hosts from which nothing is accepted; *.HOST has sub-domains too"),
		hosts(":accept", func(p *SimplePolicy) *[]string { return &p.Accept }, "Hosts from which alone anything is accepted, where the list is not empty"),
		hosts(":media_removal", func(p *SimplePolicy) *[]string { return &p.MediaRemoval }, "Hosts whose files are dropped"),
		hosts(":media_nsfw", func(p *SimplePolicy) *[]string { return &p.MediaNSFW }, "Hosts whose posts are sensitive"),
		hosts(":federated_timeline_removal", func(p *SimplePolicy) *[]string { return &p.FederatedTimelineRemoval }, "Hosts whose posts are not in public timelines"),
		hosts(":followers_only", func(p *SimplePolicy) *[]string { return &p.FollowersOnly }, "Hosts whose posts are for followers only"),
		hosts(":report_removal", func(p *SimplePolicy) *[]string { return &p.ReportRemoval }, "Hosts whose reports are dropped"),
		hosts(":avatar_removal", func(p *SimplePolicy) *[]string { return &p.AvatarRemoval }, "Hosts whose avatars are dropped"),
		hosts(":banner_removal", func(p *SimplePolicy) *[]string { return &p.BannerRemoval }, "Hosts whose banners are dropped"),
		hosts(":reject_deletes", func(p *SimplePolicy) *[]string { return &p.RejectDeletes }, "Hosts whose deletions are not followed"),
		row(simple, ":reasons", HostReasons, []HostReason{}, func(s *Settings) any { return &s.Policies.Simple.Reasons }, "Pairs of a host, and why it is limited, for admins and moderators").ofHosts(),
		row(keyword, ":reject", Patterns, []Pattern{}, func(s *Settings) any { return &s.Policies.Keyword.Reject }, "Words or patterns of posts that are refused"),
		row(keyword, ":federated_timeline_removal", Patterns, []Pattern{}, func(s *Settings) any { return &s.Policies.Keyword.FederatedTimelineRemoval }, "Words or patterns of posts that are not in public timelines"),
		row(keyword, ":replace", Replacements, []Replacement{}, func(s *Settings) any { return &s.Policies.Keyword.Replace }, "Pairs of a word or pattern, and the text that replaces it"),
		row(":mrf_hellthread", ":delist_threshold", Integer, 10, func(s *Settings) any { return &s.Policies.Hellthread.Delist }, "Recipients above which a post is unlisted; 0 is never"),
		row(":mrf_hellthread", ":reject_threshold", Integer, 20, func(s *Settings) any { return &s.Policies.Hellthread.Reject }, "Recipients above which a post is refused; 0 is never"),
		row(":mrf_normalize_markup", ":scrub_policy", Word, "Svc.HTML.Scrubber.Default", func(s *Settings) any { return &s.Policies.ScrubPolicy }, "Module that says which markup stays in posts"),
		row(":mrf_vocabulary", ":accept", Strings, []string{}, func(s *Settings) any { return &s.Policies.Vocabulary.Accept }, "Types of activities that alone are taken"),
		row(":mrf_vocabulary", ":reject", Strings, []string{}, func(s *Settings) any { return &s.Policies.Vocabulary.Reject }, "Types of activities that are refused"),
		row(":mrf_subchain", ":match_actor", Subchains, []Subchain{}, func(s *Settings) any { return &s.Policies.Subchains }, "Patterns of actors' addresses, and the policies for them"),
		row(":mrf_object_age", ":threshold", Seconds, 604800*time.Second, func(s *Settings) any { return &s.Policies.ObjectAge.Threshold }, "Age of a post from which the actions are taken, in seconds"),
		row(":mrf_object_age", ":actions", Words, []string{":delist", ":strip_followers"}, func(s *Settings) any { return &s.Policies.ObjectAge.Actions }, "Actions on old posts: :delist makes them unlisted, :strip_followers drops the followers from their audience, :reject refuses them").
			oneOf(":delist", ":strip_followers", ":reject"),
		row(":mrf_rejectnonpublic", ":allow_followersonly", Boolean, false, func(s *Settings) any { return &s.Policies.RejectNonPublic.AllowFollowersOnly }, "Whether posts for followers are taken"),
		row(":mrf_rejectnonpublic", ":allow_direct", Boolean, false, func(s *Settings) any { return &s.Policies.RejectNonPublic.AllowDirect }, "Whether direct posts are taken"),
		row(":mrf_mention", ":actors", Strings, []string{}, func(s *Settings) any { return &s.Policies.MentionActors }, "Addresses of accounts whose mention has a post refused"),
		row(":mrf_activity_expiration", ":days", Integer, 365, func(s *Settings) any { return &s.Policies.ExpirationDays }, "Days after which local posts are deleted").between(1, 36500),
		row(":mrf_steal_emoji", ":hosts", Strings, []string{}, func(s *Settings) any { return &s.Policies.StealEmoji.Hosts }, "Hosts whose emoji are copied, when posts show them").ofHosts(),
		row(":mrf_steal_emoji", ":rejected_shortcodes", Patterns, []Pattern{}, func(s *Settings) any { return &s.Policies.StealEmoji.RejectedShortcodes }, "Words or patterns of shortcodes that are not copied"),
		row(":mrf_steal_emoji", ":size_limit", Integer, 50000, func(s *Settings) any { return &s.Policies.StealEmoji.SizeLimit }, "Largest emoji that is copied, in bytes").between(0, 10000000),
		row(":mrf_user_allowlist", "", Allowlist, []Allowed(nil), func(s *Settings) any { return &s.Policies.UserAllowlist }, "Addresses of the accounts that alone may post, by host").unset().ofHosts(),
	}
}

func decodePattern(t term.Term) (Pattern, bool) {
	if t.Kind() == term.KindRegex {
		re, err := t.Regexp()
		if err != nil {
			return Pattern{}, false
		}
		return Pattern{text: t.Wire(), re: re, phrase: text.Expression(re)}, true
	}
	s, ok := t.Text()
	return Pattern{text: s, phrase: text.ExactPhrase(s)}, ok
}

func decodePatterns(t term.Term) ([]Pattern, bool) {
	list, ok := t.Items()
	if !ok {
		return nil, false
	}
	out := make([]Pattern, len(list))
	for i, item := range list {
		if out[i], ok = decodePattern(item); !ok {
			return nil, false
		}
	}
	return out, true
}

func decodeReplacements(t term.Term) ([]Replacement, bool) {
	list, ok := t.Items()
	if !ok {
		return nil, false
	}
	out := make([]Replacement, len(list))
	for i, item := range list {
		pair, ok := items(item, 2)
		if !ok {
			return nil, false
		}
		var ok1, ok2 bool
		out[i].Pattern, ok1 = decodePattern(pair[0])
		out[i].With, ok2 = pair[1].Text()
		if !ok1 || !ok2 {
			return nil, false
		}
	}
	return out, true
}

func decodeHostReasons(t term.Term) ([]HostReason, bool) {
	pairs, ok := textPairs(t)
	if !ok {
		return nil, false
	}
	out := make([]HostReason, len(pairs))
	for i, p := range pairs {
		out[i].Host = p.Key.PlainName()
		if out[i].Reason, ok = p.Value.Text(); !ok {
			return nil, false
		}
	}
	return out, true
}

func decodeSubchains(t term.Term) ([]Subchain, bool) {
	pairs, ok := t.Pairs()
	if !ok {
		return nil, false
	}
	out := make([]Subchain, len(pairs))
	for i, p := range pairs {
		if out[i].Actor, ok = decodePattern(p.Key); !ok {
			return nil, false
		}
		if one, isOne := p.Value.Text(); isOne {
			out[i].Policies = []string{one}
		} else if out[i].Policies, ok = texts(p.Value); !ok {
			return nil, false
		}
	}
	return out, true
}

// decodeAllowlist reads a map of hosts, or a list of pairs.
func decodeAllowlist(t term.Term) ([]Allowed, bool) {
	pairs, ok := t.Pairs()
	if !ok {
		if pairs, ok = textPairs(t); !ok {
			return nil, false
		}
	}
	out := make([]Allowed, len(pairs))
	for i, p := range pairs {
		out[i].Host = p.Key.PlainName()
		if out[i].Actors, ok = texts(p.Value); !ok {
			return nil, false
		}
	}
	slices.SortStableFunc(out, func(a, b Allowed) int { return strings.Compare(a.Host, b.Host) })
	return slices.CompactFunc(out, func(a, b Allowed) bool { return a.Host == b.Host }), true
}

// textPairs reads a list of tuples of a text and a value.
func textPairs(t term.Term) ([]term.Pair, bool) {
	list, ok := t.Items()
	if !ok {
		return nil, false
	}
	pairs := make([]term.Pair, len(list))
	for i, item := range list {
		pair, ok := items(item, 2)
		if !ok {
			return nil, false
		}
		if _, ok := pair[0].Text(); !ok {
			return nil, false
		}
		pairs[i] = term.Pair{Key: pair[0], Value: pair[1]}
	}
	return pairs, true
}

// policyTerm returns the term of a policy's setting.
func policyTerm(value any) (term.Term, bool) {
	pattern := func(p Pattern) term.Term { return wordTerm(p.text) }
	switch v := value.(type) {
	case []Pattern:
		return listTerm(v, pattern), true
	case []Replacement:
		return listTerm(v, func(r Replacement) term.Term {
			return term.TupleOf(pattern(r.Pattern), term.String(r.With))
		}), true
	case []HostReason:
		return listTerm(v, func(r HostReason) term.Term {
			return term.TupleOf(term.String(r.Host), term.String(r.Reason))
		}), true
	case []Subchain:
		pairs := make([]term.Pair, len(v))
		for i, c := range v {
			pairs[i] = term.Pair{Key: pattern(c.Actor), Value: listTerm(c.Policies, wordTerm)}
		}
		return term.MapOf(pairs...), true
	case []Allowed:
		// Admin forms show no map in place of a whole value.
		return listTerm(v, func(a Allowed) term.Term {
			return term.TupleOf(term.String(a.Host), term.Strings(a.Actors...))
		}), true
	}
	return term.Nil(), false
}
