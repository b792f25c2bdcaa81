package list

import (
	"fmt"
	"regexp"
	"strings"
)

// Filter is the parsed text after the slash. Words must all occur; !re must not
// match; @domain is the account's host; state: selects the rows to load. Quotation
// marks around a word keep it from being taken for one of those.
type Filter struct {
	Text   string
	Words  []string
	Not    []*regexp.Regexp
	Domain string
	State  string // "" when not given
	Wrong  string // why part of it was left out
}

// keyword is a word that looks like a condition.
var keyword = regexp.MustCompile(`^[A-Za-z_-]+:`)

// ParseFilter reads a filter; states are the words that state: takes.
func ParseFilter(text string, states []string) Filter {
	f := Filter{Text: strings.TrimSpace(text)}
	for _, word := range strings.Fields(text) {
		switch {
		case strings.HasPrefix(word, "!") && len(word) > 1:
			re, err := regexp.Compile("(?i)" + word[1:])
			if err != nil {
				f.Wrong = fmt.Sprintf("%s is no regular expression", word[1:])
				continue
			}
			f.Not = append(f.Not, re)
		case strings.HasPrefix(word, "@") && len(word) > 1:
			f.Domain = strings.ToLower(word[1:])
		case strings.HasPrefix(word, "state:"):
			state := strings.TrimPrefix(word, "state:")
			f.State = ""
			for _, known := range states {
				if state == known {
					f.State = state
				}
			}
			switch {
			case len(states) == 0:
				f.Wrong = "there is no state: here"
			case f.State == "":
				f.Wrong = "state: is one of " + strings.Join(states, ", ")
			}
		case word == "!" || word == "@":
		case keyword.MatchString(word) && !strings.Contains(word, "://"):
			f.Wrong = fmt.Sprintf("there is no filter %s, as text it is \"%s", word[:strings.Index(word, ":")+1], word)
		default:
			if word = strings.Trim(word, `"`); word != "" {
				f.Words = append(f.Words, strings.ToLower(word))
			}
		}
	}
	return f
}

// Narrows reports whether the filter hides loaded rows; state: does not count.
func (f Filter) Narrows() bool { return len(f.Words) > 0 || len(f.Not) > 0 || f.Domain != "" }

// Matches judges a row by its lower-case text and the account's domain.
func (f Filter) Matches(text, domain string) bool {
	if f.Domain != "" && domain != f.Domain && !strings.HasSuffix(domain, "."+f.Domain) {
		return false
	}
	for _, word := range f.Words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	for _, re := range f.Not {
		if re.MatchString(text) {
			return false
		}
	}
	return true
}
