package commands

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/net/html"

	"svc/client/api"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/servertest"
)

// TestMain lets scripts run a person in a browser as browse. As svcctl they run
// the program as people get it.
func TestMain(m *testing.M) {
	testscript.Main(servertest.Main{M: m}, map[string]func(){"browse": browse})
}

// otherNames are the scripts that run under another name of the service too: those with most
// of the words that it changes.
var otherNames = []string{"auth", "doctor", "hosts", "instance", "people", "relays", "reports", "settings", "statuses", "undo", "users"}

// TestScripts runs each script against a service of its own, on SQLite, since the
// program knows the server by HTTP alone. There are two admins, mika and tess, the
// reporters ana and tom, and posts of spam1 and juno. $READER is a token of mika's
// that may only read.
// $R1 to $R4 are open reports, oldest first; $S1 to $S3 statuses; $EVIL is text
// that attacks terminals.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "script", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("scripts: %d found, %v", len(files), err)
	}
	programs := servertest.Programs(t)
	for _, file := range files {
		script := strings.TrimSuffix(filepath.Base(file), ".txtar")
		names := []string{"svc"}
		if slices.Contains(otherNames, script) {
			names = append(names, "pleroma")
		}
		for _, name := range names {
			t.Run(script+" of "+name, func(t *testing.T) {
				t.Parallel()
				s := servertest.Booted(t, dbtest.Ready(t), func(c *config.Config) { c.Name = name })
				vars := fill(t, s)
				testscript.RunT(inTurn{t}, testscript.Params{
					Files: []string{file},
					Setup: func(env *testscript.Env) error {
						env.Vars = append(env.Vars, vars...)
						env.Setenv("PATH", programs+string(filepath.ListSeparator)+env.Getenv("PATH"))
						env.Vars = append(env.Vars,
							"HOME="+env.WorkDir, "XDG_CONFIG_HOME="+env.WorkDir+"/config", "XDG_CACHE_HOME="+env.WorkDir+"/cache",
							"XDG_STATE_HOME="+env.WorkDir+"/state", "SVCCTL_NO_KEYRING=1", "TERM=xterm-256color")
						return nil
					},
				})
			})
		}
	}
}

// inTurn runs a script where the call stands. testscript would let it wait until
// the services of all other scripts run as well.
type inTurn struct{ *testing.T }

func (inTurn) Parallel()     {}
func (inTurn) Verbose() bool { return testing.Verbose() }

func (t inTurn) Run(name string, f func(testscript.T)) {
	t.T.Run(name, func(t *testing.T) { f(inTurn{t}) })
}

// fill makes the people, statuses and reports of a script, and returns their names
// in it.
func fill(t *testing.T, s *servertest.Server) []string {
	t.Helper()
	ctx := t.Context()
	mika := s.Token("mika", servertest.AdminScopes)
	tess := s.Token("tess", servertest.AdminScopes)
	vars := []string{
		"URL=" + s.URL, "PASSWORD=" + servertest.Password, "MIKA=" + mika, "TESS=" + tess, "READER=" + s.Token("mika", "read admin:read"),
		"EVIL=\u202eevil\u009b2J", "SVCCTL_URL=" + s.URL, "SVCCTL_TOKEN=" + mika,
	}
	spam, juno := s.User("spam1"), s.User("juno")
	post := func(who, text string) string {
		t.Helper()
		status, err := s.Client(who).Statuses.Post(ctx, api.NewStatus{Status: text})
		if err != nil {
			t.Fatal(err)
		}
		return status.ID
	}
	statuses := []string{
		post("spam1", "Win big today"), post("spam1", "Win bigger tomorrow"), post("juno", "good morning"),
	}
	for i, id := range statuses {
		vars = append(vars, fmt.Sprintf("S%d=%s", i+1, id))
	}
	report := func(who string, about string, comment string, ids ...string) string {
		t.Helper()
		r, err := s.Client(who).Reports.Create(ctx, api.NewReport{AccountID: about, StatusIDs: ids, Comment: comment})
		if err != nil {
			t.Fatal(err)
		}
		return r.ID
	}
	reports := []string{
		report("ana", spam.ID, "crypto, same link in every reply", statuses[0]),
		report("tom", spam.ID, "scam", statuses[0], statuses[1]),
		report("tom", juno.ID, "wrong opinions", statuses[2]),
		report("juno", spam.ID, "=cmd|' /C calc'!A0"),
	}
	for i, id := range reports {
		vars = append(vars, fmt.Sprintf("R%d=%s", i+1, id))
	}
	return vars
}

