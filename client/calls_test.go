package client

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"svc/client/api"
)

func TestRetriesAreForReadsAndRepeatableWrites(t *testing.T) {
	ctx := t.Context()
	calls := map[string]struct {
		do    func(c *Client) error
		tries int
	}{
		"read":   {func(c *Client) error { _, err := c.Instance.Get(ctx); return err }, 4},
		"patch":  {func(c *Client) error { _, err := c.Admin.Users.Activate(ctx, "kim"); return err }, 4},
		"put":    {func(c *Client) error { _, err := c.Admin.Statuses.Update(ctx, "1", api.StatusUpdate{}); return err }, 4},
		"delete": {func(c *Client) error { return c.Admin.Statuses.Delete(ctx, "1") }, 4},
		"follow": {func(c *Client) error { _, err := c.Accounts.Follow(ctx, "1", api.Follow{}); return err }, 4},
		"post":   {func(c *Client) error { _, err := c.Statuses.Post(ctx, api.NewStatus{}); return err }, 1},
		"keyed post": {func(c *Client) error {
			_, err := c.Statuses.Post(ctx, api.NewStatus{}, IdempotencyKey("k"))
			return err
		}, 4},
		"empty key":  {func(c *Client) error { _, err := c.Statuses.Post(ctx, api.NewStatus{}, IdempotencyKey("")); return err }, 1},
		"report":     {func(c *Client) error { _, err := c.Reports.Create(ctx, api.NewReport{}); return err }, 1},
		"note":       {func(c *Client) error { return c.Admin.Reports.AddNote(ctx, "1", "n") }, 1},
		"keyed note": {func(c *Client) error { return c.Admin.Reports.AddNote(ctx, "1", "n", IdempotencyKey("k")) }, 4},
		"toggle":     {func(c *Client) error { _, err := c.Admin.Users.Toggle(ctx, "kim"); return err }, 1},
		"unreblog":   {func(c *Client) error { _, err := c.Statuses.Unreblog(ctx, "1"); return err }, 1},
		"token":      {func(c *Client) error { _, err := c.OAuth.Token(ctx, api.TokenRequest{}); return err }, 1},
		"raw post": {func(c *Client) error {
			_, err := c.Do(ctx, Request{Method: "post", Path: "/x"}, nil)
			return err
		}, 1},
		"restart": {func(c *Client) error {
			_, err := c.Do(ctx, Request{Method: "GET", Path: "/api/svc/admin/%72estart/"}, nil)
			return err
		}, 1},
	}
	for name, call := range calls {
		for trouble, handle := range map[string]func(w http.ResponseWriter){
			"busy":    func(w http.ResponseWriter) { answer(w, 503, `{"error":"busy"}`) },
			"hang up": hangUp,
		} {
			p := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { handle(w) })
			// Without reuse net/http repeats nothing by itself.
			transport := &http.Transport{DisableKeepAlives: true}
			c, pauses := dial(t, p.URL, WithHTTPClient(&http.Client{Transport: transport}))
			err := call.do(c)
			if err == nil {
				t.Errorf("%s, %s: no error", name, trouble)
			}
			if n := len(p.seen()); n != call.tries {
				t.Errorf("%s, %s: %d requests, want %d", name, trouble, n, call.tries)
			}
			if len(*pauses) != call.tries-1 {
				t.Errorf("%s, %s: %d pauses", name, trouble, len(*pauses))
			}
			p.mu.Lock()
			keys := p.keys
			p.mu.Unlock()
			for i, key := range keys {
				if (key == "k") != strings.HasPrefix(name, "keyed") {
					t.Errorf("%s, %s: request %d has key %q", name, trouble, i, key)
				}
			}
			if trouble == "hang up" && (!errors.Is(err, ErrNetwork) || !MayHaveHappened(err)) {
				t.Errorf("%s: a lost answer is %v", name, err)
			}
		}
	}
}

func TestRefusalsAreNotRetried(t *testing.T) {
	for _, status := range []int{400, 401, 403, 404, 409, 422, 500, 501} {
		p := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { answer(w, status, `{"error":"no"}`) })
		c, _ := dial(t, p.URL)
		if _, err := c.Instance.Get(t.Context()); Status(err) != status {
			t.Errorf("%d: %v", status, err)
		}
		if n := len(p.seen()); n != 1 {
			t.Errorf("%d: %d requests", status, n)
		}
	}
}

