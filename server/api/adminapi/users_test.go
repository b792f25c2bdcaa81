package adminapi_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/server/rules/social"
	"svc/server/servertest"
)

// TestAnAdminHasPeopleFollow: the follow is made at once and without
// notification, except where it is not allowed.
func TestAnAdminHasPeopleFollow(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		admin := w.Admin("root").Admin.Users
		w.bob.Locked = true
		w.must(w.DB.UpdateAccount(ctx, w.bob, "locked"))
		w.post(w.bob, social.NewStatus{Text: "from bob"})
		foe, off, asker := w.User("foe"), w.User("off"), w.Client("asker")
		w.must(w.Social.Block(ctx, foe, w.ann.ID))
		off.Deactivated = true
		w.must(w.DB.UpdateAccount(ctx, off, "deactivated"))
		_, err := asker.Accounts.Follow(ctx, w.bob.ID, api.Follow{})
		w.must(err)

		host := strings.TrimPrefix(w.Base(), "http://")
		w.want("POST", "/users/follow", `{"follower":"Ann","followed":"bob@`+host+`"}`, http.StatusOK, `"ok"`)
		if want := `{"actor":` + named(w.root) + `,"action":"follow","message":"@root made @ann follow @bob","follower":` + named(w.ann) + `,"followed":` + named(w.bob) + `}`; w.data() != want {
			t.Errorf("data %s\nwant %s", w.data(), want)
		}
		w.want("POST", "/users/follow?follower=ann&followed=bob", ``, http.StatusOK, `"ok"`)
		for _, pair := range [][2]string{{"ann", "foe"}, {"ann", "off"}, {"ann", "ann"}, {"asker", "bob"}, {"eve@one.example", "bob"}, {"ann", "eve@one.example"}} {
			w.must(admin.Follow(ctx, pair[0], pair[1]))
		}
		n := len(w.log())
		for _, body := range []string{`{"follower":"nobody","followed":"bob"}`, `{"follower":"bob","followed":"nobody@far.example"}`} {
			w.want("POST", "/users/follow", body, http.StatusOK, `"ok"`)
			w.want("POST", "/users/unfollow", body, http.StatusOK, `"ok"`)
		}
		for _, body := range []string{``, `{"follower":"ann"}`, `{"followed":"ann","follower":""}`, `{"follower":["ann"],"followed":"bob"}`} {
			w.want("POST", "/users/follow", body, http.StatusBadRequest, badly)
		}
		if len(w.log()) != n {
			t.Errorf("unknown ones are logged: %v", w.log())
		}
		counts := func(nickname string) [2]int64 {
			a := w.row(nickname)
			return [2]int64{a.FollowersCount, a.FollowingCount}
		}
		want := map[string][2]int64{"ann": {0, 2}, "bob": {3, 0}, "foe": {0, 0}, "off": {0, 0}, "asker": {0, 1}, "eve@one.example": {1, 1}}
		got := map[string][2]int64{}
		for name := range want {
			got[name] = counts(name)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("followers, following (-want +got):\n%s", diff)
		}
		home, err := w.Client("ann").Timelines.Home(api.TimelineQuery{}).Page(ctx)
		if err != nil || len(home.Items) != 1 || home.Items[0].Account.ID != w.bob.ID {
			t.Errorf("her home timeline: %+v %v", home.Items, err)
		}
		w.bob.Locked = false
		w.must(w.DB.UpdateAccount(ctx, w.bob, "locked"))
		notes, err := w.Client("bob").Notifications.List(api.NotificationQuery{}).Page(ctx)
		if err != nil || len(notes.Items) != 0 {
			t.Errorf("he is told: %+v %v", notes.Items, err)
		}

		w.must(admin.Unfollow(ctx, "ann", "bob"))
		w.want("POST", "/users/unfollow", `{"follower":"ann","followed":"bob"}`, http.StatusOK, `"ok"`)
		if counts("ann") != [2]int64{0, 1} || counts("bob") != [2]int64{2, 0} {
			t.Errorf("after: %v, %v", counts("ann"), counts("bob"))
		}
		if log := w.log()[:2]; log[0] != "@root made @ann unfollow @bob" || log[1] != log[0] {
			t.Errorf("log %v", log)
		}
	})
}

