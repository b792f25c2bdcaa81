package archive

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"time"

	"svc/db"
)

type object = map[string]any

// terms is the context of all documents. Shape: JSON-LD 1.1, with the names
// that the fediverse uses.
var terms = []any{
	"https://www.w3.org/ns/activitystreams", "https://w3id.org/security/v1",
	object{
		"toot": "http://joinmastodon.org/ns#", "schema": "http://schema.org#", "ostatus": "http://ostatus.org#",
		"sensitive": "as:sensitive", "Hashtag": "as:Hashtag", "manuallyApprovesFollowers": "as:manuallyApprovesFollowers",
		"alsoKnownAs": object{"@id": "as:alsoKnownAs", "@type": "@id"}, "Emoji": "toot:Emoji", "discoverable": "toot:discoverable",
		"featured": object{"@id": "toot:featured", "@type": "@id"}, "votersCount": "toot:votersCount",
		"PropertyValue": "schema:PropertyValue", "value": "schema:value", "conversation": object{"@id": "ostatus:conversation", "@type": "@id"},
	},
}

func encode(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// actor is the profile. Shape: ActivityPub 4.1; pictures are files beside it.
func (s *Service) actor(a *db.Account, pictures map[string]string) object {
	fields := make([]object, len(a.FieldsHTML))
	for i, f := range a.FieldsHTML {
		fields[i] = object{"type": "PropertyValue", "name": f.Name, "value": f.Value}
	}
	out := object{
		"@context": terms, "id": a.URI, "type": a.ActorType, "preferredUsername": a.Nickname, "name": a.DisplayName, "summary": a.NoteHTML,
		"url": a.URL, "published": stamp(a.CreatedAt), "inbox": a.Inbox, "followers": a.FollowersURI, "following": a.FollowingURI,
		"featured": a.FeaturedURI, "endpoints": object{"sharedInbox": a.SharedInbox},
		"publicKey":                 object{"id": a.KeyID, "owner": a.URI, "publicKeyPem": a.PublicKey},
		"manuallyApprovesFollowers": a.Locked, "discoverable": a.Discoverable, "attachment": fields, "tag": emojis(a.Emojis),
		"alsoKnownAs": texts(a.AlsoKnownAs), "outbox": "outbox.json", "likes": "likes.json", "bookmarks": "bookmarks.json",
	}
	for name, part := range map[string]string{"icon": "avatar", "image": "header"} {
		if pictures[part] != "" {
			out[name] = object{"type": "Image", "url": pictures[part]}
		}
	}
	return out
}

// outbox writes all posts and boosts, the oldest first.
func (s *Service) outbox(ctx context.Context, w io.Writer, a *db.Account) error {
	return collection(w, "outbox.json", func(item func(any) error) error {
		for after := ""; ; {
			rows, err := s.db.StatusesAfter(ctx, a.ID, after, pageSize)
			if err != nil || len(rows) == 0 {
				return err
			}
			after = rows[len(rows)-1].ID
			activities, err := s.activities(ctx, a, rows)
			if err != nil {
				return err
			}
			for _, activity := range activities {
				if err := item(activity); err != nil {
					return err
				}
			}
		}
	})
}

// kept writes the ids of what an account likes or has bookmarked.
func (s *Service) kept(ctx context.Context, w io.Writer, id string, a *db.Account,
	page func(ctx context.Context, accountID, after string, limit int) ([]db.Kept, error)) error {
	return collection(w, id, func(item func(any) error) error {
		for after := ""; ; {
			rows, err := page(ctx, a.ID, after, pageSize)
			if err != nil || len(rows) == 0 {
				return err
			}
			for _, k := range rows {
				after = k.Key
				if k.URI == "" {
					continue
				}
				if err := item(k.URI); err != nil {
					return err
				}
			}
		}
	})
}

// collection writes an OrderedCollection item by item; how many there were is
// known at its end.
func collection(w io.Writer, id string, items func(item func(any) error) error) error {
	head, err := json.Marshal(terms)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, `{"@context":`+string(head)+`,"id":"`+id+`","type":"OrderedCollection","orderedItems":[`); err != nil {
		return err
	}
	n := 0
	err = items(func(v any) error {
		if n++; n > 1 {
			if _, err := io.WriteString(w, ","); err != nil {
				return err
			}
		}
		return encode(w, v)
	})
	if err != nil {
		return err
	}
	total, err := json.Marshal(n)
	if err == nil {
		_, err = io.WriteString(w, `],"totalItems":`+string(total)+"}\n")
	}
	return err
}

// beside is what activities of a page of statuses need besides their rows.
type beside struct {
	base    string
	others  map[string]db.Status // parents and what is boosted
	files   map[string][]db.MediaAttachment
	polls   map[int64]*db.Poll
	threads map[int64]string
}

