package naming

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"svc/client/api"
)

func TestNames(t *testing.T) {
	for name, want := range map[string]bool{
		"svc": true, "pleroma": true, "akkoma2": true, strings.Repeat("a", Longest): true,
		"": false, "Pleroma": false, "2fast": false, "a b": false, "a_b": false, "bücher": false, strings.Repeat("a", Longest+1): false,
		"v1": false, "users": false, "streaming": false,
	} {
		if Valid(name) != want {
			t.Errorf("%q: valid is %v", name, !want)
		}
	}
}

func TestWords(t *testing.T) {
	w := New("pleroma")
	for inside, outside := range map[string]string{
		"svc": "pleroma", "svc_settings_store": "pleroma_settings_store", "svc:chat_update": "pleroma:chat_update",
		"user:svc_chat": "user:pleroma_chat", ":svc": ":pleroma", ":svc_fe": ":pleroma_fe",
		"Svc.Web.ActivityPub.MRF.TagPolicy": "Pleroma.Web.ActivityPub.MRF.TagPolicy", ":Elixir.Svc.Upload": ":Elixir.Pleroma.Upload",
	} {
		if got := w.Out(inside); got != outside {
			t.Errorf("%s goes out as %s", inside, got)
		}
		if got := w.In(outside); got != inside {
			t.Errorf("%s comes in as %s", outside, got)
		}
		if (Words{}).Out(inside) != inside || New("svc").In(inside) != inside {
			t.Errorf("svc renames %s", inside)
		}
	}
	for _, text := range []string{"", "svcd", "the svc", "Svc", "Svc.", "Svc.is great", "Svcs.Upload", ":svcs", "user:svc"} {
		if w.Out(text) != text {
			t.Errorf("%q is renamed to %q", text, w.Out(text))
		}
	}
}

func TestPaths(t *testing.T) {
	w := New("pleroma")
	for path, want := range map[string]string{
		"/api/pleroma/captcha": "/api/svc/captcha", "/api/v1/pleroma/chats": "/api/v1/svc/chats", "/api/v2/pleroma/chats": "/api/v1/svc/chats",
		"/api/v1/pleroma/admin/users": "/api/svc/admin/users", "/api/v1/pleroma/emoji/packs": "/api/svc/emoji/packs",
		"/api/pleroma/emoji.json": "/api/svc/emoji", "/nodeinfo/2.0.json": "/nodeinfo/2.0", "/pleroma/admin": "/svc/admin",
		"/pleroma/admin/static/x.js": "/svc/admin/static/x.js", "/api/v1/streaming/user/pleroma_chat": "/api/v1/streaming/user/svc_chat",
		"/api/v1/streaming/pleroma/moderation": "/api/v1/streaming/svc/moderation",
		// These are names of others.
		"/users/pleroma": "/users/pleroma", "/api/v1/timelines/tag/pleroma": "/api/v1/timelines/tag/pleroma", "/@pleroma": "/@pleroma",
		"/api/v1/accounts/pleroma": "/api/v1/accounts/pleroma", "/api/pleromas/x": "/api/pleromas/x", "/tag/x.json": "/tag/x.json",
		"/api/v1/pleroma/statuses/1/reactions/pleroma": "/api/v1/svc/statuses/1/reactions/pleroma",
	} {
		if got, ofSvc := w.Path(path); got != want || ofSvc {
			t.Errorf("%s is %s, in words of svc: %v", path, got, ofSvc)
		}
	}
	for _, path := range []string{"/api/svc/captcha", "/api/v1/svc/chats", "/svc/admin", "/api/v1/streaming/user/svc_chat"} {
		if got, ofSvc := w.Path(path); got != path || !ofSvc {
			t.Errorf("%s is %s, in words of svc: %v", path, got, ofSvc)
		}
	}
	for inside, outside := range map[string]string{
		"/api/svc/password_reset/": "/api/pleroma/password_reset/", "/svc/admin/": "/pleroma/admin/", "/api/v1/svc/": "/api/v1/pleroma/",
	} {
		if w.Link(inside) != outside || (Words{}).Link(inside) != inside {
			t.Errorf("the link %s is %s", inside, w.Link(inside))
		}
	}
}

