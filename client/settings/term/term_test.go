package term_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client/settings/term"
)

var (
	atom, module, text, integer = term.Atom, term.Module, term.String, term.Integer
	list, tuple, entry          = term.ListOf, term.TupleOf, term.Entry
)

// refused stands for a value that must not be taken.
const refused = ""

var roundTrips = []struct {
	name, sent string
	want       term.Term
	returned   string // = for the same JSON
}{
	{"1 text", `"value"`, text("value"), "="},
	{"2 outer space", `"  padded\n"`, text("padded"), `"padded"`},
	{"2 Unicode space", `"\u2003a b\u00a0"`, text("a b"), `"a b"`},
	{"3 empty", `""`, text(""), "="},
	{"4 atom", `":warn"`, atom("warn"), "="},
	{"5 atom with dots", `":tlsv1.2"`, atom("tlsv1.2"), "="},
	{"6 atom with a space", `":a b"`, atom("a b"), "="},
	{"6 atom in quotes", `":\"a b\""`, atom("a b"), `":a b"`},
	{"7 atom with a colon", `":smile: hi"`, atom("smile: hi"), "="},
	{"8 true", `":true"`, term.Bool(true), `true`},
	{"9 nil", `":nil"`, term.Nil(), `null`},
	{"9 false", `":false"`, term.Bool(false), `false`},
	{"10 natives", `[true,null,150,0.1]`, list(term.Bool(true), term.Nil(), integer(150), term.Float(0.1)), "="},
	{"10 a float stays one", `[1.0,1e3,-0.0]`, list(term.Float(1), term.Float(1000), term.Float(0)), `[1.0,1000.0,0.0]`},
	{"11 module", `"Svc.Upload"`, module("Svc.Upload"), "="},
	{"11 module, in full", `":Elixir.Svc.Upload"`, module("Svc.Upload"), `"Svc.Upload"`},
	{"12 like a module", `"Svc.is up"`, text("Svc.is up"), "="},
	{"12 a space's name alone", `["Svc","Swoosh","Swoosh.Adapters.SMTP"]`, list(text("Svc"), text("Swoosh"), module("Swoosh.Adapters.SMTP")), "="},
	{"13 one of three", `["Oban","Ueberauth","ExSyslogger"]`, list(module("Oban"), module("Ueberauth"), module("ExSyslogger")), "="},
	{"14 other libraries", `"Jason"`, text("Jason"), "="},
	{"15 pattern", `"~r/foo/iu"`, term.Regex("foo", "iu"), "="},
	{"16 slashes", `"~r/https://a.b/"`, term.Regex("https://a.b", ""), `"~r/https:\\/\\/a.b/"`},
	{"17 brackets", `"~r[comp[lL]er]"`, term.Regex("comp[lL]er", ""), `"~r/comp[lL]er/"`},
	{"17 other delimiters, text behind", `"~r{a}i and more"`, term.Regex("a", "i"), `"~r/a/i"`},
	{"17 unlike delimiters", `"~r|a>s"`, term.Regex("a", "s"), `"~r/a/s"`},
	{"18 no pattern", `"~rabc"`, term.Nil(), refused},
	{"18 empty pattern", `"~r//i"`, term.Nil(), refused},
	{"18 broken pattern", `"~r/(a/"`, term.Nil(), refused},
	{"19 empty list", `[]`, list(), "="},
	{"20 tuple", `{"tuple":["v1",":v2",1]}`, tuple(text("v1"), atom("v2"), integer(1)), "="},
	{"21 keyword list", `[{"tuple":[":k","v"]},{"tuple":[":n",null]}]`, term.Keyword(entry(":k", text("v")), entry(":n", term.Nil())), "="},
	{
		"22 schedule", `[{"tuple":["0 0 * * 0","Svc.Workers.Cron.DigestEmailsWorker"]}]`,
		list(tuple(text("0 0 * * 0"), module("Svc.Workers.Cron.DigestEmailsWorker"))), "=",
	},
	{"23 text keys", `{"key":":v"}`, term.MapOf(entry("key", atom("v"))), "="},
	{"24 atom keys", `{":max_options":20}`, term.MapOf(entry(":max_options", integer(20))), "="},
	{
		"25 pattern keys", `{"~r/a.b/s":["Svc.Web.ActivityPub.MRF.DropPolicy"]}`,
		term.MapOf(term.Pair{Key: term.Regex("a.b", "s"), Value: list(module("Svc.Web.ActivityPub.MRF.DropPolicy"))}), "=",
	},
	{
		"25 keys of all kinds", `{"Svc.Upload":1,":a":2,"a":3}`,
		term.MapOf(entry("a", integer(3)), entry(":a", integer(2)), entry("Svc.Upload", integer(1))), `{"a":3,":a":2,"Svc.Upload":1}`,
	},
	{
		"26 proxy here", `{"tuple":[":proxy_url",{"tuple":[":socks5","localhost",1080]}]}`,
		tuple(atom("proxy_url"), tuple(atom("socks5"), atom("localhost"), integer(1080))), "=",
	},
	{
		"27 proxy by address", `{"tuple":[":proxy_url",{"tuple":[":socks5","127.0.0.1",1080]}]}`,
		tuple(atom("proxy_url"), tuple(atom("socks5"), tuple(integer(127), integer(0), integer(0), integer(1)), integer(1080))), "=",
	},
	{
		"27 proxy by IPv6 address", `{"tuple":[":proxy_url",{"tuple":[":http","::1",1]}]}`,
		tuple(atom("proxy_url"), tuple(atom("http"), tuple(integer(0), integer(0), integer(0), integer(0), integer(0), integer(0), integer(0), integer(1)), integer(1))), "=",
	},
	{
		"27 proxy by name", `{"tuple":[":proxy_url",{"tuple":[":socks4","ab",1]}]}`,
		tuple(atom("proxy_url"), tuple(atom("socks4"), list(integer('a'), integer('b')), integer(1))), "=",
	},
	{"27 proxy without a host", `{"tuple":[":proxy_url",{"tuple":[":socks4",5,1]}]}`, term.Nil(), refused},
	{"28 proxy in one text", `{"tuple":[":proxy_url","localhost:9020"]}`, tuple(atom("proxy_url"), text("localhost:9020")), "="},
	{
		"29 address elsewhere", `{"tuple":[":ip",{"tuple":[127,0,0,1]}]}`,
		tuple(atom("ip"), tuple(integer(127), integer(0), integer(0), integer(1))), "=",
	},
	{
		"30 arguments", `{"tuple":[":args",["strip","{\"resize\", \"3840x1080>\"}"]]}`,
		tuple(atom("args"), list(text("strip"), tuple(text("resize"), text("3840x1080>")))), "=",
	},
	{
		"30 arguments in other spacing", `{"tuple":[":args",["{ \"a\\\"\\\\\" ,-07}"]]}`,
		tuple(atom("args"), list(tuple(text(`a"\`), integer(-7)))), `{"tuple":[":args",["{\"a\\\"\\\\\", -7}"]]}`,
	},
	{"30 code as an argument", `{"tuple":[":args",["{System.cmd(\"ls\", [])}"]]}`, term.Nil(), refused},
	{"30 code in an argument", `{"tuple":[":args",["{\"#{1}\"}"]]}`, term.Nil(), refused},
	{"30 argument with a brace", `{"tuple":[":args",["a}"]]}`, term.Nil(), refused},
	{"30 arguments unfinished", `{"tuple":[":args",["{\"a\", }"]]}`, term.Nil(), refused},
	{"30 arguments of other kinds", `{"tuple":[":args","strip"]}`, tuple(atom("args"), text("strip")), "="},
	{
		"31 reference to code", `{"tuple":[":partial_chain","&:hackney_connect.partial_chain/1"]}`,
		tuple(atom("partial_chain"), term.Opaque("&:hackney_connect.partial_chain/1")), "=",
	},
	{"32 members beside tuple", `{"tuple":["a"],"x":1}`, tuple(text("a")), `{"tuple":["a"]}`},
	{"33 tuple of no array", `{"tuple":"a"}`, term.Nil(), refused},
	{"33 tuple as a key", `{" tuple":"a"}`, term.Nil(), refused},
	{"33 one key in two spellings", `{"a":1," a":2}`, term.Nil(), refused},
	{"34 large integer", `12345678901234567890123`, big("12345678901234567890123"), "="},
	{"34 no float is that large", `1e999`, term.Nil(), refused},
	{"no JSON", `{`, term.Nil(), refused},
	{"two values", `1 2`, term.Nil(), refused},
	{"64 levels", strings.Repeat("[", 64) + strings.Repeat("]", 64), nested(64), "="},
	{"65 levels", strings.Repeat("[", 65) + strings.Repeat("]", 65), term.Nil(), refused},
	{"texts of a megabyte with line separators", `"` + strings.Repeat("\u2028a", 1<<18-2) + `"`, text(strings.Repeat("\u2028a", 1<<18-2)[3:]), `"` + strings.Repeat(`a\u2028`, 1<<18-3) + `a"`},
	{"larger than that", `"` + strings.Repeat("a", term.MaxSize) + `"`, term.Nil(), refused},
}

func big(digits string) term.Term {
	t, _ := term.Decode(digits)
	return t
}

func nested(levels int) term.Term {
	t := list()
	for range levels - 1 {
		t = list(t)
	}
	return t
}

func TestValuesComeBackAsTheyWereSent(t *testing.T) {
	for _, tt := range roundTrips {
		t.Run(tt.name, func(t *testing.T) {
			got, err := term.FromJSON(json.RawMessage(tt.sent))
			if tt.returned == refused {
				if err == nil {
					t.Fatalf("%.80s is taken as %s", tt.sent, got.Encode())
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want.Encode(), got.Encode()); diff != "" || !got.Equal(tt.want) {
				t.Errorf("term: %s", diff)
			}
			want := tt.returned
			if want == "=" {
				want = tt.sent
			}
			if diff := cmp.Diff(want, string(got.JSON())); diff != "" {
				t.Errorf("wire form: %s", diff)
			}
			stored, err := term.Decode(got.Encode())
			if err != nil || !stored.Equal(tt.want) {
				t.Errorf("stored %s comes back as %s, %v", got.Encode(), stored.Encode(), err)
			}
		})
	}
}

func TestStorageIsTaggedJSON(t *testing.T) {
	for _, tt := range []struct {
		term term.Term
		want string
	}{
		{text("<a>"), `"<a>"`},
		{integer(-5), `-5`},
		{term.Bool(true), `true`},
		{term.Nil(), `null`},
		{list(text("a")), `["a"]`},
		{atom("warn"), `{"a":"warn"}`},
		{module("Svc.Upload"), `{"m":"Svc.Upload"}`},
		{term.Float(0.1), `{"f":"0.1"}`},
		{term.Regex("a", "i"), `{"r":["a","i"]}`},
		{term.Opaque("x"), `{"o":"x"}`},
		{tuple(integer(1)), `{"t":[1]}`},
		{term.MapOf(entry(":b", integer(1)), entry("a", integer(2)), entry("a", integer(3))), `{"d":[["a",3],[{"a":"b"},1]]}`},
	} {
		if diff := cmp.Diff(tt.want, tt.term.Encode()); diff != "" {
			t.Error(diff)
		}
	}
}

func TestStorageRefusesWhatItNeverWrites(t *testing.T) {
	for _, stored := range []string{``, `{`, `1.5`, `{}`, `{"a":1}`, `{"x":"y"}`, `{"a":"b","m":"c"}`, `{"f":"NaN"}`, `{"f":"x"}`, `{"r":["a"]}`, `{"d":[1]}`, strings.Repeat("[", 100) + strings.Repeat("]", 100)} {
		if got, err := term.Decode(stored); err == nil {
			t.Errorf("%s is read as %s", stored, got.Encode())
		}
	}
}

func TestNames(t *testing.T) {
	for sent, want := range map[string]string{
		":instance": ":instance", "Svc.Upload": "Svc.Upload", "Oban": "Oban", `:"a b"`: ":a b", ":Elixir.Svc.Upload": "Svc.Upload",
		"svc": "", "": "", ":": "", "~r/a/": "", " :a": "", "Jason": "", ":a\x00": "", ":" + strings.Repeat("é", 254): ":" + strings.Repeat("é", 254),
		":" + strings.Repeat("a", 255): "",
	} {
		name, err := term.Name(sent)
		if (err != nil) != (want == "") || err == nil && name.Wire() != want {
			t.Errorf("%.40q is named %.40q, %v", sent, name.Wire(), err)
		}
	}
}

func TestKeywordLists(t *testing.T) {
	for sent, want := range map[string]bool{
		`[]`:                                    true,
		`[{"tuple":[":a",1]}]`:                  true,
		`[{"tuple":["Svc.Upload",1]}]`:          true,
		`[{"tuple":[true,1]},{"tuple":[":b"]}]`: false,
		`[{"tuple":[true,1]}]`:                  true,
		`[{"tuple":["0 0 * * 0",1]}]`:           false,
		`[{"tuple":[":a",1,2]}]`:                false,
		`[1]`:                                   false,
		`{":a":1}`:                              false,
		`{"tuple":[]}`:                          false,
		`"a"`:                                   false,
	} {
		if got := read(t, sent).IsKeyword(); got != want {
			t.Errorf("%s: %v", sent, got)
		}
	}
}

func read(t *testing.T, sent string) term.Term {
	t.Helper()
	value, err := term.FromJSON(json.RawMessage(sent))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func TestEqualTermsAreOfOneKind(t *testing.T) {
	all := []term.Term{
		term.Nil(), term.Bool(false), term.Bool(true), integer(1), term.Float(1), text("1"), text("a"), atom("a"), module("a"), term.Opaque("a"),
		term.Regex("a", ""), term.Regex("a", "i"), list(), tuple(), term.MapOf(), list(atom("a")), tuple(atom("a")), term.MapOf(entry(":a", atom("a"))),
		term.MapOf(entry("a", atom("a"))), list(integer(1), integer(2)), list(integer(2), integer(1)),
	}
	for i, a := range all {
		for j, b := range all {
			if a.Equal(b) != (i == j) || (a.Encode() == b.Encode()) != (i == j) {
				t.Errorf("%s and %s: equal %v", a.Encode(), b.Encode(), a.Equal(b))
			}
		}
	}
	if !read(t, `{":a":1,"b":2}`).Equal(read(t, `{"b":2,":a":1}`)) {
		t.Error("the order of maps counts")
	}
	if !integer(0).Equal(read(t, `-0`)) || term.Float(0).Encode() != read(t, `-0.0`).Encode() {
		t.Error("there are two zeros")
	}
}

func TestPatterns(t *testing.T) {
	for _, tt := range []struct {
		sent, matches, not string
	}{
		{`~r/cheap/i`, "CHEAP watches", "dear"},
		{`~r/a.b/s`, "a\nb", "ab"},
		{`~r/a.b/`, "a b", "a\nb"},
		{`~r/^b$/m`, "a\nb\nc", "abc"},
		{`~r/^é$/u`, "é", "e"},
		{`~r(https?:\/\/x)`, "http://x", "ftp://x"},
	} {
		sent, _ := json.Marshal(tt.sent)
		re, err := read(t, string(sent)).Regexp()
		if err != nil || !re.MatchString(tt.matches) || re.MatchString(tt.not) {
			t.Errorf("%s: %v", tt.sent, err)
		}
	}
	ungreedy, err := term.Regex("a+", "U").Regexp()
	if err != nil || ungreedy.FindString("aaa") != "a" {
		t.Errorf("U: %v", err)
	}
	for source, want := range map[string]string{
		`~r/a b/x`:    `the pattern ~r/a b/x has the modifier x, which this server does not have`,
		`~r/a/if`:     `the pattern ~r/a/if has the modifier f, which this server does not have`,
		`~r/(?=a)/`:   "the pattern ~r/(?=a)/ uses (?=: this server has no look-around and no conditions",
		`~r/(?<!a)b/`: "the pattern ~r/(?<!a)b/ uses (?<!: this server has no look-around and no conditions",
		`~r/(a)\1/`:   `the pattern ~r/(a)\1/ uses \1: this server has no back-references`,
		`~r/[/`:       "the pattern ~r/[/ cannot be read: missing closing ] in [",
		`~rabc`:       `"~rabc" is no pattern: patterns are written ~r/source/modifiers`,
	} {
		sent, _ := json.Marshal(source)
		if _, err := term.FromJSON(sent); err == nil || err.Error() != want {
			t.Errorf("%s: %v", source, err)
		}
	}
	if _, err := text("a").Regexp(); err == nil {
		t.Error("a text is taken for a pattern")
	}
}
