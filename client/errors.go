package client

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"svc/client/api"
)

var (
	errTooLarge   = fmt.Errorf("the answer is larger than %d MiB", maxBody>>20)
	errEmptyID    = errors.New("an id or nickname is empty")
	errOtherHost  = errors.New("the address is on another server, to which the token must not go")
	errUnreadable = errors.New("the answer is not the JSON expected")
)

// The kinds of errors, for errors.Is.
var (
	ErrNotFound  = errors.New("not found")             // 404
	ErrForbidden = errors.New("not allowed")           // 401 or 403: no valid token, or one without the right
	ErrConflict  = errors.New("conflict")              // 409
	ErrInvalid   = errors.New("values refused")        // 400 or 422
	ErrThrottled = errors.New("too many requests")     // 429
	ErrServer    = errors.New("failure of the server") // 500 or more
	// ErrTokenRejected is a 401, or the admin API's 403 for a token that the
	// server does not know.
	ErrTokenRejected = errors.New("token rejected")
	// ErrConfigDisabled says that the server keeps no configuration in its
	// database.
	ErrConfigDisabled = errors.New("no configuration in the database")
	// ErrNetwork says that no answer came: no connection, a broken one, or none
	// in time.
	ErrNetwork = errors.New("no answer")
)

// Error is a refusal: an answer with a status of 300 or more.
type Error struct {
	Status     int
	Message    string            // the body's message, else the status's text
	Identifier string            // a word for machines, where the server gives one
	Fields     map[string]string // messages by field, where values were refused
	Items      []api.ItemError   // refused items of a bulk request
	Body       []byte
	Header     http.Header
	Method     string
	Path       string
	RetryAfter time.Duration // 0 when the server named none
	RequestID  string        // names the request in the server's log

	// AfterLost says that the answer to an earlier attempt of the same call was
	// lost: a "not found" after a DELETE may then mean that it worked.
	AfterLost bool
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s %s: %s (%d)", e.Method, e.Path, e.Message, e.Status)
}

// Is reports whether e is of the kind target.
func (e *Error) Is(target error) bool {
	switch target {
	case ErrNotFound:
		return e.Status == http.StatusNotFound
	case ErrForbidden:
		return e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden
	case ErrConflict:
		return e.Status == http.StatusConflict
	case ErrInvalid:
		return e.Status == http.StatusBadRequest || e.Status == http.StatusUnprocessableEntity
	case ErrThrottled:
		return e.Status == http.StatusTooManyRequests
	case ErrServer:
		return e.Status >= 500
	case ErrTokenRejected:
		return e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden && e.Message == "Invalid credentials."
	case ErrConfigDisabled:
		return e.Status == http.StatusBadRequest && strings.Contains(e.Message, "enable configuration from database")
	}
	return false
}

// TransportError says that a call brought no readable answer.
type TransportError struct {
	Method string
	Path   string
	// Sent says that the request may have reached the server and taken effect.
	Sent bool
	Err  error
}

func (e *TransportError) Error() string { return fmt.Sprintf("%s %s: %v", e.Method, e.Path, e.Err) }

func (e *TransportError) Unwrap() error { return e.Err }

// Is reports whether target is ErrNetwork.
func (e *TransportError) Is(target error) bool { return target == ErrNetwork }

// timeoutError words the end of one attempt's time.
type timeoutError struct{ after time.Duration }

