package server_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"svc/client"
	"svc/client/api"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/platform/config"
	"svc/server/servertest"
)

// gateway is a server of buckets that knows one object, and can fail.
type gateway struct {
	fails atomic.Value // the text of refusals; "" refuses nothing

	mu      sync.Mutex
	content []byte
}

func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	refuse := func(status int, code string) {
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, "<Error><Code>%s</Code></Error>", code)
	}
	switch fails, _ := g.fails.Load().(string); {
	case fails == "cut":
		w.Header().Set("Content-Length", "100000")
		w.Header().Set("ETag", `"x"`)
		w.Header().Set("Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT")
		if r.Method == http.MethodGet {
			_, _ = w.Write(make([]byte, 70_000))
			panic(http.ErrAbortHandler)
		}
	case fails != "":
		refuse(http.StatusForbidden, fails)
	case r.Method == http.MethodPut:
		g.content = payload(r)
		w.Header().Set("ETag", `"x"`)
	case g.content == nil:
		refuse(http.StatusNotFound, "NoSuchKey")
	default:
		w.Header().Set("Content-Length", fmt.Sprint(len(g.content)))
		w.Header().Set("ETag", `"x"`)
		w.Header().Set("Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT")
		_, _ = w.Write(g.content)
	}
}

// payload returns the content of a request with pieces signed one by one: a
// line before each has its length in hex. Shape: AWS Signature Version 4.
func payload(r *http.Request) (content []byte) {
	if !strings.HasPrefix(r.Header.Get("X-Amz-Content-Sha256"), "STREAMING-") {
		content, _ = io.ReadAll(r.Body)
		return content
	}
	for body := bufio.NewReader(r.Body); ; {
		line, err := body.ReadString('\n')
		length, _, _ := strings.Cut(line, ";")
		n, parseErr := strconv.ParseInt(length, 16, 32)
		if err != nil || parseErr != nil || n == 0 {
			return content
		}
		piece := make([]byte, n+2) // with the end of its line
		if _, err := io.ReadFull(body, piece); err != nil {
			return content
		}
		content = append(content, piece[:n]...)
	}
}

func bucketAt(srv *httptest.Server) func(*config.Settings) {
	return func(s *config.Settings) {
		s.Upload.Uploader = config.S3Uploader
		s.Upload.ProxyRemote = true
		s.Upload.Bucket = config.S3{Name: "media", Scheme: "http", Host: srv.Listener.Addr().String(), Region: "eu-west-1", Key: "AK", Secret: "SK"}
	}
}

// answerOf sends a request and reads the answer to its end or to its break.
func answerOf(t *testing.T, req *http.Request) (status int, retry, body string, err error) {
	t.Helper()
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	return resp.StatusCode, resp.Header.Get("Retry-After"), string(raw), err
}

