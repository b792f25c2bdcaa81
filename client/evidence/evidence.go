// Package evidence has the words for what a report keeps: posts and the account as they
// were. Every tool shows the same.
package evidence

import (
	"slices"
	"strings"

	"svc/client/api"
	"svc/client/safe"
)

// Poll names the choices of a status's poll in a line, "" without one.
func Poll(s *api.Status) string {
	if s.Poll == nil {
		return ""
	}
	var choices []string
	for _, o := range s.Poll.Options {
		choices = append(choices, safe.Line(o.Title))
	}
	return "[poll: " + strings.Join(choices, " | ") + "]"
}

// Post is the text of a status with its warning before it, its poll and its files after.
func Post(s *api.Status) string {
	text := safe.HTML(s.Content).String()
	if s.SpoilerText != "" {
		text = Warning(s) + " " + text
	}
	lines := []string{text, Poll(s)}
	for _, m := range s.MediaAttachments {
		kind := m.Svc.MimeType
		if kind == "" {
			kind = m.Type
		}
		line := "[" + safe.Line(kind)
		if m.Description != nil && *m.Description != "" {
			line += ": " + safe.Line(*m.Description)
		}
		lines = append(lines, line+"]")
	}
	return strings.TrimSpace(strings.Join(filled(lines), "\n"))
}

// Warning is the content warning of a status, in brackets.
func Warning(s *api.Status) string { return "[CW \"" + safe.Line(s.SpoilerText) + "\"]" }

// Profile is the name, the bio and the fields of an account as it was.
func Profile(a *api.ReportedAccount) string {
	lines := []string{safe.Line(a.Acct) + ", " + safe.Line(a.DisplayName), safe.HTML(a.Note).String()}
	for _, f := range a.Fields {
		lines = append(lines, safe.Line(f.Name)+": "+safe.HTML(f.Value).OneLine().String())
	}
	return strings.Join(filled(lines), "\n")
}

func filled(lines []string) []string {
	return slices.DeleteFunc(lines, func(line string) bool { return line == "" })
}
