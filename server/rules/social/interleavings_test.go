package social_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/federation/activitypub"
	"svc/server/platform/fault"
	"svc/server/platform/jobs"
	"svc/server/rules/social"
)

type do = func(ctx context.Context) error

// meeting is a pair of operations. The second runs inside the first, after the
// statement that contains part; want checks the outcome.
type meeting struct {
	part          string
	first, second do
	want          func()
}

// meet runs each meeting on each database. A refusal is a valid outcome for
// either operation, and all counters must be right.
func meet(t *testing.T, meetings map[string]func(w *world) meeting) {
	t.Helper()
	for name, of := range meetings {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, w *world) {
				m := of(w)
				var refused *fault.Error
				err, other := dbtest.Between(t, w.d, m.part, m.first, m.second)
				for _, err := range []error{err, other} {
					if err != nil && !errors.Is(err, db.ErrNotFound) && !errors.As(err, &refused) {
						t.Error(err)
					}
				}
				w.must(w.d.Check(t.Context(), db.CheckOptions{}, func(f db.Finding) error {
					t.Errorf("%s of %s: %s", f.Check, f.Row, f.Fault)
					return nil
				}))
				if m.want != nil {
					m.want()
				}
			})
		})
	}
}

func (w *world) wantRows(want int, query string, args ...any) {
	w.t.Helper()
	if n := w.rows("SELECT COUNT(*) FROM "+query, args...); n != want {
		w.t.Errorf("%d rows, want %d: %s", n, want, query)
	}
}

// known makes ann known to another server, with two statuses, and returns the
// second.
func (w *world) known(in social.NewStatus) (ann *db.Account, status *db.Status) {
	w.t.Helper()
	ann = w.person("ann")
	w.must(w.Follow(w.t.Context(), w.stranger("vera", "far.example"), ann.ID, social.FollowOptions{}))
	w.post(ann, social.NewStatus{Text: "stays"})
	return ann, w.post(ann, in)
}

// far stores a status of a remote account.
func (w *world) far(by *db.Account, post activitypub.Post) func(ctx context.Context) (*db.Status, error) {
	w.t.Helper()
	post.To = []string{social.Public}
	post.Content = "far away"
	return func(ctx context.Context) (*db.Status, error) {
		d, err := w.DraftRemote(ctx, by, social.RemoteStatus{Post: &post, Wanted: true, Walked: true})
		if err != nil {
			return nil, err
		}
		return w.KeepRemote(ctx, d)
	}
}

const (
	readStatus = "SELECT * FROM statuses WHERE id ="
	// seenStatus reads a status of which the reader must be allowed to see it.
	seenStatus = "SELECT s.* FROM statuses s"
)

