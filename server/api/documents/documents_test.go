package documents_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/servertest"
	"svc/server/servertest/peer"
)

const accept = `application/activity+json, application/ld+json; profile="https://www.w3.org/ns/activitystreams", text/html;q=0.1`

// answer is the answer to a GET.
type answer struct {
	Status int
	Header http.Header
	Body   []byte
	t      *testing.T
}

// doc is the document that was answered.
func (a answer) doc() map[string]any {
	a.t.Helper()
	var out map[string]any
	if err := json.Unmarshal(a.Body, &out); err != nil {
		a.t.Fatalf("%d %s: %v", a.Status, a.Body, err)
	}
	return out
}

// get requests a path or address without a signature, with headers in pairs.
func get(t *testing.T, s *servertest.Server, address string, header ...string) answer {
	t.Helper()
	if strings.HasPrefix(address, "/") {
		address = s.URL + address
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", accept)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, raw, t}
}

// as requests an address as an actor of a peer.
func as(t *testing.T, a *peer.Actor, address string, options ...peer.Option) answer {
	t.Helper()
	got := a.Get(address, options...)
	return answer{got.Status, got.Header, got.Body, t}
}

func post(t *testing.T, s *servertest.Server, nickname string, in api.NewStatus) *api.Status {
	t.Helper()
	out, err := s.Client(nickname).Statuses.Post(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// meet makes an actor of a peer known to a server, and returns its row.
func meet(t *testing.T, s *servertest.Server, a *peer.Actor) *db.Account {
	t.Helper()
	row, err := s.Remote.Actor(t.Context(), a.ID)
	must(t, err)
	return row
}

func TestActorsAreServedWithTheirKey(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ann := s.User("ann")
		got := get(t, s, "/users/ANN")
		doc := got.doc()
		key, _ := doc["publicKey"].(map[string]any)
		pem, _ := key["publicKeyPem"].(string)
		if got.Status != 200 || doc["id"] != ann.URI || key["owner"] != ann.URI || !strings.HasPrefix(pem, "-----BEGIN PUBLIC KEY-----") {
			t.Errorf("%d %s", got.Status, got.Body)
		}
		if again := get(t, s, "/users/ann"); string(again.Body) != string(got.Body) {
			t.Errorf("asked again:\n%s\nfirst\n%s", again.Body, got.Body)
		}
		name := "Ann B"
		if _, err := s.Client("ann").Accounts.UpdateCredentials(t.Context(), api.UpdateCredentials{DisplayName: &name}); err != nil {
			t.Fatal(err)
		}
		if now := get(t, s, "/users/ann").doc(); now["name"] != name {
			t.Errorf("renamed: %v", now["name"])
		}
		for path, want := range map[string]string{"/relay": "Application", "/internal/fetch": "Application"} {
			doc := get(t, s, path).doc()
			if doc["type"] != want || doc["id"] != s.Base()+path || doc["invisible"] != true || doc["publicKey"] == nil ||
				fmt.Sprint(doc["endpoints"]) != "map[sharedInbox:"+s.Base()+"/inbox]" {
				t.Errorf("%s: %v", path, doc)
			}
			for _, list := range []string{"followers", "following", "outbox"} {
				doc := get(t, s, path+"/"+list).doc()
				page := get(t, s, fmt.Sprint(doc["first"])).doc()
				if doc["type"] != "OrderedCollection" || doc["id"] != s.Base()+path+"/"+list || page["type"] != "OrderedCollectionPage" || len(page["orderedItems"].([]any)) != 0 {
					t.Errorf("%s/%s: %v %v", path, list, doc, page)
				}
			}
		}
		for _, path := range []string{"/users/nobody", "/users/relay", "/users/internal.fetch", "/users/nobody/outbox", "/users/nobody/followers", "/users/nobody/collections/featured",
			"/objects/00000000-0000-4000-8000-000000000000", "/activities/00000000-0000-4000-8000-000000000000", "/contexts/00000000-0000-4000-8000-000000000000", "/notice/9nothing"} {
			if got := get(t, s, path); got.Status != 404 {
				t.Errorf("%s: %d %s", path, got.Status, got.Body)
			}
		}
	})
}

func TestWhoIsGoneLeavesATombstone(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, cat := s.User("ann"), s.User("cat")
		note := post(t, s, "ann", api.NewStatus{Status: "gone soon"})
		must(t, err1(s.Client("ann").Statuses.Delete(ctx, note.ID)))
		for _, tt := range []struct{ uri, former string }{{note.URI, "Note"}, {strings.Replace(note.URI, "/objects/", "/activities/", 1), "Create"}} {
			got := get(t, s, tt.uri)
			doc := got.doc()
			if got.Status != 410 || doc["type"] != "Tombstone" || doc["id"] != tt.uri || doc["formerType"] != tt.former || doc["deleted"] == nil ||
				got.Header.Get("Content-Type") != "application/activity+json; charset=utf-8" {
				t.Errorf("%d %s", got.Status, got.Body)
			}
		}
		if _, err := s.Admin("root").Admin.Users.Delete(ctx, "ann"); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{ann.URI, ann.Outbox, ann.FollowersURI, ann.FeaturedURI} {
			if got := get(t, s, path); got.Status != 410 || got.doc()["type"] != "Tombstone" || got.doc()["id"] != ann.URI {
				t.Errorf("%s: %d %s", path, got.Status, got.Body)
			}
		}
		if _, err := s.Admin("root").Admin.Users.Deactivate(ctx, "cat"); err != nil {
			t.Fatal(err)
		}
		if got := get(t, s, cat.URI); got.Status != 404 {
			t.Errorf("deactivated: %d %s", got.Status, got.Body)
		}
	})
}

