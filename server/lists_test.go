package server_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/platform/text"
	"svc/server/rules/social"
	"svc/server/rules/social/socialtest"
	"svc/server/servertest"
)

// remote makes an account of another server.
func remote(t *testing.T, s *servertest.Server, nickname string) *db.Account {
	t.Helper()
	_, domain, _ := strings.Cut(nickname, "@")
	a := db.NewAccount("https://"+domain, nickname)
	a.Local, a.Domain = false, domain
	if err := s.DB.CreateAccount(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	return a
}

// postBy posts for an account that has no client.
func postBy(t *testing.T, s *servertest.Server, by *db.Account, words, visibility string) *db.Status {
	t.Helper()
	if by.Local {
		return must(s.Social.PostStatus(t.Context(), by, social.NewStatus{Text: words, Visibility: visibility}))(t)
	}
	var named []*db.Account
	for _, handle := range text.Handles(words, text.TypePlain) {
		named = append(named, must(s.DB.AccountByNickname(t.Context(), handle))(t))
	}
	said := text.Format(words, text.TypePlain, text.Options{})
	return socialtest.Post(t, s.Social, by, visibility, activitypub.Post{Content: said.HTML, Hashtags: said.Hashtags}, named...)
}

func follow(t *testing.T, c *client.Client, id string) {
	t.Helper()
	if _, err := c.Accounts.Follow(t.Context(), id, api.Follow{}); err != nil {
		t.Fatal(err)
	}
}

// must returns v if err is nil.
func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// eventually waits for the effect of jobs.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(15 * time.Second); !is(); {
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("%s does not come", what)
		}
	}
}

func TestListsAreTheirOwnersAlone(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, ben := t.Context(), s.Client("ann"), s.Client("ben")
		made := must(ann.Lists.Create(ctx, api.NewList{Title: " Friends "}))(t)
		if diff := cmp.Diff(&api.AccountList{ID: made.ID, Title: "Friends", RepliesPolicy: "list"}, made); diff != "" {
			t.Error(diff)
		}
		if got := must(ann.Lists.Update(ctx, made.ID, api.ListForm{Title: given("Foes")}))(t); got.Title != "Foes" {
			t.Errorf("%+v", got)
		}
		other := must(ann.Lists.Create(ctx, api.NewList{Title: "Others"}))(t)
		if diff := cmp.Diff([]api.AccountList{*other, {ID: made.ID, Title: "Foes", RepliesPolicy: "list"}}, must(ann.Lists.List(ctx))(t)); diff != "" {
			t.Error(diff)
		}
		for name, err := range map[string]error{
			"get": second(ben.Lists.Get(ctx, made.ID)), "update": second(ben.Lists.Update(ctx, made.ID, api.ListForm{Title: given("x")})),
			"delete": ben.Lists.Delete(ctx, made.ID), "accounts": second(ben.Lists.Accounts(made.ID, api.PageQuery{}).Page(ctx)),
			"add": ben.Lists.Add(ctx, made.ID, s.User("ben").ID), "remove": ben.Lists.Remove(ctx, made.ID, s.User("ben").ID),
			"unknown": ann.Lists.Delete(ctx, "99999"),
		} {
			refused(t, name, err, 404, "List not found")
		}
		refused(t, "no number", second(ann.Lists.Get(ctx, "x")), 404, "Record not found")
		refused(t, "timeline", second(ben.Timelines.List(made.ID, api.ListTimelineQuery{}).Page(ctx)), 403, "Error.")
		refused(t, "no title", second(ann.Lists.Create(ctx, api.NewList{})), 422, "can't be blank")
		refused(t, "blank title", second(ann.Lists.Update(ctx, made.ID, api.ListForm{Title: given(" \n ")})), 422, "can't be blank")
		if err := ann.Lists.Delete(ctx, made.ID); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff([]api.AccountList{*other}, must(ann.Lists.List(ctx))(t)); diff != "" {
			t.Error(diff)
		}
		for i := 1; i < db.MaxLists; i++ {
			must(ann.Lists.Create(ctx, api.NewList{Title: "list " + strconv.Itoa(i)}))(t)
		}
		refused(t, "too many", second(ann.Lists.Create(ctx, api.NewList{Title: "one more"})), 422, "You cannot have more than 50 lists")
	})
}

// refused checks an error's status and words.
func refused(t *testing.T, what string, err error, status int, words string) {
	t.Helper()
	if client.Status(err) != status || !strings.Contains(err.Error(), words) {
		t.Errorf("%s: %v, want %d %s", what, err, status, words)
	}
}

