package server_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/server"
	"svc/server/platform/config"
	"svc/server/servertest"
)

// opened are the admin routes that each privilege opens to moderators, and no
// other.
var opened = map[api.Privilege]string{
	api.PrivilegeReports: `GET /reports; GET /grouped_reports; GET /reports/:id; POST /reports; PATCH /reports; GET /users/:nickname_or_id/history;
		POST /reports/:id/notes; DELETE /reports/:id/notes/:note_id; GET /instances/:instance; GET /rules`,
	api.PrivilegeStatuses: `GET /statuses; GET /statuses/:id; GET /statuses/:id/context; PUT /statuses/:id; DELETE /statuses/:id;
		GET /users/:nickname_or_id/statuses; GET /instances/:instance/statuses`,
	api.PrivilegeUsersRead: `GET /users; GET /users/:nickname_or_id; GET /users/:nickname_or_id/permission_group;
		GET /users/:nickname_or_id/permission_group/:permission_group`,
	api.PrivilegeUsersActivation: `PATCH /users/activate; PATCH /users/deactivate; PATCH /users/:nickname/toggle_activation`,
	api.PrivilegeApprovals:       `PATCH /users/approve; PATCH /users/reject; GET /mail_domains; POST /mail_domains; DELETE /mail_domains`,
	api.PrivilegeLog:             `GET /moderation_log`,
	api.PrivilegeInvites:         `GET /users/invites; POST /users/invite_token; POST /users/revoke_invite; POST /users/email_invite`,
	api.PrivilegeMedia:           `GET /media_proxy_caches; POST /media_proxy_caches/delete; POST /media_proxy_caches/purge; GET /media_proxy_caches/files; DELETE /media_proxy_caches/files`,
}

// opens sets the privileges of moderators.
func opens(t *testing.T, s *servertest.Server, privileges ...api.Privilege) {
	t.Helper()
	settings := *s.Settings.Base()
	settings.Instance.ModeratorPrivileges = nil
	for _, p := range privileges {
		settings.Instance.ModeratorPrivileges = append(settings.Instance.ModeratorPrivileges, string(p))
	}
	must(0, s.Settings.Swap(settings))(t)
}

// moderator makes an account with the role moderator.
func moderator(t *testing.T, s *servertest.Server, nickname string) *db.Account {
	t.Helper()
	a := s.User(nickname)
	a.IsModerator = true
	must(0, s.DB.UpdateAccount(t.Context(), a, "is_moderator"))(t)
	return a
}

// TestEachPrivilegeOpensItsRoutes calls every admin route as a moderator with
// each privilege: it answers as it does to an admin, or names what is missing.
// TestEveryRouteAnswersEveryRole has the callers without privileges.
func TestEachPrivilegeOpensItsRoutes(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		moderator(t, s, "mod")
		s.AdminUser("root")
		s.User("ann")
		privilegeOf := map[string]api.Privilege{}
		for p, routes := range opened {
			for route := range strings.SplitSeq(routes, ";") {
				method, path, _ := strings.Cut(strings.TrimSpace(route), " ")
				privilegeOf[method+" /api/svc/admin"+path] = p
			}
		}
		mod, user := s.Token("mod", servertest.AdminScopes), s.Token("ann", servertest.AdminScopes)
		forbidden := func(r server.Route, role, token, words string) {
			t.Helper()
			if code, body := ask(t, s, r, token); code != http.StatusForbidden || body != `{"error":"`+words+`"}` {
				t.Errorf("%s %s as %s: %d %s, want 403 %s", r.Method, r.Path, role, code, body, words)
			}
		}
		known := 0
		for _, r := range s.Routes() {
			if r.Access != server.Admin {
				continue
			}
			needed, privileged := privilegeOf[r.Method+" "+r.Path]
			if privileged {
				known++
			}
			for _, p := range api.Privileges() {
				opens(t, s, p)
				switch {
				case !privileged:
					forbidden(r, "a moderator with "+string(p), mod, "User is not an admin.")
				case p != needed:
					forbidden(r, "a moderator with "+string(p), mod, "User is not an admin, and moderators lack the privilege "+string(needed)+".")
				default:
					want, _ := ask(t, s, r, s.Token("root", servertest.AdminScopes))
					if code, body := ask(t, s, r, mod); code != want {
						t.Errorf("%s %s as a moderator with %s: %d %.200s, an admin gets %d", r.Method, r.Path, p, code, body, want)
					}
					forbidden(r, "a moderator without the scope", s.Token("mod", r.Scopes[0]+" push"), "Insufficient permissions: admin:"+r.Scopes[0]+".")
				}
			}
			opens(t, s, api.Privileges()...)
			forbidden(r, "a user", user, "User is not an admin.")
			if !privileged {
				forbidden(r, "a moderator with all privileges", mod, "User is not an admin.")
			}
		}
		if known != len(privilegeOf) {
			t.Errorf("%d of %d routes are there", known, len(privilegeOf))
		}
	})
}

// TestModeratorsSpareEachOther deactivates and activates accounts with a role: a
// moderator is refused, and then nobody in the request changes.
func TestModeratorsSpareEachOther(t *testing.T) {
	s := servertest.Start(t)
	ctx := t.Context()
	opens(t, s, api.Privileges()...)
	moderator(t, s, "mod")
	moderator(t, s, "tess")
	s.AdminUser("root")
	s.User("bob")
	users := s.Admin("mod").Admin.Users
	for _, names := range [][]string{{"root"}, {"tess"}, {"mod"}, {"bob", "root"}, {"tess", "bob"}} {
		for what, do := range map[string]func(context.Context, ...string) ([]api.AdminUser, error){"deactivate": users.Deactivate, "activate": users.Activate} {
			if _, err := do(ctx, names...); err == nil || !strings.Contains(err.Error(), "Moderators may not act on accounts of admins and moderators.") {
				t.Errorf("%s %s: %v", what, names, err)
			}
		}
	}
	if _, err := users.Toggle(ctx, "root"); err == nil {
		t.Error("an admin was toggled")
	}
	for _, name := range []string{"root", "tess", "mod", "bob"} {
		if must(users.Get(ctx, name))(t).Deactivated {
			t.Errorf("%s is deactivated", name)
		}
	}
	must(users.Deactivate(ctx, "bob"))(t)
	if !must(users.Get(ctx, "bob"))(t).Deactivated {
		t.Error("bob is active")
	}
	if _, err := users.AddRole(ctx, "moderator", "bob"); err == nil {
		t.Error("a moderator gave a role")
	}
}

