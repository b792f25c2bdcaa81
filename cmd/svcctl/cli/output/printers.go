// Package output shows objects on standard output: as tables, JSON, YAML, CSV,
// TSV or names, filtered by jq or a template, reduced to fields and sorted.
//
// A Shape says how one kind of object is shown; a Printer, made from Options,
// writes such objects in the format that was asked for. Text of strangers
// comes out without anything that a terminal or a spreadsheet acts on.
package output

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"

	"svc/client/safe"
)

// Record is one object on its way to standard output. JSON is the server's
// object byte for byte where there is one.
type Record struct {
	Name  string // its typed name: report/9xA
	JSON  json.RawMessage
	Cells []string // one for each head, as strangers wrote them
	Card  string   // what stands in place of a table, "" for the table
}

// Head is a column of a table, csv and tsv.
type Head struct {
	Title string
	Wide  bool // only for -o wide, csv and tsv
	Minor bool // left out first where a terminal is narrow
	Whole bool // of use only as a whole: neither cut nor left out
}

// Listing is the size of a list.
type Listing struct {
	Total    int // -1 when the server does not count
	Complete bool
}

// Screen is the terminal or pipe that standard output is.
type Screen struct {
	Terminal bool // ages instead of times, and lines that end at its edge
	Color    bool
	Width    int // in cells, 0 for none
	// Note tells a person about what does not fit, nil to tell nobody.
	Note func(string)
	// Keep is told how many bytes a record takes that is kept until the end, and may
	// refuse it. Nil accepts all.
	Keep func(bytes int) error
}

// Printer writes records in one of the formats. Its methods are called in
// order: Begin, Add for each record, End. Formats that can, stream.
type Printer struct {
	// One shows a single object rather than a list of one. It is set before Begin.
	One bool

	opts   Options
	out    io.Writer
	screen Screen
	now    time.Time

	filter filter
	paths  []fieldPath
	kind   reflect.Type // of the objects, nil where it is not known
	heads  []Head
	kept   []Record // rows of formats that cannot be streamed
	n      int
	// refused says that the options ask for what is not there: nothing is printed.
	refused bool
	// held are records that wait until each field was seen, which then is proven.
	held   []Record
	proven bool
	taken  int
	csv    *csv.Writer
}

