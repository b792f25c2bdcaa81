package outbox_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/db"
	"svc/db/dbtest"
	"svc/server/federation/activitypub"
	"svc/server/rules/social/socialtest"
	"svc/server/servertest"
)

var update = flag.Bool("update", false, "write the golden files")

// far is an address where nobody listens: activities for it never arrive.
const far = "http://127.0.0.9:1"

// world is a server with ann and her follower eve on another server.
type world struct {
	*servertest.Server
	t    *testing.T
	ann  *client.Client
	root *client.Client
	id   map[string]string // accounts
	seen int64
}

func newWorld(t *testing.T, s *servertest.Server) *world {
	w := &world{Server: s, t: t, ann: s.Client("ann"), root: s.Admin("root"), id: map[string]string{}}
	for _, name := range []string{"ann", "root", "bob"} {
		w.id[name] = s.User(name).ID
	}
	w.stranger("eve", true)
	w.stranger("zed", false)
	w.follows("eve", "ann", false)
	// As if one of ann's posts had reached eve's server, which it does at some
	// time during the test anyway.
	w.must(dbtest.Exec(t, w.DB, "INSERT INTO reached (account_id, inbox, at) VALUES (?, ?, 0)", w.id["ann"], w.account("eve").SharedInbox))
	return w
}

// stranger is an account of another server, of which it is known, or not, that
// it takes chat messages.
func (w *world) stranger(nickname string, chats bool) *db.Account {
	w.t.Helper()
	a := db.NewAccount(far, nickname)
	a.Local, a.Domain, a.AcceptsChatMessages, a.FetchedAt = false, "127.0.0.9:1", nil, w.DB.Now()
	if chats {
		a.AcceptsChatMessages = &chats
	}
	a.Nickname += "@" + a.Domain
	a.NickKey = a.Nickname
	w.must(w.DB.CreateAccount(w.t.Context(), a))
	w.must(w.DB.AddInstance(w.t.Context(), a.Domain))
	w.id[nickname] = a.ID
	return a
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) account(name string) *db.Account {
	w.t.Helper()
	a, err := w.DB.Account(w.t.Context(), w.id[name])
	w.must(err)
	return a
}

// follows keeps that a stranger follows, or asks to.
func (w *world) follows(stranger, target string, pending bool) {
	w.t.Helper()
	w.must(w.DB.CreateFollow(w.t.Context(), &db.Follow{
		FollowerID: w.id[stranger], TargetID: w.id[target], URI: far + "/activities/follow-" + stranger, Pending: pending, Reblogs: true,
	}))
}

// theirs is a post of a stranger's.
func (w *world) theirs(stranger, visibility, uri string, poll *activitypub.Poll) *db.Status {
	w.t.Helper()
	return socialtest.Post(w.t, w.Social, w.account(stranger), visibility, activitypub.Post{ID: far + uri, Content: "<p>hi</p>", Poll: poll})
}

// kept is an activity as the tests compare it.
type kept struct {
	Type     string         `json:"type"`
	By       string         `json:"by"`
	Of       string         `json:"of"`
	Priority int            `json:"priority"`
	Audience db.Audience    `json:"audience"`
	Bodies   map[string]any `json:"bodies,omitempty"` // of some inboxes
	Body     any            `json:"body"`
}

// told are the activities that were kept since it was asked last.
func (w *world) told() []db.Activity {
	w.t.Helper()
	rows, err := w.DB.Writer().QueryContext(w.t.Context(), fmt.Sprintf(
		"SELECT id, uri, account_id, type, object_uri, body, priority, audience FROM activities WHERE id > %d ORDER BY id", w.seen))
	w.must(err)
	defer func() { _ = rows.Close() }()
	var out []db.Activity
	for rows.Next() {
		var a db.Activity
		w.must(rows.Scan(&a.ID, &a.URI, &a.AccountID, &a.Type, &a.ObjectURI, &a.Body, &a.Priority, &a.Audience))
		w.seen = a.ID
		out = append(out, a)
	}
	w.must(rows.Err())
	return out
}

