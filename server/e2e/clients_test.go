package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client/api"
	"svc/server/servertest"
)

// python is the interpreter that Debian's packages belong to.
const python = "/usr/bin/python3"

// without ends a test that needs a program which is not there, unless
// SVC_TEST_CLIENTS says that it must be.
func without(t *testing.T, what string, err error) {
	t.Helper()
	if os.Getenv("SVC_TEST_CLIENTS") == "required" {
		t.Fatalf("%s is needed: %v", what, err)
	}
	t.Skipf("%s is not installed: %v", what, err)
}

// TestMastodonPyFindsEverythingAsExpected runs each endpoint through a client
// that is strict about types, and checks the effects from inside.
func TestMastodonPyFindsEverythingAsExpected(t *testing.T) {
	t.Parallel()
	if out, err := exec.Command(python, "-c", "import mastodon").CombinedOutput(); err != nil {
		without(t, "python3-mastodon", errorOf(err, out))
	}
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		s.User("alice")
		s.User("bob")
		in, err := json.Marshal(map[string]string{"base": s.URL, "alice": "alice", "bob": "bob", "password": servertest.Password})
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), python, "testdata/walker.py")
		cmd.Stdin = bytes.NewReader(in)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v\n%s", err, stderr.Bytes())
		}
		var did struct{ First, Report, Evidence, Answer string }
		if err := json.Unmarshal(stdout.Bytes(), &did); err != nil {
			t.Fatal(err)
		}
		list, err := s.Admin("root").Admin.Reports.List(api.ReportQuery{State: api.ReportOpen}).Page(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if list.Total != 1 {
			t.Fatalf("%d open reports", list.Total)
		}
		r := list.Items[0]
		got := []string{r.ID, *r.Content, r.Account.Acct, r.Actor.Acct}
		for _, status := range r.Statuses {
			got = append(got, status.ID)
		}
		want := []string{did.Report, "sells watches", "bob", "alice", did.Evidence, did.Answer}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// TestMastodonPyEditsStatuses edits a status through a client that is strict about types.
func TestMastodonPyEditsStatuses(t *testing.T) {
	t.Parallel()
	if out, err := exec.Command(python, "-c", "import mastodon").CombinedOutput(); err != nil {
		without(t, "python3-mastodon", errorOf(err, out))
	}
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		in, err := json.Marshal(map[string]string{
			"base": s.URL, "alice": s.Token("alice", servertest.AllScopes), "bob": s.Token("bob", servertest.AllScopes),
		})
		must(t, err)
		cmd := exec.CommandContext(t.Context(), python, "testdata/edits.py")
		cmd.Stdin = bytes.NewReader(in)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

func errorOf(err error, out []byte) error {
	if len(out) == 0 {
		return err
	}
	return &exec.Error{Name: strings.TrimSpace(string(out)), Err: err}
}

// toot runs Debian's command line client in a home of its own.
type toot struct {
	t      *testing.T
	config string
}

func newToot(t *testing.T) *toot { return &toot{t, t.TempDir()} }

func (c *toot) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(c.t.Context(), "toot", args...)
	cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+c.config, "HOME="+c.config, "PYTHONUNBUFFERED=1", "PYTHONIOENCODING=utf-8", "COLUMNS=100", "NO_COLOR=1")
	return cmd
}

