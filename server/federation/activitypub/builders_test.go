package activitypub

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/db"
)

var update = flag.Bool("update", false, "write the golden files")

const base = "https://h.example"

func at(s string) db.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		panic(err)
	}
	return db.At(t)
}

func ann() *db.Account {
	a := db.NewAccount(base, "ann")
	a.ID, a.CreatedAt, a.PublicKey = "A1", at("2026-01-01T00:00:00Z"), "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----\n"
	return a
}

func bob() *db.Account {
	return &db.Account{ID: "B1", URI: "https://p.example/users/bob", URL: "https://p.example/@bob", Nickname: "bob@p.example", Domain: "p.example", FollowersURI: "https://p.example/users/bob/followers"}
}

var blob = db.Emoji{Shortcode: "blob", URL: base + "/emoji/blob.png", StaticURL: base + "/emoji/blob.png"}

// note is a post with everything that one can have.
func note(edit ...func(in *NoteInput)) NoteInput {
	uri := base + "/objects/O1"
	in := NoteInput{
		Base: base, Author: ann(), Now: at("2026-03-02T00:00:00Z").Time, Thread: base + "/contexts/C1",
		Status: &db.Status{
			ID: "S1", URI: &uri, URL: base + "/notice/S1", Local: true, AccountID: "A1", Visibility: db.Public, Text: "hi @bob #x :blob:", ContentType: "text/markdown",
			Content: `<p>hi <a class="hashtag" data-tag="x" href="https://h.example/tag/x" rel="tag ugc">#x</a> :blob: &amp; <b></p>`, Language: "en",
			ToURIs: db.Slice[string]{Public, "https://p.example/users/bob"}, CCURIs: db.Slice[string]{base + "/users/ann/followers"},
			Mentions: db.Slice[db.Mention]{{URI: "https://p.example/users/bob", Acct: "bob@p.example"}, {URI: base + "/users/cat", Acct: "cat"}},
			Tags:     db.Slice[string]{"x"}, Emojis: db.Slice[db.Emoji]{blob}, FavouritesCount: 2, ReblogsCount: 1, CreatedAt: at("2026-03-01T10:00:00.123456Z"),
		},
	}
	for _, e := range edit {
		e(&in)
	}
	return in
}

