package server

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"go.yaml.in/yaml/v3"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/backup"
)

// Who writes an alarm finds every metric in the document, and none that is not there.
func TestEveryMetricIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../docs/monitoring.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for _, name := range regexp.MustCompile("(?m)^\\| `(svc_[a-z_]+)`").FindAllSubmatch(page, -1) {
		documented[string(name[1])] = true
	}
	exported := map[string]bool{}
	for name := range registered(t) {
		if strings.HasPrefix(name, "svc_") {
			exported[name] = true
		}
	}
	if len(exported) < 15 {
		t.Errorf("only %d metrics were found", len(exported))
	}
	if got, want := slices.Sorted(maps.Keys(documented)), slices.Sorted(maps.Keys(exported)); !slices.Equal(got, want) {
		t.Errorf("docs/monitoring.md has\n%v, exported are\n%v", got, want)
	}
}

// registered are the metrics of a server, each with its labels.
func registered(t *testing.T) map[string][]string {
	t.Helper()
	descriptions := make(chan *prometheus.Desc)
	metrics := newMetrics(&Server{DB: dbtest.New(t)}, "1.0.0")
	go func() {
		metrics.known.Describe(descriptions)
		close(descriptions)
	}()
	found := map[string][]string{}
	labels := regexp.MustCompile(`^Desc\{fqName: "([^"]+)", .*, constLabels: \{(.*)\}, variableLabels: \{(.*)\}\}$`)
	for d := range descriptions {
		parts := labels.FindStringSubmatch(d.String())
		if parts == nil {
			t.Fatalf("cannot read %s", d)
		}
		for _, pair := range strings.Split(parts[2]+","+parts[3], ",") {
			name, _, _ := strings.Cut(pair, "=")
			found[parts[1]] = append(found[parts[1]], name)
		}
	}
	return found
}

// TestAlertsAskForMetricsThatExist holds the rules for Prometheus and the
// dashboard for Grafana against the metrics of the server and their labels.
func TestAlertsAskForMetricsThatExist(t *testing.T) {
	var rules struct {
		Groups []struct {
			Rules []struct{ Record, Alert, Expr string }
		}
	}
	text, err := os.ReadFile("../docs/deploy/prometheus/svc.rules.yml")
	if err == nil {
		err = yaml.Unmarshal(text, &rules)
	}
	if err != nil {
		t.Fatal(err)
	}
	known, expressions := registered(t), map[string]string{}
	for _, group := range rules.Groups {
		for _, r := range group.Rules {
			if r.Record != "" {
				known[r.Record] = strings.Split(strings.SplitN(r.Record, ":", 2)[0], "_")
			}
			expressions[r.Record+r.Alert] = r.Expr
		}
	}
	if len(expressions) < 15 {
		t.Errorf("only %d rules were found", len(expressions))
	}
	board, err := os.ReadFile("../docs/deploy/grafana/svc.json")
	if err != nil {
		t.Fatal(err)
	}
	for i, found := range regexp.MustCompile(`"expr": ("(?:[^"\\]|\\.)*")`).FindAllSubmatch(board, -1) {
		var expr string
		if err := json.Unmarshal(found[1], &expr); err != nil {
			t.Fatal(err)
		}
		expressions["panel "+strconv.Itoa(i)] = expr
	}
	if len(expressions) < 60 {
		t.Errorf("only %d rules and panels were found", len(expressions))
	}
	for rule, expr := range expressions {
		for _, wrong := range unknownMetrics(known, expr) {
			t.Errorf("%s: %s", rule, wrong)
		}
	}
	for expr, want := range map[string]int{
		`sum by (job) (rate(svc_jobs{state="x"}[5m])) > 1`: 0, `svc_job > 1`: 1, `svc_jobs{stat="x"}`: 1,
		`svc_http_request_duration_seconds_bucket{le="1"}`: 0, `svc_jobs_bucket`: 1, `sum(svc_jobs) by (que)`: 1,
	} {
		if got := unknownMetrics(known, expr); len(got) != want {
			t.Errorf("%s: %q", expr, got)
		}
	}
}

var (
	promStrings  = regexp.MustCompile(`"(?:\\.|[^"\\])*"`)
	promGrouping = regexp.MustCompile(`\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)`)
	promRange    = regexp.MustCompile(`\[[^\]]*\]`)
	promMetric   = regexp.MustCompile(`([a-zA-Z_:][a-zA-Z0-9_:]*)\s*(\(|\{[^}]*\})?`)
	promLabel    = regexp.MustCompile(`([a-zA-Z_][a-zA-Z0-9_]*)\s*(?:=~|!~|!=|=)`)
	promNumber   = regexp.MustCompile(`\b[0-9][0-9a-z.]*\b`)
)

