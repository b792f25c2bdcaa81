package client

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client/api"
)

// TestAStreamGoesOnAfterAnIDWithoutAnEvent loses a connection that had no event yet: the
// next one goes on after the id that the first began with.
func TestAStreamGoesOnAfterAnIDWithoutAnEvent(t *testing.T) {
	var asked []string
	p := serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Header.Get("Last-Event-ID"))
		w.Header().Set("Content-Type", "text/event-stream")
		switch n {
		case 0:
			fmt.Fprint(w, "id: e.7\n\n:thump\nid: e.9\n\n")
		case 1:
			fmt.Fprint(w, "id: e.9\n\nevent: delete\nid: e.10\ndata: 77\n\n")
		default:
			fmt.Fprint(w, "event: filters_changed\nid: e.11\ndata: null\n\n")
		}
	})
	c, _ := dial(t, p.URL)
	var got []api.StreamEvent
	for e, err := range c.Streams.Listen(t.Context(), api.StreamQuery{Stream: "user"}, "") {
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, e); len(got) == 2 {
			break
		}
	}
	if diff := cmp.Diff([]api.StreamEvent{{Name: "delete", ID: "e.10", Payload: []byte("77")}, {Name: "filters_changed", ID: "e.11"}}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"", "e.9", "e.10"}, asked); diff != "" {
		t.Error(diff)
	}
}