func TestAnAdminHasAnArchiveMade(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		admin := w.Admin("root").Admin.Users
		none := ""
		w.must(w.DB.UpdateUser(ctx, &db.User{AccountID: w.bob.ID, Email: none}, "email", "email_key"))
		w.want("POST", "/backups", `{"nickname":"nobody"}`, http.StatusNotFound, notFound)
		w.want("POST", "/backups", `{"nickname":"bob"}`, http.StatusBadRequest, `{"error":"Email is required"}`)
		w.want("POST", "/backups", `{"nickname":"eve@one.example"}`, http.StatusBadRequest, `{"error":"Email is required"}`)
		w.want("POST", "/backups", ``, http.StatusBadRequest, badly)
		w.wantLog()
		w.want("POST", "/backups", `{"nickname":"Ann"}`, http.StatusOK, `""`)
		w.must(admin.Backup(ctx, "ann")) // people themselves must wait between archives
		mail := w.Mailbox.Wait("ann@example.org", 2)
		if mail.Subject != "Your account archive is ready" || !strings.HasPrefix(mail.Link(), w.Base()) {
			t.Errorf("mail %+v", mail)
		}
		w.wantLog("@root requested account backup for @ann", "@root requested account backup for @ann")
		if want := `{"actor":` + named(w.root) + `,"action":"create_backup","message":"@root requested account backup for @ann","subject":` + named(w.ann) + `}`; w.data() != want {
			t.Errorf("data %s\nwant %s", w.data(), want)
		}
	}, servertest.WithMail)
	s := servertest.Start(t)
	s.User("ann")
	var refusal *client.Error
	if err := s.Admin("root").Admin.Users.Backup(t.Context(), "ann"); !errors.As(err, &refusal) || refusal.Status != 400 || refusal.Message != "Backups require enabled email" {
		t.Errorf("while mail is off: %v", err)
	}
}

// TestAdminsWhoDoTheSameAtOnce: in one process or two, it happens once.
func TestAdminsWhoDoTheSameAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		servers := []*servertest.Server{w.Server, w.Server}
		if w.DB.Dialect() == db.Postgres { // one process serves a SQLite file
			servers[1] = w.Second(t)
		}
		names := []string{"p1", "p2", "p3"}
		for _, n := range names {
			a := w.User(n)
			a.ApprovalPending, a.ConfirmationPending = true, true
			w.must(w.DB.UpdateAccount(ctx, a, "approval_pending", "confirmation_pending"))
		}
		token := w.Token("root", servertest.AdminScopes)
		// atOnce has both do something, the second in the other order.
		atOnce := func(do func(u *client.AdminUsers, names []string) error) []error {
			errs := make([]error, 2)
			var wg sync.WaitGroup
			for i, s := range servers {
				mine := slices.Clone(names)
				if i == 1 {
					slices.Reverse(mine)
				}
				wg.Go(func() { errs[i] = do(s.With(token).Admin.Users, mine) })
			}
			wg.Wait()
			return errs
		}
		logged := func(what string) (n int) {
			for _, line := range w.log() {
				if strings.Contains(line, what) {
					n++
				}
			}
			return n
		}
		for _, step := range []struct {
			do     func(u *client.AdminUsers, names []string) error
			log    string
			once   bool
			refuse int // the number of refusals, with 409
		}{
			{func(u *client.AdminUsers, n []string) error { _, err := u.ConfirmEmail(ctx, n...); return err }, "confirmed email", false, 0},
			{func(u *client.AdminUsers, n []string) error { _, err := u.Approve(ctx, n...); return err }, "approved users", true, 0},
			{func(u *client.AdminUsers, n []string) error { _, err := u.Deactivate(ctx, n...); return err }, "deactivated users", true, 0},
			{func(u *client.AdminUsers, n []string) error { _, err := u.Activate(ctx, n...); return err }, "activated users", true, 0},
			{func(u *client.AdminUsers, n []string) error {
				users := make([]api.NewUser, len(n))
				for i, name := range n {
					users[i] = api.NewUser{Nickname: "new" + name, Email: "new" + name + "@example.org", Password: "long enough"}
				}
				_, err := u.Create(ctx, users)
				return err
			}, "created users", true, 1},
			{func(u *client.AdminUsers, n []string) error { return u.ForcePasswordReset(ctx, n...) }, "forced password reset", false, 0},
			{func(u *client.AdminUsers, n []string) error { return u.Follow(ctx, n[0], "bob") }, "follow @bob", false, 0},
			{func(u *client.AdminUsers, n []string) error { _, err := u.Delete(ctx, n...); return err }, "deleted users", true, 0},
		} {
			refused := 0
			for _, err := range atOnce(step.do) {
				if errors.Is(err, client.ErrConflict) {
					refused++
				} else if err != nil {
					t.Errorf("%s: %v", step.log, err)
				}
			}
			want := 2
			if step.once {
				want = 1
			}
			n := logged(step.log)
			if step.log == "activated users" {
				n -= logged("deactivated users")
			}
			if refused != step.refuse || n != want {
				t.Errorf("%s: %d refused, logged %d times, want %d and %d", step.log, refused, n, step.refuse, want)
			}
		}
		for _, name := range names {
			if w.row("new"+name) == nil || !w.row(name).Deactivated {
				t.Errorf("%s: half a change", name)
			}
		}
	})
}

