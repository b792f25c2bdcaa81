package e2e

import (
	"context"
	"encoding/base64"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mattn/go-mastodon"

	"svc/server/servertest"
)

// later are go-mastodon's calls that are of other servers' admins, or were taken out of
// Mastodon's API, or need the scope push, for which its log-in cannot ask; streaming is
// tested with the rest of its.
var later = regexp.MustCompile(`Admin|Streaming|WSClient|PushSubscription|^GetReports$`)

// caller makes go-mastodon's calls and remembers which.
type caller struct {
	t *testing.T
	*mastodon.Client
	made map[string]bool
}

// call makes the call name with args and returns its first result; any error
// ends the test.
func (c *caller) call(name string, args ...any) any {
	c.t.Helper()
	c.made[name] = true
	m := reflect.ValueOf(c.Client).MethodByName(name)
	in := []reflect.Value{reflect.ValueOf(c.t.Context())}
	for i, a := range args {
		want := m.Type()
		at := min(i+1, want.NumIn()-1)
		of := want.In(at)
		if want.IsVariadic() && at == want.NumIn()-1 {
			of = of.Elem()
		}
		v := reflect.Zero(of)
		if a != nil {
			v = reflect.ValueOf(a).Convert(of)
		}
		in = append(in, v)
	}
	out := m.Call(in)
	if last := out[len(out)-1]; last.Type().Implements(reflect.TypeFor[error]()) && !last.IsNil() {
		c.t.Fatalf("%s: %v", name, last.Interface())
	}
	return out[0].Interface()
}

// idsOf is the ids of a list of pointers to structs with an ID.
func idsOf(list any) []mastodon.ID {
	out := []mastodon.ID{}
	v := reflect.ValueOf(list)
	for i := range v.Len() {
		out = append(out, v.Index(i).Elem().FieldByName("ID").Interface().(mastodon.ID))
	}
	return out
}

func (c *caller) same(what string, got, want any) {
	c.t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		c.t.Errorf("%s: %s", what, diff)
	}
}

// TestGoMastodonMakesEveryCall uses a typed client by others: each answer must
// decode, and be right.
func TestGoMastodonMakesEveryCall(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		made := map[string]bool{}
		as := func(nickname string) *caller {
			id, ctx := s.User(nickname).ID, t.Context()
			app, err := mastodon.RegisterApp(ctx, &mastodon.AppConfig{Server: s.URL, ClientName: "go", Scopes: "read write follow", RedirectURIs: "urn:ietf:wg:oauth:2.0:oob"})
			if err != nil {
				t.Fatal(err)
			}
			c := &caller{t, mastodon.NewClient(&mastodon.Config{Server: s.URL, ClientID: app.ClientID, ClientSecret: app.ClientSecret}), made}
			c.call("Authenticate", nickname, servertest.Password)
			c.same("who "+nickname+" is", c.call("GetAccountCurrentUser").(*mastodon.Account).ID, mastodon.ID(id))
			return c
		}
		alice, bob, carol := as("alice"), as("bob"), as("carol")
		aliceID, bobID, carolID := mastodon.ID(s.User("alice").ID), mastodon.ID(s.User("bob").ID), mastodon.ID(s.User("carol").ID)
		people(alice, bob, carol, aliceID, bobID, carolID)
		talking(alice, bob, aliceID, bobID)
		keeping(alice, bob, aliceID)
		newest(alice, bob, carol, aliceID)
		gates(t, s, alice)

		var never []string
		inherited := reflect.TypeFor[*http.Client]()
		for m := range reflect.TypeFor[*mastodon.Client]().Methods() {
			if _, of := inherited.MethodByName(m.Name); !of && !made[m.Name] && !later.MatchString(m.Name) {
				never = append(never, m.Name)
			}
		}
		slices.Sort(never)
		if len(never) > 0 {
			t.Errorf("calls never made: %v", never)
		}
	})
}

