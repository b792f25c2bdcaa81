// Package tracing records what requests, jobs, deliveries and their statements take as spans
// of OpenTelemetry, and sends them to a collector. The variables of that standard switch it
// on and set it up. Without them there are no Traces: a nil *Traces does nothing, and its
// users install nothing.
//
// A span never has what people write or are: no parameters, queries, addresses of people,
// ids, texts of errors. Names are those of routes and kinds.
package tracing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"svc/db"
)

// Traces makes spans. All methods of a nil one do nothing.
type Traces struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
	log      *slog.Logger
}

// FromEnvironment returns Traces as the variables of OpenTelemetry set them up: nil unless
// OTEL_TRACES_EXPORTER or an endpoint for OTLP is set. Wrong values are an error. The
// collector is not called before there are spans.
func FromEnvironment(ctx context.Context, version string, log *slog.Logger) (*Traces, error) {
	on, err := wanted()
	if err != nil || !on {
		return nil, err
	}
	if err := checkSampler(); err != nil {
		return nil, err
	}
	to, err := newClient()
	if err != nil {
		return nil, err
	}
	exporter, err := otlptrace.New(ctx, to)
	if err != nil {
		return nil, err
	}
	// The last of them wins: OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES.
	from, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithHost(),
		resource.WithAttributes(semconv.ServiceName("svcd"), semconv.ServiceVersion(version)), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	// Without WithSampler and sizes of batches, the variables for these count.
	provider := sdk.NewTracerProvider(sdk.WithBatcher(&loggingExporter{SpanExporter: exporter, log: log}), sdk.WithResource(from))
	log.InfoContext(ctx, "traces are sent", "endpoint", to.shown)
	return &Traces{provider: provider, tracer: provider.Tracer("svc", trace.WithInstrumentationVersion(version), trace.WithSchemaURL(semconv.SchemaURL)), log: log}, nil
}

// wanted reports whether the variables ask for traces.
func wanted() (bool, error) {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") {
		return false, nil
	}
	switch exporter := os.Getenv("OTEL_TRACES_EXPORTER"); exporter {
	case "otlp":
	case "none":
		return false, nil
	case "":
		if os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") == "" && os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") == "" {
			return false, nil
		}
	default:
		return false, fmt.Errorf("OTEL_TRACES_EXPORTER is %q: svcd knows otlp and none", exporter)
	}
	if p := ofTraces("PROTOCOL"); p != "" && p != "http/protobuf" {
		return false, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL is %q: svcd knows http/protobuf, for which collectors listen on port 4318", p)
	}
	return true, nil
}

// checkSampler refuses what the library would only complain of, and then sample all.
func checkSampler() error {
	switch sampler := strings.ToLower(strings.TrimSpace(os.Getenv("OTEL_TRACES_SAMPLER"))); sampler {
	case "", "always_on", "always_off", "parentbased_always_on", "parentbased_always_off":
	case "traceidratio", "parentbased_traceidratio":
		arg := strings.TrimSpace(os.Getenv("OTEL_TRACES_SAMPLER_ARG"))
		if ratio, err := strconv.ParseFloat(arg, 64); arg != "" && (err != nil || !(ratio >= 0 && ratio <= 1)) {
			return fmt.Errorf("OTEL_TRACES_SAMPLER_ARG is %q: give a number from 0 to 1", arg)
		}
	default:
		return fmt.Errorf("OTEL_TRACES_SAMPLER is %q: svcd knows always_on, always_off, traceidratio, and these with parentbased_ before them", sampler)
	}
	return nil
}

// Close sends the spans that are left, until ctx ends.
func (t *Traces) Close(ctx context.Context) {
	if t == nil {
		return
	}
	if err := t.provider.Shutdown(ctx); err != nil {
		t.log.WarnContext(ctx, "the last traces could not be sent", "err", err)
	}
}

// Request begins the span of a request. A trace that the caller names is not joined:
// strangers call, who would choose what is sampled.
func (t *Traces) Request(ctx context.Context, method, route string) (context.Context, Span) {
	if method == "other" {
		method = "_OTHER"
	}
	name, attributes := method, []attribute.KeyValue{semconv.HTTPRequestMethodKey.String(method)}
	if route != "" {
		name, attributes = method+" "+route, append(attributes, semconv.HTTPRoute(route))
	}
	ctx, s := t.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(attributes...), trace.WithNewRoot())
	return ctx, Span{s}
}

// Job begins the span of a job.
func (t *Traces) Job(ctx context.Context, kind, queue string, attempt int) (context.Context, Span) {
	ctx, s := t.tracer.Start(ctx, "job "+kind, trace.WithSpanKind(trace.SpanKindConsumer), trace.WithNewRoot(), trace.WithAttributes(
		semconv.MessagingSystemKey.String("river"), semconv.MessagingOperationName("process"), semconv.MessagingOperationTypeProcess,
		semconv.MessagingDestinationName(queue), attribute.String("svc.job.kind", kind), attribute.Int("svc.job.attempt", attempt)))
	return ctx, Span{s}
}

// Delivery begins the span of one try to deliver an activity to a host.
func (t *Traces) Delivery(ctx context.Context, host string) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	ctx, s := t.tracer.Start(ctx, "POST inbox", trace.WithSpanKind(trace.SpanKindClient), trace.WithNewRoot(),
		trace.WithAttributes(semconv.HTTPRequestMethodPost, semconv.ServerAddress(host)))
	return ctx, Span{s}
}

// Activity begins the span of one try to process an activity that came to an inbox.
func (t *Traces) Activity(ctx context.Context, attempt int) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	ctx, s := t.tracer.Start(ctx, "activity", trace.WithSpanKind(trace.SpanKindConsumer), trace.WithNewRoot(), trace.WithAttributes(
		semconv.MessagingOperationName("process"), semconv.MessagingOperationTypeProcess, attribute.Int("svc.activity.attempt", attempt)))
	return ctx, Span{s}
}

