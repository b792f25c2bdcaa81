package blocklist

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"svc/client/api"
)

// mastodon are the columns of Mastodon's export, in its order. #limits follows where
// these cannot say what a row is: the words of its limits, and "exact" for a host
// without those below it. Readers elsewhere skip columns that they do not know.
var mastodon = []string{"#domain", "#severity", "#reject_media", "#reject_reports", "#public_comment", "#obfuscate"}

// CSV writes a list as Mastodon does, for Read and for other servers.
func CSV(hosts []api.LimitedHost) ([]byte, error) {
	rows, more := [][]string{}, false
	for _, h := range hosts {
		domain, pattern := strings.CutPrefix(h.Host, "*.")
		has := func(limit api.HostLimit) bool { return slices.Contains(h.Limits, limit) }
		severity := "noop"
		switch {
		case has(api.LimitReject):
			severity = "suspend"
		case has(api.LimitUnlisted):
			severity = "silence"
		}
		media, reports := has(api.LimitMedia), has(api.LimitReports)
		row := []string{domain, severity, strconv.FormatBool(media), strconv.FormatBool(reports), defused(h.Reason), "false"}
		said, err := limitsOf(severity, media, reports)
		if err != nil {
			return nil, err
		}
		own := ""
		if !pattern && below(domain, Options{}) != domain || !same(said, h.Limits) {
			words := []string{}
			for _, limit := range h.Limits {
				words = append(words, string(limit))
			}
			if !pattern {
				words = append(words, "exact")
			}
			own, more = strings.Join(words, " "), true
		}
		rows = append(rows, append(row, own))
	}
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	heads := mastodon
	if more {
		heads = append(slices.Clone(mastodon), "#limits")
	}
	for _, row := range append([][]string{heads}, rows...) {
		if err := w.Write(row[:len(heads)]); err != nil {
			return nil, fmt.Errorf("write csv: %w", err)
		}
	}
	w.Flush()
	return out.Bytes(), w.Error()
}

func same(a, b []api.HostLimit) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// formula is what the first character of a cell may be that a spreadsheet calculates.
const formula = "=+-@\t\r"

// defused keeps a spreadsheet from calculating a text; undefused reads it back.
func defused(text string) string {
	if text != "" && strings.ContainsRune(formula, rune(text[0])) {
		return "'" + text
	}
	return text
}

func undefused(text string) string {
	if rest, ok := strings.CutPrefix(text, "'"); ok && rest != "" && strings.ContainsRune(formula, rune(rest[0])) {
		return rest
	}
	return text
}

// YAML writes a list with all that is known.
func YAML(hosts []api.LimitedHost) ([]byte, error) {
	type entry struct {
		Host   string   `yaml:"host"`
		Limits []string `yaml:"limits,flow"`
		Reason string   `yaml:"reason,omitempty"`
	}
	entries := make([]entry, len(hosts))
	for i, h := range hosts {
		entries[i] = entry{Host: h.Host, Reason: h.Reason}
		for _, limit := range h.Limits {
			entries[i].Limits = append(entries[i].Limits, string(limit))
		}
	}
	var out bytes.Buffer
	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	if err := e.Encode(entries); err != nil {
		return nil, fmt.Errorf("write yaml: %w", err)
	}
	err := e.Close()
	return out.Bytes(), err
}
