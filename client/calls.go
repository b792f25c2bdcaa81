package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	firstPause = 250 * time.Millisecond
	maxPause   = 5 * time.Second
	// maxRetryAfter is the longest pause of a Retry-After that is waited for;
	// beyond it the caller gets the error.
	maxRetryAfter = 60 * time.Second
)

// Request is a call of an endpoint.
type Request struct {
	Method string
	// Path starts at the server's root and is escaped. Do takes an absolute URL
	// on the same server as well, and a query in either.
	Path  string
	Query url.Values
	// Body is url.Values for a form, []byte or json.RawMessage for JSON as it
	// is, anything else for JSON made of it, or nil for none.
	Body   any
	Header http.Header
	// Repeatable says that the call may be sent twice without harm. GET, HEAD,
	// PUT and DELETE always may, and so may a call with an IdempotencyKey.
	Repeatable bool
	// Anonymous sends no token.
	Anonymous bool
	// stream makes the body in place of Body, with its content type. It is read
	// as it is sent, for as long as the context allows.
	stream func() (io.ReadCloser, string)
}

// CallOption changes one call.
type CallOption func(*Request)

// IdempotencyKey has the server do a write once however often it arrives with
// this key, so that it may be retried. An empty key changes nothing.
func IdempotencyKey(key string) CallOption {
	return func(r *Request) {
		if key == "" {
			return
		}
		if r.Header == nil {
			r.Header = http.Header{}
		}
		r.Header.Set("Idempotency-Key", key)
	}
}

type lookFirst struct{}

// LookFirst returns a context in which calls do not repeat a write after a lost answer
// (MayHaveHappened). The caller reads the object before a repetition: somebody else may
// have changed it meanwhile, and the write would go over that.
func LookFirst(ctx context.Context) context.Context {
	return context.WithValue(ctx, lookFirst{}, true)
}

// Response is an answer as it came.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// RequestID names the request in the server's log.
func (r *Response) RequestID() string { return r.Header.Get("X-Request-Id") }

// Do calls any endpoint and decodes the answer into out, unless out is nil or
// the answer empty.
func (c *Client) Do(ctx context.Context, r Request, out any, opts ...CallOption) (*Response, error) {
	target, err := c.target(r.Path)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", r.Method, r.Path, err)
	}
	r.Method, r.Path, r.Query = strings.ToUpper(r.Method), target.EscapedPath(), merge(target.Query(), r.Query)
	return c.call(ctx, r, out, opts...)
}

// target checks that path stays on the server and cuts the base URL off it.
func (c *Client) target(path string) (*url.URL, error) {
	u, err := url.Parse(path)
	if err != nil {
		return nil, err
	}
	if u.IsAbs() || u.Host != "" {
		if u.Opaque != "" || u.User != nil || !c.sameOrigin(u) || !strings.HasPrefix(u.Path+"/", c.base.Path+"/") {
			return nil, errOtherHost
		}
		u.Path = strings.TrimPrefix(u.Path, c.base.Path)
		u.RawPath = strings.TrimPrefix(u.RawPath, c.base.EscapedPath())
	}
	if !strings.HasPrefix(u.Path, "/") {
		u.Path = "/" + u.Path
		if u.RawPath != "" {
			u.RawPath = "/" + u.RawPath
		}
	}
	return u, nil
}

// join builds a path: parts alternate between fixed text and a value to
// escape. An empty value or a dot would name another endpoint.
func join(parts ...string) (string, error) {
	var b strings.Builder
	for i, part := range parts {
		if i%2 == 0 {
			b.WriteString(part)
			continue
		}
		switch part {
		case "":
			return "", errEmptyID
		case ".", "..":
			return "", fmt.Errorf("%q is neither an id nor a nickname", part)
		}
		b.WriteString(url.PathEscape(part))
	}
	return b.String(), nil
}

// get reads path, built by join, into a new T.
func get[T any](ctx context.Context, c *Client, query url.Values, path ...string) (*T, error) {
	return send[T](ctx, c, Request{Method: http.MethodGet, Query: query}, path)
}

