package commands

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
)

func TestEveryFormatOfAList(t *testing.T) {
	_, url := serve(t, always(200, reportsBody(t)))
	for _, format := range output.Formats() {
		c := newCLI(t, url, "")
		if code := Run(c.App, []string{"report", "list", "-o", format}); code != 0 || c.stderr.Len() > 0 {
			t.Errorf("%s: exit %d, stderr %s", format, code, &c.stderr)
		}
		golden(t, "reports."+format, c.stdout.Bytes())
		inert(t, format, c.stdout.Bytes())
	}
	c := newCLI(t, url, "")
	c.TTYOut, c.TTYErr, c.Width = true, true, 100
	c.env["TERM"] = "xterm"
	if code := Run(c.App, []string{"report", "list"}); code != 0 {
		t.Errorf("terminal: exit %d, stderr %s", code, &c.stderr)
	}
	golden(t, "reports.terminal", c.stdout.Bytes())
}

// inert fails when out holds a byte that a terminal acts on.
func inert(t *testing.T, what string, out []byte) {
	t.Helper()
	for _, r := range string(out) {
		switch {
		case r == '\n' || r == '\t':
		case r < ' ', r >= 0x7f && r <= 0x9f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			t.Errorf("%s holds %U", what, r)
			return
		}
	}
}

func TestJSONKeepsEveryFieldAndCharacter(t *testing.T) {
	body := reportsBody(t)
	var sent struct{ Reports []json.RawMessage }
	if err := json.Unmarshal([]byte(body), &sent); err != nil {
		t.Fatal(err)
	}
	_, url := serve(t, always(200, body))
	read := func(args ...string) []byte {
		t.Helper()
		c := newCLI(t, url, "")
		if code := Run(c.App, args); code != 0 {
			t.Fatalf("%q: exit %d: %s", args, code, &c.stderr)
		}
		return c.stdout.Bytes()
	}
	want := make([]any, len(sent.Reports))
	for i, raw := range sent.Reports {
		want[i] = number(t, raw)
	}
	got, ok := number(t, read("report", "list", "-o", "json")).([]any)
	if !ok {
		t.Fatal("json is no array")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("json (-want +got):\n%s", diff)
	}
	for i, line := range bytes.Split(bytes.TrimSpace(read("report", "list", "-o", "jsonl")), []byte("\n")) {
		if diff := cmp.Diff(want[i], number(t, line)); diff != "" {
			t.Errorf("jsonl line %d (-want +got):\n%s", i+1, diff)
		}
	}
	var fromYAML []map[string]any
	if err := yaml.Unmarshal(read("report", "list", "-o", "yaml"), &fromYAML); err != nil {
		t.Fatal(err)
	}
	hostile, ok := want[1].(map[string]any)
	if !ok || fromYAML[1]["content"] != hostile["content"] {
		t.Errorf("yaml has %q", fromYAML[1]["content"])
	}
}

// number decodes JSON with its numbers as they are written.
func number(t *testing.T, doc []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, doc)
	}
	return v
}

func TestCSVCellsAreNoFormulas(t *testing.T) {
	_, url := serve(t, always(200, reportsBody(t)))
	c := newCLI(t, url, "")
	if code := Run(c.App, []string{"report", "list", "-o", "csv"}); code != 0 {
		t.Fatal(&c.stderr)
	}
	rows, err := csv.NewReader(&c.stdout).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		for _, cell := range row {
			if cell != "" && strings.ContainsRune("=+-@", rune(cell[0])) {
				t.Errorf("cell %q", cell)
			}
		}
	}
	if rows[2][5] != "'=cmd|calc@bad.example" || rows[2][6] != "'+tom" {
		t.Errorf("row %q", rows[2])
	}
	c = newCLI(t, url, "")
	Run(c.App, []string{"report", "list", "-o", "csv", "--csv-raw"})
	if !strings.Contains(c.stdout.String(), ",=cmd|calc@bad.example,+tom,") {
		t.Errorf("raw csv: %s", &c.stdout)
	}
}

