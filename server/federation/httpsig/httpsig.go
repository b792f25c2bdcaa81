// Package httpsig signs HTTP requests and verifies signatures, in the two
// formats of the fediverse: draft-cavage-http-signatures-12 and RFC 9421.
//
// It uses given keys and makes no calls. The covered parts are checked before
// the cryptography: a valid signature over too little proves nothing.
package httpsig

import (
	"crypto"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// The kinds of signatures.
const (
	Cavage  = "cavage"  // draft-cavage-http-signatures-12
	RFC9421 = "rfc9421" // HTTP message signatures
	// CavagePath is Cavage over the path without its query, which some servers
	// verify. It is for signing only.
	CavagePath = "cavage-path"
)

// The bounds of keys, in bits: weaker ones prove nothing, larger ones cost too
// much to verify.
const (
	minKey = 1024
	maxKey = 8192
)

var (
	// ErrUnsigned is a request without a signature.
	ErrUnsigned = errors.New("the request is not signed")
	// ErrBad is a signature that is malformed, covers too little, does not match
	// its request, time or key.
	ErrBad = errors.New("bad signature")
)

// Options are the rules of Parse.
type Options struct {
	Scheme string // of our public URL: http or https
	Host   string // of our public URL, with its port where that is not the scheme's
	Now    time.Time
	Past   time.Duration // the greatest age of a request
	Future time.Duration // how far ahead the sender's clock may be
	// AnyPort allows the signed host to lack its port, for tests among servers on
	// one machine.
	AnyPort bool
}

// Signature is a parsed signature: complete, in time, and over enough. Verify
// checks it.
type Signature struct {
	KeyID string
	Kind  string // Cavage or RFC9421

	bases     []string // possible signing strings
	signature []byte
	algorithm string // of RFC 9421, if given
}

// Parse reads the signature of a received request, and checks everything that
// needs no key. body is the received body.
func Parse(req *http.Request, body []byte, o Options) (*Signature, error) {
	if err := o.addressed(req); err != nil {
		return nil, err
	}
	if len(req.Header.Values("Signature-Input")) > 0 {
		return parse9421(req, body, o)
	}
	return parseCavage(req, body, o)
}

// addressed reports whether a request was meant for this server.
func (o Options) addressed(req *http.Request) error {
	if len(req.Header.Values("Host")) > 0 {
		return fmt.Errorf("%w: a second host", ErrBad)
	}
	host := strings.ToLower(req.Host)
	if port := map[string]string{"https": ":443", "http": ":80"}[o.Scheme]; port != "" {
		host = strings.TrimSuffix(host, port)
	}
	if host != strings.ToLower(o.Host) && (!o.AnyPort || hostname(host) != hostname(strings.ToLower(o.Host))) {
		return fmt.Errorf("%w: it is for %.100q", ErrBad, req.Host)
	}
	return nil
}

// inTime checks the time of a signature.
func (o Options) inTime(at time.Time) error {
	switch {
	case at.Before(o.Now.Add(-o.Past)):
		return fmt.Errorf("%w: it is from %s", ErrBad, at.UTC().Format(time.RFC3339))
	case at.After(o.Now.Add(o.Future)):
		return fmt.Errorf("%w: it is from the future, %s", ErrBad, at.UTC().Format(time.RFC3339))
	}
	return nil
}

// hostname is a host without its port.
func hostname(host string) string {
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		return host[:i]
	}
	return host
}

// target returns the path and query of a request as they came, or will be sent.
func target(req *http.Request) string {
	if req.RequestURI != "" {
		return req.RequestURI
	}
	return req.URL.RequestURI()
}

// hasBody reports whether a request must cover its body.
func hasBody(req *http.Request, body []byte) bool {
	return len(body) > 0 || req.Method != http.MethodGet && req.Method != http.MethodHead
}

// Verify reports whether the signature is one of key: nil, or ErrBad. The key's
// type selects the algorithm; the request has no say.
func (s *Signature) Verify(key crypto.PublicKey) error {
	for _, base := range s.bases {
		if s.signed([]byte(base), key) {
			return nil
		}
	}
	return fmt.Errorf("%w: it is not of the key", ErrBad)
}

func (s *Signature) signed(base []byte, key crypto.PublicKey) bool {
	switch key := key.(type) {
	case *rsa.PublicKey:
		sum256, sum512 := sha256.Sum256(base), sha512.Sum512(base)
		switch s.algorithm {
		case "":
			return rsa.VerifyPKCS1v15(key, crypto.SHA256, sum256[:], s.signature) == nil ||
				rsa.VerifyPKCS1v15(key, crypto.SHA512, sum512[:], s.signature) == nil
		case "rsa-v1_5-sha256":
			return rsa.VerifyPKCS1v15(key, crypto.SHA256, sum256[:], s.signature) == nil
		case "rsa-v1_5-sha512":
			return rsa.VerifyPKCS1v15(key, crypto.SHA512, sum512[:], s.signature) == nil
		}
	case ed25519.PublicKey:
		return (s.algorithm == "" || s.algorithm == "ed25519") && ed25519.Verify(key, base, s.signature)
	}
	return false
}

// ParseKey reads a public key of an actor: PEM of an RSA key of 1024 to 8192
// bits (SPKI or PKCS #1) or an Ed25519 key (SPKI).
func ParseKey(text string) (crypto.PublicKey, error) {
	block, _ := pem.Decode([]byte(strings.TrimSpace(text) + "\n"))
	if block == nil {
		return nil, fmt.Errorf("%w: the key is not PEM", ErrBad)
	}
	var (
		key any
		err error
	)
	if block.Type == "RSA PUBLIC KEY" {
		key, err = x509.ParsePKCS1PublicKey(block.Bytes)
	} else {
		key, err = x509.ParsePKIXPublicKey(block.Bytes)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: the key cannot be read: %w", ErrBad, err)
	}
	switch key := key.(type) {
	case *rsa.PublicKey:
		if n := key.N.BitLen(); n < minKey || n > maxKey {
			return nil, fmt.Errorf("%w: a key of %d bits", ErrBad, n)
		}
		return key, nil
	case ed25519.PublicKey:
		return key, nil
	}
	return nil, fmt.Errorf("%w: a key of type %T", ErrBad, key)
}
