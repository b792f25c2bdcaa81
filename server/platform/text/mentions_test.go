package text

import (
	"strings"
	"testing"
)

// TestHandlesAreReadWhole names the accounts that a text mentions. Every handle
// of the first list exists; bob, ann, a and b are local. What is not expected
// stays text, and nobody else hears of it.
func TestHandlesAreReadWhole(t *testing.T) {
	accounts := strings.Fields(`bob ann a b first_last bob@h.example bob.bsky.social@h.example first.last@h.example
		bob.@h.example bob-@h.example .bob@h.example -bob@h.example a-b.c_d@h.example josé@h.example ÜnïCÖde@h.example 用户@h.example иван.петров@h.example
		kim@h.example:8443 kim.lee@127.0.0.1:3000 kim@xn--mnchen-3ya.example kim@xn--r8jz45g.xn--zckzah lee@xn--r8jz45g.xn--zckzah:81
		नमस्ते@h.example bob@localhost x.0123456789ab@h.example bob@[::1]:3000 kim@[2001:db8::1] lee@[2001:db8::1]`)
	resolve := func(handle string) (Mention, bool) {
		for _, a := range accounts {
			if strings.EqualFold(a, handle) {
				return Mention{ID: a, Acct: a, URL: "https://x.example/"}, true
			}
		}
		return Mention{}, false
	}
	for _, tt := range []struct{ src, want string }{
		// Whole handles, in a sentence.
		{"@bob.bsky.social@h.example", "bob.bsky.social@h.example"},
		{"(@first.last@h.example), @FIRST.LAST@H.Example.", "first.last@h.example"},
		{"@bob.@h.example @bob-@h.example @.bob@h.example @-bob@h.example", "bob.@h.example bob-@h.example .bob@h.example -bob@h.example"},
		{"*@a-b.c_d@h.example*: hi", "a-b.c_d@h.example"},
		{"@josé@h.example, @ünïcöde@h.example", "josé@h.example ÜnïCÖde@h.example"},
		{"@用户@h.example さん @иван.петров@h.example! @नमस्ते@h.example", "用户@h.example иван.петров@h.example नमस्ते@h.example"},
		{"@kim@h.example:8443, @kim.lee@127.0.0.1:3000: hi", "kim@h.example:8443 kim.lee@127.0.0.1:3000"},
		{"@kim@münchen.example @kim@xn--mnchen-3ya.example @kim@MÜNCHEN.example.", "kim@xn--mnchen-3ya.example"},
		{"@kim@例え.テスト @lee@例え.テスト:81", "kim@xn--r8jz45g.xn--zckzah lee@xn--r8jz45g.xn--zckzah:81"},
		{"@x.0123456789ab@h.example", "x.0123456789ab@h.example"},
		{"@bob@[::1]:3000, (@kim@[2001:DB8::1]) @lee@[2001:db8:0::1]: hi", "bob@[::1]:3000 kim@[2001:db8::1] lee@[2001:db8::1]"},
		{"@bob. @ann... hi @bob@h.example:8 things", "bob ann bob@h.example"},
		{"@bobさん @ann님, @bob@h.exampleさん @b‍", "bob ann bob@h.example b"},
		{"@ann/@bob @a, @b; @ann's", "ann a b"},
		{"Thanks @ann.@bob", "ann bob"},
		{"@bob@[x] @ann@[1]: see", "bob ann"},
		{"*@bob_* @ann- @first_last_", "bob ann first_last"},
		// A part of a handle is nobody.
		{"@bob.social@h.example @bob.social@else.example @bob.social", ""},
		{"@bob.bsky.social@else.example @bob.bsky.social.x@h.example", ""},
		{"@bob-x@h.example @bob_x@h.example @bobé@h.example @bobé @bobж @bob.é", ""},
		{"@bob+news@h.example @bob%news@h.example @bob~x@h.example @bob'x@h.example @bob!x@h.example @bob😀x@h.example", ""},
		{"@bob\u200dx@h.example @bob\u200cx@h.example @bob\u2024x@h.example @bob\u00adx@h.example", ""},
		{"@bob@h.example:8443 @bob@h.example:80 @bob@h.examplé @bob@h.example.org @bob@h.exampleさん.jp", ""},
		{"@bob@[::1] @bob@[::1]:3001 @kim@[2001:db8::1]@else.example", ""},
		{"@bob@localhost:3000 @bob@localhosté", ""},
		{"@bob@else.example @bob@h.example@else.example", ""},
		{"@bob:matrix.example @a:b.example.org", ""},
		{"x.bob@h.example mail.@bob@", "bob"},
		{"@bob*@h.example @bob!@h.example @bob/.@h.example @bob’s@h.example @bob**x**@h.example", ""},
		{"@bob!@ann @a’s", "bob ann a"},
		{"@bob@" + strings.Repeat("x", 300), ""},
		{"@bob" + strings.Repeat(".x", 200) + "@h.example", ""},
	} {
		for _, kind := range []string{TypePlain, TypeMarkdown, TypeHTML, TypeBBCode} {
			var got []string
			for _, m := range Format(tt.src, kind, Options{Resolve: resolve}).Mentions {
				got = append(got, m.ID)
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("%s: %q mentions %q, want %q", kind, tt.src, got, tt.want)
			}
		}
	}
}

