package httpsig

import (
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var now = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)

var testKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

const keyID = "https://p.example/users/bob#main-key"

func options() Options {
	return Options{Scheme: "https", Host: "h.example", Now: now, Past: 2 * time.Hour, Future: time.Hour}
}

// outgoing is a request as it is sent.
func outgoing(t testing.TB, method, path string, body string) *http.Request {
	t.Helper()
	var r io.Reader
	if method == http.MethodPost {
		r = strings.NewReader(body)
	}
	req, err := http.NewRequest(method, "https://h.example"+path, r)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// arrived is a sent request as its server sees it.
func arrived(req *http.Request) *http.Request {
	in := httptest.NewRequest(req.Method, req.URL.RequestURI(), nil)
	in.Host, in.Header = "h.example", req.Header.Clone()
	return in
}

func TestWhatIsSignedIsVerified(t *testing.T) {
	for _, kind := range []string{Cavage, CavagePath, RFC9421} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			body := ""
			if method == http.MethodPost {
				body = `{"type":"Follow"}`
			}
			out := outgoing(t, method, "/users/ann?page=true", body)
			if err := Sign(out, []byte(body), keyID, testKey(), kind, now); err != nil {
				t.Fatal(err)
			}
			sig, err := Parse(arrived(out), []byte(body), options())
			if err != nil {
				t.Errorf("%s %s: %v", kind, method, err)
				continue
			}
			want := map[string]string{Cavage: Cavage, CavagePath: Cavage, RFC9421: RFC9421}[kind]
			if sig.KeyID != keyID || sig.Kind != want {
				t.Errorf("%s %s: key %s, kind %s", kind, method, sig.KeyID, sig.Kind)
			}
			if err := sig.Verify(&testKey().PublicKey); err != nil {
				t.Errorf("%s %s: %v", kind, method, err)
			}
			other, err := rsa.GenerateKey(rand.Reader, 1024)
			if err != nil {
				t.Fatal(err)
			}
			if err := sig.Verify(&other.PublicKey); !errors.Is(err, ErrBad) {
				t.Errorf("%s %s, another key: %v", kind, method, err)
			}
		}
	}
}

func TestSignedHeadersHaveTheShapeThatOthersExpect(t *testing.T) {
	out := outgoing(t, http.MethodPost, "/inbox", `{"a":1}`)
	if err := Sign(out, []byte(`{"a":1}`), keyID, testKey(), Cavage, now); err != nil {
		t.Fatal(err)
	}
	cut, _, _ := strings.Cut(out.Header.Get("Signature"), "signature=")
	got := map[string]string{"Signature": cut, "Date": out.Header.Get("Date"), "Digest": out.Header.Get("Digest"), "Content-Type": out.Header.Get("Content-Type")}
	want := map[string]string{
		"Signature": `keyId="https://p.example/users/bob#main-key",algorithm="rsa-sha256",headers="(request-target) host date digest content-type",`,
		"Date":      "Sun, 01 Mar 2026 10:00:00 GMT", "Digest": "SHA-256=AVq9f1zFei3ZSQ8NBj7ofo7bC4QQZ0jGvKXl0LMEfcg=", "Content-Type": "application/activity+json",
	}
	want["Digest"] = "SHA-256=" + digest([]byte(`{"a":1}`))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	out = outgoing(t, http.MethodPost, "/inbox?a=b", `{"a":1}`)
	if err := Sign(out, []byte(`{"a":1}`), keyID, testKey(), RFC9421, now); err != nil {
		t.Fatal(err)
	}
	if got, want := out.Header.Get("Signature-Input"),
		`sig1=("@method" "@target-uri" "content-digest");created=1772359200;keyid="https://p.example/users/bob#main-key";alg="rsa-v1_5-sha256"`; got != want {
		t.Errorf("input %s, want %s", got, want)
	}
	if out.Header.Get("Digest") != "" {
		t.Error("a digest of the other kind")
	}
	if err := Sign(out, nil, "a\"b", testKey(), Cavage, now); err == nil {
		t.Error("a key id with a quotation mark")
	}
}

