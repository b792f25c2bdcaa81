package clientapi_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/rules/auth"
	"svc/server/rules/notify"
	"svc/server/servertest"
)

func TestNotificationsOfEveryTypeAreWhole(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, root := t.Context(), s.AdminUser("root")
		bob, cat := s.User("bob"), s.User("cat")
		posted, err := s.Client("root").Statuses.Post(ctx, api.NewStatus{Status: "x"})
		if err != nil {
			t.Fatal(err)
		}
		token := s.Token("bob", servertest.AllScopes)
		if a := call(t, s, token, "PUT", "/api/v1/svc/statuses/"+posted.ID+"/reactions/%E2%98%95", "", ""); a.status != 200 {
			t.Fatal(a.text())
		}
		report, err := s.Client("bob").Reports.Create(ctx, api.NewReport{AccountID: cat.ID})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.DB.Tx(ctx, func(tx *db.DB) error {
			return notify.Notify(ctx, tx, db.News{Type: db.NotifyMove, From: bob, TargetID: cat.ID}, root.ID)
		}); err != nil {
			t.Fatal(err)
		}
		whisper(t, s, "bob", "root", "psst")
		list := func(types ...string) []api.Notification {
			t.Helper()
			rows, err := s.Admin("root").Notifications.List(api.NotificationQuery{IncludeTypes: types}).Page(ctx)
			if err != nil {
				t.Fatal(err)
			}
			return rows.Items
		}
		usual := list()
		if kinds(usual) != "move:bob svc:emoji_reaction:bob" {
			t.Fatalf("%s", kinds(usual))
		}
		if n := usual[0]; n.Target == nil || n.Target.Acct != "cat" || n.Status != nil {
			t.Errorf("%s", n.Raw)
		}
		if n := usual[1]; n.Emoji != "☕" || n.Status == nil || n.Status.ID != posted.ID {
			t.Errorf("%s", n.Raw)
		}
		asked := list("svc:report", "svc:chat_mention", "nonsense")
		if kinds(asked) != "svc:chat_mention:bob svc:report:bob" {
			t.Fatalf("%s", kinds(asked))
		}
		if n := asked[0]; n.ChatMessage == nil || *n.ChatMessage.Content != "psst" || n.Report != nil {
			t.Errorf("%s", n.Raw)
		}
		if n := asked[1]; n.Report == nil || n.Report.ID != report.ID || n.ChatMessage != nil {
			t.Errorf("%s", n.Raw)
		}
		me, err := s.Client("root").Accounts.Verify(ctx)
		if err != nil || *me.Svc.UnreadNotifications != 4 {
			t.Errorf("%d unread, those not listed included: %v", *me.Svc.UnreadNotifications, err)
		}
	})
}

