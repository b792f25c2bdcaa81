package commands

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
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

	"github.com/creack/pty"

	"svc/client"
	"svc/client/api"
	"svc/db/dbtest"
)

// TestReadme runs every command of README.md, in its order and as it stands
// there, on a terminal of a person who answers every question. It differs
// from their machine in the environment: the port, the folder, and a TLS proxy
// at social.example.
func TestReadme(t *testing.T) {
	t.Parallel()
	r := newReader(t)
	commands := readmeCommands(t)
	for _, section := range []string{"Two commands", "Run it for real", "Federate", "Configure it", "Script it"} {
		if !slices.ContainsFunc(commands, func(c readmeCommand) bool { return c.section == section }) {
			t.Errorf("no commands in %q", section)
		}
	}
	for _, c := range commands {
		r.follow(t, c)
	}
}

type readmeCommand struct{ section, text string }

var (
	inline  = regexp.MustCompile("`(svc(?:d|ctl) [^`]+)`")
	trailer = regexp.MustCompile(`\s+# .*$`)
)

// readmeCommands returns the lines of all blocks of code, and the commands that text and
// tables quote of both programs.
func readmeCommands(t *testing.T) (commands []readmeCommand) {
	t.Helper()
	readme, err := os.ReadFile(filepath.Join("..", "..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	section, block := "", false
	for line := range strings.Lines(strings.ReplaceAll(string(readme), "\\\n", "")) {
		line = strings.TrimSpace(line)
		heading, isHeading := strings.CutPrefix(line, "## ")
		switch {
		case strings.HasPrefix(line, "```"):
			block = !block
		case block:
			if text := trailer.ReplaceAllString(line, ""); text != "" {
				commands = append(commands, readmeCommand{section, text})
			}
		case isHeading:
			section = heading
		default:
			for _, found := range inline.FindAllStringSubmatch(strings.ReplaceAll(line, `\|`, "|"), -1) {
				commands = append(commands, readmeCommand{section, found[1]})
			}
		}
	}
	return commands
}

// reader is a person with README.md.
type reader struct {
	root, dir string
	env       []string
	listen    string // of svcd
	password  string
	prepared  map[string]bool
	names     *strings.Replacer // of placeholders
}

func newReader(t *testing.T) *reader {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir, listen := t.TempDir(), freeAddress(t)
	proxy, authority := startProxies(t, dir, listen)
	caches, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	builds, modules, _ := strings.Cut(strings.TrimSpace(string(caches)), "\n")
	return &reader{root: root, dir: dir, listen: listen, prepared: map[string]bool{}, names: strings.NewReplacer(" FILE", " settings.json"), env: append(os.Environ(),
		"PATH="+filepath.Join(dir, "bin")+string(filepath.ListSeparator)+os.Getenv("PATH"),
		"HOME="+dir, "XDG_CONFIG_HOME="+dir+"/config", "XDG_CACHE_HOME="+dir+"/cache", "XDG_STATE_HOME="+dir+"/state", "TMPDIR="+dir, "GOCACHE="+builds, "GOMODCACHE="+modules,
		"SVC_TRUSTED_PROXIES=127.0.0.1", "SVC_DRAIN=0", "SVCCTL_NO_KEYRING=1", "TERM=xterm-256color",
		"HTTPS_PROXY="+proxy, "SSL_CERT_FILE="+authority, "BROWSER=browse", "BROWSE_USER=ann",
	)}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// startProxies serves https://social.example in front of svcd, for clients that ask
// through the first proxy and trusts the authority in the file.
func startProxies(t *testing.T, dir, backend string) (proxy, authority string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "social.example"}, DNSNames: []string{"social.example"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	authority = filepath.Join(dir, "authority.pem")
	if err := os.WriteFile(authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate}), 0o600); err != nil {
		t.Fatal(err)
	}
	to := &url.URL{Scheme: "http", Host: backend}
	front := httptest.NewUnstartedServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host
		r.SetXForwarded()
	}})
	front.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{certificate}, PrivateKey: key}}}
	front.StartTLS()
	t.Cleanup(front.Close)
	return startConnect(t, front.Listener.Addr().String()), authority
}

// startConnect starts a proxy through which social.example is at an address of this machine.
func startConnect(t *testing.T, address string) string {
	t.Helper()
	connect := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect || r.Host != "social.example:443" {
			http.Error(w, "only social.example is behind this proxy", http.StatusBadGateway)
			return
		}
		there, err := net.Dial("tcp", address)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		here, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			there.Close()
			return
		}
		_, _ = io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n") // a client that has left sends no request
		go func() {
			_, _ = io.Copy(there, here)
			there.Close()
		}()
		_, _ = io.Copy(here, there)
		here.Close()
	}))
	t.Cleanup(connect.Close)
	return connect.URL
}

// follow carries one line out.
func (r *reader) follow(t *testing.T, c readmeCommand) {
	t.Helper()
	if !r.prepared[c.section] {
		r.prepared[c.section] = true
		r.prepare(t, c.section)
	}
	switch {
	case c.text == "go test ./...":
		// This test is part of it.
	case c.text == "go run ./cmd/svcd demo":
		r.run(t, r.root, c.text, " REPORTS ")
	case strings.HasPrefix(c.text, "go build "):
		r.run(t, r.root, strings.Replace(c.text, "-o bin/", "-o "+r.dir+"/bin/", 1), "")
	case strings.HasPrefix(c.text, "bin/svcd user create "):
		r.create(t, c.text)
	case strings.HasPrefix(c.text, "SVC_BASE_URL="):
		r.serve(t, c.text, r.listen)
		ann, err := r.client(t).Accounts.Get(t.Context(), "ann")
		if err != nil || ann.URL != "https://social.example/users/ann" {
			t.Fatalf("ann is %+v, %v", ann, err)
		}
	case strings.HasPrefix(c.text, "SVC_DATABASE="):
		if dsn := dbtest.Postgres(t); dsn != "" {
			const example = "postgres://svc:secret@db.internal/svc"
			if !strings.Contains(c.text, example) {
				t.Errorf("%s has another address than %s", c.text, example)
			}
			r.serve(t, strings.Replace(c.text, example, "'"+dsn+"'", 1), freeAddress(t))
		}
	case c.text == "svcctl tui":
		r.run(t, r.dir, c.text, " REPORTS ")
	default:
		r.run(t, r.dir, r.names.Replace(c.text), "")
	}
}