// TestKnownAnswerOfTheDraft is the default test of appendix C.2 of the draft,
// with its key.
func TestKnownAnswerOfTheDraft(t *testing.T) {
	key, err := ParseKey(`-----BEGIN PUBLIC KEY-----
MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDCFENGw33yGihy92pDjZQhl0C3
6rPJj+CvfSC8+q28hxA161QFNUd13wuCTUcq0Qd2qsBe/2hFyc2DCJJg0h1L78+6
Z4UMR7EOcpfdUE9Hf3m/hs+FUR45uBJeDK1HSFHD8bHKD6kv8FPGfJTotc+2xjJw
oYi+1hqp1fIekaxsyQIDAQAB
-----END PUBLIC KEY-----`)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ covered, base, signature string }{
		"C.2": {
			"(request-target) host date",
			"(request-target): post /foo?param=value&pet=dog\nhost: example.com\ndate: Sun, 05 Jan 2014 21:31:40 GMT",
			"qdx+H7PHHDZgy4y/Ahn9Tny9V3GP6YgBPyUXMmoxWtLbHpUnXS2mg2+SbrQDMCJypxBLSPQR2aAjn7ndmw2iicw3HMbe8VfEdKFYRqzic+efkb3nndiv/x1xSHDJWeSWkx3ButlYSuBskLu6kd9Fswtemr3lgdDEmn04swr2Os0=",
		},
		"C.3": {
			"(request-target) host date content-type digest content-length",
			"(request-target): post /foo?param=value&pet=dog\nhost: example.com\ndate: Sun, 05 Jan 2014 21:31:40 GMT\ncontent-type: application/json\ndigest: SHA-256=X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=\ncontent-length: 18",
			"vSdrb+dS3EceC9bcwHSo4MlyKS59iFIrhgYkz8+oVLEEzmYZZvRs8rgOp+63LEM3v+MFHB32NfpB2bEKBIvB1q52LaEUHFv120V01IL+TAD48XaERZFukWgHoBTLMhYS2Gb51gWxpeIq8knRmPnYePbF5MOkR0Zkly4zKH7s1dE=",
		},
	} {
		body := []byte(`{"hello": "world"}`)
		req := httptest.NewRequest(http.MethodPost, "/foo?param=value&pet=dog", nil)
		req.Host = "example.com"
		req.Header.Set("Date", "Sun, 05 Jan 2014 21:31:40 GMT")
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Digest", "SHA-256=X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=")
		req.Header.Set("Content-Length", "18")
		req.Header.Set("Signature", `keyId="Test",algorithm="rsa-sha256",headers="`+c.covered+`",signature="`+c.signature+`"`)
		o := Options{Scheme: "https", Host: "example.com", Now: time.Date(2014, 1, 5, 21, 31, 40, 0, time.UTC), Past: time.Hour, Future: time.Hour}
		sig, err := Parse(req, body, o)
		if !strings.Contains(c.covered, "digest") {
			// It does not cover the body, so it counts for none; as it is, it is true.
			if !errors.Is(err, ErrBad) {
				t.Errorf("%s: %v", name, err)
			}
			raw, err := base64.StdEncoding.DecodeString(c.signature)
			if err != nil {
				t.Fatal(err)
			}
			sig = &Signature{bases: []string{c.base}, signature: raw}
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		} else if diff := cmp.Diff(c.base, sig.bases[0]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if err := sig.Verify(key); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestKnownAnswerOfRFC9421 is the request of appendix B.2, signed with the
// Ed25519 key of appendix B.1.4 (test vector B.2.6), which covers too little
// for us; its base and signature are as printed there.
func TestKnownAnswerOfRFC9421(t *testing.T) {
	key, err := ParseKey("-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=\n-----END PUBLIC KEY-----")
	if err != nil {
		t.Fatal(err)
	}
	req := httptest.NewRequest(http.MethodPost, "/foo?param=Value&Pet=dog", nil)
	req.Host = "example.com"
	for k, v := range map[string]string{
		"Date": "Tue, 20 Apr 2021 02:07:55 GMT", "Content-Type": "application/json", "Content-Length": "18",
		"Content-Digest": "sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:",
	} {
		req.Header.Set(k, v)
	}
	in, err := readInput(`sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"`)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := readBytes(`sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:`, in.label)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Scheme: "https", Host: "example.com"}
	var lines []string
	for _, name := range in.covered {
		value, err := component(req, name, o)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, `"`+name+`": `+value)
	}
	sig := &Signature{bases: []string{strings.Join(append(lines, `"@signature-params": `+in.raw), "\n")}, signature: raw}
	if err := sig.Verify(key); err != nil {
		t.Errorf("%v, of\n%s", err, sig.bases[0])
	}
	if err := contentDigest(req.Header.Get("Content-Digest"), []byte(`{"hello": "world"}`)); err != nil {
		t.Error(err)
	}
}

