package social_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/fault"
	"svc/server/platform/jobs"
	"svc/server/rules/social"
)

// TestNothingIsStoredForAnErasedAccount deletes and erases an account during
// one of its requests. A repeated request, with the account read before, stores
// nothing either.
func TestNothingIsStoredForAnErasedAccount(t *testing.T) {
	t.Parallel()
	last := map[string]struct {
		part string
		act  func(w *world, ann *db.Account, s *db.Status) do
	}{
		"favourites": {"INSERT INTO favourites", func(w *world, ann *db.Account, s *db.Status) do {
			return func(ctx context.Context) error { _, err := w.Favourite(ctx, ann, s.ID); return err }
		}},
		"statuses": {"FROM accounts", func(w *world, ann *db.Account, _ *db.Status) do {
			return func(ctx context.Context) error {
				_, err := w.PostStatus(ctx, ann, social.NewStatus{Text: "x @bob", Visibility: db.Direct})
				return err
			}
		}},
		"follows": {"FROM follows WHERE follower_id", func(w *world, ann *db.Account, s *db.Status) do {
			return func(ctx context.Context) error { return w.Follow(ctx, ann, s.AccountID, social.FollowOptions{}) }
		}},
		"statuses WHERE visibility = 'public' AND account_id": {"INSERT INTO statuses", func(w *world, ann *db.Account, s *db.Status) do {
			return func(ctx context.Context) error { _, err := w.Reblog(ctx, ann, s.ID, ""); return err }
		}},
		"emoji_reactions": {"FROM statuses", func(w *world, ann *db.Account, s *db.Status) do {
			return func(ctx context.Context) error { _, err := w.React(ctx, ann, s.ID, "🎉"); return err }
		}},
		"poll_votes": {"FROM poll_votes", func(w *world, ann *db.Account, s *db.Status) do {
			bob := &db.Account{ID: s.AccountID}
			p := w.post(w.reload(bob), social.NewStatus{Text: "x", Poll: ask(600, "a", "b")})
			return func(ctx context.Context) error { _, _, err := w.Vote(ctx, ann, *p.PollID, []int{1}); return err }
		}},
		"bookmarks": {"FROM bookmarks", func(w *world, ann *db.Account, s *db.Status) do {
			return func(ctx context.Context) error { _, err := w.Bookmark(ctx, ann, s.ID); return err }
		}},
		"scrobbles": {"scrobbles", func(w *world, ann *db.Account, _ *db.Status) do {
			return func(ctx context.Context) error {
				_, err := w.Scrobble(ctx, ann, db.Scrobble{Title: "x"}, "")
				return err
			}
		}},
		"markers": {"INSERT INTO markers", func(w *world, ann *db.Account, s *db.Status) do {
			return func(ctx context.Context) error {
				return w.d.SetMarkers(ctx, ann.ID, map[string]string{db.MarkHome: s.ID})
			}
		}},
		"markers WHERE timeline = 'notifications' AND account_id": {"SELECT id FROM notifications", func(w *world, ann *db.Account, s *db.Status) do {
			w.post(w.reload(&db.Account{ID: s.AccountID}), social.NewStatus{Text: "@" + ann.Nickname + " x"})
			return func(ctx context.Context) error {
				_, err := w.SeeNotifications(ctx, ann, math.MaxInt64, 1)
				return err
			}
		}},
		"announcement_reads": {"FROM announcements", func(w *world, ann *db.Account, _ *db.Status) do {
			id := w.announcement()
			return func(ctx context.Context) error { return w.DismissAnnouncement(ctx, ann, id) }
		}},
		"announcement_reactions": {"FROM announcements", func(w *world, ann *db.Account, _ *db.Status) do {
			id := w.announcement()
			return func(ctx context.Context) error { return w.ReactToAnnouncement(ctx, ann, id, "🎉") }
		}},
		"followed_tags": {"FROM followed_tags", func(w *world, ann *db.Account, _ *db.Status) do {
			return func(ctx context.Context) error { return w.FollowTag(ctx, ann, "tea") }
		}},
		"filters": {"FROM filters", func(w *world, ann *db.Account, _ *db.Status) do {
			phrase, home := "x", int64(db.FilterHome)
			return func(ctx context.Context) error {
				_, err := w.CreatePhrase(ctx, ann, social.Phrase{Keyword: social.Keyword{Keyword: &phrase}, Contexts: &home}, "")
				return err
			}
		}},
		"filter_keywords": {"FROM filters", func(w *world, ann *db.Account, _ *db.Status) do {
			number, keyword := w.filter(ann), "y"
			return func(ctx context.Context) error {
				_, err := w.AddFilterKeyword(ctx, ann, number, social.Keyword{Keyword: &keyword}, "")
				return err
			}
		}},
		"filter_statuses": {"FROM filters", func(w *world, ann *db.Account, s *db.Status) do {
			number := w.filter(ann)
			return func(ctx context.Context) error {
				_, err := w.AddFilterStatus(ctx, ann, number, s.ID, "")
				return err
			}
		}},
		"lists": {"FROM lists", func(w *world, ann *db.Account, _ *db.Status) do {
			return func(ctx context.Context) error {
				_, err := w.CreateList(ctx, ann, social.List{Title: new("x")}, "")
				return err
			}
		}},
		"list_accounts": {"FROM lists", func(w *world, ann *db.Account, s *db.Status) do {
			l, err := w.CreateList(w.t.Context(), ann, social.List{Title: new("x")}, "")
			w.must(err)
			return func(ctx context.Context) error { return w.AddToList(ctx, ann, l.ID, []string{s.AccountID}) }
		}},
		"scheduled_statuses": {"FROM scheduled_statuses", func(w *world, ann *db.Account, _ *db.Status) do {
			return func(ctx context.Context) error {
				_, err := w.ScheduleStatus(ctx, ann, social.NewStatus{Text: "x"}, time.Now().Add(time.Hour))
				return err
			}
		}},
		"thread_mutes": {"FROM thread_mutes", func(w *world, ann *db.Account, s *db.Status) do {
			return func(ctx context.Context) error { _, err := w.MuteThread(ctx, ann, s.ID, 0); return err }
		}},
		"domain_blocks": {"FROM domain_blocks", func(w *world, ann *db.Account, _ *db.Status) do {
			return func(ctx context.Context) error { return w.BlockDomain(ctx, ann, "far.example") }
		}},
		"mutes": {"FROM accounts", func(w *world, ann *db.Account, s *db.Status) do {
			return func(ctx context.Context) error { return w.Mute(ctx, ann, s.AccountID, true, 0) }
		}},
		"blocks": {"FROM accounts", func(w *world, ann *db.Account, s *db.Status) do {
			return func(ctx context.Context) error { return w.Block(ctx, ann, s.AccountID) }
		}},
		"subscriptions": {"FROM blocks", func(w *world, ann *db.Account, s *db.Status) do {
			return func(ctx context.Context) error { return w.Subscribe(ctx, ann, s.AccountID) }
		}},
	}
	each(t, func(t *testing.T, w *world) {
		bob, n := w.person("bob"), 0
		s := w.post(bob, social.NewStatus{Text: "x"})
		for table, of := range last {
			n++
			ann := w.person(fmt.Sprint("ann", n))
			act := of.act(w, ann, s)
			err, other := dbtest.Between(t, w.d, of.part, act, func(ctx context.Context) error {
				if _, err := w.DeleteAccount(ctx, ann, ann); err != nil {
					return err
				}
				_, err := w.EraseAccount(ctx, jobs.EraseAccount{AccountID: ann.ID})
				return err
			})
			w.must(other)
			var refused *fault.Error
			for _, err := range []error{err, act(t.Context())} {
				if err != nil && !errors.Is(err, db.ErrNotFound) && !errors.As(err, &refused) {
					t.Errorf("%s: %v", table, err)
				}
			}
			rows := table
			if !strings.Contains(rows, " WHERE ") {
				rows += " WHERE " + cmp.Or(map[string]string{"follows": "follower_id", "list_accounts": "owner_id"}[table], "account_id")
			}
			w.wantRows(0, rows+" = ?", ann.ID)
		}
		w.wantCounted()
	})
}

