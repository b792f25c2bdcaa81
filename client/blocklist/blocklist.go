// Package blocklist reads and writes lists of limited servers: in YAML, which has all
// that the service knows, and in the CSV that Mastodon, GoToSocial and public lists use.
// It does no I/O.
package blocklist

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"svc/client/action"
	"svc/client/api"
)

// Most is how many entries a list may have.
const Most = 20000

// Entry is one server of a list. Line is where it stands first.
type Entry struct {
	api.LimitedHost
	Line int
}

// Refused is a line that is left out.
type Refused struct {
	Line   int
	Text   string // as it is written
	Reason string // "is obfuscated"
}

// Error is the line with its reason.
func (r *Refused) Error() string {
	return fmt.Sprintf("line %d: %s %s", r.Line, action.Quote(r.Text), r.Reason)
}

// Options say how a list is read.
type Options struct {
	// Exact takes the domains of CSV as they are. Elsewhere such a domain has all that
	// is below it too, so that without Exact it is read as *.domain.
	Exact bool
}

// list collects entries, each host once.
type list struct {
	entries []Entry
	at      map[string]int
	refused []Refused
}

var errMost = fmt.Errorf("a list has at most %d servers", Most)

// Read reads a list in any of the formats, which it tells by its content. A host that
// stands twice has the limits of both lines. An error is about the list as a whole.
func Read(data []byte, o Options) ([]Entry, []Refused, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !utf8.Valid(data) {
		return nil, nil, errors.New("the list is no UTF-8 text")
	}
	l := &list{at: map[string]int{}}
	var err error
	if isYAML(data) {
		err = l.yaml(data, o)
	} else {
		err = l.csv(data, o)
	}
	return l.entries, l.refused, err
}

// isYAML reports whether a list is YAML or JSON: its first line that says anything
// begins an item, or opens an array.
func isYAML(data []byte) bool {
	for line := range bytes.Lines(data) {
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0, line[0] == '#', string(line) == "---":
			if bytes.HasPrefix(bytes.ToLower(line), []byte("#domain")) {
				return false
			}
		default:
			return line[0] == '[' || bytes.HasPrefix(line, []byte("- ")) || string(line) == "-"
		}
	}
	return false
}

func (l *list) refuse(line int, text, format string, args ...any) {
	l.refused = append(l.refused, Refused{Line: line, Text: text, Reason: fmt.Sprintf(format, args...)})
}

// add adds a server, which the list writes as text.
func (l *list) add(line int, text, host string, limits []api.HostLimit, reason string) error {
	host, ok := action.ListedHost(host)
	switch {
	case !ok && strings.Contains(strings.TrimPrefix(text, "*."), "*"):
		l.refuse(line, text, "is obfuscated: it does not say which server is meant")
		return nil
	case !ok:
		l.refuse(line, text, "is no host")
		return nil
	case len(limits) == 0:
		l.refuse(line, text, "has no limit")
		return nil
	}
	reason = strings.Join(strings.Fields(reason), " ")
	if r := []rune(reason); len(r) > api.MaxLimitReason {
		reason = string(r[:api.MaxLimitReason-1]) + "…"
	}
	i, known := l.at[host]
	if !known {
		if len(l.entries) == Most {
			return errMost
		}
		i = len(l.entries)
		l.at[host] = i
		l.entries = append(l.entries, Entry{Line: line, LimitedHost: api.LimitedHost{Host: host, Reason: reason}})
	}
	e := &l.entries[i]
	both := slices.Concat(e.Limits, limits)
	e.Limits = nil
	for _, place := range api.HostLimits() {
		if slices.Contains(both, place.Limit) {
			e.Limits = append(e.Limits, place.Limit)
		}
	}
	if e.Reason == "" {
		e.Reason = reason
	}
	return nil
}

// severities are what other servers call what they do with a domain.
var severities = map[string][]api.HostLimit{
	"suspend": {api.LimitReject}, "silence": {api.LimitUnlisted}, "limit": {api.LimitUnlisted}, "noop": {}, "none": {},
}

// limitsOf are those of a severity, "" for the gravest, and of two flags.
func limitsOf(severity string, media, reports bool) ([]api.HostLimit, error) {
	limits, known := severities[strings.ToLower(strings.TrimSpace(severity))]
	if !known && strings.TrimSpace(severity) != "" {
		return nil, fmt.Errorf("has the severity %s, which is none of suspend, silence, limit and noop", action.Quote(severity))
	}
	if !known {
		limits = severities["suspend"]
	}
	limits = slices.Clone(limits)
	if media {
		limits = append(limits, api.LimitMedia)
	}
	if reports {
		limits = append(limits, api.LimitReports)
	}
	return limits, nil
}

// below is the pattern for a domain and all below it.
func below(domain string, o Options) string {
	if o.Exact || strings.HasPrefix(domain, "*.") || strings.Contains(domain, ":") {
		return domain
	}
	return "*." + domain
}

// columns are the places of a CSV's columns, by name without #.
type columns map[string]int

// cell is a cell of the first of some columns that has any text.
func (c columns) cell(row []string, names ...string) string {
	for _, name := range names {
		if i, ok := c[name]; ok && i < len(row) && strings.TrimSpace(row[i]) != "" {
			return strings.TrimSpace(row[i])
		}
	}
	return ""
}

