package text

import (
	"embed"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

//go:embed testdata/hostile/*.txt
var hostile embed.FS

// allowance is the markup one kind of reader may be shown, written a second time
// and independently of the policies: tag to its attributes.
type allowance map[string]string

var (
	outputAllowance = allowance{
		"a": "href class rel data-user data-tag name title", "abbr": "title", "span": "class",
		"img": "src width height class title alt",
		"b":   "", "blockquote": "", "br": "", "code": "", "del": "", "em": "", "i": "", "li": "value", "ol": "start reversed", "p": "",
		"pre": "", "strong": "", "sub": "", "sup": "", "ruby": "", "rb": "", "rp": "", "rt": "", "rtc": "", "u": "", "ul": "",
	}
	strippedAllowance = allowance{
		"a": outputAllowance["a"], "img": outputAllowance["img"], "span": "class", "br": "", "p": "",
	}
	fieldAllowance  = allowance{"a": outputAllowance["a"]}
	remoteAllowance = allowance{
		"p": "", "br": "", "span": "class", "a": "href rel class", "strong": "", "b": "", "em": "", "i": "", "u": "",
		"del": "", "pre": "", "code": "", "blockquote": "", "ul": "", "ol": "start reversed", "li": "value",
	}
)

const (
	outputSchemes = " https http dat dweb gopher hyper ipfs ipns irc ircs magnet mailto mumble ssb xmpp "
	storedSchemes = " http https dat dweb ipfs ipns ssb gopher xmpp magnet gemini mailto "
)

// checkHarmless parses out as a browser would and reports everything that is not
// allowed in the tree that it finds.
func checkHarmless(t *testing.T, src, out string, allowed allowance, schemes string) {
	t.Helper()
	fail := func(what, which string) {
		t.Helper()
		t.Errorf("%s %q\n from %q\n   as %q", what, which, src, out)
	}
	if !utf8.ValidString(out) || strings.ContainsAny(out, "\x00\r\x1b\u202e\u202d") {
		fail("bad characters", "")
	}
	body := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	nodes, err := html.ParseFragment(strings.NewReader(out), body)
	if err != nil {
		t.Fatal(err)
	}
	var visit func(n *html.Node, inLink bool)
	visit = func(n *html.Node, inLink bool) {
		switch n.Type {
		case html.TextNode:
			return
		case html.ElementNode:
		default:
			fail("node", n.Data)
			return
		}
		attrs, ok := allowed[n.Data]
		if !ok || n.Namespace != "" {
			fail("element", n.Data)
		}
		if n.Data == "a" {
			if inLink {
				fail("nested", "a")
			}
			inLink = true
		}
		for _, a := range n.Attr {
			if a.Namespace != "" || !strings.Contains(" "+attrs+" ", " "+a.Key+" ") {
				fail("attribute", a.Key)
			}
			checkValue(fail, a, schemes)
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			visit(c, inLink)
		}
	}
	for _, n := range nodes {
		visit(n, false)
	}
}

func checkValue(fail func(what, which string), a html.Attribute, schemes string) {
	switch a.Key {
	case "href", "src":
		if a.Key == "src" {
			schemes = " http https "
		}
		scheme, _, _ := strings.Cut(a.Val, ":")
		if !strings.Contains(schemes, " "+strings.ToLower(scheme)+" ") || strings.ContainsAny(a.Val, " \t\n\"<>\\") {
			fail("address", a.Val)
		}
		// An address that Go parses must mean the same to Go.
		if u, err := url.Parse(a.Val); err == nil && u.Scheme != strings.ToLower(scheme) {
			fail("scheme", a.Val)
		}
	case "rel":
		for _, word := range strings.Fields(a.Val) {
			if !strings.Contains(" tag nofollow noopener noreferrer ugc me ", " "+word+" ") {
				fail("rel", word)
			}
		}
	case "width", "height", "start", "value":
		if strings.Trim(a.Val, "-0123456789%") != "" {
			fail("number", a.Val)
		}
	case "class":
		if strings.ContainsAny(a.Val, "\"'<>;:()") {
			fail("class", a.Val)
		}
	}
}

// chosen are the rules of instances that allow as much and as little as can be.
var chosen = []struct {
	rules   *Rules
	allowed allowance
	schemes string
}{
	{
		NewRules(Choices{
			Rel: "ugc nofollow", Truncate: 9, StripPrefix: true, Extra: true, InlineImages: true, Headings: true, Tables: true, Fonts: true,
			Schemes: []string{"https", "http", "javascript", "data", "vbscript", "gemini", "JaVaScRiPt"},
		}),
		plus(outputAllowance, allowance{
			"h1": "", "h2": "", "h3": "", "h4": "", "h5": "", "table": "", "thead": "", "tbody": "", "tr": "", "th": "", "td": "", "font": "face",
		}),
		" https http gemini ",
	},
	{NewRules(Choices{Schemes: []string{"https"}}), outputAllowance, " https "},
}

func plus(a, b allowance) allowance {
	out := allowance{}
	for _, from := range []allowance{a, b} {
		for tag, attrs := range from {
			out[tag] = attrs
		}
	}
	return out
}

// checkAll sends src through every way in and out.
func checkAll(t *testing.T, src string) {
	t.Helper()
	for _, ct := range []string{TypePlain, TypeHTML, TypeMarkdown, TypeBBCode} {
		out := Format(src, ct, testOptions()).HTML
		checkHarmless(t, src, out, outputAllowance, outputSchemes)
		if again := Sanitize(out); again != out {
			t.Errorf("%s: sanitising changes what was formatted\nfrom %q\n was %q\n  is %q", ct, src, out, again)
		}
	}
	for _, c := range chosen {
		o := testOptions()
		o.Rules = c.rules
		for _, ct := range []string{TypePlain, TypeHTML, TypeMarkdown, TypeBBCode} {
			out := Format(src, ct, o).HTML
			checkHarmless(t, src, out, c.allowed, c.schemes)
			if again := c.rules.Sanitize(out); again != out {
				t.Errorf("%s: sanitising changes what was formatted\nfrom %q\n was %q\n  is %q", ct, src, out, again)
			}
		}
		checkHarmless(t, src, c.rules.Sanitize(src), c.allowed, c.schemes)
		checkHarmless(t, src, c.rules.StripRich(src), strippedAllowance, c.schemes)
	}
	for _, way := range []struct {
		name     string
		sanitize func(string) string
		allowed  allowance
		schemes  string
	}{
		{"Sanitize", Sanitize, outputAllowance, outputSchemes},
		{"StripRich", StripRich, strippedAllowance, outputSchemes},
		{"SanitizeField", SanitizeField, fieldAllowance, outputSchemes},
		{"SanitizeRemote", SanitizeRemote, remoteAllowance, storedSchemes},
	} {
		out := way.sanitize(src)
		checkHarmless(t, src, out, way.allowed, way.schemes)
		if again := way.sanitize(out); again != out {
			t.Errorf("%s is not done at once\nfrom %q\n was %q\n  is %q", way.name, src, out, again)
		}
	}
	if name := Line(src); strings.ContainsAny(name, "\n\t\u202e\u2066") || Line(name) != name {
		t.Errorf("Line(%q) = %q, again %q", src, name, Line(name))
	}
	for _, plain := range []string{Plain(src), Lines(src), Either(src)} {
		if !utf8.ValidString(plain) || strings.ContainsAny(plain, "\x00\r\u202e") {
			t.Errorf("from %q the plain text %q", src, plain)
		}
	}
}

func corpus(t testing.TB) []string {
	t.Helper()
	var samples []string
	for _, name := range []string{"html", "markdown", "bbcode"} {
		file, err := hostile.ReadFile("testdata/hostile/" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		all := string(file)
		samples = append(samples, all)
		for line := range strings.Lines(all) {
			samples = append(samples, strings.TrimSuffix(line, "\n"))
		}
	}
	return samples
}

func TestHostileTextComesOutHarmless(t *testing.T) {
	samples := corpus(t)
	if len(samples) < 180 {
		t.Fatalf("only %d samples", len(samples))
	}
	for i, sample := range samples {
		checkAll(t, sample)
		// Within a tag, a value, a comment, a script and after a stray end.
		for _, around := range []string{"<b>%</b>", `<a href="%">x</a>`, "<!--%-->", "<script>%</script>", "</p>%", "[b]%[/b]", "[url=%]x[/url]", "*%*", "[%](%)"} {
			checkAll(t, strings.ReplaceAll(around, "%", sample))
		}
		checkAll(t, sample+samples[(i*7+3)%len(samples)])
	}
}

// Inputs that make careless parsers take the square of their length. At the
// size tried, that would be minutes.
func TestTimeGrowsWithLength(t *testing.T) {
	const size = 1 << 17
	repeated := []string{
		"<", ">", "&", "&#x", "<b>", "<a ", "<a b='", "<a href=x>", "<p>", "<ul><li>", "</b>", "<!--", "<?", "<![CDATA[", "<script>", "<title>", "<pre>",
		"*a_ ", "**a_*", "[", "]", "![", "[a](", "[a]: b\n", "](", "`", "` `` ", "> ", "- ", "1. ", "~~a ~", "\t- ", "<http://", "\\",
		"[b]", "[/b]", "[url]", "[url=a.com]", "[code]", "[img]", "[list][*]", "[quote=",
		"@", "@a", "@-", "@a@b.c ", "#", "#a", "#_.", ":", ":a", "http://", "http://a(", "http://a)", "mailto:", "mailto:@", "a.com", "a.com:1", "a.", "看https://",
		"\u2066", "\u202e", "\r", "\x00", "\xff", "e\u0301", "\u0301",
	}
	start := time.Now()
	for _, part := range repeated {
		src := strings.Repeat(part, size/len(part))
		for _, ct := range []string{TypePlain, TypeHTML, TypeMarkdown, TypeBBCode} {
			Format(src, ct, testOptions())
			Handles(src, ct)
		}
		Sanitize(src)
		SanitizeRemote(src)
		Plain(src)
		Line(src)
		Either(src)
		Length(src)
		if took := time.Since(start); took > time.Minute {
			t.Fatalf("%q: after %v", part, took)
		}
	}
}

// The renderer of markdown is such a parser; it is not given input on which it
// would be slow.
func TestCostlyMarkdownIsShownAsTyped(t *testing.T) {
	for _, src := range []string{
		strings.Repeat("*a_ ", maxMarks), strings.Repeat("[a](", maxMarks), strings.Repeat("*a_\n", maxMarks),
		strings.Repeat("> ", maxDepth+1) + "x", strings.Repeat("1. ", maxDepth+1) + "x", strings.Repeat("- ", maxDepth+1) + "x",
	} {
		got, want := Format(src, TypeMarkdown, Options{}).HTML, Format(src, TypePlain, Options{}).HTML
		if got != want {
			t.Errorf("got %.60s, want %.60s", got, want)
		}
	}
	for _, src := range []string{strings.Repeat("**a** _b_\n\n", maxMarks), strings.Repeat("- ", 2*maxDepth), strings.Repeat("-", 200)} {
		if out := Format(src, TypeMarkdown, Options{}).HTML; strings.ContainsAny(out, "*-") {
			t.Errorf("not rendered: %.60s", out)
		}
	}
}

func TestNestingIsBounded(t *testing.T) {
	deepest := func(s string) (depth int) {
		open := 0
		for i := range s {
			if strings.HasPrefix(s[i:], "</") {
				open--
			} else if s[i] == '<' {
				open++
			}
			depth = max(depth, open)
		}
		return depth
	}
	for ct, src := range map[string]string{
		TypeHTML:     strings.Repeat("<blockquote>", 5000) + "x",
		TypeMarkdown: strings.Repeat("> ", 5000) + "x",
		TypeBBCode:   strings.Repeat("[quote]", 5000) + "x" + strings.Repeat("[/quote]", 5000),
	} {
		if depth := deepest(Format(src, ct, Options{}).HTML); depth > maxDepth {
			t.Errorf("%s: %d deep", ct, depth)
		}
	}
}

func FuzzFormat(f *testing.F) {
	for _, sample := range corpus(f) {
		f.Add(sample)
	}
	f.Add("hi @alice @bob@far.example #Go https://a.example/x?y&z :blobcat:\n**b** _@a_b__")
	f.Fuzz(func(t *testing.T, src string) {
		checkAll(t, src)
		for _, ct := range []string{TypePlain, TypeHTML, TypeMarkdown, TypeBBCode} {
			asked := map[string]bool{}
			for _, handle := range Handles(src, ct) {
				asked[strings.ToLower(handle)] = true
			}
			opts := testOptions()
			opts.Resolve = func(handle string) (Mention, bool) {
				if len(asked) < MaxHandles && !asked[strings.ToLower(handle)] {
					t.Errorf("%s: Handles(%q) lacks %q", ct, src, handle)
				}
				return resolve(handle)
			}
			Format(src, ct, opts)
		}
	})
}

func FuzzSanitize(f *testing.F) {
	for _, sample := range corpus(f) {
		f.Add(sample)
	}
	f.Fuzz(func(t *testing.T, src string) {
		remote := SanitizeRemote(src)
		for _, s := range []string{src, remote} {
			checkHarmless(t, s, Sanitize(s), outputAllowance, outputSchemes)
			checkHarmless(t, s, SanitizeRemote(s), remoteAllowance, storedSchemes)
			checkHarmless(t, s, StripRich(s), strippedAllowance, outputSchemes)
			checkHarmless(t, s, SanitizeField(s), fieldAllowance, outputSchemes)
		}
		if again := SanitizeRemote(remote); again != remote {
			t.Errorf("from %q\n was %q\n  is %q", src, remote, again)
		}
	})
}

func FuzzBBCode(f *testing.F) {
	for _, sample := range corpus(f) {
		f.Add(sample)
	}
	f.Add("[list=1]\n[*]a[*][b]b[/b]\n[/list][code]x[/code][url]https://a.example[/url][url=b.com]c[/url][img]https://a.example/i[/img]")
	f.Fuzz(func(t *testing.T, src string) {
		out := Format(src, TypeBBCode, testOptions()).HTML
		checkHarmless(t, src, out, outputAllowance, outputSchemes)
		if again := Sanitize(out); again != out {
			t.Errorf("from %q\n was %q\n  is %q", src, out, again)
		}
	})
}
