package server_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client/api"
	"svc/db"
	"svc/server/servertest"
)

// TestNobodyHidesTheirOwnStatuses: the author's mutes, blocks and domain blocks
// of the recipients do not hide the author's own statuses, in any list.
func TestNobodyHidesTheirOwnStatuses(t *testing.T) {
	hide := map[string]func(t *testing.T, s *servertest.Server, ids map[string]string){
		"nothing": func(*testing.T, *servertest.Server, map[string]string) {},
		"a mute": func(t *testing.T, s *servertest.Server, ids map[string]string) {
			must(s.Client("ann").Accounts.Mute(t.Context(), ids["bob"], api.Mute{}))(t)
		},
		"a block": func(t *testing.T, s *servertest.Server, ids map[string]string) {
			must(s.Client("ann").Accounts.Block(t.Context(), ids["bob"]))(t)
		},
		"a blocked domain": func(t *testing.T, s *servertest.Server, _ map[string]string) {
			if err := s.Client("ann").DomainBlocks.Block(t.Context(), "far.example"); err != nil {
				t.Fatal(err)
			}
		},
		"a muted thread": func(t *testing.T, s *servertest.Server, ids map[string]string) {
			for _, id := range only(ids["public"], ids["direct"]) {
				must(s.Client("ann").Statuses.MuteThread(t.Context(), id, api.ThreadMute{}))(t)
			}
		},
	}
	for name, hidden := range hide {
		t.Run(name, func(t *testing.T) {
			servertest.Each(t, func(t *testing.T, s *servertest.Server) {
				ctx, ann := t.Context(), s.Client("ann")
				me, bob, far := s.User("ann"), s.User("bob"), remote(t, s, "far@far.example")
				follow(t, s.Client("fay"), me.ID)
				public := say(t, ann, "@bob @far@far.example "+word(db.Public)+" #needle")
				direct := say(t, ann, "@bob @far@far.example "+word(db.Direct), func(f *api.NewStatus) { f.Visibility = db.Direct })
				boost := must(s.Client("fay").Statuses.Reblog(ctx, public.ID, api.NewReblog{}))(t)
				follow(t, ann, s.User("fay").ID)
				must(ann.Statuses.Favourite(ctx, public.ID))(t)
				must(s.Client("fay").Statuses.Favourite(ctx, public.ID))(t)
				must(s.Client("fay").Accounts.UpdateCredentials(ctx, api.UpdateCredentials{HideFavorites: given(api.Bool(false))}))(t)
				hidden(t, s, map[string]string{"bob": bob.ID, "far": far.ID, "public": public.ID, "direct": direct.ID})
				conversation := must(ann.Conversations.List(api.ConversationQuery{}).Page(ctx))(t).Items
				if len(conversation) != 1 || conversation[0].LastStatus == nil || conversation[0].LastStatus.ID != direct.ID {
					t.Fatalf("conversations: %v", conversation)
				}
				w := &visibilityWorld{t: t, s: s}
				for _, tt := range []struct {
					path string
					want []string
				}{
					{"/api/v1/timelines/home", only(db.Public, db.Direct)},
					{"/api/v1/timelines/public", only(db.Public)},
					{"/api/v1/timelines/tag/needle", only(db.Public)},
					{"/api/v1/timelines/direct", only(db.Direct)},
					{"/api/v1/accounts/" + me.ID + "/statuses", only(db.Public, db.Direct)},
					{"/api/v1/accounts/" + s.User("fay").ID + "/statuses", only(db.Public)},
					{"/api/v1/svc/accounts/" + s.User("fay").ID + "/favourites", only(db.Public)},
					{"/api/v1/svc/conversations/" + conversation[0].ID + "/statuses", only(db.Direct)},
					{"/api/v1/favourites", only(db.Public)},
					{"/api/v2/search?q=" + word(db.Public) + "&type=statuses", only(db.Public)},
					{"/api/v1/statuses?ids[]=" + public.ID + "&ids[]=" + direct.ID, only(db.Public, db.Direct)},
					{"/api/v1/statuses/" + boost.ID, only(db.Public)},
				} {
					if status, body := w.ask("ann", http.MethodGet, tt.path, ""); status != http.StatusOK || !slices.Equal(ordered(found(body)), ordered(tt.want)) {
						t.Errorf("%s shows %v: %d %.200s", tt.path, found(body), status, body)
					}
				}
				answer := say(t, ann, "more", to(public))
				if diff := cmp.Diff([]string{answer.ID}, idsOf(must(ann.Statuses.Context(ctx, public.ID))(t).Descendants)); diff != "" {
					t.Errorf("her thread: %s", diff)
				}
			})
		})
	}
}

func ordered(words []string) []string {
	out := slices.Clone(words)
	slices.Sort(out)
	return out
}

