package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/servertest"
)

// everyVisibility has all visibilities, in the order of the table of the
// specification, 6.1.
var everyVisibility = []string{db.Public, db.Unlisted, db.Local, db.Private, db.Direct, db.List}

// The viewers, by their relation to Ann, the author. Flo follows Ned. Ned is
// mentioned in all statuses of Ann, and reblogs all those that Flo may see.
// Sam, Fay and Mel have subscribed to her.
var viewers = []string{"", "ann", "sam", "fay", "ned", "mia", "bob", "bea", "mel", "flo", "root"}

var relations = map[string]string{
	"": "nobody", "ann": "the author", "sam": "a stranger", "fay": "a follower", "ned": "somebody named", "mia": "a member of the list",
	"bob": "somebody she blocks", "bea": "somebody who blocks her", "mel": "a follower who mutes her", "flo": "a follower of Ned's", "root": "an admin",
}

// seen lists the visibilities of those of her statuses that a viewer may see.
func seen(viewer string) []string {
	switch viewer {
	case "":
		return []string{db.Public, db.Unlisted}
	case "ann", "ned":
		return everyVisibility
	case "fay", "mel":
		return []string{db.Public, db.Unlisted, db.Local, db.Private}
	case "mia":
		return []string{db.Public, db.Unlisted, db.Local, db.List}
	}
	return []string{db.Public, db.Unlisted, db.Local}
}

// profiled lists those of them in her profile.
func profiled(viewer string) []string {
	if slices.Contains([]string{"ann", "ned", "fay", "mel"}, viewer) {
		return seen(viewer)
	}
	return slices.DeleteFunc(slices.Clone(seen(viewer)), func(v string) bool { return v == db.Local })
}

// wanted returns the part of some for a viewer who may have muted or blocked
// Ann.
func wanted(viewer string, some []string) []string {
	if viewer == "bea" || viewer == "mel" {
		return nil
	}
	return some
}

// word is a word that every view of the post contains, and no other text.
func word(visibility string) string { return "sesame" + visibility }

// place is a list of statuses. If shows is nil, it may show all visible
// statuses, and must show the public ones.
type place struct {
	name, path string
	signedIn   bool // strangers are refused
	shows      func(viewer string) []string
}

func only(visibilities ...string) []string { return visibilities }

func atHome(viewer string) []string {
	switch viewer {
	case "ann", "ned":
		return everyVisibility
	case "fay":
		return only(db.Public, db.Unlisted, db.Local, db.Private)
	case "mia":
		return only(db.List)
	case "flo": // reblogs
		return only(db.Public, db.Unlisted, db.Local)
	}
	return nil
}

func directly(viewer string) []string {
	if viewer == "ann" || viewer == "ned" {
		return only(db.Direct)
	}
	return nil
}

