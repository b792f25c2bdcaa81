package text

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"
)

const base = "https://svc.example"

var known = map[string]Mention{
	"alice":                      {ID: "A1", Acct: "alice", URL: base + "/users/alice"},
	"a_b_":                       {ID: "A2", Acct: "a_b_", URL: base + "/users/a_b_"},
	"_init_":                     {ID: "A3", Acct: "_init_", URL: base + "/users/_init_"},
	"bob@far.example":            {ID: "B1", Acct: "bob@far.example", URL: "https://far.example/@bob?a=1&b=2"},
	"bob@127.0.0.1:8081":         {ID: "B2", Acct: "bob@127.0.0.1:8081", URL: "http://127.0.0.1:8081/@bob"},
	"eve@far.example":            {ID: "E1", Acct: "eve@far.example", URL: "javascript:alert(1)"},
	"uli@xn--mnchen-3ya.example": {ID: "U1", Acct: "uli@xn--mnchen-3ya.example", URL: "https://xn--mnchen-3ya.example/@uli"},
}

func resolve(handle string) (Mention, bool) {
	nick, domain, _ := strings.Cut(handle, "@")
	if domain == "" {
		nick = strings.ToLower(nick)
	}
	m, ok := known[strings.Trim(nick+"@"+domain, "@")]
	return m, ok
}

func testOptions() Options {
	return Options{
		BaseURL: base,
		Resolve: resolve,
		Emoji:   func(code string) bool { return code == "blobcat" || code == "a" || code == "b" },
	}
}

func link(href, text string) string {
	return `<a href="` + href + `" rel="ugc">` + text + `</a>`
}

func mention(id, href, name string) string {
	return `<span class="h-card"><a class="u-url mention" data-user="` + id + `" href="` + href +
		`" rel="ugc">@<span>` + name + `</span></a></span>`
}

func hashtag(tag string) string {
	return typedTag("#"+tag, strings.ToLower(tag))
}

// typedTag is the link of a hashtag as it was typed, with its sign.
func typedTag(typed, name string) string {
	return `<a class="hashtag" data-tag="` + name + `" href="https://svc.example/tag/` + url.PathEscape(name) + `" rel="tag ugc">` + typed + `</a>`
}

var (
	alice = mention("A1", "https://svc.example/users/alice", "alice")
	bob   = mention("B1", "https://far.example/@bob?a=1&amp;b=2", "bob")
)

func TestPlainTextIsEscapedAndBroken(t *testing.T) {
	for _, tt := range []struct{ src, want string }{
		{"", ""},
		{"hello world!\n\nsecond paragraph!", "hello world!<br><br>second paragraph!"},
		{"a\r\nb\rc\u2028d", "a<br>b<br>c<br>d"},
		{"  \n trimmed\t\n", "trimmed"},
		{`<b>"bold" & 'brave'</b>`, "&lt;b&gt;&quot;bold&quot; &amp; &#39;brave&#39;&lt;/b&gt;"},
		{"&amp;", "&amp;amp;"},
		{"**not** _rich_ [b]at[/b] all", "**not** _rich_ [b]at[/b] all"},
		{"nul\x00 bell\x07 esc\x1b[31m del\x7f c1\u0085", "nul bell esc[31m del c1"},
		{"bad \xff\xfe bytes", "bad \ufffd\ufffd bytes"},
		{"ab\u202ecod.exe\u202c", "abcod.exe"},
		{"a\u2067b\nc", "a\u2067b\u2069<br>c"},
		{"café 日本 👩‍👩‍👧", "café 日本 👩‍👩‍👧"},
	} {
		if got := Format(tt.src, TypePlain, testOptions()).HTML; got != tt.want {
			t.Errorf("Format(%q)\n got %s\nwant %s", tt.src, got, tt.want)
		}
	}
}

func TestUnknownContentTypeIsPlain(t *testing.T) {
	for _, ct := range []string{"", "text/x-unknown", "TEXT/HTML; x"} {
		if got := Format("<b>a</b>", ct, Options{}).HTML; got != "&lt;b&gt;a&lt;/b&gt;" {
			t.Errorf("%q: got %s", ct, got)
		}
	}
}

