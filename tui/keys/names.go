package keys

import (
	"slices"
	"strings"

	"svc/tui/tables"
)

func (p Places) String() string {
	var names []string
	for _, place := range []struct {
		on   Places
		name string
	}{{OnReports, "reports"}, {OnReport, "report"}, {OnUsers, "users"}, {OnUser, "user"}, {OnLog, "log"}, {OnPage, "help"}} {
		if p&place.on != 0 {
			names = append(names, place.name)
		}
	}
	for i, n := range tables.All() {
		if p&NounPlace(i)&^(OnUsers|OnLog) != 0 {
			names = append(names, n.Name)
		}
	}
	return strings.Join(names, ", ")
}

// Fuzzy reports whether the letters of text stand in name in their order, and how
// many others come before and between them: 0 is a beginning.
func Fuzzy(name, text string) (score int, ok bool) {
	rest := name
	for i, r := range strings.ToLower(text) {
		at := strings.IndexRune(rest, r)
		if at < 0 {
			return 0, false
		}
		if i == 0 {
			at *= 2 // a beginning is meant more often than a middle
		}
		score += at
		rest = rest[strings.IndexRune(rest, r)+len(string(r)):]
	}
	return score, true
}

// NotHere says on which screens a command is.
func (b Binding) NotHere() string { return NoCommand + ", but on " + b.On.String() }

// Refusal says why a command is not open to the account, and what would open it.
func (b Binding) Refusal() string {
	text := string(b.Do) + " is not among your privileges"
	if slices.Equal(b.Needs, AdminsAlone) {
		return text + ": for admins alone"
	}
	var names []string
	for _, p := range b.Needs {
		names = append(names, string(p))
	}
	return text + ": " + strings.Join(names, ", ") + " in :instance :moderator_privileges"
}

// NoCommand is the problem of a name that no command has.
const NoCommand = "no such command here"

// Named finds the command of a name, or of the only one that begins so. The
// noun before a verb may be left out.
func (m *Map) Named(name string, at Places) (found Binding, problem string) {
	if name == "" {
		return found, "no command"
	}
	var begin []Binding
	for _, b := range m.Bindings {
		if b.On&at == 0 {
			continue
		}
		_, verb, _ := strings.Cut(string(b.Do), ".")
		switch {
		case string(b.Do) == name || verb == name:
			return b, ""
		case strings.HasPrefix(string(b.Do), name) || strings.HasPrefix(verb, name):
			begin = append(begin, b)
		}
	}
	switch len(begin) {
	case 0:
		return found, NoCommand
	case 1:
		return begin[0], ""
	}
	var words []string
	for _, b := range begin {
		words = append(words, string(b.Do))
	}
	slices.Sort(words)
	return found, "which? " + strings.Join(words, ", ")
}
