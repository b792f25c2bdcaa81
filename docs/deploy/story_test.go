package deploy

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"

	"svc/client"
	"svc/client/api"
	"svc/db/dbtest"
	"svc/server/servertest"
	"svc/server/servertest/proxies"
)

// TestTheStoryOfAnInstance types the commands of the operators' pages, from the package to
// its purge: account, proxies, a post with a large picture, an upgrade, a backup that is
// restored elsewhere, and moves to PostgreSQL and back. SVC_TEST_RELEASE is a folder with a
// release, SVC_TEST_RELEASE_BEFORE one with an older version.
func TestTheStoryOfAnInstance(t *testing.T) {
	older, newer := os.Getenv("SVC_TEST_RELEASE_BEFORE"), os.Getenv("SVC_TEST_RELEASE")
	if older == "" || newer == "" {
		t.Skip("SVC_TEST_RELEASE and SVC_TEST_RELEASE_BEFORE name no releases")
	}
	m := newMachine(t)
	s := &story{machine: m, t: t, back: free(t), data: filepath.Join(m.root, "var/lib/svc")}
	s.open(m.root)

	s.readme(newer)

	// docs/install.md
	s.types(older, "install.md", "sha256sum --check")
	m.dpkg("--install", packageIn(t, older))
	must(t, chown(filepath.Join(m.root, "etc/svc/svcd.yaml"), s.data))
	s.types("", "install.md", "cat >>/etc/svc/svcd.yaml")
	s.append("listen: " + s.back + "\n")
	s.start()
	before := s.version()
	s.password = find(t, `^(\S+)$`, s.types("", "install.md", "svcd user create ann"))
	s.logIn()
	picture := servertest.Picture5MB(t)
	sites := s.proxies()
	for _, site := range sites {
		s.talks(site, picture)
	}
	posts := s.posts()

	// docs/upgrading.md and docs/backup.md
	backups := filepath.Join(m.root, "backup")
	must(t, os.Mkdir(backups, 0o700))
	must(t, chown(backups))
	s.types("", "backup.md", "svcd backup /backup/svc\n")
	s.stop()
	m.dpkg("--install", packageIn(t, newer))
	s.start()
	if after := s.version(); after == before {
		t.Errorf("the version after the upgrade is %s still", after)
	}
	s.same("the upgrade", posts, picture)
	s.talks(sites[0], picture)
	posts = s.posts()
	s.types("", "backup.md", "svcd backup /backup/svc\n")
	s.types("", "backup.md", "svcd backup list /backup/svc\nsvcd backup verify /backup/svc")
	s.stop()

	here := s.data
	s.data = filepath.Join(m.root, "var/lib/elsewhere")
	must(t, os.Mkdir(s.data, 0o700))
	must(t, chown(s.data))
	s.types("", "backup.md", "svcd restore /backup/svc")
	s.start()
	s.same("the restoration elsewhere", posts, picture)
	s.stop()
	s.data = here

	// docs/moving.md
	if there := dbtest.Postgres(t); there != "" {
		s.moves("svcd move --to postgres://svc@db.example/svc", "postgres://svc@db.example/svc", there)
		s.same("the move to PostgreSQL", posts, picture)
		s.talks(sites[1], picture)
		posts = s.posts()
		s.stop()
		s.moves("svcd move --to sqlite:/var/lib/svc/svc.db", "sqlite:/var/lib/svc/svc.db", "sqlite:/var/lib/svc/back.db")
		s.same("the move back", posts, picture)
		s.talks(sites[2], picture)
		s.stop()
	}
	s.run("", "svcd check")
	m.dpkg("--remove", "svc")
	m.there(true, "etc/svc/svcd.yaml", "var/lib/svc/uploads")
	m.there(false, "usr/bin/svcd")
	m.dpkg("--purge", "svc")
	m.there(false, "etc/svc", "var/lib/svc")
}

