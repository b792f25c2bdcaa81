//go:build linux

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// report is everything that was measured.
type report struct {
	Started  time.Time   `json:"started"`
	Machine  string      `json:"machine"`
	Seconds  float64     `json:"seconds"`
	Runs     int         `json:"runs"`
	Version  string      `json:"version"`
	Worlds   []*world    `json:"worlds"`
	Cells    []cell      `json:"cells"`
	Terminal []benchmark `json:"terminal,omitempty"`

	Deliveries []*delivery  `json:"deliveries,omitempty"`
	Streams    []*streaming `json:"streams,omitempty"`
}

const (
	most   = 1.5  // times as much a list may cost at the larger size
	dearer = 1.05 // times as much a request may cost as before
)

// table is a table in the making: the names of its columns, and its rows.
type table struct {
	title string
	texts int // columns of text, before those of figures
	head  []string
	rows  [][]string
}

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

// write writes a table with rows.
func (t *table) write(b *strings.Builder) {
	if t.rows == nil {
		return
	}
	fmt.Fprintf(b, "\n### %s\n\n", t.title)
	line := func(cells []string) {
		for _, c := range cells {
			b.WriteString(strings.TrimSuffix("| "+c, " ") + " ")
		}
		b.WriteString("|\n")
	}
	line(t.head)
	b.WriteString("|" + strings.Repeat("---|", t.texts) + strings.Repeat("--:|", len(t.head)-t.texts) + "\n")
	for _, cells := range t.rows {
		line(cells)
	}
}

// print writes the report as Markdown.
func (r *report) print(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, on %s. %s.", r.Version, r.Started.Format("2 January 2006"), r.Machine)
	if r.Cells != nil {
		fmt.Fprintf(&b, " Each figure is the median of %d runs of %g s.", r.Runs, r.Seconds)
	}
	b.WriteString("\n")
	r.deliveries(&b)
	r.streams(&b)
	for _, database := range []string{"sqlite", "postgres"} {
		for _, workers := range connections {
			r.requests(&b, database, workers)
		}
	}
	r.changes(&b)
	r.growth(&b)
	r.posts(&b)
	r.processes(&b)
	t := table{title: "In the terminal, with 100,000 reports loaded", texts: 1, head: []string{"", "per operation"}}
	for _, m := range r.Terminal {
		t.row(m.Name, duration(m.Per))
	}
	t.write(&b)
	_, err := io.WriteString(out, b.String())
	return err
}

// of returns the worlds of a program on a database, of all sizes if there is
// no name of one.
func (r *report) of(program, database, size string) (all []*world) {
	for _, w := range r.Worlds {
		if w.Program == program && w.Database == database && (size == "" || w.Size.Name == size) {
			all = append(all, w)
		}
	}
	return all
}

// middle is the median over the runs of one measurement, figure by figure, nil
// where there is none.
func (r *report) middle(w *world, endpoint string, workers int) *cell {
	var all []cell
	for _, c := range r.Cells {
		if c.Program == w.Program && c.Endpoint == endpoint && c.Database == w.Database && c.Size == w.Size.Name && c.Workers == workers {
			all = append(all, c)
		}
	}
	if all == nil {
		return nil
	}
	return &cell{
		Rate: middleOf(all, func(c cell) float64 { return c.Rate }), Bytes: middleOf(all, func(c cell) float64 { return c.Bytes }),
		CPU: middleOf(all, func(c cell) float64 { return c.CPU }), Sustained: middleOf(all, func(c cell) float64 { return c.Sustained }),
		Other: middleOf(all, func(c cell) float64 { return c.Other }), After: middleOf(all, func(c cell) time.Duration { return c.After }),
		P50: middleOf(all, func(c cell) time.Duration { return c.P50 }), P99: middleOf(all, func(c cell) time.Duration { return c.P99 }),
	}
}

func middleOf[T time.Duration | float64](all []cell, of func(cell) T) T {
	var values []T
	for _, c := range all {
		values = append(values, of(c))
	}
	return median(values)
}

