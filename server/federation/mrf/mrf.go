// Package mrf judges activities before anything of them is kept: the policies of
// the settings :mrf and :mrf_…. A policy is a function of an activity and the
// settings. It gives the activity back, changed or not, or refuses it; it reads
// no database and calls nobody. What an activity is made of, and what becomes of
// the judgment, is left to those who call: the same policies judge what people
// here do and what comes from other servers.
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

// Actor is who acts, or is acted on.
type Actor struct {
	URI       string
	Host      string // with its port, in lower case
	Nickname  string
	Name      string
	Local     bool
	Bot       bool
	Tags      []string // moderators', in lower case
	Followers string   // URI of the collection of his followers
	// Posts and FollowersCount are what is known of a remote actor.
	Posts, FollowersCount int64
}

// Object is what is created. HTML that policies leave in Content must be
// sanitised by the caller once it has changed.
type Object struct {
	Type        string
	Content     string // HTML
	Source      string // as it was typed here; changes along with Content
	Summary     string
	Name        string
	Attachments bool
	Sensitive   bool
	Tags        []string // hashtags, without #
	Published   time.Time
	Expires     time.Time // zero is never
	Reply       bool
	// ParentSummary is the summary of what a Reply replies to.
	ParentSummary string
}

// Activity is what policies judge.
type Activity struct {
	Type   string
	Actor  Actor
	Object *Object // of a Create, and of an Update of what was created
	To, CC []string
	// OnlyHere says that it is addressed to everybody on this server.
	OnlyHere bool
	// Following are those of To and CC who follow Actor; see AsksFollowers.
	Following []string
	Target    *Actor // of a Follow
	Followed  bool   // of a Follow: Target follows Actor
}

// Here is what policies know of where they judge.
type Here struct {
	Host  string // our own, with its port
	Now   time.Time
	Texts *text.Rules
}

// Rejection refuses an activity. Its text is for people: [Policy] reason.
type Rejection struct{ Policy, Reason string }

// Error is the text.
func (r *Rejection) Error() string { return "[" + r.Policy + "] " + r.Reason }

// judge is what a policy knows while it judges one activity, which is its own
// to change but for what slices and pointers lead to.
type judge struct {
	Activity
	settings *config.Policies
	here     Here
	depth    int // of chains within chains
}

// policy changes what it judges, or says why it is refused; "" is not.
type policy func(j *judge) (refusal string)

// maxDepth is how many chains may stand within each other.
const maxDepth = 3

// policies are all that act by themselves, by the short names of their modules;
// others are nil.
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

// Filter has an activity pass the policies of the settings, in their order, and
// returns what they leave of it, or *Rejection. What is given is not changed.
// Policies that are not known here let everything pass.
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

// Acts reports whether the policy of this short name is in the chain that an
// actor's activities pass. It is for policies whose part is not to judge.
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
		if name == "SubchainPolicy" { // what it refuses, one of its policies does
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

// created reports whether it is something new to read; what is written anew is.
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

// recipients are those of To and CC, each once, but for everybody and the
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

// without is list with none of these, in a slice of its own.
func without(list []string, uris ...string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(uri string) bool { return slices.Contains(uris, uri) })
}

// unlist makes what is public unlisted: followers in To, everybody in CC.
func (j *judge) unlist() {
	if j.visibility() != public {
		return
	}
	j.To, j.CC = j.followersFirst(), append([]string{Public}, without(j.CC, Public, j.Actor.Followers)...)
}

// limit leaves of what everybody may read what followers may.
func (j *judge) limit() {
	if v := j.visibility(); v != public && v != unlisted {
		return
	}
	j.To, j.CC = j.followersFirst(), without(j.CC, Public, j.Actor.Followers)
}

// followersFirst is To with the followers in place of everybody.
func (j *judge) followersFirst() []string {
	to := without(j.To, Public, j.Actor.Followers)
	if j.Actor.Followers == "" {
		return to
	}
	return append([]string{j.Actor.Followers}, to...)
}

// markSensitive marks what is created as sensitive.
func (j *judge) markSensitive() {
	j.Object.Sensitive = true
	if !slices.Contains(j.Object.Tags, "nsfw") {
		j.Object.Tags = append(slices.Clone(j.Object.Tags), "nsfw")
	}
}