// readme types the commands of README.md, in a folder with the programs of a release in place
// of built ones.
func (s *story) readme(release string) {
	t := s.t
	t.Helper()
	archives, err := filepath.Glob(filepath.Join(release, "*-linux-amd64.tar.gz"))
	if err != nil || len(archives) != 1 {
		t.Fatalf("%d archives in %s", len(archives), release)
	}
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "bin"), 0o755))
	if out, err := exec.Command("tar", "-xzf", archives[0], "-C", filepath.Join(dir, "bin"), "--strip-components=1").CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	page := read(t, "../../README.md")
	// The demo, without its terminal UI.
	demo := exec.Command(filepath.Join(dir, "bin", "svcd"), strings.Fields(find(t, "^go run ./cmd/svcd (demo) ", page)+" --headless")...)
	demo.Dir = dir
	out, err := demo.StdoutPipe()
	must(t, err)
	must(t, demo.Start())
	said, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.Contains(said, "http://127.0.0.1:") {
		t.Errorf("the demo says %q, %v", said, err)
	}
	must(t, demo.Process.Signal(syscall.SIGTERM))
	_, _ = io.Copy(io.Discard, out)
	if err := demo.Wait(); err != nil {
		t.Errorf("the demo ends: %v", err)
	}
	// For real.
	if password, err := inShell(dir, find(t, "^(bin/svcd user create .*)$", page)).Output(); err != nil || len(strings.TrimSpace(string(password))) < 10 {
		t.Errorf("the password is %q, %v", password, err)
	}
	serve := inShell(dir, strings.Replace(find(t, "^(SVC_BASE_URL=.*bin/svcd) ", page), "bin/svcd", "SVC_LISTEN="+s.back+" SVC_DRAIN=0 exec bin/svcd", 1))
	must(t, serve.Start())
	defer func() {
		must(t, serve.Process.Signal(syscall.SIGTERM))
		must(t, serve.Wait())
	}()
	s.ready()
}

// inShell runs a text in a folder, as the user of the test.
func inShell(dir, text string) *exec.Cmd {
	cmd := exec.Command("sh", "-ec", text)
	cmd.Dir = dir
	return cmd
}

// packageIn is the Debian package of a release.
func packageIn(t *testing.T, release string) string {
	t.Helper()
	packages, err := filepath.Glob(filepath.Join(release, "*_amd64.deb"))
	if err != nil || len(packages) != 1 {
		t.Fatalf("%d packages for amd64 in %s", len(packages), release)
	}
	return packages[0]
}

// user is the number of the user that the service runs as, who has no name on this machine.
const user = 27361

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func chown(paths ...string) error {
	for _, path := range paths {
		if err := os.Chown(path, user, user); err != nil {
			return err
		}
	}
	return nil
}

func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	must(t, l.Close())
	return l.Addr().String()
}

// find is the first group of a pattern that matches a text.
func find(t *testing.T, pattern, text string) string {
	t.Helper()
	found := regexp.MustCompile("(?m)" + pattern).FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("%q is not in %q", pattern, text)
	}
	return strings.Join(found[1:], "")
}

// story is an instance on a machine.
type story struct {
	*machine
	t        *testing.T
	back     string // address of svcd
	data     string // its data folder
	password string
	token    string
	cmd      *exec.Cmd
	said     bytes.Buffer
}

// open lets the user of the service reach a folder below those of the test.
func (s *story) open(dir string) {
	for ; dir != "/" && dir != "."; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && info.Mode().Perm()&0o011 != 0o011 {
			must(s.t, os.Chmod(dir, info.Mode().Perm()|0o011))
		}
	}
}

// here has the paths of the pages in the folder of the machine.
func (s *story) here(text string) string {
	return strings.NewReplacer("/etc/svc/", s.root+"/etc/svc/", "/var/lib/svc", s.data, "/backup/svc", s.root+"/backup/svc", "apt install", ": apt install", "systemctl", ": systemctl",
		"runuser -u svc --", fmt.Sprintf("setpriv --reuid %d --regid %d --clear-groups --", user, user)).Replace(text)
}

// environment is that of the unit, once it is installed.
func (s *story) environment() []string {
	out := []string{"PATH=" + s.root + "/usr/bin:" + os.Getenv("PATH"), "HOME=" + s.data}
	path := filepath.Join(s.root, "usr/lib/systemd/system/svcd.service")
	if _, err := os.Stat(path); err != nil {
		return out
	}
	return append(out, strings.Fields(s.here(find(s.t, `^Environment=(.*)$`, read(s.t, path))))...)
}

