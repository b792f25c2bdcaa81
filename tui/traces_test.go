package tui

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// traceLines are the lines of a trace, but those of answers.
func traceLines(t *testing.T, text string) []traceLine {
	t.Helper()
	var lines []traceLine
	for one := range strings.Lines(text) {
		var l traceLine
		if err := json.Unmarshal([]byte(one), &l); err != nil {
			t.Fatalf("%q: %v", one, err)
		}
		if l.Event != "load" {
			lines = append(lines, l)
		}
	}
	return lines
}

// TestATraceCountsFromTheKeyToTheTerminal has the terminal late by known times.
func TestATraceCountsFromTheKeyToTheTerminal(t *testing.T) {
	var file strings.Builder
	clock := begun
	d := begin(t, newWorld(t), 80, 24)
	tr := newTrace(&file, func() time.Time { return clock })
	p := traced{d.m, tr}
	late := func(wait time.Duration) { clock = clock.Add(wait) }
	type1 := func(name string) {
		tr.arrived()
		late(2 * time.Millisecond) // until the program has it
		p.Update(keyNamed(name))
		p.View()
		late(5 * time.Millisecond) // until the renderer looks
	}

	late(40 * time.Millisecond)
	p.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
	p.View()
	late(3 * time.Millisecond)
	tr.flush()
	tr.flush() // no frame
	type1("j")
	tr.flush()
	type1(" ")
	type1("k")
	tr.flush()
	type1("<") // no key of the program: the frame stays
	type1(":")
	tr.flush()
	type1("s") // may be of a secret
	tr.flush()
	want := []traceLine{
		{Event: "paint", Ms: 43},
		{Event: "resize", What: "100x30", Ms: 3},
		{Event: "key", What: "j", Ms: 7},
		{Event: "key", What: " ", Ms: 14},
		{Event: "key", What: "k", Ms: 14},
		{Event: "key", What: "<", Ms: 2, Same: true},
		{Event: "key", What: ":", Ms: 7},
		{Event: "key", What: "text", Ms: 7},
	}
	got := traceLines(t, file.String())
	if len(got) != len(want) {
		t.Fatalf("%d lines, want %d:\n%s", len(got), len(want), file.String())
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("line %d is %+v, want %+v", i+1, got[i], want[i])
		}
	}
}

func TestATraceHasTheAnswersOfTheServer(t *testing.T) {
	var file strings.Builder
	clock := begun
	d := begin(t, newWorld(t), 80, 24)
	d.m.Load.Watch = newTrace(&file, func() time.Time {
		clock = clock.Add(time.Millisecond)
		return clock
	}).loading
	d.press("2")
	if !strings.Contains(file.String(), `{"event":"load","what":"nounLoaded","ms":1}`+"\n") {
		t.Errorf("the trace is\n%s", file.String())
	}
}