func err1[T any](_ T, err error) error { return err }

// TestPostsAreForWhomTheyAreAddressedTo requests every kind of post as every
// kind of reader.
func TestPostsAreForWhomTheyAreAddressedTo(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		p := peer.Start(t, "127.0.0.3")
		ann := s.User("ann")
		named, follower, stranger, foe := p.Actor("named"), p.Actor("follower"), p.Actor("stranger"), p.Actor("foe")
		for _, a := range []*peer.Actor{named, follower, stranger, foe} {
			meet(t, s, a)
		}
		must(t, s.DB.CreateFollow(t.Context(), &db.Follow{ID: s.DB.NewID(), FollowerID: meet(t, s, follower).ID, TargetID: ann.ID, Reblogs: true, CreatedAt: s.DB.Now()}))
		_, err := s.DB.PutBlock(t.Context(), &db.Block{AccountID: ann.ID, TargetID: meet(t, s, foe).ID, CreatedAt: s.DB.Now()})
		must(t, err)
		text := "for @" + named.Handle()
		everybody := []string{"nobody", "named", "follower", "stranger"}
		var local string
		for visibility, want := range map[string][]string{
			"public": everybody, "unlisted": everybody, "private": {"named", "follower"}, "direct": {"named"}, "local": nil,
		} {
			note := post(t, s, "ann", api.NewStatus{Status: text, Visibility: visibility})
			row, err := s.DB.StatusByID(t.Context(), note.ID)
			must(t, err)
			if visibility == "local" {
				local = *row.URI
			}
			create := strings.Replace(*row.URI, "/objects/", "/activities/", 1)
			for _, address := range []string{*row.URI, create, *row.URI + "/replies", s.Base() + "/notice/" + row.ID} {
				var got []string
				for _, who := range []struct {
					name string
					a    *peer.Actor
				}{{"nobody", nil}, {"named", named}, {"follower", follower}, {"stranger", stranger}, {"foe", foe}} {
					var one answer
					if who.a == nil {
						one = get(t, s, address)
					} else {
						one = as(t, who.a, address)
						if one.Header.Get("Cache-Control") != "private, no-store" {
							t.Errorf("%s as %s: Cache-Control %q", address, who.name, one.Header.Get("Cache-Control"))
						}
					}
					switch {
					case one.Status == 200 || one.Status == 302 && one.Header.Get("Location") == *row.URI:
						got = append(got, who.name)
					case one.Status != 404:
						t.Errorf("%s %s as %s: %d %s", visibility, address, who.name, one.Status, one.Body)
					}
					if vary := one.Header.Get("Vary"); vary != "Accept, Signature, Signature-Input, Authorization" {
						t.Errorf("%s: Vary %q", address, vary)
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s %s: %s", visibility, address, diff)
				}
			}
		}
		if got := as(t, named, local); got.Status != 404 || strings.Contains(string(got.Body), "for") && strings.Contains(string(got.Body), "content") {
			t.Errorf("a local post: %d %s", got.Status, got.Body)
		}
		if got := as(t, foe, ann.URI); got.Status != 404 {
			t.Errorf("the blocked actor gets the author: %d %s", got.Status, got.Body)
		}
		if got := as(t, stranger, ann.URI); got.Status != 200 {
			t.Errorf("another gets the author: %d %s", got.Status, got.Body)
		}
		for _, path := range []string{ann.Outbox, ann.FollowersURI, ann.FollowingURI, ann.FeaturedURI} {
			if got := as(t, foe, path); got.Status != 404 {
				t.Errorf("the blocked actor gets %s: %d", path, got.Status)
			}
		}
		// A request with a wrong signature counts as unsigned.
		if got := as(t, named, s.Base()+"/users/ann/outbox", peer.SignedBy(foe), peer.KeyID(named.KeyID())); got.Status != 200 {
			t.Errorf("a public list with a wrong signature: %d %s", got.Status, got.Body)
		}
	})
}

