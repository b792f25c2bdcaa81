package config

import (
	"encoding/json"
	"fmt"
	"strings"

	"svc/client/settings/term"
)

// overlay writes the runtime settings of a YAML file over s. They are nested as
// on the wire, key and then path. Colons and the group :svc may be left out, so
// that `instance: {limit: 500}` works. Other groups enclose their keys.
func overlay(s *Settings, tree any, file string) Problems {
	root, ok := tree.(map[string]any)
	if !ok {
		return Problems{{"settings in " + file, fmt.Sprint(tree), "settings by key, such as instance: {limit: 5000}"}}
	}
	var problems Problems
	known := map[string]bool{}
	for _, setting := range Honoured() {
		path := setting.place()
		for i := range path {
			known[strings.Join(plain(path[:i+1]), ".")] = i+1 == len(path)
		}
		given, ok := find(root, path)
		if !ok {
			continue
		}
		value, ok := setting.decodeFile(given)
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

// decodeFile reads a YAML value, which means the same as in JSON.
func (s Setting) decodeFile(given any) (any, bool) {
	raw, err := json.Marshal(given)
	if err != nil {
		return nil, false
	}
	t, err := term.FromJSON(raw)
	if err != nil {
		return nil, false
	}
	if t.IsNil() {
		return s.Null, s.Null != nil
	}
	return s.decode(t)
}

// find looks up path in nested maps, with or without colons.
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

// unknown reports the parts of tree that no setting has read: unknown names,
// and values in place of subkeys.
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
