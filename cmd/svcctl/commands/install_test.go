package commands

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"svc/client"
	"svc/client/api"
	"svc/docs/manual"
	"svc/server/servertest"
)

// typing is how many characters a person types in five minutes, at 40 words a minute.
const typing = 5 * 40 * 5

// TestTheInstallPageLeadsToAFirstPost types the blocks of docs/install.md, from the package to
// the terminal UI, in a folder in place of the machine: the files of the package are where
// docs/deploy/nfpm.yaml puts them, the service runs by the command line of its unit, and
// Caddy takes certificates from an authority of its own. Only ports differ.
func TestTheInstallPageLeadsToAFirstPost(t *testing.T) {
	t.Parallel()
	caddy, err := exec.LookPath("caddy")
	if err != nil {
		if os.Getenv("SVC_TEST_CLIENTS") == "required" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	m := newInstalling(t, caddy)
	page := manual.Page{Text: page(t, "install.md")}
	typed := 0
	for _, block := range page.Blocks()[:5] {
		typed += len(block.Text)
		m.types(t, block.Text)
	}
	if !m.posted {
		t.Error("nothing was posted")
	}
	if typed > typing {
		t.Errorf("%d characters are typed: more than in five minutes", typed)
	}
}

// installing is a machine on which svc is installed.
type installing struct {
	*reader
	caddy       string
	front, http string // addresses of Caddy
	posted      bool
}

func newInstalling(t *testing.T, caddy string) *installing {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	must(t, err)
	m := &installing{
		reader: &reader{root: root, dir: t.TempDir(), listen: freeAddress(t)}, caddy: caddy, front: freeAddress(t), http: freeAddress(t),
	}
	stubs := m.at("stubs")
	for _, dir := range []string{stubs, m.at("etc/caddy"), m.at("var/lib/svc")} {
		must(t, os.MkdirAll(dir, 0o700))
	}
	must(t, os.WriteFile(filepath.Join(stubs, "runuser"), []byte("#!/bin/sh\n"+others["runuser"]+"\n"), 0o700))
	for name, text := range map[string]string{
		"svc_1.0.0_amd64.deb": "", "SHA256SUMS": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  svc_1.0.0_amd64.deb\n",
	} {
		must(t, os.WriteFile(m.at(name), []byte(text), 0o600))
	}
	m.env = append(os.Environ(), "PATH="+strings.Join([]string{stubs, m.at("usr/bin"), os.Getenv("PATH")}, string(filepath.ListSeparator)),
		"HOME="+m.dir, "XDG_CONFIG_HOME="+m.dir+"/config", "XDG_CACHE_HOME="+m.dir+"/cache", "XDG_STATE_HOME="+m.dir+"/state", "XDG_DATA_HOME="+m.dir+"/share",
		"SVC_DRAIN=0", "SVCCTL_NO_KEYRING=1", "TERM=xterm-256color", "BROWSER=browse", "BROWSE_USER=ann",
		"HTTPS_PROXY="+startConnect(t, m.front), "SSL_CERT_FILE="+m.at("caddy/pki/authorities/local/root.crt"))
	return m
}

// at is a path of the machine.
func (m *installing) at(path string) string {
	return filepath.Join(m.dir, filepath.FromSlash(strings.TrimPrefix(path, "/")))
}

// types types a block.
func (m *installing) types(t *testing.T, text string) {
	t.Helper()
	here := strings.NewReplacer("/etc/", m.at("etc")+"/", "/var/lib/svc", m.at("var/lib/svc"), "/usr/share/", m.at("usr/share")+"/", "YOUR.DOMAIN", "social.example")
	for _, line := range regexp.MustCompile(`(?m)cat >>.*<<'\.'\n(?:.*\n)*?\.$|^.+$`).FindAllString(text, -1) {
		switch {
		case line == "apt install ./svc_1.0.0_amd64.deb":
			m.unpack(t)
		case line == "apt install caddy":
		case line == "systemctl enable --now svcd":
			m.start(t)
		case line == "systemctl reload caddy":
			m.proxy(t)
		case strings.Contains(line, "svcd user create"):
			m.create(t, here.Replace(line))
		case strings.HasPrefix(line, "svcctl auth login"): // before it, the page says to post with an app
			m.post(t)
			m.run(t, m.dir, line, "")
		case line == "svcctl tui":
			m.run(t, m.dir, line, " REPORTS ")
		default:
			m.run(t, m.dir, here.Replace(line), "")
		}
	}
}

// unpack puts the files of the package where it has them.
func (m *installing) unpack(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(m.root, "docs", "deploy", "nfpm.yaml"))
	must(t, err)
	var pack struct {
		Contents []struct{ Src, Dst string }
	}
	must(t, yaml.Unmarshal(text, &pack))
	programs := servertest.Programs(t)
	for _, c := range pack.Contents {
		from := filepath.Join(m.root, "docs", filepath.FromSlash(c.Src))
		if c.Src == "svcd.yaml" {
			from = filepath.Join(m.root, "docs", "deploy", c.Src)
		}
		if strings.HasPrefix(c.Dst, "/usr/bin/") {
			from = filepath.Join(programs, filepath.Base(c.Dst))
		}
		info, err := os.Stat(from)
		switch {
		case c.Src == "" || err != nil: // a folder, or what only a release has: manual pages, completions, licences
		case info.IsDir():
			must(t, os.CopyFS(m.at(c.Dst), os.DirFS(from)))
		default:
			bytes, err := os.ReadFile(from)
			must(t, err)
			to := m.at(c.Dst)
			must(t, os.MkdirAll(filepath.Dir(to), 0o700))
			must(t, os.WriteFile(to, bytes, info.Mode().Perm()|0o600))
		}
	}
}

