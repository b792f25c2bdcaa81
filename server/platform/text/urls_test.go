package text

import (
	"regexp"
	"strings"
	"testing"
)

// anchor matches a link as Format writes it.
var anchor = regexp.MustCompile(`<a href="([^"]*)" rel="ugc">([^<]*)</a>`)

// linked are the shown texts of the links in HTML, unescaped.
func linked(html string) string {
	var out []string
	for _, m := range anchor.FindAllStringSubmatch(html, -1) {
		out = append(out, strings.NewReplacer("&amp;", "&", "&quot;", `"`, "&#39;", "'").Replace(m[2]))
	}
	return strings.Join(out, " ")
}

func TestAddressesEndWhereTheirPartsDo(t *testing.T) {
	for src, want := range map[string]string{
		// Nothing but a port, path, query or fragment follows a host.
		"extend https://site.example's plan":                                                       "https://site.example",
		"https://site.example, https://b.example! (https://c.com)":                                 "https://site.example https://b.example https://c.com",
		"https://a.example;x https://b.example=1 https://c.example&d https://d.example*e":          "https://a.example https://b.example https://c.example https://d.example",
		"https://a.example|b https://c.example$ https://d.example+e https://f.example^g":           "https://a.example https://c.example https://d.example https://f.example",
		"https://a.example{x} https://b.example[y] https://c.example(z)":                           "https://a.example https://b.example https://c.example",
		`https://a.example"x https://b.example’s https://c.example…`:                               "https://a.example https://b.example https://c.example",
		"https://a.example:8443's https://b.example:x https://c.example:":                          "https://a.example:8443 https://b.example https://c.example",
		"https://a.exampleです https://a.com님 https://例え.テスト https://localhostさん https://a.example😀": "https://a.example https://a.com https://例え.テスト https://localhost https://a.example",
		"site.com's site.com*x example.comを a.com/x":                                               "site.com site.com example.com a.com/x",
		"https://u:p@a.example/x https://a.com,@bob https://i❤.ws/x":                               "https://u:p@a.example/x https://a.com https://i❤.ws/x",
		"http://[::1]:80's http://[::1 http://- https://?x":                                        "http://[::1]:80",
		"https://a.example?q=it's https://b.example#it's https://c.example/it's":                   "https://a.example?q=it's https://b.example#it's https://c.example/it's",
		// What stands in a path.
		"https://a.com/{id}/x{y,z}^2|3~$!*'(); end":                                                           "https://a.com/{id}/x{y,z}^2|3~$!*'()",
		`https://en.example/wiki/"Heroes"_(album) https://en.example/"Heroes"`:                                `https://en.example/wiki/"Heroes"_(album) https://en.example/"Heroes"`,
		`"https://a.com/x" "https://b.com/y","https://c.com/z"`:                                               `https://a.com/x https://b.com/y https://c.com/z`,
		`say "see https://a.com/x" and <a href="https://b.com/y">`:                                            "https://a.com/x https://b.com/y",
		"'https://a.com/x' 'https://a.com/it's' https://a.com/'x'":                                            "https://a.com/x https://a.com/it's https://a.com/'x'",
		"(https://a.com/b_(c)) {https://a.com/x} [https://a.com/y]z":                                          "https://a.com/b_(c) https://a.com/x https://a.com/y",
		"https://a.com/?a[]=1&b[c]=2 [url]https://b.com/x[/url] https://c.com/[":                              "https://a.com/?a[]=1&b[c]=2 https://b.com/x https://c.com/",
		"https://fr.example/L’Équipe https://ja.example/スター・ウォーズ https://en.example/A–B_C https://a.com/x– y": "https://fr.example/L’Équipe https://ja.example/スター・ウォーズ https://en.example/A–B_C https://a.com/x",
		"“https://a.com/x” «https://b.com/y» https://c.com/日本、次 https://d.com/x’s":                            "https://a.com/x https://b.com/y https://c.com/日本 https://d.com/x’s",
		"https://a.com/x`y https://b.com/x\\y https://c.com/x<y":                                              "https://a.com/x https://b.com/x https://c.com/x",
	} {
		if got := linked(Format(src, TypePlain, testOptions()).HTML); got != want {
			t.Errorf("%q\n got %s\nwant %s", src, got, want)
		}
	}
}

