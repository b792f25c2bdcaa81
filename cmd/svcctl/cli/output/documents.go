package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"svc/client/safe"
)

// document writes json that needs the whole, or yaml.
func (p *Printer) document(l Listing) error {
	var doc []byte
	switch {
	case p.One && len(p.kept) == 1:
		doc = p.kept[0].JSON
	default:
		items := make([]json.RawMessage, len(p.kept))
		for i, r := range p.kept {
			items[i] = r.JSON
		}
		doc = Array(items)
	}
	if p.opts.Envelope {
		total := "null"
		if l.Total >= 0 {
			total = strconv.Itoa(l.Total)
		}
		doc = fmt.Appendf(nil, `{"total":%s,"complete":%t,"items":%s}`, total, l.Complete, doc)
	}
	if p.filter != nil {
		return p.filter.run(p.out, doc)
	}
	if p.Format() == "yaml" {
		out, err := toYAML(doc)
		if err != nil {
			return err
		}
		return writeAll(p.out, out)
	}
	return writeAll(p.out, Indent(doc, ""), []byte("\n"))
}

// Array is a JSON array of items, which keep their bytes.
func Array(items []json.RawMessage) []byte {
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

// Indent is doc over several lines, each after the first beginning with prefix,
// without a line end, and made harmless.
func Indent(doc []byte, prefix string) []byte {
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
