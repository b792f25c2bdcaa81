package delivery_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/federation/delivery"
	"svc/server/federation/remote"
	"svc/server/platform/alive"
	"svc/server/platform/config"
	"svc/server/platform/outgoing"
)

const base = "http://127.0.0.9:4000"

// patience bounds every wait of tests.
const patience = 20 * time.Second

// clock is a time that tests move on.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// world is a database with an author, and a delivery that runs.
type world struct {
	t      *testing.T
	dsn    string
	db     *db.DB
	clock  *clock
	live   *config.Live
	author *db.Account
	*delivery.Service
}

// each runs fn with a world on both databases. edit changes the settings.
func each(t *testing.T, fn func(t *testing.T, w *world), edit ...func(*config.Settings)) {
	t.Helper()
	dbtest.EachReady(t, func(t *testing.T, dsn string) { fn(t, newWorld(t, dsn, newClock(), edit...)) })
}

func newWorld(t *testing.T, dsn string, c *clock, edit ...func(*config.Settings)) *world {
	t.Helper()
	d, err := db.Open(t.Context(), dsn, db.Options{Now: c.now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	settings := config.Defaults().Settings
	for _, e := range edit {
		e(&settings)
	}
	live, err := config.NewLive(settings)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dsn: dsn, db: d, clock: c, live: live}
	if w.author, err = d.AccountByNickname(t.Context(), "ann"); err != nil {
		w.author = db.NewAccount(base, "ann")
		if err := d.CreateAccount(t.Context(), w.author); err != nil {
			t.Fatal(err)
		}
	}
	private, public := testKey()
	if _, err := d.AddKey(t.Context(), w.author.ID, private, public); err != nil {
		t.Fatal(err)
	}
	w.make()
	return w
}

// testKey is one key for all authors: making one takes longer than most tests.
var testKey = sync.OnceValues(func() (private, public string) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		panic(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), "unread"
})

// make makes a Service, which does not run yet.
func (w *world) make() {
	out := outgoing.New(outgoing.Options{Insecure: true, Bounds: func() outgoing.Bounds {
		b := outgoing.Bounds{Most: 250, Connect: 5 * time.Second, Idle: 30 * time.Second}
		for i := range b.Pools {
			b.Pools[i] = outgoing.Pool{Size: 64, Waiting: 1024, Receive: 10 * time.Second}
		}
		return b
	}})
	site := config.NewSite(base, true)
	send := remote.New(remote.Parts{DB: w.db, Settings: w.live, Outgoing: out, Site: site, Now: w.clock.now})
	w.Service = delivery.New(delivery.Parts{
		DB: w.db, Process: alive.New(w.db, slog.New(slog.DiscardHandler)), Settings: w.live, Send: send, Relays: w.db.RelayInboxes,
		Visits: func() delivery.Visits { return delivery.Visits{} }, Site: site, Now: w.clock.now, Log: slog.New(slog.DiscardHandler),
	})
}

func (w *world) start() {
	w.t.Helper()
	if err := w.Start(context.Background()); err != nil {
		w.t.Fatal(err)
	}
	s := w.Service
	w.t.Cleanup(func() { w.end(s) })
}

func (w *world) end(s *delivery.Service) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := s.Stop(ctx); err != nil {
		w.t.Errorf("stop: %v", err)
	}
}

