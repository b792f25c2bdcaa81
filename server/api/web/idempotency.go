package web

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/rules/auth"
)

// keyLimit is the most of a request's Idempotency-Key, in bytes.
const keyLimit = 255

// answering is how long a write with a key may take if its request has no deadline.
const answering = 90 * time.Second

// Idempotency replays the first answer to a repeated write. The key counts for
// one token, method and path. Answers are kept for six hours, failures of the
// server not at all.
//
// An answer is kept before it is sent, but after the write is committed. An
// effect that must not happen twice uses db.Once in its operation. If the
// answer was lost, or two processes are asked at once, only the answer is made
// again.
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

// Wrap replays, or runs h and keeps its answer.
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

// run answers, and keeps the answer before it is sent.
func (i *Idempotency) run(c *gin.Context, key string, h Handler) error {
	// Its deadline ends the write, not its client by going away.
	end, ok := c.Request.Context().Deadline()
	if !ok {
		end = time.Now().Add(answering)
	}
	ctx, cancel := context.WithDeadline(context.WithoutCancel(c.Request.Context()), end)
	defer cancel()
	c.Request = c.Request.WithContext(ctx)
	w := hold(c, h)
	if !c.GetBool(transientKey) && w.status < 500 && w.status != http.StatusTooManyRequests {
		// A failure to keep the answer only costs the replay.
		err := i.db.StoreAnswer(ctx, &db.IdempotencyKey{
			Key: key, Status: w.status, ContentType: w.Header().Get("Content-Type"), Body: w.body.Bytes(), RequestID: RequestID(c),
		})
		if err != nil && !errors.Is(err, db.ErrDuplicate) {
			slogger(c).WarnContext(ctx, "answer not kept", "err", err, "request_id", RequestID(c))
		}
	}
	c.Writer.WriteHeader(w.status)
	c.Writer.WriteHeaderNow()
	_, _ = c.Writer.Write(w.body.Bytes()) // a client that is gone may ask again
	return nil
}

// hold returns the answer of h. After a panic the writer is as it was.
func hold(c *gin.Context, h Handler) *held {
	w := &held{ResponseWriter: c.Writer, status: http.StatusOK}
	c.Writer = w
	defer func() { c.Writer = w.ResponseWriter }()
	if err := h(c); err != nil {
		Fail(c, err)
	}
	return w
}

// held is an answer that is not sent yet.
type held struct {
	gin.ResponseWriter
	status  int
	body    bytes.Buffer
	written bool
}

// Unwrap lets a deadline reach the connection.
func (w *held) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *held) WriteHeader(status int) {
	if !w.written {
		w.status = status
	}
}

func (w *held) WriteHeaderNow() { w.written = true }
func (w *held) Status() int     { return w.status }
func (w *held) Size() int       { return w.body.Len() }
func (w *held) Written() bool   { return w.written }

func (w *held) Write(p []byte) (int, error) {
	w.written = true
	return w.body.Write(p)
}

func (w *held) WriteString(s string) (int, error) {
	w.written = true
	return w.body.WriteString(s)
}