// TestSvcHasNoHandlerOfNames: under svc a request meets nothing of this package.
func TestSvcHasNoHandlerOfNames(t *testing.T) {
	plain := func(r *http.Request) *http.Request { return r }
	mux := http.NewServeMux()
	if New("svc").Paths(mux, plain) != http.Handler(mux) {
		t.Error("a handler is around all requests")
	}
	if New("pleroma").Paths(mux, plain) == http.Handler(mux) {
		t.Error("no handler reads the paths of another name")
	}
}

func TestJSON(t *testing.T) {
	w := New("pleroma")
	account := api.Account{ID: "1", DisplayName: "svc", Note: `"svc": {"svc": 1}`}
	account.Svc.SettingsStore = json.RawMessage(`{"svc":{"svc_fe":"svc:report"}, "é\"svc":[1,"svc"]}`)
	account.Svc.Tags = api.List[string]{"svc"}
	n := api.Notification{Type: "svc:emoji_reaction", Account: &account, Status: &api.Status{ID: "2", Content: "svc", Tags: api.List[api.Tag]{{Name: "svc"}}}}
	raw, err := json.MarshalIndent([]api.Notification{n}, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	got := w.JSON(raw, ShapeOf(reflect.TypeFor[[]api.Notification]()))
	if !json.Valid(got) {
		t.Fatalf("no JSON: %s", got)
	}
	var back []map[string]any
	if err := json.Unmarshal(got, &back); err != nil {
		t.Fatal(err)
	}
	if back[0]["type"] != "pleroma:emoji_reaction" || back[0]["pleroma"] == nil || back[0]["svc"] != nil {
		t.Errorf("the notification is %s", got)
	}
	of := back[0]["account"].(map[string]any)
	part := of["pleroma"].(map[string]any)
	if of["display_name"] != "svc" || of["note"] != account.Note || part["tags"].([]any)[0] != "svc" || of["source"].(map[string]any)["pleroma"] == nil {
		t.Errorf("the account is %s", got)
	}
	if store, ok := part["settings_store"].(map[string]any)["svc"].(map[string]any); !ok || store["svc_fe"] != "svc:report" {
		t.Errorf("what a front end stored is %s", got)
	}
	status := back[0]["status"].(map[string]any)
	if status["content"] != "svc" || status["tags"].([]any)[0].(map[string]any)["name"] != "svc" || status["pleroma"] == nil {
		t.Errorf("the status is %s", got)
	}
	for _, broken := range []string{"", `{"svc":`, `{"svc":1`, "svc"} {
		if string(w.JSON([]byte(broken), ShapeOf(reflect.TypeFor[api.Account]()))) != broken {
			t.Errorf("%q was changed", broken)
		}
	}
}

func TestSettings(t *testing.T) {
	w := New("pleroma")
	shape := ShapeOf(reflect.TypeFor[api.ConfigSettings]())
	inside := `{"configs":[{"group":":svc","key":"Svc.Upload","value":[{"tuple":[":uploader","Svc.Uploaders.Local"]},{"tuple":[":svc_fe",{"svc":"svc is it",":svc":"Svc.is great"}]}],"db":[":uploader","Svc.User"]}],"need_reboot":false}`
	outside := `{"configs":[{"group":":pleroma","key":"Pleroma.Upload","value":[{"tuple":[":uploader","Pleroma.Uploaders.Local"]},{"tuple":[":pleroma_fe",{"svc":"svc is it",":pleroma":"Svc.is great"}]}],"db":[":uploader","Pleroma.User"]}],"need_reboot":false}`
	if got := string(w.JSON([]byte(inside), shape)); got != outside {
		t.Errorf("the settings go out as %s", got)
	}
	var tree, want map[string]any
	if err := json.Unmarshal([]byte(outside), &tree); err != nil {
		t.Fatal(err)
	}
	w.Tree(tree, ShapeOf(reflect.TypeFor[api.ConfigChanges]()))
	if err := json.Unmarshal([]byte(inside), &want); err != nil {
		t.Fatal(err)
	}
	delete(want["configs"].([]any)[0].(map[string]any), "db")
	delete(tree["configs"].([]any)[0].(map[string]any), "db")
	if !reflect.DeepEqual(tree, want) {
		t.Errorf("the settings come in as %v", tree)
	}
}

func TestForms(t *testing.T) {
	w := New("pleroma")
	type repeated []string
	query := map[string]any{"include_types": []any{"pleroma:report", "mention"}, "types": repeated{"pleroma:chat_mention"}, "account_id": "pleroma"}
	w.Tree(query, ShapeOf(reflect.TypeFor[api.NotificationQuery]()))
	if !reflect.DeepEqual(query, map[string]any{"include_types": []any{"svc:report", "mention"}, "types": repeated{"svc:chat_mention"}, "account_id": "pleroma"}) {
		t.Errorf("the query is %v", query)
	}
	form := map[string]any{"pleroma_settings_store": map[string]any{"pleroma_fe": "pleroma"}, "note": "pleroma"}
	w.Tree(form, ShapeOf(reflect.TypeFor[api.UpdateCredentials]()))
	if !reflect.DeepEqual(form, map[string]any{"svc_settings_store": map[string]any{"pleroma_fe": "pleroma"}, "note": "pleroma"}) {
		t.Errorf("the form is %v", form)
	}
	push := map[string]any{"data": map[string]any{"alerts": map[string]any{"pleroma:chat_mention": true, "pleroma:emoji_reaction": "1"}}}
	w.Tree(push, ShapeOf(reflect.TypeFor[api.NewPushSubscription]()))
	if alerts := push["data"].(map[string]any)["alerts"]; !reflect.DeepEqual(alerts, map[string]any{"svc:chat_mention": true, "svc:emoji_reaction": "1"}) {
		t.Errorf("the alerts are %v", alerts)
	}
	file := ShapeOf(reflect.TypeFor[api.UpdateCredentials]()).WithFiles([]string{"avatar", "svc_background_image"})
	if w.File("pleroma_background_image", file) != "svc_background_image" || w.File("pleroma_avatar", file) != "pleroma_avatar" {
		t.Error("files have other names")
	}
}

func FuzzJSON(f *testing.F) {
	for _, seed := range []string{`{"svc":{"a":[1,{}]}, "id" : "svc\"x\\"}`, `[]`, `[{"reblog":{"svc":null}}]`, ` { } `, `1`, `"svc"`} {
		f.Add(seed)
	}
	w, shape := New("pleroma"), ShapeOf(reflect.TypeFor[api.Status](), reflect.TypeFor[[]api.Status]())
	f.Fuzz(func(t *testing.T, text string) {
		got := w.JSON([]byte(text), shape)
		if !json.Valid([]byte(text)) {
			if string(got) != text {
				t.Fatalf("%q was changed to %q", text, got)
			}
			return
		}
		if !json.Valid(got) {
			t.Fatalf("%q became %q", text, got)
		}
	})
}

func TestPathsKeepEscapes(t *testing.T) {
	var got *http.Request
	h := New("pleroma").Paths(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r }), func(r *http.Request) *http.Request { return r })
	r := httptest.NewRequest(http.MethodGet, "/api/v1/pleroma/statuses/1/reactions/a%2Fb?pleroma=1", nil)
	h.ServeHTTP(httptest.NewRecorder(), r)
	if got.URL.EscapedPath() != "/api/v1/svc/statuses/1/reactions/a%2Fb" || got.URL.RawQuery != "pleroma=1" || r.URL.Path != "/api/v1/pleroma/statuses/1/reactions/a/b" {
		t.Errorf("the request is for %s", got.URL)
	}
}

// TestNothingIsDoneUnderSvc: without another name nothing is copied, read or allocated. The
// server then has no step that could call for it (see TestSvcHasNoStepForNames).
func TestNothingIsDoneUnderSvc(t *testing.T) {
	w := New("svc")
	raw := []byte(`{"svc":{"local":true},"type":"svc:emoji_reaction"}`)
	s := ShapeOf(reflect.TypeFor[api.Status]())
	tree := map[string]any{"svc_settings_store": map[string]any{}}
	var same bool
	n := testing.AllocsPerRun(100, func() {
		out := w.JSON(raw, s)
		event, payload := w.Event("svc:chat_update", raw)
		path, ofSvc := w.Path("/api/v1/svc/chats")
		w.Tree(tree, s)
		same = &out[0] == &raw[0] && &payload[0] == &raw[0] && event == "svc:chat_update" && path == "/api/v1/svc/chats" && ofSvc &&
			w.Out("svc:report") == "svc:report" && w.In("svc:report") == "svc:report" && w.Link(path) == path
	})
	if n != 0 || !same {
		t.Errorf("%v allocations, unchanged is %v", n, same)
	}
}
