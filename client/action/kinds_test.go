package action_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/server/platform/config"
	"svc/server/servertest"
	"svc/server/servertest/peer"
)

// TestKindsAgreeWithTheServer carries out each kind as a moderator who lacks one of
// its privileges, as one who has them all, and where it is for admins alone as an
// admin. Then a kind that loses nothing has an inverse that the server accepts, and
// one that loses something either has none or is taken back in part.
func TestKindsAgreeWithTheServer(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		admin := s.Admin("root")
		mod := s.User("mod")
		mod.IsModerator = true
		if err := s.DB.UpdateAccount(ctx, mod, "is_moderator"); err != nil {
			t.Fatal(err)
		}
		moderator := s.Admin("mod")
		p := peer.Start(t, "127.0.0.3")
		p.ActorAt("/actor", "relay").Edit(func(d peer.Doc) { d["type"], d["inbox"] = "Application", p.URL("/inbox") })
		open := func(privileges []api.Privilege) {
			t.Helper()
			list := []any{}
			for _, one := range privileges {
				list = append(list, string(one))
			}
			if _, err := admin.Admin.Config.Set(ctx, ":svc", ":instance", []any{map[string]any{"tuple": []any{":moderator_privileges", list}}}); err != nil {
				t.Fatal(err)
			}
		}
		for _, kind := range action.Kinds() {
			a := sample(t, s, kind, p.URL("/actor"))
			try := func(c *client.Client) action.Result {
				return action.New(c, action.Options{}).Do(ctx, []action.Action{a})[0]
			}
			needs := kind.Needs()
			who := moderator
			if slices.Contains(needs, action.Admins) {
				who = admin
				open(api.Privileges())
				if r := try(moderator); !errors.Is(r.Err, client.ErrForbidden) {
					t.Errorf("%s is for admins alone, and a moderator with all privileges gets %s, %v", kind, r.Outcome, r.Err)
				}
			} else {
				for _, lacking := range needs {
					open(slices.DeleteFunc(api.Privileges(), func(one api.Privilege) bool { return one == lacking }))
					if r := try(moderator); !errors.Is(r.Err, client.ErrForbidden) {
						t.Errorf("%s without %s: %s, %v", kind, lacking, r.Outcome, r.Err)
					}
				}
				open(needs)
			}
			r := try(who)
			if r.Outcome != action.Changed {
				t.Errorf("%s with %s: %s, %v", kind, needs, r.Outcome, r.Err)
				continue
			}
			switch {
			case kind.Loss() == "" && r.Inverse == nil:
				t.Errorf("%s loses nothing, and nothing takes it back", kind)
			case kind.Loss() == "" && kind.Warning() != "", kind.Loss() != "" && kind.Warning() == "":
				t.Errorf("%s loses %q, and warns of %q", kind, kind.Loss(), kind.Warning())
			case kind.Loss() != "" && action.Level(kind, 1, false) == action.L0:
				t.Errorf("%s loses %q without a question", kind, kind.Loss())
			}
			if r.Inverse == nil {
				continue
			}
			if back := action.New(who, action.Options{}).Do(ctx, []action.Action{*r.Inverse})[0]; back.Outcome != action.Changed {
				t.Errorf("%s taken back by %s: %s, %v", kind, r.Inverse.Kind, back.Outcome, back.Err)
			}
			if mine, theirs := needs, r.Inverse.Kind.Needs(); !slices.Equal(mine, theirs) {
				t.Errorf("%s needs %s, and its inverse %s needs %s", kind, mine, r.Inverse.Kind, theirs)
			}
			if !action.Contradict(a, *r.Inverse) && !kind.Adds() {
				t.Errorf("%s and its inverse %s do not contradict each other", kind, r.Inverse.Kind)
			}
		}
	}, func(c *config.Settings) {
		c.ActivityPub.FollowHandshake = 0
		c.Mailer.Enabled = true
		c.Instance.InvitesEnabled, c.Instance.RegistrationsOpen = true, false
	})
}

// onePixel is a GIF.
const onePixel = "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"

