package server_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client/api"
	"svc/db"
	"svc/server/platform/jobs"
	"svc/server/servertest"
)

func TestHashtagsAreFollowed(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, ben := t.Context(), s.Client("ann"), s.Client("ben")
		want := &api.Tag{ID: "tea", Name: "tea", URL: s.Base() + "/tag/tea", Following: new(false)}
		got := must(ann.Tags.Get(ctx, "Tea"))(t)
		want.History = got.History
		if diff := cmp.Diff(want, got); diff != "" || len(got.History) != 0 {
			t.Error(diff)
		}
		if got := must(s.Anonymous().Tags.Get(ctx, "tea"))(t); got.Following != nil || got.ID != "tea" {
			t.Errorf("%+v", got)
		}
		for range 2 {
			if got := must(ann.Tags.Follow(ctx, "#TEA"))(t); got.Name != "tea" || !*got.Following {
				t.Errorf("%+v", got)
			}
		}
		must(ann.Tags.Follow(ctx, "größe"))(t)
		if got := must(ann.Tags.Get(ctx, "GRÖSSE"))(t); *got.Following {
			t.Errorf("another word is followed: %+v", got)
		}
		list := func() (names []string) {
			for tag, err := range ann.Tags.Followed(api.PageQuery{Limit: 1}).All(ctx) {
				if err != nil {
					t.Fatal(err)
				}
				names = append(names, fmt.Sprint(tag.Name, " ", *tag.Following))
			}
			return names
		}
		if diff := cmp.Diff([]string{"größe true", "tea true"}, list()); diff != "" {
			t.Error(diff)
		}
		found := must(ann.Search.Find(ctx, api.SearchQuery{Q: "#tea #milk", Type: "hashtags"}))(t).Hashtags
		if len(found) != 2 || !*found[0].Following || *found[1].Following {
			t.Errorf("%+v", found)
		}
		if found := must(s.Anonymous().Search.Find(ctx, api.SearchQuery{Q: "#tea", Type: "hashtags"}))(t).Hashtags; found[0].Following != nil {
			t.Errorf("%+v", found)
		}
		if got := must(ben.Tags.Get(ctx, "tea"))(t); *got.Following {
			t.Error("what one follows another does, too")
		}
		for range 2 {
			if got := must(ann.Tags.Unfollow(ctx, "tea"))(t); *got.Following {
				t.Errorf("%+v", got)
			}
		}
		if diff := cmp.Diff([]string{"größe true"}, list()); diff != "" {
			t.Error(diff)
		}
		for _, name := range []string{"!", " ", "123", "a b", "#"} {
			refused(t, name, second(ann.Tags.Get(ctx, name)), 404, "Record not found")
			refused(t, name, second(ann.Tags.Follow(ctx, name)), 404, "Record not found")
		}
		for i := range db.MaxFollowedTags - 1 {
			if err := s.DB.FollowTag(ctx, s.User("ann").ID, fmt.Sprint("t", i)); err != nil {
				t.Fatal(err)
			}
		}
		refused(t, "one more", second(ann.Tags.Follow(ctx, "more")), 422, "Validation failed: You cannot follow more than 500 hashtags")
		must(ann.Tags.Follow(ctx, "t1"))(t)
	})
}