var shownAt = []place{
	{"home", "/api/v1/timelines/home", true, atHome},
	{"home with muted", "/api/v1/timelines/home?with_muted=true", true, func(viewer string) []string {
		if viewer == "mel" {
			return only(db.Public, db.Unlisted, db.Local, db.Private)
		}
		return atHome(viewer)
	}},
	{"public", "/api/v1/timelines/public", false, func(viewer string) []string { return wanted(viewer, only(db.Public)) }},
	{"public with muted", "/api/v1/timelines/public?with_muted=true", false, func(viewer string) []string {
		if viewer == "bea" {
			return nil
		}
		return only(db.Public)
	}},
	{"public, local", "/api/v1/timelines/public?local=true", false, func(viewer string) []string { return wanted(viewer, only(db.Public)) }},
	{"public, media", "/api/v1/timelines/public?only_media=true", false, func(viewer string) []string { return wanted(viewer, only(db.Public)) }},
	{"hashtag", "/api/v1/timelines/tag/needle", false, func(viewer string) []string { return wanted(viewer, only(db.Public)) }},
	{"hashtags", "/api/v1/timelines/tag/nothing?any[]=needle", false, func(viewer string) []string { return wanted(viewer, only(db.Public)) }},
	{"list", "/api/v1/timelines/list/LIST", true, func(viewer string) []string {
		if viewer == "fay" {
			return only(db.Public, db.Unlisted, db.Local, db.Private)
		}
		return nil
	}},
	{"direct", "/api/v1/timelines/direct", true, directly},
	{"profile", "/api/v1/accounts/ANN/statuses", false, profiled},
	{"profile by id", "/api/v1/accounts/ANN/statuses?with_muted=true", false, profiled},
	{"profile, replies left out", "/api/v1/accounts/ANN/statuses?exclude_replies=true&exclude_reblogs=true&only_media=true", false, profiled},
	{"profile, hashtag", "/api/v1/accounts/ANN/statuses?tagged=needle", false, profiled},
	{"pins", "/api/v1/accounts/ANN/statuses?pinned=true", false, profiled},
	{"boosts in a profile", "/api/v1/accounts/NED/statuses", false, func(viewer string) []string {
		if viewer == "ned" || viewer == "flo" {
			return only(db.Public, db.Unlisted, db.Local)
		}
		return wanted(viewer, only(db.Public, db.Unlisted))
	}},
	{"by ids", "/api/v1/statuses?IDS", false, seen},
	{"notifications", "/api/v1/notifications?limit=40", true, func(viewer string) []string {
		switch viewer {
		case "ann", "ned":
			return everyVisibility
		case "sam", "fay": // subscribers
			return seen(viewer)
		}
		return nil
	}},
	{"bookmarks", "/api/v1/bookmarks", true, func(viewer string) []string {
		if viewer == "ned" {
			return everyVisibility
		}
		return nil
	}},
	{"favourites", "/api/v1/favourites", true, func(viewer string) []string {
		if viewer == "ned" {
			return everyVisibility
		}
		return nil
	}},
	{"search", "/api/v2/search?q=needle&type=statuses&limit=40", false, nil},
	{"old search", "/api/v1/search?q=needle&limit=40", false, nil},
	{"search of an author", "/api/v2/search?q=needle&type=statuses&account_id=ANN", false, nil},
	{"another's favourites", "/api/v1/svc/accounts/NED/favourites", false, nil},
	{"a profile's page", "/users/ann", false, nil},
	{"a profile's feed", "/users/ann/feed.atom", false, nil},
	{"the public page", "/main/public", false, nil},
	{"a hashtag's page", "/tag/needle", false, nil},
	{"a hashtag's feed", "/tags/needle.atom", false, nil},
}

// found returns the visibilities with their word in a text.
func found(body string) []string {
	out := []string{}
	for _, visibility := range everyVisibility {
		if strings.Contains(body, word(visibility)) {
			out = append(out, visibility)
		}
	}
	return out
}

func pinsForAll(s *config.Settings) { s.Instance.MaxPinnedStatuses = len(everyVisibility) }

// TestWhoSeesWhat is the matrix: every visibility, every relation of viewer and
// author, every place that shows posts, and every operation on one.
func TestWhoSeesWhat(t *testing.T) {
	dbtest.Alone(t)
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		w := newVisibilityWorld(t, s)
		for _, rule := range []struct {
			name string
			hold func(t *testing.T)
		}{
			{"each place shows what it should", w.shownWhere},
			{"a post that may not be seen is missing", w.missing},
			{"conversations are their members' alone", w.conversing},
			{"nothing is done to a post that may not be seen", w.untouchable},
			{"a boost is seen by those who see both", w.boosted},
			{"what was kept is hidden with the post", w.kept},
			{"counters tell nothing of the unseen", w.counted},
			{"scheduled posts are their authors' alone", w.scheduled},
			{"other servers get what is for somebody there", w.elsewhere},
		} {
			t.Run(rule.name, rule.hold)
		}
	}, pinsForAll)
}

// A place without an exact list shows public statuses, and no status that the
// viewer may not see.
func (w *visibilityWorld) shownWhere(t *testing.T) {
	for _, p := range shownAt {
		for _, viewer := range viewers {
			if p.signedIn && viewer == "" {
				continue
			}
			status, body := w.ask(viewer, http.MethodGet, p.path, "")
			got := found(body)
			if status != http.StatusOK {
				t.Errorf("%s for %s: %d %.200s", p.name, relations[viewer], status, body)
				continue
			}
			if p.shows != nil {
				if diff := cmp.Diff(append([]string{}, p.shows(viewer)...), got); diff != "" {
					t.Errorf("%s for %s: %s", p.name, relations[viewer], diff)
				}
				continue
			}
			may := seen(viewer)
			if !strings.HasPrefix(p.path, "/api/") {
				may = seen("") // pages are for strangers
			}
			for _, visibility := range got {
				if !slices.Contains(may, visibility) {
					t.Errorf("%s shows %s the post for %s", p.name, relations[viewer], visibility)
				}
			}
			if !slices.Contains(got, db.Public) && wanted(viewer, only(db.Public)) != nil {
				t.Errorf("%s does not show %s what is public", p.name, relations[viewer])
			}
		}
	}
}

