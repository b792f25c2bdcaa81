package output

import (
	"fmt"
	"slices"
	"strings"

	"svc/client/suggest"
)

// Formats are the values of Options.Format, in the order the help names them.
func Formats() []string {
	return []string{"table", "wide", "json", "jsonl", "yaml", "csv", "tsv", "name"}
}

// Options say how results are shown. The zero value is a table.
type Options struct {
	Format    string // one of Formats, or "" for table, or for json where the rest asks for it
	JQ        string // an expression of jq for json and jsonl
	Template  string // a text/template for json and jsonl; excludes JQ
	Fields    string // fields joined by commas, like id,account.acct; ? lists them
	Sort      string // a field, with a dash before it for backwards
	Count     bool   // only how many there are
	NoHeaders bool   // without the line of column names
	Envelope  bool   // json and yaml as {total, complete, items}
	CSVRaw    bool   // csv cells that look like formulas stay as they are
	Quiet     bool   // nothing at all
}

// Machine tells whether errors too are for programs.
func (o Options) Machine() bool {
	return o.Format == "json" || o.Format == "jsonl" || o.Envelope || (o.Format == "" && (o.JQ != "" || o.Template != ""))
}

// resolved is o with its format chosen, or the error in it.
func (o Options) resolved() (Options, error) {
	if o.JQ != "" && o.Template != "" {
		return o, usagef("--jq and --template exclude each other")
	}
	if o.Format == "" {
		o.Format = "table"
		if o.JQ != "" || o.Template != "" || o.Envelope {
			o.Format = "json"
		}
	}
	if !slices.Contains(Formats(), o.Format) {
		meant := ""
		if near := suggest.Words(o.Format, Formats()); len(near) > 0 {
			meant = "; did you mean " + strings.Join(near, ", or ") + "?"
		}
		return o, usagef("output %q: %s are accepted%s", o.Format, strings.Join(Formats(), ", "), meant)
	}
	if (o.JQ != "" || o.Template != "") && o.Format != "json" && o.Format != "jsonl" {
		return o, usagef("--jq and --template work on json and jsonl, not on %s", o.Format)
	}
	if o.Envelope && o.Format != "json" && o.Format != "yaml" {
		return o, usagef("--envelope works with json and yaml, not with %s", o.Format)
	}
	return o, nil
}

// UsageError explains a mistake in Options, made at the keyboard.
type UsageError struct{ Message string }

func (e *UsageError) Error() string { return e.Message }

func usagef(format string, args ...any) error {
	return &UsageError{Message: fmt.Sprintf(format, args...)}
}
