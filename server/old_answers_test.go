package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"strings"
	"testing"

	"svc/server/servertest"
)

// oldGolden has what clients of 2.7.2 got, before the first addition for later apps: for
// each request its status, and each name with the JSON types of its values. It was
// recorded then and is not written anew: answers may gain names, and lose none.
const oldGolden = "testdata/old_answers.txt"

// movedSince lists the fields whose type changed on purpose, with the reason.
var movedSince = map[string]string{
	"POST /api/v1/push/subscription 200.id": inIntegers, "GET /api/v1/push/subscription 200.id": inIntegers,
	"PUT /api/v1/push/subscription 200.id": inIntegers,
}

const inIntegers = "today's apps decode the id of a subscription as an integer"

// oldWorld asks in the words of clients of 2.7.2, and keeps the types of what it gets.
type oldWorld struct {
	t       *testing.T
	s       *servertest.Server
	answers map[string]*types // by method, route and status
}

// ask sends a request as somebody, and returns the decoded answer. Words in the path that
// stand for ids come after an equals sign, by which the route is known: "/statuses/=9x".
func (w *oldWorld) ask(token, method, path, body string) any {
	w.t.Helper()
	return w.send(token, method, path, "application/json", strings.NewReader(body))
}

func (w *oldWorld) send(token, method, path, kind string, body io.Reader) any {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.s.URL+strings.ReplaceAll(path, "/=", "/"), body)
	if err != nil {
		w.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	req.Header.Set("Content-Type", kind)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	var v any
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &v); err != nil {
			w.t.Fatalf("%s %s: %v: %s", method, path, err, raw)
		}
	}
	plain, _, _ := strings.Cut(path, "?")
	parts := strings.Split(plain, "/")
	for i := range parts {
		if strings.HasPrefix(parts[i], "=") {
			parts[i] = ":id"
		}
	}
	route := fmt.Sprintf("%s %s %d", method, strings.Join(parts, "/"), resp.StatusCode)
	if w.answers[route] == nil {
		w.answers[route] = newTypes()
	}
	w.answers[route].add(v)
	return v
}