func TestWhatCountsIsReadOnceItIsHeld(t *testing.T) {
	t.Parallel()
	mod := func(w *world) *db.Account {
		m := w.person("mod")
		m.IsModerator = true
		return m
	}
	private := db.Private
	meet(t, map[string]func(w *world) meeting{
		"expiry beside the author's delete": func(w *world) meeting {
			ann, s := w.known(social.NewStatus{Text: "x", ExpiresIn: 2 * time.Hour})
			expire := func(ctx context.Context) error {
				return w.in(3*time.Hour).ExpireStatus(ctx, jobs.ExpireStatus{StatusID: s.ID})
			}
			return meeting{readStatus, expire, func(ctx context.Context) error { return w.DeleteStatus(ctx, ann, s.ID) }, func() {
				w.wantRows(1, "activities WHERE type = 'Delete'")
			}}
		},
		"expiry beside the sweep": func(w *world) meeting {
			_, s := w.known(social.NewStatus{Text: "x", ExpiresIn: 2 * time.Hour})
			later := w.in(3 * time.Hour)
			return meeting{readStatus, func(ctx context.Context) error { return later.ExpireStatus(ctx, jobs.ExpireStatus{StatusID: s.ID}) }, later.Due, func() {
				w.wantRows(1, "activities WHERE type = 'Delete'")
			}}
		},
		"expiry beside a pin": func(w *world) meeting {
			ann, s := w.known(social.NewStatus{Text: "x", ExpiresIn: 2 * time.Hour})
			expire := func(ctx context.Context) error {
				return w.in(3*time.Hour).ExpireStatus(ctx, jobs.ExpireStatus{StatusID: s.ID})
			}
			var pinned error
			pin := func(ctx context.Context) error { _, pinned = w.Pin(ctx, ann, s.ID); return pinned }
			return meeting{readStatus, expire, pin, func() {
				if _, err := w.d.StatusByID(w.t.Context(), s.ID); (err == nil) != (pinned == nil) {
					w.t.Errorf("the pin says %v, and the status %v", pinned, err)
				}
			}}
		},
		"a pin beside expiry": func(w *world) meeting {
			ann, s := w.known(social.NewStatus{Text: "x", ExpiresIn: 2 * time.Hour})
			var pinned error
			pin := func(ctx context.Context) error { _, pinned = w.Pin(ctx, ann, s.ID); return pinned }
			expire := func(ctx context.Context) error {
				return w.in(3*time.Hour).ExpireStatus(ctx, jobs.ExpireStatus{StatusID: s.ID})
			}
			return meeting{"SELECT COUNT(*) FROM statuses WHERE account_id", pin, expire, func() {
				if _, err := w.d.StatusByID(w.t.Context(), s.ID); (err == nil) != (pinned == nil) {
					w.t.Errorf("the pin says %v, and the status %v", pinned, err)
				}
			}}
		},
		"two changes of visibility": func(w *world) meeting {
			_, s := w.known(social.NewStatus{Text: "x"})
			by := mod(w)
			hide := func(ctx context.Context) error { _, err := w.UpdateStatus(ctx, by, s.ID, nil, &private); return err }
			return meeting{readStatus, hide, hide, nil}
		},
		"a change of visibility beside a delete": func(w *world) meeting {
			ann, s := w.known(social.NewStatus{Text: "x"})
			by := mod(w)
			return meeting{
				readStatus, func(ctx context.Context) error { return w.DeleteStatus(ctx, ann, s.ID) },
				func(ctx context.Context) error { _, err := w.UpdateStatus(ctx, by, s.ID, nil, &private); return err }, nil,
			}
		},
		"a reblog beside a change of visibility": func(w *world) meeting {
			ann, s := w.known(social.NewStatus{Text: "x"})
			by, bob := mod(w), w.person("bob")
			return meeting{
				seenStatus, func(ctx context.Context) error { _, err := w.Reblog(ctx, bob, s.ID, ""); return err },
				func(ctx context.Context) error { _, err := w.UpdateStatus(ctx, by, s.ID, nil, &private); return err }, func() {
					w.wantRows(0, "statuses WHERE reblog_of_id IS NOT NULL AND account_id <> ?", ann.ID)
					w.wantRows(0, "activities WHERE type = 'Announce'")
				},
			}
		},
		"the deletes of one reblog": func(w *world) meeting {
			_, s := w.known(social.NewStatus{Text: "x"})
			bob := w.person("bob")
			_, err := w.Reblog(w.t.Context(), bob, s.ID, "")
			w.must(err)
			r, err := w.d.ReblogBy(w.t.Context(), bob.ID, s.ID)
			w.must(err)
			return meeting{"reblog_of_id =", func(ctx context.Context) error { _, err := w.Unreblog(ctx, bob, s.ID); return err },
				func(ctx context.Context) error { return w.DeleteStatus(ctx, bob, r.ID) }, nil}
		},
		"the adoption of a reply beside its delete": func(w *world) meeting {
			vera, olga := w.stranger("vera", "far.example"), w.stranger("olga", "off.example")
			reply, err := w.far(vera, activitypub.Post{ID: "https://far.example/n/2", InReplyTo: "https://off.example/n/1"})(w.t.Context())
			w.must(err)
			keep := w.far(olga, activitypub.Post{ID: "https://off.example/n/1"})
			return meeting{
				readStatus, func(ctx context.Context) error { return w.RemoveRemote(ctx, reply.ID) },
				func(ctx context.Context) error { _, err := keep(ctx); return err }, nil,
			}
		},
		"a remote delete beside another": func(w *world) meeting {
			vera := w.stranger("vera", "far.example")
			_, err := w.far(vera, activitypub.Post{ID: "https://far.example/n/1"})(w.t.Context())
			w.must(err)
			s, err := w.far(vera, activitypub.Post{ID: "https://far.example/n/2"})(w.t.Context())
			w.must(err)
			remove := func(ctx context.Context) error { return w.RemoveRemote(ctx, s.ID) }
			return meeting{readStatus, remove, remove, func() {
				if n := w.reload(vera).StatusesCount; n != 1 {
					w.t.Errorf("%d statuses, want 1", n)
				}
			}}
		},
	})
}

