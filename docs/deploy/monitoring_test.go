package deploy

import (
	"os/exec"
	"regexp"
	"slices"
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
