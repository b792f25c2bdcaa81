package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/demo"
	"svc/server/platform/config"
	"svc/server/rules/auth"
	"svc/server/rules/signup"
	"svc/server/rules/social"
)

// BenchmarkRequests requests the most frequent pages, from 16 goroutines, on a
// demo world of 20,000 statuses: the whole service without the network. Its
// profiles show the cost of a request.
func BenchmarkRequests(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) {
		benchmarkOn(b, "sqlite:"+filepath.Join(b.TempDir(), "svc.db"))
	})
	if dsn := dbtest.Postgres(b); dsn != "" {
		b.Run("postgres", func(b *testing.B) { benchmarkOn(b, dsn) })
	}
}

func benchmarkOn(b *testing.B, dsn string) {
	ctx := context.Background()
	d := dbtest.Open(b, dsn)
	cfg := config.Defaults()
	cfg.BaseURL, cfg.Database, cfg.DataDir = "https://svc.example", dsn, b.TempDir()
	for i := range cfg.Settings.RateLimits {
		cfg.Settings.RateLimits[i] = config.Limit{}
	}
	plan, err := demo.NewPlan(demo.Options{Seed: 1, Accounts: 150, Statuses: 20_000, Reports: 500, End: time.Now()})
	if err != nil {
		b.Fatal(err)
	}
	if err := demo.Build(ctx, plan, demo.Place{
		Database: dsn, BaseURL: cfg.BaseURL, DataDir: cfg.DataDir, Settings: cfg.Settings, Password: rightPassword,
	}); err != nil {
		b.Fatal(err)
	}
	s, err := server.New(ctx, cfg, d, server.Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	keepFacts(b, d)
	w := &benchWorld{b: b, s: s, d: d}
	moderator := w.token(plan.People[0].Nick)
	var (
		people  []*db.Account
		writers []string
	)
	for i := range 16 {
		nick := fmt.Sprintf("writer%02d", i)
		a, err := s.Signup.CreateUser(ctx, signup.NewUser{Nickname: nick, Email: nick + "@example.org", Password: rightPassword})
		if err != nil {
			b.Fatal(err)
		}
		people, writers = append(people, a), append(writers, w.token(nick))
	}
	for _, one := range people {
		for _, other := range people {
			if one == other {
				continue
			}
			if err := s.Social.Follow(ctx, one, other.ID, social.FollowOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	}
	home, public := w.places(moderator, "/api/v1/timelines/home"), w.places(moderator, "/api/v1/timelines/public")
	read := func(name, path string, ends ...string) {
		b.Run(name, func(b *testing.B) {
			w.run(b, func(n int64) *http.Request {
				if ends == nil {
					return w.request(http.MethodGet, path, moderator, "")
				}
				return w.request(http.MethodGet, path+ends[n%int64(len(ends))], moderator, "")
			})
		})
	}
	read("home", "/api/v1/timelines/home?limit=20")
	read("home_deep", "/api/v1/timelines/home?limit=20&max_id=", home...)
	read("public", "/api/v1/timelines/public?limit=20")
	read("public_deep", "/api/v1/timelines/public?limit=20&max_id=", public...)
	read("status", "/api/v1/statuses/", public...)
	read("context", "/api/v1/statuses/"+w.thread(people)+"/context")
	read("verify_credentials", "/api/v1/accounts/verify_credentials")
	read("notifications", "/api/v1/notifications?limit=20")
	read("account_statuses", "/api/v1/accounts/"+w.author(plan.People[1].Nick)+"/statuses?limit=20")
	read("search_accounts", "/api/v1/accounts/search?q=writer&limit=20")
	read("instance", "/api/v1/instance")
	read("reports", "/api/svc/admin/reports?state=open")
	read("users", "/api/svc/admin/users")
	reader, err := d.AccountByNickname(ctx, plan.People[0].Nick)
	if err != nil {
		b.Fatal(err)
	}
	for i := range 20 {
		word, everywhere := fmt.Sprintf("unwanted%d", i), int64(db.FilterHome|db.FilterPublic)
		if _, err := s.Social.CreateFilter(ctx, reader, social.Filter{Title: &word, Contexts: &everywhere, Keywords: []social.Keyword{{Keyword: &word}}}, ""); err != nil {
			b.Fatal(err)
		}
	}
	read("home_filtered", "/api/v1/timelines/home?limit=20")
	read("home_filtered_deep", "/api/v1/timelines/home?limit=20&max_id=", home...)
	b.Run("post", func(b *testing.B) {
		w.run(b, func(n int64) *http.Request {
			return w.request(http.MethodPost, "/api/v1/statuses", writers[n%int64(len(writers))],
				fmt.Sprintf(`{"status":"A measured status, number %d, about rivers and lanterns"}`, n))
		})
	})
}

// thread posts a status with 50 answers, some of them to each other, and
// returns its id.
func (w *benchWorld) thread(people []*db.Account) string {
	var root, last string
	for i := range 51 {
		in := social.NewStatus{Text: fmt.Sprintf("answer %d of a measured thread", i), InReplyToID: root}
		if i%5 >= 3 {
			in.InReplyToID = last
		}
		posted, err := w.s.Social.PostStatus(context.Background(), people[i%len(people)], in)
		if err != nil {
			w.b.Fatal(err)
		}
		if last = posted.ID; root == "" {
			root = last
		}
	}
	return root
}

// rightPassword is the password of all users here.
const rightPassword = "correct horse battery"

// keepFacts reads events until the end of b, as the service does: without them pages keep
// no facts.
func keepFacts(b *testing.B, d *db.DB) {
	if err := d.StartEvents(b.Context()); err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(b.Context()))
	ended := make(chan struct{})
	go func() { defer close(ended); d.Listen(ctx) }()
	b.Cleanup(func() { stop(); <-ended })
}

// author returns the id of an account.
func (w *benchWorld) author(nick string) string {
	a, err := w.d.AccountByNickname(context.Background(), nick)
	if err != nil {
		w.b.Fatal(err)
	}
	return a.ID
}

type benchWorld struct {
	b *testing.B
	s *server.Server
	d *db.DB
}

// token signs a user in with every scope that is asked for here.
func (w *benchWorld) token(nick string) string {
	ctx := context.Background()
	account, err := w.d.AccountByNickname(ctx, nick)
	if err != nil {
		w.b.Fatal(err)
	}
	const scopes = "read write follow admin:read"
	app, err := w.s.Auth.CreateApp(ctx, auth.NewApp{Name: "bench", RedirectURIs: auth.OutOfBand, Scopes: scopes})
	if err != nil {
		w.b.Fatal(err)
	}
	issued, err := w.s.Auth.Issue(ctx, app.ID, account, auth.SplitScopes(scopes))
	if err != nil {
		w.b.Fatal(err)
	}
	return issued.AccessToken
}

func (w *benchWorld) get(token, path string, into any) {
	w.b.Helper()
	rec := httptest.NewRecorder()
	w.s.Handler().ServeHTTP(rec, w.request(http.MethodGet, path, token, ""))
	if rec.Code != http.StatusOK {
		w.b.Fatalf("%s: %d %s", path, rec.Code, rec.Body)
	}
	if err := json.Unmarshal(rec.Body.Bytes(), into); err != nil {
		w.b.Fatal(err)
	}
}

// places returns ids from all parts of a timeline.
func (w *benchWorld) places(token, path string) (ids []string) {
	for max := ""; len(ids) < 200; {
		var page []struct{ ID string }
		w.get(token, path+"?limit=40&max_id="+max, &page)
		if len(page) < 40 {
			break
		}
		max = page[39].ID
		ids = append(ids, max)
	}
	if len(ids) == 0 {
		w.b.Fatalf("%s has no full page", path)
	}
	return ids
}

func (w *benchWorld) request(method, path, token, body string) *http.Request {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

// run serves requests from 16 goroutines, and fails on the first that is not
// answered well.
func (w *benchWorld) run(b *testing.B, next func(n int64) *http.Request) {
	var n atomic.Int64
	b.SetParallelism(8)
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			out := &countingWriter{header: http.Header{}, status: http.StatusOK}
			r := next(n.Add(1))
			w.s.Handler().ServeHTTP(out, r)
			if out.status != http.StatusOK {
				b.Errorf("%s: %d", r.URL.Path, out.status)
				return
			}
		}
	})
}

// countingWriter keeps only the status of an answer.
type countingWriter struct {
	header http.Header
	status int
}

func (w *countingWriter) Header() http.Header         { return w.header }
func (w *countingWriter) WriteHeader(status int)      { w.status = status }
func (w *countingWriter) Write(p []byte) (int, error) { return len(p), nil }