func TestTwoRequestsLoseNothing(t *testing.T) {
	t.Parallel()
	meet(t, map[string]func(w *world) meeting{
		"two changes of a filter": func(w *world) meeting {
			ann, home, phrase, other := w.person("ann"), int64(db.FilterHome), "one", "two"
			f, err := w.CreatePhrase(w.t.Context(), ann, social.Phrase{Keyword: social.Keyword{Keyword: &phrase}, Contexts: &home}, "")
			w.must(err)
			change := func(in social.Phrase) do {
				return func(ctx context.Context) error { _, _, err := w.UpdatePhrase(ctx, ann, f.Number, in); return err }
			}
			return meeting{"FROM filters WHERE account_id", change(social.Phrase{Keyword: social.Keyword{Keyword: &other}}), change(social.Phrase{Irreversible: yes()}), func() {
				f, err := w.d.Filter(w.t.Context(), ann.ID, f.Number)
				w.must(err)
				if f.Title != other || f.Keywords[0].Keyword != other || !f.Irreversible {
					w.t.Errorf("the filter is %+v", f)
				}
			}}
		},
		"conversations read while another comes": func(w *world) meeting {
			ann, bob := w.person("ann"), w.person("bob")
			w.post(bob, social.NewStatus{Text: "@ann one", Visibility: db.Direct})
			var read []db.Participation
			return meeting{"participations", func(ctx context.Context) (err error) {
				read, err = w.ReadConversations(ctx, ann, w.viewer(ann), 10)
				return err
			}, func(ctx context.Context) error {
				_, err := w.PostStatus(ctx, bob, social.NewStatus{Text: "@ann two", Visibility: db.Direct})
				return err
			}, func() { w.wantRows(2-len(read), "participations WHERE account_id = ? AND unread", ann.ID) }}
		},
		"a list deleted while a member is added": func(w *world) meeting {
			ann, bob := w.person("ann"), w.person("bob")
			w.post(bob, social.NewStatus{Text: "x"})
			w.follow(ann, bob)
			l, err := w.CreateList(w.t.Context(), ann, social.List{Title: new("friends")}, "")
			w.must(err)
			return meeting{"FROM lists WHERE", func(ctx context.Context) error { return w.AddToList(ctx, ann, l.ID, []string{bob.ID}) },
				func(ctx context.Context) error { return w.DeleteList(ctx, ann, l.ID) }, func() { w.wantRows(0, "list_accounts") }}
		},
		"two markers": func(w *world) meeting {
			ann := w.person("ann")
			mark := func(id string) do {
				return func(ctx context.Context) error {
					if _, err := w.d.Markers(ctx, ann.ID, []string{db.MarkHome}); err != nil {
						return err
					}
					return w.d.SetMarkers(ctx, ann.ID, map[string]string{db.MarkHome: id})
				}
			}
			return meeting{"FROM markers", mark("BCkPVTTgh5aVQNapI8"), mark("BCkPVXu9yOinigX6ps"), func() {
				w.wantRows(1, "markers WHERE last_read_id = 'BCkPVXu9yOinigX6ps'")
			}}
		},
		"a status and a follow": func(w *world) meeting {
			ann, bob := w.person("ann"), w.person("bob")
			post := func(ctx context.Context) error {
				_, err := w.PostStatus(ctx, ann, social.NewStatus{Text: "x"})
				return err
			}
			return meeting{"INSERT INTO statuses", post, func(ctx context.Context) error { return w.Follow(ctx, bob, ann.ID, social.FollowOptions{}) },
				func() { w.wantRows(1, "home_entries WHERE account_id = ?", bob.ID) }}
		},
		"a private status and a follow, later": func(w *world) meeting {
			ann, bob := w.person("ann"), w.person("bob")
			post := func(ctx context.Context) error {
				_, err := w.PostStatus(ctx, ann, social.NewStatus{Text: "x", Visibility: db.Private})
				return err
			}
			return meeting{"INSERT INTO home_entries", post, func(ctx context.Context) error { return w.Follow(ctx, bob, ann.ID, social.FollowOptions{}) },
				func() { w.wantRows(1, "home_entries WHERE account_id = ?", bob.ID) }}
		},
		"a reblog and a follow": func(w *world) meeting {
			ann, bob := w.person("ann"), w.person("bob")
			s := w.post(w.person("cat"), social.NewStatus{Text: "x"})
			reblog := func(ctx context.Context) error { _, err := w.Reblog(ctx, ann, s.ID, ""); return err }
			return meeting{"INSERT INTO home_entries", reblog, func(ctx context.Context) error { return w.Follow(ctx, bob, ann.ID, social.FollowOptions{}) },
				func() { w.wantRows(1, "home_entries WHERE account_id = ?", bob.ID) }}
		},
		"a status that reaches many, and the end of a follow": func(w *world) meeting {
			ann, bob := w.person("ann"), w.person("bob")
			w.follow(bob, ann)
			s := w.post(ann, social.NewStatus{Text: "x"})
			w.must(dbtest.Exec(w.t, w.d, "DELETE FROM home_entries WHERE account_id = ?", bob.ID))
			return meeting{"INSERT INTO home_entries", func(ctx context.Context) error { return w.FanOut(ctx, jobs.FanOut{StatusID: s.ID}) },
				func(ctx context.Context) error {
					if err := w.Unfollow(ctx, bob, ann.ID); err != nil {
						return err
					}
					return w.Unfollowed(ctx, jobs.Unfollowed{AccountID: bob.ID, AuthorID: ann.ID})
				}, func() { w.wantRows(0, "home_entries WHERE account_id = ?", bob.ID) }}
		},
		"a mute of a thread that becomes part of another": func(w *world) meeting {
			vera, olga, ann := w.stranger("vera", "far.example"), w.stranger("olga", "off.example"), w.person("ann")
			middle, err := w.far(vera, activitypub.Post{ID: "https://far.example/n/2", InReplyTo: "https://off.example/n/1"})(w.t.Context())
			w.must(err)
			root := w.far(olga, activitypub.Post{ID: "https://off.example/n/1"})
			return meeting{seenStatus, func(ctx context.Context) error { _, err := w.MuteThread(ctx, ann, middle.ID, 0); return err },
				func(ctx context.Context) error { _, err := root(ctx); return err }, func() {
					w.wantRows(1, "thread_mutes m JOIN statuses s ON s.conversation_id = m.conversation_id WHERE s.id = ?", middle.ID)
				}}
		},
		"a remote status and a follow": func(w *world) meeting {
			vera, bob := w.stranger("vera", "far.example"), w.person("bob")
			keep := w.far(vera, activitypub.Post{ID: "https://far.example/n/1"})
			w.must(w.Follow(w.t.Context(), bob, vera.ID, social.FollowOptions{})) // a request
			return meeting{"COUNT(*) FROM (SELECT 1 FROM follows", func(ctx context.Context) error { _, err := keep(ctx); return err },
				func(ctx context.Context) error { return w.AuthorizeFollow(ctx, vera, bob.ID) },
				func() { w.wantRows(1, "home_entries WHERE account_id = ?", bob.ID) }}
		},
		"a reply and its parent": func(w *world) meeting {
			vera, olga := w.stranger("vera", "far.example"), w.stranger("olga", "off.example")
			parent := w.far(olga, activitypub.Post{ID: "https://off.example/n/1"})
			reply := w.far(vera, activitypub.Post{ID: "https://far.example/n/2", InReplyTo: "https://off.example/n/1"})
			return meeting{"FROM statuses WHERE uri", func(ctx context.Context) error { _, err := reply(ctx); return err },
				func(ctx context.Context) error { _, err := parent(ctx); return err }, func() {
					w.wantRows(1, "statuses WHERE in_reply_to_id IS NOT NULL")
					if n := w.rows("SELECT COUNT(DISTINCT conversation_id) FROM statuses"); n != 1 {
						w.t.Errorf("%d threads", n)
					}
				}}
		},
		"a parent and its reply": func(w *world) meeting {
			vera, olga := w.stranger("vera", "far.example"), w.stranger("olga", "off.example")
			parent := w.far(olga, activitypub.Post{ID: "https://off.example/n/1"})
			reply := w.far(vera, activitypub.Post{ID: "https://far.example/n/2", InReplyTo: "https://off.example/n/1"})
			return meeting{"in_reply_to_uri = ''", func(ctx context.Context) error { _, err := parent(ctx); return err },
				func(ctx context.Context) error { _, err := reply(ctx); return err }, func() {
					w.wantRows(1, "statuses WHERE in_reply_to_id IS NOT NULL")
				}}
		},
		"a reply beside two threads that become one": func(w *world) meeting {
			vera, olga, ann := w.stranger("vera", "far.example"), w.stranger("olga", "off.example"), w.person("ann")
			middle, err := w.far(vera, activitypub.Post{ID: "https://far.example/n/2", InReplyTo: "https://off.example/n/1"})(w.t.Context())
			w.must(err)
			root := w.far(olga, activitypub.Post{ID: "https://off.example/n/1"})
			reply := func(ctx context.Context) error {
				_, err := w.PostStatus(ctx, ann, social.NewStatus{Text: "y", Visibility: db.Public, InReplyToID: middle.ID})
				return err
			}
			return meeting{seenStatus, reply, func(ctx context.Context) error { _, err := root(ctx); return err }, func() {
				if n := w.rows("SELECT COUNT(DISTINCT conversation_id) FROM statuses"); n != 1 {
					w.t.Errorf("%d threads", n)
				}
			}}
		},
		"two threads that become one beside a private reply": func(w *world) meeting {
			vera, olga, ann := w.stranger("vera", "far.example"), w.stranger("olga", "off.example"), w.person("ann")
			middle, err := w.far(vera, activitypub.Post{ID: "https://far.example/n/2", InReplyTo: "https://off.example/n/1"})(w.t.Context())
			w.must(err)
			root := w.far(olga, activitypub.Post{ID: "https://off.example/n/1"})
			reply := func(ctx context.Context) error {
				_, err := w.PostStatus(ctx, ann, social.NewStatus{Text: "y", Visibility: db.Private, InReplyToID: middle.ID})
				return err
			}
			return meeting{"SET conversation_id", func(ctx context.Context) error { _, err := root(ctx); return err }, reply, func() {
				if n := w.rows("SELECT COUNT(DISTINCT conversation_id) FROM statuses"); n != 1 {
					w.t.Errorf("%d threads", n)
				}
			}}
		},
	})
}

