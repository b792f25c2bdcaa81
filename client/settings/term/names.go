package term

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// MaxName is how many characters a group or key may have in wire form.
const MaxName = 255

var (
	moduleSpace = regexp.MustCompile(`^(Svc|Phoenix|Tesla|Quack|Ueberauth|Swoosh)\.`)
	moduleShape = regexp.MustCompile(`^[A-Z]\w*(\.[A-Z]\w*)*$`)
)

// IsModule reports whether s is read as the name of a module.
func IsModule(s string) bool {
	switch s {
	case "Oban", "Ueberauth", "ExSyslogger":
		return true
	}
	if s == "" || s[0] < 'A' || s[0] > 'Z' {
		return false // most texts, without a look at the patterns
	}
	return moduleSpace.MatchString(s) && moduleShape.MatchString(s)
}

// Name reads the name of a group, key or subkey: an atom such as ":instance" or
// a module such as "Svc.Upload". Wire gives its one spelling. The error is a
// sentence for the client.
func Name(s string) (Term, error) {
	if strings.HasPrefix(s, "~r") {
		return Term{}, fmt.Errorf("%.80q is no name: names begin with a colon, or are those of modules", s)
	}
	t, err := fromText(s)
	if err != nil {
		return Term{}, err
	}
	switch wire := t.Wire(); {
	case !t.isKey():
		return Term{}, fmt.Errorf("%.80q is no name: names begin with a colon, or are those of modules", s)
	case wire == ":":
		return Term{}, errors.New("a name cannot be empty")
	case utf8.RuneCountInString(wire) > MaxName:
		return Term{}, fmt.Errorf("a name has at most %d characters", MaxName)
	case strings.ContainsRune(wire, 0) || !utf8.ValidString(wire):
		return Term{}, errors.New("a name is made of printable characters")
	}
	return t, nil
}

// FromText reads a term from a text on the wire; space around it is ignored. The
// error is a sentence for the client.
func FromText(s string) (Term, error) { return fromText(strings.TrimSpace(s)) }

// fromText reads s by the rule for texts, without trimming.
func fromText(s string) (Term, error) {
	switch {
	case strings.HasPrefix(s, "~r"):
		return parseRegex(s)
	case strings.HasPrefix(s, ":"):
		return atom(s[1:]), nil
	case IsModule(s):
		return Module(s), nil
	}
	return String(s), nil
}

// bare is fromText for text of the program itself, in which a broken pattern
// can only be text.
func bare(s string) Term {
	t, err := fromText(s)
	if err != nil {
		return String(s)
	}
	return t
}

// atom is the atom of a name that may stand in quotes, as other servers write
// names with spaces. Quotes and the spaces inside them are dropped until none
// are left, so that reading the written form changes nothing.
func atom(name string) Term {
	for len(name) >= 2 && name[0] == '"' && name[len(name)-1] == '"' {
		name = strings.TrimSpace(name[1 : len(name)-1])
	}
	if module, ok := strings.CutPrefix(name, "Elixir."); ok && IsModule(module) {
		return Module(module)
	}
	return Atom(name)
}
