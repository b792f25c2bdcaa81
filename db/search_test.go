package db_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/db/dbtest"
)

// said posts a status with a text that can be found.
func said(t *testing.T, d *db.DB, by *db.Account, visibility, text string) *db.Status {
	t.Helper()
	s := &db.Status{ID: d.NewID(), AccountID: by.ID, Local: by.Local, Visibility: visibility, Content: text, CreatedAt: d.Now()}
	err := d.Tx(t.Context(), func(tx *db.DB) error {
		if err := tx.CreateStatus(t.Context(), s); err != nil {
			return err
		}
		return tx.IndexStatus(t.Context(), s, text)
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStatusesAreFoundByTheirWords(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ann, bob := dbtest.Account(t, d, "ann"), dbtest.Account(t, d, "bob")
		said(t, d, ann, db.Private, "winter secret")
		first := said(t, d, ann, db.Public, "The winter market opens, with lanterns")
		second := said(t, d, bob, db.Unlisted, "Market in WINTER: mulled wine; crème")
		third := said(t, d, bob, db.Public, "東京都の冬")
		gone := said(t, d, bob, db.Public, "winter market, deleted")
		if err := d.Tx(t.Context(), func(tx *db.DB) error { _, err := tx.DeleteStatus(t.Context(), gone, 10); return err }); err != nil {
			t.Fatal(err)
		}
		changed := said(t, d, bob, db.Public, "winter changes")
		if err := d.IndexStatus(t.Context(), changed, "summer stays"); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			search db.StatusSearch
			want   []string
		}{
			{db.StatusSearch{Query: "winter"}, []string{second.ID, first.ID}},
			{db.StatusSearch{Query: "market winter"}, []string{second.ID, first.ID}},
			{db.StatusSearch{Query: `"winter market"`}, []string{first.ID}},
			{db.StatusSearch{Query: "Creme"}, []string{second.ID}},
			{db.StatusSearch{Query: "京都"}, []string{third.ID}},
			{db.StatusSearch{Query: "冬"}, []string{third.ID}},
			{db.StatusSearch{Query: "wint"}, nil},
			{db.StatusSearch{Query: "summer"}, []string{changed.ID}},
			{db.StatusSearch{Query: "secret"}, nil},
			{db.StatusSearch{Query: "winter", AccountID: ann.ID}, []string{first.ID}},
			{db.StatusSearch{Query: "winter", Local: true}, []string{second.ID, first.ID}},
			{db.StatusSearch{Query: "winter", Limit: 1, Offset: 1}, []string{first.ID}},
			{db.StatusSearch{Query: " !? "}, nil},
		} {
			if tt.search.Limit == 0 {
				tt.search.Limit = 20
			}
			refs, err := d.SearchStatuses(t.Context(), db.Viewer{}, tt.search)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range refs {
				got = append(got, r.ID)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%+v: %s", tt.search, diff)
			}
		}
	})
}

func TestAccountsAreFoundByNamesWordsAndWithALetterWrong(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		name := func(nick, display string) *db.Account {
			a := dbtest.Account(t, d, nick)
			a.DisplayName = display
			if err := d.UpdateAccount(t.Context(), a, "display_name"); err != nil {
				t.Fatal(err)
			}
			return a
		}
		robin, wren := name("robin", "Robin Hood"), name("wren_92", "Märchen Robinson")
		name("crow", "Somebody Else")
		for query, want := range map[string][]string{
			"robin":         {robin.ID, wren.ID},
			"@ROBIN":        {robin.ID, wren.ID},
			"hood":          {robin.ID},
			"hood rob":      {robin.ID},
			"marchen":       {wren.ID},
			"92":            {wren.ID},
			"robln":         {robin.ID},
			"maerchen":      {wren.ID},
			"robni":         {robin.ID},
			"hod":           nil,
			"nobody at all": nil,
			"%":             nil,
		} {
			refs, err := d.SearchAccounts(t.Context(), db.Viewer{}, db.AccountSearch{Query: query, Limit: 10})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range refs {
				got = append(got, r.ID)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%q: %s", query, diff)
			}
		}
	})
}

