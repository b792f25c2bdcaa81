//go:build linux

package main

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// peers are servers at addresses of their own on this machine, each with one
// follower. They accept all activities.
type peers struct {
	n     int
	port  string
	key   *rsa.PrivateKey // of all of them: making one takes long
	pem   string
	srv   *http.Server
	delay atomic.Int64 // of their answers

	mu      sync.Mutex
	wanted  string          // the text of the counted bodies
	arrived map[string]bool // hosts that have it
	last    time.Time       // when the last of them got it
	calls   int             // with it, repeated ones too
	conns   int             // that were made
}

func newPeers(n int) (*peers, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		return nil, err
	}
	p := &peers{n: n, key: key, pem: string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})), arrived: map[string]bool{}}
	_, p.port, _ = net.SplitHostPort(l.Addr().String())
	p.srv = &http.Server{Handler: p, ReadHeaderTimeout: 10 * time.Second, ConnState: func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			p.mu.Lock()
			p.conns++
			p.mu.Unlock()
		}
	}}
	go func() { _ = p.srv.Serve(l) }()
	return p, nil
}

func address(i int) string { return fmt.Sprintf("127.10.%d.%d", i/250, i%250+1) }

// ServeHTTP serves the actor of the host that is asked, and takes activities.
func (p *peers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	base := "http://" + r.Host
	switch {
	case r.Method == http.MethodPost:
		body, _ := io.ReadAll(r.Body)
		time.Sleep(time.Duration(p.delay.Load()))
		p.count(r.Host, body)
		w.WriteHeader(http.StatusAccepted)
	case r.URL.Path == "/users/fan":
		id := base + "/users/fan"
		reply(w, "application/activity+json", map[string]any{
			"@context": "https://www.w3.org/ns/activitystreams", "id": id, "type": "Person", "preferredUsername": "fan",
			"inbox": id + "/inbox", "outbox": id + "/outbox", "followers": id + "/followers", "endpoints": map[string]any{"sharedInbox": base + "/inbox"},
			"publicKey": map[string]any{"id": id + "#main-key", "owner": id, "publicKeyPem": p.pem},
		})
	case r.URL.Path == "/.well-known/webfinger":
		reply(w, "application/jrd+json", map[string]any{"subject": "acct:fan@" + r.Host, "links": []any{
			map[string]any{"rel": "self", "type": "application/activity+json", "href": base + "/users/fan"},
		}})
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func reply(w http.ResponseWriter, kind string, v any) {
	w.Header().Set("Content-Type", kind)
	_ = json.NewEncoder(w).Encode(v)
}

func (p *peers) count(host string, body []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.wanted == "" || !bytes.Contains(body, []byte(p.wanted)) {
		return
	}
	p.calls++
	if !p.arrived[host] {
		p.arrived[host], p.last = true, time.Now()
	}
}

// expect counts bodies that contain a text from now on.
func (p *peers) expect(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wanted, p.calls, p.conns = text, 0, 0
	clear(p.arrived)
}

// wait returns the time at which the last host got the expected body.
func (p *peers) wait(ctx context.Context, most time.Duration) (time.Time, error) {
	for end := time.Now().Add(most); ; {
		p.mu.Lock()
		here, last := len(p.arrived), p.last
		p.mu.Unlock()
		if here == p.n {
			return last, nil
		}
		if time.Now().After(end) {
			return last, fmt.Errorf("%d of %d hosts got it within %s", here, p.n, most)
		}
		if err := pause(ctx, 2*time.Millisecond); err != nil {
			return last, err
		}
	}
}

// follow has everybody follow the author of a server, each from their own address.
func (p *peers) follow(ctx context.Context, base string) error {
	p.expect(`"Accept"`)
	asking, asked := errgroup.WithContext(ctx)
	asking.SetLimit(8)
	for i := range p.n {
		asking.Go(func() error { return p.ask(asked, i, base) })
	}
	if err := asking.Wait(); err != nil {
		return err
	}
	_, err := p.wait(ctx, 5*time.Minute)
	return err
}

// ask sends one Follow, signed as draft-cavage-http-signatures-12 says.
func (p *peers) ask(ctx context.Context, i int, base string) error {
	me := "http://" + net.JoinHostPort(address(i), p.port) + "/users/fan"
	body, err := json.Marshal(map[string]any{"@context": "https://www.w3.org/ns/activitystreams", "id": me + "/follow", "type": "Follow", "actor": me, "object": base + "/users/author"})
	if err != nil {
		return err
	}
	client := http.Client{Timeout: answerWithin, Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address(i))}}).DialContext}}
	for tries := 0; ; tries++ {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/inbox", bytes.NewReader(body))
		if err != nil {
			return err
		}
		if err := p.sign(req, me+"#main-key", body); err != nil {
			return err
		}
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		text, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode == http.StatusAccepted {
			return nil
		}
		if tries == 5 {
			return fmt.Errorf("a follow is answered %s: %.200s", resp.Status, text)
		}
		if err := pause(ctx, time.Second); err != nil {
			return err
		}
	}
}

func (p *peers) sign(req *http.Request, keyID string, body []byte) error {
	sum := sha256.Sum256(body)
	req.Header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	req.Header.Set("Digest", "SHA-256="+base64.StdEncoding.EncodeToString(sum[:]))
	req.Header.Set("Content-Type", "application/activity+json")
	text := strings.Join([]string{"(request-target): post " + req.URL.Path, "host: " + req.URL.Host, "date: " + req.Header.Get("Date"),
		"digest: " + req.Header.Get("Digest"), "content-type: " + req.Header.Get("Content-Type")}, "\n")
	hashed := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, p.key, crypto.SHA256, hashed[:])
	if err != nil {
		return err
	}
	req.Header.Set("Signature", fmt.Sprintf(`keyId="%s",algorithm="rsa-sha256",headers="(request-target) host date digest content-type",signature="%s"`,
		keyID, base64.StdEncoding.EncodeToString(signature)))
	return nil
}