func (c columns) yes(row []string, name string) bool {
	text := strings.ToLower(c.cell(row, name))
	return text == "true" || text == "1" || text == "yes" || text == "t"
}

// The names of a column of domains, and of a reason.
var (
	domainNames = []string{"domain", "host", "instance"}
	reasonNames = []string{"public_comment", "comment", "reason", "private_comment"}
)

// header reads a row as the names of columns; nil if it has none.
func header(row []string) columns {
	c := columns{}
	for i, cell := range row {
		name := strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(strings.TrimSpace(cell), "#")), " ", "_")
		if _, twice := c[name]; !twice {
			c[name] = i
		}
	}
	if !slices.ContainsFunc(domainNames, func(name string) bool { _, ok := c[name]; return ok }) {
		return nil
	}
	return c
}

// csv reads rows below a header, or a domain in each line.
func (l *list) csv(data []byte, o Options) error {
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord, r.TrimLeadingSpace = -1, true
	var c columns
	for first := true; ; {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read csv: %w", err)
		}
		if first {
			if c = header(row); c != nil {
				first = false
				continue
			}
		}
		line, _ := r.FieldPos(0)
		if strings.HasPrefix(row[0], "#") { // a comment
			continue
		}
		if first {
			c, first = columns{"domain": 0}, false
			if len(row) > 1 && severities[strings.ToLower(strings.TrimSpace(row[1]))] != nil {
				c["severity"] = 1
			}
		}
		if err := l.row(line, c, row, o); err != nil {
			return err
		}
	}
}

func (l *list) row(line int, c columns, row []string, o Options) error {
	domain := c.cell(row, domainNames...)
	if domain == "" {
		if strings.TrimSpace(strings.Join(row, "")) != "" {
			l.refuse(line, strings.Join(row, ","), "names no server")
		}
		return nil
	}
	limits, err := limitsOf(c.cell(row, "severity"), c.yes(row, "reject_media"), c.yes(row, "reject_reports"))
	if err != nil {
		l.refuse(line, domain, "%v", err)
		return nil
	}
	exact := o.Exact
	if own := c.cell(row, "limits"); own != "" {
		limits = nil
		for _, word := range strings.Fields(own) {
			if word == "exact" {
				exact = true
				continue
			}
			if !isLimit(word) {
				l.refuse(line, domain, "has the limit %s, which there is not", action.Quote(word))
				return nil
			}
			limits = append(limits, api.HostLimit(word))
		}
	}
	return l.add(line, domain, below(domain, Options{Exact: exact}), limits, undefused(c.cell(row, reasonNames...)))
}

func isLimit(word string) bool {
	return slices.ContainsFunc(api.HostLimits(), func(p api.HostLimitPlace) bool { return string(p.Limit) == word })
}

// item is an entry of YAML or JSON: ours, or a domain block as other servers publish it.
type item struct {
	Host   string          `yaml:"host"`
	Limits []api.HostLimit `yaml:"limits"`
	Reason string          `yaml:"reason"`

	Domain        string `yaml:"domain"`
	Severity      string `yaml:"severity"`
	RejectMedia   bool   `yaml:"reject_media"`
	RejectReports bool   `yaml:"reject_reports"`
	PublicComment string `yaml:"public_comment"`
	Comment       string `yaml:"comment"`
}

// yaml reads a sequence of items, or of hosts alone.
func (l *list) yaml(data []byte, o Options) error {
	var root yaml.Node
	if err := yaml.Unmarshal(data, &root); err != nil {
		return fmt.Errorf("read yaml: %w", err)
	}
	if len(root.Content) != 1 || root.Content[0].Kind != yaml.SequenceNode {
		return errors.New("the list is no sequence of servers")
	}
	for _, n := range root.Content[0].Content {
		if n.Kind == yaml.ScalarNode {
			if err := l.add(n.Line, n.Value, below(n.Value, o), severities["suspend"], ""); err != nil {
				return err
			}
			continue
		}
		var it item
		if err := n.Decode(&it); err != nil {
			l.refuse(n.Line, "", "cannot be read: %v", err)
			continue
		}
		host, limits, reason := it.Host, it.Limits, it.Reason
		if host == "" && it.Domain != "" {
			var err error
			if limits, err = limitsOf(it.Severity, it.RejectMedia, it.RejectReports); err != nil {
				l.refuse(n.Line, it.Domain, "%v", err)
				continue
			}
			host, reason = below(it.Domain, o), it.PublicComment
			if reason == "" {
				reason = it.Comment
			}
		}
		if i := slices.IndexFunc(limits, func(limit api.HostLimit) bool { return !isLimit(string(limit)) }); i >= 0 {
			l.refuse(n.Line, host, "has the limit %s, which there is not", action.Quote(string(limits[i])))
			continue
		}
		if host == "" {
			l.refuse(n.Line, "", "names no server")
			continue
		}
		if err := l.add(n.Line, cmp.Or(it.Host, it.Domain), host, limits, reason); err != nil {
			return err
		}
	}
	return nil
}
