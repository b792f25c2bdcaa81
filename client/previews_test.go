package client

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client/api"
)

// TestAPreviewShowsEachWriteAndSendsNone makes writes of every kind of body: all
// are shown, those after the first too, and reads are sent.
func TestAPreviewShowsEachWriteAndSendsNone(t *testing.T) {
	p := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/base/trap" {
			http.Redirect(w, r, "/base/api/svc/admin/restart", http.StatusFound)
			return
		}
		answer(w, 200, "{}")
	})
	var got []string
	c, _ := dial(t, p.URL+"/base", WithToken("tok"), WithPreview(func(r Preview) {
		line, err := json.Marshal(r)
		if err != nil {
			t.Error(err)
		}
		got = append(got, string(line))
	}))
	password := "hunter2"
	for name, err := range map[string]error{
		"form": c.Admin.Users.UpdateCredentials(t.Context(), "kim", api.CredentialsUpdate{Password: &password}),
		"files": c.Admin.Users.SetPictures(t.Context(), "kim", Pictures{
			Header: &File{Name: "b.png", Content: strings.NewReader("")},
			Avatar: &File{Name: "a.png", Content: strings.NewReader("12345")},
		}),
		"restart": c.Admin.Config.Restart(t.Context()),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	focus := "0,0"
	for _, err := range []error{
		second(c.Media.Upload(t.Context(), File{Name: "a.txt", Content: strings.NewReader("12")}, api.MediaForm{Focus: &focus})),
		second(c.Do(t.Context(), Request{Method: "POST", Path: "/f?token=t&x=1", Body: url.Values{"password": {"p"}, "a": {"b"}}}, nil)),
		second(c.Do(t.Context(), Request{Method: "POST", Path: "/g", Body: map[string]string{"password": Generated}}, nil)),
		second(c.Do(t.Context(), Request{Method: "POST", Path: "/h", Body: []byte("no json")}, nil)),
		second(c.Do(t.Context(), Request{Method: "GET", Path: "/read"}, nil)),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	var refused *RefusedError
	if _, err := c.Do(t.Context(), Request{Method: "GET", Path: "/trap"}, nil); !errors.As(err, &refused) {
		t.Errorf("a read that leads to a restart: %v", err)
	}
	const multi = `"type":"multipart/form-data; boundary=(generated)"`
	want := []string{
		`{"method":"PATCH","path":"/base/api/svc/admin/users/kim/credentials","body":{"password":"***"}}`,
		`{"method":"PATCH","path":"/base/api/svc/admin/users/kim/credentials",` + multi + `,"body":[` +
			`{"name":"avatar","file":"a.png","size":5},{"name":"banner","file":"b.png","size":0}]}`,
		`{"method":"GET","path":"/base/api/svc/admin/restart"}`,
		`{"method":"POST","path":"/base/api/v1/media",` + multi + `,"body":[{"name":"focus","value":"0,0"},{"name":"file","file":"a.txt","size":2}]}`,
		`{"method":"POST","path":"/base/f?token=%2A%2A%2A\u0026x=1","type":"application/x-www-form-urlencoded","body":"a=b\u0026password=%2A%2A%2A"}`,
		`{"method":"POST","path":"/base/g","body":{"password":"(generated)"}}`,
		`{"method":"POST","path":"/base/h","type":"application/json","body":"(7 bytes of application/json)"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("previews (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"GET /base/read", "GET /base/trap"}, p.seen()); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
}

func second[T any](_ T, err error) error { return err }

// TestARefusedUploadNamesItsFiles sends a form with files, which is a stream and
// cannot be read twice, through a read-only client.
func TestARefusedUploadNamesItsFiles(t *testing.T) {
	c, _ := dial(t, "https://example.org", WithReadOnly())
	_, err := c.Admin.Documents.Set(t.Context(), InstancePanel, File{Name: "p.html", Content: strings.NewReader("hello")})
	var refused *RefusedError
	if !errors.As(err, &refused) || string(refused.Body) != `[{"name":"file","file":"p.html","size":5}]` {
		t.Errorf("got %v", err)
	}
}
