package server_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"svc/client/api"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/servertest"
)

// repeated is a body of a head, a repeated piece, and a tail. It takes no
// memory, and counts the bytes read.
type repeated struct {
	head, piece, tail string
	pieces, read      int
	block             string // of pieces, since copying each alone takes long
}

// newRepeated is one of at most n bytes.
func newRepeated(head, piece, tail string, n int) *repeated {
	pieces := (n - len(head) - len(tail)) / len(piece)
	return &repeated{head: head, piece: piece, tail: tail, pieces: pieces, block: strings.Repeat(piece, min(pieces, 1+strangersShare/len(piece)))}
}

func (r *repeated) size() int { return len(r.head) + r.pieces*len(r.piece) + len(r.tail) }

func (r *repeated) Read(p []byte) (int, error) {
	if r.read == r.size() {
		return 0, io.EOF
	}
	n := 0
	for n < len(p) && r.read < r.size() {
		var from string
		switch at := r.read - len(r.head); {
		case at < 0:
			from = r.head[r.read:]
		case at < r.pieces*len(r.piece):
			from = r.block[at%len(r.piece):]
			from = from[:min(len(from), r.pieces*len(r.piece)-at)]
		default:
			from = r.tail[at-r.pieces*len(r.piece):]
		}
		k := copy(p[n:], from)
		n += k
		r.read += k
	}
	return n, nil
}

// worst are the most expensive bodies to read, by content type: many values,
// many names, deep ones, a long one, and files.
var worst = []struct{ name, kind, head, piece, tail string }{
	{"JSON by count", jsonBody, `{"a":[`, `{},`, `{}]}`},
	{"JSON by names", "", `{`, `"a":{"b":[]},`, `"c":1}`},
	{"deep JSON", jsonBody, `{"a":`, `[`, ``},
	{"long JSON", jsonBody, `{"status":"`, `x`, `"}`},
	{"JSON of wrong items", jsonBody, `{"ids":[`, `null,`, `1]}`},
	{"a form by count", formBody, "", "a[]=1&", "b"},
	{"a form by names", formBody, "", "a&b[c]&;d=%20&", "b"},
	{"a long form", formBody, "status=", "x", ""},
	{"parts by count", "multipart/form-data; boundary=x", "", "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n", "--x--\r\n"},
	{"files by count", "multipart/form-data; boundary=x", "", "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x\"\r\n\r\n1\r\n", "--x--\r\n"},
	{"a long file", "multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x.png\"\r\n\r\n\x89PNG\r\n\x1a\n", "x", "\r\n--x--\r\n"},
	{"a long header of a part", "multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"", "a", "\"\r\n\r\n1\r\n--x--\r\n"},
}

const (
	worstLength = 14 << 20
	// strangersShare bounds the bytes read of a body before its sender is
	// known.
	strangersShare = 64 << 10
)

