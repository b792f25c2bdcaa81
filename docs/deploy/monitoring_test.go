package deploy

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// alertRules is a file of rules, and alertTests one of tests for promtool.
type (
	alertRules struct {
		Groups []struct {
			Rules []struct{ Record, Alert, Expr string }
		}
	}
	alertTests struct {
		Tests []struct {
			Alerts []struct {
				Name     string `yaml:"alertname"`
				Expected []any  `yaml:"exp_alerts"`
			} `yaml:"alert_rule_test"`
		}
	}
)

func parse[T any](t *testing.T, path string) (v T) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(read(t, path)), &v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return v
}

func promtool(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command(missing(t, "promtool"), args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("promtool %v: %v\n%s", args, err, out)
	}
}

func TestTheRulesForPrometheusHold(t *testing.T) {
	promtool(t, "prometheus", "check", "rules", "--lint=all", "--lint-fatal", "svc.rules.yml")
	promtool(t, "prometheus", "test", "rules", "svc.rules.test.yml")
}

// TestEveryAlertIsTestedAndDocumented wants a test in which an alert fires and one in which
// it does not, and its row in docs/monitoring.md.
func TestEveryAlertIsTestedAndDocumented(t *testing.T) {
	fires, silent := map[string]bool{}, map[string]bool{}
	for _, test := range parse[alertTests](t, "prometheus/svc.rules.test.yml").Tests {
		for _, a := range test.Alerts {
			if len(a.Expected) > 0 {
				fires[a.Name] = true
			} else {
				silent[a.Name] = true
			}
		}
	}
	var alerts, documented []string
	for _, group := range parse[alertRules](t, "prometheus/svc.rules.yml").Groups {
		for _, r := range group.Rules {
			if r.Alert == "" {
				continue
			}
			if alerts = append(alerts, r.Alert); !fires[r.Alert] || !silent[r.Alert] {
				t.Errorf("%s: tested that it fires: %v, that it does not: %v", r.Alert, fires[r.Alert], silent[r.Alert])
			}
		}
	}
	for _, row := range regexp.MustCompile("(?m)^\\| `(Svc[A-Za-z]+)` \\|").FindAllStringSubmatch(read(t, "../monitoring.md"), -1) {
		documented = append(documented, row[1])
	}
	if len(alerts) == 0 || !slices.Equal(alerts, documented) {
		t.Errorf("docs/monitoring.md has\n%v, the rules are\n%v", documented, alerts)
	}
}

// TestTheDashboardAsksInPromQL lets promtool read each expression of the dashboard for
// Grafana, as that of a rule.
func TestTheDashboardAsksInPromQL(t *testing.T) {
	type target struct{ Expr, RefID, LegendFormat string }
	var board struct {
		Panels []struct {
			ID                       int
			Type, Title, Description string
			GridPos                  struct{ X, Y, W, H int }
			Targets                  []target
		}
		Annotations struct {
			List []struct{ Name, Expr string }
		}
	}
	if err := json.Unmarshal([]byte(read(t, "grafana/svc.json")), &board); err != nil {
		t.Fatal(err)
	}
	var rules strings.Builder
	rules.WriteString("groups:\n  - name: dashboard\n    rules:\n")
	add := func(what, expr string) {
		// What Grafana puts in the place of its variables.
		expr = strings.NewReplacer("$__rate_interval", "5m", "$job", "svc", "$instance", ".*").Replace(expr)
		if strings.Contains(expr, "$") {
			t.Errorf("%s: a variable is unknown in %s", what, expr)
		}
		fmt.Fprintf(&rules, "      - record: %s\n        expr: %q\n", what, expr)
	}
	ids, taken := map[int]bool{}, map[[2]int]string{}
	for _, p := range board.Panels {
		if ids[p.ID] || p.Title == "" {
			t.Errorf("panel %d %q: its number or title is missing or taken", p.ID, p.Title)
		}
		ids[p.ID] = true
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if over := taken[[2]int{x, y}]; over != "" || x >= 24 {
					t.Fatalf("%s lies over %q or beside the page", p.Title, over)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
		if p.Type != "row" && (len(p.Targets) == 0 || p.Description == "") {
			t.Errorf("%s asks nothing, or does not say what", p.Title)
		}
		for i, asked := range p.Targets {
			add(fmt.Sprintf("panel_%d_%d", p.ID, i), asked.Expr)
		}
	}
	for i, a := range board.Annotations.List {
		add(fmt.Sprintf("annotation_%d", i), a.Expr)
	}
	if len(ids) < 30 {
		t.Errorf("%d panels", len(ids))
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "dashboard.yml"), []byte(rules.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	promtool(t, dir, "check", "rules", "--lint=none", "dashboard.yml")
}