func TestWithoutASignatureSecureModeGivesOnlyWhatChecksOne(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		p := peer.Start(t, "127.0.0.3")
		reader := p.Actor("reader")
		ann := s.User("ann")
		note := post(t, s, "ann", api.NewStatus{Status: "hello"})
		doc := get(t, s, ann.URI).doc()
		var keys []string
		for _, key := range []string{"id", "type", "preferredUsername", "inbox", "outbox", "publicKey", "name", "summary", "followers"} {
			if doc[key] != nil {
				keys = append(keys, key)
			}
		}
		if diff := cmp.Diff([]string{"id", "type", "preferredUsername", "inbox", "outbox", "publicKey"}, keys); diff != "" {
			t.Error(diff)
		}
		if full := as(t, reader, ann.URI); full.Status != 200 || full.doc()["name"] == nil {
			t.Errorf("signed: %d %s", full.Status, full.Body)
		}
		if got := get(t, s, ann.URI); got.doc()["name"] != nil || got.Header.Get("Cache-Control") != "private, no-store" {
			t.Errorf("unsigned again: %v %s", got.Header, got.Body)
		}
		for _, address := range []string{note.URI, strings.Replace(note.URI, "/objects/", "/activities/", 1), ann.Outbox, ann.FollowersURI, ann.FeaturedURI, note.URI + "/replies"} {
			for name, got := range map[string]answer{"unsigned": get(t, s, address), "wrongly signed": as(t, reader, address, peer.WithKey(p.Actor("other").Key()))} {
				if got.Status != 401 || string(got.Body) != "Request not signed" {
					t.Errorf("%s %s: %d %s", name, address, got.Status, got.Body)
				}
			}
			if got := as(t, reader, address); got.Status != 200 || got.Header.Get("Cache-Control") != "private, no-store" {
				t.Errorf("signed %s: %d %v %s", address, got.Status, got.Header, got.Body)
			}
		}
		// Keys are for servers that still lack them. A server with an invalid
		// signature would store this part as the whole account.
		for name, got := range map[string]answer{
			"another key":             as(t, reader, ann.URI, peer.WithKey(p.Actor("other").Key())),
			"a key that is not there": as(t, reader, ann.URI, peer.KeyID(p.URL("/none#key"))),
			"an old signature":        as(t, reader, ann.URI, peer.At(time.Now().Add(-24*time.Hour))),
		} {
			if got.Status != 401 || string(got.Body) != "Request not signed" {
				t.Errorf("the account, by %s: %d %s", name, got.Status, got.Body)
			}
		}
		for _, address := range []string{ann.URI, note.URI} {
			if got := as(t, reader, address, peer.KeyID("http://127.0.0.9:1/users/x#main-key")); got.Status != 503 || got.Header.Get("Retry-After") == "" {
				t.Errorf("%s, by a key that cannot be had now: %d %s", address, got.Status, got.Body)
			}
		}
		for _, path := range []string{"/relay", "/internal/fetch"} {
			if got := get(t, s, path); got.Status != 200 || got.doc()["publicKey"] == nil {
				t.Errorf("%s: %d %s", path, got.Status, got.Body)
			}
		}
	}, func(c *config.Settings) { c.ActivityPub.SecureMode = true })
}

