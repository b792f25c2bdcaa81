package term

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// As on other servers, the delimiters need not be a pair, the last possible one
// closes, and text after the modifiers is ignored.
var regexShape = regexp.MustCompile(`^~r[/|"'(\[{<](.+)[/|"')\]}>]([uismxfU]*)`)

func parseRegex(s string) (Term, error) {
	found := regexShape.FindStringSubmatch(s)
	if found == nil {
		return Term{}, fmt.Errorf("%.80q is no pattern: patterns are written ~r/source/modifiers", s)
	}
	t := Regex(unescapeSlashes(found[1]), found[2])
	if _, err := t.Regexp(); err != nil {
		return Term{}, err
	}
	return t, nil
}

// unescapeSlashes makes \/ a plain slash, but leaves the slash after an escaped
// backslash alone.
func unescapeSlashes(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			if s[i+1] != '/' {
				out.WriteByte('\\')
			}
			i++
		}
		out.WriteByte(s[i])
	}
	return out.String()
}

// Regexp is t, a regex, ready for use. Modifiers i, s, m and U are honoured, u
// changes nothing. Patterns that need x, f, look-around or back-references are
// refused; the error is a sentence for the client.
func (t Term) Regexp() (*regexp.Regexp, error) {
	if t.kind != KindRegex {
		return nil, fmt.Errorf("%.80s is no pattern: patterns are written ~r/source/modifiers", t)
	}
	var flags string
	for _, m := range t.mods {
		switch m {
		case 'i', 's', 'm', 'U':
			flags += string(m)
		case 'u':
		default:
			return nil, fmt.Errorf("the pattern %.80s has the modifier %c, which this server does not have", t.Wire(), m)
		}
	}
	source := t.text
	if flags != "" {
		source = "(?" + flags + ")" + source
	}
	re, err := regexp.Compile(source)
	if err != nil {
		return nil, fmt.Errorf("the pattern %.80s %s", t.Wire(), trouble(err))
	}
	return re, nil
}

// trouble describes the fault of a pattern in words.
func trouble(err error) string {
	var bad *syntax.Error
	if !errors.As(err, &bad) {
		return "cannot be read"
	}
	switch {
	case bad.Code == syntax.ErrInvalidPerlOp, strings.HasPrefix(bad.Expr, "(?<!"), strings.HasPrefix(bad.Expr, "(?<="):
		return fmt.Sprintf("uses %.4s: this server has no look-around and no conditions", bad.Expr)
	case bad.Code == syntax.ErrInvalidEscape && strings.ContainsAny(bad.Expr, "123456789gk"):
		return fmt.Sprintf("uses %s: this server has no back-references", bad.Expr)
	}
	return fmt.Sprintf("cannot be read: %s in %s", bad.Code, bad.Expr)
}
