package server_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"svc/client"
	"svc/server/servertest"
)

// query sends a request with somebody's token, and returns its status and text.
func query(t *testing.T, s *servertest.Server, token, method, path, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(raw)
}

func TestUnknownParametersAreRefusedIfTheSettingsSaySo(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		admin := s.Admin("root")
		token := s.Token("root", "read write follow push admin")
		set := func(strict bool) {
			t.Helper()
			if _, err := admin.Admin.Config.Set(t.Context(), ":svc", "Svc.Web.ApiSpec.CastAndValidate", client.Keyword(":strict", strict)); err != nil {
				t.Fatal(err)
			}
		}
		one := func(name string) string {
			return `{"error":"Unexpected field: ` + name + `.","errors":[{"message":"Unexpected field: ` + name + `","source":{"pointer":"/` + name + `"},"title":"Invalid value"}]}`
		}
		refused := []struct{ method, path, body, want string }{
			{"GET", "/api/v1/timelines/home?foo=1", "", one("foo")},
			{"GET", "/api/v1/timelines/public?any[]=a", "", one("any")},
			{"GET", "/api/v1/notifications?foo[]=1&limit=3", "", one("foo")},
			{"GET", "/api/svc/admin/reports?foo=", "", one("foo")},
			{"GET", "/api/svc/admin/config?foo=1", "", one("foo")},
			{"POST", "/api/v1/lists?title=b", `{"title":"a"}`, one("title")},
			{"POST", "/api/v1/domain_blocks?domain=a.example&foo=1", "", one("foo")},
			{"GET", "/api/v1/timelines/home?b=1&a=1", "", `{"error":"Unexpected field: a. Unexpected field: b.","errors":[` +
				`{"message":"Unexpected field: a","source":{"pointer":"/a"},"title":"Invalid value"},{"message":"Unexpected field: b","source":{"pointer":"/b"},"title":"Invalid value"}]}`},
		}
		taken := []struct{ method, path, body string }{
			{"GET", "/api/v1/timelines/home?limit=1&min_id=0&with_muted=true&_method=x&access_token=" + token + "&admin_token=x", ""},
			{"GET", "/api/v1/timelines/tag/a?any[]=b&all[]=c&none[]=d&local=true&only_media=false&max_id=zzz", ""},
			{"GET", "/api/svc/admin/reports?state=open&limit=3&page=1", ""},
			{"GET", "/api/svc/admin/config?only_db=true", ""},
			{"GET", "/api/svc/admin/users?foo=1&page=1", ""}, // accepts arbitrary names
			{"POST", "/api/v1/domain_blocks?domain=b.example", `{"foo":1}`},
			{"POST", "/api/v1/lists?access_token=" + token, `{"title":"a","foo":1}`},
		}
		for _, strict := range []bool{false, true, false} {
			set(strict)
			for _, r := range refused {
				status, text := query(t, s, token, r.method, r.path, r.body)
				if strict && (status != 400 || text != r.want) {
					t.Errorf("strict: %s %s: %d %s\nwant %s", r.method, r.path, status, text, r.want)
				}
				if !strict && status != 200 {
					t.Errorf("%s %s: %d %s", r.method, r.path, status, text)
				}
			}
			for _, r := range taken {
				if status, text := query(t, s, token, r.method, r.path, r.body); status != 200 {
					t.Errorf("strict %v: %s %s: %d %s", strict, r.method, r.path, status, text)
				}
			}
		}
		// A caller without the right gets that error, not the one for the
		// query.
		set(true)
		if status, text := query(t, s, "", "GET", "/api/svc/admin/reports?foo=1", ""); status != 403 {
			t.Errorf("a stranger: %d %s", status, text)
		}
	})
}