// TestNoLowerIDIsStoredLater: a status that waits to be stored has an id above
// those made meanwhile. One that is not from elsewhere waits on SQLite alone,
// which has one writer.
func TestNoLowerIDIsStoredLater(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		ann, vera := w.person("ann"), w.stranger("vera", "far.example")
		const uri = "https://far.example/n/1"
		keep := w.far(vera, activitypub.Post{ID: uri})
		store := map[string]func(ctx context.Context) (*db.Status, error){"remote": keep}
		if w.d.Dialect() == db.SQLite {
			store["local"] = func(ctx context.Context) (*db.Status, error) {
				return w.PostStatus(ctx, ann, social.NewStatus{Text: "x"})
			}
		}
		for name, post := range store {
			var (
				before string
				s      *db.Status
			)
			err, other := dbtest.Between(t, w.d, "FROM accounts", func(ctx context.Context) error {
				return w.d.Tx(ctx, func(tx *db.DB) error {
					if err := tx.HoldURIs(ctx, uri); err != nil {
						return err
					}
					_, err := tx.Account(ctx, ann.ID)
					before = tx.NewID()
					return err
				})
			}, func(ctx context.Context) (err error) { s, err = post(ctx); return err })
			w.must(errors.Join(err, other))
			if s.ID < before {
				t.Errorf("%s: %s was stored after %s", name, s.ID, before)
			}
		}
	})
}

