// Package web serves all HTTP handlers: it identifies callers, decodes
// requests, pages lists, limits rates, and is the one place where an error
// becomes a status. It knows gin, and of the rules only those that identify
// callers.
package web

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"syscall"

	"github.com/gin-gonic/gin"

	"svc/db"
	"svc/server/platform/fault"
)

// Handler answers a request, or returns the error to answer with.
type Handler func(c *gin.Context) error

// Family is how an API words its refusals.
type Family int

// The families of refusals: people's clients expect 401, the admin API none.
const (
	ClientAPI Family = iota
	AdminAPI
	OAuthAPI
	Pages // for browsers: they have their own words, and pages to say them on
)

const familyKey = "svc.family"

// Handle adapts h to gin. Errors of h are written in the family's words.
func Handle(family Family, h Handler) gin.HandlerFunc {
	return func(c *gin.Context) {
		c.Set(familyKey, family)
		err := legible(c)
		if err == nil {
			err = h(c)
		}
		if err != nil {
			Fail(c, err)
		}
	}
}

// As makes the rest of a request answer in another family's words.
func As(c *gin.Context, family Family) { c.Set(familyKey, family) }

// VaryBySigner names the headers that decide the answer at addresses shared by
// people and other servers.
const VaryBySigner = "Accept, Signature, Signature-Input, Authorization"

const reshapeKey = "svc.reshape"

// Reshape applies shape to every JSON answer of this request.
func Reshape(c *gin.Context, shape func(raw []byte) []byte) { c.Set(reshapeKey, shape) }

// JSON answers with v as JSON. A json.RawMessage is sent as it is, but for
// Reshape.
func JSON(c *gin.Context, status int, v any) error {
	raw, ok := v.(json.RawMessage)
	if !ok {
		var err error
		if raw, err = json.Marshal(v); err != nil {
			return err
		}
	}
	if shape, ok := c.Value(reshapeKey).(func([]byte) []byte); ok {
		raw = shape(raw)
	}
	// With its length known, a long answer goes out in one piece.
	c.Header("Content-Length", strconv.Itoa(len(raw)))
	c.Data(status, "application/json; charset=utf-8", raw)
	return nil
}

// OK answers 200 with v as JSON.
func OK(c *gin.Context, v any) error { return JSON(c, http.StatusOK, v) }

// NoContent answers 204 with an empty body.
func NoContent(c *gin.Context) error {
	c.Header("Content-Type", "application/json")
	c.Status(http.StatusNoContent)
	c.Writer.WriteHeaderNow()
	return nil
}

var statuses = map[fault.Kind]int{
	fault.KindMalformed:       http.StatusBadRequest,
	fault.KindUnauthenticated: http.StatusUnauthorized,
	fault.KindForbidden:       http.StatusForbidden,
	fault.KindNotFound:        http.StatusNotFound,
	fault.KindConflict:        http.StatusConflict,
	fault.KindGone:            http.StatusGone,
	fault.KindTooLarge:        http.StatusRequestEntityTooLarge,
	fault.KindInvalid:         http.StatusUnprocessableEntity,
	fault.KindRateLimited:     http.StatusTooManyRequests,
	fault.KindUnavailable:     http.StatusServiceUnavailable,
	fault.KindFull:            http.StatusInsufficientStorage,
}

// RetryAfter is the pause before a client should repeat a request that failed
// for now, in seconds.
const RetryAfter = "10"

// Answer is a refusal with a body of its own, where an API asks for one that
// the kinds of fault cannot say.
type Answer struct {
	Status int
	Body   any
}

// Error names the answer in logs.
func (a *Answer) Error() string { return http.StatusText(a.Status) }

// Fail writes err: the only place where errors become statuses. An error that
// is not a refusal is logged, and the client gets a fixed text.
func Fail(c *gin.Context, err error) {
	if c.Writer.Written() {
		if !left(c) && !slow(c) {
			slogger(c).ErrorContext(c.Request.Context(), "failed after the answer began", "err", err, "request_id", RequestID(c))
		}
		return
	}
	status, body := judge(c, err)
	c.Abort()
	if status == statusLeft {
		c.Status(status)
		return
	}
	if !problem(c, status, body) {
		_ = JSON(c, status, body)
	}
}

// statusLeft is the status of a request without an answer, because its client
// left. Only the log and the metrics show it.
const statusLeft = 499

// left reports whether the client closed the connection. Everything that fails
// from then on fails because of that.
func left(c *gin.Context) bool { return errors.Is(c.Request.Context().Err(), context.Canceled) }

