package main

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"svc/client/safe"
)

// formats are the values of -o, in the order the help names them.
var formats = []string{"table", "wide", "json", "jsonl", "yaml", "csv", "tsv", "name"}

// record is one object on its way to standard output. JSON is the server's
// object byte for byte where there is one.
type record struct {
	name  string // its typed name: report/9xA
	json  json.RawMessage
	cells []string // one for each head, as strangers wrote them
}

// head is a column: wide ones are for -o wide, csv and tsv. The last column of
// a table is free text.
type head struct {
	title string
	wide  bool
}

// outputFlags are the flags that say how results are shown.
type outputFlags struct {
	format    string
	jq        string
	template  string
	fields    string
	sort      string
	count     bool
	noHeaders bool
	envelope  bool
	csvRaw    bool
	quiet     bool
}

// printer writes records in one of the formats. Its methods are called in
// order: begin, add for each record, end. Formats that can, stream.
type printer struct {
	outputFlags
	out   io.Writer
	tty   bool // ages, truncation
	color bool
	width int // of the terminal, 0 for none
	now   time.Time
	// one shows a single object rather than a list of one.
	one bool

	filter filter
	paths  []fieldPath
	heads  []head
	kept   []record // what cannot be streamed
	n      int
	csv    *csv.Writer
}

// check turns the flags into something usable, or says what is wrong with them.
func (p *printer) check() error {
	var err error
	if p.jq != "" && p.template != "" {
		return usagef("--jq and --template exclude each other")
	}
	if p.format == "" {
		p.format = "table"
		if p.jq != "" || p.template != "" || p.envelope {
			p.format = "json"
		}
	}
	if !slices.Contains(formats, p.format) {
		return usagef("output %q: %s are accepted", p.format, strings.Join(formats, ", "))
	}
	if (p.jq != "" || p.template != "") && p.format != "json" && p.format != "jsonl" {
		return usagef("--jq and --template work on json and jsonl, not on %s", p.format)
	}
	if p.envelope && p.format != "json" && p.format != "yaml" {
		return usagef("--envelope works with json and yaml, not with %s", p.format)
	}
	if p.filter, err = newFilter(p.jq, p.template); err != nil {
		return err
	}
	if p.fields != "" && p.fields != "?" {
		if p.paths, err = parseFields(p.fields); err != nil {
			return err
		}
	}
	return nil
}

// machine tells whether errors too are for programs.
func (f outputFlags) machine() bool {
	return f.format == "json" || f.format == "jsonl" || f.envelope || (f.format == "" && (f.jq != "" || f.template != ""))
}

func (p *printer) begin(heads []head) error {
	p.heads = heads
	if len(p.paths) > 0 {
		p.heads = make([]head, len(p.paths))
		for i, path := range p.paths {
			p.heads[i] = head{title: path.String()}
		}
	}
	return nil
}

// streams tells whether records go out as they come.
func (p *printer) streams() bool {
	if p.sort != "" || p.envelope {
		return false
	}
	switch p.format {
	case "json":
		return p.filter == nil && !p.one
	case "jsonl", "name", "csv", "tsv":
		return true
	}
	return false
}

func (p *printer) add(r record) error {
	p.n++
	if p.quiet || p.count {
		return nil
	}
	if len(p.paths) > 0 {
		var err error
		if r, err = project(r, p.paths); err != nil {
			return err
		}
	}
	if p.streams() {
		return p.emit(r, p.n == 1)
	}
	if p.sort == "" && (p.format == "table" || p.format == "wide") {
		r.json = nil
	}
	p.kept = append(p.kept, r)
	return nil
}

// listing is what is known of a list besides its items.
type listing struct {
	total    int // -1 when the server does not count
	complete bool
}

