package text

import (
	"strings"
	"testing"
)

type sanitizing struct{ src, want string }

func checkSanitizing(t *testing.T, sanitize func(string) string, cases []sanitizing) {
	t.Helper()
	for _, tt := range cases {
		if got := sanitize(tt.src); got != tt.want {
			t.Errorf("from %s\n got %s\nwant %s", tt.src, got, tt.want)
		}
	}
}

func TestSanitizeKeepsTheAllowedMarkup(t *testing.T) {
	same := func(s string) sanitizing { return sanitizing{s, s} }
	checkSanitizing(t, Sanitize, []sanitizing{
		same(alice), same(bob), same(hashtag("Go")), same(link("https://a.example/?b&amp;c", "x")),
		same(`<abbr title="t">a</abbr><b>b</b><blockquote>c</blockquote><br><code>d</code><del>e</del><em>f</em><i>g</i>`),
		same(`<ol><li>a</li></ol><p>b</p><pre>c</pre><strong>d</strong><sub>e</sub><sup>f</sup><u>g</u><ul><li>h</li></ul>`),
		same(`<ol start="-1984" reversed=""><li value="9">a</li><li value="0">b</li></ol>`),
		same(`<ruby>漢<rb>b</rb><rp>(</rp><rt>kan</rt><rtc>c</rtc></ruby><span class="h-card">x</span>`),
		same(`<img src="https://a.example/i.png" width="10" height="50%" class="emoji" title="t" alt="a">`),
		same(`<a name="n" title="t" href="xmpp:a@b.example" rel="tag nofollow noopener noreferrer ugc">x</a>`),
		same("text without markup"), same("it&#39;s &quot;quoted&quot; &amp; &lt;fine&gt;"),
	})
}

func TestSanitizeRemovesTheRestAndKeepsText(t *testing.T) {
	checkSanitizing(t, Sanitize, []sanitizing{
		{`<h1>a</h1><table><tr><td>b</td></tr></table><font color="red">c</font><div>d</div>`, "a<br>b<br>c<br>d"},
		{"<script>alert('hacked')</script>", "alert(&#39;hacked&#39;)"},
		{`<a class="u-url evil mention" rel="me opener ugc" href="javascript:x" onclick="y" target="_blank">x</a>`, `<a class="u-url mention" rel="ugc">x</a>`},
		{`<span class="invisible">https://</span><span class="h-card p-x" style="y">x</span>`, `<span>https://</span><span class="h-card">x</span>`},
		{`<img src="data:x" width="1;x" height="y" onerror="z"><br clear="all"/>`, "<img><br>"},
		{`<ol start=" 3x"><li value="4%" style="x">x</li></ol>`, "<ol><li>x</li></ol>"},
		{"<!-- comment -->a<?pi?>b<!DOCTYPE html>c", "abc"},
		{`a "quoted" <b>b</b> & c`, "a &quot;quoted&quot; <b>b</b> &amp; c"},
		{"&lt;b&gt; &copy; &#x202e;x", "&lt;b&gt; © x"},
	})
}

