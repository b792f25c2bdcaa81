package server_test

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"svc/server/platform/config"
	"svc/server/platform/mail/mailtest"
	"svc/server/servertest"
)

var adminUserKeys = []string{"deactivated", "id", "nickname", "roles", "local", "tags", "avatar", "display_name", "confirmation_pending",
	"approval_pending", "registration_reason"}

// names joins nicknames of a case as a form.
func (w *tables) names(names ...string) string {
	out := ""
	for _, n := range names {
		out += "nicknames[]=" + w.nick(n) + "&"
	}
	return out
}

// setting changes settings of the service until the case ends.
func (w *tables) setting(edit func(*config.Settings)) {
	w.t.Helper()
	before := *w.Settings.Base()
	after := before
	edit(&after)
	w.must(w.Settings.Swap(after))
	w.t.Cleanup(func() { w.must(w.Settings.Swap(before)) })
}

// inbox checks that a user of this case gets mail.
func (w *tables) inbox(name, subject string) {
	w.t.Helper()
	address := strings.ToLower(w.nick(name)) + "@example.org"
	eventually(w.t, "mail to "+address, func() bool {
		return slices.ContainsFunc(w.Mailbox.To(address), func(m mailtest.Mail) bool { return strings.Contains(m.Subject, subject) })
	})
}

func (w *tables) pending(name, column string) {
	w.t.Helper()
	w.user(name)
	w.sql("UPDATE accounts SET "+column+" = TRUE WHERE nickname = ?", w.nick(name))
}

