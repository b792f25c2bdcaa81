package pages_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"svc/client/api"
	"svc/server/servertest"
)

// pushes has a service worker subscribe to push messages and read one, with the
// cryptography of the browser.
func pushes(t *testing.T, b *browser, s *servertest.Server) {
	type message struct {
		sender string
		body   []byte
	}
	sent := make(chan message, 10)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /send", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent <- message{r.Header.Get("Authorization"), body}
		w.WriteHeader(http.StatusCreated)
	})
	mux.HandleFunc("GET /next", func(w http.ResponseWriter, r *http.Request) {
		select {
		case m := <-sent:
			w.Header().Set("Sender", m.sender)
			_, _ = w.Write(m.body)
		case <-t.Context().Done():
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("GET /device.js", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, "testdata/device.js") })
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<!doctype html><title>app</title><script>
			const told = {}
			navigator.serviceWorker.onmessage = e => Object.assign(told, e.data)
			const listen = asked => navigator.serviceWorker.register('/device.js').then(() => navigator.serviceWorker.ready).then(r => r.active.postMessage(asked))
		</script>`))
	})
	service := httptest.NewServer(mux)
	t.Cleanup(service.Close) // the test's context has ended by then

	s.User("dan")
	p := b.tab(t)
	p.do("Emulation.setScriptExecutionDisabled", map[string]any{"value": false})
	p.open(service.URL)
	asked, err := json.Marshal(map[string]string{"api": s.URL, "token": s.Token("dan", servertest.AllScopes)})
	if err != nil {
		t.Fatal(err)
	}
	eval[bool](p, "listen("+string(asked)+"), true")
	p.until("!!(told.subscribed || told.error)")
	if _, err := s.Client("alice").Statuses.Post(t.Context(), api.NewStatus{Status: "@dan tea? 🍵"}); err != nil {
		t.Fatal(err)
	}
	p.until("!!(told.pushed || told.error)")
	told := eval[struct {
		Subscribed, Error string
		Pushed            struct{ Type, Title, Body string }
		Claims            struct{ Aud string }
	}](p, "({subscribed: told.subscribed, error: told.error, pushed: {type: told.pushed?.notification_type, title: told.pushed?.title, body: told.pushed?.body}, claims: {aud: told.claims?.aud}})")
	if told.Error != "" || told.Subscribed != service.URL+"/send" || told.Claims.Aud != service.URL ||
		told.Pushed.Type != "mention" || told.Pushed.Title != "New Mention" || told.Pushed.Body != "@alice: @dan tea? 🍵" {
		t.Errorf("%+v", told)
	}
}
