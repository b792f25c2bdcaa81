package auth

import "strings"

// SplitScopes reads a list separated by spaces, commas or plus signs.
func SplitScopes(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == ',' || r == '+' || r == '\n' || r == '\t' || r == '\r' })
}

// Grants reports whether a held scope covers a wanted one: itself, and every
// scope that begins with it and a colon.
func Grants(held, wanted string) bool {
	return held == wanted || len(wanted) > len(held) && wanted[len(held)] == ':' && strings.HasPrefix(wanted, held)
}

// GrantsAny reports whether one of held covers one of wanted.
func GrantsAny(held []string, wanted ...string) bool {
	for _, w := range wanted {
		for _, h := range held {
			if Grants(h, w) {
				return true
			}
		}
	}
	return false
}

// Covers reports whether held covers each of wanted.
func Covers(held, wanted []string) bool {
	for _, w := range wanted {
		if !GrantsAny(held, w) {
			return false
		}
	}
	return true
}
