package config

import (
	"strings"

	"svc/server/platform/webpush"
)

// Push is the group :web_push_encryption: the identity of the instance for push
// services, all empty for one of its own.
type Push struct {
	Subject    string // where operators of push services find help: a mailto or https address
	PublicKey  string // of PrivateKey
	PrivateKey string
}

// Own reports whether the instance uses keys of its own.
func (p *Push) Own() bool { return p.PublicKey == "" && p.PrivateKey == "" }

// Keys returns the configured keys, nil if they do not belong together.
func (p *Push) Keys() *webpush.Keys {
	keys, err := webpush.ParseKeys(p.PrivateKey)
	if err != nil || p.PublicKey != "" && !keys.Is(p.PublicKey) {
		return nil
	}
	return keys
}

func pushSettings() []Setting {
	detail := func(name string, field func(*Push) any, description, takes string, check func(text string) bool) Setting {
		s := row(":vapid_details", name, String, "", func(s *Settings) any { return field(&s.Push) }, description).in(":web_push_encryption").unset()
		s.takes = takes
		s.check = func(value any) bool {
			text, ok := value.(string)
			return ok && (text == "" || check(text))
		}
		return s
	}
	return []Setting{
		detail(":subject", func(p *Push) any { return &p.Subject }, "Address for the operators of push services; empty is that of the instance",
			"an address with mailto: or https:", func(text string) bool {
				return strings.HasPrefix(text, "mailto:") || strings.HasPrefix(text, "https://")
			}),
		detail(":public_key", func(p *Push) any { return &p.PublicKey }, "Public key of push messages, which belongs to the private one",
			"65 bytes in base64, an uncompressed point of P-256", webpush.IsPublic),
		detail(":private_key", func(p *Push) any { return &p.PrivateKey }, "Private key of push messages; without keys, the instance makes a pair for itself",
			"32 bytes in base64, a private key of P-256", func(text string) bool { _, err := webpush.ParseKeys(text); return err == nil }).secret(),
	}
}
