package output

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestWhatDoesNotEndIsStopped(t *testing.T) {
	usual := filterTime
	filterTime = 200 * time.Millisecond
	t.Cleanup(func() { filterTime = usual })
	for name, tt := range map[string]struct{ jq, template, says string }{
		"a loop that prints":         {template: `{{range 9999999999}}x{{end}}`},
		"a loop that prints nothing": {template: `{{range 9999999999}}{{end}}`},
		"loops in a condition":       {template: `{{if true}}{{range 99999}}{{range 99999}}{{with .}}{{end}}{{end}}{{end}}{{end}}`},
		"templates that branch":      {template: `{{define "x"}}{{if .}}{{template "x" (slice . 1)}}{{template "x" (slice . 1)}}{{end}}{{end}}{{template "x" "` + strings.Repeat("y", 60) + `"}}`},
		"a template within itself":   {template: `{{define "x"}}{{template "x"}}{{end}}{{template "x"}}`, says: "exceeded maximum template depth"},
		"much of little":             {template: `{{range 999999}}` + strings.Repeat("xxxxxxxxxx", 1000) + `{{end}}`, says: "more than 64 MiB"},
		"jq that prints":             {jq: `repeat(1)`},
		"jq that prints nothing":     {jq: `def f: f; f`},
		"jq that counts":             {jq: `[limit(1; range(1e15) | select(. < 0))]`},
	} {
		f, err := newFilter(tt.jq, tt.template)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if tt.says == "" {
			tt.says = errEndless.Error()
		}
		begun := time.Now()
		var out bytes.Buffer
		if err := f.run(&out, []byte(`{"a":1}`)); err == nil || !strings.Contains(err.Error(), tt.says) && !strings.Contains(err.Error(), errEndless.Error()) {
			t.Errorf("%s: %v, want %s", name, err, tt.says)
		}
		if took := time.Since(begun); took > 20*time.Second {
			t.Errorf("%s: it took %s", name, took)
		}
	}
}

// TestATemplateIsWhatItWas has every kind of block, in which ticks stand.
func TestATemplateIsWhatItWas(t *testing.T) {
	f, err := newFilter("", `{{define "x"}}<{{.}}>{{end}}{{range $i, $v := .a}}{{if $i}},{{else}}[{{end}}{{with $v}}{{template "x" .}}{{else}}none{{end}}{{else}}empty{{end}}{{block "y" .}}]{{end}}{{- /* c */ -}}`)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := errors.Join(f.run(&out, []byte(`{"a":["p","q",""]}`)), f.run(&out, []byte(`{"a":[]}`))); err != nil || out.String() != "[<p>,<q>,none]empty]" {
		t.Errorf("%q, %v", out.String(), err)
	}
}
