package web

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"svc/server/rules/auth"
)

// The limits of a body, in bytes.
const (
	// strangerLimit is for bodies of strangers and apps.
	strangerLimit = 64 << 10
	// bodyLimit is for bodies of users, without files.
	bodyLimit = 1 << 20
)

// The time limits of a body.
const (
	// bodyTime is for bodies without files, and the time in a form with files
	// before its pace counts.
	bodyTime = 15 * time.Second
	// uploadTime bounds a form with files, and uploadRate is the pace that it
	// must keep on average, in bytes per second.
	uploadTime = 15 * time.Minute
	uploadRate = 4 << 10
)

// intake is the body of a request. The limit on its length is that of strangers
// first, and grows once the sender is known. The part that was read by then, in
// search of a token, is read again.
type intake struct {
	from  io.ReadCloser
	size  int64  // Content-Length, -1 when unknown
	limit int64  // of the whole body
	taken int64  // read from the connection
	ahead []byte // the end of the bytes read in advance, still to be read
	err   error  // how the body ended
	begun time.Time
	// deadline sets until when the connection may be read. Connections of tests
	// may have none.
	deadline func(time.Time) error
	paced    bool // uploadTime and uploadRate hold, instead of bodyTime
}

// Bodies bounds the bodies of all requests, in length and in time.
func Bodies(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.ContentLength != 0 {
			in := newIntake(r.Body, r.ContentLength)
			in.deadline = http.NewResponseController(w).SetReadDeadline
			_ = in.deadline(in.begun.Add(bodyTime))
			// The server's own copy keeps its body, by which it decides whether
			// the connection can be used again.
			r = r.WithContext(r.Context())
			r.Body = in
		}
		next.ServeHTTP(w, r)
	})
}

func newIntake(from io.ReadCloser, size int64) *intake {
	return &intake{
		from: from, size: size, limit: strangerLimit, begun: time.Now(),
		deadline: func(time.Time) error { return nil },
	}
}

// intakeOf is the body of a request, nil where there is none.
func intakeOf(r *http.Request) *intake {
	if r.Body == nil || r.ContentLength == 0 {
		return nil
	}
	in, ok := r.Body.(*intake)
	if !ok {
		in = newIntake(r.Body, r.ContentLength)
		r.Body = in
	}
	return in
}

// Close closes the connection's body.
func (b *intake) Close() error { return b.from.Close() }

// Read reads on. Past the limit it fails with *http.MaxBytesError.
func (b *intake) Read(p []byte) (int, error) {
	if err := b.over(); err != nil {
		return 0, err
	}
	if len(b.ahead) > 0 {
		n := copy(p, b.ahead)
		b.ahead = b.ahead[n:]
		return n, nil
	}
	n := b.fetch(p)
	if b.taken > b.limit {
		n--
		b.ahead = []byte{p[n]} // for when the limit grows
		return n, b.over()
	}
	if n == 0 {
		return 0, b.err
	}
	return n, nil
}

// over is the error of a body that is longer than its limit.
func (b *intake) over() error {
	if b.size > b.limit || b.taken > b.limit {
		return &http.MaxBytesError{Limit: b.limit}
	}
	return nil
}

// fetch reads from the connection, at most one byte past the limit. That byte
// shows that a body is too long.
func (b *intake) fetch(p []byte) int {
	if b.err != nil || len(p) == 0 {
		return 0
	}
	if b.paced {
		pace := bodyTime + time.Duration(b.taken)*time.Second/uploadRate
		_ = b.deadline(b.begun.Add(min(pace, uploadTime)))
	}
	n, err := b.from.Read(p[:min(int64(len(p)), max(b.limit-b.taken+1, 0))])
	b.taken += int64(n)
	switch {
	case errors.Is(err, io.EOF):
		// The handler may take longer. If the deadline passed, the server would
		// treat the client as gone.
		_ = b.deadline(time.Time{})
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = errSlow
	}
	b.err = err
	return n
}