// A followed hashtag brings public statuses to the home timeline and its stream, once.
func TestHomeHasFollowedHashtags(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, ben, eve := t.Context(), s.Client("ann"), s.Client("ben"), s.Client("eve")
		me := s.User("ann")
		follow(t, ann, s.User("ben").ID)
		must(ann.Tags.Follow(ctx, "tea"))(t)
		must(ann.Tags.Follow(ctx, "milk"))(t)
		home := func() []string {
			return idsOf(must(ann.Timelines.Home(api.TimelineQuery{}).Page(ctx))(t).Items)
		}
		listener := dial(t, s, s.Token("ann", servertest.AllScopes), "stream=user")
		old := say(t, eve, "no hashtag")
		for _, v := range []string{db.Unlisted, db.Private} {
			say(t, eve, "#tea", func(f *api.NewStatus) { f.Visibility = v })
		}
		one := say(t, eve, "#Tea with #milk")
		answer := say(t, eve, "more #milk", to(one))
		both := say(t, ben, "#tea of a friend")
		far := postBy(t, s, remote(t, s, "far@far.example"), "#tea from afar", db.Public)
		mine := say(t, ann, "my #tea")
		if _, err := s.Social.Reblog(ctx, s.User("carl"), one.ID, ""); err != nil {
			t.Fatal(err)
		}
		want := []string{mine.ID, both.ID, answer.ID, one.ID}
		if len(far.Tags) > 0 {
			want = slices.Insert(want, 1, far.ID)
		}
		if diff := cmp.Diff(want, home()); diff != "" {
			t.Fatal(diff)
		}
		listener.until("update", mine.ID)
		heard := listener.ids("update")
		slices.Sort(heard)
		slices.Reverse(heard)
		if diff := cmp.Diff(want, heard); diff != "" {
			t.Errorf("stream: %s", diff)
		}
		must(eve.Statuses.Delete(ctx, answer.ID))(t)
		listener.until("delete", answer.ID)
		want = slices.DeleteFunc(want, func(id string) bool { return id == answer.ID })

		// An edit that adds a hashtag brings the status, one that takes it out hides it.
		must(eve.Statuses.Edit(ctx, old.ID, api.StatusForm{Status: "with #milk now"}))(t)
		if diff := cmp.Diff(append(slices.Clone(want), old.ID), home()); diff != "" {
			t.Errorf("edited: %s", diff)
		}
		must(eve.Statuses.Edit(ctx, old.ID, api.StatusForm{Status: "without again"}))(t)
		if diff := cmp.Diff(want, home()); diff != "" {
			t.Errorf("edited again: %s", diff)
		}

		// Who is muted or blocked is not heard of.
		must(ann.Accounts.Mute(ctx, s.User("eve").ID, api.Mute{}))(t)
		if slices.Contains(home(), one.ID) {
			t.Error("a muted author is on the timeline")
		}
		must(ann.Accounts.Unmute(ctx, s.User("eve").ID))(t)

		// A status stays for as long as one reason lasts.
		must(ann.Accounts.Unfollow(ctx, s.User("ben").ID))(t)
		settle := func() {
			t.Helper()
			if err := s.Social.Unfollowed(ctx, jobs.Unfollowed{AccountID: me.ID, AuthorID: s.User("ben").ID}); err != nil {
				t.Fatal(err)
			}
			if err := s.Social.Untagged(ctx, jobs.Untagged{AccountID: me.ID}); err != nil {
				t.Fatal(err)
			}
		}
		settle()
		if diff := cmp.Diff(want, home()); diff != "" {
			t.Errorf("author unfollowed: %s", diff)
		}
		must(ann.Tags.Unfollow(ctx, "tea"))(t)
		for range 2 {
			if diff := cmp.Diff([]string{mine.ID, one.ID}, home()); diff != "" {
				t.Errorf("one hashtag unfollowed: %s", diff)
			}
			settle()
		}
		must(ann.Tags.Unfollow(ctx, "milk"))(t)
		for range 2 {
			if diff := cmp.Diff([]string{mine.ID}, home()); diff != "" {
				t.Errorf("unfollowed: %s", diff)
			}
			settle()
		}
		rows := 0
		if err := s.DB.Writer().QueryRowContext(ctx, "SELECT COUNT(*) FROM home_entries WHERE account_id = '"+me.ID+"'").Scan(&rows); err != nil || rows != 1 {
			t.Errorf("%d home entries, %v", rows, err)
		}
	})
}

