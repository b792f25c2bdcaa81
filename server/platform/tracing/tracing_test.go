package tracing

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"svc/db"
)

// lines is a log.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) count(what string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.b.String(), what)
}

func open(t *testing.T, log io.Writer, variables ...string) (*Traces, error) {
	t.Helper()
	for _, v := range variables {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
	return FromEnvironment(t.Context(), "1.0.0", slog.New(slog.NewTextHandler(log, nil)))
}

func TestVariablesOfTheStandard(t *testing.T) {
	for _, c := range []struct {
		variables string
		on        bool
		wrong     string
	}{
		{variables: ""},
		{variables: "OTEL_SERVICE_NAME=x OTEL_TRACES_SAMPLER=wrong"}, // none of it is read
		{variables: "OTEL_TRACES_EXPORTER=otlp", on: true},
		{variables: "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:9", on: true},
		{variables: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=https://127.0.0.1:9/other", on: true},
		{variables: "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:9 OTEL_TRACES_EXPORTER=none"},
		{variables: "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:9 OTEL_SDK_DISABLED=true"},
		{variables: "OTEL_TRACES_EXPORTER=otlp OTEL_TRACES_SAMPLER=traceidratio OTEL_TRACES_SAMPLER_ARG=0.1", on: true},
		{variables: "OTEL_TRACES_EXPORTER=zipkin", wrong: "OTEL_TRACES_EXPORTER"},
		{variables: "OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_PROTOCOL=grpc", wrong: "http/protobuf"},
		{variables: "OTEL_TRACES_EXPORTER=otlp OTEL_TRACES_SAMPLER=often", wrong: "OTEL_TRACES_SAMPLER"},
		{variables: "OTEL_TRACES_EXPORTER=otlp OTEL_TRACES_SAMPLER=traceidratio OTEL_TRACES_SAMPLER_ARG=2", wrong: "OTEL_TRACES_SAMPLER_ARG"},
		{variables: "OTEL_EXPORTER_OTLP_ENDPOINT=localhost:4318", wrong: "OTEL_EXPORTER_OTLP_ENDPOINT"},
		{variables: "OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_TIMEOUT=10s", wrong: "OTEL_EXPORTER_OTLP_TIMEOUT"},
		{variables: "OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_HEADERS=hush", wrong: "OTEL_EXPORTER_OTLP_HEADERS"},
		{variables: "OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_COMPRESSION=lz4", wrong: "OTEL_EXPORTER_OTLP_COMPRESSION"},
		{variables: "OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_CERTIFICATE=/none", wrong: "OTEL_EXPORTER_OTLP_CERTIFICATE"},
	} {
		t.Run(c.variables, func(t *testing.T) {
			traces, err := open(t, io.Discard, strings.Fields(c.variables)...)
			if (traces != nil) != c.on || (err != nil) != (c.wrong != "") || err != nil && (!strings.Contains(err.Error(), c.wrong) || strings.Contains(err.Error(), "hush")) {
				t.Errorf("on %v, %v", traces != nil, err)
			}
			traces.Close(t.Context())
		})
	}
}

// TestACollectorThatHangsSlowsNothing ends more spans than are kept, and the process.
func TestACollectorThatHangsSlowsNothing(t *testing.T) {
	hang := make(chan struct{})
	c := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-hang
	}))
	t.Cleanup(c.Close)
	t.Cleanup(func() { close(hang) })
	traces, err := open(t, io.Discard, "OTEL_EXPORTER_OTLP_ENDPOINT="+c.URL, "OTEL_BSP_SCHEDULE_DELAY=1", "OTEL_BSP_MAX_QUEUE_SIZE=100", "OTEL_EXPORTER_OTLP_TIMEOUT=600000", "OTEL_BSP_EXPORT_TIMEOUT=600000")
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for range 5000 {
		_, span := traces.Request(t.Context(), "GET", "/api/v1/instance")
		span.Answered(200)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	traces.Close(ctx)
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %s", took)
	}
}

func TestACollectorThatRefusesIsLoggedOnceAMinute(t *testing.T) {
	var log lines
	var asked atomic.Int64
	c := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusBadRequest)
	}))
	t.Cleanup(c.Close)
	traces, err := open(t, &log, "OTEL_EXPORTER_OTLP_ENDPOINT="+c.URL)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		_, span := traces.Job(t.Context(), "mail", "mail", 1)
		span.Failed("retried")
		if err := traces.provider.ForceFlush(t.Context()); err != nil {
			t.Error(err)
		}
	}
	traces.Close(t.Context())
	if n := log.count("traces cannot be sent"); n != 1 || asked.Load() < 5 {
		t.Errorf("%d requests, and %d lines", asked.Load(), n)
	}
}

func TestSpansAreSentAgainAndWithoutValues(t *testing.T) {
	var (
		mu   sync.Mutex
		got  []*tracepb.Span
		asks int
	)
	c := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if asks++; asks == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		raw, err := io.ReadAll(r.Body)
		data := new(tracepb.TracesData)
		if err = errors.Join(err, proto.Unmarshal(raw, data)); err != nil {
			t.Error(err)
		}
		for _, r := range data.GetResourceSpans() {
			for _, s := range r.GetScopeSpans() {
				got = append(got, s.GetSpans()...)
			}
		}
	}))
	t.Cleanup(c.Close)
	traces, err := open(t, io.Discard, "OTEL_EXPORTER_OTLP_ENDPOINT="+c.URL)
	if err != nil {
		t.Fatal(err)
	}
	ctx, span := traces.Request(t.Context(), "other", "")
	see := traces.Statements()
	see(ctx, db.Statement{Dialect: db.SQLite, Began: time.Now(), Text: func() string { return "select x FROM t WHERE y = 'it''s hush' AND z = ?" }, Failed: true})
	see(ctx, db.Statement{Dialect: db.Postgres, Began: time.Now(), Text: func() string { return "INSERT INTO t VALUES (" + strings.Repeat("$1, ", 2000) + ")" }})
	see(t.Context(), db.Statement{Text: func() string { t.Error("a statement outside of a span is read"); return "" }})
	span.Answered(0)
	traces.Close(t.Context())
	mu.Lock()
	defer mu.Unlock()
	if len(got) != 3 || got[0].GetName() != "SELECT" || got[1].GetName() != "INSERT" || got[2].GetName() != "_OTHER" || got[2].GetStatus().GetCode() != tracepb.Status_STATUS_CODE_ERROR {
		t.Fatalf("%v", got)
	}
	for _, s := range got {
		for _, a := range s.GetAttributes() {
			text := a.GetValue().GetStringValue()
			if strings.Contains(text, "hush") || len(text) > longest+10 || a.GetKey() == "db.query.text" && got[0] == s && text != "select x FROM t WHERE y = '?' AND z = ?" {
				t.Errorf("%s: %s", a.GetKey(), text)
			}
		}
	}
}
