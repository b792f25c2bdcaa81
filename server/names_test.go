package server_test

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"testing"

	"svc/client/api"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/platform/config"
	"svc/server/platform/naming"
	"svc/server/platform/webpush/webpushtest"
	"svc/server/servertest"
)

const family = "pleroma"

// spokenAnswer is an answer under another name than svc.
type spokenAnswer struct {
	status int
	header http.Header
	raw    []byte
}

// speak calls a path in the words of the family, or with plain set in those of svc.
func speak(t *testing.T, s *servertest.Server, plain bool, token, method, path, kind, body string) spokenAnswer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	if plain {
		req.Header.Set(naming.Header, "svc")
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return spokenAnswer{resp.StatusCode, resp.Header, raw}
}

func (a spokenAnswer) decode(t *testing.T) (v any) {
	t.Helper()
	if err := json.Unmarshal(a.raw, &v); err != nil {
		t.Fatalf("%d %s: %v", a.status, a.raw, err)
	}
	return v
}

// village has people with everything of theirs, whose texts and names are words of the
// service.
type village struct {
	*servertest.Server
	ann, root    string // tokens
	annID, bobID string
	status, chat string
	report       string
}

func newVillage(t *testing.T, s *servertest.Server) village {
	t.Helper()
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	w := village{Server: s, annID: s.User("ann").ID, bobID: s.User("bob").ID, ann: s.Token("ann", servertest.AllScopes)}
	s.AdminUser("root")
	w.root = s.Token("root", servertest.AdminScopes)
	ann, bob := s.Client("ann"), s.Client("bob")
	posted, err := ann.Statuses.Post(ctx, api.NewStatus{Status: `svc "svc": {"svc":1} svc:report #svc @bob`, SpoilerText: "svc"})
	must(err)
	w.status = posted.ID
	name, note := "svc", "svc_fe :svc Svc.Upload"
	_, err = ann.Accounts.UpdateCredentials(ctx, api.UpdateCredentials{DisplayName: &name, Note: &note, SettingsStore: json.RawMessage(`{"svc_fe":{"svc":["svc"]},"pleroma_fe":{}}`)})
	must(err)
	_, err = bob.Statuses.React(ctx, posted.ID, "☕")
	must(err)
	chat, err := bob.Chats.Open(ctx, w.annID)
	must(err)
	w.chat = chat.ID
	text := "svc"
	_, err = bob.Chats.Send(ctx, chat.ID, api.NewChatMessage{Content: text})
	must(err)
	_, err = bob.Accounts.Follow(ctx, w.annID, api.Follow{})
	must(err)
	_, err = bob.Statuses.Post(ctx, api.NewStatus{Status: "@ann svc", Visibility: "direct"})
	must(err)
	_, err = bob.Reports.Create(ctx, api.NewReport{AccountID: w.annID, StatusIDs: []string{posted.ID}, Comment: "svc"})
	must(err)
	reports, err := s.Admin("root").Admin.Reports.List(api.ReportQuery{}).Page(ctx)
	must(err)
	if len(reports.Items) > 0 {
		w.report = reports.Items[0].ID
	}
	return w
}

// paths are GETs of routes that have something, by route.
func (w village) paths(r server.Route) string {
	path := r.Path
	id := map[string]string{"/statuses": w.status, "/chats": w.chat, "/reports": w.report}
	for of, is := range id {
		path = strings.Replace(path, of+"/:id", of+"/"+is, 1)
	}
	return strings.NewReplacer("/accounts/:id", "/accounts/"+w.annID, ":nickname_or_id", "ann", ":nickname", "ann", "/instances/:instance", "/instances/x.example",
		"/nodeinfo/:version", "/nodeinfo/2.1").Replace(path)
}

