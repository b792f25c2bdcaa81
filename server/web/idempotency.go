package web

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"sync"

	"github.com/gin-gonic/gin"

	"svc/db"
	"svc/server/auth"
	"svc/server/fault"
)

// keyLimit is the most of a request's Idempotency-Key, in bytes.
const keyLimit = 255

// Idempotency replays the first answer to a repeated write. The key counts for
// one token, method and path; answers are kept for six hours, failures of the
// server not at all.
type Idempotency struct {
	db      *db.DB
	mu      sync.Mutex
	running map[string]chan struct{}
}

// NewIdempotency keeps answers in d.
func NewIdempotency(d *db.DB) *Idempotency {
	return &Idempotency{db: d, running: map[string]chan struct{}{}}
}

// IdempotencyKey is the request's key, bound to the token and path; "" for
// none.
func IdempotencyKey(c *gin.Context) string {
	key := c.GetHeader("Idempotency-Key")
	id := Caller(c)
	if key == "" || id == nil {
		return ""
	}
	whose := itoa(id.TokenID)
	if id.TokenID == 0 {
		whose = auth.AccountOf(id).ID // by password
	}
	return auth.Hash(whose + "\x00" + c.Request.Method + "\x00" + c.Request.URL.Path + "\x00" + key)
}

// Wrap replays, or runs h and keeps what it answered.
func (i *Idempotency) Wrap(h Handler) Handler {
	return func(c *gin.Context) error {
		if IsRead(c.Request.Method) || c.Request.Method == http.MethodDelete {
			return h(c)
		}
		key := IdempotencyKey(c)
		if key == "" {
			return h(c)
		}
		if len(c.GetHeader("Idempotency-Key")) > keyLimit {
			return fault.Malformed("The Idempotency-Key is too long")
		}
		done, err := i.take(c.Request.Context(), key)
		if err != nil {
			return err
		}
		defer done()
		kept, err := i.db.StoredAnswer(c.Request.Context(), key)
		if err == nil {
			return replay(c, kept)
		}
		if !errors.Is(err, db.ErrNotFound) {
			return err
		}
		return i.run(c, key, h)
	}
}

const transientKey = "svc.transient"

// Transient says that the answer is not to be kept for a repeated request.
func Transient(c *gin.Context) { c.Set(transientKey, true) }

// take waits until no other request of this process runs under key.
func (i *Idempotency) take(ctx context.Context, key string) (func(), error) {
	for {
		i.mu.Lock()
		other, busy := i.running[key]
		if !busy {
			mine := make(chan struct{})
			i.running[key] = mine
			i.mu.Unlock()
			return func() {
				i.mu.Lock()
				delete(i.running, key)
				i.mu.Unlock()
				close(mine)
			}, nil
		}
		i.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, fault.Conflict("A request with this Idempotency-Key is under way")
		}
	}
}

func replay(c *gin.Context, kept *db.IdempotencyKey) error {
	c.Header("idempotency-key", c.GetHeader("Idempotency-Key"))
	c.Header("idempotent-replayed", "true")
	c.Header("x-original-request-id", kept.RequestID)
	c.Data(kept.Status, kept.ContentType, kept.Body)
	return nil
}

// run answers through a writer that remembers.
func (i *Idempotency) run(c *gin.Context, key string, h Handler) error {
	w := &remember{ResponseWriter: c.Writer}
	c.Writer = w
	if err := h(c); err != nil {
		Fail(c, err)
	}
	if c.GetBool(transientKey) || w.Status() >= 500 || w.Status() == http.StatusTooManyRequests {
		return nil
	}
	// The answer is out; a failure to keep it only costs the replay.
	err := i.db.StoreAnswer(c.Request.Context(), &db.IdempotencyKey{
		Key: key, Status: w.Status(), ContentType: w.Header().Get("Content-Type"), Body: w.body.Bytes(), RequestID: RequestID(c),
	})
	if err != nil && !errors.Is(err, db.ErrDuplicate) {
		slogger(c).WarnContext(c.Request.Context(), "answer not kept", "err", err, "request_id", RequestID(c))
	}
	return nil
}

type remember struct {
	gin.ResponseWriter
	body bytes.Buffer
}

func (w *remember) Write(p []byte) (int, error) {
	w.body.Write(p)
	return w.ResponseWriter.Write(p)
}

func (w *remember) WriteString(s string) (int, error) {
	w.body.WriteString(s)
	return w.ResponseWriter.WriteString(s)
}
