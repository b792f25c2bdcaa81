package server_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"svc/server/platform/config"
	"svc/server/servertest"
)

// upload sends a file, as the field of this name.
func (w *tables) upload(token, method, path, field string, content []byte) *answer {
	w.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile(field, "file.png")
	w.must(err)
	_, err = part.Write(content)
	w.must(err)
	w.must(form.Close())
	return w.send(token, method, path, form.FormDataContentType(), &body)
}

// set saves a keyword list of one setting until the case ends.
func (w *tables) set(group, key, subkey, value string) *answer {
	w.t.Helper()
	w.t.Cleanup(func() {
		w.admin("POST", "/config", fmt.Sprintf(`{"configs":[{"group":%q,"key":%q,"delete":true,"subkeys":[%q]}]}`, group, key, subkey))
	})
	return w.admin("POST", "/config", fmt.Sprintf(`{"configs":[{"group":%q,"key":%q,"value":[{"tuple":[%q,%s]}]}]}`, group, key, subkey, value))
}

// app makes an application and returns its path.
func (w *tables) app(name string) (path, clientID string) {
	w.t.Helper()
	a := w.admin("POST", "/oauth_app", `{"name":"`+name+`","redirect_uris":"urn:ietf:wg:oauth:2.0:oob","scopes":["read"],"trusted":true}`).ok()
	clientID, _ = a.at("client_id").(string)
	return fmt.Sprintf("/oauth_app/%v", a.at("id")), clientID
}

