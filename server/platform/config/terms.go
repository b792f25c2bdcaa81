package config

import (
	"encoding/json"
	"net"
	"reflect"
	"strconv"
	"strings"
	"time"

	"svc/client/settings/term"
)

// decode turns a term into the Go type of s.Kind. Texts may come as the atoms
// or modules that they look like.
func (s Setting) decode(t term.Term) (any, bool) {
	switch s.Kind {
	case String:
		return t.Text()
	case Word:
		return word(t)
	case Integer:
		return integer(t)
	case IntegerOrFalse:
		if b, ok := t.Boolean(); ok {
			return 0, !b
		}
		return integer(t)
	case Seconds, Millis:
		n, ok := t.Int()
		if !ok || n < s.Min || n > s.Max {
			return nil, false // also keeps the product below from overflowing
		}
		return time.Duration(n) * s.unit(), true
	case Boolean:
		return t.Boolean()
	case Strings:
		return texts(t)
	case Words:
		if one, ok := t.Text(); ok {
			return []string{one}, true
		}
		return texts(t)
	case RateKind:
		return decodeLimit(t)
	case RestrictKind:
		return decodeRestriction(t)
	case MailboxKind:
		return decodeMailbox(t)
	case ProxyKind:
		return decodeProxy(t)
	case Groups:
		return decodeGroups(t)
	case Maps:
		return decodeMaps(t)
	case MapList:
		return decodeMapList(t)
	case Patterns:
		return decodePatterns(t)
	case Replacements:
		return decodeReplacements(t)
	case Subchains:
		return decodeSubchains(t)
	case Allowlist:
		return decodeAllowlist(t)
	case HostReasons:
		return decodeHostReasons(t)
	case Any:
		return t, true
	}
	return nil, false
}

func word(t term.Term) (string, bool) {
	if b, ok := t.Boolean(); ok {
		return strconv.FormatBool(b), true
	}
	return t.Text()
}

func integer(t term.Term) (int, bool) {
	n, ok := t.Int()
	return int(n), ok && int64(int(n)) == n
}

func texts(t term.Term) ([]string, bool) {
	items, ok := t.Items()
	if !ok {
		return nil, false
	}
	out := make([]string, len(items))
	for i, item := range items {
		if out[i], ok = item.Text(); !ok {
			return nil, false
		}
	}
	return out, true
}

// items returns the items of a tuple, or of a list, since files have no tuples.
func items(t term.Term, n int) ([]term.Term, bool) {
	out, ok := t.Tuple()
	if !ok {
		out, ok = t.Items()
	}
	return out, ok && len(out) == n
}

func decodeLimit(t term.Term) (Limit, bool) {
	if b, ok := t.Boolean(); ok {
		return Limit{}, !b
	}
	if rate, ok := decodeRate(t); ok {
		return Limit{Anonymous: rate, User: rate}, true
	}
	pair, ok := t.Items()
	if !ok || len(pair) != 2 {
		return Limit{}, false
	}
	anonymous, ok1 := decodeRate(pair[0])
	user, ok2 := decodeRate(pair[1])
	return Limit{Anonymous: anonymous, User: user}, ok1 && ok2
}

func decodeRate(t term.Term) (Rate, bool) {
	if b, ok := t.Boolean(); ok || t.IsNil() {
		return Rate{}, !b
	}
	pair, ok := items(t, 2)
	if !ok {
		return Rate{}, false
	}
	ms, ok1 := pair[0].Int()
	count, ok2 := pair[1].Int()
	if !ok1 || !ok2 || ms < 1 || ms > maxInt || count < 1 || count > maxInt {
		return Rate{}, false
	}
	return Rate{Window: time.Duration(ms) * time.Millisecond, Count: int(count)}, true
}

func decodeRestriction(t term.Term) (Restriction, bool) {
	if b, ok := t.Boolean(); ok {
		if b {
			return Restricted, true
		}
		return Open, true
	}
	name, ok := t.Text()
	return IfPrivate, ok && strings.TrimPrefix(name, ":") == "if_instance_is_private"
}