func TestURLsAreLinked(t *testing.T) {
	for _, tt := range []struct{ src, want string }{
		{"https://a.example/x?y=1&z=%20#f", link("https://a.example/x?y=1&amp;z=%20#f", "https://a.example/x?y=1&amp;z=%20#f")},
		{"HTTP://A.example", link("HTTP://A.example", "HTTP://A.example")},
		{"see http://localhost:4000/x.", "see " + link("http://localhost:4000/x", "http://localhost:4000/x") + "."},
		{"http://[::1]:80/x", link("http://[::1]:80/x", "http://[::1]:80/x")},
		{"(https://a.com/b_(c))", "(" + link("https://a.com/b_(c)", "https://a.com/b_(c)") + ")"},
		{"https://a.com/b!? 'https://c.com'", link("https://a.com/b", "https://a.com/b") + "!? &#39;" + link("https://c.com", "https://c.com") + "&#39;"},
		{`"https://a.com"<https://b.com>`, "&quot;" + link("https://a.com", "https://a.com") + "&quot;&lt;" + link("https://b.com", "https://b.com") + "&gt;"},
		{"https://a.com/日本、次", link("https://a.com/%E6%97%A5%E6%9C%AC", "https://a.com/日本") + "、次"},
		{"看https://a.com/x", "看" + link("https://a.com/x", "https://a.com/x")},
		{"https://a.com/@alice#tag", link("https://a.com/@alice#tag", "https://a.com/@alice#tag")},
		{"[x](https://a.com)[/url]", "[x](" + link("https://a.com", "https://a.com") + ")[/url]"},
		// Bare domains, when their top-level domain exists.
		{"example.com", link("http://example.com", "example.com")},
		{"Example.COM:8080/x?y, sub.example.co.uk.", link("http://Example.COM:8080/x?y", "Example.COM:8080/x?y") + ", " + link("http://sub.example.co.uk", "sub.example.co.uk") + "."},
		{"bücher.de пример.рф", link("http://xn--bcher-kva.de", "bücher.de") + " " + link("http://xn--e1afmkfd.xn--p1ai", "пример.рф")},
		{"shop.ck a.github.io", link("http://shop.ck", "shop.ck") + " " + link("http://a.github.io", "a.github.io")},
		{"file.txt a.notatld 1.2.3.4 e.g. v1.2 -a.com- a..com a_b.com", "file.txt a.notatld 1.2.3.4 e.g. v1.2 -" + link("http://a.com", "a.com") + "- a..com a_b.com"},
		{"me@example.com you.com@example.com", "me@example.com you.com@example.com"},
		// Schemes of the allow-list only.
		{"mailto:a@b.example xmpp:a@b.example", link("mailto:a@b.example", "mailto:a@b.example") + " " + link("xmpp:a@b.example", "xmpp:a@b.example")},
		{"magnet:?xt=urn:1 magnet: no", link("magnet:?xt=urn:1", "magnet:?xt=urn:1") + " magnet: no"},
		{"ipfs://x gopher://y dat://z dweb://a hyper://b ipns://c irc://d ircs://e mumble://f ssb://g",
			link("ipfs://x", "ipfs://x") + " " + link("gopher://y", "gopher://y") + " " + link("dat://z", "dat://z") + " " +
				link("dweb://a", "dweb://a") + " " + link("hyper://b", "hyper://b") + " " + link("ipns://c", "ipns://c") + " " +
				link("irc://d", "irc://d") + " " + link("ircs://e", "ircs://e") + " " + link("mumble://f", "mumble://f") + " " + link("ssb://g", "ssb://g")},
		{"javascript:alert(1) javascript://a.com/%0aalert(1) data:text/html,x ftp://a.com file:///etc/passwd",
			"javascript:alert(1) javascript://a.com/%0aalert(1) data:text/html,x ftp://a.com file:///etc/passwd"},
		{"http:// http://- https:/a.com xhttp://a", "http:// http://- https:/a.com xhttp://a"},
		{"http://a.com/" + strings.Repeat("x", maxURL), "http://a.com/" + strings.Repeat("x", maxURL)},
	} {
		if got := Format(tt.src, TypePlain, testOptions()).HTML; got != tt.want {
			t.Errorf("Format(%q)\n got %s\nwant %s", tt.src, got, tt.want)
		}
	}
}