// asked are the paths of single posts: ID is the post's, POLL its poll's.
var asked = []struct{ name, path string }{
	{"post", "/api/v1/statuses/ID"}, {"context", "/api/v1/statuses/ID/context"}, {"boosts", "/api/v1/statuses/ID/reblogged_by"},
	{"favourites", "/api/v1/statuses/ID/favourited_by"}, {"card", "/api/v1/statuses/ID/card"}, {"history", "/api/v1/statuses/ID/history"}, {"poll", "/api/v1/polls/POLL"},
}

func (w *visibilityWorld) path(pattern, visibility string) string {
	return strings.NewReplacer("ID", w.posts[visibility].ID, "POLL", w.polls[visibility]).Replace(pattern)
}

func (w *visibilityWorld) missing(t *testing.T) {
	for _, viewer := range viewers {
		for _, visibility := range everyVisibility {
			may := slices.Contains(seen(viewer), visibility)
			for _, p := range asked {
				status, body := w.ask(viewer, http.MethodGet, w.path(p.path, visibility), "")
				if may && status != http.StatusOK || !may && (status != http.StatusNotFound || body != `{"error":"Record not found"}`) {
					t.Errorf("%s for %s, %s: %d %.200s", p.name, visibility, relations[viewer], status, body)
				}
			}
			// Reactions are a list, which is empty.
			if status, body := w.ask(viewer, http.MethodGet, w.path("/api/v1/svc/statuses/ID/reactions", visibility), ""); status != http.StatusOK || (body != "[]") != may {
				t.Errorf("reactions for %s, %s: %d %.200s", visibility, relations[viewer], status, body)
			}
			// A page is for strangers.
			open := slices.Contains(seen(""), visibility)
			status, body := w.ask("", http.MethodGet, w.path("/notice/ID", visibility), "")
			if open != (status == http.StatusOK) || !open && len(found(body)) > 0 {
				t.Errorf("the page of %s: %d %.200s", visibility, status, body)
			}
			// A visible reply reveals nothing of its invisible parent.
			status, body = w.ask(viewer, http.MethodGet, "/api/v1/statuses/"+w.replies[visibility].ID+"/context", "")
			above := wanted(viewer, only(visibility)) != nil && may
			if visibility == db.Direct && viewer != "ann" && viewer != "ned" {
				if status != http.StatusNotFound {
					t.Errorf("the answer to %s, for %s: %d", visibility, relations[viewer], status)
				}
				continue
			}
			if status != http.StatusOK || slices.Contains(found(body), visibility) != above {
				t.Errorf("above the answer to %s, for %s: %d %.200s", visibility, relations[viewer], status, body)
			}
			if answer := must(w.client(viewer).Statuses.Get(t.Context(), w.replies[visibility].ID))(t); answer.Svc.ParentVisible != may {
				t.Errorf("the answer to %s, for %s: parent_visible is %v", visibility, relations[viewer], answer.Svc.ParentVisible)
			}
		}
	}
}

func (w *visibilityWorld) client(viewer string) *client.Client {
	if viewer == "" {
		return w.s.Anonymous()
	}
	return w.s.Client(viewer)
}

// done are writes to a post. All fail for a viewer who may not see the post.
var done = []struct{ method, path, body string }{
	{"POST", "/api/v1/statuses/ID/favourite", ""}, {"POST", "/api/v1/statuses/ID/unfavourite", ""},
	{"POST", "/api/v1/statuses/ID/reblog", ""}, {"POST", "/api/v1/statuses/ID/unreblog", ""},
	{"POST", "/api/v1/statuses/ID/bookmark", ""}, {"POST", "/api/v1/statuses/ID/unbookmark", ""},
	{"POST", "/api/v1/statuses/ID/pin", ""}, {"POST", "/api/v1/statuses/ID/unpin", ""},
	{"POST", "/api/v1/statuses/ID/mute", ""}, {"POST", "/api/v1/statuses/ID/unmute", ""},
	{"PUT", "/api/v1/svc/statuses/ID/reactions/%E2%98%95", ""}, {"DELETE", "/api/v1/svc/statuses/ID/reactions/%E2%98%95", ""},
	{"POST", "/api/v1/polls/POLL/votes", `{"choices":[0]}`},
	{"POST", "/api/v1/statuses", `{"status":"x","in_reply_to_id":"ID","visibility":"direct"}`},
}