// TestNoLowerIDOfAnActIsStoredLater: favourites made here, and reactions and reblogs, also
// from elsewhere, that wait for their status have ids above those made meanwhile.
func TestNoLowerIDOfAnActIsStoredLater(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		ann, vera := w.person("ann"), w.stranger("vera", "far.example")
		s := w.post(ann, social.NewStatus{Text: "x"})
		for table, acts := range map[string][]func(ctx context.Context) error{
			"favourites": {
				func(ctx context.Context) error { _, err := w.Favourite(ctx, ann, s.ID); return err },
			},
			"emoji_reactions": {
				func(ctx context.Context) error { _, err := w.React(ctx, ann, s.ID, "👍"); return err },
				func(ctx context.Context) error {
					return w.TakeReaction(ctx, vera, s.ID, "👍", "https://far.example/r/1")
				},
			},
			"statuses": {
				func(ctx context.Context) error { _, err := w.Reblog(ctx, ann, s.ID, db.Public); return err },
				func(ctx context.Context) error {
					return w.TakeReblog(ctx, vera, s.ID, social.RemoteReblog{URI: "https://far.example/a/1", To: []string{social.Public}})
				},
			},
		} {
			for _, act := range acts {
				var before, id string
				err, other := dbtest.Between(t, w.d, "FROM statuses WHERE id", func(ctx context.Context) error {
					err := w.d.Tx(ctx, func(tx *db.DB) error {
						if _, err := tx.HeldStatus(ctx, s.ID); err != nil {
							return err
						}
						before = tx.NewID()
						return nil
					})
					return err
				}, act)
				w.must(errors.Join(err, other))
				w.must(w.d.Writer().QueryRowContext(t.Context(), "SELECT MAX(id) FROM "+table).Scan(&id))
				if id < before {
					t.Errorf("%s: %s was stored after %s", table, id, before)
				}
			}
		}
	})
}

