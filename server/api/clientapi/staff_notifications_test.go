package clientapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"svc/client/api"
	"svc/server/platform/config"
	"svc/server/platform/webpush/webpushtest"
	"svc/server/servertest"
)

// TestStaffAreToldOfReportsAndSignUps asks for both types as today's apps do, with a token
// that has no scope of the admin API: who may read reports or accounts gets them, nobody
// else does, and none is listed that was not asked for.
func TestStaffAreToldOfReportsAndSignUps(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, service := t.Context(), webpushtest.Start(t)
		for nick, admin := range map[string]bool{"root": true, "mod": false, "plain": false} {
			a := s.User(nick)
			if a.IsAdmin, a.IsModerator = admin, nick != "plain"; nick != "plain" {
				if err := s.DB.UpdateAccount(ctx, a, "is_admin", "is_moderator"); err != nil {
					t.Fatal(err)
				}
			}
			subscribe(t, s.Client(nick), &service.Device, everyAlert)
		}
		bob := s.User("bob")
		agreed := api.Bool(true)
		if _, err := s.With(s.AppToken()).Accounts.Register(ctx, api.NewAccount{
			Username: "newbie", Email: "newbie@example.org", Password: "a long password", Agreement: &agreed,
		}); err != nil {
			t.Fatal(err)
		}
		if got, m := read(t, service); got.Title != "New Sign-up" || got.NotificationType != "admin.sign_up" || got.Body != "@newbie: newbie" {
			t.Errorf("pushed %s", m.Text)
		}
		if _, err := s.Client("ann").Reports.Create(ctx, api.NewReport{AccountID: bob.ID, Comment: "rude words", Category: "spam"}); err != nil {
			t.Fatal(err)
		}
		for range 2 { // to the admin and to the moderator, who may read reports
			if got, m := read(t, service); got.Title != "New Report" || got.NotificationType != "admin.report" || got.Body != "@ann: @bob, spam" {
				t.Errorf("pushed %s", m.Text)
			}
		}
		list := func(nick, query string) (string, string) {
			t.Helper()
			resp := s.Get(ctx, "/api/v1/notifications?"+query, s.Token(nick, "read:notifications"))
			var rows []struct {
				Type    string
				Account struct{ Acct string }
				Report  struct {
					Comment, Category string
					TargetAccount     struct{ Acct string } `json:"target_account"`
				}
			}
			if err := json.Unmarshal(resp.Body.Bytes(), &rows); err != nil || resp.Code != http.StatusOK {
				t.Fatalf("%d %s: %v", resp.Code, resp.Body, err)
			}
			var out []string
			for _, n := range rows {
				out = append(out, strings.Trim(n.Type+":"+n.Account.Acct+":"+n.Report.TargetAccount.Acct+":"+n.Report.Comment, ":"))
			}
			return strings.Join(out, " "), resp.Body.String()
		}
		const report, signUp = "admin.report:ann:bob:rude words", "admin.sign_up:newbie"
		for _, c := range []struct{ nick, query, want string }{
			{"root", "types[]=admin.report&types[]=admin.sign_up", report + " " + signUp},
			{"root", "types[]=admin.report", report},
			{"root", "types[]=admin.report&exclude_types[]=admin.report", ""},
			{"root", "", ""},
			{"mod", "types[]=admin.report&types[]=admin.sign_up", report},
			{"mod", "types[]=admin.sign_up", ""},
			{"plain", "types[]=admin.report&types[]=admin.sign_up", ""},
		} {
			got, raw := list(c.nick, c.query)
			if got != c.want {
				t.Errorf("%s, %s: %q, want %q", c.nick, c.query, got, c.want)
			}
			if strings.Contains(raw, "@example.org") || strings.Contains(raw, `"email"`) {
				t.Errorf("%s, %s: shows an address: %s", c.nick, c.query, raw)
			}
		}
		if got := s.Get(ctx, "/api/v1/notifications/unread_count?types[]=admin.report&types[]=admin.sign_up", s.Token("root", "read:notifications")).Body.String(); got != `{"count":2}` {
			t.Errorf("unread are %s", got)
		}
	}, func(c *config.Settings) {
		c.Instance.ModeratorPrivileges, c.Captcha.Enabled = []string{"reports"}, false
	})
}
