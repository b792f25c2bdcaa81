package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server/servertest"
)

// filterForm is a new filter for home with keywords.
func filterForm(title, action string, keywords ...string) api.FilterV2Form {
	form := api.FilterV2Form{Title: &title, Context: []string{"home"}, FilterAction: &action}
	for _, k := range keywords {
		form.Keywords = append(form.Keywords, api.FilterKeywordEntry{Keyword: given(k)})
	}
	return form
}

// A filter of the first version is one keyword of a filter of the second.
func TestFiltersOfBothVersionsAreTheSame(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, ben := t.Context(), s.Client("ann"), s.Client("ben")
		old := must(ann.Filters.Create(ctx, api.NewFilter{Phrase: given("rain"), Context: []string{"home"}, Irreversible: given(api.Bool(true))}))(t)
		want := api.FilterV2{FilterHead: api.FilterHead{ID: "1", Title: "rain", Context: []string{"home"}, FilterAction: "hide"},
			Keywords: []api.FilterKeyword{{ID: "1", Keyword: "rain", WholeWord: true}}, Statuses: []api.FilterStatus{}}
		if diff := cmp.Diff([]api.FilterV2{want}, must(ann.FiltersV2.List(ctx))(t)); diff != "" || old.ID != "1" {
			t.Fatal(old.ID, diff)
		}
		weather := must(ann.FiltersV2.Create(ctx, api.FilterV2Form{
			Title: given("Weather"), Context: []string{"public", "account"}, FilterAction: given("blur"), ExpiresIn: given(api.Seconds("60")),
			Keywords: []api.FilterKeywordEntry{{Keyword: given("snow")}, {Keyword: given("ice"), WholeWord: given(api.Bool(false))}},
		}))(t)
		if weather.ExpiresAt == nil || time.Until(weather.ExpiresAt.Time) > time.Minute || len(weather.Keywords) != 2 || weather.Keywords[1].WholeWord || weather.FilterAction != "blur" {
			t.Fatalf("%+v", weather)
		}
		var shown []string
		for _, f := range must(ann.Filters.List(ctx))(t) {
			shown = append(shown, fmt.Sprint(f.ID, " ", f.Phrase, " ", f.Irreversible, " ", f.WholeWord, " ", f.Context))
		}
		snow, ice := weather.Keywords[0].ID, weather.Keywords[1].ID
		if diff := cmp.Diff([]string{"1 rain true true [home]", snow + " snow false true [public account]", ice + " ice false false [public account]"}, shown); diff != "" {
			t.Error(diff)
		}

		// A keyword changes by itself. Context and action change only through a single keyword.
		refused(t, "another's context", second(ann.Filters.Update(ctx, snow, api.NewFilter{Context: []string{"home"}})), 422, "more than one filter keyword")
		refused(t, "another's action", second(ann.Filters.Update(ctx, snow, api.NewFilter{Irreversible: given(api.Bool(true))})), 422, "more than one filter keyword")
		refused(t, "another's end", second(ann.Filters.Update(ctx, snow, api.NewFilter{ExpiresIn: given(api.Int(0))})), 422, "more than one filter keyword")
		if got := must(ann.Filters.Update(ctx, snow, api.NewFilter{Phrase: given("hail"), Context: []string{"account", "public"}, Irreversible: given(api.Bool(false))}))(t); got.Phrase != "hail" {
			t.Errorf("%+v", got)
		}
		if got := must(ann.FiltersV2.Get(ctx, weather.ID))(t); got.Title != "Weather" || got.Keywords[0].Keyword != "hail" || got.FilterAction != "blur" || got.ExpiresAt == nil {
			t.Errorf("%+v", got)
		}
		if err := ann.Filters.Delete(ctx, ice); err != nil {
			t.Fatal(err)
		}
		must(ann.Filters.Update(ctx, snow, api.NewFilter{Phrase: given("fog"), Irreversible: given(api.Bool(false)), Context: []string{"home"}, ExpiresIn: given(api.Int(0))}))(t)
		if got := must(ann.FiltersV2.Get(ctx, weather.ID))(t); got.Title != "fog" || got.FilterAction != "blur" || len(got.Keywords) != 1 || got.ExpiresAt != nil {
			t.Errorf("%+v", got)
		}

		// The last keyword takes the filter along, unless it has a status.
		mine := say(t, ben, "a post")
		row := must(ann.FiltersV2.AddStatus(ctx, weather.ID, mine.ID))(t)
		if err := ann.Filters.Delete(ctx, snow); err != nil {
			t.Fatal(err)
		}
		if got := must(ann.FiltersV2.Get(ctx, weather.ID))(t); len(got.Keywords) != 0 || len(got.Statuses) != 1 || got.Statuses[0] != *row {
			t.Errorf("%+v", got)
		}
		if err := ann.Filters.Delete(ctx, "1"); err != nil {
			t.Fatal(err)
		}
		refused(t, "gone with its keyword", second(ann.FiltersV2.Get(ctx, "1")), 404, "Record not found")
		must(ben.Statuses.Delete(ctx, mine.ID))(t)
		if got := must(ann.FiltersV2.Statuses(ctx, weather.ID))(t); len(got) != 0 {
			t.Errorf("a deleted status is in a filter: %+v", got)
		}
	})
}

