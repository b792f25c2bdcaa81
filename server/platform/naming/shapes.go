package naming

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"svc/client/api"
	"svc/client/schema"
)

// Shape is where words of the service stand in the JSON of some types.
type Shape struct {
	any   []*node
	files []string
}

// node is a part of a JSON text.
type node struct {
	fields map[string]*field // of an object with the fields of a struct
	each   *node             // of a list or of an object with other keys; nil if nothing in it is ours
	keys   bool              // its keys are words
	text   text
}

type field struct {
	name string // as it stands inside
	ours bool   // the name is a word
	of   []*node
}

// text is what a text may be.
type text int

const (
	theirs text = iota // nothing of ours
	word               // one of ours, or any other
	term               // a value of settings, in which atoms and modules are ours
)

// ShapeOf returns the shape of a text that is of one of these types.
func ShapeOf(types ...reflect.Type) *Shape {
	nodes.Lock()
	defer nodes.Unlock()
	s := &Shape{}
	for _, t := range types {
		s.any = append(s.any, nodeOf(t))
	}
	return s
}

// WithFiles adds the names of files beside a form.
func (s *Shape) WithFiles(names []string) *Shape {
	s.files = names
	return s
}

// Ours reports whether there is anything to rename in a text of this shape.
func (s *Shape) Ours() bool {
	nodes.Lock()
	defer nodes.Unlock()
	seen := map[*node]bool{}
	return slices.ContainsFunc(s.any, func(n *node) bool { return n.finds(seen) }) ||
		slices.ContainsFunc(s.files, ours)
}

func (n *node) finds(seen map[*node]bool) bool {
	if seen[n] {
		return false
	}
	seen[n] = true
	if n.text != theirs || n.keys || n.each != nil && n.each.finds(seen) {
		return true
	}
	for _, f := range n.fields {
		if f.ours || slices.ContainsFunc(f.of, func(n *node) bool { return n.finds(seen) }) {
			return true
		}
	}
	return false
}

// nodes are those of all types.
var nodes struct {
	sync.Mutex
	of map[reflect.Type]*node
}

// alternatives are the types that the word or=Name of a tag names.
var alternatives = map[string]reflect.Type{"Report": reflect.TypeFor[api.Report]()}

func nodeOf(t reflect.Type) *node {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if n := nodes.of[t]; n != nil {
		return n
	}
	if nodes.of == nil {
		nodes.of = map[reflect.Type]*node{}
	}
	n := &node{}
	nodes.of[t] = n // it may hold itself
	switch kind := schema.TypeOf(t); {
	case kind == "array":
		n.each = nodeOf(t.Elem())
	case kind == "object" && t.Kind() == reflect.Map:
		n.each, n.keys = nodeOf(t.Elem()), t == reflect.TypeFor[api.FrontendConfigurations]()
	case kind == "object":
		n.fields = map[string]*field{}
		for _, f := range schema.Fields(t) {
			n.fields[f.Name] = fieldOf(f)
		}
	}
	return n
}

func fieldOf(f schema.Field) *field {
	out := &field{name: f.Name, ours: ours(f.Name)}
	tag := strings.Split(f.Tag.Get("schema"), ",")
	switch {
	case slices.Contains(tag, "named"):
		out.of = []*node{{text: word}}
	case slices.Contains(tag, "terms"):
		out.of = []*node{{text: term}}
	default:
		out.of = []*node{nodeOf(f.Type)}
	}
	for _, word := range tag {
		if name, ok := strings.CutPrefix(word, "or="); ok && alternatives[name] != nil {
			out.of = append(out.of, nodeOf(alternatives[name]))
		}
	}
	return out
}

// ours reports whether a name is a word of the service.
func ours(name string) bool { return rename(name, own, "x") != name }

// events are the payloads of streams, by event. Others have nothing of ours in them.
var events = sync.OnceValue(func() map[string]*Shape {
	status, chat := ShapeOf(reflect.TypeFor[api.Status]()), ShapeOf(reflect.TypeFor[api.Chat]())
	said := &node{fields: map[string]*field{"author": {name: "author", of: ShapeOf(reflect.TypeFor[api.Account]()).any}}} // of the room
	moderation := func(object reflect.Type) *Shape {
		s := ShapeOf(reflect.TypeFor[api.ModerationEvent]())
		inner := ShapeOf(object)
		fields := map[string]*field{}
		for name, f := range s.any[0].fields {
			fields[name] = f
		}
		fields["object"] = &field{name: "object", of: inner.any}
		return &Shape{any: []*node{{fields: fields}}}
	}
	return map[string]*Shape{
		"update": status, "status.update": status, "svc:chat_update": chat,
		"new_msg": {any: []*node{said}}, "messages": {any: []*node{{fields: map[string]*field{"messages": {name: "messages", of: []*node{{each: said}}}}}}},
		"notification":        ShapeOf(reflect.TypeFor[api.Notification]()),
		"conversation":        ShapeOf(reflect.TypeFor[api.Conversation]()),
		api.EventReport:       moderation(reflect.TypeFor[api.AdminReport]()),
		api.EventRegistration: moderation(reflect.TypeFor[api.AdminUser]()),
		api.EventLog:          moderation(reflect.TypeFor[api.LogEntry]()),
		api.EventJob:          moderation(reflect.TypeFor[api.Job]()),
	}
})

// Event returns an event of a stream as it goes out.
func (w Words) Event(name string, payload []byte) (string, []byte) {
	if w.Own() {
		return name, payload
	}
	if s := events()[name]; s != nil && payload != nil {
		payload = w.JSON(payload, s)
	}
	return w.Out(name), payload
}
