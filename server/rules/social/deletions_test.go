package social_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/platform/jobs"
	"svc/server/rules/social"
)

// aLife stores at least one row of every kind that an account can leave behind,
// towards bob and fan, who are local, and far, who is remote.
func aLife(w *world, ann, bob, fan, far *db.Account, bobs *db.Status) {
	w.t.Helper()
	ctx, d := w.t.Context(), w.d
	w.follow(ann, bob)
	w.follow(fan, ann)
	w.must(d.CreateFollow(ctx, &db.Follow{FollowerID: ann.ID, TargetID: far.ID, Reblogs: true, Local: true}))
	w.must(d.AddCounts(ctx, far.ID, db.Counts{Followers: 1}))
	file := db.MediaAttachment{AccountID: ann.ID, Type: "image", URL: "/media/x.png", File: "x.png", CreatedAt: d.Now()}
	unused := file
	unused.File = "y.png"
	files := []db.MediaAttachment{file, unused}
	w.must(d.CreateAttachments(ctx, files))
	for range 12 {
		w.post(ann, social.NewStatus{Text: "hello #world"})
	}
	own := w.post(ann, social.NewStatus{Text: "with a file", MediaIDs: []int64{files[0].ID}})
	w.post(ann, social.NewStatus{Text: "a reply", InReplyToID: bobs.ID})
	secret := w.post(ann, social.NewStatus{Text: "@bob psst", Visibility: db.Direct})
	w.post(bob, social.NewStatus{Text: "@ann yes?", Visibility: db.Direct, InReplyToID: secret.ID})
	week := int64(7 * 86400)
	poll := w.post(bob, social.NewStatus{Text: "which?", Poll: &db.PollParams{Options: []string{"a", "b"}, ExpiresIn: &week}})
	for _, act := range []func() error{
		func() error { _, err := w.Reblog(ctx, ann, bobs.ID, ""); return err },
		func() error { _, err := w.Reblog(ctx, bob, own.ID, ""); return err },
		func() error { _, err := w.Favourite(ctx, ann, bobs.ID); return err },
		func() error { _, err := w.Favourite(ctx, bob, own.ID); return err },
		func() error { _, err := w.React(ctx, ann, bobs.ID, "🎉"); return err },
		func() error { _, err := w.React(ctx, ann, bobs.ID, "🔥"); return err },
		func() error { _, err := w.Bookmark(ctx, ann, bobs.ID); return err },
		func() error { _, err := w.MuteThread(ctx, ann, bobs.ID, 0); return err },
		func() error { _, _, err := w.Vote(ctx, ann, *poll.PollID, []int{1}); return err },
		func() error { return w.BlockDomain(ctx, ann, "bad.example") },
		func() error { return w.Subscribe(ctx, ann, bob.ID) },
		func() error { return w.Subscribe(ctx, fan, ann.ID) },
		func() error { return w.NoteAccount(ctx, ann, bob.ID, "met in May") },
		func() error { return w.NoteAccount(ctx, fan, ann.ID, "met in June") },
		func() error { return w.Mute(ctx, ann, fan.ID, true, 0) },
		func() error { return w.Mute(ctx, far, ann.ID, true, 0) },
		func() error { return w.Block(ctx, ann, w.person("foe").ID) },
		func() error { return w.Block(ctx, w.person("foe2"), ann.ID) },
		func() error {
			_, err := w.Scrobble(ctx, ann, db.Scrobble{Title: "x", Visibility: db.Public}, "")
			return err
		},
		func() error { return w.FollowTag(ctx, ann, "tea") },
		func() error {
			id := w.announcement()
			if err := w.DismissAnnouncement(ctx, ann, id); err != nil {
				return err
			}
			return w.ReactToAnnouncement(ctx, ann, id, "🎉")
		},
		func() error {
			home := int64(1)
			f, err := w.CreatePhrase(ctx, ann, social.Phrase{Keyword: social.Keyword{Keyword: text("x")}, Contexts: &home}, "")
			if err != nil {
				return err
			}
			_, err = w.AddFilterStatus(ctx, ann, f.Number, bobs.ID, "")
			return err
		},
		func() error {
			_, err := w.ScheduleStatus(ctx, ann, social.NewStatus{Text: "later"}, time.Now().Add(time.Hour))
			return err
		},
		func() error { return d.SetMarkers(ctx, ann.ID, map[string]string{"home": bobs.ID}) },
		func() error {
			return d.CreateMailToken(ctx, &db.MailToken{TokenHash: "m", AccountID: ann.ID, Purpose: db.TokenPasswordReset, CreatedAt: d.Now()})
		},
		func() error {
			token := &db.Token{TokenHash: "t", AppID: 1, AccountID: &ann.ID, ExpiresAt: d.Now()}
			return errors.Join(d.CreateToken(ctx, token), d.PutPushSubscription(ctx, &db.PushSubscription{TokenID: token.ID, AccountID: ann.ID, Policy: db.PushAll}))
		},
		func() error {
			return d.CreateAuthorisation(ctx, &db.Authorisation{CodeHash: "c", AccountID: ann.ID, ExpiresAt: d.Now()})
		},
		func() error {
			return d.CreateRelay(ctx, &db.Relay{URL: "https://relay.example/actor", AccountID: ann.ID, FollowURI: "https://x/f"})
		},
		func() error {
			return dbtest.Exec(w.t, d, "INSERT INTO moves (account_id, target_id, at) VALUES (?, ?, 0)", ann.ID, bob.ID)
		},
		func() error {
			return dbtest.Exec(w.t, d, "INSERT INTO quotes (id, status_id, account_id, object_uri, created_at) VALUES ('q', 's', ?, 'o', 0)", ann.ID)
		},
		func() error { return d.CreateBackup(ctx, &db.Backup{AccountID: ann.ID, File: "z.zip"}) },
		func() error {
			return d.CreateSession(ctx, &db.Session{IDHash: "s", AccountID: ann.ID, ExpiresAt: d.Now()})
		},
		func() error {
			return d.CreateMFAToken(ctx, &db.MFAToken{TokenHash: "f", AccountID: ann.ID, ExpiresAt: d.Now()})
		},
		func() error { return d.CreateSSHKey(ctx, &db.SSHKey{AccountID: ann.ID, Hash: "x"}) },
		func() error {
			ann.DisplayName = "Ann the second"
			return d.UpdateAccount(ctx, ann, "display_name")
		},
		func() error {
			ann.Tags = db.Slice[string]{"nice"}
			return errors.Join(d.UpdateAccount(ctx, ann, "tags"), dbtest.Exec(w.t, d, "INSERT INTO account_tags (tag, account_id) VALUES ('nice', ?)", ann.ID))
		},
	} {
		w.must(act())
	}
	for _, owner := range []*db.Account{ann, bob} {
		l, err := w.CreateList(ctx, owner, social.List{Title: new("friends")}, "")
		w.must(err)
		w.must(w.AddToList(ctx, owner, l.ID, []string{ann.ID, bob.ID}))
	}
	hers, err := d.EnsureChat(ctx, ann.ID, bob.ID)
	w.must(err)
	his, err := d.EnsureChat(ctx, bob.ID, ann.ID)
	w.must(err)
	for i, by := range []*db.Account{ann, bob, ann} {
		to := bob
		if by == bob {
			to = ann
		}
		w.must(d.CreateChatMessage(ctx, &db.ChatMessage{ID: d.NewID(), URI: "https://x/" + string(rune('a'+i)), AccountID: by.ID, RecipientID: to.ID, CreatedAt: d.Now()}, hers, his))
	}
}