// send makes the call at path, built by join, and reads the answer into a new
// T.
func send[T any](ctx context.Context, c *Client, in Request, path []string, opts ...CallOption) (*T, error) {
	out := new(T)
	if _, err := run(ctx, c, in, path, out, opts...); err != nil {
		return nil, err
	}
	return out, nil
}

func run(ctx context.Context, c *Client, in Request, path []string, out any, opts ...CallOption) (*Response, error) {
	var err error
	if in.Path, err = join(path...); err != nil {
		return nil, fmt.Errorf("%s %s: %w", in.Method, strings.Join(path, ""), err)
	}
	return c.call(ctx, in, out, opts...)
}

// perform makes a call and drops the body of its answer.
func perform(ctx context.Context, c *Client, in Request, path []string, opts ...CallOption) error {
	_, err := run(ctx, c, in, path, nil, opts...)
	return err
}

// call sends a request with retries and one refresh of a rejected token.
func (c *Client) call(ctx context.Context, in Request, out any, opts ...CallOption) (*Response, error) {
	for _, opt := range opts {
		opt(&in)
	}
	switch in.Method {
	case http.MethodGet, http.MethodHead, http.MethodPut, http.MethodDelete:
		in.Repeatable = true
	}
	in.Repeatable = in.Repeatable || in.Header.Get("Idempotency-Key") != ""
	// A read with effects, such as a restart, must not be repeated either.
	if decoded, err := url.PathUnescape(in.Path); err != nil || hasEffect(decoded) {
		in.Repeatable = false
	}
	body, contentType, err := c.encode(&in)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", in.Method, in.Path, err)
	}
	var token string
	if c.options.tokens != nil && !in.Anonymous {
		if token, err = c.options.tokens.Token(ctx); err != nil {
			return nil, fmt.Errorf("%s %s: token: %w", in.Method, in.Path, err)
		}
	}

	refreshed, lost := false, false
	for attempt := 0; ; attempt++ {
		resp, err := c.attempt(ctx, in, body, contentType, token, attempt)
		if err == nil {
			return resp, decode(in, resp, out)
		}
		var refusal *Error
		if errors.As(err, &refusal) {
			refusal.AfterLost = lost
		}
		if token != "" && !refreshed && errors.Is(err, ErrTokenRejected) {
			// Nothing has happened yet, so any call may be repeated.
			refreshed = true
			fresh, refreshErr := c.options.tokens.Refresh(ctx, token)
			if refreshErr != nil {
				return nil, errors.Join(err, fmt.Errorf("refresh the token: %w", refreshErr))
			}
			if fresh != "" && fresh != token {
				token = fresh
				attempt--
				continue
			}
		}
		delay, again := c.retry(ctx, in, err, attempt)
		if !again {
			return nil, err
		}
		lost = lost || MayHaveHappened(err)
		if waitErr := c.wait(ctx, delay); waitErr != nil {
			return nil, fmt.Errorf("%w; not tried again: %w", err, waitErr)
		}
	}
}

// retry decides whether a failed attempt is repeated, and after which pause.
func (c *Client) retry(ctx context.Context, in Request, err error, attempt int) (time.Duration, bool) {
	if !in.Repeatable || attempt >= c.options.retries || ctx.Err() != nil {
		return 0, false
	}
	if ctx.Value(lookFirst{}) != nil && MayHaveHappened(err) {
		return 0, false
	}
	// Half of the pause is random, so that many clients do not return together.
	ceiling := min(firstPause<<min(attempt, 10), maxPause)
	delay := ceiling/2 + rand.N(ceiling/2)
	var refusal *Error
	var failure *TransportError
	switch {
	case errors.As(err, &refusal):
		switch refusal.Status {
		case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		default:
			return 0, false
		}
		if refusal.RetryAfter > maxRetryAfter {
			return 0, false
		}
		delay = max(delay, refusal.RetryAfter)
	case errors.As(err, &failure):
		if hopeless(err) {
			return 0, false
		}
	default:
		return 0, false
	}
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < delay {
		return 0, false
	}
	return delay, true
}

