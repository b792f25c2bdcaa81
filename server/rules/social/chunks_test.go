package social_test

import (
	"fmt"
	"math"
	"testing"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/federation/activitypub"
	"svc/server/platform/jobs"
	"svc/server/rules/social"
)

// popular makes an account with more followers, follows and favourites of one
// status than a statement may change.
func (w *world) popular(n int) (ann *db.Account, s *db.Status) {
	w.t.Helper()
	ann = w.person("ann")
	s = w.post(ann, social.NewStatus{Text: "x"})
	for i := 0; i < n; {
		// In one transaction PostgreSQL would look through all versions of the tallies.
		w.must(w.d.Tx(w.t.Context(), func(tx *db.DB) error {
			for last := min(i+500, n); i < last; i++ {
				a := db.NewAccount(dbtest.Base, fmt.Sprintf("fan%d", i))
				a.FollowersCount, a.FollowingCount = 1, 1
				if err := tx.CreateAccount(w.t.Context(), a); err != nil {
					return err
				}
				if err := tx.CreateUser(w.t.Context(), &db.User{AccountID: a.ID}); err != nil {
					return err
				}
			}
			return nil
		}))
	}
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
		const n, chunk = 248, 200
		ann, s := w.popular(n)
		eve := w.stranger("eve", "far.example")
		w.follow(ann, eve)
		w.must(dbtest.Exec(t, w.d, "INSERT INTO home_entries (account_id, status_id, author_id, why) SELECT ?, f.id, f.id, 1 FROM accounts f WHERE f.nickname LIKE 'fan%' OR f.id = ?", ann.ID, eve.ID))
		fan, err := w.d.AccountByNickname(ctx, "fan7")
		w.must(err)
		l, err := w.CreateList(ctx, ann, social.List{Title: new("x")}, "")
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

// numbers has insert add n rows, one for each number v from 1.
func (w *world) numbers(n int, insert string, args ...any) {
	w.t.Helper()
	w.must(dbtest.Exec(w.t, w.d, "WITH RECURSIVE g (v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM g WHERE v < ?) "+insert, append([]any{n}, args...)...))
}

// TestManyNotificationsAreChangedInChunks: a request changes the newest, and a job
// the rest, but none that came after the request.
func TestManyNotificationsAreChangedInChunks(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		const n, chunk = 448, 200
		ann, bob := w.person("ann"), w.person("bob")
		batch := 0
		some := func(n int) {
			batch++
			w.numbers(n, "INSERT INTO notifications (account_id, type, from_id, emoji, created_at) SELECT ?, 'mention', ?, ? || v, v FROM g", ann.ID, bob.ID, fmt.Sprintf("%d/", batch))
		}
		some(n)
		ids, err := w.SeeNotifications(ctx, ann, math.MaxInt64, 80)
		w.must(err)
		if len(ids) != 80 || ids[0] < ids[79] {
			t.Errorf("%d notifications were unseen, want the newest 80", len(ids))
		}
		w.wantRows(n-chunk, "notifications WHERE NOT seen")
		rest := jobs.ChangeNotifications{AccountID: ann.ID, UpTo: int64(w.rows("SELECT MAX(id) FROM notifications WHERE NOT seen"))}
		w.wantJob(rest)
		some(1)
		w.must(w.ChangeNotifications(ctx, rest))
		w.wantRows(1, "notifications WHERE NOT seen")

		w.must(w.ClearNotifications(ctx, ann))
		w.wantRows(n+1-chunk, "notifications")
		rest.UpTo, rest.Clear = int64(w.rows("SELECT MAX(id) FROM notifications")), true
		w.wantRows(1, `river_job WHERE kind = 'change_notifications' AND args ->> 'clear' IS NOT NULL`)
		some(1)
		w.must(w.ChangeNotifications(ctx, rest))
		w.wantRows(1, "notifications")
	})
}

// TestANotifiedThreadIsMutedInChunks: a mute marks the newest notifications of its
// thread as seen, and a job older ones, but none of other threads, and none that came
// after the mute.
func TestANotifiedThreadIsMutedInChunks(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		const n, chunk = 248, 200
		ann, bob := w.person("ann"), w.person("bob")
		s, other := w.post(bob, social.NewStatus{Text: "x"}), w.post(bob, social.NewStatus{Text: "y"})
		some := func(n int, from string, of *db.Status) {
			w.numbers(n, "INSERT INTO notifications (account_id, type, from_id, status_id, emoji, created_at) SELECT ?, 'mention', ?, ?, ? || v, v FROM g", ann.ID, bob.ID, of.ID, from)
		}
		some(n, "old/", s)
		some(1, "old/", other)
		_, err := w.MuteThread(ctx, ann, s.ID, 0)
		w.must(err)
		w.wantRows(n+1-chunk+1, "notifications WHERE NOT seen")
		rest := jobs.ChangeNotifications{AccountID: ann.ID, UpTo: int64(w.rows("SELECT MAX(id) FROM notifications WHERE NOT seen AND status_id = ?", s.ID)), StatusID: s.ID}
		w.wantJob(rest)
		some(1, "new/", s)
		w.must(w.ChangeNotifications(ctx, rest))
		w.wantRows(1, "notifications WHERE NOT seen AND status_id = ?", s.ID)
		w.wantRows(1, "notifications WHERE NOT seen AND status_id = ?", other.ID)
		w.must(w.ChangeNotifications(ctx, rest))
		w.must(w.DeleteStatus(ctx, bob, s.ID))
		w.must(w.ChangeNotifications(ctx, rest))
	})
}

