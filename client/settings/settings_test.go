package settings

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func value(t testing.TB, doc string) Value {
	t.Helper()
	v, err := ParseJSON([]byte(doc))
	if err != nil {
		t.Fatalf("%s: %v", doc, err)
	}
	return v
}

func wire(t testing.TB, v any) string {
	t.Helper()
	doc, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(doc)
}

func read(t testing.TB, doc string) []Setting {
	t.Helper()
	all, err := Read([]byte(doc))
	if err != nil {
		t.Fatalf("%s\n%v", doc, err)
	}
	return all
}

// TestShortFormSaysWhatTheBodySays compares the two forms of the same settings.
func TestShortFormSaysWhatTheBodySays(t *testing.T) {
	tests := []struct{ short, body string }{
		{":svc:\n  :instance:\n    :limit: 3000\n    :name: My node\n",
			`[{"group":":svc","key":":instance","value":[{"tuple":[":limit",3000]},{"tuple":[":name","My node"]}]}]`},
		{":svc:\n  :instance:\n    :poll_limits: !map\n      :max_options: 10\n      :min_expiration: 300\n",
			`[{"group":":svc","key":":instance","value":[{"tuple":[":poll_limits",{":max_options":10,":min_expiration":300}]}]}]`},
		{":svc:\n  :rate_limit:\n    :authentication: !tuple [60000, 5]\n    :search:\n      - !tuple [1000, 5]\n      - !tuple [1000, 60]\n",
			`[{"group":":svc","key":":rate_limit","value":[{"tuple":[":authentication",{"tuple":[60000,5]}]},{"tuple":[":search",[{"tuple":[1000,5]},{"tuple":[1000,60]}]]}]}]`},
		{":cors_plug:\n  :max_age: 600\n:logger:\n  :console:\n    :level: :warn\n",
			`[{"group":":cors_plug","key":":max_age","value":600},{"group":":logger","key":":console","value":[{"tuple":[":level",":warn"]}]}]`},
		{":svc:\n  Svc.Upload:\n    :uploader: Svc.Uploaders.S3\n    :filters: []\n",
			`[{"group":":svc","key":"Svc.Upload","value":[{"tuple":[":uploader","Svc.Uploaders.S3"]},{"tuple":[":filters",[]]}]}]`},
		{":svc:\n  :http:\n    :proxy_url: !tuple [':socks5', 127.0.0.1, 9050]\n",
			`[{"group":":svc","key":":http","value":[{"tuple":[":proxy_url",{"tuple":[":socks5","127.0.0.1",9050]}]}]}]`},
		{":svc:\n  :mrf_keyword:\n    :replace:\n      - !tuple [foo, bar]\n",
			`[{"group":":svc","key":":mrf_keyword","value":[{"tuple":[":replace",[{"tuple":["foo","bar"]}]]}]}]`},
		{":svc:\n  :frontends:\n    :primary:\n      name: svc-fe\n      ref: stable\n",
			`[{"group":":svc","key":":frontends","value":[{"tuple":[":primary",{"name":"svc-fe","ref":"stable"}]}]}]`},
		{":svc:\n  :x:\n    :empty: {}\n    :text: \"12\"\n    :float: 0.10\n    :big: 12345678901234567890123\n    :none: null\n    :yes: \"true\"\n",
			`[{"group":":svc","key":":x","value":[{"tuple":[":empty",{}]},{"tuple":[":text","12"]},{"tuple":[":float",0.10]},{"tuple":[":big",12345678901234567890123]},{"tuple":[":none",null]},{"tuple":[":yes","true"]}]}]`},
		{":svc:\n  :instance:\n    :limit: !unset\n  :chat: !unset\n",
			`[{"group":":svc","key":":instance","delete":true,"subkeys":[":limit"]},{"group":":svc","key":":chat","delete":true}]`},
		{":svc:\n  :instance:\n    :name: x\n    :limit: !unset\n",
			`[{"group":":svc","key":":instance","delete":true,"subkeys":[":limit"]},{"group":":svc","key":":instance","value":[{"tuple":[":name","x"]}]}]`},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.body, wire(t, read(t, tt.short))); diff != "" {
			t.Errorf("%s(-want +got):\n%s", tt.short, diff)
		}
		for _, body := range []string{tt.body, `{"configs":` + tt.body + `,"need_reboot":false}`} {
			if got := wire(t, read(t, body)); got != tt.body {
				t.Errorf("the body reads as\n%s\nwant\n%s", got, tt.body)
			}
		}
		written, err := Write(read(t, tt.body))
		if err != nil {
			t.Fatal(err)
		}
		if got := wire(t, read(t, string(written))); got != tt.body {
			t.Errorf("written as\n%s\nit reads as\n%s\nwant\n%s", written, got, tt.body)
		}
		if strings.Count(tt.body, "unset") == 0 && string(written) != tt.short && strings.Count(tt.short, "unset") == 0 {
			if diff := cmp.Diff(tt.short, string(written)); diff != "" {
				t.Errorf("written (-want +got):\n%s", diff)
			}
		}
	}
}