func people(alice, bob, carol *caller, aliceID, bobID, carolID mastodon.ID) {
	name, yes, no := "Bob", true, false
	alice.same("an account", alice.call("GetAccount", bobID).(*mastodon.Account).Acct, "bob")
	alice.same("following", alice.call("AccountFollow", bobID).(*mastodon.Relationship).Following, true)
	bob.call("AccountFollow", aliceID)
	alice.same("followers", idsOf(alice.call("GetAccountFollowers", aliceID, nil)), []mastodon.ID{bobID})
	alice.same("following", idsOf(alice.call("GetAccountFollowing", aliceID, nil)), []mastodon.ID{bobID})
	alice.same("relationships", idsOf(alice.call("GetAccountRelationships", []string{string(bobID)})), []mastodon.ID{bobID})
	alice.same("search", idsOf(alice.call("AccountsSearch", "bob", 5)), []mastodon.ID{bobID})
	alice.same("search", idsOf(alice.call("AccountsSearchResolve", "bob", 5, true)), []mastodon.ID{bobID})
	bob.same("a profile", bob.call("AccountUpdate", &mastodon.Profile{DisplayName: &name, Locked: &yes}).(*mastodon.Account).DisplayName, "Bob")
	carol.call("FollowRemoteUser", "bob")
	bob.same("follow requests", idsOf(bob.call("GetFollowRequests", nil)), []mastodon.ID{carolID})
	bob.call("FollowRequestAuthorize", carolID)
	carol.same("unfollowed", carol.call("AccountUnfollow", bobID).(*mastodon.Relationship).Following, false)
	carol.call("AccountFollow", bobID)
	bob.call("FollowRequestReject", carolID)
	bob.call("AccountUpdate", &mastodon.Profile{Locked: &no})
	carol.same("muting", carol.call("AccountMute", aliceID).(*mastodon.Relationship).Muting, true)
	carol.same("mutes", idsOf(carol.call("GetMutes", nil)), []mastodon.ID{aliceID})
	carol.same("muting", carol.call("AccountUnmute", aliceID).(*mastodon.Relationship).Muting, false)
	carol.same("blocking", carol.call("AccountBlock", aliceID).(*mastodon.Relationship).Blocking, true)
	carol.same("blocks", idsOf(carol.call("GetBlocks", nil)), []mastodon.ID{aliceID})
	carol.same("blocking", carol.call("AccountUnblock", aliceID).(*mastodon.Relationship).Blocking, false)
	carol.same("endorsements", idsOf(carol.call("GetEndorsements", nil)), []mastodon.ID{})
}