// end writes what was kept back, and closes the document. It is called also
// after a failure midway, so that what was written stays well-formed.
func (p *printer) end(l listing) error {
	if p.quiet {
		return nil
	}
	if p.count {
		_, err := fmt.Fprintln(p.out, p.n)
		return err
	}
	if p.streams() {
		switch {
		case p.format == "json" && p.n == 0:
			_, err := io.WriteString(p.out, "[]\n")
			return err
		case p.format == "json":
			_, err := io.WriteString(p.out, "\n]\n")
			return err
		case p.format == "csv" || p.format == "tsv":
			if p.n == 0 {
				return p.separated(nil, true)
			}
		}
		return nil
	}
	if p.sort != "" {
		if err := sortRecords(p.kept, p.sort); err != nil {
			return err
		}
	}
	switch p.format {
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
	if p.format == "csv" || p.format == "tsv" {
		if len(p.kept) == 0 {
			return p.separated(nil, true)
		}
	}
	return nil
}

// emit writes one record of a format whose records stand alone.
func (p *printer) emit(r record, first bool) error {
	switch p.format {
	case "json":
		start := ",\n  "
		if first {
			start = "[\n  "
		}
		return writeAll(p.out, []byte(start), indent(r.json, "  "))
	case "jsonl":
		if p.filter != nil {
			return p.filter.run(p.out, r.json)
		}
		return writeAll(p.out, compact(r.json), []byte("\n"))
	case "name":
		_, err := fmt.Fprintln(p.out, safe.Line(r.name))
		return err
	}
	return p.separated(&r, first)
}

// separated writes csv (RFC 4180, but with plain line ends) or tsv.
func (p *printer) separated(r *record, first bool) error {
	if first && !p.noHeaders {
		titles := make([]string, len(p.heads))
		for i, h := range p.heads {
			titles[i] = strings.ToLower(h.title)
		}
		if err := p.separatedLine(titles); err != nil {
			return err
		}
	}
	if r == nil {
		return nil
	}
	cells := make([]string, len(r.cells))
	for i, cell := range r.cells {
		cells[i] = safe.Line(cell)
		if p.format == "csv" && !p.csvRaw {
			cells[i] = defuse(cells[i])
		}
	}
	return p.separatedLine(cells)
}

func (p *printer) separatedLine(cells []string) error {
	if p.format == "tsv" {
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

// document writes json that needs the whole, or yaml.
func (p *printer) document(l listing) error {
	var doc []byte
	switch {
	case p.one && len(p.kept) == 1:
		doc = p.kept[0].json
	default:
		items := make([]json.RawMessage, len(p.kept))
		for i, r := range p.kept {
			items[i] = r.json
		}
		doc = array(items)
	}
	if p.envelope {
		total := "null"
		if l.total >= 0 {
			total = strconv.Itoa(l.total)
		}
		doc = fmt.Appendf(nil, `{"total":%s,"complete":%t,"items":%s}`, total, l.complete, doc)
	}
	if p.filter != nil {
		return p.filter.run(p.out, doc)
	}
	if p.format == "yaml" {
		out, err := toYAML(doc)
		if err != nil {
			return err
		}
		return writeAll(p.out, out)
	}
	return writeAll(p.out, indent(doc, ""), []byte("\n"))
}

func array(items []json.RawMessage) []byte {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, item := range items {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(item)
	}
	b.WriteByte(']')
	return b.Bytes()
}

func indent(doc []byte, prefix string) []byte {
	var b bytes.Buffer
	if err := json.Indent(&b, doc, prefix, "  "); err != nil {
		return safe.JSON(doc)
	}
	return safe.JSON(b.Bytes())
}

func compact(doc []byte) []byte {
	var b bytes.Buffer
	if err := json.Compact(&b, doc); err != nil {
		return safe.JSON(doc)
	}
	return safe.JSON(b.Bytes())
}

func writeAll(w io.Writer, parts ...[]byte) error {
	for _, part := range parts {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// sortRecords orders by a field of the objects, bytewise or by number, and
// backwards when the field starts with a dash. Records without it come last.
func sortRecords(records []record, by string) error {
	by, backwards := strings.CutPrefix(by, "-")
	path, err := parseField(by)
	if err != nil {
		return err
	}
	keys := make(map[int]sortKey, len(records))
	order := make([]int, len(records))
	for i, r := range records {
		order[i] = i
		if keys[i], err = keyOf(r.json, path); err != nil {
			return err
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return keys[a].compare(keys[b], backwards)
	})
	sorted := make([]record, len(records))
	for i, from := range order {
		sorted[i] = records[from]
	}
	copy(records, sorted)
	return nil
}

type sortKey struct {
	missing bool
	number  bool
	n       float64
	text    string
}

func keyOf(doc json.RawMessage, path fieldPath) (sortKey, error) {
	value, err := path.find(doc)
	if err != nil {
		return sortKey{}, err
	}
	var n json.Number
	switch {
	case value == nil || string(value) == "null":
		return sortKey{missing: true}, nil
	case value[0] == '"':
		var s string
		err := json.Unmarshal(value, &s)
		return sortKey{text: s}, err
	case json.Unmarshal(value, &n) == nil:
		f, err := n.Float64()
		return sortKey{number: err == nil, n: f, text: n.String()}, nil
	}
	return sortKey{text: string(value)}, nil
}

func (k sortKey) compare(o sortKey, backwards bool) int {
	if k.missing || o.missing {
		return cmp.Compare(btoi(k.missing), btoi(o.missing))
	}
	c := strings.Compare(k.text, o.text)
	if k.number && o.number {
		c = cmp.Compare(k.n, o.n)
	}
	if backwards {
		return -c
	}
	return c
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
