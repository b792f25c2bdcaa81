package server_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/platform/config"
	"svc/server/platform/fault"
	"svc/server/platform/jobs"
	"svc/server/platform/static"
	"svc/server/rules/auth"
	"svc/server/rules/chats"
	"svc/server/rules/moderation"
	"svc/server/rules/settings"
	"svc/server/rules/signup"
	"svc/server/rules/social"
)

// idle is a service that does not serve, so that only the test changes rows.
type idle struct {
	*server.Server
	t              *testing.T
	data           string
	root, mod, ann *db.Account
}

func newIdle(t *testing.T) *idle {
	t.Helper()
	cfg := config.Defaults()
	cfg.BaseURL, cfg.DataDir, cfg.FromDatabase, cfg.FederationInsecure = dbtest.Base, t.TempDir(), true, true
	d := dbtest.Open(t, dbtest.Ready(t))
	srv, err := server.New(t.Context(), cfg, d, server.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &idle{Server: srv, t: t, data: cfg.DataDir}
	person := func(nickname string) *db.Account {
		a := dbtest.Account(t, d, nickname)
		s.must(d.CreateUser(t.Context(), &db.User{AccountID: a.ID, PasswordHash: "x"}))
		return a
	}
	s.root, s.mod, s.ann = person("root"), person("mod"), person("ann")
	s.root.IsAdmin, s.mod.IsModerator = true, true
	for _, a := range []*db.Account{s.root, s.mod} {
		s.must(d.UpdateAccount(t.Context(), a, "is_admin", "is_moderator"))
	}
	return s
}

func (s *idle) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// opens sets the privileges of moderators.
func (s *idle) opens(privileges ...api.Privilege) {
	s.t.Helper()
	settings := *s.Settings.Base()
	settings.Instance.ModeratorPrivileges = nil
	for _, p := range privileges {
		settings.Instance.ModeratorPrivileges = append(settings.Instance.ModeratorPrivileges, string(p))
	}
	s.must(s.Settings.Swap(settings))
}

// kept is all rows by table, and all files, as text.
func (s *idle) kept() map[string]string {
	s.t.Helper()
	out := map[string]string{}
	read := func(name, query string) error {
		rows, err := s.DB.Writer().QueryContext(s.t.Context(), query)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		columns, err := rows.Columns()
		if err != nil {
			return err
		}
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		for rows.Next() {
			if err := rows.Scan(into...); err != nil {
				return err
			}
			out[name] += fmt.Sprintln(values...)
		}
		return rows.Err()
	}
	s.must(read("", "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"))
	tables := strings.Fields(out[""])
	for _, table := range tables {
		s.must(read(table, "SELECT * FROM "+table))
	}
	s.must(filepath.WalkDir(s.data, func(name string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(name)
		out[name] = string(content)
		return err
	}))
	return out
}

// refused checks that an operation refuses accounts without the right, and
// changes nothing.
func (s *idle) refused(t *testing.T, do func(by *db.Account) error, by ...*db.Account) {
	t.Helper()
	for _, by := range by {
		before := s.kept()
		if err := do(by); !fault.Is(err, fault.KindForbidden) {
			t.Errorf("as %s: %v", by.Nickname, err)
		}
		if diff := cmp.Diff(before, s.kept()); diff != "" {
			t.Errorf("%s changed: %s", by.Nickname, diff)
		}
	}
}

// TestEachAdminWriteAsksItsRight calls the operations of admins and moderators
// directly: even without the checks of routes, an account without the right
// changes nothing.
func TestEachAdminWriteAsksItsRight(t *testing.T) {
	dbtest.Alone(t)
	s := newIdle(t)
	ctx := t.Context()
	status, err := s.Social.PostStatus(ctx, s.ann, social.NewStatus{Text: "hello"})
	s.must(err)
	report, err := s.Moderation.FileReport(ctx, s.root, moderation.NewReport{TargetID: s.ann.ID, StatusIDs: []string{status.ID}})
	s.must(err)
	s.must(s.Moderation.AddNote(ctx, s.root, report.ID, "seen", ""))
	chat, err := s.Chats.Open(ctx, s.ann, s.root.ID)
	s.must(err)
	message, err := s.Chats.Send(ctx, s.ann, chat.ID, chats.NewMessage{Text: "hi"})
	s.must(err)
	app, err := s.Auth.AddApp(ctx, s.root, auth.NewApp{Name: "app", RedirectURIs: auth.OutOfBand, Scopes: "read"})
	s.must(err)
	invite, err := s.Signup.CreateInvite(ctx, s.root, signup.NewInvite{})
	s.must(err)
	s.must(s.DB.HostSeen(ctx, "far.example"))
	s.must(s.DB.Tx(ctx, func(tx *db.DB) error {
		return jobs.EnqueueAt(ctx, tx, jobs.ExpireStatus{StatusID: "none"}, time.Now().Add(time.Hour))
	}))
	s.must(dbtest.Exec(t, s.DB, `UPDATE river_job SET state = 'discarded', finalized_at = created_at, attempt = 1 WHERE kind = 'expire_status'`))
	failed, err := s.DB.FailedJobs(ctx, jobs.QueueExpiry, 0, 1)
	s.must(err)
	s.must(s.Static.Write(ctx, s.root, static.Terms, []byte("<p>Be kind.</p>")))
	const file, relay = "https://far.example/a.png", "http://127.0.0.1:1/actor"
	s.must(s.Proxy.Purge(ctx, s.root, []string{file}, true))
	word, yes, nickname := "private", true, s.ann.Nickname

	m := s.Moderation
	everyStaff := map[string]func(by *db.Account) error{
		"delete status": func(by *db.Account) error { return m.DeleteStatus(ctx, by, status.ID) },
	}
	privileged := map[api.Privilege]map[string]func(by *db.Account) error{
		api.PrivilegeReports: {
			"update reports": func(by *db.Account) error {
				return second(m.UpdateReports(ctx, by, []moderation.ReportChange{{ID: report.ID, State: "closed"}}))
			},
			"add note":    func(by *db.Account) error { return m.AddNote(ctx, by, report.ID, "mine", "") },
			"delete note": func(by *db.Account) error { return m.DeleteNote(ctx, by, report.ID, 1) },
		},
		api.PrivilegeStatuses: {
			"update status": func(by *db.Account) error { return m.UpdateStatus(ctx, by, status.ID, &yes, &word) },
		},
		api.PrivilegeUsersActivation: {
			"activate":          func(by *db.Account) error { return second(m.Activate(ctx, by, nickname)) },
			"deactivate":        func(by *db.Account) error { return second(m.Deactivate(ctx, by, nickname)) },
			"toggle activation": func(by *db.Account) error { return second(m.Toggle(ctx, by, nickname)) },
		},
		api.PrivilegeApprovals: {
			"approve":              func(by *db.Account) error { return second(m.Approve(ctx, by, nickname)) },
			"reject":               func(by *db.Account) error { return m.Reject(ctx, by, "no", nickname) },
			"block mail domains":   func(by *db.Account) error { return m.BlockMailDomains(ctx, by, "spam.example") },
			"unblock mail domains": func(by *db.Account) error { return m.UnblockMailDomains(ctx, by, "spam.example") },
			"read mail domains":    func(by *db.Account) error { return second(m.MailDomains(ctx, by)) },
		},
		api.PrivilegeInvites: {
			"create invite": func(by *db.Account) error { return second(s.Signup.CreateInvite(ctx, by, signup.NewInvite{})) },
			"revoke invite": func(by *db.Account) error { return second(s.Signup.RevokeInvite(ctx, by, invite.Token)) },
			"mail invite":   func(by *db.Account) error { return s.Signup.EmailInvite(ctx, by, "new@example.org", "New", "") },
		},
		api.PrivilegeMedia: {
			"ban media":   func(by *db.Account) error { return s.Proxy.Purge(ctx, by, []string{"https://far.example/b.png"}, true) },
			"unban media": func(by *db.Account) error { return s.Proxy.Unban(ctx, by, []string{file}) },
		},
	}
	adminsAlone := map[string]func(by *db.Account) error{
		"create users": func(by *db.Account) error {
			return m.CreateUsers(ctx, by, "", signup.Asked{Nickname: "new", Email: "new@example.org", Password: "long enough"})
		},
		"confirm emails":       func(by *db.Account) error { return m.ConfirmEmails(ctx, by, nickname) },
		"resend confirmations": func(by *db.Account) error { return m.ResendConfirmations(ctx, by, nickname) },
		"force password reset": func(by *db.Account) error { return m.ForcePasswordReset(ctx, by, nickname) },
		"move":                 func(by *db.Account) error { return m.MoveUser(ctx, by, nickname, s.root.Nickname) },
		"cancel move":          func(by *db.Account) error { return m.CancelMove(ctx, by, nickname) },
		"log out":              func(by *db.Account) error { return m.LogOut(ctx, by, nickname) },
		"password reset":       func(by *db.Account) error { return second(m.PasswordReset(ctx, by, nickname)) },
		"disable mfa":          func(by *db.Account) error { return m.DisableMFA(ctx, by, nickname) },
		"start backup":         func(by *db.Account) error { return m.StartBackup(ctx, by, nickname, "") },
		"update credentials": func(by *db.Account) error {
			return m.UpdateCredentials(ctx, by, nickname, moderation.Credentials{Email: &word})
		},
		"delete chat message": func(by *db.Account) error { return second(m.DeleteChatMessage(ctx, by, chat.ID, message.ID)) },
		"follow":              func(by *db.Account) error { return m.Follow(ctx, by, nickname, s.root.Nickname) },
		"unfollow":            func(by *db.Account) error { return m.Unfollow(ctx, by, nickname, s.root.Nickname) },
		"grant":               func(by *db.Account) error { return second(m.Grant(ctx, by, moderation.Admins, nickname)) },
		"revoke":              func(by *db.Account) error { return second(m.Revoke(ctx, by, moderation.Admins, nickname)) },
		"revoke one":          func(by *db.Account) error { return second(m.RevokeOne(ctx, by, moderation.Admins, nickname)) },
		"tag":                 func(by *db.Account) error { return m.Tag(ctx, by, []string{nickname}, []string{"x"}) },
		"untag":               func(by *db.Account) error { return m.Untag(ctx, by, []string{nickname}, []string{"x"}) },
		"follow relay":        func(by *db.Account) error { return second(m.FollowRelay(ctx, by, relay)) },
		"unfollow relay":      func(by *db.Account) error { return m.UnfollowRelay(ctx, by, relay) },
		"add app": func(by *db.Account) error {
			return second(s.Auth.AddApp(ctx, by, auth.NewApp{Name: "b", RedirectURIs: auth.OutOfBand, Scopes: "read"}))
		},
		"change app": func(by *db.Account) error {
			return second(s.Auth.ChangeApp(ctx, by, app.ID, auth.AppChange{Name: &word}))
		},
		"delete app": func(by *db.Account) error { return s.Auth.DeleteApp(ctx, by, app.ID) },
		"save settings": func(by *db.Account) error {
			return second(s.Saved.Update(ctx, by, []settings.Change{{Group: ":svc", Key: ":mine", Value: json.RawMessage("1")}}))
		},
		"restart":         func(by *db.Account) error { return s.Saved.Restart(ctx, by) },
		"write document":  func(by *db.Account) error { return s.Static.Write(ctx, by, static.Panel, []byte("<p>Mine.</p>")) },
		"delete document": func(by *db.Account) error { return s.Static.Delete(ctx, by, static.Terms) },
		"reload emoji":    func(by *db.Account) error { return s.Emojis.ReloadAll(ctx, by) },
		"retry host":      func(by *db.Account) error { return s.Delivery.RetryHost(ctx, by, "far.example") },
		"forget host":     func(by *db.Account) error { return second(s.Delivery.ForgetHost(ctx, by, "far.example")) },
		"retry job":       func(by *db.Account) error { return s.Delivery.RetryJob(ctx, by, failed[0].ID) },
		"retry queue":     func(by *db.Account) error { return second(s.Delivery.RetryQueue(ctx, by, jobs.QueueExpiry)) },
		"delete users":    func(by *db.Account) error { return m.DeleteUsers(ctx, by, nickname) },
	}
	for name, do := range everyStaff {
		t.Run(name, func(t *testing.T) { s.refused(t, do, s.ann) })
	}
	for name, do := range adminsAlone {
		t.Run(name, func(t *testing.T) { s.refused(t, do, s.ann, s.mod) })
	}
	for _, deeds := range privileged {
		for name, do := range deeds {
			t.Run(name, func(t *testing.T) { s.refused(t, do, s.ann, s.mod) })
		}
	}
	// Moderators have privileges one by one.
	for _, p := range api.Privileges() {
		s.opens(p)
		for needed, deeds := range privileged {
			for name, do := range deeds {
				err := do(s.mod)
				if needed != p && (!fault.Is(err, fault.KindForbidden) || err.Error() != "User is not an admin, and moderators lack the privilege "+string(needed)+".") ||
					needed == p && fault.Is(err, fault.KindForbidden) {
					t.Errorf("%s with %s: %v", name, p, err)
				}
			}
		}
	}
	s.opens(api.Privileges()...)
	for name, do := range adminsAlone {
		if err := do(s.mod); !fault.Is(err, fault.KindForbidden) {
			t.Errorf("%s with all privileges: %v", name, err)
		}
	}
	// Nor does an admin who lost the role after the request read their account.
	silent := map[string]bool{"follow relay": true, "unfollow relay": true} // relays, which do not answer here
	former := *s.mod
	former.IsAdmin, former.IsModerator = true, false
	for name, do := range adminsAlone {
		if err := do(&former); !silent[name] && !fault.Is(err, fault.KindForbidden) {
			t.Errorf("%s as a former admin: %v", name, err)
		}
	}
	// With the right, no operation is forbidden.
	for name, do := range everyStaff {
		if err := do(s.mod); fault.Is(err, fault.KindForbidden) {
			t.Errorf("%s as a moderator: %v", name, err)
		}
	}
	for name, do := range adminsAlone {
		if err := do(s.root); fault.Is(err, fault.KindForbidden) {
			t.Errorf("%s as an admin: %v", name, err)
		}
	}
}

// TestNoOperationOfModerationForgetsItsRight calls every operation with zero
// values. An operation that checks anything before the right returns another
// error.
func TestNoOperationOfModerationForgetsItsRight(t *testing.T) {
	s := newIdle(t)
	everybody := map[string]bool{"FileReport": true, "TakeReport": true}
	operations := reflect.ValueOf(s.Moderation)
	for i := range operations.NumMethod() {
		name, do := operations.Type().Method(i).Name, operations.Method(i)
		if everybody[name] || do.Type().NumIn() < 2 || do.Type().In(1) != reflect.TypeFor[*db.Account]() {
			continue
		}
		in := []reflect.Value{reflect.ValueOf(t.Context()), reflect.ValueOf(s.ann)}
		for j := 2; j < do.Type().NumIn() && (!do.Type().IsVariadic() || j < do.Type().NumIn()-1); j++ {
			in = append(in, reflect.Zero(do.Type().In(j)))
		}
		out := do.Call(in)
		if err, _ := out[len(out)-1].Interface().(error); !fault.Is(err, fault.KindForbidden) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
