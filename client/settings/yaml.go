package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// The tags of the short form, for values that YAML lacks.
const (
	tagTuple = "!tuple"
	tagMap   = "!map"
	tagUnset = "!unset"
)

// Read reads a file of settings: the body of a POST, {"configs":[...]}, as JSON
// or YAML, or the short form, which nests groups, keys and values. Errors name
// the line.
func Read(data []byte) ([]Setting, error) {
	root, err := document(data)
	if err != nil || root == nil {
		return nil, err
	}
	if root.Kind == yaml.SequenceNode {
		return readWire(root)
	}
	if root.Kind != yaml.MappingNode {
		return nil, at(root, "settings are a mapping of groups")
	}
	if err := unique(root); err != nil {
		return nil, err
	}
	for i := 0; i < len(root.Content); i += 2 {
		if root.Content[i].Value == "configs" {
			return readWire(follow(root.Content[i+1]))
		}
	}
	return newReader(false).short(root)
}

const (
	// maxValues bounds the values of a file. An alias counts as all values that it
	// stands for.
	maxValues = 100_000
	// maxNodes bounds the values that a text may have by its punctuation. It is known
	// before a parser builds a tree of them, and too high for most texts: maxValues
	// pairs in JSON have four for each.
	maxNodes = 5 * maxValues
)

var errTooMany = fmt.Errorf("there are more than %d values", maxValues)

// nodes returns how many nodes the tree of a YAML text has at most. Each follows a
// mark, and no mark makes more nodes than are counted here. Marks in texts and
// comments count too: what is a text is known to a parser alone.
func nodes(data []byte) int {
	n := 1
	for i, c := range data {
		switch c {
		case ',', ':', '{': // key and value each
			n += 2
		case '[':
			n++
		case '-', '?':
			if i+1 == len(data) || bytes.IndexByte([]byte(" \t\r\n"), data[i+1]) >= 0 {
				n += 2
			}
		}
	}
	return n
}

const (
	nodeWeight  = 200 // bytes of a node of a YAML tree
	valueWeight = 200 // bytes of a value, and of the request that has it
)

// Weight is about how many bytes of memory Read takes at most for a file.
func Weight(data []byte) int {
	n := min(nodes(data), maxNodes)
	weight := n*nodeWeight + 2*len(data)
	if bytes.IndexByte(data, '*') >= 0 { // aliases
		n = maxValues
	}
	return weight + min(n, maxValues)*valueWeight
}

// document is the one document of a YAML text, nil of an empty one.
func document(data []byte) (*yaml.Node, error) {
	if nodes(data) > maxNodes {
		return nil, errTooMany
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	if err := d.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := d.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more than one document")
	}
	if len(doc.Content) == 0 || doc.Content[0].ShortTag() == "!!null" {
		return nil, nil
	}
	return follow(doc.Content[0]), nil
}

func follow(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func at(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("line %d: %w", n.Line, fmt.Errorf(format, args...))
}

func unique(n *yaml.Node) error {
	seen := map[string]bool{}
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode {
			return at(key, "a name is wanted")
		}
		if seen[key.Value] {
			return at(key, "%s stands twice", key.Value)
		}
		seen[key.Value] = true
	}
	return nil
}

func readWire(list *yaml.Node) ([]Setting, error) {
	if list.Kind != yaml.SequenceNode {
		return nil, at(list, "configs is a list")
	}
	all := make([]Setting, 0, len(list.Content))
	r := newReader(true)
	for _, n := range list.Content {
		v, err := r.value(n, 0)
		if err != nil {
			return nil, err
		}
		if v.kind != Map {
			return nil, at(n, "an object with group and key is wanted")
		}
		doc, err := json.Marshal(v)
		if err != nil {
			return nil, at(n, "%v", err)
		}
		var s Setting
		if err := json.Unmarshal(doc, &s); err != nil {
			return nil, at(n, "%v", err)
		}
		if !IsAtom(s.Group) || !IsAtom(s.Key) {
			return nil, at(n, "group and key begin with a colon, like :svc, or name a module")
		}
		if s.Value == nil && !s.Delete {
			return nil, at(n, "%s %s: %v", s.Group, s.Key, errNoWhole)
		}
		all = append(all, s)
	}
	return all, nil
}

func (r *reader) short(root *yaml.Node) ([]Setting, error) {
	var all []Setting
	for i := 0; i < len(root.Content); i += 2 {
		group, keys := root.Content[i], follow(root.Content[i+1])
		if !IsAtom(group.Value) {
			return nil, at(group, "group %q: groups begin with a colon, like :svc", group.Value)
		}
		if keys.Kind != yaml.MappingNode {
			return nil, at(keys, "%s: a mapping of keys is wanted", group.Value)
		}
		if err := unique(keys); err != nil {
			return nil, err
		}
		for j := 0; j < len(keys.Content); j += 2 {
			key, n := keys.Content[j], follow(keys.Content[j+1])
			if !IsAtom(key.Value) {
				return nil, at(key, "key %q: keys begin with a colon, like :instance, or name a module", key.Value)
			}
			settings, err := r.setting(group.Value, key.Value, n)
			if err != nil {
				return nil, err
			}
			all = append(all, settings...)
		}
	}
	return all, nil
}

