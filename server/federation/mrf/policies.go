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

// keyword applies the patterns for texts. Options and hashtags are names, by
// which servers tell them apart, so these are looked at and stay as they are.
func keyword(j *judge) string {
	k := &j.settings.Keyword
	if !j.created() || len(k.Reject)+len(k.FederatedTimelineRemoval)+len(k.Replace) == 0 {
		return ""
	}
	if len(k.Reject)+len(k.FederatedTimelineRemoval) > 0 {
		readings := j.Object.readings()
		found := func(patterns []config.Pattern) bool {
			return slices.ContainsFunc(patterns, func(p config.Pattern) bool { return slices.ContainsFunc(readings, p.Phrase().In) })
		}
		if found(k.Reject) {
			return "Matches with rejected keyword"
		}
		if found(k.FederatedTimelineRemoval) {
			j.unlist()
		}
	}
	o, rules := j.Object, j.here.Texts
	if len(k.Replace) > 0 {
		o.Descriptions = slices.Clone(o.Descriptions)
	}
	for _, r := range k.Replace {
		p := r.Pattern.Phrase()
		o.Content = p.ReplaceHTML(o.Content, r.With, rules)
		o.Summary = replaceLine(p, o.Summary, r.With, rules)
		o.Name = replaceLine(p, o.Name, r.With, rules)
		for i, s := range o.Descriptions {
			o.Descriptions[i] = p.ReplaceText(s, r.With, rules)
		}
		if o.SourceHTML {
			o.Source = p.ReplaceHTML(o.Source, r.With, rules)
		} else {
			o.Source = p.ReplaceText(o.Source, r.With, rules)
		}
	}
	return ""
}

// replaceLine replaces in a subject or a name, which some servers send as HTML.
func replaceLine(p text.Phrase, s, with string, rules *text.Rules) string {
	if text.IsHTML(s) {
		return p.ReplaceHTML(s, with, rules)
	}
	return p.ReplaceText(s, with, rules)
}

// readings returns the texts of an object that people read. The addresses of
// pages that links hide are among them.
func (o *Object) readings() []*text.Reading {
	out := []*text.Reading{text.ReadHTML(o.Content)}
	plain := func(texts ...string) {
		for _, s := range texts {
			if s != "" {
				out = append(out, text.ReadText(s))
			}
		}
	}
	for _, s := range []string{o.Summary, o.Name} {
		plain(s)
		if text.IsHTML(s) {
			out = append(out, text.ReadHTML(s))
		}
	}
	if o.SourceHTML {
		out = append(out, text.ReadHTML(o.Source))
	} else {
		plain(o.Source)
	}
	plain(o.Options...)
	plain(o.Descriptions...)
	for _, tag := range o.Tags {
		plain("#" + tag)
	}
	plain(text.PageLinks(o.Content)...)
	return out
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
