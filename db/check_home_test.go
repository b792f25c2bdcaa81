package db_test

import (
	"slices"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

// TestAMissingHomeEntryIsFoundFarDown: behind many newer statuses of the author, and by
// a check whose time is over after each chunk, which goes on where the one before ended.
func TestAMissingHomeEntryIsFoundFarDown(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		ann := dbtest.Account(t, d, "ann")
		var missing []string
		for _, name := range []string{"bob", "cem", "dan"} {
			must(t, d.CreateFollow(ctx, &db.Follow{FollowerID: dbtest.Account(t, d, name).ID, TargetID: ann.ID, Local: true, Reblogs: true}))
		}
		for i := range 60 {
			s := &db.Status{ID: d.NewID(), AccountID: ann.ID, Local: true, Visibility: db.Public, CreatedAt: d.Now()}
			must(t, d.CreateStatus(ctx, s))
			must(t, d.AddHomeEntries(ctx, db.HomeEntries{Status: s, Followers: true}))
			if i == 5 {
				missing = append(missing, s.ID)
			}
		}
		home := db.CheckOptions{Areas: []string{db.CheckHome}}
		if _, all := findings(t, d, home); len(all) > 0 {
			t.Fatalf("%+v", all)
		}
		must(t, dbtest.Exec(t, d, "DELETE FROM home_entries WHERE status_id = ?", missing[0]))
		home.HomeTime, home.Chunk, home.HomePlace = time.Nanosecond, 1, &db.CheckPlace{}
		rows := map[string]bool{}
		rounds := 0
		for home.HomePlace.Unfinished = true; home.HomePlace.Unfinished && rounds < 1000; rounds++ {
			place := &db.CheckPlace{After: home.HomePlace.After}
			must(t, d.SaveCheckPlace(ctx, place))
			var err error
			home.HomePlace, err = d.CheckPlace(ctx)
			must(t, err)
			_, all := findings(t, d, home)
			for _, f := range all {
				rows[f.Row] = true
			}
			if len(rows) == 3 {
				break
			}
		}
		if len(rows) != 3 || rounds < 2 {
			t.Errorf("%d timelines were found after %d rounds", len(rows), rounds)
		}
		got, all := findings(t, d, db.CheckOptions{Areas: home.Areas, Repair: true})
		if !slices.Equal(got, []string{"follows.target_id", "follows.target_id", "follows.target_id"}) {
			t.Errorf("%+v", all)
		}
		if _, all := findings(t, d, db.CheckOptions{Areas: home.Areas, HomeTime: time.Minute}); len(all) > 0 {
			t.Errorf("after the repair %+v", all)
		}
	})
}
