package server_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/sync/errgroup"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/mail/mailtest"
	"svc/server/servertest"
)

// signUp registers a person with an address, by an invite if there is one.
func signUp(t *testing.T, s *servertest.Server, name, address, invite string) error {
	t.Helper()
	agreed := api.Bool(true)
	_, err := s.With(s.AppToken()).Accounts.Register(t.Context(), api.NewAccount{
		Username: name, Password: servertest.Password, Email: address, Agreement: &agreed, Reason: "tea", Token: invite,
	})
	return err
}

// TestSignupsAreJudgedFromTheirList signs people up of several mail domains, one with
// an invite and one with a confirmed address. The list of those who await approval has
// what a decision needs; other accounts have none of it.
func TestSignupsAreJudgedFromTheirList(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		root := s.Admin("root").Admin // of example.org, as all that the harness makes
		s.User("ann")
		opensMail := *s.Settings.Base()
		must(0, signUp(t, s, "kim", "kim@Spam.example", ""))(t)
		must(0, signUp(t, s, "tom", "tom@spam.example", ""))(t)
		must(0, signUp(t, s, "zoe", "zoe@mail.spam.example", ""))(t)
		must(root.Users.ConfirmEmail(ctx, "tom"))(t)
		closed := opensMail
		closed.Instance.RegistrationsOpen, closed.Instance.InvitesEnabled = false, true
		must(0, s.Settings.Swap(closed))(t)
		most := int64(2)
		invite := must(root.Invites.Create(ctx, api.NewInvite{MaxUse: &most}))(t)
		must(0, signUp(t, s, "eve", "eve@example.org", invite.Token))(t)
		must(root.MailDomains.Block(ctx, "spam.example"))(t)

		list := func(q api.UserQuery) map[string]*api.Signup {
			t.Helper()
			got := map[string]*api.Signup{}
			for u, err := range root.Users.List(q).All(ctx) {
				if err != nil {
					t.Fatal(err)
				}
				if u.CreatedAt == nil || time.Since(u.CreatedAt.Time) > time.Hour {
					t.Errorf("%s was made at %v", u.Nickname, u.CreatedAt)
				}
				if got[u.Nickname] = u.Signup; u.Signup != nil && u.Signup.EmailConfirmedAt != nil {
					if time.Since(u.Signup.EmailConfirmedAt.Time) > time.Hour {
						t.Errorf("%s confirmed at %v", u.Nickname, u.Signup.EmailConfirmedAt)
					}
				}
			}
			return got
		}
		sometime := &api.Time{}
		ignoreTime := cmpopts.IgnoreFields(api.Time{}, "Time")
		want := map[string]*api.Signup{
			"eve": {InviteID: &invite.ID, MailDomain: "example.org", MailDomainUsers: 2},
			"kim": {MailDomain: "spam.example", MailDomainUsers: 1, MailDomainBlocked: true},
			"tom": {MailDomain: "spam.example", MailDomainUsers: 1, MailDomainBlocked: true, EmailConfirmedAt: sometime},
			"zoe": {MailDomain: "mail.spam.example", MailDomainBlocked: true},
		}
		if diff := cmp.Diff(want, list(api.UserQuery{Filters: "need_approval"}), ignoreTime); diff != "" {
			t.Error(diff)
		}
		delete(want, "eve")
		delete(want, "zoe")
		for _, domain := range []string{"spam.example", "SPAM.example"} {
			if diff := cmp.Diff(want, list(api.UserQuery{Filters: "need_approval,local", MailDomain: domain}), ignoreTime); diff != "" {
				t.Errorf("%s: %s", domain, diff)
			}
		}
		// Those who await nothing have no sign-up.
		if diff := cmp.Diff(map[string]*api.Signup{"ann": nil, "root": nil, "eve": {InviteID: &invite.ID, MailDomain: "example.org", MailDomainUsers: 2}},
			list(api.UserQuery{MailDomain: "example.org"}), ignoreTime); diff != "" {
			t.Error(diff)
		}
		must(0, signUp(t, s, "guy", "guy@elsewhere.example", invite.Token))(t)
		if h := must(root.Users.History(ctx, "eve"))(t); h.Invite == nil || h.Invite.ID != invite.ID || h.Invite.More || len(h.Invite.Users) != 1 || h.Invite.Users[0].Nickname != "guy" {
			t.Errorf("others of the invite of eve: %s", h.Raw)
		}
		must(root.Users.Approve(ctx, "tom"))(t)
		if u := must(root.Users.Get(ctx, "tom"))(t); u.Signup != nil {
			t.Errorf("approved: %+v", u.Signup)
		}
		if u := must(root.Users.Get(ctx, "kim"))(t); u.Signup == nil || u.Signup.MailDomainUsers != 1 {
			t.Errorf("alone: %+v", u.Signup)
		}
		// Another address is nobody's confirmed one.
		address := "tom@elsewhere.example"
		must(0, root.Users.UpdateCredentials(ctx, "tom", api.CredentialsUpdate{Email: &address}))(t)
		a := must(s.DB.AccountByNickname(ctx, "tom"))(t)
		if u := must(s.DB.User(ctx, a.ID))(t); !u.EmailConfirmedAt.IsZero() {
			t.Errorf("confirmed at %v", u.EmailConfirmedAt)
		}
	}, needsApproval, servertest.WithMail, func(c *config.Settings) { c.Instance.AccountActivationRequired = true })
}

