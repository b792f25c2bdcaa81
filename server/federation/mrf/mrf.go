// Package mrf applies the policies of the settings :mrf and :mrf_… to
// activities before they are stored. A policy is a function of an activity and
// the settings that returns the activity, changed or not, or rejects it. It
// reads no database and makes no calls. Callers build the activity and apply
// the result, for local and remote activities alike.
package mrf

import (
	"slices"
	"time"

	"svc/server/platform/config"
	"svc/server/platform/text"
)

// Public is the address of everybody. Shape: ActivityPub 5.6.
const Public = "https://www.w3.org/ns/activitystreams#Public"

// The types of activities and objects that policies tell apart.
const (
	Create     = "Create"
	Update     = "Update"
	Follow     = "Follow"
	Announce   = "Announce"
	Like       = "Like"
	EmojiReact = "EmojiReact"
	Flag       = "Flag"
	Delete     = "Delete"

	Note        = "Note"
	Article     = "Article"
	Question    = "Question"
	ChatMessage = "ChatMessage"
)

// Actor is the actor or the target of an activity.
type Actor struct {
	URI       string
	Host      string // with its port, in lower case
	Nickname  string
	Name      string
	Local     bool
	Bot       bool
	Tags      []string // moderators', in lower case
	Followers string   // URI of the followers collection
	// Posts and FollowersCount are the known counts of a remote actor.
	Posts, FollowersCount int64
}

// Object is a created object. Callers must sanitise Content if a policy changed
// it.
type Object struct {
	Type       string
	Content    string // HTML
	Source     string // the source text; changes along with Content
	SourceHTML bool   // whether Source is HTML
	Summary    string
	Name       string
	Options    []string // of a poll
	// Descriptions are those of files. They may change, but not in number.
	Descriptions []string
	Attachments  bool
	Sensitive    bool
	Tags         []string // hashtags, without #
	Published    time.Time
	Expires      time.Time // zero is never
	Reply        bool
	// ParentSummary is the summary of a Reply's parent.
	ParentSummary string
}

// Activity is the input of policies.
type Activity struct {
	Type   string
	Actor  Actor
	Object *Object // of a Create, and of an Update of a status
	To, CC []string
	// OnlyHere marks a local-only activity.
	OnlyHere bool
	// Following are those of To and CC that follow Actor; see AsksFollowers.
	Following []string
	Target    *Actor // of a Follow
	Followed  bool   // of a Follow: Target follows Actor
}

// Here is the local context of policies.
type Here struct {
	Host  string // our own, with its port
	Now   time.Time
	Texts *text.Rules
}

// Rejection rejects an activity. Its text is for people: [Policy] reason.
type Rejection struct{ Policy, Reason string }

// Error is the text.
func (r *Rejection) Error() string { return "[" + r.Policy + "] " + r.Reason }

// judge is the state of the policies for one activity. Policies may change it,
// but not the targets of slices and pointers.
type judge struct {
	Activity
	settings *config.Policies
	here     Here
	depth    int // of chains within chains
}

// policy changes the activity, or returns the reason of its rejection; "" is
// none.
type policy func(j *judge) (refusal string)

// maxDepth bounds nested chains.
const maxDepth = 3

// policies returns the policy of a module's short name; nil for unknown ones.
func policies(name string) policy {
	switch name {
	case "ActivityExpirationPolicy":
		return activityExpiration
	case "AntiFollowbotPolicy":
		return antiFollowbot
	case "AntiLinkSpamPolicy":
		return antiLinkSpam
	case "DropPolicy":
		return drop
	case "EnsureRePrepended":
		return ensureRePrepended
	case "ForceBotUnlistedPolicy":
		return forceBotUnlisted
	case "HellthreadPolicy":
		return hellthread
	case "KeywordPolicy":
		return keyword
	case "MentionPolicy":
		return mention
	case "NoPlaceholderTextPolicy":
		return noPlaceholderText
	case "NormalizeMarkup":
		return normalizeMarkup
	case "ObjectAgePolicy":
		return objectAge
	case "RejectNonPublic":
		return rejectNonPublic
	case "SimplePolicy":
		return simple
	case "TagPolicy":
		return tag
	case "UserAllowListPolicy":
		return userAllowlist
	case "VocabularyPolicy":
		return vocabulary
	}
	return nil
}