func TestMarkdownKeepsAddresses(t *testing.T) {
	for src, want := range map[string]string{
		"https://a.com/*x*/_y_/z_ https://a.com/a*b*c**d**":                                   "https://a.com/*x*/_y_/z_ https://a.com/a*b*c**d**",
		"https://a.com/*x* and _this_":                                                        "https://a.com/*x*",
		"**https://a.com/x** *https://b.com/a_b_c* _https://c.com/_d_e_ ~~https://d.com/~x~~": "https://a.com/x https://b.com/a_b_c https://c.com/_d_e https://d.com/~x",
		"**see https://a.com/x.** (https://b.com/x_(y)) *https://c.com*":                      "https://a.com/x https://b.com/x_(y) https://c.com",
		"example.com/*x*/_y_ example.com/a_b_c?d=*e* _example.org/_x_":                        "example.com/*x*/_y_ example.com/a_b_c?d=*e* example.org/_x",
		"[https://a.com/*x*](https://a.com/) <https://b.com/*y*>":                             "https://a.com/*x* https://b.com/*y*",
		"https://a.com/?a=*b*&c=[d]*e* https://a.com/~~x~~/y":                                 "https://a.com/?a=*b*&c=[d]*e* https://a.com/~~x~~/y",
		"magnet:?xt=urn:btih:_a_b*c*&dn=_x_y *magnet:?xt=a_b_* mailto:a_b_c@x.com":            "magnet:?xt=urn:btih:_a_b*c*&dn=_x_y magnet:?xt=a_b_ mailto:a_b_c@x.com",
		"magnet:_x_ mailto:_y_ dweb:/ipfs/_a_/b xmpp:_a_b_@x.com?message;body=*x*":            "dweb:/ipfs/_a_/b xmpp:_a_b_@x.com?message;body=*x*",
		"- https://a.com/*x*\n- https://b.com/*y*\n\n> https://c.com/_z_w":                    "https://a.com/*x* https://b.com/*y* https://c.com/_z_w",
		"and/or *1*/2 what?_x_ a.b/c":                                                         "",
	} {
		if got := linked(Format(src, TypeMarkdown, testOptions()).HTML); got != want {
			t.Errorf("%q\n got %s (%s)\nwant %s", src, got, Format(src, TypeMarkdown, testOptions()).HTML, want)
		}
	}
}

func TestMarkdownKeepsLinesAndEscapes(t *testing.T) {
	for src, want := range map[string]string{
		"one\ntwo\\\nthree  \nfour\n\nfive":   "<p>one<br>\ntwo<br>\nthree<br>\nfour</p><p>five</p>",
		"> one\n> two\n\n- a\n  b\n- c":       "<blockquote><p>one<br>\ntwo</p></blockquote><ul><li>a<br>\nb</li><li>c</li></ul>",
		"**a\nb** `c\nd`\n\n```\ne\nf\n```":   "<p><strong>a<br>\nb</strong> <code>c d</code></p><pre><code>e\nf\n</code></pre>",
		`\#tag \@alice \@bob@far.example`:     "<p>#tag @alice @bob@far.example</p>",
		`x \#tag` + "\n" + `\@alice y`:        "<p>x #tag<br>\n@alice y</p>",
		`**\#a** \#b\#c \@example.com \\#tag`: "<p><strong>#a</strong> #b#c @example.com \\" + hashtag("tag") + "</p>",
		`https\://example.com \#é \@日 \#`:     "<p>https://example.com #é @日 #</p>",
		"`\\#x` #a \\#b @alice [\\#c](http://d.com 'T \\# x') ![\\#y](http://e.com)": "<p><code>\\#x</code> " + hashtag("a") + " #b " + alice +
			` <a href="http://d.com" title="T # x" rel="ugc">#c</a> <img src="http://e.com" alt="#y"></p>`,
		"a\ufdd0#tag &#xfdd0;#b": "<p>a#tag #b</p>",
	} {
		got := Format(src, TypeMarkdown, testOptions())
		if got.HTML != want {
			t.Errorf("%q\n got %s\nwant %s", src, got.HTML, want)
		}
		if strings.Contains(src, `\@alice`) && (len(got.Mentions) > 0 || len(Handles(src, TypeMarkdown)) > 0) {
			t.Errorf("%q mentions %v", src, got.Mentions)
		}
	}
}

func TestAddressesInHTMLAreASCII(t *testing.T) {
	for in, want := range map[string]string{
		`<a href="https://a.example/标?q=é#ü">x</a>`: `href="https://a.example/%E6%A0%87?q=%C3%A9#%C3%BC"`,
		`<a href="https://bücher.example/">x</a>`:   `href="https://xn--bcher-kva.example/"`,
		`<a href="https://a.example/{x}|y^z">x</a>`: `href="https://a.example/%7Bx%7D%7Cy%5Ez"`,
		`<a href="https://a.example/100%">x</a>`:    `href="https://a.example/100%25"`,
	} {
		if got := SanitizeRemote(in); !strings.Contains(got, want) || SanitizeRemote(got) != got {
			t.Errorf("%s: %s", in, got)
		}
		if got := Format(in, TypeHTML, testOptions()).HTML; !strings.Contains(got, want) {
			t.Errorf("typed %s: %s", in, got)
		}
	}
	if got := Format("#标签", TypePlain, testOptions()).HTML; !strings.Contains(got, `data-tag="标签" href="https://svc.example/tag/%E6%A0%87%E7%AD%BE"`) {
		t.Error(got)
	}
}