func TestOlderHashtagsAreRenamed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		if more, err := d.RenameTags(ctx, 2, strings.ToLower); err != nil || more {
			t.Fatal("a new database has hashtags to rename", err)
		}
		must(d.SetMeta(ctx, "rename_tags", ""))
		ann := dbtest.Account(t, d, "ann")
		var all []*db.Status
		for _, tags := range [][]string{{"X", "x", "y"}, {"X"}, {"y", "X"}, {"A", "z"}, {"y"}} {
			s := &db.Status{ID: d.NewID(), AccountID: ann.ID, Local: true, Visibility: db.Public, Tags: tags, CreatedAt: d.Now()}
			must(d.CreateStatus(ctx, s))
			must(d.AddTags(ctx, s.ID, tags))
			all = append(all, s)
		}
		must(d.AddTags(ctx, all[4].ID, []string{"Q"})) // a row without its status's word, and one without a status
		must(d.AddTags(ctx, "gone", []string{"X"}))
		for more, rounds := true, 0; more; rounds++ {
			var err error
			must(d.Tx(ctx, func(tx *db.DB) error { more, err = tx.RenameTags(ctx, 2, strings.ToLower); return err }))
			if rounds > 12 {
				t.Fatal("it does not end")
			}
		}
		if more, err := d.RenameTags(ctx, 2, strings.ToUpper); err != nil || more {
			t.Error("a walk that ended goes on", err)
		}
		for i, want := range [][]string{{"x", "y"}, {"x"}, {"y", "x"}, {"a", "z"}, {"y"}} {
			s, err := d.StatusByID(ctx, all[i].ID)
			must(err)
			if !slices.Equal(s.Tags, want) || (i < 4) != (s.Version > all[i].Version) {
				t.Errorf("status %d: %q, version %d after %d", i, s.Tags, s.Version, all[i].Version)
			}
		}
		for tag, want := range map[string]int{"X": 0, "x": 3, "y": 3, "A": 0, "a": 1, "z": 1, "Q": 0, "q": 0} {
			tl, err := d.TagTimeline(ctx, db.Viewer{}, db.TagFilter{Any: []string{tag}}, db.TimelineFilter{}, db.Page{Limit: 9})
			if err != nil || len(tl.Refs) != want {
				t.Errorf("under %s: %d, %v", tag, len(tl.Refs), err)
			}
		}
	})
}

func TestReindexFindsWhatIsOlderThanTheSearch(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		ann := dbtest.Account(t, d, "ann")
		var last *db.Status
		for i := range 5 {
			last = &db.Status{ID: d.NewID(), AccountID: ann.ID, Local: true, Visibility: db.Public, Content: fmt.Sprintf("<p>old word%d</p>", i), CreatedAt: d.Now()}
			if err := d.CreateStatus(ctx, last); err != nil {
				t.Fatal(err)
			}
		}
		for _, key := range []string{"reindex_statuses", "reindex_accounts"} {
			if err := d.SetMeta(ctx, key, ""); err != nil {
				t.Fatal(err)
			}
		}
		for more, rounds := true, 0; more; rounds++ {
			var err error
			more, err = d.ReindexStatuses(ctx, 2, func(s *db.Status) string { return s.Content })
			if err != nil || rounds > 5 {
				t.Fatal(err, rounds)
			}
		}
		if more, err := d.ReindexAccounts(ctx, 10); err != nil || more {
			t.Fatal(err, more)
		}
		if more, err := d.ReindexStatuses(ctx, 2, nil); err != nil || more {
			t.Error("a reindex that ended goes on", err)
		}
		for _, find := range []func(context.Context) (int, error){
			func(ctx context.Context) (int, error) {
				refs, err := d.SearchStatuses(ctx, db.Viewer{}, db.StatusSearch{Query: "word4 old", Limit: 9})
				return len(refs), err
			},
			func(ctx context.Context) (int, error) {
				refs, err := d.SearchAccounts(ctx, db.Viewer{}, db.AccountSearch{Query: "ann", Limit: 9})
				return len(refs), err
			},
		} {
			if n, err := find(ctx); n != 1 || err != nil {
				t.Errorf("found %d, %v", n, err)
			}
		}
	})
}

