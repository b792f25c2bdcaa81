package server_test

import (
	"compress/gzip"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"svc/client/api"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/platform/tracing"
	"svc/server/platform/webpush/webpushtest"
	"svc/server/servertest"
	"svc/server/servertest/peer"
)

// collector takes spans as OTLP over HTTP.
type collector struct {
	*httptest.Server
	mu       sync.Mutex
	received []*tracepb.ResourceSpans
	headers  []http.Header
}

func newCollector(t *testing.T) *collector {
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := io.Reader(r.Body)
		if r.Header.Get("Content-Encoding") == "gzip" {
			var err error
			if body, err = gzip.NewReader(body); err != nil {
				t.Error(err)
				return
			}
		}
		raw, err := io.ReadAll(body)
		data := new(tracepb.TracesData)
		if err == nil {
			err = proto.Unmarshal(raw, data)
		}
		if err != nil || r.Method != http.MethodPost || r.URL.Path != "/v1/traces" {
			t.Errorf("%s %s: %v", r.Method, r.URL, err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.received, c.headers = append(c.received, data.GetResourceSpans()...), append(c.headers, r.Header)
	}))
	t.Cleanup(c.Close)
	return c
}

// spans are the spans that were received.
func (c *collector) spans() (all []*tracepb.Span) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.received {
		for _, s := range r.GetScopeSpans() {
			all = append(all, s.GetSpans()...)
		}
	}
	return all
}

func (c *collector) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b strings.Builder
	for _, r := range c.received {
		b.WriteString(prototext.Format(r))
	}
	return b.String()
}

// spanNamed returns the first span with a name, nil for none.
func spanNamed(all []*tracepb.Span, name string) *tracepb.Span {
	for _, s := range all {
		if s.GetName() == name {
			return s
		}
	}
	return nil
}

func spanAttribute(of []*commonpb.KeyValue, key string) string {
	for _, a := range of {
		if a.GetKey() == key {
			if n, ok := a.GetValue().GetValue().(*commonpb.AnyValue_IntValue); ok {
				return http.StatusText(int(n.IntValue))
			}
			return a.GetValue().GetStringValue()
		}
	}
	return ""
}

// TestTracesOfRequestsJobsAndDeliveries posts to a follower on another server, searches and
// asks for a mail. The collector hears of all, and of nothing that people wrote or are.
func TestTracesOfRequestsJobsAndDeliveries(t *testing.T) {
	for _, dialect := range []string{"sqlite", "postgresql"} {
		t.Run(dialect, func(t *testing.T) {
			var dsn string
			if dialect == "sqlite" {
				dsn = dbtest.Ready(t)
			} else {
				dsn = dbtest.Postgres(t)
			}
			c := newCollector(t)
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL)
			t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20ours")
			t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
			t.Setenv("OTEL_SERVICE_NAME", "ours")
			t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "100")
			traces, err := tracing.FromEnvironment(t.Context(), "1.2.3", slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { traces.Close(context.Background()) })
			tracesOf(t, dialect, servertest.Traced(t, dsn, traces, servertest.WithMail, func(s *config.Settings) { s.Instance.Federating = true }), c)
		})
	}
}