// types runs the part of a page that has the words, or the words only where they are lines of
// it, in a folder, and returns what it says. Commands of svcd run as the service does.
func (s *story) types(dir, page, words string) string {
	s.t.Helper()
	text := ""
	for _, part := range regexp.MustCompile("(?s)```[a-z]*\n(.*?)```").FindAllStringSubmatch(read(s.t, filepath.Join("..", page)), -1) {
		if strings.Contains(part[1], words) {
			text = part[1]
			break
		}
	}
	if text == "" {
		s.t.Fatalf("docs/%s has no %q", page, words)
	}
	if strings.HasPrefix(words, "svcd ") && !strings.Contains(words, "user create") {
		text = words
	}
	return s.run(dir, text)
}

// run runs a text as a script.
func (s *story) run(dir, text string) string {
	s.t.Helper()
	cmd := exec.Command("sh", "-ec", s.here(text))
	cmd.Dir, cmd.Env = dir, s.environment()
	if strings.HasPrefix(text, "svcd ") {
		cmd.Dir = s.root
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("%s: %v\n%s", text, err, out)
	}
	return string(out)
}

// append adds lines to the settings file.
func (s *story) append(lines string) {
	s.t.Helper()
	path := filepath.Join(s.root, "etc/svc/svcd.yaml")
	must(s.t, os.WriteFile(path, []byte(read(s.t, path)+lines), 0o640))
}

// start runs the command line of the unit, as its user.
func (s *story) start() {
	s.t.Helper()
	unit := read(s.t, filepath.Join(s.root, "usr/lib/systemd/system/svcd.service"))
	args := strings.Fields(find(s.t, `^ExecStart=/usr/bin/(.*)$`, unit))
	cmd := exec.Command(filepath.Join(s.root, "usr/bin", args[0]), args[1:]...)
	cmd.Env, cmd.Dir = append(s.environment(), "SVC_DRAIN=0"), s.data
	cmd.Stdout, cmd.Stderr = &s.said, &s.said
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
	must(s.t, cmd.Start())
	s.cmd = cmd
	s.t.Cleanup(func() {
		if cmd.ProcessState == nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
		if s.t.Failed() {
			s.t.Logf("svcd said\n%s", s.said.String())
			s.said.Reset()
		}
	})
	s.ready()
}

func (s *story) ready() {
	s.t.Helper()
	s.eventually("svcd serves", func() bool {
		resp, err := http.Get("http://" + s.back + "/readyz")
		return err == nil && resp.Body.Close() == nil && resp.StatusCode == http.StatusOK
	})
}

// stop ends the service as systemd does.
func (s *story) stop() {
	s.t.Helper()
	must(s.t, s.cmd.Process.Signal(syscall.SIGTERM))
	if err := s.cmd.Wait(); err != nil {
		s.t.Fatalf("the service ends: %v", err)
	}
}

func (s *story) eventually(what string, ok func() bool) {
	s.t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("not within 30 s: %s", what)
		}
	}
}

// api is a client for svcd without a proxy.
func (s *story) api() *client.Client {
	s.t.Helper()
	c, err := client.New("http://"+s.back, client.WithToken(s.token), client.WithRetries(0))
	must(s.t, err)
	return c
}

func (s *story) version() string {
	s.t.Helper()
	var of struct{ Version string }
	_, err := s.api().Do(s.t.Context(), client.Request{Method: http.MethodGet, Path: "/api/v1/instance"}, &of)
	must(s.t, err)
	return of.Version
}

// logIn signs ann in.
func (s *story) logIn() {
	s.t.Helper()
	ask := func(path string, form url.Values, into any) {
		resp, err := http.PostForm("http://"+s.back+path, form)
		must(s.t, err)
		defer func() { _ = resp.Body.Close() }()
		must(s.t, json.NewDecoder(resp.Body).Decode(into))
		if resp.StatusCode != http.StatusOK {
			s.t.Fatalf("%s: %s", path, resp.Status)
		}
	}
	var app struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	ask("/api/v1/apps", url.Values{"client_name": {"x"}, "redirect_uris": {"urn:ietf:wg:oauth:2.0:oob"}, "scopes": {"read write"}}, &app)
	var token struct {
		Token string `json:"access_token"`
	}
	ask("/oauth/token", url.Values{
		"grant_type": {"password"}, "client_id": {app.ID}, "client_secret": {app.Secret}, "username": {"ann"}, "password": {s.password}, "scope": {"read write"},
	}, &token)
	s.token = token.Token
}

