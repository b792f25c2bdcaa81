package adminapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/server/platform/config"
	"svc/server/servertest"
)

func TestInvitesAreMadeListedAndRevoked(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		invites := w.Admin("root").Admin.Invites
		w.want("GET", "/users/invites", "", http.StatusOK, `{"invites":[]}`)
		two, day := int64(2), "2040-02-29"
		var tokens []string
		for i, c := range []struct {
			in   api.NewInvite
			kind string
		}{
			{api.NewInvite{}, api.InviteOneTime},
			{api.NewInvite{MaxUse: &two}, api.InviteReusable},
			{api.NewInvite{ExpiresAt: &day}, api.InviteDateLimited},
			{api.NewInvite{MaxUse: &two, ExpiresAt: &day}, api.InviteReusableDateLimited},
		} {
			got, err := invites.Create(ctx, c.in)
			w.must(err)
			want := &api.Invite{ID: int64(i + 1), Token: got.Token, MaxUse: c.in.MaxUse, ExpiresAt: c.in.ExpiresAt, InviteType: c.kind}
			if diff := cmp.Diff(want, got, decoded); diff != "" || len(got.Token) != 44 || !strings.HasSuffix(got.Token, "=") {
				t.Errorf("token %q (-want +got):\n%s", got.Token, diff)
			}
			tokens = append(tokens, got.Token)
		}
		revoked, err := invites.Revoke(ctx, tokens[2])
		if err != nil || !revoked.Used || !revoked.Revoked || revoked.Uses != 0 || revoked.ID != 3 {
			t.Errorf("revoked %+v, %v", revoked, err)
		}
		want := make([]string, 4)
		for i, c := range []string{
			`"used":false,"expires_at":null,"uses":0,"max_use":null,"invite_type":"one_time"}`,
			`"used":false,"expires_at":null,"uses":0,"max_use":2,"invite_type":"reusable"}`,
			`"used":true,"expires_at":"2040-02-29","uses":0,"max_use":null,"invite_type":"date_limited","revoked":true}`,
			`"used":false,"expires_at":"2040-02-29","uses":0,"max_use":2,"invite_type":"reusable_date_limited"}`,
		} {
			want[i] = fmt.Sprintf(`{"id":%d,"token":%q,%s`, i+1, tokens[i], c)
		}
		w.want("GET", "/users/invites", "", http.StatusOK, `{"invites":[`+strings.Join(want, ",")+`]}`)
		status, text := w.admin("POST", "/users/invite_token", "max_use=3&expires_at=2041-01-01")
		if status != http.StatusOK || !strings.HasSuffix(text, `"used":false,"expires_at":"2041-01-01","uses":0,"max_use":3,"invite_type":"reusable_date_limited"}`) {
			t.Errorf("as a form: %d %s", status, text)
		}
		w.wantLog()
	})
}

func TestInvitesOfTheWrongShapeAreRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, c := range []struct {
			path, body string
			status     int
			answer     string
		}{
			{"/users/invite_token", `{"max_use":"many"}`, 400, invalid("max_use", "max_use - Invalid integer. Got: string.")},
			{"/users/invite_token", `{"max_use":[1]}`, 400, invalid("max_use", "max_use - Invalid integer. Got: array.")},
			{"/users/invite_token", `{"expires_at":"tomorrow"}`, 400, invalid("expires_at", "expires_at - Invalid format. Expected :date.")},
			{"/users/invite_token", `{"expires_at":"2040-02-30"}`, 400, invalid("expires_at", "expires_at - Invalid format. Expected :date.")},
			{"/users/invite_token", `{"expires_at":"2040-02-03T00:00:00Z"}`, 400, invalid("expires_at", "expires_at - Invalid format. Expected :date.")},
			{"/users/invite_token", `{"expires_at":5}`, 400, invalid("expires_at", "expires_at - Invalid string. Got: integer.")},
			{"/users/invite_token", `{"max_use":0}`, 400, `{"error":"max_use must be at least 1"}`},
			{"/users/revoke_invite", ``, 400, invalid("token", "Missing field: token.")},
			{"/users/revoke_invite", `{"token":"nothing"}`, 404, notFound},
			{"/users/revoke_invite?token=x", ``, 400, invalid("token", "Missing field: token.")},
			{"/users/email_invite", `{"name":"x"}`, 400, `[{"error":"Missing field: email."}]`},
			{"/users/email_invite", `{"email":5}`, 400, `[{"error":"email - Invalid string. Got: integer."}]`},
			{"/users/email_invite", `{"email":"a@b.example"}`, 400, "[{\"error\":\"To send invites you need to set the `registrations_open` option to false.\"}]"},
		} {
			w.want("POST", c.path, c.body, c.status, c.answer)
		}
		w.want("GET", "/users/invites", "", http.StatusOK, `{"invites":[]}`)
	})
}

