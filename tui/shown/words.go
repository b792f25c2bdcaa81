package shown

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"svc/client"
	"svc/client/safe"
)

// Wording is an error for people: the server's message, or that it does not
// answer.
func Wording(err error) safe.Safe {
	var refusal *client.Error
	var failure *client.TransportError
	switch {
	case errors.As(err, &refusal):
		return safe.Clean(safe.Raw(fmt.Sprintf("%s (%d)", refusal.Message, refusal.Status))).OneLine()
	case errors.As(err, &failure):
		return safe.Clean(safe.Raw("no answer: " + failure.Err.Error())).OneLine()
	}
	return safe.Clean(safe.Raw(err.Error())).OneLine()
}

// Quoted is a word of the person, for a sentence.
func Quoted(word string) string { return safe.Truncate(safe.Line(word), 40, "~") }

// Sentence begins with a capital letter and ends with a full stop.
func Sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	text = strings.ToUpper(text[:1]) + text[1:]
	if strings.ContainsAny(text[len(text)-1:], ".?!:") {
		return text
	}
	return text + "."
}

// WithCommas joins the parts that are not empty.
func WithCommas(parts ...string) string {
	var out []string
	for _, part := range parts {
		if part != "" {
			out = append(out, part)
		}
	}
	return strings.Join(out, ", ")
}

// Some names the first few, and counts the others.
func Some(names []string) string {
	const few = 3
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s +%d", strings.Join(names[:few], ", "), len(names)-few)
}

// Thousands is a number with commas: 100,000.
func Thousands(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Stamp is a time in full.
func Stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

// Date is the day of a time.
func Date(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// Printable is text of any origin in one line.
func Printable(text string) safe.Safe { return safe.Clean(safe.Raw(text)).OneLine() }
