package adminapi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"svc/client/api"
	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/rules/social"
	"svc/server/rules/social/socialtest"
)

func (w *world) nicknames(query string) string {
	w.t.Helper()
	status, text := w.admin("GET", "/users"+query, "")
	if status != 200 {
		w.t.Fatalf("%s: %d %s", query, status, text)
	}
	var list api.UserList
	w.decode(text, &list)
	var names []string
	for _, u := range list.Users {
		names = append(names, u.Nickname)
	}
	return fmt.Sprintf("%d/%d: %s", list.Count, list.PageSize, strings.Join(names, " "))
}

func TestUserListTakesWhateverComes(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		host := strings.TrimPrefix(w.Base(), "http://")
		all := "4/50: ann bob eve@one.example root"
		for query, want := range map[string]string{
			"":                               all,
			"?query=&name=&filters=&tags[]=": all,
			"?filters=local":                 "3/50: ann bob root",
			"?filters=local,active,is_admin": "1/50: root",
			"?filters=local,external":        "0/50: ",
			"?filters=nonsense,external":     "1/50: eve@one.example",
			"?query=ONE.example":             "1/50: eve@one.example",
			"?query=%25":                     "0/50: ",
			"?query=bob@" + host:             "1/50: bob",
			"?name=eve":                      "1/50: eve@one.example",
			"?email=BOB@example.org":         "1/50: bob",
			"?tags=spam":                     all,
			"?tags[]=spam":                   "0/50: ",
			"?actor_types=Service":           all,
			"?actor_types[]=Service":         "0/50: ",
			"?page=2&page_size=3":            "4/3: root",
			"?page=9&page_size=3":            "4/3: ",
			"?page=0&page_size=2":            "4/2: ann bob",
			"?page=-5&page_size=-5":          "4/1: ann",
			"?page_size=2nd":                 "4/2: ann bob",
			"?page_size=many":                all,
			"?page_size=99999999999999999999&page=99999999999999999999": "4/2147483647: ",
		} {
			if got := w.nicknames(query); got != want {
				t.Errorf("%s: %s, want %s", query, got, want)
			}
		}
		status, text := w.admin("GET", "/users?page_size=50", `{"page_size":1,"query":"o"}`)
		if status != 200 || !strings.Contains(text, `"count":3,"page_size":1}`) {
			t.Errorf("a body wins over the query: %d %.200s", status, text)
		}
	})
}

func TestAUserIsNamedInThreeWays(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		host := strings.TrimPrefix(w.Base(), "http://")
		_, want := w.admin("GET", "/users/bob", "")
		for _, handle := range []string{"BOB", w.bob.ID, fmt.Sprint(w.bob.Serial), "bob@" + host} {
			w.want("GET", "/users/"+handle, "", 200, want)
		}
		status, text := w.admin("GET", "/users/EVE@one.EXAMPLE", "")
		if status != 200 || !strings.Contains(text, `"account_id":"`+w.eve.ID+`"`) {
			t.Errorf("a remote one: %d %s", status, text)
		}
	})
}

func TestReportPagesHonourSizeAndLimit(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		var ids []string
		for range 60 {
			ids = append([]string{w.report("ann", w.bob, "rude")}, ids...)
		}
		w.must(w.Admin("root").Admin.Reports.Update(t.Context(), api.ReportUpdate{ID: ids[0], State: "closed"}))
		for query, want := range map[string]struct {
			total int
			ids   []string
		}{
			"":                                  {60, ids[:50]},
			"?page_size=55":                     {60, ids[:55]},
			"?limit=3":                          {60, ids[:3]},
			"?limit=3&page=2":                   {60, ids[3:6]},
			"?limit=3&page_size=4&page=2":       {60, ids[4:8]},
			"?page=2":                           {60, ids[50:]},
			"?page=3":                           {60, nil},
			"?page=-1&page_size=0":              {60, ids[:1]},
			"?state=closed":                     {1, ids[:1]},
			"?state=open&page_size=2":           {59, ids[1:3]},
			"?state=resolved":                   {0, nil},
			"?state=&page=&page_size=&unknown=": {60, ids[:50]},
		} {
			status, text := w.admin("GET", "/reports"+query, "")
			var list api.ReportList
			w.decode(text, &list)
			var got []string
			for _, r := range list.Reports {
				got = append(got, r.ID)
			}
			if status != 200 || list.Total != want.total || strings.Join(got, " ") != strings.Join(want.ids, " ") {
				t.Errorf("%s: %d, %d reports of %d, want %d of %d", query, status, len(got), list.Total, len(want.ids), want.total)
			}
		}
	})
}

func (w *world) statuses(path string) string {
	w.t.Helper()
	status, text := w.admin("GET", path, "")
	if status != 200 {
		w.t.Fatalf("%s: %d %s", path, status, text)
	}
	var list []api.AdminStatus
	w.decode(text, &list)
	var texts []string
	for _, s := range list {
		name := s.Svc.Content.Plain
		if s.Reblog != nil {
			name = "boost of " + s.Reblog.Svc.Content.Plain
			if s.Reblog.Account.ID != w.bob.ID || s.Account.Svc.Relationship.ID != "" {
				w.t.Errorf("%s: accounts of boost %s", path, s.Raw)
			}
		}
		if s.Account.AccountID != s.Account.ID || s.Account.Roles.Moderator {
			w.t.Errorf("%s: the account of %s is not the merged one", path, name)
		}
		texts = append(texts, name)
	}
	return strings.Join(texts, ", ")
}

