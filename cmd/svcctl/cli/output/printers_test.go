package output

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var now = time.Date(2026, 1, 31, 12, 4, 0, 0, time.UTC)

// post is a kind of object with text of a stranger.
type post struct {
	ID     string    `json:"id"`
	Likes  int       `json:"likes"`
	At     time.Time `json:"at"`
	Author struct {
		Acct string `json:"acct"`
	} `json:"author"`
	Text string `json:"text,omitempty"`

	raw json.RawMessage
}

var posts = Shape[post]{
	Plural: "posts",
	Name:   func(p post) string { return "post/" + p.ID },
	Raw:    func(p post) json.RawMessage { return p.raw },
	Columns: []Column[post]{
		{Head: Head{Title: "ID"}, Cell: func(_ *Printer, p post) string { return p.ID }},
		{Head: Head{Title: "AT"}, Cell: func(p *Printer, item post) string { return p.When(item.At) }},
		{Head: Head{Title: "LIKES", Wide: true}, Cell: func(_ *Printer, p post) string { return fmt.Sprint(p.Likes) }},
		{Head: Head{Title: "TEXT"}, Cell: func(_ *Printer, p post) string { return p.Text }},
	},
}

// read makes posts of JSON, as a client does.
func read(t *testing.T, docs ...string) []post {
	t.Helper()
	items := make([]post, len(docs))
	for i, doc := range docs {
		if err := json.Unmarshal([]byte(doc), &items[i]); err != nil {
			t.Fatal(err)
		}
		items[i].raw = json.RawMessage(doc)
	}
	return items
}

func three(t *testing.T) []post {
	return read(t,
		`{"id":"a","likes":10,"at":"2026-01-31T11:00:00Z","author":{"acct":"kim"},"text":"two\nlines"}`,
		`{"id":"bb","likes":9,"at":"2026-01-29T00:00:00Z","author":{"acct":"=joe"},"text":"\u001b[2J\u202eevil","new":1.50}`,
		`{"id":"c","likes":100,"text":"=1+1"}`,
	)
}

// printed is the output for a list of items; the server knows of one more.
func printed(t *testing.T, opts Options, screen Screen, items []post) string {
	t.Helper()
	var out bytes.Buffer
	p, err := New(&out, opts, screen, now)
	if err != nil {
		t.Fatalf("%+v: %v", opts, err)
	}
	posts.Begin(p)
	for _, item := range items {
		if err := posts.Add(p, item); err != nil {
			t.Fatalf("%+v: %v", opts, err)
		}
	}
	if err := p.End(Listing{Total: len(items) + 1}); err != nil {
		t.Fatalf("%+v: %v", opts, err)
	}
	return out.String()
}

