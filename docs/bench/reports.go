//go:build linux

package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// report is everything that was measured.
type report struct {
	Started  time.Time      `json:"started"`
	Machine  string         `json:"machine"`
	Seconds  float64        `json:"seconds"`
	Runs     int            `json:"runs"`
	Programs programsReport `json:"programs"`
	Worlds   []*world       `json:"worlds"`
	Cells    []cell         `json:"cells"`
	Terminal []benchmark    `json:"terminal,omitempty"`

	Deliveries []*delivery  `json:"deliveries,omitempty"`
	Streams    []*streaming `json:"streams,omitempty"`
}

// most is how many times as much a list may cost at the larger size.
const most = 1.5

// print writes the report as Markdown.
func (r *report) print(out io.Writer) error {
	var b strings.Builder
	if r.Deliveries != nil {
		fmt.Fprintf(&b, "%s, on %s. %s.\n", r.Programs.Version, r.Started.Format("2 January 2006"), r.Machine)
		deliveries(&b, r.Deliveries)
		_, err := io.WriteString(out, b.String())
		return err
	}
	if r.Streams != nil {
		fmt.Fprintf(&b, "%s, on %s. %s.\n", r.Programs.Version, r.Started.Format("2 January 2006"), r.Machine)
		streams(&b, r.Streams)
		_, err := io.WriteString(out, b.String())
		return err
	}
	fmt.Fprintf(&b, "%s, on %s. %s. Each figure is the median of %d runs of %g s.\n",
		r.Programs.Version, r.Started.Format("2 January 2006"), r.Machine, r.Runs, r.Seconds)
	for _, database := range r.databases() {
		for _, workers := range r.concurrencies() {
			r.requests(&b, database, workers)
		}
	}
	r.changes(&b)
	r.growth(&b)
	r.posts(&b)
	r.processes(&b)
	if len(r.Terminal) > 0 {
		b.WriteString("\n### In the terminal, with 100,000 reports loaded\n\n| | per operation |\n|---|--:|\n")
		for _, t := range r.Terminal {
			fmt.Fprintf(&b, "| %s | %s |\n", t.Name, duration(t.Per))
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func (r *report) databases() (names []string) {
	for _, w := range r.Worlds {
		if len(names) == 0 || names[len(names)-1] != w.Database {
			names = append(names, w.Database)
		}
	}
	return names
}

func (r *report) concurrencies() (all []int) {
	seen := map[int]bool{}
	for _, c := range r.Cells {
		if !seen[c.Workers] {
			seen[c.Workers] = true
			all = append(all, c.Workers)
		}
	}
	return all
}

// of returns the world with this program, database and size, nil when it was
// not measured.
func (r *report) of(program, database, size string) *world {
	for _, w := range r.Worlds {
		if w.Program == program && w.Database == database && w.Size.Name == size {
			return w
		}
	}
	return nil
}

// middle is the median over the runs of one measurement, figure by figure.
func (r *report) middle(w *world, endpoint string, workers int) (cell, bool) {
	m := cell{Program: w.Program, Endpoint: endpoint, Database: w.Database, Size: w.Size.Name, Workers: workers}
	var rate, bytes, cpu, sustained, other []float64
	var p50, p99, after []time.Duration
	for _, c := range r.Cells {
		if c.Program != m.Program || c.Endpoint != endpoint || c.Database != m.Database || c.Size != m.Size || c.Workers != workers {
			continue
		}
		rate, bytes, cpu = append(rate, c.Rate), append(bytes, c.Bytes), append(cpu, c.CPU)
		sustained, other = append(sustained, c.Sustained), append(other, c.Other)
		p50, p99, after = append(p50, c.P50), append(p99, c.P99), append(after, c.After)
	}
	m.Rate, m.Bytes, m.CPU, m.Sustained, m.Other = median(rate), median(bytes), median(cpu), median(sustained), median(other)
	m.P50, m.P99, m.After = median(p50), median(p99), median(after)
	return m, len(rate) > 0
}

func (r *report) requests(b *strings.Builder, database string, workers int) {
	fmt.Fprintf(b, "\n### Requests on %s, %s\n\n| |", title(database), plural(workers, "connection"))
	rule := "|---|"
	for _, s := range allSizes {
		if r.of("now", database, s.Name) != nil {
			fmt.Fprintf(b, " req/s at %s statuses | p50 ms | p99 ms | CPU s/1000 | kB |", thousands(s.Statuses))
			rule += "--:|--:|--:|--:|--:|"
		}
	}
	b.WriteString(" other CPU |\n" + rule + "--:|\n")
	for _, e := range endpoints {
		line, other, any := "| "+e.name+" |", -1.0, false
		for _, s := range allSizes {
			w := r.of("now", database, s.Name)
			if w == nil {
				continue
			}
			c, ok := r.middle(w, e.name, workers)
			if !ok {
				line += " | | | | |"
				continue
			}
			any, other = true, max(other, c.Other)
			line += fmt.Sprintf(" %.0f | %s | %s | %.3f | %.1f |", c.Rate, millis(c.P50), millis(c.P99), c.CPU, c.Bytes/1000)
		}
		switch {
		case any && other >= 0:
			fmt.Fprintf(b, "%s %.0f%% |\n", line, 100*other)
		case any:
			fmt.Fprintf(b, "%s not told |\n", line)
		}
	}
}

// dearer is how much more a request may cost than before.
const dearer = 1.05

// changes compares the costs of requests with those of the other program.
func (r *report) changes(b *strings.Builder) {
	var lines []string
	for _, now := range r.Worlds {
		before := r.of("before", now.Database, now.Size.Name)
		if before == nil || now == before {
			continue
		}
		for _, e := range endpoints {
			line, any := fmt.Sprintf("| %s | %s | %s |", e.name, title(now.Database), thousands(now.Size.Statuses)), false
			for _, workers := range r.concurrencies() {
				was, _ := r.middle(before, e.name, workers)
				is, ok := r.middle(now, e.name, workers)
				if !ok || was.CPU == 0 {
					line += " | | | |"
					continue
				}
				mark := ""
				if is.CPU/was.CPU > dearer {
					mark = " (above)"
				}
				any = true
				line += fmt.Sprintf(" %.3f | %.3f | %.2f%s | %.2f |", was.CPU, is.CPU, is.CPU/was.CPU, mark, is.P50.Seconds()/was.P50.Seconds())
			}
			if any {
				lines = append(lines, line)
			}
		}
	}
	if lines == nil {
		return
	}
	b.WriteString("\n### Beside the other svcd\n\n| | | statuses |")
	rule := "|---|---|--:|"
	for _, workers := range r.concurrencies() {
		fmt.Fprintf(b, " CPU s/1000 before, %s | now | times | p50, times |", plural(workers, "connection"))
		rule += "--:|--:|--:|--:|"
	}
	fmt.Fprintf(b, "\n%s\n%s\n\nRequests marked \"above\" take more than %g times the processor time.\n", rule, strings.Join(lines, "\n"), dearer)
}

// growth compares the costs of lists at both sizes.
func (r *report) growth(b *strings.Builder) {
	small, large := allSizes[0], allSizes[1]
	var lines []string
	within := true
	for _, database := range r.databases() {
		few, many := r.of("now", database, small.Name), r.of("now", database, large.Name)
		if few == nil || many == nil {
			continue
		}
		for _, e := range endpoints {
			if !e.list {
				continue
			}
			line := fmt.Sprintf("| %s | %s |", e.name, title(database))
			for _, workers := range r.concurrencies() {
				s, _ := r.middle(few, e.name, workers)
				l, ok := r.middle(many, e.name, workers)
				if !ok || s.CPU == 0 {
					continue
				}
				mark := ""
				if l.CPU/s.CPU > most {
					mark, within = " (above)", false
				}
				line += fmt.Sprintf(" %.2f%s | %.2f |", l.CPU/s.CPU, mark, l.P50.Seconds()/s.P50.Seconds())
			}
			lines = append(lines, line)
		}
	}
	if lines == nil {
		return
	}
	fmt.Fprintf(b, "\n### What lists cost at %s statuses and %s reports, as a multiple of %s and %s\n\n| | |",
		thousands(large.Statuses), thousands(large.Reports), thousands(small.Statuses), thousands(small.Reports))
	rule := "|---|---|"
	for _, workers := range r.concurrencies() {
		fmt.Fprintf(b, " CPU, %s | p50, %[1]s |", plural(workers, "connection"))
		rule += "--:|--:|"
	}
	b.WriteString("\n" + rule + "\n" + strings.Join(lines, "\n") + "\n\n")
	if within {
		fmt.Fprintf(b, "No list takes more than %g times the processor time.\n", most)
	} else {
		fmt.Fprintf(b, "Lists marked \"above\" take more than %g times the processor time.\n", most)
	}
}

// posts writes the part of posting that comes after the answers.
func (r *report) posts(b *strings.Builder) {
	b.WriteString("\n### Posting, with all that a post causes\n\n| | statuses | connections | answered/s | work after the last answer | sustained/s |\n|---|--:|--:|--:|--:|--:|\n")
	for _, w := range r.Worlds {
		for _, e := range endpoints {
			for _, workers := range r.concurrencies() {
				if c, ok := r.middle(w, e.name, workers); ok && e.writes && w.Program == "now" {
					fmt.Fprintf(b, "| %s | %s | %d | %.0f | %.1f s | %.0f |\n", title(w.Database), thousands(w.Size.Statuses), workers, c.Rate, c.After.Seconds(), c.Sustained)
				}
			}
		}
	}
}

func (r *report) processes(b *strings.Builder) {
	b.WriteString("\n### Processes\n\n| | | statuses | start to healthy | memory idle | after reads | after posts | most | PostgreSQL after posts | data | made in |\n" +
		"|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, w := range r.Worlds {
		database := ""
		if w.AfterWrites.Database.PSS > 0 {
			database = mib(w.AfterWrites.Database.PSS)
		}
		data := ""
		if w.DiskBytes > 0 {
			data = mib(float64(w.DiskBytes) / (1 << 20))
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", w.Program, title(w.Database), thousands(w.Size.Statuses), duration(w.Start),
			mib(w.Idle.Server.RSS), mib(w.AfterReads.Server.RSS), mib(w.AfterWrites.Server.RSS), mib(w.AfterWrites.Peak), database, data, w.MadeIn.Round(time.Second))
	}
	fmt.Fprintf(b, "\nMemory is RSS of svcd; PostgreSQL's is PSS, which counts shared pages once. `svcd` is %s, `svcctl` %s; `svcctl version` takes %s.\n",
		mib(float64(r.Programs.ServerBytes)/(1<<20)), mib(float64(r.Programs.ClientBytes)/(1<<20)), duration(r.Programs.VersionTime))
}

func title(database string) string {
	if database == "postgres" {
		return "PostgreSQL"
	}
	return "SQLite"
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// thousands writes n with a comma between each three digits.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func millis(d time.Duration) string { return fmt.Sprintf("%.2f", d.Seconds()*1000) }

func mib(n float64) string { return fmt.Sprintf("%.1f MiB", n) }

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
