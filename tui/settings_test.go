package tui

import (
	"strings"
	"testing"
)

func TestSettingsHaveTheirFormBesideThem(t *testing.T) {
	d := begin(t, newWorld(t), 120, 40)
	d.press("5<enter>jj")
	d.shows("> ")
	beside := false
	for _, l := range strings.Split(d.frame(), "\n") {
		list, form, two := strings.Cut(l, "│")
		beside = beside || two && strings.Contains(list, ":registrations_open") && strings.Contains(form, "saved: 16000000")
	}
	if !beside {
		t.Errorf("list and form are not side by side in\n%s", d.frame())
	}
	narrow := begin(t, newWorld(t), 119, 40)
	narrow.press("5<enter>jj")
	if frame := narrow.frame(); strings.Contains(strings.Split(frame, "\n")[4], "│") {
		t.Errorf("there is no room for two in\n%s", frame)
	}
}