func TestAListInEveryFormat(t *testing.T) {
	want := map[string]string{
		"table": "ID  AT                    TEXT\n" +
			"a   2026-01-31T11:00:00Z  two lines\n" +
			"bb  2026-01-29T00:00:00Z  <U+202E>evil\n" +
			"c                         =1+1\n",
		"wide": "ID  AT                    LIKES  TEXT\n" +
			"a   2026-01-31T11:00:00Z  10     two lines\n" +
			"bb  2026-01-29T00:00:00Z  9      <U+202E>evil\n" +
			"c                         100    =1+1\n",
		"json": `[
  {
    "id": "a",
    "likes": 10,
    "at": "2026-01-31T11:00:00Z",
    "author": {
      "acct": "kim"
    },
    "text": "two\nlines"
  },
  {
    "id": "bb",
    "likes": 9,
    "at": "2026-01-29T00:00:00Z",
    "author": {
      "acct": "=joe"
    },
    "text": "\u001b[2J\u202eevil",
    "new": 1.50
  },
  {
    "id": "c",
    "likes": 100,
    "text": "=1+1"
  }
]
`,
		"jsonl": `{"id":"a","likes":10,"at":"2026-01-31T11:00:00Z","author":{"acct":"kim"},"text":"two\nlines"}
{"id":"bb","likes":9,"at":"2026-01-29T00:00:00Z","author":{"acct":"=joe"},"text":"\u001b[2J\u202eevil","new":1.50}
{"id":"c","likes":100,"text":"=1+1"}
`,
		"yaml": `- id: a
  likes: 10
  at: "2026-01-31T11:00:00Z"
  author:
    acct: kim
  text: |-
    two
    lines
- id: bb
  likes: 9
  at: "2026-01-29T00:00:00Z"
  author:
    acct: =joe
  text: "\e[2J\u202Eevil"
  new: 1.50
- id: c
  likes: 100
  text: =1+1
`,
		"csv": "id,at,likes,text\n" +
			"a,2026-01-31T11:00:00Z,10,two lines\n" +
			"bb,2026-01-29T00:00:00Z,9,<U+202E>evil\n" +
			"c,,100,'=1+1\n",
		"tsv": "id\tat\tlikes\ttext\n" +
			"a\t2026-01-31T11:00:00Z\t10\ttwo lines\n" +
			"bb\t2026-01-29T00:00:00Z\t9\t<U+202E>evil\n" +
			"c\t\t100\t=1+1\n",
		"name": "post/a\npost/bb\npost/c\n",
	}
	got := map[string]string{}
	for _, format := range Formats() {
		got[format] = printed(t, Options{Format: format}, Screen{}, three(t))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAnEmptyListIsWellFormed(t *testing.T) {
	for _, by := range []string{"", "id"} { // streamed, and kept back
		want := map[string]string{
			"table": "", "wide": "", "json": "[]\n", "jsonl": "", "yaml": "[]\n", "name": "",
			"csv": "id,at,likes,text\n", "tsv": "id\tat\tlikes\ttext\n",
		}
		got := map[string]string{}
		for _, format := range Formats() {
			got[format] = printed(t, Options{Format: format, Sort: by}, Screen{}, nil)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("sorted by %q (-want +got):\n%s", by, diff)
		}
	}
}

func TestATerminalGetsAgesBoldHeadsAndLinesThatFit(t *testing.T) {
	var left []string
	screen := Screen{Terminal: true, Color: true, Width: 20, Note: func(text string) { left = append(left, text) }}
	want := "\x1b[1mID  AT  TEXT\x1b[0m\n" +
		"a   1h  two lines\n" +
		"bb  2d  <U+202E>evil\n" +
		"c       =1+1\n"
	if diff := cmp.Diff(want, printed(t, Options{}, screen, three(t))); diff != "" || len(left) > 0 {
		t.Errorf("table: left out %q (-want +got):\n%s", left, diff)
	}
	screen.Width = 15
	want = "\x1b[1mID  TEXT\x1b[0m\n" +
		"a   two lines\n" +
		"bb  <U+202E>ev~\n" +
		"c   =1+1\n"
	if diff := cmp.Diff(want, printed(t, Options{}, screen, three(t))); diff != "" || len(left) != 1 || left[0] != "no room for AT; --fields chooses" {
		t.Errorf("narrow table: left out %q (-want +got):\n%s", left, diff)
	}
	screen.Width = 10
	if got := printed(t, Options{}, screen, three(t)[:1]); got != "\x1b[1mID\x1b[0m\na\n" {
		t.Errorf("very narrow table: %q", got)
	}
	want = printed(t, Options{Format: "csv"}, Screen{}, three(t))
	if diff := cmp.Diff(want, printed(t, Options{Format: "csv"}, screen, three(t))); diff != "" {
		t.Errorf("csv for programs differs on a terminal (-pipe +terminal):\n%s", diff)
	}
}

func TestWhatOptionsMakeOfAList(t *testing.T) {
	tests := []struct {
		opts Options
		want string
	}{
		{Options{Quiet: true}, ""},
		{Options{Quiet: true, Count: true}, ""},
		{Options{Count: true, Format: "json"}, "3\n"},
		{Options{NoHeaders: true, Fields: "likes"}, "10\n9\n100\n"},
		{Options{Format: "csv", CSVRaw: true, Fields: "author.acct,text", NoHeaders: true}, "kim,two lines\n=joe,<U+202E>evil\n,=1+1\n"},
		{Options{Format: "csv", Fields: "author.acct"}, "author.acct\nkim\n'=joe\n\n"},
		{Options{Format: "jsonl", Fields: "author.acct,new"}, `{"author.acct":"kim","new":null}` + "\n" + `{"author.acct":"=joe","new":1.50}` + "\n" + `{"author.acct":null,"new":null}` + "\n"},
		{Options{Format: "name", Sort: "likes"}, "post/bb\npost/a\npost/c\n"},
		{Options{Format: "name", Sort: "-likes"}, "post/c\npost/a\npost/bb\n"},
		{Options{Format: "name", Sort: "author.acct"}, "post/bb\npost/a\npost/c\n"},
		{Options{Format: "name", Sort: "-author.acct"}, "post/a\npost/bb\npost/c\n"}, // without one: last all the same
		{Options{Format: "table", Sort: "at", Fields: "id,at", NoHeaders: true}, "bb  2026-01-29T00:00:00Z\na   2026-01-31T11:00:00Z\nc\n"},
		{Options{JQ: "map(.likes)|add"}, "119\n"},
		{Options{JQ: ".[].text"}, "two\nlines\n<U+202E>evil\n=1+1\n"},
		{Options{JQ: ".[1].new"}, "1.50\n"},
		{Options{Format: "jsonl", JQ: "[.id,.likes]|@tsv"}, "a\t10\nbb\t9\nc\t100\n"},
		{Options{JQ: ".[0].id, halt, .[1].id"}, "a\n"},
		{Options{Template: "{{range .}}{{upper .id}}={{.likes}} {{end}}"}, "A=10 BB=9 C=100 "},
		{Options{Format: "jsonl", Template: "{{json .id}};"}, `"a";"bb";"c";`},
		{Options{Envelope: true, JQ: "del(.items)|tojson"}, `{"complete":false,"total":4}` + "\n"},
		{Options{Envelope: true, Format: "yaml", Fields: "id"}, "total: 4\ncomplete: false\nitems:\n  - id: a\n  - id: bb\n  - id: c\n"},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, printed(t, tt.opts, Screen{}, three(t))); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", tt.opts, diff)
		}
	}
}

