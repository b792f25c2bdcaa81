package config

import (
	"fmt"
	"strings"
	"time"
)

// overlay writes the runtime settings of a YAML file over s. They are nested
// as on the wire, key and then path; colons and the group :svc may be left
// out, so that `instance: {limit: 500}` will do.
func overlay(s *Settings, tree any, file string) Problems {
	root, ok := tree.(map[string]any)
	if !ok {
		return Problems{{"settings in " + file, fmt.Sprint(tree), "settings by key, such as instance: {limit: 5000}"}}
	}
	var problems Problems
	known := map[string]bool{}
	for _, setting := range Registry() {
		path := append([]string{setting.Key}, setting.Path...)
		for i := range path {
			known[strings.Join(plain(path[:i+1]), ".")] = i+1 == len(path)
		}
		given, ok := find(root, path)
		if !ok {
			continue
		}
		value, ok := setting.decode(given)
		if !ok || !setting.within(value) {
			problems.add(setting.Name()+" in "+file, fmt.Sprint(given), setting.Secret, setting.accepted())
			continue
		}
		setting.store(s, value)
	}
	unknown(root, nil, known, func(name string, value any) {
		problems.add(name+" in "+file, fmt.Sprint(value), true, "the name of a setting that this version honours")
	})
	return problems
}

func plain(path []string) []string {
	out := make([]string, len(path))
	for i, word := range path {
		out[i] = strings.TrimPrefix(word, ":")
	}
	return out
}

// find looks path up in nested maps, with or without colons.
func find(tree map[string]any, path []string) (any, bool) {
	value, ok := tree[path[0]]
	if !ok {
		value, ok = tree[strings.TrimPrefix(path[0], ":")]
	}
	if !ok || len(path) == 1 {
		return value, ok
	}
	next, ok := value.(map[string]any)
	if !ok {
		return nil, false
	}
	return find(next, path[1:])
}

// unknown calls report for whatever in tree no setting has looked at: names
// that none has, and values where a setting has names of its own.
func unknown(tree map[string]any, path []string, known map[string]bool, report func(string, any)) {
	for _, key := range sortedKeys(tree) {
		name := append(append([]string(nil), path...), strings.TrimPrefix(key, ":"))
		dotted := strings.Join(name, ".")
		leaf, ok := known[dotted]
		if ok && leaf {
			continue
		}
		if next, isMap := tree[key].(map[string]any); ok && isMap {
			unknown(next, name, known, report)
			continue
		}
		report(dotted, tree[key])
	}
}

// decode turns a YAML value into the Go type of s.Kind.
func (s Setting) decode(value any) (any, bool) {
	switch s.Kind {
	case String:
		text, ok := value.(string)
		return text, ok
	case Integer:
		n, ok := value.(int)
		return n, ok
	case Seconds:
		n, ok := value.(int)
		if !ok || int64(n) > s.Max {
			return nil, false // also keeps the product below from overflowing
		}
		return time.Duration(n) * time.Second, true
	case Boolean:
		b, ok := value.(bool)
		return b, ok
	case Strings:
		return decodeStrings(value)
	case RateKind:
		return decodeLimit(value)
	case RestrictKind:
		return decodeRestriction(value)
	case MailboxKind:
		return decodeMailbox(value)
	case ProxyKind:
		return decodeProxy(value)
	case Groups:
		return decodeGroups(value)
	case Maps:
		return decodeMaps(value)
	case MapList:
		return decodeMapList(value)
	}
	return nil, false
}

func decodeStrings(value any) (any, bool) {
	items, ok := value.([]any)
	if !ok {
		return nil, false
	}
	texts := make([]string, len(items))
	for i, item := range items {
		if texts[i], ok = item.(string); !ok {
			return nil, false
		}
	}
	return texts, true
}

func decodeGroups(value any) (any, bool) {
	tree, ok := value.(map[string]any)
	if !ok {
		return nil, false
	}
	var out []Group
	for _, name := range sortedKeys(tree) {
		if one, isText := tree[name].(string); isText {
			tree[name] = []any{one}
		}
		globs, ok := decodeStrings(tree[name])
		if !ok {
			return nil, false
		}
		out = append(out, Group{Name: strings.TrimPrefix(name, ":"), Globs: globs.([]string)})
	}
	return out, true
}

func decodeMaps(value any) (any, bool) {
	tree, ok := value.(map[string]any)
	if !ok {
		return nil, false
	}
	out := make(map[string]any, len(tree))
	for name, item := range tree {
		if _, ok := item.(map[string]any); !ok {
			return nil, false
		}
		out[strings.TrimPrefix(name, ":")] = item
	}
	return out, true
}

func decodeMapList(value any) (any, bool) {
	items, ok := value.([]any)
	if !ok {
		return nil, false
	}
	out := make([]map[string]any, len(items))
	for i, item := range items {
		if out[i], ok = item.(map[string]any); !ok {
			return nil, false
		}
	}
	return out, true
}

func decodeLimit(value any) (any, bool) {
	if value == nil || value == false {
		return Limit{}, true
	}
	items, ok := value.([]any)
	if !ok || len(items) != 2 {
		return nil, false
	}
	if rate, ok := decodeRate(items); ok {
		return Limit{Anonymous: rate, User: rate}, true
	}
	anonymous, ok1 := decodeRate(items[0])
	user, ok2 := decodeRate(items[1])
	return Limit{Anonymous: anonymous, User: user}, ok1 && ok2
}

func decodeRate(value any) (Rate, bool) {
	if value == nil || value == false {
		return Rate{}, true
	}
	pair, ok := value.([]any)
	if !ok || len(pair) != 2 {
		return Rate{}, false
	}
	ms, ok1 := pair[0].(int)
	count, ok2 := pair[1].(int)
	if !ok1 || !ok2 || ms < 1 || ms > maxInt || count < 1 || count > maxInt {
		return Rate{}, false
	}
	return Rate{Window: time.Duration(ms) * time.Millisecond, Count: count}, true
}

func decodeRestriction(value any) (any, bool) {
	switch value {
	case true:
		return Restricted, true
	case false:
		return Open, true
	case nil, "if_instance_is_private", ":if_instance_is_private":
		return IfPrivate, true
	}
	return nil, false
}
