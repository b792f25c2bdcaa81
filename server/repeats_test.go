package server_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
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

// maker is a route that creates an object with each request: its body, and the
// tables in which one request adds a row.
type maker struct {
	path  func(w *repeatWorld) string // nil: the route's own
	body  func(w *repeatWorld) string
	count string
}

// fixed is a body that is the same each time.
func fixed(body string) func(*repeatWorld) string {
	return func(*repeatWorld) string { return body }
}

// made counts archives by their rows, since their list also changes with their
// progress.
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
	"POST /api/v2/filters/:id/keywords": {
		path:  func(w *repeatWorld) string { return "/api/v2/filters/" + w.filter + "/keywords" },
		body:  fixed(`{"keyword":"again"}`),
		count: "SELECT COUNT(*) FROM filter_keywords",
	},
	"POST /api/v1/reports": {
		body:  func(w *repeatWorld) string { return fmt.Sprintf(`{"account_id":"%s","comment":"rude"}`, w.bob) },
		count: "SELECT COUNT(*) FROM reports WHERE content = 'rude'",
	},
	"POST /api/v1/svc/backups": {body: fixed(`{}`), count: made},
	"POST /api/v1/media":       {count: "SELECT COUNT(*) FROM media_attachments WHERE description = 'sent again'"},
	"POST /api/v2/media":       {count: "SELECT COUNT(*) FROM media_attachments WHERE description = 'sent again'"},
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
	"POST /api/svc/admin/reports": {body: fixed(`{"account":"bob","comment":"rude again"}`), count: "SELECT COUNT(*) FROM reports WHERE content = 'rude again'"},
	"POST /api/svc/admin/reports/:id/notes": {
		path:  func(w *repeatWorld) string { return "/api/svc/admin/reports/" + w.report + "/notes" },
		body:  fixed(`{"content":"noted"}`),
		count: "SELECT COUNT(*) FROM report_notes",
	},
}

// allMakers returns makers and those of the examples.
func allMakers() map[string]maker {
	all := maps.Clone(makers)
	for name, e := range servertest.Examples {
		if e.Again != "" && e.Again != servertest.Same {
			all[name] = maker{body: fixed(e.Body), count: e.Again}
		}
	}
	return all
}

// TestEveryPostIsKnownToRepeatOrNot: a new route declares the effect of a
// second request with its key.
func TestEveryPostIsKnownToRepeatOrNot(t *testing.T) {
	s := servertest.Start(t)
	known := map[string]bool{}
	for name := range makers {
		known[strings.TrimSuffix(name, " (scheduled)")] = true
	}
	for name, e := range servertest.Examples {
		if e.Again != "" {
			known[name] = true
		}
	}
	for _, r := range s.Routes() {
		name := r.Method + " " + r.Path
		if r.Method == http.MethodPost && (r.Access == server.User || r.Access == server.Admin) && !known[name] {
			t.Errorf("%s: nothing says what it does when it comes again", name)
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
	second                    *servertest.Server
	bob, chat, report, filter string
	token                     string // of an admin, with all scopes
	numbers                   int
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

// TestAKeyedRequestIsCarriedOutOnce loses the first answer in several ways. The
// request with the same key then makes nothing new, and gets the first answer.
func TestAKeyedRequestIsCarriedOutOnce(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		w := &repeatWorld{Server: s, second: s.Second(t), token: s.Token("root", servertest.AdminScopes), bob: s.User("bob").ID}
		w.chat = must(s.Client("root").Chats.Open(ctx, w.bob))(t).ID
		w.filter = must(s.Client("root").FiltersV2.Create(ctx, filterForm("x", "warn")))(t).ID
		w.report = must(s.Client("root").Reports.Create(ctx, api.NewReport{AccountID: w.bob, Comment: "for notes"}))(t).ID
		rows := func(query string) int {
			t.Helper()
			var n int
			if err := s.DB.Writer().QueryRowContext(ctx, query).Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		for name, m := range allMakers() {
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