// start runs the service by its unit, on another port.
func (m *installing) start(t *testing.T) {
	t.Helper()
	unit, err := os.ReadFile(m.at("usr/lib/systemd/system/svcd.service"))
	must(t, err)
	environment := regexp.MustCompile(`(?m)^Environment=(.*)$`).FindSubmatch(unit)
	command := regexp.MustCompile(`(?m)^ExecStart=/usr/bin/(.*)$`).FindSubmatch(unit)
	if environment == nil || command == nil {
		t.Fatalf("the unit runs nothing:\n%s", unit)
	}
	here := strings.NewReplacer("/etc/svc", m.at("etc/svc"), "/var/lib/svc", m.at("var/lib/svc"))
	m.serve(t, here.Replace(string(environment[1]))+" "+string(command[1]), m.listen)
}

// proxy runs Caddy with the file that the page made, on other ports and with an authority of
// its own.
func (m *installing) proxy(t *testing.T) {
	t.Helper()
	path := m.at("etc/caddy/Caddyfile")
	text, err := os.ReadFile(path)
	must(t, err)
	port := func(address string) string { return address[strings.LastIndex(address, ":")+1:] }
	head := "{\n\tadmin off\n\tlocal_certs\n\tskip_install_trust\n\tdefault_bind 127.0.0.1\n\thttp_port " + port(m.http) + "\n\thttps_port " + port(m.front) +
		"\n\tstorage file_system " + m.at("caddy") + "\n}\n"
	must(t, os.WriteFile(path, []byte(head+strings.ReplaceAll(string(text), "127.0.0.1:8080", m.listen)), 0o600))
	cmd := exec.Command(m.caddy, "run", "--config", path, "--adapter", "caddyfile")
	var said bytes.Buffer
	cmd.Env, cmd.Stdout, cmd.Stderr = m.env, &said, &said
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("caddy said\n%s", &said)
		}
	})
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		// It serves before it has a certificate.
		c, err := tls.Dial("tcp", m.front, &tls.Config{ServerName: "social.example", InsecureSkipVerify: true}) //nolint:gosec // only whether there is one
		if err == nil {
			must(t, c.Close())
			return
		}
		if time.Now().After(end) {
			t.Fatalf("caddy does not serve: %v", err)
		}
	}
}

// post does as an app: it signs ann in and posts, over TLS with the certificate of Caddy.
func (m *installing) post(t *testing.T) {
	t.Helper()
	root, err := os.ReadFile(m.at("caddy/pki/authorities/local/root.crt"))
	must(t, err)
	authorities := x509.NewCertPool()
	authorities.AppendCertsFromPEM(root)
	through := ""
	for _, v := range m.env {
		if address, ok := strings.CutPrefix(v, "HTTPS_PROXY="); ok {
			through = address
		}
	}
	proxy, err := url.Parse(through)
	must(t, err)
	transport := &http.Transport{Proxy: http.ProxyURL(proxy), TLSClientConfig: &tls.Config{RootCAs: authorities}}
	t.Cleanup(transport.CloseIdleConnections)
	hc := &http.Client{Transport: transport, Timeout: time.Minute}
	at := func(token string) *client.Client {
		c, err := client.New("https://social.example", client.WithToken(token), client.WithHTTPClient(hc))
		must(t, err)
		return c
	}
	app, err := at("").Apps.Create(t.Context(), api.NewApp{ClientName: "app", RedirectURIs: client.OutOfBand, Scopes: "read write"})
	must(t, err)
	token, err := at("").OAuth.Password(t.Context(), app, "ann", m.password, "read write")
	must(t, err)
	status, err := at(token.AccessToken).Statuses.Post(t.Context(), api.NewStatus{Status: "Hello, world"})
	must(t, err)
	resp, err := hc.Get(status.URL)
	must(t, err)
	var text bytes.Buffer
	_, err = text.ReadFrom(resp.Body)
	must(t, err)
	must(t, resp.Body.Close())
	if !strings.HasPrefix(status.URL, "https://social.example/") || resp.StatusCode != http.StatusOK || !strings.Contains(text.String(), "Hello, world") {
		t.Errorf("%s answers %s: %s", status.URL, resp.Status, &text)
	}
	m.posted = true
}
