package server

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"svc/db/dbtest"
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
	descriptions := make(chan *prometheus.Desc)
	metrics := newMetrics(&Server{DB: dbtest.New(t)}, "1.0.0")
	go func() {
		metrics.known.Describe(descriptions)
		close(descriptions)
	}()
	exported := map[string]bool{}
	for d := range descriptions {
		_, rest, _ := strings.Cut(d.String(), `fqName: "`)
		name, _, _ := strings.Cut(rest, `"`)
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