func TestWhatFlagsMakeOfAList(t *testing.T) {
	_, url := serve(t, always(200, reportsBody(t)))
	tests := []struct{ args, want string }{
		{"--count", "3\n"},
		{"-q", ""},
		{"--jq .[].id", "9xA1q0000000000001\n9xA0z0000000000002\n9x9kk0000000000003\n"},
		{"--jq length", "3\n"},
		{"--jq .[0].future_field.kept[3] -o json", "12345678901234567890\n"},
		{"-o jsonl --jq .state", "open\nresolved\nclosed\n"},
		{"--jq .[1].content", "a  <U+202E>evil<U+2069>  end\n"},
		{`--jq .[0]|[.id,.state]|@tsv`, "9xA1q0000000000001\topen\n"},
		{"--template {{range.}}{{.state}},{{end}}", "open,resolved,closed,"},
		{"-o jsonl --template {{.state}};", "open;resolved;closed;"},
		{"--fields id,account.acct -o tsv", "id\taccount.acct\n9xA1q0000000000001\tspam1@bad.example\n9xA0z0000000000002\t=cmd|calc@bad.example\n9x9kk0000000000003\t\n"},
		{"--fields state -o jsonl", `{"state":"open"}` + "\n" + `{"state":"resolved"}` + "\n" + `{"state":"closed"}` + "\n"},
		{"--fields state,account.registration_reason --no-headers", "open\nresolved\nclosed\n"},
		{"--sort state -o name", "report/9x9kk0000000000003\nreport/9xA1q0000000000001\nreport/9xA0z0000000000002\n"},
		{"--sort -created_at -o name", "report/9xA1q0000000000001\nreport/9xA0z0000000000002\nreport/9x9kk0000000000003\n"},
		{"--limit 1 -o name", "report/9xA1q0000000000001\n"},
		{"--envelope --fields id --limit 2", `{
  "total": 3,
  "complete": false,
  "items": [
    {
      "id": "9xA1q0000000000001"
    },
    {
      "id": "9xA0z0000000000002"
    }
  ]
}
`},
	}
	for _, tt := range tests {
		c := newCLI(t, url, "")
		if code := Run(c.App, append([]string{"report", "list"}, strings.Fields(tt.args)...)); code != 0 {
			t.Errorf("%s: exit %d: %s", tt.args, code, &c.stderr)
		}
		if diff := cmp.Diff(tt.want, c.stdout.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.args, diff)
		}
	}
	for _, bad := range []string{
		"-o xml", "--jq .[", "--template {{", "--jq . --template x", "--jq . -o csv", "--envelope -o jsonl",
		"--limit 0", "--limit 5 --all", "--page-size 0", "--state opne", "--older-than soon", "--fields a..b",
		"--account-state gone", "--color red", "--timeout 0s", "--max -3", "extra",
	} {
		c := newCLI(t, url, "")
		if code := Run(c.App, append([]string{"report", "list"}, strings.Fields(bad)...)); code != cli.ExitUsage {
			t.Errorf("%s: exit %d, want %d: %s", bad, code, cli.ExitUsage, &c.stderr)
		}
		if c.stdout.Len() > 0 {
			t.Errorf("%s: stdout %q", bad, &c.stdout)
		}
	}
}

func TestFieldsAreListed(t *testing.T) {
	_, url := serve(t, always(200, reportsBody(t)))
	c := newCLI(t, url, "")
	if code := Run(c.App, []string{"report", "list", "--fields", "?"}); code != 0 {
		t.Fatal(&c.stderr)
	}
	lines := strings.Split(c.stdout.String(), "\n")
	for _, field := range []string{"id", "state", "account.acct", "account.nickname", "actor.id", "notes"} {
		found := false
		for _, line := range lines {
			found = found || line == field
		}
		if !found {
			t.Errorf("%s is not among %q", field, lines)
		}
	}
}

func TestAnEmptyListIsSilentButWellFormed(t *testing.T) {
	_, url := serve(t, always(200, `{"reports":[],"total":0}`))
	for format, want := range map[string]string{
		"table": "", "wide": "", "json": "[]\n", "jsonl": "", "yaml": "[]\n", "name": "",
		"csv": "id,created,state,posts,notes,reported,reporter,reported id,reporter id,message\n",
		"tsv": "id\tcreated\tstate\tposts\tnotes\treported\treporter\treported id\treporter id\tmessage\n",
	} {
		c := newCLI(t, url, "")
		if code := Run(c.App, []string{"report", "list", "-o", format}); code != 0 || c.stdout.String() != want {
			t.Errorf("%s: exit %d, %q, want %q", format, code, &c.stdout, want)
		}
	}
}

func TestAllPagesAreOneListWithoutRepeats(t *testing.T) {
	// The list grows by one at the top after the first page was read, and loses
	// one of the first page after the second: the last one slides across a border.
	ids := []string{"r9", "r8", "r7", "r6", "r5", "r4", "r3"}
	asked := 0
	_, url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var page, size int
		if _, err := fmt.Sscan(r.URL.Query().Get("page"), &page); err != nil {
			t.Error(err)
		}
		if _, err := fmt.Sscan(r.URL.Query().Get("page_size"), &size); err != nil {
			t.Error(err)
		}
		from := min((page-1)*size, len(ids))
		var items []string
		for _, id := range ids[from:min(from+size, len(ids))] {
			items = append(items, fmt.Sprintf(`{"id":%q,"state":"open","account":{},"actor":{},"statuses":[],"notes":[]}`, id))
		}
		fmt.Fprintf(w, `{"reports":[%s],"total":%d}`, strings.Join(items, ","), len(ids))
		asked++
		switch asked {
		case 1:
			ids = append([]string{"r99"}, ids...)
		case 2:
			ids = append(ids[:1], ids[2:]...)
			ids = append(ids[:1], ids[2:]...)
		}
	})
	c := newCLI(t, url, "")
	if code := Run(c.App, []string{"report", "list", "--all", "--page-size", "3", "-o", "name"}); code != 0 {
		t.Fatal(&c.stderr)
	}
	seen := map[string]bool{}
	for _, line := range strings.Fields(c.stdout.String()) {
		if seen[line] {
			t.Errorf("%s comes twice", line)
		}
		seen[line] = true
	}
	for _, id := range append(ids, "r9", "r8", "r7") {
		if !seen["report/"+id] {
			t.Errorf("%s is missing from %s", id, &c.stdout)
		}
	}
}
