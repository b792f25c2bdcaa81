package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client/api"
	"svc/server/servertest"
)

// TestRulesOfTheHouseActAtOnce: they are shown in one order everywhere, in each process.
func TestRulesOfTheHouseActAtOnce(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, root, anybody := t.Context(), s.Admin("root").Admin.Rules, s.Anonymous().Instance
		shown := func(want ...string) {
			t.Helper()
			v1, v2, alone := must(anybody.Get(ctx))(t).Rules, must(anybody.GetV2(ctx))(t).Rules, must(anybody.Rules(ctx))(t)
			for door, rules := range map[string][]api.Rule{"v1": v1, "v2": v2, "alone": alone} {
				texts := []string{}
				for _, r := range rules {
					texts = append(texts, r.Text)
				}
				if diff := cmp.Diff(append([]string{}, want...), texts); diff != "" {
					t.Errorf("%s: %s", door, diff)
				}
			}
		}
		shown()
		add := func(text string, priority int) *api.AdminRule {
			t.Helper()
			return must(root.Create(ctx, api.RuleForm{Text: &text, Priority: new(api.Int(priority))}))(t)
		}
		second := add("second", 2)
		add("third", 2)
		first := add(" first ", 1)
		shown("first", "second", "third")
		must(root.Update(ctx, second.ID, api.RuleForm{Priority: new(api.Int(3)), Hint: new("why")}))(t)
		shown("first", "third", "second")
		if got := must(anybody.Rules(ctx))(t)[2]; got.ID != second.ID || got.Hint != "why" {
			t.Errorf("%+v", got)
		}
		must(0, root.Delete(ctx, first.ID))(t)
		shown("third", "second")
		token := s.Token("root", "read write admin")
		for _, c := range []struct {
			method, path, body string
			status             int
		}{
			{"POST", "", `{}`, 400},
			{"POST", "", `{"text":["x"]}`, 400},
			{"POST", "", `{"text":" "}`, 422},
			{"POST", "", `{"text":"` + strings.Repeat("x", 1001) + `"}`, 422},
			{"POST", "", `{"text":"x","hint":"` + strings.Repeat("x", 2001) + `"}`, 422},
			{"POST", "", `{"text":"x","priority":99999999999}`, 422},
			{"PATCH", "/" + second.ID, `{"text":""}`, 422},
			{"PATCH", "/" + first.ID, `{"text":"x"}`, 404},
			{"DELETE", "/" + first.ID, ``, 404},
			{"DELETE", "/x", ``, 404},
		} {
			if status, body := query(t, s, token, c.method, "/api/svc/admin/rules"+c.path, c.body); status != c.status {
				t.Errorf("%s %s %.40s: %d %s", c.method, c.path, c.body, status, body)
			}
		}
		shown("third", "second")
		for i := range 98 {
			add(fmt.Sprint("rule ", i), 5)
		}
		if status, body := query(t, s, token, "POST", "/api/svc/admin/rules", `{"text":"one too many"}`); status != 422 {
			t.Errorf("%d %s", status, body)
		}
	})
}

// TestReportsNameACategoryAndRules: a report keeps the rules that it named, also once
// they are gone.
func TestReportsNameACategoryAndRules(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, root, ann := t.Context(), s.Admin("root").Admin, s.Client("ann")
		kind := must(root.Rules.Create(ctx, api.RuleForm{Text: new("Be kind")}))(t)
		bob := s.User("bob")
		posted := say(t, s.Client("bob"), "rude")
		token := s.Token("ann", servertest.AllScopes)
		got := must(ann.Reports.Create(ctx, api.NewReport{
			AccountID: bob.ID, StatusIDs: []string{posted.ID}, Comment: "hm", Forward: true, Category: "spam", RuleIDs: []string{kind.ID, kind.ID},
		}))(t)
		if got.TargetAccount == nil || got.TargetAccount.ID != bob.ID || got.CreatedAt.IsZero() {
			t.Errorf("%+v", got)
		}
		got.TargetAccount, got.CreatedAt = nil, api.Time{}
		want := &api.Report{ID: got.ID, Category: "violation", Comment: "hm", StatusIDs: api.List[string]{posted.ID}, RuleIDs: api.List[string]{kind.ID}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		for body, want := range map[string]string{
			`"category":"legal"`: "legal", `"category":""`: "other", `"comment":"x"`: "other", `"rule_ids":[]`: "other", `"category":"violation"`: "violation",
		} {
			status, answer := query(t, s, token, "POST", "/api/v1/reports", `{"account_id":"`+bob.ID+`",`+body+`}`)
			if status != 200 || !strings.Contains(answer, `"category":"`+want+`"`) || !strings.Contains(answer, `"status_ids":[],"rule_ids":[]`) {
				t.Errorf("%s: %d %s", body, status, answer)
			}
		}
		filed := func() int { return must(root.Reports.Counts(ctx, api.ReportQuery{}))(t).All() }
		before := filed()
		for body, want := range map[string]string{
			`"category":"rude"`:                    `{"error":"Validation failed: Category is not included in the list"}`,
			`"rule_ids":["999"]`:                   `{"error":"Validation failed: Rules does not reference valid rules"}`,
			`"rule_ids":["x"]`:                     `{"error":"Validation failed: Rules does not reference valid rules"}`,
			`"rule_ids":["` + kind.ID + `","999"]`: `{"error":"Validation failed: Rules does not reference valid rules"}`,
		} {
			if status, answer := query(t, s, token, "POST", "/api/v1/reports", `{"account_id":"`+bob.ID+`",`+body+`}`); status != 422 || answer != want {
				t.Errorf("%s: %d %s", body, status, answer)
			}
		}
		if after := filed(); after != before {
			t.Errorf("%d reports were filed by refused requests", after-before)
		}
		must(0, root.Rules.Delete(ctx, kind.ID))(t)
		seen := must(root.Reports.Get(ctx, got.ID))(t)
		if diff := cmp.Diff(api.List[api.ReportRule]{{ID: kind.ID, Text: "Be kind"}}, seen.Rules); diff != "" || seen.Category != "violation" {
			t.Errorf("%s %s", seen.Category, diff)
		}
	})
}