func (r *report) requests(b *strings.Builder, database string, workers int) {
	t := table{title: fmt.Sprintf("Requests on %s, %s", title(database), plural(workers)), texts: 1, head: []string{""}}
	worlds := r.of("now", database, "")
	for _, w := range worlds {
		t.head = append(t.head, "req/s at "+w.title(), "p50 ms", "p99 ms", "CPU s/1000", "kB")
	}
	t.head = append(t.head, "other CPU")
	for _, e := range endpoints {
		row, other := []string{e.name}, -1.0
		for _, w := range worlds {
			if c := r.middle(w, e.name, workers); c != nil {
				other = max(other, c.Other)
				row = append(row, whole(c.Rate), millis(c.P50), millis(c.P99), fmt.Sprintf("%.3f", c.CPU), fmt.Sprintf("%.1f", c.Bytes/1000))
			}
		}
		switch {
		case len(row) == 1:
		case other < 0:
			t.row(append(row, "not told")...)
		default:
			t.row(append(row, fmt.Sprintf("%.0f%%", 100*other))...)
		}
	}
	t.write(b)
}

// title tells the size of a world.
func (w *world) title() string {
	if w.Size.Name == "reported" {
		return fmt.Sprintf("%s statuses, %s reports", thousands(w.Size.Statuses), thousands(w.Size.Reports))
	}
	return thousands(w.Size.Statuses) + " statuses"
}

// times is how many times as much something costs, marked above a bound.
func times(is, was, bound float64) string {
	if is/was > bound {
		return fmt.Sprintf("%.2f (above)", is/was)
	}
	return fmt.Sprintf("%.2f", is/was)
}

// changes compares the costs of requests with those of the other program.
func (r *report) changes(b *strings.Builder) {
	t := table{title: "Beside the other svcd", texts: 2, head: []string{"", "", "statuses"}}
	for _, n := range connections {
		t.head = append(t.head, "CPU s/1000 before, "+plural(n), "now", "times", "p50, times")
	}
	for _, now := range r.Worlds {
		for _, before := range r.of("before", now.Database, now.Size.Name) {
			for _, e := range endpoints {
				row := []string{e.name, title(now.Database), thousands(now.Size.Statuses)}
				for _, n := range connections {
					if was, is := r.middle(before, e.name, n), r.middle(now, e.name, n); now != before && was != nil && is != nil && was.CPU > 0 {
						row = append(row, fmt.Sprintf("%.3f", was.CPU), fmt.Sprintf("%.3f", is.CPU), times(is.CPU, was.CPU, dearer), times(is.P50.Seconds(), was.P50.Seconds(), 1e9))
					}
				}
				if len(row) == len(t.head) {
					t.row(row...)
				}
			}
		}
	}
	t.write(b)
	if t.rows != nil {
		fmt.Fprintf(b, "\nRequests marked \"above\" take more than %g times the processor time.\n", dearer)
	}
}

// growth compares the costs of lists at both sizes.
func (r *report) growth(b *strings.Builder) {
	small, large := allSizes[0], allSizes[1]
	t := table{texts: 2, head: []string{"", ""}, title: fmt.Sprintf("What lists cost at %s statuses and %s reports, as a multiple of %s and %s",
		thousands(large.Statuses), thousands(large.Reports), thousands(small.Statuses), thousands(small.Reports))}
	for _, n := range connections {
		t.head = append(t.head, "CPU, "+plural(n), "p50, "+plural(n))
	}
	for _, few := range r.Worlds {
		for _, many := range r.of("now", few.Database, large.Name) {
			for _, e := range endpoints {
				row := []string{e.name, title(few.Database)}
				for _, n := range connections {
					if s, l := r.middle(few, e.name, n), r.middle(many, e.name, n); e.list && few.Program == "now" && few.Size == small && s != nil && l != nil && s.CPU > 0 {
						row = append(row, times(l.CPU, s.CPU, most), times(l.P50.Seconds(), s.P50.Seconds(), 1e9))
					}
				}
				if len(row) == len(t.head) {
					t.row(row...)
				}
			}
		}
	}
	t.write(b)
	if t.rows != nil {
		fmt.Fprintf(b, "\nLists marked \"above\" take more than %g times the processor time.\n", most)
	}
}

// posts writes the part of posting that comes after the answers.
func (r *report) posts(b *strings.Builder) {
	t := table{title: "Posting, with all that a post causes", texts: 1, head: []string{"", "statuses", "connections", "answered/s", "work after the last answer", "sustained/s"}}
	for _, w := range r.Worlds {
		for _, n := range connections {
			if c := r.middle(w, posting.name, n); c != nil && w.Program == "now" {
				t.row(title(w.Database), thousands(w.Size.Statuses), fmt.Sprint(n), whole(c.Rate), fmt.Sprintf("%.1f s", c.After.Seconds()), whole(c.Sustained))
			}
		}
	}
	t.write(b)
}

