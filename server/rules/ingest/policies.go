package ingest

import (
	"context"
	"errors"
	"maps"
	"slices"

	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/federation/mrf"
	"svc/server/platform/config"
	"svc/server/platform/text"
)

// judge applies the policies to a remote activity and returns the result; the
// given one is not changed. The object of a Create or Update must be embedded:
// activity and object get the same addresses. A fetched status is judged as if
// its author had just sent its Create. A rejection is *mrf.Rejection.
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
		if object.IsPost() && !isVote(object) && len(object.Addresses("to"))+len(object.Addresses("cc")) == 0 {
			object["to"], object["cc"] = anys(before.To), anys(before.CC) // some servers address the activity alone
		}
		readdress(object, &before, &after)
		out["object"] = map[string]any(object)
	}
	readdress(out, &before, &after)
	return out, nil
}

// judged returns an activity in the form of the policies.
func (s *Service) judged(ctx context.Context, settings *config.Policies, actor *db.Account, activity activitypub.Object) (mrf.Activity, error) {
	a := mrf.Activity{
		Type: activity.Type(), Actor: mrf.ActorOf(actor, s.host), To: activity.Addresses("to"), CC: activity.Addresses("cc"),
	}
	var err error
	switch object := activity.Object("object"); {
	case activity.Is(mrf.Create, mrf.Update) && object != nil && !isActor(object):
		// The object's addresses count: some servers address activities less widely
		// than their objects.
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

// described returns an object in the form of the policies.
func (s *Service) described(ctx context.Context, settings *config.Policies, author *db.Account, o activitypub.Object) (*mrf.Object, error) {
	sensitive, _ := o.Bool("sensitive")
	out := &mrf.Object{
		Type: o.Type(), Content: textOf(o, "content"), Summary: textOf(o, "summary"), Name: textOf(o, "name"), Source: source(o),
		Attachments: hasFiles(o), Sensitive: sensitive, Published: o.Time("published"),
	}
	out.SourceHTML = o.Object("source").Text("mediaType") == text.TypeHTML
	for _, option := range slices.Concat(o.Objects("oneOf"), o.Objects("anyOf")) {
		out.Options = append(out.Options, option.Text("name"))
	}
	if isVote(o) {
		out.Options, out.Name = append(out.Options, out.Name), ""
	}
	for _, file := range slices.Concat(o.Objects("attachment"), o.Objects("image")) {
		out.Descriptions = append(out.Descriptions, textOf(file, "name"), textOf(file, "summary"))
	}
	for _, tag := range o.Objects("tag") {
		if name := hashtag(tag); name != "" {
			out.Tags = append(out.Tags, name)
		}
	}
	parent := o.IDOf("inReplyTo")
	if out.Reply = parent != ""; out.Reply && out.Summary != "" && mrf.AsksParent(settings) {
		status, err := s.db.StatusAt(ctx, parent)
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

// followed adds the facts about a follow that policies ask for.
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

// textOf returns the text under a key: by itself, or in the first of its
// languages.
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

// source returns the source of an object's text.
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
	return text.Tag(tag.Text("name"))
}

// hasFiles reports whether an object has files, in any of the known forms.
func hasFiles(o activitypub.Object) bool {
	return len(o.List("attachment")) > 0 || len(o.List("image")) > 0 || isFile(o)
}

// isFile reports whether an object is a file itself, at its url.
func isFile(o activitypub.Object) bool { return o.Is("Video", "Audio", "Image") }

// rewritten returns an object with the changes of the policies.
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
	redescribe(out, before.Descriptions, after.Descriptions)
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
			// In front, since the last of very many tags are not read.
			out["tag"] = append([]any{map[string]any{"type": "Hashtag", "name": "#" + name}}, o.List("tag")...)
		}
	}
	return out
}

// redescribe gives the files of an object their changed descriptions.
func redescribe(o activitypub.Object, before, after []string) {
	if slices.Equal(before, after) {
		return
	}
	changed := map[string]string{}
	for i := range before {
		changed[before[i]] = after[i]
	}
	for _, key := range []string{"attachment", "image"} {
		list := slices.Clone(o.List(key))
		for i, item := range list {
			if file, ok := item.(map[string]any); ok {
				file := activitypub.Object(maps.Clone(file))
				for _, field := range []string{"name", "summary"} {
					old := textOf(file, field)
					if with, ok := changed[old]; ok {
						replaceText(file, field, old, with)
					}
				}
				list[i] = map[string]any(file)
			}
		}
		if len(list) > 0 {
			o[key] = list
		}
	}
}

// replaceText replaces a text, in all languages that have it.
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

// readdress gives an activity or object the addresses that policies left, if
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
