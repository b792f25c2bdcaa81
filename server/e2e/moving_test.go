package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/platform/mail/mailtest"
	"svc/server/rules/social"
	"svc/server/servertest"
	"svc/server/servertest/peer"
)

// TestNobodyNoticesAMove moves an instance to PostgreSQL and back, while deliveries, mails,
// pushes and scheduled posts wait. The API answers everybody as before, log-ins go on, what
// waits arrives once, and what is new gets ids of its own.
func TestNobodyNoticesAMove(t *testing.T) {
	dbtest.Alone(t)
	t.Parallel()
	postgres := onPostgres(t)
	m := newRemoval(t)
	for round, to := range []string{postgres, "sqlite:" + filepath.Join(t.TempDir(), "back.db")} {
		m.live(round)
		m.pause()
		before := m.walk()
		m.stop()
		was := m.p.database()
		m.copy, m.copyIsSQLite = filepath.Join(t.TempDir(), "copy"), strings.HasPrefix(was, "sqlite:")
		m.p.run("backup", m.copy)
		m.interrupt(to)
		m.refused(was, "this database was moved in part to")
		m.refused(to, "a move into this database is not complete")
		out := m.killMoves(to)
		if out != "" && (!strings.Contains(out, "Going on to move") || !strings.Contains(out, "SVC_DATABASE="+db.WithoutPassword(to)) || !strings.Contains(out, "all rows of the target agree")) {
			t.Errorf("the move says:\n%s", out)
		}
		m.refused(was, "this database was moved to")
		m.p.dsn = to
		m.p.start()
		m.compare(before, m.walk())
		m.goOn(round)
	}
	m.live(2) // ids are new
	m.stop()
	m.p.run("check")
}

// removal is an instance that is moved.
type removal struct {
	t      *testing.T
	p      *process
	base   string
	box    *mailtest.Mailbox
	far    *peer.Peer
	fan    *peer.Actor
	away   atomic.Bool // the other server, the push service and the relay refuse everything
	tokens map[string]string
	// copy is a backup of a database of the kind that it says.
	copy         string
	copyIsSQLite bool
	ids          map[string]string // by the request that made them and the id; its name
	people       map[string]string // account ids

	mu      sync.Mutex
	arrived map[string]int // posts and pushes
	posts   []string       // uris
	due     []string       // texts of scheduled posts
	mails   []string       // addresses
	pushed  int
}

