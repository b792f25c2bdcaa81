package db_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

// factsWorld is a small world in which everybody posts in all visibilities, reblogs and
// replies, and every status is an entry of every home timeline, for any reason.
type factsWorld struct {
	t        *testing.T
	kept     *db.DB // reads events, and keeps facts
	plain    *db.DB // keeps none
	rand     *rand.Rand
	accounts []string
	statuses []string
}

func newFactsWorld(t *testing.T, dsn string) *factsWorld {
	w := &factsWorld{t: t, kept: dbtest.Open(t, dsn), plain: dbtest.Open(t, dsn), rand: rand.New(rand.NewPCG(1, 2))}
	for i := range 6 {
		w.accounts = append(w.accounts, dbtest.Account(t, w.kept, fmt.Sprintf("somebody%d", i)).ID)
	}
	visibilities := []string{db.Public, db.Unlisted, db.Local, db.Private, db.Direct, db.List}
	rows := map[string][]string{}
	put := func(table, format string, args ...any) {
		rows[table] = append(rows[table], strings.ReplaceAll(fmt.Sprintf(format, args...), "''", "NULL"))
	}
	type post struct {
		id, author   string
		conversation int
	}
	var posts []post
	reblogged := map[string]bool{}
	for i := range 150 {
		p := post{id: w.kept.NewID(), author: w.one(w.accounts), conversation: i % 7}
		visibility, reblog, parent := w.one(visibilities), "", ""
		if of := i - 1 - w.rand.IntN(4)*4; i%4 == 1 && of >= 0 && !reblogged[p.author+w.statuses[of]] {
			reblog = w.statuses[of] // no reblog itself
			reblogged[p.author+reblog] = true
		} else if len(posts) > 0 && i%4 == 2 {
			of := posts[w.rand.IntN(len(posts))]
			parent = of.id
			if i%8 == 2 { // the others are in another thread
				p.conversation = of.conversation
			}
		}
		put("statuses (id, account_id, uri, local, visibility, conversation_id, reblog_of_id, in_reply_to_id, created_at)",
			"('%s','%s','https://svc.example/objects/%s',TRUE,'%s',%d,'%s','%s',1)", p.id, p.author, p.id, visibility, p.conversation, reblog, parent)
		if i%3 == 0 {
			put("status_recipients (status_id, account_id, mentioned)", "('%s','%s',TRUE)", p.id, w.one(w.accounts))
		}
		for _, viewer := range w.accounts {
			put("home_entries (account_id, status_id, author_id, why)", "('%s','%s','%s',%d)", viewer, p.id, p.author, 1+w.rand.IntN(4))
		}
		posts, w.statuses = append(posts, p), append(w.statuses, p.id)
	}
	for i := range 150 {
		put("notifications (account_id, type, from_id, status_id, hidden, created_at)", "('%s','%s','%s','%s',%t,%d)",
			w.one(w.accounts), w.one([]string{db.NotifyFavourite, db.NotifyFollow, db.NotifyMention}), w.one(w.accounts), w.statuses[i], i%9 == 0, i)
	}
	for _, table := range []string{"statuses (", "status_recipients (", "home_entries (", "notifications ("} {
		for into, lines := range rows {
			if strings.HasPrefix(into, table) {
				if err := dbtest.Exec(t, w.kept, "INSERT INTO "+into+" VALUES "+strings.Join(lines, ",")); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if err := w.kept.StartEvents(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan struct{})
	go func() { defer close(ended); w.kept.Listen(ctx) }()
	t.Cleanup(func() { stop(); <-ended })
	return w
}

func (w *factsWorld) one(some []string) string { return some[w.rand.IntN(len(some))] }

// lists reads all lists of a viewer.
func (w *factsWorld) lists(d *db.DB, v db.Viewer) map[string]any {
	w.t.Helper()
	out := map[string]any{}
	shown := func(refs []db.StatusRef) []db.StatusRef {
		refs = slices.Clone(refs)
		for i := range refs {
			refs[i].Viewer = nil
		}
		return refs
	}
	put := func(name string, refs []db.StatusRef, err error) {
		if err != nil {
			w.t.Fatal(name, err)
		}
		out[name] = shown(refs)
	}
	ctx := w.t.Context()
	for name, read := range map[string]func(p db.Page) (db.Timeline, error){
		"home": func(p db.Page) (db.Timeline, error) { return d.HomeTimeline(ctx, v, db.TimelineFilter{}, p) },
		"home, local": func(p db.Page) (db.Timeline, error) {
			return d.HomeTimeline(ctx, v, db.TimelineFilter{Local: true, WithMuted: true}, p)
		},
		"home, replies": func(p db.Page) (db.Timeline, error) {
			return d.HomeTimeline(ctx, v, db.TimelineFilter{ReplyVisibility: "following"}, p)
		},
		"public": func(p db.Page) (db.Timeline, error) { return d.PublicTimeline(ctx, v, db.TimelineFilter{}, p) },
	} {
		for at, p := range map[string]db.Page{"newest": {Limit: 7}, "below": {Limit: 40, MaxID: w.statuses[100]}, "above": {Limit: 7, MinID: w.statuses[20]}, "since": {Limit: 40, SinceID: w.statuses[90]}} {
			page, err := read(p)
			put(name+" "+at, page.Refs, err)
			out[name+" "+at+", next"] = page.Next
		}
	}
	for _, id := range w.accounts {
		refs, err := d.AccountStatuses(ctx, v, id, db.AccountFilter{}, db.Page{Limit: 9})
		put("statuses of "+id, refs, err)
		refs, err = d.AccountStatuses(ctx, v, id, db.AccountFilter{ExcludeReblogs: true, ExcludeReplies: true}, db.Page{Limit: 9, MaxID: w.statuses[100]})
		put("originals of "+id, refs, err)
	}
	for name, f := range map[string]db.NotificationFilter{"": {}, " of two types": {Types: []string{db.NotifyFavourite, db.NotifyFollow}}, " with muted": {WithMuted: true}} {
		for at, p := range map[string]db.Page{"newest": {Limit: 5}, "below": {Limit: 9, MaxID: "60"}, "above": {Limit: 5, MinID: "9"}, "since": {Limit: 30, SinceID: "70"}} {
			rows, err := d.Notifications(ctx, v, f, p)
			if err != nil {
				w.t.Fatal(err)
			}
			out["notifications"+name+" "+at] = rows
		}
	}
	for _, id := range append(w.accounts, "nobody") {
		standing, err := d.Standing(ctx, id)
		if err != nil && !errors.Is(err, db.ErrNotFound) {
			w.t.Fatal(err)
		}
		out["standing of "+id] = standing
	}
	refs, err := d.StatusRefs(ctx, v, w.statuses)
	slices.SortFunc(refs, func(a, b db.StatusRef) int { return strings.Compare(a.ID, b.ID) })
	put("by id", refs, err)
	for _, id := range w.statuses[:7] {
		refs, err := d.Thread(ctx, v, id)
		put("thread of "+id, refs, err)
	}
	return out
}

// differences names the lists that differ between those who keep facts and those who do
// not.
func (w *factsWorld) differences(viewers ...string) (out []string) {
	w.t.Helper()
	for _, id := range viewers {
		for name, relations := range map[string]db.Relations{
			"":           {},
			", ignoring": {Blocks: true, Mutes: true, ThreadMutes: true},
			", all":      {Blocks: true, Mutes: true, DomainBlocks: true, ThreadMutes: true, FollowedTags: true, Languages: true, ExclusiveLists: true},
		} {
			v := db.Viewer{ID: id, Relations: relations}
			kept, plain := w.lists(w.kept, v), w.lists(w.plain, v)
			for list, want := range plain {
				if got := kept[list]; !reflect.DeepEqual(got, want) {
					out = append(out, fmt.Sprintf("%s for %s%s:\n got %+v\nwant %+v", list, id, name, got, want))
				}
			}
		}
	}
	return out
}

// change makes one random change by d and names it.
func (w *factsWorld) change(d *db.DB) (what string) {
	w.t.Helper()
	a, b := w.one(w.accounts), w.one(w.accounts)
	kind := w.rand.IntN(11)
	make := func(d *db.DB) error {
		ctx := w.t.Context()
		switch kind {
		case 0, 1:
			f, err := d.Follow(ctx, a, b)
			if err != nil {
				what = a + " follows " + b
				return d.CreateFollow(ctx, &db.Follow{FollowerID: a, TargetID: b, Pending: w.rand.IntN(4) == 0, Reblogs: true, Local: true})
			}
			f.Pending, f.Reblogs = w.rand.IntN(3) == 0, w.rand.IntN(2) == 0
			what = fmt.Sprintf("%s follows %s: %v", a, b, *f)
			return d.UpdateFollow(ctx, f, "pending", "reblogs")
		case 2, 3:
			what = a + " unfollows " + b
			f, err := d.Follow(ctx, a, b)
			if err != nil {
				return nil
			}
			return d.DeleteFollow(ctx, f)
		case 4, 5:
			who, err := d.Account(ctx, a)
			if err != nil {
				return err
			}
			who.Deactivated, who.Invisible, who.ApprovalPending = w.rand.IntN(4) == 0, w.rand.IntN(4) == 0, w.rand.IntN(4) == 0
			what = fmt.Sprintf("%s: deactivated %v, invisible %v, pending %v", a, who.Deactivated, who.Invisible, who.ApprovalPending)
			return d.UpdateAccount(ctx, who, "deactivated", "invisible", "approval_pending")
		case 6:
			what = a + " blocks " + b
			_, err := d.PutBlock(ctx, &db.Block{AccountID: a, TargetID: b, CreatedAt: d.Now()})
			return err
		case 7:
			what = a + " unblocks " + b
			return d.DeleteBlock(ctx, a, b)
		case 8:
			what = a + " mutes " + b
			return d.PutMute(ctx, &db.Mute{AccountID: a, TargetID: b, ExpiresAt: db.At(time.Now().Add(time.Duration(w.rand.IntN(2)*2-1) * time.Hour))})
		case 9:
			what = a + " is counted"
			return d.AddCounts(ctx, a, db.Counts{Statuses: 1})
		}
		what = "follows of " + a + " end"
		_, _, err := d.CutLocalFollows(ctx, a, 10)
		return err
	}
	err := d.Tx(w.t.Context(), func(tx *db.DB) error { return make(tx) })
	if err != nil {
		w.t.Fatal(what, err)
	}
	return what
}

// TestFactsJudgeAsTheDatabaseDoes reads all lists by kept facts and by the rule in SQL
// while relations and accounts change: here, at once after each change, and elsewhere, a
// moment later.
func TestFactsJudgeAsTheDatabaseDoes(t *testing.T) {
	dbtest.EachReady(t, func(t *testing.T, dsn string) {
		w := newFactsWorld(t, dsn)
		if found := w.differences(w.accounts...); found != nil {
			t.Fatal(found[0])
		}
		for i := range 40 {
			what := w.change(w.kept)
			viewers := []string{w.one(w.accounts)}
			if i%20 == 19 {
				viewers = w.accounts
			}
			if found := w.differences(viewers...); found != nil {
				t.Fatalf("after %s: %d lists differ: %s", what, len(found), found[0])
			}
		}
		for range 5 {
			what := w.change(w.plain)
			viewer := w.one(w.accounts)
			var found []string
			for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
				if found = w.differences(viewer); found == nil {
					break
				}
			}
			if found != nil {
				t.Fatalf("long after %s elsewhere: %d lists differ: %s", what, len(found), found[0])
			}
		}
	})
}

// TestFactsKeepAuthorsAndFollowsOutOfPages pins the statements of pages by kept facts.
func TestFactsKeepAuthorsAndFollowsOutOfPages(t *testing.T) {
	dbtest.EachReady(t, func(t *testing.T, dsn string) {
		w := newFactsWorld(t, dsn)
		v := db.Viewer{ID: w.accounts[0]}
		for name, read := range map[string]func(ctx context.Context) error{
			"home": func(ctx context.Context) error {
				_, err := w.kept.HomeTimeline(ctx, v, db.TimelineFilter{}, db.Page{Limit: 5})
				return err
			},
			"public": func(ctx context.Context) error {
				_, err := w.kept.PublicTimeline(ctx, v, db.TimelineFilter{}, db.Page{Limit: 5})
				return err
			},
			"notifications": func(ctx context.Context) error {
				_, err := w.kept.Notifications(ctx, v, db.NotificationFilter{}, db.Page{Limit: 5})
				return err
			},
			"standing": func(ctx context.Context) error {
				_, err := w.kept.Standing(ctx, w.accounts[0])
				return err
			},
			"profile": func(ctx context.Context) error {
				_, err := w.kept.AccountStatuses(ctx, v, w.accounts[0], db.AccountFilter{}, db.Page{Limit: 5})
				return err
			},
		} {
			for {
				plans := dbtest.Plans(t, w.kept, func(ctx context.Context) {
					if err := read(ctx); err != nil {
						t.Fatal(err)
					}
				})
				// A read of events may be late on a busy machine, and then SQL decides.
				late := slices.ContainsFunc(slices.Collect(maps.Keys(plans)), func(query string) bool {
					return strings.Contains(query, "JOIN accounts") || strings.Contains(query, "FROM accounts") || strings.Contains(query, "FROM follows")
				})
				if !late {
					break
				}
				if t.Context().Err() != nil {
					t.Fatalf("%s always asks for accounts", name)
				}
			}
			for query, plan := range dbtest.Plans(t, w.kept, func(ctx context.Context) { _ = read(ctx) }) {
				if wasteful := dbtest.Wasteful(plan); wasteful != nil {
					t.Errorf("%s reads a whole table: %v\n%s", name, wasteful, query)
				}
			}
		}
	})
}
