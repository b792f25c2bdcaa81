package web

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/server/platform/config"
	"svc/server/rules/auth"
)

// A gate is a limited route behind a proxy on 10.0.0.0/8.
type gate struct {
	t   *testing.T
	now time.Time
	*Limiter
	settings *config.Live
}

func newGate(t *testing.T, edit func(*[config.BucketCount]config.Limit)) *gate {
	t.Helper()
	settings := config.DefaultSettings()
	settings.RateLimits = [config.BucketCount]config.Limit{}
	edit(&settings.RateLimits)
	live, err := config.NewLive(settings)
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{t: t, now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), settings: live}
	g.Limiter = NewLimiter(live, func() time.Time { return g.now })
	return g
}

// ask answers one request; user is an account's id, from the address that the
// proxy tells.
func (g *gate) ask(limits []Limit, target, user, from string) *httptest.ResponseRecorder {
	g.t.Helper()
	gin.SetMode(gin.ReleaseMode)
	w := httptest.NewRecorder()
	engine := gin.New()
	engine.Use(Front(discard(), clock, NewRemote(Proxies{netip.MustParsePrefix("10.0.0.0/8")}, nil, discard()), config.AccessOn), func(c *gin.Context) {
		if user != "" {
			c.Set(callerKey, &auth.Identity{Account: &db.Account{ID: user}})
		}
	})
	engine.POST("/x/:id", Handle(ClientAPI, g.Wrap(limits, NoContent)))
	r := httptest.NewRequestWithContext(g.t.Context(), http.MethodPost, "/x/"+target, nil)
	r.RemoteAddr = "10.0.0.1:4711"
	if from != "" {
		r.Header.Set("X-Forwarded-For", from)
	}
	engine.ServeHTTP(w, r)
	return w
}

func rate(window time.Duration, count int) config.Rate {
	return config.Rate{Window: window, Count: count}
}

func TestAFixedWindowIsCountedDownAndTold(t *testing.T) {
	g := newGate(t, func(l *[config.BucketCount]config.Limit) {
		l[config.BucketSearch] = config.Limit{Anonymous: rate(time.Minute, 2), User: rate(time.Minute, 3)}
	})
	limits := []Limit{{Bucket: config.BucketSearch}}
	type answer struct {
		Status                       int
		Limit, Remaining, Reset, Wai string
		Body                         string
	}
	ask := func(user, from string) answer {
		w := g.ask(limits, "1", user, from)
		h := w.Header()
		return answer{w.Code, h.Get("X-RateLimit-Limit"), h.Get("X-RateLimit-Remaining"), h.Get("X-RateLimit-Reset"), h.Get("Retry-After"), w.Body.String()}
	}
	const reset, throttled = "2026-01-02T03:05:05.000Z", `{"error":"Throttled"}`
	steps := []struct {
		pass       time.Duration
		user, from string
		want       answer
	}{
		{0, "", "192.0.2.1", answer{204, "2", "1", reset, "", ""}},
		{20 * time.Second, "", "192.0.2.1", answer{204, "2", "0", reset, "", ""}},
		{0, "", "192.0.2.1", answer{429, "2", "0", reset, "40", throttled}},
		{0, "", "192.0.2.2", answer{204, "2", "1", "2026-01-02T03:05:25.000Z", "", ""}},
		{0, "ann", "192.0.2.1", answer{204, "3", "2", "2026-01-02T03:05:25.000Z", "", ""}},
		{0, "ann", "192.0.2.9", answer{204, "3", "1", "2026-01-02T03:05:25.000Z", "", ""}},
		{39999 * time.Millisecond, "", "192.0.2.1", answer{429, "2", "0", reset, "1", throttled}},
		{time.Millisecond, "", "192.0.2.1", answer{204, "2", "1", "2026-01-02T03:06:05.000Z", "", ""}},
		// A network of IPv6 is one customer's.
		{0, "", "2001:db8::1", answer{204, "2", "1", "2026-01-02T03:06:05.000Z", "", ""}},
		{0, "", "2001:db8::2", answer{204, "2", "0", "2026-01-02T03:06:05.000Z", "", ""}},
		{0, "", "2001:db8:0:1::1", answer{204, "2", "1", "2026-01-02T03:06:05.000Z", "", ""}},
	}
	for i, s := range steps {
		g.now = g.now.Add(s.pass)
		if diff := cmp.Diff(s.want, ask(s.user, s.from)); diff != "" {
			t.Errorf("step %d: %s", i, diff)
		}
	}
}