func TestRemovedBlocksLeaveABreak(t *testing.T) {
	for name, sanitize := range map[string]func(string) string{"output": Sanitize, "remote": SanitizeRemote, "typed": func(s string) string { return Format(s, TypeHTML, Options{}).HTML }} {
		t.Log(name)
		checkSanitizing(t, sanitize, []sanitizing{
			{"<div>one</div><div>two</div>", "one<br>two"}, {"<div><div>one</div></div>\n<div>two</div>\n", "one<br>two"},
			{"one<div>two</div>three", "one<br>two<br>three"}, {"<div>one</div><br><div>two</div>", "one<br><br>two"},
			{"<table>\n<tr>\n<th>a</th> <td>b</td></tr><tr><td>c</td><td>d</td></tr></table>e", "a b<br>c d<br>e"},
			{"<dl><dt>a</dt><dd>b</dd></dl>", "a<br>b"}, {"<section>a</section><article><header>b</header>c</article><footer>d</footer>", "a<br>b<br>c<br>d"},
			{"<details><summary>a</summary>b</details>", "a<br>b"}, {"a<hr>b", "a<br>b"},
			{"<div><p>a</p></div><div><p>b</p></div>", "<p>a</p><p>b</p>"}, {"<p>a</p>\n<div>b</div><p>c</p>", "<p>a</p>\nb<p>c</p>"},
			{"<ul><li><div>a</div></li><li><div>b</div><div>c</div></li></ul>", "<ul><li>a</li><li>b<br>c</li></ul>"},
			{"<b><div>a</div></b>b", "<b>a</b><br>b"}, {"<div>a</div><a><div>b</div><div>c</div></a>", "a<br><a>b<br>c</a>"},
			{"<div></div><div> </div>a", "a"}, {"<center>a</center><fieldset><legend>b</legend>c</fieldset>", "a<br>b<br>c"},
			{"<pre><div>a</div>\n<div>b</div></pre>", "<pre>a<br>\n<br>b</pre>"}, {"a <i>b</i><u>c</u><font></font>d", "a <i>b</i><u>c</u>d"},
		})
	}
	checkSanitizing(t, SanitizeRemote, []sanitizing{{"<h2>Five</h2>six<h3>a</h3><p>b</p>", "<strong>Five</strong><br>six<br><strong>a</strong><p>b</p>"}})
	checkSanitizing(t, SanitizeField, []sanitizing{{"<p>one</p><p>two<br>three</p>", "one two three"}, {"<ul><li>a<li>b</ul>", "a b"}})
	checkSanitizing(t, StripRich, []sanitizing{{"<ul><li>a</li><li>b</li></ul><blockquote>c</blockquote>", "a<br>b<br>c"}})
}

func TestStruckTextAndTheNumbersOfListsStay(t *testing.T) {
	for _, sanitize := range []func(string) string{Sanitize, SanitizeRemote, func(s string) string { return Format(s, TypeHTML, Options{}).HTML }} {
		checkSanitizing(t, sanitize, []sanitizing{
			{"<s>a</s> <strike class=x>b</strike> <del>c</s>", "<del>a</del> <del>b</del> <del>c</del>"},
			{`<ol start=3 reversed type=a><li value=" 9 ">a<li value=-2>b</ol>`, `<ol start="3" reversed=""><li value="9">a</li><li value="-2">b</li></ol>`},
			{`<ol start="99999999999"><li value="1e3">a</ol>`, "<ol><li>a</li></ol>"},
		})
	}
	for src, want := range map[string]string{
		"5. five\n6. six": `<ol start="5"><li>five</li><li>six</li></ol>`, "1984. A book": `<ol start="1984"><li>A book</li></ol>`,
		"~~gone~~": "<p><del>gone</del></p>", "0) a": `<ol start="0"><li>a</li></ol>`,
	} {
		if got := Format(src, TypeMarkdown, Options{}).HTML; strings.ReplaceAll(got, "\n", "") != want {
			t.Errorf("from %s: %s", src, got)
		}
	}
}

func TestSanitizeBalances(t *testing.T) {
	checkSanitizing(t, Sanitize, []sanitizing{
		{"<b><i>x", "<b><i>x</i></b>"},
		{"x</b></p>", "x"},
		{"<b><i>x</b>y</i>", "<b><i>x</i></b>y"},
		{"<p>a<p>b", "<p>a</p><p>b</p>"},
		{"<ul><li>a<li>b<ul><li>c</ul></ul>d", "<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>d"},
		{"<p>a<blockquote>b</blockquote>c", "<p>a</p><blockquote>b</blockquote>c"},
		{"<a>x<a>y</a>", "<a>x</a><a>y</a>"},
		{"<b><p>x</b>y</p>", "<b><p>xy</p></b>"},
		{"<a><p>x</a>y", "<a><p>x</p></a>y"},
		{"<b/>x<br/>y</br>", "<b>x<br>y</b>"},
	})
}

func TestStripRichLeavesLinksAndLines(t *testing.T) {
	checkSanitizing(t, StripRich, []sanitizing{
		{"<p><b>a</b><br><em>b</em> " + alice + "</p><ul><li>c</li></ul><pre><code>d</code></pre>", "<p>a<br>b " + alice + "</p>c<br>d"},
		{`<img src="https://a.example/i" alt="x"><blockquote>q</blockquote>`, `<img src="https://a.example/i" alt="x"><br>q`},
	})
}