// TestAnswersUnderAnotherName holds the answers of all routes under another name against
// those under svc: they differ in the words of the service alone, of which none is left, and
// what people wrote is the same.
func TestAnswersUnderAnotherName(t *testing.T) {
	servertest.Named(t, family, func(t *testing.T, s *servertest.Server) {
		w := newVillage(t, s)
		words, renamed, compared := naming.New(family), 0, 0
		for _, r := range s.Routes() {
			if r.Method != http.MethodGet || len(r.Answers) == 0 || r.Path == "/api/openapi.json" || r.Path == "/api/svc/admin/restart" {
				continue
			}
			path, token := w.paths(r), w.ann
			if r.Access == server.Admin {
				token = w.root
			}
			query := ""
			if r.Path == "/api/v1/notifications" {
				query = "?types[]=mention&types[]=" + family + ":chat_mention&types[]=" + family + ":emoji_reaction"
			}
			if strings.HasSuffix(path, "/search") {
				query = "?q=svc"
			}
			theirs := speak(t, s, false, token, r.Method, words.Link(path)+query, "", "")
			ours := speak(t, s, true, token, r.Method, path+strings.ReplaceAll(query, family+":", "svc:"), "", "")
			if theirs.status != ours.status {
				t.Errorf("%s: %d under its name, %d under svc: %.200s", r.Path, theirs.status, ours.status, theirs.raw)
				continue
			}
			if !strings.HasPrefix(ours.header.Get("Content-Type"), "application/json") || len(ours.raw) == 0 || ours.status != http.StatusOK {
				continue
			}
			compared++
			a, b := ours.decode(t), theirs.decode(t)
			switch r.Path {
			case "/api/svc/admin/moderation_log":
				b = b.(map[string]any)["items"]
			case "/api/svc/admin/relay":
				b = b.(map[string]any)["relays"]
			case "/api/v1/accounts/verify_credentials": // the token has the second in it
				delete(a.(map[string]any)["svc"].(map[string]any), "chat_token")
				delete(b.(map[string]any)[family].(map[string]any), "chat_token")
			}
			renamed += compare(t, words, r.Path, "", a, b)
		}
		if compared < 80 || renamed < 300 {
			t.Errorf("%d answers were compared, in which %d words are renamed", compared, renamed)
		}
	})
}

// changing are values that two answers may have apart.
var changing = map[string]bool{"updated_at": true, "created_at": true, "secret": true, "uri": false, "codes": true, "key": false, "token": true, "expires_at": true}

// compare returns how many words differ between an answer under svc, a, and one under
// another name.
func compare(t *testing.T, words naming.Words, route, at string, a, b any) (n int) {
	t.Helper()
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			t.Errorf("%s%s: %v is %v", route, at, a, b)
			return 0
		}
		opaque := strings.HasSuffix(at, "settings_store")
		for name, v := range a {
			is := name
			if !opaque {
				is = words.Out(name)
			}
			other, ok := b[is]
			if !ok {
				is = name // a name that people chose
				if other, ok = b[name]; !ok || words.Out(name) != name && !opaque {
					t.Errorf("%s%s: %s is missing in %.300v", route, at, words.Out(name), b)
					continue
				}
			}
			if is != name {
				n++
			}
			if opaque {
				if x, y := encoded(t, v), encoded(t, other); x != y {
					t.Errorf("%s%s/%s: %s became %s", route, at, name, x, y)
				}
				continue
			}
			if !changing[name] {
				n += compare(t, words, route, at+"/"+name, v, other)
			}
		}
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			t.Errorf("%s%s: %.300v is %.300v", route, at, a, b)
			return 0
		}
		for i := range a {
			n += compare(t, words, route, at, a[i], b[i])
		}
	case string:
		b, _ := b.(string)
		switch {
		case a == b && words.Out(a) != a && !peoples(at) && (!strings.Contains(route, "/config") || !strings.HasPrefix(a, "svc")): // a text there is of people
			t.Errorf("%s%s: %q is left", route, at, a)
		case a != b && words.Out(a) == b && !peoples(at):
			n++
		case a != b && !strings.HasSuffix(at, "/link"): // which has another token each time
			t.Errorf("%s%s: %q became %q", route, at, a, b)
		}
	}
	return n
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// peoples reports whether a text is of people.
func peoples(at string) bool {
	name := at[strings.LastIndexByte(at, '/')+1:]
	switch name {
	case "display_name", "spoiler_text", "content", "name", "note", "bio", "comment", "title", "plain", "text", "description", "nodeName", "restrictedNicknames", "hashtags":
		return true
	}
	return strings.HasSuffix(at, "/hashtags/id")
}

