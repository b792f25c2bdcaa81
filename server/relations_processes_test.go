package server_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/rules/social"
	"svc/server/servertest"
)

// relationChange is a request that changes who sees what, with names in braces for ids.
type relationChange struct{ by, method, path, body string }

// relationChanges are made one after another. Where one is due to time, by is "".
var relationChanges = []relationChange{
	{"fay", "POST", "/api/v1/accounts/{ann}/follow", ""},
	{"fay", "POST", "/api/v1/accounts/{ann}/mute", `{"expires_in":60}`},
	{"", "", "a mute ends", ""},
	{"fay", "POST", "/api/v1/accounts/{ann}/mute", ""},
	{"fay", "POST", "/api/v1/accounts/{ann}/unmute", ""},
	{"fay", "POST", "/api/v1/accounts/{ned}/block", ""},
	{"fay", "POST", "/api/v1/accounts/{ned}/unblock", ""},
	{"ann", "POST", "/api/v1/accounts/{fay}/remove_from_followers", ""},
	{"fay", "POST", "/api/v1/accounts/{ann}/follow", `{"reblogs":false}`},
	{"fay", "POST", "/api/v1/accounts/{ann}/follow", `{"reblogs":true}`},
	{"fay", "POST", "/api/v1/accounts/{ned}/follow", ""},
	{"fay", "POST", "/api/v1/accounts/{ann}/unfollow", ""},
	{"ann", "PATCH", "/api/v1/accounts/update_credentials", `{"locked":true}`},
	{"fay", "POST", "/api/v1/accounts/{ann}/follow", ""},
	{"ann", "POST", "/api/v1/follow_requests/{fay}/reject", ""},
	{"fay", "POST", "/api/v1/accounts/{ann}/follow", ""},
	{"ann", "POST", "/api/v1/follow_requests/{fay}/authorize", ""},
	{"ann", "PATCH", "/api/v1/accounts/update_credentials", `{"locked":false}`},
	{"ann", "POST", "/api/v1/accounts/{fay}/block", ""},
	{"ann", "POST", "/api/v1/accounts/{fay}/unblock", ""},
	{"fay", "POST", "/api/v1/accounts/{ann}/follow", ""},
	{"fay", "POST", "/api/v1/domain_blocks", `{"domain":"elsewhere.example"}`},
	{"fay", "POST", "/api/v1/accounts/{far}/follow", ""},
	{"fay", "DELETE", "/api/v1/domain_blocks", `{"domain":"elsewhere.example"}`},
	{"root", "PUT", "/api/svc/admin/users/tag", `{"nicknames":["ned"],"tags":["mrf_tag:sandbox"]}`},
	{"root", "DELETE", "/api/svc/admin/users/tag", `{"nicknames":["ned"],"tags":["mrf_tag:sandbox"]}`},
	{"root", "PATCH", "/api/svc/admin/users/deactivate", `{"nicknames":["ned"]}`},
	{"root", "PATCH", "/api/svc/admin/users/activate", `{"nicknames":["ned"]}`},
	{"root", "POST", "/api/svc/admin/users/fay/permission_group/moderator", ""},
	{"root", "DELETE", "/api/svc/admin/users/fay/permission_group/moderator", ""},
	{"ann", "PATCH", "/api/v1/accounts/update_credentials", `{"display_name":"Ann renamed"}`},
	{"ned", "PATCH", "/api/v1/accounts/update_credentials", `{"also_known_as":["{base}/users/ann"]}`},
	{"ann", "DELETE", "/api/v1/statuses/{post}", ""},
	{"root", "DELETE", "/api/svc/admin/users", `{"nicknames":["ned"]}`},
}

// relationsWorld is one service, or two on PostgreSQL, and a handle on their database
// that keeps nothing in memory.
type relationsWorld struct {
	t         *testing.T
	processes []*servertest.Server
	plain     *db.DB
	ids       map[string]string
	posts     []string
	ahead     atomic.Int64
}