func newRemoval(t *testing.T) *removal {
	t.Helper()
	p, host := proxied(t, "", "127.0.0.1")
	m := &removal{t: t, p: p, base: "http://" + host, box: mailtest.Start(t), far: peer.Start(t, "127.0.0.3"),
		tokens: map[string]string{}, ids: map[string]string{}, people: map[string]string{}, arrived: map[string]int{}}
	var relay config.Settings
	m.box.Use(&relay)
	p.env = append(p.env, "SVC_SMTP_HOST="+relay.Mailer.Relay, fmt.Sprint("SVC_SMTP_PORT=", relay.Mailer.Port))
	m.box.Refuse(func(string) error {
		if m.away.Load() {
			return &smtp.SMTPError{Code: 451, Message: "later"}
		}
		return nil
	})
	m.far.Answer(func(r peer.Request) peer.Page {
		if m.away.Load() {
			return peer.Page{Status: http.StatusServiceUnavailable}
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		if name := r.Doc.Text("object", "id"); r.Doc.Text("type") == "Create" {
			m.arrived[name]++
		} else if strings.HasPrefix(r.URI, "/push/") {
			m.arrived["pushes"]++
		}
		return peer.Page{Status: http.StatusCreated}
	})
	for _, name := range []string{"alice", "bob"} {
		p.user(name)
	}
	p.user("root", "--admin")
	p.start()
	for _, name := range []string{"alice", "bob", "root"} {
		m.tokens[name] = p.logIn(name)
		me := good(p.client(m.tokens[name]).Accounts.Verify(t.Context()))(t)
		m.people[name] = me.ID
	}
	m.fan = m.far.Actor("fan")
	if got := m.fan.Send(m.base+"/inbox", m.fan.Follow(m.base+"/users/alice")); got.Status != http.StatusAccepted {
		t.Fatalf("a follow is answered %d %s", got.Status, got.Body)
	}
	eventually(t, 30*time.Second, "alice is followed from afar", func() bool { return len(m.fan.Received("Accept")) == 1 })
	return m
}

// as sends a request of somebody, which must succeed, and returns the answer. An id in it
// must be new.
func (m *removal) as(who, route, body string) map[string]any {
	m.t.Helper()
	method, path, _ := strings.Cut(route, " ")
	var in any
	if body != "" {
		in = json.RawMessage(body)
	}
	var out any
	if _, err := m.p.client(m.tokens[who]).Do(m.t.Context(), client.Request{Method: method, Path: path, Body: in}, &out); err != nil {
		m.t.Fatalf("%s as %s: %v", route, who, err)
	}
	object, _ := out.(map[string]any)
	id, made := object["id"]
	if !made || method != http.MethodPost || strings.HasPrefix(path, "/api/v1/accounts/") {
		return object
	}
	key := fmt.Sprintf("%s %v", route, id)
	if m.ids[key] != "" {
		m.t.Errorf("%s gets an id that another has: %v", route, id)
	}
	m.ids[key] = fmt.Sprint(id)
	return object
}

// live has people use the instance, at first while the other servers answer.
func (m *removal) live(round int) {
	m.t.Helper()
	ctx := m.t.Context()
	id := func(object map[string]any) string { return fmt.Sprint(object["id"]) }
	alice, bob, root := m.p.client(m.tokens["alice"]), m.p.client(m.tokens["bob"]), m.p.client(m.tokens["root"])
	if round == 0 {
		m.as("root", "POST /api/svc/admin/config", `{"configs":[{"group":":svc","key":":instance","value":[{"tuple":[":name","Moved"]},{"tuple":[":description","A place"]}]}]}`)
		for _, two := range [][2]string{{"alice", "bob"}, {"bob", "alice"}, {"root", "alice"}} {
			m.as(two[0], "POST /api/v1/accounts/"+m.people[two[1]]+"/follow", "")
		}
		m.as("alice", "PATCH /api/v1/accounts/update_credentials", `{"display_name":"Alice","note":"about #cats","fields_attributes":[{"name":"a","value":"b"}]}`)
		m.as("bob", "POST /api/v1/accounts/"+m.people["root"]+"/note", `{"comment":"met in May"}`)
		m.as("bob", "POST /api/v1/domain_blocks", `{"domain":"worse.example"}`)
		m.as("bob", "POST /api/v1/tags/cats/follow", "")
		push := strings.ReplaceAll(servertest.Examples["POST /api/v1/push/subscription"].Body, "https://push.example", m.far.Base()+"/push")
		m.as("alice", "POST /api/v1/push/subscription", push)
		m.as("alice", "POST /api/svc/ssh_keys", servertest.Examples["POST /api/svc/ssh_keys"].Body)
	}
	n := fmt.Sprint(round)
	file := good(alice.Media.Upload(ctx, client.File{Name: "picture.png", Content: strings.NewReader(servertest.Dot)}, api.MediaForm{Description: new("one point")}))(m.t)
	m.ids["media "+file.ID] = file.ID
	first := good(alice.Statuses.Post(ctx, api.NewStatus{Status: "a #cat for @bob " + n, MediaIDs: []string{file.ID}, SpoilerText: "cats"}))(m.t)
	m.posted(first)
	m.as("alice", "PUT /api/v1/statuses/"+first.ID, `{"status":"a #cat, edited, for @bob `+n+`","spoiler_text":"cats","media_ids":["`+file.ID+`"]}`)
	answer := id(m.as("bob", "POST /api/v1/statuses", `{"status":"@alice an answer","in_reply_to_id":"`+first.ID+`","visibility":"unlisted"}`))
	m.as("bob", "POST /api/v1/statuses", `{"status":"@alice between us `+n+`","visibility":"direct"}`)
	poll := m.as("bob", "POST /api/v1/statuses", `{"status":"which?","poll":{"options":["this","that"],"expires_in":86400}}`)
	pollID := fmt.Sprint(poll["poll"].(map[string]any)["id"])
	m.ids["poll "+pollID] = pollID
	m.as("alice", "POST /api/v1/polls/"+pollID+"/votes", `{"choices":[1]}`)
	for _, what := range []string{"favourite", "reblog", "bookmark"} {
		must(m.t, err1(bob.Do(ctx, client.Request{Method: http.MethodPost, Path: "/api/v1/statuses/" + first.ID + "/" + what}, nil)))
	}
	must(m.t, err1(bob.Do(ctx, client.Request{Method: http.MethodPut, Path: "/api/v1/svc/statuses/" + first.ID + "/reactions/🐈"}, nil)))
	list := id(m.as("alice", "POST /api/v1/lists", `{"title":"a list `+n+`"}`))
	m.as("alice", "POST /api/v1/lists/"+list+"/accounts", `{"account_ids":["`+m.people["bob"]+`"]}`)
	m.as("alice", "POST /api/v1/filters", `{"phrase":"dogs `+n+`","context":["home"]}`)
	filter := id(m.as("bob", "POST /api/v2/filters", `{"title":"x `+n+`","context":["home"],"keywords_attributes":[{"keyword":"y"}]}`))
	m.as("bob", "POST /api/v2/filters/"+filter+"/statuses", `{"status_id":"`+first.ID+`"}`)
	m.as("root", "POST /api/svc/admin/announcements", `{"content":"news `+n+`"}`)
	m.as("root", "POST /api/svc/admin/rules", `{"text":"be kind `+n+`"}`)
	m.as("root", "POST /api/svc/admin/users/invite_token", `{"max_use":3}`)
	chat := good(alice.Chats.Open(ctx, m.people["bob"]))(m.t)
	m.ids["chat "+chat.ID] = chat.ID
	m.as("alice", "POST /api/v1/svc/chats/"+chat.ID+"/messages", `{"content":"hush `+n+`"}`)
	report := id(m.as("alice", "POST /api/v1/reports", `{"account_id":"`+m.people["bob"]+`","status_ids":["`+answer+`"],"comment":"look `+n+`"}`))
	must(m.t, root.Admin.Reports.AddNote(ctx, report, "seen"))
	text := "later " + n
	m.due = append(m.due, text)
	m.as("alice", "POST /api/v1/statuses", `{"status":"`+text+`","scheduled_at":"`+time.Now().Add(time.Hour).UTC().Format(time.RFC3339)+`"}`)
	note := m.fan.Note("<p>from afar "+n+"</p>").Mentioning(m.base+"/users/alice", "alice")
	if got := m.fan.Send(m.base+"/inbox", m.fan.Create(note)); got.Status != http.StatusAccepted {
		m.t.Errorf("a note is answered %d %s", got.Status, got.Body)
	}
	eventually(m.t, 30*time.Second, "the note from afar arrives", func() bool {
		found, err := alice.Search.Find(ctx, api.SearchQuery{Q: note.Text("id")})
		return err == nil && len(found.Statuses) == 1
	})
	m.settled("all is sent")
}

// posted expects a post of alice to arrive.
func (m *removal) posted(s *api.Status) {
	if m.ids["status "+s.ID] != "" {
		m.t.Errorf("a post gets the id of another: %s", s.ID)
	}
	m.ids["status "+s.ID] = s.ID
	m.posts = append(m.posts, s.URI)
}

// waiting are the deliveries, all work that is ready or running, deliveries too, and the jobs
// that failed.
func (m *removal) waiting() (deliveries, ready, failed int64) {
	root := m.p.client(m.tokens["root"])
	for host := range root.Admin.Federation.Hosts(api.HostQuery{}).All(m.t.Context()) {
		deliveries += host.Waiting
	}
	for _, q := range good(root.Admin.Jobs.Queues(m.t.Context()))(m.t) {
		ready += q.Available + q.Running
		failed += q.Retryable
	}
	return deliveries, ready, failed
}

func (m *removal) settled(what string) {
	m.t.Helper()
	eventually(m.t, time.Minute, what, func() bool {
		deliveries, ready, failed := m.waiting()
		return deliveries == 0 && ready == 0 && failed == 0
	})
}

// pause makes work that cannot be done now, has each piece of it fail, and puts it off, so
// that nothing changes until it is due again.
func (m *removal) pause() {
	m.t.Helper()
	m.away.Store(true)
	alice := m.p.client(m.tokens["alice"])
	for i := range 5 {
		m.posted(good(alice.Statuses.Post(m.t.Context(), api.NewStatus{Status: fmt.Sprintf("while they are away %d", i)}))(m.t))
	}
	hc := m.p.http()
	defer hc.CloseIdleConnections()
	for _, name := range []string{"alice", "bob"} {
		resp, err := hc.PostForm(base+"/auth/password", url.Values{"nickname": {name}})
		must(m.t, err)
		must(m.t, resp.Body.Close())
		if resp.StatusCode >= http.StatusBadRequest {
			m.t.Fatalf("a new password is answered %s", resp.Status)
		}
		m.mails = append(m.mails, name+"@example.org")
	}
	m.as("bob", "POST /api/v1/statuses", `{"status":"@alice a push"}`)
	m.pushed++
	eventually(m.t, time.Minute, "all work failed once", func() bool {
		deliveries, ready, failed := m.waiting()
		return deliveries >= 5 && ready == deliveries && failed >= 3
	})
	m.stop()
	m.putOff(time.Now().Add(24 * time.Hour))
	m.p.start()
}

// stop ends the service as systemd would.
func (m *removal) stop() {
	m.t.Helper()
	m.p.signal(syscall.SIGTERM)
	if code := m.p.wait(30 * time.Second); code != 0 {
		m.t.Fatalf("svcd ends with %d\n%s", code, m.p.stderr)
	}
}

// database is the address of the database.
func (p *process) database() string {
	if p.dsn == "" {
		return "sqlite:" + filepath.Join(p.dir, "svc.db")
	}
	return p.dsn
}

// putOff moves the time of all work that waits, while no server runs. The mail to bob is
// given up.
func (m *removal) putOff(to time.Time) {
	m.t.Helper()
	putOff(m.t, m.p, to, "UPDATE river_job SET state = 'discarded', finalized_at = created_at WHERE state = 'retryable' AND kind = 'send_link' AND id = (SELECT MAX(id) FROM river_job WHERE kind = 'send_link')")
}

// putOff moves the time of all work that failed, and does what else is given.
func putOff(t *testing.T, p *process, to time.Time, also ...string) {
	t.Helper()
	d, err := db.Open(t.Context(), p.database(), db.Options{})
	must(t, err)
	defer func() { must(t, d.Close()) }()
	at := any(to.UTC())
	if d.Dialect() == db.SQLite {
		at = to.UTC().Format("2006-01-02 15:04:05.000")
	}
	exec := func(query string, args ...any) {
		t.Helper()
		must(t, dbtest.Exec(t, d, query, args...))
	}
	exec("UPDATE river_job SET scheduled_at = ? WHERE state = 'retryable'", at)
	for _, query := range also {
		exec(query)
	}
	exec("UPDATE deliveries SET next_at = ?", to.UnixMicro())
	exec("UPDATE delivery_hosts SET due_at = ?", to.UnixMicro())
	exec("UPDATE instances SET retry_at = ? WHERE failures > 0", to.UnixMicro())
}

// interrupt begins a move, and leaves it halfway.
func (m *removal) interrupt(to string) {
	m.t.Helper()
	from := good(db.Open(m.t.Context(), m.p.database(), db.Options{}))(m.t)
	target := good(db.Open(m.t.Context(), to, db.Options{Bulk: true}))(m.t)
	ctx, stop := context.WithCancel(m.t.Context())
	defer stop()
	move := good(db.PrepareMove(ctx, from, target, db.MoveOptions{Text: social.Searchable, Progress: func(p db.MoveProgress) {
		if p.Stage == db.MoveCopies && p.Done > 20 {
			stop()
		}
	}}))(m.t)
	if err := move.Run(ctx); !errors.Is(err, context.Canceled) {
		m.t.Fatalf("the move was not interrupted: %v", err)
	}
	must(m.t, errors.Join(from.Close(), target.Close()))
}

// killMoves goes on with a move, kills that at random moments, and lets the last one be
// done. It returns what that says, or nothing if it was killed when all was done.
func (m *removal) killMoves(to string) string {
	m.t.Helper()
	most, moment := timesKilled(m.t, 3), moments(m.t)
	for killed := 0; ; killed++ {
		cmd := m.p.command("move", "--to", to)
		var said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &said, &said
		must(m.t, cmd.Start())
		if killed < most {
			time.Sleep(time.Duration(moment.IntN(400)) * time.Millisecond)
			_ = cmd.Process.Kill()
		}
		err := cmd.Wait()
		if err == nil {
			m.t.Logf("%d moves were killed before one was done", killed)
			return said.String()
		}
		if cmd.ProcessState.Exited() {
			m.t.Fatalf("the move after %d kills: %v\n%s", killed, err, said.String())
		}
		switch out, err := m.p.command("check").CombinedOutput(); {
		case err != nil && strings.Contains(string(out), "was moved to"):
			return ""
		case err == nil || !strings.Contains(string(out), "was moved in part to"):
			m.t.Fatalf("after %d kills of a move: %v\n%s", killed+1, err, out)
		}
	}
}

// refused wants every command to refuse a database that has a part in a move, for the
// reason why.
func (m *removal) refused(dsn, why string) {
	m.t.Helper()
	empty := newProcess(m.t, shortDir(m.t), dsn) // a data folder to restore into
	here := newProcess(m.t, m.p.dir, dsn)
	here.env = m.p.env
	for _, args := range [][]string{
		{"serve"}, {"check"}, {"migrate"}, {"backup", filepath.Join(m.t.TempDir(), "b")}, {"restore"}, {"user", "create", "eve", "--email", "eve@example.org"}, {"prune"},
	} {
		out, err := here.command(args...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), why) {
			m.t.Errorf("svcd %s on a database that has a part in a move: %v\n%s", args[0], err, out)
		}
	}
	if strings.HasPrefix(dsn, "sqlite:") != m.copyIsSQLite {
		return
	}
	out, err := empty.command("restore", m.copy).CombinedOutput()
	if err == nil || !strings.Contains(string(out), why) {
		m.t.Errorf("svcd restore into a database that has a part in a move: %v\n%s", err, out)
	}
}

