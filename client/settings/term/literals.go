package term

import (
	"fmt"
	"strings"
)

// Arguments of commands may be tuples, written as text: {"resize", "800x"}. Their
// items are texts and integers. Nothing is ever evaluated.

// parseLiteral reads a tuple that is written as text.
func parseLiteral(s string) (Term, error) {
	refuse := fmt.Errorf(`the argument %.80q is not a tuple of texts and integers, such as {"resize", "800x"}`, s)
	rest, ok := strings.CutPrefix(s, "{")
	if !ok {
		return Term{}, refuse
	}
	items := []Term{}
	rest = strings.TrimSpace(rest)
	for rest != "}" {
		var item Term
		if item, rest, ok = parseItem(rest); !ok {
			return Term{}, refuse
		}
		items = append(items, item)
		rest = strings.TrimSpace(rest)
		if rest == "}" {
			break
		}
		if rest, ok = strings.CutPrefix(rest, ","); !ok {
			return Term{}, refuse
		}
		if rest = strings.TrimSpace(rest); rest == "}" {
			return Term{}, refuse
		}
	}
	return Term{kind: KindTuple, items: items}, nil
}

func parseItem(s string) (item Term, rest string, ok bool) {
	if text, quoted := strings.CutPrefix(s, `"`); quoted {
		return parseQuoted(text)
	}
	end := 0
	for end < len(s) && (s[end] >= '0' && s[end] <= '9' || end == 0 && s[end] == '-') {
		end++
	}
	digits, negative := strings.CutPrefix(s[:end], "-")
	if digits == "" {
		return Term{}, s, false
	}
	if digits = strings.TrimLeft(digits, "0"); digits == "" {
		digits, negative = "0", false
	}
	if negative {
		digits = "-" + digits
	}
	return Term{kind: KindInt, text: digits}, s[end:], true
}

// parseQuoted reads up to the quote that ends a text.
func parseQuoted(s string) (item Term, rest string, ok bool) {
	var text strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return String(text.String()), s[i+1:], true
		case s[i] == '#' && strings.HasPrefix(s[i:], "#{"):
			return Term{}, s, false // would be code
		case s[i] != '\\':
			text.WriteByte(s[i])
		default:
			i++
			at := -1
			if i < len(s) {
				at = strings.IndexByte(`"\#nrt`, s[i])
			}
			if at < 0 {
				return Term{}, s, false
			}
			text.WriteByte("\"\\#\n\r\t"[at])
		}
	}
	return Term{}, s, false
}

var literalEscapes = strings.NewReplacer(`"`, `\"`, `\`, `\\`, "#{", `\#{`, "\n", `\n`, "\r", `\r`, "\t", `\t`)

// literal is the text that parseLiteral reads as t, if t is such a tuple.
func (t Term) literal() (string, bool) {
	if t.kind != KindTuple {
		return "", false
	}
	items := make([]string, len(t.items))
	for i, item := range t.items {
		switch item.kind {
		case KindString:
			items[i] = `"` + literalEscapes.Replace(item.text) + `"`
		case KindInt:
			items[i] = item.text
		default:
			return "", false
		}
	}
	return "{" + strings.Join(items, ", ") + "}", true
}
