package commands

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/api"
	"svc/cmd/svcctl/cli/output"
	"svc/server/servertest"
)

// recorder stands between the program and a server and keeps the writes.
type recorder struct {
	proxy  *httputil.ReverseProxy
	mu     sync.Mutex
	calls  []string // every request, reads too
	writes []client.Preview
}

func record(t *testing.T, s *servertest.Server) (*recorder, string) {
	t.Helper()
	target, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{proxy: &httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) {
		p.SetURL(target)
	}}}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	return r, server.URL
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	r.mu.Lock()
	r.calls = append(r.calls, req.Method+" "+req.URL.Path)
	r.mu.Unlock()
	if !methodIsRead(req.Method, req.URL.Path) {
		write := client.Preview{Method: req.Method, Path: req.URL.RequestURI(), Body: body}
		kind, params, err := mime.ParseMediaType(req.Header.Get("Content-Type"))
		if err == nil && kind != "application/json" {
			write.Type = kind + "; boundary=(generated)"
			write.Body = partsOf(body, params["boundary"])
		}
		r.mu.Lock()
		r.writes = append(r.writes, write)
		r.mu.Unlock()
	}
	r.proxy.ServeHTTP(w, req)
}

// take returns the writes since it was last called.
func (r *recorder) take() []client.Preview {
	r.mu.Lock()
	defer r.mu.Unlock()
	writes := r.writes
	r.writes = nil
	return writes
}

// partsOf reads a form with files as a preview shows one.
func partsOf(body []byte, boundary string) []byte {
	var parts []any
	form := multipart.NewReader(bytes.NewReader(body), boundary)
	for {
		p, err := form.NextPart()
		if err != nil {
			return output.JSON(parts)
		}
		data, err := io.ReadAll(p)
		if err != nil {
			return output.JSON(err.Error())
		}
		if p.FileName() == "" {
			parts = append(parts, map[string]any{"name": p.FormName(), "value": string(data)})
			continue
		}
		parts = append(parts, map[string]any{"name": p.FormName(), "file": p.FileName(), "size": len(data)})
	}
}

// hidden replaces the secrets in a request by the marks that a preview shows.
func hidden(shown, sent any) any {
	switch s := sent.(type) {
	case string:
		if (shown == "***" || shown == client.Generated) && s != "" && s != shown {
			return shown
		}
	case []any:
		list, _ := shown.([]any)
		for i := range min(len(s), len(list)) {
			s[i] = hidden(list[i], s[i])
		}
	case map[string]any:
		object, _ := shown.(map[string]any)
		for name := range s {
			s[name] = hidden(object[name], s[name])
		}
	}
	return sent
}