// TestMutedReactionsCountWhereMutedPeopleAreShown: the reactions of muted
// accounts count in lists that show muted accounts, as on single statuses.
func TestMutedReactionsCountWhereMutedPeopleAreShown(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann := t.Context(), s.Client("ann")
		mine := say(t, ann, "@ann mine #tea", func(f *api.NewStatus) { f.Visibility = db.Public })
		list := must(ann.Lists.Create(ctx, api.NewList{Title: "x"}))(t)
		bens := say(t, s.Client("ben"), "@ann hi #tea")
		follow(t, ann, s.User("ben").ID)
		if err := ann.Lists.Add(ctx, list.ID, s.User("ben").ID); err != nil {
			t.Fatal(err)
		}
		for _, id := range only(mine.ID, bens.ID) {
			must(s.Client("cho").Statuses.React(ctx, id, "☕"))(t)
		}
		must(ann.Accounts.Mute(ctx, s.User("cho").ID, api.Mute{}))(t)
		w := &visibilityWorld{t: t, s: s}
		for _, path := range only(
			"/api/v1/timelines/home?", "/api/v1/timelines/public?", "/api/v1/timelines/tag/tea?", "/api/v1/timelines/list/"+list.ID+"?",
			"/api/v1/accounts/"+s.User("ben").ID+"/statuses?", "/api/v1/accounts/"+s.User("ann").ID+"/statuses?",
			"/api/v1/statuses/"+bens.ID+"?", "/api/v1/statuses?ids[]="+bens.ID+"&", "/api/v1/notifications?",
		) {
			_, without := w.ask("ann", http.MethodGet, path+"with_muted=false", "")
			_, with := w.ask("ann", http.MethodGet, path+"with_muted=true", "")
			if strings.Contains(without, "☕") || !strings.Contains(with, "☕") {
				t.Errorf("%s: with_muted counts %v, without %v", path, strings.Contains(with, "☕"), strings.Contains(without, "☕"))
			}
		}
	})
}

func TestTheDirectTimelineLeavesOutVisibilities(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ann := s.Client("ann")
		direct := say(t, ann, "psst", func(f *api.NewStatus) { f.Visibility = db.Direct })
		for _, tt := range []struct {
			without []string
			want    []string
		}{{nil, []string{direct.ID}}, {[]string{"public"}, []string{direct.ID}}, {[]string{"public", "direct"}, []string{}}} {
			got := must(ann.Timelines.Direct(api.DirectTimelineQuery{ExcludeVisibilities: tt.without}).Page(t.Context()))(t).Items
			if diff := cmp.Diff(tt.want, idsOf(got)); diff != "" {
				t.Errorf("without %v: %s", tt.without, diff)
			}
		}
	})
}

// A reply of a followed account to itself is a reply to a followed account.
func TestSelfAnswersOfThoseFollowedAreAnswersToFriends(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ann, ben := s.Client("ann"), s.Client("ben")
		follow(t, ann, s.User("ben").ID)
		first := say(t, ben, "one")
		second := say(t, ben, "two", to(first))
		say(t, ben, "to a stranger", to(say(t, s.Client("cho"), "x")))
		got := must(ann.Timelines.Home(api.TimelineQuery{ReplyVisibility: "following"}).Page(t.Context()))(t).Items
		if diff := cmp.Diff([]string{second.ID, first.ID}, idsOf(got)); diff != "" {
			t.Error(diff)
		}
	})
}

// TestPostsBeginAsTheirAuthorChose: a post without a visibility, sensitivity or
// language gets its author's defaults.
func TestPostsBeginAsTheirAuthorChose(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann := t.Context(), s.Client("ann")
		parent := say(t, s.Client("ben"), "hello")
		usual := say(t, ann, "as everybody")
		must(ann.Accounts.UpdateCredentials(ctx, api.UpdateCredentials{
			Source: &api.UpdateSource{Privacy: given(db.Unlisted), Sensitive: given(api.Bool(true)), Language: given("de")},
		}))(t)
		type shape struct {
			visibility string
			sensitive  bool
			language   string
		}
		of := func(p *api.Status) shape {
			out := shape{p.Visibility, p.Sensitive, ""}
			if p.Language != nil {
				out.language = *p.Language
			}
			return out
		}
		if got := of(usual); got != (shape{db.Public, false, ""}) {
			t.Errorf("before: %v", got)
		}
		for name, tt := range map[string]struct {
			edit func(*api.NewStatus)
			want shape
		}{
			"nothing said": {func(*api.NewStatus) {}, shape{db.Unlisted, true, "de"}},
			"all said": {func(f *api.NewStatus) {
				f.Visibility, f.Sensitive, f.Language = db.Private, given(api.Bool(false)), "en"
			}, shape{db.Private, false, "en"}},
			"an answer": {to(parent), shape{db.Public, true, "de"}},
			"a preview": {func(f *api.NewStatus) { f.Preview = true }, shape{db.Unlisted, true, "de"}},
		} {
			if got := of(say(t, ann, "post", tt.edit)); got != tt.want {
				t.Errorf("%s: %v, want %v", name, got, tt.want)
			}
		}
		w := &visibilityWorld{t: t, s: s}
		w.schedule("ann", `{"status":"later","scheduled_at":"`+time.Now().Add(time.Hour).UTC().Format(time.RFC3339)+`"}`)
		must(ann.Accounts.UpdateCredentials(ctx, api.UpdateCredentials{Source: &api.UpdateSource{Privacy: given(db.Public), Sensitive: given(api.Bool(false)), Language: given("")}}))(t)
		s.Advance(2 * time.Hour)
		later := func() *api.Status {
			for _, p := range must(ann.Accounts.Statuses(s.User("ann").ID, api.AccountStatusQuery{}).Page(ctx))(t).Items {
				if p.Content == "later" {
					return &p
				}
			}
			return nil
		}
		if err := s.Social.Due(ctx); err != nil {
			t.Fatal(err)
		}
		eventually(t, "what was scheduled", func() bool { return later() != nil })
		if got := of(later()); got != (shape{db.Unlisted, true, "de"}) {
			t.Errorf("scheduled: %v", got)
		}
	})
}

