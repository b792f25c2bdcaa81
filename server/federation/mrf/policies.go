package mrf

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"svc/server/platform/config"
	"svc/server/platform/hosts"
	"svc/server/platform/text"
)

// tag applies moderators' tags of single actors.
func tag(j *judge) string {
	is := func(a *Actor, effect string) bool { return a != nil && slices.Contains(a.Tags, "mrf_tag:"+effect) }
	if j.Type == Follow {
		switch {
		case is(j.Target, "disable-any-subscription"):
			return "Follow from " + j.Actor.URI + " tagged with mrf_tag:disable-any-subscription"
		case !j.Actor.Local && is(j.Target, "disable-remote-subscription"):
			return "Follow from " + j.Actor.URI + " tagged with mrf_tag:disable-remote-subscription"
		}
		return ""
	}
	if !j.created() {
		return ""
	}
	if is(&j.Actor, "media-force-nsfw") && j.Object.Attachments {
		j.markSensitive()
	}
	if is(&j.Actor, "media-strip") {
		j.Object.Attachments = false
	}
	if is(&j.Actor, "force-unlisted") {
		j.unlist()
	}
	if is(&j.Actor, "sandbox") {
		j.limit()
	}
	return ""
}

// keyword applies the patterns for texts.
func keyword(j *judge) string {
	if !j.created() {
		return ""
	}
	k := &j.settings.Keyword
	found := func(patterns []config.Pattern) bool {
		return slices.ContainsFunc(patterns, func(p config.Pattern) bool {
			return slices.ContainsFunc([]string{j.Object.Content, j.Object.Source, j.Object.Summary, j.Object.Name}, p.Match)
		})
	}
	if found(k.Reject) {
		return "Matches with rejected keyword"
	}
	if found(k.FederatedTimelineRemoval) {
		j.unlist()
	}
	for _, r := range k.Replace {
		for _, s := range []*string{&j.Object.Content, &j.Object.Source, &j.Object.Summary, &j.Object.Name} {
			*s = r.Pattern.Replace(*s, r.With)
		}
	}
	return ""
}

// hellthread hides statuses with many recipients, and rejects those with very
// many.
func hellthread(j *judge) string {
	if !j.created() || j.Object.Type != Note && j.Object.Type != Article {
		return ""
	}
	n, h := len(j.recipients()), j.settings.Hellthread
	if h.Reject > 0 && n > h.Reject {
		return fmt.Sprintf("%d recipients is over the limit of %d", n, h.Reject)
	}
	if h.Delist > 0 && n > h.Delist {
		j.unlist()
	}
	return ""
}

// objectAge restricts statuses that come long after they were written.
func objectAge(j *judge) string {
	if j.Type != Create || j.Object == nil || j.Object.Published.IsZero() || j.here.Now.Sub(j.Object.Published) <= j.settings.ObjectAge.Threshold {
		return ""
	}
	actions := j.settings.ObjectAge.Actions
	if slices.Contains(actions, ":reject") {
		return "Too old"
	}
	if slices.Contains(actions, ":delist") {
		j.unlist()
	}
	if slices.Contains(actions, ":strip_followers") {
		j.To, j.CC = without(j.To, j.Actor.Followers), without(j.CC, j.Actor.Followers)
	}
	return ""
}

// rejectNonPublic rejects non-public statuses, except those the settings
// allow.
func rejectNonPublic(j *judge) string {
	if !j.created() {
		return ""
	}
	v, allowed := j.visibility(), j.settings.RejectNonPublic
	if v == private && !allowed.AllowFollowersOnly || v == direct && !allowed.AllowDirect {
		return "visibility: " + v
	}
	return ""
}

// mention rejects statuses that mention certain actors.
func mention(j *judge) string {
	if !j.created() {
		return ""
	}
	for _, uri := range j.recipients() {
		if slices.Contains(j.settings.MentionActors, uri) {
			return "Rejected for mention of " + uri
		}
	}
	return ""
}

// vocabulary allows only certain types of activities and objects, or all but
// certain ones.
func vocabulary(j *judge) string {
	types := []string{j.Type}
	if j.Object != nil {
		types = append(types, j.Object.Type)
	}
	v := j.settings.Vocabulary
	for _, t := range types {
		if len(v.Accept) > 0 && !slices.Contains(v.Accept, t) {
			return t + " not in accept list"
		}
		if slices.Contains(v.Reject, t) {
			return t + " in reject list"
		}
	}
	return ""
}

