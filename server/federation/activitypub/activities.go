package activitypub

import (
	"strings"
	"time"

	"svc/db"
)

// Activity is the document of an activity. The object is an id or a document,
// which loses its own context.
func Activity(kind, id, actor string, object any, to, cc []string, at time.Time) Object {
	return document(Object{
		"id": id, "type": kind, "actor": actor, "object": Part(object), "to": list(to), "cc": list(cc), "published": stamp(at),
	})
}

// Inner is an activity as part of the one that answers or undoes it.
func Inner(kind, id, actor string, object any) Object {
	return Object{"id": id, "type": kind, "actor": actor, "object": Part(object)}
}

// CreateID returns the id of a local status's Create, derived from the status's
// id; "" for an id outside of /objects/.
func CreateID(object string) string {
	if i := strings.LastIndex(object, "/objects/"); i >= 0 {
		return object[:i] + "/activities/" + object[i+len("/objects/"):]
	}
	return ""
}

// ObjectID returns the id of the status of the Create with this id.
func ObjectID(create string) string {
	if i := strings.LastIndex(create, "/activities/"); i >= 0 {
		return create[:i] + "/objects/" + create[i+len("/activities/"):]
	}
	return ""
}

// Create is the activity that created a status.
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

// Announce is the activity of a reblog: object is the id of the reblogged
// status, thread the URI of its conversation, or empty.
func Announce(s *db.Status, by *db.Account, object, thread string) Object {
	to, cc := s.ToURIs, s.CCURIs
	if len(to)+len(cc) == 0 && s.Visibility == db.Public { // made before reblogs were federated
		to, cc = db.Slice[string]{Public}, db.Slice[string]{by.FollowersURI}
	}
	out := Activity("Announce", uriOf(s), by.URI, object, to, cc, s.CreatedAt.Time)
	if thread != "" {
		out["context"] = thread
	}
	return out
}

// Tombstone is the rest of a deleted status or account. Type and time may be
// unknown.
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

// InputOf returns a status with its related rows.
func InputOf(b *db.Related, s *db.Status, author *db.Account, base string, now time.Time) NoteInput {
	return NoteInput{
		Status: s, Author: author, Files: b.Files[s.ID], Poll: b.Poll(s), Thread: b.Thread(s), Parent: b.URI(s.InReplyToID), Base: base, Now: now,
	}
}

// ActivityOf is the activity that created a status or reblog.
func ActivityOf(b *db.Related, s *db.Status, author *db.Account, base string, now time.Time) Object {
	if s.ReblogOfID == nil {
		return Create(InputOf(b, s, author, base, now))
	}
	return Announce(s, author, b.URI(s.ReblogOfID), b.Thread(s))
}