// Filter applies the policies of the settings in order, and returns the
// resulting activity, or *Rejection. The given one is not changed. Unknown
// policies are ignored.
func Filter(settings *config.Policies, here Here, a Activity) (Activity, error) {
	j := &judge{Activity: a, settings: settings, here: here}
	if a.Object != nil {
		object := *a.Object
		j.Object = &object
	}
	if r := j.pass(settings.Chain); r != nil {
		return Activity{}, r
	}
	return j.Activity, nil
}

// Acts reports whether the policy of this short name is in the chain of an
// actor's activities. It is for policies with effects beyond the activity.
func Acts(settings *config.Policies, actor Actor, name string) bool {
	if has(settings.Chain, name) {
		return true
	}
	if !has(settings.Chain, "SubchainPolicy") {
		return false
	}
	i := slices.IndexFunc(settings.Subchains, func(c config.Subchain) bool { return c.Actor.Match(actor.URI) })
	return i >= 0 && has(settings.Subchains[i].Policies, name)
}

func (j *judge) pass(chain []string) *Rejection {
	if j.depth++; j.depth > maxDepth {
		return nil
	}
	defer func() { j.depth-- }()
	for _, module := range chain {
		name := config.PolicyName(module)
		if name == "SubchainPolicy" { // rejections name the inner policy
			if r := j.subchain(); r != nil {
				return r
			}
			continue
		}
		if act := policies(name); act != nil {
			if refusal := act(j); refusal != "" {
				return &Rejection{Policy: name, Reason: refusal}
			}
		}
	}
	return nil
}

// created reports whether the activity creates or edits an object.
func (j *judge) created() bool { return (j.Type == Create || j.Type == Update) && j.Object != nil }

// The kinds of addresses, from the widest.
const (
	public   = "public"
	unlisted = "unlisted"
	private  = "private"
	direct   = "direct"
	onlyHere = "local"
)

func (j *judge) visibility() string {
	switch {
	case slices.Contains(j.To, Public):
		return public
	case slices.Contains(j.CC, Public):
		return unlisted
	case j.OnlyHere:
		return onlyHere
	case j.Actor.Followers != "" && (slices.Contains(j.To, j.Actor.Followers) || slices.Contains(j.CC, j.Actor.Followers)):
		return private
	}
	return direct
}

// recipients returns To and CC, each once, without the public and the
// followers.
func (j *judge) recipients() []string {
	var out []string
	for _, uri := range slices.Concat(j.To, j.CC) {
		if uri != Public && uri != j.Actor.Followers && !slices.Contains(out, uri) {
			out = append(out, uri)
		}
	}
	return out
}

// without returns list without these, in a new slice.
func without(list []string, uris ...string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(uri string) bool { return slices.Contains(uris, uri) })
}

// unlist makes a public activity unlisted: followers in To, the public in CC.
func (j *judge) unlist() {
	if j.visibility() != public {
		return
	}
	j.To, j.CC = j.followersFirst(), append([]string{Public}, without(j.CC, Public, j.Actor.Followers)...)
}

// limit restricts a public activity to followers.
func (j *judge) limit() {
	if v := j.visibility(); v != public && v != unlisted {
		return
	}
	j.To, j.CC = j.followersFirst(), without(j.CC, Public, j.Actor.Followers)
}

// followersFirst returns To with the followers in place of the public.
func (j *judge) followersFirst() []string {
	to := without(j.To, Public, j.Actor.Followers)
	if j.Actor.Followers == "" {
		return to
	}
	return append([]string{j.Actor.Followers}, to...)
}

// markSensitive marks the object as sensitive.
func (j *judge) markSensitive() {
	j.Object.Sensitive = true
	if !slices.Contains(j.Object.Tags, "nsfw") {
		j.Object.Tags = append(slices.Clone(j.Object.Tags), "nsfw")
	}
}
