package e2e

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svc/client"
	"svc/client/api"
	"svc/db/dbtest"
	"svc/server/servertest/peer"
)

// A crowd is people, a moderator and another server. They act at random on few
// accounts and statuses, through processes on one database.
type crowd struct {
	*testing.T
	base  string // of the front, which passes requests to any process
	procs []*process
	root  *client.Client
	far   *peer.Peer
	made  atomic.Int64 // numbers for names and texts
	focus atomic.Int64 // the place of the things that many act on

	mu       sync.Mutex
	people   []*citizen
	foreign  []string // ids of far accounts
	statuses []thing
	files    []string
	deeds    []thing // what people did with statuses
	lists    []thing
	chats    []thing
	notes    []peer.Doc
	undoable []undoable
	noted    int
	done     map[string][2]int // tries and successes, by verb
	faults   []string          // answers that no request may get
}

// citizen is a local account.
type citizen struct {
	*client.Client
	nickname, id string
}

// thing is a status, a list, or a chat with one of its messages as uri. Nobody
// here is known to be the author of a status from elsewhere.
type thing struct {
	id, uri, poll string
	by            *citizen
}

// undoable is an activity of the other server.
type undoable struct {
	by       *peer.Actor
	activity peer.Doc
}

const (
	fewThings = 12 // statuses, lists and so on that are known at once
	perSecond = 240
	atOnce    = 12
	killed    = 3 * time.Second // between two kills
)

// TestNoInterleavingLeavesAContradiction lets a crowd act, kills processes
// meanwhile, and finds nothing with svcd check. SVC_TEST_CONSISTENCY is how long
// they act, and SVC_TEST_CONSISTENCY_SEED a seed of their choices.
func TestNoInterleavingLeavesAContradiction(t *testing.T) {
	t.Parallel()
	last, seed := 4*time.Second, uint64(time.Now().UnixNano())
	var err error
	if s := os.Getenv("SVC_TEST_CONSISTENCY"); s != "" {
		last, err = time.ParseDuration(s)
		must(t, err)
	}
	if s := os.Getenv("SVC_TEST_CONSISTENCY_SEED"); s != "" {
		seed, err = strconv.ParseUint(s, 10, 64)
		must(t, err)
	}
	dbtest.EachReady(t, func(t *testing.T, dsn string) {
		c := gather(t, dsn)
		t.Logf("seed %d", seed)
		c.run(last, seed)
		c.end()
	})
}

// gather starts two processes on PostgreSQL or one on SQLite, and makes accounts.
func gather(t *testing.T, dsn string) *crowd {
	c := &crowd{T: t, far: peer.Start(t, "127.0.0.3"), done: map[string][2]int{}}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	c.base = "http://" + l.Addr().String()
	dir := shortDir(t)
	for i := range 2 {
		if p := newProcess(t, dir, dsn); i == 0 || postgresOnly(dsn) != "" {
			p.socket = filepath.Join(dir, strconv.Itoa(i))
			p.env = []string{"SVC_BASE_URL=" + c.base, "SVC_FEDERATION_INSECURE=true"}
			c.procs = append(c.procs, p.start())
		}
	}
	front := &http.Server{Handler: c.front(), ReadHeaderTimeout: time.Minute}
	go func() { _ = front.Serve(l) }()
	t.Cleanup(func() { _ = front.Close() })
	c.procs[0].user("root", "--admin")
	c.root, err = c.signIn("root")
	must(t, err)
	var limits []any
	for _, name := range strings.Fields(":authentication :timeline :search :app_account_creation :relations_actions :relation_id_action :statuses_actions :status_id_action :uploads :ap_routes") {
		limits = append(limits, name, nil)
	}
	_, err = c.root.Admin.Config.Set(t.Context(), ":svc", ":rate_limit", client.Keyword(limits...))
	must(t, err)
	for range 6 {
		p, err := c.settle()
		must(t, err)
		c.people = append(c.people, p)
	}
	for i := range 3 {
		a := c.far.Actor(fmt.Sprint("far", i))
		found, err := c.people[0].Search.Find(t.Context(), api.SearchQuery{Q: a.Handle(), Type: "accounts", Resolve: true})
		must(t, err)
		c.foreign = append(c.foreign, found.Accounts[0].ID)
	}
	return c
}

// front passes a request to one of the processes, as a load balancer does.
func (c *crowd) front() http.Handler {
	fronts := make([]*httputil.ReverseProxy, len(c.procs))
	for i, p := range c.procs {
		fronts[i] = &httputil.ReverseProxy{
			Rewrite: func(r *httputil.ProxyRequest) {
				r.SetURL(&url.URL{Scheme: "http", Host: "svcd"})
				r.Out.Host = r.In.Host
			},
			Transport:    &http.Transport{DialContext: p.dial, MaxIdleConnsPerHost: 16},
			ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fronts[rand.IntN(len(fronts))].ServeHTTP(w, r) })
}

