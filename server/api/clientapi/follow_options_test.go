package clientapi_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/server/servertest"
)

// types are the types of an account's notifications about statuses, newest first.
func types(t *testing.T, c *client.Client) []string {
	t.Helper()
	page, err := c.Notifications.List(api.NotificationQuery{}).Page(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, n := range page.Items {
		if n.Status != nil {
			out = append(out, n.Type+" "+n.Status.Svc.Content.Plain)
		}
	}
	return out
}

func TestFollowersChooseToBeNotified(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, bob := s.Client("ann"), s.Client("bob")
		bobID := s.User("bob").ID
		yes, no := api.Bool(true), api.Bool(false)
		follow := func(f api.Follow, notifying, requested bool) {
			t.Helper()
			if r, err := ann.Accounts.Follow(ctx, bobID, f); err != nil || r.Notifying != notifying || r.Subscribing != notifying || r.Requested != requested {
				t.Errorf("%v %+v", err, r)
			}
		}
		heard := func(want ...string) {
			t.Helper()
			if diff := cmp.Diff(want, types(t, ann)); diff != "" {
				t.Error(diff)
			}
		}
		say := func(text string) { t.Helper(); post(t, bob, api.NewStatus{Status: text}) }
		follow(api.Follow{}, false, false)
		say("one")
		follow(api.Follow{Notify: &yes}, true, false)
		follow(api.Follow{}, true, false)
		say("two")
		say("@ann three")
		post(t, bob, api.NewStatus{Status: "four", InReplyToID: post(t, bob, api.NewStatus{Status: "private", Visibility: "private"}).ID})
		heard("status private", "mention @ann three", "status two")
		// The later of the two voices decides.
		if _, err := ann.Accounts.Subscribe(ctx, bobID); err != nil {
			t.Fatal(err)
		}
		say("five")
		follow(api.Follow{Notify: &yes}, true, false)
		say("six")
		heard("status six", "mention five", "status private", "mention @ann three", "status two")
		follow(api.Follow{Notify: &no}, false, false)
		say("seven")
		follow(api.Follow{Notify: &yes}, true, false)
		if r, err := ann.Accounts.Unfollow(ctx, bobID); err != nil || r.Notifying {
			t.Errorf("%v %+v", err, r)
		}
		// A request keeps the choice, which acts once it is accepted.
		if _, err := bob.Accounts.UpdateCredentials(ctx, api.UpdateCredentials{Locked: &yes}); err != nil {
			t.Fatal(err)
		}
		follow(api.Follow{Notify: &yes}, true, true)
		say("eight")
		if err := s.Social.AuthorizeFollow(ctx, s.User("bob"), s.User("ann").ID); err != nil {
			t.Fatal(err)
		}
		say("nine")
		heard("status nine", "status six", "mention five", "status private", "mention @ann three", "status two")
	})
}

func TestFollowersChooseLanguages(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, bob, cat := s.Client("ann"), s.Client("bob"), s.Client("cat")
		bobID := s.User("bob").ID
		token := s.Token("ann", servertest.AllScopes)
		follow := func(kind, body string, want []string) {
			t.Helper()
			a := call(t, s, token, "POST", "/api/v1/accounts/"+bobID+"/follow", kind, body)
			if r := decoded[api.Relationship](t, a); a.status != 200 || !slices.Equal(r.Languages, want) {
				t.Errorf("%s: %d %s", body, a.status, a.body)
			}
			if len(want) == 0 && !strings.Contains(a.body, `"languages":null`) {
				t.Errorf("%s", a.body)
			}
		}
		list, err := ann.Lists.Create(ctx, api.NewList{Title: "friends"})
		if err != nil {
			t.Fatal(err)
		}
		follow(asJSON, `{}`, nil)
		if err := ann.Lists.Add(ctx, list.ID, bobID); err != nil {
			t.Fatal(err)
		}
		other := post(t, cat, api.NewStatus{Status: "boosted", Language: "fr"})
		for _, language := range []string{"en", "de", "pt-BR", "ast"} {
			post(t, bob, api.NewStatus{Status: language, Language: language})
		}
		row := s.User("bob")
		uri := s.Base() + "/objects/bare"
		bare := &db.Status{ID: s.DB.NewID(), URI: &uri, AccountID: row.ID, Local: true, Visibility: db.Public, Content: "bare", CreatedAt: s.DB.Now()}
		if err := s.DB.Tx(ctx, func(tx *db.DB) error {
			if err := tx.CreateStatus(ctx, bare); err != nil {
				return err
			}
			return tx.AddHomeEntries(ctx, db.HomeEntries{Status: bare, Followers: true})
		}); err != nil {
			t.Fatal(err)
		}
		post(t, bob, api.NewStatus{Status: "@ann hola", Language: "es"})
		if _, err := bob.Statuses.Reblog(ctx, other.ID, api.NewReblog{}); err != nil {
			t.Fatal(err)
		}
		shows := func(home, listed string) {
			t.Helper()
			for name, timeline := range map[string]client.Listing[api.Status]{home: ann.Timelines.Home(api.TimelineQuery{}), listed: ann.Timelines.List(list.ID, api.ListTimelineQuery{})} {
				page, err := timeline.Page(ctx)
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, status := range page.Items {
					if status.Reblog != nil {
						status = *status.Reblog
					}
					got = append(got, status.Svc.Content.Plain)
				}
				if strings.Join(got, ",") != name {
					t.Errorf("%v, want %v", got, name)
				}
			}
		}
		const all = "@ann hola,bare,ast,pt-BR,de,en"
		shows("boosted,"+all, all)
		follow(asForm, "languages[]=pt&languages[]=DE&languages[]=pt", []string{"pt", "de"})
		shows("boosted,@ann hola,bare,pt-BR,de", "bare,pt-BR,de")
		follow(asJSON, `{"reblogs":true}`, []string{"pt", "de"})
		for _, body := range []string{`{"languages":["xx"]}`, `{"languages":["deu"]}`, `{"languages":["de","%"]}`, `{"languages":[""," "]}`} {
			if a := call(t, s, token, "POST", "/api/v1/accounts/"+bobID+"/follow", asJSON, body); a.status != 422 || !strings.HasPrefix(a.body, `{"error":"Validation failed: `) {
				t.Errorf("%s: %d %s", body, a.status, a.body)
			}
		}
		shows("boosted,@ann hola,bare,pt-BR,de", "bare,pt-BR,de")
		// Streams ask the same of each new status.
		number, err := strconv.ParseInt(list.ID, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		for language, want := range map[string]bool{"en": false, "de": true, "pt": true} {
			fresh := post(t, bob, api.NewStatus{Status: language, Language: language})
			homes, err := s.DB.HomeReaders(ctx, fresh.ID, []string{s.User("ann").ID}, db.AllHomes)
			if err != nil || (len(homes) == 1) != want {
				t.Errorf("%s: %d homes, %v", language, len(homes), err)
			}
			lists, err := s.DB.ListReaders(ctx, fresh.ID, []int64{number})
			if err != nil || (len(lists) == 1) != want {
				t.Errorf("%s: %d lists, %v", language, len(lists), err)
			}
			if _, err := bob.Statuses.Delete(ctx, fresh.ID); err != nil {
				t.Fatal(err)
			}
		}
		follow(asForm, "languages[]=", nil)
		shows("boosted,"+all, all)
		follow(asJSON, `{"languages":["en"]}`, []string{"en"})
		if r, err := ann.Accounts.Unfollow(ctx, bobID); err != nil || r.Languages != nil {
			t.Errorf("%v %+v", err, r)
		}
	})
}
