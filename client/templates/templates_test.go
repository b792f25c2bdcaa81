package templates

import (
	"strings"
	"testing"
)

func TestTextsAreFilledOrRefusedInOneLine(t *testing.T) {
	t.Parallel()
	fields := Fields{Nick: "kim@a.example", Server: "example.social", Report: ""}
	for _, c := range []struct{ text, want, wrong string }{
		{text: " Hello {{.nick}} of {{.server}}\n", want: "Hello kim@a.example of example.social"},
		{text: "see {{.report}}", wrong: "template warning: {{.report}} is not known here; nothing was sent"},
		{text: "see {{.colour}}", wrong: "template warning: there is no field {{.colour}}; there are nick, name, host, server, moderator, report, reason"},
		{text: "see {{.nick", wrong: "template warning: 1: unclosed action"},
		{text: "{{if .nick}}{{end}}", wrong: "template warning: the text is empty"},
		{text: `{{range $i := 100000}}{{$.nick}}{{end}}`, wrong: "longer than 20000 bytes"},
	} {
		got, err := Fill("warning", c.text, fields)
		switch {
		case c.wrong == "":
			if err != nil || got != c.want {
				t.Errorf("%s: %q, %v", c.text, got, err)
			}
		case err == nil || !strings.Contains(err.Error(), c.wrong) || strings.Contains(err.Error(), "\n"):
			t.Errorf("%s: %q, %v; want %s", c.text, got, err, c.wrong)
		}
	}
	if _, err := Find(map[string]string{"b": "x", "a": "y"}, "c", fields); err == nil || err.Error() != `there is no template "c"; there are a, b` {
		t.Error(err)
	}
}
