package server_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/server/platform/config"
	"svc/server/servertest"
)

func given[T any](v T) *T { return &v }

func TestFiltersAreCountedFromOneForEach(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, ben := t.Context(), s.Client("ann"), s.Client("ben")
		one := must(ann.Filters.Create(ctx, api.NewFilter{Phrase: given(" rain "), Context: []string{"thread", "home", "home"}}))(t)
		want := &api.Filter{ID: "1", Phrase: "rain", Context: []string{"home", "thread"}, WholeWord: true}
		if diff := cmp.Diff(want, one); diff != "" {
			t.Error(diff)
		}
		two := must(ann.Filters.Create(ctx, api.NewFilter{
			Phrase: given("snow"), Context: []string{"account", "public", "notifications"}, Irreversible: given(api.Bool(true)), WholeWord: given(api.Bool(false)), ExpiresIn: given(api.Int(3600)),
		}))(t)
		if two.ExpiresAt == nil || time.Until(two.ExpiresAt.Time) < 59*time.Minute || time.Until(two.ExpiresAt.Time) > time.Hour {
			t.Errorf("expires at %v", two.ExpiresAt)
		}
		want = &api.Filter{ID: "2", Phrase: "snow", Context: []string{"notifications", "public", "account"}, Irreversible: true, ExpiresAt: two.ExpiresAt}
		if diff := cmp.Diff(want, two); diff != "" {
			t.Error(diff)
		}
		if got := must(ben.Filters.Create(ctx, api.NewFilter{Phrase: given("hail"), Context: []string{"home"}}))(t); got.ID != "1" {
			t.Errorf("another's first filter is %s", got.ID)
		}
		changed := must(ann.Filters.Update(ctx, "2", api.NewFilter{Phrase: given("ice"), ExpiresIn: given(api.Int(0))}))(t)
		want.Phrase, want.ExpiresAt = "ice", nil
		if diff := cmp.Diff(want, changed); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]api.Filter{*one, *changed}, must(ann.Filters.List(ctx))(t)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(changed, must(ann.Filters.Get(ctx, "2"))(t)); diff != "" {
			t.Error(diff)
		}
		if err := ann.Filters.Delete(ctx, "2"); err != nil {
			t.Fatal(err)
		}
		if got := must(ann.Filters.Create(ctx, api.NewFilter{Phrase: given("wind"), Context: []string{"home"}}))(t); got.ID != "3" {
			t.Errorf("the number of a deleted filter was used again: %s", got.ID)
		}
		for name, err := range map[string]error{
			"get": second(ann.Filters.Get(ctx, "2")), "update": second(ann.Filters.Update(ctx, "2", api.NewFilter{})), "delete": ann.Filters.Delete(ctx, "2"),
			"no number": second(ann.Filters.Get(ctx, "x")), "another's": second(ben.Filters.Get(ctx, "3")),
		} {
			refused(t, name, err, 404, "Record not found")
		}
		refused(t, "no phrase", second(ann.Filters.Create(ctx, api.NewFilter{Context: []string{"home"}})), 400, "Missing field: phrase.")
		refused(t, "no context", second(ann.Filters.Create(ctx, api.NewFilter{Phrase: given("x")})), 400, "Missing field: context.")
		refused(t, "blank phrase", second(ann.Filters.Create(ctx, api.NewFilter{Phrase: given(" "), Context: []string{"home"}})), 422, "Phrase can't be blank")
		refused(t, "wrong context", second(ann.Filters.Create(ctx, api.NewFilter{Phrase: given("x"), Context: []string{"nowhere"}})), 400, "context - Invalid value for enum.")
	})
}