func TestFieldsAreOnlyLinks(t *testing.T) {
	checkSanitizing(t, SanitizeField, []sanitizing{
		{`<p><b>a</b> <a href="https://a.example" rel="me nofollow">https://<span class="invisible">evil.</span>a.example</a></p>`,
			`a <a href="https://a.example" rel="me nofollow">https://evil.a.example</a>`},
		{`<img src="https://a.example/i">x<br>y`, "x y"},
	})
}

func TestRemoteHTML(t *testing.T) {
	const rel = ` rel="nofollow noopener noreferrer"`
	checkSanitizing(t, SanitizeRemote, []sanitizing{
		{`<p><span class="h-card" translate="no"><a href="https://far.example/@bob" class="u-url mention">@<span>bob</span></a></span> hi</p>`,
			`<p><span class="h-card"><a href="https://far.example/@bob" class="u-url mention"` + rel + `>@<span>bob</span></a></span> hi</p>`},
		{`<a href="https://far.example/tags/x" class="mention hashtag" rel="tag">#<span>x</span></a>`,
			`<a href="https://far.example/tags/x" class="mention hashtag" rel="tag nofollow noopener noreferrer">#<span>x</span></a>`},
		{`<a href="https://a.example/long" target="_blank" rel="me opener"><span class="invisible">https://</span><span class="ellipsis p-name dt-x e-y evil">a.exa</span></a>`,
			`<a href="https://a.example/long"` + rel + `><span class="invisible">https://</span><span class="ellipsis p-name dt-x e-y">a.exa</span></a>`},
		{`<h1>a</h1><h6>b</h6><strong>c</strong>`, "<strong>a</strong><br><strong>b</strong><br><strong>c</strong>"},
		{`<ol start="3" reversed><li value="2">x</li></ol><ul type="a"><li>y</li></ul>`, `<ol start="3" reversed=""><li value="2">x</li></ol><ul><li>y</li></ul>`},
		{`<b>b</b><em>e</em><i>i</i><u>u</u><del>d</del><pre>p</pre><code>c</code><blockquote>q</blockquote>x<br>y`,
			`<b>b</b><em>e</em><i>i</i><u>u</u><del>d</del><pre>p</pre><code>c</code><blockquote>q</blockquote>x<br>y`},
		{`a<script>alert(1)</script><style>p{}</style><img src="https://a.example/i.png" alt="x"><sub>s</sub>b`, "asb"},
		{`<a href="gemini://a.example/">g</a><a href="irc://a.example/">i</a>`, `<a href="gemini://a.example/"` + rel + `>g</a><a>i</a>`},
		{`<a data-user="A1" data-tag="x" name="n">x</a>`, "<a>x</a>"},
	})
}

func TestPlainTextOfHTML(t *testing.T) {
	checkSanitizing(t, Plain, []sanitizing{
		{"a<br>b<br/>c", "a\nb\nc"},
		{"<p>a</p><p>b<br>c</p>", "a\n\nb\nc"},
		{"<p>a</p>\n<p>b</p>\n", "a\n\nb"},
		{"a &amp; b &lt;c&gt; &#39;d&#39;", "a & b <c> 'd'"},
		{"one\ntwo  three", "one two  three"},
		{"<pre><code>a\n  b\n</code></pre>c", "a\n  b\n\nc"},
		{"x<ul><li>a</li><li>b</li></ul>y", "x\na\nb\ny"},
		{"<blockquote><p>q</p></blockquote>r", "q\n\nr"},
		{"a<br><br><p>b</p>", "a\n\nb"},
		{"a<script>x</script><style>y</style>b<img alt=z>", "ab"},
		{"<div>one</div><div>two</div>", "one\ntwo"}, {"<section>a</section> <article>b</article>\n<summary>c</summary>d", "a\nb\nc\nd"},
		{"<table><tr><th>a</th><td>b</td></tr><tr><td>c</td><td>d</td></tr></table><h2>e</h2>f", "a b\nc d\n\ne\n\nf"},
		{"<dl><dt>a</dt><dd>b</dd></dl><figure><img><figcaption>c</figcaption></figure>", "a\nb\nc"}, {"&amp;lt;b&amp;gt;", "&lt;b&gt;"},
		{`<ol start="1984"><li>A book</li><li value="7"><p>b</p><ol><li>c</li></ol></li><li><ul><li>d</li></ul></li></ol>`, "1984. A book\n\n7. b\n\n1. c\n8. d"},
		{`<ol start="2" reversed><li>a<li>b<li>c</ol></ol><li>e`, "2. a\n1. b\n0. c\ne"}, {"<ol reversed><li>a</ol>", "a"},
		{alice + " " + hashtag("Go"), "@alice #Go"},
		{"plain", "plain"}, {"", ""},
	})
}

