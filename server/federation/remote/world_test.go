package remote_test

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/federation/activitypub"
	"svc/server/federation/remote"
	"svc/server/platform/config"
	"svc/server/platform/outgoing"
	"svc/server/servertest/peer"
)

// world is a Service at an address of its own, which serves its accounts'
// documents, and a peer.
type world struct {
	*testing.T
	*remote.Service
	d    *db.DB
	live *config.Live
	base string
	peer *peer.Peer
	// ahead is how far the clock was set forward, in nanoseconds.
	ahead atomic.Int64
	// verify answers requests: who signed them.
	verified atomic.Pointer[outcome]
}

type outcome struct {
	signer *remote.Signer
	err    error
}

func each(t *testing.T, fn func(w *world)) {
	t.Helper()
	dbtest.EachReady(t, func(t *testing.T, dsn string) {
		w := &world{T: t}
		w.d = dbtest.OpenAt(t, dsn, w.now)
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		w.base = "http://" + l.Addr().String()
		settings := config.DefaultSettings()
		w.live, err = config.NewLive(settings)
		if err != nil {
			t.Fatal(err)
		}
		w.Service = remote.New(remote.Parts{DB: w.d, Settings: w.live, Outgoing: outgoing.New(outgoing.Options{Insecure: true}), Site: config.NewSite(w.base, true), Now: w.now})
		srv := httptest.NewUnstartedServer(http.HandlerFunc(w.serve))
		_ = srv.Listener.Close()
		srv.Listener = l
		srv.Start()
		t.Cleanup(srv.Close)
		t.Cleanup(w.Stop)
		w.peer = peer.Start(t, "127.0.0.2")
		w.lend("internal.fetch", w.base+"/internal/fetch")
		fn(w)
	})
}

func (w *world) now() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) }

func (w *world) advance(d time.Duration) { w.ahead.Add(int64(d)) }

func (w *world) set(edit func(s *config.Settings)) {
	w.Helper()
	s := *w.live.Load()
	edit(&s)
	if err := w.live.Swap(s); err != nil {
		w.Fatal(err)
	}
}

// serve answers for the accounts of this server, and verifies posted requests.
func (w *world) serve(rw http.ResponseWriter, req *http.Request) {
	ctx := req.Context()
	if req.Method == http.MethodPost || strings.HasPrefix(req.URL.Path, "/secure") {
		body, err := outgoing.Read(req.Body, activitypub.MaxBody)
		if err == nil {
			var o outcome
			o.signer, o.err = w.Verify(ctx, req, body)
			w.verified.Store(&o)
		}
		rw.WriteHeader(http.StatusAccepted)
		return
	}
	a, err := w.d.AccountByURI(ctx, w.base+req.URL.Path)
	if err != nil {
		http.NotFound(rw, req)
		return
	}
	body, err := activitypub.Encode(activitypub.Actor(a, w.base))
	if err != nil {
		w.Error(err)
	}
	rw.Header().Set("Content-Type", activitypub.ContentType)
	_, _ = rw.Write(body)
}

// sent verifies a request that an actor of the peer sends.
func (w *world) sent(a *peer.Actor, options ...peer.Option) (*remote.Signer, error) {
	w.Helper()
	a.Send(w.base+"/inbox", a.Follow(w.base+"/users/ann"), append([]peer.Option{peer.At(w.now())}, options...)...)
	o := w.verified.Swap(nil)
	return o.signer, o.err
}

func (w *world) local(nickname string) *db.Account {
	w.Helper()
	return w.lend(nickname, w.base+"/users/"+nickname)
}

// lend makes an account of this server, with one of the peer's keys: making new
// ones takes long.
func (w *world) lend(nickname, uri string) *db.Account {
	w.Helper()
	a := db.NewAccount(w.base, nickname)
	a.URI, a.KeyID = uri, uri+"#main-key"
	if err := w.d.CreateAccount(w.Context(), a); err != nil {
		w.Fatal(err)
	}
	key := peer.NewKey()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		w.Fatal(err)
	}
	private := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
	if added, err := w.d.AddKey(w.Context(), a.ID, string(private), peer.PEM(key)); err != nil || !added {
		w.Fatal(added, err)
	}
	return w.row(uri)
}

// row is an account as it is stored.
func (w *world) row(uri string) *db.Account {
	w.Helper()
	a, err := w.d.AccountByURI(w.Context(), uri)
	if err != nil {
		w.Fatal(err)
	}
	return a
}

func (w *world) ctx() context.Context { return w.Context() }
