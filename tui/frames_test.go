package tui

import (
	"fmt"
	"reflect"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
)

// sequenced takes apart the message of tea.Sequence, which has no exported
// type.
func sequenced(msg tea.Msg) ([]tea.Cmd, bool) {
	v := reflect.ValueOf(msg)
	if v.Kind() != reflect.Slice || v.Type().Elem() != reflect.TypeFor[tea.Cmd]() {
		return nil, false
	}
	cmds := make([]tea.Cmd, v.Len())
	for i := range cmds {
		cmds[i] = v.Index(i).Interface().(tea.Cmd)
	}
	return cmds, true
}

var screens = []struct{ name, keys string }{
	{"reports", ""},
	{"reports-staged", "jr"},
	{"reports-marked", " j  "},
	{"reports-grouped", "be"},
	{"reports-reporter", "bbbbd"},
	{"reports-names", "bbbbr"},
	{"reports-delete", "<tab>jD"},
	{"reports-posts", "<tab>j w"},
	{"reports-filter", "/@bad.example"},
	{"reports-sorted", "zz"},
	{"report", "j<enter>"},
	{"users", "2jj"},
	{"user", "2jjjj<enter>"},
	{"log", "3j"},
	{"help", "?"},
	{"actions", "r<ctrl+o>s@"},
	{"note", "njust a<enter>test"},
	{"quit", "rq"},
	{"visibility", "v"},
	{"relays", "4j"},
	{"relays-follow", "4fnonsense<enter>"},
	{"relays-unfollow", "4d"},
	{"relay-host", "4j<enter>"},
	{"hosts", "8"},
	{"hosts-forget", "8F"},
	{"config", "5"},
	{"settings", "5<enter>jj"},
	{"settings-switch", "5<enter>jjje"},
	{"settings-wrong", "5<enter>jex<enter>"},
	{"statuses", "6j"},
	{"statuses-visibility", "6v"},
	{"invites", "7j"},
	{"invites-new", "7nmany<enter>"},
	{"queues", "9"},
	{"jobs", "9<enter>"},
	{"apps", ":apps<enter>"},
	{"bans", ":bans<enter>"},
	{"palette", ":re<enter>:"},
	{"users-verbs", "2x"},
	{"users-tag", "2jjt"},
	{"users-delete", "2jjX"},
}

func TestFrames(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}, {60, 15}, {200, 50}} {
		for _, s := range screens {
			name := fmt.Sprintf("%s-%dx%d", s.name, size.width, size.height)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				d := begin(t, newWorld(t), size.width, size.height)
				d.press(s.keys)
				golden(t, name, d.frame())
			})
		}
	}
}

// TestColours has the inks of two screens, by name, in each theme.
func TestColours(t *testing.T) {
	for _, name := range []string{"dark", "light", "contrast"} {
		for _, s := range []struct{ name, keys string }{{"reports", " jr<tab>"}, {"report", "<enter>"}} {
			d := beginIn(t, newWorld(t), 100, 24, t.TempDir(), Options{Theme: name})
			d.press(s.keys)
			golden(t, fmt.Sprintf("%s-%s-100x24", s.name, name), trimmed(markedIn(d.m.theme, d.m.View())))
		}
	}
}
