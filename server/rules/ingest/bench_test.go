package ingest_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svc/db/dbtest"
	"svc/server/federation/httpsig"
	"svc/server/servertest"
	"svc/server/servertest/peer"
)

// BenchmarkInbox delivers posts of 20 people on 10 servers who mention bob.
// They are signed before it starts. It reports the activities in a second, up
// to the last answer (taken/s) and up to the end of the last activity (done/s).
func BenchmarkInbox(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) { benchInbox(b, servertest.On(b, dbtest.Ready(b))) })
	if os.Getenv("SVC_TEST_POSTGRES") != "" {
		b.Run("postgres", func(b *testing.B) { benchInbox(b, servertest.On(b, dbtest.Postgres(b))) })
	}
}

func benchInbox(b *testing.B, s *servertest.Server) {
	bob := s.User("bob")
	var actors []*peer.Actor
	for i := range 10 {
		p := peer.Start(b, fmt.Sprintf("127.0.0.%d", 10+i))
		actors = append(actors, p.Actor("one"), p.Actor("two"))
	}
	for _, a := range actors { // met before
		if got := a.Send(bob.URI+"/inbox", a.Follow(bob.URI)); got.Status != http.StatusAccepted {
			b.Fatalf("answered %d %s: %s", got.Status, got.Body, s.Log)
		}
	}
	requests := make([]*http.Request, b.N)
	for i := range requests {
		a := actors[i%len(actors)]
		note := a.Note("<p>hello, <b>bob</b></p>").Mentioning(bob.URI, "bob")
		body := a.Create(note.With("cc", []string{a.Followers(), bob.URI})).JSON()
		requests[i] = signed(b, a, s.Base()+"/inbox", body)
	}
	waiting := func() int {
		n := 0
		for _, a := range actors {
			of, err := s.DB.InboxItemsOf(context.Background(), a.Peer.Host(), 1<<20)
			if err != nil {
				b.Fatal(err)
			}
			n += of
		}
		return n
	}
	servertest.Eventually(b, "all are met", func() bool { return waiting() == 0 })
	b.ResetTimer()
	start := time.Now()
	var (
		next    atomic.Int64
		clients sync.WaitGroup
	)
	for range 32 {
		clients.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(requests)); i = next.Add(1) - 1 {
				w := httptest.NewRecorder()
				s.Handler().ServeHTTP(w, requests[i])
				if w.Code != http.StatusAccepted {
					b.Errorf("answered %d %s: %s", w.Code, w.Body, s.Log.Lines("refused"))
				}
			}
		})
	}
	clients.Wait()
	taken := time.Since(start)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for waiting() > 0 {
		<-tick.C
	}
	b.ReportMetric(float64(b.N)/taken.Seconds(), "taken/s")
	b.ReportMetric(float64(b.N)/time.Since(start).Seconds(), "done/s")
}

// signed returns the request that posts an actor's activity to an inbox.
func signed(t testing.TB, by *peer.Actor, inbox string, body []byte) *http.Request {
	req := httptest.NewRequest(http.MethodPost, inbox, bytes.NewReader(body))
	req.RequestURI = req.URL.RequestURI() // as it comes over the wire
	req.Header.Set("Content-Type", "application/activity+json")
	if err := httpsig.Sign(req, body, by.KeyID(), by.Key(), httpsig.Cavage, time.Now()); err != nil {
		t.Fatal(err)
	}
	return req
}
