package moderation_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/fault"
	"svc/server/platform/jobs"
	"svc/server/rules/moderation"
	"svc/server/rules/social"
)

// TestAdminsAndPeopleNeverDeadlock has admins, some older and some newer than the
// accounts, hide, show, tag, promote and force accounts, and people who follow each
// other act meanwhile. PostgreSQL counts deadlocks; SQLite has one writer, and no
// act may fail there.
func TestAdminsAndPeopleNeverDeadlock(t *testing.T) {
	t.Parallel()
	dbtest.EachReady(t, func(t *testing.T, dsn string) {
		if strings.HasPrefix(dsn, "postgres") {
			dsn += "&deadlock_timeout=20ms" // so that they cost the test little
		}
		d := dbtest.Open(t, dsn)
		w := worldOf(t, d)
		people := []*db.Account{w.ann, w.bob}
		for i := range 6 {
			people = append(people, w.person(fmt.Sprint("person", i)))
		}
		admins := []*db.Account{w.root, w.admin("last")}
		var posts []*db.Status
		for _, p := range people {
			posts = append(posts, w.post(p, "hello"))
			for _, q := range append(people, admins...) {
				if p != q {
					w.must(w.social.Follow(t.Context(), p, q.ID, social.FollowOptions{}))
				}
			}
		}
		var names atomic.Int64
		ctx, stop := context.WithTimeout(t.Context(), 4*time.Second)
		defer stop()
		yes := true
		byAdmin := []func(by, of, other *db.Account) error{
			func(by, of, _ *db.Account) error { _, err := w.Toggle(ctx, by, of.Nickname); return err },
			func(by, of, _ *db.Account) error { _, err := w.Toggle(ctx, by, of.Nickname); return err },
			func(by, of, other *db.Account) error {
				_, err := w.Activate(ctx, by, other.Nickname, of.Nickname)
				return err
			},
			func(by, of, other *db.Account) error {
				_, err := w.Deactivate(ctx, by, other.Nickname, of.Nickname)
				return err
			},
			func(by, of, other *db.Account) error {
				return w.Tag(ctx, by, []string{of.Nickname, other.Nickname}, []string{"noisy"})
			},
			func(by, of, other *db.Account) error { return w.Follow(ctx, by, of.Nickname, other.Nickname) },
			func(by, of, other *db.Account) error { return w.Unfollow(ctx, by, of.Nickname, other.Nickname) },
			func(by, of, _ *db.Account) error {
				_, err := w.Grant(ctx, by, moderation.Moderators, of.Nickname)
				return err
			},
			func(by, _, _ *db.Account) error {
				return w.UpdateStatus(ctx, by, posts[rand.IntN(len(posts))].ID, &yes, nil)
			},
		}
		byAdmin = append(byAdmin,
			func(_, of, _ *db.Account) error { return w.social.Settle(ctx, jobs.Settle{AccountID: of.ID}) },
			func(by, of, _ *db.Account) error {
				s, err := w.social.PostStatus(ctx, of, social.NewStatus{Text: "passing"})
				if err != nil {
					return err
				}
				return w.DeleteStatus(ctx, by, s.ID)
			},
			func(by, of, _ *db.Account) error {
				if rand.IntN(20) > 0 {
					return nil
				}
				gone := dbtest.Account(t, d, fmt.Sprint("gone", names.Add(1)))
				if err := w.social.Follow(ctx, of, gone.ID, social.FollowOptions{}); err != nil {
					return err
				}
				if err := w.social.Follow(ctx, gone, of.ID, social.FollowOptions{}); err != nil {
					return err
				}
				return w.DeleteUsers(ctx, by, gone.Nickname)
			})
		byPerson := []func(by, of *db.Account) error{
			func(by, of *db.Account) error { return w.social.Follow(ctx, by, of.ID, social.FollowOptions{}) },
			func(by, of *db.Account) error { return w.social.Unfollow(ctx, by, of.ID) },
			func(by, of *db.Account) error { return w.social.Block(ctx, by, of.ID) },
			func(by, of *db.Account) error { return w.social.Unblock(ctx, by, of.ID) },
			func(by, _ *db.Account) error {
				_, err := w.social.PostStatus(ctx, by, social.NewStatus{Text: "more", InReplyToID: posts[rand.IntN(len(posts))].ID})
				return err
			},
			func(by, _ *db.Account) error {
				_, err := w.social.Favourite(ctx, by, posts[rand.IntN(len(posts))].ID)
				return err
			},
		}
		one := func(of []*db.Account) *db.Account { return of[rand.IntN(len(of))] }
		var (
			all  sync.WaitGroup
			done atomic.Int64
		)
		try := func(act func() error) {
			all.Go(func() {
				for ctx.Err() == nil {
					err := act()
					if known := new(fault.Error); err != nil && ctx.Err() == nil && !errors.As(err, &known) && !errors.Is(err, db.ErrNotFound) {
						t.Errorf("an act failed: %v", err)
					}
					done.Add(1)
				}
			})
		}
		for _, by := range admins {
			for range 2 {
				try(func() error { return byAdmin[rand.IntN(len(byAdmin))](by, one(people), one(people)) })
			}
		}
		for _, by := range append(people, admins...) {
			try(func() error { return byPerson[rand.IntN(len(byPerson))](by, one(append(people, admins...))) })
		}
		all.Wait()
		t.Logf("%d acts", done.Load())
		if d.Dialect() != db.Postgres {
			return
		}
		time.Sleep(1100 * time.Millisecond) // sessions report what they counted every second
		var deadlocks int
		w.must(d.Writer().QueryRowContext(t.Context(), "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()").Scan(&deadlocks))
		if deadlocks > 0 {
			t.Errorf("%d deadlocks in %d acts", deadlocks, done.Load())
		}
	})
}
