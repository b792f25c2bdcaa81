package action

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"

	"svc/client/settings"
)

// UsageError is a mistake of the person at the keyboard; nothing was sent.
type UsageError struct{ Message string }

func (e *UsageError) Error() string { return e.Message }

// Target is one object as a person names it.
type Target struct {
	Noun string
	Name string // an id, or for users a nickname without its leading @
	ByID bool   // Name is an id also where nicknames are expected
}

// String is the typed name, which ParseTarget reads back.
func (t Target) String() string {
	if t.ByID && t.Noun == "user" {
		return t.Noun + "/id:" + t.Name
	}
	return t.Noun + "/" + t.Name
}

// ParseTarget reads nick, nick@domain, id:123, or a typed name like user/kim,
// where an object of the given noun is wanted. A typed name of another noun is
// a UsageError, so that output piped into the wrong command does no harm.
func ParseTarget(noun, s string) (Target, error) {
	t := Target{Noun: noun}
	rest := strings.TrimSpace(s)
	if noun == "media" || noun == "relay" {
		return parseAddress(noun, rest)
	}
	if noun == "host" {
		return parseHost(rest)
	}
	if noun == "config" {
		if _, err := settings.ParseName(rest); err != nil {
			return t, &UsageError{err.Error()}
		}
		t.Name = strings.TrimPrefix(rest, "config/")
		return t, nil
	}
	if kind, name, typed := strings.Cut(rest, "/"); typed {
		if kind != noun {
			if isNoun(kind) {
				return t, &UsageError{fmt.Sprintf("%s is %s; %s is wanted", Quote(s), aOrAn(kind), aOrAn(noun))}
			}
			return t, &UsageError{fmt.Sprintf("%s is not the name of %s", Quote(s), aOrAn(noun))}
		}
		rest = name
	}
	if id, ok := strings.CutPrefix(rest, "id:"); ok {
		t.ByID, rest = true, id
	}
	if noun == "emoji" && len(rest) > 2 { // as it is written: ":blob:"
		rest = strings.TrimSuffix(strings.TrimPrefix(rest, ":"), ":")
	}
	if noun == "user" {
		if !t.ByID {
			rest = strings.TrimPrefix(rest, "@")
		}
	} else {
		t.ByID = true
	}
	if rest == "" {
		return t, &UsageError{fmt.Sprintf("%s names no %s", Quote(s), noun)}
	}
	if !plainName(rest) {
		return t, &UsageError{fmt.Sprintf("%s is not the name of %s", Quote(s), aOrAn(noun))}
	}
	t.Name = rest
	return t, nil
}

// parseAddress reads the address of a file or a relay, which is full of slashes,
// with or without its noun before it.
func parseAddress(noun, s string) (Target, error) {
	t, what := Target{Noun: noun, ByID: true}, map[string]string{"media": "file"}[noun]
	if what == "" {
		what = noun
	}
	if kind, _, typed := strings.Cut(s, "/"); typed && kind != noun && isNoun(kind) {
		return t, &UsageError{fmt.Sprintf("%s is a %s; the address of a %s is wanted", Quote(s), kind, what)}
	}
	t.Name = strings.TrimPrefix(s, noun+"/")
	u, err := url.Parse(t.Name)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.ContainsFunc(t.Name, unprintable) {
		return t, &UsageError{fmt.Sprintf("%s is not the address of a %s, like https://host/path", Quote(s), what)}
	}
	return t, nil
}

// parseHost reads the name of another server, or *.name for it and all below it.
func parseHost(s string) (Target, error) {
	t := Target{Noun: "host", ByID: true}
	if kind, _, typed := strings.Cut(s, "/"); typed && kind != "host" && isNoun(kind) {
		return t, &UsageError{fmt.Sprintf("%s is %s; a host is wanted", Quote(s), aOrAn(kind))}
	}
	name, ok := ListedHost(strings.TrimPrefix(s, "host/"))
	if !ok {
		return t, &UsageError{Quote(s) + " is no host, like far.example or *.far.example"}
	}
	t.Name = name
	return t, nil
}

func unprintable(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }

func aOrAn(noun string) string {
	if strings.ContainsRune("aeio", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

// plainName refuses text that no nickname and no id can be, above all
// characters that would change a path.
func plainName(s string) bool {
	if len(s) > 512 || s == "." || s == ".." || s == "-" {
		return false
	}
	for _, r := range s {
		if r == '/' || r == unicode.ReplacementChar || unprintable(r) {
			return false
		}
	}
	return true
}

// Quote shows a person's input in a message, in printable ASCII, cut short.
func Quote(s string) string {
	if r := []rune(s); len(r) > 60 {
		s = string(r[:60]) + "..."
	}
	return fmt.Sprintf("%+q", s)
}
