package peer

import (
	"time"
)

const context = "https://www.w3.org/ns/activitystreams"

// Stamp is a time as it stands in documents.
func Stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

// Note is a public post, addressed to its author's followers too. It is not
// served before Publish.
func (a *Actor) Note(content string) Doc {
	id := a.Peer.ID("notes")
	return Doc{
		"@context": context, "id": id, "type": "Note", "attributedTo": a.ID, "to": []string{Public}, "cc": []string{a.Followers()},
		"content": content, "published": Stamp(time.Now()), "url": id, "sensitive": false, "summary": nil, "inReplyTo": nil,
		"tag": []any{}, "attachment": []any{},
	}
}

// To is a note with other recipients than the public.
func (d Doc) To(to, cc []string) Doc {
	if cc == nil {
		cc = []string{}
	}
	return d.With("to", to).With("cc", cc)
}

// Mentioning is a note with a mention of an actor.
func (d Doc) Mentioning(id, name string) Doc {
	out := d.Clone()
	tags, _ := out["tag"].([]any)
	out["tag"] = append(tags, Doc{"type": "Mention", "href": id, "name": "@" + name})
	return out
}

// Activity is an activity of the actor, without recipients.
func (a *Actor) Activity(kind string, object any) Doc {
	return Doc{"@context": context, "id": a.Peer.ID("activities"), "type": kind, "actor": a.ID, "object": object, "published": Stamp(time.Now())}
}

// Create is the Create of a note, with the addresses of the note.
func (a *Actor) Create(note Doc) Doc { return a.about("Create", note) }

// Update is the Update of an object, with the addresses of the object.
func (a *Actor) Update(object Doc) Doc {
	if object["to"] == nil {
		return a.Activity("Update", object).To([]string{Public}, []string{a.Followers()})
	}
	return a.about("Update", object)
}

func (a *Actor) about(kind string, object Doc) Doc {
	out := a.Activity(kind, object)
	out["to"], out["cc"] = object["to"], object["cc"]
	return out
}

// Follow asks to follow an actor.
func (a *Actor) Follow(target string) Doc {
	return a.Activity("Follow", target).To([]string{target}, nil)
}

// Accept accepts the Follow of another actor.
func (a *Actor) Accept(follow Doc) Doc { return a.reply("Accept", follow) }

// Reject refuses a follow, or ends it later.
func (a *Actor) Reject(follow Doc) Doc { return a.reply("Reject", follow) }

func (a *Actor) reply(kind string, follow Doc) Doc {
	return a.Activity(kind, Doc{"id": follow["id"], "type": "Follow", "actor": follow["actor"], "object": follow["object"]}).To([]string{follow.Text("actor")}, nil)
}

// Undo undoes one of the actor's activities.
func (a *Actor) Undo(activity Doc) Doc {
	out := a.Activity("Undo", activity)
	out["to"], out["cc"] = activity["to"], activity["cc"]
	return out
}

// Like likes the object of an author.
func (a *Actor) Like(object, author string) Doc {
	return a.Activity("Like", object).To([]string{author}, nil)
}

// Announce announces an object to everybody.
func (a *Actor) Announce(object string) Doc {
	return a.Activity("Announce", object).To([]string{Public}, []string{a.Followers()})
}

// Delete deletes an object, or the actor itself.
func (a *Actor) Delete(id string) Doc {
	var object any = Doc{"id": id, "type": "Tombstone"}
	if id == a.ID {
		object = id
	}
	return a.Activity("Delete", object).To([]string{Public}, []string{a.Followers()})
}

// Vote is one vote in a poll of another author.
func (a *Actor) Vote(poll, author, choice string) Doc {
	note := Doc{"id": a.Peer.ID("votes"), "type": "Note", "name": choice, "inReplyTo": poll, "attributedTo": a.ID, "to": []string{author}}
	return a.Activity("Create", note).To([]string{author}, nil)
}

// Question is a poll that ends at a time.
func (a *Actor) Question(content string, ends time.Time, multiple bool, options ...string) Doc {
	d := a.Note(content)
	key := "oneOf"
	if multiple {
		key = "anyOf"
	}
	var list []any
	for _, o := range options {
		list = append(list, Doc{"type": "Note", "name": o, "replies": Doc{"type": "Collection", "totalItems": 0}})
	}
	d["type"], d[key], d["endTime"], d["votersCount"] = "Question", list, Stamp(ends), 0
	return d
}

// ChatMessage is a chat message to one actor.
func (a *Actor) ChatMessage(to, content string) Doc {
	return Doc{"@context": context, "id": a.Peer.ID("chats"), "type": "ChatMessage", "actor": a.ID, "attributedTo": a.ID, "to": []string{to}, "content": content, "published": Stamp(time.Now()), "tag": []any{}}
}
