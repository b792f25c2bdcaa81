package db_test

import (
	"context"
	"errors"
	"testing"

	"svc/db"
	"svc/db/dbtest"
)

// TestClientListsUseIndexes holds the lists of clients, and the statements of
// posting, following, deleting and sweeping, to indexes.
func TestClientListsUseIndexes(t *testing.T) {
	me := db.Viewer{ID: "a", Relations: db.Relations{Blocks: true, Mutes: true, DomainBlocks: true, ThreadMutes: true, HidesReblogs: true}}
	of := &db.Account{ID: "a", Domain: "one.example"}
	reblogged, uri := "s1", "https://x.example/1"
	status := &db.Status{ID: "s2", AccountID: "a", ReblogOfID: &reblogged, ReblogOfAccountID: &of.ID, Tags: []string{"t"}, URI: &uri}
	n := int64(7)
	pages := map[string]db.Page{"newest": {Limit: 5}, "below": {MaxID: "5", Limit: 5}, "above": {MinID: "5", Limit: 5}}
	todo := map[string]func(ctx context.Context, d *db.DB) error{}
	for name, p := range pages {
		lists := map[string]func(ctx context.Context, d *db.DB) ([]db.AccountRef, error){
			"followers":       func(ctx context.Context, d *db.DB) ([]db.AccountRef, error) { return d.Followers(ctx, me, of, p) },
			"following":       func(ctx context.Context, d *db.DB) ([]db.AccountRef, error) { return d.Following(ctx, me, of, p) },
			"follow requests": func(ctx context.Context, d *db.DB) ([]db.AccountRef, error) { return d.FollowRequests(ctx, "a", p) },
			"blocked":         func(ctx context.Context, d *db.DB) ([]db.AccountRef, error) { return d.Blocked(ctx, "a", p) },
			"muted":           func(ctx context.Context, d *db.DB) ([]db.AccountRef, error) { return d.Muted(ctx, "a", p) },
		}
		for what, list := range lists {
			todo[name+" "+what] = func(ctx context.Context, d *db.DB) error {
				_, err := list(ctx, d)
				return err
			}
		}
		for what, f := range map[string]db.NotificationFilter{
			"notifications": {}, "notifications with muted": {WithMuted: true}, "notifications of a kind": {Types: []string{db.NotifyChat}},
			"notifications of a sender": {Types: []string{"mention", "follow"}, FromID: "b", ExcludeVisibilities: []string{"direct"}},
			"these notifications":       {IDs: []int64{1, 2}},
		} {
			todo[name+" "+what] = func(ctx context.Context, d *db.DB) error {
				_, err := d.Notifications(ctx, me, f, p)
				return err
			}
		}
	}
	todo["search"] = func(ctx context.Context, d *db.DB) error {
		_, err := d.SearchAccounts(ctx, me, db.AccountSearch{Query: "p", Following: true, Limit: 5, Offset: 2})
		return err
	}
	todo["named"] = func(ctx context.Context, d *db.DB) error {
		_, err := d.AccountsByNickname(ctx, []string{"x", "y"}, "a")
		return err
	}
	todo["relationships"] = func(ctx context.Context, d *db.DB) error {
		_, err := d.Relationships(ctx, "a", []string{"b", "c"})
		return err
	}
	todo["own standing"] = func(ctx context.Context, d *db.DB) error { _, _ = d.OwnStanding(ctx, "a"); return nil }
	todo["expired"] = func(ctx context.Context, d *db.DB) error { _, err := d.ExpiredStatuses(ctx, d.Now(), 5); return err }
	thread := int64(1)
	direct := &db.Status{ID: "s", AccountID: "a", Visibility: db.Direct, ConversationID: &thread}
	todo["participate"] = func(ctx context.Context, d *db.DB) error {
		return d.AddToParticipations(ctx, direct, true, []string{"b", "c"}, []string{"b"})
	}
	todo["forsake"] = func(ctx context.Context, d *db.DB) error { return d.RemoveFromParticipations(ctx, direct) }
	todo["conversation of a status"] = func(ctx context.Context, d *db.DB) error { _, err := d.ParticipationOf(ctx, "a", "s"); return err }
	todo["participants"] = func(ctx context.Context, d *db.DB) error { _, err := d.Participants(ctx, []int64{1, 2}); return err }
	todo["read conversations"] = func(ctx context.Context, d *db.DB) error { return err1(d.ReadParticipations(ctx, "a", "b")) }
	todo["leave conversation"] = func(ctx context.Context, d *db.DB) error {
		if err := d.DeleteParticipation(ctx, "a", 1); !errors.Is(err, db.ErrNotFound) {
			return err
		}
		return nil
	}
	todo["address list"] = func(ctx context.Context, d *db.DB) error {
		if err := d.AddListRecipients(ctx, "s", 1); err != nil {
			return err
		}
		return d.AddRecipientEntries(ctx, status)
	}
	todo["due"] = func(ctx context.Context, d *db.DB) error {
		_, err := d.DueScheduledStatuses(ctx, d.Now(), 5)
		return err
	}
	todo["take scheduled"] = func(ctx context.Context, d *db.DB) error {
		if _, _, err := d.TakeScheduledStatus(ctx, 1, d.Now()); !errors.Is(err, db.ErrNotFound) {
			return err
		}
		return nil
	}
	todo["hold and free media"] = func(ctx context.Context, d *db.DB) error {
		if err := d.HoldMedia(ctx, "a", 1, []int64{1}); err != nil && !errors.Is(err, db.ErrNotFound) {
			return err
		}
		if _, err := d.UnusedMedia(ctx, "a", []int64{1, 2}); err != nil && !errors.Is(err, db.ErrNotFound) {
			return err
		}
		if _, err := d.ScheduledMedia(ctx, []int64{1, 2}); err != nil {
			return err
		}
		return d.DetachMedia(ctx, "s")
	}
	todo["deliver"] = func(ctx context.Context, d *db.DB) error {
		return d.AddHomeEntries(ctx, db.HomeEntries{Status: status, Own: true, Addressed: []string{"b"}, Followers: true})
	}
	todo["deliver some"] = func(ctx context.Context, d *db.DB) error {
		_, err := d.AddFollowerEntries(ctx, status, "a", 5)
		return err
	}
	todo["backfill"] = func(ctx context.Context, d *db.DB) error {
		return d.BackfillHome(ctx, &db.Follow{FollowerID: "b", TargetID: "a", Reblogs: true}, 5)
	}
	todo["withdraw"] = func(ctx context.Context, d *db.DB) error {
		_, err := d.RemoveHomeEntries(ctx, []string{"b"}, "a", "", 5)
		return err
	}
	todo["prune"] = func(ctx context.Context, d *db.DB) error {
		_, err := d.PruneTimeline(ctx, "b", "b", "", 5)
		return err
	}
	todo["notify"] = func(ctx context.Context, d *db.DB) error {
		_, err := d.Notify(ctx, db.News{Type: "mention", From: of, StatusID: "s", Conversation: &n, To: []string{"b", "c"}})
		return err
	}
	todo["unreact"] = func(ctx context.Context, d *db.DB) error { _, err := d.DeleteFavourite(ctx, "a", "s"); return err }
	todo["sweep"] = func(ctx context.Context, d *db.DB) error {
		if _, err := d.SweepExpired(ctx, d.Now(), 100); err != nil {
			return err
		}
		_, _, err := d.SweepHomeEntries(ctx, 5)
		return err
	}
	todo["uncount"] = func(ctx context.Context, d *db.DB) error {
		if _, _, err := d.CutLocalFollows(ctx, "a", 5); err != nil {
			return err
		}
		_, err := d.CountFollowing(ctx, "a", "", 5)
		return err
	}
	todo["delete"] = func(ctx context.Context, d *db.DB) error {
		s := &db.Status{ID: d.NewID(), AccountID: "a", Visibility: "public", Tags: []string{"t"}, URI: &uri, CreatedAt: d.Now()}
		if err := d.CreateStatus(ctx, s); err != nil {
			return err
		}
		_, err := d.DeleteStatus(ctx, s, 5)
		return err
	}
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		seedMany(t, d)
		for name, do := range todo {
			plans := dbtest.Plans(t, d, func(ctx context.Context) {
				if err := d.Tx(ctx, func(tx *db.DB) error { return do(ctx, tx) }); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			})
			if len(plans) == 0 {
				t.Errorf("%s sent no statement", name)
			}
			for sql, plan := range plans {
				if waste := dbtest.Wasteful(plan); len(waste) > 0 {
					t.Errorf("%s: %q\n%s\n%q", name, waste, sql, plan)
				}
			}
		}
	})
}