// subchain applies more policies to actors whose address matches a pattern; the
// first match counts.
func (j *judge) subchain() *Rejection {
	for _, c := range j.settings.Subchains {
		if c.Actor.Match(j.Actor.URI) {
			return j.pass(c.Policies)
		}
	}
	return nil
}

// userAllowlist allows only certain actors of some hosts.
func userAllowlist(j *judge) string { return unlistedActor(j.settings, j.Actor) }

func unlistedActor(settings *config.Policies, a Actor) string {
	for _, allowed := range settings.UserAllowlist {
		if hosts.Same(allowed.Host, a.Host) && len(allowed.Actors) > 0 && !slices.Contains(allowed.Actors, a.URI) {
			return a.URI + " not in the list"
		}
	}
	return ""
}

// normalizeMarkup keeps only the markup that a scrubber allows.
func normalizeMarkup(j *judge) string {
	if !j.created() {
		return ""
	}
	switch j.settings.ScrubPolicy {
	case "Svc.HTML.Scrubber.TwitterText":
		j.Object.Content = j.here.Texts.StripRich(j.Object.Content)
	case "Svc.HTML.Scrubber.LinksOnly":
		j.Object.Content = text.SanitizeField(j.Object.Content)
	default:
		j.Object.Content = j.here.Texts.Sanitize(j.Object.Content)
	}
	return ""
}

// activityExpiration sets an expiry for local statuses.
func activityExpiration(j *judge) string {
	if !j.created() || !j.Actor.Local || j.Object.Type != Note || j.settings.ExpirationDays <= 0 {
		return ""
	}
	end := j.here.Now.Add(time.Duration(j.settings.ExpirationDays) * 24 * time.Hour)
	if j.Object.Expires.IsZero() || j.Object.Expires.After(end) {
		j.Object.Expires = end
	}
	return ""
}

// noPlaceholderText drops the placeholder text that some clients send with a
// picture.
func noPlaceholderText(j *judge) string {
	if j.created() && j.Object.Attachments && (j.Object.Content == "." || j.Object.Content == "<p>.</p>") {
		j.Object.Content, j.Object.Source = "", ""
	}
	return ""
}

// ensureRePrepended prepends "re:" to the subject of a reply under the same
// subject.
func ensureRePrepended(j *judge) string {
	if !j.created() || !j.Object.Reply || j.Object.Summary == "" {
		return ""
	}
	if o := j.Object; o.Summary == o.ParentSummary && !startsWithRe(o.Summary) {
		o.Summary = "re: " + o.Summary
	}
	return ""
}

func startsWithRe(s string) bool { return len(s) >= 3 && strings.EqualFold(s[:3], "re:") }

// antiFollowbot rejects follows by bots that follow everybody, unless they are
// followed themselves.
func antiFollowbot(j *judge) string {
	if j.Type == Follow && !j.Followed && botScore(&j.Actor) >= 0.8 {
		return "Scored " + j.Actor.URI + " as followbot"
	}
	return ""
}

// botScore returns the likelihood that an actor is such a bot, by its names:
// from 0.
func botScore(a *Actor) float64 {
	score := 0.0
	name, _, _ := strings.Cut(strings.ToLower(a.Nickname), "@")
	switch name {
	case "followbot", "federationbot", "federation_bot":
		score++
	}
	switch strings.ToLower(a.Name) {
	case "federation bot", "federationbot", "fedibot":
		score++
	}
	return score
}

// antiLinkSpam rejects links by remote actors without statuses and followers.
func antiLinkSpam(j *judge) string {
	if !j.created() || j.Actor.Local || j.Actor.Posts > 0 || j.Actor.FollowersCount > 0 || len(text.PageLinks(j.Object.Content)) == 0 {
		return ""
	}
	return "links from an account without posts and followers"
}

// forceBotUnlisted keeps statuses of bots off public timelines.
func forceBotUnlisted(j *judge) string {
	name, _, _ := strings.Cut(strings.ToLower(j.Actor.Nickname), "@")
	if j.created() && (j.Actor.Bot || strings.HasSuffix(name, "bot")) {
		j.unlist()
	}
	return ""
}

// drop refuses everything.
func drop(*judge) string { return "everything is rejected" }
