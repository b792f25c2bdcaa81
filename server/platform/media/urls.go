package media

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/hosts"
)

// URLs makes the public addresses of files: local ones, and remote ones through
// the media proxy. It reads the settings at each use and nothing else.
type URLs struct {
	base     string // without a slash at its end
	settings *config.Live
	secret   []byte
}

// NewURLs returns URLs below the public base URL, signed with secret.
func NewURLs(base string, settings *config.Live, secret string) *URLs {
	return &URLs{base, settings, []byte(secret)}
}

// Public returns the absolute URL for a local path or any URL.
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

// Remote returns the URL of a remote file: the proxy's if it is on and for this
// file.
func (u *URLs) Remote(address string) string {
	s := u.settings.Load()
	if s.MediaProxy.Enabled {
		if known := canonical(address); u.proxied(s, known) {
			return u.signed(s, proxyPath, known)
		}
	}
	return address
}

// Reported returns the address of a stored file for those who may read the reports that
// keep it. It is served from here, whatever else files are fetched from, and for two days
// at most: who is no moderator any more cannot go on looking.
func (u *URLs) Reported(name string, now time.Time) string {
	return u.base + db.MediaPath + name + "?report=" + u.reported(name, now)
}

func (u *URLs) reported(name string, now time.Time) string {
	return u.sign("report/" + now.UTC().Format(time.DateOnly) + "/" + name)
}

// IsReported reports whether a signature is one of Reported, of today or yesterday.
func (u *URLs) IsReported(signature, name string, now time.Time) bool {
	for _, day := range []time.Time{now, now.Add(-24 * time.Hour)} {
		if hmac.Equal([]byte(signature), []byte(u.reported(name, day))) {
			return true
		}
	}
	return false
}

// The paths of proxied files and previews.
const (
	proxyPath   = "/proxy/"
	previewPath = "/proxy/preview/"
)

// signed returns the proxy's URL for an address.
func (u *URLs) signed(s *config.Settings, path, address string) string {
	base := s.MediaProxy.BaseURL
	if base == "" {
		base = u.base
	}
	encoded := base64.RawURLEncoding.EncodeToString([]byte(address))
	return strings.TrimSuffix(base, "/") + path + u.sign(encoded) + "/" + encoded + "/" + fileName(address)
}

// proxied reports whether the proxy is for this URL, in canonical form.
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

// below returns the rest of a canonical address after a base URL, with its
// slash; false if it is not below.
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

// verify returns the address behind a proxied URL, false for a wrong signature.
func (u *URLs) verify(signature, encoded string) (string, bool) {
	if !hmac.Equal([]byte(signature), []byte(u.sign(encoded))) {
		return "", false
	}
	raw, err := base64.RawURLEncoding.DecodeString(encoded)
	return string(raw), err == nil
}

// fileName returns a name for people: the last part of the path, if it is
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
