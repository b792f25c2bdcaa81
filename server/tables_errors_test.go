package server_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"

	"svc/server/platform/config"
	"svc/server/servertest"
)

// smallPNG is a small picture.
func smallPNG() []byte {
	var out bytes.Buffer
	_ = png.Encode(&out, image.NewRGBA(image.Rect(0, 0, 3, 3)))
	return out.Bytes()
}

var errorCases = map[string]func(*tables){
	"errReports": func(w *tables) {
		w.as("", "GET", "/reports", "").is(403, nobodyText)
		w.as("nonsense", "GET", "/reports", "").is(403, nobodyText)
		w.person("ann", "GET", "/api/svc/admin/reports", "").is(403, noAdmin)
	},
	"errForbidden": func(w *tables) {
		id, status := w.report("ann", "bob"), w.post("bob", "status=x")
		for _, c := range [][3]string{{"GET", "/reports/" + id, ""}, {"PUT", "/statuses/" + status, "sensitive=true"}, {"DELETE", "/statuses/" + status, ""}} {
			w.person("ann", c[0], "/api/svc/admin"+c[1], c[2]).is(403, noAdmin)
			w.as("", c[0], c[1], c[2]).is(403, nobodyText)
		}
		w.person("bob", "GET", "/api/v1/statuses/"+status, "").ok().has("sensitive", false)
	},
	"errNotFound": func(w *tables) {
		for _, path := range []string{"/reports/nothing", "/statuses/nothing", "/users/" + w.nick("nobody"), "/users/" + w.nick("nobody") + "/permission_group"} {
			w.admin("GET", path, "").is(404, notFoundText)
		}
		w.user("ann")
		w.admin("GET", "/users/"+w.nick("ann")+"/permission_group/owner", "").code(404)
	},
	"errReportItem": func(w *tables) {
		id := w.report("ann", "bob")
		w.admin("PATCH", "/reports", `{"reports":[{"id":"`+id+`","state":"done"}]}`).is(400, `[{"id":"`+id+`","error":"Unsupported state"}]`)
		w.admin("PATCH", "/reports", `{"reports":[{"id":"`+id+`","state":"resolved","was":"closed"}]}`).is(400, `[{"id":"`+id+`","error":"state_changed"}]`)
		w.admin("PATCH", "/reports", `{"reports":[{"id":"nothing","state":"open"}]}`).is(400, `[{"id":"nothing","error":"not_found"}]`)
	},
	"errNote": func(w *tables) {
		id := w.report("ann", "bob")
		w.admin("POST", "/reports/"+id+"/notes", "").is(400, badText)
		w.admin("POST", "/reports/"+id+"/notes", "content=").is(400, badText)
		w.admin("GET", "/reports/"+id, "").ok().count("notes", 0)
	},
	"errVisibility": func(w *tables) {
		id := w.post("ann", "status=x")
		for _, v := range []string{"direct", "list", "local", "nonsense", ""} {
			w.admin("PUT", "/statuses/"+id, `{"sensitive":true,"visibility":"`+v+`"}`).is(400, `{"error":"Unsupported visibility"}`)
		}
		w.person("ann", "GET", "/api/v1/statuses/"+id, "").ok().has("visibility", "public", "sensitive", false)
	},
	"errPermission": func(w *tables) {
		w.admin("POST", "/users/"+w.nick("nobody")+"/permission_group/admin", "").is(404, notFoundText)
		w.admin("DELETE", "/users/root/permission_group/admin", "").is(403, `{"error":"You can't revoke your own admin status."}`)
		w.admin("DELETE", "/users/permission_group/moderator", "nicknames[]=root").is(403, `{"error":"You can't revoke your own admin/moderator status."}`)
	},
	"errCredentials": func(w *tables) {
		w.user("ann")
		w.admin("PATCH", "/users/"+w.nick("ann")+"/credentials", `{"email":"no address","actor_type":"Robot","bio":"changed"}`).code(400).
			has("errors.email", "has invalid format", "errors.actor_type", "is invalid")
		w.admin("GET", "/users/"+w.nick("ann")+"/credentials", "").ok().has("bio", "")
	},
	"errCredentialsOf": func(w *tables) {
		w.admin("PATCH", "/users/"+w.nick("nobody")+"/credentials", "name=x").is(404, notFoundText)
	},
	"errInvite": func(w *tables) {
		w.setting(func(s *config.Settings) { s.Instance.RegistrationsOpen = true })
		w.admin("POST", "/users/email_invite", "email=x@example.org").
			is(400, "[{\"error\":\"To send invites you need to set the `registrations_open` option to false.\"}]")
	},
	"errApp": func(w *tables) {
		w.admin("POST", "/oauth_app", `{}`).code(400).has("name", "can't be blank", "redirect_uris", "can't be blank", "scopes", "can't be blank")
	},
	"errDeleteApp": func(w *tables) { w.admin("DELETE", "/oauth_app/99999999", "").is(400, badText) },
	"errConfig": func(w *tables) {
		h := w.apart(func(c *config.Config) { c.FromDatabase = false })
		for _, c := range [][3]string{{"GET", "/restart", ""}, {"GET", "/config", ""}, {"POST", "/config", `{"configs":[]}`}} {
			req := httptest.NewRequestWithContext(w.t.Context(), c[0], "/api/svc/admin"+c[1], strings.NewReader(c[2]))
			req.Header.Set("Authorization", "Bearer "+w.Token("root", servertest.AdminScopes))
			req.Header.Set("Content-Type", "application/json")
			got := httptest.NewRecorder()
			h.ServeHTTP(got, req)
			if want := `{"error":"To use this endpoint you need to enable configuration from database."}`; got.Code != http.StatusBadRequest || got.Body.String() != want {
				w.t.Errorf("%v: %d %s", c, got.Code, got.Body)
			}
		}
	},
	"errUnknown": func(w *tables) {
		for _, path := range []string{"", "/statuses"} {
			w.admin("GET", "/users/"+w.nick("nobody")+path, "").is(404, notFoundText)
		}
	},
}

