package activitypub

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"svc/db"
	"svc/server/platform/hosts"
	"svc/server/platform/text"
)

// NoteInput is a local status with its related rows.
type NoteInput struct {
	Status *db.Status
	Author *db.Account
	Files  []db.MediaAttachment // in their order
	Poll   *db.Poll
	Thread string // URI of the conversation
	Parent string // URI of a stored parent; else the row's InReplyToURI counts
	// Replies are the ids of the author's own replies; nil leaves the collection
	// out.
	Replies []string
	Base    string    // the public base URL, without a slash at its end
	Now     time.Time // decides whether a poll is over
}

// Note is the document of a status: a Note, or a Question if it has a poll.
// Reblogs are an Announce instead. Shape: ActivityStreams Vocabulary.
func Note(in NoteInput) Object {
	s := in.Status
	content := classes(s.Content)
	out := Object{
		"id": uriOf(s), "type": "Note", "actor": in.Author.URI, "attributedTo": in.Author.URI, "to": list(s.ToURIs), "cc": list(s.CCURIs),
		"content": content, "source": Object{"content": s.Text, "mediaType": cmp.Or(s.ContentType, "text/plain")},
		"summary": nil, "sensitive": s.Sensitive, "published": Stamp(s.CreatedAt), "inReplyTo": nil, "url": or(hosts.URI(s.URL), uriOf(s)),
		"attachment": documents(in.Files, in.Base), "tag": tags(s, in.Base),
		"likes": total(s.FavouritesCount), "shares": total(s.ReblogsCount), "interactionPolicy": interactionPolicy(s, in.Author),
	}
	if s.SpoilerText != "" {
		out["summary"] = s.SpoilerText
	}
	if s.Language != "" {
		out["contentMap"] = Object{text.Language(s.Language): content}
	}
	if parent := cmp.Or(in.Parent, s.InReplyToURI); parent != "" {
		out["inReplyTo"] = parent
	}
	if !s.EditedAt.IsZero() {
		out["updated"] = Stamp(s.EditedAt)
	}
	if in.Thread != "" {
		out["context"], out["conversation"] = in.Thread, in.Thread
	}
	if s.Visibility == db.Direct {
		out["directMessage"] = true
	}
	if in.Replies != nil {
		out["replies"] = Object{"id": RepliesURI(uriOf(s)), "type": "Collection", "totalItems": len(in.Replies), "items": in.Replies}
	}
	if in.Poll != nil {
		question(out, in.Poll, in.Now)
	}
	return document(out)
}

// RepliesURI returns the id of the collection of replies to a status.
func RepliesURI(object string) string { return object + "/replies" }

// classes adds the class by which other servers recognise the links of
// hashtags.
func classes(html string) string {
	return strings.ReplaceAll(html, `<a class="hashtag" `, `<a class="mention hashtag" `)
}

func total(n int64) Object { return Object{"type": "Collection", "totalItems": n} }

// tags returns the mentions, hashtags and emoji of a status. Every named
// recipient is a mention, since some servers drop others.
func tags(s *db.Status, base string) []Object {
	out := make([]Object, 0, len(s.Mentions)+len(s.Tags)+len(s.Emojis))
	for _, m := range s.Mentions {
		name := m.Acct
		if !strings.Contains(name, "@") {
			name += "@" + host(base)
		}
		out = append(out, Object{"type": "Mention", "href": m.URI, "name": "@" + name})
	}
	return append(append(out, hashtags(s.Tags, base)...), emojis(s.Emojis)...)
}

func documents(files []db.MediaAttachment, base string) []Object {
	out := make([]Object, len(files))
	for i := range files {
		out[i] = file(&files[i], base)
	}
	return out
}

// file is the document of an attachment. Readers expect the description under
// different keys, so it is written under several.
func file(f *db.MediaAttachment, base string) Object {
	out := Object{"type": "Document", "mediaType": f.MimeType, "url": absolute(cmp.Or(f.URL, f.RemoteURL), base), "name": nil, "summary": nil}
	if f.Description != "" {
		out["name"], out["summary"] = f.Description, f.Description
	}
	if f.Blurhash != "" {
		out["blurhash"] = f.Blurhash
	}
	if f.RemoteURL == "" && f.Width > 0 && f.Height > 0 {
		out["width"], out["height"] = f.Width, f.Height
	}
	if f.FocusX != nil && f.FocusY != nil {
		out["focalPoint"] = []float64{*f.FocusX, *f.FocusY}
	}
	return out
}

func question(out Object, p *db.Poll, now time.Time) {
	options := make([]Object, len(p.Options))
	for i, o := range p.Options {
		options[i] = Object{"type": "Note", "name": o.Named(), "replies": Object{"type": "Collection", "totalItems": o.Votes}}
	}
	kind := "oneOf"
	if p.Multiple {
		kind = "anyOf"
	}
	out["type"], out[kind], out["votersCount"] = "Question", options, p.VotersCount
	if !p.ExpiresAt.IsZero() {
		out["endTime"] = Stamp(p.ExpiresAt)
		if p.Closed(db.At(now)) {
			out["closed"] = Stamp(p.ExpiresAt)
		}
	}
}

// Vote is the document of a vote: uri is its id, poll that of the question.
func Vote(uri, choice, poll string, voter, author *db.Account) Object {
	return document(Object{
		"id": uri, "type": "Note", "actor": voter.URI, "attributedTo": voter.URI, "name": choice, "inReplyTo": poll,
		"to": []string{author.URI}, "cc": []string{},
	})
}

// ChatMessage is the document of a chat message; shown is its file, or nil.
func ChatMessage(m *db.ChatMessage, from, to *db.Account, shown *db.MediaAttachment, base string) Object {
	out := Object{
		"id": m.URI, "type": "ChatMessage", "actor": from.URI, "attributedTo": from.URI, "to": []string{to.URI},
		"published": Stamp(m.CreatedAt), "tag": emojis(m.Emojis),
	}
	if m.Content != "" {
		out["content"] = classes(m.Content)
	}
	if shown != nil {
		out["attachment"] = file(shown, base)
	}
	return document(out)
}

// Addressed reports whether a status is addressed to this id.
func Addressed(s *db.Status, id string) bool {
	return slices.Contains(s.ToURIs, id) || slices.Contains(s.CCURIs, id)
}

func uriOf(s *db.Status) string {
	if s.URI == nil {
		return ""
	}
	return *s.URI
}