// TestAHiddenAccountIsHeldBeforeItsTallies: of two accounts that are hidden or deleted
// at once neither waits for the other's follows with the tallies in its hand.
func TestAHiddenAccountIsHeldBeforeItsTallies(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		for i, erased := range []bool{false, true} {
			ann, bob := w.person(fmt.Sprint("ann", i)), w.person(fmt.Sprint("bob", i))
			w.follow(ann, bob)
			attempts := 0
			hide := func(a *db.Account) do {
				return func(ctx context.Context) error {
					return w.d.Tx(ctx, func(tx *db.DB) error {
						attempts++
						if erased {
							_, err := w.In(tx).DeleteAccount(ctx, a, a)
							return err
						}
						return w.In(tx).Deactivate(ctx, a, a)
					})
				}
			}
			w.must(errors.Join(dbtest.Between(t, w.d, "FROM accounts", hide(bob), hide(ann))))
			if attempts != 2 {
				t.Errorf("%d attempts", attempts)
			}
		}
	})
}

// TestADirectReplyAndTwoThreadsThatBecomeOneRunOnce: both hold statuses before
// conversations, so that they cannot deadlock.
func TestADirectReplyAndTwoThreadsThatBecomeOneRunOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		vera, olga, ann, bob := w.stranger("vera", "far.example"), w.stranger("olga", "off.example"), w.person("ann"), w.person("bob")
		middle, err := w.far(vera, activitypub.Post{ID: "https://far.example/n/2", InReplyTo: "https://off.example/n/1"})(t.Context())
		w.must(err)
		reply := social.NewStatus{Text: "@bob y", Visibility: db.Direct, InReplyToID: middle.ID}
		w.post(ann, reply)
		root, err := w.DraftRemote(t.Context(), olga, social.RemoteStatus{
			Post: &activitypub.Post{ID: "https://off.example/n/1", To: []string{social.Public}, Content: "far away"}, Wanted: true, Walked: true,
		})
		w.must(err)
		attempts := 0
		err, other := dbtest.Between(t, w.d, "INSERT INTO participations", func(ctx context.Context) error {
			return w.d.Tx(ctx, func(tx *db.DB) error {
				attempts++
				_, err := w.In(tx).PostStatus(ctx, ann, reply)
				return err
			})
		}, func(ctx context.Context) error {
			return w.d.Tx(ctx, func(tx *db.DB) error {
				attempts++
				_, err := w.In(tx).KeepRemote(ctx, root)
				return err
			})
		})
		w.must(errors.Join(err, other))
		if attempts != 2 {
			t.Errorf("%d attempts", attempts)
		}
		w.wantRows(1, "participations WHERE account_id = ?", bob.ID)
		if n := w.rows("SELECT COUNT(DISTINCT conversation_id) FROM statuses"); n != 1 {
			t.Errorf("%d threads", n)
		}
	})
}