func talking(alice, bob *caller, aliceID, bobID mastodon.ID) {
	file := alice.call("UploadMediaFromMedia", &mastodon.Media{File: strings.NewReader(dotPNG), Description: "a dot"}).(*mastodon.Attachment)
	alice.same("an upload", []string{file.Type, file.Description}, []string{"image", "a dot"})
	alice.call("GetMediaStatus", file)
	alice.call("UploadMediaFromBytes", []byte(dotPNG))
	alice.call("UploadMediaFromReader", strings.NewReader(dotPNG))
	alice.call("UploadMedia", dotFile(alice.t))
	post := alice.call("PostStatus", &mastodon.Toot{Status: "Look #dot", MediaIDs: []mastodon.ID{file.ID}, SpoilerText: "dots", Sensitive: true}).(*mastodon.Status)
	alice.same("attachments", idsOfFiles(post), []mastodon.ID{file.ID})
	asked := alice.call("PostStatus", &mastodon.Toot{Status: "Which?", Poll: &mastodon.TootPoll{Options: []string{"tea", "coffee"}, ExpiresInSeconds: 3600}}).(*mastodon.Status)
	bob.same("votes", bob.call("GetPoll", asked.Poll.ID).(*mastodon.Poll).VotesCount, int64(0))
	bob.same("votes", bob.call("PollVote", asked.Poll.ID, 1).(*mastodon.Poll).VotesCount, int64(1))
	answer := bob.call("PostStatus", &mastodon.Toot{Status: "I see", InReplyToID: post.ID}).(*mastodon.Status)
	alice.same("a thread", idsOf(alice.call("GetStatusContext", post.ID).(*mastodon.Context).Descendants), []mastodon.ID{answer.ID})
	alice.same("replies", alice.call("GetStatus", post.ID).(*mastodon.Status).RepliesCount, int64(1))
	alice.call("GetStatusCard", post.ID)

	bob.call("Favourite", post.ID)
	bob.same("favourites", idsOf(bob.call("GetFavourites", nil)), []mastodon.ID{post.ID})
	alice.same("who favourited", idsOf(alice.call("GetFavouritedBy", post.ID, nil)), []mastodon.ID{bobID})
	bob.call("Unfavourite", post.ID)
	bob.call("Reblog", post.ID)
	alice.same("who boosted", idsOf(alice.call("GetRebloggedBy", post.ID, nil)), []mastodon.ID{bobID})
	bob.call("Unreblog", post.ID)
	bob.same("bookmarked", bob.call("Bookmark", post.ID).(*mastodon.Status).Bookmarked, true)
	bob.same("bookmarks", idsOf(bob.call("GetBookmarks", nil)), []mastodon.ID{post.ID})
	bob.call("Unbookmark", post.ID)

	of := func(name string, args ...any) {
		bob.t.Helper()
		if got := idsOf(bob.call(name, args...)); !slices.Contains(got, post.ID) {
			bob.t.Errorf("%s lacks the post: %v", name, got)
		}
	}
	of("GetTimelineHome", nil)
	of("GetTimelinePublic", false, nil)
	of("GetTimelineMedia", true, nil)
	of("GetTimelineHashtag", "dot", true, nil)
	of("GetTimelineHashtagMultiple", "other", false, &mastodon.TagData{Any: []string{"dot"}}, nil)
	of("GetAccountStatuses", aliceID, nil)
	of("GetAccountStatusesParams", aliceID, nil, nil)
	bob.call("GetAccountPinnedStatuses", aliceID)
	bob.call("AccountStatuses", aliceID, nil)
	n := 0
	for status, err := range bob.Client.AccountStatuses(bob.t.Context(), aliceID, &mastodon.Pagination{Limit: 1}) {
		if err != nil || status.ID == "" {
			bob.t.Fatal(err)
		}
		n++
	}
	bob.same("statuses in pages of one", n, 2)
	found := bob.call("Search", "dot", false).(*mastodon.Results)
	bob.same("found", idsOf(found.Statuses), []mastodon.ID{post.ID})

	whisper := alice.call("PostStatus", &mastodon.Toot{Status: "@bob psst", Visibility: "direct"}).(*mastodon.Status)
	bob.same("direct", idsOf(bob.call("GetTimelineDirect", nil)), []mastodon.ID{whisper.ID})
	talks := bob.call("GetConversations", nil).([]*mastodon.Conversation)
	bob.same("conversations", talks[0].LastStatus.ID, whisper.ID)
	bob.call("MarkConversationAsRead", talks[0].ID)
	bob.call("DeleteConversation", talks[0].ID)
	alice.call("DeleteStatus", whisper.ID)
	if r := bob.call("Report", aliceID, []mastodon.ID{post.ID}, "dots").(*mastodon.Report); r.ID == "" {
		bob.t.Error("a report without an id")
	}
}

