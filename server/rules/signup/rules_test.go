package signup

import (
	"net/mail"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"svc/server/platform/config"
)

// FuzzNickname: an accepted nickname is valid in URLs, mentions and ids, is not
// reserved, and has a character that is no digit, since numbers are ids.
func FuzzNickname(f *testing.F) {
	for _, s := range []string{"alice", "A_l-1", "123", "", "a b", "alice@example.org", "аlice", "a\u0301", "a\x00", strings.Repeat("a", 65), "oauth", ".well-known", "ſvc"} {
		f.Add(s)
	}
	settings := config.DefaultSettings()
	good := regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	letter := regexp.MustCompile(`[^0-9]`)
	f.Fuzz(func(t *testing.T, name string) {
		taken := nicknameFault(&settings, name) == ""
		fine := good.MatchString(name) && letter.MatchString(name)
		for _, r := range settings.User.RestrictedNicknames {
			fine = fine && !strings.EqualFold(r, name)
		}
		if taken != fine {
			t.Errorf("%q: taken %t, want %t", name, taken, fine)
		}
	})
}

// FuzzEmail: an accepted address is a plain mail address within the length
// limit, with nothing after it, and not of a blocked domain.
func FuzzEmail(f *testing.F) {
	for _, s := range []string{
		"a@example.org", "a@b", "A <a@example.org>", "a@example.org\r\nBcc: b@example.org", `"a b"@example.org`, "a@sub.BAD.example", "a@bad.example", "a@notbad.example",
		"a@bad.example.", "a@@bad.example", "a@[127.0.0.1]", "a@bad.example(x)", "ü@ä.example", "", "@", strings.Repeat("a", 260) + "@x.example",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, address string) {
		if emailFault([]string{"Bad.example"}, address) != "" {
			return
		}
		parsed, err := mail.ParseAddress(address)
		if err != nil || parsed.Address != address || len(address) > 254 || strings.ContainsAny(address, "\r\n\x00 ") {
			t.Errorf("%q was taken", address)
		}
		domain := strings.ToLower(address[strings.LastIndex(address, "@")+1:])
		if strings.IndexFunc(address, func(r rune) bool { return r > unicode.MaxASCII }) >= 0 {
			t.Errorf("%q was taken: most mail servers would not", address)
		}
		if domain == "" || domain == "bad.example" || strings.HasSuffix(domain, ".bad.example") {
			t.Errorf("%q was taken", address)
		}
	})
}