func TestMentionsAreLinkedWhenKnown(t *testing.T) {
	for _, tt := range []struct{ src, want, ids string }{
		{"@alice", alice, "A1"},
		{"hi @Alice, (@alice)! .@alice", "hi " + alice + ", (" + alice + ")! ." + alice, "A1"},
		{"@bob@far.example @alice @bob@Far.Example.", bob + " " + alice + " " + bob + ".", "B1 A1"},
		{"@bob@127.0.0.1:8081: hey", mention("B2", "http://127.0.0.1:8081/@bob", "bob") + ": hey", "B2"},
		{"@bob@far.example:8 things", bob + ":8 things", "B1"},
		{"@bob@far.exampleさん", bob + "さん", "B1"},
		{"@uli@München.example", mention("U1", "https://xn--mnchen-3ya.example/@uli", "uli"), "U1"},
		{"@a_b_ *@alice_* @alice- @alice's", mention("A2", "https://svc.example/users/a_b_", "a_b_") + " *" + alice + "_* " + alice + "- " + alice + "&#39;s", "A2 A1"},
		// Unknown ones stay text; one with a domain is never a local one.
		{"@nobody @alice@else.example", "@nobody @alice@else.example", ""},
		{"me@alice x_@alice /@alice @@alice #@alice", "me@alice x_@alice /@alice @@alice #@alice", ""},
		// An address that is none of a page is not linked to.
		{"@eve@far.example", `<span class="h-card"><a class="u-url mention" data-user="E1" rel="ugc">@<span>eve</span></a></span>`, "E1"},
	} {
		got := Format(tt.src, TypePlain, testOptions())
		if got.HTML != tt.want {
			t.Errorf("Format(%q)\n got %s\nwant %s", tt.src, got.HTML, tt.want)
		}
		var ids []string
		for _, m := range got.Mentions {
			ids = append(ids, m.ID)
		}
		if strings.Join(ids, " ") != tt.ids {
			t.Errorf("Format(%q) mentions %q, want %q", tt.src, ids, tt.ids)
		}
	}
}

func TestBiosShowMentionsInFull(t *testing.T) {
	opts := testOptions()
	opts.Bio = true
	got := Format("@bob@far.example @alice", TypePlain, opts).HTML
	want := mention("B1", "https://far.example/@bob?a=1&amp;b=2", "bob@far.example") + " " + alice
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestHashtagsAreLinkedAndLowered(t *testing.T) {
	for _, tt := range []struct {
		src, want string
		tags      []string
		nsfw      bool
	}{
		{"#Go #go, (#GO)", hashtag("Go") + " " + hashtag("go") + ", (" + hashtag("GO") + ")", []string{"go"}, false},
		{"#2fa #fa_2 #a·b #_ #·", hashtag("2fa") + " " + hashtag("fa_2") + " " + hashtag("a·b") + " " + hashtag("_") + " " + hashtag("·"), []string{"2fa", "fa_2", "a·b", "_", "·"}, false},
		{"#日本語、#cafe\u0301!", hashtag("日本語") + "、" + typedTag("#cafe\u0301", "café") + "!", []string{"日本語", "café"}, false},
		{"#CAFÉ #Cafe\u0301 ＃ｃａｆｅ\u0301", hashtag("CAFÉ") + " " + typedTag("#Cafe\u0301", "café") + " " + typedTag("＃ｃａｆｅ\u0301", "café"), []string{"café"}, false},
		{"#ΟΔΟΣ #οδος", typedTag("#ΟΔΟΣ", "οδοσ") + " " + typedTag("#οδος", "οδοσ"), []string{"οδοσ"}, false},
		{"＃タグ a＃b ＃＃c ＃ &＃d ＃1", typedTag("＃タグ", "タグ") + " a＃b ＃＃c ＃ &amp;＃d ＃1", []string{"タグ"}, false},
		{"#نرم\u200cافزار #ශ්\u200dරී", hashtag("نرم\u200cافزار") + " " + hashtag("ශ්\u200dරී"), []string{"نرم\u200cافزار", "ශ්\u200dරී"}, false},
		{"#ぼっち・ざ・ろっく ＃ｶﾞﾝﾀﾞﾑ･ｴｰｽ", hashtag("ぼっち・ざ・ろっく") + " " + typedTag("＃ｶﾞﾝﾀﾞﾑ･ｴｰｽ", "ガンダム・エース"), []string{"ぼっち・ざ・ろっく", "ガンダム・エース"}, false},
		{"#a\u200c #b・ #c\u200d\u200dd #・e #\u200df", hashtag("a") + "\u200c " + hashtag("b") + "・ " + hashtag("c") + "\u200d\u200dd #・e #\u200df", []string{"a", "b", "c"}, false},
		{"#Straße #İzmir #ısı #⑴a #ﬁ #\ufdfa", hashtag("Straße") + " " + typedTag("#İzmir", "izmir") + " " + hashtag("ısı") + " " + hashtag("⑴a") + " " + typedTag("#ﬁ", "fi") + " " + hashtag("\ufdfa"),
			[]string{"straße", "izmir", "ısı", "⑴a", "fi", "\ufdfa"}, false},
		{"#a-b #c.d", hashtag("a") + "-b " + hashtag("c") + ".d", []string{"a", "c"}, false},
		{"#123 # #! a#b ##c /#d C# &#x41;", "#123 # #! a#b ##c /#d C# &amp;#x41;", nil, false},
		{"#ÄÖ", hashtag("ÄÖ"), []string{"äö"}, false},
		{"well #NSFW", "well " + hashtag("NSFW"), []string{"nsfw"}, true},
		{"#nsfwish", hashtag("nsfwish"), []string{"nsfwish"}, false},
		{"#" + strings.Repeat("a", 300), "#" + strings.Repeat("a", 300), nil, false},
	} {
		got := Format(tt.src, TypePlain, testOptions())
		want := Result{HTML: tt.want, Hashtags: tt.tags, NSFW: tt.nsfw}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Format(%q) (-want +got):\n%s", tt.src, diff)
		}
	}
}

