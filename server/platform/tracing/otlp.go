package tracing

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// client sends spans as OTLP over HTTP. The library's own client for it brings gRPC along.
type client struct {
	http     *http.Client
	endpoint string
	shown    string // the endpoint without a password
	headers  http.Header
	gzip     bool
}

// The bounds of sending.
const (
	usualTimeout = 10 * time.Second
	tries        = 3
	firstPause   = time.Second
)

// ofTraces is a variable for the exporter of traces, or else for all exporters.
func ofTraces(name string) string {
	if v := os.Getenv("OTEL_EXPORTER_OTLP_TRACES_" + name); v != "" {
		return v
	}
	return os.Getenv("OTEL_EXPORTER_OTLP_" + name)
}

// newClient returns one as the variables set it up.
func newClient() (*client, error) {
	c := &client{endpoint: os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"), headers: http.Header{}}
	if c.endpoint == "" {
		base := os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT")
		if base == "" {
			base = "http://localhost:4318"
		}
		c.endpoint = strings.TrimRight(base, "/") + "/v1/traces"
	}
	to, err := url.Parse(c.endpoint)
	if err != nil || to.Host == "" || to.Scheme != "http" && to.Scheme != "https" {
		return nil, errors.New("OTEL_EXPORTER_OTLP_ENDPOINT: want http://HOST:4318 or https://…")
	}
	c.shown = to.Redacted()
	for _, pair := range strings.Split(ofTraces("HEADERS"), ",") {
		name, value, ok := strings.Cut(pair, "=")
		if strings.TrimSpace(pair) == "" {
			continue
		}
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || err != nil || strings.TrimSpace(name) == "" {
			return nil, errors.New("OTEL_EXPORTER_OTLP_HEADERS: want NAME=VALUE,NAME=VALUE")
		}
		c.headers.Set(strings.TrimSpace(name), value)
	}
	timeout := usualTimeout
	if v := ofTraces("TIMEOUT"); v != "" {
		ms, err := strconv.ParseUint(v, 10, 31)
		if err != nil || ms == 0 {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_TIMEOUT is %q: give milliseconds", v)
		}
		timeout = time.Duration(ms) * time.Millisecond
	}
	switch v := ofTraces("COMPRESSION"); v {
	case "", "none":
	case "gzip":
		c.gzip = true
	default:
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_COMPRESSION is %q: svcd knows gzip and none", v)
	}
	secure, err := secured()
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = secure
	c.http = &http.Client{
		Transport: transport, Timeout: timeout,
		// The headers may have a token, which is for this server.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c, nil
}

// secured is TLS as the variables set it up.
func secured() (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if file := ofTraces("CERTIFICATE"); file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_CERTIFICATE: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_CERTIFICATE: no certificate in %s", file)
		}
	}
	if file, key := ofTraces("CLIENT_CERTIFICATE"), ofTraces("CLIENT_KEY"); file != "" || key != "" {
		own, err := tls.LoadX509KeyPair(file, key)
		if err != nil {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE and _KEY: %w", err)
		}
		c.Certificates = []tls.Certificate{own}
	}
	return c, nil
}

// Start does nothing: a collector that is away is no reason not to serve.
func (c *client) Start(context.Context) error { return nil }

// Stop closes idle connections.
func (c *client) Stop(context.Context) error {
	c.http.CloseIdleConnections()
	return nil
}

// UploadTraces sends spans, and tries again where the standard says that it may help.
func (c *client) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	// It has the same bytes as ExportTraceServiceRequest, whose package brings gRPC along.
	body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: spans})
	if err != nil {
		return err
	}
	if c.gzip {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if _, err := w.Write(body); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
		body = b.Bytes()
	}
	for try, pause := 1, firstPause; ; try, pause = try+1, 2*pause {
		again, err := c.send(ctx, body)
		if !again || try == tries {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// send makes one try, and reports whether another may help.
func (c *client) send(ctx context.Context, body []byte) (again bool, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.endpoint, bytes.NewReader(body))
	if err != nil {
		return false, err
	}
	for name, values := range c.headers {
		r.Header[name] = values
	}
	r.Header.Set("Content-Type", "application/x-protobuf")
	if c.gzip {
		r.Header.Set("Content-Encoding", "gzip")
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return false, err
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 64<<10))
	_ = answer.Body.Close()
	switch code := answer.StatusCode; code {
	case http.StatusOK, http.StatusAccepted, http.StatusNoContent:
		return false, nil
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true, fmt.Errorf("the collector answers %d", code)
	default:
		return false, fmt.Errorf("the collector answers %d", code)
	}
}
