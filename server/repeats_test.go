package server_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"sync"
	"testing"

	"svc/client"
	"svc/client/api"
	"svc/server"
	"svc/server/platform/config"
	"svc/server/servertest"
)

// maker is a route that makes something new with each request: what it is sent,
// and the rows that one request adds one to.
type maker struct {
	path  func(w *repeatWorld) string // nil: the route's own
	body  func(w *repeatWorld) string
	count string
}

// fixed is a body that is the same each time.
func fixed(body string) func(*repeatWorld) string {
	return func(*repeatWorld) string { return body }
}

// made counts archives: their list tells how far each is.
const made = "SELECT COUNT(*) FROM backups"

var makers = map[string]maker{
	"POST /api/v1/statuses": {
		body: func(w *repeatWorld) string {
			return fmt.Sprintf(`{"status":"with a file","media_ids":["%s"]}`, w.upload())
		},
		count: "SELECT COUNT(*) FROM statuses WHERE text = 'with a file'",
	},
	"POST /api/v1/statuses (scheduled)": {
		path: func(*repeatWorld) string { return "/api/v1/statuses" },
		body: func(w *repeatWorld) string {
			return fmt.Sprintf(`{"status":"later","scheduled_at":"2099-01-01T00:00:00Z","media_ids":["%s"]}`, w.upload())
		},
		count: "SELECT COUNT(*) FROM scheduled_statuses",
	},
	"POST /api/v1/svc/chats/:id/messages": {
		path:  func(w *repeatWorld) string { return "/api/v1/svc/chats/" + w.chat + "/messages" },
		body:  fixed(`{"content":"hi"}`),
		count: "SELECT COUNT(*) FROM chat_messages",
	},
	"POST /api/v1/reports": {
		body:  func(w *repeatWorld) string { return fmt.Sprintf(`{"account_id":"%s","comment":"rude"}`, w.bob) },
		count: "SELECT COUNT(*) FROM reports WHERE content = 'rude'",
	},
	"POST /api/v1/lists":        {body: fixed(`{"title":"friends"}`), count: "SELECT COUNT(*) FROM lists"},
	"POST /api/v1/filters":      {body: fixed(`{"phrase":"x","context":["home"]}`), count: "SELECT COUNT(*) FROM filters"},
	"POST /api/v1/svc/scrobble": {body: fixed(`{"title":"Song"}`), count: "SELECT COUNT(*) FROM scrobbles"},
	"POST /api/v1/svc/backups":  {body: fixed(`{}`), count: made},
	"POST /api/v1/media":        {count: "SELECT COUNT(*) FROM media_attachments WHERE description = 'sent again'"},
	"POST /api/v2/media":        {count: "SELECT COUNT(*) FROM media_attachments WHERE description = 'sent again'"},
	"POST /api/svc/admin/users": {
		body: func(w *repeatWorld) string {
			return fmt.Sprintf(`{"users":[{"nickname":"new%d","email":"new%[1]d@example.org","password":"a long password"}]}`, w.next())
		},
		count: "SELECT COUNT(*) FROM accounts WHERE nickname LIKE 'new%'",
	},
	"POST /api/svc/admin/users/invite_token": {body: fixed(`{"max_use":3}`), count: "SELECT COUNT(*) FROM invites WHERE max_use = 3"},
	"POST /api/svc/admin/users/email_invite": {
		body:  fixed(`{"email":"guest@example.net","name":"Guest"}`),
		count: "SELECT COUNT(*) FROM invites WHERE max_use IS NULL",
	},
	"POST /api/svc/admin/backups": {body: fixed(`{"nickname":"bob"}`), count: made},
	"POST /api/svc/admin/oauth_app": {
		body:  fixed(`{"name":"made by root","redirect_uris":"urn:ietf:wg:oauth:2.0:oob","scopes":["read"]}`),
		count: "SELECT COUNT(*) FROM apps WHERE name = 'made by root'",
	},
	"POST /api/svc/admin/reports/:id/notes": {
		path:  func(w *repeatWorld) string { return "/api/svc/admin/reports/" + w.report + "/notes" },
		body:  fixed(`{"content":"noted"}`),
		count: "SELECT COUNT(*) FROM report_notes",
	},
}