func get(t *testing.T, address string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// sent is a request with a file in its form.
func sent(t *testing.T, s *servertest.Server, method, path, field string, content []byte) *http.Request {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile(field, "a.gif")
	if err == nil {
		_, err = part.Write(content)
	}
	if err = errors.Join(err, form.Close()); err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, &body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", form.FormDataContentType())
	req.Header.Set("Authorization", "Bearer "+s.Token("ann", "read write"))
	return req
}

// counted checks that the metrics of the service have these lines.
func counted(t *testing.T, s *servertest.Server, lines ...string) {
	t.Helper()
	_, _, numbers, err := answerOf(t, get(t, s.URL+"/api/svc/app_metrics"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		if !strings.Contains(numbers, line+"\n") {
			t.Errorf("no %s", line)
		}
	}
}

const aGIF = "GIF89a\x01\x00\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"

// TestAMediaStoreThatIsAwayIsWaitedFor: while a folder or a bucket is away,
// files are neither accepted nor lost, and clients are asked to repeat their
// requests.
func TestAMediaStoreThatIsAwayIsWaitedFor(t *testing.T) {
	g := new(gateway)
	srv := httptest.NewServer(g)
	t.Cleanup(srv.Close)
	for name, c := range map[string]struct {
		edit       func(*config.Settings)
		away, back func(s *servertest.Server) error
	}{
		"a folder": {
			edit: func(*config.Settings) {},
			away: func(s *servertest.Server) error {
				return os.Rename(filepath.Join(s.DataDir, "uploads"), filepath.Join(s.DataDir, "away"))
			},
			back: func(s *servertest.Server) error {
				return os.Rename(filepath.Join(s.DataDir, "away"), filepath.Join(s.DataDir, "uploads"))
			},
		},
		"a bucket": {
			edit: bucketAt(srv),
			away: func(*servertest.Server) error { g.fails.Store("RequestTimeTooSkewed"); return nil },
			back: func(*servertest.Server) error { g.fails.Store(""); return nil },
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := servertest.Start(t, c.edit)
			set(t, s, ":prometheus", "Svc.Web.Endpoint.MetricsExporter", client.Keyword(":enabled", true))
			up, err := s.Client("ann").Media.Upload(t.Context(), client.File{Name: "a.gif", Content: strings.NewReader(aGIF)}, api.MediaForm{})
			if err != nil {
				t.Fatal(err)
			}
			if err := c.away(s); err != nil {
				t.Fatal(err)
			}
			for what, req := range map[string]*http.Request{
				"the file":  get(t, up.URL),
				"an upload": sent(t, s, http.MethodPost, "/api/v2/media", "file", []byte("others")),
				"an avatar": sent(t, s, http.MethodPatch, "/api/v1/accounts/update_credentials", "avatar", []byte(aGIF)),
			} {
				status, retry, body, err := answerOf(t, req)
				if status != http.StatusServiceUnavailable || retry == "" || !strings.Contains(body, "media store") || err != nil {
					t.Errorf("%s: %d, Retry-After %q, %s, %v", what, status, retry, body, err)
				}
			}
			counted(t, s, `svc_media_store_failures_total{operation="put"} 2`, `svc_media_store_failures_total{operation="open"} 1`)
			if err := c.back(s); err != nil {
				t.Fatal(err)
			}
			if status, _, _, err := answerOf(t, get(t, up.URL)); status != http.StatusOK || err != nil {
				t.Errorf("back: %d, %v", status, err)
			}
		})
	}
}

// TestAFileThatBreaksOffEndsTheConnection: if the store breaks a file off, the
// connection breaks off too, so that the client knows that the file is not
// whole.
func TestAFileThatBreaksOffEndsTheConnection(t *testing.T) {
	g := new(gateway)
	srv := httptest.NewServer(g)
	t.Cleanup(srv.Close)
	s := servertest.Start(t, bucketAt(srv))
	set(t, s, ":prometheus", "Svc.Web.Endpoint.MetricsExporter", client.Keyword(":enabled", true))
	g.fails.Store("cut")
	_, _, body, err := answerOf(t, get(t, s.URL+"/media/"+strings.Repeat("a", 64)+".gif"))
	if !errors.Is(err, io.ErrUnexpectedEOF) || len(body) >= 100_000 {
		t.Errorf("%d bytes, %v", len(body), err)
	}
	counted(t, s, `svc_http_requests_total{method="GET",route="/media/:name",status="aborted"} 1`)
	if lines := s.Log.Lines("a file broke off"); len(lines) != 1 {
		t.Errorf("%q", lines)
	}
}

// TestAMediaStoreThatRefusesIsFoundAtStart: a bucket that refuses the
// operator's own keys ends the start.
func TestAMediaStoreThatRefusesIsFoundAtStart(t *testing.T) {
	g := new(gateway)
	srv := httptest.NewServer(g)
	t.Cleanup(srv.Close)
	for _, code := range []string{"InvalidAccessKeyId", "SignatureDoesNotMatch", "NoSuchBucket", "AccessDenied"} {
		g.fails.Store(code)
		cfg := config.Defaults()
		cfg.BaseURL, cfg.DataDir = "http://127.0.0.1", t.TempDir()
		bucketAt(srv)(&cfg.Settings)
		s, err := server.New(t.Context(), cfg, dbtest.New(t), server.Options{Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		var problems config.Problems
		if err := s.Serve(t.Context(), l); !errors.As(err, &problems) || problems[0].Setting != "SVC_MEDIA" || !strings.Contains(err.Error(), `bucket "media" at http://`) {
			t.Errorf("%s: %v", code, err)
		}
	}
}

// TestSavedSettingsOfAMediaStoreThatRefusesDoNotEndTheStart: an admin needs the
// running service to correct them.
func TestSavedSettingsOfAMediaStoreThatRefusesDoNotEndTheStart(t *testing.T) {
	g := new(gateway)
	srv := httptest.NewServer(g)
	t.Cleanup(srv.Close)
	g.fails.Store("InvalidAccessKeyId")
	s := servertest.Start(t)
	set(t, s, ":ex_aws", ":s3", client.Keyword(":scheme", "http://", ":host", srv.Listener.Addr().String(), ":access_key_id", "AK", ":secret_access_key", "SK", ":region", "eu-west-1"))
	set(t, s, ":svc", "Svc.Uploaders.S3", client.Keyword(":bucket", "media"))
	set(t, s, ":svc", "Svc.Upload", client.Keyword(":uploader", "Svc.Uploaders.S3"))
	again := s.Second(t)
	servertest.Eventually(t, "the log names the store that refuses", func() bool {
		return len(again.Log.Lines("the media store fails", "bucket", "refuses the keys")) == 1
	})
	if status, _, _, err := answerOf(t, get(t, again.URL+"/api/v1/instance")); status != http.StatusOK || err != nil {
		t.Errorf("%d, %v", status, err)
	}
}