// setting reads one key of the short form. Entries marked !unset become a second
// setting, which deletes them.
func (r *reader) setting(group, key string, n *yaml.Node) ([]Setting, error) {
	if n.Tag == tagUnset {
		if err := r.count(n); err != nil {
			return nil, err
		}
		return []Setting{{Group: group, Key: key, Delete: true}}, nil
	}
	var gone []string
	if n.Kind == yaml.MappingNode && n.Tag != tagMap {
		kept := *n
		kept.Content = nil
		for i := 0; i < len(n.Content); i += 2 {
			if follow(n.Content[i+1]).Tag == tagUnset {
				if err := r.count(n.Content[i]); err != nil {
					return nil, err
				}
				gone = append(gone, n.Content[i].Value)
				continue
			}
			kept.Content = append(kept.Content, n.Content[i], n.Content[i+1])
		}
		n = &kept
	}
	var all []Setting
	if len(gone) > 0 {
		all = append(all, Setting{Group: group, Key: key, Delete: true, Subkeys: gone})
	}
	if len(gone) == 0 || len(n.Content) > 0 {
		v, err := r.value(n, 0)
		if err != nil {
			return nil, err
		}
		if v.kind == Null {
			return nil, at(n, "%s %s: null cannot be saved; !unset takes a setting away", group, key)
		}
		all = append(all, Setting{Group: group, Key: key, Value: &v})
	}
	return all, nil
}

// maxDepth bounds how deep a value nests; aliases could otherwise do so
// without end.
const maxDepth = 64

// reader reads the values of one file. In wire form objects are maps; in the short
// form, those with atoms as names are keyword lists.
type reader struct {
	wire bool
	left int // values that may still come
}

func newReader(wire bool) *reader { return &reader{wire, maxValues} }

// count counts a value before it is read.
func (r *reader) count(n *yaml.Node) error {
	if r.left--; r.left < 0 {
		return at(n, "%w", errTooMany)
	}
	return nil
}

func (r *reader) value(n *yaml.Node, depth int) (Value, error) {
	if err := r.count(n); err != nil {
		return Value{}, err
	}
	if depth > maxDepth {
		return Value{}, at(n, "values nest deeper than %d", maxDepth)
	}
	if n = follow(n); n.Tag != "" && n.Tag[0] == '!' && !strings.HasPrefix(n.Tag, "!!") && n.Tag != "!" {
		switch {
		case n.Tag == tagTuple && n.Kind == yaml.SequenceNode, n.Tag == tagMap && n.Kind == yaml.MappingNode:
		case n.Tag == tagUnset:
			return Value{}, at(n, "only keys and their first-level entries can be !unset")
		default:
			return Value{}, at(n, "%s: %s before a list and %s before a mapping are accepted", n.Tag, tagTuple, tagMap)
		}
	}
	switch n.Kind {
	case yaml.ScalarNode:
		return fromScalar(n)
	case yaml.SequenceNode:
		v := Value{kind: List}
		if n.Tag == tagTuple {
			v.kind = Tuple
		}
		for _, child := range n.Content {
			item, err := r.value(child, depth+1)
			if err != nil {
				return Value{}, err
			}
			v.items = append(v.items, item)
		}
		return v, nil
	}
	return r.mapping(n, depth)
}

func (r *reader) mapping(n *yaml.Node, depth int) (Value, error) {
	if err := unique(n); err != nil {
		return Value{}, err
	}
	v := Value{kind: Map}
	keyword := !r.wire && n.Tag != tagMap && len(n.Content) > 0
	for i := 0; i < len(n.Content); i += 2 {
		item, err := r.value(n.Content[i+1], depth+1)
		if err != nil {
			return Value{}, err
		}
		key := n.Content[i].Value
		keyword = keyword && IsAtom(key)
		v.keys = append(v.keys, key)
		v.items = append(v.items, item)
	}
	if at := slices.Index(v.keys, "tuple"); at >= 0 && v.items[at].kind == List {
		return Value{kind: Tuple, items: v.items[at].items}, nil
	}
	if !keyword {
		return v, nil
	}
	list := Value{kind: List}
	for i, item := range v.items {
		list.items = append(list.items, Pair(v.keys[i], item))
	}
	return list, nil
}