func TestBlockedServersGetNothing(t *testing.T) {
	s := servertest.Start(t, func(c *config.Settings) {
		c.ActivityPub.SecureMode = true
		c.Policies.Chain = append(c.Policies.Chain, "Svc.Web.ActivityPub.MRF.SimplePolicy")
		c.Policies.Simple.Reject = []string{"127.0.0.3"}
	})
	eve := peer.Start(t, "127.0.0.3").Actor("eve")
	note := post(t, s, "ann", api.NewStatus{Status: "hello"})
	for _, address := range []string{note.URI, s.User("ann").URI, s.User("ann").Outbox} {
		if got := as(t, eve, address); got.Status != 403 {
			t.Errorf("%s: %d %s", address, got.Status, got.Body)
		}
	}
}

func TestNothingIsServedWhileTheInstanceKeepsToItself(t *testing.T) {
	s := servertest.Start(t, func(c *config.Settings) { c.Instance.Federating = false })
	note := post(t, s, "ann", api.NewStatus{Status: "hello"})
	for _, path := range []string{"/users/ann", "/users/ann/outbox", "/relay", "/internal/fetch", strings.TrimPrefix(note.URI, s.Base()), "/notice/" + note.ID} {
		if got := get(t, s, path, "Accept", "application/activity+json"); got.Status != 404 || strings.TrimSpace(string(got.Body)) != `{"errors":{"detail":"Page not found"}}` {
			t.Errorf("%s: %d %s", path, got.Status, got.Body)
		}
	}
}

func TestWhoAsksForAPostIsToldOfItsEnd(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		p := peer.Start(t, "127.0.0.3")
		reader := p.Actor("reader")
		note := post(t, s, "ann", api.NewStatus{Status: "hello"})
		for range 2 {
			if got := as(t, reader, note.URI); got.Status != 200 {
				t.Fatalf("%d %s", got.Status, got.Body)
			}
		}
		get(t, s, note.URI)
		_, inboxes, err := s.DB.RemoteCopies(t.Context(), &db.Status{ID: note.ID})
		must(t, err)
		if diff := cmp.Diff([]string{p.Base() + "/inbox"}, inboxes); diff != "" {
			t.Error(diff)
		}
		must(t, err1(s.Client("ann").Statuses.Delete(t.Context(), note.ID)))
		servertest.Eventually(t, "the reader's server is told of the deletion", func() bool { return len(p.Received("Delete")) == 1 })
		var rows int
		must(t, s.DB.Writer().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM fetchers").Scan(&rows))
		if rows > 1 {
			t.Errorf("%d rows", rows)
		}
	})
}

// TestFetchersAreBounded: the fetchers stored for one post are bounded.
func TestFetchersAreBounded(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		must(t, dbtest.Exec(t, d, `INSERT INTO fetchers WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 997)
			SELECT 'S', 'https://g' || i || '.example/inbox' FROM n`))
		for i := range 6 {
			must(t, d.AddFetcher(t.Context(), "S", fmt.Sprintf("https://h%d.example/inbox", i)))
		}
		var rows int
		must(t, d.Writer().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM fetchers").Scan(&rows))
		if rows != 1000 {
			t.Errorf("%d servers are remembered", rows)
		}
	})
}