// announcement stores one that is shown, and returns its id.
func (w *world) announcement() int64 {
	now := w.d.Now()
	a := &db.Announcement{Text: "x", Content: "x", Published: true, PublishedAt: now, CreatedAt: now, UpdatedAt: now}
	w.must(w.d.CreateAnnouncement(w.t.Context(), a))
	return a.ID
}

// killed is a context that ends after a number of checks.
type killed struct {
	context.Context
	looks  atomic.Int64
	cancel func()
}

func newKilled(ctx context.Context, looks int) *killed {
	ctx, cancel := context.WithCancel(ctx)
	k := &killed{Context: ctx, cancel: cancel}
	k.looks.Store(int64(looks))
	return k
}

func (k *killed) Done() <-chan struct{} {
	if k.looks.Add(-1) == 0 {
		k.cancel()
	}
	return k.Context.Done()
}

// left counts the rows that name an account, by table and column.
func (w *world) left(a *db.Account) map[string]int {
	out := map[string]int{}
	for _, e := range db.Erasures() {
		out[e.Table+"."+e.Column] = w.rows("SELECT COUNT(*) FROM "+e.Table+" WHERE "+e.Column+" = ? OR "+e.Column+" = ?", a.ID, "direct:"+a.ID)
	}
	return out
}

// seen returns the counters, notifications and reactions of others that an
// account can have changed.
func (w *world) seen(bob, fan, far *db.Account, bobs *db.Status) map[string]any {
	s := w.row(bobs)
	return map[string]any{
		"bob": w.counts(bob), "fan": w.counts(fan), "far": w.counts(far), "news": w.news(bob),
		"status": []int64{s.RepliesCount, s.ReblogsCount, s.FavouritesCount}, "reactions": len(s.Reactions),
	}
}

