package auth

import (
	"net/url"
	"slices"
	"strings"
	"testing"
)

// FuzzRedirectable checks that an accepted redirect URI parses and has a
// scheme, and never one that runs a script or carries its own document.
func FuzzRedirectable(f *testing.F) {
	for _, s := range []string{OutOfBand, "https://a.example/cb?x=1", "app:/cb", "JavaScript:alert(1)", "\tjavascript:x", "http://[::1]:8/", "//a.example/", "https:///x", "data:text/html,x", "a:b#c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, uri string) {
		if uri == OutOfBand || !redirectable(uri) {
			return
		}
		u, err := url.Parse(uri)
		if err != nil || u.Scheme == "" || u.User != nil || strings.ContainsAny(uri, "#\r\n\x00") {
			t.Fatalf("%q is taken: %+v, %v", uri, u, err)
		}
		for _, bad := range []string{"javascript", "data", "vbscript", "blob", "file"} {
			if strings.EqualFold(u.Scheme, bad) || strings.HasPrefix(strings.ToLower(strings.TrimSpace(uri)), bad+":") {
				t.Errorf("%q is taken", uri)
			}
		}
	})
}

func FuzzScopes(f *testing.F) {
	f.Add("read write")
	f.Add("read,write+follow\nread")
	f.Fuzz(func(t *testing.T, s string) {
		words := unique(SplitScopes(s))
		for i, w := range words {
			if w == "" || strings.ContainsAny(w, " ,+\n\r\t") || slices.Contains(words[:i], w) {
				t.Errorf("%q splits into %q", s, words)
			}
		}
		if again := SplitScopes(strings.Join(words, " ")); !slices.Equal(again, words) {
			t.Errorf("%q splits into %q, and that into %q", s, words, again)
		}
	})
}
