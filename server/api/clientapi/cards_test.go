package clientapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client/api"
	"svc/server/servertest"
)

// TestAStatusGetsTheCardOfItsPage posts a link, and waits for the job that
// fetches the page.
func TestAStatusGetsTheCardOfItsPage(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		agents := make(chan string, 10)
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			agents <- r.UserAgent()
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprint(w, `<title>A page</title><meta property="og:description" content="of &lt;b&gt;somebody&lt;/b&gt;"><meta property="og:image" content="/picture.png">`)
		}))
		defer site.Close()
		ann, bob := s.Client("ann"), s.Client("bob")
		posted, err := ann.Statuses.Post(ctx, api.NewStatus{Status: "look: " + site.URL + "/page", Visibility: "private"})
		if err != nil || posted.Card != nil {
			t.Fatalf("a card at once, or %v", err)
		}
		var got *api.Status
		for end := time.Now().Add(20 * time.Second); got == nil || got.Card == nil; {
			if time.Now().After(end) {
				t.Fatal("there is no card after 20 s")
			}
			if got, err = ann.Statuses.Get(ctx, posted.ID); err != nil {
				t.Fatal(err)
			}
		}
		image := site.URL + "/picture.png"
		want := &api.Card{
			Type: "link", URL: site.URL + "/page", Title: "A page", Description: "of somebody", Image: &image,
			ProviderName: site.Listener.Addr().String(), ProviderURL: site.URL,
			Svc: api.CardSvc{OpenGraph: []byte(`{"description":"of somebody","image":"` + image + `"}`)},
		}
		if diff := cmp.Diff(want, got.Card); diff != "" {
			t.Error(diff)
		}
		alone, err := ann.Statuses.Card(ctx, posted.ID)
		if diff := cmp.Diff(want, alone); diff != "" || err != nil {
			t.Errorf("%v, %s", err, diff)
		}
		if agent := <-agents; agent != "svc test; "+s.Base()+" <>" {
			t.Errorf("the page was asked by %q", agent)
		}
		plain := say(t, ann, "no link")
		if card, err := bob.Statuses.Card(ctx, plain); err != nil || card != nil {
			t.Errorf("a status without a link has card %v, %v", card, err)
		}
		for _, id := range []string{posted.ID, "nothing"} {
			if _, err := bob.Statuses.Card(ctx, id); told(err) != "Not Found: Record not found" {
				t.Errorf("the card of a status that he may not see: %v", err)
			}
		}
	})
}
