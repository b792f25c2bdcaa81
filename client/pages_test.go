package client

import (
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"svc/client/api"

	"github.com/google/go-cmp/cmp"
)

func collect[T any](seq iter.Seq2[T, error], id func(T) string) ([]string, error) {
	var ids []string
	for item, err := range seq {
		if err != nil {
			return ids, err
		}
		ids = append(ids, id(item))
	}
	return ids, nil
}

func statusID(s api.Status) string { return s.ID }

// keysetPeer serves ids newest first, limit a page, with Link headers that
// name another host.
func keysetPeer(t *testing.T, ids []string) *peer {
	return serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		limit, _ := strconv.Atoi(query.Get("limit"))
		var page []string
		for _, id := range ids {
			if maxID := query.Get("max_id"); (maxID == "" || id < maxID) && len(page) < limit {
				page = append(page, fmt.Sprintf(`{"id":%q}`, id))
			}
		}
		if len(page) > 0 {
			query.Set("max_id", strings.Trim(page[len(page)-1], `{}id":`))
			next := "https://public.example" + r.URL.Path + "?" + query.Encode()
			w.Header().Set("Link", "<"+next+`>; rel="next", <https://public.example/?min_id=z>; rel="prev"`)
		}
		answer(w, 200, "["+strings.Join(page, ",")+"]")
	})
}

func TestKeysetListsAreWalkedByLink(t *testing.T) {
	p := keysetPeer(t, []string{"9", "8", "7", "6", "5"})
	c, _ := dial(t, p.URL)
	query := api.TimelineQuery{PageQuery: api.PageQuery{Limit: 2}, Local: true}
	got, err := collect(c.Timelines.Public(query).All(t.Context()), statusID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"9", "8", "7", "6", "5"}, got); diff != "" {
		t.Error(diff)
	}
	want := []string{
		"GET /api/v1/timelines/public?limit=2&local=true",
		"GET /api/v1/timelines/public?limit=2&local=true&max_id=8",
		"GET /api/v1/timelines/public?limit=2&local=true&max_id=6",
		"GET /api/v1/timelines/public?limit=2&local=true&max_id=5",
	}
	if diff := cmp.Diff(want, p.seen()); diff != "" {
		t.Error(diff)
	}
}

func TestIteratorsFetchOnlyWhatIsRead(t *testing.T) {
	p := keysetPeer(t, []string{"9", "8", "7", "6", "5"})
	c, _ := dial(t, p.URL)
	for range c.Timelines.Home(api.TimelineQuery{PageQuery: api.PageQuery{Limit: 2}}).All(t.Context()) {
		break
	}
	if n := len(p.seen()); n != 1 {
		t.Errorf("%d requests for one item", n)
	}
}

func TestKeysetWalkEndsOnALinkToItself(t *testing.T) {
	p := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", `<https://x.example/?max_id=5>; rel="next"`)
		answer(w, 200, `[{"id":"5"}]`)
	})
	c, _ := dial(t, p.URL)
	got, err := collect(c.Timelines.Home(api.TimelineQuery{}).All(t.Context()), statusID)
	if err != nil || len(got) != 2 || len(p.seen()) != 2 {
		t.Errorf("got %v, %v in %d requests", got, err, len(p.seen()))
	}
}

func TestWalksEndAfterAnError(t *testing.T) {
	p := serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
		if n == 1 {
			answer(w, 403, `{"error":"no"}`)
			return
		}
		w.Header().Set("Link", `<https://x.example/?max_id=5>; rel="next"`)
		answer(w, 200, `[{"id":"5"}]`)
	})
	c, _ := dial(t, p.URL)
	var errs int
	for _, err := range c.Notifications.List(api.NotificationQuery{}).All(t.Context()) {
		if err != nil {
			errs++
		}
	}
	if errs != 1 || len(p.seen()) != 2 {
		t.Errorf("%d errors in %d requests", errs, len(p.seen()))
	}
	bad := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { answer(w, 200, `{"id":"5"}`) })
	c, _ = dial(t, bad.URL)
	if _, err := collect(c.Timelines.Home(api.TimelineQuery{}).All(t.Context()), statusID); err == nil {
		t.Error("an object was read as a list")
	}
}

