package httpsig

import (
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// parse9421 reads a signature of RFC 9421: one, over the method and the target
// and a body's digest, with a time.
func parse9421(req *http.Request, body []byte, o Options) (*Signature, error) {
	bad := func(why string, args ...any) (*Signature, error) {
		return nil, fmt.Errorf("%w: "+why, append([]any{ErrBad}, args...)...)
	}
	inputs, signatures := req.Header.Values("Signature-Input"), req.Header.Values("Signature")
	if len(inputs) != 1 || len(signatures) != 1 {
		return bad("%d inputs, %d signatures", len(inputs), len(signatures))
	}
	in, err := readInput(inputs[0])
	if err != nil {
		return bad("its input: %w", err)
	}
	s := &Signature{KeyID: in.params["keyid"], Kind: RFC9421, algorithm: in.params["alg"]}
	if s.KeyID == "" {
		return bad("it names no key")
	}
	if s.signature, err = readBytes(signatures[0], in.label); err != nil {
		return bad("%w", err)
	}
	need := []string{"@method", "@target-uri"}
	if hasBody(req, body) {
		need = append(need, "content-digest")
	}
	for _, name := range need {
		if !slices.Contains(in.covered, name) {
			return bad("it does not cover %s", name)
		}
	}
	if err := sound(req, in.covered); err != nil {
		return nil, err
	}
	at, err := seconds(in.params["created"])
	if err != nil {
		return nil, err
	}
	if err := o.inTime(at); err != nil {
		return nil, err
	}
	if text, said := in.params["expires"]; said {
		at, err := seconds(text)
		if err != nil {
			return nil, err
		}
		if o.Now.After(at) {
			return bad("it expired")
		}
	}
	if slices.Contains(in.covered, "date") {
		date, err := http.ParseTime(req.Header.Get("Date"))
		if err != nil {
			return bad("it has no date")
		}
		if err := o.inTime(date); err != nil {
			return nil, err
		}
	}
	if slices.Contains(in.covered, "content-digest") {
		if err := contentDigest(req.Header.Get("Content-Digest"), body); err != nil {
			return nil, err
		}
	}
	lines := make([]string, 0, len(in.covered)+1)
	for _, name := range in.covered {
		value, err := component(req, name, o)
		if err != nil {
			return nil, err
		}
		lines = append(lines, `"`+name+`": `+value)
	}
	s.bases = []string{strings.Join(append(lines, `"@signature-params": `+in.raw), "\n")}
	return s, nil
}

// component returns the value of one covered name (RFC 9421, 2.1 and 2.2).
func component(req *http.Request, name string, o Options) (string, error) {
	to := target(req)
	path, query, _ := strings.Cut(to, "?")
	switch name {
	case "@method":
		return req.Method, nil
	case "@target-uri":
		return o.Scheme + "://" + req.Host + to, nil
	case "@authority":
		return strings.ToLower(req.Host), nil
	case "@scheme":
		return o.Scheme, nil
	case "@request-target":
		return to, nil
	case "@path":
		return path, nil
	case "@query":
		return "?" + query, nil
	case "host":
		return req.Host, nil
	}
	if strings.HasPrefix(name, "@") {
		return "", fmt.Errorf("%w: it covers %.50q", ErrBad, name)
	}
	return headerValue(req, name)
}

// contentDigest compares a body with its header Content-Digest (RFC 9530): all
// SHA-256 and SHA-512 values in it.
func contentDigest(header string, body []byte) error {
	known := map[string]bool{}
	for member := range strings.SplitSeq(header, ",") {
		label, value, _ := strings.Cut(strings.TrimSpace(member), "=")
		var sum []byte
		switch label {
		case "sha-256":
			s := sha256.Sum256(body)
			sum = s[:]
		case "sha-512":
			s := sha512.Sum512(body)
			sum = s[:]
		default:
			continue
		}
		said, err := colons(value)
		if err != nil || known[label] || subtle.ConstantTimeCompare(said, sum) != 1 {
			return fmt.Errorf("%w: the digest is not of the body", ErrBad)
		}
		known[label] = true
	}
	if len(known) == 0 {
		return fmt.Errorf("%w: no digest of SHA-256 or SHA-512", ErrBad)
	}
	return nil
}

// input is the header Signature-Input: LABEL=("name" …);param=value…, once.
type input struct {
	label   string
	raw     string // the text after the label
	covered []string
	params  map[string]string
}

// readInput reads a dictionary of one inner list of strings (RFC 8941) without
// member parameters.
func readInput(s string) (*input, error) {
	label, raw, ok := strings.Cut(strings.TrimSpace(s), "=")
	if !ok || !isKey(label) {
		return nil, fmt.Errorf("no label")
	}
	in := &input{label: label, raw: raw, params: map[string]string{}}
	rest, ok := strings.CutPrefix(raw, "(")
	for ok {
		rest = strings.TrimLeft(rest, " ")
		if after, end := strings.CutPrefix(rest, ")"); end {
			rest = after
			break
		}
		var name string
		if name, rest, ok = quoted(rest); ok {
			ok = name != "" && name == strings.ToLower(name) && (strings.HasPrefix(rest, " ") || strings.HasPrefix(rest, ")"))
			in.covered = append(in.covered, name)
		}
	}
	if !ok {
		return nil, fmt.Errorf("no list of names")
	}
	for rest != "" {
		name, value, after, ok := param(rest)
		if !ok {
			return nil, fmt.Errorf("something after the list: %.50q", rest)
		}
		if _, twice := in.params[name]; twice || len(in.params) == maxParams {
			return nil, fmt.Errorf("parameter %.50q twice, or too many", name)
		}
		in.params[name], rest = value, after
	}
	return in, nil
}

// param reads ;name="text" and ;name=123.
func param(s string) (name, value, rest string, ok bool) {
	if s, ok = strings.CutPrefix(s, ";"); !ok {
		return "", "", "", false
	}
	if name, rest, ok = strings.Cut(strings.TrimLeft(s, " "), "="); !ok || !isKey(name) {
		return "", "", "", false
	}
	if strings.HasPrefix(rest, `"`) {
		value, rest, ok = quoted(rest)
		return name, value, rest, ok
	}
	n := 0
	for n < len(rest) && (rest[n] >= '0' && rest[n] <= '9' || n == 0 && rest[n] == '-') {
		n++
	}
	return name, rest[:n], rest[n:], n > 0
}

// quoted reads a quoted text. Escapes are refused, as no name here has any.
func quoted(s string) (text, rest string, ok bool) {
	if s, ok = strings.CutPrefix(s, `"`); !ok {
		return "", "", false
	}
	text, rest, ok = strings.Cut(s, `"`)
	return text, rest, ok && !strings.Contains(text, `\`)
}

func isKey(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_-.*") == ""
}

// readBytes reads the header Signature: LABEL=:BASE64:, once.
func readBytes(s, label string) ([]byte, error) {
	name, value, ok := strings.Cut(strings.TrimSpace(s), "=")
	if !ok || name != label {
		return nil, fmt.Errorf("no signature of that label")
	}
	return colons(value)
}

// colons reads :BASE64:.
func colons(s string) ([]byte, error) {
	if len(s) < 3 || s[0] != ':' || s[len(s)-1] != ':' {
		return nil, fmt.Errorf("no bytes")
	}
	return base64.StdEncoding.Strict().DecodeString(s[1 : len(s)-1])
}