func decodeMailbox(t term.Term) (Mailbox, bool) {
	if address, ok := t.Text(); ok {
		return Mailbox{Address: address}, true
	}
	pair, ok := items(t, 2)
	if !ok {
		return Mailbox{}, false
	}
	name, ok1 := pair[0].Text()
	address, ok2 := pair[1].Text()
	return Mailbox{Name: name, Address: address}, ok1 && ok2
}

// decodeProxy reads host:port, or type, host and port.
func decodeProxy(t term.Term) (Proxy, bool) {
	if text, ok := t.Text(); ok {
		host, service, err := net.SplitHostPort(text)
		if err != nil {
			return Proxy{}, false
		}
		port, err := strconv.Atoi(service)
		return Proxy{Type: "http", Host: host, Port: port}, err == nil
	}
	parts, ok := items(t, 3)
	if !ok {
		return Proxy{}, false
	}
	kind, ok1 := parts[0].Text()
	host, ok2 := hostOf(parts)
	port, ok3 := integer(parts[2])
	kind = strings.TrimPrefix(kind, ":")
	return Proxy{Type: kind, Host: host, Port: port}, ok1 && ok2 && ok3 && kind != ""
}

// hostOf returns the host of a proxy's type, host and port in wire form, where
// addresses are tuples.
func hostOf(parts []term.Term) (string, bool) {
	raw := term.TupleOf(term.Atom("proxy_url"), term.TupleOf(parts...)).JSON()
	var wire struct {
		Pair []json.RawMessage `json:"tuple"`
	}
	var proxy struct {
		Parts []any `json:"tuple"`
	}
	if json.Unmarshal(raw, &wire) != nil || len(wire.Pair) != 2 || json.Unmarshal(wire.Pair[1], &proxy) != nil || len(proxy.Parts) != 3 {
		return "", false
	}
	host, ok := proxy.Parts[1].(string)
	return host, ok
}

func decodeGroups(t term.Term) ([]Group, bool) {
	pairs, ok := t.Pairs()
	if !ok {
		return nil, false
	}
	out := make([]Group, len(pairs))
	for i, p := range pairs {
		out[i].Name = p.Key.PlainName()
		if one, ok := p.Value.Text(); ok {
			out[i].Globs = []string{one}
			continue
		}
		if out[i].Globs, ok = texts(p.Value); !ok {
			return nil, false
		}
	}
	return out, true
}

func decodeMaps(t term.Term) (map[string]any, bool) {
	pairs, ok := t.Pairs()
	if !ok {
		return nil, false
	}
	out := make(map[string]any, len(pairs))
	for _, p := range pairs {
		object, ok := decodeMap(p.Value)
		if !ok {
			return nil, false
		}
		if name := p.Key.PlainName(); out[name] == nil {
			out[name] = object
		}
	}
	return out, true
}

// decodeMap returns a map, or a keyword list in place of one, in Go's own
// types.
func decodeMap(t term.Term) (map[string]any, bool) {
	pairs, ok := t.Pairs()
	if !ok {
		return nil, false
	}
	out := make(map[string]any, len(pairs))
	for _, p := range pairs {
		if name := p.Key.PlainName(); out[name] == nil {
			out[name] = p.Value.Plain()
		}
	}
	return out, true
}

func decodeMapList(t term.Term) ([]map[string]any, bool) {
	list, ok := t.Items()
	if !ok {
		return nil, false
	}
	out := make([]map[string]any, len(list))
	for i, item := range list {
		if out[i], ok = decodeMap(item); !ok {
			return nil, false
		}
	}
	return out, true
}