func tracesOf(t *testing.T, dialect string, s *servertest.Server, c *collector) {
	far := peer.Start(t, "127.0.0.2")
	eve := far.Actor("eve")
	ann := s.User("ann")
	eve.Send(s.Base()+"/inbox", eve.Follow(s.Actor("ann")))
	servertest.Eventually(t, "eve follows", func() bool { return len(eve.Received("Accept")) == 1 })

	token := s.Token("ann", servertest.AllScopes)
	service := webpushtest.Start(t)
	d := service.Device
	if _, err := s.Client("ann").Push.Subscribe(t.Context(), api.NewPushSubscription{
		Subscription: api.PushTarget{Endpoint: d.Endpoint, Keys: api.PushKeys{P256dh: d.P256dh, Auth: d.Auth}}, Data: api.PushData{Alerts: &api.PushAlerts{Follow: true}},
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Client("bob").Accounts.Follow(t.Context(), ann.ID, api.Follow{}); err != nil {
		t.Fatal(err)
	}
	<-service.Messages
	const stranger = "0af7651916cd43dd8448eb211c80319c"
	send := func(method, path string, form url.Values) {
		t.Helper()
		r, err := http.NewRequest(method, s.URL+path, strings.NewReader(form.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Traceparent", "00-"+stranger+"-b7ad6b7169203331-01")
		r.Header.Set("Tracestate", "secret=hush0")
		r.Header.Set("Baggage", "secret=hush1")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode >= 300 {
			t.Fatalf("%s %s: %s", method, path, resp.Status)
		}
	}
	send("POST", "/api/v1/statuses", url.Values{"status": {"hush2"}, "spoiler_text": {"it's hush3"}})
	send("GET", "/api/v2/search?q=hush4&access_token="+token, nil)
	send("GET", "/api/v1/accounts/"+ann.ID, nil)
	send("POST", "/auth/password", url.Values{"email": {"ann@example.org"}})
	servertest.Eventually(t, "eve has the status", func() bool { return len(far.Received("Create")) == 1 })

	var all []*tracepb.Span
	t.Cleanup(func() {
		if t.Failed() {
			for _, s := range all {
				t.Log(s.GetName(), spanAttribute(s.GetAttributes(), "http.response.status_code"))
			}
		}
	})
	wanted := []string{"POST /api/v1/statuses", "GET /api/v2/search", "GET /api/v1/accounts/:id", "POST /auth/password", "POST inbox", "POST /inbox", "activity", "GET document", "POST push"}
	servertest.Eventually(t, "the collector has all", func() bool {
		all = c.spans()
		return !slices.ContainsFunc(wanted, func(name string) bool { return spanNamed(all, name) == nil }) &&
			slices.ContainsFunc(all, func(s *tracepb.Span) bool { return spanAttribute(s.GetAttributes(), "svc.job.kind") == "send_link" })
	})
	post := spanNamed(all, "POST /api/v1/statuses")
	if post.GetKind() != tracepb.Span_SPAN_KIND_SERVER || spanAttribute(post.GetAttributes(), "http.response.status_code") != "OK" ||
		spanAttribute(post.GetAttributes(), "http.route") != "/api/v1/statuses" || len(post.GetParentSpanId()) > 0 {
		t.Errorf("a request is %s", prototext.Format(post))
	}
	below := func(parent *tracepb.Span, operation string) bool {
		return slices.ContainsFunc(all, func(s *tracepb.Span) bool {
			return string(s.GetParentSpanId()) == string(parent.GetSpanId()) && string(s.GetTraceId()) == string(parent.GetTraceId()) &&
				s.GetName() == operation && spanAttribute(s.GetAttributes(), "db.system.name") == dialect && strings.HasPrefix(spanAttribute(s.GetAttributes(), "db.query.text"), operation)
		})
	}
	servertest.Eventually(t, "statements", func() bool { all = c.spans(); return below(post, "INSERT") })
	delivery := spanNamed(all, "POST inbox")
	if delivery.GetKind() != tracepb.Span_SPAN_KIND_CLIENT || spanAttribute(delivery.GetAttributes(), "server.address") != far.Host() ||
		spanAttribute(delivery.GetAttributes(), "svc.delivery.outcome") != "done" {
		t.Errorf("a delivery is %s", prototext.Format(delivery))
	}
	if job := spanNamed(all, "job send_link"); job.GetKind() != tracepb.Span_SPAN_KIND_CONSUMER || spanAttribute(job.GetAttributes(), "messaging.destination.name") != "mailer" {
		t.Errorf("a job is %s", prototext.Format(job))
	}
	activity := spanNamed(all, "activity")
	servertest.Eventually(t, "statements of an activity", func() bool { all = c.spans(); return below(activity, "INSERT") })
	if activity.GetKind() != tracepb.Span_SPAN_KIND_CONSUMER || spanAttribute(activity.GetAttributes(), "svc.activity.type") != "Follow" ||
		spanAttribute(activity.GetAttributes(), "svc.activity.outcome") != "done" {
		t.Errorf("an activity is %s", prototext.Format(activity))
	}
	fetch := spanNamed(all, "GET document")
	if fetch.GetKind() != tracepb.Span_SPAN_KIND_CLIENT || spanAttribute(fetch.GetAttributes(), "svc.fetch.outcome") != "done" || len(fetch.GetParentSpanId()) == 0 {
		t.Errorf("a fetch is %s", prototext.Format(fetch))
	}
	if message := spanNamed(all, "POST push"); message.GetKind() != tracepb.Span_SPAN_KIND_CLIENT || spanAttribute(message.GetAttributes(), "svc.push.outcome") != "sent" ||
		len(message.GetParentSpanId()) == 0 {
		t.Errorf("a push is %s", prototext.Format(message))
	}
	text := c.text()
	for _, secret := range []string{strings.TrimPrefix(d.Endpoint, "http"), d.Auth, "hush", "ann@", token, "access_token=", ann.ID, s.Actor("ann"), eve.ID, stranger, "correct horse"} {
		if at := strings.Index(text, secret); at >= 0 {
			t.Errorf("%q is in a span: %s", secret, text[max(at-300, 0):min(at+100, len(text))])
		}
	}
	if string(post.GetTraceId()) == "\x0a\xf7\x65\x19\x16\xcd\x43\xdd\x84\x48\xeb\x21\x1c\x80\x31\x9c" {
		t.Error("a stranger chose the trace")
	}
	for _, r := range far.Requests() {
		for _, name := range []string{"Traceparent", "Tracestate", "Baggage"} {
			if r.Header.Get(name) != "" {
				t.Errorf("%s %s has the header %s", r.Method, r.URI, name)
			}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if resource := c.received[0].GetResource().GetAttributes(); spanAttribute(resource, "service.name") != "ours" || spanAttribute(resource, "service.version") != "1.2.3" {
		t.Errorf("the resource is %v", resource)
	}
	if got := c.headers[0].Get("Authorization"); got != "Bearer ours" {
		t.Errorf("the collector gets %q", got)
	}
	if took := time.Duration(post.GetEndTimeUnixNano() - post.GetStartTimeUnixNano()); took <= 0 {
		t.Errorf("a request took %s", took)
	}
}
