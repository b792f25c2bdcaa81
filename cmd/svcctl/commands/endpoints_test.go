package commands

import (
	"cmp"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"svc/client"
	"svc/client/api"
	"svc/cmd/svcctl/cli"
	"svc/db"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/platform/config"
	"svc/server/servertest"
)

var parameter = regexp.MustCompile(`[:*][a-z_]+`)

// adminWorld is a service in which every command of the examples has something to
// do, and the values of the variables in them.
func adminWorld(t *testing.T) (*servertest.Server, map[string]string) {
	t.Helper()
	return namedWorld(t, "svc")
}

// namedWorld is adminWorld under a name of the service.
func namedWorld(t *testing.T, name string) (*servertest.Server, map[string]string) {
	t.Helper()
	s := servertest.Booted(t, dbtest.Ready(t), func(c *config.Config) { c.Name = name }, servertest.WithMail, func(settings *config.Settings) {
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
	waiting, rejected, unconfirmed := s.User("waiting"), s.User("rejected"), s.User("unconfirmed")
	waiting.ApprovalPending, rejected.ApprovalPending, unconfirmed.ConfirmationPending = true, true, true
	for account, column := range map[*db.Account]string{waiting: "approval_pending", rejected: "approval_pending", unconfirmed: "confirmation_pending"} {
		if err := s.DB.UpdateAccount(t.Context(), account, column); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := admin.Admin.MailDomains.Block(t.Context(), "junk.example"); err != nil {
		t.Fatal(err)
	}
	if _, err := admin.Admin.Users.AddRole(t.Context(), api.RoleModerator, "tom"); err != nil {
		t.Fatal(err)
	}
	if err := s.Social.AddAlias(t.Context(), s.User("juno"), "ana"); err != nil { // who moves there
		t.Fatal(err)
	}
	if err := admin.Admin.Users.Tag(t.Context(), []string{"juno"}, []string{"y"}); err != nil {
		t.Fatal(err)
	}
	invite, err := admin.Admin.Invites.Create(t.Context(), api.NewInvite{})
	if err != nil {
		t.Fatal(err)
	}
	rule, err := admin.Admin.Rules.Create(t.Context(), api.RuleForm{Text: new("Be kind")})
	if err != nil {
		t.Fatal(err)
	}
	vars["$RULE"] = "rule/" + rule.ID
	announcement, err := admin.Admin.Announcements.Create(t.Context(), api.AnnouncementForm{Content: new("Old rooms")})
	if err != nil {
		t.Fatal(err)
	}
	vars["$ANNOUNCEMENT"] = "announcement/" + announcement.ID
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
	picture := filepath.Join(t.TempDir(), "dot.png")
	if err := os.WriteFile(picture, []byte(servertest.Dot), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, code := range []string{"wave", "cat"} {
		if _, err := admin.Admin.Emojis.Add(t.Context(), api.NewEmoji{Shortcode: code}, client.File{Name: "x", Content: strings.NewReader(servertest.Dot)}); err != nil {
			t.Fatal(err)
		}
	}
	for _, pack := range []string{"beasts", "doomed"} {
		if err := admin.Admin.Emojis.CreatePack(t.Context(), pack); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := admin.Admin.Emojis.Add(t.Context(), api.NewEmoji{Name: "beasts", Shortcode: "owl"}, client.File{Name: "x", Content: strings.NewReader(servertest.Dot)}); err != nil {
		t.Fatal(err)
	}
	if _, err := admin.Admin.Emojis.DescribePack(t.Context(), api.EmojiPackForm{Name: "beasts", Metadata: map[string]any{"share-files": true}}); err != nil {
		t.Fatal(err)
	}
	zipped := filepath.Join(t.TempDir(), "pack.zip")
	archive, err := admin.Emojis.Archive(t.Context(), "beasts")
	if err == nil {
		err = os.WriteFile(zipped, archive, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	vars["$PICTURE"], vars["$ZIP"], vars["$SITE"] = picture, zipped, s.URL
	keyFile := filepath.Join(t.TempDir(), "id.pub")
	if err := os.WriteFile(keyFile, []byte("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAiSPZyER1EmBaKEFli8Bf94KzESAWC0P+tz+uaBHWgS kim@laptop\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	key, err := admin.Admin.SSHKeys.Add(t.Context(), "zoe", api.NewSSHKey{Key: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHrRhkuJJZeCTgSipX8/mxM+jDlpSywzaUGBDE4yCV84 kim@laptop"})
	if err != nil {
		t.Fatal(err)
	}
	vars["$SSHKEY"], vars["$SSHKEYID"] = keyFile, strconv.FormatInt(key.ID, 10)
	vars["$INVITE"], vars["$APP"], vars["$FILE"] = "invite/"+invite.Token, strconv.FormatInt(app.ID, 10), file
	vars["$CHAT"], vars["$MESSAGE"] = chat.ID, message.ID
	if err := s.DB.AddInstance(t.Context(), "far.example"); err != nil {
		t.Fatal(err)
	}
	vars["$JOB"] = s.FailedJob()
	return s, vars
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
	code := Run(c.App, append(args, append(flags, "--debug")...))
	return code, c.stderr.String()
}

// adminRoutes are the admin routes in an order in which the commands of their
// examples all have something to do.
func adminRoutes(s *servertest.Server) []server.Route {
	// An unchanged state is not sent, so that some come before or after others.
	turn := map[string]int{
		"PATCH /users/:nickname/toggle_activation": -2, "POST /media_proxy_caches/purge": -1,
		"DELETE /users": 1, "DELETE /oauth_app/:id": 2, "GET /restart": 3,
	}
	var routes []server.Route
	for _, r := range s.Routes() {
		if r.Access == server.Admin {
			routes = append(routes, r)
		}
	}
	turnOf := func(r server.Route) int { return turn[r.Method+" "+strings.TrimPrefix(r.Path, "/api/svc/admin")] }
	slices.SortStableFunc(routes, func(a, b server.Route) int { return cmp.Compare(turnOf(a), turnOf(b)) })
	return routes
}

// example is the command line that calls a route.
func example(r server.Route) string { return servertest.Examples[r.Method+" "+r.Path].Command }

// reads tells whether a route changes nothing.
func reads(r server.Route) bool {
	return methodIsRead(r.Method, parameter.ReplaceAllLiteralString(r.Path, "x"))
}

// made keeps the id of an object that a command made, as --debug shows it.
func made(vars map[string]string, talk string) {
	if ids := madeID.FindAllStringSubmatch(talk, -1); ids != nil {
		vars["$MADE"] = ids[len(ids)-1][1]
	}
}

var madeID = regexp.MustCompile(`(?m)^<   \{.*?"id":"?([\w-]+)`)

// TestEveryAdminEndpointHasACommand walks the service's own table of routes:
// for each there is a command line here, and running it calls the endpoint. The commands
// are the same where the service has another name.
func TestEveryAdminEndpointHasACommand(t *testing.T) {
	for _, name := range []string{"svc", "pleroma"} {
		t.Run(name, func(t *testing.T) { everyEndpointHasACommand(t, name) })
	}
}

func everyEndpointHasACommand(t *testing.T, name string) {
	s, vars := namedWorld(t, name)
	routes := adminRoutes(s)
	if len(routes) < 60 {
		t.Errorf("the table has %d admin routes", len(routes))
	}
	for _, r := range routes {
		line := example(r)
		if line == "" {
			t.Errorf("%s %s has no command", r.Method, r.Path)
			continue
		}
		code, talk := runLine(t, s, vars, line)
		if code != 0 {
			t.Errorf("svcctl %s: exit %d: %s", line, code, talk)
		}
		made(vars, talk)
		called := regexp.MustCompile(`(?m)^> ` + r.Method + ` ` +
			parameter.ReplaceAllLiteralString(regexp.QuoteMeta(s.URL+r.Path), `[^/?\s]+`) + `(\?\S*)?$`)
		if !called.MatchString(talk) {
			t.Errorf("svcctl %s does not call %s %s:\n%s", line, r.Method, r.Path, talk)
		}
	}
}

// TestNoWriteLeavesADryRun runs every command that changes something with
// --dry-run and with --read-only: neither sends a write.
func TestNoWriteLeavesADryRun(t *testing.T) {
	s, vars := adminWorld(t)
	wrote := regexp.MustCompile(`(?m)^> (POST|PUT|PATCH|DELETE|GET \S*/(restart|password_reset))\b.*$`)
	n, before := 0, ""
	for _, r := range adminRoutes(s) {
		if reads(r) {
			continue
		}
		n++
		line := example(r)
		if strings.Contains(line, "$MADE") && vars["$MADE"] == "" {
			_, talk := runLine(t, s, vars, before)
			made(vars, talk)
		}
		before = line
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