var adminCases = map[string]func(*tables){
	"inviteToken": func(w *tables) {
		w.admin("POST", "/users/invite_token", "").ok().keys("", "id", "token", "used", "expires_at", "uses", "max_use", "invite_type").
			has("id", reflect.Float64, "token", reflect.String, "used", false, "expires_at", nil, "uses", 0, "max_use", nil, "invite_type", "one_time")
		w.admin("POST", "/users/invite_token", `{"max_use":3}`).ok().has("max_use", 3, "invite_type", "reusable")
		w.admin("POST", "/users/invite_token", `{"expires_at":"2040-01-31"}`).ok().has("expires_at", "2040-01-31", "invite_type", "date_limited")
		w.admin("POST", "/users/invite_token", "max_use=2&expires_at=2040-01-31").ok().has("max_use", 2, "expires_at", "2040-01-31", "invite_type", "reusable_date_limited")
	},
	"invites": func(w *tables) {
		token, _ := w.admin("POST", "/users/invite_token", "").ok().at("token").(string)
		tokens := w.admin("GET", "/users/invites", "").ok().each("invites", "token")
		if len(tokens) == 0 || tokens[len(tokens)-1] != token {
			w.t.Errorf("%s is not the last of %v", token, tokens)
		}
	},
	"revokeInvite": func(w *tables) {
		token, _ := w.admin("POST", "/users/invite_token", "").ok().at("token").(string)
		w.admin("POST", "/users/revoke_invite", `{"token":"`+token+`"}`).ok().has("token", token, "used", true, "uses", 0)
	},
	"emailInvite": func(w *tables) {
		w.admin("POST", "/users/email_invite", `{"email":"`+w.nick("guest")+`@example.org","name":"Guest"}`).is(204, "")
		w.inbox("guest", "Invitation to ")
		w.setting(func(s *config.Settings) { s.Instance.InvitesEnabled = false })
		w.admin("POST", "/users/email_invite", "email=x@example.org").code(400).has("0.error", "To send invites you need to set the `invites_enabled` option to true.")
	},
	"restart": func(w *tables) {
		w.admin("GET", "/restart", "").is(200, `{}`)
	},
	"needReboot": func(w *tables) {
		w.admin("GET", "/need_reboot", "").ok().has("need_reboot", reflect.Bool)
	},
	"config": func(w *tables) {
		w.set(":svc", ":instance", ":description", `"words"`).ok()
		saved := w.admin("GET", "/config?only_db=true", "").ok().has("need_reboot", reflect.Bool)
		if keys := saved.each("configs", "key"); !slices.Contains(keys, ":instance") || strings.Contains(saved.text, `:registrations_open"`) {
			w.t.Errorf("saved: %v %.300s", keys, saved.text)
		}
		all := w.admin("GET", "/config", "").ok().has("need_reboot", reflect.Bool)
		if len(all.each("configs", "key")) <= len(saved.each("configs", "key")) || !strings.Contains(all.text, `{"tuple":[":description","words"]}`) ||
			!strings.Contains(all.text, `":registrations_open"`) {
			w.t.Errorf("merged: %.300s", all.text)
		}
	},
	"updateConfig": func(w *tables) {
		w.set(":svc", ":instance", ":chat_limit", "77").ok().has("configs.0.group", ":svc", "configs.0.key", ":instance", "need_reboot", reflect.Bool)
		w.as("", "GET", "/api/v1/instance", "").ok().has("chat_limit", 77)
		w.set(":svc", ":instance", ":limit", "555").ok()
		w.as("", "GET", "/api/v1/instance", "").ok().has("chat_limit", 77, "max_toot_chars", 555)
		answer := w.admin("POST", "/config", `{"configs":[{"group":":svc","key":":instance","delete":true,"subkeys":[":chat_limit"]}]}`).ok()
		if !strings.Contains(answer.text, `{"tuple":[":limit",555]}`) || strings.Contains(answer.text, ":chat_limit") {
			w.t.Errorf("the remainder: %s", answer.text)
		}
		w.admin("POST", "/config", `{"configs":[{"group":":svc","key":":instance","delete":true}]}`).ok().count("configs", 0)
		w.as("", "GET", "/api/v1/instance", "").ok().has("chat_limit", 5000, "max_toot_chars", 5000)
	},
	"descriptions": func(w *tables) {
		a := w.admin("GET", "/config/descriptions", "").ok().keys("0", "group", "key", "type", "description", "children").
			has("0.children", reflect.Slice, "0.description", reflect.String)
		if len(a.each("", "key")) < 20 {
			w.t.Errorf("few descriptions: %d", len(a.each("", "key")))
		}
		a.keys("0.children.0", "key", "type", "description")
	},
	"reloadEmoji": func(w *tables) { w.admin("POST", "/reload_emoji", "").is(200, `"ok"`) },
	"apps": func(w *tables) {
		_, id := w.app(w.nick("app"))
		w.admin("GET", "/oauth_app?name="+w.nick("app"), "").ok().has("count", 1, "page_size", 50, "apps.0.client_id", id).
			keys("apps.0", "id", "name", "client_id", "client_secret", "redirect_uri", "website", "trusted")
		w.admin("GET", "/oauth_app?client_id="+id, "").ok().lists("apps", "name", w.nick("app"))
		w.admin("GET", "/oauth_app?client_id="+id+"&trusted=false", "").ok().has("count", 0)
		w.admin("GET", "/oauth_app?name="+w.nick("app")+"&trusted=true&page=2&page_size=1", "").ok().has("count", 1, "page_size", 1).count("apps", 0)
	},
	"createApp": func(w *tables) {
		w.admin("POST", "/oauth_app", "name="+w.nick("app")+"&redirect_uris=https://a.example/cb&scopes[]=read&website=https://a.example").ok().
			has("name", w.nick("app"), "redirect_uri", "https://a.example/cb", "website", "https://a.example", "trusted", false, "id", reflect.Float64,
				"client_id", reflect.String, "client_secret", reflect.String)
		w.admin("POST", "/oauth_app", `{"scopes":["read"]}`).is(400, `{"name":"can't be blank","redirect_uris":"can't be blank"}`)
	},
	"updateApp": func(w *tables) {
		path, id := w.app(w.nick("app"))
		w.admin("PATCH", path, `{"name":"`+w.nick("other")+`","trusted":false,"website":"https://b.example"}`).ok().
			has("name", w.nick("other"), "trusted", false, "website", "https://b.example", "client_id", id, "redirect_uri", "urn:ietf:wg:oauth:2.0:oob")
	},
	"deleteApp": func(w *tables) {
		path, id := w.app(w.nick("app"))
		w.admin("DELETE", path, "").is(204, "")
		w.admin("GET", "/oauth_app?client_id="+id, "").ok().has("count", 0)
		w.admin("DELETE", path, "").is(400, badText)
	},
	"mediaBans": func(w *tables) {
		url := "https://" + w.nick("far") + ".example/a.png"
		w.admin("POST", "/media_proxy_caches/purge", `{"urls":["`+url+`"],"ban":true}`).is(200, `{}`)
		w.admin("GET", "/media_proxy_caches?page_size=500", "").ok().has("page_size", 500, "count", reflect.Float64, "urls", reflect.Slice)
		a := w.admin("GET", "/media_proxy_caches?query="+w.nick("far"), "").ok()
		for _, u := range a.each("urls", "") {
			if !strings.HasPrefix(u, w.Base()+"/proxy/") {
				w.t.Errorf("served as %s", u)
			}
		}
		w.admin("POST", "/media_proxy_caches/delete", `{"urls":["`+url+`"]}`).ok()
	},
	"unban": func(w *tables) {
		url := "https://" + w.nick("far") + ".example/a.png"
		before := w.admin("GET", "/media_proxy_caches", "").ok().at("count")
		w.admin("POST", "/media_proxy_caches/purge", `{"urls":["`+url+`"],"ban":true}`).ok()
		if w.admin("GET", "/media_proxy_caches", "").ok().at("count") == before {
			w.t.Error("nothing is banned")
		}
		w.admin("POST", "/media_proxy_caches/delete", `{"urls":["`+url+`"]}`).is(200, `{}`)
		w.admin("GET", "/media_proxy_caches", "").ok().has("count", before)
	},
	"purge": func(w *tables) {
		url := "https://" + w.nick("far") + ".example/a.png"
		before := w.admin("GET", "/media_proxy_caches", "").ok().at("count")
		w.admin("POST", "/media_proxy_caches/purge", `{"urls":["`+url+`"],"ban":false}`).is(200, `{}`)
		w.admin("GET", "/media_proxy_caches", "").ok().has("count", before)
		w.admin("POST", "/media_proxy_caches/purge", "urls[]="+url).is(200, `{}`)
		banned := w.admin("GET", "/media_proxy_caches", "").ok().each("urls", "")
		for _, u := range banned {
			if path, ok := strings.CutPrefix(u, w.Base()); ok {
				if a := w.send("", "GET", path, "", nil); a.status == http.StatusOK {
					w.t.Errorf("%s is still given out", u)
				}
			}
		}
		if len(banned) == 0 {
			w.t.Error("not banned by default")
		}
		w.admin("POST", "/media_proxy_caches/delete", `{"urls":["`+url+`"]}`).ok()
	},
	"document": func(w *tables) {
		w.admin("GET", "/instance_document/instance-panel", "").is(200, `{"url":"`+w.Base()+`/instance/panel.html"}`)
		w.admin("GET", "/instance_document/terms-of-service", "").is(200, `{"url":"`+w.Base()+`/static/terms-of-service.html"}`)
		w.admin("GET", "/instance_document/other", "").is(404, notFoundText)
	},
	"setDocument": func(w *tables) {
		root := w.Token("root", servertest.AdminScopes)
		w.upload(root, "PATCH", "/api/svc/admin/instance_document/instance-panel", "file", []byte("<p>new panel")).
			is(200, `{"url":"`+w.Base()+`/instance/panel.html"}`)
		if a := w.send("", "GET", "/instance/panel.html", "", nil); a.text != "<p>new panel" {
			w.t.Errorf("shown: %.100s", a.text)
		}
		w.admin("DELETE", "/instance_document/instance-panel", "").ok()
	},
	"deleteDocument": func(w *tables) {
		root := w.Token("root", servertest.AdminScopes)
		w.upload(root, "PATCH", "/api/svc/admin/instance_document/terms-of-service", "file", []byte("<p>new terms")).ok()
		w.admin("DELETE", "/instance_document/terms-of-service", "").is(200, `{"url":"`+w.Base()+`/static/terms-of-service.html"}`)
		if a := w.send("", "GET", "/static/terms-of-service.html", "", nil); a.status != 200 || a.text == "<p>new terms" {
			w.t.Errorf("shown: %d %.100s", a.status, a.text)
		}
	},
}