// TestSearchReadsOnlyWhatMatches holds searches to their indexes, by their
// plans.
func TestSearchReadsOnlyWhatMatches(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		seedMany(t, d)
		for name, search := range map[string]func(ctx context.Context, d *db.DB) error{
			"statuses": func(ctx context.Context, d *db.DB) error {
				_, err := d.SearchStatuses(ctx, db.Viewer{ID: "a"}, db.StatusSearch{Query: "rare words", Limit: 20})
				return err
			},
			"accounts": func(ctx context.Context, d *db.DB) error {
				_, err := d.SearchAccounts(ctx, db.Viewer{ID: "a"}, db.AccountSearch{Query: "unknown", Limit: 20})
				return err
			},
			"two words": func(ctx context.Context, d *db.DB) error {
				_, err := d.SearchAccounts(ctx, db.Viewer{ID: "a"}, db.AccountSearch{Query: "some unknown", Limit: 20})
				return err
			},
			"addresses": func(ctx context.Context, d *db.DB) error {
				_, _ = d.StatusByAddress(ctx, "https://a.example/1")
				_, _ = d.StatusAt(ctx, "https://a.example/1")
				_, _ = d.AccountByAddress(ctx, db.Viewer{NoRemoteAccounts: true}, "https://a.example/1", false)
				return nil
			},
		} {
			plans := dbtest.Plans(t, d, func(ctx context.Context) {
				if err := search(ctx, d); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			})
			for sql, plan := range plans {
				for _, line := range dbtest.Wasteful(plan) {
					// On SQLite the text index is a table of its own. Accounts
					// that a misspelt name may mean are sorted, but they are
					// few.
					if !strings.Contains(line, "VIRTUAL TABLE INDEX") && !strings.Contains(line, "TEMP B-TREE") && !strings.Contains(line, "Sort") {
						t.Errorf("%s: %q\n%q\n%s", name, line, plan, sql)
					}
				}
			}
		}
	})
}

