package db_test

import (
	"context"
	"slices"
	"testing"

	"svc/db"
	"svc/db/dbtest"
)

// town has an author, and accounts with different relations to them.
type town struct {
	d                                        *db.DB
	author, follower, named, stranger, muter *db.Account
}

func newTown(t *testing.T, d *db.DB) *town {
	w := &town{d: d}
	for name, a := range map[string]**db.Account{"author": &w.author, "follower": &w.follower, "named": &w.named, "stranger": &w.stranger, "muter": &w.muter} {
		*a = dbtest.Account(t, d, name)
	}
	exec := func(query string, args ...any) {
		t.Helper()
		if err := dbtest.Exec(t, d, query, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec("INSERT INTO follows (follower_id, target_id, id, local, created_at) VALUES (?, ?, ?, TRUE, 1)", w.follower.ID, w.author.ID, d.NewID())
	exec("INSERT INTO mutes (account_id, target_id, created_at) VALUES (?, ?, 1)", w.muter.ID, w.author.ID)
	return w
}

// post stores a status with rows in the indexes that lists read.
func (w *town) post(t *testing.T, visibility string) string {
	t.Helper()
	id := w.d.NewID()
	for _, q := range [][]any{
		{"INSERT INTO statuses (id, account_id, uri, local, visibility, created_at) VALUES (?, ?, ?, TRUE, ?, 1)", id, w.author.ID, "https://svc.example/objects/" + id, visibility},
		{"INSERT INTO status_recipients (status_id, account_id, mentioned) VALUES (?, ?, TRUE)", id, w.named.ID},
		{"INSERT INTO home_entries (account_id, status_id, author_id, why) VALUES (?, ?, ?, 2)", w.named.ID, id, w.author.ID},
		{"INSERT INTO home_entries (account_id, status_id, author_id, why) VALUES (?, ?, ?, 1)", w.follower.ID, id, w.author.ID},
		{"INSERT INTO home_entries (account_id, status_id, author_id, why) VALUES (?, ?, ?, 3)", w.author.ID, id, w.author.ID},
	} {
		if err := dbtest.Exec(t, w.d, q[0].(string), q[1:]...); err != nil {
			t.Fatal(err)
		}
	}
	return id
}

func ids(refs []db.StatusRef) []string {
	out := []string{}
	for _, r := range refs {
		out = append(out, r.ID)
	}
	return out
}

// TestWhoSeesWhichVisibility checks the table of the specification, 6.1: by id,
// in a profile, on the public timeline.
func TestWhoSeesWhichVisibility(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newTown(t, d)
		viewers := map[string]db.Viewer{
			"nobody": {}, "author": {ID: w.author.ID}, "follower": {ID: w.follower.ID}, "named": {ID: w.named.ID}, "stranger": {ID: w.stranger.ID},
		}
		for visibility, seenBy := range map[string][]string{
			db.Public:   {"nobody", "author", "follower", "named", "stranger"},
			db.Unlisted: {"nobody", "author", "follower", "named", "stranger"},
			db.Local:    {"author", "follower", "named", "stranger"},
			db.Private:  {"author", "follower", "named"},
			db.Direct:   {"author", "named"},
			db.List:     {"author", "named"},
		} {
			id := w.post(t, visibility)
			for name, v := range viewers {
				want := slices.Contains(seenBy, name)
				refs, err := d.StatusRefs(t.Context(), v, []string{id})
				if err != nil || (len(refs) == 1) != want {
					t.Errorf("%s by id, for %s: %v, %v, want %v", visibility, name, ids(refs), err, want)
				}
				refs, err = d.AccountStatuses(t.Context(), v, w.author.ID, db.AccountFilter{}, db.Page{Limit: 40})
				onProfile := want && (visibility != db.Local || name != "stranger")
				if err != nil || slices.Contains(ids(refs), id) != onProfile {
					t.Errorf("%s in the profile, for %s: %v, want %v", visibility, name, err, onProfile)
				}
				public, err := d.PublicTimeline(t.Context(), v, db.TimelineFilter{}, db.Page{Limit: 40})
				if err != nil || slices.Contains(ids(public.Refs), id) != (visibility == db.Public) {
					t.Errorf("%s on the public timeline, for %s: %v", visibility, name, err)
				}
			}
		}
	})
}