// TestAnAccountIsToldItsPrivileges saves the setting, and reads it where
// clients do.
func TestAnAccountIsToldItsPrivileges(t *testing.T) {
	s := servertest.Start(t)
	ctx := t.Context()
	moderator(t, s, "mod")
	root := s.Admin("root")
	save := func(value string) error {
		_, err := root.Admin.Config.Change(ctx, api.ConfigChange{Group: ":svc", Key: ":instance", Value: []byte(`[{"tuple":[":moderator_privileges",` + value + `]}]`)})
		return err
	}
	told := func(nickname string) []api.Privilege {
		return must(s.Client(nickname).Accounts.Verify(ctx))(t).Svc.Privileges
	}
	check := func(mod ...api.Privilege) {
		t.Helper()
		got := map[string][]api.Privilege{"root": told("root"), "mod": told("mod"), "ann": told("ann")}
		want := map[string][]api.Privilege{"root": api.Privileges(), "mod": mod, "ann": nil}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	check()
	must(0, save(`["statuses","reports"]`))(t)
	check(api.PrivilegeReports, api.PrivilegeStatuses)
	for _, wrong := range []string{`["reports","everything"]`, `"reports"`, `true`, `[""]`} {
		if err := save(wrong); err == nil || !strings.Contains(err.Error(), "moderator_privileges") || !strings.Contains(err.Error(), "users_activation") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
	check(api.PrivilegeReports, api.PrivilegeStatuses)
	must(0, save(`[]`))(t)
	check()
}

// TestListedUsersTellWhatTheyDid: how many posts, when the last one, and to who may read
// reports how many there are about each.
func TestListedUsersTellWhatTheyDid(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		moderator(t, s, "mod")
		root := s.Admin("root").Admin
		bob := s.User("bob").ID
		say(t, s.Client("bob"), "one")
		say(t, s.Client("bob"), "two")
		for range 2 {
			must(s.Client("ann").Reports.Create(ctx, api.NewReport{AccountID: bob}))(t)
		}
		open := must(root.Reports.List(api.ReportQuery{}).Page(ctx))(t).Items[0].ID
		must(0, root.Reports.Update(ctx, api.ReportUpdate{ID: open, State: "closed"}))(t)
		mod := s.With(s.Token("mod", servertest.AdminScopes)).Admin
		for name, tt := range map[string]struct {
			by     *client.Admin
			opened []api.Privilege
			want   *api.ReportCounts
		}{
			"admin":                  {root, nil, &api.ReportCounts{Open: 1, Closed: 1}},
			"moderator with reports": {mod, []api.Privilege{api.PrivilegeUsersRead, api.PrivilegeReports}, &api.ReportCounts{Open: 1, Closed: 1}},
			"moderator without":      {mod, []api.Privilege{api.PrivilegeUsersRead}, nil},
		} {
			opens(t, s, tt.opened...)
			one := must(tt.by.Users.Get(ctx, "bob"))(t)
			for _, u := range append(must(tt.by.Users.List(api.UserQuery{Query: "bob"}).Page(ctx))(t).Items, *one) {
				if diff := cmp.Diff(tt.want, u.ReportsAbout); diff != "" || u.Statuses == nil || *u.Statuses != 2 || u.LastStatusAt == nil {
					t.Errorf("%s: %+v; reports (-want +got):\n%s", name, u, diff)
				}
			}
		}
	})
}

// TestModeratorsHearOfWhatTheyMayRead opens the stream as a moderator, to whom
// it tells of reports alone, until the privilege is gone.
func TestModeratorsHearOfWhatTheyMayRead(t *testing.T) {
	s := servertest.Start(t, needsApproval, func(c *config.Settings) { c.Instance.ModeratorPrivileges = []string{"reports"} })
	ctx := t.Context()
	moderator(t, s, "mod")
	bob, root := s.User("bob").ID, s.Admin("root").Admin
	o := dial(t, s, s.Token("mod", servertest.AdminScopes), "stream=svc:moderation")
	register(t, s, "new")
	must(root.Users.Deactivate(ctx, "bob"))(t)
	filed := must(s.Client("ann").Reports.Create(ctx, api.NewReport{AccountID: bob}))(t).ID
	o.until("svc:report", filed)
	if i := slices.IndexFunc(o.seen, func(f frame) bool { return f.Event != "svc:report" }); i >= 0 {
		t.Errorf("heard %+v", o.seen[i])
	}
	opens(t, s, api.PrivilegeInvites)
	secret := must(s.Client("ann").Reports.Create(ctx, api.NewReport{AccountID: bob}))(t).ID
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		_, text, err := o.conn.Read(ctx)
		if err != nil {
			if websocket.CloseStatus(err) != websocket.StatusPolicyViolation || !strings.Contains(err.Error(), fmt.Sprint("privilege ", api.PrivilegeReports)) {
				t.Errorf("closed with %v", err)
			}
			break
		}
		if strings.Contains(string(text), secret) {
			t.Errorf("heard %s", text)
		}
	}
}
