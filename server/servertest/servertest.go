// Package servertest runs the whole service for a test, with users that are
// signed in with our own client.
package servertest

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svc/client"
	"svc/db"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/api/apitest"
	"svc/server/platform/config"
	"svc/server/platform/mail/mailtest"
	"svc/server/platform/naming"
	"svc/server/platform/tracing"
	"svc/server/rules/auth"
	"svc/server/rules/signup"
)

// Password is the password of every user created here. It is stored as a cheap
// hash: tests sign in often, and under the race detector a real hash takes a
// second.
const (
	Password     = "correct horse battery"
	passwordHash = "$argon2id$v=19$m=64,t=1,p=1$c3ZjJ3MgdGVzdCB1c2Vycw$SV2TxZXGtLDw+UDHFZ+siol9ronv+ZvW9oZmas+UaXc"
)

// AllScopes are the default scopes of users' tokens; admins' have AdminScopes.
const (
	AllScopes   = "read write follow push"
	AdminScopes = AllScopes + " admin:read admin:write"
)

// Server is a running service.
type Server struct {
	*server.Server
	URL string
	DSN string
	// Words are those of the service's name.
	Words naming.Words
	// DataDir is the folder of files.
	DataDir string
	// Mailbox has the service's mails; nil without WithMail.
	Mailbox *mailtest.Mailbox
	// Log is the service's log.
	Log *Log
	t   testing.TB

	ahead  *atomic.Int64 // of the real clock, in nanoseconds
	mu     sync.Mutex
	tokens map[string]string
}

// Each runs fn against a service on SQLite and, when SVC_TEST_POSTGRES is set,
// on PostgreSQL, in parallel.
func Each(t *testing.T, fn func(t *testing.T, s *Server), edit ...func(*config.Settings)) {
	t.Helper()
	dbtest.EachReady(t, func(t *testing.T, dsn string) { fn(t, On(t, dsn, edit...)) })
}

// Start runs a service on a SQLite file of its own.
func Start(t testing.TB, edit ...func(*config.Settings)) *Server {
	t.Helper()
	return On(t, dbtest.Ready(t), edit...)
}

// On runs a service on the database dsn until the test ends.
func On(t testing.TB, dsn string, edit ...func(*config.Settings)) *Server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return at(t, dsn, l, "http://"+l.Addr().String(), nil, nil, edit...)
}

// Booted runs a service on the database dsn with other boot settings than
// usual.
func Booted(t testing.TB, dsn string, boot func(*config.Config), edit ...func(*config.Settings)) *Server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return at(t, dsn, l, "http://"+l.Addr().String(), boot, nil, edit...)
}

// Traced runs a service on the database dsn whose traces go to traces.
func Traced(t testing.TB, dsn string, traces *tracing.Traces, edit ...func(*config.Settings)) *Server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return at(t, dsn, l, "http://"+l.Addr().String(), nil, traces, edit...)
}

// Named runs fn against a service with another name than svc, as Each does.
func Named(t *testing.T, name string, fn func(t *testing.T, s *Server), edit ...func(*config.Settings)) {
	t.Helper()
	dbtest.EachReady(t, func(t *testing.T, dsn string) {
		fn(t, Booted(t, dsn, func(c *config.Config) { c.Name = name }, edit...))
	})
}

// Second runs another process's worth of service on the same database and
// base URL, with the same settings; its own address is in URL.
func (s *Server) Second(t testing.TB) *Server {
	t.Helper()
	return s.SecondAs(t, config.AllRoles)
}

// SecondAs is Second with these roles.
func (s *Server) SecondAs(t testing.TB, roles config.Roles) *Server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	second := at(t, s.DSN, l, s.Base(), func(c *config.Config) { c.Name, c.Roles = s.Words.Name(), roles }, nil, func(settings *config.Settings) { *settings = *s.Settings.Base() })
	second.Mailbox = s.Mailbox
	return second
}

// WithMail is an edit of the settings: the service sends mail, which the test
// finds in Mailbox.
func WithMail(s *config.Settings) { s.Mailer.Enabled = true }

