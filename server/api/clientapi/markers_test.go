package clientapi_test

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"svc/client/api"
	"svc/server/servertest"
)

func TestMarkersAreKeptForBothTimelines(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		stir(t, s)
		ctx, ann, token := t.Context(), s.Client("ann"), s.Token("ann", servertest.AllScopes)
		ignore := cmpopts.IgnoreFields(api.Marker{}, "UpdatedAt")
		check := func(what string, got, want api.Markers, err error) {
			t.Helper()
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			if diff := cmp.Diff(want, got, ignore, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s: %s", what, diff)
			}
		}
		unread := func(n int) api.MarkerSvc { return api.MarkerSvc{UnreadCount: n} }
		got, err := ann.Markers.Get(ctx, "home", "notifications")
		check("before", got, nil, err)
		got, err = ann.Markers.Set(ctx, api.SetMarkers{Home: &api.SetMarker{LastReadID: "9abc"}})
		check("home", got, api.Markers{"home": {LastReadID: "9abc", Version: 1}}, err)
		got = decoded[api.Markers](t, call(t, s, token, "POST", "/api/v1/markers", asJSON, `{"home":{"last_read_id":"9abd"},"notifications":{"last_read_id":12},"other":{"last_read_id":1}}`))
		check("a number", got, api.Markers{"home": {LastReadID: "9abd", Version: 2}, "notifications": {LastReadID: "12", Version: 1, Svc: unread(5)}}, nil)
		got = decoded[api.Markers](t, call(t, s, token, "POST", "/api/v1/markers", asForm, `notifications[last_read_id]=1`))
		check("back, which is not possible", got, api.Markers{"notifications": {LastReadID: "12", Version: 1, Svc: unread(5)}}, nil)
		got = decoded[api.Markers](t, call(t, s, token, "POST", "/api/v1/markers", asForm, `notifications[last_read_id]=101`))
		check("a form", got, api.Markers{"notifications": {LastReadID: "101", Version: 2, Svc: unread(5)}}, nil)
		got, err = ann.Markers.Get(ctx, "notifications", "other")
		check("one", got, api.Markers{"notifications": {LastReadID: "101", Version: 2, Svc: unread(5)}}, err)
		got, err = ann.Markers.Get(ctx)
		check("none", got, nil, err)
		got, err = s.Client("bob").Markers.Get(ctx, "home", "notifications")
		check("another's", got, nil, err)
		if a := call(t, s, token, "POST", "/api/v1/markers", asJSON, `{}`); a.text() != "200 {}" {
			t.Errorf("%s", a.text())
		}
		for _, body := range []string{`{"home":{"last_read_id":"a b"}}`, `{"home":{"last_read_id":1.5}}`, `{"home":{"last_read_id":true}}`, `{"home":"x"}`} {
			if a := call(t, s, token, "POST", "/api/v1/markers", asJSON, body); a.status != 400 {
				t.Errorf("%s: %s", body, a.text())
			}
		}
	})
}

// TestTheMarkerFollowsWhatWasSeen reads notifications, and then older ones.
func TestTheMarkerFollowsWhatWasSeen(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		stir(t, s)
		ctx, ann := t.Context(), s.Client("ann")
		all, err := ann.Notifications.List(api.NotificationQuery{}).Page(ctx)
		if err != nil || len(all.Items) != 5 {
			t.Fatalf("%d %v", len(all.Items), err)
		}
		id := func(i int) int64 {
			n, err := strconv.ParseInt(all.Items[i].ID, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		marker := func(want api.Marker) {
			t.Helper()
			got, err := ann.Markers.Get(ctx, "notifications")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got["notifications"], cmpopts.IgnoreFields(api.Marker{}, "UpdatedAt")); diff != "" {
				t.Error(diff)
			}
		}
		if n, err := ann.Notifications.See(ctx, id(1)); err != nil || !n.Svc.IsSeen || n.ID != all.Items[1].ID {
			t.Errorf("%+v %v", n, err)
		}
		marker(api.Marker{LastReadID: all.Items[1].ID, Version: 1, Svc: api.MarkerSvc{UnreadCount: 4}})
		read, err := ann.Notifications.SeeUpTo(ctx, id(2))
		if err != nil || kinds(read) != kinds(all.Items[2:]) || !read[0].Svc.IsSeen {
			t.Errorf("%s %v", kinds(read), err)
		}
		marker(api.Marker{LastReadID: all.Items[1].ID, Version: 1, Svc: api.MarkerSvc{UnreadCount: 1}}) // never back
		if read, err = ann.Notifications.SeeUpTo(ctx, id(0)+1000); err != nil || kinds(read) != kinds(all.Items[:1]) {
			t.Errorf("only what was not seen: %s %v", kinds(read), err)
		}
		marker(api.Marker{LastReadID: all.Items[0].ID, Version: 2})
		if read, err = ann.Notifications.SeeUpTo(ctx, id(0)); err != nil || len(read) != 0 {
			t.Errorf("nothing is left: %s %v", kinds(read), err)
		}
	})
}
