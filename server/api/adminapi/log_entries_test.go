package adminapi_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/platform/config"
	"svc/server/rules/auth"
	"svc/server/rules/signup"
	"svc/server/rules/social"
	"svc/server/servertest"
)

// object is a decoded JSON object.
type object = map[string]any

// act is one admin write: Path under /api/svc/admin, and Body of the type Kind,
// which is JSON if empty.
type act struct{ Path, Body, Kind string }

// write is a write of the route table, done once: Route is its line. Entries
// are the expected log entries, complete except for the actor; none if it is
// not logged. Fails are refused forms of the write, which log nothing.
type write struct {
	Route   string
	Do      act
	Entries []object
	Fails   []act
}

// entry is the log entry of an action: its message, and further data.
func entry(action, message string, data object) object {
	out := object{"action": action, "message": message}
	maps.Copy(out, data)
	return out
}

// logged is an account as the log names it.
func logged(a *db.Account) object {
	return object{"id": float64(a.Serial), "account_id": a.ID, "nickname": a.Nickname, "type": "user"}
}

func users(accounts ...*db.Account) []any {
	out := make([]any, len(accounts))
	for i, a := range accounts {
		out[i] = logged(a)
	}
	return out
}

// TestEveryWriteLeavesItsLogEntry does each admin write of the route table. The
// log then has exactly the specified entry. It has none for writes that are not
// logged, that fail, or that are repeated with their key; these get the first
// answer again.
func TestEveryWriteLeavesItsLogEntry(t *testing.T) {
	dbtest.Alone(t)
	each(t, func(t *testing.T, w *world) {
		writes := w.writes()
		rows := map[string]bool{}
		for _, row := range writes {
			rows[row.Route] = true
			w.leaves(row)
		}
		for _, r := range w.Routes() {
			name := r.Method + " " + strings.TrimPrefix(r.Path, "/api/svc/admin")
			if r.Access == server.Admin && r.Method != http.MethodGet && !rows[name] {
				w.leavesAsExampled(r)
			}
			delete(rows, name)
		}
		for name := range rows {
			t.Errorf("%s is no admin write", name)
		}
	}, servertest.WithMail, func(s *config.Settings) {
		s.Instance.RegistrationsOpen, s.Instance.InvitesEnabled = false, true
	})
}

// showsSecrets lists the writes with secrets in their answers: these answers
// are not stored, but made again.
var showsSecrets = map[string]bool{"POST /oauth_app": true, "PATCH /oauth_app/:id": true, "POST /config": true}

// leaves does one write and checks the log.
func (w *world) leaves(row write) {
	w.t.Helper()
	method, _, _ := strings.Cut(row.Route, " ")
	last := w.newest()
	for _, a := range row.Fails {
		if status, _, text := w.act(method, a, ""); status < 400 || status >= 500 {
			w.t.Errorf("%s %s %s: %d %.200s, want a refusal", method, a.Path, a.Body, status, text)
		}
		if diff := cmp.Diff([]object(nil), w.since(last)); diff != "" {
			w.t.Errorf("%s %s %s failed and left (-want +got):\n%s", method, a.Path, a.Body, diff)
		}
	}
	key := ""
	if method != http.MethodDelete {
		key = fmt.Sprintf("%x", sha256.Sum256([]byte(row.Route+row.Do.Path+row.Do.Body)))
	}
	status, _, text := w.act(method, row.Do, key)
	if status >= 300 {
		w.t.Errorf("%s %s %s: %d %.300s", method, row.Do.Path, row.Do.Body, status, text)
		return
	}
	if row.Route == "POST /users" { // their ids are known only now
		row.Entries = []object{entry("create", "@root created users: @hana, @ivan", object{"subjects": users(w.User("hana"), w.User("ivan"))})}
	}
	if row.Route == "POST /reports" { // likewise
		var made struct{ ID string }
		w.must(json.Unmarshal([]byte(text), &made))
		row.Entries = []object{entry("report_create", "@root filed report #"+made.ID+" on user @bob for @carol",
			object{"subject": object{"type": "report", "id": made.ID, "state": "open"}, "subject_actor": logged(w.bob)})}
	}
	want := make([]object, len(row.Entries))
	for i, e := range row.Entries {
		want[i] = maps.Clone(e)
		want[i]["actor"] = logged(w.root)
	}
	got := w.since(last)
	if diff := cmp.Diff(want, got, cmp.Transformer("", func(l []object) []object { return append([]object{}, l...) })); diff != "" {
		w.t.Errorf("%s %s %s left (-want +got):\n%s", method, row.Do.Path, row.Do.Body, diff)
	}
	if key == "" {
		return
	}
	again, header, repeated := w.act(method, row.Do, key)
	kept := header.Get("Idempotent-Replayed") == "true" && header.Get("X-Original-Request-Id") != ""
	if again != status || repeated != text || kept == showsSecrets[row.Route] {
		w.t.Errorf("%s %s repeated with its key: %d %v %.200s\nwant %d %.200s", method, row.Do.Path, again, header, repeated, status, text)
	}
	if n := len(w.since(last)); n != len(want) {
		w.t.Errorf("%s %s repeated with its key left %d entries, want %d", method, row.Do.Path, n, len(want))
	}
}

