package hosts

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxNick is the longest nick of a handle, in bytes.
const MaxNick = 255

// IsNick reports whether a text can be the nick of a handle. It decides both
// which actors are accepted and who can be mentioned.
func IsNick(s string) bool {
	return s != "" && len(s) <= MaxNick && NickEnd(s, 0) == len(s)
}

// NickEnd returns the end of the nick that begins at s[i]: letters, digits and
// marks of any script, dots, underscores and hyphens.
func NickEnd(s string, i int) int {
	for i < len(s) {
		r, n := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[i:])
		}
		if !InNick(r) {
			return i
		}
		i += n
	}
	return i
}

// InNick reports whether a character can be part of a nick.
func InNick(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-' || r == '.'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// Handle splits a handle, nick@host with or without a leading @, and returns
// the host in stored form. full is false for a nick alone.
func Handle(handle string) (nick, host string, full bool) {
	nick, host, full = strings.Cut(strings.TrimPrefix(strings.TrimSpace(handle), "@"), "@")
	return nick, Clean(host), full
}

// Nickname returns a handle as accounts of the server own are stored: nick for
// an account of own, else nick@host. The nick keeps its case.
func Nickname(handle, own string) string {
	nick, host, full := Handle(handle)
	if !full || host == own {
		return nick
	}
	return nick + "@" + host
}