// proxies starts every proxy with its file.
func (s *story) proxies() (out []proxies.Site) {
	s.t.Helper()
	for name, file := range proxies.Files {
		program := missing(s.t, name)
		site := proxies.Site{Dir: s.t.TempDir(), Front: free(s.t), Plain: free(s.t), Back: s.back}
		args, err := site.Prepare(name, read(s.t, filepath.Join(s.root, "usr/share/doc/svc/proxies", file)))
		must(s.t, err)
		cmd := exec.Command(program, args...)
		cmd.Env = append(os.Environ(), "HOME="+site.Dir, "XDG_DATA_HOME="+site.Dir, "XDG_CONFIG_HOME="+site.Dir)
		must(s.t, cmd.Start())
		s.t.Cleanup(func() {
			_ = cmd.Process.Signal(os.Interrupt)
			_ = cmd.Wait()
		})
		out = append(out, site)
	}
	return out
}

// talks posts a picture through a proxy, and hears of it over a socket.
func (s *story) talks(site proxies.Site, picture []byte) {
	t := s.t
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // it is our own certificate
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, site.Front)
		},
	}
	defer transport.CloseIdleConnections()
	hc := &http.Client{Transport: transport}
	s.eventually("the proxy finds svcd", func() bool {
		resp, err := hc.Get("https://" + proxies.Name + "/readyz")
		return err == nil && resp.Body.Close() == nil && resp.StatusCode == http.StatusOK
	})
	conn, _, err := websocket.Dial(ctx, "wss://"+proxies.Name+"/api/v1/streaming?stream=user", &websocket.DialOptions{HTTPClient: hc, HTTPHeader: http.Header{"Authorization": {"Bearer " + s.token}}})
	must(t, err)
	defer func() { _ = conn.CloseNow() }()
	c, err := client.New("https://"+proxies.Name, client.WithToken(s.token), client.WithRetries(0), client.WithHTTPClient(hc))
	must(t, err)
	file, err := c.Media.Upload(ctx, client.File{Name: "noise.png", Content: bytes.NewReader(picture)}, api.MediaForm{})
	must(t, err)
	posted, err := c.Statuses.Post(ctx, api.NewStatus{Status: "through " + site.Front, MediaIDs: []string{file.ID}})
	must(t, err)
	for {
		_, text, err := conn.Read(ctx)
		must(t, err)
		if strings.Contains(string(text), posted.ID) {
			return
		}
	}
}

// posts are ann's posts.
func (s *story) posts() (out []string) {
	s.t.Helper()
	me, err := s.api().Accounts.Verify(s.t.Context())
	must(s.t, err)
	for status, err := range s.api().Accounts.Statuses(me.ID, api.AccountStatusQuery{}).All(s.t.Context()) {
		must(s.t, err)
		out = append(out, string(status.Raw))
	}
	return out
}

// same wants ann's log-in, posts and pictures to be what they were.
func (s *story) same(after string, posts []string, picture []byte) {
	t := s.t
	t.Helper()
	now := s.posts()
	if !slices.Equal(now, posts) {
		t.Errorf("after %s: %d posts, and not the same: %d before", after, len(now), len(posts))
	}
	for _, raw := range now {
		var status api.Status
		must(t, json.Unmarshal([]byte(raw), &status))
		resp, err := http.Get("http://" + s.back + strings.TrimPrefix(status.MediaAttachments[0].URL, "https://"+proxies.Name))
		must(t, err)
		file, err := io.ReadAll(resp.Body)
		must(t, errors.Join(err, resp.Body.Close()))
		if !bytes.Equal(file, picture) {
			t.Errorf("after %s the picture has %d bytes, was %d", after, len(file), len(picture))
		}
	}
}

// moves types a command of docs/moving.md with another address, does what it says, and starts
// the service.
func (s *story) moves(words, address, to string) {
	s.t.Helper()
	find(s.t, "^ *("+regexp.QuoteMeta(words)+")$", read(s.t, "../moving.md"))
	out := s.run("", strings.ReplaceAll(words, address, "'"+to+"'"))
	setting := find(s.t, `^SVC_DATABASE=(.*)$`, out)
	s.append("database: " + setting + "\n")
	path := filepath.Join(s.root, "etc/svc/svcd.yaml")
	if lines := strings.Split(read(s.t, path), "\ndatabase: "); len(lines) > 2 { // the one of before
		_, rest, _ := strings.Cut(lines[1], "\n")
		must(s.t, os.WriteFile(path, []byte(lines[0]+"\n"+rest+"\ndatabase: "+lines[2]), 0o640))
	}
	s.start()
}