func TestFilesThatMakeNoSenseNameTheLine(t *testing.T) {
	tests := []struct{ file, want string }{
		{":svc:\n  :a: 1\n  :a: 2\n", "line 3: :a stands twice"},
		{"svc:\n  :a: 1\n", `line 1: group "svc": groups begin with a colon, like :svc`},
		{":svc:\n  a: 1\n", `line 2: key "a": keys begin with a colon, like :instance, or name a module`},
		{":svc: 3\n", "line 1: :svc: a mapping of keys is wanted"},
		{":svc:\n  :a: !set [1]\n", "line 2: !set: !tuple before a list and !map before a mapping are accepted"},
		{":svc:\n  :a:\n    :b:\n      :c: !unset\n", "line 4: only keys and their first-level entries can be !unset"},
		{":svc:\n  :a: null\n", "line 2: :svc :a: null cannot be saved; !unset takes a setting away"},
		{":svc:\n  :a: .inf\n", "line 2: .inf is no number that JSON knows; quote it to make it text"},
		{`{"configs":[{"group":":svc","key":":a"}]}`, "line 1: :svc :a: a value is missing"},
		{`{"configs":[{"group":"svc","key":":a","value":1}]}`, "line 1: group and key begin with a colon, like :svc, or name a module"},
		{"a\n", "line 1: settings are a mapping of groups"},
		{":a: 1\n---\n:b: 2\n", "there is more than one document"},
	}
	for _, tt := range tests {
		if _, err := Read([]byte(tt.file)); err == nil || err.Error() != tt.want {
			t.Errorf("%s: got %v, want %s", tt.file, err, tt.want)
		}
	}
	if all, err := Read([]byte("# nothing\n")); err != nil || all != nil {
		t.Errorf("an empty file: %v, %v", all, err)
	}
}

