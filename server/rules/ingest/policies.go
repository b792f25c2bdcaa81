package ingest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/federation/mrf"
	"svc/server/platform/config"
)

// judge has an activity of another server pass the policies of the settings, and
// returns what they leave of it; what is given is not changed. object must be
// embedded where one is created or edited: the activity and its object get the
// same addresses. Posts that were fetched by themselves are judged as if their
// author had just sent a Create of them. What a policy refuses is *mrf.Rejection.
func (s *Service) judge(ctx context.Context, actor *db.Account, activity activitypub.Object) (activitypub.Object, error) {
	settings := s.settings.Load()
	before, err := s.judged(ctx, &settings.Policies, actor, activity)
	if err != nil {
		return nil, err
	}
	here := mrf.Here{Host: s.host, Now: s.now(), Texts: s.settings.Texts()}
	after, err := mrf.Filter(&settings.Policies, here, before)
	if err != nil {
		return nil, err
	}
	out := maps.Clone(activity)
	if object := activity.Object("object"); before.Object != nil {
		object = rewritten(object, before.Object, after.Object)
		readdress(object, &before, &after)
		out["object"] = map[string]any(object)
	}
	readdress(out, &before, &after)
	return out, nil
}

// judged is an activity as policies see it.
func (s *Service) judged(ctx context.Context, settings *config.Policies, actor *db.Account, activity activitypub.Object) (mrf.Activity, error) {
	a := mrf.Activity{
		Type: activity.Type(), Actor: mrf.ActorOf(actor, s.host), To: activity.Addresses("to"), CC: activity.Addresses("cc"),
	}
	var err error
	switch object := activity.Object("object"); {
	case activity.Is(mrf.Create, mrf.Update) && object != nil && !isActor(object):
		// What is written counts, wherever it stands: some servers address
		// activities less widely than what they carry.
		if to, cc := object.Addresses("to"), object.Addresses("cc"); len(to)+len(cc) > 0 {
			a.To, a.CC = to, cc
		}
		a.Object, err = s.described(ctx, settings, actor, object)
	case activity.Is(mrf.Follow):
		err = s.followed(ctx, settings, actor, activity.IDOf("object"), &a)
	}
	if err == nil && mrf.AsksFollowers(settings, a.Actor) {
		a.Following, err = s.db.FollowersAmong(ctx, actor.ID, slices.Concat(a.To, a.CC))
	}
	return a, err
}

func isActor(o activitypub.Object) bool {
	return o.Is("Person", "Service", "Application", "Group", "Organization")
}

// described is an object as policies see it.
func (s *Service) described(ctx context.Context, settings *config.Policies, author *db.Account, o activitypub.Object) (*mrf.Object, error) {
	sensitive, _ := o.Bool("sensitive")
	out := &mrf.Object{
		Type: o.Type(), Content: textOf(o, "content"), Summary: textOf(o, "summary"), Name: textOf(o, "name"), Source: source(o),
		Attachments: hasFiles(o), Sensitive: sensitive, Published: o.Time("published"),
	}
	for _, tag := range o.Objects("tag") {
		if name := hashtag(tag); name != "" {
			out.Tags = append(out.Tags, name)
		}
	}
	parent := o.IDOf("inReplyTo")
	if out.Reply = parent != ""; out.Reply && out.Summary != "" && mrf.AsksParent(settings) {
		status, err := s.db.StatusByURI(ctx, parent)
		if err == nil && status.Local {
			status, err = s.social.VisibleToRemote(ctx, author, status.ID)
		}
		switch {
		case err == nil:
			out.ParentSummary = status.SpoilerText
		case !errors.Is(err, db.ErrNotFound):
			return nil, err
		}
	}
	return out, nil
}

// followed adds what policies want to know of a follow.
func (s *Service) followed(ctx context.Context, settings *config.Policies, actor *db.Account, uri string, a *mrf.Activity) error {
	account, err := s.db.AccountByURI(ctx, uri)
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	target := mrf.ActorOf(account, s.host)
	a.Target = &target
	if mrf.AsksFollowed(settings) {
		related, err := s.db.Relationships(ctx, account.ID, []string{actor.ID})
		if err != nil {
			return err
		}
		a.Followed = related[actor.ID].Following
	}
	return nil
}

// textOf is the text under a key: by itself, or in the first of its languages.
func textOf(o activitypub.Object, key string) string {
	if text := o.Text(key); text != "" {
		return text
	}
	in, _ := o[key+"Map"].(map[string]any)
	for _, language := range slices.Sorted(maps.Keys(in)) {
		if text, _ := in[language].(string); text != "" && language != "und" {
			return text
		}
	}
	text, _ := in["und"].(string)
	return text
}

// source is what an object was typed as.
func source(o activitypub.Object) string {
	if text := o.Text("source"); text != "" {
		return text
	}
	return o.Object("source").Text("content")
}

func hashtag(tag activitypub.Object) string {
	if !tag.Is("Hashtag") {
		return ""
	}
	return strings.ToLower(strings.TrimPrefix(strings.TrimSpace(tag.Text("name")), "#"))
}

// hasFiles reports whether an object shows files, in any of the ways that there
// are.
func hasFiles(o activitypub.Object) bool {
	return len(o.List("attachment")) > 0 || len(o.List("image")) > 0 || isFile(o)
}

// isFile reports whether an object is a file itself, which is at its url.
func isFile(o activitypub.Object) bool { return o.Is("Video", "Audio", "Image") }

// rewritten is an object with what policies changed of it.
func rewritten(o activitypub.Object, before, after *mrf.Object) activitypub.Object {
	out := maps.Clone(o)
	replaceText(out, "content", before.Content, after.Content)
	replaceText(out, "summary", before.Summary, after.Summary)
	replaceText(out, "name", before.Name, after.Name)
	if after.Source != before.Source {
		if kept := o.Object("source"); kept != nil {
			kept = maps.Clone(kept)
			kept["content"] = after.Source
			out["source"] = map[string]any(kept)
		} else {
			out["source"] = after.Source
		}
	}
	if before.Attachments && !after.Attachments {
		delete(out, "attachment")
		delete(out, "image")
		if isFile(o) {
			out["url"] = o.URL("url", "text/html")
		}
	}
	if after.Sensitive != before.Sensitive {
		out["sensitive"] = after.Sensitive
	}
	for _, name := range after.Tags {
		if !slices.Contains(before.Tags, name) {
			// In front: of very many tags the last are not read.
			out["tag"] = append([]any{map[string]any{"type": "Hashtag", "name": "#" + name}}, o.List("tag")...)
		}
	}
	return out
}

// replaceText puts a text in place of another, in all languages that have it.
func replaceText(o activitypub.Object, key, before, after string) {
	if before == after {
		return
	}
	o[key] = after
	in, _ := o[key+"Map"].(map[string]any)
	if in == nil {
		return
	}
	kept := map[string]any{}
	for language, text := range in {
		if text == before {
			kept[language] = after
		}
	}
	o[key+"Map"] = kept
}

// readdress gives an activity or object the addresses that policies left, where
// they changed any.
func readdress(o activitypub.Object, before, after *mrf.Activity) {
	if slices.Equal(before.To, after.To) && slices.Equal(before.CC, after.CC) {
		return
	}
	o["to"], o["cc"] = anys(after.To), anys(after.CC)
}

func anys(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}
