package media

import (
	"net/url"
	"strings"
	"testing"

	"svc/server/platform/config"
)

// sameFile are ways to write one address, which comes first.
var sameFile = [][]string{
	{"https://host.example/a.png", "HTTPS://host.example/a.png", "https://HOST.Example/a.png", "https://host.example:443/a.png", "https://host.example:/a.png",
		"https://host.example./a.png", "https://host.example/a.png#x", "https://host.example/a.png#", "https://host.example/a.png?", "https://who@host.example/a.png",
		"https://who:pass@host.example/a.png", "https://host.example/%61.png", "https://host.example/x/../a.png", "https://host.example/./a.png",
		"https://host.example/%2e/a.png", "https://host.example/x/%2E%2e/a.png", "https://host.example/../a.png", " https://host.example/a.png\n"},
	{"https://xn--mnchen-3ya.example/%C3%A4", "https://münchen.example/ä", "https://MÜNCHEN.example/%c3%a4", "https://xn--MNCHEN-3ya.example/%C3%A4"},
	{"http://host.example/a%20b", "HTTP://host.example:80/a b", "http://host.example/a%20b#c"},
	{"https://host.example/", "https://host.example", "https://host.example#x"},
	{"https://host.example/a(%7B)%60;$!*'", "https://host.example/a({)`;$!*'", "https://host.example/%61(%7b)`;$!*'", "https://host.example/x/../a({)%60;$!*'#"},
	{"https://host.example/a?x=1&y=%C3%A4~", "https://host.example/a?x=1&y=ä%7e"},
	{"https://[2001:db8::1]/a", "https://[2001:DB8:0::1]:443/a"},
	{"https://host.example:8443/a", "https://HOST.example:8443/a"},
}

// otherFiles are addresses of which each may be another file.
var otherFiles = []string{
	"https://host.example/a", "http://host.example/a", "https://host.example:80/a", "https://host.example/A", "https://host.example/a/", "https://host.example//a",
	"https://host.example/a?x", "https://host.example/a?y&x", "https://host.example/a?x&y", "https://host.example/b%2Fa", "https://host.example/b/a", "https://host.example/c(", "https://host.example/c%28", "https://host.example/a%3Fx",
	"https://other.example/a",
}

func TestAFileHasOneAddressHoweverItIsWritten(t *testing.T) {
	for _, ways := range sameFile {
		for _, way := range ways {
			if got := canonical(way); got != ways[0] {
				t.Errorf("%s is %s, not %s", way, got, ways[0])
			}
		}
	}
	seen := map[string]string{}
	for _, address := range otherFiles {
		if got := canonical(address); seen[got] != "" || got != address {
			t.Errorf("%s is %s, as %s is", address, got, seen[got])
		}
		seen[canonical(address)] = address
	}
	for _, other := range []string{"", "/media/x.png", "ftp://Host/a", "https://", "https:///a", "data:image/png;base64,AA==", "https://host.example/%zz", "//host/a"} {
		if got := canonical(other); got != other {
			t.Errorf("%q is no web address, and became %q", other, got)
		}
	}
}

// Whichever way an address is written, it is signed, and taken apart, as one.
func TestAddressesAreSignedInOneForm(t *testing.T) {
	s := config.DefaultSettings()
	s.MediaProxy.Enabled, s.MediaPreview.Enabled = true, true
	live, err := config.NewLive(s)
	if err != nil {
		t.Fatal(err)
	}
	u := NewURLs("https://Own.example", live, "secret")
	for _, ways := range sameFile {
		for _, way := range ways {
			if got, want := u.Remote(way), u.Remote(ways[0]); got != want || !strings.HasPrefix(got, "https://Own.example/proxy/") {
				t.Errorf("%s: %s, not %s", way, got, want)
			}
			if got, want := u.Preview(way), u.Preview(ways[0]); got != want {
				t.Errorf("%s: %s, not %s", way, got, want)
			}
			for _, given := range []string{way, u.Remote(way) + "#x", strings.Replace(u.Preview(way), "https://Own", "HTTPS://oWN", 1)} {
				if got := u.known(given); got != ways[0] {
					t.Errorf("%s is known as %s, not %s", given, got, ways[0])
				}
			}
		}
	}
	name := strings.Repeat("a", 64) + ".png"
	for _, own := range []string{"/media/" + name, "https://own.example/media/" + name, "HTTPS://OWN.example:443/media/" + name + "#x", "https://own.example/x/../media/" + name + "?name=y", "/media/" + name + "#x"} {
		if got := u.known(own); got != "/media/"+name {
			t.Errorf("%s is known as %s", own, got)
		}
		if strings.HasPrefix(own, "http") && strings.Contains(u.Remote(own), "/proxy/") {
			t.Errorf("%s goes through the proxy", own)
		}
	}
}

func FuzzCanonical(f *testing.F) {
	for _, ways := range sameFile {
		for _, way := range ways {
			f.Add(way)
		}
	}
	for _, address := range otherFiles {
		f.Add(address)
	}
	f.Fuzz(func(t *testing.T, address string) {
		once := canonical(address)
		if again := canonical(once); again != once {
			t.Errorf("%q, then %q, then %q", address, once, again)
		}
		before, err := url.Parse(strings.TrimSpace(address))
		if err != nil || before.Scheme != "http" && before.Scheme != "https" || before.Host == "" {
			return
		}
		after, err := url.Parse(once)
		if err != nil || after.Scheme != before.Scheme || after.Host == "" {
			t.Errorf("%q became %q, %v", address, once, err)
		}
	})
}
