package web

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/gin-gonic/gin"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/rules/auth"
)

func TestJSONIsCountedBeforeItIsBuilt(t *testing.T) {
	for text, want := range map[string]int{
		`{}`: 1, "{ }": 1, `{"a":1}`: 2, `[1,2]`: 3, `[[],{}]`: 3, `[[],[1]]`: 4, `{"a":"[,{\"","b":["\\",{}]}`: 5, `7`: 1, `"[,"`: 1,
		`{"a":[1,2,{"b":null}],"c":""}`: 7,
	} {
		if got := count([]byte(text)); got != want {
			t.Errorf("%s: %d values, want %d", text, got, want)
		}
	}
	// The object, the list, and its items.
	most := `{"ids":[` + strings.Repeat(`"1",`, maxValues-3) + `"1"]}`
	var in sample
	if err := Bind(request("POST", "/", jsn, strings.Replace(most, `{`, `{"name":"a","x":1,`, 1)), &in); !fault.Is(err, fault.KindMalformed) || !strings.Contains(err.Error(), "10000 values") {
		t.Errorf("more than there may be: %v", err)
	}
	if _, err := readJSON([]byte(most)); err != nil {
		t.Errorf("as many as there may be: %v", err)
	}
	for kind, body := range map[string]string{
		jsn: "{" + strings.Repeat(`"a":[{},{},{},{}],`, 2500) + `"z":1}`, form: strings.Repeat("a&", maxParams) + "a",
	} {
		if err := Bind(request("POST", "/", kind, body), &in); !fault.Is(err, fault.KindMalformed) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// TestNotAllThatIsWrongIsTold: a list of all errors would be longer than the
// request.
func TestNotAllThatIsWrongIsTold(t *testing.T) {
	err := Bind(request("POST", "/", jsn, `{"name":"a","ids":[`+strings.Repeat(`{},`, 9000)+`1]}`), &sample{})
	var shape *ShapeError
	if !errors.As(err, &shape) || len(shape.Values) != maxWrong {
		t.Errorf("%.200v", err)
	}
}

// meter counts the bytes read of a body.
type meter struct {
	r io.Reader
	n int
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	m.n += n
	return n, err
}

func TestALimitThatGrowsLosesNothing(t *testing.T) {
	content := func(n int) string { return strings.Repeat("0123456789abcdef", n/16+1)[:n] }
	for _, n := range []int{1, strangerLimit - 1, strangerLimit, strangerLimit + 1, bodyLimit, bodyLimit + 1} {
		for _, size := range []int64{int64(n), -1} {
			for name, wrap := range map[string]func(io.Reader) io.Reader{"at once": func(r io.Reader) io.Reader { return r }, "in halves": iotest.HalfReader, "with its end": iotest.DataErrReader} {
				in := newIntake(io.NopCloser(wrap(strings.NewReader(content(n)))), size)
				fits := func(err error, limit int) bool {
					var large *http.MaxBytesError
					if n > limit {
						return errors.As(err, &large) && large.Limit == int64(limit)
					}
					return err == nil
				}
				if head := in.peek(100); string(head) != content(min(n, 100)) {
					t.Errorf("%d of %d %s: begins with %q", n, size, name, head)
				}
				if raw, err := in.whole(); !fits(err, strangerLimit) || err == nil && string(raw) != content(n) {
					t.Errorf("%d of %d %s: %d bytes of a stranger, %v", n, size, name, len(raw), err)
				}
				if in.taken > strangerLimit+1 {
					t.Errorf("%d of %d %s: %d bytes were read of a stranger", n, size, name, in.taken)
				}
				in.limit = bodyLimit
				if raw, err := in.whole(); !fits(err, bodyLimit) || err == nil && string(raw) != content(n) {
					t.Errorf("%d of %d %s: %d bytes of a user, %v", n, size, name, len(raw), err)
				}
				raw, err := io.ReadAll(in)
				if !fits(err, bodyLimit) || err == nil && string(raw) != content(n) {
					t.Errorf("%d of %d %s: read %d bytes, %v", n, size, name, len(raw), err)
				}
			}
		}
	}
	// A streamed body is cut exactly at the limit.
	in := newIntake(io.NopCloser(strings.NewReader(content(strangerLimit+5))), -1)
	raw, err := io.ReadAll(in)
	if len(raw) != strangerLimit || !errors.As(err, new(*http.MaxBytesError)) {
		t.Errorf("%d bytes, %v", len(raw), err)
	}
	in.limit = bodyLimit
	if rest, err := io.ReadAll(in); err != nil || string(raw)+string(rest) != content(strangerLimit+5) {
		t.Errorf("then %d bytes, %v", len(rest), err)
	}
}

// callers is an engine with a guard that accepts the caller that the request
// names. Like the real one, it looks into the body.
func callers(h Handler) http.Handler {
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	e.POST("/", Handle(ClientAPI, func(c *gin.Context) error {
		if c.GetHeader("Authorization") != "" || field(c, "access_token") == "right" {
			known(c, &auth.Identity{Account: &db.Account{}})
			return h(c)
		}
		return fault.Unauthenticated("The access token is invalid")
	}))
	return Bodies(OverrideMethod(e))
}

// TestAStrangersBodyIsReadNoFurther: the body of a stranger is read only as far
// as a token may be in it, and none of its files is received.
func TestAStrangersBodyIsReadNoFurther(t *testing.T) {
	filler := strings.Repeat("x", 8<<20)
	part := func(disposition, content string) string {
		return "--x\r\nContent-Disposition: form-data; " + disposition + "\r\n\r\n" + content + "\r\n"
	}
	const multi = "multipart/form-data; boundary=x"
	for _, tt := range []struct {
		name, kind, body, auth string
		status, received       int
	}{
		{"JSON", jsn, `{"a":[` + strings.Repeat("{},", 4<<20) + `{}],"access_token":"right"}`, "", 401, 0},
		{"JSON without a type", "", `{"a":"` + filler + `","access_token":"right"}`, "", 401, 0},
		{"a form", form, "access_token=right&a=" + filler, "", 401, 0},
		{"a file", multi, part(`name="file"; filename="x"`, filler) + "--x--\r\n", "", 401, 0},
		{"a token behind a file", multi, part(`name="file"; filename="x"`, filler) + part(`name="access_token"`, "right") + "--x--\r\n", "", 401, 0},
		{"a token as a file", multi, part(`name="access_token"; filename="x"`, "right") + "--x--\r\n", "", 401, 0},
		{"a token before a file", multi, part(`name="access_token"`, "right") + part(`name="file"; filename="x"`, filler) + "--x--\r\n", "", 200, len(filler)},
		{"a file of a user", multi, part(`name="file"; filename="x"`, filler) + "--x--\r\n", "x", 200, len(filler)},
		{"a user's JSON without a bound", jsn, `{"a":"` + filler + `"}`, "x", 413, 0},
		{"a user's form without a bound", form, "a=" + filler, "x", 413, 0},
	} {
		for _, chunked := range []bool{false, true} {
			received, came := 0, 0
			h := Large(func() int64 { return 16 << 20 }, func(c *gin.Context) error {
				err := Files(c, func(_, _ string, content io.Reader) error {
					came++
					n, err := io.Copy(io.Discard, content)
					received += int(n)
					return err
				})
				if err == nil {
					err = Bind(c, &struct{}{})
				}
				return err
			})
			body := &meter{r: strings.NewReader(tt.body)}
			r := httptest.NewRequest(http.MethodPost, "/", body)
			if r.ContentLength = int64(len(tt.body)); chunked {
				r.ContentLength = -1
			}
			r.Header.Set("Content-Type", tt.kind)
			if tt.auth != "" {
				r.Header.Set("Authorization", tt.auth)
			}
			w := httptest.NewRecorder()
			callers(h).ServeHTTP(w, r)
			if w.Code != tt.status || received != tt.received {
				t.Errorf("%s, chunked %v: %d %s, a file of %d bytes, want %d", tt.name, chunked, w.Code, w.Body, received, tt.received)
			}
			if most := map[int]int{401: strangerLimit + 1, 413: bodyLimit + 1, 200: len(tt.body)}[tt.status]; body.n > most {
				t.Errorf("%s, chunked %v: %d bytes were read", tt.name, chunked, body.n)
			}
			if tt.status == 401 && came > 0 {
				t.Errorf("%s: a stranger's file was received", tt.name)
			}
		}
	}
}

// A short body can still be refused for its content once its sender is known
// otherwise: the part that was read in search of a token is there again.
func TestABodyThatWasSearchedCanGrow(t *testing.T) {
	c := request("POST", "/", jsn, `{"name":"`+strings.Repeat("a", 200<<10)+`"}`)
	var in sample
	if err := Bind(c, &in); !errors.As(err, new(*http.MaxBytesError)) {
		t.Errorf("as a stranger: %v", err)
	}
	admit(c, &auth.Identity{App: db.App{}})
	if err := Bind(c, &in); !errors.As(err, new(*http.MaxBytesError)) {
		t.Errorf("as an app: %v", err)
	}
	admit(c, &auth.Identity{Account: &db.Account{}})
	if err := Bind(c, &in); err != nil || len(in.Name) != 200<<10 {
		t.Errorf("as a user: %v", err)
	}
}

// pipes is a listener with pipes as connections, which use the bubble's clock.
type pipes struct{ conns chan net.Conn }

func (p pipes) Accept() (net.Conn, error) {
	c, ok := <-p.conns
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (p pipes) Close() error   { return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

// slowly sends the body of a request in pieces with pauses between. It returns
// the status of the answer and its time.
func slowly(t *testing.T, h http.Handler, kind string, head, piece string, pieces int, pause time.Duration, more ...string) (status int, after time.Duration) {
	t.Helper()
	l := pipes{make(chan net.Conn, 1)}
	s := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.Serve(l) }()
	defer close(l.conns)
	client, server := net.Pipe()
	defer func() { _ = client.Close() }()
	l.conns <- server
	begun, done := time.Now(), make(chan struct{})
	defer close(done)
	go func() {
		_, _ = fmt.Fprintf(client, "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: %s\r\n%sContent-Length: %d\r\n\r\n%s",
			kind, strings.Join(more, ""), len(head)+pieces*len(piece), head)
		for range pieces {
			select {
			case <-time.After(pause):
			case <-done:
				return
			}
			if _, err := io.WriteString(client, piece); err != nil {
				return
			}
		}
	}()
	resp, err := http.ReadResponse(bufio.NewReader(client), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, time.Since(begun)
}

func TestABodyThatComesByteByByteIsGivenUp(t *testing.T) {
	const multi = "multipart/form-data; boundary=x"
	file := "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x\"\r\n\r\n"
	answer := func(c *gin.Context) error {
		if err := Files(c, func(_, _ string, content io.Reader) error { _, err := io.Copy(io.Discard, content); return err }); err != nil {
			return err
		}
		if err := Bind(c, &struct{}{}); err != nil {
			return err
		}
		// A handler may take longer than the body's time limit.
		select {
		case <-c.Request.Context().Done():
			return c.Request.Context().Err()
		case <-time.After(time.Minute):
			return NoContent(c)
		}
	}
	for _, tt := range []struct {
		name, kind, head, piece, auth string
		pieces                        int
		pause                         time.Duration
		status                        int
		after                         time.Duration
	}{
		{"a stranger's JSON", jsn, `{"a":"`, "x", "", 1000, time.Second, 408, bodyTime},
		{"a stranger's file", multi, file, "x", "", 1000, time.Second, 408, bodyTime},
		{"a user's JSON", jsn, `{"a":"`, "x", "x", 1000, time.Second, 408, bodyTime},
		{"a user's form", form, "", "x", "x", 1000, time.Second, 408, bodyTime},
		{"a user's JSON in time", jsn, `{}`, " ", "x", 14, time.Second, 204, 14*time.Second + time.Minute},
		{"a file below the pace", multi, file, "x", "x", 1000, time.Second, 408, bodyTime},
		{"a file that stops", multi, file + strings.Repeat("x", 100*uploadRate), "x", "x", 1000, time.Hour, 408, 115 * time.Second},
		{"a file at the pace", multi, file, strings.Repeat("x", uploadRate), "x", 1000, time.Second, 408, uploadTime},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := callers(Large(func() int64 { return 16 << 20 }, answer))
				var more []string
				if tt.auth != "" {
					more = append(more, "Authorization: x\r\n")
				}
				status, after := slowly(t, h, tt.kind, tt.head, tt.piece, tt.pieces, tt.pause, more...)
				if status != tt.status || after.Round(time.Second) != tt.after {
					t.Errorf("%d after %s, want %d after %s", status, after, tt.status, tt.after)
				}
			})
		})
	}
}