func TestUsersAreFoundByWhatTheyWaitFor(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		for name, edit := range map[string]func(a *db.Account){
			"fresh":          func(a *db.Account) { a.ConfirmationPending = true },
			"waiting":        func(a *db.Account) { a.ApprovalPending = true },
			"off":            func(a *db.Account) { a.Deactivated = true },
			"mod":            func(a *db.Account) { a.IsModerator, a.ActorType = true, "Service" },
			"internal-fetch": func(a *db.Account) { a.Nickname, a.NickKey = "internal.fetch", "internal.fetch" },
			"relay-actor":    func(a *db.Account) { a.Invisible = true },
		} {
			a := w.User(name)
			edit(a)
			w.must(w.DB.UpdateAccount(ctx, a, "confirmation_pending", "approval_pending", "deactivated", "is_moderator", "actor_type", "nickname", "nickname_key", "invisible"))
		}
		own := strings.TrimPrefix(w.Base(), "http://")
		for query, want := range map[string]string{
			"?filters=unconfirmed":                       "1/50: fresh",
			"?filters=need_approval":                     "1/50: waiting",
			"?filters=deactivated":                       "1/50: off",
			"?filters=active,local":                      "5/50: ann bob fresh mod root",
			"?filters=is_moderator":                      "1/50: mod",
			"?filters=is_moderator,is_admin":             "0/50: ",
			"?actor_types[]=Service&actor_types[]=Group": "1/50: mod",
			"?filters=local&query=a":                     "2/50: ann waiting",
			"?page_size=3&page=2&filters=local":          "7/3: mod off root",
			"":                                           "8/50: ann bob eve@one.example fresh mod off root waiting",
			"?query=" + own:                              "7/50: ann bob fresh mod off root waiting",
			"?query=@" + strings.ToUpper(own):            "7/50: ann bob fresh mod off root waiting",
			"?query=mo@" + own:                           "1/50: mod",
			"?query=eve@" + own:                          "0/50: ",
			"?query=" + own + "&filters=external":        "0/50: ",
			"?query=" + own + "&filters=is_moderator":    "1/50: mod",
		} {
			if got := w.nicknames(query); got != want {
				t.Errorf("%s: %s, want %s", query, got, want)
			}
		}
	})
}
