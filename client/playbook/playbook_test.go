package playbook

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"svc/client/action"
	"svc/client/templates"
)

func load(t *testing.T, text string) ([]Playbook, error) {
	t.Helper()
	var file struct {
		Playbooks map[string]any
		Templates map[string]string
	}
	if err := yaml.Unmarshal([]byte(text), &file); err != nil {
		t.Fatal(err)
	}
	return Load(file.Playbooks, file.Templates)
}

func TestAWrongStepIsRefusedInOneLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"playbooks: {a: deactivate}":                             `playbook "a": it must be a list of steps`,
		"playbooks: {a: []}":                                     `playbook "a": it must be a list of steps`,
		"playbooks: {a b: [close]}":                              `playbook "a b": the name must be a word`,
		"playbooks: {a: [close, eat]}":                           `playbook "a", step 2: there is no step "eat"; there are resolve, close, note, deactivate, delete, sensitive, tag, untag, message`,
		"playbooks: {a: [{tag: x, note: y}]}":                    `playbook "a", step 1: a step is one verb`,
		"playbooks: {a: [3]}":                                    `playbook "a", step 1: a step is a verb, not "3"`,
		"playbooks: {a: [tag]}":                                  `playbook "a", step 1: tag: one tag is wanted`,
		"playbooks: {a: [{deactivate: kim}]}":                    `playbook "a", step 1: deactivate takes no argument`,
		"playbooks: {a: [{resolve: some}]}":                      `playbook "a", step 1: resolve: all, or nothing, is wanted`,
		"playbooks: {a: [{note: ''}]}":                           `playbook "a", step 1: note: a text or {template: NAME} is wanted`,
		"playbooks: {a: [{note: {template: b}}]}":                `playbook "a", step 1: note: there is no template "b"`,
		"playbooks: {a: [{note: '{{.colour}}'}]}":                `playbook "a", step 1: note: template note: there is no field {{.colour}}`,
		"playbooks: {a: [{message: {templat: b}}]}":              `playbook "a", step 1: message: a text or {template: NAME} is wanted`,
		"playbooks: {a: [" + strings.Repeat("close,", 21) + "]}": `playbook "a": 21 steps, at most 20`,
	} {
		_, err := load(t, text)
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestOwnPlaybooksStandBesideShippedOnes(t *testing.T) {
	t.Parallel()
	books, err := load(t, `
templates: {warning: "read the rules, {{.nick}}"}
playbooks:
  casino: [sensitive, {tag: mrf_tag:sandbox}, {untag: old}, {message: {template: warning}}, {note: "by {{.moderator}}"}, resolve]
  dogpile: [close]
`)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, b := range books {
		names = append(names, b.Name)
	}
	if diff := cmp.Diff([]string{"spam", "abuse", "dogpile", "impersonation", "casino"}, names); diff != "" {
		t.Error(diff)
	}
	casino, err := Find(books, "casino")
	if err != nil {
		t.Fatal(err)
	}
	r1 := Report{ID: "r1", State: "open", About: "a1", Nick: "kim", By: "ana", Posts: []string{"s1", "s2"}, Fields: templates.Fields{templates.Nick: "kim"}}
	r2 := Report{ID: "r2", State: "open", About: "a1", Nick: "kim", By: "tom", Posts: []string{"s2", "s3"}}
	c := Cases([]Report{r1}, []Report{r2, r1}, nil)[0]
	if _, err := casino.Plan(c); err == nil || err.Error() != "template casino: {{.moderator}} is not known here; nothing was sent" {
		t.Error(err)
	}
	c.Fields[templates.Moderator] = "mika"
	plan, err := casino.Plan(c)
	if err != nil {
		t.Fatal(err)
	}
	yes := map[string]string{"sensitive": "true"}
	off := map[string]string{"deactivated": "false"}
	want := []action.Action{
		{Kind: action.StatusSensitive, Target: "status/s1", Args: yes},
		{Kind: action.StatusSensitive, Target: "status/s2", Args: yes},
		{Kind: action.UserTag, Target: "user/kim", Args: map[string]string{"tags": "mrf_tag:sandbox"}, Before: off},
		{Kind: action.UserUntag, Target: "user/kim", Args: map[string]string{"tags": "old"}, Before: off},
		{Kind: action.UserMessage, Target: "user/kim", Args: map[string]string{"text": "read the rules, kim"}, Before: off},
		{Kind: action.ReportNote, Target: "report/r1", Args: map[string]string{"text": "by mika"}},
		{Kind: action.ReportResolve, Target: "report/r1", Before: map[string]string{"state": "open"}},
	}
	if diff := cmp.Diff(want, plan); diff != "" {
		t.Error(diff)
	}
	if _, err := Find(books, "span"); err == nil || err.Error() != `there is no playbook "span"; there are spam, abuse, dogpile, impersonation, casino` {
		t.Error(err)
	}
}

func TestSpamIsPlannedWholeAndNamed(t *testing.T) {
	t.Parallel()
	books, err := Load(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	r1 := Report{ID: "r1", State: "open", About: "a1", Nick: "kim", By: "ana", Posts: []string{"s1", "s2"}}
	r2 := Report{ID: "r2", State: "open", About: "a1", Nick: "kim", By: "tom", Posts: []string{"s2", "s3"}}
	other := Report{ID: "r3", State: "open", About: "a2", Nick: "kay", By: "tom", Posts: []string{"s9"}}
	c := Cases([]Report{r1}, []Report{r2, r1, other}, nil)[0]
	plan, err := books[0].Plan(c)
	if err != nil {
		t.Fatal(err)
	}
	got := Consequences(plan, func(_ action.Kind, target string) string { _, name, _ := strings.Cut(target, "/"); return name })
	want := []string{"delete 3 posts s1, s2, s3 (for good)", "deactivate @kim (ends follows for good)", "note on r1", "resolve 2 reports r1, r2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := Words(books[0].Scope(c)); got != "3 posts of 2 reports, by 2 reporters" {
		t.Error(got)
	}
	marked := Cases([]Report{r1}, []Report{r2, r1}, func(post string) bool { return post == "s2" })[0]
	if got := Words(books[0].Scope(marked)); got != "1 post of 2 reports, by 2 reporters; 2 more reported stay" {
		t.Error(got)
	}
	c = Cases([]Report{{ID: "r1", State: "open"}}, nil, nil)[0]
	if _, err := books[0].Plan(c); err == nil || err.Error() != "playbook spam: deactivate needs an account, and this one is gone" {
		t.Error(err)
	}
	if plan, err := books[2].Plan(c); err != nil || len(plan) != 2 {
		t.Errorf("a dogpile on an account that is gone: %v, %v", plan, err)
	}
}