// TestAStrangersBodyCostsLittle sends the worst bodies to every route that
// reads one, without a token, as a user without the scope, and as an app.
// Little of them is read or built, and nothing is written.
func TestAStrangersBodyCostsLittle(t *testing.T) {
	dbtest.Alone(t)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	s := servertest.Start(t)
	reader, app := s.Token("ann", "read"), s.AppToken()
	files := func() (names []string) {
		for _, dir := range []string{temp, filepath.Join(s.DataDir, "uploads", "incoming")} {
			entries, err := os.ReadDir(dir)
			if err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			for _, e := range entries {
				names = append(names, e.Name())
			}
		}
		return names
	}
	for _, r := range s.Routes() {
		if r.Method == http.MethodGet {
			continue
		}
		for _, b := range worst {
			// Most bodies with an announced length are refused for it alone.
			for _, sent := range []struct {
				bytes     int
				announced bool
			}{{worstLength, false}, {worstLength, true}, {strangersShare, true}} {
				for who, token := range map[string]string{"nobody": "", "an app": app, "a reader": reader} {
					if token == reader && r.Access != server.User {
						continue // these routes accept the body of a user from everybody
					}
					body := newRepeated(b.head, b.piece, b.tail, sent.bytes)
					req := httptest.NewRequestWithContext(t.Context(), r.Method, strings.NewReplacer(":", "", "*", "").Replace(r.Path), body)
					if req.ContentLength = -1; sent.announced {
						req.ContentLength = int64(body.size())
					}
					req.Header.Set("Content-Type", b.kind)
					if token != "" {
						req.Header.Set("Authorization", "Bearer "+token)
					}
					var before, after runtime.MemStats
					runtime.ReadMemStats(&before)
					w := httptest.NewRecorder()
					s.Handler().ServeHTTP(w, req)
					runtime.ReadMemStats(&after)
					// A signed body is read whole before its sender is known.
					// So is the body of a user with at least the scope to read.
					most, cost := strangersShare, uint64(8<<20)
					if r.Access == server.Federation || token == reader {
						most, cost = 1<<20, 16<<20
					}
					name := r.Method + " " + r.Path + ": " + b.name + " of " + who
					if built := after.TotalAlloc - before.TotalAlloc; built > cost {
						t.Errorf("%s builds %d KiB", name, built>>10)
					}
					if body.read > most+1 {
						t.Errorf("%s is read for %d bytes", name, body.read)
					}
					if w.Code >= 500 {
						t.Errorf("%s: %d %.100s", name, w.Code, w.Body)
					}
					if left := files(); len(left) > 0 {
						t.Fatalf("%s writes %v", name, left)
					}
				}
			}
		}
	}
}

// TestAQueryIsCountedToo sends the largest number of parameters.
func TestAQueryIsCountedToo(t *testing.T) {
	s := servertest.Start(t)
	for _, path := range []string{"/api/v1/timelines/public", "/api/v1/instance", "/api/v1/accounts/relationships", "/.well-known/webfinger", "/"} {
		req := newRequest(t, http.MethodGet, s.URL+path+"?"+strings.Repeat("a&", 20_000), "", "")
		if status, body := exchange(t, req); status != http.StatusBadRequest || !strings.Contains(body, "too many parameters") {
			t.Errorf("%s: %d %.100s", path, status, body)
		}
	}
}

// TestASemicolonIsACharacter sends an unescaped semicolon in a query and in a
// form.
func TestASemicolonIsACharacter(t *testing.T) {
	s := servertest.Start(t)
	token := s.Token("ann", servertest.AllScopes)
	post := newRequest(t, http.MethodPost, s.URL+"/api/v1/statuses", formBody, "status=one;two&spoiler_text=a;b=c&visibility=public")
	post.Header.Set("Authorization", "Bearer "+token)
	if status, body := exchange(t, post); status != http.StatusOK || !strings.Contains(body, "one;two") || !strings.Contains(body, `"spoiler_text":"a;b=c"`) {
		t.Errorf("%d %s", status, body)
	}
	found, err := s.Client("ann").Accounts.Search(t.Context(), api.AccountSearchQuery{Q: "ann"})
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	for path, want := range map[string]string{
		"/api/v1/accounts/search?q=;ann": `[]`, "/api/v1/accounts/search?limit=1&q=ann": `"acct":"ann"`,
		"/api/v2/search?q=%23two;three&type=hashtags":                           `"hashtags":[`,
		"/api/v1/accounts/relationships?x=1;&id=" + found[0].ID:                 `"id":"` + found[0].ID + `"`,
		"/.well-known/webfinger?x=;&resource=acct:ann@" + hostOf(s.Base()):      `"subject"`,
		"/api/v1/timelines/home?x=a;b&limit=1&only_media=false;&since_id=0&y=1": `one;two`,
	} {
		req := newRequest(t, http.MethodGet, s.URL+path, "", "")
		req.Header.Set("Authorization", "Bearer "+token)
		if status, body := exchange(t, req); status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: %d %.300s", path, status, body)
		}
	}
}

func hostOf(base string) string {
	_, host, _ := strings.Cut(base, "://")
	return host
}