// TestAnotherNameComesIn sends words of the family in forms, JSON, files and queries.
func TestAnotherNameComesIn(t *testing.T) {
	servertest.Named(t, family, func(t *testing.T, s *servertest.Server) {
		w := newVillage(t, s)
		ask := func(token, method, path, kind, body string) map[string]any {
			t.Helper()
			got := speak(t, s, false, token, method, path, kind, body)
			if got.status != http.StatusOK {
				t.Fatalf("%s %s: %d %s", method, path, got.status, got.raw)
			}
			m, _ := got.decode(t).(map[string]any)
			return m
		}
		me := ask(w.ann, "PATCH", "/api/v1/accounts/update_credentials", "application/json", `{"pleroma_settings_store":{"svc_fe":{"pleroma":"svc"}},"note":"pleroma"}`)
		if store := me["pleroma"].(map[string]any)["settings_store"].(map[string]any)["svc_fe"]; encoded(t, store) != `{"pleroma":"svc"}` || me["source"].(map[string]any)["note"] != "pleroma" {
			t.Errorf("the account is %v", me)
		}
		me = ask(w.ann, "PATCH", "/api/v1/accounts/update_credentials", "application/x-www-form-urlencoded", "pleroma_settings_store[x][y]=1")
		if store := me["pleroma"].(map[string]any)["settings_store"].(map[string]any)["x"]; encoded(t, store) != `{"y":"1"}` {
			t.Errorf("the store is %v", store)
		}
		var body bytes.Buffer
		parts := multipart.NewWriter(&body)
		part, err := parts.CreateFormFile("pleroma_background_image", "x.png")
		if err == nil {
			_, err = part.Write([]byte(servertest.Dot))
		}
		if err != nil || parts.Close() != nil {
			t.Fatal(err)
		}
		me = ask(w.ann, "PATCH", "/api/v1/accounts/update_credentials", parts.FormDataContentType(), body.String())
		if me["pleroma"].(map[string]any)["background_image"] == nil {
			t.Errorf("no background: %v", me)
		}
		// Settings there and back, as the group and modules of the family.
		saved := ask(w.root, "POST", "/api/pleroma/admin/config", "application/json",
			`{"configs":[{"group":":pleroma","key":"Pleroma.Upload","value":[{"tuple":[":uploader","Pleroma.Uploaders.Local"]}]},{"group":":pleroma","key":":instance","value":[{"tuple":[":name","svc pleroma"]}]}]}`)
		if got := encoded(t, saved["configs"]); got != `[{"db":[":uploader"],"group":":pleroma","key":"Pleroma.Upload","value":[{"tuple":[":uploader","Pleroma.Uploaders.Local"]}]},{"db":[":name"],"group":":pleroma","key":":instance","value":[{"tuple":[":name","svc pleroma"]}]}]` {
			t.Errorf("the saved settings are %s", got)
		}
		rows, err := s.DB.Settings(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if row.Grp != ":svc" || strings.Contains(row.Value, "Pleroma.") {
				t.Errorf("stored is %s %s", row.Grp, row.Key)
			}
		}
		if got := ask("", "GET", "/api/v1/instance", "", ""); got["title"] != "svc pleroma" || got["version"] != "2.7.2 (compatible; Pleroma test)" {
			t.Errorf("the instance is %v, %v", got["title"], got["version"])
		}
		node := ask("", "GET", "/nodeinfo/2.0.json", "", "")
		if name := node["software"].(map[string]any)["name"]; name != family || !strings.Contains(encoded(t, node["metadata"]), `"pleroma_chat_messages"`) {
			t.Errorf("nodeinfo is %v", node)
		}
		link := ask(w.root, "GET", "/api/v1/pleroma/admin/users/ann/password_reset", "", "")["link"].(string)
		page := speak(t, s, false, "", "GET", strings.TrimPrefix(link, s.Base()), "", "")
		if !strings.Contains(link, "/api/pleroma/password_reset/") || page.status != 200 || !strings.Contains(string(page.raw), `action="/api/pleroma/password_reset"`) {
			t.Errorf("the link is %s to %d %s", link, page.status, page.raw)
		}
		// The family has these at two places.
		for _, path := range []string{"/api/v2/pleroma/chats", "/api/v1/pleroma/chats", "/api/v1/pleroma/emoji/packs", "/api/pleroma/emoji.json", "/api/pleroma/emoji", "/api/oauth_tokens.json"} {
			if got := speak(t, s, false, w.ann, "GET", path, "", ""); got.status != http.StatusOK {
				t.Errorf("%s: %d %s", path, got.status, got.raw)
			}
		}
		w.writePacks(t)
		links := speak(t, s, false, w.ann, "GET", "/api/v1/pleroma/chats?limit=1", "", "").header.Get("Link")
		if strings.Count(links, "<"+s.Base()+"/api/v1/pleroma/chats?") != 2 {
			t.Errorf("the links are %s", links)
		}
		for _, title := range []string{"one", "two"} {
			ask(w.ann, "POST", "/api/v1/pleroma/scrobble", "application/json", `{"title":"`+title+`"}`)
		}
		// A list without a word of the service in it has links all the same.
		for path, name := range map[string]string{"/api/v1/pleroma/accounts/": family, "/api/v1/svc/accounts/": "svc"} {
			links := speak(t, s, false, w.ann, "GET", path+w.annID+"/scrobbles?limit=1", "", "").header.Get("Link")
			if strings.Count(links, "<"+s.Base()+"/api/v1/"+name+"/accounts/") != 2 {
				t.Errorf("the links of %s are %s", path, links)
			}
		}
		for _, path := range []string{"deactivate", "activate"} {
			ask(w.root, "PATCH", "/api/v1/pleroma/admin/users/"+path, "application/json", `{"nicknames":["bob"]}`)
		}
		if got := encoded(t, speak(t, s, false, w.root, "GET", "/api/pleroma/admin/relay", "", "").decode(t)); got != `{"relays":[]}` {
			t.Errorf("the relays are %s", got)
		}
		log := ask(w.root, "GET", "/api/pleroma/admin/moderation_log?page_size=1", "", "")
		if items := log["items"].([]any); len(items) != 1 || log["total"].(float64) < 2 {
			t.Errorf("the log has %d of %v", len(items), log["total"])
		}
	})
}

