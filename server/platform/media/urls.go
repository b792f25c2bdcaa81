package media

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"path"
	"slices"
	"strings"

	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/hosts"
)

// URLs makes the addresses by which people reach files: those kept here, and
// those of other servers through the media proxy. It reads the settings at each
// use and touches nothing else.
type URLs struct {
	base     string // without a slash at its end
	settings *config.Live
	secret   []byte
}

// NewURLs returns URLs below the public base URL, signed with secret.
func NewURLs(base string, settings *config.Live, secret string) *URLs {
	return &URLs{base, settings, []byte(secret)}
}

// Public is the absolute URL for a path of this server or a URL anywhere.
func (u *URLs) Public(address string) string {
	if name, ok := strings.CutPrefix(address, db.MediaPath); ok {
		if base := u.settings.Load().Upload.BaseURL; base != "" {
			return strings.TrimSuffix(base, "/") + "/" + name
		}
	}
	if strings.HasPrefix(address, "/") {
		return u.base + address
	}
	return u.Remote(address)
}

// Remote is the URL of another server's file: that of the proxy where it is on
// and for this file.
func (u *URLs) Remote(address string) string {
	s := u.settings.Load()
	if s.MediaProxy.Enabled {
		if known := canonical(address); u.proxied(s, known) {
			return u.signed(s, proxyPath, known)
		}
	}
	return address
}

// Where the proxy gives out files, and small copies of them.
const (
	proxyPath   = "/proxy/"
	previewPath = "/proxy/preview/"
)

// signed is the URL at which the proxy gives out what address stands for.
func (u *URLs) signed(s *config.Settings, path, address string) string {
	base := s.MediaProxy.BaseURL
	if base == "" {
		base = u.base
	}
	encoded := base64.RawURLEncoding.EncodeToString([]byte(address))
	return strings.TrimSuffix(base, "/") + path + u.sign(encoded) + "/" + encoded + "/" + fileName(address)
}

// proxied reports whether the proxy is for this URL, in its canonical form.
func (u *URLs) proxied(s *config.Settings, address string) bool {
	if len(address) > maxURL {
		return false
	}
	for _, base := range []string{u.base, s.Upload.BaseURL, s.MediaProxy.BaseURL} {
		if _, ours := below(base, address); ours {
			return false
		}
	}
	to, err := url.Parse(address)
	if err != nil || to.Scheme != "http" && to.Scheme != "https" || to.Host == "" {
		return false
	}
	return !slices.ContainsFunc(s.MediaProxy.Whitelist, func(entry string) bool {
		if _, host, ok := strings.Cut(entry, "://"); ok {
			entry, _, _ = strings.Cut(host, "/")
		}
		return hosts.Among([]string{entry}, to.Host)
	})
}

// below is what follows a base URL in a canonical address, with its slash; false
// where nothing does.
func below(base, address string) (rest string, ok bool) {
	if base == "" {
		return "", false
	}
	rest, ok = strings.CutPrefix(address, strings.TrimSuffix(canonical(base), "/"))
	return rest, ok && strings.HasPrefix(rest, "/")
}

// maxURL is the longest URL that is proxied, in bytes.
const maxURL = 4096

func (u *URLs) sign(encoded string) string {
	mac := hmac.New(sha256.New, u.secret)
	_, _ = mac.Write([]byte(encoded))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:20])
}

// verify returns the URL that a proxied one stands for, false where we did not
// sign it.
func (u *URLs) verify(signature, encoded string) (string, bool) {
	if !hmac.Equal([]byte(signature), []byte(u.sign(encoded))) {
		return "", false
	}
	raw, err := base64.RawURLEncoding.DecodeString(encoded)
	return string(raw), err == nil
}

// fileName is a name for people: the last part of the path, as far as it is
// plain.
func fileName(address string) string {
	to, err := url.Parse(address)
	if err != nil {
		return "file"
	}
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '-' || r == '_' {
			return r
		}
		return -1
	}, path.Base(to.Path))
	if name = strings.TrimLeft(name, "."); name == "" {
		return "file"
	}
	return name[max(0, len(name)-64):]
}