// repeatable are the other routes: a second run leaves all as the first one did.
// Some answer then that it is so already, where the first answer was lost.
var repeatable = strings.Fields(`
	/api/svc/change_password /api/svc/change_email /api/svc/delete_account /api/svc/disable_account /api/svc/accounts/mfa/confirm/:method
	/api/v1/accounts/:id/follow /api/v1/accounts/:id/unfollow /api/v1/accounts/:id/block /api/v1/accounts/:id/unblock
	/api/v1/accounts/:id/mute /api/v1/accounts/:id/unmute /api/v1/follows /api/v1/domain_blocks /api/v1/lists/:id/accounts
	/api/v1/follow_requests/:id/authorize /api/v1/follow_requests/:id/reject
	/api/v1/svc/accounts/:id/subscribe /api/v1/svc/accounts/:id/unsubscribe
	/api/svc/follow_import /api/svc/blocks_import /api/svc/mutes_import
	/api/v1/notifications/clear /api/v1/notifications/dismiss /api/v1/notifications/:id/dismiss /api/v1/svc/notifications/read /api/v1/markers
	/api/v1/svc/chats/by-account-id/:id /api/v1/svc/chats/:id/read /api/v1/svc/chats/:id/messages/:message_id/read
	/api/v1/conversations/:id/read /api/v1/svc/conversations/read
	/api/v1/statuses/:id/reblog /api/v1/statuses/:id/unreblog /api/v1/statuses/:id/favourite /api/v1/statuses/:id/unfavourite
	/api/v1/statuses/:id/bookmark /api/v1/statuses/:id/unbookmark /api/v1/statuses/:id/pin /api/v1/statuses/:id/unpin
	/api/v1/statuses/:id/mute /api/v1/statuses/:id/unmute /api/v1/polls/:id/votes
	/api/svc/admin/users/follow /api/svc/admin/users/unfollow /api/svc/admin/users/:nickname/permission_group/:permission_group
	/api/svc/admin/users/permission_group/:permission_group /api/svc/admin/users/revoke_invite
	/api/svc/admin/config /api/svc/admin/reload_emoji /api/svc/admin/media_proxy_caches/delete /api/svc/admin/media_proxy_caches/purge
	/api/svc/admin/relay /api/svc/admin/federation/hosts/:host/retry /api/svc/admin/jobs/retry /api/svc/admin/jobs/:id/retry`)

// TestEveryPostIsKnownToRepeatOrNot: a new route says what a second request with
// its key does.
func TestEveryPostIsKnownToRepeatOrNot(t *testing.T) {
	s := servertest.Start(t)
	known := map[string]bool{}
	for name := range makers {
		known[strings.TrimSuffix(name, " (scheduled)")] = true
	}
	for _, path := range repeatable {
		known["POST "+path] = true
	}
	for _, r := range s.Routes() {
		name := r.Method + " " + r.Path
		if r.Method == http.MethodPost && (r.Access == server.User || r.Access == server.Admin) && !known[name] {
			t.Errorf("%s is among neither makers nor repeatable", name)
		}
		delete(known, name)
	}
	for name := range known {
		t.Errorf("%s is no route", name)
	}
}

// repeatWorld is two processes on one database.
type repeatWorld struct {
	*servertest.Server
	second            *servertest.Server
	bob, chat, report string
	token             string // of an admin, with all scopes
	numbers           int
}

func (w *repeatWorld) next() int { w.numbers++; return w.numbers }

// upload is the id of a file that is not used yet.
func (w *repeatWorld) upload() string {
	content := strings.NewReader(fmt.Sprint("file ", w.next()))
	up, err := w.Client("root").Media.Upload(context.Background(), client.File{Name: "a.txt", Content: content}, api.MediaForm{})
	if err != nil {
		panic(err)
	}
	return up.ID
}