func TestRetryEndsInSuccessAndWaitsAsTold(t *testing.T) {
	p := serve(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		switch n {
		case 0:
			w.Header().Set("Retry-After", "7")
			answer(w, 429, `{"error":"Throttled"}`)
		case 1:
			answer(w, 502, "")
		default:
			answer(w, 200, `{"title":"here"}`)
		}
	})
	c, pauses := dial(t, p.URL)
	instance, err := c.Instance.Get(t.Context())
	if err != nil || instance.Title != "here" {
		t.Fatalf("got %v, %v", instance, err)
	}
	if len(*pauses) != 2 || (*pauses)[0] != 7*time.Second {
		t.Errorf("paused %v", *pauses)
	}
	if second := (*pauses)[1]; second < firstPause || second > 2*firstPause {
		t.Errorf("the second pause is %v", second)
	}
}

func TestRetriesGiveUpWhereWaitingIsTooLong(t *testing.T) {
	p := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3600")
		answer(w, 503, "")
	})
	c, _ := dial(t, p.URL)
	_, err := c.Instance.Get(t.Context())
	var refusal *Error
	if !errors.As(err, &refusal) || refusal.RetryAfter != time.Hour {
		t.Errorf("got %v", err)
	}
	if n := len(p.seen()); n != 1 {
		t.Errorf("an hour was waited for: %d requests", n)
	}

	soon := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "30")
		answer(w, 503, "")
	})
	c, pauses := dial(t, soon.URL)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if _, err := c.Instance.Get(ctx); err == nil || len(*pauses) != 0 {
		t.Errorf("paused %v beyond the deadline, %v", *pauses, err)
	}
}

func TestNoRetriesWhenSwitchedOff(t *testing.T) {
	p := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { answer(w, 503, "") })
	c, _ := dial(t, p.URL, WithRetries(0))
	if _, err := c.Instance.Get(t.Context()); !errors.Is(err, ErrServer) || len(p.seen()) != 1 {
		t.Errorf("%v after %d requests", err, len(p.seen()))
	}
}

func TestLostAnswerIsToldWithTheNextRefusal(t *testing.T) {
	p := serve(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		if n == 0 {
			hangUp(w)
			return
		}
		answer(w, 404, `{"error":"Not found"}`)
	})
	c, _ := dial(t, p.URL)
	err := c.Admin.Statuses.Delete(t.Context(), "1")
	if !errors.Is(err, ErrNotFound) || !MayHaveHappened(err) {
		t.Errorf("got %v, may have happened: %v", err, MayHaveHappened(err))
	}
	if err := c.Admin.Statuses.Delete(t.Context(), "1"); !errors.Is(err, ErrNotFound) || MayHaveHappened(err) {
		t.Errorf("a plain refusal may have happened: %v", err)
	}
}

func TestNothingWasSentWithoutAConnection(t *testing.T) {
	p := serve(t, func(int, http.ResponseWriter, *http.Request) {})
	p.Close()
	c, pauses := dial(t, p.URL)
	_, err := c.Statuses.Post(t.Context(), api.NewStatus{Status: "hi"})
	if !errors.Is(err, ErrNetwork) || MayHaveHappened(err) || len(*pauses) != 0 {
		t.Errorf("got %v, may have happened: %v, %d pauses", err, MayHaveHappened(err), len(*pauses))
	}
	if _, err := c.Instance.Get(t.Context()); !errors.Is(err, ErrNetwork) || len(*pauses) != 3 {
		t.Errorf("got %v after %d pauses", err, len(*pauses))
	}
}

func TestEveryCallEnds(t *testing.T) {
	release := make(chan struct{})
	p := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(200)
		w.(http.Flusher).Flush()
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	defer close(release)
	c, _ := dial(t, p.URL, WithTimeout(20*time.Millisecond), WithRetries(1))
	_, err := c.Instance.Get(t.Context())
	if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, ErrNetwork) || !strings.Contains(err.Error(), "no answer within 20ms") {
		t.Errorf("got %v", err)
	}
	if n := len(p.seen()); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Instance.Get(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if n := len(p.seen()); n != 2 {
		t.Errorf("a cancelled call was sent")
	}
}

func TestAnswersAreBounded(t *testing.T) {
	p := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		block := make([]byte, 1<<20)
		for range 65 {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	})
	c, _ := dial(t, p.URL)
	_, err := c.Do(t.Context(), Request{Method: "GET", Path: "/"}, nil)
	if !errors.Is(err, errTooLarge) || len(p.seen()) != 1 {
		t.Errorf("got %v after %d requests", err, len(p.seen()))
	}
}