// untouchable checks that an operation on an invisible post fails and changes
// nothing.
func (w *visibilityWorld) untouchable(t *testing.T) {
	before := w.rows()
	for _, viewer := range viewers[1:] {
		for _, visibility := range everyVisibility {
			if slices.Contains(seen(viewer), visibility) {
				continue
			}
			for _, d := range done {
				status, body := w.ask(viewer, d.method, w.path(d.path, visibility), w.path(d.body, visibility))
				if status != http.StatusNotFound || body != `{"error":"Record not found"}` {
					t.Errorf("%s %s of %s by %s: %d %.200s", d.method, d.path, visibility, relations[viewer], status, body)
				}
			}
			// An admin may delete any named status.
			if viewer == "root" {
				continue
			}
			if status, body := w.ask(viewer, http.MethodDelete, w.path("/api/v1/statuses/ID", visibility), ""); status != http.StatusNotFound {
				t.Errorf("DELETE of %s by %s: %d %.200s", visibility, relations[viewer], status, body)
			}
		}
	}
	if diff := cmp.Diff(before, w.rows()); diff != "" {
		t.Error(diff)
	}
}

// rows counts the rows that a request might have written.
func (w *visibilityWorld) rows() map[string]int {
	w.t.Helper()
	out := map[string]int{}
	for _, table := range []string{"statuses", "favourites", "bookmarks", "emoji_reactions", "thread_mutes", "poll_votes", "notifications", "home_entries"} {
		var n int
		if err := w.s.DB.Writer().QueryRowContext(w.t.Context(), "SELECT COUNT(*) FROM "+table).Scan(&n); err != nil {
			w.t.Fatal(err)
		}
		out[table] = n
	}
	return out
}

// A bookmarked status is shown only while its reader may see it.
func (w *visibilityWorld) kept(t *testing.T) {
	ctx, s := t.Context(), w.s
	fay, post := s.Client("fay"), w.posts[db.Private]
	must(fay.Statuses.Favourite(ctx, post.ID))(t)
	must(fay.Statuses.Bookmark(ctx, post.ID))(t)
	must(fay.Accounts.UpdateCredentials(ctx, api.UpdateCredentials{HideFavorites: given(api.Bool(false))}))(t)
	lists := []string{"/api/v1/favourites", "/api/v1/bookmarks", "/api/v1/timelines/home", "/api/v1/svc/accounts/" + w.ids["fay"] + "/favourites"}
	for _, path := range lists {
		if _, body := w.ask("fay", http.MethodGet, path, ""); !slices.Contains(found(body), db.Private) {
			t.Errorf("%s does not show what is kept: %.200s", path, body)
		}
	}
	for _, viewer := range []string{"", "sam", "bea"} {
		if _, body := w.ask(viewer, http.MethodGet, lists[3], ""); len(found(body)) > 0 {
			t.Errorf("%s sees %v among a follower's favourites", relations[viewer], found(body))
		}
	}
	must(fay.Accounts.Unfollow(ctx, w.ids["ann"]))(t)
	for _, path := range lists {
		if _, body := w.ask("fay", http.MethodGet, path, ""); slices.Contains(found(body), db.Private) {
			t.Errorf("%s shows what may no longer be seen", path)
		}
	}
}

// boosted checks that a reblog shows the reblogged status to its own viewers
// only.
func (w *visibilityWorld) boosted(t *testing.T) {
	ctx, s := t.Context(), w.s
	own := must(s.Client("ann").Statuses.Reblog(ctx, w.posts[db.Private].ID, api.NewReblog{}))(t)
	neds := must(s.Client("ned").Statuses.Reblog(ctx, w.posts[db.Local].ID, api.NewReblog{}))(t)
	for _, viewer := range viewers {
		for _, tt := range []struct {
			id, of string
			sees   []string
		}{
			{own.ID, db.Private, only("ann", "fay", "mel")}, {neds.ID, db.Local, viewers[1:]},
		} {
			status, body := w.ask(viewer, http.MethodGet, "/api/v1/statuses/"+tt.id, "")
			if may := slices.Contains(tt.sees, viewer); may != (status == http.StatusOK) || may != slices.Contains(found(body), tt.of) {
				t.Errorf("the boost of %s for %s: %d", tt.of, relations[viewer], status)
			}
		}
	}
	for _, visibility := range only(db.Private, db.Direct, db.List) {
		if status, _ := w.ask("ned", http.MethodPost, w.path("/api/v1/statuses/ID/reblog", visibility), ""); status != http.StatusNotFound {
			t.Errorf("a boost of %s by somebody named: %d", visibility, status)
		}
	}
	for _, visibility := range only(db.Direct, db.List) {
		if status, _ := w.ask("ann", http.MethodPost, w.path("/api/v1/statuses/ID/reblog", visibility), ""); status != http.StatusNotFound {
			t.Errorf("a boost of %s by its author: %d", visibility, status)
		}
	}
}