// Fetch begins the span of a document that a host is asked for, which is a part of what asks.
func (t *Traces) Fetch(ctx context.Context, host string) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	ctx, s := t.tracer.Start(ctx, "GET document", trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(semconv.HTTPRequestMethodGet, semconv.ServerAddress(host)))
	return ctx, Span{s}
}

// Push begins the span of a message to the push service at a host, a part of its job.
func (t *Traces) Push(ctx context.Context, host string) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	ctx, s := t.tracer.Start(ctx, "POST push", trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(semconv.HTTPRequestMethodPost, semconv.ServerAddress(host)))
	return ctx, Span{s}
}

// Statements is what sees the statements of the database (db.Options), nil without Traces.
func (t *Traces) Statements() func(context.Context, db.Statement) {
	if t == nil {
		return nil
	}
	return t.statement
}

// longest bounds the text of a statement, in bytes. Lists make long ones.
const longest = 2000

var literals = regexp.MustCompile(`'(?:[^']|'')*'`)

// statement makes the span of a statement that was carried out. One outside of a span would
// be a trace of its own: the loops of the server make many of these, which say nothing.
func (t *Traces) statement(ctx context.Context, s db.Statement) {
	if !trace.SpanFromContext(ctx).IsRecording() {
		return
	}
	text := s.Text()
	operation, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	operation = strings.ToUpper(operation)
	text = literals.ReplaceAllString(text, "'?'")
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + "…"
	}
	system := semconv.DBSystemNamePostgreSQL
	if s.Dialect == db.SQLite {
		system = semconv.DBSystemNameSQLite
	}
	_, span := t.tracer.Start(ctx, operation, trace.WithSpanKind(trace.SpanKindClient), trace.WithTimestamp(s.Began),
		trace.WithAttributes(system, semconv.DBOperationName(operation), semconv.DBQueryText(text)))
	if s.Failed {
		span.SetStatus(codes.Error, "")
	}
	span.End()
}

// Span is a part of a trace, or nothing.
type Span struct{ span trace.Span }

// Answered ends the span of a request with the status of its answer, 0 for one that did not
// reach its end.
func (s Span) Answered(status int) {
	switch {
	case s.span == nil:
		return
	case status == 0:
		s.span.SetAttributes(semconv.ErrorTypeKey.String("aborted"))
		s.span.SetStatus(codes.Error, "")
	default:
		s.span.SetAttributes(semconv.HTTPResponseStatusCode(status))
		if status >= 500 {
			s.span.SetAttributes(semconv.ErrorTypeKey.String(strconv.Itoa(status)))
			s.span.SetStatus(codes.Error, "")
		}
	}
	s.span.End()
}

// Failed ends the span with a kind of failure, "" for none.
func (s Span) Failed(kind string) {
	if s.span == nil {
		return
	}
	if kind != "" {
		s.span.SetAttributes(semconv.ErrorTypeKey.String(kind))
		s.span.SetStatus(codes.Error, "")
	}
	s.span.End()
}

// Delivered ends the span of a delivery: with the status of the answer, 0 for none, and the
// outcome, which is a failure or not.
func (s Span) Delivered(status int, outcome string, failed bool) {
	if s.span == nil {
		return
	}
	s.span.SetAttributes(attribute.String("svc.delivery.outcome", outcome))
	if status != 0 {
		s.span.SetAttributes(semconv.HTTPResponseStatusCode(status))
	}
	if !failed {
		outcome = ""
	}
	s.Failed(outcome)
}

// types are those of activities. Another server may send any text as one.
var types = map[string]bool{
	"Accept": true, "Add": true, "Announce": true, "Block": true, "Create": true, "Delete": true, "EmojiReact": true, "Flag": true, "Follow": true,
	"Like": true, "Move": true, "QuoteRequest": true, "Reject": true, "Remove": true, "Undo": true, "Update": true,
}

// Processes names the type of an activity.
func (s Span) Processes(kind string) {
	if s.span == nil {
		return
	}
	if !types[kind] {
		kind = "other"
	}
	s.span.SetAttributes(attribute.String("svc.activity.type", kind))
}

// Processed ends the span of an activity with its outcome, which is a failure or not.
func (s Span) Processed(outcome string, failed bool) {
	s.ended("svc.activity.outcome", outcome, failed)
}

// Fetched ends the span of a document, likewise.
func (s Span) Fetched(outcome string, failed bool) { s.ended("svc.fetch.outcome", outcome, failed) }

// Pushed ends the span of a push message, likewise.
func (s Span) Pushed(outcome string, failed bool) { s.ended("svc.push.outcome", outcome, failed) }

func (s Span) ended(key, outcome string, failed bool) {
	if s.span == nil {
		return
	}
	s.span.SetAttributes(attribute.String(key, outcome))
	if !failed {
		outcome = ""
	}
	s.Failed(outcome)
}

// silence is the time between two lines of the log on a collector that fails.
const silence = time.Minute

// loggingExporter logs failures, at most one a minute. The library would print each.
type loggingExporter struct {
	sdk.SpanExporter
	log    *slog.Logger
	mu     sync.Mutex
	logged time.Time
	lost   int
}

// ExportSpans sends spans, or drops them.
func (e *loggingExporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := e.SpanExporter.ExportSpans(ctx, spans)
	if err == nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.lost += len(spans); !e.logged.IsZero() && time.Since(e.logged) < silence {
		return nil
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.New("the collector does not answer in time")
	}
	e.log.WarnContext(ctx, "traces cannot be sent", "spans", e.lost, "err", err)
	e.logged, e.lost = time.Now(), 0
	return nil
}
