package ingest_test

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"

	"svc/db/dbtest"
	"svc/server/servertest"
	"svc/server/servertest/peer"
)

// TestLargeActivitiesThatWaitTakeNoMemory: large activities wait behind a slow
// one of the same signer. Their bodies stay in the database and take no memory.
func TestLargeActivitiesThatWaitTakeNoMemory(t *testing.T) {
	dbtest.Alone(t)
	const (
		waiting = 60
		parts   = 2500     // objects in each
		most    = 16 << 20 // bytes of memory for all of them
	)
	// One after the other: they measure memory.
	for name, dsn := range map[string]string{"sqlite": dbtest.Ready(t), "postgres": dbtest.Postgres(t)} {
		if dsn == "" {
			continue
		}
		t.Run(name, func(t *testing.T) { largeWait(t, servertest.On(t, dsn), waiting, parts, most) })
	}
}

func largeWait(t *testing.T, s *servertest.Server, waiting, parts int, most int64) {
	bob := s.User("bob")
	far := peer.Start(t, "127.0.0.3")
	vera := far.Actor("vera")
	send := func(activity peer.Doc) {
		t.Helper()
		if got := vera.Send(bob.URI+"/inbox", activity); got.Status != 202 {
			t.Fatalf("answered %d %.200s", got.Status, got.Body)
		}
	}
	send(vera.Follow(bob.URI))
	servertest.Eventually(t, "bob is followed", func() bool { return len(vera.Received("Accept")) == 1 })
	var once sync.Once
	asked, answer := make(chan struct{}), make(chan struct{})
	slow := far.ID("users")
	far.Serve(slow, peer.Page{Handler: func(w http.ResponseWriter, _ *http.Request) {
		once.Do(func() { close(asked) })
		<-answer
		w.WriteHeader(http.StatusNotFound)
	}})
	defer close(answer)
	send(vera.Create(vera.Note("<p>passed on</p>")).With("actor", slow)) // fetching this actor takes long
	<-asked
	list := make([]any, parts)
	for i := range list {
		list[i] = map[string]any{"n": i, "x": strings.Repeat("x", 300)}
	}
	before := heap()
	for i := range waiting {
		send(vera.Create(vera.Note(fmt.Sprint("<p>large ", i, "</p>")).With("attachment", list)))
	}
	if grew := heap() - before; grew > most {
		t.Errorf("%d activities of %d kB that wait take %d MB of memory", waiting, len(vera.Note("").With("attachment", list).JSON())>>10, grew>>20)
	}
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