var (
	uuids   = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	stamps  = regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
	flakes  = regexp.MustCompile(`/notice/[0-9A-Za-z]+`)
	media   = regexp.MustCompile(`/media/[0-9a-f]{16,}`)
	keys    = regexp.MustCompile(`-----BEGIN PUBLIC KEY-----[^"]*`)
	numbers = regexp.MustCompile(`/(lists)/\d+`)
)

// stable is text without the parts that differ from run to run: hosts, ids by the order in
// which they appear, and times.
func (w *world) stable(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, far, "https://far.example"), "127.0.0.9:1", "far.example")
	text = strings.ReplaceAll(strings.ReplaceAll(text, w.Base(), "https://here.example"), w.Host(), "here.example")
	for name, id := range w.id {
		text = strings.ReplaceAll(text, id, "id of "+name)
	}
	known := map[string]string{}
	text = uuids.ReplaceAllStringFunc(text, func(id string) string {
		if known[id] == "" {
			known[id] = fmt.Sprintf("uuid-%d", len(known)+1)
		}
		return known[id]
	})
	text = numbers.ReplaceAllString(keys.ReplaceAllString(media.ReplaceAllString(text, "/media/file"), "KEY"), "/$1/1")
	return flakes.ReplaceAllString(stamps.ReplaceAllString(text, "TIME"), "/notice/id")
}

// document reads an activity without its context, which is activitypub's to
// test, and fails where it names hidden recipients.
func (w *world) document(body string) map[string]any {
	w.t.Helper()
	var doc map[string]any
	w.must(json.Unmarshal([]byte(body), &doc))
	if strings.Contains(body, `"bto"`) || strings.Contains(body, `"bcc"`) || doc["@context"] == nil {
		w.t.Errorf("hidden addresses or no context in %s", body)
	}
	delete(doc, "@context")
	return doc
}

// golden compares the queued activities with a file.
func (w *world) golden(name string) {
	w.t.Helper()
	list := []kept{}
	for _, a := range w.told() {
		by, err := w.DB.Account(w.t.Context(), a.AccountID)
		w.must(err)
		doc := w.document(a.Body)
		if doc["id"] != a.URI || doc["type"] != a.Type || doc["actor"] != by.URI {
			w.t.Errorf("%s: the row of %s says %s by %s", name, a.Body, a.Type, by.URI)
		}
		k := kept{Type: a.Type, By: by.URI, Of: a.ObjectURI, Priority: a.Priority, Audience: a.Audience, Body: doc}
		for inbox, body := range a.Audience.Bodies {
			if k.Bodies == nil {
				k.Bodies = map[string]any{}
			}
			k.Bodies[inbox] = w.document(body)
		}
		k.Audience.Bodies = nil
		list = append(list, k)
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	w.must(enc.Encode(list))
	got := w.stable(text.String())
	file := filepath.Join("testdata", strings.ReplaceAll(name, " ", "_")+".json")
	if *update {
		w.must(os.WriteFile(file, []byte(got), 0o600))
	}
	want, err := os.ReadFile(file)
	w.must(err)
	if diff := cmp.Diff(string(want), got); diff != "" {
		w.t.Errorf("%s: %s", name, diff)
	}
}

// none fails where anything is told.
func (w *world) none(what string) {
	w.t.Helper()
	for _, a := range w.told() {
		w.t.Errorf("%s: told %s", what, w.stable(a.Body))
	}
}

// eventually waits for so many activities.
func (w *world) eventually(n int) {
	w.t.Helper()
	servertest.Eventually(w.t, "activities", func() bool {
		var there int
		w.must(w.DB.Writer().QueryRowContext(w.t.Context(), fmt.Sprintf("SELECT COUNT(*) FROM activities WHERE id > %d", w.seen)).Scan(&there))
		return there >= n
	})
}

func ptr[T any](v T) *T { return &v }

func second[T any](_ T, err error) error { return err }
