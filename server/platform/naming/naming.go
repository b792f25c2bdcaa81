// Package naming is the table of the service's own name at the edges. Inside, it is svc
// everywhere: in storage, logs, metrics and variables. With SVC_NAME=pleroma the same words
// come in and go out as that family says them: /api/pleroma/… for /api/svc/…, the key
// pleroma for svc, :pleroma and Pleroma.Upload among settings, pleroma:chat_update among
// events.
//
// What is renamed is known by types: of a JSON text the fields of the structs that it is
// rendered from, and texts whose field has the word named in its tag schema:"…". A key or a
// text that people chose is in none of them, and stays.
//
// It knows the types of client/api, and nothing of HTTP but paths.
package naming

import (
	"regexp"
	"strings"
)

// own is the name inside.
const own = "svc"

// Words are the words of a name. The zero Words are those of svc, which rename nothing.
type Words struct{ name string }

// New returns the words of a name, which Valid accepts.
func New(name string) Words {
	if name == own {
		name = ""
	}
	return Words{name}
}

// Longest bounds a name, in characters.
const Longest = 30

var shape = regexp.MustCompile(`^[a-z][a-z0-9]*$`)

// taken are words that paths have where they would have the name.
var taken = " about account accounts activities admin announcements api apps auth blocks bookmarks contexts conversations direct emoji" +
	" endorsements favourites favicon featured filters follows hashtag health healthz images inbox instance internal list lists main" +
	" markers media mutes nodeinfo notice notifications oauth objects oembed openapi pages polls preferences proxy public push" +
	" readyz registration relay reports robots search socket static statuses streaming suggestions tag tags timelines trends user" +
	" users v1 v2 v3 v4 web "

// Valid reports whether the service can have a name: lower-case letters and digits, which no
// path has already.
func Valid(name string) bool {
	return len(name) <= Longest && shape.MatchString(name) && !strings.Contains(taken, " "+name+" ")
}

// Own reports whether these are the words of svc.
func (w Words) Own() bool { return w.name == "" }

// Name is the name in paths and documents: svc, or pleroma.
func (w Words) Name() string {
	if w.name == "" {
		return own
	}
	return w.name
}

// Title is the name in version texts: svc, or Pleroma.
func (w Words) Title() string {
	if w.name == "" {
		return own
	}
	return module(w.name)
}

// module is a name as modules begin with it.
func module(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// Out returns a word of the service as it goes out: a key, a type, an event, a stream, an
// atom or a module. Any other text is returned as it is.
func (w Words) Out(s string) string { return rename(s, own, w.Name()) }

// In returns a word of the service that came in as it is inside.
func (w Words) In(s string) string { return rename(s, w.Name(), own) }

func rename(s, from, to string) string {
	if from == to {
		return s
	}
	if rest, ok := strings.CutPrefix(s, "user:"+from+"_"); ok {
		return "user:" + to + "_" + rest
	}
	if rest, ok := strings.CutPrefix(s, from); ok && (rest == "" || rest[0] == '_' || rest[0] == ':') {
		return to + rest
	}
	return renameTerm(s, from, to)
}

var modules = regexp.MustCompile(`^(\.[A-Z]\w*)+$`)

// renameTerm renames atoms and modules alone, which are no texts of people.
func renameTerm(s, from, to string) string {
	if rest, ok := strings.CutPrefix(s, ":"+from); ok && (rest == "" || rest[0] == '_') {
		return ":" + to + rest
	}
	rest, elixir := strings.CutPrefix(s, ":Elixir.")
	rest, ok := strings.CutPrefix(rest, module(from))
	if !ok || !modules.MatchString(rest) {
		return s
	}
	if elixir {
		return ":Elixir." + module(to) + rest
	}
	return module(to) + rest
}