// TestARejectedSignupIsToldAndLogged rejects people who await approval. They get the
// message and are gone, the log has both, and somebody who was approved meanwhile stays.
func TestARejectedSignupIsToldAndLogged(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		moderator(t, s, "mod")
		users := s.Admin("mod").Admin.Users
		opens(t, s, api.PrivilegeApprovals)
		for _, name := range []string{"kim", "tom", "ana", "zoe"} {
			must(0, signUp(t, s, name, name+"@spam.example", ""))(t)
		}
		must(users.Approve(ctx, "ana"))(t)
		_, err := users.Reject(ctx, "Come back with a reason.", "kim", "nobody")
		if !errors.Is(err, client.ErrNotFound) {
			t.Errorf("an unknown one: %v", err)
		}
		if _, err := users.Reject(ctx, strings.Repeat("é", 5001), "kim"); client.Status(err) != http.StatusBadRequest {
			t.Errorf("a long message: %v", err)
		}
		if a := must(s.DB.AccountByNickname(ctx, "kim"))(t); !a.ApprovalPending || a.Deactivated {
			t.Fatalf("kim changed: %+v", a)
		}
		names := must(users.Reject(ctx, " Come back with a reason. ", "kim", "ana"))(t)
		if diff := cmp.Diff([]string{"kim", "ana"}, names); diff != "" {
			t.Error(diff)
		}
		must(users.Reject(ctx, "", "tom"))(t)
		eventually(t, "a mail", func() bool {
			return slices.ContainsFunc(s.Mailbox.To("kim@spam.example"), func(m mailtest.Mail) bool {
				return strings.Contains(m.Subject, "not accepted") && strings.Contains(m.Text, "Come back with a reason.")
			})
		})
		eventually(t, "the accounts to go", func() bool {
			_, kim := s.DB.AccountByNickname(ctx, "kim")
			_, tom := s.DB.AccountByNickname(ctx, "tom")
			return errors.Is(kim, db.ErrNotFound) && errors.Is(tom, db.ErrNotFound)
		})
		// Once a later mail is there, earlier ones have had their time.
		must(users.Reject(ctx, "No.", "zoe"))(t)
		eventually(t, "zoe's mail", func() bool {
			return slices.ContainsFunc(s.Mailbox.To("zoe@spam.example"), func(m mailtest.Mail) bool { return strings.Contains(m.Text, "No.") })
		})
		for _, to := range []string{"tom@spam.example", "ana@spam.example"} {
			if i := slices.IndexFunc(s.Mailbox.To(to), func(m mailtest.Mail) bool { return strings.Contains(m.Subject, "not accepted") }); i >= 0 {
				t.Errorf("%s was mailed a rejection", to)
			}
		}
		if a := must(s.DB.AccountByNickname(ctx, "ana"))(t); a.Deactivated {
			t.Error("ana, who was approved, is deactivated")
		}
		must(0, signUp(t, s, "kim", "kim@spam.example", ""))(t) // the name is free again
		logged := func(search string) []string {
			var out []string
			for e, err := range s.Admin("root").Admin.Log.List(api.LogQuery{Search: search}).All(ctx) {
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, e.Data.Action+": "+e.Message)
			}
			return out
		}
		if diff := cmp.Diff([]string{"reject: @mod rejected users: @kim with message 'Come back with a reason.'"}, logged("@kim")); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"reject: @mod rejected users: @tom"}, logged("@tom")); diff != "" {
			t.Error(diff)
		}
	}, needsApproval, servertest.WithMail)
}

