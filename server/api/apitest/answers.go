// Package apitest decodes the answers of the client API in tests, as the strictest of
// today's apps do. It knows nothing of the service but its routes, and depends on nothing
// of it.
package apitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/gin-gonic/gin"
)

// Answers decodes the answers of the client API as the strictest of today's apps do:
// every field is there, of its type, and null only where that is allowed. Each service of
// a test has one, so that every answer of every test passes it.
type Answers struct {
	mu    sync.Mutex
	wrong []string
	seen  map[string]bool
}

const (
	maxChecked  = 1 << 20 // bytes of an answer; longer ones are those of tests of size
	maxMistakes = 20      // of one service that are told
)

// Check is the middleware that keeps answers of routes with a shape, and checks them.
func (a *Answers) Check(c *gin.Context) {
	route := c.Request.Method + " " + c.FullPath()
	want, known := shapes()[route]
	if !known || want.kind == notJSON {
		return
	}
	kept := &keeping{ResponseWriter: c.Writer}
	c.Writer = kept
	c.Next()
	if kept.Status()/100 != 2 || kept.Status() == http.StatusNoContent || kept.long {
		return
	}
	for _, mistake := range mistakes(want, kept.body.Bytes()) {
		a.tell(route + ": " + mistake)
	}
}

func (a *Answers) tell(mistake string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.seen[mistake] || len(a.wrong) >= maxMistakes {
		return
	}
	if a.seen == nil {
		a.seen = map[string]bool{}
	}
	a.seen[mistake] = true
	a.wrong = append(a.wrong, mistake)
}

// Report tells of all mistakes, once the service has ended.
func (a *Answers) Report(t testing.TB) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, mistake := range a.wrong {
		t.Errorf("a strict app cannot decode the answer to %s", mistake)
	}
}

// keeping keeps a copy of what is written.
type keeping struct {
	gin.ResponseWriter
	body bytes.Buffer
	long bool
}

func (k *keeping) Write(b []byte) (int, error) {
	k.keep(b)
	return k.ResponseWriter.Write(b)
}

func (k *keeping) WriteString(s string) (int, error) {
	k.keep([]byte(s))
	return k.ResponseWriter.WriteString(s)
}

// Unwrap lets http.ResponseController find the connection.
func (k *keeping) Unwrap() http.ResponseWriter { return k.ResponseWriter }

func (k *keeping) keep(b []byte) {
	if k.long = k.long || k.body.Len()+len(b) > maxChecked; !k.long {
		k.body.Write(b)
	}
}

// shape is what a JSON value must be.
type shape struct {
	kind     string
	nullable bool
	of       *shape             // of a list or map
	fields   []field            // of an object
	enum     []string           // of a text
	either   []*shape           // one of them
	also     func(v any) string // a further rule: what is wrong, or ""
}

type field struct {
	name     string
	optional bool
	*shape
}

// The kinds of shapes, as they are written in the tables.
const (
	text     = "s"
	filled   = "s!" // not ""
	integer  = "i"
	number   = "n"
	boolean  = "b"
	moment   = "t" // 2006-01-02T15:04:05.000Z
	day      = "d"
	address  = "u" // absolute
	anything = "a"
	object   = "o"
	notJSON  = "-"
	list     = "[]"
	mapped   = "{}"
	oneOf    = "|"
	words    = "="
)

// shapes are the shapes of routes, by method and path.
var shapes = sync.OnceValue(func() map[string]*shape {
	p := parser{entities: map[string]*shape{}}
	for name := range entities {
		p.entities[name] = &shape{kind: object}
	}
	for name, text := range entities {
		p.object(p.entities[name], text)
		p.entities[name].also = rules[name]
	}
	out := make(map[string]*shape, len(answers))
	for route, text := range answers {
		out[route] = p.shape(text)
	}
	return out
})

type parser struct{ entities map[string]*shape }

func (p parser) object(into *shape, text string) {
	for _, part := range strings.Fields(text) {
		at := strings.Index(part, ":=") // names have colons, words too
		if at < 0 {
			at = strings.LastIndexByte(part, ':')
		}
		name, optional := strings.CutPrefix(part[:at], "~")
		into.fields = append(into.fields, field{name, optional, p.shape(part[at+1:])})
	}
}

