package text

import "testing"

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
		same(`<ruby>漢<rb>b</rb><rp>(</rp><rt>kan</rt><rtc>c</rtc></ruby><span class="h-card">x</span>`),
		same(`<img src="https://a.example/i.png" width="10" height="50%" class="emoji" title="t" alt="a">`),
		same(`<a name="n" title="t" href="xmpp:a@b.example" rel="tag nofollow noopener noreferrer ugc">x</a>`),
		same("text without markup"), same("it&#39;s &quot;quoted&quot; &amp; &lt;fine&gt;"),
	})
}

func TestSanitizeRemovesTheRestAndKeepsText(t *testing.T) {
	checkSanitizing(t, Sanitize, []sanitizing{
		{`<h1>a</h1><table><tr><td>b</td></tr></table><font color="red">c</font><div>d</div>`, "abcd"},
		{"<script>alert('hacked')</script>", "alert(&#39;hacked&#39;)"},
		{`<a class="u-url evil mention" rel="me opener ugc" href="javascript:x" onclick="y" target="_blank">x</a>`, `<a class="u-url mention" rel="ugc">x</a>`},
		{`<span class="invisible">https://</span><span class="h-card p-x" style="y">x</span>`, `<span>https://</span><span class="h-card">x</span>`},
		{`<img src="data:x" width="1;x" height="y" onerror="z"><br clear="all"/>`, "<img><br>"},
		{`<ol start="3"><li value="4">x</li></ol>`, "<ol><li>x</li></ol>"},
		{"<!-- comment -->a<?pi?>b<!DOCTYPE html>c", "abc"},
		{`a "quoted" <b>b</b> & c`, "a &quot;quoted&quot; <b>b</b> &amp; c"},
		{"&lt;b&gt; &copy; &#x202e;x", "&lt;b&gt; © x"},
	})
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
		{"<p><b>a</b><br><em>b</em> " + alice + "</p><ul><li>c</li></ul><pre><code>d</code></pre>", "<p>a<br>b " + alice + "</p>cd"},
		{`<img src="https://a.example/i" alt="x"><blockquote>q</blockquote>`, `<img src="https://a.example/i" alt="x">q`},
	})
}

func TestFieldsAreOnlyLinks(t *testing.T) {
	checkSanitizing(t, SanitizeField, []sanitizing{
		{`<p><b>a</b> <a href="https://a.example" rel="me nofollow">https://<span class="invisible">evil.</span>a.example</a></p>`,
			`a <a href="https://a.example" rel="me nofollow">https://evil.a.example</a>`},
		{`<img src="https://a.example/i">x<br>y`, "xy"},
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
		{`<h1>a</h1><h6>b</h6><strong>c</strong>`, "<strong>a</strong><strong>b</strong><strong>c</strong>"},
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

func TestNamesHaveNoTags(t *testing.T) {
	checkSanitizing(t, StripTags, []sanitizing{
		{" Alice  B ", "Alice  B"},
		{"<b>Al</b>ice <3 x<y", "Alice <3 x"},
		{"a < b & c > d", "a < b & c > d"},
		{"Tom &amp; &lt;b&gt;", "Tom &amp; &lt;b&gt;"},
		{"<script>alert(1)</script>", "alert(1)"},
		{"<<b>script>alert(1)<<b>/script>", "script>alert(1)/script>"},
		{"a\nb\tc\x00\u202ed\u2066e", "a b cde"},
		{":blobcat: Zoë", ":blobcat: Zoë"},
	})
}
