package clientapi_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client/api"
	"svc/server/servertest"
)

// stir makes bob cause one notification of each kind for ann, and cat a
// favourite.
func stir(t *testing.T, s *servertest.Server) (statusID string) {
	t.Helper()
	ctx := t.Context()
	ann, bob, cat := s.Client("ann"), s.Client("bob"), s.Client("cat")
	posted, err := ann.Statuses.Post(ctx, api.NewStatus{Status: "x"})
	if err != nil {
		t.Fatal(err)
	}
	steps := []func() error{
		func() error { _, err := bob.Accounts.Follow(ctx, s.User("ann").ID, api.Follow{}); return err },
		func() error { _, err := bob.Statuses.Favourite(ctx, posted.ID); return err },
		func() error { _, err := bob.Statuses.Reblog(ctx, posted.ID, api.NewReblog{}); return err },
		func() error {
			_, err := bob.Statuses.Post(ctx, api.NewStatus{Status: "@ann hi", Visibility: "direct"})
			return err
		},
		func() error { _, err := cat.Statuses.Favourite(ctx, posted.ID); return err },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	return posted.ID
}

func kinds(rows []api.Notification) string {
	var out []string
	for _, n := range rows {
		out = append(out, n.Type+":"+n.Account.Acct)
	}
	return strings.Join(out, " ")
}

func TestNotificationsAreListedByEveryFilter(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		stir(t, s)
		token, bob := s.Token("ann", servertest.AllScopes), s.User("bob").ID
		for query, want := range map[string]string{
			"":                                       "favourite:cat mention:bob reblog:bob favourite:bob follow:bob",
			"include_types[]=follow&types[]=mention": "mention:bob follow:bob",
			"exclude_types[]=favourite&exclude_types[]=x": "mention:bob reblog:bob follow:bob",
			"account_id=" + bob + "&types[]=favourite":    "favourite:bob",
			"exclude_visibilities[]=direct":               "favourite:cat reblog:bob favourite:bob follow:bob",
			"include_types[]=svc:report":                  "",
			"limit=2":                                     "favourite:cat mention:bob",
			"limit=2&with_muted=true":                     "favourite:cat mention:bob",
		} {
			if got := kinds(decoded[[]api.Notification](t, call(t, s, token, "GET", "/api/v1/notifications?"+query, "", ""))); got != want {
				t.Errorf("%s: %s, want %s", query, got, want)
			}
		}
		var walked []api.Notification
		for n, err := range s.Client("ann").Notifications.List(api.NotificationQuery{PageQuery: api.PageQuery{Limit: 2}}).All(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			walked = append(walked, n)
		}
		if got := kinds(walked); got != "favourite:cat mention:bob reblog:bob favourite:bob follow:bob" {
			t.Errorf("walked: %s", got)
		}
		min := decoded[[]api.Notification](t, call(t, s, token, "GET", "/api/v1/notifications?limit=2&min_id="+walked[4].ID, "", ""))
		if got := kinds(min); got != "reblog:bob favourite:bob" {
			t.Errorf("min_id: %s", got)
		}
		if a := call(t, s, token, "GET", "/api/v1/notifications?account_id=nosuchid", "", ""); a.status != 404 || a.body != `{"error":"Account is not found"}` {
			t.Errorf("%d %s", a.status, a.body)
		}
		unread := func(query string) int {
			t.Helper()
			return decoded[api.UnreadCount](t, call(t, s, token, "GET", "/api/v1/notifications/unread_count?"+query, "", "")).Count
		}
		for query, want := range map[string]int{
			"": 5, "limit=2": 2, "limit=9999": 5, "types[]=follow&include_types[]=mention": 2, "types[]=quote": 0, "types[]=": 5, "types[]=admin.sign_up": 0,
			"exclude_types[]=favourite": 3, "account_id=" + bob + "&types[]=favourite": 1, "types[]=svc:report": 0,
		} {
			if got := unread(query); got != want {
				t.Errorf("%s: %d unread, want %d", query, got, want)
			}
		}
		if a := call(t, s, token, "GET", "/api/v1/notifications/unread_count?account_id=nosuchid", "", ""); a.status != 404 || a.body != `{"error":"Account is not found"}` {
			t.Errorf("%d %s", a.status, a.body)
		}
		if a := call(t, s, s.Token("ann", "write"), "GET", "/api/v1/notifications/unread_count", "", ""); a.status != 403 {
			t.Errorf("without the scope: %d %s", a.status, a.body)
		}
		if _, err := s.Client("ann").Markers.Set(t.Context(), api.SetMarkers{Notifications: &api.SetMarker{LastReadID: api.ID(walked[2].ID)}}); err != nil || unread("") != 2 {
			t.Errorf("behind the marker: %d unread, %v", unread(""), err)
		}
		if a := call(t, s, token, "GET", "/api/v1/notifications?max_id=abc", "", ""); a.status != 400 || !strings.HasPrefix(a.body, `{"error":"max_id - Invalid integer. Got: string."`) {
			t.Errorf("%d %s", a.status, a.body)
		}
		one, err := s.Client("ann").Notifications.Get(t.Context(), walked[1].ID)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(walked[1].Raw), string(one.Raw)); diff != "" {
			t.Error(diff)
		}
		if a := call(t, s, token, "GET", "/api/v1/notifications/999999", "", ""); a.status != 403 || a.body != `{"error":"Cannot get notification"}` {
			t.Errorf("another id: %d %s", a.status, a.body)
		}
		for _, path := range []string{"nosuchid", "99999999999999999999"} { // no ids
			if a := call(t, s, token, "GET", "/api/v1/notifications/"+path, "", ""); a.status != 404 || a.body != `{"error":"Record not found"}` {
				t.Errorf("%s: %d %s", path, a.status, a.body)
			}
		}
		if a := call(t, s, s.Token("cat", servertest.AllScopes), "GET", "/api/v1/notifications/"+walked[0].ID, "", ""); a.status != 403 {
			t.Errorf("cat reads ann's: %d %s", a.status, a.body)
		}
	})
}