// TestNotificationsOfReportsGoWithTheRole: only accounts with the role get
// notifications of reports, and only tokens that may read reports get the
// report itself.
func TestNotificationsOfReportsGoWithTheRole(t *testing.T) {
	for enforced, scopes := range map[bool]string{true: "read admin:read:reports", false: "read"} {
		t.Run(scopes, func(t *testing.T) {
			servertest.Each(t, func(t *testing.T, s *servertest.Server) {
				ctx, root, mod := t.Context(), s.Admin("root"), s.User("mod")
				// Not Token: it would make an admin of each holder of such scopes.
				app, err := s.Auth.CreateApp(ctx, auth.NewApp{Name: "x", RedirectURIs: auth.OutOfBand, Scopes: scopes})
				if err != nil {
					t.Fatal(err)
				}
				issued, err := s.Auth.Issue(ctx, app.ID, mod, auth.SplitScopes(scopes))
				if err != nil {
					t.Fatal(err)
				}
				reader, usual := s.With(issued.AccessToken), s.Client("mod")
				if _, err := root.Admin.Users.AddRole(ctx, "moderator", "mod"); err != nil {
					t.Fatal(err)
				}
				report, err := s.Client("bob").Reports.Create(ctx, api.NewReport{AccountID: s.User("cat").ID})
				if err != nil {
					t.Fatal(err)
				}
				list := func(c *client.Client) []api.Notification {
					t.Helper()
					rows, err := c.Notifications.List(api.NotificationQuery{IncludeTypes: []string{"svc:report"}}).Page(ctx)
					if err != nil {
						t.Fatal(err)
					}
					return rows.Items
				}
				told := list(reader)
				if len(told) != 1 || told[0].Report == nil || told[0].Report.ID != report.ID {
					t.Fatalf("a moderator is told %+v", told)
				}
				if got := list(usual); len(got) != 1 || (got[0].Report == nil) != enforced || strings.Contains(string(got[0].Raw), "@example.org") == enforced {
					t.Errorf("without the scope: %s", got[0].Raw)
				}
				if one, err := usual.Notifications.Get(ctx, told[0].ID); err != nil || (one.Report == nil) != enforced {
					t.Errorf("by id, without the scope: %+v, %v", one, err)
				}
				if _, err := root.Admin.Users.AddRole(ctx, "admin", "mod"); err != nil {
					t.Fatal(err)
				}
				if _, err := root.Admin.Users.RemoveRole(ctx, "moderator", "mod"); err != nil {
					t.Fatal(err)
				}
				if len(list(reader)) != 1 {
					t.Error("an admin who is no moderator any more is told nothing")
				}
				no := false
				if enforced {
					_, err = root.Admin.Users.RemoveRole(ctx, "admin", "mod")
				} else {
					_, err = s.Auth.SetUser(ctx, "mod", auth.UserChanges{Admin: &no})
				}
				if err != nil {
					t.Fatal(err)
				}
				nothing := func(when string) {
					t.Helper()
					if got := list(reader); len(got) != 0 {
						t.Errorf("%s: %s", when, got[0].Raw)
					}
				}
				nothing("without a role")
				if _, err := reader.Notifications.Get(ctx, told[0].ID); status(err) != 403 {
					t.Errorf("by id: %v", err)
				}
				if me, err := s.Client("mod").Accounts.Verify(ctx); err != nil || *me.Svc.UnreadNotifications != 0 {
					t.Errorf("%d unread, %v", *me.Svc.UnreadNotifications, err)
				}
				// This notification was stored while the role was removed.
				if err := dbtest.Exec(t, s.DB, "INSERT INTO notifications (account_id, type, from_id, report_id, created_at) VALUES (?, 'svc:report', ?, ?, 1)",
					mod.ID, s.User("bob").ID, report.ID); err != nil {
					t.Fatal(err)
				}
				nothing("a late one")
				if _, err := reader.Notifications.Get(ctx, "2"); status(err) != 403 {
					t.Errorf("a late one by id: %v", err)
				}
			}, func(c *config.Settings) {
				c.Auth.EnforceOAuthAdminScopeUsage = enforced
				c.Instance.ModeratorPrivileges = []string{"reports"}
			})
		})
	}
}

func TestNotificationsArePagedByTypes(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann := t.Context(), s.User("ann")
		token := s.Token("ann", servertest.AllScopes)
		own := post(t, s.Client("ann"), api.NewStatus{Status: "liked"})
		err := s.DB.Tx(ctx, func(tx *db.DB) error {
			for i := range 40 {
				a := db.NewAccount(s.Base(), "u"+strconv.Itoa(i))
				if err := tx.CreateAccount(ctx, a); err != nil {
					return err
				}
				kind := []string{db.NotifyFollow, db.NotifyFavourite, db.NotifyReblog}[i%3]
				if err := notify.Notify(ctx, tx, db.News{Type: kind, From: a, StatusID: map[bool]string{true: own.ID}[kind != db.NotifyFollow]}, ann.ID); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		ask := func(query string) (out []string, rows []api.Notification) {
			t.Helper()
			rows = decoded[[]api.Notification](t, call(t, s, token, "GET", "/api/v1/notifications?"+query, "", ""))
			for _, n := range rows {
				out = append(out, n.Account.Acct)
			}
			return out, rows
		}
		for query, want := range map[string]int{"": 15, "limit=100": 30, "limit=30&types[]=follow": 14, "limit=30&types[]=follow&types[]=reblog": 27, "limit=0": 1, "types[]=nonsense": 0, "include_types[]=nonsense": 0, "types[]=": 15, "types[]=nonsense&types[]=follow": 14} {
			if got, _ := ask(query); len(got) != want {
				t.Errorf("%q: %d, want %d", query, len(got), want)
			}
		}
		if got, rows := ask("limit=3&types[]=follow&types[]=reblog"); !cmp.Equal(got, []string{"u39", "u38", "u36"}) {
			t.Error(got)
		} else if got, _ := ask("limit=3&types[]=follow&types[]=reblog&max_id=" + rows[2].ID); !cmp.Equal(got, []string{"u35", "u33", "u32"}) {
			t.Error(got)
		} else if got, _ := ask("limit=2&types[]=follow&types[]=reblog&min_id=" + rows[2].ID); !cmp.Equal(got, []string{"u39", "u38"}) {
			t.Error(got)
		}
		if got, _ := ask("limit=2&exclude_types[]=follow"); !cmp.Equal(got, []string{"u38", "u37"}) {
			t.Error(got)
		}
		every := "exclude_types[]=" + strings.Join([]string{"mention", "follow", "follow_request", "reblog", "favourite", "move", "svc:emoji_reaction"}, "&exclude_types[]=")
		if got, _ := ask(every); len(got) != 0 {
			t.Error(got)
		}
	})
}

func TestStrangersAreShutOut(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann := t.Context(), s.Client("ann")
		yes := api.Bool(true)
		if err := ann.Accounts.SetNotificationSettings(ctx, api.SetNotificationSettings{BlockFromStrangers: &yes, HideNotificationContents: &yes}); err != nil {
			t.Fatal(err)
		}
		a := call(t, s, s.Token("ann", servertest.AllScopes), "PUT", "/api/svc/notification_settings?hide_notification_contents=false", "", "")
		if a.text() != `200 {"status":"success"}` {
			t.Error(a.text())
		}
		me, err := ann.Accounts.Verify(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&api.NotificationSettings{BlockFromStrangers: true}, me.Svc.NotificationSettings); diff != "" {
			t.Error(diff)
		}
		mention := func(who string) {
			t.Helper()
			if _, err := s.Client(who).Statuses.Post(ctx, api.NewStatus{Status: "@ann hi"}); err != nil {
				t.Fatal(err)
			}
		}
		mention("bob")
		whisper(t, s, "bob", "ann", "hi")
		if _, err := s.Client("cat").Accounts.Follow(ctx, s.User("ann").ID, api.Follow{}); err != nil {
			t.Fatal(err)
		}
		mention("cat")
		rows, err := ann.Notifications.List(api.NotificationQuery{WithMuted: true}).Page(ctx)
		if err != nil || kinds(rows.Items) != "mention:cat follow:cat" {
			t.Errorf("%s %v", kinds(rows.Items), err)
		}
	})
}

