package httpsig

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Sign signs a request that is about to be sent, in one of the kinds above, and
// sets the headers that this takes: Date, and for a request with a body its
// digest and, where there is none, Content-Type. An earlier signature is
// replaced. The request's URL, Host and headers must not change after.
func Sign(req *http.Request, body []byte, keyID string, key *rsa.PrivateKey, kind string, now time.Time) error {
	for _, name := range []string{"Signature", "Signature-Input", "Digest", "Content-Digest"} {
		req.Header.Del(name)
	}
	if strings.ContainsAny(keyID, "\"\\\r\n") {
		return fmt.Errorf("sign: key id %q", keyID)
	}
	req.Header.Set("Date", now.UTC().Format(http.TimeFormat))
	if hasBody(req, body) && req.Header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", "application/activity+json")
	}
	switch kind {
	case Cavage, CavagePath:
		return signCavage(req, body, keyID, key, kind)
	case RFC9421:
		return sign9421(req, body, keyID, key, now)
	}
	return fmt.Errorf("sign: unknown kind %q", kind)
}

// sentTo is the host that a request will name.
func sentTo(req *http.Request) string {
	if req.Host != "" {
		return req.Host
	}
	return req.URL.Host
}

func digest(body []byte) string {
	sum := sha256.Sum256(body)
	return base64.StdEncoding.EncodeToString(sum[:])
}

func signCavage(req *http.Request, body []byte, keyID string, key *rsa.PrivateKey, kind string) error {
	path := target(req)
	if kind == CavagePath {
		path, _, _ = strings.Cut(path, "?")
	}
	names := []string{requestTarget, "host", "date"}
	lines := []string{
		requestTarget + ": " + strings.ToLower(req.Method) + " " + path,
		"host: " + sentTo(req),
		"date: " + req.Header.Get("Date"),
	}
	if hasBody(req, body) {
		req.Header.Set("Digest", "SHA-256="+digest(body))
		names = append(names, "digest", "content-type")
		lines = append(lines, "digest: "+req.Header.Get("Digest"), "content-type: "+req.Header.Get("Content-Type"))
	}
	signature, err := sign(strings.Join(lines, "\n"), key)
	if err != nil {
		return err
	}
	req.Header.Set("Signature", fmt.Sprintf(`keyId="%s",algorithm="rsa-sha256",headers="%s",signature="%s"`, keyID, strings.Join(names, " "), signature))
	return nil
}

func sign9421(req *http.Request, body []byte, keyID string, key *rsa.PrivateKey, now time.Time) error {
	names := []string{"@method", "@target-uri"}
	lines := []string{
		`"@method": ` + req.Method,
		`"@target-uri": ` + req.URL.Scheme + "://" + sentTo(req) + target(req),
	}
	if hasBody(req, body) {
		req.Header.Set("Content-Digest", "sha-256=:"+digest(body)+":")
		names = append(names, "content-digest")
		lines = append(lines, `"content-digest": `+req.Header.Get("Content-Digest"))
	}
	params := `("` + strings.Join(names, `" "`) + `");created=` + strconv.FormatInt(now.Unix(), 10) + `;keyid="` + keyID + `";alg="rsa-v1_5-sha256"`
	lines = append(lines, `"@signature-params": `+params)
	signature, err := sign(strings.Join(lines, "\n"), key)
	if err != nil {
		return err
	}
	req.Header.Set("Signature-Input", "sig1="+params)
	req.Header.Set("Signature", "sig1=:"+signature+":")
	return nil
}

func sign(base string, key *rsa.PrivateKey) (string, error) {
	sum := sha256.Sum256([]byte(base))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	if err != nil {
		return "", fmt.Errorf("sign: %w", err)
	}
	return base64.StdEncoding.EncodeToString(signature), nil
}
