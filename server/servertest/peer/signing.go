package peer

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Answer is an answer to the peer.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// sending is a request before it is sent. Options change it before or after it
// is signed.
type sending struct {
	req     *http.Request
	body    []byte
	keyID   string
	key     *rsa.PrivateKey
	style   string // cavage, rfc9421, "" is unsigned
	covered []string
	label   string // the algorithm, as it is written
	at      time.Time
	digest  string // "" is the true one, "-" none
	path    string // the signed target, "" for the real one
	before  []func(*http.Request)
	after   []func(*http.Request)
}

// Option changes a request from the valid default.
type Option func(*sending)

// Unsigned sends without signature, but with date and digest.
func Unsigned() Option { return func(s *sending) { s.style = "" } }

// RFC9421 signs by RFC 9421.
func RFC9421() Option {
	return func(s *sending) {
		s.style = "rfc9421"
		s.covered = []string{"@method", "@target-uri"}
		if s.req.Method == http.MethodPost {
			s.covered = append(s.covered, "content-digest")
		}
	}
}

// SignedBy signs with another actor's key, under that key's id.
func SignedBy(a *Actor) Option {
	return func(s *sending) { s.keyID, s.key = a.KeyID(), a.Key() }
}

// KeyID names another key.
func KeyID(id string) Option { return func(s *sending) { s.keyID = id } }

// WithKey signs with another key, under the same id.
func WithKey(key *rsa.PrivateKey) Option { return func(s *sending) { s.key = key } }

// Covering signs these parts only.
func Covering(names ...string) Option { return func(s *sending) { s.covered = names } }

// Algorithm is the label of the algorithm; it changes nothing else.
func Algorithm(label string) Option { return func(s *sending) { s.label = label } }

// At sets the time that the request claims.
func At(t time.Time) Option { return func(s *sending) { s.at = t } }

// Digest is the value of the header; "-" leaves it out.
func Digest(value string) Option { return func(s *sending) { s.digest = value } }

// Target signs another path than the real one.
func Target(path string) Option { return func(s *sending) { s.path = path } }

// Before changes the request before it is signed.
func Before(f func(*http.Request)) Option {
	return func(s *sending) { s.before = append(s.before, f) }
}

// After changes the request after it was signed.
func After(f func(*http.Request)) Option {
	return func(s *sending) { s.after = append(s.after, f) }
}

// Body sends other bytes than the signed ones.
func Body(b []byte) Option {
	return After(func(r *http.Request) {
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(b)), int64(len(b))
	})
}

// Send posts an activity to an inbox, signed by a.
func (a *Actor) Send(inbox string, activity Doc, options ...Option) Answer {
	a.Peer.t.Helper()
	return a.SendBytes(inbox, activity.JSON(), options...)
}

// SendBytes posts any bytes.
func (a *Actor) SendBytes(inbox string, body []byte, options ...Option) Answer {
	a.Peer.t.Helper()
	return a.do(http.MethodPost, inbox, body, options)
}

// Get fetches a document, signed by a.
func (a *Actor) Get(address string, options ...Option) Answer {
	a.Peer.t.Helper()
	return a.do(http.MethodGet, address, nil, options)
}

func (a *Actor) do(method, address string, body []byte, options []Option) Answer {
	a.Peer.t.Helper()
	var r io.Reader
	if method == http.MethodPost {
		r = bytes.NewReader(body)
	}
	req, err := http.NewRequest(method, address, r)
	if err != nil {
		a.Peer.t.Fatal(err)
	}
	s := &sending{req: req, body: body, keyID: a.KeyID(), key: a.Key(), style: "cavage", label: "rsa-sha256", at: time.Now(),
		covered: []string{"(request-target)", "host", "date"}}
	req.Header.Set("Accept", `application/activity+json, application/ld+json; profile="https://www.w3.org/ns/activitystreams"`)
	if method == http.MethodPost {
		req.Header.Set("Content-Type", ActivityJSON)
		s.covered = append(s.covered, "digest", "content-type")
	}
	for _, o := range options {
		o(s)
	}
	s.sign()
	resp, err := a.Peer.http.Do(req)
	if err != nil {
		a.Peer.t.Fatalf("%s %s: %v", method, address, err)
	}
	defer func() { _ = resp.Body.Close() }()
	answered, err := io.ReadAll(io.LimitReader(resp.Body, 8<<20))
	if err != nil {
		a.Peer.t.Fatal(err)
	}
	return Answer{resp.StatusCode, resp.Header, answered}
}