func (p parser) shape(text string) *shape {
	if !strings.HasPrefix(text, "[") && !strings.HasPrefix(text, "{") && strings.Contains(text, "|") {
		s := &shape{kind: oneOf}
		for part := range strings.SplitSeq(text, "|") {
			s.either = append(s.either, p.shape(part))
		}
		return s
	}
	text, nullable := strings.CutSuffix(text, "?")
	s := &shape{kind: text}
	switch {
	case strings.HasPrefix(text, "="):
		s = &shape{kind: words, enum: strings.Split(text[1:], ",")}
	case strings.HasPrefix(text, "["):
		s = &shape{kind: list, of: p.shape(text[1 : len(text)-1])}
	case strings.HasPrefix(text, "{"):
		s = &shape{kind: mapped, of: p.shape(text[1 : len(text)-1])}
	case p.entities[text] != nil && !nullable:
		return p.entities[text]
	case p.entities[text] != nil:
		return &shape{kind: oneOf, nullable: true, either: []*shape{p.entities[text]}}
	case !slices.Contains([]string{"s", "s!", "i", "n", "b", "t", "d", "u", "a", "o", "-"}, text):
		panic("no kind of answers: " + text)
	}
	s.nullable = nullable
	return s
}

// mistakes decodes raw as want has it.
func mistakes(want *shape, raw []byte) []string {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return []string{fmt.Sprintf("no JSON: %v: %.80s", err, raw)}
	}
	var out []string
	want.look("", v, func(mistake string) { out = append(out, mistake) })
	return out
}

var (
	moments = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)
	days    = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)
)

// look reports each part of v, the value at a place, that differs from the shape.
func (s *shape) look(at string, v any, wrong func(string)) {
	if v == nil {
		if !s.nullable && s.kind != anything {
			wrong(at + " is null")
		}
		return
	}
	is := func(ok bool, what string) {
		if !ok {
			wrong(fmt.Sprintf("%s is no %s: %.60v", at, what, v))
		}
	}
	txt, isText := v.(string)
	switch s.kind {
	case text:
		is(isText, "text")
	case filled:
		is(isText && txt != "", "filled text")
	case words:
		is(isText && slices.Contains(s.enum, txt), "value of its enumeration")
	case moment:
		is(isText && moments.MatchString(txt), "time")
	case day:
		is(isText && days.MatchString(txt), "day")
	case address:
		is(isText && (strings.HasPrefix(txt, "http://") || strings.HasPrefix(txt, "https://")), "absolute address")
	case integer:
		n, ok := v.(json.Number)
		_, err := strconv.ParseInt(string(n), 10, 64)
		is(ok && err == nil, "integer")
	case number:
		_, ok := v.(json.Number)
		is(ok, "number")
	case boolean:
		_, ok := v.(bool)
		is(ok, "boolean")
	case list:
		all, ok := v.([]any)
		is(ok, "list")
		for _, one := range all {
			s.of.look(at+"[]", one, wrong)
		}
	case mapped:
		all, ok := v.(map[string]any)
		is(ok, "object")
		for _, one := range all {
			s.of.look(at+".*", one, wrong)
		}
	case oneOf:
		s.lookEither(at, v, wrong)
	case object:
		s.lookObject(at, v, wrong)
	}
}

// lookEither accepts v if one of several shapes fits; a report is about the last of them.
func (s *shape) lookEither(at string, v any, wrong func(string)) {
	var told []string
	for _, one := range s.either {
		told = nil
		if one.look(at, v, func(mistake string) { told = append(told, mistake) }); len(told) == 0 {
			return
		}
	}
	for _, mistake := range told {
		wrong(mistake)
	}
}

func (s *shape) lookObject(at string, v any, wrong func(string)) {
	all, ok := v.(map[string]any)
	if !ok {
		wrong(fmt.Sprintf("%s is no object: %.60v", at, v))
		return
	}
	for _, f := range s.fields {
		value, there := all[f.name]
		switch {
		case there:
			f.look(at+"."+f.name, value, wrong)
		case !f.optional:
			wrong(at + "." + f.name + " is missing")
		}
	}
	if s.also != nil {
		if mistake := s.also(all); mistake != "" {
			wrong(at + " " + mistake)
		}
	}
}

// Unshaped returns those of the routes, each a method and a path, that have no shape.
func Unshaped(routes []string) (out []string) {
	for _, route := range routes {
		if _, known := answers[route]; !known {
			out = append(out, route)
		}
	}
	return out
}

// Shaped returns the routes that have a shape.
func Shaped() (out []string) {
	for route := range answers {
		out = append(out, route)
	}
	slices.Sort(out)
	return out
}
