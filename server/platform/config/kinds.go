package config

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Kind is the type of a setting's value.
type Kind int

// The kinds, with the Go type of the field each is kept in.
const (
	String         Kind = iota // string
	Word                       // string: an atom, module or text in wire form, or a boolean: ":always", "Svc.Upload", "false"
	Integer                    // int
	IntegerOrFalse             // int; false is 0
	Boolean                    // bool
	Strings                    // []string
	Words                      // []string, each as of a Word; one alone will do
	Seconds                    // time.Duration; an integer on the wire
	Millis                     // time.Duration; an integer on the wire
	RateKind                   // Limit; (ms, count), or a list of two such: anonymous, user
	RestrictKind               // Restriction; a boolean or :if_instance_is_private
	ProxyKind                  // Proxy; host:port, or a tuple of type, host and port
	Groups                     // []Group; lists of texts by name
	Maps                       // map[string]any; objects by name
	MapList                    // []map[string]any; a list of objects
	MailboxKind                // Mailbox; an address, or (name, address)
	Patterns                   // []Pattern; texts, or expressions ~r/…/
	Replacements               // []Replacement; tuples of pattern and text
	Subchains                  // []Subchain; a map of patterns to policies
	Allowlist                  // []Allowed; a map of hosts to lists of texts
	HostReasons                // []HostReason; tuples of host and text
	Any                        // term.Term; of settings that nothing reads
)

const maxInt = 1<<31 - 1

// accepted describes the values that s accepts.
func (s Setting) accepted() string {
	if s.takes != "" {
		return s.takes
	}
	switch s.Kind {
	case Integer:
		return fmt.Sprintf("an integer from %d to %d", s.Min, s.Max)
	case IntegerOrFalse:
		return fmt.Sprintf("false, or an integer from %d to %d", s.Min, s.Max)
	case Seconds:
		return fmt.Sprintf("seconds from %d to %d", s.Min, s.Max)
	case Millis:
		return fmt.Sprintf("milliseconds from %d to %d", s.Min, s.Max)
	case Boolean:
		return "true or false"
	case Strings:
		if len(s.OneOf) > 0 {
			return "a list of " + strings.Join(s.OneOf, ", ")
		}
		return "a list of texts"
	case Words:
		if len(s.OneOf) > 0 {
			return "a list of " + strings.Join(s.OneOf, ", ")
		}
		return "a list of names"
	case RateKind:
		return "[milliseconds, count], a list of two of those (for anonymous callers, for users), or false for no limit"
	case RestrictKind:
		return "true, false or if_instance_is_private"
	case ProxyKind:
		return "host:port, or [socks4, socks5 or http, host, port]"
	case Groups:
		return "lists of texts by name"
	case Maps:
		return "objects by name"
	case MapList:
		return "a list of objects"
	case MailboxKind:
		return "an address, or [name, address]"
	case Patterns:
		return "a list of texts or patterns ~r/.../"
	case Replacements:
		return "a list of pairs of a text or pattern, and a text"
	case Subchains:
		return "lists of policies by pattern"
	case Allowlist:
		return "lists of addresses by host"
	case HostReasons:
		return "a list of pairs of a host and a text"
	default:
		if len(s.OneOf) > 0 {
			return "one of " + strings.Join(s.OneOf, ", ")
		}
		return "a text"
	}
}

// within reports whether value, of the type of s.Kind, is in bounds.
func (s Setting) within(value any) bool {
	if s.check != nil && !s.check(value) {
		return false
	}
	switch v := value.(type) {
	case string:
		return s.offers(v)
	case []string:
		return !slices.ContainsFunc(v, func(word string) bool { return !s.offers(word) })
	case int:
		return s.Kind == IntegerOrFalse && v == 0 || int64(v) >= s.Min && int64(v) <= s.Max
	case time.Duration:
		unit := s.unit()
		return v%unit == 0 && int64(v/unit) >= s.Min && int64(v/unit) <= s.Max
	case Limit:
		return v.Anonymous.sound() && v.User.sound()
	case Restriction:
		return v >= IfPrivate && v <= Restricted
	case Mailbox:
		return v == Mailbox{} || isAddress(v.Address) && !strings.ContainsAny(v.Name, "\r\n\x00")
	case Proxy:
		return v.sound()
	}
	return true
}

// offers reports whether s accepts text. Zero bytes are never accepted:
// databases and headers cannot hold them.
func (s Setting) offers(text string) bool {
	return !strings.ContainsRune(text, 0) && (len(s.OneOf) == 0 || slices.Contains(s.OneOf, text))
}

// unit returns the unit of a duration on the wire.
func (s Setting) unit() time.Duration {
	if s.Kind == Millis {
		return time.Millisecond
	}
	return time.Second
}

func (r Rate) sound() bool { return r.Count == 0 || r.Count > 0 && r.Window > 0 }