func (w *visibilityWorld) schedule(by, form string) {
	w.t.Helper()
	if status, body := w.ask(by, http.MethodPost, "/api/v1/statuses", form); status != http.StatusOK {
		w.t.Fatalf("%d %s", status, body)
	}
}

// A status stays for more than an hour, or for ever.
func TestStatusesAreNotMadeToEndAtOnce(t *testing.T) {
	s := servertest.Start(t)
	w := &visibilityWorld{t: t, s: s}
	for form, want := range map[string]int{
		`{"status":"x"}`: 200, `{"status":"x","expires_in":null}`: 200, `{"status":"x","expires_in":3601}`: 200, `{"status":"x","expires_in":"7200"}`: 200,
		`{"status":"x","expires_in":0}`: 422, `{"status":"x","expires_in":"0"}`: 422, `{"status":"x","expires_in":-1}`: 422,
		`{"status":"x","expires_in":1}`: 422, `{"status":"x","expires_in":3599}`: 422, `{"status":"x","expires_in":3600}`: 422,
		`{"status":"x","expires_in":0,"preview":true}`: 422,
	} {
		status, body := w.ask("ann", http.MethodPost, "/api/v1/statuses", form)
		if status != want || want == 422 && !strings.Contains(body, "Expiry date is too soon") {
			t.Errorf("%s: %d %.200s", form, status, body)
		}
	}
	if status, body := w.ask("ann", http.MethodPost, "/api/v1/statuses", `{"status":"x","expires_in":3601}`); status != 200 || strings.Contains(body, `"expires_at":null`) {
		t.Errorf("%d %.300s", status, body)
	}
}

// TestNotificationsGoByTheIDOfTheirStatus: the ids of destroy_multiple name
// notifications, or the statuses of notifications.
func TestNotificationsGoByTheIDOfTheirStatus(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, ben := t.Context(), s.Client("ann"), s.Client("ben")
		one, two := say(t, ann, "one"), say(t, ann, "two")
		for _, p := range []*api.Status{one, two} {
			must(ben.Statuses.Favourite(ctx, p.ID))(t)
			must(ben.Statuses.Reblog(ctx, p.ID, api.NewReblog{}))(t)
		}
		say(t, ann, "@ben @cho hello")
		follow(t, ben, s.User("ann").ID)
		w := &visibilityWorld{t: t, s: s}
		kinds := func() []string {
			out := []string{}
			for _, n := range must(ann.Notifications.List(api.NotificationQuery{}).Page(ctx))(t).Items {
				about := ""
				if n.Status != nil {
					about = " " + n.Status.Content
				}
				out = append(out, n.Type+about)
			}
			return out
		}
		if status, _ := w.ask("cho", http.MethodDelete, "/api/v1/notifications/destroy_multiple?ids[]="+one.ID, ""); status != 200 || len(kinds()) != 5 {
			t.Fatalf("another's: %d, %v", status, kinds())
		}
		newest := must(ann.Notifications.List(api.NotificationQuery{}).Page(ctx))(t).Items[0]
		if status, body := w.ask("ann", http.MethodDelete, "/api/v1/notifications/destroy_multiple?ids[]="+one.ID+"&ids[]=x&ids[]="+newest.ID, ""); status != 200 || body != "{}" {
			t.Fatalf("%d %s", status, body)
		}
		if diff := cmp.Diff([]string{"reblog two", "favourite two"}, kinds()); diff != "" {
			t.Error(diff)
		}
	})
}
