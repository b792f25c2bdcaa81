package activitypub

import (
	"strings"
	"time"

	"svc/db"
)

// Activity is something that an actor does. The object is an id or a document,
// which loses the context that it has by itself.
func Activity(kind, id, actor string, object any, to, cc []string, at time.Time) Object {
	return document(Object{
		"id": id, "type": kind, "actor": actor, "object": Part(object), "to": list(to), "cc": list(cc), "published": stamp(at),
	})
}

// Inner is an activity as it stands in the one that answers or undoes it.
func Inner(kind, id, actor string, object any) Object {
	return Object{"id": id, "type": kind, "actor": actor, "object": Part(object)}
}

// CreateID is the id of the Create of a post of this server: that of the post,
// told from another place. What is not below /objects/ has none.
func CreateID(object string) string {
	if i := strings.LastIndex(object, "/objects/"); i >= 0 {
		return object[:i] + "/activities/" + object[i+len("/objects/"):]
	}
	return ""
}

// ObjectID is the id of the post that a Create with this id is of.
func ObjectID(create string) string {
	if i := strings.LastIndex(create, "/activities/"); i >= 0 {
		return create[:i] + "/objects/" + create[i+len("/activities/"):]
	}
	return ""
}

// Create is the activity by which a post was made.
func Create(in NoteInput) Object {
	note := Note(in)
	out := Activity("Create", CreateID(note.ID()), in.Author.URI, note, in.Status.ToURIs, in.Status.CCURIs, in.Status.CreatedAt.Time)
	for _, key := range []string{"context", "directMessage"} {
		if v, ok := note[key]; ok {
			out[key] = v
		}
	}
	return out
}

// Announce is the activity of a boost: object is what is boosted, thread the
// URI of its conversation, or empty.
func Announce(s *db.Status, by *db.Account, object, thread string) Object {
	to, cc := s.ToURIs, s.CCURIs
	if len(to)+len(cc) == 0 && s.Visibility == db.Public { // made before boosts were told of
		to, cc = db.Slice[string]{Public}, db.Slice[string]{by.FollowersURI}
	}
	out := Activity("Announce", uriOf(s), by.URI, object, to, cc, s.CreatedAt.Time)
	if thread != "" {
		out["context"] = thread
	}
	return out
}

// Tombstone is what is left of a deleted post or account. The type may be
// unknown, and so may the time.
func Tombstone(id, formerType string, deleted db.Time) Object {
	out := Object{"id": id, "type": "Tombstone"}
	if formerType != "" {
		out["formerType"] = formerType
	}
	if !deleted.IsZero() {
		out["deleted"] = Stamp(deleted)
	}
	return document(out)
}

// InputOf is a post with what stands beside it on its page.
func InputOf(b *db.Related, s *db.Status, author *db.Account, base string, now time.Time) NoteInput {
	return NoteInput{
		Status: s, Author: author, Files: b.Files[s.ID], Poll: b.Poll(s), Thread: b.Thread(s), Parent: b.URI(s.InReplyToID), Base: base, Now: now,
	}
}

// ActivityOf is the activity by which a post or boost was made.
func ActivityOf(b *db.Related, s *db.Status, author *db.Account, base string, now time.Time) Object {
	if s.ReblogOfID == nil {
		return Create(InputOf(b, s, author, base, now))
	}
	return Announce(s, author, b.URI(s.ReblogOfID), b.Thread(s))
}