func TestPagesYieldAnswersAsTheyCame(t *testing.T) {
	p := keysetPeer(t, []string{"9", "8", "7"})
	c, _ := dial(t, p.URL)
	var got []string
	for resp, err := range c.Pages(t.Context(), "/api/v1/anything?a=b", url.Values{"limit": {"2"}}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(resp.Body))
	}
	if diff := cmp.Diff([]string{`[{"id":"9"},{"id":"8"}]`, `[{"id":"7"}]`, `[]`}, got); diff != "" {
		t.Error(diff)
	}
	if seen := p.seen(); !strings.Contains(seen[2], "a=b") {
		t.Errorf("a parameter was lost: %v", seen)
	}
	for _, err := range c.Pages(t.Context(), "https://example.org/", nil) {
		if err == nil {
			t.Error("pages of another server were read")
		}
	}
}

// reportPeer serves the ids that now returns by page number.
func reportPeer(t *testing.T, now func(n int) []string) *peer {
	return serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
		ids := now(n)
		page, _ := strconv.Atoi(r.URL.Query().Get("page"))
		size, _ := strconv.Atoi(r.URL.Query().Get("page_size"))
		from := min((page-1)*size, len(ids))
		var reports []string
		for _, id := range ids[from:min(from+size, len(ids))] {
			reports = append(reports, fmt.Sprintf(`{"id":%q}`, id))
		}
		answer(w, 200, fmt.Sprintf(`{"total":%d,"reports":[%s]}`, len(ids), strings.Join(reports, ",")))
	})
}

func reportID(r api.AdminReport) string { return r.ID }

func TestNumberedListsEndWithAShortPage(t *testing.T) {
	for size, requests := range map[int]int{2: 3, 5: 2, 10: 1, 0: 1} {
		p := reportPeer(t, func(int) []string { return []string{"e", "d", "c", "b", "a"} })
		c, _ := dial(t, p.URL)
		got, err := collect(c.Admin.Reports.List(api.ReportQuery{State: "open", PageSize: size}).All(t.Context()), reportID)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"e", "d", "c", "b", "a"}, got); diff != "" {
			t.Error(diff)
		}
		if n := len(p.seen()); n != requests {
			t.Errorf("size %d: %d requests, want %d: %v", size, n, requests, p.seen())
		}
		if !strings.Contains(p.seen()[0], "state=open") {
			t.Errorf("the filter is lost: %v", p.seen())
		}
	}
}

func TestNumberedListIsReadWholeWhereTheServerBoundsItsPages(t *testing.T) {
	all := []string{"e", "d", "c", "b", "a"}
	p := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		page, _ := strconv.Atoi(r.URL.Query().Get("page"))
		from := min((page-1)*2, len(all))
		var reports []string
		for _, id := range all[from:min(from+2, len(all))] {
			reports = append(reports, fmt.Sprintf(`{"id":%q}`, id))
		}
		answer(w, 200, fmt.Sprintf(`{"total":%d,"reports":[%s]}`, len(all), strings.Join(reports, ",")))
	})
	c, _ := dial(t, p.URL)
	for first, want := range map[int][]string{1: all, 2: {"c", "b", "a"}} {
		got, err := collect(c.Admin.Reports.List(api.ReportQuery{Page: first, PageSize: 100}).All(t.Context()), reportID)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("from page %d: %v (-want +got):\n%s", first, err, diff)
		}
	}
}

func TestNumberedListThatMovesIsWalkedAgainAndEachItemComesOnce(t *testing.T) {
	p := reportPeer(t, func(n int) []string {
		if n == 0 {
			return []string{"d", "c", "b", "a"}
		}
		return []string{"e", "d", "b", "a"}[:4-min(n, 1)] // c is gone and e is new: pages shift
	})
	c, _ := dial(t, p.URL)
	got, err := collect(c.Admin.Reports.List(api.ReportQuery{PageSize: 2}).All(t.Context()), reportID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"d", "c", "b", "e"}, got); diff != "" {
		t.Error(diff)
	}
	slices.Sort(got)
	if len(slices.Compact(got)) != 4 {
		t.Errorf("an item came twice: %v", got)
	}
}

func TestNumberedListThatRepeatsItsPageEnds(t *testing.T) {
	p := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		answer(w, 200, `{"count":99,"users":[{"id":1,"nickname":"a"},{"id":2,"nickname":"b"}]}`)
	})
	c, _ := dial(t, p.URL)
	got, err := collect(c.Admin.Users.List(api.UserQuery{PageSize: 2}).All(t.Context()), func(u api.AdminUser) string { return u.Nickname })
	if err != nil || len(got) != 2 || len(p.seen()) != 2 {
		t.Errorf("got %v, %v in %d requests", got, err, len(p.seen()))
	}
}