func TestStatusListsTakeTheirSwitches(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		host := strings.TrimPrefix(w.Base(), "http://")
		public := w.post(w.bob, social.NewStatus{Text: "public"})
		w.post(w.bob, social.NewStatus{Text: "private", Visibility: db.Private})
		socialtest.Post(t, w.Social, w.eve, db.Public, activitypub.Post{ID: "https://one.example/1", Content: "foreign"})
		_, err := w.Social.Reblog(t.Context(), w.ann, public.ID, "")
		w.must(err)
		for path, want := range map[string]string{
			"/statuses":                                          "foreign, public",
			"/statuses?godmode=false&with_reblogs=":              "foreign, public",
			"/statuses?godmode=true":                             "foreign, private, public",
			"/statuses?with_reblogs=true":                        "boost of public, foreign, public",
			"/statuses?local_only=true":                          "public",
			"/statuses?page_size=1&page=2":                       "public",
			"/statuses?page_size=1&page=3":                       "",
			"/users/bob/statuses":                                "public",
			"/users/" + w.bob.ID + "/statuses?godmode=true":      "private, public",
			"/users/bob/statuses?godmode=1":                      "public",
			"/users/ann/statuses?with_reblogs=true":              "boost of public",
			"/instances/one.example/statuses":                    "foreign",
			"/instances/ONE.example/statuses?godmode=true":       "foreign",
			"/instances/" + host + "/statuses?godmode=true":      "private, public",
			"/instances/" + host + "/statuses?with_reblogs=true": "boost of public, public",
			"/instances/one.example/statuses?page_size=1&page=2": "",
		} {
			if got := w.statuses(path); got != want {
				t.Errorf("%s: %q, want %q", path, got, want)
			}
		}
		_, err = w.Admin("root").Admin.Users.Deactivate(t.Context(), "bob", "eve@one.example")
		w.must(err)
		for path, want := range map[string]string{
			"/statuses?godmode=true&with_reblogs=true": "boost of public, foreign, private, public",
			"/users/bob/statuses":                      "public",
			"/instances/one.example/statuses":          "foreign",
		} {
			if got := w.statuses(path); got != want {
				t.Errorf("%s after deactivation: %q, want %q", path, got, want)
			}
		}
		_, raw := w.admin("GET", "/statuses/"+public.ID, "")
		if !strings.Contains(raw, `"is_admin":false,"is_moderator":false`) || !strings.Contains(raw, `"deactivated":true`) {
			t.Errorf("GET: %s", raw)
		}
		status, text := w.admin("PUT", "/statuses/"+public.ID, `{"sensitive":"true"}`)
		var s api.Status
		w.decode(text, &s)
		if status != 200 || !s.Sensitive || s.Account == nil || s.Account.ID != w.bob.ID {
			t.Errorf("PUT: %d %s", status, text)
		}
		w.want("DELETE", "/statuses/"+public.ID, "", 200, "{}")
		w.want("GET", "/statuses/"+public.ID, "", 404, notFound)
	})
}

func TestLogFiltersByTimeActorAndWord(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		w.AdminUser("boss")
		id := w.report("ann", w.bob, "rude")
		w.must(w.Admin("root").Admin.Reports.AddNote(ctx, id, "Grüße"))
		w.must(w.Admin("boss").Admin.Reports.AddNote(ctx, id, "two"))
		boss, err := w.DB.AccountByNickname(ctx, "boss")
		w.must(err)
		now := time.Now().UTC()
		past, future := now.Add(-time.Hour), now.Add(time.Hour)
		at := func(t time.Time) string { return t.Format("2006-01-02T15:04:05") }
		// The newest entry's own second is part of an inclusive range.
		newest, err := w.Admin("root").Admin.Log.List(api.LogQuery{PageSize: 1}).Page(ctx)
		w.must(err)
		second := at(time.Unix(newest.Items[0].Time, 0).UTC())
		for query, want := range map[string]string{
			"":                          "boss root",
			"?page_size=1":              "boss",
			"?page_size=1&page=2":       "root",
			"?page=3":                   "",
			"?start_date=" + at(past):   "boss root",
			"?start_date=" + at(future): "",
			"?end_date=" + at(past):     "",
			"?end_date=" + at(future):   "boss root",
			"?start_date=" + second + "&end_date=" + second + "&search=TWO": "boss",
			"?end_date=" + at(now.Add(2*time.Hour)) + "%2B01:00":            "boss root",
			"?end_date=" + at(now) + "+01:00":                               "",
			"?start_date=" + at(past) + "Z":                                 "boss root",
			"?user_id=" + fmt.Sprint(boss.Serial):                           "boss",
			"?user_id=" + boss.ID:                                           "boss",
			"?user_id=boss":                                                 "boss",
			"?user_id=nobody":                                               "",
			"?search=GRÜSSE":                                                "",
			"?search=GRÜßE":                                                 "root",
			"?search=%25":                                                   "",
		} {
			status, text := w.admin("GET", "/moderation_log"+query, "")
			var list []api.LogEntry
			w.decode(text, &list)
			var actors []string
			for _, e := range list {
				actors = append(actors, e.Data.Actor.Nickname)
			}
			if got := strings.Join(actors, " "); status != 200 || got != want {
				t.Errorf("%s: %d %q, want %q", query, status, got, want)
			}
		}
	})
}