// Statuses that match an irreversible filter are missing in its contexts, and
// nowhere else; pages are full all the same.
func TestIrreversibleFiltersLeaveOutWhatTheyMatch(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, ben := t.Context(), s.Client("ann"), s.Client("ben")
		s.User("ann")
		follow(t, ann, s.User("ben").ID)
		say(t, ann, "my own rain #tag")
		root := say(t, ben, "@ann root #tag")
		for range 4 {
			say(t, ben, "@ann RAIN, again #tag", to(root))
		}
		say(t, ben, "@ann dry #tag", to(root))
		say(t, ben, "@ann covered #tag", to(root), func(f *api.NewStatus) { f.SpoilerText = "about rain" })
		say(t, ben, "@ann training #tag", to(root))
		say(t, ben, "@ann which? #tag", to(root), func(f *api.NewStatus) {
			f.Poll = &api.NewPoll{Options: []string{"sun", "Rain"}, ExpiresIn: new(api.Int(3600))}
		})
		list := must(ann.Lists.Create(ctx, api.NewList{Title: "x"}))(t)
		if err := ann.Lists.Add(ctx, list.ID, s.User("ben").ID); err != nil {
			t.Fatal(err)
		}
		for range 4 {
			if _, err := s.Social.Reblog(ctx, s.User("ben"), postBy(t, s, s.User("eve"), "boosted rain", db.Public).ID, ""); err != nil {
				t.Fatal(err)
			}
		}
		counts := func() map[string]int {
			t.Helper()
			three := api.PageQuery{Limit: 3}
			all := map[string]int{}
			for _, err := range ann.Timelines.Home(api.TimelineQuery{PageQuery: three}).All(ctx) {
				if err != nil {
					t.Fatal(err)
				}
				all["home"]++
			}
			for _, err := range ann.Timelines.Public(api.TimelineQuery{PageQuery: three}).All(ctx) {
				if err != nil {
					t.Fatal(err)
				}
				all["public"]++
			}
			for _, err := range ann.Timelines.Tag("tag", api.TagTimelineQuery{PageQuery: three}).All(ctx) {
				if err != nil {
					t.Fatal(err)
				}
				all["tag"]++
			}
			for _, err := range ann.Timelines.List(list.ID, api.ListTimelineQuery{PageQuery: three}).All(ctx) {
				if err != nil {
					t.Fatal(err)
				}
				all["list"]++
			}
			for _, err := range ann.Accounts.Statuses(s.User("ben").ID, api.AccountStatusQuery{PageQuery: three}).All(ctx) {
				if err != nil {
					t.Fatal(err)
				}
				all["account"]++
			}
			all["thread"] = len(must(ann.Statuses.Context(ctx, root.ID))(t).Descendants)
			all["page"] = len(must(ann.Timelines.Home(api.TimelineQuery{PageQuery: three}).Page(ctx))(t).Items)
			return all
		}
		before := map[string]int{"home": 14, "public": 14, "tag": 10, "list": 9, "account": 13, "thread": 8, "page": 3}
		if diff := cmp.Diff(before, counts()); diff != "" {
			t.Fatal(diff)
		}
		filter := func(places ...string) {
			t.Helper()
			must(ann.Filters.Update(ctx, "1", api.NewFilter{Context: places}))(t)
		}
		must(ann.Filters.Create(ctx, api.NewFilter{Phrase: given("rain"), Context: []string{"home"}}))(t)
		if diff := cmp.Diff(before, counts()); diff != "" {
			t.Errorf("a reversible filter is the client's: %s", diff)
		}
		must(ann.Filters.Update(ctx, "1", api.NewFilter{Irreversible: given(api.Bool(true))}))(t)
		if diff := cmp.Diff(map[string]int{"home": 4, "public": 14, "tag": 10, "list": 3, "account": 13, "thread": 8, "page": 3}, counts()); diff != "" {
			t.Errorf("home: %s", diff)
		}
		filter("public")
		if diff := cmp.Diff(map[string]int{"home": 14, "public": 4, "tag": 4, "list": 9, "account": 13, "thread": 8, "page": 3}, counts()); diff != "" {
			t.Errorf("public: %s", diff)
		}
		filter("thread")
		if diff := cmp.Diff(map[string]int{"home": 14, "public": 14, "tag": 10, "list": 9, "account": 13, "thread": 2, "page": 3}, counts()); diff != "" {
			t.Errorf("thread: %s", diff)
		}
		filter("account")
		if diff := cmp.Diff(map[string]int{"home": 14, "public": 14, "tag": 10, "list": 9, "account": 3, "thread": 8, "page": 3}, counts()); diff != "" {
			t.Errorf("account: %s", diff)
		}
		end := must(ann.Filters.Update(ctx, "1", api.NewFilter{ExpiresIn: given(api.Int(1))}))(t).ExpiresAt
		time.Sleep(time.Until(end.Time))
		if diff := cmp.Diff(before, counts()); diff != "" {
			t.Errorf("when its time is over: %s", diff)
		}
	})
}