func TestNotificationsAreReadAndRemoved(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		stir(t, s)
		token := s.Token("ann", servertest.AllScopes)
		list := func() []api.Notification {
			t.Helper()
			return decoded[[]api.Notification](t, call(t, s, token, "GET", "/api/v1/notifications", "", ""))
		}
		unread := func() int {
			t.Helper()
			own, err := s.Client("ann").Accounts.Verify(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return *own.Svc.UnreadNotifications
		}
		all := list()
		post := func(path, kind, body string) answer {
			t.Helper()
			return call(t, s, token, "POST", path, kind, body)
		}
		if got := decoded[api.Notification](t, post("/api/v1/svc/notifications/read", asJSON, `{"id":`+all[0].ID+`}`)); !got.Svc.IsSeen || got.ID != all[0].ID || unread() != 4 {
			t.Errorf("%+v, %d unread", got, unread())
		}
		if got := decoded[[]api.Notification](t, post("/api/v1/svc/notifications/read", asForm, "max_id="+all[2].ID)); len(got) != 3 || !got[0].Svc.IsSeen || unread() != 1 {
			t.Errorf("%d marked, %d unread", len(got), unread())
		}
		for _, body := range []string{`{}`, `{"id":424242}`} {
			if a := post("/api/v1/svc/notifications/read", asJSON, body); a.status != 400 || a.body != `{"error":"Cannot get notification"}` {
				t.Errorf("%s: %d %s", body, a.status, a.body)
			}
		}
		if err := s.Client("ann").Notifications.Dismiss(t.Context(), all[0].ID); err != nil {
			t.Error(err)
		}
		if a := post("/api/v1/notifications/dismiss", asForm, "id="+all[1].ID); a.status != 200 || a.body != "{}" {
			t.Errorf("%d %s", a.status, a.body)
		}
		for _, id := range []string{all[0].ID, "424242"} {
			if a := post("/api/v1/notifications/"+id+"/dismiss", "", ""); a.status != 403 || a.body != `{"error":"Cannot dismiss notification"}` {
				t.Errorf("%s: %d %s", id, a.status, a.body)
			}
		}
		stranger := call(t, s, s.Token("bob", servertest.AllScopes), "POST", "/api/v1/notifications/"+all[2].ID+"/dismiss", "", "")
		if stranger.status != 403 {
			t.Errorf("bob dismissed ann's: %d", stranger.status)
		}
		if a := call(t, s, token, "DELETE", "/api/v1/notifications/destroy_multiple?ids[]="+all[2].ID+"&ids[]=x&ids[]=7777", "", ""); a.status != 200 || a.body != "{}" {
			t.Errorf("%d %s", a.status, a.body)
		}
		if a := call(t, s, token, "DELETE", "/api/v1/notifications/destroy_multiple", "", ""); a.status != 400 || !strings.Contains(a.body, "Missing field: ids.") {
			t.Errorf("%d %s", a.status, a.body)
		}
		if got := kinds(list()); got != "favourite:bob follow:bob" {
			t.Errorf("left: %s", got)
		}
		if err := s.Client("ann").Notifications.Clear(t.Context()); err != nil || len(list()) != 0 {
			t.Errorf("clear: %v %v", err, list())
		}
	})
}

func TestNotificationsOfABlockedSenderDisappear(t *testing.T) {
	s := servertest.Start(t)
	stir(t, s)
	ann := s.Client("ann")
	if _, err := ann.Accounts.Block(t.Context(), s.User("bob").ID); err != nil {
		t.Fatal(err)
	}
	got, err := ann.Notifications.List(api.NotificationQuery{}).Page(t.Context())
	if err != nil || kinds(got.Items) != "favourite:cat" {
		t.Errorf("%s %v", kinds(got.Items), err)
	}
}