// resign signs the headers that a request names as covered.
func resign(t testing.TB, req *http.Request, covered, more string, body []byte, key crypto.Signer, hash crypto.Hash) {
	t.Helper()
	var lines []string
	for name := range strings.FieldsSeq(covered) {
		switch name {
		case requestTarget:
			lines = append(lines, name+": "+strings.ToLower(req.Method)+" "+req.RequestURI)
		case "host":
			lines = append(lines, "host: "+req.Host)
		case created:
			lines = append(lines, fmt.Sprintf("(created): %d", now.Unix()))
		case expires:
			lines = append(lines, fmt.Sprintf("(expires): %d", now.Add(time.Minute).Unix()))
		default:
			lines = append(lines, name+": "+strings.Join(req.Header.Values(name), ", "))
		}
	}
	base := []byte(strings.Join(lines, "\n"))
	if hash == crypto.SHA512 {
		sum := sha512.Sum512(base)
		base = sum[:]
	}
	signature, err := key.Sign(rand.Reader, base, hash)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Signature", fmt.Sprintf(`keyId="%s",headers="%s",signature="%s"%s`, keyID, covered, base64.StdEncoding.EncodeToString(signature), more))
}

// posted is a request with every header a signature may cover, and no signature.
func posted(body []byte) *http.Request {
	req := httptest.NewRequest(http.MethodPost, "/inbox", nil)
	req.Host = "h.example"
	req.Header.Set("Date", now.Format(http.TimeFormat))
	req.Header.Set("Digest", "SHA-256="+digest(body))
	req.Header.Set("Content-Type", "application/activity+json")
	return req
}

func TestTheKeysTypeSelectsTheAlgorithm(t *testing.T) {
	body := []byte("{}")
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	const covered = "(request-target) host date digest"
	for _, label := range []string{"", `,algorithm="hs2019"`, `,algorithm="rsa-sha256"`, `,algorithm="rsa-sha512"`, `,algorithm="ed25519"`, `,algorithm="hmac-sha256"`} {
		for name, c := range map[string]struct {
			signer crypto.Signer
			hash   crypto.Hash
			key    crypto.PublicKey
		}{
			"RSA and SHA-512": {testKey(), crypto.SHA512, &testKey().PublicKey},
			"Ed25519":         {private, crypto.Hash(0), public},
		} {
			req := posted(body)
			resign(t, req, covered, label, body, c.signer, c.hash)
			sig, err := Parse(req, body, options())
			if err != nil {
				t.Fatalf("%s%s: %v", name, label, err)
			}
			if err := sig.Verify(c.key); err != nil {
				t.Errorf("%s%s: %v", name, label, err)
			}
		}
	}
	req := posted(body)
	resign(t, req, covered, "", body, private, crypto.Hash(0))
	sig, err := Parse(req, body, options())
	if err != nil {
		t.Fatal(err)
	}
	if err := sig.Verify(&testKey().PublicKey); !errors.Is(err, ErrBad) {
		t.Errorf("a key of another type: %v", err)
	}
	if err := sig.Verify("no key"); !errors.Is(err, ErrBad) {
		t.Errorf("no key at all: %v", err)
	}
}