func TestMembersOfListsComeAndGo(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann := t.Context(), s.Client("ann")
		list := must(ann.Lists.Create(ctx, api.NewList{Title: "all"}))(t)
		var people []string
		for i := range 45 {
			people = append(people, remote(t, s, "p"+strconv.Itoa(i)+"@far.example").ID)
		}
		slices.Sort(people)
		if err := ann.Lists.Add(ctx, list.ID, append([]string{"unknown", people[0]}, people...)...); err != nil {
			t.Fatal(err)
		}
		ids := func(accounts []api.Account) []string {
			out := []string{}
			for _, a := range accounts {
				out = append(out, a.ID)
			}
			return out
		}
		backwards := slices.Clone(people)
		slices.Reverse(backwards)
		if diff := cmp.Diff(backwards[:40], ids(must(ann.Lists.Accounts(list.ID, api.PageQuery{}).Page(ctx))(t).Items)); diff != "" {
			t.Error(diff)
		}
		var all []string
		for a, err := range ann.Lists.Accounts(list.ID, api.PageQuery{Limit: 7}).All(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, a.ID)
		}
		if diff := cmp.Diff(backwards, all); diff != "" {
			t.Error(diff)
		}
		var whole []api.Account
		if _, err := ann.Do(ctx, client.Request{Method: "GET", Path: "/api/v1/lists/" + list.ID + "/accounts?limit=0"}, &whole); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(backwards, ids(whole)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]api.AccountList{*list}, must(ann.Accounts.Lists(ctx, people[3]))(t)); diff != "" {
			t.Error(diff)
		}
		if got := must(s.Client("ben").Accounts.Lists(ctx, people[3]))(t); len(got) != 0 {
			t.Errorf("another's lists: %v", got)
		}
		if err := ann.Lists.Remove(ctx, list.ID, people[1:]...); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(people[:1], ids(must(ann.Lists.Accounts(list.ID, api.PageQuery{}).Page(ctx))(t).Items)); diff != "" {
			t.Error(diff)
		}
	})
}

// A list's timeline has the statuses of followed members, however they got on
// the list.
func TestTheTimelineOfAList(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann := t.Context(), s.Client("ann")
		ben, far := s.User("ben"), remote(t, s, "far@far.example")
		s.User("ann")
		list := must(ann.Lists.Create(ctx, api.NewList{Title: "both"}))(t)
		read := func() []string {
			t.Helper()
			return texts(must(ann.Timelines.List(list.ID, api.ListTimelineQuery{}).Page(ctx))(t).Items)
		}
		want := func(what string, texts ...string) {
			t.Helper()
			if diff := cmp.Diff(append([]string{}, texts...), read()); diff != "" {
				t.Errorf("%s: %s", what, diff)
			}
		}
		postBy(t, s, ben, "one", db.Public)
		postBy(t, s, far, "two", db.Unlisted)
		follow(t, ann, ben.ID)
		if err := ann.Lists.Add(ctx, list.ID, ben.ID, far.ID); err != nil {
			t.Fatal(err)
		}
		want("who is followed when he is added", "one")
		follow(t, ann, far.ID)
		if err := s.Social.AuthorizeFollow(ctx, far, s.User("ann").ID); err != nil { // as their server does
			t.Fatal(err)
		}
		want("who is followed after he was added", "two", "one")
		three := postBy(t, s, ben, "three", db.Private)
		postBy(t, s, ben, "@ann four", db.Direct)
		if _, err := s.Social.Reblog(ctx, ben, postBy(t, s, s.User("eve"), "five", db.Public).ID, ""); err != nil {
			t.Fatal(err)
		}
		postBy(t, s, s.User("eve"), "six", db.Public)
		want("no boosts, direct posts or others", "three", "two", "one")
		var walked []string
		for status, err := range ann.Timelines.List(list.ID, api.ListTimelineQuery{PageQuery: api.PageQuery{Limit: 1}}).All(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			walked = append(walked, status.Content)
		}
		if diff := cmp.Diff([]string{"three", "two", "one"}, walked); diff != "" {
			t.Error(diff)
		}
		if err := s.Social.DeleteStatus(ctx, ben, three.ID); err != nil {
			t.Fatal(err)
		}
		want("what is deleted goes", "two", "one")
		if _, err := ann.Accounts.Unfollow(ctx, far.ID); err != nil {
			t.Fatal(err)
		}
		want("who is no longer followed", "one")
		if _, err := ann.Accounts.Mute(ctx, ben.ID, api.Mute{}); err != nil {
			t.Fatal(err)
		}
		want("who is muted")
		if _, err := ann.Accounts.Unmute(ctx, ben.ID); err != nil {
			t.Fatal(err)
		}
		if err := ann.Lists.Remove(ctx, list.ID, ben.ID); err != nil {
			t.Fatal(err)
		}
		want("who was taken off")
		entries := func() (n int) {
			row := s.DB.Writer().QueryRowContext(ctx, "SELECT COUNT(*) FROM home_entries h JOIN statuses s ON s.id = h.status_id WHERE h.account_id = '"+
				db.ListTimelineName(must(strconv.ParseInt(list.ID, 10, 64))(t))+"'")
			if err := row.Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		eventually(t, "an empty list", func() bool { return entries() == 0 })
		if err := ann.Lists.Add(ctx, list.ID, ben.ID); err != nil {
			t.Fatal(err)
		}
		want("who was put on it again", "one")
		if err := ann.Lists.Delete(ctx, list.ID); err != nil {
			t.Fatal(err)
		}
		eventually(t, "nothing of a deleted list", func() bool { return entries() == 0 })
	})
}

