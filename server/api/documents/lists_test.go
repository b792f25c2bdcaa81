package documents_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
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

// walk reads all pages of a collection, and returns their items.
func walk(t *testing.T, s *servertest.Server, address string) (items []any, pages int) {
	t.Helper()
	next, _ := get(t, s, address).doc()["first"].(string)
	for next != "" {
		got := get(t, s, next)
		page := got.doc()
		if page["type"] != "OrderedCollectionPage" || page["partOf"] != address || page["id"] != next {
			t.Fatalf("%s: %d %s", next, got.Status, got.Body)
		}
		more, _ := page["orderedItems"].([]any)
		items, pages = append(items, more...), pages+1
		next, _ = page["next"].(string)
		if pages > 20 {
			t.Fatalf("%s does not end", address)
		}
	}
	return items, pages
}

func TestAnOutboxHasWhatEverybodyMayRead(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann := s.User("ann")
		theirs := post(t, s, "bob", api.NewStatus{Status: "bob's"})
		var want []string
		for i := range 22 {
			note := post(t, s, "ann", api.NewStatus{Status: fmt.Sprint("post ", i), Visibility: []string{"public", "unlisted"}[i%2]})
			want = append([]string{"Create " + note.URI}, want...)
		}
		for _, visibility := range []string{"private", "direct", "local"} {
			post(t, s, "ann", api.NewStatus{Status: "@bob not for all", Visibility: visibility})
		}
		boost, err := s.Client("ann").Statuses.Reblog(ctx, theirs.ID, api.NewReblog{})
		must(t, err)
		want = append([]string{"Announce " + theirs.URI}, want...)
		collection := get(t, s, ann.Outbox).doc()
		if collection["type"] != "OrderedCollection" || collection["id"] != ann.Outbox || collection["totalItems"] == nil {
			t.Errorf("%v", collection)
		}
		items, pages := walk(t, s, ann.Outbox)
		var got []string
		for _, item := range items {
			activity := item.(map[string]any)
			id, _ := activity["object"].(string)
			if note, ok := activity["object"].(map[string]any); ok {
				id, _ = note["id"].(string)
				if note["content"] == "" || note["attributedTo"] != ann.URI {
					t.Errorf("%v", note)
				}
			}
			if activity["@context"] != nil || activity["actor"] != ann.URI {
				t.Errorf("%v", activity)
			}
			got = append(got, fmt.Sprint(activity["type"], " ", id))
		}
		if diff := cmp.Diff(want, got); diff != "" || pages != 2 {
			t.Errorf("on %d pages: %s", pages, diff)
		}
		// Statuses newer than a page are found from there.
		newest, _ := s.DB.StatusByID(ctx, boost.ID)
		page := get(t, s, ann.Outbox+"?page=true&min_id="+newest.ID).doc()
		if len(page["orderedItems"].([]any)) != 0 || page["next"] != nil || page["prev"] != nil {
			t.Errorf("above the newest: %v", page)
		}
	})
}

