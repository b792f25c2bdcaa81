package output

import (
	"strconv"
	"strings"
	"time"

	"svc/client/safe"
)

// Card is a single object as lines for people: labels with values, and texts
// under titles. In a pipe nothing is wrapped. Texts may be those of strangers,
// unchanged.
type Card struct {
	p      *Printer
	blocks []block
}

// block is a run of labels with values, or a title with a text under it.
type block struct {
	fields [][2]string
	title  string
	text   string
	whole  bool // a text to be copied, which is not wrapped
}

// Field adds a label with its value. A value that is empty leaves it out.
func (c *Card) Field(label, value string) {
	if strings.TrimSpace(value) == "" {
		return
	}
	if n := len(c.blocks); n == 0 || c.blocks[n-1].fields == nil {
		c.blocks = append(c.blocks, block{})
	}
	last := &c.blocks[len(c.blocks)-1]
	last.fields = append(last.fields, [2]string{label, value})
}

// Number adds a label with a number.
func (c *Card) Number(label string, n int) { c.Field(label, strconv.Itoa(n)) }

// Time adds a label with a time.
func (c *Card) Time(label string, t time.Time) { c.Field(label, c.When(t)) }

// When is a time in UTC, on a terminal with its age; "" for none.
func (c *Card) When(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	text := t.UTC().Format(time.RFC3339)
	if c.p.screen.Terminal {
		text += " (" + safe.Age(c.p.now.Sub(t)) + ")"
	}
	return text
}

// Part adds a text under a title, set apart from what stands before.
func (c *Card) Part(title, text string) {
	c.blocks = append(c.blocks, block{title: title, text: text})
}

// Whole adds a text to be copied, which stands in one line whatever the screen.
func (c *Card) Whole(text string) { c.blocks = append(c.blocks, block{text: text, whole: true}) }

// String is the card, each line ended.
func (c *Card) String() string {
	var b strings.Builder
	for i, part := range c.blocks {
		if i > 0 {
			b.WriteByte('\n')
		}
		switch {
		case part.whole:
			b.WriteString(safe.Line(part.text) + "\n")
			continue
		case part.fields == nil:
			c.lines(&b, "", safe.Line(part.title))
			c.lines(&b, "  ", strings.TrimSpace(safe.Text(part.text)))
			continue
		}
		wide := 0
		for _, f := range part.fields {
			wide = max(wide, safe.Width(f[0]))
		}
		for _, f := range part.fields {
			c.lines(&b, f[0]+strings.Repeat(" ", wide-safe.Width(f[0])+2), strings.TrimSpace(safe.Text(f[1])))
		}
	}
	return b.String()
}

// lines writes text after a prefix; further lines begin below its first letter.
func (c *Card) lines(b *strings.Builder, prefix, text string) {
	if text == "" {
		return
	}
	lines := strings.Split(text, "\n")
	if c.p.screen.Terminal && c.p.screen.Width > 0 {
		lines = safe.Wrap(text, max(c.p.screen.Width-safe.Width(prefix), 20))
	}
	for _, line := range lines {
		b.WriteString(strings.TrimRight(prefix+line, " "))
		b.WriteByte('\n')
		prefix = strings.Repeat(" ", safe.Width(prefix))
	}
}

// carded tells whether a single object is shown as a card: where a table with all
// its columns is asked for.
func (p *Printer) carded() bool {
	return p.One && p.Format() == "table" && !p.Narrowed() && !p.opts.NoHeaders
}