// TestAFollowIsToldAgainOnceItIsLongAgo: a repeated follow is notified again
// only after many other notifications.
func TestAFollowIsToldAgainOnceItIsLongAgo(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, bob := t.Context(), s.User("ann"), s.Client("bob")
		again := func() {
			t.Helper()
			if _, err := bob.Accounts.Unfollow(ctx, ann.ID); err != nil {
				t.Fatal(err)
			}
			if _, err := bob.Accounts.Follow(ctx, ann.ID, api.Follow{}); err != nil {
				t.Fatal(err)
			}
		}
		newest := func() string {
			t.Helper()
			rows, err := s.Client("ann").Notifications.List(api.NotificationQuery{PageQuery: api.PageQuery{Limit: 1}}).Page(ctx)
			if err != nil || len(rows.Items) != 1 {
				t.Fatal(rows.Items, err)
			}
			return rows.Items[0].ID + " " + rows.Items[0].Type + " " + rows.Items[0].Account.Acct
		}
		again()
		first := newest()
		again()
		if got := newest(); got != first {
			t.Errorf("told again at once: %s, then %s", first, got)
		}
		for i := range 20 {
			if _, err := s.DB.Notify(ctx, db.News{Type: db.NotifyFavourite, From: s.User("cat"), StatusID: strconv.Itoa(i), To: []string{ann.ID}}); err != nil {
				t.Fatal(err)
			}
		}
		again()
		if got := newest(); got == first || !strings.HasSuffix(got, " follow bob") {
			t.Errorf("the newest is %s", got)
		}
		if n, err := s.DB.Notifications(ctx, db.Viewer{ID: ann.ID}, db.NotificationFilter{Types: []string{db.NotifyFollow}}, db.Page{Limit: 9}); err != nil || len(n) != 1 {
			t.Errorf("%d follows, %v", len(n), err)
		}
	})
}

func TestUnseenNotificationsAreCountedUpToABound(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, bob := t.Context(), s.User("ann"), s.User("bob")
		err := dbtest.Exec(t, s.DB, `INSERT INTO notifications (account_id, type, from_id, status_id, created_at)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5100)
			SELECT '`+ann.ID+`', 'mention', '`+bob.ID+`', CAST(i AS TEXT), 0 FROM n`)
		if err != nil {
			t.Fatal(err)
		}
		n, err := s.DB.UnseenNotifications(ctx, ann.ID)
		if err != nil || n != 5000 {
			t.Errorf("%d %v", n, err)
		}
		me, err := s.Client("ann").Accounts.Verify(ctx)
		if err != nil || *me.Svc.UnreadNotifications != 5000 {
			t.Errorf("%d %v", *me.Svc.UnreadNotifications, err)
		}
	})
}
