package safe

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestClean(t *testing.T) {
	for _, tt := range []struct{ name, raw, want string }{
		{"plain text stays", "Hello, wörld\nsecond", "Hello, wörld\nsecond"},
		{"CSI goes whole", "a\x1b[31;1mred\x1b[0m\x1b[?1049hb", "aredb"},
		{"CSI with intermediates", "a\x1b[1 qb\x1b[!pc", "abc"},
		{"8-bit CSI", "a\u009b2Jb", "ab"},
		{"OSC ended by BEL", "a\x1b]0;owned\ab", "ab"},
		{"OSC 52 ended by ST", "a\x1b]52;c;cm0gLXJm\x1b\\b", "ab"},
		{"8-bit OSC and ST", "a\u009d0;t\u009cb", "ab"},
		{"DCS, APC, PM, SOS", "1\x1bPq#0\x1b\\2\x1b_G\x1b\\3\x1b^p\x1b\\4\x1bXs\x1b\\5", "12345"},
		{"an OSC without end hides nothing", "a\x1b]0;evidence", "a0;evidence"},
		{"a sequence cancels an OSC", "a\x1b]0;x\x1b[1my", "ay"},
		{"two-byte escapes", "a\x1bcb\x1b(0c\x1b#8d\x1b7e", "abcde"},
		{"ESC at the end", "a\x1b", "a"},
		{"ESC before a letter of another script", "\x1bж", "ж"},
		{"C0 and DEL", "a\x00\x07\x08\r\x0b\x0c\x0e\x7fb", "ab"},
		{"C1", "a\u0080\u0085\u008d\u0099b", "ab"},
		{"tab", "a\tb", "a    b"},
		{"line and paragraph separators", "a\u2028b\u2029c", "a\nb\nc"},
		{"bidi controls are shown", "exe\u202etxt\u2066\u200f\u061c", "exe<U+202E>txt<U+2066><U+200F><U+061C>"},
		{"tag characters are shown", "\U000E0041", "<U+E0041>"},
		{"zero width space and BOM", "\ufeffad\u200bmin\u2060\u00ad", "admin"},
		{"blank letters", "a\u3164\u115fb", "ab"},
		{"ZWJ in an emoji", "👩\u200d🚀", "👩\u200d🚀"},
		{"ZWJ after a skin tone and VS16", "👩🏽\u200d🚀 ❤\ufe0f\u200d🔥", "👩🏽\u200d🚀 ❤\ufe0f\u200d🔥"},
		{"ZWJ between Latin letters", "a\u200db\u200d", "ab"},
		{"doubled ZWJ", "👩\u200d\u200d🚀", "👩\u200d🚀"},
		{"ZWNJ in Persian", "می\u200cخواهم", "می\u200cخواهم"},
		{"ZWNJ between Latin letters", "ad\u200cmin", "admin"},
		{"ZWJ after a virama", "क्\u200dष", "क्\u200dष"},
		{"four marks at most", "e" + strings.Repeat("\u0301", 40) + "x", "e" + strings.Repeat("\u0301", 4) + "x"},
		{"a mark with no letter", "\u0301a\n\u0301b", "a\nb"},
		{"bytes that are not UTF-8", "a\xff\x9bb", "a\ufffdb"},
		{"an Arabic number sign prints", "\u0600١", "\u0600١"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Text(tt.raw)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLineIsOneLine(t *testing.T) {
	if got, want := Line(" a\n\tb\u2028c\u3000d "), "a b c d"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestJoinLeavesEmptyPartsOut(t *testing.T) {
	if got, want := Join(" ", Own("a"), Safe{}, Clean("b\x1b[m")).String(), "a b"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCleanTakesLinearTime(t *testing.T) {
	for _, introducer := range []string{"\u009d", "\x1b]", "\u009d\x1b]", "<a href=x>"} {
		raw := strings.Repeat(introducer, 200_000)
		start := time.Now()
		Text(raw)
		if took := time.Since(start); took > 3*time.Second {
			t.Errorf("%q: %v", introducer, took)
		}
	}
}

func TestHTML(t *testing.T) {
	for _, tt := range []struct{ name, markup, want string }{
		{"plain", "1 < 2", "1 < 2"},
		{"entities", "a &amp; b &lt;i&gt;", "a & b <i>"},
		{"entities cannot smuggle controls", "a&#x1b;[31mb&#x202e;", "ab<U+202E>"},
		{"br and p", "<p>a<br>b</p><p>c</p>", "a\nb\n\nc"},
		{"list", "<ul><li>a</li><li>b</li></ul>", "- a\n- b"},
		{"numbered list", `<ol start="1984"><li>A book</li><li value="7">b<ul><li>c</li></ul></li><li>d</li></ol>`, "1984. A book\n7. b\n- c\n8. d"},
		{"list that counts down", `<ol start="2" reversed=""><li>a</li><li>b</li></ol><ol reversed><li>c</li></ol>`, "2. a\n1. b\n- c"},
		{"blocks", "<section>a</section><article>b</article><dl><dt>c</dt><dd>d</dd></dl><table><tr><td>e</td><td>f</td></tr></table><summary>g</summary>h", "a\nb\nc\nd\ne f\ng\nh"},
		{"script and style", "a<script>alert(1)</script><style>p{}</style>b", "ab"},
		{"picture", `<img src="https://track.example/x.png" alt="coins">`, "[image: coins]"},
		{"link that is its text", `<a href="https://a.example/">a.example</a>`, "a.example"},
		{"shortened link", `<a href="https://a.example/long/path"><span class="invisible">https://</span><span>a.example/long</span><span class="invisible">/path</span></a>`, "https://a.example/long/path"},
		{"link that lies", `Win big today <a href="https://bad.example">example.bank</a>`, "Win big today -> link shows example.bank, goes to [bad.example]"},
		{"link with a lying scheme", `<a href="https://bad.example/x">https://example.bank/</a>`, "-> link shows https://example.bank/, goes to [bad.example/x]"},
		{"link with words", `<a href="https://bad.example/x">click here</a>`, "click here [bad.example/x]"},
		{"mention", `<a class="u-url mention" href="https://bad.example/@kim">@<span>kim</span></a>`, "@kim [bad.example]"},
		{"mention of another", `<a href="https://bad.example/@eve">@kim</a>`, "@kim [bad.example/@eve]"},
		{"hashtag", `<a href="https://a.example/tag/go">#Go</a>`, "#Go [a.example]"},
		{"script address", `<a href="javascript:alert(1)">x</a>`, "x [javascript:alert(1)]"},
		{"a link never closed", `<a href="https://b.example">b`, "b [b.example]"},
		{"target with controls", "<a href=\"https://b.example/\x1b]0;x\x07y\">t</a>", "t [b.example/y]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, HTML(tt.markup).String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHTMLNamesWhatTheServerVouchesFor(t *testing.T) {
	names := map[string]string{"https://b.example/@kim": "@kim@b.example", "https://own.example/users/ann": "@ann", "https://own.example/tag/go": "#go"}
	for markup, want := range map[string]string{
		`<a href="https://b.example/@kim">@<span>kim</span></a>`: "@kim@b.example",
		`<a href="https://own.example/users/ann">@ann</a>`:       "@ann",
		`<a href="https://own.example/tag/go">#Go</a>`:           "#go",
		`<a href="https://own.example/tag/go">＃Ｇｏ</a>`:           "#go",
		`<a href="https://b.example/@kim">@eve</a>`:              "@eve [b.example/@kim]",
		`<a href="https://bad.example/@ann">@ann</a>`:            "@ann [bad.example]",
		`<a href="https://own.example/users/ann"></a>`:           "[own.example/users/ann]",
	} {
		if got := HTMLNaming(markup, names).String(); got != want {
			t.Errorf("%s: %q, want %q", markup, got, want)
		}
	}
}

func TestLookalike(t *testing.T) {
	staff := NewStaff([]string{"admin", "tess", "moira"})
	for acct, want := range map[string]string{
		"admin": "", "Admin": "", "admin@bad.example": "admin",
		"admim": "admin", "adm1n": "admin", "a_dmin": "admin", "adrnin": "admin", "аdmin": "admin", "admins": "admin",
		"damin": "admin", "te55": "tess", "tes": "", "juno": "", "rest": "", "moire": "moira",
	} {
		if got := staff.Lookalike(acct); got != want {
			t.Errorf("%q: got %q, want %q", acct, got, want)
		}
	}
	if got := staff.Label("admim").String(); got != " [like: admin]" {
		t.Errorf("label %q", got)
	}
}

func TestJSONIsInertAndExact(t *testing.T) {
	value := "a\x7f\u009b31m\u202e\u2028\U000E0041 plain ж 🚀\x1b"
	document, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	got := JSON(document)
	want := `"a\u007f\u009b31m\u202e\u2028\udb40\udc41 plain ж 🚀\u001b"`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
	var back string
	if err := json.Unmarshal(got, &back); err != nil || back != value {
		t.Errorf("round trip: %q, %v", back, err)
	}
	if got := JSON([]byte("\"\x9b\"")); string(got) != `"\ufffd"` {
		t.Errorf("a byte that is not UTF-8: %q", got)
	}
}

func TestWidths(t *testing.T) {
	for text, want := range map[string]int{"abc": 3, "日本": 4, "e\u0301": 1, "👩\u200d🚀": 4, "": 0} {
		if got := Width(text); got != want {
			t.Errorf("Width(%q) = %d, want %d", text, got, want)
		}
	}
	for _, tt := range []struct {
		text  string
		width int
		want  string
	}{
		{"abcdef", 6, "abcdef"}, {"abcdef", 5, "abcd~"}, {"日本語", 5, "日本~"}, {"日本語", 4, "日~"}, {"ab", 0, ""}, {"日", 1, "~"},
	} {
		if got := Truncate(tt.text, tt.width, "~"); got != tt.want {
			t.Errorf("Truncate(%q, %d) = %q, want %q", tt.text, tt.width, got, tt.want)
		}
	}
	if got := Fit("日本語", 6) + Fit("日本語", 5) + Fit("a", 3); got != "日本語日本~a  " {
		t.Errorf("Fit: %q", got)
	}
}

func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		text  string
		width int
		want  []string
	}{
		{"", 10, []string{""}},
		{"one two three", 7, []string{"one two", "three"}},
		{"one two three", 6, []string{"one", "two", "three"}},
		{"abcdefgh ij", 4, []string{"abcd", "efgh", "ij"}},
		{"a\n\nb", 4, []string{"a", "", "b"}},
		{"日本語 x", 4, []string{"日本", "語 x"}},
		{"a   b", 2, []string{"a", "b"}},
	} {
		if diff := cmp.Diff(tt.want, Wrap(tt.text, tt.width)); diff != "" {
			t.Errorf("%q in %d:\n%s", tt.text, tt.width, diff)
		}
	}
}

var corpus = []string{
	"plain", "\x1b]0;owned\a", "\x1b[2J\x1b[H", "\x1bP+q544e\x1b\\", "\u009b31m", "\x9b31m", "\x1b]52;c;cm0=\x1b\\", "\x1b[?1003h\x1b[>4;2m",
	"\x1b\x1b[[m", "\x1b(0lqk", "\u202eabc\u2066", "e\u0301\u0301\u0301\u0301\u0301\u0301", "\x1b]8;;https://bad.example\x1b\\x\x1b]8;;\x1b\\",
	"👩\u200d👩\u200d👧 \U000E0041", "a\rb\x08\x7f\x0e", "\x1b\u009d\x1b]\x1b", "\x1b]0;\u009b\x18m", "&#27;[31m<a href='\x1b]0;x\a'>example.bank</a>",
}

func FuzzTextIsInert(f *testing.F) {
	for _, text := range corpus {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for kind, out := range map[string]string{
			"text": Text(text), "line": Line(text), "html": HTML(text).String(),
			"cut": Truncate(Text(text), 7, "~"), "wrap": strings.Join(Wrap(Text(text), 9), "\n"),
		} {
			if !utf8.ValidString(out) {
				t.Errorf("%s: not UTF-8: %q", kind, out)
			}
			for _, mode := range []bool{false, true} {
				if changed := drawn(out, mode); changed != "" {
					t.Errorf("%s (8-bit %v): %s by %q from %q", kind, mode, changed, out, text)
				}
			}
		}
		if once := Text(text); Text(once) != once {
			t.Errorf("cleaning twice changes %q", once)
		}
	})
}

func FuzzWrapKeepsTheWidth(f *testing.F) {
	for i, text := range corpus {
		f.Add(text, i+1)
	}
	f.Fuzz(func(t *testing.T, text string, width int) {
		width = 2 + (width&0x7fffffff)%100
		clean := Text(text)
		lines := Wrap(clean, width)
		for _, line := range lines {
			if Width(line) > width {
				t.Errorf("%q takes %d of %d cells", line, Width(line), width)
			}
		}
		if strings.ContainsRune(strings.Join(lines, ""), utf8.RuneError) {
			return // a cluster wider than the line was replaced
		}
		if got, want := strings.Join(strings.Fields(strings.Join(lines, "")), ""), strings.Join(strings.Fields(clean), ""); strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(want, " ", "") {
			t.Errorf("wrapping lost text: %q from %q", got, want)
		}
		if cut := Truncate(Line(text), width, "~"); Width(cut) > width {
			t.Errorf("cut %q takes %d of %d cells", cut, Width(cut), width)
		}
	})
}

func FuzzJSON(f *testing.F) {
	for _, text := range corpus {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		document, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		var want, got string
		if err := json.Unmarshal(document, &want); err != nil {
			t.Fatal(err)
		}
		out := JSON(document)
		if err := json.Unmarshal(out, &got); err != nil || got != want {
			t.Errorf("%q became %q, %v", want, got, err)
		}
		// JSON keeps marks and blanks exact; bytes that control a terminal must
		// go.
		inert := bytes.Map(func(r rune) rune {
			if unicode.Is(unicode.M, r) || r == '\u200b' || r == '\ufeff' {
				return -1
			}
			return r
		}, out)
		if changed := drawn(string(inert), false); changed != "" {
			t.Errorf("%s by %q", changed, out)
		}
		if bytes.ContainsAny(out, "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c") {
			t.Errorf("bidi control in %q", out)
		}
	})
}