func TestFiltersHaveKeywordsAndStatuses(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, ben := t.Context(), s.Client("ann"), s.Client("ben")
		f := must(ann.FiltersV2.Create(ctx, filterForm("Weather", "warn", "rain", "snow")))(t)
		rain, snow := f.Keywords[0].ID, f.Keywords[1].ID
		number := func(id string) (n api.Int) { _, _ = fmt.Sscan(id, &n); return n }
		got := must(ann.FiltersV2.Update(ctx, f.ID, api.FilterV2Form{Keywords: []api.FilterKeywordEntry{
			{ID: number(rain), Keyword: given("hail")}, {ID: number(snow), Destroy: true}, {Keyword: given("fog")},
		}}))(t)
		if len(got.Keywords) != 2 || got.Keywords[0].ID != rain || got.Keywords[0].Keyword != "hail" || got.Keywords[1].Keyword != "fog" || got.Title != "Weather" {
			t.Errorf("%+v", got)
		}
		// As forms write lists of objects, with indexes and without.
		for _, form := range []string{"keywords_attributes[][keyword]=a&keywords_attributes[][whole_word]=false&keywords_attributes[][keyword]=b&expires_in=",
			"keywords_attributes[0][keyword]=c&keywords_attributes[0][whole_word]=false&keywords_attributes[1][keyword]=d"} {
			must(ann.FiltersV2.Update(ctx, f.ID, api.FilterV2Form{ExpiresIn: given(api.Seconds("60"))}))(t)
			req := httptest.NewRequestWithContext(ctx, http.MethodPut, "/api/v2/filters/"+f.ID, strings.NewReader(form))
			req.Header.Set("Authorization", "Bearer "+s.Token("ann", servertest.AllScopes))
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			w := httptest.NewRecorder()
			s.Handler().ServeHTTP(w, req)
			got = &api.FilterV2{}
			if err := json.Unmarshal(w.Body.Bytes(), got); err != nil || w.Code != http.StatusOK {
				t.Fatal(w.Code, w.Body)
			}
			n := len(got.Keywords)
			if got.Keywords[n-2].WholeWord || !got.Keywords[n-1].WholeWord || (got.ExpiresAt == nil) != strings.HasSuffix(form, "expires_in=") {
				t.Errorf("%s: %s", form, w.Body)
			}
		}
		k := must(ann.FiltersV2.AddKeyword(ctx, f.ID, api.FilterKeywordForm{Keyword: given(" sleet ")}))(t)
		if k.Keyword != "sleet" || !k.WholeWord {
			t.Errorf("%+v", k)
		}
		k = must(ann.FiltersV2.UpdateKeyword(ctx, k.ID, api.FilterKeywordForm{WholeWord: given(api.Bool(false))}))(t)
		if diff := cmp.Diff(k, must(ann.FiltersV2.Keyword(ctx, k.ID))(t)); diff != "" || k.Keyword != "sleet" || k.WholeWord {
			t.Error(diff, k)
		}
		if err := ann.FiltersV2.RemoveKeyword(ctx, k.ID); err != nil {
			t.Fatal(err)
		}
		if got := must(ann.FiltersV2.Keywords(ctx, f.ID))(t); len(got) != 6 {
			t.Errorf("%+v", got)
		}
		post, secret := say(t, ben, "x"), say(t, ben, "y", func(f *api.NewStatus) { f.Visibility = db.Private })
		row := must(ann.FiltersV2.AddStatus(ctx, f.ID, post.ID))(t)
		if diff := cmp.Diff(row, must(ann.FiltersV2.Status(ctx, row.ID))(t)); diff != "" || row.StatusID != post.ID {
			t.Error(diff, row)
		}
		for what, err := range map[string]error{
			"invisible":            second(ann.FiltersV2.AddStatus(ctx, f.ID, secret.ID)),
			"another's filter":     second(ben.FiltersV2.Get(ctx, f.ID)),
			"another's keyword":    second(ben.FiltersV2.Keyword(ctx, rain)),
			"another's status":     second(ben.FiltersV2.Status(ctx, row.ID)),
			"change another's":     second(ben.FiltersV2.Update(ctx, f.ID, api.FilterV2Form{})),
			"delete another's":     ben.FiltersV2.Delete(ctx, f.ID),
			"remove another's":     ben.FiltersV2.RemoveKeyword(ctx, rain),
			"remove its status":    ben.FiltersV2.RemoveStatus(ctx, row.ID),
			"add to another's":     second(ben.FiltersV2.AddKeyword(ctx, f.ID, api.FilterKeywordForm{Keyword: given("x")})),
			"a status there":       second(ben.FiltersV2.AddStatus(ctx, f.ID, post.ID)),
			"keyword of no filter": second(ann.FiltersV2.Update(ctx, f.ID, api.FilterV2Form{Title: given("changed"), Keywords: []api.FilterKeywordEntry{{ID: 99, Keyword: given("x")}}})),
			"no number":            second(ann.FiltersV2.Get(ctx, "x")),
		} {
			refused(t, what, err, 404, "Record not found")
		}
		long := strings.Repeat("x", 513)
		for what, err := range map[string]error{
			"twice":           second(ann.FiltersV2.AddStatus(ctx, f.ID, post.ID)),
			"no title":        second(ann.FiltersV2.Create(ctx, api.FilterV2Form{Context: []string{"home"}})),
			"blank title":     second(ann.FiltersV2.Update(ctx, f.ID, api.FilterV2Form{Title: given(" ")})),
			"long title":      second(ann.FiltersV2.Update(ctx, f.ID, api.FilterV2Form{Title: given(long[:257])})),
			"no context":      second(ann.FiltersV2.Create(ctx, api.FilterV2Form{Title: given("x")})),
			"unknown context": second(ann.FiltersV2.Update(ctx, f.ID, api.FilterV2Form{Context: []string{"home", "nowhere"}})),
			"unknown action":  second(ann.FiltersV2.Update(ctx, f.ID, api.FilterV2Form{FilterAction: given("burn")})),
			"negative":        second(ann.FiltersV2.Update(ctx, f.ID, api.FilterV2Form{ExpiresIn: given(api.Seconds("-1"))})),
			"blank keyword":   second(ann.FiltersV2.Create(ctx, filterForm("x", "warn", " "))),
			"no keyword":      second(ann.FiltersV2.AddKeyword(ctx, f.ID, api.FilterKeywordForm{})),
			"long keyword":    second(ann.FiltersV2.AddKeyword(ctx, f.ID, api.FilterKeywordForm{Keyword: &long})),
		} {
			refused(t, what, err, 422, "Validation failed: ")
		}
		if got := must(ann.FiltersV2.Get(ctx, f.ID))(t); got.Title != "Weather" || len(got.Keywords) != 6 {
			t.Errorf("refused requests changed %+v", got)
		}
		many := filterForm("many", "warn")
		for i := range db.MaxFilterKeywords {
			many.Keywords = append(many.Keywords, api.FilterKeywordEntry{Keyword: given(fmt.Sprint("word", i))})
		}
		full := must(ann.FiltersV2.Create(ctx, many))(t)
		refused(t, "keyword 101", second(ann.FiltersV2.AddKeyword(ctx, full.ID, api.FilterKeywordForm{Keyword: given("x")})), 422, "Validation failed: A filter cannot have more than 100 keywords")
		many.Keywords = append(many.Keywords, many.Keywords[0])
		refused(t, "101 keywords", second(ann.FiltersV2.Create(ctx, many)), 422, "Validation failed: A filter cannot have more than 100 keywords")
		if err := ann.FiltersV2.RemoveStatus(ctx, row.ID); err != nil {
			t.Fatal(err)
		}
		if err := ann.FiltersV2.Delete(ctx, f.ID); err != nil {
			t.Fatal(err)
		}
		refused(t, "its keyword", second(ann.FiltersV2.Keyword(ctx, rain)), 404, "Record not found")
		for len(must(ann.FiltersV2.List(ctx))(t)) < db.MaxFilters {
			must(ann.FiltersV2.Create(ctx, filterForm("x", "warn")))(t)
		}
		refused(t, "filter 101", second(ann.FiltersV2.Create(ctx, filterForm("x", "warn"))), 422, "Validation failed: You cannot have more than 100 filters")
		refused(t, "phrase 101", second(ann.Filters.Create(ctx, api.NewFilter{Phrase: given("x"), Context: []string{"home"}})), 422, "Validation failed: You cannot have more than 100 filters")
	})
}

