package tui

import (
	"fmt"
	"regexp"
	"strings"
)

// filter is what a person typed after the slash. Words must all occur; !re
// must not match; @domain is where the account is; state: chooses what is
// loaded at all.
type filter struct {
	text   string
	words  []string
	not    []*regexp.Regexp
	domain string
	state  string // "" when not given
	wrong  string // why part of it was left out
}

func parseFilter(text string, states []string) filter {
	f := filter{text: strings.TrimSpace(text)}
	for _, word := range strings.Fields(text) {
		switch {
		case strings.HasPrefix(word, "!") && len(word) > 1:
			re, err := regexp.Compile("(?i)" + word[1:])
			if err != nil {
				f.wrong = fmt.Sprintf("%s is no regular expression", word[1:])
				continue
			}
			f.not = append(f.not, re)
		case strings.HasPrefix(word, "@") && len(word) > 1:
			f.domain = strings.ToLower(word[1:])
		case strings.HasPrefix(word, "state:"):
			state := strings.TrimPrefix(word, "state:")
			f.state = ""
			for _, known := range states {
				if state == known {
					f.state = state
				}
			}
			if f.state == "" {
				f.wrong = "state: is one of " + strings.Join(states, ", ")
			}
		case word == "!" || word == "@":
		default:
			f.words = append(f.words, strings.ToLower(word))
		}
	}
	return f
}

// narrows tells whether rows are hidden beyond what state: leaves out.
func (f filter) narrows() bool { return len(f.words) > 0 || len(f.not) > 0 || f.domain != "" }

// match judges a row by its lower-case text and the account's domain.
func (f filter) match(text, domain string) bool {
	if f.domain != "" && domain != f.domain && !strings.HasSuffix(domain, "."+f.domain) {
		return false
	}
	for _, word := range f.words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	for _, re := range f.not {
		if re.MatchString(text) {
			return false
		}
	}
	return true
}