func TestKindsTargetsAndBucketsAreCountedApart(t *testing.T) {
	g := newGate(t, func(l *[config.BucketCount]config.Limit) {
		one := rate(time.Minute, 1)
		l[config.BucketTimeline] = config.Limit{Anonymous: one, User: one}
		l[config.BucketStatus] = config.Limit{Anonymous: one, User: one}
		l[config.BucketStatuses] = config.Limit{Anonymous: rate(time.Minute, 3), User: rate(time.Minute, 3)}
	})
	home, public := []Limit{{Bucket: config.BucketTimeline, Kind: "home"}}, []Limit{{Bucket: config.BucketTimeline, Kind: "public"}}
	like := []Limit{{Bucket: config.BucketStatuses}, {Bucket: config.BucketStatus, Kind: "likes", Param: "id"}}
	reblog := []Limit{{Bucket: config.BucketStatuses}, {Bucket: config.BucketStatus, Kind: "reblogs", Param: "id"}}
	var got []string
	for _, s := range []struct {
		name   string
		limits []Limit
		target string
	}{
		{"home", home, "1"}, {"home", home, "2"}, {"public", public, "1"},
		{"like 1", like, "1"}, {"like 1", like, "1"}, {"reblog 1", reblog, "1"}, {"like 2", like, "2"},
	} {
		w := g.ask(s.limits, s.target, "ann", "192.0.2.1")
		got = append(got, fmt.Sprint(s.name, " ", w.Code, " ", w.Header().Get("X-RateLimit-Remaining"), "/", w.Header().Get("X-RateLimit-Limit")))
	}
	want := []string{
		"home 204 0/1", "home 429 0/1", "public 204 0/1",
		"like 1 204 0/1", "like 1 429 0/1", "reblog 1 204 0/3", "like 2 429 0/3",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWhereNoAddressIsForwardedNothingIsLimited(t *testing.T) {
	g := newGate(t, func(l *[config.BucketCount]config.Limit) {
		l[config.BucketSearch] = config.Limit{Anonymous: rate(time.Minute, 1), User: rate(time.Minute, 1)}
	})
	for range 3 {
		w := g.ask([]Limit{{Bucket: config.BucketSearch}}, "1", "ann", "")
		if w.Code != 204 || w.Header().Get("X-RateLimit-Limit") != "" {
			t.Errorf("%d %v", w.Code, w.Header())
		}
	}
}

func TestALimitOfZeroAndAnotherValueAreNotCounted(t *testing.T) {
	g := newGate(t, func(l *[config.BucketCount]config.Limit) {
		l[config.BucketAuthentication] = config.Limit{Anonymous: rate(time.Minute, 1)}
	})
	for range 2 {
		if w := g.ask([]Limit{{Bucket: config.BucketSearch}}, "1", "", "192.0.2.1"); w.Code != 204 {
			t.Errorf("a limit of zero: %d", w.Code)
		}
	}
	only := []Limit{{Bucket: config.BucketAuthentication, Name: "grant_type", Value: "password"}}
	var got []int
	for _, target := range []string{"1?grant_type=refresh_token", "1?grant_type=password", "1", "1?grant_type=password"} {
		got = append(got, g.ask(only, target, "", "192.0.2.1").Code)
	}
	if diff := cmp.Diff([]int{204, 204, 204, 429}, got); diff != "" {
		t.Error(diff)
	}
}

func TestManyAddressesTakeBoundedMemory(t *testing.T) {
	g := newGate(t, func(*[config.BucketCount]config.Limit) {})
	for i := range uint64(5 * generation) {
		g.take(i, rate(time.Hour, 1), g.now)
	}
	if n := len(g.young) + len(g.old); n > 2*generation {
		t.Errorf("%d counters", n)
	}
	// The newest counter is still known.
	if left, _ := g.take(5*generation-1, rate(time.Hour, 1), g.now); left != -1 {
		t.Errorf("%d left", left)
	}
}

func TestCountingARequestAllocatesNothing(t *testing.T) {
	g := newGate(t, func(*[config.BucketCount]config.Limit) {})
	limit, addr := &Limit{Bucket: config.BucketTimeline, Kind: "home"}, netip.MustParseAddr("192.0.2.1")
	if n := testing.AllocsPerRun(100, func() {
		g.take(g.key(limit, "ann", addr, "9pQtDGXuq4p3VlcJEm"), rate(time.Hour, 3), g.now)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestTheClientIsTheLastHopThatIsNoProxy(t *testing.T) {
	remote := NewRemote(Proxies{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}, nil, discard())
	for _, tt := range []struct {
		peer      string
		headers   []string
		want      string
		forwarded bool
	}{
		{"192.0.2.7:1", nil, "192.0.2.7", false},
		{"192.0.2.7:1", []string{"198.51.100.1"}, "192.0.2.7", false},
		{"10.1.2.3:1", nil, "10.1.2.3", false},
		{"10.1.2.3:1", []string{"198.51.100.1"}, "198.51.100.1", true},
		{"[::1]:1", []string{"2001:db8::9"}, "2001:db8::9", true},
		{"[::ffff:10.1.2.3]:1", []string{"::ffff:198.51.100.1"}, "198.51.100.1", true},
		{"10.1.2.3:1", []string{"203.0.113.5, 198.51.100.1"}, "198.51.100.1", true},
		{"10.1.2.3:1", []string{"203.0.113.5, 198.51.100.1 , 10.9.9.9"}, "198.51.100.1", true},
		{"10.1.2.3:1", []string{"203.0.113.5", "198.51.100.1", "10.9.9.9"}, "198.51.100.1", true},
		{"10.1.2.3:1", []string{"10.8.8.8, 10.9.9.9"}, "10.8.8.8", true},
		{"10.1.2.3:1", []string{"198.51.100.1, junk"}, "10.1.2.3", false},
		{"10.1.2.3:1", []string{"junk, 10.9.9.9"}, "10.9.9.9", true},
		{"@", []string{"198.51.100.1"}, "198.51.100.1", true},
		{"", []string{"198.51.100.1"}, "198.51.100.1", true},
		{"@", nil, "invalid IP", false},
	} {
		r := &http.Request{RemoteAddr: tt.peer, Header: http.Header{}}
		for _, h := range tt.headers {
			r.Header.Add("X-Forwarded-For", h)
		}
		got, forwarded := remote.client(r)
		if got.String() != tt.want || forwarded != tt.forwarded {
			t.Errorf("%s %q: %s %v, want %s %v", tt.peer, tt.headers, got, forwarded, tt.want, tt.forwarded)
		}
	}
}

func TestAProxyThatWasNotDeclaredIsSaidOnce(t *testing.T) {
	for _, tt := range []struct {
		peer, header string
		want         int
	}{
		{"127.0.0.1:1", "X-Forwarded-For", 1}, {"[::1]:1", "X-Forwarded-For", 1}, {"192.168.1.2:1", "X-Forwarded-For", 1},
		{"127.0.0.1:1", "X-Else", 0},             // no proxy passed the request on
		{"10.1.2.3:1", "X-Forwarded-For", 0},     // declared
		{"198.51.100.1:1", "X-Forwarded-For", 0}, // anybody can write a header
	} {
		var log strings.Builder
		remote := NewRemote(Proxies{netip.MustParsePrefix("10.0.0.0/8")}, nil, slog.New(slog.NewTextHandler(&log, nil)))
		for range 3 {
			r := &http.Request{RemoteAddr: tt.peer, Header: http.Header{}}
			r.Header.Set(tt.header, "203.0.113.5")
			remote.client(r)
		}
		if got := strings.Count(log.String(), "setting=SVC_TRUSTED_PROXIES"); got != tt.want {
			t.Errorf("%s, %s: said %d times, want %d: %s", tt.peer, tt.header, got, tt.want, log.String())
		}
	}
}

func TestSettingsSayWhoIsBelieved(t *testing.T) {
	live := settingsWith(t, func(s *config.Settings) {
		s.RemoteIP.Headers, s.RemoteIP.Proxies = []string{"cf-connecting-ip", "X-Forwarded-For"}, []string{"192.0.2.0/24", "198.51.100.9"}
	})
	remote := NewRemote(Proxies{netip.MustParsePrefix("127.0.0.0/8")}, live, discard())
	ask := func(peer string, pairs ...string) string {
		r := &http.Request{RemoteAddr: peer, Header: http.Header{}}
		for i := 0; i < len(pairs); i += 2 {
			r.Header.Add(pairs[i], pairs[i+1])
		}
		addr, known := remote.client(r)
		return fmt.Sprint(addr, known)
	}
	for _, tt := range []struct{ got, want string }{
		{ask("192.0.2.7:1", "X-Forwarded-For", "203.0.113.5"), "203.0.113.5true"},
		{ask("198.51.100.9:1", "Cf-Connecting-Ip", "203.0.113.5", "X-Forwarded-For", "203.0.113.6"), "203.0.113.5true"},
		{ask("198.51.100.8:1", "X-Forwarded-For", "203.0.113.5"), "198.51.100.8false"},
		// A network that no caller is in names a proxy, but is not believed itself.
		{ask("127.0.0.1:1", "X-Forwarded-For", "203.0.113.5, 10.0.0.4"), "203.0.113.5true"},
		{ask("10.0.0.4:1", "X-Forwarded-For", "203.0.113.5"), "10.0.0.4false"},
	} {
		if got := strings.ReplaceAll(tt.got, " ", ""); got != tt.want {
			t.Errorf("%s, want %s", got, tt.want)
		}
	}
	off := config.DefaultSettings()
	off.RemoteIP.Enabled = false
	if err := live.Swap(off); err != nil {
		t.Fatal(err)
	}
	if got := strings.ReplaceAll(ask("127.0.0.1:1", "X-Forwarded-For", "203.0.113.5"), " ", ""); got != "127.0.0.1true" {
		t.Errorf("switched off: %s", got)
	}
}

func settingsWith(t *testing.T, edit func(*config.Settings)) *config.Live {
	t.Helper()
	s := config.DefaultSettings()
	edit(&s)
	live, err := config.NewLive(s)
	if err != nil {
		t.Fatal(err)
	}
	return live
}