// Filters of before keep their ids, and those that a server of before creates become
// whole.
func TestFiltersOfBeforeAreCompleted(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann := t.Context(), s.Client("ann")
		_, err := s.DB.Writer().ExecContext(ctx, "INSERT INTO filters (account_id, number, phrase, contexts, whole_word, created_at) VALUES ('"+s.User("ann").ID+"', 7, 'rain', 1, FALSE, 1)")
		if err == nil {
			err = s.Social.Sweep(ctx)
		}
		if err != nil {
			t.Fatal(err)
		}
		want := &api.Filter{ID: "7", Phrase: "rain", Context: []string{"home"}}
		if diff := cmp.Diff(want, must(ann.Filters.Get(ctx, "7"))(t)); diff != "" {
			t.Error(diff)
		}
		if got := must(ann.FiltersV2.Get(ctx, "7"))(t); got.Title != "rain" {
			t.Errorf("%+v", got)
		}
	})
}

// results are the results of statuses as "ID keywords statuses".
func results(rows api.List[api.FilterResult]) string {
	var out []string
	for _, r := range rows {
		out = append(out, fmt.Sprintf("%s%s%v%v", r.Filter.ID, r.Filter.FilterAction, r.KeywordMatches, r.StatusMatches))
	}
	return strings.Join(out, " ")
}