func fromScalar(n *yaml.Node) (Value, error) {
	switch n.ShortTag() {
	case "!!null":
		return Value{}, nil
	case "!!bool":
		var b bool
		if err := n.Decode(&b); err != nil {
			return Value{}, at(n, "%q is neither true nor false", n.Value)
		}
		return Boolean(b), nil
	case "!!int", "!!float":
		if json.Valid([]byte(n.Value)) {
			return Numeric(n.Value), nil
		}
		var i int64
		if n.ShortTag() == "!!int" && n.Decode(&i) == nil {
			return Numeric(strconv.FormatInt(i, 10)), nil
		}
		var f float64
		if err := n.Decode(&f); err == nil {
			if literal, err := json.Marshal(f); err == nil {
				if !strings.ContainsAny(string(literal), ".e") {
					literal = append(literal, ".0"...)
				}
				return Numeric(string(literal)), nil
			}
		}
		return Value{}, at(n, "%s is no number that JSON knows; quote it to make it text", n.Value)
	}
	return Textual(n.Value), nil
}

// Write renders settings in the short form, in the order they have; those that
// only delete become !unset.
func Write(all []Setting) ([]byte, error) {
	root := &yaml.Node{Kind: yaml.MappingNode}
	for _, s := range all {
		keys := child(root, s.Group)
		switch {
		case s.Delete && len(s.Subkeys) == 0:
			set(keys, s.Key, &yaml.Node{Kind: yaml.ScalarNode, Tag: tagUnset})
		case s.Delete:
			for _, sub := range s.Subkeys {
				set(child(keys, s.Key), sub, &yaml.Node{Kind: yaml.ScalarNode, Tag: tagUnset})
			}
		case s.Value != nil:
			set(keys, s.Key, toNode(*s.Value))
		}
	}
	if len(root.Content) == 0 {
		return nil, nil
	}
	return encode(root)
}

func encode(n *yaml.Node) ([]byte, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(n); err != nil {
		return nil, fmt.Errorf("write yaml: %w", err)
	}
	err := e.Close()
	return b.Bytes(), err
}

// child is the mapping under a name of a mapping, made when it is missing.
func child(n *yaml.Node, name string) *yaml.Node {
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Value == name && n.Content[i+1].Kind == yaml.MappingNode {
			return n.Content[i+1]
		}
	}
	m := &yaml.Node{Kind: yaml.MappingNode}
	set(n, name, m)
	return m
}

// set puts a value under a name; mappings join those that are there.
func set(n *yaml.Node, name string, v *yaml.Node) {
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Value != name {
			continue
		}
		if have := n.Content[i+1]; have.Kind == yaml.MappingNode && v.Kind == yaml.MappingNode {
			have.Content = append(have.Content, v.Content...)
		} else {
			n.Content[i+1] = v
		}
		return
	}
	n.Content = append(n.Content, textNode(name), v)
}

func toNode(v Value) *yaml.Node {
	switch v.kind {
	case Null:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
	case Bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(v.yes)}
	case Number:
		tag := "!!int"
		if _, err := strconv.ParseInt(v.text, 10, 64); err != nil {
			tag = "!!float" // YAML takes large integers for these
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: v.text}
	case Text:
		return textNode(v.text)
	case Map:
		n := &yaml.Node{Kind: yaml.MappingNode}
		atoms := len(v.keys) > 0
		for i, item := range v.items {
			atoms = atoms && IsAtom(v.keys[i])
			n.Content = append(n.Content, textNode(v.keys[i]), toNode(item))
		}
		switch {
		case atoms:
			n.Tag = tagMap
		case len(v.keys) == 0:
			n.Style = yaml.FlowStyle
		}
		return n
	}
	if v.IsKeyword() && len(v.items) > 0 && distinct(v) {
		n := &yaml.Node{Kind: yaml.MappingNode}
		for _, item := range v.items {
			n.Content = append(n.Content, textNode(item.items[0].text), toNode(item.items[1]))
		}
		return n
	}
	n := &yaml.Node{Kind: yaml.SequenceNode}
	if v.kind == Tuple {
		n.Tag = tagTuple
	}
	flat := true
	for _, item := range v.items {
		flat = flat && item.kind < List
		n.Content = append(n.Content, toNode(item))
	}
	if len(v.items) == 0 || v.kind == Tuple && flat {
		n.Style = yaml.FlowStyle
	}
	return n
}

// textNode is text, quoted where a terminal or an editor could take it for
// more than that.
func textNode(s string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(s)
	if strings.ContainsFunc(s, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// Short is the value on one line, as Parse reads it back; text stands without
// quotes.
func (v Value) Short() string {
	switch v.kind {
	case Text, Number:
		return v.text
	}
	n := toNode(v)
	flow(n)
	doc, err := encode(n)
	if err != nil {
		return err.Error()
	}
	return strings.TrimSuffix(string(doc), "\n")
}

func flow(n *yaml.Node) {
	if n.Kind != yaml.ScalarNode {
		n.Style |= yaml.FlowStyle
	} else if strings.Contains(n.Value, "\n") {
		n.Style = yaml.DoubleQuotedStyle
	}
	for _, c := range n.Content {
		flow(c)
	}
}

// Parse reads one value of the short form.
func Parse(text string) (Value, error) {
	n, err := document([]byte(text))
	if err != nil {
		return Value{}, err
	}
	if n == nil {
		return Value{}, nil
	}
	return newReader(false).value(n, 0)
}
