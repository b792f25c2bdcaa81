package peer

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
)

var (
	cavageParam = regexp.MustCompile(`([a-zA-Z]+)="([^"]*)"`)
	inputShape  = regexp.MustCompile(`^(\w+)=(\(([^)]*)\)(.*))$`)
	paramKeyID  = regexp.MustCompile(`;keyid="([^"]*)"`)
)

// Signer checks a request's signature and digest as a strict server does, with
// the sender's published key, and returns the id of that key's owner.
func (p *Peer) Signer(r Request) (string, error) {
	keyID, text, sig, err := p.signed(r)
	if err != nil {
		return "", err
	}
	owner, key, err := p.publicKey(keyID)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(text))
	if err := rsa.VerifyPKCS1v15(key, crypto.SHA256, sum[:], sig); err != nil {
		return "", fmt.Errorf("signature of %s over\n%s\n: %w", keyID, text, err)
	}
	return owner, nil
}

func (p *Peer) signed(r Request) (keyID, text string, sig []byte, err error) {
	if r.Header.Get("Signature-Input") != "" {
		return p.signed9421(r)
	}
	all := r.Header.Values("Signature")
	if len(all) != 1 {
		return "", "", nil, fmt.Errorf("%d Signature headers", len(all))
	}
	params := map[string]string{}
	for _, m := range cavageParam.FindAllStringSubmatch(all[0], -1) {
		params[m[1]] = m[2]
	}
	need := []string{"(request-target)", "host", "date"}
	if r.Method == http.MethodPost {
		need = append(need, "digest", "content-type")
		sum := sha256.Sum256(r.Body)
		if want := "SHA-256=" + base64.StdEncoding.EncodeToString(sum[:]); r.Header.Get("Digest") != want {
			return "", "", nil, fmt.Errorf("digest %q, want %q", r.Header.Get("Digest"), want)
		}
	}
	if params["headers"] != strings.Join(need, " ") {
		return "", "", nil, fmt.Errorf("covers %q, want %q", params["headers"], need)
	}
	if params["algorithm"] != "rsa-sha256" {
		return "", "", nil, fmt.Errorf("algorithm %q", params["algorithm"])
	}
	var lines []string
	for _, name := range need {
		switch name {
		case "(request-target)":
			lines = append(lines, name+": "+strings.ToLower(r.Method)+" "+r.URI)
		case "host":
			lines = append(lines, "host: "+r.Host)
		default:
			lines = append(lines, name+": "+r.Header.Get(name))
		}
	}
	sig, err = base64.StdEncoding.DecodeString(params["signature"])
	return params["keyId"], strings.Join(lines, "\n"), sig, err
}

func (p *Peer) signed9421(r Request) (keyID, text string, sig []byte, err error) {
	m := inputShape.FindStringSubmatch(r.Header.Get("Signature-Input"))
	if m == nil {
		return "", "", nil, fmt.Errorf("signature input %q", r.Header.Get("Signature-Input"))
	}
	var lines []string
	covered := map[string]bool{}
	for _, quoted := range strings.Fields(m[3]) {
		name := strings.Trim(quoted, `"`)
		covered[name] = true
		value := r.Header.Get(name)
		switch name {
		case "@method":
			value = r.Method
		case "@target-uri":
			value = p.base + r.URI
		case "@authority":
			value = r.Host
		}
		lines = append(lines, quoted+": "+value)
	}
	if !covered["@method"] || !covered["@target-uri"] || r.Method == http.MethodPost && !covered["content-digest"] {
		return "", "", nil, fmt.Errorf("covers only %s", m[3])
	}
	if r.Method == http.MethodPost {
		sum := sha256.Sum256(r.Body)
		if want := "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"; r.Header.Get("Content-Digest") != want {
			return "", "", nil, fmt.Errorf("digest %q, want %q", r.Header.Get("Content-Digest"), want)
		}
	}
	id := paramKeyID.FindStringSubmatch(m[4])
	if id == nil || !strings.Contains(m[4], ";created=") {
		return "", "", nil, fmt.Errorf("parameters %q", m[4])
	}
	lines = append(lines, `"@signature-params": `+m[2])
	value := strings.TrimSuffix(strings.TrimPrefix(r.Header.Get("Signature"), m[1]+"=:"), ":")
	sig, err = base64.StdEncoding.DecodeString(value)
	return id[1], strings.Join(lines, "\n"), sig, err
}

// publicKey fetches a key without a signature, as every server must allow.
func (p *Peer) publicKey(keyID string) (owner string, key *rsa.PublicKey, err error) {
	req, err := http.NewRequest(http.MethodGet, keyID, nil)
	if err != nil {
		return "", nil, err
	}
	req.Header.Set("Accept", ActivityJSON)
	resp, err := p.http.Do(req)
	if err != nil {
		return "", nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", nil, err
	}
	var doc struct {
		ID        string
		PublicKey struct{ ID, Owner, PublicKeyPem string }
	}
	if err := json.Unmarshal(body, &doc); err != nil || resp.StatusCode != http.StatusOK {
		return "", nil, fmt.Errorf("key %s: %d %.200s", keyID, resp.StatusCode, body)
	}
	if doc.PublicKey.ID != keyID || doc.PublicKey.Owner != doc.ID {
		return "", nil, fmt.Errorf("key %s is %+v of %s", keyID, doc.PublicKey, doc.ID)
	}
	block, _ := pem.Decode([]byte(doc.PublicKey.PublicKeyPem))
	if block == nil {
		return "", nil, errors.New("no PEM")
	}
	parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return "", nil, err
	}
	key, ok := parsed.(*rsa.PublicKey)
	if !ok {
		return "", nil, fmt.Errorf("key %s is a %T", keyID, parsed)
	}
	return doc.ID, key, nil
}