func TestWhatAFilterMatchesIsNotTold(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, ben := t.Context(), s.Client("ann"), s.Client("ben")
		must(ann.Filters.Create(ctx, api.NewFilter{Phrase: given("rain"), Context: []string{"notifications"}, Irreversible: given(api.Bool(true))}))(t)
		mine := say(t, ann, "I like rain")
		must(ben.Statuses.Favourite(ctx, mine.ID))(t)
		say(t, ben, "@ann rain")
		say(t, ben, "@ann sun")
		follow(t, ben, s.User("ann").ID)
		var kinds []string
		for n, err := range ann.Notifications.List(api.NotificationQuery{}).All(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			kinds = append(kinds, n.Type)
		}
		if diff := cmp.Diff([]string{"follow", "mention", "favourite"}, kinds); diff != "" {
			t.Error(diff)
		}
		rows := 0
		if err := s.DB.Writer().QueryRowContext(ctx, "SELECT COUNT(*) FROM notifications").Scan(&rows); err != nil || rows != 3 {
			t.Errorf("%d rows, %v", rows, err)
		}
	})
}

// TestFiltersLookAtAllThatPeopleRead: in one form, wherever it stands, in lists and in
// notifications alike.
func TestFiltersLookAtAllThatPeopleRead(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, ben := t.Context(), s.Client("ann"), s.Client("ben")
		s.User("ann")
		must(ann.Filters.Create(ctx, api.NewFilter{Phrase: given("the café"), Context: []string{"public", "notifications"}, Irreversible: given(api.Bool(true))}))(t)
		say(t, ben, "@ann at the\ncafe\u0301")
		say(t, ben, "@ann where?", func(f *api.NewStatus) {
			f.Poll = &api.NewPoll{Options: []string{"home", "THE CAFÉ"}, ExpiresIn: new(api.Int(3600))}
		})
		picture := must(ben.Media.Upload(ctx, client.File{Name: "a.txt", Content: strings.NewReader("text")}, api.MediaForm{Description: given("us in the café")}))(t)
		say(t, ben, "@ann look", func(f *api.NewStatus) { f.MediaIDs = []string{picture.ID} })
		say(t, ben, "@ann in the cafés")
		if items := must(ann.Timelines.Public(api.TimelineQuery{}).Page(ctx))(t).Items; len(items) != 1 {
			t.Errorf("%d public statuses, want 1", len(items))
		}
		if items := must(ann.Notifications.List(api.NotificationQuery{}).Page(ctx))(t).Items; len(items) != 1 {
			t.Errorf("%d notifications, want 1", len(items))
		}
	})
}

func TestAMutedThreadIsHeardOfNoMore(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, ben := t.Context(), s.Client("ann"), s.Client("ben")
		s.User("ann")
		follow(t, ann, s.User("ben").ID)
		root := say(t, ben, "@ann root")
		other := say(t, ben, "@ann other")
		unseen := func() int { return *must(ann.Accounts.Verify(ctx))(t).Svc.UnreadNotifications }
		if n := unseen(); n != 2 {
			t.Fatalf("%d unseen", n)
		}
		got := must(ann.Statuses.MuteThread(ctx, root.ID, api.ThreadMute{}))(t)
		if !got.Muted || !got.Svc.ThreadMuted {
			t.Errorf("muted %v, thread %v", got.Muted, got.Svc.ThreadMuted)
		}
		refused(t, "again", second(ann.Statuses.MuteThread(ctx, root.ID, api.ThreadMute{})), 400, "conversation is already muted")
		if n := unseen(); n != 1 {
			t.Errorf("%d unseen, want that of the other thread", n)
		}
		answer := say(t, ben, "@ann answer", to(root))
		if n := unseen(); n != 1 {
			t.Errorf("%d unseen after an answer", n)
		}
		home := func(withMuted bool) []string {
			return idsOf(must(ann.Timelines.Home(api.TimelineQuery{WithMuted: withMuted}).Page(ctx))(t).Items)
		}
		if diff := cmp.Diff([]string{other.ID}, home(false)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{answer.ID, other.ID, root.ID}, home(true)); diff != "" {
			t.Error(diff)
		}
		if n := len(must(ann.Notifications.List(api.NotificationQuery{}).Page(ctx))(t).Items); n != 2 {
			t.Errorf("%d notifications are listed, want 2", n)
		}
		if n := len(must(ann.Notifications.List(api.NotificationQuery{WithMuted: true}).Page(ctx))(t).Items); n != 3 {
			t.Errorf("%d notifications are listed with muted ones, want 3", n)
		}
		if n := len(must(ann.Statuses.Context(ctx, root.ID))(t).Descendants); n != 1 {
			t.Errorf("who opens the thread sees %d answers", n)
		}
		got = must(ann.Statuses.UnmuteThread(ctx, answer.ID))(t)
		if got.Muted || got.Svc.ThreadMuted {
			t.Errorf("unmuted: %v, thread %v", got.Muted, got.Svc.ThreadMuted)
		}
		if diff := cmp.Diff([]string{answer.ID, other.ID, root.ID}, home(false)); diff != "" {
			t.Error(diff)
		}
		must(ann.Statuses.UnmuteThread(ctx, answer.ID))(t)
		must(ann.Statuses.MuteThread(ctx, root.ID, api.ThreadMute{ExpiresIn: 3600}))(t)
		if _, err := s.DB.Writer().ExecContext(ctx, "UPDATE thread_mutes SET expires_at = 1"); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{answer.ID, other.ID, root.ID}, home(false)); diff != "" {
			t.Errorf("when it is over: %s", diff)
		}
		if got := must(ann.Statuses.Get(ctx, root.ID))(t); got.Muted {
			t.Error("shown as muted when it is over")
		}
		must(ann.Statuses.MuteThread(ctx, root.ID, api.ThreadMute{}))(t)
	})
}