// goOn has everything that waits be done, and looks at what arrives.
func (m *removal) goOn(round int) {
	m.t.Helper()
	ctx := m.t.Context()
	m.stop()
	m.away.Store(false)
	m.putOff(time.Now().Add(-time.Second))
	comeDue(m.t, m.p)
	m.p.start()
	root := m.p.client(m.tokens["root"])
	given := good(root.Admin.Jobs.List(api.JobQuery{}).Page(ctx))(m.t)
	if n := len(slices.DeleteFunc(given.Items, func(j api.Job) bool { return j.State != "discarded" })); n != 1 {
		m.t.Errorf("%d jobs are given up", n)
	}
	for _, q := range good(root.Admin.Jobs.Queues(ctx))(m.t) {
		if q.Discarded > 0 {
			must(m.t, err1(root.Admin.Jobs.RetryQueue(ctx, q.Queue)))
		}
	}
	m.settled("all that waited is done")
	alice := m.p.client(m.tokens["alice"])
	texts := map[string]int{}
	eventually(m.t, time.Minute, "scheduled posts are posted", func() bool {
		texts = map[string]int{}
		for s, err := range alice.Accounts.Statuses(m.people["alice"], api.AccountStatusQuery{}).All(ctx) {
			must(m.t, err)
			texts[s.Svc.Content.Plain]++
			if slices.Contains(m.due, s.Svc.Content.Plain) && !slices.Contains(m.posts, s.URI) {
				m.posts = append(m.posts, s.URI)
			}
		}
		return texts[m.due[len(m.due)-1]] > 0
	})
	m.settled("scheduled posts are sent")
	for _, text := range m.due {
		if texts[text] != 1 {
			m.t.Errorf("%q is posted %d times", text, texts[text])
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, uri := range m.posts {
		if m.arrived[uri] != 1 {
			m.t.Errorf("%s arrived %d times", uri, m.arrived[uri])
		}
	}
	for _, to := range m.mails {
		n := len(slices.DeleteFunc(m.box.To(to), func(mail mailtest.Mail) bool { return !strings.Contains(mail.Link(), "/password_reset/") }))
		if n != round+1 {
			m.t.Errorf("%s got %d mails, want %d", to, n, round+1)
		}
	}
	if m.arrived["pushes"] < m.pushed {
		m.t.Errorf("%d pushes arrived, want at least %d", m.arrived["pushes"], m.pushed)
	}
}

// walk asks for everything that the API describes, as several people, with every id there is.
func (m *removal) walk() map[string]string {
	m.t.Helper()
	hc := m.p.http()
	defer hc.CloseIdleConnections()
	out := map[string]string{}
	for _, path := range m.paths(hc) {
		for _, who := range []string{"", "alice", "bob", "root"} {
			out[path+" as "+who] = m.answer(hc, path, who)
		}
	}
	return out
}

// chatToken is drawn anew for each answer.
var chatToken = regexp.MustCompile(`"chat_token":"[^"]*"`)

// answer is an answer as a text.
func (m *removal) answer(hc *http.Client, path, who string) string {
	m.t.Helper()
	req, err := http.NewRequestWithContext(m.t.Context(), http.MethodGet, base+path, nil)
	must(m.t, err)
	if who != "" {
		req.Header.Set("Authorization", "Bearer "+m.tokens[who])
	}
	if strings.HasPrefix(path, "/users/") && !strings.HasSuffix(path, "feed") {
		req.Header.Set("Accept", peer.ActivityJSON)
	}
	resp, err := hc.Do(req)
	must(m.t, err)
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	must(m.t, err)
	if resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode >= http.StatusInternalServerError {
		m.t.Errorf("%s as %s: %s %s", path, who, resp.Status, body)
	}
	text := chatToken.ReplaceAllString(string(body), "")
	return fmt.Sprintf("%d %s %s\n%s", resp.StatusCode, resp.Header.Get("Content-Type"), resp.Header.Values("Link"), text)
}

// passing are reads that are not the same twice, or that change something.
var passing = []string{
	"/api/v1/streaming", "/api/svc/captcha", "/api/svc/healthcheck", "/api/svc/accounts/mfa/setup", "/api/svc/accounts/mfa/backup_codes", "/password_reset", "/api/svc/admin/restart",
	"/api/svc/admin/jobs/queues", // what runs by the clock comes and goes there; failed jobs are in the list of jobs
}

// paths are those to ask for.
func (m *removal) paths(hc *http.Client) []string {
	m.t.Helper()
	var described struct {
		Paths map[string]map[string]json.RawMessage
	}
	resp, err := hc.Get(base + "/api/openapi.json")
	must(m.t, err)
	defer func() { _ = resp.Body.Close() }()
	must(m.t, json.NewDecoder(resp.Body).Decode(&described))
	ids := map[string]bool{"1": true}
	for _, list := range []map[string]string{m.ids, m.people} {
		for _, id := range list {
			ids[id] = true
		}
	}
	query := url.QueryEscape
	out := []string{
		"/", "/about", "/main/public", "/@alice", "/tag/cat", "/users/alice", "/users/alice/outbox?page=true", "/users/alice/followers?page=1", "/users/alice/following?page=1", "/users/alice/feed", "/relay",
		"/.well-known/webfinger?resource=acct:alice@" + strings.TrimPrefix(m.base, "http://"), "/api/v2/search?q=cat", "/api/v2/search?q=alice", "/api/v2/search?q=afar", "/api/v1/accounts/search?q=bo",
		"/api/v1/accounts/lookup?acct=alice", "/api/v1/accounts/lookup?acct=" + query(m.fan.Handle()), "/api/v1/accounts/relationships?id[]=" + m.people["alice"] + "&id[]=" + m.people["bob"],
		"/api/v1/timelines/public?local=true", "/api/v1/timelines/home?limit=3", "/api/v1/notifications?limit=3", "/api/v1/markers?timeline[]=home", "/api/svc/admin/users?filters=local", "/api/svc/admin/reports?state=open",
	}
	for path, methods := range described.Paths {
		if methods["get"] == nil || slices.ContainsFunc(passing, func(p string) bool { return strings.Contains(path, p) }) {
			continue
		}
		path = strings.NewReplacer("{nickname_or_id}", "alice", "{name}", "cat", "{tag}", "cat", "{emoji}", query("🐈"), "{host}", m.far.Host(), "{instance}", m.far.Host(), "{version}", "2.0.json",
			"{permission_group}", "moderator", "{document_name}", "instance-panel", "{method}", "totp").Replace(path)
		if !strings.Contains(path, "{id}") {
			out = append(out, path)
			continue
		}
		for id := range ids {
			out = append(out, strings.ReplaceAll(path, "{id}", id))
		}
	}
	slices.Sort(out)
	for _, path := range out {
		if strings.Contains(path, "{") {
			m.t.Errorf("nothing is known of a parameter of %s", path)
		}
	}
	return out
}

// compare wants two walks to be equal.
func (m *removal) compare(before, after map[string]string) {
	m.t.Helper()
	if len(before) < 1000 || len(before) != len(after) {
		m.t.Errorf("%d answers before and %d after the move", len(before), len(after))
	}
	good, differ := 0, 0
	for name, was := range before {
		if strings.HasPrefix(was, "200 ") {
			good++
		}
		if is := after[name]; is != was {
			if differ++; differ <= 10 {
				m.t.Errorf("%s was\n%s\nand is\n%s", name, was, is)
			}
		}
	}
	m.t.Logf("%d answers, %d of them with contents, %d differ", len(before), good, differ)
}