var braced = regexp.MustCompile(`\{(\w+)\}`)

func (w *relationsWorld) named(text string) string {
	return braced.ReplaceAllStringFunc(text, func(name string) string {
		if id := w.ids[strings.Trim(name, "{}")]; id != "" {
			return id
		}
		return name
	})
}

// ask makes a request of a process.
func (w *relationsWorld) ask(s *servertest.Server, by, method, path, body string) (int, string) {
	w.t.Helper()
	scopes := servertest.AllScopes
	if by == "root" {
		scopes = servertest.AdminScopes
	}
	req := httptest.NewRequestWithContext(w.t.Context(), method, path, strings.NewReader(body))
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Authorization", "Bearer "+s.Token(by, scopes))
	rec := httptest.NewRecorder()
	s.Handler().ServeHTTP(rec, req)
	return rec.Code, rec.Body.String()
}

// lists returns what a process shows a viewer, as the names of authors beside ids.
func (w *relationsWorld) lists(s *servertest.Server, viewer string) map[string][]string {
	w.t.Helper()
	byID := url.Values{}
	for _, id := range w.posts {
		byID.Add("ids[]", id)
	}
	out := map[string][]string{}
	for name, path := range map[string]string{
		"home": "/api/v1/timelines/home?limit=40", "public": "/api/v1/timelines/public?limit=40", "by id": "/api/v1/statuses?" + byID.Encode(),
		"ann": "/api/v1/accounts/{ann}/statuses?limit=40", "ned": "/api/v1/accounts/{ned}/statuses?limit=40",
	} {
		code, body := w.ask(s, viewer, "GET", w.named(path), "")
		var shown []struct {
			ID      string
			Account struct {
				DisplayName string `json:"display_name"`
			}
		}
		if code == 200 {
			if err := json.Unmarshal([]byte(body), &shown); err != nil {
				w.t.Fatal(name, err)
			}
		}
		ids := []string{}
		for _, s := range shown {
			ids = append(ids, s.ID+" "+s.Account.DisplayName)
		}
		slices.Sort(ids)
		out[name] = ids
	}
	return out
}

// stored returns the same by the rule in SQL.
func (w *relationsWorld) stored(viewer string) map[string][]string {
	w.t.Helper()
	ctx, out := w.t.Context(), map[string][]string{}
	relations, _, err := w.plain.RelationsOf(ctx, w.ids[viewer])
	if err != nil {
		w.t.Fatal(err)
	}
	v, whole := db.Viewer{ID: w.ids[viewer], Relations: relations}, db.Page{Limit: 40}
	put := func(name string, refs []db.StatusRef, err error) {
		if err != nil {
			w.t.Fatal(name, err)
		}
		ids := []string{}
		for i := range refs {
			author, err := w.plain.Account(ctx, refs[i].AccountID)
			if err != nil {
				w.t.Fatal(err)
			}
			ids = append(ids, refs[i].ID+" "+author.DisplayName)
		}
		slices.Sort(ids)
		out[name] = ids
	}
	home, err := w.plain.HomeTimeline(ctx, v, db.TimelineFilter{}, whole)
	put("home", home.Refs, err)
	public, err := w.plain.PublicTimeline(ctx, v, db.TimelineFilter{}, whole)
	put("public", public.Refs, err)
	refs, err := w.plain.StatusRefs(ctx, v, w.posts)
	put("by id", refs, err)
	for _, name := range []string{"ann", "ned"} {
		out[name] = []string{}
		if a, err := w.plain.Account(ctx, w.ids[name]); err == nil && !a.Deactivated {
			refs, err := w.plain.AccountStatuses(ctx, v, a.ID, db.AccountFilter{}, whole)
			put(name, refs, err)
		}
	}
	return out
}