// browse is a person with a browser: it opens the page in its last argument,
// logs in as $BROWSE_USER, approves, and follows where that leads. A code that
// is shown is written to $BROWSE_CODE.
func browse() {
	if err := browsePage(context.Background(), os.Args[len(os.Args)-1]); err != nil {
		fmt.Fprintln(os.Stderr, "browse:", err)
		os.Exit(1)
	}
}

func browsePage(ctx context.Context, page string) error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	browser := &http.Client{Jar: jar}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return err
	}
	for range 4 {
		resp, err := browser.Do(req)
		if err != nil {
			return err
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			return err
		}
		action, form := readForm(string(body))
		if form == nil {
			if resp.StatusCode != http.StatusOK {
				return fmt.Errorf("%s: %s\n%s", resp.Request.URL, resp.Status, body)
			}
			return keepCode(string(body))
		}
		target, err := resp.Request.URL.Parse(action)
		if err != nil {
			return err
		}
		if req, err = http.NewRequestWithContext(ctx, http.MethodPost, target.String(), strings.NewReader(form.Encode())); err != nil {
			return err
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", target.Scheme+"://"+target.Host)
	}
	return fmt.Errorf("still asked after four forms")
}

// keepCode finds the out-of-band code, the longest word without blanks that
// looks like one.
func keepCode(page string) error {
	path := os.Getenv("BROWSE_CODE")
	if path == "" {
		return nil
	}
	code := ""
	tokens := html.NewTokenizer(strings.NewReader(page))
	for tokens.Next() != html.ErrorToken {
		if token := tokens.Token(); token.Type == html.TextToken {
			for _, word := range strings.Fields(token.Data) {
				if len(word) == 43 {
					code = word
				}
			}
		}
	}
	if code == "" {
		return fmt.Errorf("no code in %s", page)
	}
	return os.WriteFile(path, []byte(code+"\n"), 0o600)
}

// readForm fills in the first form of a page that posts; nil when there is none.
func readForm(page string) (action string, form url.Values) {
	tokens := html.NewTokenizer(strings.NewReader(page))
	pressed := false
	for tokens.Next() != html.ErrorToken {
		token := tokens.Token()
		attr := map[string]string{}
		for _, a := range token.Attr {
			attr[a.Key] = a.Val
		}
		switch {
		case token.Type == html.EndTagToken && token.Data == "form" && form != nil:
			return action, form
		case token.Type != html.StartTagToken && token.Type != html.SelfClosingTagToken:
		case token.Data == "form" && strings.EqualFold(attr["method"], "post"):
			action, form = attr["action"], url.Values{}
		case form == nil:
		case token.Data == "button":
			if !pressed && attr["name"] != "" {
				form.Add(attr["name"], attr["value"])
			}
			pressed = true // the first button sends the form
		case attr["name"] == "":
		case token.Data != "input":
		case attr["type"] == "checkbox":
			form.Add(attr["name"], attr["value"])
		case attr["type"] == "password":
			form.Set(attr["name"], os.Getenv("PASSWORD"))
		case attr["type"] == "hidden":
			form.Add(attr["name"], attr["value"])
		case attr["type"] == "submit":
			if !pressed {
				form.Add(attr["name"], attr["value"])
				pressed = true
			}
		default:
			form.Set(attr["name"], os.Getenv("BROWSE_USER"))
		}
	}
	return "", nil
}