func at(t testing.TB, dsn string, l net.Listener, base string, boot func(*config.Config), traces *tracing.Traces, edit ...func(*config.Settings)) *Server {
	t.Helper()
	ahead := new(atomic.Int64)
	now := func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	log := new(Log)
	d := dbtest.OpenWith(t, dsn, db.Options{Log: log.logger(), Now: now, Observe: traces.Statements()})
	cfg := config.Defaults()
	cfg.BaseURL, cfg.Database, cfg.DataDir = base, dsn, t.TempDir()
	cfg.Drain = 0
	cfg.FederationInsecure = true // other servers of a test are on this machine
	cfg.Unlocked = config.LockedNames()
	// A test sets the client's address by X-Forwarded-For.
	cfg.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	for i := range cfg.Settings.RateLimits {
		cfg.Settings.RateLimits[i] = config.Limit{}
	}
	cfg.Settings.Captcha.Enabled = false
	for _, e := range edit {
		e(&cfg.Settings)
	}
	if boot != nil {
		boot(&cfg)
	}
	var box *mailtest.Mailbox
	if m := &cfg.Settings.Mailer; m.Enabled && m.Relay == "" {
		box = mailtest.Start(t)
		box.Use(&cfg.Settings)
	}
	o := server.Options{Log: log.logger(), Now: now, NewKey: sharedKey, Version: "test", Traces: traces}
	if _, is := t.(*testing.T); is { // benchmarks measure the service alone
		answers := new(apitest.Answers)
		o.Each = append(o.Each, answers.Check)
		t.Cleanup(func() { answers.Report(t) }) // after the service has ended
	}
	srv, err := server.New(t.Context(), cfg, d, o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("serve: %v", err)
			}
		case <-time.After(30 * time.Second):
			t.Error("the server did not stop")
		}
	})
	return &Server{Server: srv, URL: "http://" + l.Addr().String(), DSN: dsn, Words: naming.New(cfg.Name), DataDir: cfg.DataDir, Mailbox: box, Log: log, t: t, ahead: ahead, tokens: map[string]string{}}
}

// Base is the public base URL.
func (s *Server) Base() string { return s.BaseURL() }

// User makes a confirmed user and returns their account; an existing one is
// returned as it is.
func (s *Server) User(nickname string) *db.Account {
	s.t.Helper()
	return s.make(signup.NewUser{Nickname: nickname})
}

// AdminUser is User for an admin.
func (s *Server) AdminUser(nickname string) *db.Account {
	s.t.Helper()
	return s.make(signup.NewUser{Nickname: nickname, Admin: true})
}

func (s *Server) make(u signup.NewUser) *db.Account {
	s.t.Helper()
	ctx := context.Background()
	if a, err := s.DB.AccountByNickname(ctx, u.Nickname); err == nil {
		return a
	}
	u.Email = strings.ToLower(u.Nickname) + "@example.org"
	a, err := s.Signup.CreateUser(ctx, u)
	if err == nil {
		err = s.DB.UpdateUser(ctx, &db.User{AccountID: a.ID, PasswordHash: passwordHash}, "password_hash")
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return a
}

// Token returns a token of nickname with scopes, and creates a missing user.
func (s *Server) Token(nickname, scopes string) string {
	s.t.Helper()
	key := nickname + " " + scopes
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, ok := s.tokens[key]; ok {
		return t
	}
	a := s.make(signup.NewUser{Nickname: nickname, Admin: strings.Contains(scopes, "admin:")})
	t := s.issue(a, scopes)
	s.tokens[key] = t
	return t
}

// AppToken is an app's own token with all ordinary scopes.
func (s *Server) AppToken() string {
	s.t.Helper()
	return s.issue(nil, AllScopes)
}

func (s *Server) issue(a *db.Account, scopes string) string {
	s.t.Helper()
	app, err := s.Auth.CreateApp(context.Background(), auth.NewApp{Name: "tests", RedirectURIs: auth.OutOfBand, Scopes: scopes})
	if err != nil {
		s.t.Fatal(err)
	}
	issued, err := s.Auth.Issue(context.Background(), app.ID, a, auth.SplitScopes(scopes))
	if err != nil {
		s.t.Fatal(err)
	}
	return issued.AccessToken
}

// Client is our own client, signed in as a user with all ordinary scopes.
func (s *Server) Client(nickname string) *client.Client {
	s.t.Helper()
	return s.With(s.Token(nickname, AllScopes))
}

// Admin is our own client, signed in as an admin with the admin scopes.
func (s *Server) Admin(nickname string) *client.Client {
	s.t.Helper()
	return s.With(s.Token(nickname, AdminScopes))
}

// Anonymous is our own client without a token.
func (s *Server) Anonymous() *client.Client {
	s.t.Helper()
	return s.With("")
}

// With is our own client with this token.
func (s *Server) With(token string) *client.Client {
	s.t.Helper()
	opts := []client.Option{client.WithRetries(0), client.WithHTTPClient(&http.Client{Timeout: 30 * time.Second})}
	if token != "" {
		opts = append(opts, client.WithToken(token))
	}
	c, err := client.New(s.URL, opts...)
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

// Get answers one GET in the caller's own goroutine and context, for tests
// that count statements.
func (s *Server) Get(ctx context.Context, path, token string) *httptest.ResponseRecorder {
	s.t.Helper()
	req := httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil)
	req.Header.Set("Authorization", "Bearer "+token)
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, req)
	if w.Code != http.StatusOK {
		s.t.Errorf("GET %s: %d %.200s", path, w.Code, w.Body)
	}
	return w
}