func (c *toot) run(args ...string) string {
	c.t.Helper()
	out, err := c.command(args...).CombinedOutput()
	if err != nil {
		c.t.Fatalf("toot %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// says runs toot and wants each of words in its output.
func (c *toot) says(args []string, words ...string) string {
	c.t.Helper()
	out := c.run(args...)
	for _, w := range words {
		if !strings.Contains(out, w) {
			c.t.Errorf("toot %s does not say %q:\n%s", strings.Join(args, " "), w, out)
		}
	}
	return out
}

// logIn goes through "toot login" as a person does: follow the link, sign in,
// paste the code.
func (c *toot) logIn(s *servertest.Server, nickname string) {
	c.t.Helper()
	cmd := c.command("login", "--disable-https", "--instance", strings.TrimPrefix(s.URL, "http://"))
	stdin, err := cmd.StdinPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	defer time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() }).Stop()
	said := readUntil(stdout, "[Y/n]")
	link := regexp.MustCompile(`http://\S+/oauth/authorize/?\?\S+`).FindString(said)
	if link == "" {
		_ = cmd.Process.Kill()
		c.t.Fatalf("toot login shows no link:\n%s%s", said, &stderr)
	}
	_, _ = io.WriteString(stdin, "n\n")
	_, _ = io.WriteString(stdin, codeFrom(c.t, link, nickname)+"\n")
	_ = stdin.Close()
	rest, _ := io.ReadAll(stdout)
	if err := cmd.Wait(); err != nil || !strings.Contains(string(rest), "Successfully logged in") {
		c.t.Fatalf("toot login: %v\n%s%s%s", err, said, rest, &stderr)
	}
}

func readUntil(r io.Reader, words string) string {
	var said strings.Builder
	one := make([]byte, 1)
	for !strings.HasSuffix(said.String(), words) {
		if _, err := r.Read(one); err != nil {
			break
		}
		said.WriteByte(one[0])
	}
	return said.String()
}

var (
	hidden    = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)">`)
	checkbox  = regexp.MustCompile(`<input type="checkbox" id="[^"]*" name="([^"]+)" value="([^"]*)" checked>`)
	shownCode = regexp.MustCompile(`Token code is <code[^>]*>([^<]+)</code>`)
)

// codeFrom signs nickname in on the page behind link and returns the code that
// is shown in the end.
func codeFrom(t *testing.T, link, nickname string) string {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, Timeout: 10 * time.Second}
	page := fetch(t, browser, http.MethodGet, link, nil)
	page, _, _ = strings.Cut(page, "</form>")
	form := url.Values{"authorization[name]": {nickname}, "authorization[password]": {servertest.Password}}
	for _, field := range append(hidden.FindAllStringSubmatch(page, -1), checkbox.FindAllStringSubmatch(page, -1)...) {
		form.Add(unescape(field[1]), unescape(field[2]))
	}
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	answer := fetch(t, browser, http.MethodPost, u.Scheme+"://"+u.Host+"/oauth/authorize", form)
	code := shownCode.FindStringSubmatch(answer)
	if code == nil {
		t.Fatalf("no code is shown:\n%s", answer)
	}
	return code[1]
}

func unescape(s string) string {
	return strings.NewReplacer("&#34;", `"`, "&#39;", "'", "&lt;", "<", "&gt;", ">", "&#43;", "+", "&amp;", "&").Replace(s)
}

func fetch(t *testing.T, browser *http.Client, method, target string, form url.Values) string {
	t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	req, err := http.NewRequestWithContext(t.Context(), method, target, body)
	if err != nil {
		t.Fatal(err)
	}
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", req.URL.Scheme+"://"+req.URL.Host)
		req.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	resp, err := browser.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %d %v\n%s", method, target, resp.StatusCode, err, raw)
	}
	return string(raw)
}