// send answers one request with this key by one of the two processes.
func (w *repeatWorld) send(ctx context.Context, by *servertest.Server, path, kind, body, key string) (int, string) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, by.URL+path, strings.NewReader(body))
	if err != nil {
		return 0, err.Error()
	}
	req.Header.Set("Authorization", "Bearer "+w.token)
	req.Header.Set("Content-Type", kind)
	req.Header.Set("Idempotency-Key", key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err.Error()
	}
	return res.StatusCode, string(text)
}

// form is a file with its description.
func form() (kind, body string) {
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	_ = m.WriteField("description", "sent again")
	part, _ := m.CreateFormFile("file", "a.txt")
	_, _ = part.Write([]byte("a file that is sent again"))
	_ = m.Close()
	return m.FormDataContentType(), b.String()
}

// TestAKeyedRequestIsCarriedOutOnce: whatever keeps the first answer from its
// client, a request that is sent again with its key makes nothing new, and is
// answered as the first one was.
func TestAKeyedRequestIsCarriedOutOnce(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		w := &repeatWorld{Server: s, second: s.Second(t), token: s.Token("root", servertest.AdminScopes), bob: s.User("bob").ID}
		w.chat = must(s.Client("root").Chats.Open(ctx, w.bob))(t).ID
		w.report = must(s.Client("root").Reports.Create(ctx, api.NewReport{AccountID: w.bob, Comment: "for notes"}))(t).ID
		rows := func(query string) int {
			t.Helper()
			var n int
			if err := s.DB.Writer().QueryRowContext(ctx, query).Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		for name, m := range makers {
			path := strings.TrimPrefix(name, "POST ")
			if m.path != nil {
				path = m.path(w)
			}
			kind, body := "application/json", ""
			fresh := func() {
				if m.body == nil {
					kind, body = form()
				} else {
					body = m.body(w)
				}
			}
			// The process dies once the write is committed, before its answer is kept.
			fresh()
			before, key := rows(m.count), name+" lost"
			status, first := w.send(ctx, w.Server, path, kind, body, key)
			if status < 200 || status > 299 {
				t.Errorf("%s: %d %s", name, status, first)
				continue
			}
			must(s.DB.Writer().ExecContext(ctx, "DELETE FROM idempotency_keys WHERE request_id <> ''"))(t)
			if again, text := w.send(ctx, w.second, path, kind, body, key); again != status || text != first && m.count != made {
				t.Errorf("%s, its answer lost: %d %s, want %d %s", name, again, text, status, first)
			}
			if n := rows(m.count) - before; n != 1 {
				t.Errorf("%s, its answer lost, made %d", name, n)
			}
			if name == "POST /api/v1/svc/backups" {
				continue // one for some days
			}
			// Two processes get it at once.
			fresh()
			before, key = rows(m.count), name+" at once"
			answers := make([]string, 6)
			var all sync.WaitGroup
			for i := range answers {
				all.Go(func() {
					status, text := w.send(ctx, []*servertest.Server{w.Server, w.second}[i%2], path, kind, body, key)
					answers[i] = fmt.Sprint(status, " ", text)
				})
			}
			all.Wait()
			for _, a := range answers {
				if a != answers[0] {
					t.Errorf("%s, at once: %s\nand %s", name, a, answers[0])
				}
			}
			if n := rows(m.count) - before; n != 1 {
				t.Errorf("%s, at once, made %d", name, n)
			}
			// Its client goes away.
			fresh()
			before, key = rows(m.count), name+" left"
			for range 3 {
				leaving, leave := context.WithCancel(ctx)
				var gone sync.WaitGroup
				gone.Go(func() { w.send(leaving, w.Server, path, kind, body, key) })
				gone.Go(leave)
				gone.Wait()
			}
			if status, text := w.send(ctx, w.second, path, kind, body, key); status < 200 || status > 299 {
				t.Errorf("%s, left: %d %s", name, status, text)
			}
			if n := rows(m.count) - before; n != 1 {
				t.Errorf("%s, left, made %d", name, n)
			}
		}
	}, servertest.WithMail, func(s *config.Settings) {
		s.Backup.LimitDays = 7
		s.Instance.RegistrationsOpen, s.Instance.InvitesEnabled = false, true
	})
}