func TestOptionsThatMakeNoSenseAreRefused(t *testing.T) {
	tests := []struct {
		opts Options
		want string
	}{
		{Options{Format: "xml"}, `output "xml": table, wide, json, jsonl, yaml, csv, tsv, name are accepted`},
		{Options{JQ: ".", Template: "x"}, "--jq and --template exclude each other"},
		{Options{Format: "csv", JQ: "."}, "--jq and --template work on json and jsonl, not on csv"},
		{Options{Format: "table", Template: "x"}, "--jq and --template work on json and jsonl, not on table"},
		{Options{Format: "jsonl", Envelope: true}, "--envelope works with json and yaml, not with jsonl"},
		{Options{JQ: ".["}, "--jq: unexpected EOF"},
		{Options{JQ: "nothing"}, "--jq: function not defined: nothing/0"},
		{Options{Template: "{{"}, "--template: template:1: unclosed action"},
		{Options{Fields: "a..b"}, `field "a..b": names joined by dots are accepted, like account.acct`},
	}
	for _, tt := range tests {
		_, err := New(io.Discard, tt.opts, Screen{}, now)
		var usage *UsageError
		if !errors.As(err, &usage) || usage.Message != tt.want {
			t.Errorf("%+v: %v, want %s", tt.opts, err, tt.want)
		}
	}
	p, err := New(io.Discard, Options{Sort: ".id"}, Screen{}, now)
	if err != nil {
		t.Fatal(err)
	}
	var usage *UsageError
	if err := posts.Print(p, three(t), false); !errors.As(err, &usage) {
		t.Errorf("sorted by .id: %v", err)
	}
}