// wantJob fails unless a job with these arguments waits.
func (w *world) wantJob(job jobs.ChangeNotifications) {
	w.t.Helper()
	w.wantRows(1, "river_job WHERE kind = ? AND args ->> 'account_id' = ? AND CAST(args ->> 'up_to' AS BIGINT) = ?", job.Kind(), job.AccountID, job.UpTo)
}

// TestManyVotesAreForgottenInChunks: an edit of a poll forgets some hundred votes for
// the former options, and a job the rest, but none for the new ones.
func TestManyVotesAreForgottenInChunks(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		const n, chunk = 248, 200
		vera := w.stranger("vera", "far.example")
		post := activitypub.Post{ID: "https://far.example/q/1", Type: "Question", Author: vera.URI, Content: "x", To: []string{social.Public}, Poll: &activitypub.Poll{Options: []activitypub.Option{{Name: "a"}, {Name: "b"}}}}
		d, err := w.DraftRemote(ctx, vera, social.RemoteStatus{Post: &post, Wanted: true})
		w.must(err)
		s, err := w.KeepRemote(ctx, d)
		w.must(err)
		w.numbers(n, "INSERT INTO poll_votes (poll_id, account_id, choice, created_at) SELECT CAST(? AS BIGINT), 'a' || v, 0, v FROM g", *s.PollID)
		post.Poll = &activitypub.Poll{Options: []activitypub.Option{{Name: "c"}, {Name: "d"}}}
		d, err = w.DraftRemote(ctx, vera, social.RemoteStatus{Post: &post, Wanted: true, Edit: true})
		w.must(err)
		_, err = w.EditRemote(ctx, s.ID, d)
		w.must(err)
		w.wantRows(n-chunk, "poll_votes")
		w.wantRows(1, "river_job WHERE kind = 'forget_votes'")
		before := w.d.Now().UnixMicro()
		w.numbers(1, "INSERT INTO poll_votes (poll_id, account_id, choice, created_at) SELECT CAST(? AS BIGINT), 'new', 0, CAST(? AS BIGINT) FROM g", *s.PollID, before+1)
		w.must(w.ForgetVotes(ctx, jobs.ForgetVotes{PollID: *s.PollID, Before: before}))
		w.wantRows(1, "poll_votes")
		w.wantRows(1, "poll_votes WHERE account_id = 'new'")
	})
}

// TestManyWaitingRepliesAreJoinedInChunks: a parent joins some hundred replies that
// waited for it, and a job the rest. A large thread becomes part of another likewise.
func TestManyWaitingRepliesAreJoinedInChunks(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		const n, chunk, thread = 248, 200, 448
		vera, ann := w.stranger("vera", "far.example"), w.person("ann")
		const root = "https://far.example/n/1"
		first, err := w.far(vera, activitypub.Post{ID: "https://far.example/n/2", InReplyTo: root})(ctx)
		w.must(err)
		// The rest of the thread of the first reply.
		w.numbers(thread-1, `INSERT INTO statuses (id, uri, account_id, local, visibility, conversation_id, in_reply_to_id, in_reply_to_account_id, created_at)
			SELECT 'd' || CAST(v + 100000 AS TEXT), 'https://far.example/d/' || v, ?, FALSE, 'direct', CAST(? AS BIGINT), ?, ?, 0 FROM g`, vera.ID, *first.ConversationID, first.ID, vera.ID)
		// Other replies that wait.
		w.numbers(n-1, `INSERT INTO statuses (id, uri, account_id, local, visibility, conversation_id, in_reply_to_uri, created_at)
			SELECT 'w' || CAST(v + 100000 AS TEXT), 'https://far.example/w/' || v, ?, FALSE, 'direct', CAST(? AS BIGINT), ?, 0 FROM g`, vera.ID, *first.ConversationID, root)
		w.must(dbtest.Exec(t, w.d, "INSERT INTO thread_mutes (account_id, conversation_id, created_at) VALUES (?, ?, 0)", ann.ID, *first.ConversationID))
		parent, err := w.far(vera, activitypub.Post{ID: root})(ctx)
		w.must(err)
		apart := "statuses WHERE conversation_id <> CAST(? AS BIGINT)"
		w.wantRows(n-chunk, "statuses WHERE in_reply_to_uri <> ''")
		w.wantRows(thread+n-1-chunk, apart, *parent.ConversationID)
		w.wantRows(1, "river_job WHERE kind = 'adopt_replies'")
		w.wantRows(1, "river_job WHERE kind = 'merge_threads'")
		w.wantCounted()

		w.must(w.AdoptReplies(ctx, jobs.AdoptReplies{StatusID: parent.ID}))
		w.wantRows(n, "statuses WHERE in_reply_to_id = ?", parent.ID)
		w.wantRows(1, "statuses WHERE id = ? AND replies_count = 1", parent.ID)
		w.wantCounted()
		// The parent's thread became part of another: the rest follows it.
		other, err := w.far(vera, activitypub.Post{ID: "https://far.example/n/0"})(ctx)
		w.must(err)
		w.must(dbtest.Exec(t, w.d, "UPDATE statuses SET conversation_id = ? WHERE conversation_id = ?", *other.ConversationID, *parent.ConversationID))
		w.must(w.MergeThreads(ctx, jobs.MergeThreads{From: *first.ConversationID, Into: *parent.ConversationID, StatusID: parent.ID}))
		w.wantRows(0, apart, *other.ConversationID)
		w.wantRows(1, "thread_mutes WHERE conversation_id = ?", *other.ConversationID)
		w.wantCounted()
	})
}