func (e timeoutError) Error() string        { return fmt.Sprintf("no answer within %s", e.after) }
func (e timeoutError) Timeout() bool        { return true }
func (e timeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// Status returns the status of a refusal, 0 for any other error.
func Status(err error) int {
	var refusal *Error
	if errors.As(err, &refusal) {
		return refusal.Status
	}
	return 0
}

// MayHaveHappened reports that the fate of a write is unknown: it may have
// reached the server, but its answer did not reach us.
func MayHaveHappened(err error) bool {
	var failure *TransportError
	var refusal *Error
	switch {
	case errors.As(err, &failure):
		return failure.Sent
	case errors.As(err, &refusal):
		return refusal.AfterLost || refusal.Status == http.StatusBadGateway || refusal.Status == http.StatusGatewayTimeout
	}
	return false
}

// ItemErrors returns the refused items of a bulk request; the items not among
// them took effect. It is nil for any other error.
func ItemErrors(err error) []api.ItemError {
	var refusal *Error
	if errors.As(err, &refusal) {
		return refusal.Items
	}
	return nil
}

// newError reads a refusal's body, in any of the forms it may have.
func newError(resp *Response, method, path string) *Error {
	e := &Error{
		Status: resp.Status, Body: resp.Body, Header: resp.Header, Method: method, Path: path,
		RetryAfter: retryAfter(resp.Header, time.Now()), RequestID: resp.RequestID(),
	}
	body := bytes.TrimSpace(resp.Body)
	switch {
	case len(body) == 0:
	case body[0] == '{':
		e.readObject(body)
	case body[0] == '[':
		var items []api.ItemError
		if json.Unmarshal(body, &items) == nil {
			var messages []string
			for _, item := range items {
				if item.ID != "" {
					e.Items = append(e.Items, item)
				}
				if item.Error != "" {
					messages = append(messages, strings.TrimPrefix(item.ID+": "+item.Error, ": "))
				}
			}
			e.Message = strings.Join(messages, "; ")
		}
	case body[0] == '"':
		if err := json.Unmarshal(body, &e.Message); err != nil {
			e.Message = ""
		}
	}
	if location := resp.Header.Get("Location"); resp.Status < 400 && location != "" {
		e.Message = "redirected to " + location + ", not followed"
	}
	if e.Message == "" {
		e.Message = http.StatusText(resp.Status)
	}
	return e
}

func (e *Error) readObject(body []byte) {
	var parsed struct {
		Error            json.RawMessage   `json:"error"`
		Identifier       string            `json:"identifier"`
		ErrorDescription string            `json:"error_description"`
		Errors           api.InvalidValues `json:"errors"`
	}
	if json.Unmarshal(body, &parsed) != nil {
		return
	}
	e.Identifier = parsed.Identifier
	if json.Unmarshal(parsed.Error, &e.Message) != nil {
		e.Message = string(parsed.Error)
	}
	values := parsed.Errors
	if parsed.Error == nil && values == nil {
		// Some forms are refused with the messages at top level.
		if json.Unmarshal(body, &values) != nil {
			return
		}
	}
	if strings.HasPrefix(e.Message, "{") {
		// A refused registration carries an object of messages as text.
		var inner api.InvalidValues
		if json.Unmarshal([]byte(e.Message), &inner) == nil {
			values, e.Message = inner, ""
		}
	}
	if parsed.ErrorDescription != "" {
		if e.Identifier == "" {
			e.Identifier = e.Message
		}
		e.Message = parsed.ErrorDescription
	}
	var messages []string
	for _, value := range values {
		if value.Field() == "detail" && len(values) == 1 {
			messages = append(messages, value.Message)
			break
		}
		if e.Fields == nil {
			e.Fields = map[string]string{}
		}
		e.Fields[value.Field()] = value.Message
		messages = append(messages, value.Field()+": "+value.Message)
	}
	if e.Message == "" {
		e.Message = strings.Join(messages, "; ")
	}
}

// retryAfter reads Retry-After as seconds or a date, and where it is missing
// the moment at which the rate limit ends.
func retryAfter(h http.Header, now time.Time) time.Duration {
	value := h.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil {
		return max(0, time.Duration(min(seconds, 1<<30))*time.Second)
	}
	at, err := http.ParseTime(value)
	if err != nil {
		if h.Get("X-RateLimit-Remaining") != "0" {
			return 0
		}
		if at, err = time.Parse(time.RFC3339, h.Get("X-RateLimit-Reset")); err != nil {
			return 0
		}
	}
	return max(0, at.Sub(now))
}

// neverSent reports errors from before a connection was ready for a request.
func neverSent(err error) bool {
	var op *net.OpError
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	return errors.As(err, &op) && op.Op == "dial" || errors.As(err, &dns) || errors.As(err, &cert)
}

// hopeless reports errors that no repetition mends.
func hopeless(err error) bool {
	var cert *tls.CertificateVerificationError
	return errors.As(err, &cert) || errors.Is(err, errTooLarge)
}