// Wherever a status stands, it says which filters of its reader match.
func TestStatusesSayWhichFiltersMatch(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, ben, eve := t.Context(), s.Client("ann"), s.Client("ben"), s.Client("eve")
		follow(t, ann, s.User("ben").ID)
		rain := must(ann.FiltersV2.Create(ctx, filterForm("Weather", "warn", "rain", "wind")))(t)
		hide := must(ann.FiltersV2.Create(ctx, api.FilterV2Form{Title: given("one"), Context: []string{"account"}, FilterAction: given("hide")}))(t)
		over := filterForm("over", "warn", "rain")
		over.ExpiresIn = given(api.Seconds("1"))
		end := must(ann.FiltersV2.Create(ctx, over))(t).ExpiresAt
		post := say(t, ben, "@ann RAIN at last #weather")
		must(ann.FiltersV2.AddStatus(ctx, hide.ID, post.ID))(t)
		must(ann.FiltersV2.AddKeyword(ctx, rain.ID, api.FilterKeywordForm{Keyword: given("last")}))(t)
		want := rain.ID + "warn[rain last][] " + hide.ID + "hide[][" + post.ID + "]"
		check := func(where string, got api.List[api.FilterResult]) {
			t.Helper()
			if results(got) != want {
				t.Errorf("%s: %q, want %q", where, results(got), want)
			}
		}
		time.Sleep(time.Until(end.Time))
		check("single", must(ann.Statuses.Get(ctx, post.ID))(t).Filtered)
		check("home", must(ann.Timelines.Home(api.TimelineQuery{}).Page(ctx))(t).Items[0].Filtered)
		check("ids", must(ann.Statuses.GetMany(ctx, post.ID))(t)[0].Filtered)
		check("notification", must(ann.Notifications.List(api.NotificationQuery{}).Page(ctx))(t).Items[0].Status.Filtered)
		check("like", must(ann.Statuses.Favourite(ctx, post.ID))(t).Filtered)
		check("favourites", must(ann.Statuses.Favourites(api.PageQuery{}).Page(ctx))(t).Items[0].Filtered)
		check("bookmark", must(ann.Statuses.Bookmark(ctx, post.ID))(t).Filtered)
		answer := say(t, ann, "dry", to(post))
		check("thread", must(ann.Statuses.Context(ctx, answer.ID))(t).Ancestors[0].Filtered)
		boost := must(ann.Statuses.Reblog(ctx, post.ID, api.NewReblog{}))(t)
		check("boost", boost.Filtered)
		check("boosted", boost.Reblog.Filtered)
		found := must(ann.Search.Find(ctx, api.SearchQuery{Q: "last", Type: "statuses"}))(t)
		if len(found.Statuses) == 0 {
			t.Error("nothing found")
		} else {
			check("search", found.Statuses[0].Filtered)
		}
		token := s.Token("ann", servertest.AllScopes)
		listener, teller := dial(t, s, token, "stream=user"), dial(t, s, token, "stream=user:notification")
		streamed := say(t, ben, "@ann rain again")
		var got api.Status
		if err := json.Unmarshal([]byte(listener.until("update", streamed.ID).Payload), &got); err != nil {
			t.Fatal(err)
		}
		want = rain.ID + "warn[rain][]"
		check("stream", got.Filtered)
		var told api.Notification
		if err := json.Unmarshal([]byte(teller.until("notification", "").Payload), &told); err != nil {
			t.Fatal(err)
		}
		check("streamed notification", told.Status.Filtered)
		direct := say(t, ben, "@ann rain, secretly", func(f *api.NewStatus) { f.Visibility = db.Direct })
		for _, c := range must(ann.Conversations.List(api.ConversationQuery{}).Page(ctx))(t).Items {
			if c.LastStatus.ID == direct.ID {
				check("conversation", c.LastStatus.Filtered)
			}
		}
		must(ben.Statuses.Edit(ctx, streamed.ID, api.StatusForm{Status: "@ann wind"}))(t)
		want = rain.ID + "warn[wind][]"
		check("edited", must(ann.Statuses.Get(ctx, streamed.ID))(t).Filtered)

		// Nothing is hidden from its author, in a boost either, and strangers have no filters.
		want = ""
		mine := say(t, ann, "my rain")
		check("posted", mine.Filtered)
		check("own", must(ann.Statuses.Get(ctx, mine.ID))(t).Filtered)
		bens := must(ben.Statuses.Reblog(ctx, mine.ID, api.NewReblog{}))(t)
		check("own, boosted", must(ann.Statuses.Get(ctx, bens.ID))(t).Reblog.Filtered)
		check("another's", must(eve.Statuses.Get(ctx, post.ID))(t).Filtered)
		check("anonymous", must(s.Anonymous().Statuses.Get(ctx, post.ID))(t).Filtered)
		for _, f := range []string{rain.ID, hide.ID} {
			if err := ann.FiltersV2.Delete(ctx, f); err != nil {
				t.Fatal(err)
			}
		}
		check("without filters", must(ann.Statuses.Get(ctx, post.ID))(t).Filtered)
	})
}