// unknownMetrics are the metrics and labels of an expression that no process
// has. Labels of Prometheus itself, job and instance, are known.
func unknownMetrics(known map[string][]string, expr string) (wrong []string) {
	expr = promRange.ReplaceAllString(promStrings.ReplaceAllString(expr, `""`), "")
	grouped := promGrouping.FindAllStringSubmatch(expr, -1)
	expr = promNumber.ReplaceAllString(promGrouping.ReplaceAllString(expr, " "), "")
	labels := []string{"job", "instance", ""}
	for _, m := range promMetric.FindAllStringSubmatch(expr, -1) {
		name, selector := m[1], m[2]
		if selector == "(" || slices.Contains([]string{"and", "or", "unless", "bool", "offset"}, name) {
			continue
		}
		its, ok := known[name]
		if base, part, found := strings.Cut(name, "_seconds_"); !ok && found && slices.Contains([]string{"bucket", "sum", "count"}, part) && slices.Contains(histograms, base+"_seconds") {
			its, ok = append([]string{"le"}, known[base+"_seconds"]...), true
		}
		if !ok && name != "up" {
			wrong = append(wrong, "there is no metric "+name)
		}
		labels = append(labels, its...)
		for _, l := range promLabel.FindAllStringSubmatch(selector, -1) {
			if !slices.Contains(its, l[1]) && l[1] != "job" && l[1] != "instance" {
				wrong = append(wrong, name+" has no label "+l[1])
			}
		}
	}
	for _, list := range grouped {
		for _, l := range strings.Split(list[1], ",") {
			if !slices.Contains(labels, strings.TrimSpace(l)) {
				wrong = append(wrong, "no metric has a label "+l)
			}
		}
	}
	return wrong
}

// histograms are the metrics with buckets, or quantiles, and a sum.
var histograms = []string{"svc_http_request_duration_seconds", "go_gc_duration_seconds"}

// Streams last as long as their clients stay: they are counted, and not timed.
func TestStreamsAreNotTimed(t *testing.T) {
	m := newMetrics(&Server{DB: dbtest.New(t)}, "1.0.0")
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.Use(m.count(time.Now, []Route{{Path: "/stream", Access: Stream}, {Path: "/page", Access: Page}}))
	for _, path := range []string{"/stream", "/page"} {
		engine.GET(path, func(c *gin.Context) { c.Status(http.StatusOK) })
		engine.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil))
	}
	counts := prometheus.NewRegistry()
	counts.MustRegister(m.requests, m.seconds)
	found, err := counts.Gather()
	if err != nil {
		t.Fatal(err)
	}
	counted, timed := 0, 0
	for _, family := range found {
		for _, metric := range family.GetMetric() {
			switch family.GetName() {
			case "svc_http_requests_total":
				counted += int(metric.GetCounter().GetValue())
			case "svc_http_request_duration_seconds":
				timed += int(metric.GetHistogram().GetSampleCount())
			}
		}
	}
	if counted != 2 || timed != 1 {
		t.Errorf("%d requests were counted and %d timed", counted, timed)
	}
}

// TestTheLastBackupIsMeasured: one that failed leaves the one before it as the last that was
// made.
func TestTheLastBackupIsMeasured(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		measured := func() map[string]float64 {
			t.Helper()
			known, out := prometheus.NewRegistry(), map[string]float64{}
			known.MustRegister(lastBackup{&Server{DB: d}})
			found, err := known.Gather()
			if err != nil {
				t.Fatal(err)
			}
			for _, family := range found {
				out[strings.TrimPrefix(family.GetName(), "svc_backup_")] = family.GetMetric()[0].GetGauge().GetValue()
			}
			return out
		}
		if got := measured(); len(got) != 0 {
			t.Errorf("before any backup: %v", got)
		}
		at := time.Unix(1800000000, 0)
		keep := func(r *backup.Result, err error, began, ended time.Time) {
			t.Helper()
			if err := backup.OutcomeOf(r, err, began, ended).Keep(t.Context(), d); err != nil {
				t.Fatal(err)
			}
		}
		keep(nil, errors.New("no room"), at, at.Add(time.Second))
		if diff := cmp.Diff(map[string]float64{"attempt_ended_timestamp_seconds": 1800000001, "attempt_succeeded": 0}, measured()); diff != "" {
			t.Error(diff)
		}
		keep(&backup.Result{Count: backup.Count{Database: 100, FileBytes: 20, FolderBytes: 3}}, nil, at, at.Add(90*time.Second))
		made := map[string]float64{"attempt_ended_timestamp_seconds": 1800000090, "attempt_succeeded": 1, "ended_timestamp_seconds": 1800000090, "duration_seconds": 90, "size_bytes": 123}
		if diff := cmp.Diff(made, measured()); diff != "" {
			t.Error(diff)
		}
		keep(nil, errors.New("no room"), at.Add(time.Hour), at.Add(time.Hour))
		made["attempt_ended_timestamp_seconds"], made["attempt_succeeded"] = 1800003600, 0
		if diff := cmp.Diff(made, measured()); diff != "" {
			t.Error(diff)
		}
	})
}
