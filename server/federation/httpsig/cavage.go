package httpsig

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The names that are no headers.
const (
	requestTarget = "(request-target)"
	created       = "(created)"
	expires       = "(expires)"
)

// Bounds of the header.
const (
	maxParams  = 16
	maxCovered = 32
)

// single are the headers that a request may have once only: of two, reader and
// signer may mean different ones.
var single = []string{"host", "date", "digest", "content-digest", "content-type", "content-length", "signature", "signature-input"}

// parseCavage reads a signature of draft-cavage-http-signatures-12.
func parseCavage(req *http.Request, body []byte, o Options) (*Signature, error) {
	raw, err := cavageHeader(req)
	if err != nil {
		return nil, err
	}
	params, err := cavageParams(raw)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBad, err)
	}
	s := &Signature{KeyID: params["keyId"], Kind: Cavage}
	if s.KeyID == "" {
		return nil, fmt.Errorf("%w: it names no key", ErrBad)
	}
	if s.signature, err = base64.StdEncoding.Strict().DecodeString(params["signature"]); err != nil || len(s.signature) == 0 {
		return nil, fmt.Errorf("%w: it is not base64", ErrBad)
	}
	covered := strings.Fields(strings.ToLower(params["headers"]))
	if err := cavageCovers(req, body, covered); err != nil {
		return nil, err
	}
	if err := cavageTimes(req, params, covered, o); err != nil {
		return nil, err
	}
	if slices.Contains(covered, "digest") {
		if err := cavageDigest(req, body); err != nil {
			return nil, err
		}
	}
	s.bases, err = cavageBases(req, params, covered, o)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// cavageHeader returns the one signature of a request, from the header
// Signature or Authorization.
func cavageHeader(req *http.Request) (string, error) {
	found := slices.Clone(req.Header.Values("Signature"))
	for _, v := range req.Header.Values("Authorization") {
		if word, rest, ok := strings.Cut(v, " "); ok && strings.EqualFold(word, "Signature") {
			found = append(found, rest)
		}
	}
	switch len(found) {
	case 0:
		return "", ErrUnsigned
	case 1:
		if word, rest, ok := strings.Cut(strings.TrimSpace(found[0]), " "); ok && strings.EqualFold(word, "Signature") {
			return rest, nil
		}
		return found[0], nil
	}
	return "", fmt.Errorf("%w: there are %d", ErrBad, len(found))
}

