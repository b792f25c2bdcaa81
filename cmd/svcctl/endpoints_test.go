package main

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"svc/client"
	"svc/client/api"
	"svc/cmd/svcctl/cli"
	"svc/db"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/platform/config"
	"svc/server/platform/jobs"
	"svc/server/servertest"
)

var parameter = regexp.MustCompile(`[:*][a-z_]+`)

// adminWorld is a service in which every command of adminCommands has something
// to do, and what the variables in them stand for.
func adminWorld(t *testing.T) (*servertest.Server, map[string]string) {
	t.Helper()
	s := servertest.Start(t, servertest.WithMail, func(settings *config.Settings) {
		settings.Instance.RegistrationsOpen, settings.Instance.InvitesEnabled = false, true
	})
	vars := map[string]string{}
	for _, v := range fill(t, s) {
		name, value, _ := strings.Cut(v, "=")
		vars["$"+name] = value
	}
	admin := s.Admin("mika")
	if err := admin.Admin.Reports.AddNote(t.Context(), vars["$R1"], "to be deleted"); err != nil {
		t.Fatal(err)
	}
	report, err := admin.Admin.Reports.Get(t.Context(), vars["$R1"])
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	vars["$NOTE"], vars["$HOST"] = strconv.FormatInt(report.Notes[0].ID, 10), u.Host
	waiting, unconfirmed := s.User("waiting"), s.User("unconfirmed")
	waiting.ApprovalPending, unconfirmed.ConfirmationPending = true, true
	for account, column := range map[*db.Account]string{waiting: "approval_pending", unconfirmed: "confirmation_pending"} {
		if err := s.DB.UpdateAccount(t.Context(), account, column); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := admin.Admin.Users.AddRole(t.Context(), api.RoleModerator, "tom"); err != nil {
		t.Fatal(err)
	}
	if err := admin.Admin.Users.Tag(t.Context(), []string{"juno"}, []string{"y"}); err != nil {
		t.Fatal(err)
	}
	invite, err := admin.Admin.Invites.Create(t.Context(), api.NewInvite{})
	if err != nil {
		t.Fatal(err)
	}
	name, uri := "Web", "https://web.example/back"
	app, err := admin.Admin.Apps.Create(t.Context(), api.AppForm{Name: &name, RedirectURIs: &uri, Scopes: []string{"read"}})
	if err != nil {
		t.Fatal(err)
	}
	chat, err := admin.Chats.Open(t.Context(), s.User("zoe").ID)
	if err != nil {
		t.Fatal(err)
	}
	message, err := admin.Chats.Send(t.Context(), chat.ID, api.NewChatMessage{Content: "to be deleted"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := admin.Admin.Documents.Set(t.Context(), client.InstancePanel, client.File{Name: "p", Content: strings.NewReader("x")}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "panel.html")
	if err := os.WriteFile(file, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	vars["$INVITE"], vars["$APP"], vars["$FILE"] = "invite/"+invite.Token, strconv.FormatInt(app.ID, 10), file
	vars["$CHAT"], vars["$MESSAGE"] = chat.ID, message.ID
	if err := s.DB.AddInstance(t.Context(), "far.example"); err != nil {
		t.Fatal(err)
	}
	vars["$JOB"] = failedJob(t, s)
	return s, vars
}

// failedJob makes a job that was given up, and returns its number.
func failedJob(t *testing.T, s *servertest.Server) string {
	t.Helper()
	ctx := t.Context()
	err := s.DB.Tx(ctx, func(tx *db.DB) error {
		return jobs.EnqueueAt(ctx, tx, jobs.ExpireStatus{StatusID: "none"}, time.Now().Add(time.Hour))
	})
	if err == nil {
		err = dbtest.Exec(t, s.DB, `UPDATE river_job SET state = 'discarded', finalized_at = created_at, attempt = 1 WHERE kind = 'expire_status'`)
	}
	if err != nil {
		t.Fatal(err)
	}
	failed, err := s.DB.FailedJobs(ctx, jobs.QueueExpiry, 0, 10)
	if err != nil || len(failed) != 1 {
		t.Fatalf("failed jobs: %+v %v", failed, err)
	}
	return strconv.FormatInt(failed[0].ID, 10)
}

// adminCommands is a command line for each endpoint.
var adminCommands = map[string]string{
	"GET /reports":                     "report list",
	"GET /reports/:":                   "report get $R1",
	"PATCH /reports":                   "report resolve $R1",
	"GET /grouped_reports":             "report groups",
	"POST /reports/:/notes":            "report note add $R1 text",
	"DELETE /reports/:/notes/:":        "report note delete $R1 $NOTE --yes",
	"GET /users":                       "user list",
	"GET /users/:":                     "user get spam1",
	"PATCH /users/:/toggle_activation": "user toggle spam1 --yes",
	"PATCH /users/activate":            "user activate spam1",
	"PATCH /users/deactivate":          "user deactivate tom --yes",
	"GET /users/:/statuses":            "status list --user spam1",
	"GET /instances/:/statuses":        "status list --instance $HOST",
	"GET /statuses":                    "status list",
	"GET /statuses/:":                  "status get $S1",
	"PUT /statuses/:":                  "status set $S1 --sensitive",
	"DELETE /statuses/:":               "status delete $S2 --yes",
	"GET /moderation_log":              "log list",

	"POST /users":                            "user create fred --email fred@example.org --generate",
	"DELETE /users":                          "user delete zoe --yes --max 1",
	"POST /users/follow":                     "user follow ana zoe",
	"POST /users/unfollow":                   "user unfollow juno ana",
	"PATCH /users/approve":                   "user approve waiting",
	"PATCH /users/confirm_email":             "user confirm unconfirmed",
	"PATCH /users/resend_confirmation_email": "user resend-confirmation ana",
	"PATCH /users/force_password_reset":      "user force-reset ana --yes",
	"PUT /users/disable_mfa":                 "user mfa disable ana --yes",
	"GET /users/:/password_reset":            "user password-reset ana",
	"PUT /users/tag":                         "user tag add ana --tag x",
	"DELETE /users/tag":                      "user tag remove juno --tag y",
	"GET /users/:/permission_group":          "user role get ana",
	"GET /users/:/permission_group/:":        "role get ana admin",
	"POST /users/:/permission_group/:":       "role add moderator ana --legacy",
	"DELETE /users/:/permission_group/:":     "role remove moderator tom --legacy",
	"POST /users/permission_group/:":         "role add admin ana --yes --max 1",
	"DELETE /users/permission_group/:":       "role remove admin tess",
	"GET /users/:/credentials":               "user credentials get ana",
	"PATCH /users/:/credentials":             "user credentials set ana name=Ana",
	"POST /users/invite_token":               "invite create",
	"GET /users/invites":                     "invite list",
	"POST /users/revoke_invite":              "invite revoke $INVITE --yes",
	"POST /users/email_invite":               "invite email kim@example.org --name Kim",
	"POST /backups":                          "user backup ana",
	"GET /users/:/chats":                     "chat list ana",
	"GET /chats/:":                           "chat get $CHAT",
	"GET /chats/:/messages":                  "chat messages $CHAT",
	"DELETE /chats/:/messages/:":             "chat delete-message $CHAT $MESSAGE --yes",
	"GET /oauth_app":                         "app list",
	"POST /oauth_app":                        "app create --name A --redirect-uri https://a.example/ --scope read",
	"PATCH /oauth_app/:":                     "app update $APP --name B",
	"DELETE /oauth_app/:":                    "app delete $APP --yes",
	"GET /config":                            "config get",
	"POST /config":                           "config set svc instance limit 3000",
	"GET /config/descriptions":               "config describe",
	"GET /need_reboot":                       "server needs-reboot",
	"GET /restart":                           "server restart --yes --max 1",
	"GET /media_proxy_caches":                "media list",
	"POST /media_proxy_caches/delete":        "media unban https://evil.example/a.png",
	"POST /media_proxy_caches/purge":         "media purge --ban https://evil.example/a.png",
	"GET /instance_document/:":               "doc get instance-panel",
	"PATCH /instance_document/:":             "doc put instance-panel $FILE",
	"DELETE /instance_document/:":            "doc delete instance-panel --yes",
	"GET /stats":                             "stats",
	"POST /reload_emoji":                     "emoji reload",
	"GET /relay":                             "relay list",
	"POST /relay":                            "relay follow https://relay.example/inbox",
	"GET /federation/hosts":                  "federation hosts",
	"GET /federation/hosts/:":                "federation host far.example",
	"POST /federation/hosts/:/retry":         "federation retry far.example",
	"DELETE /federation/hosts/:":             "federation forget far.example --yes",
	"GET /jobs":                              "jobs list",
	"GET /jobs/queues":                       "jobs queues",
	"POST /jobs/:/retry":                     "jobs retry $JOB",
	"POST /jobs/retry":                       "jobs retry --queue mailer",
	"DELETE /relay":                          "relay unfollow https://relay.example/inbox",
}

// runLine runs a command line, in which variables are replaced, and more flags.
func runLine(t *testing.T, s *servertest.Server, vars map[string]string, line string, flags ...string) (int, string) {
	t.Helper()
	args := strings.Fields(line)
	for i, arg := range args {
		if value, ok := vars[arg]; ok {
			args[i] = value
		}
	}
	c := newCLI(t, s.URL, "")
	c.env["SVCCTL_TOKEN"] = vars["$MIKA"]
	code := run(c.App, append(args, append(flags, "--debug")...))
	return code, c.stderr.String()
}

// adminOrder is the order in which all of adminCommands have something to do.
func adminOrder(s *servertest.Server) []string {
	// What is already so is not sent, so that some come before or after others.
	order := []string{"PATCH /users/:/toggle_activation", "POST /media_proxy_caches/purge"}
	last := []string{"DELETE /users", "DELETE /oauth_app/:", "GET /restart"}
	for _, r := range s.Routes() {
		path, ours := strings.CutPrefix(r.Path, "/api/svc/admin")
		key := r.Method + " " + parameter.ReplaceAllString(path, ":")
		if r.Access == server.Admin && ours && !slices.Contains(order, key) && !slices.Contains(last, key) {
			order = append(order, key)
		}
	}
	return append(order, last...)
}

// TestEveryAdminEndpointHasACommand walks the service's own table of routes:
// for each there is a command line here, and running it calls the endpoint.
func TestEveryAdminEndpointHasACommand(t *testing.T) {
	s, vars := adminWorld(t)
	order := adminOrder(s)
	if len(order) < 60 {
		t.Errorf("the table has %d admin routes", len(order))
	}
	for _, key := range order {
		line, ok := adminCommands[key]
		if !ok {
			t.Errorf("%s has no command", key)
			continue
		}
		code, talk := runLine(t, s, vars, line)
		if code != 0 {
			t.Errorf("svcctl %s: exit %d: %s", line, code, talk)
		}
		method, path, _ := strings.Cut(key, " ")
		called := regexp.MustCompile(`(?m)^> ` + method + ` ` + regexp.QuoteMeta(s.URL+"/api/svc/admin") +
			strings.ReplaceAll(regexp.QuoteMeta(path), ":", `[^/?\s]+`) + `(\?\S*)?$`)
		if !called.MatchString(talk) {
			t.Errorf("svcctl %s does not call %s:\n%s", line, key, talk)
		}
	}
}

// TestNoWriteLeavesADryRun runs every command that changes something with
// --dry-run and with --read-only: neither sends a write.
func TestNoWriteLeavesADryRun(t *testing.T) {
	s, vars := adminWorld(t)
	wrote := regexp.MustCompile(`(?m)^> (POST|PUT|PATCH|DELETE|GET \S*/(restart|password_reset))\b.*$`)
	n := 0
	for key, line := range adminCommands {
		if strings.HasPrefix(key, "GET ") && key != "GET /restart" && !strings.HasSuffix(key, "/password_reset") {
			continue
		}
		n++
		code, talk := runLine(t, s, vars, line, "--dry-run")
		if sent := wrote.FindString(talk); code != 0 || sent != "" {
			t.Errorf("svcctl %s --dry-run: exit %d, sent %q: %s", line, code, sent, talk)
		}
		code, talk = runLine(t, s, vars, line, "--read-only")
		if sent := wrote.FindString(talk); code != cli.ExitUsage || sent != "" {
			t.Errorf("svcctl %s --read-only: exit %d, sent %q: %s", line, code, sent, talk)
		}
	}
	if n < 30 {
		t.Errorf("only %d commands write", n)
	}
}