// Popular authors are delivered by a job, to lists too.
func TestListsGetWhatAJobDelivers(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, ben := t.Context(), s.Client("ann"), s.User("ben")
		list := must(ann.Lists.Create(ctx, api.NewList{Title: "x"}))(t)
		follow(t, ann, ben.ID)
		if err := ann.Lists.Add(ctx, list.ID, ben.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := s.DB.Writer().ExecContext(ctx, "UPDATE accounts SET followers_count = 100000 WHERE nickname = 'ben'"); err != nil {
			t.Fatal(err)
		}
		ben = must(s.DB.Account(ctx, ben.ID))(t)
		postBy(t, s, ben, "to many", db.Public)
		eventually(t, "the post", func() bool {
			return slices.Equal(texts(must(ann.Timelines.List(list.ID, api.ListTimelineQuery{}).Page(ctx))(t).Items), []string{"to many"}) &&
				slices.Equal(texts(must(ann.Timelines.Home(api.TimelineQuery{}).Page(ctx))(t).Items), []string{"to many"})
		})
	})
}

func TestTheTimelineOfDirectPosts(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, ben := t.Context(), s.Client("ann"), s.Client("ben")
		s.User("ann")
		s.User("ben")
		direct := func(f *api.NewStatus) { f.Visibility = db.Direct }
		say(t, ann, "hello @ben", direct)
		say(t, ben, "hello @ann", direct)
		say(t, ben, "@ann everybody hears this")
		say(t, s.Client("eve"), "hello @ben", direct)
		for _, tt := range []struct {
			who  *client.Client
			want []string
		}{{ann, []string{"ben", "ann"}}, {ben, []string{"eve", "ben", "ann"}}, {s.Client("fay"), []string{}}} {
			authors := []string{}
			for status, err := range tt.who.Timelines.Direct(api.DirectTimelineQuery{PageQuery: api.PageQuery{Limit: 1}}).All(ctx) {
				if err != nil {
					t.Fatal(err)
				}
				authors = append(authors, status.Account.Acct)
			}
			if diff := cmp.Diff(tt.want, authors); diff != "" {
				t.Error(diff)
			}
		}
		if _, err := ben.Accounts.Mute(ctx, s.User("eve").ID, api.Mute{}); err != nil {
			t.Fatal(err)
		}
		if got := must(ben.Timelines.Direct(api.DirectTimelineQuery{}).Page(ctx))(t).Items; len(got) != 2 {
			t.Errorf("with somebody muted: %v", texts(got))
		}
		if got := must(ben.Timelines.Direct(api.DirectTimelineQuery{WithMuted: true}).Page(ctx))(t).Items; len(got) != 3 {
			t.Errorf("with_muted: %v", texts(got))
		}
	})
}

func TestTheTimelineOfAHashtag(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, far := t.Context(), s.Client("ann"), remote(t, s, "far@far.example")
		say(t, ann, "1 #Cats")
		postBy(t, s, far, "2 #cats #dogs", db.Public)
		say(t, ann, "3 #dogs")
		say(t, ann, "4 #cats", func(f *api.NewStatus) { f.Visibility = db.Unlisted })
		say(t, ann, "5 #cats #birds")
		for _, tt := range []struct {
			tag   string
			query api.TagTimelineQuery
			want  string
		}{
			{"cats", api.TagTimelineQuery{}, "5 2 1"},
			{"CATS", api.TagTimelineQuery{Local: true}, "5 1"},
			{"cats", api.TagTimelineQuery{Any: []string{"Dogs"}}, "5 3 2 1"},
			{"cats", api.TagTimelineQuery{All: []string{"#dogs"}}, "2"},
			{"cats", api.TagTimelineQuery{None: []string{"dogs", "birds"}}, "1"},
			{"cats", api.TagTimelineQuery{OnlyMedia: true}, ""},
			{"cats", api.TagTimelineQuery{ExcludeVisibilities: []string{"public"}}, ""},
			{"cats", api.TagTimelineQuery{PageQuery: api.PageQuery{Limit: 1}}, "5"},
			{"nothing", api.TagTimelineQuery{}, ""},
		} {
			got := ""
			for _, status := range must(s.Anonymous().Timelines.Tag(tt.tag, tt.query).Page(ctx))(t).Items {
				if got != "" {
					got += " "
				}
				got += status.Content[:1]
			}
			if got != tt.want {
				t.Errorf("%s %+v: %q, want %q", tt.tag, tt.query, got, tt.want)
			}
		}
		count := 0
		for _, err := range ann.Timelines.Tag("cats", api.TagTimelineQuery{PageQuery: api.PageQuery{Limit: 1}}).All(context.WithoutCancel(ctx)) {
			if err != nil {
				t.Fatal(err)
			}
			count++
		}
		if count != 3 {
			t.Errorf("walked %d", count)
		}
	})
}