func TestAFailingFilterIsNoMistakeAtTheKeyboard(t *testing.T) {
	p, err := New(io.Discard, Options{JQ: `error("no")`}, Screen{}, now)
	if err != nil {
		t.Fatal(err)
	}
	err = posts.Print(p, three(t), false)
	var usage *UsageError
	if err == nil || errors.As(err, &usage) || !strings.HasPrefix(err.Error(), "--jq: ") {
		t.Errorf("got %v", err)
	}
}

func TestASingleObjectIsNoList(t *testing.T) {
	for format, want := range map[string]string{
		"json":  "{\n  \"id\": \"c\",\n  \"likes\": 100,\n  \"text\": \"=1+1\"\n}\n",
		"yaml":  "id: c\nlikes: 100\ntext: =1+1\n",
		"jsonl": `{"id":"c","likes":100,"text":"=1+1"}` + "\n",
		"tsv":   "id\tat\tlikes\ttext\nc\t\t100\t=1+1\n",
	} {
		var out bytes.Buffer
		p, err := New(&out, Options{Format: format}, Screen{}, now)
		if err != nil {
			t.Fatal(err)
		}
		if err := posts.Print(p, three(t)[2:], true); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", format, diff)
		}
	}
}

func TestAListThatBreaksOffIsWellFormed(t *testing.T) {
	for opts, want := range map[Options]string{
		{Format: "json"}:                 "[\n  {\n    \"id\": \"c\",\n    \"likes\": 100,\n    \"text\": \"=1+1\"\n  }\n]\n",
		{Format: "yaml", Envelope: true}: "total: null\ncomplete: false\nitems:\n  - id: c\n    likes: 100\n    text: =1+1\n",
	} {
		var out bytes.Buffer
		p, err := New(&out, opts, Screen{}, now)
		if err != nil {
			t.Fatal(err)
		}
		posts.Begin(p)
		if err := posts.Add(p, three(t)[2]); err != nil {
			t.Fatal(err)
		}
		if err := p.End(Listing{Total: -1}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, out.String()); diff != "" || p.Added() != 1 {
			t.Errorf("%+v: %d added (-want +got):\n%s", opts, p.Added(), diff)
		}
	}
}

// refusing fails from the second write on, as a closed pipe does.
type refusing struct{ writes int }

var errPipe = errors.New("closed")

func (w *refusing) Write(b []byte) (int, error) {
	if w.writes++; w.writes > 1 {
		return 0, errPipe
	}
	return len(b), nil
}

func TestListsStreamAndStopAtAClosedPipe(t *testing.T) {
	for _, format := range []string{"json", "jsonl", "csv", "tsv", "name"} {
		p, err := New(&refusing{}, Options{Format: format}, Screen{}, now)
		if err != nil {
			t.Fatal(err)
		}
		posts.Begin(p)
		for _, item := range three(t) {
			if err = posts.Add(p, item); err != nil {
				break
			}
		}
		if !errors.Is(err, errPipe) {
			t.Errorf("%s: %v, want %v while items come", format, err, errPipe)
		}
	}
}

func TestMachine(t *testing.T) {
	for opts, want := range map[Options]bool{
		{}:                               false,
		{Format: "table"}:                false,
		{Format: "yaml"}:                 false,
		{Format: "json"}:                 true,
		{Format: "jsonl"}:                true,
		{JQ: "."}:                        true,
		{Template: "x"}:                  true,
		{Envelope: true}:                 true,
		{Format: "yaml", Envelope: true}: true,
		{Format: "csv", JQ: "."}:         false,
	} {
		if got := opts.Machine(); got != want {
			t.Errorf("%+v: %t, want %t", opts, got, want)
		}
	}
}
