// Package parts runs servers that an instance uses, for tests: slapd, Postfix and
// versitygw, each with files of its own in a folder of the test. Their settings in svcd are
// those that the operators' pages quote.
package parts

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	mathrand "math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"svc/server/platform/config"
)

// Program returns the path of a program. Without it the test is skipped, unless
// SVC_TEST_PARTS says that it must be there.
func Program(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	for _, folder := range []string{"/usr/sbin", "/usr/lib/postfix/sbin"} { // which only root has in its path
		if err != nil {
			path, err = exec.LookPath(filepath.Join(folder, name))
		}
	}
	switch {
	case err == nil:
		return path
	case os.Getenv("SVC_TEST_PARTS") == "required":
		t.Fatal(err)
	}
	t.Skip(err)
	return ""
}

// Quote returns the only quoted block of a page in docs that has these words.
func Quote(t testing.TB, page, words string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../../docs", page))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, block := range regexp.MustCompile("(?ms)^```[a-z]*\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
		if strings.Contains(block[1], words) {
			found = append(found, block[1])
		}
	}
	if len(found) != 1 {
		t.Fatalf("docs/%s quotes %q %d times", page, words, len(found))
	}
	return found[0]
}

// Swap replaces texts that must be there.
func Swap(t testing.TB, text string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("there is no %q in\n%s", pairs[i], text)
		}
		text = strings.ReplaceAll(text, pairs[i], pairs[i+1])
	}
	return text
}

// Configured returns the settings that svcd takes from a file with this text.
func Configured(t testing.TB, text string) config.Config {
	t.Helper()
	path := filepath.Join(t.TempDir(), "svcd.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	flags := pflag.NewFlagSet("svcd", pflag.ContinueOnError)
	config.BindFlags(flags)
	c, err := config.Load(flags, func(name string) (string, bool) {
		value, ok := map[string]string{"SVC_CONFIG": path}[name]
		return value, ok
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Port returns a port of 127.0.0.1 that nobody listens on, below those that the system
// gives to connections.
func Port(t testing.TB) string {
	t.Helper()
	for range 100 {
		port := strconv.Itoa(20_000 + mathrand.IntN(12_000)) //nolint:gosec // any will do
		if l, err := net.Listen("tcp", "127.0.0.1:"+port); err == nil {
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			return port
		}
	}
	t.Fatal("no port is free")
	return ""
}

// Until waits for something that a part does.
func Until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(40 * time.Second); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within 40 s: %s", what)
		}
	}
}

// Process is a running part.
type Process struct {
	t    testing.TB
	cmd  *exec.Cmd
	port string
	said *output
	done chan struct{} // closed after its end
	over bool
}

// output is what a part prints.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// run starts a part that listens on a port, until the test ends.
func run(t testing.TB, cmd *exec.Cmd, port string) *Process {
	t.Helper()
	p := &Process{t: t, cmd: cmd, port: port, said: new(output), done: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = p.said, p.said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // its children end with it
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = cmd.Wait()
		close(p.done)
	}()
	t.Cleanup(p.End)
	Until(t, cmd.Path+" listens", func() bool {
		select {
		case <-p.done:
			t.Fatalf("%s has ended", cmd.Path)
		default:
		}
		conn, err := net.Dial("tcp", "127.0.0.1:"+port)
		return err == nil && conn.Close() == nil
	})
	return p
}

// End kills the part.
func (p *Process) End() {
	if p.over {
		return
	}
	p.over = true
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	<-p.done
	if p.t.Failed() {
		p.t.Logf("%s said\n%s", p.cmd.Path, p.said)
	}
}

// Hang stops the part in the middle of its work: the system goes on to accept connections
// for it.
func (p *Process) Hang() { _ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGSTOP) }

// Wake ends Hang.
func (p *Process) Wake() { _ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGCONT) }

// Authority signs the certificates of the parts.
type Authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	Path string // of its certificate
}

// NewAuthority makes an authority with files in a folder.
func NewAuthority(dir string) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "parts"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	a := &Authority{cert, key, filepath.Join(dir, "authority.pem")}
	return a, os.WriteFile(a.Path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o644)
}

// Issue writes cert.pem and key.pem for names and addresses into a folder.
func (a *Authority) Issue(dir string, names ...string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: names[0]},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			about.IPAddresses = append(about.IPAddresses, ip)
		} else {
			about.DNSNames = append(about.DNSNames, name)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, about, a.cert, key.Public(), a.key)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "cert.pem"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600),
		os.WriteFile(filepath.Join(dir, "key.pem"), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600))
}