// The replies in the timeline and stream of a list are those of its policy.
func TestListsHaveRepliesOfTheirPolicy(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, ben := t.Context(), s.Client("ann"), s.Client("ben")
		made := must(ann.Lists.Create(ctx, api.NewList{Title: "x"}))(t)
		if made.RepliesPolicy != "list" || made.Exclusive {
			t.Errorf("%+v", made)
		}
		for _, name := range []string{"ben", "member", "friend"} {
			follow(t, ann, s.User(name).ID)
		}
		if err := ann.Lists.Add(ctx, made.ID, s.User("ben").ID, s.User("member").ID); err != nil {
			t.Fatal(err)
		}
		by := func(name string) *api.Status { return say(t, s.Client(name), "by "+name) }
		targets := map[string]*api.Status{"ann": by("ann"), "member": by("member"), "friend": by("friend"), "stranger": by("stranger"), "ben": by("ben")}
		for _, tt := range []struct {
			policy string
			want   []string
		}{
			{"list", []string{"ann", "ben", "member"}},
			{"followed", []string{"ann", "ben", "friend", "member"}},
			{"none", []string{"ann", "ben"}},
		} {
			if got := must(ann.Lists.Update(ctx, made.ID, api.ListForm{RepliesPolicy: &tt.policy}))(t); got.RepliesPolicy != tt.policy || got.Title != "x" {
				t.Errorf("%+v", got)
			}
			listener := dial(t, s, s.Token("ann", servertest.AllScopes), "stream=list&list="+made.ID)
			names := map[string]string{}
			for name, status := range targets {
				names[say(t, ben, "to "+name, to(status)).ID] = name
			}
			last := say(t, ben, "the end")
			listener.until("update", last.ID)
			shown := func(ids []string) (got []string) {
				for _, id := range ids {
					if names[id] != "" {
						got = append(got, names[id])
					}
				}
				slices.Sort(got)
				return got
			}
			if diff := cmp.Diff(tt.want, shown(idsOf(must(ann.Timelines.List(made.ID, api.ListTimelineQuery{}).Page(ctx))(t).Items))); diff != "" {
				t.Errorf("%s: %s", tt.policy, diff)
			}
			if diff := cmp.Diff(tt.want, shown(listener.ids("update"))); diff != "" {
				t.Errorf("%s, stream: %s", tt.policy, diff)
			}
		}
		refused(t, "unknown policy", second(ann.Lists.Update(ctx, made.ID, api.ListForm{Title: given("y"), RepliesPolicy: given("all")})), 422, "Validation failed: Replies policy")
		refused(t, "unknown policy", second(ann.Lists.Create(ctx, api.NewList{Title: "y", RepliesPolicy: given("all")})), 422, "Validation failed: Replies policy")
		refused(t, "nothing", second(ann.Lists.Update(ctx, made.ID, api.ListForm{})), 400, "Missing field: title.")
		if got := must(ann.Lists.Get(ctx, made.ID))(t); got.Title != "x" || got.RepliesPolicy != "none" {
			t.Errorf("%+v", got)
		}
	})
}

// Members of an exclusive list are read there alone.
func TestExclusiveListsKeepMembersFromHome(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, ben := t.Context(), s.Client("ann"), s.Client("ben")
		for _, name := range []string{"ben", "carl"} {
			follow(t, ann, s.User(name).ID)
		}
		must(ann.Tags.Follow(ctx, "tea"))(t)
		list := must(ann.Lists.Create(ctx, api.NewList{Title: "x", Exclusive: given(api.Bool(true))}))(t)
		if !list.Exclusive {
			t.Errorf("%+v", list)
		}
		if err := ann.Lists.Add(ctx, list.ID, s.User("ben").ID, s.User("ann").ID); err != nil {
			t.Fatal(err)
		}
		listener := dial(t, s, s.Token("ann", servertest.AllScopes), "stream=user")
		mine := say(t, ann, "mine")
		plain := say(t, ben, "plain")
		tagged := say(t, ben, "#tea")
		boost := must(s.Social.Reblog(ctx, s.User("ben"), say(t, s.Client("eve"), "x").ID, ""))(t)
		told := say(t, ben, "@ann hello")
		other := say(t, s.Client("carl"), "other")
		home := func() []string { return idsOf(must(ann.Timelines.Home(api.TimelineQuery{}).Page(ctx))(t).Items) }
		want := []string{other.ID, told.ID, mine.ID}
		if diff := cmp.Diff(want, home()); diff != "" {
			t.Error(diff)
		}
		listener.until("update", other.ID)
		heard := listener.ids("update")
		slices.Sort(heard)
		slices.Reverse(heard)
		if diff := cmp.Diff(want, heard); diff != "" {
			t.Errorf("stream: %s", diff)
		}
		if got := idsOf(must(ann.Timelines.List(list.ID, api.ListTimelineQuery{}).Page(ctx))(t).Items); !slices.Contains(got, plain.ID) {
			t.Errorf("the list has %v", got)
		}
		if got := must(ann.Lists.Update(ctx, list.ID, api.ListForm{Exclusive: given(api.Bool(false))}))(t); got.Exclusive || got.RepliesPolicy != "list" {
			t.Errorf("%+v", got)
		}
		if diff := cmp.Diff([]string{other.ID, told.ID, boost.ID, tagged.ID, plain.ID, mine.ID}, home()); diff != "" {
			t.Errorf("no longer exclusive: %s", diff)
		}
	})
}
