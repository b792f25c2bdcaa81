package social_test

import (
	"fmt"
	"testing"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/jobs"
	"svc/server/rules/social"
)

// popular makes an account with more followers, follows and favourites of one
// status than a statement may change.
func (w *world) popular(n int) (ann *db.Account, s *db.Status) {
	w.t.Helper()
	ann = w.person("ann")
	s = w.post(ann, social.NewStatus{Text: "x"})
	w.must(w.d.Tx(w.t.Context(), func(tx *db.DB) error {
		for i := range n {
			a := db.NewAccount(dbtest.Base, fmt.Sprintf("fan%d", i))
			a.FollowersCount, a.FollowingCount = 1, 1
			if err := tx.CreateAccount(w.t.Context(), a); err != nil {
				return err
			}
		}
		return nil
	}))
	const fans = " FROM accounts f WHERE f.nickname LIKE 'fan%'"
	for _, step := range []struct {
		query string
		args  []any
	}{
		{"INSERT INTO follows (follower_id, target_id, id, local, created_at) SELECT f.id, ?, f.id, TRUE, 0" + fans, []any{ann.ID}},
		{"INSERT INTO follows (follower_id, target_id, id, local, created_at) SELECT ?, f.id, 'x' || f.id, TRUE, 0" + fans, []any{ann.ID}},
		{"UPDATE accounts SET followers_count = ?, following_count = ? WHERE id = ?", []any{n, n, ann.ID}},
		{"INSERT INTO favourites (account_id, status_id, id, created_at) SELECT f.id, ?, f.id, 0" + fans, []any{s.ID}},
		{"UPDATE statuses SET favourites_count = ?, reblogs_count = ? WHERE id = ?", []any{n, n, s.ID}},
		{`INSERT INTO statuses (id, account_id, local, visibility, reblog_of_id, reblog_of_account_id, created_at)
			SELECT 'reblog' || f.id, f.id, FALSE, 'unlisted', ?, ?, 0` + fans, []any{s.ID, ann.ID}},
	} {
		w.must(dbtest.Exec(w.t, w.d, step.query, step.args...))
	}
	return ann, s
}

// wantCounted fails for a counter that differs from its rows, and for any other
// finding of a check.
func (w *world) wantCounted() {
	w.t.Helper()
	w.must(w.d.Check(w.t.Context(), db.CheckOptions{}, func(f db.Finding) error {
		w.t.Errorf("%s of %s: %s", f.Check, f.Row, f.Fault)
		return nil
	}))
}

// TestMuchIsChangedInChunks: a request changes some hundred rows of others and
// leaves the rest to a job, with right counters all the way.
func TestMuchIsChangedInChunks(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		const n, chunk = 620, 500
		ann, s := w.popular(n)
		eve := w.stranger("eve", "far.example")
		w.follow(ann, eve)
		w.must(dbtest.Exec(t, w.d, "INSERT INTO home_entries (account_id, status_id, author_id, why) SELECT ?, f.id, f.id, 1 FROM accounts f WHERE f.nickname LIKE 'fan%' OR f.id = ?", ann.ID, eve.ID))
		fan, err := w.d.AccountByNickname(ctx, "fan7")
		w.must(err)
		l, err := w.CreateList(ctx, ann, "x", "")
		w.must(err)
		w.must(w.AddToList(ctx, ann, l.ID, []string{fan.ID}))
		w.post(fan, social.NewStatus{Text: "x"})
		addressed := w.post(fan, social.NewStatus{Text: "@ann x"})
		w.wantRows(n+3, "home_entries WHERE account_id = ? AND author_id <> account_id", ann.ID)
		w.wantRows(2, "home_entries WHERE account_id = ?", db.ListTimelineName(l.ID))
		w.wantCounted()

		mod := w.person("mod")
		mod.IsModerator = true
		private, public := db.Private, db.Public
		reblogs := "statuses WHERE reblog_of_id IS NOT NULL"
		w.must(w.ChangeReblogs(ctx, jobs.ChangeReblogs{StatusID: s.ID}))
		w.wantRows(n, reblogs+" AND version = 2")
		_, err = w.UpdateStatus(ctx, mod, s.ID, nil, &private)
		w.must(err)
		w.wantRows(n-chunk, reblogs)
		w.wantRows(1, "river_job WHERE kind = 'change_reblogs'")
		w.wantCounted()
		_, err = w.UpdateStatus(ctx, mod, s.ID, nil, &public)
		w.must(err)
		w.must(w.ChangeReblogs(ctx, jobs.ChangeReblogs{StatusID: s.ID, Cut: true})) // it is public again
		w.wantRows(n-chunk, reblogs)
		_, err = w.UpdateStatus(ctx, mod, s.ID, nil, &private)
		w.must(err)
		w.wantRows(0, reblogs)
		w.wantCounted()

		w.must(w.DeleteStatus(ctx, ann, s.ID))
		w.wantRows(n-chunk, "favourites")
		w.wantRows(1, "river_job WHERE kind = 'delete_rest'")
		w.must(w.DeleteRest(ctx, jobs.DeleteRest{StatusID: s.ID}))
		w.wantRows(0, "favourites")
		w.wantCounted()

		w.must(w.Deactivate(ctx, ann, ann))
		w.wantRows(n-chunk+1, "follows WHERE follower_id = ?", ann.ID)
		w.wantRows(1, "river_job WHERE kind = 'settle'")
		w.wantCounted()
		w.wantRows(0, "river_job WHERE kind = 'unfollowed'")
		w.must(w.Settle(ctx, jobs.Settle{AccountID: ann.ID}))
		w.wantRows(1, "follows WHERE follower_id = ?", ann.ID)
		w.wantRows(2, "home_entries WHERE account_id = ? AND author_id <> account_id AND status_id IN (?, ?)", ann.ID, addressed.ID, eve.ID)
		w.wantRows(2, "home_entries WHERE account_id = ? AND author_id <> account_id", ann.ID)
		w.wantRows(0, "home_entries WHERE account_id = ?", db.ListTimelineName(l.ID))
		w.wantRows(n, "follows WHERE target_id = ? AND uncounted", ann.ID)
		w.wantRows(n, "accounts WHERE nickname LIKE 'fan%' AND following_count = 0 AND followers_count = 0")
		w.wantCounted()

		w.must(w.Activate(ctx, mod, ann))
		w.wantRows(n-chunk, "follows WHERE uncounted")
		w.wantCounted()
		w.must(w.Settle(ctx, jobs.Settle{AccountID: ann.ID}))
		w.wantRows(n, "accounts WHERE nickname LIKE 'fan%' AND following_count = 1")
		w.wantCounted()

		_, err = w.DeleteAccount(ctx, ann, ann)
		w.must(err)
		w.wantRows(n-chunk, "accounts WHERE nickname LIKE 'fan%' AND following_count = 1")
		_, err = w.EraseAccount(ctx, jobs.EraseAccount{AccountID: ann.ID})
		w.must(err)
		w.wantRows(0, "follows")
		w.wantRows(n, "accounts WHERE nickname LIKE 'fan%' AND following_count = 0")
		w.wantCounted()
		w.must(w.Settle(ctx, jobs.Settle{AccountID: ann.ID}))
	})
}
