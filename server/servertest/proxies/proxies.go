// Package proxies prepares nginx, HAProxy and Caddy with the files in docs/deploy/proxies,
// which docs/proxies.md quotes, for tests that run them. It depends on nothing else of the
// service.
package proxies

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// Name is the domain in the files.
const Name = "social.example"

// Files are the files, by the program that reads them.
var Files = map[string]string{"nginx": "nginx.conf", "haproxy": "haproxy.cfg", "caddy": "Caddyfile"}

// Site is a place for a proxy on this machine.
type Site struct {
	Dir   string // for its files
	Front string // host:port with TLS
	Plain string // host:port without
	Back  string // host:port of svcd
}

// Path is a file in the folder.
func (s Site) Path(name string) string { return filepath.Join(s.Dir, name) }

// Prepare writes the text of a file of docs/deploy/proxies into the folder, with other
// ports and paths, and the certificate. It returns the arguments of the program.
func (s Site) Prepare(program, text string) (args []string, err error) {
	if err := s.certificate(); err != nil {
		return nil, err
	}
	switch program {
	case "nginx":
		text = regexp.MustCompile(`(?m)^\s*listen \[::\].*\n`).ReplaceAllString(text, "") // not every machine has IPv6
		if text, err = swap(text, "listen 80;", "listen "+s.Plain+";", "listen 443 ", "listen "+s.Front+" ", "127.0.0.1:8080", s.Back,
			"/etc/ssl/social.example.pem", s.Path("cert.pem"), "/etc/ssl/social.example.key", s.Path("key.pem")); err != nil {
			return nil, err
		}
		main := "daemon off; pid " + s.Path("pid") + "; error_log stderr; user root; events {} http { access_log off;"
		for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
			main += kind + "_temp_path " + s.Path(kind) + ";"
		}
		if err := s.write("nginx.conf", main+"include "+s.Path("site.conf")+"; }"); err != nil {
			return nil, err
		}
		return []string{"-c", s.Path("nginx.conf"), "-e", "stderr"}, s.write("site.conf", text)
	case "haproxy":
		if text, err = swap(text, "bind :80\n", "bind "+s.Plain+"\n", "bind :443 ", "bind "+s.Front+" ", "127.0.0.1:8080", s.Back,
			"/etc/haproxy/social.example.pem", s.Path("both.pem")); err != nil {
			return nil, err
		}
		return []string{"-db", "-f", s.Path("haproxy.cfg")}, s.write("haproxy.cfg", text)
	case "caddy":
		port := func(address string) string { return address[strings.LastIndex(address, ":")+1:] }
		head := fmt.Sprintf("{\n\tadmin off\n\tauto_https disable_certs\n\tdefault_bind 127.0.0.1\n\thttp_port %s\n\thttps_port %s\n\tstorage file_system %s\n}\n", port(s.Plain), port(s.Front), s.Path("caddy"))
		if text, err = swap(text, "\nsocial.example {\n", "\nsocial.example {\n\ttls "+s.Path("cert.pem")+" "+s.Path("key.pem")+"\n", "127.0.0.1:8080", s.Back); err != nil {
			return nil, err
		}
		return []string{"run", "--config", s.Path("Caddyfile"), "--adapter", "caddyfile"}, s.write("Caddyfile", head+text)
	}
	return nil, fmt.Errorf("nothing is known of the proxy %q", program)
}

// swap replaces texts that must be there.
func swap(text string, pairs ...string) (string, error) {
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			return "", fmt.Errorf("the file has no %q", pairs[i])
		}
		text = strings.ReplaceAll(text, pairs[i], pairs[i+1])
	}
	return text, nil
}

func (s Site) write(name, text string) error { return os.WriteFile(s.Path(name), []byte(text), 0o600) }

// certificate writes a certificate and its key, apart and in one file.
func (s Site) certificate() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: Name}, DNSNames: []string{Name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	cert := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	secret := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}))
	for name, text := range map[string]string{"cert.pem": cert, "key.pem": secret, "both.pem": cert + secret} {
		if err := s.write(name, text); err != nil {
			return err
		}
	}
	return nil
}