func TestFollowsAreListedOrHidden(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann := s.User("ann")
		var want []any
		for i := range 42 {
			a := dbtest.Account(t, s.DB, fmt.Sprint("follower", i))
			must(t, s.DB.CreateFollow(ctx, &db.Follow{ID: s.DB.NewID(), FollowerID: a.ID, TargetID: ann.ID, Local: true, CreatedAt: s.DB.Now()}))
			want = append([]any{a.URI}, want...)
		}
		pending := dbtest.Account(t, s.DB, "pending")
		must(t, s.DB.CreateFollow(ctx, &db.Follow{ID: s.DB.NewID(), FollowerID: pending.ID, TargetID: ann.ID, Pending: true, Local: true, CreatedAt: s.DB.Now()}))
		must(t, err1(s.Client("ann").Accounts.Follow(ctx, s.User("bob").ID, api.Follow{})))
		items, pages := walk(t, s, ann.FollowersURI)
		if diff := cmp.Diff(want, items); diff != "" || pages != 2 {
			t.Errorf("on %d pages: %s", pages, diff)
		}
		items, _ = walk(t, s, ann.FollowingURI)
		if diff := cmp.Diff([]any{s.User("bob").URI}, items); diff != "" {
			t.Error(diff)
		}
		yes := api.Bool(true)
		for _, tt := range []struct {
			form  api.UpdateCredentials
			total any
		}{
			{api.UpdateCredentials{HideFollowsCount: &yes}, 1.0}, // the list shows the number too
			{api.UpdateCredentials{HideFollows: &yes}, nil},
		} {
			if _, err := s.Client("ann").Accounts.UpdateCredentials(ctx, tt.form); err != nil {
				t.Fatal(err)
			}
			if got := get(t, s, ann.FollowingURI).doc(); got["totalItems"] != tt.total {
				t.Errorf("%+v: %v", tt.form, got)
			}
		}
		hidden := get(t, s, ann.FollowingURI).doc()
		if hidden["first"] != nil || hidden["type"] != "OrderedCollection" || hidden["id"] != ann.FollowingURI {
			t.Errorf("%v", hidden)
		}
		if got := get(t, s, ann.FollowingURI+"?page=true"); got.Status != 403 {
			t.Errorf("a page of what is hidden: %d %s", got.Status, got.Body)
		}
		if got := get(t, s, ann.FollowersURI+"?page=true"); got.Status != 200 {
			t.Errorf("a page of what is not: %d %s", got.Status, got.Body)
		}
	})
}

func TestPinsRepliesAndThreadsAreListed(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann := s.User("ann")
		root := post(t, s, "ann", api.NewStatus{Status: "root"})
		post(t, s, "bob", api.NewStatus{Status: "@ann another's", InReplyToID: root.ID})
		var own []any
		for i := range 7 {
			own = append(own, post(t, s, "ann", api.NewStatus{Status: fmt.Sprint("reply ", i), InReplyToID: root.ID}).URI)
		}
		post(t, s, "ann", api.NewStatus{Status: "for followers", InReplyToID: root.ID, Visibility: "private"})
		must(t, err1(s.Client("ann").Statuses.Pin(ctx, root.ID)))
		featured := get(t, s, ann.FeaturedURI).doc()
		if diff := cmp.Diff([]any{root.URI}, featured["orderedItems"]); diff != "" || featured["totalItems"] != 1.0 || featured["type"] != "OrderedCollection" {
			t.Errorf("%v %s", featured, diff)
		}
		note := get(t, s, root.URI).doc()
		replies, _ := note["replies"].(map[string]any)
		if diff := cmp.Diff(own[:5], replies["items"]); diff != "" {
			t.Error(diff)
		}
		alone := get(t, s, fmt.Sprint(replies["id"])).doc()
		if diff := cmp.Diff(own[:5], alone["items"]); diff != "" || alone["type"] != "Collection" || alone["id"] != root.URI+"/replies" {
			t.Errorf("%v %s", alone, diff)
		}
		change(t, s, ":activitypub", ":note_replies_output_limit", 2)
		if got := get(t, s, root.URI).doc()["replies"].(map[string]any); len(got["items"].([]any)) != 2 {
			t.Errorf("with a limit of 2: %v", got)
		}
		change(t, s, ":activitypub", ":note_replies_output_limit", 0)
		if got := get(t, s, root.URI).doc()["replies"]; got != nil {
			t.Errorf("with a limit of 0: %v", got)
		}
		if got := get(t, s, root.URI+"/replies"); got.Status != 404 {
			t.Errorf("with a limit of 0: %d", got.Status)
		}
		thread := get(t, s, fmt.Sprint(note["context"])).doc()
		if items, _ := thread["orderedItems"].([]any); len(items) != 9 || thread["id"] != note["context"] || note["conversation"] != note["context"] {
			t.Errorf("%v", thread)
		}
		secret := post(t, s, "ann", api.NewStatus{Status: "@bob only", Visibility: "direct"})
		row, err := s.DB.StatusByID(ctx, secret.ID)
		must(t, err)
		uris, err := s.DB.ConversationURIs(ctx, []int64{*row.ConversationID})
		must(t, err)
		if got := get(t, s, uris[*row.ConversationID]); got.Status != 404 {
			t.Errorf("a thread of direct posts: %d %s", got.Status, got.Body)
		}
		// Long ones have pages.
		first, err := s.DB.StatusByID(ctx, root.ID)
		must(t, err)
		for i := range 101 {
			uri := fmt.Sprintf("https://far.example/notes/%d", i)
			must(t, s.DB.CreateStatus(ctx, &db.Status{ID: s.DB.NewID(), AccountID: s.User("bob").ID, URI: &uri, Visibility: db.Public, ConversationID: first.ConversationID, CreatedAt: s.DB.Now()}))
		}
		if items, pages := walk(t, s, fmt.Sprint(note["context"])); len(items) != 110 || pages != 2 {
			t.Errorf("%d posts on %d pages", len(items), pages)
		}
	})
}

