package text

import (
	"regexp"
	"strings"
	"testing"
)

func TestPhrasesAreFoundAsWrittenAndAsWholeWords(t *testing.T) {
	for _, tt := range []struct {
		phrase, in string
		any, whole bool
	}{
		{"cat", "a cat sat", true, true},
		{"cat", "concatenate", true, false},
		{"cat", "concatenate the cat", true, true},
		{"CAT", "Cat!", true, true},
		{"cat", "cat_s", true, true}, // no letter, no digit
		{"cat", "_cat_", true, true},
		{"cat", "cat2", true, false},
		{"cat_", "cat_s", true, true},
		{"c.t", "cat", false, false},
		{"c.t", "c.t", true, true},
		{".*", "anything", false, false},
		{"(", "an ( is no pattern", true, true},
		{"#cat", "a#cat", true, true},
		{"#cat", "#cats", true, false},
		{"c++", "c++11", true, true},
		{"über", "ÜBER alles", true, true},
		{"ber", "über", true, false},
		{"a b", "x a b", true, true},
		{"  cat ", "the cat", true, true},
		{"", "anything", false, false},
		{"cat", "", false, false},
		{"aa", "baaa aa", true, true},
		// Both ends, in any script.
		{"猫", "黒猫だ", true, false},
		{"猫", "黒 猫、だ", true, true},
		{"кот", "скот", true, false},
		{"кот", "котик", true, false},
		{"кот", "«кот»", true, true},
		{"ΣΊΣΥΦΟΣ", "ο σίσυφος", true, true},
		{"किताब", "किताबें", true, false},
		{"किताब", "यह किताब।", true, true},
		{"كتاب", "الكتاب", true, false},
		{"می", "می\u200cخواهم", true, false}, // joined without a look
		{"12", "１２３", true, false},
		{"12", "a ⓬", false, false},
		{"x2", "x²", true, true},
		{"x", "x²", true, false},
		{"strasse", "Straße", true, true},
		// One form.
		{"café", "un cafe\u0301!", true, true},
		{"cafe", "cafe\u0301", false, false},
		{"ｃａｔ", "cat", true, true},
		{"cat", "c\u00ada\u200bt", true, true},
		{"คำ", "คำ\u200bคน", true, true}, // ends a word
		{"two words", "two\n words", true, true},
		{"two words", "two\u00a0words", true, true},
	} {
		if got := NewPhrase(tt.phrase, false).In(ReadText(tt.in)); got != tt.any {
			t.Errorf("%q in %q: %v, want %v", tt.phrase, tt.in, got, tt.any)
		}
		if got := NewPhrase(tt.phrase, true).In(ReadText(tt.in)); got != tt.whole {
			t.Errorf("%q as a word in %q: %v, want %v", tt.phrase, tt.in, got, tt.whole)
		}
	}
}

func phrase(s string) Phrase {
	if strings.HasPrefix(s, "~") {
		return Expression(regexp.MustCompile(s[1:]))
	}
	return ExactPhrase(s)
}

func TestPhrasesAreFoundInWhatHTMLShows(t *testing.T) {
	const tag = `<a href="https://peer.example/tags/badword" class="mention hashtag" rel="tag">#<span>badword</span></a>`
	for _, tt := range []struct {
		phrase, in string
		want       bool
	}{
		{"#badword", tag, true},
		{"#badword", `<a href="/x">#bad<wbr>word</a>`, true},
		{"span", tag, false},
		{"peer.example", tag, false},
		{"cheap & easy", "<p>cheap &amp; easy</p>", true},
		{"amp", "<p>cheap &amp; easy</p>", false},
		{"~two\\s+words", "<p>two<br>words</p>", true},
		{"two words", "<p>two<br>words</p>", true},
		{"twowords", "<p>two</p><p>words</p>", false},
		{"onetwo", "<div>one</div><div>two</div>", false},
		{"badword", "<p>b<b>ad</b>wo<i>rd</i></p>", true},
		{"badword", "<p>bad&shy;wo&#8203;rd</p>", true},
		{"~b.dword", "b\u2060adword", true},
		{"~^badword$", "badword\u200b", true},
		{"~x{200b}", "a\u200bb", false},
		{"~\\x{200b}", "a\u200bb", true}, // as it is shown
		{"caf\u00e9 noir", "<p>cafe\u0301 noir</p>", true},
		{"cafe\u0301 noir", "<p>caf\u00e9 noir</p>", true},
		{"~cafe\u0301", "<p>caf\u00e9</p>", true},
		{"badword", "<p>ｂａｄｗｏｒｄ</p>", true},
		{"Badword", "<p>badword</p>", false},
		{"badword", "<script>badword</script><style>badword</style>", false},
		{"badword", `<img src="/x" alt="a badword">`, true},
		{"", "<p>x</p>", false},
	} {
		if got := phrase(tt.phrase).In(ReadHTML(tt.in)); got != tt.want {
			t.Errorf("%q in %q: %v, want %v", tt.phrase, tt.in, got, tt.want)
		}
	}
}