func TestMutedAndBlockedAuthorsAreLeftOut(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newTown(t, d)
		id := w.post(t, db.Public)
		muter := db.Viewer{ID: w.muter.ID, Relations: db.Relations{Mutes: true}}
		public := func(v db.Viewer, f db.TimelineFilter) []string {
			page, err := d.PublicTimeline(t.Context(), v, f, db.Page{Limit: 5})
			if err != nil {
				t.Fatal(err)
			}
			return ids(page.Refs)
		}
		if got := public(muter, db.TimelineFilter{}); len(got) != 0 {
			t.Errorf("a muter sees %v", got)
		}
		if got := public(muter, db.TimelineFilter{WithMuted: true}); !slices.Equal(got, []string{id}) {
			t.Errorf("with_muted shows %v", got)
		}
		if err := dbtest.Exec(t, d, "INSERT INTO blocks (account_id, target_id, created_at) VALUES (?, ?, 1)", w.stranger.ID, w.named.ID); err != nil {
			t.Fatal(err)
		}
		if got := public(db.Viewer{ID: w.stranger.ID, Relations: db.Relations{Blocks: true}}, db.TimelineFilter{WithMuted: true}); len(got) != 0 {
			t.Errorf("what is addressed to somebody blocked is shown: %v", got)
		}
	})
}

func TestPagesMeetWithoutGapOrOverlap(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newTown(t, d)
		var want []string
		for range 25 {
			want = append([]string{w.post(t, db.Public)}, want...)
		}
		v := db.Viewer{ID: w.follower.ID}
		for name, list := range map[string]func(db.Page) ([]db.StatusRef, error){
			"home": func(p db.Page) ([]db.StatusRef, error) {
				page, err := d.HomeTimeline(t.Context(), v, db.TimelineFilter{}, p)
				return page.Refs, err
			},
			"public": func(p db.Page) ([]db.StatusRef, error) {
				page, err := d.PublicTimeline(t.Context(), v, db.TimelineFilter{}, p)
				return page.Refs, err
			},
			"profile": func(p db.Page) ([]db.StatusRef, error) {
				return d.AccountStatuses(t.Context(), v, w.author.ID, db.AccountFilter{}, p)
			},
		} {
			var down, up []string
			for p := (db.Page{Limit: 10}); ; {
				refs, err := list(p)
				if err != nil {
					t.Fatal(err)
				}
				if len(refs) == 0 {
					break
				}
				down = append(down, ids(refs)...)
				p.MaxID = refs[len(refs)-1].ID
			}
			for p := (db.Page{Limit: 10, MinID: "0"}); ; {
				refs, err := list(p)
				if err != nil {
					t.Fatal(err)
				}
				if len(refs) == 0 {
					break
				}
				up = append(ids(refs), up...)
				p.MinID = refs[0].ID
			}
			if !slices.Equal(down, want) || !slices.Equal(up, want) {
				t.Errorf("%s: down %v, up %v", name, down, up)
			}
		}
	})
}