// TestDocumentsAreAsOthersReadThem holds every builder to a golden file. The context,
// which is the same in each, has its own: context.json.
func TestDocumentsAreAsOthersReadThem(t *testing.T) {
	full := ann()
	yes := true
	full.DisplayName, full.Note, full.NoteHTML, full.Locked, full.Discoverable = "Ann :blob:", "likes #Tea and #cake", "<p>likes #Tea and #cake</p>", true, true
	full.FieldsHTML = db.Slice[db.Field]{{Name: "Site", Value: `<a href="https://ann.example" rel="me">ann.example</a>`}}
	full.Emojis, full.Tags = db.Slice[db.Emoji]{blob}, db.Slice[string]{"mrf_tag:sandbox"}
	full.Avatar, full.Header = "/media/a.PNG?name=x.png", "https://cdn.example/h.webp"
	full.AlsoKnownAs, full.MovedTo, full.AcceptsChatMessages = db.Slice[string]{"https://old.example/users/ann"}, "https://new.example/users/ann", &yes
	bot := ann()
	bot.ActorType, bot.AcceptsChatMessages = "Service", nil
	relay := db.NewAccount(base, "relay")
	relay.URI, relay.URL, relay.ActorType, relay.Invisible, relay.CreatedAt = base+"/relay", base+"/relay", "Application", true, at("2026-01-01T00:00:00Z")
	relay.Inbox, relay.Outbox, relay.FollowersURI, relay.FollowingURI, relay.FeaturedURI = base+"/relay/inbox", base+"/relay/outbox", base+"/relay/followers", base+"/relay/following", ""
	relay.KeyID, relay.PublicKey = base+"/relay#main-key", "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----\n"

	poll := func(multiple bool, now string) func(*NoteInput) {
		return func(in *NoteInput) {
			in.Poll = &db.Poll{Multiple: multiple, Options: db.Slice[db.PollOption]{{Title: "yes", Votes: 3}, {Title: "no"}}, VotersCount: 3, ExpiresAt: at("2026-03-05T00:00:00Z")}
			in.Now = at(now).Time
		}
	}
	boostURI := base + "/activities/B1"
	boost := &db.Status{URI: &boostURI, ToURIs: db.Slice[string]{base + "/users/ann/followers", "https://p.example/users/bob", Public}, CreatedAt: at("2026-03-01T11:00:00Z")}
	message := &db.ChatMessage{URI: base + "/objects/M1", Content: "hello :blob:", Emojis: db.Slice[db.Emoji]{blob}, CreatedAt: at("2026-03-01T12:00:00Z")}
	when := at("2026-03-01T13:00:00Z").Time

	context := indent(t, Context())
	golden(t, "context", context)
	for name, doc := range map[string]Object{
		"actor": Actor(full, base), "actor_bare": Actor(bot, base), "actor_relay": Actor(relay, base), "actor_stub": ActorStub(full),
		"note": Note(note()),
		"note_reply": Note(note(func(in *NoteInput) {
			s := in.Status
			in.Parent, in.Replies, s.SpoilerText, s.Sensitive, s.EditedAt = "https://p.example/objects/P1", []string{base + "/objects/O2"}, "careful", true, at("2026-03-01T10:30:00.5Z")
			s.Mentions, s.Tags, s.Emojis, s.Language = nil, nil, nil, ""
			in.Files = []db.MediaAttachment{
				{URL: "/media/f.png", MimeType: "image/png", Description: "a cat", Blurhash: "LEHV6nWB2yk8"}, {URL: "https://cdn.example/v.mp4", MimeType: "video/mp4"},
			}
		})),
		"note_direct": Note(note(func(in *NoteInput) {
			in.Status.Visibility, in.Status.ToURIs, in.Status.CCURIs = db.Direct, db.Slice[string]{"https://p.example/users/bob"}, nil
			in.Status.InReplyToURI = "https://p.example/objects/unknown"
		})),
		"question":        Note(note(poll(false, "2026-03-02T00:00:00Z"))),
		"question_closed": Note(note(poll(true, "2026-03-05T00:00:00Z"))),
		"vote":            Vote(base+"/objects/V1", "yes", "https://p.example/objects/Q1", ann(), bob()),
		"chat_message":    ChatMessage(message, ann(), bob(), &db.MediaAttachment{URL: "/media/f.png", MimeType: "image/png"}, base),
		"create":          Create(note()),
		"announce":        Announce(boost, ann(), "https://p.example/objects/P1", "https://p.example/contexts/C9"),
		"accept": Activity("Accept", base+"/activities/A2", full.URI, Inner("Follow", "https://p.example/activities/F9", bob().URI, full.URI),
			[]string{bob().URI}, nil, when),
		"undo": Activity("Undo", base+"/activities/A3", full.URI,
			Activity("Like", base+"/activities/L1", full.URI, "https://p.example/objects/P1", []string{bob().URI}, nil, when), []string{bob().URI}, nil, when),
		"delete": Activity("Delete", base+"/activities/A4", full.URI, Tombstone(base+"/objects/O1", "Note", at("2026-03-01T13:00:00Z")), []string{Public}, nil, when),
		"update": Activity("Update", base+"/activities/A5", full.URI, Actor(full, base), []string{Public, full.FollowersURI}, nil, when),

		"collection":        OrderedCollection(full.FollowersURI, 7, full.FollowersURI+"?page=true"),
		"collection_hidden": OrderedCollection(full.FollowersURI, -1, ""),
		"collection_items":  OrderedItems(full.FeaturedURI, []any{base + "/objects/O1"}),
		"replies":           Items(RepliesURI(base+"/objects/O1"), nil),
		"page": Page(PageInput{ID: full.Outbox + "?page=true&max_id=3", PartOf: full.Outbox, Prev: full.Outbox + "?page=true&min_id=2", Next: full.Outbox + "?page=true&max_id=1",
			Total: 9, Items: []any{Create(note())}}),
	} {
		if diff := cmp.Diff(context, indent(t, doc["@context"])); diff != "" {
			t.Errorf("the context of %s: %s", name, diff)
		}
		raw, err := Encode(doc)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(raw), `"@context"`); n != 1 {
			t.Errorf("%s has %d contexts", name, n)
		}
		doc["@context"] = "context.json"
		golden(t, name, indent(t, doc))
		// A document we write can be read, and is no deeper than we accept.
		if _, err := Decode(raw); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// indent returns the JSON of v as it is sent, but with one value a line.
func indent(t *testing.T, v any) string {
	t.Helper()
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// golden holds got to the file of that name.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".json")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s: %s", name, diff)
	}
}