// differs names the lists of a process that are not as the database has it.
func (w *relationsWorld) differs(s *servertest.Server) (out []string) {
	w.t.Helper()
	for _, viewer := range []string{"root", "ann", "fay", "ned"} {
		if a, err := w.plain.Account(w.t.Context(), w.ids[viewer]); err != nil || a.Deactivated {
			continue
		}
		shown, want := w.lists(s, viewer), w.stored(viewer)
		for _, name := range slices.Sorted(maps.Keys(want)) {
			if !slices.Equal(shown[name], want[name]) {
				out = append(out, fmt.Sprintf("%s of %s:\n got %q\nwant %q", name, viewer, shown[name], want[name]))
			}
		}
	}
	return out
}

// soon waits until a process shows all as the database has it.
func (w *relationsWorld) soon(s *servertest.Server) (out []string) {
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if out = w.differs(s); out == nil {
			return nil
		}
	}
	return out
}

// TestEveryProcessSeesChangedRelations changes relations and accounts by one process
// after the other. The process of a change shows it with its next answer, to everybody;
// the other a moment later.
func TestEveryProcessSeesChangedRelations(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		w := &relationsWorld{t: t, processes: []*servertest.Server{s}, ids: map[string]string{"base": s.Base()}}
		if s.DB.Dialect() == db.Postgres {
			w.processes = append(w.processes, s.Second(t))
		}
		w.plain = dbtest.OpenAt(t, s.DSN, func() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) })
		ctx := t.Context()
		w.ids["root"] = s.AdminUser("root").ID
		for _, name := range []string{"ann", "ned", "fay"} {
			w.ids[name] = s.User(name).ID
		}
		far := db.Account{
			URI: "https://elsewhere.example/users/far", Nickname: "far@elsewhere.example", Domain: "elsewhere.example", ActorType: "Person",
			Inbox: "https://elsewhere.example/inbox", FetchedAt: s.DB.Now(),
		}
		if err := s.DB.StoreRemote(ctx, &far); err != nil {
			t.Fatal(err)
		}
		w.ids["far"] = far.ID
		for _, name := range []string{"ann", "ned"} {
			author := must(s.DB.Account(ctx, w.ids[name]))(t)
			for _, visibility := range []string{db.Public, db.Unlisted, db.Local, db.Private, db.Direct} {
				post, err := s.Social.PostStatus(ctx, author, social.NewStatus{Text: "@fay " + visibility, Visibility: visibility})
				if visibility == db.Private || visibility == db.Local {
					post, err = s.Social.PostStatus(ctx, author, social.NewStatus{Text: "to all of them, " + visibility, Visibility: visibility})
				}
				if err != nil {
					t.Fatal(err)
				}
				w.posts = append(w.posts, post.ID)
			}
		}
		w.ids["post"] = w.posts[0]
		if code, body := w.ask(s, "ann", "POST", "/api/v1/statuses/"+w.posts[5]+"/reblog", ""); code != 200 {
			t.Fatal(body)
		}
		for _, p := range w.processes {
			if found := w.soon(p); found != nil {
				t.Fatalf("before any change: %s", found[0])
			}
		}
		for i, c := range relationChanges {
			at := w.processes[i%len(w.processes)]
			if c.by == "" {
				w.ahead.Add(int64(2 * time.Minute))
				for _, p := range w.processes {
					p.Advance(2 * time.Minute)
				}
			} else if code, body := w.ask(at, c.by, c.method, w.named(c.path), w.named(c.body)); code/100 != 2 {
				t.Fatalf("%s %s by %s: %d %s", c.method, c.path, c.by, code, body)
			}
			found := w.differs(at)
			if found != nil && strings.HasPrefix(c.path, "/api/svc/admin/users") {
				found = w.soon(at) // jobs go on with what an admin began
			}
			if found != nil {
				t.Fatalf("after %s %s by %s: %d lists differ: %s", c.method, c.path, c.by, len(found), found[0])
			}
			for _, p := range w.processes {
				if found := w.soon(p); found != nil {
					t.Fatalf("long after %s %s by %s at another process: %d lists differ: %s", c.method, c.path, c.by, len(found), found[0])
				}
			}
		}
	})
}