// TestADryRunShowsWhatIsSent runs every command that writes twice, with
// --dry-run and without: the first sends no write, and shows those that the
// second sends.
func TestADryRunShowsWhatIsSent(t *testing.T) {
	s, vars := adminWorld(t)
	recorded, address := record(t, s)
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"PICTURE": picture.String(),
		"USERS": `{"nickname":"gus","email":"gus@example.org"}` + "\n" +
			`{"nickname":"hal","email":"hal@example.org","password":"correct horse battery"}`,
		"SETTINGS": ":svc:\n  :instance:\n    :limit: 4000\n    :name: Recorded\n",
		"LIST":     "domain\none.example\ntwo.example\n",
		"BODY":     `{"nicknames":["juno"],"tags":["of a file"]}`,
	} {
		vars["$"+name] = filepath.Join(dir, strings.ToLower(name))
		if err := os.WriteFile(vars["$"+name], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	vars["$STATE"] = filepath.Join(dir, "state")
	vars["$AVATAR"] = "avatar=@" + vars["$PICTURE"]
	lines := []string{
		"report close $R2 --note why", "report reopen $R2", "report act $R3 --playbook dogpile --yes", "report resolve $R3 $R4 --yes", "status set $S3 --visibility unlisted --sensitive",
		"user tag add tom ana --tag a,b --yes", "user role add moderator tess", "user role remove moderator tess",
		"user credentials set zoe locked=true $AVATAR", "user create --file $USERS --generate --yes",
		"config set svc instance federation_reachability_timeout_days 5", "config apply $SETTINGS --yes",
		"config add svc mrf_simple reject evil.example", "config remove svc mrf_simple reject evil.example",
		"config unset svc instance limit --yes --max 1",
		"instance import $LIST --yes --idle", "instance block three.example --reject --enable-policy", "instance unblock three.example", "config set svc Svc.Emails.Mailer password -",
		"api PUT users/tag --input $BODY", "api DELETE users/tag?x=1 -f nicknames[]=juno -f tags[]=x --no-check", "api GET users/tom/password_reset",
	}
	var harmless []string
	for _, r := range adminRoutes(s) {
		if reads(r) {
			harmless = append(harmless, example(r))
		} else {
			lines = append(lines, example(r))
		}
	}
	lines = append(lines, "config set svc instance limit 4100", "config edit svc instance --yes", "undo --last --yes",
		"config set svc instance limit 4300", "config rollback $CHANGE", "message send tom --text Hello --yes", "emoji enable cat")
	harmless = append(harmless, "emoji pack export beasts")
	lines = append(lines, "user create leo --email leo@example.org --generate", "user delete leo --legacy --yes --max 1")
	for _, line := range lines {
		if strings.Contains(line, "$CHANGE") {
			past, err := s.Admin("mika").Admin.Config.History(api.ConfigHistoryQuery{Limit: 1}).Page(t.Context())
			if err != nil || len(past.Items) == 0 {
				t.Fatalf("%v, %d changes of settings", err, len(past.Items))
			}
			vars["$CHANGE"] = strconv.FormatInt(past.Items[0].ID, 10)
		}
		shown := dryRun(t, address, vars, line)
		if sent := recorded.take(); len(sent) > 0 {
			t.Errorf("svcctl %s --dry-run: sent %s", line, output.JSON(sent))
		}
		c := recordedCLI(t, address, vars)
		if code := Run(c.App, append(fieldsOf(vars, line), "--debug")); code != 0 {
			t.Errorf("svcctl %s: exit %d: %s", line, code, &c.stderr)
		}
		made(vars, c.stderr.String())
		var want, got []any
		for i, r := range recorded.take() {
			var sent, seen any
			if len(r.Body) == 0 {
				r.Body = nil
			}
			if err := json.Unmarshal(output.JSON(r), &sent); err != nil {
				t.Fatalf("svcctl %s: %v", line, err)
			}
			if i < len(shown) {
				seen = shown[i]
			}
			want = append(want, hidden(seen, sent))
		}
		for _, r := range shown {
			got = append(got, r)
		}
		if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 {
			t.Errorf("svcctl %s: sent, and shown by --dry-run (-sent +shown):\n%s", line, diff)
		}
	}
	inEveryCommand(t, append(harmless, lines...))
}

func recordedCLI(t *testing.T, address string, vars map[string]string) *program {
	t.Helper()
	c := newCLI(t, address, "geheim\n")
	c.env["SVCCTL_TOKEN"] = vars["$MIKA"]
	c.env["XDG_STATE_HOME"] = vars["$STATE"] // where undo finds what was done before
	c.env["EDITOR"] = "sed -i s/4100/4200/"
	return c
}

func fieldsOf(vars map[string]string, line string) []string {
	args := strings.Fields(line)
	for i, arg := range args {
		if value, ok := vars[arg]; ok {
			args[i] = value
		}
	}
	return args
}

// dryRun returns the requests that a command line shows.
func dryRun(t *testing.T, address string, vars map[string]string, line string) []any {
	t.Helper()
	c := recordedCLI(t, address, vars)
	if code := Run(c.App, append(fieldsOf(vars, line), "--dry-run", "-o", "json")); code != 0 {
		t.Errorf("svcctl %s --dry-run: exit %d: %s", line, code, &c.stderr)
	}
	if strings.Contains(c.stdout.String(), "geheim") {
		t.Errorf("svcctl %s --dry-run shows a secret: %s", line, &c.stdout)
	}
	var shown []any
	if err := json.Unmarshal(c.stdout.Bytes(), &shown); err != nil {
		t.Errorf("svcctl %s --dry-run: %v", line, err)
	}
	return shown
}

// untried are the commands that send no write and call no route of their own, and
// those that log in or out.
var untried = []string{
	"report wait", "user pending", "journal", "instance show", "instance restrictions", "instance export", "account get", "config diff", "config plan", "config export",
	"digest", "doctor", "schema", "tui", "auth login", "auth status", "auth refresh", "auth logout", "auth token",
	"context list", "context use", "context add", "context remove", "alias list", "alias set", "alias delete",
	"completion", "man", "version",
}

// inEveryCommand checks that each command is among lines.
func inEveryCommand(t *testing.T, lines []string) {
	t.Helper()
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
		name := strings.TrimPrefix(cmd.CommandPath(), "svcctl ")
		in := func(line string) bool { return strings.HasPrefix(line+" ", name+" ") }
		if !cmd.HasSubCommands() && cmd.Name() != "help" && !slices.Contains(untried, name) && !slices.ContainsFunc(lines, in) {
			t.Errorf("svcctl %s is not tried", name)
		}
	}
	walk(newRoot(newCLI(t, "", "").App))
}

// TestClosingWithANoteTakesThreeRequests counts them at the server: the report is
// read once, closed, and noted.
func TestClosingWithANoteTakesThreeRequests(t *testing.T) {
	s, vars := adminWorld(t)
	recorded, address := record(t, s)
	c := recordedCLI(t, address, vars)
	if code := Run(c.App, fieldsOf(vars, "report close $R2 --note why")); code != 0 {
		t.Fatalf("exit %d: %s", code, &c.stderr)
	}
	report := "/api/svc/admin/reports/" + vars["$R2"]
	want := []string{"GET " + report, "PATCH /api/svc/admin/reports", "POST " + report + "/notes"}
	if diff := cmp.Diff(want, recorded.calls); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}