// errSlow refuses a body that took too long.
var errSlow error = &Answer{Status: http.StatusRequestTimeout, Body: gin.H{"error": "The request body did not come in time"}}

// slow reports whether the body took too long. The request is cancelled then,
// as if the client had gone.
func slow(c *gin.Context) bool {
	in, ok := c.Request.Body.(*intake)
	return ok && errors.Is(in.err, errSlow)
}

// peek returns the first n bytes of the body, or less where it ends, without
// consuming them. It must come before Read.
func (b *intake) peek(n int) []byte {
	n = min(n, int(b.limit))
	for len(b.ahead) < n && b.err == nil {
		b.grow()
		free := b.ahead[len(b.ahead):min(cap(b.ahead), n)]
		b.ahead = b.ahead[:len(b.ahead)+b.fetch(free)]
	}
	return b.ahead[:min(n, len(b.ahead))]
}

// short returns the whole body without consuming it; false if it is broken, or
// longer than strangers may send.
func (b *intake) short() ([]byte, bool) {
	if b.size > strangerLimit {
		return nil, false
	}
	raw := b.peek(strangerLimit)
	if b.err == nil && len(raw) == strangerLimit {
		return nil, false
	}
	return raw, errors.Is(b.err, io.EOF)
}

// whole reads the body to its end. If it exceeds the limit, a later call with a
// larger limit can succeed.
func (b *intake) whole() ([]byte, error) {
	for b.err == nil && b.over() == nil {
		b.grow()
		free := b.ahead[len(b.ahead):cap(b.ahead)]
		b.ahead = b.ahead[:len(b.ahead)+b.fetch(free)]
	}
	if err := b.over(); err != nil {
		return nil, err
	}
	if !errors.Is(b.err, io.EOF) {
		return nil, b.err
	}
	return b.ahead, nil
}

// firstRead is how much room a body gets at first, in bytes. The rest comes
// with its content, so that a length that was only announced costs nothing.
const firstRead = 4 << 10

// grow makes room in ahead.
func (b *intake) grow() {
	if len(b.ahead) < cap(b.ahead) {
		return
	}
	room := int64(max(firstRead, 2*cap(b.ahead)))
	if b.size >= 0 {
		room = min(room, max(b.size, int64(len(b.ahead)))+1)
	}
	b.ahead = append(make([]byte, 0, room), b.ahead...)
}

// admit raises the limit of the body to that of users. It does not do so for
// apps: anybody can register one.
func admit(c *gin.Context, id *auth.Identity) {
	if in := intakeOf(c.Request); in != nil && id.Account != nil {
		in.limit = max(in.limit, bodyLimit)
	}
}

// FromServers lets a route's bodies be as long as those of users: the sender
// shows with the body itself, which a signature covers.
func FromServers(h Handler) Handler {
	return func(c *gin.Context) error {
		if in := intakeOf(c.Request); in != nil {
			in.limit = bodyLimit
		}
		return h(c)
	}
}

// Large allows a route's forms with files up to limit bytes. It runs after the
// guard: other callers may not send as much, or take as long.
func Large(limit func() int64, h Handler) Handler {
	return func(c *gin.Context) error {
		if in := intakeOf(c.Request); in != nil && isMultipart(c.Request) {
			in.limit, in.paced = limit(), true
			if err := in.over(); err != nil {
				return err
			}
		}
		return h(c)
	}
}

// mediaType is the type of a request's body in lower case, and its boundary
// where it has parts.
func mediaType(r *http.Request) (kind, boundary string) {
	kind, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return kind, params["boundary"]
}

const (
	formType      = "application/x-www-form-urlencoded"
	multipartType = "multipart/form-data"
)

// isJSON reports whether bodies of this type are JSON; so are those of none.
func isJSON(kind string) bool {
	return kind == "" || kind == "application/json" || strings.HasSuffix(kind, "+json")
}

func isMultipart(r *http.Request) bool {
	kind, _ := mediaType(r)
	return kind == multipartType
}
