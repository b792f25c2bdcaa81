package server_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"svc/client/api"
	"svc/server/rules/auth"
	"svc/server/servertest"
)

// follows makes a user of this case follow another.
func (w *tables) follows(who, whom string) {
	w.t.Helper()
	w.user(who)
	w.person(who, "POST", "/api/v1/accounts/"+w.user(whom).ID+"/follow", "").ok()
}

var clientCases = map[string]func(*tables){
	"timelines": func(w *tables) {
		w.follows("ann", "bob")
		w.user("cat")
		bobs := w.post("bob", "status=hello")
		quiet := w.post("bob", "status=psst&visibility=unlisted")
		cats := w.post("cat", "status=hello")
		toCat := w.post("bob", "status=@"+w.nick("cat")+"+hi&in_reply_to_id="+cats)
		toAnn := w.post("bob", "status=@"+w.nick("ann")+"+hi&in_reply_to_id="+w.post("ann", "status=mine"))
		shows := func(path string) func(id string) bool {
			ids := w.person("ann", "GET", "/api/v1/timelines/"+path, "").ok().each("", "id")
			return func(id string) bool { return slices.Contains(ids, id) }
		}
		check := func(path string, id string, want bool) {
			w.t.Helper()
			if shows(path)(id) != want {
				w.t.Errorf("%s shows %s: %v", path, id, !want)
			}
		}
		for path, want := range map[string][3]bool{"home": {true, true, true}, "home?exclude_visibilities[]=unlisted": {true, false, true},
			"home?exclude_visibilities[]=public": {false, true, false}, "public": {true, false, true}} {
			for i, id := range []string{bobs, quiet, toAnn} {
				check(path, id, want[i])
			}
		}
		check("public", toCat, true)
		for _, path := range []string{"public?reply_visibility=", "home?reply_visibility="} {
			check(path+"following", toCat, false)
			check(path+"self", toCat, false)
			check(path+"self", toAnn, true)
			check(path+"following", toAnn, true)
		}
		w.person("ann", "POST", "/api/v1/accounts/"+w.user("bob").ID+"/mute", "").ok()
		for _, path := range []string{"home", "public"} {
			check(path, bobs, false)
			check(path+"?with_muted=true", bobs, true)
		}
	},
	"byNickname": func(w *tables) {
		ann := w.user("ann")
		id := w.post("ann", "status=hello")
		w.as("", "GET", "/api/v1/accounts/"+ann.Nickname, "").ok().has("id", ann.ID)
		w.as("", "GET", "/api/v1/accounts/"+ann.Nickname+"/statuses", "").ok().lists("", "id", id)
	},
	"accountSearch": func(w *tables) {
		ann := w.user("ann")
		w.as("", "GET", "/api/v1/accounts/search?q="+ann.Nickname, "").ok().has("0.id", ann.ID)
	},
	"conversations": func(w *tables) {
		bob, cat := w.user("bob"), w.user("cat")
		toBob := w.post("ann", "visibility=direct&status=@"+bob.Nickname)
		w.post("ann", "visibility=direct&status=@"+cat.Nickname)
		w.person("ann", "GET", "/api/v1/conversations", "").ok().count("", 2)
		w.person("ann", "GET", "/api/v1/conversations?recipients[]="+bob.ID, "").ok().count("", 1).has("0.last_status.id", toBob)
	},
	"notifications": func(w *tables) {
		ann := w.user("ann")
		w.user("bob")
		w.follows("bob", "ann")
		w.post("bob", "visibility=direct&status=@"+ann.Nickname)
		w.post("bob", "status=@"+ann.Nickname)
		w.person("ann", "GET", "/api/v1/notifications", "").ok().lists("", "type", "mention", "mention", "follow")
		w.person("ann", "GET", "/api/v1/notifications?include_types[]=follow", "").ok().lists("", "type", "follow")
		w.person("ann", "GET", "/api/v1/notifications?exclude_visibilities[]=direct&include_types[]=mention", "").ok().count("", 1).has("0.status.visibility", "public")
	},
	"destroyNotifications": func(w *tables) {
		ann := w.user("ann")
		w.post("bob", "status=@"+ann.Nickname)
		w.post("bob", "status=@"+ann.Nickname)
		ids := w.person("ann", "GET", "/api/v1/notifications", "").ok().each("", "id")
		w.person("ann", "DELETE", "/api/v1/notifications/destroy_multiple?ids[]="+ids[0], "").is(200, `{}`)
		w.person("ann", "GET", "/api/v1/notifications", "").ok().lists("", "id", ids[1:]...)
	},
	"postStatus": func(w *tables) {
		ann, bob := w.user("ann"), w.user("bob")
		preview := w.person("ann", "POST", "/api/v1/statuses", "status=draft&preview=true").ok().has("content", "draft")
		if id, _ := preview.at("id").(string); id != "" && w.person("ann", "GET", "/api/v1/statuses/"+id, "").status != 404 {
			w.t.Error("a preview was posted")
		}
		w.person("ann", "POST", "/api/v1/statuses", `{"status":"**bold**","content_type":"text/markdown"}`).ok().has("content", "<p><strong>bold</strong></p>")
		w.person("ann", "POST", "/api/v1/statuses", `{"status":"no names","to":["`+bob.Nickname+`"],"visibility":"direct"}`).ok().
			has("mentions.0.id", bob.ID, "visibility", "direct")
		list := w.person("ann", "POST", "/api/v1/lists", "title=friends").ok().id()
		w.person("ann", "POST", "/api/v1/lists/"+list+"/accounts", "account_ids[]="+bob.ID)
		toList := w.person("ann", "POST", "/api/v1/statuses", "status=to+a+list&visibility=list:"+list).ok().has("visibility", "list").id()
		w.person("bob", "GET", "/api/v1/statuses/"+toList, "").ok()
		w.person("cat", "GET", "/api/v1/statuses/"+toList, "").code(404)
		soon := w.person("ann", "POST", "/api/v1/statuses", "status=soon+gone&expires_in=7200").ok()
		at, err := time.Parse(time.RFC3339, fmt.Sprint(soon.at("svc.expires_at")))
		if left := time.Until(at); err != nil || left < time.Hour || left > 2*time.Hour {
			w.t.Errorf("expires at %v, %v", soon.at("svc.expires_at"), err)
		}
		first := w.person("ann", "POST", "/api/v1/statuses", "visibility=direct&status=@"+bob.Nickname).ok()
		w.person("bob", "GET", "/api/v1/statuses/"+first.id(), "").ok()
		theirs := w.person("bob", "GET", "/api/v1/conversations", "").ok().at("0.id")
		w.person("bob", "POST", "/api/v1/statuses", fmt.Sprintf("status=answer&in_reply_to_conversation_id=%v", theirs)).ok().
			has("visibility", "direct", "mentions.0.id", ann.ID)
		w.person("ann", "POST", "/api/v1/statuses", fmt.Sprintf("status=again&in_reply_to_conversation_id=%v", first.at("svc.direct_conversation_id"))).ok().
			has("visibility", "direct", "mentions.0.id", bob.ID)
	},
	"statusesByID": func(w *tables) {
		one, two := w.post("ann", "status=1"), w.post("ann", "status=2")
		got := w.person("bob", "GET", "/api/v1/statuses?ids[]="+one+"&ids[]="+two+"&ids[]=nothing", "").ok().each("", "id")
		slices.Sort(got)
		if !slices.Equal(got, []string{one, two}) {
			w.t.Errorf("%v", got)
		}
		w.person("bob", "GET", "/api/v1/statuses?id[]="+two+"&ids[]="+one, "").ok().lists("", "id", one, two)
		w.person("bob", "GET", "/api/v1/statuses", "").is(400, `{"error":"Missing field: ids.","errors":[{"message":"Missing field: ids","source":{"pointer":"/ids"},"title":"Invalid value"}]}`)
	},
	"ownCredentials": func(w *tables) {
		for _, name := range []string{"no_rich_text", "hide_followers", "hide_follows", "hide_followers_count", "hide_follows_count", "hide_favorites",
			"show_role", "skip_thread_containment", "allow_following_move", "discoverable", "accepts_chat_messages"} {
			for _, on := range []string{"false", "true"} {
				where := map[string]string{"no_rich_text": "source.svc.", "show_role": "source.svc.", "discoverable": "source.svc."}[name]
				if where == "" {
					where = "svc."
				}
				a := w.person("ann", "PATCH", "/api/v1/accounts/update_credentials", name+"="+on).ok()
				if name != "skip_thread_containment" {
					a.has(where+name, on == "true")
				}
			}
		}
		w.person("ann", "PATCH", "/api/v1/accounts/update_credentials", `{"default_scope":"unlisted","actor_type":"Service","svc_settings_store":{"fe":{"a":1}}}`).ok().
			has("source.privacy", "unlisted", "source.svc.actor_type", "Service", "svc.settings_store.fe.a", 1)
		w.person("ann", "PATCH", "/api/v1/accounts/update_credentials", `{"svc_settings_store":{"other":{}}}`).ok().has("svc.settings_store.fe.a", 1)
		token := w.Token(w.nick("ann"), servertest.AllScopes)
		for field, shown := range map[string]string{"avatar": "avatar", "header": "header", "svc_background_image": "svc.background_image"} {
			before := w.person("ann", "GET", "/api/v1/accounts/verify_credentials", "").ok().at(shown)
			set := w.upload(token, "PATCH", "/api/v1/accounts/update_credentials", field, smallPNG()).ok().at(shown)
			if set == before || set == nil {
				w.t.Errorf("%s is still %v", field, set)
			}
			w.person("ann", "PATCH", "/api/v1/accounts/update_credentials", field+"=").ok().has(shown, before)
		}
		w.person("ann", "PATCH", "/api/v1/accounts/update_credentials", "accepts_chat_messages=false").ok()
		w.user("bob")
		if a := w.person("bob", "POST", "/api/v1/svc/chats/by-account-id/"+w.user("ann").ID, ""); a.status == 200 {
			w.person("bob", "POST", "/api/v1/svc/chats/"+a.id()+"/messages", "content=hi").code(403)
		}
	},
	"register": func(w *tables) {
		token, _ := w.admin("POST", "/users/invite_token", "").ok().at("token").(string)
		form := "username=%s&email=%s@example.org&password=a+long+one&agreement=true&fullname=Full+Name&bio=about&token=%s"
		w.as(w.AppToken(), "POST", "/api/v1/accounts", fmt.Sprintf(form, w.nick("new"), w.nick("new"), token)).ok()
		a := w.row(w.nick("new"))
		if a == nil || a.DisplayName != "Full Name" || a.Note != "about" {
			w.t.Fatalf("made %+v", a)
		}
		w.as(w.AppToken(), "POST", "/api/v1/accounts", fmt.Sprintf(form, w.nick("late"), w.nick("late"), token)).is(400, `{"error":"Expired token"}`)
		w.as(w.AppToken(), "POST", "/api/v1/accounts", fmt.Sprintf(form, w.nick("late"), w.nick("late"), "none")).is(400, `{"error":"Invalid token"}`)
		if w.row(w.nick("late")) != nil {
			w.t.Error("made without an invite")
		}
	},
	"refresh": func(w *tables) {
		w.user("ann")
		c := w.Anonymous()
		app, err := c.Apps.Create(w.t.Context(), api.NewApp{ClientName: "x", RedirectURIs: auth.OutOfBand, Scopes: "read"})
		w.must(err)
		secret := "client_id=" + app.ClientID + "&client_secret=" + app.ClientSecret
		got := w.as("", "POST", "/oauth/token", "grant_type=password&username="+w.nick("ann")+"&password="+strings.ReplaceAll(servertest.Password, " ", "+")+"&scope=read&"+secret).ok()
		refresh, _ := got.at("refresh_token").(string)
		again := w.as("", "POST", "/oauth/token", "grant_type=refresh_token&refresh_token="+refresh+"&"+secret).ok()
		token, _ := again.at("access_token").(string)
		if token == "" || token == got.at("access_token") {
			w.t.Errorf("token %q", token)
		}
		w.as(token, "GET", "/api/v1/accounts/verify_credentials", "").ok().has("username", w.nick("ann"))
	},
	"instance": func(w *tables) {
		w.as("", "GET", "/api/v1/instance", "").ok().keys("", "max_toot_chars", "chat_limit", "description_limit", "poll_limits", "upload_limit",
			"avatar_upload_limit", "background_upload_limit", "banner_upload_limit", "background_image", "vapid_public_key").
			has("svc.metadata.features", reflect.Slice, "svc.metadata.federation", reflect.Map, "svc.metadata.fields_limits", reflect.Map,
				"svc.metadata.post_formats", reflect.Slice)
	},
	"limit50": func(w *tables) {
		w.user("bob")
		w.sql("UPDATE accounts SET display_name_key = 'x' WHERE nickname = ?", w.nick("bob"))
		ann := w.user("ann")
		for i := range 51 {
			w.User(w.nick("many") + fmt.Sprintf("x%02d", i))
			w.report("ann", "bob")
			w.sql("INSERT INTO moderation_log (actor_id, action, data, message, search_key, created_at) VALUES (?, 'x', '{\"actor\":{\"id\":1,\"account_id\":\"1\",\"nickname\":\"ann\"},\"action\":\"x\",\"message\":\"m\"}', 'm', 'm', 1)", ann.ID)
			w.sql("INSERT INTO apps (name, redirect_uris, scopes, client_id, client_secret, created_at) VALUES ('x', 'x', 'read', ?, 'x', 1)", w.nick("id")+fmt.Sprint(i))
		}
		w.admin("GET", "/users?query="+w.nick("many")+"x", "").ok().has("page_size", 50, "count", 51).count("users", 50)
		w.admin("GET", "/reports", "").ok().count("reports", 50)
		w.admin("GET", "/moderation_log", "").ok().count("", 50)
		w.admin("GET", "/media_proxy_caches", "").ok().has("page_size", 50)
		w.admin("GET", "/oauth_app", "").ok().has("page_size", 50).count("apps", 50)
		var urls []string
		for i := range 51 {
			urls = append(urls, fmt.Sprintf("https://many.example/%d", i))
		}
		raw, _ := json.Marshal(map[string]any{"urls": urls, "ban": true})
		w.admin("POST", "/media_proxy_caches/purge", string(raw)).ok()
		w.admin("GET", "/media_proxy_caches", "").ok().count("urls", 50)
		w.admin("POST", "/media_proxy_caches/delete", string(raw)).ok()
	},
	"limit20": func(w *tables) {
		host, _ := w.foreign("one")
		for i := range 21 {
			w.post("ann", fmt.Sprint("status=", i))
		}
		w.sql("UPDATE statuses SET local = FALSE, uri = '"+"https://"+host+"/' || id WHERE account_id = ?", w.user("ann").ID)
		for _, path := range []string{"/users/" + w.nick("ann") + "/statuses", "/instances/" + host + "/statuses", "/statuses"} {
			w.admin("GET", path, "").ok().count("", 20)
			w.admin("GET", path+"?page_size=21", "").ok().count("", 21)
		}
	},
	"limit100": func(w *tables) {
		query := ""
		for range 101 {
			query += "&ids[]=" + w.post("ann", "status=x")
		}
		w.person("ann", "GET", "/api/v1/statuses?"+query, "").ok().count("", 100)
	},
	"limitExpiry": func(w *tables) {
		w.person("ann", "POST", "/api/v1/statuses", "status=x&expires_in=3600").code(422)
		w.person("ann", "POST", "/api/v1/statuses", "status=x&expires_in=3700").ok()
	},
	"limitMedia": func(w *tables) {
		token, form := w.Token(w.nick("ann"), servertest.AllScopes), "status=look"
		for range 7 {
			form += "&media_ids[]=" + w.upload(token, "POST", "/api/v1/media", "file", smallPNG()).ok().id()
		}
		id := w.person("ann", "POST", "/api/v1/statuses", form).ok().count("media_attachments", 7).id()
		w.person("bob", "GET", "/api/v1/statuses/"+id, "").ok().count("media_attachments", 7)
	},
	"limitInstance": func(w *tables) {
		a := w.as("", "GET", "/api/v1/instance", "").ok()
		for _, k := range []string{"max_toot_chars", "chat_limit", "description_limit", "upload_limit", "avatar_upload_limit", "background_upload_limit", "banner_upload_limit"} {
			a.has(k, reflect.Float64)
		}
		a.has("poll_limits", reflect.Map, "svc.metadata.fields_limits", reflect.Map)
	},
}