func idsOf(statuses []api.Status) []string {
	out := []string{}
	for _, s := range statuses {
		out = append(out, s.ID)
	}
	return out
}

func TestBlockedDomainsAreNotHeardOf(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann := t.Context(), s.Client("ann")
		me, ben := s.User("ann"), s.User("ben")
		follow(t, ann, ben.ID)
		near, far := remote(t, s, "near@far.example"), remote(t, s, "far@sub.far.example")
		friend := remote(t, s, "friend@far.example")
		follow(t, ann, friend.ID)
		if err := s.Social.AuthorizeFollow(ctx, friend, me.ID); err != nil { // as their server does
			t.Fatal(err)
		}
		friends := postBy(t, s, friend, "friend", db.Public)
		nears := postBy(t, s, near, "near", db.Public)
		fars := postBy(t, s, far, "far", db.Public)
		toThem := postBy(t, s, ben, "@near@far.example to them", db.Public)
		if _, err := s.Social.Reblog(ctx, ben, fars.ID, ""); err != nil {
			t.Fatal(err)
		}
		postBy(t, s, near, "@ann near", db.Public)
		postBy(t, s, friend, "@ann friend", db.Public)
		visible := func() map[string][]string {
			t.Helper()
			out := map[string][]string{"public": {}, "home": {}, "told": {}}
			for _, status := range must(ann.Timelines.Public(api.TimelineQuery{}).Page(ctx))(t).Items {
				out["public"] = append(out["public"], status.Account.Acct)
			}
			for _, status := range must(ann.Timelines.Home(api.TimelineQuery{}).Page(ctx))(t).Items {
				out["home"] = append(out["home"], status.Account.Acct)
			}
			for _, n := range must(ann.Notifications.List(api.NotificationQuery{}).Page(ctx))(t).Items {
				out["told"] = append(out["told"], n.Account.Acct)
			}
			return out
		}
		nearly, friendly, farly := near.Nickname, friend.Nickname, far.Nickname
		all := map[string][]string{
			"public": {friendly, nearly, "ben", farly, nearly, friendly},
			"home":   {friendly, nearly, "ben", "ben", friendly},
			"told":   {friendly, nearly},
		}
		if diff := cmp.Diff(all, visible()); diff != "" {
			t.Fatal(diff)
		}
		if err := ann.DomainBlocks.Block(ctx, " FAR.example."); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string][]string{
			"public": {friendly, farly, friendly}, "home": {friendly, "ben", friendly}, "told": {friendly},
		}, visible()); diff != "" {
			t.Error(diff)
		}
		blocking := func() map[string]bool {
			t.Helper()
			out := map[string]bool{}
			for _, r := range must(ann.Accounts.Relationships(ctx, near.ID, far.ID, friend.ID, ben.ID, me.ID))(t) {
				out[r.ID] = r.DomainBlocking
			}
			return out
		}
		if diff := cmp.Diff(map[string]bool{near.ID: true, far.ID: false, friend.ID: true, ben.ID: false, me.ID: false}, blocking()); diff != "" {
			t.Error(diff)
		}
		if err := ann.DomainBlocks.Block(ctx, "*.far.example"); err != nil {
			t.Fatal(err)
		}
		if err := ann.DomainBlocks.Unblock(ctx, "far.example"); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string][]string{"public": {friendly, friendly}, "home": {friendly, friendly}, "told": {friendly}}, visible()); diff != "" {
			t.Errorf("with a pattern: %s", diff)
		}
		if diff := cmp.Diff(map[string]bool{near.ID: true, far.ID: true, friend.ID: true, ben.ID: false, me.ID: false}, blocking()); diff != "" {
			t.Error(diff)
		}
		if n := len(must(ann.Accounts.Statuses(near.ID, api.AccountStatusQuery{}).Page(ctx))(t).Items); n != 2 {
			t.Errorf("an opened profile shows %d posts", n)
		}
		for _, id := range []string{friends.ID, nears.ID, toThem.ID} {
			must(ann.Statuses.Get(ctx, id))(t)
		}
		postBy(t, s, near, "@ann near again", db.Public)
		postBy(t, s, far, "@ann far again", db.Public)
		if err := ann.DomainBlocks.Unblock(ctx, "*.far.example"); err != nil {
			t.Fatal(err)
		}
		if got := visible()["told"]; len(got) != 2 {
			t.Errorf("what happened meanwhile is told: %v", got)
		}
		if n := len(must(ann.Accounts.Following(me.ID, api.AccountQuery{}).Page(ctx))(t).Items); n != 2 {
			t.Errorf("follows were cut: %d", n)
		}
	})
}