func (s *sending) sign() {
	sum := sha256.Sum256(s.body)
	hash := base64.StdEncoding.EncodeToString(sum[:])
	s.req.Header.Set("Date", s.at.UTC().Format(http.TimeFormat))
	if s.req.Method == http.MethodPost && s.digest != "-" {
		switch {
		case s.digest != "":
			s.req.Header.Set("Digest", s.digest)
			s.req.Header.Set("Content-Digest", s.digest)
		case s.style == "rfc9421":
			s.req.Header.Set("Content-Digest", "sha-256=:"+hash+":")
		default:
			s.req.Header.Set("Digest", "SHA-256="+hash)
		}
	}
	for _, f := range s.before {
		f(s.req)
	}
	switch s.style {
	case "cavage":
		s.req.Header.Set("Signature", fmt.Sprintf(`keyId="%s",algorithm="%s",headers="%s",signature="%s"`,
			s.keyID, s.label, strings.Join(s.covered, " "), s.signature(s.cavage())))
	case "rfc9421":
		quoted := make([]string, len(s.covered))
		for i, c := range s.covered {
			quoted[i] = `"` + c + `"`
		}
		params := fmt.Sprintf(`(%s);created=%d;keyid="%s";alg="rsa-v1_5-sha256"`, strings.Join(quoted, " "), s.at.Unix(), s.keyID)
		s.req.Header.Set("Signature-Input", "sig1="+params)
		s.req.Header.Set("Signature", "sig1=:"+s.signature(s.base(params))+":")
	}
	for _, f := range s.after {
		f(s.req)
	}
}

func (s *sending) signature(text string) string {
	sum := sha256.Sum256([]byte(text))
	sig, err := rsa.SignPKCS1v15(rand.Reader, s.key, crypto.SHA256, sum[:])
	if err != nil {
		panic(err)
	}
	return base64.StdEncoding.EncodeToString(sig)
}

func (s *sending) host() string {
	if s.req.Host != "" {
		return s.req.Host
	}
	return s.req.URL.Host
}

// cavage is the signing string of draft-cavage-http-signatures-12.
func (s *sending) cavage() string {
	var lines []string
	for _, name := range s.covered {
		switch name {
		case "(request-target)":
			path := s.path
			if path == "" {
				path = s.req.URL.RequestURI()
			}
			lines = append(lines, "(request-target): "+strings.ToLower(s.req.Method)+" "+path)
		case "host":
			lines = append(lines, "host: "+s.host())
		default:
			lines = append(lines, name+": "+strings.Join(s.req.Header.Values(name), ", "))
		}
	}
	return strings.Join(lines, "\n")
}

// base is the signature base of RFC 9421, 2.5.
func (s *sending) base(params string) string {
	var lines []string
	for _, name := range s.covered {
		var value string
		switch name {
		case "@method":
			value = s.req.Method
		case "@target-uri":
			value = s.req.URL.String()
			if s.path != "" {
				value = s.req.URL.Scheme + "://" + s.host() + s.path
			}
		case "@authority":
			value = s.host()
		case "@path":
			value = s.req.URL.EscapedPath()
		default:
			value = strings.Join(s.req.Header.Values(name), ", ")
		}
		lines = append(lines, `"`+name+`": `+value)
	}
	return strings.Join(append(lines, `"@signature-params": `+params), "\n")
}