// TestHandlesGoOnAcrossElements reads the handles of texts with marks within or around
// them. People see one name: its beginning is nobody.
func TestHandlesGoOnAcrossElements(t *testing.T) {
	resolve := func(handle string) (Mention, bool) {
		switch handle {
		case "bob", "ann", "bob_@h.example", "bob_x@h.example":
			return Mention{ID: handle, Acct: handle}, true
		}
		return Mention{}, false
	}
	for _, tt := range []struct{ kind, src, want string }{
		{TypeMarkdown, "_@bob_@h.example_", "bob_@h.example"},
		{TypeMarkdown, "__@bob_@h.example__ *@bob_x@h.example*", "bob_@h.example bob_x@h.example"},
		{TypeMarkdown, "- hi (_@bob_x@h.example_)", "bob_x@h.example"},
		{TypeMarkdown, "_@bob_, **@ann**: *@bob*'s", "bob ann"},
		{TypeMarkdown, "~~@bob~~@h.example", ""},
		{TypeMarkdown, "*@bob*@h.example", ""},
		{TypeMarkdown, "_@bob_\\@h.example", ""},
		{TypeMarkdown, "@bob`.social`@h.example", ""},
		{TypeMarkdown, "@bob[.social](https://x.example)@h.example", ""},
		{TypeHTML, "@bob<b>.social</b>@h.example", ""},
		{TypeHTML, "@bob<wbr>.social@h.example", ""},
		{TypeHTML, "@bob<!-- x -->-x@h.example", ""},
		{TypeHTML, "<b>@bob</b>@h.example", ""},
		{TypeHTML, "<i>@bob</i><code>@h.example</code>", ""},
		{TypeHTML, "@bob<b>by</b>", ""},
		{TypeHTML, "@bob<font>.social</font>@h.example", ""},
		{TypeHTML, "<b>@bob</b>, <p>@ann</p><p>.social@h.example</p>", "bob ann"},
		{TypeHTML, "@bob<br>@h.example @ann<b> x</b>@h.example", "bob ann"},
		{TypeBBCode, "@bob[b].social[/b]@h.example", ""},
		{TypeBBCode, "[i]@bob[/i]@h.example", ""},
		{TypeBBCode, "[b]@bob[/b]: hi [u]@ann[/u]", "bob ann"},
	} {
		var got []string
		for _, m := range Format(tt.src, tt.kind, Options{Resolve: resolve}).Mentions {
			got = append(got, m.ID)
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %q mentions %q, want %q", tt.kind, tt.src, got, tt.want)
		}
	}
}