func TestBlockedDomainsAreListed(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann := t.Context(), s.Client("ann")
		for _, domain := range []string{"b.example", "a.example", "*.c.example", "bücher.example", "d.example:8443", "a.example"} {
			if err := ann.DomainBlocks.Block(ctx, domain); err != nil {
				t.Fatal(domain, err)
			}
		}
		want := []string{"xn--bcher-kva.example", "d.example:8443", "b.example", "a.example", "*.c.example"}
		if diff := cmp.Diff(want, must(ann.DomainBlocks.List(api.PageQuery{}).Page(ctx))(t).Items); diff != "" {
			t.Error(diff)
		}
		var walked []string
		for domain, err := range ann.DomainBlocks.List(api.PageQuery{Limit: 2}).All(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			walked = append(walked, domain)
		}
		if diff := cmp.Diff(want, walked); diff != "" {
			t.Error(diff)
		}
		for _, wrong := range []string{"a b", "https://a.example", "%.example", "*.*.example", "a..example", "_", "*."} {
			refused(t, wrong, ann.DomainBlocks.Block(ctx, wrong), 422, "Domain is not a valid domain name")
		}
		refused(t, "none", ann.DomainBlocks.Block(ctx, ""), 400, "Missing field: domain.")
	})
}

// Thread containment hides replies to unseen statuses, at any depth.
func TestThreadContainmentHidesAnswersToTheUnseen(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, ben, eve := t.Context(), s.Client("ann"), s.Client("ben"), s.Client("eve")
		s.User("ann")
		follow(t, ben, s.User("eve").ID)
		follow(t, ann, s.User("ben").ID)
		secret := say(t, eve, "to followers", func(f *api.NewStatus) { f.Visibility = db.Private })
		public := func(f *api.NewStatus) { f.Visibility = db.Public }
		answer := say(t, ben, "answer", to(secret), public)
		further := say(t, ben, "further", to(answer), public)
		plain := say(t, ben, "plain")
		home := func() []string { return idsOf(must(ann.Timelines.Home(api.TimelineQuery{}).Page(ctx))(t).Items) }
		if diff := cmp.Diff([]string{plain.ID, further.ID, answer.ID}, home()); diff != "" {
			t.Error(diff)
		}
		must(ann.Accounts.UpdateCredentials(ctx, api.UpdateCredentials{SkipThreadContainment: given(api.Bool(false))}))(t)
		if diff := cmp.Diff([]string{plain.ID}, home()); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{plain.ID}, idsOf(must(ann.Timelines.Public(api.TimelineQuery{}).Page(ctx))(t).Items)); diff != "" {
			t.Error(diff)
		}
		follow(t, ann, s.User("eve").ID)
		if diff := cmp.Diff([]string{plain.ID, further.ID, answer.ID, secret.ID}, home()); diff != "" {
			t.Error(diff)
		}
	}, func(settings *config.Settings) { settings.Instance.SkipThreadContainment = false })
}

