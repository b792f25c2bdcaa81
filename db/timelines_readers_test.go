package db_test

import (
	"context"
	"database/sql/driver"
	"slices"
	"strconv"
	"testing"

	"svc/db"
	"svc/db/dbtest"
)

// TestNobodyOneAndManyAreAudiences asks who may read a status, or had one that is
// deleted, of lists with nobody, with one and with more than a statement may have
// arguments.
func TestNobodyOneAndManyAreAudiences(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newTown(t, d)
		public, direct := w.post(t, db.Public), w.post(t, db.Direct)
		for _, q := range [][]any{
			{"INSERT INTO home_entries (account_id, status_id, author_id, why) VALUES ('direct:' || ?, ?, ?, 2)", w.named.ID, direct, w.author.ID},
			{"INSERT INTO emoji_reactions (id, status_id, account_id, emoji, created_at) VALUES (?, ?, ?, '🍵', 1)", d.NewID(), public, w.named.ID},
		} {
			if err := dbtest.Exec(t, d, q[0].(string), q[1:]...); err != nil {
				t.Fatal(err)
			}
		}
		many := []string{w.named.ID}
		for i := range 40_000 {
			many = append(many, "passer"+strconv.Itoa(i))
		}
		places := func(refs []db.StatusRef, err error) (viewers []string, _ error) {
			for _, r := range refs {
				viewers = append(viewers, r.Viewer.ID)
			}
			return viewers, err
		}
		gone := func(recipients []string, onLists bool) func(context.Context, []string) ([]string, error) {
			return func(ctx context.Context, viewers []string) ([]string, error) {
				return d.GoneReaders(ctx, &db.GoneStatus{AccountID: w.author.ID, Visibility: db.Public, Recipients: recipients}, viewers, onLists)
			}
		}
		for name, ask := range map[string]func(context.Context, []string) ([]string, error){
			"home": func(ctx context.Context, viewers []string) ([]string, error) {
				return places(d.HomeReaders(ctx, public, viewers, db.AllHomes))
			},
			"direct": func(ctx context.Context, viewers []string) ([]string, error) {
				return places(d.DirectReaders(ctx, direct, viewers))
			},
			"public": func(ctx context.Context, viewers []string) ([]string, error) {
				refs, err := d.PublicReaders(ctx, public, viewers)
				refs = slices.DeleteFunc(refs, func(r db.StatusRef) bool { return r.Viewer.ID != w.named.ID }) // all may read it
				return places(refs, err)
			},
			"touched":       func(ctx context.Context, viewers []string) ([]string, error) { return d.Touched(ctx, public, viewers) },
			"gone":          gone([]string{w.named.ID}, false),
			"gone, of many": gone(many, false),
		} {
			for viewers, want := range map[*[]string]int{new([]string): 0, {}: 0, {w.named.ID}: 1, &many: 1} {
				got, err := ask(t.Context(), *viewers)
				if name == "gone, of many" && len(*viewers) > 1 {
					want = len(many)
				}
				if err != nil || len(got) != want {
					t.Errorf("%s, of %d: %d, %v", name, len(*viewers), len(got), err)
				}
			}
		}
		for name, ask := range map[string]func(context.Context, []string) ([]string, error){"homes": gone(nil, false), "lists": gone(nil, true), "none are named": gone([]string{}, false)} {
			got, err := ask(t.Context(), []string{w.follower.ID, w.stranger.ID})
			if err != nil || !slices.Equal(got, []string{w.follower.ID}) {
				t.Errorf("%s of a status that addressed nobody: %v, %v", name, got, err)
			}
		}
		lists, err := d.ListReaders(t.Context(), public, nil)
		of, err2 := d.ListsOf(t.Context(), w.author.ID, nil)
		if err != nil || err2 != nil || len(lists)+len(of) != 0 {
			t.Errorf("no lists: %v, %v, %v, %v", lists, of, err, err2)
		}
	})
}

// TestListsInColumnsAreNeverNull: SQL reads a list or an object of nothing as one without
// elements.
func TestListsInColumnsAreNeverNull(t *testing.T) {
	for want, values := range map[string][]driver.Valuer{
		"[]": {db.Slice[string](nil), db.Slice[string]{}, db.Slice[db.ReactionCount](nil)},
		"{}": {db.Document(nil), db.Document{}, db.Audience{}},
	} {
		for _, v := range values {
			if got, err := v.Value(); err != nil || got != want {
				t.Errorf("%#v is written as %v, %v", v, got, err)
			}
		}
	}
}