// TestSearchFillsPagesBehindUnindexedAuthors has more matches that nobody is to find
// than those that one round fetches.
func TestSearchFillsPagesBehindUnindexedAuthors(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		ann, ben := dbtest.Account(t, d, "ann"), dbtest.Account(t, d, "ben")
		if err := dbtest.Exec(t, d, "UPDATE accounts SET unindexed = TRUE WHERE id = ?", ben.ID); err != nil {
			t.Fatal(err)
		}
		var want []string
		err := d.Tx(ctx, func(tx *db.DB) error {
			for i := range 1000 {
				by := ben
				if i < 50 {
					by = ann
				}
				s := &db.Status{ID: d.NewID(), AccountID: by.ID, Local: true, Visibility: db.Public, CreatedAt: d.Now()}
				if err := tx.CreateStatus(ctx, s); err != nil {
					return err
				}
				if err := tx.IndexStatus(ctx, s, "common"); err != nil {
					return err
				}
				if by == ann {
					want = append([]string{s.ID}, want...)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		refs, err := d.SearchStatuses(ctx, db.Viewer{}, db.StatusSearch{Query: "common", Limit: 20, Offset: 5})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range refs {
			got = append(got, r.ID)
		}
		if diff := cmp.Diff(want[5:25], got); diff != "" {
			t.Error(diff)
		}
	})
}

// TestSearchGoesOnBehindTheNewestPosts has more statuses than the search reads
// one by one.
func TestSearchGoesOnBehindTheNewestPosts(t *testing.T) {
	dbtest.Alone(t)
	const posts = 8000
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		ann := dbtest.Account(t, d, "ann")
		var common, rare []string
		err := d.Tx(ctx, func(tx *db.DB) error {
			for i := range posts {
				s := &db.Status{ID: d.NewID(), AccountID: ann.ID, Local: true, Visibility: db.Public, CreatedAt: d.Now()}
				if err := tx.CreateStatus(ctx, s); err != nil {
					return err
				}
				text := "common"
				if i%600 == 10 {
					text, rare = "common rare", append(rare, s.ID)
				}
				if common = append(common, s.ID); i%3 == 2 {
					continue // not found at all
				}
				if err := tx.IndexStatus(ctx, s, text); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		find := func(q string, most, offset int) []string {
			refs, err := d.SearchStatuses(ctx, db.Viewer{}, db.StatusSearch{Query: q, Limit: most, Offset: offset})
			if err != nil {
				t.Fatal(err)
			}
			out := []string{}
			for _, r := range refs {
				out = append(out, r.ID)
			}
			return out
		}
		indexed := func(ids []string) []string {
			var out []string
			for i, id := range slices.Backward(ids) {
				if i%3 != 2 {
					out = append(out, id)
				}
			}
			return out
		}
		all := indexed(common)
		if diff := cmp.Diff(all[:40], find("common", 40, 0)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(all[len(all)-10:], find("common", 40, len(all)-10)); diff != "" {
			t.Error(diff)
		}
		var want []string
		for _, id := range all {
			if slices.Contains(rare, id) {
				want = append(want, id)
			}
		}
		if diff := cmp.Diff(want, find("rare", 40, 0)); diff != "" {
			t.Error(diff)
		}
		if got := find("common rare", 2, len(want)-1); !slices.Equal(got, want[len(want)-1:]) {
			t.Error(got)
		}
	})
}

// TestStatusesOfTheUnindexedAreFoundByThemselves: the setting for remote accounts lets
// theirs be found, and staff find all.
func TestStatusesOfTheUnindexedAreFoundByThemselves(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		ann, bob := dbtest.Account(t, d, "ann"), dbtest.Account(t, d, "bob")
		eve := &db.Account{URI: "https://far.example/eve", Nickname: "eve@far.example", Domain: "far.example", Unindexed: true}
		if err := d.CreateAccount(ctx, eve); err != nil {
			t.Fatal(err)
		}
		ann.Unindexed = true
		if err := d.UpdateAccount(ctx, ann, "unindexed"); err != nil {
			t.Fatal(err)
		}
		anns, bobs, eves := said(t, d, ann, db.Public, "a lantern"), said(t, d, bob, db.Public, "a lantern"), said(t, d, eve, db.Public, "a lantern")
		for _, tt := range []struct {
			viewer string
			search db.StatusSearch
			want   []string
		}{
			{"", db.StatusSearch{}, []string{bobs.ID}},
			{bob.ID, db.StatusSearch{}, []string{bobs.ID}},
			{ann.ID, db.StatusSearch{}, []string{bobs.ID, anns.ID}},
			{bob.ID, db.StatusSearch{UnindexedRemote: true}, []string{eves.ID, bobs.ID}},
			{bob.ID, db.StatusSearch{Unindexed: true}, []string{eves.ID, bobs.ID, anns.ID}},
		} {
			tt.search.Query, tt.search.Limit = "lantern", 20
			refs, err := d.SearchStatuses(ctx, db.Viewer{ID: tt.viewer}, tt.search)
			if err != nil {
				t.Fatal(err)
			}
			got := []string{}
			for _, r := range refs {
				got = append(got, r.ID)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%+v by %q: %v, want %v", tt.search, tt.viewer, got, tt.want)
			}
		}
	})
}