// until waits for a condition, and has work looked for meanwhile.
func (w *world) until(what string, cond func() bool) {
	w.t.Helper()
	for end := time.Now().Add(patience); !cond(); {
		if time.Now().After(end) {
			rows := w.deliveries()
			w.t.Fatalf("%s: not after %s; %+v, of the deliveries: %+v", what, patience, w.depth(), rows[:min(5, len(rows))])
		}
		w.Wake()
		select {
		case <-w.t.Context().Done():
			return
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// deliveries are all that wait.
func (w *world) deliveries() []db.Delivery {
	w.t.Helper()
	rows, err := w.db.Deliveries(w.t.Context(), 0, 1000)
	if err != nil {
		w.t.Fatal(err)
	}
	return rows
}

// idle waits until nothing is left to be distributed or sent.
func (w *world) idle() {
	w.t.Helper()
	w.until("nothing waits", func() bool { return w.depth() == db.QueueDepth{} })
}

func (w *world) depth() db.QueueDepth {
	w.t.Helper()
	q, err := w.db.DeliveryDepth(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return q
}

// instance returns the row of a host.
func (w *world) instance(host string) db.Instance {
	w.t.Helper()
	i, err := w.db.Instance(w.t.Context(), host)
	if err != nil {
		return db.Instance{}
	}
	return *i
}

// follower makes an account of a peer that follows the author.
func (w *world) follower(p *peer, name string, edit ...func(*db.Account)) *db.Account {
	w.t.Helper()
	a := w.stranger(p, name, edit...)
	if err := w.db.CreateFollow(w.t.Context(), &db.Follow{FollowerID: a.ID, TargetID: w.author.ID, ID: w.db.NewID(), Reblogs: true}); err != nil {
		w.t.Fatal(err)
	}
	return a
}

func (w *world) stranger(p *peer, name string, edit ...func(*db.Account)) *db.Account {
	w.t.Helper()
	uri := p.url + "/users/" + name
	a := &db.Account{URI: uri, URL: uri, Nickname: name + "@" + p.host, Domain: p.host, ActorType: "Person",
		Inbox: uri + "/inbox", SharedInbox: p.url + "/inbox", FollowersURI: uri + "/followers", KeyID: uri + "#main-key"}
	for _, e := range edit {
		e(a)
	}
	if err := w.db.CreateAccount(w.t.Context(), a); err != nil {
		w.t.Fatal(err)
	}
	return a
}

// queue keeps an activity of the author. Its body says which it is.
func (w *world) queue(kind, object string, to db.Audience, edit ...func(*db.Activity)) *db.Activity {
	w.t.Helper()
	a := &db.Activity{URI: base + "/activities/" + w.db.NewUUID(), AccountID: w.author.ID, Type: kind, ObjectURI: object, Priority: db.PriorityPost, Audience: to}
	for _, e := range edit {
		e(a)
	}
	if a.Body == "" {
		a.Body = `{"id":"` + a.URI + `","type":"` + kind + `","object":"` + object + `"}`
	}
	if err := w.db.Tx(w.t.Context(), func(tx *db.DB) error { return tx.QueueActivity(w.t.Context(), a) }); err != nil {
		w.t.Fatal(err)
	}
	return a
}

// public is everybody who follows.
var public = db.Audience{Followers: true, Public: true}

// got is one activity that a peer took, or was offered.
type got struct {
	Path, Type, Object, ID string
}

// peer is a server that is sent activities.
type peer struct {
	t         *testing.T
	url, host string
	srv       *http.Server

	mu     sync.Mutex
	taken  []got
	calls  []got // all of them
	most   int   // at once
	now    int
	answer func(got) (status int, header http.Header) // nil takes all
	hold   chan struct{}                              // closed to let calls end; nil holds none
}

func newPeer(t *testing.T) *peer {
	p := &peer{t: t}
	p.listen("127.0.0.1:0")
	return p
}

func (p *peer) listen(address string) {
	p.t.Helper()
	l, err := (&net.ListenConfig{}).Listen(p.t.Context(), "tcp", address)
	if err != nil {
		p.t.Fatal(err)
	}
	p.host, p.url = l.Addr().String(), "http://"+l.Addr().String()
	p.srv = &http.Server{Handler: http.HandlerFunc(p.serve), ReadHeaderTimeout: time.Minute}
	srv := p.srv
	go func() { _ = srv.Serve(l) }()
	p.t.Cleanup(func() { _ = srv.Close() })
}

// goDown has it refuse connections until it comes back.
func (p *peer) goDown() { _ = p.srv.Close() }
func (p *peer) comeBack() {
	p.t.Helper()
	p.listen(p.host)
}

func (p *peer) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if r.Method != http.MethodPost || r.Header.Get("Signature") == "" || r.Header.Get("Digest")+r.Header.Get("Content-Digest") == "" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	var in struct{ ID, Type, Object string }
	_ = json.Unmarshal(body, &in)
	g := got{Path: r.URL.Path, Type: in.Type, Object: in.Object, ID: in.ID}
	p.mu.Lock()
	p.calls = append(p.calls, g)
	p.now++
	p.most = max(p.most, p.now)
	answer, hold := p.answer, p.hold
	p.mu.Unlock()
	if hold != nil {
		select {
		case <-hold:
		case <-r.Context().Done():
		}
	}
	status := http.StatusAccepted
	if answer != nil {
		var header http.Header
		status, header = answer(g)
		for name, values := range header {
			w.Header()[name] = values
		}
	}
	p.mu.Lock()
	p.now--
	if status/100 == 2 {
		p.taken = append(p.taken, g)
	}
	p.mu.Unlock()
	w.WriteHeader(status)
	_, _ = io.WriteString(w, strconv.Itoa(status))
}

// answers has it answer with a status from now on.
func (p *peer) answers(status int, header ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := http.Header{}
	for i := 0; i+1 < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	p.answer = func(got) (int, http.Header) { return status, h }
}

func (p *peer) all() (taken, calls []got) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]got(nil), p.taken...), append([]got(nil), p.calls...)
}

// paths are those of the requests it took, without the actor's.
func paths(list []got) []string {
	out := make([]string, len(list))
	for i, g := range list {
		out[i] = strings.TrimPrefix(g.Path, "/users/")
	}
	return out
}