func TestADeletedAccountLeavesNothingAndOthersCountAsBefore(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann, bob, fan := w.person("ann"), w.person("bob"), w.person("fan")
		far := w.stranger("far", "far.example")
		bobs := w.post(bob, social.NewStatus{Text: "bob's"})
		before := w.seen(bob, fan, far, bobs)
		aLife(w, ann, bob, fan, far, bobs)
		for what, n := range w.left(ann) {
			reason := slices.ContainsFunc(db.Erasures(), func(e db.Reference) bool { return e.Table+"."+e.Column == what && e.Kept != "" })
			if n == 0 && !reason {
				t.Errorf("nothing is in %s: the test erases none of it", what)
			}
		}
		w.deleted(w.DeleteAccount(ctx, ann, ann))
		if got := w.reload(ann); !got.Deactivated || w.rows("SELECT COUNT(*) FROM users WHERE account_id = ?", ann.ID) != 0 ||
			w.rows("SELECT COUNT(*) FROM tokens WHERE account_id = ?", ann.ID) != 0 {
			t.Errorf("not hidden and signed out at once: %+v", got)
		}
		root := w.person("root")
		root.IsAdmin = true
		wantNotFound(t, w.Activate(ctx, root, ann))

		// Each run is interrupted, a little later than the one before, until
		// one finishes.
		runs := 0
		for done := false; !done && runs < 500; runs++ {
			killed := newKilled(ctx, 60*(runs+1))
			done, _ = w.EraseAccount(killed, jobs.EraseAccount{AccountID: ann.ID})
			killed.cancel()
		}
		if runs < 5 || runs == 500 {
			t.Errorf("it took %d runs", runs)
		}
		again, err := w.EraseAccount(ctx, jobs.EraseAccount{AccountID: ann.ID})
		if err != nil || !again {
			t.Errorf("once more: %v %v", again, err)
		}

		left := w.left(ann)
		for _, e := range db.Erasures() {
			what := e.Table + "." + e.Column
			if n := left[what]; n != 0 && e.Kept == "" && what != "chat_messages.recipient_id" {
				t.Errorf("%d rows of %s are left", n, what)
			}
		}
		if left["statuses.account_id"] != 0 || left["chat_messages.recipient_id"] != 1 || left["tombstones.account_id"] != 17 {
			t.Errorf("%d statuses and %d messages of others are left, %d tombstones", left["statuses.account_id"], left["chat_messages.recipient_id"], left["tombstones.account_id"])
		}
		after := w.seen(bob, fan, far, bobs)
		after["bob"] = before["bob"] // bob posted a poll
		if diff := cmp.Diff(before, after); diff != "" {
			t.Error(diff)
		}
		if got := w.counts(bob); got != [3]int64{0, 0, 2} {
			t.Errorf("bob's counts %v", got)
		}
		want := db.NewAccount(dbtest.Base, "ann")
		got := w.reload(ann)
		never := false
		want.Serial, want.ID, want.Version, want.CreatedAt, want.UpdatedAt = got.Serial, got.ID, got.Version, got.CreatedAt, got.UpdatedAt
		want.Deactivated, want.DisplayName, want.AcceptsChatMessages = true, "", &never
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// deleted checks that DeleteAccount reported a new deletion.
func (w *world) deleted(isNew bool, err error) {
	w.t.Helper()
	if w.must(err); !isNew {
		w.t.Error("it was deleted before")
	}
}

// TestUnapprovedAndRemoteAccountsAreDeletedWhole: the names of all others stay
// taken, and those of remote accounts that are deactivated.
func TestUnapprovedAndRemoteAccountsAreDeletedWhole(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		admin := w.person("root")
		admin.IsAdmin = true
		for _, c := range []struct {
			name     string
			required bool // confirmation
			edit     func(a *db.Account)
			whole    bool
		}{
			{"new", true, func(a *db.Account) { a.ConfirmationPending = true }, true},
			{"lax", false, func(a *db.Account) { a.ConfirmationPending = true }, false},
			{"waiting", false, func(a *db.Account) { a.ApprovalPending = true }, true},
			{"far", false, func(a *db.Account) { a.Local, a.Domain = false, "far.example" }, true},
			{"barred", false, func(a *db.Account) { a.Local, a.Domain, a.Deactivated = false, "far.example", true }, false},
			{"off", false, func(a *db.Account) { a.Deactivated = true }, false},
			{"usual", true, func(*db.Account) {}, false},
		} {
			settings := *w.settings.Load()
			settings.Instance.AccountActivationRequired = c.required
			settings.Mailer.Enabled = true
			w.must(w.settings.Swap(settings))
			a := w.person(c.name)
			c.edit(a)
			w.must(w.d.UpdateAccount(ctx, a, "confirmation_pending", "approval_pending", "local", "domain", "deactivated"))
			w.deleted(w.DeleteAccount(ctx, admin, a))
			if again, err := w.DeleteAccount(ctx, admin, a); again || err != nil {
				t.Errorf("%s: deleted again: %v %v", c.name, again, err)
			}
			if a.Local {
				wantNotFound(t, w.Activate(ctx, admin, a))
			}
			job := w.erasure(a)
			if done, err := w.EraseAccount(ctx, job); !done || err != nil {
				t.Fatalf("%s: %v %v", c.name, done, err)
			}
			_, err := w.d.Account(ctx, a.ID)
			gone, marked := errors.Is(err, db.ErrNotFound), w.rows("SELECT COUNT(*) FROM deletions WHERE account_id = ?", a.ID)
			if gone != c.whole || gone == (marked == 1) {
				t.Errorf("%s: gone %v, marks %d", c.name, gone, marked)
			}
			if gone {
				w.person(c.name) // the name is free again
			}
		}
	})
}