// at is the text at a place of an answer, of the first item in lists.
func at(v any, path ...string) string {
	for _, name := range path {
		if all, ok := v.([]any); ok && len(all) > 0 {
			v = all[0]
		}
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return fmt.Sprint(v)
}

// live does what clients of 2.7.2 do, and asks all that they ask.
func (w *oldWorld) live() {
	ann, bob := w.s.Token("ann", servertest.AllScopes), w.s.Token("bob", servertest.AllScopes)
	annID, bobID := w.s.User("ann").ID, w.s.User("bob").ID
	const v1, svc = "/api/v1", "/api/v1/svc"

	app := w.ask("", "POST", v1+"/apps", `{"client_name":"old","redirect_uris":"urn:ietf:wg:oauth:2.0:oob","scopes":"read write follow push","website":"https://old.example"}`)
	client := `"client_id":"` + at(app, "client_id") + `","client_secret":"` + at(app, "client_secret") + `"`
	own := at(w.ask("", "POST", "/oauth/token", `{"grant_type":"client_credentials",`+client+`}`), "access_token")
	w.ask(own, "GET", v1+"/apps/verify_credentials", "")
	other := w.ask("", "POST", "/oauth/token", `{"grant_type":"password","username":"bob","password":"`+servertest.Password+`",`+client+`}`)
	w.ask("", "POST", "/oauth/token", `{"grant_type":"refresh_token","refresh_token":"`+at(other, "refresh_token")+`",`+client+`}`)
	w.ask("", "POST", "/oauth/token", `{"grant_type":"password","username":"bob","password":"wrong",`+client+`}`)
	w.ask("", "POST", "/oauth/revoke", `{"token":"`+at(other, "access_token")+`",`+client+`}`)
	w.ask(ann, "GET", "/api/oauth_tokens", "")

	w.ask(ann, "PATCH", v1+"/accounts/update_credentials", `{"display_name":"Ann","note":"here","locked":false,"fields_attributes":[{"name":"a","value":"https://a.example"}],"source":{"privacy":"public","sensitive":false,"language":"en"},"svc_settings_store":{"x":{"y":1}}}`)
	w.ask(ann, "GET", v1+"/accounts/verify_credentials", "")
	w.ask(bob, "POST", v1+"/accounts/="+annID+"/follow", `{"reblogs":true}`)
	w.ask(ann, "POST", v1+"/follows", `{"uri":"bob"}`)

	form := new(bytes.Buffer)
	parts := multipart.NewWriter(form)
	_ = parts.WriteField("description", "a dot")
	file, _ := parts.CreateFormFile("file", "a.png")
	_, _ = file.Write(dot)
	_ = parts.Close()
	picture := at(w.send(ann, "POST", v1+"/media", parts.FormDataContentType(), form), "id")
	w.ask(ann, "PUT", v1+"/media/="+picture, `{"description":"the dot"}`)
	w.ask(ann, "GET", v1+"/media/="+picture, "")

	shown := at(w.ask(ann, "POST", v1+"/statuses", `{"status":"look #dots @bob https://dots.example/","media_ids":["`+picture+`"],"sensitive":true,"spoiler_text":"dots","language":"en"}`), "id")
	asked := w.ask(ann, "POST", v1+"/statuses", `{"status":"which?","poll":{"options":["a","b"],"expires_in":3600,"multiple":true}}`)
	reply := at(w.ask(bob, "POST", v1+"/statuses", `{"status":"@ann well","in_reply_to_id":"`+shown+`"}`), "id")
	w.ask(bob, "POST", v1+"/statuses", `{"status":"@ann in secret","visibility":"direct"}`)
	w.ask(bob, "POST", v1+"/statuses", `{"status":"for followers","visibility":"private","expires_in":7200}`)
	w.ask(bob, "POST", v1+"/statuses", `{"status":"shown alone","preview":true}`)
	later := at(w.ask(ann, "POST", v1+"/statuses", `{"status":"later","scheduled_at":"2060-01-02T03:04:05Z","spoiler_text":"s","visibility":"unlisted","poll":{"options":["a","b"],"expires_in":3600}}`), "id")
	w.ask(ann, "GET", v1+"/scheduled_statuses", "")
	w.ask(ann, "GET", v1+"/scheduled_statuses/="+later, "")
	w.ask(ann, "PUT", v1+"/scheduled_statuses/="+later, `{"scheduled_at":"2060-01-02T04:04:05Z"}`)
	w.ask(ann, "DELETE", v1+"/scheduled_statuses/="+later, "")
	w.ask(bob, "POST", v1+"/polls/="+at(asked, "poll", "id")+"/votes", `{"choices":[0]}`)
	w.ask(bob, "GET", v1+"/polls/="+at(asked, "poll", "id"), "")
	for _, verb := range []string{"favourite", "reblog", "bookmark", "mute"} {
		w.ask(bob, "POST", v1+"/statuses/="+shown+"/"+verb, "{}")
	}
	w.ask(bob, "PUT", svc+"/statuses/="+shown+"/reactions/=☕", "")
	w.ask(ann, "POST", v1+"/statuses/="+shown+"/pin", "")
	w.ask(bob, "GET", v1+"/bookmarks", "")
	w.ask(bob, "GET", v1+"/favourites", "")
	for _, part := range []string{"", "/context", "/card", "/reblogged_by", "/favourited_by"} {
		w.ask(ann, "GET", v1+"/statuses/="+shown+part, "")
	}
	w.ask(ann, "GET", v1+"/statuses/="+at(asked, "id"), "")
	w.ask(ann, "GET", v1+"/statuses/="+reply, "")
	w.ask(ann, "GET", v1+"/statuses?ids[]="+shown+"&ids[]="+reply, "")
	w.ask("", "GET", v1+"/statuses/=9nosuchthing000000", "")
	w.ask(ann, "GET", svc+"/statuses/="+shown+"/reactions", "")
	servertest.Eventually(w.t, "the home timeline has all", func() bool {
		_, text := query(w.t, w.s, bob, "GET", v1+"/timelines/home", "")
		return strings.Contains(text, shown) && strings.Contains(text, at(asked, "id"))
	})
	for _, of := range []string{"home", "public", "tag/=dots", "direct"} {
		w.ask(bob, "GET", v1+"/timelines/"+of, "")
	}
	for _, query := range []string{"", "?pinned=true", "?only_media=true"} {
		w.ask(bob, "GET", v1+"/accounts/="+annID+"/statuses"+query, "")
	}
	w.ask(ann, "GET", v1+"/accounts/="+bobID+"/statuses", "") // a reblog is one of them
	for _, part := range []string{"", "/followers", "/following", "/lists", "/identity_proofs"} {
		w.ask(bob, "GET", v1+"/accounts/="+annID+part, "")
	}
	w.ask("", "GET", v1+"/accounts/=9nosuchthing000000", "")
	w.ask(bob, "GET", v1+"/accounts/relationships?id[]="+annID, "")
	w.ask(bob, "GET", v1+"/accounts/search?q=ann", "")
	w.ask(bob, "GET", svc+"/accounts/="+bobID+"/favourites", "")
	w.ask(bob, "GET", v1+"/search?q=%23dots", "")
	w.ask(bob, "GET", "/api/v2/search?q=%23dots", "")
	w.ask(bob, "GET", "/api/v2/search?q=ann", "")
	w.ask(bob, "GET", "/api/v2/search?q=look", "")

	told := w.ask(ann, "GET", v1+"/notifications", "")
	w.ask(ann, "GET", v1+"/notifications/="+at(told, "id"), "")
	w.ask(ann, "POST", svc+"/notifications/read", `{"id":`+at(told, "id")+`}`)
	w.ask(ann, "POST", v1+"/notifications/dismiss", `{"id":"`+at(told, "id")+`"}`)
	w.ask(ann, "PUT", "/api/svc/notification_settings", `{"block_from_strangers":false}`)
	w.ask(ann, "POST", v1+"/markers", `{"home":{"last_read_id":"`+shown+`"},"notifications":{"last_read_id":"`+at(told, "id")+`"}}`)
	w.ask(ann, "GET", v1+"/markers?timeline[]=home&timeline[]=notifications", "")
	talks := w.ask(ann, "GET", v1+"/conversations", "")
	w.ask(ann, "POST", v1+"/conversations/="+at(talks, "id")+"/read", "")
	w.ask(ann, "GET", svc+"/conversations/="+at(talks, "id"), "")
	w.ask(ann, "GET", svc+"/conversations/="+at(talks, "id")+"/statuses", "")
	w.ask(ann, "DELETE", v1+"/conversations/="+at(talks, "id"), "")
	w.ask(ann, "POST", v1+"/notifications/clear", "")

	list := at(w.ask(bob, "POST", v1+"/lists", `{"title":"friends"}`), "id")
	w.ask(bob, "POST", v1+"/lists/="+list+"/accounts", `{"account_ids":["`+annID+`"]}`)
	w.ask(bob, "PUT", v1+"/lists/="+list, `{"title":"dear friends"}`)
	for _, path := range []string{"/lists", "/lists/=" + list, "/lists/=" + list + "/accounts", "/accounts/=" + annID + "/lists", "/timelines/list/=" + list} {
		w.ask(bob, "GET", v1+path, "")
	}
	w.ask(bob, "DELETE", v1+"/lists/="+list, "")
	filter := at(w.ask(bob, "POST", v1+"/filters", `{"phrase":"dull","context":["home","public"],"expires_in":3600,"irreversible":false}`), "id")
	w.ask(bob, "GET", v1+"/filters", "")
	w.ask(bob, "GET", v1+"/filters/="+filter, "")
	w.ask(bob, "PUT", v1+"/filters/="+filter, `{"phrase":"duller","context":["home"]}`)
	w.ask(bob, "DELETE", v1+"/filters/="+filter, "")
	w.ask(ann, "POST", v1+"/push/subscription", servertest.Examples["POST /api/v1/push/subscription"].Body)
	w.ask(ann, "GET", v1+"/push/subscription", "")
	w.ask(ann, "PUT", v1+"/push/subscription", `{"data":{"alerts":{"follow":true}}}`)
	w.ask(ann, "DELETE", v1+"/push/subscription", "")
	w.ask(bob, "POST", v1+"/reports", `{"account_id":"`+annID+`","status_ids":["`+shown+`"],"comment":"rude"}`)

	chat := at(w.ask(bob, "POST", svc+"/chats/by-account-id/="+annID, ""), "id")
	said := at(w.ask(bob, "POST", svc+"/chats/="+chat+"/messages", `{"content":"hello"}`), "id")
	for _, path := range []string{"/chats", "/chats/=" + chat, "/chats/=" + chat + "/messages"} {
		w.ask(bob, "GET", svc+path, "")
	}
	w.ask(bob, "POST", svc+"/chats/="+chat+"/read", `{"last_read_id":"`+said+`"}`)
	w.ask(bob, "DELETE", svc+"/chats/="+chat+"/messages/="+said, "")
	w.ask(bob, "POST", svc+"/scrobble", `{"title":"song","artist":"band","album":"disc","length":3}`)
	w.ask(bob, "GET", svc+"/accounts/="+bobID+"/scrobbles", "")
	w.ask(bob, "GET", svc+"/mascot", "")

	for _, verb := range []string{"mute", "unmute", "block", "unblock", "unfollow"} {
		w.ask(bob, "POST", v1+"/accounts/="+annID+"/"+verb, "")
		switch verb {
		case "mute":
			w.ask(bob, "GET", v1+"/mutes", "")
		case "block":
			w.ask(bob, "GET", v1+"/blocks", "")
		}
	}
	for _, verb := range []string{"subscribe", "unsubscribe"} {
		w.ask(bob, "POST", svc+"/accounts/="+annID+"/"+verb, "")
	}
	w.ask(ann, "PATCH", v1+"/accounts/update_credentials", `{"locked":true}`)
	w.ask(bob, "POST", v1+"/accounts/="+annID+"/follow", "")
	w.ask(ann, "GET", v1+"/follow_requests", "")
	w.ask(ann, "POST", v1+"/follow_requests/="+bobID+"/authorize", "")
	w.ask(ann, "POST", v1+"/follow_requests/="+bobID+"/reject", "")
	w.ask(bob, "POST", v1+"/domain_blocks", `{"domain":"far.example"}`)
	w.ask(bob, "GET", v1+"/domain_blocks", "")
	w.ask(bob, "DELETE", v1+"/domain_blocks", `{"domain":"far.example"}`)

	for _, path := range []string{v1 + "/instance", v1 + "/instance/peers", v1 + "/instance/activity", v1 + "/custom_emojis", "/.well-known/nodeinfo",
		"/nodeinfo/2.0", "/nodeinfo/2.1", "/api/svc/captcha", "/api/svc/emoji", "/api/svc/emoji/packs", "/api/svc/frontend_configurations",
		"/.well-known/oauth-authorization-server", svc + "/federation_status", v1 + "/preferences", "/api/svc/accounts/mfa", svc + "/backups",
		v1 + "/suggestions", v1 + "/trends", v1 + "/identity_proofs", v1 + "/endorsements", v1 + "/directory", v1 + "/featured_tags",
		"/api/v1/no_such_thing"} {
		w.ask(ann, "GET", path, "")
	}
	w.ask("", "GET", v1+"/timelines/home", "")
	w.ask(ann, "PUT", "/api/web/settings", `{"data":{}}`)
	w.ask(ann, "POST", "/api/svc/change_password", `{"password":"wrong","new_password":"a","new_password_confirmation":"a"}`)
	for _, verb := range []string{"unfavourite", "unreblog", "unbookmark", "unmute"} {
		w.ask(bob, "POST", v1+"/statuses/="+shown+"/"+verb, "")
	}
	w.ask(bob, "DELETE", svc+"/statuses/="+shown+"/reactions/=☕", "")
	w.ask(ann, "POST", v1+"/statuses/="+shown+"/unpin", "")
	w.ask(ann, "DELETE", v1+"/statuses/="+shown, "")
}

// dot is a picture of one pixel.
var dot = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\rIDATx\x9cc\xf8\xcf\xc0\xf0\x1f\x00\x05\x00\x01\xff\x89\x99=\x1d\x00\x00\x00\x00IEND\xaeB`\x82")

// TestOldAnswersLoseNothing asks what clients of 2.7.2 ask, and holds the answers to those
// of before the first addition for later apps: the same status, and every name with the
// type that it had. What was null then may be anything.
func TestOldAnswersLoseNothing(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		w := &oldWorld{t: t, s: s, answers: map[string]*types{}}
		w.live()
		if os.Getenv("RECORD_OLD_ANSWERS") != "" {
			if err := os.WriteFile(oldGolden, []byte(writeTypes(w.answers)), 0o644); err != nil {
				t.Fatal(err)
			}
			return
		}
		raw, err := os.ReadFile(oldGolden)
		if err != nil {
			t.Fatal(err)
		}
		for route, was := range readTypes(t, string(raw)) {
			now := w.answers[route]
			if now == nil {
				t.Errorf("nothing is answered as %s", route)
				continue
			}
			was.hold(now, "", func(path, mistake string) {
				if movedSince[route+path] == "" {
					t.Errorf("%s: %s %s", route, path, mistake)
				}
			})
		}

		_, text := query(t, s, "", "GET", "/api/v1/instance", "")
		if !strings.Contains(text, `"version":"2.7.2 (compatible; svc `) {
			t.Errorf("the instance: %s", text)
		}
		for _, stub := range []string{"suggestions", "trends", "identity_proofs", "endorsements"} {
			if status, text := query(t, s, s.Token("ann", servertest.AllScopes), "GET", "/api/v1/"+stub, ""); status != 200 || text != "[]" {
				t.Errorf("%s: %d %s", stub, status, text)
			}
		}
		for _, stub := range []string{"directory", "featured_tags"} {
			if status, _ := query(t, s, s.Token("ann", servertest.AllScopes), "GET", "/api/v1/"+stub, ""); status != 404 {
				t.Errorf("%s: %d", stub, status)
			}
		}
	})
}