// change sets one setting by the admin API.
func change(t *testing.T, s *servertest.Server, key, name string, value any) {
	t.Helper()
	_, err := s.Admin("root").Admin.Config.Set(t.Context(), ":svc", key, []any{map[string]any{"tuple": []any{name, value}}})
	must(t, err)
}

func TestThereIsNoRelayActorWhereRelaysAreNotAllowed(t *testing.T) {
	s := servertest.Start(t)
	change(t, s, ":instance", ":allow_relay", false)
	for _, path := range []string{"/relay", "/relay/followers", "/relay/following", "/relay/outbox", "/.well-known/webfinger?resource=relay@" + s.Host()} {
		if got := get(t, s, path); got.Status != 404 {
			t.Errorf("%s: %d %s", path, got.Status, got.Body)
		}
	}
	if got := get(t, s, "/internal/fetch"); got.Status != 200 {
		t.Errorf("%d %s", got.Status, got.Body)
	}
}

func TestTheServicesOwnActorsAreFound(t *testing.T) {
	s := servertest.Start(t)
	for path, name := range map[string]string{"/relay": "relay", "/internal/fetch": "internal.fetch"} {
		for _, resource := range []string{"acct:" + name + "@" + s.Host(), strings.ToUpper(name) + "@" + s.Host(), s.Base() + path} {
			got, err := s.Anonymous().Instance.WebFinger(t.Context(), resource)
			if err != nil || got.Subject != "acct:"+name+"@"+s.Host() || !cmp.Equal(got.Aliases, api.List[string]{s.Base() + path}) {
				t.Errorf("%s: %+v %v", resource, got, err)
			}
		}
	}
}

// TestPollsAreKeptReadyForTheirTime holds documents to :web_cache_ttl: changes
// are seen at once, but the votes of a poll only after a while.
func TestPollsAreKeptReadyForTheirTime(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		hour := api.Int(3600)
		poll := post(t, s, "ann", api.NewStatus{Status: "which?", Poll: &api.NewPoll{Options: []string{"a", "b"}, ExpiresIn: &hour}})
		closed := func() any { return get(t, s, poll.URI).doc()["closed"] }
		if doc := get(t, s, poll.URI).doc(); doc["type"] != "Question" || doc["endTime"] == nil || doc["closed"] != nil || len(doc["oneOf"].([]any)) != 2 {
			t.Errorf("%v", doc)
		}
		must(t, dbtest.Exec(t, s.DB, "UPDATE polls SET voters_count = 7"))
		if got := get(t, s, poll.URI).doc()["votersCount"]; got != 0.0 {
			t.Errorf("asked again at once: %v voters", got)
		}
		s.Advance(31 * time.Second)
		if got := get(t, s, poll.URI).doc()["votersCount"]; got != 7.0 {
			t.Errorf("after half a minute: %v voters", got)
		}
		change(t, s, ":web_cache_ttl", ":activity_pub_question", 0)
		must(t, dbtest.Exec(t, s.DB, "UPDATE polls SET voters_count = 8"))
		if got := get(t, s, poll.URI).doc()["votersCount"]; got != 8.0 {
			t.Errorf("with nothing kept: %v voters", got)
		}
		change(t, s, ":web_cache_ttl", ":activity_pub_question", nil)
		if closed() != nil {
			t.Error("it is closed")
		}
		s.Advance(time.Hour)
		if closed() == nil {
			t.Error("it is not closed when it is over")
		}
		must(t, err1(s.Client("ann").Statuses.Delete(ctx, poll.ID)))
		if got := get(t, s, poll.URI); got.Status != 410 {
			t.Errorf("deleted: %d", got.Status)
		}
	})
}