func TestPlanSaysWhatPostingWouldChange(t *testing.T) {
	saved := read(t, `
:svc:
  :instance: {":limit": 3000, ":chat_limit": 1000}
  :welcome:
    :direct_message: {":enabled": true, ":message": Hello}
  :mrf_keyword:
    :replace: {":a": 1, ":b": 2}
    :reject: ["~r/https:\\/\\/a.b/"]
  Svc.Emails.Mailer: {":password": s3cret, ":port": 25}
:cors_plug:
  :max_age: 600
  :methods: [GET]
`)
	tests := []struct {
		name, file string
		prune      bool
		want       string
	}{
		{"what is so already needs nothing", ":svc:\n  :instance:\n    :limit: 3000\n", false, `[]`},
		{"one subkey alone is sent", ":svc:\n  :instance:\n    :limit: 3000\n    :chat_limit: 7\n", false,
			`[{"group":":svc","key":":instance","value":[{"tuple":[":chat_limit",7]}]}]`},
		{"inner keyword lists merge", ":svc:\n  :welcome:\n    :direct_message:\n      :message: Hello\n", false, `[]`},
		{"some keyword lists are replaced whole", ":svc:\n  :mrf_keyword:\n    :replace:\n      :a: 1\n", false,
			`[{"group":":svc","key":":mrf_keyword","value":[{"tuple":[":replace",[{"tuple":[":a",1]}]]}]}]`},
		{"regexes are compared as the server writes them", ":svc:\n  :mrf_keyword:\n    :reject: ['~r/https://a.b/']\n", false, `[]`},
		{"whole values are replaced", ":cors_plug:\n  :max_age: 5\n  :methods: [GET]\n", false,
			`[{"group":":cors_plug","key":":max_age","value":5}]`},
		{"a mask keeps the secret", ":svc:\n  Svc.Emails.Mailer:\n    :password: '********'\n    :port: 25\n", false, `[]`},
		{"a new key is made", ":svc:\n  :chat:\n    :enabled: false\n", false,
			`[{"group":":svc","key":":chat","value":[{"tuple":[":enabled",false]}]}]`},
		{"unsetting what is not there is nothing", ":svc:\n  :chat: !unset\n  :instance:\n    :name: !unset\n", false, `[]`},
		{"subkeys of one setting go together", ":svc:\n  :instance:\n    :limit: !unset\n    :chat_limit: !unset\n", false,
			`[{"group":":svc","key":":instance","delete":true,"subkeys":[":limit",":chat_limit"]}]`},
		{"pruning takes the rest away", ":svc:\n  :instance:\n    :limit: 3000\n", true,
			`[{"group":":svc","key":":instance","delete":true,"subkeys":[":chat_limit"]},` +
				`{"group":":svc","key":":welcome","delete":true},{"group":":svc","key":":mrf_keyword","delete":true},` +
				`{"group":":svc","key":"Svc.Emails.Mailer","delete":true},` +
				`{"group":":cors_plug","key":":max_age","delete":true},{"group":":cors_plug","key":":methods","delete":true}]`},
	}
	for _, tt := range tests {
		changes, err := Plan(saved, read(t, tt.file), tt.prune)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		got := Request(changes)
		if got == nil {
			got = []Setting{}
		}
		if diff := cmp.Diff(tt.want, wire(t, got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	_, err := Plan(saved, read(t, ":svc:\n  :admin_token: '********'\n"), false)
	if err == nil || err.Error() != "config/:svc/:admin_token is masked in the file, and nothing is saved for it" {
		t.Errorf("a mask over nothing: %v", err)
	}
}

func TestDriftIsWhatTheFileSaysAndTheServerDoesNot(t *testing.T) {
	effective := read(t, ":svc:\n  :instance:\n    :limit: 5000\n    :name: Svc\n  :welcome:\n    :email: {\":enabled\": false, \":subject\": Hi}\n")
	tests := []struct {
		file string
		want []string
	}{
		{":svc:\n  :instance:\n    :limit: 5000\n", nil},
		{":svc:\n  :instance:\n    :limit: 3000\n", []string{"config/:svc/:instance/:limit"}},
		{":svc:\n  :welcome:\n    :email:\n      :subject: Hi\n", nil},
		{":svc:\n  :welcome:\n    :email:\n      :subject: Ho\n", []string{"config/:svc/:welcome/:email"}},
		{":svc:\n  :gone: 1\n  :instance: !unset\n", []string{"config/:svc/:gone"}},
	}
	for _, tt := range tests {
		var got []string
		for _, c := range Drift(effective, read(t, tt.file)) {
			got = append(got, c.Name())
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s(-want +got):\n%s", tt.file, diff)
		}
	}
}

func TestPutSendsAsLittleAsWillDo(t *testing.T) {
	tests := []struct{ group, key, current, path, v, want string }{
		{":svc", ":instance", `[{"tuple":[":limit",1]},{"tuple":[":name","x"]}]`, ":limit", `2`, `[{"tuple":[":limit",2]}]`},
		{":svc", ":instance", `[{"tuple":[":poll_limits",{":a":1,":b":2}]}]`, ":poll_limits :b", `3`,
			`[{"tuple":[":poll_limits",{":a":1,":b":3}]}]`},
		{":svc", ":welcome", `[{"tuple":[":email",[{"tuple":[":a",1]},{"tuple":[":b",2]}]]}]`, ":email :b", `3`,
			`[{"tuple":[":email",[{"tuple":[":b",3]}]]}]`},
		{":svc", ":workers", `[{"tuple":[":retries",[{"tuple":[":a",1]},{"tuple":[":b",2]}]]}]`, ":retries :b", `3`,
			`[{"tuple":[":retries",[{"tuple":[":a",1]},{"tuple":[":b",3]}]]}]`},
		{":svc", ":frontends", `[{"tuple":[":primary",{"name":"a","ref":"b"}]}]`, ":primary :ref", `"c"`,
			`[{"tuple":[":primary",{"name":"a","ref":"c"}]}]`},
		{":cors_plug", ":max_age", `1`, "", `2`, `2`},
		{":svc", ":new", `null`, ":a :b", `1`, `[{"tuple":[":a",[{"tuple":[":b",1]}]]}]`},
	}
	for _, tt := range tests {
		got := Put(tt.group, tt.key, value(t, tt.current), strings.Fields(tt.path), value(t, tt.v))
		if wire(t, got) != tt.want {
			t.Errorf("%s %s %s: %s, want %s", tt.group, tt.key, tt.path, wire(t, got), tt.want)
		}
	}
}

func TestNamesReadBack(t *testing.T) {
	for _, path := range [][]string{{":svc", ":instance"}, {":svc", "Svc.Upload", ":a/b%2F"}} {
		got, err := ParseName(Name(path[0], path[1], path[2:]...))
		if diff := cmp.Diff(path, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
	for _, bad := range []string{"config/:svc", "user/kim/x", "config/:svc//", ":svc"} {
		if got, err := ParseName(bad); err == nil {
			t.Errorf("%s reads as %q", bad, got)
		}
	}
}

func TestRebootIsAskedForBySubkey(t *testing.T) {
	tests := []struct {
		group, key, sub string
		want            bool
	}{
		{":svc", ":instance", ":upload_limit", true}, {":svc", ":instance", ":limit", false},
		{":svc", ":rate_limit", ":search", true}, {":svc", "Oban", "", true}, {":svc", "Svc.Upload", ":proxy_remote", true},
		{":other", ":chat", "", false},
	}
	for _, tt := range tests {
		if got := (Change{Group: tt.group, Key: tt.key, Sub: tt.sub}).Reboot(); got != tt.want {
			t.Errorf("%s %s %s: %t", tt.group, tt.key, tt.sub, got)
		}
	}
}

func TestParseReadsValuesOnOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"3000": `3000`, "yes it is": `"yes it is"`, ":warn": `":warn"`, "[a, b]": `["a","b"]`,
		"!tuple [60000, 5]": `{"tuple":[60000,5]}`, `{":a": 1}`: `[{"tuple":[":a",1]}]`, `!map {":a": 1}`: `{":a":1}`,
		`{"tuple":[":a",1]}`: `{"tuple":[":a",1]}`,
	} {
		v, err := Parse(text)
		if err != nil || wire(t, v) != want {
			t.Errorf("%s: %s, %v, want %s", text, wire(t, v), err, want)
		}
		again, err := Parse(v.Short())
		if err != nil || !again.Equal(v) {
			t.Errorf("%s: shown as %s, read as %s, %v", text, v.Short(), wire(t, again), err)
		}
	}
}

// random is a value of bounded depth, of the kinds in settings.
func random(r *rand.Rand, depth int) Value {
	texts := []string{"", "a", ":warn", "Svc.Upload", "~r/a\\/b/i", "12", "true", "null", "a: b", "# x", " pad ", "two\nlines", "\x1b[2J", "tab\there", "!tuple", "&a", "*a", "-", "é", "{", "\u202e", ":a b"}
	switch n := r.IntN(10); {
	case n < 3 || depth == 0:
		return Textual(texts[r.IntN(len(texts))])
	case n == 3:
		return Numeric([]string{"0", "-5", "0.10", "1e3", "1.0", "12345678901234567890123"}[r.IntN(6)])
	case n == 4:
		return []Value{Boolean(true), Boolean(false), {}}[r.IntN(3)]
	case n == 5:
		v := Value{kind: Map}
		for i := range r.IntN(3) {
			v.keys = append(v.keys, texts[r.IntN(len(texts))]+fmt.Sprint(i))
			v.items = append(v.items, random(r, depth-1))
		}
		return v
	default:
		v := Value{kind: []Kind{List, Tuple}[r.IntN(2)]}
		for range r.IntN(4) {
			item := random(r, depth-1)
			if n > 7 {
				item = Pair([]string{":a", ":b", ":c", "Oban"}[r.IntN(4)], item)
			}
			v.items = append(v.items, item)
		}
		return v
	}
}

func TestAnyValueSurvivesTheShortForm(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		v := random(r, 4)
		if v.kind == Null {
			continue
		}
		want := []Setting{{Group: ":svc", Key: ":k", Value: &v}}
		doc, err := Write(want)
		if err != nil {
			t.Fatalf("%s: %v", wire(t, v), err)
		}
		got, err := Read(doc)
		if err != nil {
			t.Fatalf("%s\nwritten as\n%s\n%v", wire(t, v), doc, err)
		}
		if diff := cmp.Diff(wire(t, want), wire(t, got)); diff != "" {
			t.Fatalf("written as\n%s(-want +got):\n%s", doc, diff)
		}
	}
}

func FuzzReadNeverPanics(f *testing.F) {
	f.Add(":svc:\n  :a: !tuple [1, {:b: !unset}]\n")
	f.Add(`{"configs":[{"group":":svc","key":":a","value":{"tuple":[1]}}]}`)
	f.Fuzz(func(t *testing.T, doc string) {
		all, err := Read([]byte(doc))
		if err != nil {
			return
		}
		changes, err := Plan(all, all, true)
		if err == nil && len(Request(changes)) > len(all)+len(changes) {
			t.Errorf("%d settings make %d items", len(all), len(Request(changes)))
		}
		Drift(all, all)
	})
}

// TestTheDocumentedFileSaysWhatThePageClaims reads the example of the manual.
func TestTheDocumentedFileSaysWhatThePageClaims(t *testing.T) {
	page, err := os.ReadFile("../../docs/config.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(page), "```yaml\n")
	example, _, ended := strings.Cut(rest, "```")
	if !ok || !ended {
		t.Fatal("docs/config.md has no example in YAML")
	}
	all := read(t, example)
	written, err := Write(all)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(example, string(written)); diff != "" {
		t.Errorf("the example, written again (-want +got):\n%s", diff)
	}
	if v, ok := Find(all, ":svc", ":instance").Value.At(":poll_limits", ":max_options"); !ok || v.Text() != "10" {
		t.Errorf(":max_options is %+v", v)
	}
}
