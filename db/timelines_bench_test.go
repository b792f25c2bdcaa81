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

// BenchmarkTimelines reads the newest page, and one in the middle, of every
// kind of timeline among a thousand statuses and among a million, for a
// follower of 20 accounts and for one of 2,000. The cost must depend on neither
// number.
func BenchmarkTimelines(b *testing.B) {
	for _, size := range []int{1_000, 1_000_000} {
		b.Run(fmt.Sprintf("statuses=%d/sqlite", size), func(b *testing.B) { benchmarkTimelines(b, dbtest.Ready(b), size) })
		if dsn := dbtest.Postgres(b); dsn != "" {
			b.Run(fmt.Sprintf("statuses=%d/postgres", size), func(b *testing.B) { benchmarkTimelines(b, dsn, size) })
		}
	}
}

const benchAuthors = 2000

func benchmarkTimelines(b *testing.B, dsn string, size int) {
	d := dbtest.Open(b, dsn)
	few, many := dbtest.Account(b, d, "few"), dbtest.Account(b, d, "many")
	ids := seedTimelines(b, d, few, many, size)
	middle := ids[len(ids)/2]
	mutes := db.Viewer{ID: many.ID, Relations: db.Relations{Mutes: true, Blocks: true, DomainBlocks: true, ThreadMutes: true}}
	type reader func(context.Context, db.Page) (db.Timeline, error)
	for _, tt := range []struct {
		name string
		read reader
	}{
		{"home/follows=20", func(ctx context.Context, p db.Page) (db.Timeline, error) {
			return d.HomeTimeline(ctx, db.Viewer{ID: few.ID}, db.TimelineFilter{}, p)
		}},
		{"home/follows=2000", func(ctx context.Context, p db.Page) (db.Timeline, error) {
			return d.HomeTimeline(ctx, db.Viewer{ID: many.ID}, db.TimelineFilter{}, p)
		}},
		{"home/mutes", func(ctx context.Context, p db.Page) (db.Timeline, error) {
			return d.HomeTimeline(ctx, mutes, db.TimelineFilter{}, p)
		}},
		{"public", func(ctx context.Context, p db.Page) (db.Timeline, error) {
			return d.PublicTimeline(ctx, db.Viewer{ID: many.ID}, db.TimelineFilter{}, p)
		}},
		{"public/mutes", func(ctx context.Context, p db.Page) (db.Timeline, error) {
			return d.PublicTimeline(ctx, mutes, db.TimelineFilter{}, p)
		}},
		{"tag/common", func(ctx context.Context, p db.Page) (db.Timeline, error) {
			return d.TagTimeline(ctx, db.Viewer{ID: many.ID}, db.TagFilter{Any: []string{"common"}}, db.TimelineFilter{}, p)
		}},
		{"tag/either", func(ctx context.Context, p db.Page) (db.Timeline, error) {
			return d.TagTimeline(ctx, db.Viewer{ID: many.ID}, db.TagFilter{Any: []string{"common", "other"}}, db.TimelineFilter{}, p)
		}},
		{"list", func(ctx context.Context, p db.Page) (db.Timeline, error) {
			return d.ListTimeline(ctx, db.Viewer{ID: many.ID}, 1, db.TimelineFilter{}, p)
		}},
		{"direct", func(ctx context.Context, p db.Page) (db.Timeline, error) {
			return d.DirectTimeline(ctx, db.Viewer{ID: many.ID}, db.TimelineFilter{}, p)
		}},
	} {
		for at, p := range map[string]db.Page{"newest": {Limit: 20}, "middle": {Limit: 20, MaxID: middle}} {
			b.Run(tt.name+"/"+at, func(b *testing.B) {
				for range b.N {
					got, err := tt.read(b.Context(), p)
					if err != nil || len(got.Refs) != 20 && at == "newest" {
						b.Fatalf("%d, %v", len(got.Refs), err)
					}
				}
			})
		}
	}
}

// seedTimelines posts size statuses by benchAuthors others, and returns their
// ids, oldest first. many follows all of the authors and has half of them on
// list 1; few follows one in a hundred.
func seedTimelines(b *testing.B, d *db.DB, few, many *db.Account, size int) []string {
	b.Helper()
	exec := func(query string) {
		b.Helper()
		if err := dbtest.Exec(b, d, query); err != nil {
			b.Fatal(err)
		}
	}
	rows := map[string][]string{}
	put := func(table, format string, args ...any) {
		rows[table] = append(rows[table], fmt.Sprintf(format, args...))
	}
	flush := func() {
		b.Helper()
		for table, lines := range rows {
			for some := range slices.Chunk(lines, 2000) {
				exec("INSERT INTO " + table + " VALUES " + strings.Join(some, ","))
			}
		}
		clear(rows)
	}
	exec("INSERT INTO lists (account_id, title, created_at) VALUES ('" + many.ID + "', 'half', 1)")
	authors := make([]string, benchAuthors)
	for i := range authors {
		authors[i] = dbtest.Account(b, d, fmt.Sprintf("author%d", i)).ID
		put("follows (follower_id, target_id, id, local, created_at)", "('%s','%s','%s',TRUE,1)", many.ID, authors[i], d.NewID())
		if i%100 == 0 {
			put("follows (follower_id, target_id, id, local, created_at)", "('%s','%s','%s',TRUE,1)", few.ID, authors[i], d.NewID())
		}
		if i%2 == 0 {
			put("list_accounts (list_id, account_id, owner_id)", "(1,'%s','%s')", authors[i], many.ID)
		}
	}
	for _, id := range authors[:20] {
		put("mutes (account_id, target_id, created_at)", "('%s','%s',1)", many.ID, id)
		put("blocks (account_id, target_id, created_at)", "('%s','%s',1)", many.ID, id)
	}
	ids := make([]string, size)
	for i := range ids {
		id, n := d.NewID(), i*7%benchAuthors
		if size < 100*benchAuthors && i%10 == 0 {
			n = i * 10 % benchAuthors // otherwise few would follow too few statuses
		}
		ids[i] = id
		visibility := db.Public
		if i%20 == 19 {
			visibility = db.Direct
		}
		put("statuses (id, account_id, uri, local, visibility, created_at)", "('%s','%s','u/%s',TRUE,'%s',1)", id, authors[n], id, visibility)
		entry := func(timeline string, why int) {
			put("home_entries (account_id, status_id, author_id, why)", "('%s','%s','%s',%d)", timeline, id, authors[n], why)
		}
		entry(many.ID, 1)
		if n%100 == 0 {
			entry(few.ID, 1)
		}
		if visibility == db.Direct {
			entry("direct:"+many.ID, 2)
			put("status_recipients (status_id, account_id, mentioned)", "('%s','%s',TRUE)", id, many.ID)
			continue
		}
		if n%2 == 0 {
			entry("list:1", 1)
		}
		put("status_tags (tag, status_id)", "('%s','%s')", []string{"common", "common", "other"}[i%3], id)
		if i%20_000 == 0 {
			flush()
		}
	}
	flush()
	if d.Dialect() == db.Postgres {
		exec("ANALYZE") // PostgreSQL does so by itself after a while
	}
	return ids
}