// TestTimelinesReadOnlyWhatTheyShow: every list of statuses reads an index in
// its order, in one statement.
func TestTimelinesReadOnlyWhatTheyShow(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		v := db.Viewer{ID: "v", Relations: db.Relations{Blocks: true, Mutes: true, ThreadMutes: true, DomainBlocks: true}}
		plain := db.Viewer{ID: "v"}
		p := db.Page{Limit: 20, MaxID: "z"}
		// An empty page takes a second statement if the viewer's filters may
		// have emptied it.
		statements := map[string]int{
			"home": 2, "home, hashtags": 2, "home upwards": 2, "public": 2, "local": 2, "direct": 2, "list": 2, "list upwards": 2, "tag": 2, "tag upwards": 2,
			"tags": 6, "public of a host": 2, "public, media": 2, "profile": 1,
		}
		for name, list := range map[string]func(context.Context) error{
			"home": func(ctx context.Context) error {
				_, err := d.HomeTimeline(ctx, v, db.TimelineFilter{ReplyVisibility: "following"}, p)
				return err
			},
			"home upwards": func(ctx context.Context) error {
				_, err := d.HomeTimeline(ctx, v, db.TimelineFilter{}, db.Page{Limit: 20, MinID: "0"})
				return err
			},
			"public": func(ctx context.Context) error {
				_, err := d.PublicTimeline(ctx, v, db.TimelineFilter{}, p)
				return err
			},
			"public, for strangers": func(ctx context.Context) error {
				_, err := d.PublicTimeline(ctx, db.Viewer{}, db.TimelineFilter{}, db.Page{Limit: 20})
				return err
			},
			"local": func(ctx context.Context) error {
				_, err := d.PublicTimeline(ctx, v, db.TimelineFilter{Local: true}, p)
				return err
			},
			"home, hashtags": func(ctx context.Context) error {
				_, err := d.HomeTimeline(ctx, db.Viewer{ID: "v", Relations: db.Relations{FollowedTags: true, ExclusiveLists: true}}, db.TimelineFilter{}, p)
				return err
			},
			"home, plain": func(ctx context.Context) error {
				_, err := d.HomeTimeline(ctx, plain, db.TimelineFilter{}, p)
				return err
			},
			"public of a host": func(ctx context.Context) error {
				_, err := d.PublicTimeline(ctx, v, db.TimelineFilter{Host: "one.example"}, p)
				return err
			},
			"public, media": func(ctx context.Context) error {
				_, err := d.PublicTimeline(ctx, v, db.TimelineFilter{OnlyMedia: true}, p)
				return err
			},
			"public, plain": func(ctx context.Context) error {
				_, err := d.PublicTimeline(ctx, plain, db.TimelineFilter{OnlyMedia: true}, p)
				return err
			},
			"direct": func(ctx context.Context) error {
				_, err := d.DirectTimeline(ctx, v, db.TimelineFilter{}, p)
				return err
			},
			"direct, plain": func(ctx context.Context) error {
				_, err := d.DirectTimeline(ctx, plain, db.TimelineFilter{}, p)
				return err
			},
			"list": func(ctx context.Context) error {
				_, err := d.ListTimeline(ctx, v, 1, db.TimelineFilter{}, p)
				return err
			},
			"list upwards": func(ctx context.Context) error {
				_, err := d.ListTimeline(ctx, plain, 1, db.TimelineFilter{}, db.Page{Limit: 20, MinID: "0"})
				return err
			},
			"tag": func(ctx context.Context) error {
				_, err := d.TagTimeline(ctx, v, db.TagFilter{Any: []string{"a"}, All: []string{"b"}, None: []string{"c"}}, db.TimelineFilter{Local: true}, p)
				return err
			},
			"tag upwards": func(ctx context.Context) error {
				_, err := d.TagTimeline(ctx, plain, db.TagFilter{Any: []string{"a"}}, db.TimelineFilter{}, db.Page{Limit: 20, MinID: "0"})
				return err
			},
			"tags": func(ctx context.Context) error {
				_, err := d.TagTimeline(ctx, plain, db.TagFilter{Any: []string{"a", "b", "c"}}, db.TimelineFilter{}, p)
				return err
			},
			"members of a list": func(ctx context.Context) error {
				_, err := d.ListMemberRefs(ctx, 1, p)
				return err
			},
			"blocked domains": func(ctx context.Context) error {
				_, err := d.DomainBlocks(ctx, "v", p)
				return err
			},
			"lists": func(ctx context.Context) error {
				_, err := d.Lists(ctx, "v")
				return err
			},
			"lists with a member": func(ctx context.Context) error {
				_, err := d.ListsWith(ctx, "v", "a")
				return err
			},
			"profile": func(ctx context.Context) error {
				_, err := d.AccountStatuses(ctx, v, "a", db.AccountFilter{ExcludeReplies: true}, p)
				return err
			},
			"pins": func(ctx context.Context) error {
				_, err := d.AccountStatuses(ctx, v, "a", db.AccountFilter{Pinned: true}, p)
				return err
			},
			"thread": func(ctx context.Context) error {
				_, err := d.Thread(ctx, v, "1")
				return err
			},
			"statuses": func(ctx context.Context) error {
				_, err := d.StatusRefs(ctx, v, []string{"a", "b"})
				return err
			},
			"favourited by": func(ctx context.Context) error {
				_, err := d.FavouritedBy(ctx, v, "a", 40)
				return err
			},
			"reblogged by": func(ctx context.Context) error {
				_, err := d.RebloggedBy(ctx, v, "a", 40)
				return err
			},
		} {
			plans := dbtest.Plans(t, d, func(ctx context.Context) {
				if err := list(ctx); err != nil {
					t.Fatal(err)
				}
			})
			if want := statements[name]; len(plans) != max(want, 1) {
				t.Errorf("%s: %d statements, want %d", name, len(plans), max(want, 1))
			}
			for sql, plan := range plans {
				if bad := dbtest.Wasteful(plan); len(bad) > 0 {
					t.Errorf("%s: %v\n%s\n%v", name, bad, sql, plan)
				}
			}
		}
	})
}

// TestTheAudienceOfAStatusIsBounded asks for who may have a status at home.
func TestTheAudienceOfAStatusIsBounded(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newTown(t, d)
		id := w.post(t, db.Public)
		for limit, want := range map[int][]string{4: {w.author.ID, w.follower.ID, w.named.ID}, 3: nil, 1: nil} {
			slices.Sort(want)
			if got, err := d.HomeAudience(t.Context(), id, limit); err != nil || !slices.Equal(got, want) {
				t.Errorf("fewer than %d are %v, want %v, %v", limit, got, want, err)
			}
		}
		if got, err := d.HomeAudience(t.Context(), "gone", 4); err != nil || len(got) != 0 {
			t.Errorf("of no status there are %v, %v", got, err)
		}
	})
}