// cavageParams reads name="value" and name=number, separated by commas. A
// repeated name, in any case, is an error.
func cavageParams(s string) (map[string]string, error) {
	params := map[string]string{}
	known := map[string]bool{}
	for s = strings.TrimSpace(s); ; {
		name, rest, ok := strings.Cut(s, "=")
		if !ok || name == "" || strings.ContainsAny(name, "\", \t") {
			return nil, fmt.Errorf("a parameter without a value")
		}
		var value string
		if quoted, ok := strings.CutPrefix(rest, `"`); ok {
			if value, rest, ok = strings.Cut(quoted, `"`); !ok || strings.Contains(value, `\`) {
				return nil, fmt.Errorf("a value without an end")
			}
		} else {
			end := strings.IndexAny(rest, ", \t")
			if end < 0 {
				end = len(rest)
			}
			if value, rest = rest[:end], rest[end:]; strings.Trim(value, "0123456789") != "" || value == "" {
				return nil, fmt.Errorf("a value that is neither text nor number")
			}
		}
		if known[strings.ToLower(name)] || len(known) == maxParams {
			return nil, fmt.Errorf("parameter %.50q twice, or too many", name)
		}
		known[strings.ToLower(name)] = true
		params[name] = value
		if rest = strings.TrimSpace(rest); rest == "" {
			return params, nil
		}
		if s, ok = strings.CutPrefix(rest, ","); !ok {
			return nil, fmt.Errorf("something after a value")
		}
		s = strings.TrimSpace(s)
	}
}

// cavageCovers reports whether a signature covers enough to be valid for this
// request only.
func cavageCovers(req *http.Request, body []byte, covered []string) error {
	need := []string{requestTarget, "host"}
	if hasBody(req, body) {
		need = append(need, "digest")
	}
	for _, name := range need {
		if !slices.Contains(covered, name) {
			return fmt.Errorf("%w: it does not cover %s", ErrBad, name)
		}
	}
	if !slices.Contains(covered, "date") && !slices.Contains(covered, created) {
		return fmt.Errorf("%w: it covers no time", ErrBad)
	}
	return sound(req, covered)
}

// sound reports whether covered headers are unambiguous.
func sound(req *http.Request, covered []string) error {
	if len(covered) > maxCovered {
		return fmt.Errorf("%w: it covers too much", ErrBad)
	}
	for i, name := range covered {
		if slices.Contains(covered[:i], name) {
			return fmt.Errorf("%w: it covers %.50q twice", ErrBad, name)
		}
	}
	for _, name := range single {
		if n := len(req.Header.Values(name)); n > 1 {
			return fmt.Errorf("%w: %d headers %s", ErrBad, n, name)
		}
	}
	if t := target(req); !strings.HasPrefix(t, "/") || strings.ContainsAny(t, " \r\n") {
		return fmt.Errorf("%w: it is for no path", ErrBad)
	}
	return nil
}

func cavageTimes(req *http.Request, params map[string]string, covered []string, o Options) error {
	if slices.Contains(covered, "date") {
		at, err := http.ParseTime(req.Header.Get("Date"))
		if err != nil {
			return fmt.Errorf("%w: it has no date", ErrBad)
		}
		if err := o.inTime(at); err != nil {
			return err
		}
	}
	byCreated := slices.Contains(covered, created) || slices.Contains(covered, expires)
	if kind := strings.ToLower(params["algorithm"]); byCreated && kind != "" && kind != "hs2019" {
		return fmt.Errorf("%w: (created) and (expires) are not of %.50q", ErrBad, kind)
	}
	if text, said := params["created"]; said || slices.Contains(covered, created) {
		at, err := seconds(text)
		if err != nil {
			return err
		}
		if err := o.inTime(at); err != nil {
			return err
		}
	}
	if text, said := params["expires"]; said || slices.Contains(covered, expires) {
		at, err := seconds(text)
		if err != nil {
			return err
		}
		if o.Now.After(at) {
			return fmt.Errorf("%w: it expired", ErrBad)
		}
	}
	return nil
}

func seconds(text string) (time.Time, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > 1<<40 {
		return time.Time{}, fmt.Errorf("%w: time %.50q", ErrBad, text)
	}
	return time.Unix(n, 0), nil
}

// cavageDigest compares a body with its header Digest: comma-separated
// LABEL=BASE64, one of them SHA-256.
func cavageDigest(req *http.Request, body []byte) error {
	sum, found := sha256.Sum256(body), false
	for member := range strings.SplitSeq(req.Header.Get("Digest"), ",") {
		label, value, _ := strings.Cut(strings.TrimSpace(member), "=")
		if !strings.EqualFold(label, "SHA-256") {
			continue
		}
		said, err := base64.StdEncoding.Strict().DecodeString(value)
		if err != nil || found || subtle.ConstantTimeCompare(said, sum[:]) != 1 {
			return fmt.Errorf("%w: the digest is not of the body", ErrBad)
		}
		found = true
	}
	if !found {
		return fmt.Errorf("%w: no digest of SHA-256", ErrBad)
	}
	return nil
}

// cavageBases returns the possible signing strings of a request: with its query
// and without, and in tests with its host's port and without.
func cavageBases(req *http.Request, params map[string]string, covered []string, o Options) ([]string, error) {
	paths, hosts := []string{target(req)}, []string{req.Host}
	if path, _, ok := strings.Cut(paths[0], "?"); ok {
		paths = append(paths, path)
	}
	if bare := hostname(req.Host); o.AnyPort && bare != req.Host {
		hosts = append(hosts, bare)
	}
	var bases []string
	for _, path := range paths {
		for _, host := range hosts {
			lines := make([]string, len(covered))
			for i, name := range covered {
				value, err := cavageValue(req, params, name, path, host)
				if err != nil {
					return nil, err
				}
				lines[i] = name + ": " + value
			}
			bases = append(bases, strings.Join(lines, "\n"))
		}
	}
	return bases, nil
}

func cavageValue(req *http.Request, params map[string]string, name, path, host string) (string, error) {
	switch name {
	case requestTarget:
		return strings.ToLower(req.Method) + " " + path, nil
	case "host":
		return host, nil
	case created:
		return params["created"], nil
	case expires:
		return params["expires"], nil
	}
	return headerValue(req, name)
}

// headerValue returns a header as it is signed: its values joined and trimmed.
func headerValue(req *http.Request, name string) (string, error) {
	values := req.Header.Values(name)
	if len(values) == 0 && name == "content-length" && req.ContentLength >= 0 {
		return strconv.FormatInt(req.ContentLength, 10), nil
	}
	if len(values) == 0 {
		return "", fmt.Errorf("%w: it covers %.50q, which is not there", ErrBad, name)
	}
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = strings.TrimSpace(v)
	}
	return strings.Join(out, ", "), nil
}
