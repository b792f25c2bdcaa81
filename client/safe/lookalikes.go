package safe

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Staff are the nicknames that others may try to pass for.
type Staff struct {
	names     []string
	skeletons []string
}

// NewStaff takes nicknames without host.
func NewStaff(names []string) Staff {
	s := Staff{names: names}
	for _, name := range names {
		s.skeletons = append(s.skeletons, skeleton(name))
	}
	return s
}

// Lookalike returns the staff nickname that acct, nick or nick@host, could be
// taken for, or "". A staff member's own local name is none; the same name on
// another host is.
func (s Staff) Lookalike(acct string) string {
	nick, _, remote := strings.Cut(acct, "@")
	if !remote {
		for _, name := range s.names {
			if strings.EqualFold(nick, name) {
				return ""
			}
		}
	}
	shape := skeleton(nick)
	for i, name := range s.names {
		if shape == s.skeletons[i] || len(name) >= 5 && oneEdit(strings.ToLower(nick), strings.ToLower(name)) {
			return name
		}
	}
	return ""
}

// Label is " [like: admin]", or empty when acct is like no name of the staff.
func (s Staff) Label(acct string) Safe {
	name := s.Lookalike(acct)
	if name == "" {
		return Safe{}
	}
	return Safe{" [like: " + Line(name) + "]"}
}

var sameShape = strings.NewReplacer(
	"rn", "m", "vv", "w", "cl", "d", "_", "", "-", "", ".", "",
	"0", "o", "1", "l", "i", "l", "|", "l", "3", "e", "4", "a", "5", "s", "7", "t", "8", "b", "9", "g",
	"а", "a", "е", "e", "о", "o", "р", "p", "с", "c", "у", "y", "х", "x", "ѕ", "s", "і", "l", "ј", "j",
	"ԁ", "d", "ӏ", "l", "к", "k", "м", "m", "т", "t", "н", "h", "в", "b", "п", "n",
	"α", "a", "ο", "o", "ν", "v", "ι", "l", "κ", "k", "ρ", "p", "τ", "t", "υ", "u", "ε", "e", "η", "n", "ı", "l",
)

// skeleton maps names that look alike to one string.
func skeleton(name string) string {
	plain := strings.Map(func(r rune) rune {
		if r >= '\u0300' && r <= '\u036F' || invisible(r) || r == '\u200D' || r == '\u200C' {
			return -1
		}
		return r
	}, norm.NFKD.String(name))
	return sameShape.Replace(strings.ToLower(plain))
}

// oneEdit reports whether one character inserted, dropped, changed, or two
// neighbours swapped turns a into b.
func oneEdit(a, b string) bool {
	x, y := []rune(a), []rune(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(y)-len(x) > 1 {
		return false
	}
	i := 0
	for i < len(x) && x[i] == y[i] {
		i++
	}
	if len(x) < len(y) {
		return string(x[i:]) == string(y[i+1:])
	}
	if i == len(x) {
		return true
	}
	if string(x[i+1:]) == string(y[i+1:]) {
		return true
	}
	return i+1 < len(x) && x[i] == y[i+1] && x[i+1] == y[i] && string(x[i+2:]) == string(y[i+2:])
}
