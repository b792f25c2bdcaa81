package server_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"svc/client/api"
	"svc/server"
	"svc/server/platform/rights"
	"svc/server/servertest"
)

// parameter is a part of a route that stands for a value.
var parameter = regexp.MustCompile(`[:*][a-z_]+`)

// TestAdminObjectsAreShownToWhoMayReadThem reads every GET route, and every place of
// notifications, as a moderator with each set of privileges. What the admin API holds
// of a report, a registration, the log, jobs and invites stands in an answer only if
// the moderator has the privilege of that place.
func TestAdminObjectsAreShownToWhoMayReadThem(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		mod := moderator(t, s, "mod")
		root, ann, bob := s.Admin("root").Admin, s.User("ann"), s.User("bob")
		post := say(t, s.Client("bob"), "rude")
		report := must(s.Client("ann").Reports.Create(ctx, api.NewReport{AccountID: bob.ID, StatusIDs: []string{post.ID}, Comment: "told in confidence"}))(t).ID
		register(t, s, "newcomer")
		must(root.Users.Deactivate(ctx, s.User("cat").Nickname))(t)
		invite := must(root.Invites.Create(ctx, api.NewInvite{}))(t).Token
		s.FailedJob()
		secrets := []string{
			"told in confidence", ann.Nickname + "@example.org", bob.Nickname + "@example.org", "newcomer@example.org",
			`"registration_reason":"tea"`, "deactivated users", `"expire_status"`, invite,
		}
		token := s.Token("mod", servertest.AdminScopes)
		opens(t, s, api.PrivilegeReports)
		told := must(s.With(token).Notifications.List(api.NotificationQuery{IncludeTypes: []string{"svc:report"}}).Page(ctx))(t).Items
		if len(told) != 1 {
			t.Fatalf("who may read reports is told %+v", told)
		}

		// look compares an answer with what the privileges open, and returns whether it
		// shows a secret.
		look := func(place string, body string, right rights.Right, open []api.Privilege) bool {
			shows := false
			for _, secret := range secrets {
				if !strings.Contains(body, secret) {
					continue
				}
				shows = true
				need := right
				if strings.Contains(secret, "@") && right != rights.Reports || strings.HasPrefix(secret, `"registration_reason"`) {
					need = rights.UsersRead // also in the author of a status
				}
				// newcomer is the one account that is pending, and the one with a reason.
				pending := strings.HasPrefix(secret, "newcomer") || strings.HasPrefix(secret, `"registration_reason"`)
				if pending && slices.Contains(open, api.PrivilegeApprovals) {
					continue
				}
				if !slices.Contains(open, api.Privilege(need)) {
					t.Errorf("%s shows %q to a moderator with %q", place, secret, open)
				}
			}
			return shows
		}
		peek := func(path string) string {
			req := httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil)
			req.Header.Set("Authorization", "Bearer "+token)
			answer := httptest.NewRecorder()
			s.Handler().ServeHTTP(answer, req)
			return answer.Body.String()
		}
		doors := []string{
			"/api/v1/notifications?include_types[]=svc:report", "/api/v1/notifications?types[]=svc:report&types[]=mention",
			"/api/v1/notifications?include_types[]=svc:report&account_id=" + ann.ID, "/api/v1/notifications/" + told[0].ID,
			"/api/svc/admin/reports", "/api/svc/admin/reports/" + report, "/api/svc/admin/grouped_reports",
		}
		shown := map[string]int{}
		all := api.Privileges()
		for mask := range 1 << len(all) {
			var open []api.Privilege
			for i, p := range all {
				if mask>>i&1 == 1 {
					open = append(open, p)
				}
			}
			opens(t, s, open...)
			for _, door := range doors {
				body := peek(door)
				if look(door, body, rights.Reports, open) {
					shown[door]++
				} else if strings.Contains(body, report) {
					t.Errorf("%s names the report to a moderator with %q", door, open)
				}
			}
			if n := len(open); n > 1 && n < len(all)-1 {
				continue
			}
			for _, r := range s.Routes() {
				if r.Method != http.MethodGet || r.Access == server.Stream || strings.Contains(r.Path, "/streaming") {
					continue
				}
				for _, id := range []string{report, ann.ID, bob.ID, post.ID, told[0].ID, "bob", "newcomer"} {
					path := parameter.ReplaceAllString(r.Path, id)
					right := r.Right
					if strings.HasPrefix(r.Path, "/api/v1/notifications") {
						right = rights.Reports
					}
					look(path, peek(path), right, open)
					if path == r.Path {
						break
					}
				}
			}
		}
		for _, door := range doors {
			if shown[door] != 1<<len(all)/2 {
				t.Errorf("%s shows the report under %d sets of privileges", door, shown[door])
			}
		}

		for _, open := range [][]api.Privilege{{api.PrivilegeUsersActivation}, {api.PrivilegeApprovals}, {api.PrivilegeUsersRead}} {
			opens(t, s, open...)
			for _, path := range []string{"/api/svc/admin/users?filters=need_approval", "/api/svc/admin/users/newcomer"} {
				body, may := peek(path), open[0] != api.PrivilegeUsersActivation
				for _, part := range []string{"newcomer@example.org", `"registration_reason":"tea"`, `"confirmation_pending":`, `"mail_domain":"example.org"`} {
					if strings.Contains(body, part) != may {
						t.Errorf("%s with %q: %s, of which %s", path, open, body, part)
					}
				}
			}
			for _, path := range []string{"/api/svc/admin/users", "/api/svc/admin/users/ann", "/api/svc/admin/users/nobody"} {
				refused := strings.Contains(peek(path), "lack the privilege users_read")
				if refused != (open[0] != api.PrivilegeUsersRead) {
					t.Errorf("%s with %q is refused: %v", path, open, refused)
				}
			}
		}
		for _, open := range [][]api.Privilege{{api.PrivilegeUsersActivation}, {api.PrivilegeUsersActivation, api.PrivilegeApprovals}} {
			opens(t, s, open...)
			changed := must(s.With(token).Admin.Users.Deactivate(ctx, "newcomer", s.User("dan").Nickname))(t)
			if whole := len(open) > 1; (changed[0].Email != nil && *changed[0].Email == "newcomer@example.org") != whole ||
				(changed[0].Signup != nil) != whole || changed[1].Email != nil {
				t.Errorf("deactivating shows %+v to a moderator with %q", changed, open)
			}
		}
		for _, open := range [][]api.Privilege{{api.PrivilegeUsersActivation}, {api.PrivilegeUsersActivation, api.PrivilegeUsersRead}} {
			opens(t, s, open...)
			changed := must(s.With(token).Admin.Users.Deactivate(ctx, s.User("dan").Nickname))(t)
			if whole := changed[0].Email != nil && *changed[0].Email == "dan@example.org"; whole != (len(open) > 1) {
				t.Errorf("deactivating shows %+v to a moderator with %q", changed[0], open)
			}
		}

		for _, open := range [][]api.Privilege{nil, {api.PrivilegeStatuses}, {api.PrivilegeReports}} {
			opens(t, s, open...)
			one := dial(t, s, token, "stream=user")
			must(s.Client("ann").Reports.Create(ctx, api.NewReport{AccountID: bob.ID, Comment: "told in confidence"}))(t)
			one.until("update", say(t, s.Client("mod"), "here").ID)
			for _, f := range one.seen {
				look("the stream", f.Payload, rights.Reports, open)
			}
			seen := must(s.With(token).Notifications.SeeUpTo(ctx, 1<<40))(t)
			for _, n := range seen {
				look("those just read", string(n.Raw), rights.Reports, open)
			}
			_, err := s.With(token).Notifications.See(ctx, must(strconv.ParseInt(told[0].ID, 10, 64))(t))
			if may := slices.Contains(open, api.PrivilegeReports); (err == nil) != may {
				t.Errorf("with %q, the notification just read: %v", open, err)
			}
		}
		if n := must(s.DB.UnseenNotifications(ctx, mod.ID))(t); n != 0 {
			t.Errorf("%d unread notifications are left", n)
		}
	}, needsApproval)
}