// Whatever a letter is, folding it again changes nothing, and its cases are one tag.
func TestNamesOfTagsAreStable(t *testing.T) {
	for r := rune(1); r <= unicode.MaxRune; r++ {
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) {
			continue
		}
		typed := "x" + string(r) + "x"
		name := Tag(typed)
		if again := Tag(name); again != name || tagEnd(name, 0) != len(name) {
			t.Errorf("%U: %q, then %q", r, name, again)
		}
		for _, other := range []string{norm.NFD.String(typed), norm.NFC.String(typed), "＃" + typed, "#" + typed, " #" + typed + "\n"} {
			if Tag(other) != name {
				t.Errorf("%U: %q is %q, not %q", r, other, Tag(other), name)
			}
		}
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			if other := Tag("x" + string(f) + "x"); other != name {
				t.Errorf("%U and %U: %q, %q", r, f, name, other)
			}
		}
	}
	for typed, name := range map[string]string{"": "", "#": "", "##a": "#a", "Ａ　b": "a b", "a-B.c": "a-b.c", "１２３": "123"} {
		if got := Tag(typed); got != name {
			t.Errorf("Tag(%q) = %q", typed, got)
		}
	}
}

func TestTagsOfASearch(t *testing.T) {
	for _, tt := range []struct {
		query  string
		names  []string
		marked bool
	}{
		{"winter market", []string{"winter", "market"}, false}, {"winter #Cafe\u0301 ＃ＣＡＴ", []string{"café", "cat"}, true},
		{"a#b", []string{"b"}, true}, {"ぼっち・ざ・ろっく", []string{"ぼっち・ざ・ろっく"}, false}, {"#نرم\u200cافزار", []string{"نرم\u200cافزار"}, true},
		{"# x", []string{"x"}, false}, {"!? ・", nil, false}, {"", nil, false}, {"@bob@far.example", []string{"bob", "far", "example"}, false},
	} {
		names, marked := Tags(tt.query)
		if !slices.Equal(names, tt.names) || marked != tt.marked {
			t.Errorf("Tags(%q) = %q, %t", tt.query, names, marked)
		}
	}
}

func TestLanguagesKeepTheirCase(t *testing.T) {
	for tag, want := range map[string]string{
		"de": "de", "PT-br": "pt-BR", "pt_BR": "pt-BR", "zh-hant-tw": "zh-Hant-TW", "ZH-HANS": "zh-Hans", "es-419": "es-419", "sr-latn": "sr-Latn",
		"en-GB-OXENDICT": "en-GB-oxendict", "x-AB-cd": "x-ab-cd", "de-1996": "de-1996", "en-a-BB-x-ab": "en-a-bb-x-ab", "yue": "yue",
		"": "", "e": "", "<x>": "", "de--at": "", "de-": "", "日本": "", "nonsense-nonsense-nonsense-nonsense-x": "",
	} {
		if got := Language(tag); got != want {
			t.Errorf("Language(%q) = %q", tag, got)
		}
	}
}