// leavesAsExampled does the write of a route's example, for routes without a
// row here, and checks the action and message that the example names. An object
// in the path is the one created last.
func (w *world) leavesAsExampled(r server.Route) {
	w.t.Helper()
	e := servertest.Examples[r.Method+" "+r.Path]
	kind := e.ContentType()
	at := func(id, body string) act {
		return act{parameter.ReplaceAllLiteralString(strings.TrimPrefix(r.Path, "/api/svc/admin"), id), body, kind}
	}
	last := w.newest()
	if strings.Contains(r.Path, ":") {
		if status, _, text := w.act(r.Method, at(servertest.Nothing, e.Body), ""); status < 400 || status >= 500 {
			w.t.Errorf("%s %s of nothing: %d %.200s, want a refusal", r.Method, r.Path, status, text)
		}
	}
	if r.Takes != nil {
		if status, _, text := w.act(r.Method, at(w.made, "{"), ""); status < 400 || status >= 500 {
			w.t.Errorf("%s %s without a body: %d %.200s, want a refusal", r.Method, r.Path, status, text)
		}
	}
	if got := w.since(last); got != nil {
		w.t.Errorf("%s %s failed and left %v", r.Method, r.Path, got)
	}
	key := ""
	if r.Method != http.MethodDelete {
		key = r.Method + r.Path
	}
	status, _, text := w.act(r.Method, at(w.made, e.Body), key)
	if status >= 300 {
		w.t.Errorf("%s %s: %d %.300s", r.Method, r.Path, status, text)
		return
	}
	if key != "" {
		if again, header, repeated := w.act(r.Method, at(w.made, e.Body), key); again != status || repeated != text || header.Get("Idempotent-Replayed") != "true" {
			w.t.Errorf("%s %s repeated with its key: %d %.200s, want %d %.200s", r.Method, r.Path, again, repeated, status, text)
		}
	}
	var want, got []string
	if e.Log != "" {
		want = []string{e.Log}
	}
	for _, entry := range w.since(last) {
		message, _ := entry["message"].(string)
		got = append(got, fmt.Sprintf("%s: %s", entry["action"], strings.TrimPrefix(message, "@root ")))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		w.t.Errorf("%s %s left (-want +got):\n%s", r.Method, r.Path, diff)
	}
	var made struct {
		ID json.Number `json:"id"`
	}
	if json.Unmarshal([]byte(text), &made) == nil && made.ID != "" {
		w.made = made.ID.String()
	}
}

var parameter = regexp.MustCompile(`:[a-z_]+`)

// act sends a write as root.
func (w *world) act(method string, a act, key string) (int, http.Header, string) {
	w.t.Helper()
	path := a.Path
	if !strings.HasPrefix(path, "/api/") {
		path = "/api/svc/admin" + path
	}
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.URL+path, strings.NewReader(a.Body))
	w.must(err)
	req.Header.Set("Authorization", "Bearer "+w.Token("root", servertest.AdminScopes))
	if a.Body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if a.Kind != "" {
		req.Header.Set("Content-Type", a.Kind)
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	w.must(err)
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	w.must(err)
	return resp.StatusCode, resp.Header, string(raw)
}

func (w *world) newest() int64 {
	w.t.Helper()
	list, err := w.Admin("root").Admin.Log.List(api.LogQuery{PageSize: 1}).Page(w.t.Context())
	w.must(err)
	if len(list.Items) == 0 {
		return 0
	}
	return list.Items[0].ID
}