// activities turns a page of statuses into what was federated of them, or would
// have been: six statements.
func (s *Service) activities(ctx context.Context, a *db.Account, rows []db.Status) ([]object, error) {
	b := beside{base: s.base, others: map[string]db.Status{}, files: map[string][]db.MediaAttachment{}}
	var ids, others []string
	var polls, threads []int64
	for _, r := range rows {
		ids = append(ids, r.ID)
		for _, other := range []*string{r.ReblogOfID, r.InReplyToID} {
			if other != nil {
				others = append(others, *other)
			}
		}
		if r.PollID != nil {
			polls = append(polls, *r.PollID)
		}
		if r.ConversationID != nil {
			threads = append(threads, *r.ConversationID)
		}
	}
	known, err := s.db.StatusesByID(ctx, others)
	if err != nil {
		return nil, err
	}
	for _, o := range known {
		b.others[o.ID] = o
	}
	files, err := s.db.Attachments(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		b.files[*f.StatusID] = append(b.files[*f.StatusID], f)
	}
	if b.polls, err = s.db.Polls(ctx, polls); err != nil {
		return nil, err
	}
	if b.threads, err = s.db.ConversationURIs(ctx, threads); err != nil {
		return nil, err
	}
	out := make([]object, len(rows))
	for i := range rows {
		out[i] = b.activity(a, &rows[i])
	}
	return out, nil
}

func (b *beside) uri(id *string) any {
	if id != nil {
		if s, ok := b.others[*id]; ok && s.URI != nil {
			return *s.URI
		}
	}
	return nil
}

func (b *beside) activity(a *db.Account, s *db.Status) object {
	out := object{"type": "Create", "actor": a.URI, "published": stamp(s.CreatedAt), "to": texts(s.ToURIs), "cc": texts(s.CCURIs)}
	if s.ReblogOfID != nil {
		out["type"], out["id"], out["object"] = "Announce", s.URI, b.uri(s.ReblogOfID)
		return out
	}
	out["object"] = b.note(a, s)
	if s.URI != nil {
		out["id"] = *s.URI + "/activity"
	}
	return out
}

// note is a post. Shape: ActivityStreams Vocabulary, Note and Question.
func (b *beside) note(a *db.Account, s *db.Status) object {
	out := object{
		"id": s.URI, "type": "Note", "actor": a.URI, "attributedTo": a.URI, "to": texts(s.ToURIs), "cc": texts(s.CCURIs), "content": s.Content,
		"source": object{"content": s.Text, "mediaType": s.ContentType}, "summary": nil, "sensitive": s.Sensitive, "published": stamp(s.CreatedAt),
		"inReplyTo": b.uri(s.InReplyToID), "url": s.URL,
	}
	if s.SpoilerText != "" {
		out["summary"] = s.SpoilerText
	}
	if s.Language != "" {
		out["contentMap"] = object{s.Language: s.Content}
	}
	if s.InReplyToURI != "" {
		out["inReplyTo"] = s.InReplyToURI
	}
	if !s.EditedAt.IsZero() {
		out["updated"] = stamp(s.EditedAt)
	}
	if s.ConversationID != nil {
		out["context"], out["conversation"] = b.threads[*s.ConversationID], b.threads[*s.ConversationID]
	}
	tags := emojis(s.Emojis)
	for _, m := range s.Mentions {
		tags = append(tags, object{"type": "Mention", "href": m.URI, "name": "@" + m.Acct})
	}
	for _, t := range s.Tags {
		tags = append(tags, object{"type": "Hashtag", "href": b.base + "/tags/" + t, "name": "#" + t})
	}
	files := []object{}
	for _, f := range b.files[s.ID] {
		url := f.URL
		if f.File != "" {
			url = "media/" + f.File
		}
		files = append(files, object{"type": "Document", "mediaType": f.MimeType, "url": url, "name": f.Description, "summary": f.Description})
	}
	out["tag"], out["attachment"] = tags, files
	if s.PollID != nil && b.polls[*s.PollID] != nil {
		b.question(out, b.polls[*s.PollID])
	}
	return out
}

func (b *beside) question(out object, p *db.Poll) {
	options := make([]object, len(p.Options))
	for i, o := range p.Options {
		options[i] = object{"type": "Note", "name": o.Title, "replies": object{"type": "Collection", "totalItems": o.Votes}}
	}
	kind := "oneOf"
	if p.Multiple {
		kind = "anyOf"
	}
	out["type"], out[kind], out["votersCount"] = "Question", options, p.VotersCount
	if !p.ExpiresAt.IsZero() {
		out["endTime"] = stamp(p.ExpiresAt)
	}
}

func emojis(list []db.Emoji) []object {
	out := []object{}
	for _, e := range list {
		out = append(out, object{"type": "Emoji", "name": ":" + strings.Trim(e.Shortcode, ":") + ":", "icon": object{"type": "Image", "url": e.URL}})
	}
	return out
}

// texts is a list that is never null in JSON.
func texts(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func stamp(t db.Time) string { return t.UTC().Format(time.RFC3339) }
