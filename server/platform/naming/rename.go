package naming

import (
	"encoding/json"
	"maps"
	"reflect"
)

// JSON returns a JSON text of a shape with the words of the name. What is no JSON is
// returned as it is.
func (w Words) JSON(raw []byte, s *Shape) []byte {
	if w.Own() || !json.Valid(raw) {
		return raw
	}
	out := &writer{words: w, in: raw, out: make([]byte, 0, len(raw)+len(raw)/8)}
	out.value(s.any)
	return append(out.out, raw[out.at:]...)
}

// writer copies a valid JSON text.
type writer struct {
	words Words
	in    []byte
	at    int // what was copied of it
	out   []byte
}

// space copies white space, and returns the byte after it.
func (w *writer) space() byte {
	for w.at < len(w.in) {
		switch b := w.in[w.at]; b {
		case ' ', '\n', '\r', '\t':
			w.copy(1)
		default:
			return b
		}
	}
	return 0
}

func (w *writer) copy(n int) {
	w.out = append(w.out, w.in[w.at:w.at+n]...)
	w.at += n
}

// text returns the text at this place as it is written, with its quotes.
func (w *writer) text() []byte {
	for end := w.at + 1; ; end++ {
		switch w.in[end] {
		case '\\':
			end++
		case '"':
			return w.in[w.at : end+1]
		}
	}
}

// put writes a text in place of the one at this place. Words of ours need no escapes.
func (w *writer) put(was []byte, is string) {
	w.out = append(append(append(w.out, '"'), is...), '"')
	w.at += len(was)
}

// value copies a value that is one of these.
func (w *writer) value(of []*node) {
	switch b := w.space(); b {
	case '{':
		w.object(of)
	case '[':
		w.list(of)
	case '"':
		was := w.text()
		inner := string(was[1 : len(was)-1])
		if is := w.words.out(inner, kindOf(of)); is != inner {
			w.put(was, is)
		} else {
			w.copy(len(was))
		}
	default:
		n := 0
		for w.at+n < len(w.in) && w.in[w.at+n] != ',' && w.in[w.at+n] != '}' && w.in[w.at+n] != ']' {
			n++
		}
		w.copy(n)
	}
}

func (w *writer) object(of []*node) {
	for w.copy(1); w.space() != '}'; {
		if w.in[w.at] == ',' {
			w.copy(1)
			continue
		}
		was := w.text()
		name := string(was[1 : len(was)-1])
		inner, is := w.words.member(of, name)
		if is != name {
			w.put(was, is)
		} else {
			w.copy(len(was))
		}
		w.space()
		w.copy(1) // the colon
		w.value(inner)
	}
	w.copy(1)
}

func (w *writer) list(of []*node) {
	var inner []*node
	for _, n := range of {
		if n.text != theirs {
			inner = append(inner, n)
		} else if n.each != nil && n.fields == nil {
			inner = append(inner, n.each)
		}
	}
	for w.copy(1); w.space() != ']'; {
		if w.in[w.at] == ',' {
			w.copy(1)
			continue
		}
		w.value(inner)
	}
	w.copy(1)
}

func kindOf(of []*node) text {
	for _, n := range of {
		if n.text != theirs {
			return n.text
		}
	}
	return theirs
}

func (w Words) out(s string, as text) string {
	switch as {
	case word:
		return w.Out(s)
	case term:
		return renameTerm(s, own, w.Name())
	default:
		return s
	}
}

// member returns what stands under a name of an object, and the name as it goes out.
func (w Words) member(of []*node, name string) ([]*node, string) {
	for _, n := range of {
		switch f := n.fields[name]; {
		case f != nil && f.ours:
			return f.of, w.Out(name)
		case f != nil:
			return f.of, name
		case n.text != theirs:
			return []*node{n}, w.out(name, n.text)
		case n.keys:
			return []*node{n.each}, w.Out(name)
		case n.fields == nil && n.each != nil:
			return []*node{n.each}, name
		}
	}
	return nil, name
}

// Tree changes the parameters of a request, as they were decoded, to the words inside.
func (w Words) Tree(t map[string]any, s *Shape) {
	if !w.Own() {
		w.read(t, s.any)
	}
}

// File returns the name inside of a file beside a form.
func (w Words) File(name string, s *Shape) string {
	is := w.In(name)
	for _, known := range s.files {
		if known == is {
			return is
		}
	}
	return name
}

// read returns a value as it is inside. Objects and lists are changed in place.
func (w Words) read(v any, of []*node) any {
	switch v := v.(type) {
	case string:
		switch kindOf(of) {
		case word:
			return w.In(v)
		case term:
			return renameTerm(v, w.Name(), own)
		}
	case []any:
		var inner []*node
		for _, n := range of {
			if n.text != theirs {
				inner = append(inner, n)
			} else if n.each != nil && n.fields == nil {
				inner = append(inner, n.each)
			}
		}
		for i := range v {
			v[i] = w.read(v[i], inner)
		}
	case map[string]any:
		w.readObject(v, of)
	default:
		return w.readRepeated(v, of)
	}
	return v
}

func (w Words) readObject(t map[string]any, of []*node) {
	for _, n := range of {
		if n.text == term {
			for name, v := range maps.Clone(t) {
				v = w.read(v, of)
				delete(t, name)
				t[renameTerm(name, w.Name(), own)] = v
			}
			return
		}
		for name, f := range n.fields {
			if out := w.Out(name); f.ours && out != name {
				if v, ok := t[out]; ok && t[name] == nil {
					t[name] = v
					delete(t, out)
				}
			}
			if v, ok := t[name]; ok {
				t[name] = w.read(v, f.of)
			}
		}
		if n.each != nil {
			for name, v := range t {
				t[name] = w.read(v, []*node{n.each})
			}
		}
	}
}

// readRepeated renames the values of a name that a query has several times.
func (w Words) readRepeated(v any, of []*node) any {
	list := reflect.ValueOf(v)
	if v == nil || list.Kind() != reflect.Slice || list.Type().Elem().Kind() != reflect.String {
		return v
	}
	inner := of
	for _, n := range of {
		if n.each != nil {
			inner = []*node{n.each}
		}
	}
	out := reflect.MakeSlice(list.Type(), list.Len(), list.Len())
	for i := range list.Len() {
		s, _ := w.read(list.Index(i).String(), inner).(string)
		out.Index(i).SetString(s)
	}
	return out.Interface()
}