// create runs a line that makes a user, whom a browser then signs in.
func (r *reader) create(t *testing.T, text string) {
	t.Helper()
	out := r.run(t, r.dir, text, "")
	found := regexp.MustCompile(`(?m)^([A-Z2-7]{26})\r?$`).FindStringSubmatch(out)
	if found == nil {
		t.Fatalf("%s prints no password: %s", text, out)
	}
	r.password = found[1]
	r.env = append(r.env, "PASSWORD="+r.password)
}

// serve starts a line that goes on until the test ends, and waits until it
// answers.
func (r *reader) serve(t *testing.T, text, listen string) {
	t.Helper()
	cmd := exec.Command("bash", "-c", "exec env "+text)
	cmd.Dir, cmd.Env = r.dir, append(slices.Clone(r.env), "SVC_LISTEN="+listen)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		if err := <-ended; err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if t.Failed() {
			t.Logf("%s\n%s", text, &log)
		}
	})
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		resp, err := http.Get("http://" + listen + "/readyz")
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return
			}
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("%s: ended, %v", text, err)
		default:
		}
		if time.Now().After(end) {
			t.Fatalf("%s: does not serve: %v", text, err)
		}
	}
}

var asked = regexp.MustCompile(`(?:\[(y)/N\]|type (\S+) to go on:) $`)

// run runs a line on a terminal, answers its questions, presses q once it shows
// quitAt, and returns its output. It must succeed.
func (r *reader) run(t *testing.T, dir, text, quitAt string) string {
	t.Helper()
	out, err := r.try(t, dir, text, quitAt)
	if err != nil {
		t.Fatalf("%s: %v\n%s", text, err, out)
	}
	return out
}

// try is run for a line that may fail.
func (r *reader) try(t *testing.T, dir, text, quitAt string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", "set -o pipefail; "+text)
	cmd.Dir, cmd.Env = dir, r.env
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 160})
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	var out bytes.Buffer
	chunk := make([]byte, 32<<10)
	answered, quit := 0, false
	for {
		n, err := terminal.Read(chunk)
		out.Write(chunk[:n])
		say := ""
		if found := asked.FindSubmatch(out.Bytes()[answered:]); found != nil {
			answered = out.Len()
			say = string(found[1]) + string(found[2]) + "\n"
		}
		if quitAt != "" && !quit && bytes.Contains(out.Bytes(), []byte(quitAt)) {
			quit, say = true, "q"
		}
		if say != "" {
			if _, err := terminal.WriteString(say); err != nil {
				t.Fatal(err)
			}
		}
		if err != nil {
			break // the program ended
		}
	}
	err = cmd.Wait()
	return out.String(), err
}

func (r *reader) client(t *testing.T, token ...string) *client.Client {
	t.Helper()
	var options []client.Option
	for _, one := range token {
		options = append(options, client.WithToken(one))
	}
	c, err := client.New("http://"+r.listen, options...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// prepare makes the objects that the examples of a section take for granted.
func (r *reader) prepare(t *testing.T, section string) {
	t.Helper()
	switch section {
	case "Federate":
		// Somebody there is sent something, and cannot be reached.
		r.run(t, r.dir, "svcctl relay follow https://slow.example/inbox", "")
		r.run(t, r.dir, "until svcctl federation host slow.example >/dev/null 2>&1; do :; done", "")
	case "Script it":
		r.run(t, r.dir, "svcctl config set svc instance registrations_open true && svcctl config set svc instance account_approval_required true"+
			" && svcctl config set svc Svc.Captcha enabled false", "")
		r.run(t, r.dir, "svcd user create kim --email kim@example.org && svcctl auth token >token && chmod 600 token", "")
		anonymous := r.client(t)
		app, err := anonymous.Apps.Create(t.Context(), api.NewApp{ClientName: "reader", RedirectURIs: client.OutOfBand, Scopes: "read write"})
		if err != nil {
			t.Fatal(err)
		}
		token, err := anonymous.OAuth.ClientCredentials(t.Context(), app)
		if err != nil {
			t.Fatal(err)
		}
		yes := api.Bool(true)
		for _, name := range []string{"lou", "max"} {
			if _, err := r.client(t, token.AccessToken).Accounts.Register(t.Context(), api.NewAccount{
				Username: name, Password: "correct horse battery", Email: name + "@example.org", Agreement: &yes, Reason: "to read",
			}); err != nil {
				t.Fatal(err)
			}
		}
		own, err := anonymous.OAuth.Password(t.Context(), app, "ann", r.password, "read write")
		if err != nil {
			t.Fatal(err)
		}
		kim, err := anonymous.Accounts.Get(t.Context(), "kim")
		if err != nil {
			t.Fatal(err)
		}
		report, err := r.client(t, own.AccessToken).Reports.Create(t.Context(), api.NewReport{AccountID: kim.ID, Comment: "spam"})
		if err != nil {
			t.Fatal(err)
		}
		r.names = strings.NewReplacer("ID…", report.ID, "NICK", "kim", " URL", " https://far.example/media/spam.png", "/etc/svcctl/token", "token")
	}
}
