package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
)

// TestAKilledProcessIsHeardToItsLastCommit kills one of two processes twice, while four
// connections post to it, wherever their transactions and the numbering of their
// events are. A listener of the other hears of each status that is stored once, and
// of no other.
func TestAKilledProcessIsHeardToItsLastCommit(t *testing.T) {
	t.Parallel()
	dsn := onPostgres(t)
	writer, other := newProcess(t, shortDir(t), dsn), newProcess(t, shortDir(t), dsn)
	writer.user("alice")
	writer.start()
	other.start()
	token := other.logIn("alice")
	var (
		mu    sync.Mutex
		heard = map[string]int{}
	)
	times := func() map[string]int {
		mu.Lock()
		defer mu.Unlock()
		return maps.Clone(heard)
	}
	connected, stream := make(chan bool, 8), other.client(token).Streams
	ctx, stopListening := context.WithCancel(t.Context())
	var listener sync.WaitGroup
	listener.Go(func() {
		for e, err := range stream.Follow(ctx, api.StreamQuery{Stream: "user"}, "", func(up bool) { connected <- up }) {
			var status api.Status
			switch {
			case ctx.Err() != nil:
			case err != nil || e.Name == "gap":
				t.Errorf("heard %q, %v", e.Name, err)
			case e.Name == "update":
				if err := json.Unmarshal([]byte(e.Payload), &status); err != nil {
					t.Error(err)
				}
				mu.Lock()
				heard[status.ID]++
				mu.Unlock()
			}
		}
	})
	defer listener.Wait()
	defer stopListening()
	<-connected
	for range 2 {
		before := len(times())
		ctx, stop := context.WithCancel(t.Context())
		var posting sync.WaitGroup
		for n := range 4 {
			posting.Go(func() {
				c := writer.client(token)
				for i := 0; ctx.Err() == nil; i++ {
					_, err := c.Statuses.Post(ctx, api.NewStatus{Status: fmt.Sprint(n, " ", i)})
					if err != nil && !errors.Is(err, client.ErrNetwork) && ctx.Err() == nil {
						t.Errorf("post: %v", err)
						return
					}
				}
			})
		}
		eventually(t, time.Minute, "posts are heard", func() bool { return len(times()) > before+5 })
		writer.kill()
		stop()
		posting.Wait()
		writer.start()
	}
	reading := other.client(token)
	last := good(reading.Statuses.Post(t.Context(), api.NewStatus{Status: "the end"}))(t)
	eventually(t, time.Minute, "the last is heard", func() bool { return times()[last.ID] > 0 })
	stored := map[string]int{}
	for status, err := range reading.Timelines.Home(api.TimelineQuery{}).All(t.Context()) {
		must(t, err)
		stored[status.ID] = 1
	}
	if diff := cmp.Diff(stored, times()); diff != "" {
		t.Errorf("of %d stored: %s", len(stored), diff)
	}
}