// TestABlockedMailDomainKeepsPeopleOut blocks a mail domain as a moderator: nobody signs
// up with an address there or below, or changes their address to one, until it is
// unblocked. The setting and the log say so.
func TestABlockedMailDomainKeepsPeopleOut(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		moderator(t, s, "mod")
		domains := s.Admin("mod").Admin.MailDomains
		opens(t, s, api.PrivilegeApprovals)
		ann := s.Client("ann")
		reach := func(address string) string {
			name := strings.NewReplacer("@", "", ".", "").Replace(address)
			err := errors.Join(signUp(t, s, name, address, ""), ann.Security.ChangeEmail(ctx, api.EmailChange{Password: servertest.Password, Email: "ann" + address}))
			if err == nil {
				return ""
			}
			return err.Error()
		}
		for _, wrong := range [][]string{nil, {"example"}, {""}, {"a@spam.example"}, {"spam.example:25"}, {"spam.example", "no host"}, slices.Repeat([]string{"a.example"}, 101)} {
			if _, err := domains.Block(ctx, wrong...); client.Status(err) != http.StatusBadRequest {
				t.Errorf("%.30q: %v", wrong, err)
			}
		}
		if blocked := must(domains.List(ctx))(t); len(blocked) != 0 {
			t.Fatalf("blocked %q", blocked)
		}
		blocked := must(domains.Block(ctx, "Spam.example", "bücher.example", "spam.example"))(t)
		want := []string{"spam.example", "xn--bcher-kva.example"}
		if diff := cmp.Diff(want, blocked); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(want, must(domains.Block(ctx, "spam.example"))(t)); diff != "" {
			t.Error(diff)
		}
		for _, address := range []string{"one@spam.example", "two@SPAM.example", "three@mail.spam.example", "four@xn--bcher-kva.example"} {
			if got := reach(address); strings.Count(got, "Invalid email") != 2 {
				t.Errorf("%s: %s", address, got)
			}
		}
		if got := reach("five@notspam.example"); got != "" {
			t.Errorf("a domain that only ends alike: %s", got)
		}
		if diff := cmp.Diff(want[1:], must(domains.Unblock(ctx, "SPAM.example", "free.example"))(t)); diff != "" {
			t.Error(diff)
		}
		if got := reach("six@mail.spam.example"); got != "" {
			t.Errorf("after unblocking: %s", got)
		}
		moderator(t, s, "tess")
		var g errgroup.Group
		for i := range 12 {
			who := s.Admin([]string{"mod", "tess"}[i%2]).Admin.MailDomains
			g.Go(func() error {
				name := fmt.Sprintf("n%d.example", i)
				_, err := who.Block(ctx, name)
				if err == nil {
					_, err = who.Unblock(ctx, name)
				}
				return err
			})
		}
		if err := g.Wait(); err != nil {
			t.Errorf("two moderators at once: %v", err)
		}
		if diff := cmp.Diff(want[1:], must(domains.List(ctx))(t)); diff != "" {
			t.Error(diff)
		}
		var logged []string
		for e, err := range s.Admin("root").Admin.Log.List(api.LogQuery{Search: "spam.example"}).All(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			logged = append(logged, e.Data.Action+": "+e.Message)
		}
		if diff := cmp.Diff([]string{
			"mail_domain_unblock: @mod unblocked mail domains: spam.example",
			"mail_domain_block: @mod blocked mail domains: spam.example, xn--bcher-kva.example",
		}, logged); diff != "" {
			t.Error(diff)
		}
		// An admin sees the same as a setting, with its history.
		saved := must(s.Saved.Saved(ctx))(t)
		if i := slices.IndexFunc(saved, func(c config.Saved) bool { return c.Key == "Svc.User" }); i < 0 || !strings.Contains(saved[i].Value.String(), `["xn--bcher-kva.example"]`) {
			t.Errorf("saved %v", saved)
		}
		history := must(s.Admin("root").Admin.Config.History(api.ConfigHistoryQuery{Key: "Svc.User"}).Page(ctx))(t).Items
		if len(history) != 26 || history[25].Actor == nil || history[25].Actor.Nickname != "mod" {
			t.Errorf("%+v", history)
		}
	})
}