func keeping(alice, bob *caller, aliceID mastodon.ID) {
	list := bob.call("CreateList", "People").(*mastodon.List)
	bob.call("RenameList", list.ID, "Friends")
	bob.same("a list", bob.call("GetList", list.ID).(*mastodon.List).Title, "Friends")
	bob.call("AddToList", list.ID, aliceID)
	bob.same("members", idsOf(bob.call("GetListAccounts", list.ID)), []mastodon.ID{aliceID})
	bob.same("lists of her", idsOf(bob.call("GetAccountLists", aliceID)), []mastodon.ID{list.ID})
	if got := idsOf(bob.call("GetTimelineList", list.ID, nil)); len(got) == 0 {
		bob.t.Error("an empty list timeline")
	}
	bob.call("RemoveFromList", list.ID, aliceID)
	bob.same("lists", idsOf(bob.call("GetLists")), []mastodon.ID{list.ID})
	bob.call("DeleteList", list.ID)

	f := bob.call("CreateFilter", &mastodon.Filter{Phrase: "spoilt", Context: []string{"home"}, WholeWord: true, ExpiresAt: time.Now().Add(time.Hour)}).(*mastodon.Filter)
	bob.same("a filter", bob.call("GetFilter", f.ID).(*mastodon.Filter).Phrase, "spoilt")
	bob.call("UpdateFilter", f.ID, &mastodon.Filter{Phrase: "spoiled", Context: []string{"home"}, ExpiresAt: time.Now().Add(time.Hour)})
	bob.same("filters", idsOf(bob.call("GetFilters")), []mastodon.ID{f.ID})
	bob.call("DeleteFilter", f.ID)

	news := alice.call("GetNotifications", nil).([]*mastodon.Notification)
	if len(news) < 2 {
		alice.t.Fatalf("%d notifications", len(news))
	}
	alice.same("a notification", alice.call("GetNotification", news[0].ID).(*mastodon.Notification).ID, news[0].ID)
	none := []string{"follow", "mention", "favourite", "reblog", "poll", "follow_request"}
	alice.same("excluded", idsOf(alice.call("GetNotificationsExclude", &none, nil)), []mastodon.ID{})
	alice.call("Notifications", nil, nil)
	n := 0
	for _, err := range alice.Client.Notifications(alice.t.Context(), nil, &mastodon.Pagination{Limit: 1}) {
		if err != nil {
			alice.t.Fatal(err)
		}
		n++
	}
	alice.same("notifications one by one", n, len(news))
	alice.call("DismissNotification", news[0].ID)
	alice.call("ClearNotifications")
	alice.same("no notifications", idsOf(alice.call("GetNotifications", nil)), []mastodon.ID{})
}

func gates(t *testing.T, s *servertest.Server, alice *caller) {
	in := alice.call("GetInstance").(*mastodon.Instance)
	alice.same("the level", strings.HasPrefix(in.Version, "2.7.2 (compatible; "), true)
	alice.same("weeks", len(alice.call("GetInstanceActivity").([]*mastodon.WeeklyActivity)), 12)
	alice.same("peers", alice.call("GetInstancePeers"), []string{})
	alice.same("the app", alice.call("VerifyAppCredentials").(*mastodon.ApplicationVerification).Name, "go")

	app := &caller{t, mastodon.NewClient(&mastodon.Config{Server: s.URL, ClientID: alice.Config.ClientID, ClientSecret: alice.Config.ClientSecret}), alice.made}
	app.call("AuthenticateApp")
	app.call("GetAppAccessToken", "urn:ietf:wg:oauth:2.0:oob")
	for _, name := range []string{"AuthenticateToken", "GetUserAccessToken"} {
		link := s.URL + "/oauth/authorize?response_type=code&client_id=" + alice.Config.ClientID + "&redirect_uri=urn:ietf:wg:oauth:2.0:oob&scope=read+write+follow"
		app.call(name, codeFrom(t, link, "alice"), "urn:ietf:wg:oauth:2.0:oob")
		app.same("who signed in", app.call("GetAccountCurrentUser").(*mastodon.Account).Acct, "alice")
	}
	app.call("RevokeToken")
	if _, err := app.GetAccountCurrentUser(context.WithoutCancel(t.Context())); err == nil {
		t.Error("a revoked token still works")
	}
}

// dotPNG is a picture of one point.
var dotPNG = func() string {
	raw, err := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
	if err != nil {
		panic(err)
	}
	return string(raw)
}()

func dotFile(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "dot.png")
	if err := os.WriteFile(name, []byte(dotPNG), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func idsOfFiles(s *mastodon.Status) []mastodon.ID {
	var out []mastodon.ID
	for _, f := range s.MediaAttachments {
		out = append(out, f.ID)
	}
	return out
}