// New is a printer to out, a terminal or file described by screen; ages count back from now.
// Options that exclude each other or cannot be read are a *UsageError.
func New(out io.Writer, opts Options, screen Screen, now time.Time) (*Printer, error) {
	opts, err := opts.resolved()
	if err != nil {
		return nil, err
	}
	p := &Printer{opts: opts, out: out, screen: screen, now: now}
	if p.filter, err = newFilter(opts.JQ, opts.Template); err != nil {
		return nil, err
	}
	if opts.Fields != "" && opts.Fields != "?" {
		if p.paths, err = parseFields(opts.Fields); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Format is one of Formats: the one that was asked for, or that follows from
// the other options.
func (p *Printer) Format() string { return p.opts.Format }

// Narrowed tells whether only some fields of the objects are shown.
func (p *Printer) Narrowed() bool { return len(p.paths) > 0 }

// Added is how many records there were so far.
func (p *Printer) Added() int { return p.n }

// Begin names the cells of the records to come.
func (p *Printer) Begin(heads []Head) {
	p.heads = heads
	if p.Narrowed() {
		p.heads = make([]Head, len(p.paths))
		for i, path := range p.paths {
			p.heads[i] = Head{Title: path.String()}
		}
	}
}

// streams tells whether records go out as they come.
func (p *Printer) streams() bool {
	if p.opts.Sort != "" || p.opts.Envelope {
		return false
	}
	switch p.Format() {
	case "json":
		return p.filter == nil && !p.One
	case "jsonl", "name", "csv", "tsv":
		return true
	}
	return false
}

// Add writes a record, or keeps it for End.
func (p *Printer) Add(r Record) error {
	p.n++
	if p.opts.Quiet || p.opts.Count {
		return nil
	}
	if p.Narrowed() && !p.proven {
		p.held = append(p.held, r)
		if len(p.held) < heldMost && p.missing() != nil {
			return nil
		}
		return p.release()
	}
	return p.take(r)
}

// heldMost is how many records are held back until each field was seen.
const heldMost = 100

// missing refuses fields that neither the objects' type nor a record held back has.
func (p *Printer) missing() error {
	for _, path := range p.paths {
		if err := path.missing("--fields", p.kind, p.held); err != nil {
			return err
		}
	}
	return nil
}

// release takes the records held back, or refuses the fields.
func (p *Printer) release() error {
	if err := p.missing(); err != nil {
		p.refused = true
		return err
	}
	held := p.held
	p.proven, p.held = true, nil
	for _, r := range held {
		if err := p.take(r); err != nil {
			return err
		}
	}
	return nil
}

// take writes a record, or keeps it for End.
func (p *Printer) take(r Record) error {
	p.taken++
	if p.Narrowed() {
		var err error
		if r, err = project(r, p.paths); err != nil {
			return err
		}
	}
	if p.streams() {
		return p.emit(r, p.taken == 1)
	}
	if p.opts.Sort == "" && (p.Format() == "table" || p.Format() == "wide") {
		r.JSON = nil
	}
	if p.screen.Keep != nil {
		if err := p.screen.Keep(r.size()); err != nil {
			return err
		}
	}
	p.kept = append(p.kept, r)
	return nil
}

// size is about how many bytes a record takes until it is printed: as it came, and as
// it is written.
func (r Record) size() int {
	n := 256 + len(r.Name) + len(r.Card) + 2*len(r.JSON)
	for _, cell := range r.Cells {
		n += 32 + 2*len(cell)
	}
	return n
}

// Counts tells whether only the number of records is printed.
func (p *Printer) Counts() bool { return p.opts.Count }

// Count prints how many records there are, none of which was added.
func (p *Printer) Count(n int) error {
	p.n = n
	return p.End(Listing{Total: n, Complete: true})
}

// End writes the records kept back, and closes the document. It is called also
// after a failure midway, so that a partial document stays well-formed.
func (p *Printer) End(l Listing) error {
	if p.opts.Quiet || p.refused {
		return nil
	}
	if p.opts.Count {
		_, err := fmt.Fprintln(p.out, p.n)
		return err
	}
	if len(p.held) > 0 {
		if err := p.release(); err != nil {
			return err
		}
	}
	if p.streams() {
		return p.close()
	}
	if p.opts.Sort != "" {
		by, err := parseField(strings.TrimPrefix(p.opts.Sort, "-"))
		if err == nil {
			err = by.missing("--sort", p.kind, p.kept)
		}
		if err != nil {
			return err
		}
		if err := sortRecords(p.kept, p.opts.Sort); err != nil {
			return err
		}
	}
	switch p.Format() {
	case "table", "wide":
		return p.table()
	case "json", "yaml":
		return p.document(l)
	}
	for i, r := range p.kept {
		if err := p.emit(r, i == 0); err != nil {
			return err
		}
	}
	if len(p.kept) == 0 && (p.Format() == "csv" || p.Format() == "tsv") {
		return p.separated(nil, true)
	}
	return nil
}

// close ends a streamed document.
func (p *Printer) close() error {
	switch {
	case p.Format() == "json" && p.n == 0:
		_, err := io.WriteString(p.out, "[]\n")
		return err
	case p.Format() == "json":
		_, err := io.WriteString(p.out, "\n]\n")
		return err
	case p.n == 0 && (p.Format() == "csv" || p.Format() == "tsv"):
		return p.separated(nil, true)
	}
	return nil
}

// emit writes one record of a format whose records stand alone.
func (p *Printer) emit(r Record, first bool) error {
	switch p.Format() {
	case "json":
		start := ",\n  "
		if first {
			start = "[\n  "
		}
		return writeAll(p.out, []byte(start), Indent(r.JSON, "  "))
	case "jsonl":
		if p.filter != nil {
			return p.filter.run(p.out, r.JSON)
		}
		return writeAll(p.out, compact(r.JSON), []byte("\n"))
	case "name":
		_, err := fmt.Fprintln(p.out, safe.Line(r.Name))
		return err
	}
	return p.separated(&r, first)
}

// separated writes csv (RFC 4180, but with plain line ends) or tsv.
func (p *Printer) separated(r *Record, first bool) error {
	if first && !p.opts.NoHeaders {
		titles := make([]string, len(p.heads))
		for i, h := range p.heads {
			titles[i] = strings.ToLower(h.Title)
		}
		if err := p.separatedLine(titles); err != nil {
			return err
		}
	}
	if r == nil {
		return nil
	}
	cells := make([]string, len(r.Cells))
	for i, cell := range r.Cells {
		cells[i] = safe.Line(cell)
		if p.Format() == "csv" && !p.opts.CSVRaw {
			cells[i] = defuse(cells[i])
		}
	}
	return p.separatedLine(cells)
}

func (p *Printer) separatedLine(cells []string) error {
	if p.Format() == "tsv" {
		_, err := fmt.Fprintln(p.out, strings.Join(cells, "\t"))
		return err
	}
	if p.csv == nil {
		p.csv = csv.NewWriter(p.out)
	}
	if err := p.csv.Write(cells); err != nil {
		return err
	}
	p.csv.Flush()
	return p.csv.Error()
}

// defuse keeps a spreadsheet from taking a cell for a formula.
func defuse(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@", rune(cell[0])) {
		return "'" + cell
	}
	return cell
}

func writeAll(w io.Writer, parts ...[]byte) error {
	for _, part := range parts {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}