func (r *report) processes(b *strings.Builder) {
	t := table{title: "Processes", texts: 2, head: []string{"", "", "statuses", "start to healthy", "memory idle", "after reads", "after posts", "most", "PostgreSQL after posts", "data", "made in"}}
	for _, w := range r.Worlds {
		t.row(w.Program, title(w.Database), thousands(w.Size.Statuses), duration(w.Start), mib(w.Idle.Server.RSS), mib(w.AfterReads.Server.RSS), mib(w.AfterWrites.Server.RSS),
			mib(w.AfterWrites.Peak), mib(w.AfterWrites.Database.PSS), mib(float64(w.DiskBytes)/(1<<20)), w.MadeIn.Round(time.Second).String())
	}
	t.write(b)
	if t.rows != nil {
		b.WriteString("\nMemory is RSS of svcd; PostgreSQL's is PSS, which counts shared pages once.\n")
	}
}

// streams writes the costs of streams, a column for each.
func (r *report) streams(b *strings.Builder) {
	if r.Streams == nil {
		return
	}
	both := func(d []time.Duration) string {
		if len(d) == 0 {
			return ""
		}
		return millis(quantile(d, 50)) + ", " + millis(quantile(d, 99))
	}
	rate := func(f []float64) string {
		if f == nil {
			return ""
		}
		return whole(median(f))
	}
	t := table{title: "Streams", texts: 1, head: []string{""}}
	for _, name := range []string{"post to event, ms: p50, p99", "the same at another process", "posts/s without listeners",
		"posts/s with " + thousands(listeners) + " listeners, each post to a sixteenth", "the same, each post to all " + thousands(listeners),
		"posts/s if each write notified", "sockets", "KiB each", "an event to all of them, ms: median, most", "its processor time, s",
		"a home timeline, ms, without sockets: p50, p99", "with all sockets idle", "with an event to all of them each second",
		"sockets that are not read; cut off", "events that others missed meanwhile"} {
		t.row(name)
	}
	for _, s := range r.Streams {
		name := title(s.Database)
		if s.Program == "before" {
			name += ", before"
		}
		t.head = append(t.head, name)
		for i, c := range []string{both(s.Here), both(s.There), rate(s.Alone), rate(s.Heard), rate(s.HeardByAll), rate(s.Notified),
			thousands(s.Sockets), fmt.Sprintf("%.1f", s.KiB), millis(median(s.ToAll)) + ", " + millis(slices.Max(s.ToAll)), fmt.Sprintf("%.2f", median(s.ToAllCPU)),
			both(s.None), both(s.Idle), both(s.Told), fmt.Sprintf("%d; %d", s.Silent, s.CutOff), fmt.Sprint(s.Missed)} {
			t.rows[i] = append(t.rows[i], c)
		}
	}
	t.write(b)
}

// deliveries writes the costs of deliveries.
func (r *report) deliveries(b *strings.Builder) {
	t := table{title: "Delivery of a post to all hosts", texts: 2, head: []string{"", "database", "hosts", "answers after", "visitors", "to all, s", "CPU ms a call",
		"new connections", "repeats", "p99 before, ms", "p99 meanwhile, ms"}}
	for _, d := range r.Deliveries {
		visitors, cpu, idle, busy := "none", fmt.Sprintf("%.2f", median(d.CPU)), "", ""
		if d.Visited {
			visitors, cpu, idle, busy = "100/s", "", millis(d.IdleP99), millis(d.BusyP99)
		}
		t.row(d.Program, title(d.Database), fmt.Sprint(d.Hosts), d.Answer.String(), visitors, fmt.Sprintf("%.2f", median(d.Took).Seconds()), cpu,
			fmt.Sprint(median(d.Conns)), fmt.Sprint(d.Repeats), idle, busy)
	}
	t.write(b)
	if t.rows != nil {
		b.WriteString("\nThe times are medians of all posts; processor time is svcd's and the database's.\n")
	}
}

func title(database string) string {
	if database == "postgres" {
		return "PostgreSQL"
	}
	return "SQLite"
}

func plural(connections int) string {
	if connections == 1 {
		return "1 connection"
	}
	return fmt.Sprintf("%d connections", connections)
}

// thousands writes n with a comma between each three digits.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func whole(n float64) string { return fmt.Sprintf("%.0f", n) }

func millis(d time.Duration) string { return fmt.Sprintf("%.2f", d.Seconds()*1000) }

// mib is "" for what was not measured.
func mib(n float64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f MiB", n)
}

// duration rounds to three digits or so.
func duration(d time.Duration) string {
	switch {
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d >= time.Millisecond:
		return d.Round(10 * time.Microsecond).String()
	}
	return d.Round(10 * time.Nanosecond).String()
}