func TestMimeTypesAreGivenToFilesOfTheStaticFolderAndFrontEnds(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		lay(t, filepath.Join(s.DataDir, "static"), map[string]string{
			"frontends/fe/v1/index.html": "<p>front", "frontends/fe/v1/a.usdz": "3D", "frontends/fe/v1/b.js": "run()", "frontends/fe/v1/c.htm": "<p>c",
			"static/d.vcf": "card", "e.usdz": "3D", "static/f.js": "run()",
		})
		choose(t, s, ":frontends", ":primary", map[string]string{"name": "fe", "ref": "v1"})
		check := func(path string, status int, kind, policy string) {
			t.Helper()
			got, body, h := browse(t, s, path, "*/*")
			if got != status || status == 200 && (h.Get("Content-Type") != kind || !strings.HasPrefix(h.Get("Content-Security-Policy"), policy)) {
				t.Errorf("%s: %d %q %v\nwant %d %s %s", path, got, body, h, status, kind, policy)
			}
		}
		const program, inert = "default-src 'none'; script-src 'self'", "default-src 'none'; sandbox"
		check("/a.usdz", 200, "application/octet-stream", "")
		check("/static/d.vcf", 404, "", "")
		types := func(of map[string][]string) error {
			_, err := s.Admin("root").Admin.Config.Set(t.Context(), ":mime", ":types", of)
			return err
		}
		if err := types(map[string][]string{"model/vnd.usdz+zip": {"usdz"}, "text/vcard": {".VCF"}, "text/html": {"htm"}, "text/plain": {"js", "html"}}); err != nil {
			t.Fatal(err)
		}
		check("/a.usdz", 200, "model/vnd.usdz+zip", "")
		check("/c.htm", 200, "text/html; charset=utf-8", program)
		check("/b.js", 200, "text/javascript; charset=utf-8", program)
		check("/static/d.vcf", 200, "text/vcard; charset=utf-8", inert)
		check("/static/e.usdz", 200, "model/vnd.usdz+zip", inert)
		check("/static/f.js", 404, "", "")
		for _, wrong := range []map[string][]string{{"a\r\nb/c": {"x"}}, {"text": {"x"}}, {"text/x": {"../x"}}} {
			if err := types(wrong); client.Status(err) != 400 {
				t.Errorf("took %q: %v", wrong, err)
			}
		}
		if err := types(map[string][]string{}); err != nil {
			t.Fatal(err)
		}
		check("/a.usdz", 200, "application/octet-stream", "")
		check("/static/d.vcf", 404, "", "")
	})
}

func TestArchivesAreMadeInTheFolderOfTheSettings(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		folder := filepath.Join(s.DataDir, "archives")
		lay(t, folder, map[string]string{"draft-1": "left by a crash", "notes": "somebody's"})
		long := time.Now().Add(-24 * time.Hour)
		for _, name := range []string{"draft-1", "notes"} {
			if err := os.Chtimes(filepath.Join(folder, name), long, long); err != nil {
				t.Fatal(err)
			}
		}
		ann := s.Client("ann")
		choose(t, s, "Svc.User.Backup", ":dir", "archives", ":limit_days", 0)
		archive := func(n int) int64 {
			t.Helper()
			if _, err := ann.Backups.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); {
				rows, err := ann.Backups.List(t.Context())
				if err != nil || len(rows) != n {
					t.Fatalf("%+v %v", rows, err)
				}
				if rows[0].Processed {
					return rows[0].FileSize
				}
			}
			t.Fatal("it is never made")
			return 0
		}
		if size := archive(1); size == 0 {
			t.Error("an empty archive")
		}
		left := func() (names []string) {
			entries, err := os.ReadDir(folder)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				names = append(names, e.Name())
			}
			return names
		}
		if got := strings.Join(left(), " "); got != "notes" {
			t.Errorf("in the folder: %s", got)
		}
		lay(t, folder, map[string]string{"draft-2": "left by another"})
		if err := os.Chtimes(filepath.Join(folder, "draft-2"), long, long); err != nil {
			t.Fatal(err)
		}
		choose(t, s, "Svc.User.Backup", ":dir", nil)
		archive(2)
		if got := strings.Join(left(), " "); got != "draft-2 notes" {
			t.Errorf("in the folder, which is not used: %s", got)
		}
	}, servertest.WithMail)
}