func TestOnePostCanBeAskedForOnlySoOften(t *testing.T) {
	s := servertest.Start(t)
	one, other := post(t, s, "ann", api.NewStatus{Status: "one"}), post(t, s, "ann", api.NewStatus{Status: "other"})
	change(t, s, ":rate_limit", ":ap_routes", map[string]any{"tuple": []any{60000, 2}})
	ask := func(address string) int { return get(t, s, address, "X-Forwarded-For", "198.51.100.7").Status }
	for i, want := range []int{200, 200, 429} {
		if got := ask(one.URI); got != want {
			t.Errorf("request %d: %d, want %d", i+1, got, want)
		}
	}
	if got := ask(other.URI); got != 200 {
		t.Errorf("another post: %d", got)
	}
	if got := get(t, s, one.URI, "X-Forwarded-For", "198.51.100.7", "Accept", "text/html"); got.Status != 302 {
		t.Errorf("a person: %d", got.Status)
	}
}

// TestWhatIsToldOfOneActIsForWhomItIs requests reblogs, favourites, follows and
// messages by their ids.
func TestWhatIsToldOfOneActIsForWhomItIs(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		p := peer.Start(t, "127.0.0.3")
		bob, other := p.Actor("bob"), p.Actor("other")
		ann := s.User("ann")
		theirs := meet(t, s, bob)
		meet(t, s, other)
		uri := bob.ID + "/notes/1"
		thread, err := s.DB.CreateConversation(ctx, bob.ID+"/threads/1")
		must(t, err)
		status := &db.Status{ID: s.DB.NewID(), AccountID: theirs.ID, URI: &uri, URL: uri, ConversationID: &thread, Visibility: db.Public, ToURIs: db.Slice[string]{peer.Public}, Content: "hi", CreatedAt: s.DB.Now()}
		must(t, s.DB.CreateStatus(ctx, status))
		boost, err := s.Client("ann").Statuses.Reblog(ctx, status.ID, api.NewReblog{})
		must(t, err)
		boosted, err := s.DB.StatusByID(ctx, boost.ID)
		must(t, err)
		announce := get(t, s, *boosted.URI).doc()
		if diff := cmp.Diff([]any{[]any{peer.Public}, []any{ann.FollowersURI, bob.ID}}, []any{announce["to"], announce["cc"]}); diff != "" {
			t.Error(diff)
		}
		if announce["context"] != bob.ID+"/threads/1" || announce["type"] != "Announce" || announce["id"] != *boosted.URI || announce["object"] != uri || announce["actor"] != ann.URI {
			t.Errorf("%v", announce)
		}
		must(t, err1(s.Client("ann").Statuses.Favourite(ctx, status.ID)))
		must(t, err1(s.Client("ann").Accounts.Follow(ctx, theirs.ID, api.Follow{})))
		chat, err := s.Client("ann").Chats.Open(ctx, theirs.ID)
		must(t, err)
		message, err := s.Client("ann").Chats.Send(ctx, chat.ID, api.NewChatMessage{Content: "psst"})
		must(t, err)
		like, follow, said := "", "", ""
		for query, into := range map[string]*string{"SELECT uri FROM favourites": &like, "SELECT uri FROM follows": &follow, "SELECT uri FROM chat_messages": &said} {
			must(t, s.DB.Writer().QueryRowContext(ctx, query).Scan(into))
		}
		for address, want := range map[string]map[string]any{
			like:   {"type": "Like", "id": like, "actor": ann.URI, "object": uri},
			follow: {"type": "Follow", "id": follow, "actor": ann.URI, "object": bob.ID},
			said:   {"type": "ChatMessage", "id": said, "actor": ann.URI, "content": message.Content},
		} {
			if address == "" {
				t.Errorf("%v has no id", want)
				continue
			}
			got := as(t, bob, address)
			doc := got.doc()
			for key, value := range want {
				if doc[key] != value && (key != "content" || doc[key] == nil) {
					t.Errorf("%s: %s is %v, want %v; %d", address, key, doc[key], value, got.Status)
				}
			}
			for name, got := range map[string]answer{"nobody": get(t, s, address), "another": as(t, other, address)} {
				if got.Status != 404 {
					t.Errorf("%s as %s: %d %s", want["type"], name, got.Status, got.Body)
				}
			}
		}
		must(t, err1(s.Client("ann").Statuses.Unfavourite(ctx, status.ID)))
		must(t, err1(s.Client("ann").Statuses.Unreblog(ctx, status.ID)))
		for _, address := range []string{like, *boosted.URI} {
			if got := as(t, bob, address); got.Status != 404 {
				t.Errorf("what was undone: %d %s", got.Status, got.Body)
			}
		}
	})
}

