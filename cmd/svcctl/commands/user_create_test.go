package commands

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"svc/client/api"
	"svc/cmd/svcctl/cli"
	"svc/server/servertest"
)

// TestAGeneratedPasswordIsShownBeforeTheRequest has a server that makes the user and
// then cuts the line.
func TestAGeneratedPasswordIsShownBeforeTheRequest(t *testing.T) {
	for _, flags := range []string{"", " -o json", " --jq ."} {
		var shown servertest.Log         // standard error, read while the program runs
		requests := make(chan string, 9) // the password of each
		_, url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodPost {
				always(404, `{"error":"Not found"}`)(w, r)
				return
			}
			var form api.NewUsers
			if err := json.NewDecoder(r.Body).Decode(&form); err != nil || len(form.Users) != 1 {
				t.Errorf("%v: %+v", err, form)
				return
			}
			if !strings.Contains(shown.String(), form.Users[0].Password) {
				t.Errorf("%s: the request is sent, and standard error has %q", flags, &shown)
			}
			requests <- form.Users[0].Password
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			conn.Close()
		})
		c := newCLI(t, url, "")
		c.ErrOut = &shown
		if code := Run(c.App, strings.Fields("user create joe --email joe@example.org --generate"+flags)); code != cli.ExitNetwork {
			t.Fatalf("%s: exit %d: %s", flags, code, &shown)
		}
		if len(requests) == 0 {
			t.Fatalf("%s: nothing is sent", flags)
		}
		sent := <-requests
		if !strings.Contains(c.stdout.String(), sent) {
			t.Errorf("%s: %q of an unknown fate is not among the results:\n%s", flags, sent, &c.stdout)
		}
		if flags != "" {
			line, _, _ := strings.Cut(shown.String(), "\n")
			var user struct{ Target, Password string }
			if err := json.Unmarshal([]byte(line), &user); err != nil || user.Target != "user/joe" || user.Password != sent {
				t.Errorf("%s: %v in %s", flags, err, line)
			}
		}
	}
}

// TestAPasswordThatCannotBeShownIsNotUsed closes standard error.
func TestAPasswordThatCannotBeShownIsNotUsed(t *testing.T) {
	f, url := serve(t, always(200, `[]`))
	c := newCLI(t, url, "")
	c.ErrOut = brokenPipe{}
	if code := Run(c.App, strings.Fields("user create joe --email joe@example.org --generate")); code == 0 || len(f.writes()) > 0 {
		t.Errorf("exit %d, sent %q", code, f.writes())
	}
}
