package keys

import (
	"strings"
	"testing"

	"svc/client/safe"
	"svc/tui/draw"
	"svc/tui/list"
)

func TestHelpListsEveryBindingAndClashesAreRefused(t *testing.T) {
	bound, err := New(map[string][]string{"resolve": {"R"}})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, l := range HelpLines(bound, draw.LineGlyphs, OnReports, 1000, list.Filter{}) {
		for _, s := range l {
			text.WriteString(s.Text)
		}
		text.WriteByte('\n')
	}
	for _, b := range bound.Bindings {
		for _, key := range b.Keys {
			if !strings.Contains(text.String(), Name(key)) || !strings.Contains(text.String(), safe.Wrap(b.Help, 24)[0]) {
				t.Errorf("%s (%s) is not in the help", key, b.Do)
			}
		}
	}
	for _, wrong := range []map[string][]string{
		{"resolve": {"c"}}, {"resolve": {"j"}}, {"resolve": {"g"}}, {"fly": {"f"}},
	} {
		if _, err := New(wrong); err == nil {
			t.Errorf("%v was accepted", wrong)
		}
	}
}
