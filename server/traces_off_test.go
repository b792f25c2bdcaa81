package server

import (
	"log/slog"
	"testing"

	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/platform/tracing"
)

// TestTracesThatAreOffAreNotThere compares what surrounds requests and jobs: without traces
// there is nothing in it for them.
func TestTracesThatAreOffAreNotThere(t *testing.T) {
	t.Setenv("OTEL_TRACES_EXPORTER", "otlp")
	traces, err := tracing.FromEnvironment(t.Context(), "1.0.0", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { traces.Close(t.Context()) })
	surrounds := func(traces *tracing.Traces) (requests, jobs int) {
		cfg := config.Defaults()
		cfg.BaseURL, cfg.DataDir = "http://svc.example", t.TempDir()
		s, err := New(t.Context(), cfg, dbtest.New(t), Options{Traces: traces})
		if err != nil {
			t.Fatal(err)
		}
		return len(s.engine.Handlers), len(s.jobMiddleware())
	}
	requests, jobs := surrounds(nil)
	if r, j := surrounds(traces); r != requests+1 || j != jobs+1 {
		t.Errorf("with traces %d handlers and %d of jobs, without %d and %d", r, j, requests, jobs)
	}
	var off *tracing.Traces
	if off.Statements() != nil {
		t.Error("statements are looked at")
	}
	ctx := t.Context()
	if n := testing.AllocsPerRun(100, func() {
		_, span := off.Delivery(ctx, "far.example")
		span.Delivered(202, "done", false)
		_, span = off.Activity(ctx, 1)
		span.Processes("Create")
		span.Processed("done", false)
		_, span = off.Fetch(ctx, "far.example")
		span.Fetched("done", false)
		_, span = off.Push(ctx, "far.example")
		span.Pushed("sent", false)
	}); n != 0 {
		t.Errorf("deliveries, activities, fetches and pushes allocate %v times for no trace", n)
	}
}