var userCases = map[string]func(*tables){
	"users": func(w *tables) {
		w.user("ann")
		w.user("bob")
		far := remote(w.t, w.Server, w.nick("eve")+"@one.example")
		w.sql("UPDATE accounts SET deactivated = TRUE, display_name_key = 'robert b' WHERE nickname = ?", w.nick("bob"))
		w.sql("UPDATE accounts SET tags = '[\"odd\"]', is_moderator = TRUE WHERE nickname = ?", w.nick("ann"))
		w.pending("cat", "approval_pending")
		all := w.admin("GET", "/users?query="+w.nick("")+"&page_size=500", "").ok()
		all.keys("users.0", adminUserKeys...).has("page_size", 500, "users.0.id", reflect.Float64, "users.0.roles.admin", reflect.Bool, "users.0.roles.moderator", reflect.Bool)
		for query, want := range map[string]string{
			"query=" + w.nick("ANN"):                                              w.nick("ann"),
			"query=one.example":                                                   far.Nickname,
			"query=" + w.nick("eve") + "@one.ex":                                  far.Nickname,
			"filters=external&query=" + w.nick("eve"):                             far.Nickname,
			"filters=local&query=" + w.nick("eve"):                                "",
			"filters=deactivated&query=" + w.nick("bob"):                          w.nick("bob"),
			"filters=active&query=" + w.nick("bob"):                               "",
			"filters=need_approval&query=" + w.nick("c"):                          "",
			"filters=need_approval":                                               w.nick("cat"),
			"filters=is_moderator,local":                                          w.nick("ann"),
			"filters=is_admin":                                                    "root",
			"tags[]=odd":                                                          w.nick("ann"),
			"name=ROBERT+B":                                                       w.nick("bob"),
			"email=" + w.nick("ANN") + "@example.org":                             w.nick("ann"),
			"page=2&page_size=1&filters=is_admin":                                 "",
			"filters=external,local":                                              "",
			"query=" + w.nick("ann") + "&filters=local,active&name=&email=&page=": w.nick("ann"),
		} {
			got := w.admin("GET", "/users?"+query, "").ok()
			names := strings.Join(got.each("users", "nickname"), " ")
			if names != want {
				w.t.Errorf("%s: %q, want %q", query, names, want)
			}
		}
		w.admin("GET", "/users?page=2&page_size=1&filters=is_admin", "").has("count", 1, "page_size", 1)
	},
	"deleteOneUser": func(w *tables) {
		w.user("ann")
		w.admin("DELETE", "/users?nickname="+w.nick("ann"), "").is(200, `"`+w.nick("ann")+`"`)
		eventually(w.t, "an emptied account", func() bool { a := w.row(w.nick("ann")); return a == nil || a.Deactivated })
		w.logged("@root deleted users: @" + w.nick("ann"))
	},
	"deleteUsers": func(w *tables) {
		w.user("ann")
		w.user("bob")
		w.admin("DELETE", "/users", `{"nicknames":["`+w.nick("bob")+`","`+w.nick("ann")+`"]}`).ok().lists("", "", w.nick("bob"), w.nick("ann"))
		for _, name := range []string{"ann", "bob"} {
			eventually(w.t, "an emptied account", func() bool { a := w.row(w.nick(name)); return a == nil || a.Deactivated })
		}
	},
	"createUsers": func(w *tables) {
		a, b := w.nick("ann"), w.nick("bob")
		w.admin("POST", "/users", fmt.Sprintf(`{"users":[{"nickname":%q,"email":"%s@example.net","password":"a long one"},{"nickname":%q,"email":"%s@example.net","password":"another one"}]}`, a, a, b, b)).
			ok().lists("", "data.nickname", a, b).lists("", "type", "success", "success").lists("", "code", "200", "200").lists("", "data.email", a+"@example.net", b+"@example.net")
		w.admin("GET", "/users/"+b, "").ok().has("nickname", b, "email", b+"@example.net", "confirmation_pending", false)
		w.admin("POST", "/users", fmt.Sprintf(`{"users":[{"nickname":%q,"email":"x@example.net","password":"a long one"},{"nickname":"%sx","email":"y@example.net","password":"a long one"}]}`, a, a)).
			code(409).lists("", "type", "error", "error").lists("", "error", "nickname has already been taken", "")
		if w.row(a+"x") != nil {
			w.t.Error("half of them were made")
		}
	},
	"follow": func(w *tables) {
		ann, bob := w.user("ann"), w.user("bob")
		w.admin("POST", "/users/follow", "follower="+ann.Nickname+"&followed="+bob.Nickname).is(200, `"ok"`)
		w.person("ann", "GET", "/api/v1/accounts/relationships?id[]="+bob.ID, "").ok().has("0.following", true)
		w.logged("@root made @" + ann.Nickname + " follow @" + bob.Nickname)
	},
	"unfollow": func(w *tables) {
		ann, bob := w.user("ann"), w.user("bob")
		w.person("ann", "POST", "/api/v1/accounts/"+bob.ID+"/follow", "").ok().has("following", true)
		w.admin("POST", "/users/unfollow", `{"follower":"`+ann.Nickname+`","followed":"`+bob.Nickname+`"}`).is(200, `"ok"`)
		w.person("ann", "GET", "/api/v1/accounts/relationships?id[]="+bob.ID, "").ok().has("0.following", false)
	},
	"toggle": func(w *tables) {
		ann := w.user("ann")
		for _, deactivated := range []bool{true, false} {
			w.admin("PATCH", "/users/"+w.nick("ann")+"/toggle_activation", "").ok().
				has("deactivated", deactivated, "id", ann.Serial, "nickname", w.nick("ann"))
			if w.row(w.nick("ann")).Deactivated != deactivated {
				w.t.Errorf("deactivated is not %v", deactivated)
			}
		}
	},
	"tag": func(w *tables) {
		w.user("ann")
		w.user("bob")
		w.admin("PUT", "/users/tag", `{"nicknames":["`+w.nick("ann")+`","`+w.nick("bob")+`"],"tags":["Foo","bar"]}`).is(204, "")
		for _, name := range []string{"ann", "bob"} {
			w.admin("GET", "/users/"+w.nick(name), "").ok().lists("tags", "", "foo", "bar")
		}
		w.logged(fmt.Sprintf("@root added tags: Foo, bar to users: @%s, @%s", w.nick("ann"), w.nick("bob")))
	},
	"untag": func(w *tables) {
		w.user("ann")
		w.admin("PUT", "/users/tag", w.names("ann")+"tags[]=foo&tags[]=bar").code(204)
		w.admin("DELETE", "/users/tag?"+w.names("ann")+"tags[]=FOO&tags[]=none", "").is(204, "")
		w.admin("GET", "/users/"+w.nick("ann"), "").ok().lists("tags", "", "bar")
	},
	"membership": func(w *tables) {
		w.user("ann")
		w.sql("UPDATE accounts SET is_moderator = TRUE WHERE nickname = ?", w.nick("ann"))
		w.admin("GET", "/users/"+w.nick("ann")+"/permission_group", "").ok().has("is_moderator", true, "is_admin", false)
	},
	"membershipOf": func(w *tables) {
		w.user("ann")
		for _, group := range []string{"moderator", "admin"} {
			w.admin("GET", "/users/"+w.nick("ann")+"/permission_group/"+group, "").ok().has("is_moderator", false, "is_admin", false)
		}
		w.admin("GET", "/users/"+w.nick("ann")+"/permission_group/owner", "").code(404).has("error", "No such permission_group")
	},
	"addOne": func(w *tables) {
		w.user("ann")
		w.admin("POST", "/users/"+w.nick("ann")+"/permission_group/moderator", "").ok().keys("", adminUserKeys...).
			has("nickname", w.nick("ann"), "roles.moderator", true, "is_moderator", true)
		w.logged("@root made @" + w.nick("ann") + " moderator")
	},
	"addMany": func(w *tables) {
		w.user("ann")
		w.user("bob")
		w.admin("POST", "/users/permission_group/admin", w.names("ann")).ok().keys("", adminUserKeys...).has("roles.admin", true)
		w.admin("POST", "/users/permission_group/admin", w.names("ann", "bob")).ok().has("is_admin", true).lists("users", "nickname", w.nick("ann"), w.nick("bob"))
		w.admin("DELETE", "/users/permission_group/admin?"+w.names("ann", "bob"), "").ok()
	},
	"removeOne": func(w *tables) {
		w.user("ann")
		w.admin("POST", "/users/"+w.nick("ann")+"/permission_group/moderator", "").ok()
		w.admin("DELETE", "/users/"+w.nick("ann")+"/permission_group/moderator", "").ok().keys("", adminUserKeys...).has("roles.moderator", false)
		w.logged("@root revoked moderator role from @" + w.nick("ann"))
	},
	"removeMany": func(w *tables) {
		w.user("ann")
		w.user("bob")
		w.admin("POST", "/users/permission_group/moderator", w.names("ann", "bob")).ok()
		w.admin("DELETE", "/users/permission_group/moderator", w.names("ann", "bob")).ok().has("is_moderator", false)
		if w.row(w.nick("ann")).IsModerator || w.row(w.nick("bob")).IsModerator {
			w.t.Error("still moderators")
		}
	},
	"bulk": func(w *tables) {
		w.user("ann")
		w.pending("bob", "approval_pending")
		both := w.names("bob", "ann")
		w.admin("PATCH", "/users/deactivate", both).ok().lists("users", "nickname", w.nick("bob"), w.nick("ann")).lists("users", "deactivated", "true", "true")
		w.admin("PATCH", "/users/activate", both).ok().lists("users", "nickname", w.nick("bob"), w.nick("ann")).lists("users", "deactivated", "false", "false")
		w.admin("PATCH", "/users/approve", both).ok().lists("users", "nickname", w.nick("bob"), w.nick("ann")).lists("users", "approval_pending", "false", "false")
	},
	"user": func(w *tables) {
		ann := w.user("ann")
		for _, handle := range []string{ann.Nickname, ann.ID, fmt.Sprint(ann.Serial)} {
			w.admin("GET", "/users/"+handle, "").ok().keys("", adminUserKeys...).has("id", ann.Serial, "account_id", ann.ID, "nickname", ann.Nickname, "local", true)
		}
		w.admin("GET", "/users/"+w.nick("nobody"), "").is(404, notFoundText)
	},
	"confirmEmail": func(w *tables) {
		w.pending("ann", "confirmation_pending")
		w.admin("PATCH", "/users/confirm_email", w.names("ann")).ok().lists("", "", w.nick("ann"))
		w.admin("GET", "/users/"+w.nick("ann"), "").ok().has("confirmation_pending", false)
	},
	"resend": func(w *tables) {
		w.pending("ann", "confirmation_pending")
		w.admin("PATCH", "/users/resend_confirmation_email", w.names("ann")).ok().lists("", "", w.nick("ann"))
		w.inbox("ann", "account confirmation")
	},
	"passwordReset": func(w *tables) {
		w.user("ann")
		a := w.admin("GET", "/users/"+w.nick("ann")+"/password_reset", "").ok()
		token, _ := a.at("token").(string)
		raw, err := base64.URLEncoding.DecodeString(token)
		if err != nil || len(raw) != 32 {
			w.t.Errorf("token %q: %v", token, err)
		}
		link, _ := a.at("link").(string)
		if want := w.Base() + "/api/svc/password_reset/" + strings.ReplaceAll(token, "=", "%3D"); link != want {
			w.t.Errorf("link %q, want %q", link, want)
		}
		page := w.as("", "GET", strings.TrimPrefix(link, w.Base()), "").ok()
		if !strings.Contains(page.text, "data[password]") {
			w.t.Errorf("no form: %.300s", page.text)
		}
	},
	"forceReset": func(w *tables) {
		w.person("ann", "GET", "/api/v1/accounts/verify_credentials", "").ok()
		w.admin("PATCH", "/users/force_password_reset", w.names("ann")).is(204, "")
		eventually(w.t, "a useless token", func() bool {
			return w.person("ann", "GET", "/api/v1/accounts/verify_credentials", "").status >= 400
		})
		w.logged("@root forced password reset for users: @" + w.nick("ann"))
	},
	"disableMFA": func(w *tables) {
		ann := w.user("ann")
		w.sql("UPDATE users SET totp_enabled = TRUE, totp_secret = 'x' WHERE account_id = ?", ann.ID)
		w.admin("PUT", "/users/disable_mfa", "nickname="+w.nick("ann")).is(200, `"`+w.nick("ann")+`"`)
		u, err := w.DB.User(w.t.Context(), ann.ID)
		if err != nil || u.TOTPEnabled || u.TOTPSecret != "" {
			w.t.Errorf("%+v, %v", u, err)
		}
	},
	"credentials": func(w *tables) {
		ann := w.user("ann")
		w.admin("GET", "/users/"+w.nick("ann")+"/credentials", "").ok().keys("", "actor_type", "allow_following_move", "avatar", "background", "banner",
			"bio", "default_scope", "discoverable", "email", "fields", "hide_favorites", "hide_followers", "hide_followers_count", "hide_follows",
			"hide_follows_count", "id", "locked", "name", "no_rich_text", "svc_settings_store", "raw_fields", "show_role", "skip_thread_containment").
			has("id", ann.ID, "email", w.nick("ann")+"@example.org", "svc_settings_store", reflect.Map, "fields", reflect.Slice, "raw_fields", reflect.Slice)
	},
	"updateCredentials": func(w *tables) {
		ann := w.user("ann")
		w.admin("PATCH", "/users/"+w.nick("ann")+"/credentials", `{"email":"`+w.nick("new")+`@example.net","name":"Ann","bio":"hello","locked":true,
			"no_rich_text":true,"default_scope":"private","hide_follows":true,"hide_followers":true,"hide_followers_count":true,"hide_follows_count":true,
			"hide_favorites":false,"allow_following_move":false,"show_role":false,"skip_thread_containment":false,"discoverable":true,"actor_type":"Service",
			"fields":[{"name":"a","value":"b"}],"avatar":"","banner":"","background":""}`).is(200, `{"status":"success"}`)
		w.admin("GET", "/users/"+w.nick("ann")+"/credentials", "").ok().has("email", w.nick("new")+"@example.net", "name", "Ann", "locked", true,
			"no_rich_text", true, "default_scope", "private", "hide_follows", true, "hide_followers", true, "hide_followers_count", true,
			"hide_follows_count", true, "hide_favorites", false, "allow_following_move", false, "show_role", false, "skip_thread_containment", false,
			"discoverable", true, "actor_type", "Service", "fields.0.name", "a", "raw_fields.0.id", 1, "raw_fields.0.value", "b")
		w.logged("@root updated users: @" + w.nick("ann"))
		token := w.Token(w.nick("ann"), servertest.AllScopes)
		w.admin("PATCH", "/users/"+w.nick("ann")+"/credentials", "password=another+long+one").is(200, `{"status":"success"}`)
		if a := w.as(token, "GET", "/api/v1/accounts/verify_credentials", ""); a.status < 400 {
			w.t.Errorf("the old token works: %d", a.status)
		}
		u, err := w.DB.User(w.t.Context(), ann.ID)
		if err != nil || !u.PasswordResetPending {
			w.t.Errorf("no reset is forced: %v", err)
		}
	},
}
