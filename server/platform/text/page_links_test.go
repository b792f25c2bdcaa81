package text

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPageLinksAreThoseToPages(t *testing.T) {
	const post = "@ann see https://a.example/1?x=1&y=2 and #cats, https://b.example or https://a.example/1?x=1&y=2"
	formatted := Format(post, TypePlain, Options{BaseURL: "https://svc.example", Resolve: func(handle string) (Mention, bool) {
		return Mention{ID: "1", Acct: handle, URL: "https://svc.example/users/ann"}, true
	}})
	for in, want := range map[string][]string{
		formatted.HTML: {"https://a.example/1?x=1&y=2", "https://b.example"},
		"no link":      nil,
		"<a >nothing</a><a name=x>x</a><a href='https://c.example'>c</a>": {"https://c.example"},
		`<a href="https://m.example/@x" class="u-url mention">@x</a><a href="https://m.example/tags/x" class="mention hashtag" rel="tag">#x</a>` +
			`<a rel="nofollow" href="https://d.example/">d</a><a rel="tag" href="https://e.example">e</a>`: {"https://d.example/"},
	} {
		if diff := cmp.Diff(want, PageLinks(in)); diff != "" {
			t.Errorf("%s: %s", in, diff)
		}
	}
}