// encode is the inverse of decode. listed is false for values that are not
// listed: unset ones, and limits that are off.
func (s Setting) encode(value any) (t term.Term, listed bool) {
	if s.Unset && reflect.DeepEqual(value, s.Default) || value == any(Limit{}) {
		return term.Nil(), false
	}
	if s.Null != nil && reflect.DeepEqual(value, s.Null) {
		return term.Nil(), true
	}
	switch v := value.(type) {
	case term.Term:
		return v, true
	case string:
		if s.Kind == Word {
			return wordTerm(v), true
		}
		return term.String(v), true
	case int:
		if s.Kind == IntegerOrFalse && v == 0 {
			return term.Bool(false), true
		}
		return term.Integer(int64(v)), true
	case bool:
		return term.Bool(v), true
	case []string:
		if s.Kind == Words {
			return listTerm(v, wordTerm), true
		}
		return term.Strings(v...), true
	case time.Duration:
		return term.Integer(int64(v / s.unit())), true
	case Limit:
		if v.Anonymous == v.User {
			return rateTerm(v.User), true
		}
		return term.ListOf(rateTerm(v.Anonymous), rateTerm(v.User)), true
	case Restriction:
		if v == IfPrivate {
			return term.Atom("if_instance_is_private"), true
		}
		return term.Bool(v == Restricted), true
	case Mailbox:
		if v.Name == "" {
			return term.String(v.Address), true
		}
		return term.TupleOf(term.String(v.Name), term.String(v.Address)), true
	case Proxy:
		return proxyTerm(v), true
	case []Group:
		pairs := make([]term.Pair, len(v))
		for i, g := range v {
			pairs[i] = term.Pair{Key: term.Atom(g.Name), Value: term.Strings(g.Globs...)}
		}
		return term.Keyword(pairs...), true
	case map[string]any:
		pairs := make([]term.Pair, 0, len(v))
		for _, name := range sortedKeys(v) {
			pairs = append(pairs, term.Pair{Key: term.Atom(name), Value: plainTerm(v[name])})
		}
		return term.Keyword(pairs...), true
	case []map[string]any:
		return listTerm(v, func(m map[string]any) term.Term { return plainTerm(m) }), true
	}
	return policyTerm(value)
}

// wordTerm returns the term of a text in wire form.
func wordTerm(s string) term.Term {
	switch s {
	case "true", "false":
		return term.Bool(s == "true")
	}
	raw, err := json.Marshal(s)
	if err != nil {
		return term.String(s)
	}
	t, err := term.FromJSON(raw)
	if err != nil {
		return term.String(s)
	}
	return t
}

func listTerm[T any](list []T, each func(T) term.Term) term.Term {
	out := make([]term.Term, len(list))
	for i, item := range list {
		out[i] = each(item)
	}
	return term.ListOf(out...)
}

func rateTerm(r Rate) term.Term {
	if r.Count == 0 {
		return term.Nil()
	}
	return term.TupleOf(term.Integer(r.Window.Milliseconds()), term.Integer(int64(r.Count)))
}

// proxyTerm returns a proxy of plain HTTP as host:port, others as clients send
// them.
func proxyTerm(p Proxy) term.Term {
	if p.Type == "http" {
		return term.String(net.JoinHostPort(p.Host, strconv.Itoa(p.Port)))
	}
	type tuple struct {
		Items []any `json:"tuple"`
	}
	raw, err := json.Marshal(tuple{[]any{":proxy_url", tuple{[]any{":" + p.Type, p.Host, p.Port}}}})
	if err != nil {
		return term.Nil()
	}
	t, err := term.FromJSON(raw)
	if err != nil {
		return term.Nil()
	}
	pair, ok := t.Tuple()
	if !ok || len(pair) != 2 {
		return term.Nil()
	}
	return pair[1]
}

// plainTerm returns the term of a value in Go's own types, with atoms as the
// keys of its objects.
func plainTerm(value any) term.Term {
	switch v := value.(type) {
	case bool:
		return term.Bool(v)
	case string:
		return term.String(v)
	case int:
		return term.Integer(int64(v))
	case float64:
		return term.Float(v)
	case json.Number:
		if t, err := term.FromJSON(json.RawMessage(v)); err == nil {
			return t
		}
	case []any:
		return listTerm(v, plainTerm)
	case map[string]any:
		names := sortedKeys(v)
		pairs := make([]term.Pair, len(names))
		for i, name := range names {
			pairs[i] = term.Pair{Key: term.Atom(name), Value: plainTerm(v[name])}
		}
		return term.MapOf(pairs...)
	}
	return term.Nil()
}
