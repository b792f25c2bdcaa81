package pages_test

import (
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

var pictures = flag.Bool("pictures", false, "write the screenshots into docs/images")

// shown are the pages that the documentation shows, each in a scheme of
// colours; those of wide on a wide screen.
var (
	shown = []string{
		"front-light", "front-dark", "signup-light", "welcome-light", "confirmed-light", "signin-light", "mfa-dark", "consent-light", "signin-code-light",
		"reset-light", "profile-light", "profile-dark", "notice-light", "tag-dark", "missing-light",
	}
	wide = []string{"front-light", "profile-dark"}
)

// snap writes screenshots of a page when asked to, as if it were on a server
// with a name.
func snap(t *testing.T, p *tab, name, scheme string) {
	t.Helper()
	name += "-" + scheme
	if !*pictures {
		return
	}
	p.scheme(scheme)
	at, err := url.Parse(eval[string](p, "location.href"))
	if err != nil {
		t.Fatal(err)
	}
	eval[int](p, fmt.Sprintf(`(() => {
		const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), list = []
		while (texts.nextNode()) list.push(texts.currentNode)
		for (const n of list) if (n.data == 'tests') n.data = 'Tuba'; else n.data = n.data.replaceAll(%q, 'birchwater.example').replaceAll(/app 127\.0\.0\.1:\d+/g, 'app')
		return list.length
	})()`, at.Host))
	save := func(name string) {
		if err := os.WriteFile(filepath.Join("..", "..", "docs", "images", name+".png"), p.picture(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if slices.Contains(shown, name) {
		p.size(390, 844)
		save(name)
	}
	if slices.Contains(wide, name) {
		p.size(1024, 768)
		save(name + "-wide")
		p.size(390, 844)
	}
}