// settle makes a citizen.
func (c *crowd) settle() (*citizen, error) {
	name := fmt.Sprint("p", c.made.Add(1))
	if _, err := c.root.Admin.Users.Create(c.Context(), []api.NewUser{{Nickname: name, Email: name + "@example.org", Password: password}}); err != nil {
		return nil, err
	}
	signed, err := c.signIn(name)
	if err != nil {
		return nil, err
	}
	p := &citizen{Client: signed, nickname: name}
	me, err := p.Accounts.Verify(c.Context())
	if err != nil {
		return nil, err
	}
	p.id = me.ID
	return p, nil
}

func (c *crowd) signIn(nickname string) (*client.Client, error) {
	hc := &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 16}}
	c.Cleanup(hc.CloseIdleConnections)
	anyone, err := client.New(c.base, client.WithHTTPClient(hc))
	if err != nil {
		return nil, err
	}
	app, err := anyone.Apps.Create(c.Context(), api.NewApp{ClientName: "crowd", RedirectURIs: "urn:ietf:wg:oauth:2.0:oob", Scopes: allScopes})
	if err != nil {
		return nil, err
	}
	token, err := anyone.OAuth.Password(c.Context(), app, nickname, password, allScopes)
	if err != nil {
		return nil, err
	}
	return client.New(c.base, client.WithHTTPClient(hc), client.WithRetries(0), client.WithToken(token.AccessToken))
}

// run carries out verbs in rounds, all of a round at once and some twice, half of
// them on the same things, and kills processes.
func (c *crowd) run(last time.Duration, seed uint64) {
	ctx, stop := context.WithTimeout(c.Context(), last)
	defer stop()
	rs := make([]*rand.Rand, atOnce)
	for i := range rs {
		rs[i] = rand.New(rand.NewPCG(seed, uint64(i)))
	}
	var rounds sync.WaitGroup
	rounds.Go(func() {
		pace := time.NewTicker(time.Second * atOnce / perSecond)
		defer pace.Stop()
		for ctx.Err() == nil {
			c.focus.Add(1)
			var acts sync.WaitGroup
			for _, r := range rs {
				acts.Go(func() { c.act(ctx, r) })
			}
			acts.Wait()
			select {
			case <-ctx.Done():
			case <-pace.C:
			}
		}
	})
	r := rand.New(rand.NewPCG(seed, 1000))
	kill := time.NewTicker(killed)
	defer kill.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-kill.C:
			p := c.procs[r.IntN(len(c.procs))]
			p.kill()
			p.start()
		}
	}
	rounds.Wait()
}

// act carries out one verb.
func (c *crowd) act(ctx context.Context, r *rand.Rand) {
	names, total := slices.Sorted(maps.Keys(verbs)), 0
	for _, v := range verbs {
		total += v.weight
	}
	name, at := "", r.IntN(total)
	for _, name = range names {
		if at -= verbs[name].weight; at < 0 {
			break
		}
	}
	do := verbs[name].of(c, r)
	if do == nil {
		return
	}
	var again sync.WaitGroup
	if r.IntN(4) == 0 {
		again.Go(func() { c.did(name, do(ctx)) })
	}
	c.did(name, do(ctx))
	again.Wait()
}

// did counts the outcome of a verb.
func (c *crowd) did(name string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.done[name]
	n[0]++
	if err == nil {
		n[1]++
	}
	c.done[name] = n
	expected := err == nil || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, client.ErrNetwork) || errors.Is(err, errRefused)
	if status := client.Status(err); status == http.StatusInternalServerError || status == 0 && !expected {
		c.faults = append(c.faults, fmt.Sprintf("%s: %v", name, err))
	}
}

// end waits until all work is done, but not for all that a killed process had
// claimed, and checks the database.
func (c *crowd) end() {
	d := dbtest.Open(c.T, c.procs[0].dsn)
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		var left int
		must(c.T, d.Writer().QueryRowContext(c.Context(), `SELECT (SELECT COUNT(*) FROM inbox_items) + (SELECT COUNT(*) FROM activities WHERE distributed_at IS NULL)
			+ (SELECT COUNT(*) FROM river_job WHERE state IN ('available', 'running'))`).Scan(&left))
		if left == 0 {
			break
		}
	}
	for _, p := range c.procs {
		p.kill()
	}
	if out, err := c.procs[0].command("check").CombinedOutput(); err != nil {
		c.Errorf("%v\n%s", err, out)
	}
	tried, taken := 0, 0
	for _, name := range slices.Sorted(maps.Keys(c.done)) {
		n := c.done[name]
		c.Logf("%-14s %6d of %6d", name, n[1], n[0])
		tried, taken = tried+n[0], taken+n[1]
	}
	if c.Logf("%d of %d", taken, tried); taken < tried/8 {
		c.Error("the crowd did little")
	}
	if n := len(c.faults); n > 0 {
		c.Errorf("%d faults, such as %s", n, strings.Join(c.faults[:min(n, 10)], "\n"))
	}
}
