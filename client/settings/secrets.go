package settings

import (
	"strings"

	"svc/client/settings/term"
)

// secretParts are parts of the names of secret settings.
var secretParts = [...]string{"password", "passphrase", "secret", "token", "api_key", "apikey", "api-key", "access_key", "private_key", "webhook", "authorization", "cookie", "credential"}

// secretName finds secrets by their names. Numbers and switches with such names
// (:token_expires_in) are no secrets, since only text is ever masked.
func secretName(name string) bool {
	name = strings.ToLower(name)
	for _, part := range secretParts {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// Hide returns a value with the secrets in it masked; name is its key, or the
// last part of its path.
func Hide(name string, v Value) Value {
	switch {
	case v.kind == Text && v.text != "" && (secretName(name) || term.HasPassword(v.text)):
		return Textual(Mask)
	case v.kind == Tuple && len(v.items) == 3 && v.items[0].text == ":basic":
		return TupleOf(v.items[0], v.items[1], Textual(Mask)) // a user and their password
	case v.kind == Tuple && len(v.items) == 2 && v.items[0].kind == Text:
		return TupleOf(v.items[0], Hide(v.items[0].text, v.items[1]))
	}
	out := v
	out.items = nil
	for i, item := range v.items {
		inner := ""
		if v.kind == Map {
			inner = v.keys[i]
		}
		out.items = append(out.items, Hide(inner, item))
	}
	return out
}

// Hidden is the change as it may be shown.
func (c Change) Hidden() Change {
	name := c.Key
	if c.Sub != "" {
		name = c.Sub
	}
	for _, v := range []**Value{&c.Old, &c.New} {
		if *v != nil {
			shown := Hide(name, **v)
			*v = &shown
		}
	}
	return c
}

// HasMask reports whether a mask stands anywhere in the value.
func HasMask(v Value) bool { return hasMask(v) }

// AsMap makes a map of a keyword list: typed on one line, the two look alike.
func AsMap(v Value) Value {
	if !v.IsKeyword() || len(v.items) == 0 {
		return v
	}
	m := Value{kind: Map}
	for _, pair := range v.items {
		m.keys, m.items = append(m.keys, pair.items[0].text), append(m.items, pair.items[1])
	}
	return m
}
