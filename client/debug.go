package client

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Exchange is one attempt of a call, for a debug log. Secrets in the address
// and the bodies are masked and headers are left out; Attempt counts from 0;
// Status is 0 when Err says why there was no answer.
type Exchange struct {
	Method       string
	URL          string
	Attempt      int
	Status       int
	Duration     time.Duration
	RequestID    string
	RequestBody  []byte
	ResponseBody []byte
	Err          error
}

func newExchange(req *http.Request, body []byte, resp *Response, attempt int, took time.Duration, err error) Exchange {
	e := Exchange{
		Method: req.Method, URL: maskURL(req.URL), Attempt: attempt, Duration: took, Err: err,
		RequestBody: maskBody(req.Header.Get("Content-Type"), body),
	}
	if resp != nil {
		e.Status, e.RequestID = resp.Status, resp.RequestID()
		e.ResponseBody = maskBody(resp.Header.Get("Content-Type"), resp.Body)
	}
	return e
}

const mask = "***"

// secret reports whether a value of this name must not be shown.
func secret(name string) bool {
	name = strings.ToLower(name)
	if i := strings.LastIndexByte(strings.TrimSuffix(name, "[]"), '['); i >= 0 {
		name = strings.Trim(name[i:], "[]") // data[password]
	}
	switch name {
	case "token", "code", "code_verifier", "link", "authorization", "provisioning_uri", "codes":
		return true
	}
	return strings.Contains(name, "password") || strings.Contains(name, "secret") || strings.HasSuffix(name, "_token")
}

func maskURL(u *url.URL) string {
	shown := *u
	shown.RawQuery = maskValues(u.Query()).Encode()
	return shown.String()
}

func maskValues(v url.Values) url.Values {
	for name, list := range v {
		for i := range list {
			list[i] = maskValue(name, list[i])
		}
	}
	return v
}

func maskValue(name, value string) string {
	if secret(name) && value != Generated {
		return mask
	}
	return value
}

// maskBody shows JSON and forms without their secrets, and of any other body
// only its type and length.
func maskBody(contentType string, body []byte) []byte {
	if len(body) == 0 {
		return nil
	}
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		kind = "unknown type"
	}
	switch kind {
	case jsonType:
		dec := json.NewDecoder(bytes.NewReader(body))
		dec.UseNumber()
		var value any
		if dec.Decode(&value) != nil {
			break
		}
		if shown, err := encodeJSON(maskJSON(value)); err == nil {
			return shown
		}
	case formType:
		if form, err := url.ParseQuery(string(body)); err == nil {
			return []byte(maskValues(form).Encode())
		}
	}
	return fmt.Appendf(nil, "(%d bytes of %s)", len(body), kind)
}

func maskJSON(value any) any {
	switch value := value.(type) {
	case []any:
		for i := range value {
			value[i] = maskJSON(value[i])
		}
	case map[string]any:
		maskSetting(value)
		for name, inner := range value {
			_, isText := inner.(string)
			_, isList := inner.([]any)
			// A numeric code is a status.
			if (isText || isList) && inner != any(Generated) && secret(name) {
				value[name] = mask
				continue
			}
			value[name] = maskJSON(inner)
		}
	}
	return value
}

// maskSetting masks secret runtime settings, which have their names as values:
// {"tuple":[":password","..."]}, {"key":":admin_token","value":"..."}.
func maskSetting(object map[string]any) {
	if key, ok := object["key"].(string); ok && secretSetting(key) {
		if _, isText := object["value"].(string); isText {
			object["value"] = mask
		}
	}
	tuple, _ := object["tuple"].([]any)
	if len(tuple) < 2 {
		return
	}
	name, _ := tuple[0].(string)
	if name == ":basic" { // a user and their password
		tuple[len(tuple)-1] = mask
	}
	if _, isText := tuple[1].(string); isText && secretSetting(name) {
		tuple[1] = mask
	}
}

func secretSetting(name string) bool {
	name = strings.TrimPrefix(name, ":")
	for _, part := range [...]string{"api_key", "access_key", "private_key", "webhook_url", "access_token"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return secret(name)
}
