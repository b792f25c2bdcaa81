// Package templates fills the texts that moderators keep in their configuration file
// for notes and messages (templates:). A text is a Go template over Fields.
//
//	templates:
//	  warning: "Hello {{.nick}}, a post of yours broke the rules of {{.server}}."
//
// It sends and shows nothing, and depends on nothing else here.
package templates

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"text/template"
)

// Fields are the values that a text may name. A value that is not known in some
// place is absent there, so that a text that needs it is refused.
type Fields map[string]string

// The names of all fields.
const (
	Nick      = "nick"      // the account, nick or nick@host
	Name      = "name"      // its display name
	Host      = "host"      // its server, empty for a local account
	Server    = "server"    // the moderator's server
	Moderator = "moderator" // the moderator's nickname
	Report    = "report"    // the report's id
	Reason    = "reason"    // the words of the reporter
)

var names = []string{Nick, Name, Host, Server, Moderator, Report, Reason}

// MaxLength bounds a filled text, in bytes.
const MaxLength = 20_000

var missing = regexp.MustCompile(`map has no entry for key "([^"]*)"`)

// Fill is the text with its fields, without space at its ends. The error is one
// line that names the text and what is wrong with it.
func Fill(name, text string, fields Fields) (string, error) {
	t, err := template.New(name).Option("missingkey=error").Parse(text)
	if err != nil {
		return "", fmt.Errorf("template %s: %s", name, strings.TrimPrefix(err.Error(), "template: "+name+":"))
	}
	known := maps.Clone(fields)
	maps.DeleteFunc(known, func(_, value string) bool { return value == "" })
	var b strings.Builder
	err = t.Execute(&limited{&b}, map[string]string(known))
	if found := missing.FindStringSubmatch(fmt.Sprint(err)); err != nil && found != nil {
		if slices.Contains(names, found[1]) {
			return "", fmt.Errorf("template %s: {{.%s}} is not known here; nothing was sent", name, found[1])
		}
		return "", fmt.Errorf("template %s: there is no field {{.%s}}; there are %s", name, found[1], strings.Join(names, ", "))
	}
	if err != nil {
		return "", fmt.Errorf("template %s: %s", name, strings.TrimPrefix(err.Error(), "template: "+name+":"))
	}
	filled := strings.TrimSpace(b.String())
	if filled == "" {
		return "", fmt.Errorf("template %s: the text is empty", name)
	}
	return filled, nil
}

// Find fills the text of a name. An unknown name is an error that lists the names
// there are.
func Find(texts map[string]string, name string, fields Fields) (string, error) {
	text, ok := texts[name]
	if !ok {
		there := strings.Join(Names(texts), ", ")
		if there == "" {
			there = "none; add them under templates: in the configuration file"
		}
		return "", fmt.Errorf("there is no template %q; there are %s", name, there)
	}
	return Fill(name, text, fields)
}

// Names lists texts in bytewise order.
func Names(texts map[string]string) []string { return slices.Sorted(maps.Keys(texts)) }

// limited refuses what would exceed MaxLength: a template can loop.
type limited struct{ b *strings.Builder }

func (l *limited) Write(p []byte) (int, error) {
	if l.b.Len()+len(p) > MaxLength {
		return 0, fmt.Errorf("the text is longer than %d bytes", MaxLength)
	}
	return l.b.Write(p)
}

// Sample has a value in every field, to try a text with.
func Sample() Fields {
	all := Fields{}
	for _, name := range names {
		all[name] = name
	}
	return all
}