// TestDocumentsTakeAFixedNumberOfStatements: the number is the same with few
// rows and with many.
func TestDocumentsTakeAFixedNumberOfStatements(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ann := s.User("ann")
		hour := api.Int(3600)
		root := post(t, s, "ann", api.NewStatus{Status: "root", Poll: &api.NewPoll{Options: []string{"a", "b"}, ExpiresIn: &hour}})
		note := get(t, s, root.URI).doc()
		fill := func(n int) {
			for i := range n {
				post(t, s, "ann", api.NewStatus{Status: fmt.Sprint("#tag @bob ", i), InReplyToID: root.ID})
			}
		}
		most := map[string]int64{
			root.URI: 7, strings.Replace(root.URI, "/objects/", "/activities/", 1): 8, root.URI + "/replies": 3, fmt.Sprint(note["context"]): 2,
			ann.URI: 1, ann.Outbox + "?page=true": 6, ann.FollowersURI + "?page=true": 2, ann.FeaturedURI: 2,
		}
		get(t, s, ann.URI) // the first request creates the key
		fill(2)
		for _, n := range []int{0, 10} {
			fill(n)
			fresh := s.Second(t)
			for address, want := range most {
				got := dbtest.Queries(t, func(ctx context.Context) { ask(ctx, t, fresh, strings.TrimPrefix(address, s.Base())) })
				if got > want {
					t.Errorf("%s: %d statements, more than %d", address, got, want)
				}
				if again := dbtest.Queries(t, func(ctx context.Context) { ask(ctx, t, fresh, strings.TrimPrefix(address, s.Base())) }); again > got || address == root.URI && again > 2 {
					t.Errorf("%s again: %d statements, first %d", address, again, got)
				}
			}
		}
	}, func(c *config.Settings) { c.ActivityPub.RepliesListed = 3 })
}

// ask has a service answer, without a connection.
func ask(ctx context.Context, t *testing.T, s *servertest.Server, path string) {
	t.Helper()
	req := httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil)
	req.Header.Set("Accept", accept)
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, req)
	if w.Code != http.StatusOK {
		t.Errorf("%s: %d %.200s", path, w.Code, w.Body)
	}
}