func TestWhenAPostWasPublishedNeverChanges(t *testing.T) {
	before := Note(note())
	after := Note(note(func(in *NoteInput) {
		in.Status.Content, in.Status.EditedAt = "<p>changed</p>", at("2026-03-01T10:00:00.999Z")
		in.Now = in.Now.Add(time.Hour)
	}))
	again := Note(note(func(in *NoteInput) { in.Status.EditedAt = at("2026-03-01T10:00:01Z") }))
	if before["published"] != after["published"] || before["updated"] != nil {
		t.Errorf("%v, then %v; updated %v", before["published"], after["published"], before["updated"])
	}
	if after.Text("updated") >= again.Text("updated") || after.Text("updated") <= after.Text("published") {
		t.Errorf("published %v, updated %v, then %v", after["published"], after["updated"], again["updated"])
	}
}

func TestBtoAndBccAreNotSent(t *testing.T) {
	inner := Object{"id": "https://h.example/objects/O1", "type": "Note", "bto": []string{"x"}, "bcc": []string{"y"}, "content": "z"}
	for name, doc := range map[string]Object{
		"activity": Activity("Create", "https://h.example/activities/A1", base+"/users/ann", inner, nil, nil, time.Now()),
		"inner":    Inner("Create", "https://h.example/activities/A1", base+"/users/ann", map[string]any(inner)),
		"items":    OrderedItems("https://h.example/x", []any{inner}),
		"page":     Page(PageInput{Items: []any{inner}}),
	} {
		raw, err := Encode(doc)
		if err != nil || strings.Contains(string(raw), `"bto"`) || strings.Contains(string(raw), `"bcc"`) || !strings.Contains(string(raw), `"content":"z"`) {
			t.Errorf("%s: %s %v", name, raw, err)
		}
	}
}

func TestAPostAndItsCreateKnowEachOther(t *testing.T) {
	for object, create := range map[string]string{
		base + "/objects/O1": base + "/activities/O1", base + "/relay": "", "": "",
	} {
		if got := CreateID(object); got != create {
			t.Errorf("the Create of %q is %q", object, got)
		}
		if create != "" && ObjectID(create) != object {
			t.Errorf("%q is the Create of %q", create, ObjectID(create))
		}
	}
}

// TestBuiltDocumentsReadTheSame reads a document as it was built and as it comes
// back.
func TestBuiltDocumentsReadTheSame(t *testing.T) {
	built := Create(note())
	raw, err := Encode(built)
	if err != nil {
		t.Fatal(err)
	}
	back, err := Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func(o Object) any{
		"to":       func(o Object) any { return o.Addresses("to") },
		"cc":       func(o Object) any { return o.Addresses("cc") },
		"object":   func(o Object) any { return o.IDOf("object") },
		"content":  func(o Object) any { return o.Object("object").Text("content") },
		"tags":     func(o Object) any { return len(o.Object("object").Objects("tag")) },
		"mention":  func(o Object) any { return o.Object("object").Objects("tag")[0].Text("href") },
		"question": func(o Object) any { return o.Object("object").Is("Note") },
	} {
		if diff := cmp.Diff(read(back), read(built)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
