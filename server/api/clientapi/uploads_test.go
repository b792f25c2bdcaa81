package clientapi_test

import (
	"bufio"
	"bytes"
	"errors"
	"image"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/client"
	"svc/client/api"
	"svc/server/servertest"
)

func upload(t *testing.T, s *servertest.Server, name string, content []byte) *api.Attachment {
	t.Helper()
	up, err := s.Client("ann").Media.Upload(t.Context(), file(name, content), api.MediaForm{})
	if err != nil {
		t.Fatal(err)
	}
	return up
}

func TestWithoutDedupeEachUploadIsAFileOfItsOwn(t *testing.T) {
	s := servertest.Start(t)
	one, two := upload(t, s, "a.png", pngOf(t, 1)), upload(t, s, "b.png", pngOf(t, 1))
	if one.URL != two.URL {
		t.Errorf("the same file is at %s and at %s", one.URL, two.URL)
	}
	set(t, s, "Svc.Upload", ":filters", []string{})
	three, four := upload(t, s, "a.png", pngOf(t, 1)), upload(t, s, "b.png", pngOf(t, 1))
	for _, up := range []*api.Attachment{one, three, four} {
		if _, body := fetch(t, "GET", up.URL); body != string(pngOf(t, 1)) {
			t.Errorf("%s: %d bytes", up.URL, len(body))
		}
	}
	if three.URL == four.URL || three.URL == one.URL || !strings.HasSuffix(three.URL, ".png") {
		t.Errorf("%s, %s, %s", one.URL, three.URL, four.URL)
	}
}

func TestNamesAreMadeAnonymousWhereThatIsWished(t *testing.T) {
	s := servertest.Start(t)
	set(t, s, "Svc.Upload", ":link_name", true, ":default_description", ":filename")
	name := func() (string, string) {
		up := upload(t, s, "Ann at home.png", pngOf(t, 1))
		u, err := url.Parse(up.URL)
		if err != nil {
			t.Fatal(err)
		}
		return u.Query().Get("name"), *up.Description
	}
	if link, description := name(); link != "Ann at home.png" || description != link {
		t.Errorf("%q %q", link, description)
	}
	set(t, s, "Svc.Upload", ":filters", []string{"Svc.Upload.Filter.AnonymizeFilename", "Svc.Upload.Filter.Dedupe"})
	link, description := name()
	again, _ := name()
	if !regexp.MustCompile(`^[0-9a-z]{20,}\.png$`).MatchString(link) || description != link || again == link {
		t.Errorf("%q %q %q", link, description, again)
	}
	set(t, s, "Svc.Upload.Filter.AnonymizeFilename", ":text", "picture.{extension}")
	if link, description := name(); link != "picture.png" || description != link {
		t.Errorf("%q %q", link, description)
	}
}