// since returns the data of the entries after one, oldest first. Each entry
// must agree with its own message, and have no fields beyond the specified
// ones.
func (w *world) since(last int64) []object {
	w.t.Helper()
	list, err := w.Admin("root").Admin.Log.List(api.LogQuery{PageSize: 20}).Page(w.t.Context())
	w.must(err)
	var out []object
	for _, e := range list.Items {
		if e.ID <= last {
			continue
		}
		var whole object
		w.must(json.Unmarshal(e.Raw, &whole))
		data, _ := whole["data"].(object)
		if len(whole) != 4 || whole["message"] != data["message"] || whole["time"] == nil {
			w.t.Errorf("entry %s", e.Raw)
		}
		out = append([]object{data}, out...)
	}
	return out
}

// document is the body of an upload.
func (w *world) document(text string) (kind, body string) {
	w.t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	part, err := form.CreateFormFile("file", "panel.html")
	w.must(err)
	_, err = io.WriteString(part, text)
	w.must(err)
	w.must(form.Close())
	return form.FormDataContentType(), b.String()
}

// waiting creates a user who awaits approval and confirmation.
func (w *world) waiting(nickname string) *db.Account {
	w.t.Helper()
	a := w.User(nickname)
	a.ApprovalPending, a.ConfirmationPending = true, true
	w.must(w.DB.UpdateAccount(w.t.Context(), a, "approval_pending", "confirmation_pending"))
	return a
}

// writes are all rows.
func (w *world) writes() []write {
	w.t.Helper()
	return append(append(w.userWrites(), w.roleWrites()...), append(w.contentWrites(), w.unloggedWrites()...)...)
}