// erasure returns the queued job that erases an account.
func (w *world) erasure(a *db.Account) jobs.EraseAccount {
	w.t.Helper()
	whole := w.rows("SELECT COUNT(*) FROM river_job WHERE kind = 'erase_account' AND args ->> 'account_id' = ? AND CAST(args ->> 'whole' AS TEXT) IN ('true', '1')", a.ID)
	return jobs.EraseAccount{AccountID: a.ID, Whole: whole == 1}
}

func TestOnlyOneselfOrAnAdminDeletesAnAccount(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ann, mod := w.person("ann"), w.person("mod")
		mod.IsModerator = true
		for _, by := range []*db.Account{mod, w.person("bob")} {
			_, err := w.DeleteAccount(t.Context(), by, ann)
			wantRefusal(t, err, "Access denied")
		}
		if w.reload(ann).Deactivated || w.rows("SELECT COUNT(*) FROM river_job WHERE kind = 'erase_account'") != 0 {
			t.Error("it was begun")
		}
	})
}

func TestADisabledAccountIsHiddenAndCanBeShownAgain(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann, mod := w.person("ann"), w.person("mod")
		mod.IsModerator = true
		w.post(ann, social.NewStatus{Text: "kept"})
		w.must(w.d.CreateToken(ctx, &db.Token{TokenHash: "t", AppID: 1, AccountID: &ann.ID, ExpiresAt: w.d.Now()}))
		w.must(w.DisableAccount(ctx, ann))
		if got := w.left(ann); !w.reload(ann).Deactivated || got["tokens.account_id"] != 0 || got["users.account_id"] != 1 || got["statuses.account_id"] != 1 {
			t.Errorf("disabled: %v", got)
		}
		w.must(w.Activate(ctx, mod, ann))
		if w.reload(ann).Deactivated {
			t.Error("an admin cannot show it again")
		}
		if n := w.rows("SELECT COUNT(*) FROM river_job WHERE kind = 'erase_account'"); n != 0 || strings.Contains(w.reload(ann).DisplayName, "?") {
			t.Error("it is erased")
		}
	})
}

func TestErasingGivesOthersTheirTurn(t *testing.T) {
	w := newWorld(t, dbtest.New(t))
	ann := w.person("ann")
	w.post(ann, social.NewStatus{Text: "x"})
	w.deleted(w.DeleteAccount(t.Context(), ann, ann))
	now := time.Now()
	slow := social.New(social.Parts{DB: w.d, Settings: w.settings, Site: config.NewSite(dbtest.Base, false), Now: func() time.Time { now = now.Add(time.Minute); return now }})
	var runs []bool
	for range 2 {
		done, err := slow.EraseAccount(t.Context(), w.erasure(ann))
		w.must(err)
		runs = append(runs, done)
	}
	if diff := cmp.Diff([]bool{false, true}, runs); diff != "" {
		t.Error(diff)
	}
}
