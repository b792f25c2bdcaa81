package clientapi_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/server/servertest"
)

func asError(err error, target **client.Error) bool { return errors.As(err, target) }

func TestOneOwnAccountAndWhatOthersSee(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, bob := s.Client("ann"), s.Client("bob")
		token := s.Token("ann", servertest.AllScopes)
		a := call(t, s, token, "PATCH", "/api/v1/accounts/update_credentials", asForm,
			"display_name=Ann&note=hi+%23there&locked=true&bot=False&source[privacy]=private&source[sensitive]=1&hide_followers=1&hide_followers_count=1"+
				"&fields_attributes[1][name]=b&fields_attributes[1][value]=2&fields_attributes[0][name]=a&fields_attributes[0][value]=1"+
				"&svc_settings_store[fe][dark]=yes")
		got := decoded[api.Account](t, a)
		if got.DisplayName != "Ann" || !got.Locked || got.Source.Privacy != "private" || !got.Source.Sensitive || got.Source.Note != "hi #there" ||
			string(got.Svc.SettingsStore) != `{"fe":{"dark":"yes"}}` || *got.FollowRequests != 0 {
			t.Errorf("%s", a.body)
		}
		if diff := cmp.Diff(api.List[api.SourceField]{{Name: "a", Value: "1"}, {Name: "b", Value: "2"}}, got.Source.Fields); diff != "" {
			t.Error(diff)
		}
		own, err := ann.Accounts.Verify(ctx)
		if err != nil || own.Svc.ChatToken == "" {
			t.Fatalf("%v, chat token %q", err, own.Svc.ChatToken)
		}
		if raw := strings.Replace(string(own.Raw), `,"chat_token":"`+own.Svc.ChatToken+`"`, "", 1); raw != a.body {
			t.Errorf("verify_credentials differs: %s\n%s", own.Raw, a.body)
		}
		if id, err := s.Auth.ChatTokenOwner(ctx, own.Svc.ChatToken); err != nil || id.Account.ID != own.ID {
			t.Errorf("the chat token is of %v, %v", id, err)
		}
		if _, err := bob.Accounts.Follow(ctx, got.ID, api.Follow{}); err != nil {
			t.Fatal(err)
		}
		if own, err = ann.Accounts.Verify(ctx); err != nil || *own.FollowRequests != 1 || *own.Svc.UnreadNotifications != 1 {
			t.Errorf("%s %v", own.Raw, err)
		}
		for _, c := range []*client.Client{bob, s.Anonymous()} {
			for _, name := range []string{got.ID, "ann", "ANN"} {
				seen, err := c.Accounts.Get(ctx, name)
				if err != nil {
					t.Fatal(err)
				}
				for _, secret := range []string{"settings_store", "follow_requests_count\":1", "unread_", "notification_settings", "ann@example.org"} {
					if strings.Contains(string(seen.Raw), secret) {
						t.Errorf("others see %s: %s", secret, seen.Raw)
					}
				}
			}
		}
		for body, want := range map[string]string{
			`{"actor_type":"Group"}`:          `{"error":"Actor type is not included in the list"}`,
			`{"svc_settings_store":["x"]}`:    `{"error":"The settings store must be an object"}`,
			`{"source":{"privacy":"nobody"}}`: `{"error":"Default scope is not included in the list"}`,
		} {
			if a := call(t, s, token, "PATCH", "/api/v1/accounts/update_credentials", asJSON, body); a.status != 422 || a.body != want {
				t.Errorf("%s: %d %s", body, a.status, a.body)
			}
		}
		if a := call(t, s, "", "GET", "/api/v1/accounts/nobody", "", ""); a.status != 404 || a.body != `{"error":"Can't find user"}` {
			t.Errorf("%d %s", a.status, a.body)
		}
	})
}