// TestStreamsUnderAnotherName: streams are asked for, and heard, in the words of the family,
// and over a path of svc in those of svc.
func TestStreamsUnderAnotherName(t *testing.T) {
	servertest.Named(t, family, func(t *testing.T, s *servertest.Server) {
		w := newVillage(t, s)
		bob := s.Client("bob")
		theirs := dial(t, s, w.ann, "stream=user:pleroma_chat")
		many := dial(t, s, w.ann, "stream=user")
		if err := many.conn.Write(t.Context(), 1, []byte(`{"type":"subscribe","stream":"user:pleroma_chat"}`)); err != nil {
			t.Fatal(err)
		}
		text := "svc:report"
		said, err := bob.Chats.Send(t.Context(), w.chat, api.NewChatMessage{Content: text})
		if err != nil {
			t.Fatal(err)
		}
		f := theirs.until("pleroma:chat_update", "")
		if !strings.Contains(f.Payload, `"pleroma":{`) || strings.Contains(f.Payload, `"svc":`) || !strings.Contains(f.Payload, "svc:report") {
			t.Errorf("the chat of %s is %s", said.ID, f.Payload)
		}
		for range 20 {
			if f = many.next(); len(f.Stream) > 0 && f.Stream[0] == "user:pleroma_chat" {
				break
			}
		}
		if len(f.Stream) == 0 || f.Stream[0] != "user:pleroma_chat" || f.Event != "pleroma:chat_update" {
			t.Errorf("one of several streams is heard as %v %s", f.Stream, f.Event)
		}
	})
}

func TestPushUnderAnotherName(t *testing.T) {
	servertest.Named(t, family, func(t *testing.T, s *servertest.Server) {
		w, service := newVillage(t, s), webpushtest.Start(t)
		d := service.Device
		got := speak(t, s, false, w.ann, "POST", "/api/v1/push/subscription", "application/json",
			`{"subscription":{"endpoint":"`+d.Endpoint+`","keys":{"p256dh":"`+d.P256dh+`","auth":"`+d.Auth+`"}},"data":{"alerts":{"pleroma:emoji_reaction":true}}}`)
		alerts, _ := got.decode(t).(map[string]any)["alerts"].(map[string]any)
		if alerts["pleroma:emoji_reaction"] != true || alerts["pleroma:chat_mention"] != false || len(alerts) != 12 {
			t.Fatalf("the alerts are %s", got.raw)
		}
		if _, err := s.Client("bob").Statuses.React(t.Context(), w.status, "🍵"); err != nil {
			t.Fatal(err)
		}
		m := <-service.Messages
		if text := string(m.Text); !strings.Contains(text, `"notification_type":"pleroma:emoji_reaction"`) || !strings.Contains(text, `"pleroma":{"activity_id"`) || strings.Contains(text, `"svc`) {
			t.Errorf("the message is %s", text)
		}
	})
}

// TestNoPathIsANameOfTheService: no name can hide a path. Names that paths have are refused.
func TestNoPathIsANameOfTheService(t *testing.T) {
	s := servertest.Start(t)
	for _, r := range s.Routes() {
		parts := strings.Split(r.Path, "/")
		for i, part := range parts[1:min(len(parts), 5)] {
			at := "/" + strings.Join(parts[1:i+1], "/")
			if at != "/" && at != "/api" && at != "/api/v1" && at != "/api/v2" && at != "/api/v1/streaming" {
				continue
			}
			if part != "svc" && naming.Valid(part) {
				t.Errorf("%s: %q can be a name", r.Path, part)
			}
		}
	}
}

// TestSvcHasNoStepForNames: under svc no answer passes the renaming, which marks all those it
// sees with the header that it varies by.
func TestSvcHasNoStepForNames(t *testing.T) {
	for name, marked := range map[string]bool{"svc": false, family: true} {
		s := servertest.Booted(t, dbtest.Ready(t), func(c *config.Config) { c.Name = name })
		got := speak(t, s, false, "", "GET", "/api/v1/instance", "", "")
		if slices.Contains(got.header.Values("Vary"), naming.Header) != marked {
			t.Errorf("under %s answers vary by %v", name, got.header.Values("Vary"))
		}
	}
}
