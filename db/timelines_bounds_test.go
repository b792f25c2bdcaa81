package db_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"svc/db"
	"svc/db/dbtest"
)

// fill posts n public statuses with a hashtag by one author, and puts them on
// the home timelines of homes, in few statements. It returns their ids, oldest
// first.
func fill(t *testing.T, d *db.DB, author *db.Account, n int, homes ...string) []string {
	t.Helper()
	ids := make([]string, n)
	var statuses, tags, entries []string
	for i := range ids {
		ids[i] = d.NewID()
		statuses = append(statuses, fmt.Sprintf("('%s', '%s', 'https://svc.example/objects/%s', TRUE, 'public', 1)", ids[i], author.ID, ids[i]))
		tags = append(tags, fmt.Sprintf("('tag', '%s')", ids[i]))
		for _, home := range homes {
			entries = append(entries, fmt.Sprintf("('%s', '%s', '%s', 2)", home, ids[i], author.ID))
		}
	}
	for into, rows := range map[string][]string{
		"statuses (id, account_id, uri, local, visibility, created_at)": statuses,
		"status_tags (tag, status_id)":                                  tags,
		"home_entries (account_id, status_id, author_id, why)":          entries,
	} {
		for some := range slices.Chunk(rows, 1000) {
			if err := dbtest.Exec(t, d, "INSERT INTO "+into+" VALUES "+strings.Join(some, ",")); err != nil {
				t.Fatal(err)
			}
		}
	}
	return ids
}

// TestUnwantedStatusesAreReadInWindows: a viewer who mutes nearly everything
// reads the rest in bounded steps, and misses nothing.
func TestUnwantedStatusesAreReadInWindows(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newTown(t, d)
		before := fill(t, d, w.named, 30, w.muter.ID)
		fill(t, d, w.author, 2500, w.muter.ID)
		after := fill(t, d, w.named, 5, w.muter.ID)
		want := slices.Concat(before, after)
		slices.Reverse(want)
		v := db.Viewer{ID: w.muter.ID, Relations: db.Relations{Mutes: true}}
		for name, read := range map[string]func(context.Context, db.Page) (db.Timeline, error){
			"home": func(ctx context.Context, p db.Page) (db.Timeline, error) {
				return d.HomeTimeline(ctx, v, db.TimelineFilter{}, p)
			},
			"public": func(ctx context.Context, p db.Page) (db.Timeline, error) {
				return d.PublicTimeline(ctx, v, db.TimelineFilter{}, p)
			},
			"tag": func(ctx context.Context, p db.Page) (db.Timeline, error) {
				return d.TagTimeline(ctx, v, db.TagFilter{Any: []string{"tag"}}, db.TimelineFilter{}, p)
			},
			"tags": func(ctx context.Context, p db.Page) (db.Timeline, error) {
				return d.TagTimeline(ctx, v, db.TagFilter{Any: []string{"tag", "other"}}, db.TimelineFilter{}, p)
			},
		} {
			down, up := []string{}, []string{}
			steps := 0
			for p := (db.Page{Limit: 10}); ; steps++ {
				got, err := read(t.Context(), p)
				if err != nil || len(got.Refs) > 10 {
					t.Fatalf("%s: %d, %v", name, len(got.Refs), err)
				}
				down = append(down, ids(got.Refs)...)
				if p.MaxID = got.Next; len(got.Refs) == 10 {
					p.MaxID = got.Refs[9].ID
				}
				if p.MaxID == "" {
					break
				}
			}
			for p := (db.Page{Limit: 10, MinID: "0"}); ; {
				got, err := read(t.Context(), p)
				if err != nil {
					t.Fatal(err)
				}
				up = append(ids(got.Refs), up...)
				if p.MinID = got.Next; len(got.Refs) == 10 {
					p.MinID = got.Refs[0].ID
				}
				if p.MinID == "" {
					break
				}
			}
			if !slices.Equal(down, want) || !slices.Equal(up, want) {
				t.Errorf("%s: %d down, %d up, want %d", name, len(down), len(up), len(want))
			}
			if steps < 4 {
				t.Errorf("%s took %d steps, so a step looked at more than its window", name, steps)
			}
		}
	})
}

// TestTimelinesOfSeveralTagsAreOne: statuses of several hashtags are merged,
// and each is listed once.
func TestTimelinesOfSeveralTagsAreOne(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newTown(t, d)
		posts := fill(t, d, w.author, 9)
		file := func(tag string, numbers ...int) {
			for _, n := range numbers {
				if err := dbtest.Exec(t, d, "INSERT INTO status_tags (tag, status_id) VALUES (?, ?)", tag, posts[n]); err != nil {
					t.Fatal(err)
				}
			}
		}
		file("a", 0, 2, 4, 6)
		file("b", 1, 2, 5, 6, 8)
		file("c", 2, 8)
		at := func(numbers ...int) []string {
			out := []string{}
			for _, n := range numbers {
				out = append(out, posts[n])
			}
			return out
		}
		for _, tt := range []struct {
			name string
			tags db.TagFilter
			page db.Page
			want []string
		}{
			{"one", db.TagFilter{Any: []string{"a"}}, db.Page{Limit: 20}, at(6, 4, 2, 0)},
			{"either", db.TagFilter{Any: []string{"a", "b"}}, db.Page{Limit: 20}, at(8, 6, 5, 4, 2, 1, 0)},
			{"a page of either", db.TagFilter{Any: []string{"a", "b"}}, db.Page{Limit: 3, MaxID: posts[6]}, at(5, 4, 2)},
			{"the oldest of either", db.TagFilter{Any: []string{"a", "b"}}, db.Page{Limit: 3, MinID: posts[0]}, at(4, 2, 1)},
			{"the newest above", db.TagFilter{Any: []string{"a", "b"}}, db.Page{Limit: 2, SinceID: posts[0]}, at(8, 6)},
			{"both", db.TagFilter{Any: []string{"a"}, All: []string{"b"}}, db.Page{Limit: 20}, at(6, 2)},
			{"not", db.TagFilter{Any: []string{"a", "b"}, None: []string{"c"}}, db.Page{Limit: 20}, at(6, 5, 4, 1, 0)},
			{"none at all", db.TagFilter{}, db.Page{Limit: 20}, at()},
		} {
			got, err := d.TagTimeline(t.Context(), db.Viewer{}, tt.tags, db.TimelineFilter{}, tt.page)
			if err != nil || !slices.Equal(ids(got.Refs), tt.want) {
				t.Errorf("%s: %v, %v, want %v", tt.name, ids(got.Refs), err, tt.want)
			}
		}
	})
}