// TestTootIsAtHomeHere uses Debian's command line client for a while.
func TestTootIsAtHomeHere(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("toot"); err != nil {
		without(t, "toot", err)
	}
	s := servertest.Start(t)
	s.User("alice")
	s.User("bob")
	host := strings.TrimPrefix(s.URL, "http://")
	alice, bob := newToot(t), newToot(t)
	alice.logIn(s, "alice")
	cmd := bob.command("login_cli", "--disable-https", "--instance", host, "--email", "bob@example.org")
	cmd.Stdin = strings.NewReader(servertest.Password)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "Successfully logged in") {
		t.Fatalf("toot login_cli: %v\n%s", err, out)
	}

	alice.says([]string{"auth"}, "alice@"+host)
	alice.says([]string{"whoami"}, "@alice")
	alice.says([]string{"instance", host, "--disable-https"}, "2.7.2 (compatible; ")
	link := regexp.MustCompile(`http://\S+/([0-9A-Za-z]{18})`)
	post := link.FindStringSubmatch(alice.says([]string{"post", "Hello from a terminal, @bob #toot"}, "posted"))
	if post == nil {
		t.Fatal("toot post names no status")
	}
	id := post[1]
	bob.says([]string{"post", "--reply-to", id, "--visibility", "unlisted", "--spoiler-text", "an answer", "Hi @alice"}, "posted")
	bob.says([]string{"post", "--sensitive", "--language", "en", "second thoughts"}, "posted")

	alice.says([]string{"timeline", "--once"}, "Hello from a terminal", "Hi @alice")
	bob.says([]string{"timeline", "--once", "--public"}, "Hello from a terminal", "second thoughts")
	bob.says([]string{"timeline", "--once", "--public", "--local", "--count", "1"}, "second thoughts")
	alice.says([]string{"thread", id}, "Hello from a terminal", "Hi @alice")

	// People.
	alice.says([]string{"whois", "bob"}, "@bob")
	alice.says([]string{"search", "bob"}, "@bob")
	alice.says([]string{"search", "toot"}, "#toot")
	alice.says([]string{"follow", "bob"}, "You are now following bob")
	alice.says([]string{"following", "alice"}, "@bob")
	alice.says([]string{"followers", "bob"}, "@alice")
	alice.says([]string{"unfollow", "bob"}, "no longer following bob")
	alice.says([]string{"mute", "bob"}, "You have muted bob")
	alice.says([]string{"unmute", "bob"}, "bob is no longer muted")
	alice.says([]string{"block", "bob"}, "You are now blocking bob")
	alice.says([]string{"unblock", "bob"}, "bob is no longer blocked")

	// Hashtags.
	alice.says([]string{"tags_follow", "#Caturday"}, "You are now following #Caturday")
	alice.says([]string{"tags_followed"}, "#caturday", s.URL+"/tag/caturday")
	bob.says([]string{"post", "A cat #caturday"}, "posted")
	alice.says([]string{"timeline", "--once"}, "A cat")
	alice.says([]string{"tags_unfollow", "Caturday"}, "no longer following #Caturday")
	alice.says([]string{"tags_followed"}, "not following any hashtags")

	// Files, and posts for later.
	dot := dotFile(t)
	alice.says([]string{"upload", dot}, s.URL+"/media/")
	alice.says([]string{"post", "--media", dot, "--description", "a dot", "With a picture #dot"}, "posted")
	alice.says([]string{"post", "--scheduled-in", "1 day", "Tomorrow"}, "scheduled")
	bob.says([]string{"timeline", "--once", "--tag", "dot"}, "With a picture", "/media/")
	bob.says([]string{"bookmark", id}, "Status bookmarked")
	bob.says([]string{"bookmarks", "--once"}, "Hello from a terminal")
	bob.says([]string{"unbookmark", id}, "Status unbookmarked")
	alice.says([]string{"pin", id}, "Status pinned")
	alice.says([]string{"unpin", id}, "Status unpinned")

	bob.says([]string{"favourite", id}, "Status favourited")
	bob.says([]string{"reblog", id}, "Status reblogged")
	alice.says([]string{"reblogged_by", id}, "@bob")
	alice.says([]string{"notifications"}, "bob", "favourited", "reblogged", "mentioned")
	bob.says([]string{"unreblog", id}, "Status unreblogged")
	bob.says([]string{"unfavourite", id}, "Status unfavourited")
	alice.says([]string{"notifications", "--clear"}, "Cleared notifications")
	alice.says([]string{"delete", id}, "Status deleted")

	posts, err := s.Client("bob").Accounts.Statuses(s.User("alice").ID, api.AccountStatusQuery{}).Page(t.Context())
	if err != nil || len(posts.Items) != 1 {
		t.Errorf("alice has %d posts left, %v", len(posts.Items), err)
	}
	alice.says([]string{"logout", "alice@" + host}, "logged out")
}
