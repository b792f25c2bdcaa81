package media

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/server/platform/config"
)

// bucket is a server that speaks as much S3 as objects need: put whole, with
// the signed chunks that plain HTTP asks for, read in part, and deleted.
type bucket struct {
	t    *testing.T
	name string
	full bool

	mu      sync.Mutex
	objects map[string][]byte
	types   map[string]string
}

func (b *bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	key, ok := strings.CutPrefix(r.URL.Path, "/"+b.name+"/")
	if !ok || !strings.Contains(r.Header.Get("Authorization"), "Credential=AK/") {
		b.refuse(w, http.StatusForbidden, "AccessDenied")
		return
	}
	object, there := b.objects[key]
	switch r.Method {
	case http.MethodPut:
		if b.full {
			b.refuse(w, http.StatusInsufficientStorage, "XMinioStorageFull")
			return
		}
		content, err := unchunk(r)
		if err != nil {
			b.t.Errorf("put %s: %v", key, err)
		}
		b.objects[key], b.types[key] = content, r.Header.Get("Content-Type")
		w.Header().Set("ETag", `"x"`)
	case http.MethodDelete:
		delete(b.objects, key)
		w.WriteHeader(http.StatusNoContent)
	case http.MethodGet, http.MethodHead:
		if !there {
			b.refuse(w, http.StatusNotFound, "NoSuchKey")
			return
		}
		w.Header().Set("ETag", `"x"`)
		http.ServeContent(w, r, "", time.Unix(1, 0), bytes.NewReader(object))
	}
}

func (b *bucket) refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	raw, err := xml.Marshal(struct {
		XMLName xml.Name `xml:"Error"`
		Code    string
	}{Code: code})
	if err != nil {
		b.t.Error(err)
	}
	_, _ = w.Write(raw)
}

// unchunk reads a body of signed chunks: length;signature, content.
func unchunk(r *http.Request) ([]byte, error) {
	if !strings.HasPrefix(r.Header.Get("X-Amz-Content-Sha256"), "STREAMING-") {
		return io.ReadAll(r.Body)
	}
	var out bytes.Buffer
	in := bufio.NewReader(r.Body)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return nil, err
		}
		length, _, _ := strings.Cut(strings.TrimSpace(line), ";")
		n, err := strconv.ParseInt(length, 16, 64)
		if err != nil || n == 0 {
			return out.Bytes(), err
		}
		if _, err := io.CopyN(&out, in, n); err != nil {
			return nil, err
		}
		if _, err := in.Discard(2); err != nil {
			return nil, err
		}
	}
}

// at is a bucket of the server at endpoint.
func at(endpoint string) config.S3 {
	scheme, host, _ := strings.Cut(endpoint, "://")
	return config.S3{Name: "media", Scheme: scheme, Host: host, Region: "eu-west-1", Key: "AK", Secret: "SK", Streaming: true}
}

// TestABucketKeepsFiles runs against a small server of its own, and against the
// bucket of SVC_TEST_S3, with the usual AWS variables, where that is set.
func TestABucketKeepsFiles(t *testing.T) {
	b := &bucket{t: t, name: "media", objects: map[string][]byte{}, types: map[string]string{}}
	srv := httptest.NewServer(b)
	t.Cleanup(srv.Close)
	buckets := map[string]config.S3{"own": at(srv.URL)}
	prefixes := map[string]string{"own": "svc/", "real": "test/"}
	if real := os.Getenv("SVC_TEST_S3"); real != "" {
		name, endpoint, _ := strings.Cut(strings.TrimPrefix(real, "s3://"), "?endpoint=")
		b := at(endpoint)
		b.Name, b.Region, b.Key, b.Secret = name, "us-east-1", os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY")
		buckets["real"] = b
	}
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for key, kind := range b.types {
			if !strings.HasPrefix(key, "svc/") || kind != "application/octet-stream" {
				t.Errorf("%s has type %s", key, kind)
			}
		}
		if len(b.types) == 0 || len(b.objects) != 0 {
			t.Errorf("%d files were there, %d are left", len(b.types), len(b.objects))
		}
	})
	each(t, func(t *testing.T, w *world) {
		for name, place := range buckets {
			store, err := NewS3(place, prefixes[name]+string(w.db.Dialect())+"/") // both databases have it at once
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			holdStore(t, store, w.receive)
		}
	})
}

func TestABucketWithoutRoomSaysSo(t *testing.T) {
	b := &bucket{t: t, name: "media", full: true, objects: map[string][]byte{}, types: map[string]string{}}
	srv := httptest.NewServer(b)
	t.Cleanup(srv.Close)
	store, err := NewS3(at(srv.URL), "")
	if err != nil {
		t.Fatal(err)
	}
	each(t, func(t *testing.T, w *world) {
		w.store = store
		if _, err := w.Upload(t.Context(), w.who, w.receive("x"), nil, nil, ""); !errors.Is(err, ErrFull) {
			t.Error(err)
		}
		var rows int
		if err := w.db.Writer().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM media_attachments").Scan(&rows); err != nil || rows != 0 {
			t.Errorf("%d rows, %v", rows, err)
		}
	})
}
