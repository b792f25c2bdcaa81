package tui

import (
	"fmt"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/safe"
	"svc/tui/shown"
)

// filled has the report list filled with n rows.
func filled(b *testing.B, n int) *driver {
	b.Helper()
	d := begin(b, newWorld(b), 120, 40)
	found := make([]*shown.Report, 0, n)
	for i := range n {
		r := &shown.Report{
			ID: fmt.Sprintf("9y%016d", i), State: "open", At: start.Add(-time.Duration(n-i) * time.Minute),
			About: shown.Person{Nick: fmt.Sprintf("user%d@host%d.example", i, i%500)}, By: shown.Person{Nick: "ana", Local: true},
			Text: safe.Own("a comment of the usual length about what was said in some thread"),
		}
		r.About.Acct, r.By.Acct, r.About.Domain = shown.Acct(r.About.Nick), shown.Acct(r.By.Nick), fmt.Sprintf("host%d.example", i%500)
		found = append(found, r)
	}
	d.queue().Show(d.m.Env, found)
	d.queue().Refresh()
	d.queue().Jump(0)
	d.m.View()
	b.ReportAllocs()
	return d
}

const many = 100_000

func BenchmarkKeyToFrame(b *testing.B) {
	d := filled(b, many)
	for b.Loop() {
		d.m.Update(keyNamed("j"))
		d.m.View()
	}
}

func BenchmarkStageToFrame(b *testing.B) {
	d := filled(b, many)
	for b.Loop() {
		d.clock = d.clock.Add(time.Second)
		d.m.Update(keyNamed("r"))
		d.m.View()
		d.m.Staged.CancelAll()
	}
}

// The key and its frame, and the rows that match beside it.
func BenchmarkFilterKeystroke(b *testing.B) {
	d := filled(b, many)
	texts := []string{"h", "ho", "hos", "host", "host4", "host42"}
	i := 0
	for b.Loop() {
		d.run(d.queue().SetFilter(d.m.Env, texts[i%len(texts)]))
		d.m.View()
		i++
	}
}

func BenchmarkResize(b *testing.B) {
	d := filled(b, many)
	sizes := []tea.WindowSizeMsg{{Width: 60, Height: 15}, {Width: 120, Height: 40}}
	i := 0
	for b.Loop() {
		d.m.Update(sizes[i%2])
		d.m.View()
		i++
	}
}

func BenchmarkRowsArrive(b *testing.B) {
	d := filled(b, many)
	n := 0
	for b.Loop() {
		n++
		kim, ana := shown.Person{Nick: "kim", Acct: safe.Own("kim")}, shown.Person{Nick: "ana", Acct: safe.Own("ana")}
		d.queue().Show(d.m.Env, []*shown.Report{{ID: fmt.Sprintf("9z%016d", n), State: "open", At: start, About: kim, By: ana, Text: safe.Own("again")}})
		d.run(d.queue().Sync())
		d.m.View()
	}
}