// TestCoverage lists the parts a signature must cover and the form a request must
// have; a valid signature does not make up for them.
func TestCoverage(t *testing.T) {
	body := []byte(`{"type":"Create"}`)
	const all = "(request-target) host date digest"
	set := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	add := func(name string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Add(name, r.Header.Get(name)) }
	}
	digests := func(s string) func(*http.Request) {
		return set("Digest", strings.ReplaceAll(s, "*", digest(body)))
	}
	for name, c := range map[string]struct {
		covered string
		more    string
		before  func(*http.Request)
		after   func(*http.Request)
		ok      bool
	}{
		"all":                          {covered: all, ok: true},
		"and more":                     {covered: all + " content-type", ok: true},
		"in another order":             {covered: "digest date host (request-target)", ok: true},
		"created for date":             {covered: "(request-target) host (created) digest", more: fmt.Sprintf(",created=%d", now.Unix()), ok: true},
		"created as text":              {covered: "(request-target) host (created) digest", more: fmt.Sprintf(`,created="%d",algorithm="hs2019"`, now.Unix()), ok: true},
		"created and rsa-sha256":       {covered: "(request-target) host (created) digest", more: fmt.Sprintf(`,created=%d,algorithm="rsa-sha256"`, now.Unix())},
		"created, but not said":        {covered: "(request-target) host (created) digest"},
		"created long ago":             {covered: all, more: fmt.Sprintf(",created=%d", now.Add(-3*time.Hour).Unix())},
		"expires in time":              {covered: all + " (expires)", more: fmt.Sprintf(",expires=%d", now.Add(time.Minute).Unix()), ok: true},
		"expired":                      {covered: all, more: fmt.Sprintf(",expires=%d", now.Add(-time.Second).Unix())},
		"without the target":           {covered: "host date digest"},
		"without the host":             {covered: "(request-target) date digest"},
		"without a time":               {covered: "(request-target) host digest"},
		"without the digest":           {covered: "(request-target) host date"},
		"nothing":                      {covered: ""},
		"a header that is not there":   {covered: all + " x-other"},
		"a header twice":               {covered: all + " host"},
		"two dates":                    {covered: all, before: add("Date")},
		"two digests":                  {covered: all, before: add("Digest")},
		"two types":                    {covered: all, before: add("Content-Type")},
		"two signatures":               {covered: all, after: add("Signature")},
		"one here, one there":          {covered: all, after: func(r *http.Request) { r.Header.Set("Authorization", "Signature "+r.Header.Get("Signature")) }},
		"a host among the headers":     {covered: all, after: set("Host", "h.example")},
		"for another host":             {covered: all, before: func(r *http.Request) { r.Host = "evil.example" }},
		"the host in capitals":         {covered: all, before: func(r *http.Request) { r.Host = "H.Example" }, ok: true},
		"the host with its port":       {covered: all, before: func(r *http.Request) { r.Host = "h.example:443" }, ok: true},
		"the host with another port":   {covered: all, before: func(r *http.Request) { r.Host = "h.example:8443" }},
		"the whole address as target":  {covered: all, before: func(r *http.Request) { r.RequestURI = "https://h.example/inbox" }},
		"another path after":           {covered: all, after: func(r *http.Request) { r.RequestURI = "/users/ann/inbox" }},
		"a path that is not clean":     {covered: all, before: func(r *http.Request) { r.RequestURI = "/users/../inbox" }, ok: true},
		"made clean after":             {covered: all, before: func(r *http.Request) { r.RequestURI = "/users/../inbox" }, after: func(r *http.Request) { r.RequestURI = "/inbox" }},
		"an old date":                  {covered: all, before: set("Date", now.Add(-2*time.Hour-time.Second).Format(http.TimeFormat))},
		"a date just in time":          {covered: all, before: set("Date", now.Add(-2*time.Hour).Format(http.TimeFormat)), ok: true},
		"a date ahead":                 {covered: all, before: set("Date", now.Add(time.Hour+time.Second).Format(http.TimeFormat))},
		"a date that is none":          {covered: all, before: set("Date", "today")},
		"the digest's label in small":  {covered: all, before: digests("sha-256=*"), ok: true},
		"another digest beside":        {covered: all, before: digests("SHA-512=AAAA,SHA-256=*"), ok: true},
		"the digest twice in one":      {covered: all, before: digests("SHA-256=*,SHA-256=*")},
		"a true and a false digest":    {covered: all, before: digests("SHA-256=*,sha-256=AAAA")},
		"only another digest":          {covered: all, before: digests("SHA-512=*")},
		"a false digest":               {covered: all, before: digests("SHA-256=AAAA")},
		"a digest with something more": {covered: all, before: digests("SHA-256=*=")},
		"a parameter twice":            {covered: all, more: `,keyId="https://p.example/other"`},
		"in another case":              {covered: all, more: `,KEYID="https://p.example/other"`},
		"a parameter without a value":  {covered: all, more: `,opaque`},
		"a quotation without an end":   {covered: all, more: `,opaque="a`},
		"an escaped quotation":         {covered: all, more: `,opaque="a\"b"`},
		"something after":              {covered: all, more: ` x`},
		"spaces between":               {covered: all, more: ` , opaque="x"`, ok: true},
		"a word before":                {covered: all, after: func(r *http.Request) { r.Header.Set("Signature", "Signature "+r.Header.Get("Signature")) }, ok: true},
		"in Authorization": {covered: all, ok: true, after: func(r *http.Request) {
			r.Header.Set("Authorization", "Signature "+r.Header.Get("Signature"))
			r.Header.Del("Signature")
		}},
		"and the other kind's header": {covered: all, after: set("Signature-Input", `sig1=("@method")`)},
	} {
		req := posted(body)
		if c.before != nil {
			c.before(req)
		}
		sum := cavageSigner{testKey()}
		resign(t, req, c.covered, c.more, body, sum, crypto.SHA256)
		if c.after != nil {
			c.after(req)
		}
		sig, err := Parse(req, body, options())
		if err == nil {
			err = sig.Verify(&testKey().PublicKey)
		}
		if c.ok != (err == nil) || err != nil && !errors.Is(err, ErrBad) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// cavageSigner hashes its input with SHA-256.
type cavageSigner struct{ *rsa.PrivateKey }

func (s cavageSigner) Sign(_ io.Reader, base []byte, _ crypto.SignerOpts) ([]byte, error) {
	text, err := sign(string(base), s.PrivateKey)
	if err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(text)
}

func TestRFC9421Coverage(t *testing.T) {
	body := []byte(`{"type":"Create"}`)
	const all = `"@method" "@target-uri" "content-digest"`
	at := fmt.Sprintf(`;created=%d;keyid="%s"`, now.Unix(), keyID)
	for name, c := range map[string]struct {
		covered, params string
		target          string
		after           func(*http.Request)
		ok              bool
	}{
		"all":                        {covered: all, params: at, ok: true},
		"with more":                  {covered: all + ` "@authority" "@path" "@query" "@scheme" "@request-target" "date" "host"`, params: at, ok: true},
		"with the algorithm":         {covered: all, params: at + `;alg="rsa-v1_5-sha256"`, ok: true},
		"with another algorithm":     {covered: all, params: at + `;alg="rsa-pss-sha512"`},
		"another algorithm's type":   {covered: all, params: at + `;alg="ed25519"`},
		"without the method":         {covered: `"@target-uri" "content-digest"`, params: at},
		"without the target":         {covered: `"@method" "content-digest"`, params: at},
		"the path for the target":    {covered: `"@method" "@path" "@authority" "content-digest"`, params: at},
		"without the digest":         {covered: `"@method" "@target-uri"`, params: at},
		"without a time":             {covered: all, params: `;keyid="` + keyID + `"`},
		"without a key":              {covered: all, params: fmt.Sprintf(`;created=%d`, now.Unix())},
		"too old":                    {covered: all, params: fmt.Sprintf(`;created=%d;keyid="%s"`, now.Add(-3*time.Hour).Unix(), keyID)},
		"of the future":              {covered: all, params: fmt.Sprintf(`;created=%d;keyid="%s"`, now.Add(2*time.Hour).Unix(), keyID)},
		"expired":                    {covered: all, params: at + fmt.Sprintf(`;expires=%d`, now.Add(-time.Second).Unix())},
		"not expired":                {covered: all, params: at + fmt.Sprintf(`;expires=%d`, now.Add(time.Second).Unix()), ok: true},
		"a parameter twice":          {covered: all, params: at + `;keyid="x"`},
		"a name twice":               {covered: all + ` "@method"`, params: at},
		"a name with parameters":     {covered: all + ` "date";sf`, params: at},
		"a name that is not known":   {covered: all + ` "@status"`, params: at},
		"a header that is not there": {covered: all + ` "x-other"`, params: at},
		"for another address":        {covered: all, params: at, target: "https://evil.example/inbox"},
		"two inputs":                 {covered: all, params: at, after: func(r *http.Request) { r.Header.Add("Signature-Input", `sig2=("@method")`) }},
		"two in one":                 {covered: all, params: at, after: func(r *http.Request) { r.Header.Set("Signature-Input", r.Header.Get("Signature-Input")+`, sig2=()`) }},
		"another label": {covered: all, params: at, after: func(r *http.Request) {
			r.Header.Set("Signature", strings.Replace(r.Header.Get("Signature"), "sig1", "sig2", 1))
		}},
		"no signature":       {covered: all, params: at, after: func(r *http.Request) { r.Header.Del("Signature") }},
		"a broken signature": {covered: all, params: at, after: func(r *http.Request) { r.Header.Set("Signature", "sig1=:%%%:") }},
		"a broken input":     {covered: all, params: at, after: func(r *http.Request) { r.Header.Set("Signature-Input", "nonsense") }},
		"an empty input":     {covered: all, params: at, after: func(r *http.Request) { r.Header.Set("Signature-Input", "") }},
		"another digest":     {covered: all, params: at, after: func(r *http.Request) { r.Header.Set("Content-Digest", "sha-256=:AAAA:") }},
		"two digests":        {covered: all, params: at, after: func(r *http.Request) { r.Header.Add("Content-Digest", r.Header.Get("Content-Digest")) }},
	} {
		req := posted(body)
		req.Header.Set("Content-Digest", "sha-256=:"+digest(body)+":")
		target := "https://h.example/inbox"
		if c.target != "" {
			target = c.target
		}
		values := map[string]string{
			"@method": "POST", "@target-uri": target, "@authority": "h.example", "@path": "/inbox", "@query": "?", "@scheme": "https",
			"@request-target": "/inbox", "host": "h.example", "date": req.Header.Get("Date"), "content-digest": req.Header.Get("Content-Digest"),
		}
		var lines []string
		for quoted := range strings.FieldsSeq(c.covered) {
			lines = append(lines, quoted+": "+values[strings.Trim(quoted, `"`)])
		}
		params := "(" + c.covered + ")" + c.params
		signature, err := sign(strings.Join(append(lines, `"@signature-params": `+params), "\n"), testKey())
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Signature-Input", "sig1="+params)
		req.Header.Set("Signature", "sig1=:"+signature+":")
		if c.after != nil {
			c.after(req)
		}
		sig, err := Parse(req, body, options())
		if err == nil {
			err = sig.Verify(&testKey().PublicKey)
		}
		if c.ok != (err == nil) || err != nil && !errors.Is(err, ErrBad) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestARequestWithoutASignatureIsUnsigned(t *testing.T) {
	for name, edit := range map[string]func(*http.Request){
		"nothing": func(*http.Request) {},
		"a token": func(r *http.Request) { r.Header.Set("Authorization", "Bearer Signature") },
	} {
		req := posted(nil)
		edit(req)
		if _, err := Parse(req, nil, options()); !errors.Is(err, ErrUnsigned) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestKeysThatAreNoneAreRefused(t *testing.T) {
	write := func(kind string, der []byte, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	spki, err := x509.MarshalPKIXPublicKey(&testKey().PublicKey)
	for name, text := range map[string]string{
		"SPKI":              write("PUBLIC KEY", spki, err),
		"SPKI, space round": "\n  " + write("PUBLIC KEY", spki, err) + "  ",
		"PKCS #1":           write("RSA PUBLIC KEY", x509.MarshalPKCS1PublicKey(&testKey().PublicKey), nil),
	} {
		if key, err := ParseKey(text); err != nil || !testKey().PublicKey.Equal(key) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, text := range map[string]string{
		"nothing": "", "text": "hello", "private": write("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(testKey()), nil), "cut": write("PUBLIC KEY", spki[:40], nil),
	} {
		if _, err := ParseKey(text); !errors.Is(err, ErrBad) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`keyId="a",headers="(request-target) host date digest",signature="AAAA"`, "", "SHA-256=AAAA")
	f.Add(`sig1=:AAAA:`, `sig1=("@method" "@target-uri" "content-digest");created=1772359200;keyid="a"`, "sha-256=:AAAA:")
	f.Fuzz(func(t *testing.T, signature, input, said string) {
		req := posted(nil)
		req.Header.Set("Signature", signature)
		if input != "" {
			req.Header.Set("Signature-Input", input)
		}
		req.Header.Set("Digest", said)
		req.Header.Set("Content-Digest", said)
		sig, err := Parse(req, []byte("{}"), options())
		if err == nil {
			err = sig.Verify(&testKey().PublicKey)
		}
		if err == nil || !errors.Is(err, ErrBad) && !errors.Is(err, ErrUnsigned) {
			t.Errorf("%q, %q: %v", signature, input, err)
		}
	})
}