func TestRelationshipsFollowWhatIsDone(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, bob := s.Client("ann"), s.User("bob")
		no := api.Bool(false)
		is := func(got *api.Relationship, err error, want api.Relationship) {
			t.Helper()
			want.ID = bob.ID
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, *got); diff != "" {
				t.Error(diff)
			}
		}
		r, err := ann.Accounts.Follow(ctx, bob.ID, api.Follow{})
		is(r, err, api.Relationship{Following: true, ShowingReblogs: true})
		r, err = ann.Accounts.Follow(ctx, bob.ID, api.Follow{Reblogs: &no})
		is(r, err, api.Relationship{Following: true})
		r, err = ann.Accounts.Mute(ctx, bob.ID, api.Mute{Notifications: &no, ExpiresIn: 3600})
		is(r, err, api.Relationship{Following: true, Muting: true})
		r, err = ann.Accounts.Mute(ctx, bob.ID, api.Mute{Duration: 1 << 60})
		is(r, err, api.Relationship{Following: true, Muting: true, MutingNotifications: true})
		muted, err := ann.Mutes.List(api.PageQuery{}).Page(ctx)
		if err != nil || len(muted.Items) != 1 || muted.Items[0].ID != bob.ID {
			t.Errorf("mutes %v %v", muted.Items, err)
		}
		r, err = ann.Accounts.Unmute(ctx, bob.ID)
		is(r, err, api.Relationship{Following: true})
		r, err = ann.Accounts.Block(ctx, bob.ID)
		is(r, err, api.Relationship{Blocking: true})
		blocked, err := ann.Blocks.List(api.PageQuery{}).Page(ctx)
		if err != nil || len(blocked.Items) != 1 {
			t.Errorf("blocks %v %v", blocked.Items, err)
		}
		r, err = ann.Accounts.Unblock(ctx, bob.ID)
		is(r, err, api.Relationship{})
		r, err = ann.Accounts.Unblock(ctx, bob.ID)
		is(r, err, api.Relationship{})
		r, err = ann.Accounts.Unfollow(ctx, bob.ID)
		is(r, err, api.Relationship{})

		token := s.Token("ann", servertest.AllScopes)
		_, host, _ := strings.Cut(s.Base(), "://")
		for _, uri := range []string{"bob", "@BOB@" + host} {
			if got := decoded[api.Relationship](t, call(t, s, token, "POST", "/api/v1/follows", asForm, "uri="+uri)); !got.Following {
				t.Errorf("%s: %+v", uri, got)
			}
		}
		me := s.User("ann").ID
		for _, rule := range []struct {
			path   string
			status int
			want   string
		}{
			{"/api/v1/accounts/" + me + "/follow", 400, "Can not follow yourself"},
			{"/api/v1/accounts/" + me + "/unfollow", 400, "Can not unfollow yourself"},
			{"/api/v1/accounts/" + me + "/block", 400, "Can not block yourself"},
			{"/api/v1/accounts/" + me + "/mute", 400, "Can not mute yourself"},
			{"/api/v1/accounts/nosuchid/follow", 404, "Record not found"},
			{"/api/v1/accounts/nosuchid/unfollow", 404, "Record not found"},
			{"/api/v1/accounts/nosuchid/block", 404, "Record not found"},
			{"/api/v1/accounts/nosuchid/unblock", 404, "Record not found"},
			{"/api/v1/accounts/bob/mute", 404, "Record not found"}, // an id only
			{"/api/v1/follow_requests/" + bob.ID + "/authorize", 404, "Record not found"},
			{"/api/v1/follow_requests/" + bob.ID + "/reject", 404, "Record not found"},
			{"/api/v1/follows", 400, ""},
		} {
			a := call(t, s, token, "POST", rule.path, "", "")
			if a.status != rule.status || rule.want != "" && a.body != `{"error":"`+rule.want+`"}` {
				t.Errorf("%s: %d %s", rule.path, a.status, a.body)
			}
		}
		for query, want := range map[string]int{
			"": 0, "?id=" + bob.ID: 1, "?id[]=" + bob.ID + "&id[]=nosuchid&id[]=" + me: 2, "?id%5B0%5D=" + bob.ID + "&id=" + bob.ID: 1,
		} {
			if got := decoded[[]api.Relationship](t, call(t, s, token, "GET", "/api/v1/accounts/relationships"+query, "", "")); len(got) != want {
				t.Errorf("%s: %d relationships, want %d", query, len(got), want)
			}
		}
	})
}