// attempt sends the request once and reads the answer to its end.
func (c *Client) attempt(ctx context.Context, in Request, body []byte, contentType, token string, n int) (*Response, error) {
	timed, cancel := context.WithTimeout(ctx, c.options.timeout)
	defer cancel()
	if in.stream != nil {
		timed = ctx
	}
	var reader io.Reader
	if body != nil {
		reader = bytes.NewReader(body)
	}
	if in.stream != nil {
		content, kind := in.stream()
		defer content.Close()
		reader, contentType = content, kind
	}
	req, err := c.request(timed, in, reader, token)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	if c.options.preview != nil && changes(req) {
		return c.preview(req)
	}
	start := time.Now()
	resp, err := c.exchange(req)
	if c.options.debug != nil {
		c.options.debug(newExchange(req, body, resp, n, time.Since(start), err))
	}
	if err == nil {
		if resp.Status >= 300 {
			return nil, newError(resp, in.Method, in.Path)
		}
		return resp, nil
	}
	var refused *RefusedError
	if errors.As(err, &refused) {
		return nil, refused
	}
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = timeoutError{c.options.timeout}
	}
	return nil, &TransportError{Method: in.Method, Path: in.Path, Sent: !neverSent(err), Err: err}
}

// request builds the HTTP request.
func (c *Client) request(ctx context.Context, in Request, body io.Reader, token string) (*http.Request, error) {
	address := c.base.String() + in.Path
	if len(in.Query) > 0 {
		address += "?" + in.Query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, in.Method, address, body)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", in.Method, in.Path, err)
	}
	for name, values := range in.Header {
		req.Header[name] = values
	}
	req.Header.Set("User-Agent", c.options.userAgent)
	// A server that has another name at its edges answers in these words.
	req.Header.Set("Svc-Name", "svc")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return req, nil
}

func (c *Client) exchange(req *http.Request) (*Response, error) {
	resp, err := c.http.Do(req)
	if err != nil {
		// The method and address that net/http adds are in our own errors.
		var wrapped *url.Error
		if errors.As(err, &wrapped) {
			err = wrapped.Err
		}
		return nil, err
	}
	defer resp.Body.Close()
	body, err := readBody(resp.Body)
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	return &Response{Status: resp.StatusCode, Header: resp.Header, Body: body}, nil
}

// encode turns the body into bytes, or with deleteInQuery a DELETE's into its
// query.
func (c *Client) encode(in *Request) ([]byte, string, error) {
	switch body := in.Body.(type) {
	case nil:
		return nil, "", nil
	case url.Values:
		if in.Method == http.MethodDelete && c.options.deleteInQuery {
			in.Query = merge(in.Query, body)
			return nil, "", nil
		}
		return []byte(body.Encode()), formType, nil
	}
	data, err := encodeJSON(in.Body)
	if err != nil {
		return nil, "", err
	}
	if in.Method == http.MethodDelete && c.options.deleteInQuery {
		flat, err := flatten(data)
		if err != nil {
			return nil, "", err
		}
		in.Query = merge(in.Query, flat)
		return nil, "", nil
	}
	return data, jsonType, nil
}

const (
	jsonType = "application/json"
	formType = "application/x-www-form-urlencoded"
)

func encodeJSON(v any) ([]byte, error) {
	switch body := v.(type) {
	case []byte:
		return body, nil
	case json.RawMessage:
		return body, nil
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

func decode(in Request, resp *Response, out any) error {
	if out == nil || len(bytes.TrimSpace(resp.Body)) == 0 {
		return nil
	}
	if err := json.Unmarshal(resp.Body, out); err != nil {
		return fmt.Errorf("%s %s: %w: %w", in.Method, in.Path, errUnreadable, err)
	}
	return nil
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