func TestPlainUndoesFormat(t *testing.T) {
	for _, src := range []string{"hi @alice & <all>,\n\nsee https://a.example/?b&c  #Go \"now\"", "it's", "a\nb\n\n\nc"} {
		if got := Plain(Format(src, TypePlain, testOptions()).HTML); got != src {
			t.Errorf("got %q, want %q", got, src)
		}
	}
}

func TestPlainTextIsNoHTML(t *testing.T) {
	same := func(s string) sanitizing { return sanitizing{s, s} }
	checkSanitizing(t, Line, []sanitizing{
		{" Alice  B ", "Alice B"},
		same("<b>Al</b>ice <3 x<y"), same("a<b"), same("a < b & c > d"), same("Vec<u8>"), same("Tom &amp; &lt;b&gt;"),
		same("<script>alert(1)</script>"), same("why a<b is true for NaN"), same("</b>"), same("<!-- x -->"), same("x <"),
		{"a\nb\tc\x00\u202ed\u2066e", "a b cde"},
		same(":blobcat: Zoë"),
	})
	checkSanitizing(t, Lines, []sanitizing{
		{" a<b \r\n &amp; \n\n<i>c</i>\u2066 \n", "a<b\n&amp;\n\n<i>c</i>"},
	})
}

func TestTextsInPlaceOfHTMLAreEscaped(t *testing.T) {
	same := func(s string) sanitizing { return sanitizing{s, s} }
	checkSanitizing(t, AsHTML, []sanitizing{
		same(`<a href="https://a.example">a</a> x &lt; y`), same("Tom &amp; Jerry"), same("AT&T"), same("<p>1 < 2</p>"), same(""),
		{"a<b", "a&lt;b"}, {"Vec<u8> &amp; x\ny", "Vec&lt;u8&gt; &amp;amp; x<br>y"}, {"C<T>", "C&lt;T&gt;"}, {"I <3 you", "I &lt;3 you"},
	})
}

func TestEitherReadsOnlyHTMLAsHTML(t *testing.T) {
	same := func(s string) sanitizing { return sanitizing{s, s} }
	checkSanitizing(t, Either, []sanitizing{
		same("why a<b is true for NaN"), same("Is Vec<T> slow?"), same("Vec<u8>"), same("List<Map<String, u>>"), same("a <b> c"), same("if x<a && y>b"),
		same("AT&T"), same("Q&A; R&D"), same("I <3 you &amp; me"), same("a</b"), same("</p>"), same("<"), same("x<!-- y"), same("<p"),
		same("std::vector<int>&amp;"), same("<small"), same("#include <stdio.h>"), same("<T></T>"), same("a<b and <i>c</i>"),
		{"<p>one</p><p>two</p>", "one\n\ntwo"}, {"<div>one</div><div>two</div>", "one\ntwo"}, {"<b>bold</b> move", "bold move"},
		{"one<br>two<br/>three", "one\ntwo\nthree"}, {"Tom &amp; Jerry&#8217;s", "Tom & Jerry’s"}, {"<i>Vec&lt;u8&gt;</i> &amp;amp;", "Vec<u8> &amp;"},
		{"<P class='x'>1 < 2</P>", "1 < 2"}, {" a  b\n\n", "a  b"},
	})
}