func TestEmojisAreListedOnceAndStay(t *testing.T) {
	got := Format("x:blobcat::a:b: :blobcat: :none: 12:30:45 :a :", TypePlain, testOptions())
	want := Result{HTML: "x:blobcat::a:b: :blobcat: :none: 12:30:45 :a :", Emojis: []string{"blobcat", "a", "b"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestHandlesAreWhatFormatAsksFor(t *testing.T) {
	for _, tt := range []struct {
		src, contentType string
		want             []string
	}{
		{"no at sign", TypePlain, nil},
		{"@alice @Bob@Far.Example @alice mail@x.example", TypePlain, []string{"alice", "Bob@far.example"}},
		{"@bob@h:8081 @x_ @u@ä.example", TypePlain, []string{"bob@h:8081", "x_", "x", "u@xn--4ca.example"}},
		{"`@a` [@b](https://x.example) *@c*\n\n    @d", TypeMarkdown, []string{"c"}},
		{"<code>@a</code><a href='https://x.example'>@b</a><i title='@x'>&#64;c</i>", TypeHTML, []string{"c"}},
		{"[code]@a[/code][b]@b[/b]", TypeBBCode, []string{"b"}},
	} {
		if diff := cmp.Diff(tt.want, Handles(tt.src, tt.contentType)); diff != "" {
			t.Errorf("Handles(%q) (-want +got):\n%s", tt.src, diff)
		}
	}
	var many strings.Builder
	for i := range 3 * MaxHandles {
		many.WriteString("@u" + strings.Repeat("x", i%150) + string(rune('a'+i/150)) + " ")
	}
	if n := len(Handles(many.String(), TypePlain)); n != MaxHandles {
		t.Errorf("%d handles, want %d", n, MaxHandles)
	}
}

func TestMarkdown(t *testing.T) {
	for _, tt := range []struct{ src, want string }{
		{"**hello** *world* ~~gone~~ `code`", "<p><strong>hello</strong> <em>world</em> <del>gone</del> <code>code</code></p>"},
		{"**hello**\n\n*another @a_b_ and @_init_ example.com paragraph*",
			"<p><strong>hello</strong></p><p><em>another " + mention("A2", "https://svc.example/users/a_b_", "a_b_") + " and " +
				mention("A3", "https://svc.example/users/_init_", "_init_") + " " + link("http://example.com", "example.com") + " paragraph</em></p>"},
		{"_@alice_ **#a_b_c** #_x_", "<p><em>" + alice + "</em> <strong>" + hashtag("a_b_c") + "</strong> " + hashtag("_x_") + "</p>"},
		{"https://a.com/_x_/y **https://b.com**", "<p>" + link("https://a.com/_x_/y", "https://a.com/_x_/y") + " <strong>" + link("https://b.com", "https://b.com") + "</strong></p>"},
		{"[a *b* #c @alice](https://x.example/?a&b 'T') <https://y.example>", `<p><a href="https://x.example/?a&amp;b" title="T" rel="ugc">a <em>b</em> #c @alice</a> ` + link("https://y.example", "https://y.example") + "</p>"},
		{"# Title #tag\n\n> quote\n\n- one\n- two\n\n3. three", "<p><strong>Title " + hashtag("tag") + "</strong></p><blockquote><p>quote</p></blockquote><ul><li>one</li><li>two</li></ul><ol start=\"3\"><li>three</li></ol>"},
		{"```\n<b> @alice #x\n\n  y\n```", "<pre><code>&lt;b&gt; @alice #x\n\n  y\n</code></pre>"},
		{"![alt](https://x.example/i.png) ![](javascript:x)", `<p><img src="https://x.example/i.png" alt="alt"> <img alt=""></p>`},
		{"[x](javascript:alert(1)) <script>alert(1)</script> <u>ok</u>", "<p><a>x</a> alert(1) <u>ok</u></p>"},
		{"one\ntwo  \nthree", "<p>one<br>\ntwo<br>\nthree</p>"},
	} {
		if got := Format(tt.src, TypeMarkdown, testOptions()).HTML; got != tt.want {
			t.Errorf("Format(%q)\n got %s\nwant %s", tt.src, got, tt.want)
		}
	}
}

func TestBBCode(t *testing.T) {
	for _, tt := range []struct{ src, want string }{
		{"[b]hello world[/b]\n\n[I]x[/I] [u]y[/u] [s]z[/s] [sub]1[/sub][sup]2[/sup]", "<strong>hello world</strong><br><br><em>x</em> <u>y</u> <del>z</del> <sub>1</sub><sup>2</sup>"},
		{"[url=http://example.com]example & @alice[/url]", link("http://example.com", "example &amp; @alice")},
		{"[url]http://example.com/?a&b[/url] [url=example.com]x[/url]", link("http://example.com/?a&amp;b", "http://example.com/?a&amp;b") + " " + link("http://example.com", "x")},
		{"[url=javascript:alert(1)]x[/url] [url]data:,x[/url]", "[url=javascript:alert(1)]x[/url] [url]data:,x[/url]"},
		{"[img]https://x.example/i.png[/img][img]javascript:x[/img]", `<img src="https://x.example/i.png" alt="">[img]javascript:x[/img]`},
		{"[quote]wise[/quote]\n@alice #x example.com", "<blockquote>wise</blockquote>" + alice + " " + hashtag("x") + " " + link("http://example.com", "example.com")},
		{"[list]\n[*]a\n[*][b]b[/b]\n[/list]\nz [list=1][*]c[/list]", "<ul><li>a</li><li><strong>b</strong></li></ul>z <ol><li>c</li></ol>"},
		{"[code][b]@alice[/b][/code] [code]\na\n b\n[/code]\nc", "<code>[b]@alice[/b]</code> <pre><code>a\n b</code></pre>c"},
		{"[color=red]x[/color] [size=9]y[/size]", "x y"},
		{"[b]open [/i] [nope]x[/nope] [*] [b=", "[b]open [/i] [nope]x[/nope] [*] [b="},
		{"[b][i]x[/b][/i]", "<strong>[i]x</strong>[/i]"},
		{"<b>&amp;</b> [b]<i>[/b]", "&lt;b&gt;&amp;amp;&lt;/b&gt; <strong>&lt;i&gt;</strong>"},
		{`[url=https://x.example/"onclick="alert(1)]x[/url]`, link("https://x.example/%22onclick=%22alert(1)", "x")},
	} {
		if got := Format(tt.src, TypeBBCode, testOptions()).HTML; got != tt.want {
			t.Errorf("Format(%q)\n got %s\nwant %s", tt.src, got, tt.want)
		}
	}
}

func TestTypedHTMLIsSanitisedThenLinked(t *testing.T) {
	for _, tt := range []struct{ src, want string }{
		{"<p>hello @alice!</p>\n<p>#two example.com</p>", "<p>hello " + alice + "!</p>\n<p>" + hashtag("two") + " " + link("http://example.com", "example.com") + "</p>"},
		{"<a href='https://x.example'>@alice <b>#x</b></a><code>@alice</code><pre>#x example.com</pre>#y",
			link("https://x.example", "@alice <b>#x</b>") + "<code>@alice</code><pre>#x example.com</pre>" + hashtag("y")},
		{"a &lt;b&gt; &amp; &#64;alice", "a &lt;b&gt; &amp; " + alice},
		{"<h1>T</h1><div onclick=x>d</div><table><tr><td>c</td></tr></table><font size=7>f</font>", "T<br>d<br>c<br>f"},
		{"<a href='https://x.example' rel='tag me'>x</a>", `<a href="https://x.example" rel="tag ugc">x</a>`},
	} {
		if got := Format(tt.src, TypeHTML, testOptions()).HTML; got != tt.want {
			t.Errorf("Format(%q)\n got %s\nwant %s", tt.src, got, tt.want)
		}
	}
}

func TestInstancesChooseWhatTextsHold(t *testing.T) {
	with := func(change func(c *Choices)) *Rules {
		c := UsualChoices()
		change(&c)
		return NewRules(c)
	}
	page := "https://www.a.example/long/path"
	for _, tt := range []struct {
		name        string
		rules       *Rules
		contentType string
		src, want   string
	}{
		{"the usual", nil, TypePlain, page, link(page, page)},
		{"rel", with(func(c *Choices) { c.Rel = "nofollow evil noopener\"" }), TypePlain, page, `<a href="` + page + `" rel="nofollow">` + page + `</a>`},
		{"no rel", with(func(c *Choices) { c.Rel = "" }), TypePlain, page, `<a href="` + page + `">` + page + `</a>`},
		{"no rel in HTML", with(func(c *Choices) { c.Rel = "" }), TypeHTML, `<a href="` + page + `" rel="me">x</a>`, `<a href="` + page + `">x</a>`},
		{"rel in HTML", with(func(c *Choices) { c.Rel = "nofollow ugc" }), TypeHTML, `<a href="` + page + `" rel="ugc tag">x</a>`, `<a href="` + page + `" rel="ugc tag nofollow">x</a>`},
		{"truncate", with(func(c *Choices) { c.Truncate = 12 }), TypePlain, page + " http://b.example http://ä.example", `<a href="` + page + `" rel="ugc">https://www....</a> ` + `<a href="http://b.example" rel="ugc">http://b.exa...</a> <a href="http://xn--4ca.example" rel="ugc">http://ä.exa...</a>`},
		{"strip prefix", with(func(c *Choices) { c.StripPrefix = true }), TypePlain, page + " HTTP://B.example b.com", `<a href="` + page + `" rel="ugc">a.example/long/path</a> <a href="HTTP://B.example" rel="ugc">B.example</a> ` + link("http://b.com", "b.com")},
		{"no extra", with(func(c *Choices) { c.Extra = false }), TypePlain, "ipfs://x http://a.example", "ipfs://x " + link("http://a.example", "http://a.example")},
		{"no extra, but written out", with(func(c *Choices) { c.Extra = false }), TypeBBCode, "[url=ipfs://x]x[/url]", link("ipfs://x", "x")},
		{"schemes", with(func(c *Choices) { c.Schemes = []string{"HTTPS", "javascript", "gemini", "da ta", "data"} }), TypeHTML,
			`<a href="javascript:x">1</a><a href="data:x">2</a><a href="http://a.example">3</a><a href="https://a.example">4</a><a href="gemini://x">5</a> http://a.example a.com`,
			`<a>1</a><a>2</a><a>3</a><a href="https://a.example" rel="ugc">4</a><a href="gemini://x" rel="ugc">5</a> http://a.example a.com`},
		{"no pictures", with(func(c *Choices) { c.InlineImages = false }), TypeMarkdown, "a ![alt](https://a.example/i.png) b", "<p>a  b</p>"},
		{"headings", with(func(c *Choices) { c.Headings = true }), TypeMarkdown, "# A *b*\n\nc", "<h1>A <em>b</em></h1><p>c</p>"},
		{"headings in HTML", with(func(c *Choices) { c.Headings = true }), TypeHTML, "<p>x<h2 onclick=y>A</h2><h6>B</h6>", "<p>x</p><h2>A</h2>B"},
		{"tables", with(func(c *Choices) { c.Tables = true }), TypeMarkdown, "|a|b|\n|-|:-:|\n|c|*d*|", "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>c</td><td><em>d</em></td></tr></tbody></table>"},
		{"no tables", nil, TypeMarkdown, "|a|\n|-|\n|b|", "<p>|a|<br>\n|-|<br>\n|b|</p>"},
		{"fonts", with(func(c *Choices) { c.Fonts = true }), TypeHTML, `<font face="Arial" size=7 style=x>f</font>`, `<font face="Arial">f</font>`},
	} {
		o := testOptions()
		o.Rules = tt.rules
		got := Format(tt.src, tt.contentType, o).HTML
		if got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.name, got, tt.want)
		}
		if again := tt.rules.Sanitize(got); again != got {
			t.Errorf("%s: sanitising again makes it %s", tt.name, again)
		}
	}
	rich := "<h1>a</h1><table><tr><td>b</td></tr></table><font face=x>c</font><img src=https://a.example/i.png>"
	everything := with(func(c *Choices) { c.Headings, c.Tables, c.Fonts = true, true, true })
	if got, want := everything.Sanitize(rich), `<h1>a</h1><table><tr><td>b</td></tr></table><font face="x">c</font><img src="https://a.example/i.png">`; got != want {
		t.Errorf("got %s", got)
	}
	usual := Format("*a* @alice\n\n> b https://a.example", TypeMarkdown, testOptions()).HTML
	for _, tt := range []struct {
		rules     *Rules
		src, want string
	}{
		{nil, usual, usual}, {NewRules(UsualChoices()), usual, usual}, {nil, rich, `a<br>b<br>c<img src="https://a.example/i.png">`}, {everything, rich, everything.Sanitize(rich)},
		{with(func(c *Choices) { c.InlineImages = false }), `<p>a<img src="https://a.example/i.png"></p>`, "<p>a</p>"},
		{nil, "a <", "a &lt;"}, {nil, "a &lt; b", "a &lt; b"},
	} {
		if got := tt.rules.Again(tt.src); got != tt.want {
			t.Errorf("Again(%q) = %q", tt.src, got)
		}
	}
	if got, want := everything.StripRich(rich), `a<br>b<br>c<img src="https://a.example/i.png">`; got != want {
		t.Errorf("got %s", got)
	}
}

func TestOwnPagesAreMarked(t *testing.T) {
	page, other := "https://a.example/?a&b", "https://b.example"
	plain := Format(page+" @alice #tag "+other, TypePlain, testOptions()).HTML
	mine := func(href string) bool { return href == page }
	marked := SetMe(plain, mine)
	if want := strings.Replace(plain, `b" rel="ugc"`, `b" rel="me ugc"`, 1); marked != want {
		t.Errorf("got %s\nwant %s", marked, want)
	}
	if again := SetMe(marked, mine); again != marked {
		t.Errorf("again %s", again)
	}
	if back := SetMe(marked, func(string) bool { return false }); back != plain {
		t.Errorf("back %s", back)
	}
	for src, want := range map[string]string{
		`<a href="` + other + `">x</a>`: `<a href="` + other + `" rel="me">x</a>`, `<a href="`: `<a href="`, "": "", "<p>": "<p>",
	} {
		if got := SetMe(src, func(string) bool { return true }); got != want {
			t.Errorf("%q: %s", src, got)
		}
	}
	got := MeLinks(`<A REL="a Me b" HREF=" x ">1</a><link rel=me href=y><a rel=me>2</a><a rel=meh href=z>3</a><!--<a rel=me href=w>--><div rel=me href=v>`)
	if diff := cmp.Diff([]string{"x", "y"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestVeryLongRichTextIsPlain(t *testing.T) {
	src := "<b>x</b>" + strings.Repeat("y", maxRich)
	if got := Format(src, TypeHTML, Options{}).HTML; !strings.HasPrefix(got, "&lt;b&gt;") {
		t.Errorf("got %.40s", got)
	}
}

func TestLengthCountsGraphemes(t *testing.T) {
	for s, want := range map[string]int{
		"": 0, "  a b\n": 3, "https://a.example/": 18, "a\r\nb": 3,
		"e\u0301": 1, "👩‍👩‍👧": 1, "🇩🇪🇫🇷": 2, "né日本": 4, "a\u0301b": 2,
	} {
		if got := Length(s); got != want {
			t.Errorf("Length(%q) = %d, want %d", s, got, want)
		}
	}
}

func TestCleanReportsWhatNobodyTypes(t *testing.T) {
	for _, tt := range []struct {
		src, want string
		ok        bool
	}{
		{"tab\tline\nü👍", "tab\tline\nü👍", true},
		{"a\x00b", "ab", false},
		{"a\xc3", "a\ufffd", false},
		{"a\r\nb\rc\u2029d\u0085e", "a\nb\nc\nd\ne", true},
		{"\ufeffa\u202e\ufdd0\U0001ffff\u009b", "a", true},
		{"a\u2066b\u2069\u2069", "a\u2066b\u2069", true},
		{"a\u2068b\n\u2067c", "a\u2068b\u2069\n\u2067c\u2069", true},
	} {
		got, ok := Clean(tt.src)
		if got != tt.want || ok != tt.ok {
			t.Errorf("Clean(%q) = %q, %v; want %q, %v", tt.src, got, ok, tt.want, tt.ok)
		}
		if again, ok := Clean(got); again != got || !ok {
			t.Errorf("Clean is not done with %q: %q, %v", got, again, ok)
		}
	}
}

func BenchmarkFormatPlain(b *testing.B) {
	src := "Good morning @alice! The new release is out, and it is a good one: faster, smaller & better tested than ever before.\n" +
		"Read the notes on our page tonight, then tell us what you think of it #GoodNews"
	if Length(src) < 190 {
		b.Fatal(Length(src))
	}
	opts := testOptions()
	b.ReportAllocs()
	for b.Loop() {
		Format(src, TypePlain, opts)
	}
}

func BenchmarkFormatMarkdown(b *testing.B) {
	src := strings.Repeat("Good *morning* @alice! See https://example.com/x **#GoodNews**\n\n", 3)
	opts := testOptions()
	b.ReportAllocs()
	for b.Loop() {
		Format(src, TypeMarkdown, opts)
	}
}

func BenchmarkSanitize(b *testing.B) {
	src := Format(strings.Repeat("Good morning @alice! See https://example.com/x #GoodNews\n", 3), TypePlain, testOptions()).HTML
	b.ReportAllocs()
	for b.Loop() {
		Sanitize(src)
	}
}

func BenchmarkAgain(b *testing.B) {
	src := Format(strings.Repeat("Good morning @alice! See https://example.com/x #GoodNews\n", 3), TypePlain, testOptions()).HTML
	b.ReportAllocs()
	for b.Loop() {
		usualRules.Again(src)
	}
}

func BenchmarkLength(b *testing.B) {
	src := strings.Repeat("Good mörning! 👩‍👩‍👧 ", 10)
	for b.Loop() {
		Length(src)
	}
}