// A thread keeps its order where something in it is not shown.
func TestAThreadIsWholeAroundWhatIsNotShown(t *testing.T) {
	s := servertest.Start(t)
	ann, ben := s.Client("ann"), s.Client("ben")
	root := say(t, ann, "root")
	hidden := say(t, ben, "hidden", to(root), func(f *api.NewStatus) { f.Visibility = db.Private })
	below := say(t, ben, "below", to(hidden), func(f *api.NewStatus) { f.Visibility = db.Public })
	say(t, ann, "later", to(root))
	got := must(s.Anonymous().Statuses.Context(t.Context(), below.ID))(t)
	if diff := cmp.Diff([]string{"root"}, texts(got.Ancestors)); diff != "" {
		t.Error(diff)
	}
	got = must(s.Anonymous().Statuses.Context(t.Context(), root.ID))(t)
	if diff := cmp.Diff([]string{"below", "later"}, texts(got.Descendants)); diff != "" {
		t.Error(diff)
	}
}

// The parameters of a timeline select its statuses.
func TestTimelinesNarrowAsAsked(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann := t.Context(), s.Client("ann")
		s.User("ann")
		ben, far := s.User("ben"), remote(t, s, "far@far.example")
		follow(t, ann, ben.ID)
		follow(t, ann, far.ID)
		if err := s.Social.AuthorizeFollow(ctx, far, s.User("ann").ID); err != nil { // as their server does
			t.Fatal(err)
		}
		bens := postBy(t, s, ben, "ben", db.Public)
		fars := postBy(t, s, far, "far", db.Public)
		unlisted := postBy(t, s, ben, "unlisted", db.Unlisted)
		toFar := say(t, s.Client("ben"), "to far", func(f *api.NewStatus) { f.InReplyToID = fars.ID })
		toEve := say(t, s.Client("ben"), "to eve", func(f *api.NewStatus) { f.InReplyToID = postBy(t, s, s.User("eve"), "eve", db.Unlisted).ID })
		toMe := say(t, s.Client("ben"), "@ann to me", func(f *api.NewStatus) { f.InReplyToID = toEve.ID })
		home := []string{toMe.ID, toEve.ID, toFar.ID, unlisted.ID, fars.ID, bens.ID}
		for _, tt := range []struct {
			name  string
			query api.TimelineQuery
			want  []string
		}{
			{"home", api.TimelineQuery{}, home},
			{"home, local", api.TimelineQuery{Local: true}, []string{toMe.ID, toEve.ID, toFar.ID, unlisted.ID, bens.ID}},
			{"home, not unlisted", api.TimelineQuery{ExcludeVisibilities: []string{"unlisted", "nonsense"}}, []string{toFar.ID, fars.ID, bens.ID}},
			{"home, replies to me", api.TimelineQuery{ReplyVisibility: "self"}, []string{toMe.ID, unlisted.ID, fars.ID, bens.ID}},
			{"home, replies to friends", api.TimelineQuery{ReplyVisibility: "following"}, []string{toMe.ID, toFar.ID, unlisted.ID, fars.ID, bens.ID}},
		} {
			if diff := cmp.Diff(tt.want, idsOf(must(ann.Timelines.Home(tt.query).Page(ctx))(t).Items)); diff != "" {
				t.Errorf("%s: %s", tt.name, diff)
			}
		}
		for _, tt := range []struct {
			name  string
			query api.TimelineQuery
			want  []string
		}{
			{"public", api.TimelineQuery{}, []string{toFar.ID, fars.ID, bens.ID}},
			{"local", api.TimelineQuery{Local: true}, []string{toFar.ID, bens.ID}},
			{"remote", api.TimelineQuery{Remote: true}, []string{fars.ID}},
			{"of a host", api.TimelineQuery{Instance: "FAR.example"}, []string{fars.ID}},
			{"of this host", api.TimelineQuery{Instance: s.Base()[len("http://"):]}, []string{toFar.ID, bens.ID}},
			{"of an unknown host", api.TimelineQuery{Instance: "unknown.example"}, []string{}},
			{"media", api.TimelineQuery{OnlyMedia: true}, []string{}},
			{"public, replies to me", api.TimelineQuery{ReplyVisibility: "self"}, []string{fars.ID, bens.ID}},
		} {
			if diff := cmp.Diff(tt.want, idsOf(must(ann.Timelines.Public(tt.query).Page(ctx))(t).Items)); diff != "" {
				t.Errorf("%s: %s", tt.name, diff)
			}
		}
		refused(t, "a wrong reply_visibility", second(ann.Timelines.Home(api.TimelineQuery{ReplyVisibility: "all"}).Page(ctx)), 400, "reply_visibility - Invalid value for enum.")
	})
}