func TestNumberedListThatAlwaysMovesEnds(t *testing.T) {
	p := reportPeer(t, func(n int) []string {
		var ids []string
		for i := range n + 3 {
			ids = append(ids, strconv.Itoa(i))
		}
		return ids
	})
	c, _ := dial(t, p.URL)
	if _, err := collect(c.Admin.Reports.List(api.ReportQuery{PageSize: 3}).All(t.Context()), reportID); err != nil {
		t.Fatal(err)
	}
	if n := len(p.seen()); n > 20 {
		t.Errorf("%d requests", n)
	}
}

func TestLogEntriesWithoutIDsAreStillTold(t *testing.T) {
	p := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		answer(w, 200, `[{"time":2,"message":"b"},{"time":1,"message":"a"}]`)
	})
	c, _ := dial(t, p.URL)
	got, err := collect(c.Admin.Log.List(api.LogQuery{}).All(t.Context()), func(e api.LogEntry) string { return e.Message })
	if err != nil || !slices.Equal(got, []string{"b", "a"}) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestNextReadsLinkHeaders(t *testing.T) {
	for header, want := range map[string]string{
		``: ``,
		`<https://a.example/?max_id=1>; rel="next"`:                                `max_id=1`,
		`<https://a.example/?min_id=9>; rel="prev", </x?max_id=1&b=2>; rel="next"`: `b=2&max_id=1`,
		`<https://a.example/?a=1,2;3>; rel=next`:                                   ``,
		`<https://a.example/?a=1,2>;title="x"; REL="last next"`:                    `a=1%2C2`,
		`<https://a.example/?min_id=9>; rel="prev"`:                                ``,
		`<https://a.example/?max_id=1`:                                             ``,
		`<:>; rel="next"`:                                                          ``,
		`rel="next"`:                                                               ``,
		`<https://a.example/?max_id=1>; rel="nextish", <?max_id=2>; rel="next"`:    `max_id=2`,
	} {
		resp := &Response{Header: http.Header{"Link": {header}}}
		if got := resp.Next().Encode(); got != want {
			t.Errorf("%s: got %q, want %q", header, got, want)
		}
	}
	two := &Response{Header: http.Header{"Link": {`</?a=1>; rel="prev"`, `</?a=2>; rel="next"`}}}
	if got := two.Next().Encode(); got != "a=2" {
		t.Errorf("two headers: got %q", got)
	}
}

func FuzzNext(f *testing.F) {
	f.Add(`<https://a.example/?max_id=1>; rel="next", <x>; rel="prev"`)
	f.Add(`<<>>;rel=next`)
	f.Fuzz(func(t *testing.T, header string) {
		target := linkTarget(header, "next")
		if !strings.Contains(header, target) {
			t.Errorf("%q is not in %q", target, header)
		}
	})
}

func TestAPageLeadsToItsNeighbours(t *testing.T) {
	ctx := t.Context()
	p := keysetPeer(t, []string{"9", "8", "7"})
	c, _ := dial(t, p.URL)
	first, err := c.Timelines.Home(api.TimelineQuery{WithMuted: true, PageQuery: api.PageQuery{MaxID: "9"}}).PageSize(1).Page(ctx)
	if err != nil || len(first.Items) != 1 || first.Total != -1 || first.Next == nil || first.Prev == nil {
		t.Fatalf("%+v, %v", first, err)
	}
	for _, at := range []*Listing[api.Status]{first.Next, first.Prev} {
		if _, err := at.Page(ctx); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		"GET /api/v1/timelines/home?limit=1&max_id=9&with_muted=true",
		"GET /api/v1/timelines/home?limit=1&max_id=8&with_muted=true",
		"GET /api/v1/timelines/home?limit=1&min_id=z&with_muted=true",
	}
	if diff := cmp.Diff(want, p.seen()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}

	p = reportPeer(t, func(int) []string { return []string{"c", "b", "a"} })
	c, _ = dial(t, p.URL)
	second, err := c.Admin.Reports.List(api.ReportQuery{Page: 2, PageSize: 2}).Page(ctx)
	if err != nil || len(second.Items) != 1 || second.Total != 3 || second.Prev == nil {
		t.Fatalf("%+v, %v", second, err)
	}
	before, err := second.Prev.Page(ctx)
	if err != nil || len(before.Items) != 2 || before.Prev != nil || before.Next == nil {
		t.Fatalf("%+v, %v", before, err)
	}
	if last, err := before.Next.Page(ctx); err != nil || len(last.Items) != 1 || last.Next != nil {
		t.Fatalf("%+v, %v", last, err)
	}
}