func (w *world) userWrites() []write {
	carol, dave, gone, erin := w.User("carol"), w.User("dave"), w.User("gone"), w.waiting("erin")
	gone2, frank := w.User("gone2"), w.User("frank")
	w.must(w.Social.AddAlias(w.t.Context(), dave, "frank"))
	key, err := w.Auth.AddSSHKey(w.t.Context(), carol.ID, auth.NewSSHKey{Text: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAiSPZyER1EmBaKEFli8Bf94KzESAWC0P+tz+uaBHWgS kim@laptop", Name: "old"})
	w.must(err)
	names := func(body ...string) string { return `{"nicknames":["` + strings.Join(body, `","`) + `"]}` }
	unknown := act{Body: names("carol", "nobody")}
	at := func(path string, a act) act { a.Path = path; return a }
	one := func(nickname string) string {
		return `{"nickname":"` + nickname + `","email":"` + nickname + `@made.example","password":"correct horse"}`
	}
	return []write{
		{"POST /users", act{Path: "/users", Body: `{"users":[` + one("hana") + `,` + one("ivan") + `]}`}, nil,
			[]act{{Path: "/users", Body: `{"users":[` + one("hana") + `,` + one("bob") + `]}`}, {Path: "/users"}}},
		{"POST /users/:nickname/move", act{Path: "/users/frank/move", Body: `{"target":"dave"}`},
			[]object{entry("move", "@root moved @frank to @"+w.Social.Handle(dave), object{"subject": users(frank), "target": w.Social.Handle(dave)})},
			[]act{{Path: "/users/frank/move", Body: `{"target":"carol"}`}, {Path: "/users/frank/move", Body: `{"target":"frank"}`}, {Path: "/users/nobody/move", Body: `{"target":"dave"}`}}},
		{"DELETE /users/:nickname/move", act{Path: "/users/frank/move"},
			[]object{entry("move_cancel", "@root took back the move of users: @frank", object{"subject": users(frank)})}, []act{{Path: "/users/nobody/move"}}},
		{"POST /users/follow", act{Path: "/users/follow", Body: `{"follower":"carol","followed":"dave"}`},
			[]object{entry("follow", "@root made @carol follow @dave", object{"follower": logged(carol), "followed": logged(dave)})}, nil},
		{"POST /users/follow", act{Path: "/users/follow", Body: `{"follower":"carol","followed":"nobody"}`}, nil, nil},
		{"POST /users/unfollow", act{Path: "/users/unfollow", Body: `{"follower":"carol","followed":"dave"}`},
			[]object{entry("unfollow", "@root made @carol unfollow @dave", object{"follower": logged(carol), "followed": logged(dave)})}, nil},
		{"PATCH /users/:nickname/toggle_activation", act{Path: "/users/carol/toggle_activation"},
			[]object{entry("deactivate", "@root deactivated users: @carol", object{"subject": users(carol)})},
			[]act{{Path: "/users/nobody/toggle_activation"}}},
		{"PATCH /users/:nickname/toggle_activation", act{Path: "/users/CAROL/toggle_activation", Body: `{}`},
			[]object{entry("activate", "@root activated users: @carol", object{"subject": users(carol)})}, nil},
		{"PATCH /users/deactivate", act{Path: "/users/deactivate", Body: names("dave", "carol")},
			[]object{entry("deactivate", "@root deactivated users: @dave, @carol", object{"subject": users(dave, carol)})},
			[]act{at("/users/deactivate", unknown), {Path: "/users/deactivate"}}},
		{"PATCH /users/activate", act{Path: "/users/activate", Body: names("carol", "dave")},
			[]object{entry("activate", "@root activated users: @carol, @dave", object{"subject": users(carol, dave)})},
			[]act{at("/users/activate", unknown)}},
		{"PATCH /users/confirm_email", act{Path: "/users/confirm_email", Body: names("erin", "carol")},
			[]object{entry("confirm_email", "@root confirmed email for users: @erin, @carol", object{"subject": users(erin, carol)})},
			[]act{at("/users/confirm_email", unknown)}},
		{"PATCH /users/approve", act{Path: "/users/approve", Body: names("erin")},
			[]object{entry("approve", "@root approved users: @erin", object{"subject": users(erin)})},
			[]act{at("/users/approve", unknown)}},
		{"PATCH /users/resend_confirmation_email", act{Path: "/users/resend_confirmation_email", Body: names("carol")},
			[]object{entry("resend_confirmation_email", "@root re-sent confirmation email for users: @carol", object{"subject": users(carol)})},
			[]act{at("/users/resend_confirmation_email", unknown)}},
		{"PATCH /users/force_password_reset", act{Path: "/users/force_password_reset", Body: names("carol", "dave")},
			[]object{entry("force_password_reset", "@root forced password reset for users: @carol, @dave", object{"subject": users(carol, dave)})},
			[]act{at("/users/force_password_reset", unknown)}},
		{"PATCH /users/logout", act{Path: "/users/logout", Body: names("carol", "dave")},
			[]object{entry("logout", "@root ended all log-ins of users: @carol, @dave", object{"subject": users(carol, dave)})},
			[]act{at("/users/logout", unknown)}},
		{"POST /users/:nickname/ssh_keys", act{Path: "/users/dave/ssh_keys", Body: `{"key":"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAGW/RBUKa8UZHOZ/wAKYGKlpYFagULoqozc3d01rQH0 kim@laptop"}`},
			[]object{entry("ssh_key_add", "@root added SSH key SHA256:ZT6s2bBVRXNYuAffgXxO+rn6gjD2d2YJRfcjCaYkxZs to @dave", object{"subject": logged(dave), "target": "SHA256:ZT6s2bBVRXNYuAffgXxO+rn6gjD2d2YJRfcjCaYkxZs", "text": "kim@laptop"})},
			[]act{{Path: "/users/nobody/ssh_keys", Body: `{"key":"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAGW/RBUKa8UZHOZ/wAKYGKlpYFagULoqozc3d01rQH0 kim@laptop"}`}, {Path: "/users/dave/ssh_keys", Body: `{"key":"x"}`}, {Path: "/users/dave/ssh_keys"}}},
		{"DELETE /users/:nickname/ssh_keys/:id", act{Path: fmt.Sprintf("/users/carol/ssh_keys/%d", key.ID)},
			[]object{entry("ssh_key_delete", "@root deleted SSH key SHA256:rMeq/Myuo3xxqJkbDg0BEVIT4YOV9H2EDQwCDXMDwx4 of @carol", object{"subject": logged(carol), "target": "SHA256:rMeq/Myuo3xxqJkbDg0BEVIT4YOV9H2EDQwCDXMDwx4", "text": "old"})},
			[]act{{Path: fmt.Sprintf("/users/dave/ssh_keys/%d", key.ID)}, {Path: "/users/carol/ssh_keys/x"}}},
		{"PUT /users/disable_mfa", act{Path: "/users/disable_mfa", Body: `{"nickname":"carol"}`}, nil,
			[]act{{Path: "/users/disable_mfa", Body: `{"nickname":"nobody"}`}}},
		{"PATCH /users/:nickname/credentials", act{Path: "/users/dave/credentials", Body: `{"name":"Dave D."}`},
			[]object{entry("updated_users", "@root updated users: @dave", object{"subject": users(dave)})},
			[]act{{Path: "/users/dave/credentials", Body: `{"actor_type":"Robot"}`}, {Path: "/users/nobody/credentials", Body: `{"name":"x"}`}}},
		{"PATCH /users/:nickname/credentials", act{Path: "/users/dave/credentials", Body: `{"password":"another good one"}`},
			[]object{
				entry("updated_users", "@root updated users: @dave", object{"subject": users(dave)}),
				entry("force_password_reset", "@root forced password reset for users: @dave", object{"subject": users(dave)}),
			}, []act{{Path: "/users/dave/credentials", Body: `{"password":""}`}}},
		{"POST /backups", act{Path: "/backups", Body: `{"nickname":"carol"}`},
			[]object{entry("create_backup", "@root requested account backup for @carol", object{"subject": logged(carol)})},
			[]act{{Path: "/backups", Body: `{"nickname":"nobody"}`}}},
		{"DELETE /users", act{Path: "/users", Body: names("gone")},
			[]object{entry("delete", "@root deleted users: @gone", object{"subject": users(gone)})}, []act{at("/users", unknown)}},
		{"DELETE /users", act{Path: "/users?nickname=gone2"},
			[]object{entry("delete", "@root deleted users: @gone2", object{"subject": users(gone2)})}, []act{{Path: "/users"}}},
	}
}

func (w *world) roleWrites() []write {
	frank, gina := w.User("frank"), w.User("gina")
	both := `{"nicknames":["frank","gina"]}`
	return []write{
		{"PUT /users/tag", act{Path: "/users/tag", Body: `{"nicknames":["frank","gina"],"tags":["Loud","mrf_tag:sandbox"]}`},
			[]object{entry("tag", "@root added tags: Loud, mrf_tag:sandbox to users: @frank, @gina",
				object{"nicknames": []any{"frank", "gina"}, "tags": []any{"Loud", "mrf_tag:sandbox"}})},
			[]act{{Path: "/users/tag", Body: `{"nicknames":["frank","nobody"],"tags":["x"]}`}}},
		{"DELETE /users/tag", act{Path: "/users/tag", Body: `{"nicknames":["frank"],"tags":["Loud","absent"]}`},
			[]object{entry("untag", "@root removed tags: Loud, absent from users: @frank",
				object{"nicknames": []any{"frank"}, "tags": []any{"Loud", "absent"}})},
			[]act{{Path: "/users/tag", Body: `{"nicknames":["nobody"],"tags":["x"]}`}}},
		{"POST /users/:nickname/permission_group/:permission_group", act{Path: "/users/frank/permission_group/moderator"},
			[]object{entry("grant", "@root made @frank moderator", object{"subject": users(frank), "permission": "moderator"})},
			[]act{{Path: "/users/frank/permission_group/king"}, {Path: "/users/nobody/permission_group/admin"}}},
		{"POST /users/:nickname/permission_group/:permission_group", act{Path: "/users/frank/permission_group/moderator", Body: `{}`},
			[]object{entry("grant", "@root made @frank moderator", object{"subject": users(frank), "permission": "moderator"})}, nil},
		{"DELETE /users/:nickname/permission_group/:permission_group", act{Path: "/users/frank/permission_group/moderator"},
			[]object{entry("revoke", "@root revoked moderator role from @frank", object{"subject": users(frank), "permission": "moderator"})},
			[]act{{Path: "/users/root/permission_group/admin"}, {Path: "/users/frank/permission_group/king"}}},
		{"POST /users/permission_group/:permission_group", act{Path: "/users/permission_group/admin", Body: both},
			[]object{entry("grant", "@root made @frank, @gina admin", object{"subject": users(frank, gina), "permission": "admin"})},
			[]act{{Path: "/users/permission_group/admin", Body: `{"nicknames":["frank","nobody"]}`}, {Path: "/users/permission_group/king", Body: both}}},
		{"DELETE /users/permission_group/:permission_group", act{Path: "/users/permission_group/admin", Body: both},
			[]object{entry("revoke", "@root revoked admin role from @frank, @gina", object{"subject": users(frank, gina), "permission": "admin"})},
			[]act{{Path: "/users/permission_group/admin", Body: `{"nicknames":["frank","root"]}`}}},
	}
}

func (w *world) contentWrites() []write {
	ctx := w.t.Context()
	status := w.post(w.bob, social.NewStatus{Text: "one"})
	boost, err := w.Social.Reblog(ctx, w.ann, status.ID, "")
	w.must(err)
	report, other := w.report("ann", w.bob, "rude", status), w.report("bob", w.eve, "")
	w.must(w.Admin("root").Admin.Reports.AddNote(ctx, report, "to go"))
	full, err := w.Admin("root").Admin.Reports.Get(ctx, report)
	w.must(err)
	note := fmt.Sprintf("/reports/%s/notes/%d", report, full.Notes[0].ID)
	chat, messages := w.chat("ann", w.bob, "to go")
	about := func(id, state string, reported *db.Account, more object) object {
		out := object{"subject": object{"type": "report", "id": id, "state": state}, "subject_actor": logged(reported)}
		maps.Copy(out, more)
		return out
	}
	at := func(path, body string) act { return act{Path: path, Body: body} }
	one, subject := "/statuses/"+status.ID, object{"type": "status", "id": status.ID}
	said := "@root updated status #" + status.ID + ", set "
	return []write{
		{"PATCH /reports", at("/reports", `{"reports":[{"id":"`+report+`","state":"resolved"},{"id":"`+other+`","state":"closed"}]}`), []object{
			entry("report_update", "@root updated report #"+report+" (on user @bob) with 'resolved' state", about(report, "resolved", w.bob, nil)),
			entry("report_update", "@root updated report #"+other+" (on user @eve@one.example) with 'closed' state", about(other, "closed", w.eve, nil)),
		}, []act{at("/reports", `{"reports":[{"id":"x","state":"open"},{"id":"`+report+`","state":"lost"}]}`), at("/reports", `{}`)}},
		{"POST /reports", at("/reports", `{"account":"bob","reporter":"carol","comment":"rude"}`), nil,
			[]act{at("/reports", `{"account":"nobody"}`), at("/reports", `{"account":"bob","reporter":"bob"}`), at("/reports", `{"account":"bob","status_ids":["x"]}`)}},
		{"POST /reports/:id/notes", at("/reports/"+report+"/notes", `{"content":"look <here>"}`), []object{
			entry("report_note", "@root added note 'look <here>' to report #"+report+" on user @bob", about(report, "resolved", w.bob, object{"text": "look <here>"})),
		}, []act{at("/reports/nothing/notes", `{"content":"x"}`), at("/reports/"+report+"/notes", `{"content":" "}`)}},
		{"DELETE /reports/:id/notes/:note_id", at(note, ""), []object{
			entry("report_note_delete", "@root deleted note 'to go' from report #"+report+" on user @bob", about(report, "resolved", w.bob, object{"text": "to go"})),
		}, []act{at(strings.Replace(note, report, other, 1), "")}},
		{"PUT /statuses/:id", at(one, `{"sensitive":"true","visibility":"private"}`), []object{
			entry("status_update", said+"sensitive: 'true', visibility: 'private'", object{"subject": subject, "sensitive": true, "visibility": "private"}),
		}, []act{at(one, `{"sensitive":true,"visibility":"direct"}`), at("/statuses/"+boost.ID, `{"sensitive":true}`), at("/statuses/nothing", `{"sensitive":true}`)}},
		{"PUT /statuses/:id", at(one, `{"visibility":"unlisted"}`), []object{
			entry("status_update", said+"visibility: 'unlisted'", object{"subject": subject, "visibility": "unlisted"})}, nil},
		{"PUT /statuses/:id", at(one, `{"sensitive":false}`), []object{
			entry("status_update", said+"sensitive: 'false'", object{"subject": subject, "sensitive": false})}, nil},
		{"PUT /statuses/:id", at(one, `{}`), nil, nil},
		{"DELETE /statuses/:id", at(one, ""), []object{entry("status_delete", "@root deleted status #"+status.ID, object{"subject_id": status.ID})},
			[]act{at("/statuses/"+boost.ID, ""), at("/statuses/nothing", "")}},
		{"DELETE /chats/:id/messages/:message_id", at("/chats/"+chat.ID+"/messages/"+messages[0], ""), []object{
			entry("chat_message_delete", "@root deleted chat message #"+messages[0], object{"subject_id": messages[0]}),
		}, []act{at("/chats/"+chat.ID+"/messages/nothing", "")}},
		{"POST /federation/limits", at("/federation/limits", `{"changes":[{"host":"far.example","add":["reject"],"reason":"spam"}]}`), []object{
			entry("host_limit", "@root limited host far.example: reject (spam)", object{"target": "far.example", "limits": []any{"reject"}, "text": "spam"}),
		}, []act{at("/federation/limits", `{}`), at("/federation/limits", `{"changes":[{"host":"a b","add":["reject"]}]}`)}},
		{"POST /federation/limits", at("/federation/limits", `{"changes":[{"host":"far.example","remove":["reject"]}]}`), []object{
			entry("host_unlimit", "@root lifted limits of host far.example: reject", object{"target": "far.example", "limits": []any{"reject"}}),
		}, nil},
		{"DELETE /media_proxy_caches/files", at("/media_proxy_caches/files", `{"host":"*.Far.example.","before":"2026-01-31T09:05:00Z"}`), []object{
			entry("media_purge", "@root purged cached media of *.far.example from before 2026-01-31T09:05:00Z", object{"target": "*.far.example", "text": "2026-01-31T09:05:00Z"}),
		}, []act{at("/media_proxy_caches/files", `{}`), at("/media_proxy_caches/files", `{"host":"a b"}`), at("/media_proxy_caches/files", `{"host":"far.example","before":"soon"}`)}},
		{"POST /announcements", at("/announcements", `{"content":"Tea at five"}`), []object{
			entry("announcement_create", "@root created announcement #1: Tea at five", object{"subject_id": "1"}),
		}, []act{at("/announcements", `{}`), at("/announcements", `{"content":" "}`), at("/announcements", `{"content":"x","starts_at":"soon"}`)}},
		{"PATCH /announcements/:id", at("/announcements/1", `{"published":false}`), []object{
			entry("announcement_update", "@root updated announcement #1: Tea at five", object{"subject_id": "1"}),
		}, []act{at("/announcements/9", `{"content":"x"}`), at("/announcements/1", `{"content":""}`)}},
		{"DELETE /announcements/:id", at("/announcements/1", ""), []object{
			entry("announcement_delete", "@root deleted announcement #1: Tea at five", object{"subject_id": "1"}),
		}, []act{at("/announcements/9", ""), at("/announcements/x", "")}},
		{"POST /rules", at("/rules", `{"text":"Be kind"}`), []object{
			entry("rule_create", "@root created rule #1: Be kind", object{"subject_id": "1"}),
		}, []act{at("/rules", `{}`), at("/rules", `{"text":" "}`)}},
		{"PATCH /rules/:id", at("/rules/1", `{"text":"Be `+strings.Repeat("very ", 30)+`kind"}`), []object{
			entry("rule_update", "@root updated rule #1: Be "+strings.Repeat("very ", 19)+"v…", object{"subject_id": "1"}),
		}, []act{at("/rules/9", `{"text":"x"}`), at("/rules/1", `{"text":""}`)}},
		{"DELETE /rules/:id", at("/rules/1", ""), []object{
			entry("rule_delete", "@root deleted rule #1: Be "+strings.Repeat("very ", 19)+"v…", object{"subject_id": "1"}),
		}, []act{at("/rules/9", ""), at("/rules/x", "")}},
		{"POST /relay", at("/relay", `{"relay_url":"https://relay.example/inbox"}`), []object{
			entry("relay_follow", "@root followed relay: https://relay.example/inbox", object{"target": "https://relay.example/inbox"}),
		}, []act{at("/relay", `{}`)}},
		{"DELETE /relay", at("/relay", `{"relay_url":"https://relay.example/inbox"}`), []object{
			entry("relay_unfollow", "@root unfollowed relay: https://relay.example/inbox", object{"target": "https://relay.example/inbox"}),
		}, []act{at("/relay", `{}`)}},
	}
}

// unloggedWrites returns the writes without log entries, and the creation of
// users: their ids are unknown before, so its row has no entries yet.
func (w *world) unloggedWrites() []write {
	ctx := w.t.Context()
	w.must(w.DB.AddInstance(ctx, "far.example"))
	name, uri := "reader", "https://app.example/"
	app, err := w.Admin("root").Admin.Apps.Create(ctx, api.AppForm{Name: &name, RedirectURIs: &uri, Scopes: []string{"read"}})
	w.must(err)
	one := fmt.Sprint("/oauth_app/", app.ID)
	kind, body := w.document("<p>hello</p>")
	at := func(path, body string) act { return act{Path: path, Body: body} }
	invite, err := w.Signup.CreateInvite(ctx, &db.Account{IsAdmin: true}, signup.NewInvite{})
	w.must(err)
	w.must(w.Admin("root").Admin.Emojis.CreatePack(ctx, "shared"))
	_, err = w.addEmoji("shared", "shared", "x", w.pictureOf("png", 2, 2))
	w.must(err)
	_, err = w.Admin("root").Admin.Emojis.DescribePack(ctx, api.EmojiPackForm{Name: "shared", Metadata: map[string]any{"share-files": true}})
	w.must(err)
	const packs = "/api/svc/emoji/packs/"
	return []write{
		{"POST " + packs + "download", at(packs+"download", `{"url":"`+w.URL+`","name":"shared","as":"copied"}`), nil, []act{at(packs+"download", `{}`)}},
		{"POST " + packs + "download_zip", at(packs+"download_zip", `{"url":"`+w.URL+packs+`archive?name=shared","name":"zipped"}`), nil, []act{at(packs+"download_zip", `{}`)}},
		{"PATCH " + packs + "files", at(packs+"files", `{"name":"shared","shortcode":"shared","new_shortcode":"moved"}`), nil, []act{at(packs+"files", `{}`)}},
		{"POST /users/invite_token", at("/users/invite_token", `{"max_use":3}`), nil, []act{at("/users/invite_token", `{"max_use":"x"}`)}},
		{"POST /users/revoke_invite", at("/users/revoke_invite", `{"token":"`+invite.Token+`"}`), nil, []act{at("/users/revoke_invite", `{"token":"x"}`)}},
		{"POST /users/email_invite", at("/users/email_invite", `{"email":"new@example.org","name":"New"}`), nil, []act{at("/users/email_invite", `{}`)}},
		{"POST /oauth_app", at("/oauth_app", `{"name":"x","redirect_uris":"https://app.example/","scopes":["read"]}`), nil, []act{at("/oauth_app", `{"name":"x"}`)}},
		{"PATCH /oauth_app/:id", at(one, `{"trusted":true}`), nil, []act{at(one, `{"name":""}`)}},
		{"DELETE /oauth_app/:id", at(one, ""), nil, []act{at("/oauth_app/999999", "")}},
		{"POST /federation/hosts/:host/retry", at("/federation/hosts/far.example/retry", ""), nil, []act{at("/federation/hosts/nowhere.example/retry", "")}},
		{"DELETE /federation/hosts/:host", at("/federation/hosts/far.example", ""), nil, []act{at("/federation/hosts/nowhere.example", "")}},
		{"POST /jobs/retry", at("/jobs/retry", `{"queue":"mailer"}`), nil, []act{at("/jobs/retry", `{}`)}},
		{"POST /jobs/:id/retry", at("/jobs/"+w.FailedJob()+"/retry", ""), nil, []act{at("/jobs/999999/retry", "")}},
		{"POST /config", at("/config", `{"configs":[{"group":":svc","key":":instance","value":[{"tuple":[":name","Renamed"]}]}]}`), nil, []act{at("/config", `{}`)}},
		{"POST /media_proxy_caches/purge", at("/media_proxy_caches/purge", `{"urls":["https://far.example/a.png"],"ban":true}`), nil, []act{at("/media_proxy_caches/purge", `{}`)}},
		{"POST /media_proxy_caches/delete", at("/media_proxy_caches/delete", `{"urls":["https://far.example/a.png"]}`), nil, []act{at("/media_proxy_caches/delete", `{}`)}},
		{"PATCH /instance_document/:document_name", act{"/instance_document/instance-panel", body, kind}, nil, []act{at("/instance_document/nothing", ""), at("/instance_document/instance-panel", "")}},
		{"DELETE /instance_document/:document_name", at("/instance_document/instance-panel", ""), nil, []act{at("/instance_document/terms-of-service", "")}},
	}
}