func TestReplacingLeavesAddresses(t *testing.T) {
	for _, tt := range []struct{ phrase, with, in, want string }{
		{"foo", "bar", "<p>foo &amp; Foo</p>", "<p>bar &amp; Foo</p>"},
		{"foo", "bar", `<a href="https://foo.example/foo" title="foo">my foo</a>`, `<a href="https://foo.example/foo" title="foo">my bar</a>`},
		{"foo", "bar", `<a href="https://foo.example/foo">foo.example/fo…</a> foo`, `<a href="https://foo.example/foo">foo.example/fo…</a> bar`},
		{"foo", "bar", `<a href="https://foo.example/x" rel="nofollow"><span class="invisible">https://</span>foo.example/x</a>`,
			`<a href="https://foo.example/x" rel="nofollow"><span class="invisible">https://</span>foo.example/x</a>`},
		{"foo", "bar", `<a class="u-url mention" href="https://x.example/@foo">@<span>foo</span></a> foo`, `<a class="u-url mention" href="https://x.example/@foo">@<span>foo</span></a> bar`},
		{"foo", "bar", `<a class="hashtag" href="/tag/foo" rel="tag">#foo</a>`, `<a class="hashtag" href="/tag/foo" rel="tag">#foo</a>`},
		{"foo", "bar", `see https://foo.com/foo, foo.com and me@foo.com, foo`, `see https://foo.com/foo, foo.com and me@foo.com, bar`},
		{"foo", "bar", `@foo @foo@foo.example #foo foo`, `@foo @foo@foo.example #foo bar`},
		{"badword", "*", `<p>b<b>ad</b>wo<i>rd!</i></p>`, `<p>*<b></b><i>!</i></p>`},
		{"badword", "*", "bad\u200bword bad\u200bwords", "* *s"},
		{"two words", "one", "<p>two<br>words</p>", "<p>one<br></p>"},
		{"x", "<b>&</b>", "<p>x</p>", "<p>&lt;b&gt;&amp;&lt;/b&gt;</p>"},
		{"é", "e", "cafe\u0301s", "cafes"},
		{"~(\\w+)@(\\w+)", `\2 $2 \1\\`, "me@here", "me@here"},
		{"~(\\w+)=(\\w+)", `\2 $2 \1\\`, "me=here", `here $2 me\\`},
		{"~x", `\9`, "x", ""},
		{"~x*", "y", "axb", "ayb"},
		{"foo", `$1\1`, "a foo foo", `a $1\1 $1\1`},
		{"", "x", "anything", "anything"},
		{"~a.b", "x", "axb ayb", "x x"},
	} {
		if got := phrase(tt.phrase).ReplaceHTML(tt.in, tt.with, nil); got != tt.want {
			t.Errorf("%q with %q in %q:\n%s\nwant\n%s", tt.phrase, tt.with, tt.in, got, tt.want)
		}
	}
	for _, tt := range []struct{ phrase, with, in, want string }{
		{"foo", "bar", "[foo](https://foo.example) <foo> foo", "[bar](https://foo.example) <bar> bar"},
		{"foo", "<b>", "a<b foo", "a<b <b>"},
		{"gone", "", "it is gone.", "it is ."},
	} {
		if got := phrase(tt.phrase).ReplaceText(tt.in, tt.with, nil); got != tt.want {
			t.Errorf("%q with %q in %q:\n%s\nwant\n%s", tt.phrase, tt.with, tt.in, got, tt.want)
		}
	}
}

// A phrase found as a whole word is also found as a part, and no input crashes it.
func FuzzPhrases(f *testing.F) {
	f.Add("cat", "the cat")
	f.Add("\xff", "a\xffb")
	f.Add("bad", "<p>b<b>a</b>d <a href=\"https://bad.example\">bad</a>")
	f.Add("é", "e\u0301\u200b")
	f.Fuzz(func(t *testing.T, s, in string) {
		anywhere := NewPhrase(s, false).In(ReadText(in))
		if NewPhrase(s, true).In(ReadText(in)) && !anywhere {
			t.Errorf("%q is a word of %q, but not in it", s, in)
		}
		exact := ExactPhrase(s)
		exact.In(ReadHTML(in))
		if got := exact.ReplaceHTML(in, "", nil); !exact.In(ReadHTML(in)) && got != in {
			t.Errorf("%q without %q, which it has not, is %q", in, s, got)
		}
		exact.ReplaceText(in, "x", nil)
	})
}