// judge returns the status and the body of err, and logs it unless it is a
// refusal.
func judge(c *gin.Context, err error) (status int, body any) {
	if slow(c) {
		err = errSlow // the deadline is the cause of err
	} else if left(c) {
		return statusLeft, nil
	}
	status, body = render(c, err)
	if status == http.StatusServiceUnavailable && c.Writer.Header().Get("Retry-After") == "" {
		c.Header("Retry-After", RetryAfter)
	}
	if status >= 500 {
		slogger(c).ErrorContext(c.Request.Context(), "request failed", "err", err, "request_id", RequestID(c),
			"method", c.Request.Method, "route", c.FullPath())
	}
	return status, body
}

func render(c *gin.Context, err error) (int, any) {
	family, _ := c.Value(familyKey).(Family)
	var (
		answer *Answer
		shape  *ShapeError
		f      *fault.Error
		large  *http.MaxBytesError
	)
	switch {
	case errors.As(err, &answer):
		return answer.Status, answer.Body
	case errors.As(err, &shape):
		return http.StatusBadRequest, shape.body()
	case errors.As(err, &large):
		return http.StatusRequestEntityTooLarge, gin.H{"error": "Request body is too large"}
	case errors.As(err, &f):
		return statuses[f.Kind], refusal(f)
	case errors.Is(err, db.ErrNotFound), errors.Is(err, db.ErrUnreadable):
		if family == AdminAPI {
			return http.StatusNotFound, gin.H{"error": "Not found"}
		}
		return http.StatusNotFound, gin.H{"error": "Record not found"}
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		// Files and connections take turns: a descriptor is free again soon.
		return http.StatusServiceUnavailable, gin.H{"error": "The server has too much to do at the moment"}
	case errors.Is(err, db.ErrDuplicate):
		return http.StatusConflict, gin.H{"error": "Already exists"}
	case errors.Is(err, db.ErrUnavailable), errors.Is(err, context.DeadlineExceeded):
		return http.StatusServiceUnavailable, failure(family, "Temporarily unavailable")
	case family == ClientAPI:
		return http.StatusInternalServerError, failure(family, "Something went wrong")
	}
	return http.StatusInternalServerError, failure(family, "Internal server error")
}

// failure is the body of a failure of this server in the family's words.
func failure(family Family, words string) gin.H {
	if family == ClientAPI {
		return gin.H{"error": words}
	}
	return gin.H{"errors": gin.H{"detail": words}}
}

func refusal(f *fault.Error) any {
	body := gin.H{"error": f.Error()}
	if f.Identifier != "" {
		body["identifier"] = f.Identifier
	}
	return body
}

const (
	frontKey     = "svc.front"
	requestIDKey = "svc.request_id"
)

func slogger(c *gin.Context) *slog.Logger { return frontOf(c).log }

// Log is for failures that do not become the answer.
func Log(c *gin.Context) *slog.Logger { return slogger(c).With("request_id", RequestID(c)) }

// RequestID is the id that the answer and the log carry.
func RequestID(c *gin.Context) string { return c.GetString(requestIDKey) }

// Recover turns a panic into a logged 500.
func Recover(c *gin.Context) {
	defer func() {
		p := recover()
		switch p {
		case nil:
			return
		case http.ErrAbortHandler:
			panic(p)
		}
		slogger(c).ErrorContext(c.Request.Context(), "panic", "panic", p, "stack", string(debug.Stack()), "request_id", RequestID(c))
		if c.Writer.Written() {
			return
		}
		body := gin.H{"errors": gin.H{"detail": "Internal server error"}}
		c.Abort()
		if !problem(c, http.StatusInternalServerError, body) {
			c.JSON(http.StatusInternalServerError, body)
		}
	}()
	c.Next()
}

// NotFound answers unknown paths and methods.
func NotFound(c *gin.Context) {
	body := gin.H{"errors": gin.H{"detail": "Page not found"}}
	if c.Request.Method == http.MethodGet || c.Request.Method == http.MethodHead {
		body = gin.H{"error": "Not implemented"}
	}
	if !problem(c, http.StatusNotFound, body) {
		c.JSON(http.StatusNotFound, body)
	}
}

// Explain is Fail for a page: it logs errors that are no refusals, and returns the
// status and the words for people, empty where there are none.
func Explain(c *gin.Context, err error) (status int, words string) {
	status, body := judge(c, err)
	return status, spoken(status, body)
}