var stateCases = map[string]func(*tables){
	"stateReport": func(w *tables) {
		id := w.report("ann", "bob")
		for _, from := range []string{"open", "closed", "resolved"} {
			for _, to := range []string{"open", "closed", "resolved"} {
				for _, state := range []string{from, to} {
					w.admin("PATCH", "/reports", fmt.Sprintf(`{"reports":[{"id":%q,"state":%q}]}`, id, state)).is(204, "")
					w.admin("GET", "/reports/"+id, "").ok().has("state", state)
					w.logged(fmt.Sprintf("@root updated report #%s (on user @%s) with '%s' state", id, w.nick("bob"), state))
				}
			}
		}
	},
	"stateDeactivate": func(w *tables) {
		for name, call := range map[string][3]string{"ann": {"PATCH", "/users/" + w.nick("ann") + "/toggle_activation", ""}, "bob": {"PATCH", "/users/deactivate", w.names("bob")}} {
			w.person(name, "GET", "/api/v1/accounts/verify_credentials", "").ok()
			w.admin(call[0], call[1], call[2]).ok()
			w.admin("GET", "/users/"+w.nick(name), "").ok().has("deactivated", true)
			if a := w.person(name, "GET", "/api/v1/accounts/verify_credentials", ""); a.status == 200 {
				w.t.Errorf("%s is still let in", name)
			}
		}
	},
	"stateActivate": func(w *tables) {
		for name, call := range map[string][3]string{"ann": {"PATCH", "/users/" + w.nick("ann") + "/toggle_activation", ""}, "bob": {"PATCH", "/users/activate", w.names("bob")}} {
			w.user(name)
			w.admin("PATCH", "/users/deactivate", w.names(name)).ok()
			w.admin(call[0], call[1], call[2]).ok()
			w.admin("GET", "/users/"+w.nick(name), "").ok().has("deactivated", false)
			w.person(name, "GET", "/api/v1/accounts/verify_credentials", "").ok()
		}
	},
	"stateApprove": func(w *tables) {
		w.pending("ann", "approval_pending")
		w.admin("PATCH", "/users/approve", w.names("ann")).ok().has("users.0.approval_pending", false)
		w.admin("GET", "/users/"+w.nick("ann"), "").ok().has("approval_pending", false)
		w.logged("@root approved users: @" + w.nick("ann"))
	},
	"stateConfirm": func(w *tables) {
		w.pending("ann", "confirmation_pending")
		w.admin("PATCH", "/users/confirm_email", w.names("ann")).ok().lists("", "", w.nick("ann"))
		w.admin("GET", "/users/"+w.nick("ann"), "").ok().has("confirmation_pending", false)
		w.logged("@root confirmed email for users: @" + w.nick("ann"))
	},
	"stateResend": func(w *tables) {
		w.pending("ann", "confirmation_pending")
		w.user("bob")
		w.admin("PATCH", "/users/resend_confirmation_email", w.names("ann", "bob")).ok().lists("", "", w.nick("ann"), w.nick("bob"))
		w.inbox("ann", "account confirmation")
		w.inbox("bob", "account confirmation")
		w.admin("GET", "/users/"+w.nick("ann"), "").ok().has("confirmation_pending", true)
		w.admin("GET", "/users/"+w.nick("bob"), "").ok().has("confirmation_pending", false)
	},
	"stateJoin": func(w *tables) {
		w.user("ann")
		for _, group := range []string{"moderator", "admin"} {
			path := "/users/" + w.nick("ann") + "/permission_group"
			w.admin("GET", path, "").ok().has("is_"+group, false)
			w.admin("POST", path+"/"+group, "").ok().has("is_"+group, true)
			w.admin("GET", path, "").ok().has("is_"+group, true)
		}
		w.as(w.Token(w.nick("ann"), servertest.AllScopes+" admin:read"), "GET", "/stats", "").ok()
		w.admin("DELETE", "/users/"+w.nick("ann")+"/permission_group/admin", "").ok()
	},
	"stateLeave": func(w *tables) {
		w.user("ann")
		w.AdminUser(w.nick("boss"))
		boss := w.Token(w.nick("boss"), servertest.AdminScopes)
		path := "/users/" + w.nick("ann") + "/permission_group/"
		for _, group := range []string{"moderator", "admin"} {
			w.admin("POST", path+group, "").ok()
			w.admin("DELETE", path+group, "").ok().has("is_"+group, false)
		}
		w.as(boss, "DELETE", "/users/"+w.nick("boss")+"/permission_group/admin", "").code(403)
		w.as(boss, "DELETE", "/users/permission_group/admin", w.names("ann", "boss")).code(403)
		if !w.row(w.nick("boss")).IsAdmin {
			w.t.Error("he took his own admin status")
		}
		w.admin("DELETE", "/users/"+w.nick("boss")+"/permission_group/admin", "").ok()
		w.as(boss, "GET", "/stats", "").is(403, noAdmin)
	},
	"stateVisibility": func(w *tables) {
		id := w.post("ann", "status=x")
		for _, v := range []string{"private", "unlisted", "public"} {
			w.admin("PUT", "/statuses/"+id, "visibility="+v).ok().has("visibility", v)
			if a := w.as("", "GET", "/api/v1/statuses/"+id, ""); (a.status == 200) != (v != "private") {
				w.t.Errorf("%s: %d", v, a.status)
			}
		}
	},
	"stateDeleted": func(w *tables) {
		id := w.post("ann", "status=x")
		w.as("", "GET", "/api/v1/statuses/"+id, "").ok()
		w.admin("DELETE", "/statuses/"+id, "").is(200, `{}`)
		w.as("", "GET", "/api/v1/statuses/"+id, "").code(404)
	},
	"stateReboot": func(w *tables) {
		w.set(":svc", ":instance", ":upload_limit", "20000000").ok().has("need_reboot", true)
		w.admin("GET", "/need_reboot", "").ok().has("need_reboot", true)
		w.admin("GET", "/config?only_db=true", "").ok().has("need_reboot", true)
		w.admin("GET", "/restart", "").is(200, `{}`)
	},
	"stateRestart": func(w *tables) {
		w.set(":svc", ":instance", ":upload_limit", "21000000").ok().has("need_reboot", true)
		w.admin("GET", "/restart", "").is(200, `{}`)
		eventually(w.t, "a service that has started anew", func() bool {
			return w.admin("GET", "/need_reboot", "").at("need_reboot") == false
		})
		w.as("", "GET", "/api/v1/instance", "").ok().has("upload_limit", 21000000)
	},
	"stateRevoked": func(w *tables) {
		token, _ := w.admin("POST", "/users/invite_token", `{"max_use":5}`).ok().at("token").(string)
		w.admin("POST", "/users/revoke_invite", "token="+token).ok().has("used", true)
		w.as(w.AppToken(), "POST", "/api/v1/accounts", fmt.Sprintf("username=%s&password=a+long+one&agreement=true&email=%s@example.org&token=%s", w.nick("new"), w.nick("new"), token)).
			is(400, `{"error":"Expired token"}`)
		if w.row(w.nick("new")) != nil {
			w.t.Error("a revoked invite admits somebody")
		}
	},
}