// Counters leave out statuses for followers and recipients.
func (w *visibilityWorld) counted(t *testing.T) {
	ctx, s := t.Context(), w.s
	for _, viewer := range viewers {
		account := must(w.client(viewer).Accounts.Get(ctx, "ann"))(t)
		if account.StatusesCount != 3 {
			t.Errorf("%s counts %d posts, want those that are public, unlisted and local", relations[viewer], account.StatusesCount)
		}
	}
	post := w.posts[db.Public]
	before := must(s.Anonymous().Statuses.Get(ctx, post.ID))(t)
	say(t, s.Client("ann"), "hidden", func(f *api.NewStatus) { f.InReplyToID, f.Visibility = post.ID, db.Private })
	say(t, s.Client("ann"), "hidden @ned", func(f *api.NewStatus) { f.InReplyToID, f.Visibility = post.ID, db.Direct })
	after := must(s.Anonymous().Statuses.Get(ctx, post.ID))(t)
	if before.RepliesCount != 1 || after.RepliesCount != 1 {
		t.Errorf("%d answers, then %d", before.RepliesCount, after.RepliesCount)
	}
}

// A scheduled status is visible to its author alone.
func (w *visibilityWorld) scheduled(t *testing.T) {
	ctx, s := t.Context(), w.s
	var out struct{ ID string }
	status, body := w.ask("ann", http.MethodPost, "/api/v1/statuses", fmt.Sprintf(`{"status":"%s later","scheduled_at":"%s"}`,
		word(db.Public), time.Now().Add(time.Hour).UTC().Format(time.RFC3339)))
	if err := json.Unmarshal([]byte(body), &out); err != nil || status != http.StatusOK || out.ID == "" {
		t.Fatalf("%d %s", status, body)
	}
	for _, viewer := range viewers[1:] {
		mine := viewer == "ann"
		if _, body := w.ask(viewer, http.MethodGet, "/api/v1/scheduled_statuses", ""); strings.Contains(body, "later") != mine {
			t.Errorf("%s: %.200s", relations[viewer], body)
		}
		if status, _ := w.ask(viewer, http.MethodGet, "/api/v1/scheduled_statuses/"+out.ID, ""); (status == http.StatusOK) != mine {
			t.Errorf("%s by id: %d", relations[viewer], status)
		}
		if mine {
			continue
		}
		for _, method := range []string{http.MethodPut, http.MethodDelete} {
			if status, _ := w.ask(viewer, method, "/api/v1/scheduled_statuses/"+out.ID, `{"scheduled_at":"2099-01-01T00:00:00Z"}`); status != http.StatusNotFound {
				t.Errorf("%s by %s: %d", method, relations[viewer], status)
			}
		}
	}
	if _, err := s.Client("ann").ScheduledStatuses.Get(ctx, out.ID); err != nil {
		t.Error(err)
	}
}

// conversing checks that a conversation exists only for its participants.
func (w *visibilityWorld) conversing(t *testing.T) {
	parts := map[string]string{}
	for _, viewer := range viewers[1:] {
		var some []struct{ ID string }
		_, body := w.ask(viewer, http.MethodGet, "/api/v1/conversations", "")
		if err := json.Unmarshal([]byte(body), &some); err != nil || len(some) != len(directly(viewer)) {
			t.Fatalf("%s: %v, %.200s", relations[viewer], err, body)
		}
		if len(some) > 0 {
			parts[viewer] = some[0].ID
		}
	}
	for owner, id := range parts {
		for _, viewer := range viewers[1:] {
			want := http.StatusNotFound
			if viewer == owner {
				want = http.StatusOK
			}
			for _, path := range []string{"/api/v1/svc/conversations/" + id, "/api/v1/svc/conversations/" + id + "/statuses"} {
				status, body := w.ask(viewer, http.MethodGet, path, "")
				if status != want || viewer != owner && len(found(body)) > 0 {
					t.Errorf("%s of %s for %s: %d %.200s", path, relations[owner], relations[viewer], status, body)
				}
				if viewer == owner && strings.HasSuffix(path, "statuses") && !slices.Equal(found(body), only(db.Direct)) {
					t.Errorf("%s reads %v in his conversation", relations[viewer], found(body))
				}
			}
			if viewer != owner {
				if status, _ := w.ask(viewer, http.MethodPost, "/api/v1/statuses", `{"status":"x","in_reply_to_conversation_id":"`+id+`"}`); status != http.StatusNotFound {
					t.Errorf("%s posted into a conversation of %s: %d", relations[viewer], relations[owner], status)
				}
			}
		}
	}
}