func TestPicturesAreChangedAsTheSettingsAsk(t *testing.T) {
	s := servertest.Start(t)
	size := func(content []byte) image.Config {
		t.Helper()
		_, body := fetch(t, "GET", upload(t, s, "x", content).URL)
		c, _, err := image.DecodeConfig(strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	png, turned := asPNG(t, large(300, 100, false)), asJPEG(t, large(300, 200, false), 6)
	ask := func(args ...any) {
		set(t, s, "Svc.Upload.Filter.Mogrify", ":args", args)
	}
	ask(client.Tuple("resize", "30x30"))
	if c := size(png); c.Width != 300 {
		t.Errorf("changed without being asked for: %+v", c)
	}
	set(t, s, "Svc.Upload", ":filters", []string{"Svc.Upload.Filter.Exiftool", "Svc.Upload.Filter.Mogrify", "Svc.Upload.Filter.Dedupe"})
	for _, c := range []struct {
		args          []any
		content       []byte
		width, height int
	}{
		{[]any{client.Tuple("resize", "30x30")}, png, 30, 10},
		{[]any{client.Tuple("resize", "30x30!")}, png, 30, 30},
		{[]any{client.Tuple("resize", "3840x1080>")}, png, 300, 100},
		{[]any{client.Tuple("resize", "x50>")}, png, 150, 50},
		{[]any{client.Tuple("resize", "50%")}, png, 150, 50},
		{[]any{client.Tuple("resize", "600")}, png, 600, 200},
		{[]any{client.Tuple("resize", "600x600<")}, png, 600, 200},
		{[]any{client.Tuple("resize", "99999x99999")}, png, 300, 100},
		{[]any{"strip"}, turned, 300, 200},
		{[]any{"strip", "auto-orient"}, turned, 200, 300},
		{[]any{"auto-orient", "{\"resize\", \"20x\"}"}, turned, 20, 30},
		{[]any{client.Tuple("resize", "x30")}, turned, 20, 30},
	} {
		ask(c.args...)
		if got := size(c.content); got.Width != c.width || got.Height != c.height {
			t.Errorf("%v: %d×%d, want %d×%d", c.args, got.Width, got.Height, c.width, c.height)
		}
	}
	_, err := s.Admin("root").Admin.Config.Set(t.Context(), ":svc", "Svc.Upload.Filter.Mogrify", client.Keyword(":args", []string{"implode"}))
	var refusal *client.Error
	if !errors.As(err, &refusal) || refusal.Status != http.StatusBadRequest {
		t.Errorf("took what it cannot do: %v", err)
	}
}

// objects is a server with the part of S3 that files need, over plain HTTP.
type objects struct {
	*httptest.Server
	mu   sync.Mutex
	kept map[string][]byte
}

func startObjects(t *testing.T) *objects {
	t.Helper()
	o := &objects{kept: map[string][]byte{}}
	o.Server = httptest.NewServer(o)
	t.Cleanup(o.Close)
	return o
}

func (o *objects) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if r.Method == http.MethodPut {
		raw, err := unchunked(r.Body)
		if err != nil || !strings.Contains(r.Header.Get("Authorization"), "Credential=AK/") {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		o.kept[r.URL.Path] = raw
	}
	content, ok := o.kept[r.URL.Path]
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("ETag", `"x"`)
	if r.Method != http.MethodPut {
		http.ServeContent(w, r, "", time.Unix(1, 0), bytes.NewReader(content))
	}
}

// unchunked reads a body of signed chunks: length;signature, content.
func unchunked(body io.Reader) ([]byte, error) {
	var out bytes.Buffer
	in := bufio.NewReader(body)
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

func TestFilesMoveToABucketAndBackWhileTheServerRuns(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		o := startObjects(t)
		local := upload(t, s, "a.png", pngOf(t, 1))
		setIn(t, s, ":svc", "Svc.Uploaders.S3", client.Keyword(":bucket", "media"))
		setIn(t, s, ":ex_aws", ":s3", client.Keyword(":access_key_id", "AK", ":secret_access_key", "SK", ":region", "eu-west-1",
			":scheme", "http://", ":host", strings.TrimPrefix(o.URL, "http://")))
		set(t, s, "Svc.Upload", ":uploader", "Svc.Uploaders.S3")

		remote := upload(t, s, "b.png", pngOf(t, 2))
		name := strings.TrimPrefix(remote.URL, s.Base()+"/media/")
		if string(o.kept["/media/"+name]) != string(pngOf(t, 2)) {
			t.Fatalf("the bucket has %d files, none of them %s", len(o.kept), name)
		}
		if resp, _ := fetch(t, "GET", remote.URL); resp.StatusCode != 302 || resp.Header.Get("Location") != o.URL+"/media/"+name {
			t.Errorf("%d %s", resp.StatusCode, resp.Header.Get("Location"))
		}
		setIn(t, s, ":svc", "Svc.Uploaders.S3", client.Keyword(":public_endpoint", "https://cdn.example", ":truncated_namespace", "m"))
		if resp, _ := fetch(t, "GET", remote.URL); resp.StatusCode != 302 || resp.Header.Get("Location") != "https://cdn.example/m/"+name {
			t.Errorf("%d %s", resp.StatusCode, resp.Header.Get("Location"))
		}
		check := func(when string) {
			t.Helper()
			for url, want := range map[string][]byte{local.URL: pngOf(t, 1), remote.URL: pngOf(t, 2)} {
				if resp, body := fetch(t, "GET", url); resp.StatusCode != 200 || body != string(want) {
					t.Errorf("%s %s: %d, %d bytes", when, url, resp.StatusCode, len(body))
				}
			}
		}
		set(t, s, "Svc.Upload", ":proxy_remote", true)
		check("through this server")
		set(t, s, "Svc.Upload", ":uploader", "Svc.Uploaders.Local")
		set(t, s, "Svc.Uploaders.Local", ":uploads", "elsewhere")
		check("back on the disk")
		third := upload(t, s, "c.png", pngOf(t, 3))
		name = strings.TrimPrefix(third.URL, s.Base()+"/media/")
		if _, err := os.Stat(filepath.Join(s.DataDir, "elsewhere", name[:2], name)); err != nil {
			t.Error(err)
		}
		// A ban takes effect before a redirect to the store.
		set(t, s, "Svc.Upload", ":uploader", "Svc.Uploaders.S3", ":proxy_remote", false)
		if err := s.Admin("root").Admin.Media.Purge(t.Context(), true, remote.URL); err != nil {
			t.Fatal(err)
		}
		if resp, body := fetch(t, "GET", remote.URL); resp.StatusCode != 404 || body != "Not Found" {
			t.Errorf("banned: %d %s", resp.StatusCode, resp.Header.Get("Location"))
		}
	})
}

func TestAssetsAndTheMediaProxyFollowTheSettings(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ann := s.Client("ann")
		far := remote(t, s, "https://one.example/a.png", "")
		look := func() (mine, mascot, theirs string) {
			t.Helper()
			me, err := ann.Accounts.Verify(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			m, err := ann.Media.Mascot(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			other, err := ann.Accounts.Get(t.Context(), far.ID)
			if err != nil {
				t.Fatal(err)
			}
			return strings.TrimPrefix(me.Avatar, s.Base()), strings.TrimPrefix(m.URL, s.Base()), strings.TrimPrefix(other.Avatar, s.Base())
		}
		if mine, mascot, theirs := look(); mine != "/images/avi.png" || mascot != "/images/mascot.png" || theirs != "https://one.example/a.png" {
			t.Errorf("%s %s %s", mine, mascot, theirs)
		}
		set(t, s, ":assets", ":default_user_avatar", "/images/me.png", ":default_mascot", ":cat",
			":mascots", client.Keyword(":cat", map[string]any{":url": "/images/cat.png", ":mime_type": "image/png"}))
		set(t, s, ":media_proxy", ":enabled", true)
		if mine, mascot, theirs := look(); mine != "/images/me.png" || mascot != "/images/cat.png" || !strings.HasPrefix(theirs, "/proxy/") {
			t.Errorf("%s %s %s", mine, mascot, theirs)
		}
		set(t, s, ":media_proxy", ":whitelist", []string{"https://one.example"})
		if _, _, theirs := look(); theirs != "https://one.example/a.png" {
			t.Error(theirs)
		}
		set(t, s, ":media_proxy", ":whitelist", []string{}, ":base_url", "https://cdn.example/")
		if _, _, theirs := look(); !strings.HasPrefix(theirs, "https://cdn.example/proxy/") {
			t.Error(theirs)
		}
	})
}