// Statuses of a filter that hides count like its keywords.
func TestHidingFiltersHideTheirStatuses(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, ben := t.Context(), s.Client("ann"), s.Client("ben")
		follow(t, ann, s.User("ben").ID)
		one, two := say(t, ben, "one"), say(t, ben, "two")
		f := must(ann.FiltersV2.Create(ctx, filterForm("x", "hide")))(t)
		must(ann.FiltersV2.AddStatus(ctx, f.ID, one.ID))(t)
		home := func() []string { return idsOf(must(ann.Timelines.Home(api.TimelineQuery{}).Page(ctx))(t).Items) }
		if diff := cmp.Diff([]string{two.ID}, home()); diff != "" {
			t.Error(diff)
		}
		must(ann.FiltersV2.Update(ctx, f.ID, api.FilterV2Form{FilterAction: given("blur")}))(t)
		if diff := cmp.Diff([]string{two.ID, one.ID}, home()); diff != "" {
			t.Error(diff)
		}
	})
}

// Apps that know two actions are shown these.
func TestStrictAppsKnowNoBlur(t *testing.T) {
	s := servertest.Start(t)
	ctx, ann := t.Context(), s.Client("ann")
	f := must(ann.FiltersV2.Create(ctx, filterForm("x", "blur", "rain")))(t)
	post := say(t, s.Client("ben"), "rain")
	action := func() []string {
		return []string{must(ann.FiltersV2.Get(ctx, f.ID))(t).FilterAction, must(ann.Statuses.Get(ctx, post.ID))(t).Filtered[0].Filter.FilterAction}
	}
	if diff := cmp.Diff([]string{"blur", "blur"}, action()); diff != "" {
		t.Error(diff)
	}
	settings := *s.Settings.Load()
	settings.Compatibility.StrictClients = []string{"*"}
	if err := s.Settings.Swap(settings); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"warn", "warn"}, action()); diff != "" {
		t.Error(diff)
	}
}

// A page costs nothing without filters, and with any number of them no more than their
// first reading.
func TestFiltersCostNoStatements(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, ben := t.Context(), s.Client("ann"), s.Client("ben")
		follow(t, ann, s.User("ben").ID)
		for i := range 5 {
			say(t, ben, fmt.Sprint("rain ", i))
		}
		token := s.Token("ann", servertest.AllScopes)
		read := func() int64 {
			return dbtest.FewestQueries(t, func(ctx context.Context) { s.Get(ctx, "/api/v1/timelines/home", token) })
		}
		without := read()
		for i := range 3 {
			must(ann.FiltersV2.Create(ctx, filterForm(fmt.Sprint(i), "warn", "rain", fmt.Sprint(i))))(t)
		}
		if with := read(); with != without {
			t.Errorf("%d statements with filters, %d without", with, without)
		}
	})
}