func TestAnInvitationIsMailed(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		status, text := w.admin("POST", "/users/email_invite", `{"email":"zoe@example.net","name":"Zoe"}`)
		if status != http.StatusNoContent || text != "" {
			t.Fatalf("%d %s", status, text)
		}
		w.Mailbox.Wait("zoe@example.net", 1)
		if len(w.Mailbox.All()) != 1 {
			t.Fatalf("mailed %+v", w.Mailbox.All())
		}
		all, err := w.Admin("root").Admin.Invites.List(ctx)
		if err != nil || len(all) != 1 || all[0].InviteType != api.InviteOneTime || all[0].Used {
			t.Fatalf("invites %+v, %v", all, err)
		}
		agreed := api.Bool(true)
		form := api.NewAccount{Username: "zoe", Password: "long enough", Email: "zoe@example.net", Agreement: &agreed, Token: all[0].Token}
		app := w.With(w.AppToken()).Accounts
		if _, err := app.Register(ctx, form); err != nil {
			t.Errorf("with the invite: %v", err)
		}
		form.Username, form.Email = "yan", "yan@example.net"
		if _, err := app.Register(ctx, form); err == nil || !strings.Contains(err.Error(), "Expired token") {
			t.Errorf("with it once more: %v", err)
		}
		if all, err = w.Admin("root").Admin.Invites.List(ctx); err != nil || !all[0].Used || all[0].Uses != 0 {
			t.Errorf("after that %+v, %v", all, err)
		}
		// One that is used up does not become a revoked one.
		if got, err := w.Admin("root").Admin.Invites.Revoke(ctx, form.Token); err != nil || !got.Used || got.Revoked {
			t.Errorf("revoked after its use: %+v, %v", got, err)
		}
		if err := w.Admin("root").Admin.Invites.Email(ctx, "nonsense", ""); client.Status(err) != 400 || !strings.Contains(err.Error(), "Invalid email") {
			t.Errorf("to nobody: %v", err)
		}
		w.wantLog()
	}, servertest.WithMail, func(s *config.Settings) { s.Instance.RegistrationsOpen, s.Instance.InvitesEnabled = false, true })
}

// TestAllInvitesAreListed: more invites than one read returns are all listed,
// in order, each once.
func TestAllInvitesAreListed(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const n = 12_345
		_, err := w.DB.Writer().ExecContext(t.Context(), fmt.Sprintf(`INSERT INTO invites (token, created_at)
			WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) SELECT 't' || i, %d FROM n`, n, time.Now().Unix()))
		w.must(err)
		all, err := w.Admin("root").Admin.Invites.List(t.Context())
		w.must(err)
		if len(all) != n {
			t.Fatalf("%d of %d invites", len(all), n)
		}
		for i := range all {
			if all[i].ID != int64(i+1) || all[i].InviteType != api.InviteOneTime {
				t.Fatalf("at place %d: %+v", i, all[i])
			}
		}
	})
}