// TestNothingIsStoredAboutAnErasedAccount acts on an account while its rows are
// erased, after those of the act.
func TestNothingIsStoredAboutAnErasedAccount(t *testing.T) {
	t.Parallel()
	acts := map[string]func(w *world, ann, vera *db.Account) do{
		"mutes WHERE target_id": func(w *world, ann, vera *db.Account) do {
			return func(ctx context.Context) error { return w.Mute(ctx, ann, vera.ID, true, 0) }
		},
		"blocks WHERE target_id": func(w *world, ann, vera *db.Account) do {
			return func(ctx context.Context) error { return w.Block(ctx, ann, vera.ID) }
		},
		"blocks WHERE account_id": func(w *world, ann, vera *db.Account) do {
			return func(ctx context.Context) error { return w.TakeBlock(ctx, vera, ann.ID, "https://far.example/b/1") }
		},
		"subscriptions WHERE target_id": func(w *world, ann, vera *db.Account) do {
			return func(ctx context.Context) error { return w.Subscribe(ctx, ann, vera.ID) }
		},
		"follows WHERE target_id": func(w *world, ann, vera *db.Account) do {
			return func(ctx context.Context) error { return w.Follow(ctx, ann, vera.ID, social.FollowOptions{}) }
		},
		"list_accounts WHERE account_id": func(w *world, ann, vera *db.Account) do {
			l, err := w.CreateList(w.t.Context(), ann, social.List{Title: new("x")}, "")
			w.must(err)
			return func(ctx context.Context) error { return w.AddToList(ctx, ann, l.ID, []string{vera.ID}) }
		},
		"quotes WHERE account_id": func(w *world, ann, vera *db.Account) do {
			s := w.post(ann, social.NewStatus{Text: "x"})
			return func(ctx context.Context) error {
				return w.TakeQuote(ctx, vera, s.ID, social.QuoteRequest{URI: "https://far.example/q/1", Object: "https://far.example/n/1"})
			}
		},
	}
	each(t, func(t *testing.T, w *world) {
		ann, n := w.person("ann"), 0
		for rows, of := range acts {
			n++
			vera := w.stranger(fmt.Sprint("vera", n), "far.example")
			act := of(w, ann, vera)
			_, err := w.DeleteAccount(t.Context(), vera, vera)
			w.must(err)
			err, other := dbtest.Between(t, w.d, "DELETE FROM backups", func(ctx context.Context) error {
				_, err := w.EraseAccount(ctx, jobs.EraseAccount{AccountID: vera.ID, Whole: true})
				return err
			}, act)
			w.must(err)
			if refused := new(fault.Error); other != nil && !errors.Is(other, db.ErrNotFound) && !errors.As(other, &refused) {
				t.Errorf("%s: %v", rows, other)
			}
			w.wantRows(0, rows+" = ?", vera.ID)
		}
	})
}

// filter creates a filter of an account and returns its number.
func (w *world) filter(by *db.Account) int64 {
	w.t.Helper()
	title, home := "x", int64(db.FilterHome)
	f, err := w.CreateFilter(w.t.Context(), by, social.Filter{Title: &title, Contexts: &home}, "")
	w.must(err)
	return f.Number
}