// sample is an action of a kind that changes an object of its own.
func sample(t *testing.T, s *servertest.Server, kind action.Kind, relay string) action.Action {
	t.Helper()
	ctx, admin := t.Context(), s.Admin("root").Admin
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(kind, ": ", err)
		}
	}
	nick := "u" + strconv.Itoa(slices.Index(action.Kinds(), kind))
	a := action.Action{Kind: kind, Target: "user/" + nick}
	user := s.User(nick)
	post := func() string {
		t.Helper()
		status, err := s.Client(nick).Statuses.Post(ctx, api.NewStatus{Status: "buy this"})
		must(err)
		return status.ID
	}
	switch kind.Noun() {
	case "report":
		report, err := s.Client("ann").Reports.Create(ctx, api.NewReport{AccountID: user.ID, StatusIDs: []string{post()}, Comment: "spam"})
		must(err)
		id := report.ID
		a.Target = "report/" + id
		switch kind {
		case action.ReportReopen:
			must(admin.Reports.Update(ctx, api.ReportUpdate{ID: id, State: api.ReportClosed}))
		case action.ReportNote:
			a.Args = map[string]string{"text": "seen"}
		case action.ReportNoteDelete:
			must(admin.Reports.AddNote(ctx, id, "seen"))
			found, err := admin.Reports.Get(ctx, id)
			must(err)
			a.Args = map[string]string{"note": strconv.FormatInt(found.Notes[0].ID, 10)}
		}
		return a
	case "status":
		a.Target = "status/" + post()
		a.Args = map[string]string{"sensitive": "true"}
		if kind == action.StatusVisibility {
			a.Args = map[string]string{"visibility": "unlisted"}
		}
		return a
	case "media":
		a.Target, a.Args = "media/https://far.example/"+nick+".png", map[string]string{"ban": "true"}
		if kind == action.MediaUnban {
			a.Args = nil
			must(admin.Media.Purge(ctx, true, strings.TrimPrefix(a.Target, "media/")))
		}
		return a
	case "host":
		host, reason := nick+".example", "spam"
		a.Target, a.Args = "host/"+host, action.LimitArgs([]api.HostLimit{api.LimitReject, api.LimitQuarantine}, &reason)
		if kind == action.HostUnlimit {
			a.Args = action.LimitArgs([]api.HostLimit{api.LimitReject, api.LimitMedia}, nil)
			_, err := admin.Federation.Limit(ctx, api.HostLimitChange{Host: host, Add: []api.HostLimit{api.LimitReject}, Reason: &reason})
			must(err)
		}
		return a
	case "mail-domain":
		a.Target = "mail-domain/" + nick + ".example"
		if kind == action.MailDomainUnblock {
			_, err := admin.MailDomains.Block(ctx, nick+".example")
			must(err)
		}
		return a
	case "emoji":
		a.Target = "emoji/" + nick
		_, err := admin.Emojis.Add(ctx, api.NewEmoji{Shortcode: nick}, client.File{Name: "x", Content: strings.NewReader(onePixel)})
		must(err)
		if kind == action.EmojiEnable {
			_, err := admin.Emojis.SetEnabled(ctx, false, nick)
			must(err)
		}
		return a
	case "relay":
		a.Target = "relay/" + relay
		if kind == action.RelayUnfollow {
			_, err := admin.Relays.Follow(ctx, relay)
			must(err)
		}
		return a
	}
	switch kind {
	case action.UserActivate:
		_, err := admin.Users.Deactivate(ctx, nick)
		must(err)
	case action.UserApprove, action.UserReject:
		user.ApprovalPending = true
		must(s.DB.UpdateAccount(ctx, user, "approval_pending"))
	case action.UserConfirm, action.UserResend:
		user.ConfirmationPending = true
		must(s.DB.UpdateAccount(ctx, user, "confirmation_pending"))
	case action.UserTag:
		a.Args = map[string]string{"tags": "x"}
	case action.UserUntag:
		a.Args = map[string]string{"tags": "x"}
		must(admin.Users.Tag(ctx, []string{nick}, []string{"x"}))
	case action.UserUnmakeAdmin:
		_, err := admin.Users.AddRole(ctx, api.RoleAdmin, nick)
		must(err)
	case action.UserUnmakeModerator:
		_, err := admin.Users.AddRole(ctx, api.RoleModerator, nick)
		must(err)
	case action.UserFollow, action.UserUnfollow:
		// Follows are known once the list is not empty.
		must(admin.Users.Follow(ctx, nick, "root"))
		s.User("ann")
		a.Args = map[string]string{"followed": "ann"}
		if kind == action.UserUnfollow {
			must(admin.Users.Follow(ctx, nick, "ann"))
		}
	case action.UserMessage:
		a.Args = map[string]string{"text": "please read the rules"}
	case action.ConfigRestore:
		a.Target, a.Args = "config/:svc/:instance/:description", map[string]string{"value": `"another"`}
	case action.InviteRevoke:
		invite, err := admin.Invites.Create(ctx, api.NewInvite{})
		must(err)
		a.Target = "invite/" + invite.Token
	case action.AppUpdate, action.AppDelete:
		name, uri := "Web", "https://web.example/back"
		app, err := admin.Apps.Create(ctx, api.AppForm{Name: &name, RedirectURIs: &uri, Scopes: []string{"read"}})
		must(err)
		a.Target = "app/" + strconv.FormatInt(app.ID, 10)
		if kind == action.AppUpdate {
			a.Args = map[string]string{"trusted": "true", "website": "https://web.example", "name": "Web 2"}
		}
	case action.ChatMessageDelete:
		chat, err := s.Client("ann").Chats.Open(ctx, user.ID)
		must(err)
		message, err := s.Client("ann").Chats.Send(ctx, chat.ID, api.NewChatMessage{Content: "hello"})
		must(err)
		a.Target, a.Args = "chat/"+chat.ID, map[string]string{"message": message.ID}
	case action.SSHKeyDelete:
		key, err := s.Client("mod").SSHKeys.Add(ctx, api.NewSSHKey{Key: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHrRhkuJJZeCTgSipX8/mxM+jDlpSywzaUGBDE4yCV84 kim@laptop"})
		must(err)
		a.Target = "ssh-key/" + strconv.FormatInt(key.ID, 10)
	}
	return a
}