func TestFollowRequestsAreListedAndAnswered(t *testing.T) {
	s := servertest.Start(t)
	ctx := t.Context()
	ann, bob, cat := s.Client("ann"), s.Client("bob"), s.Client("cat")
	yes := api.Bool(true)
	if _, err := ann.Accounts.UpdateCredentials(ctx, api.UpdateCredentials{Locked: &yes}); err != nil {
		t.Fatal(err)
	}
	id := s.User("ann").ID
	for _, c := range []*client.Client{bob, cat} {
		if r, err := c.Accounts.Follow(ctx, id, api.Follow{}); err != nil || !r.Requested || r.Following {
			t.Errorf("%+v %v", r, err)
		}
	}
	token := s.Token("ann", servertest.AllScopes)
	asked := decoded[[]api.Account](t, call(t, s, token, "GET", "/api/v1/follow_requests", "", ""))
	if len(asked) != 2 || asked[0].Acct != "cat" || asked[1].Acct != "bob" {
		t.Fatalf("%+v", asked)
	}
	if r := decoded[api.Relationship](t, call(t, s, token, "POST", "/api/v1/follow_requests/"+asked[1].ID+"/authorize", "", "")); !r.FollowedBy {
		t.Errorf("%+v", r)
	}
	if r := decoded[api.Relationship](t, call(t, s, token, "POST", "/api/v1/follow_requests/"+asked[0].ID+"/reject", "", "")); r.FollowedBy {
		t.Errorf("%+v", r)
	}
	if got, err := bob.Accounts.Relationships(ctx, id); err != nil || !got[0].Following {
		t.Errorf("%+v %v", got, err)
	}
	if got, err := cat.Accounts.Relationships(ctx, id); err != nil || got[0].Requested {
		t.Errorf("%+v %v", got, err)
	}
}

func TestFollowersPageWithLinksAndRelationships(t *testing.T) {
	s := servertest.Start(t)
	ctx := t.Context()
	ann := s.User("ann")
	for i := range 5 {
		if _, err := s.Client(fmt.Sprint("fan", i)).Accounts.Follow(ctx, ann.ID, api.Follow{}); err != nil {
			t.Fatal(err)
		}
	}
	var names []string
	for a, err := range s.Client("fan0").Accounts.Followers(ann.ID, api.AccountQuery{PageQuery: api.PageQuery{Limit: 2}, WithRelationships: true}).All(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, a.Acct)
		if a.Svc.Relationship.ID != a.ID {
			t.Errorf("%s comes without relationship", a.Acct)
		}
	}
	if diff := cmp.Diff([]string{"fan4", "fan3", "fan2", "fan1", "fan0"}, names); diff != "" {
		t.Error(diff)
	}
	following, err := s.Anonymous().Accounts.Following(s.User("fan0").ID, api.AccountQuery{}).Page(ctx)
	if err != nil || len(following.Items) != 1 || following.Items[0].ID != ann.ID {
		t.Errorf("%v %v", following.Items, err)
	}
	yes := api.Bool(true)
	if _, err := s.Client("ann").Accounts.UpdateCredentials(ctx, api.UpdateCredentials{HideFollowers: &yes}); err != nil {
		t.Fatal(err)
	}
	if a := call(t, s, "", "GET", "/api/v1/accounts/"+ann.ID+"/followers", "", ""); a.body != "[]" || a.header.Get("Link") != "" {
		t.Errorf("hidden followers: %s %s", a.body, a.header.Get("Link"))
	}
}

func TestAccountsAreFoundByPrefix(t *testing.T) {
	s := servertest.Start(t)
	for _, name := range []string{"bob", "bobby", "bo"} {
		s.User(name)
	}
	_, host, _ := strings.Cut(s.Base(), "://")
	for query, want := range map[string]string{
		"q=BO": "bo bob bobby", "q=@bob": "bob bobby", "q=bob@" + host: "bob bobby", "q=bo&limit=1&offset=1": "bob",
		"q=bo&limit=-3": "bo", "q=bo&offset=-1&limit=2&limit=1": "bo", "q=bo&following=true": "bo bob bobby", "q=xyz": "",
	} {
		var names []string
		for _, a := range decoded[[]api.Account](t, call(t, s, "", "GET", "/api/v1/accounts/search?"+query, "", "")) {
			names = append(names, a.Acct)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	for _, query := range []string{"", "q=", "q=%20"} {
		if a := call(t, s, "", "GET", "/api/v1/accounts/search?"+query, "", ""); a.status != 400 || !strings.HasPrefix(a.body, `{"error":"Missing field: q."`) {
			t.Errorf("%q: %d %s", query, a.status, a.body)
		}
	}
}
