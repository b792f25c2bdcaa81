package tui

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/go-cmp/cmp"

	"svc/db/dbtest"
	"svc/tui/draw"
)

// sizes are those at which every screen is seen.
var sizes = []tea.WindowSizeMsg{{Width: 80, Height: 24}, {Width: 120, Height: 40}, {Width: 60, Height: 15}, {Width: 200, Height: 50}}

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
	{"message", "mplease stop"},
	{"menu", "x"},
	{"thread", "T"},
	{"thread-hidden", "Tjw"},
	{"play", "p"},
	{"person", "P"},
	{"quit", "rq"},
	{"visibility", "v"},
	{"relays", "4j"},
	{"relays-follow", "4fnonsense<enter>"},
	{"relays-unfollow", "4d"},
	{"relay-host", "4j<enter>"},
	{"hosts", "8"},
	{"hosts-forget", "8F"},
	{"host", "I"},
	{"host-limit", "IG L"},
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
	{"chats", ":chats kim<enter>"},
	{"messages", ":chats kim<enter><enter>"},
	{"messages-delete", ":messages 9xC1<enter>D"},
	{"documents", ":documents<enter>"},
	{"announcements", ":announcements<enter>"},
	{"rules", ":rules<enter>"},
	{"stats", ":stats<enter>"},
	{"changes", ":changes<enter>"},
	{"changes-rollback", ":changes<enter>B"},
	{"palette", ":re<enter>:"},
	{"users-verbs", "2x"},
	{"users-tag", "2jjt"},
	{"users-delete", "2jjX"},
}

// entryIDs are the journal's, by chance.
var entryIDs = regexp.MustCompile(`undo(\s+)[a-z0-9]{8}-(\d)`)

// TestFrames has the text of every screen at each size, in mono. In the other themes a
// frame says the same, and colours are all that they add.
func TestFrames(t *testing.T) {
	dbtest.Alone(t)
	for _, size := range sizes {
		for _, s := range screens {
			name := fmt.Sprintf("%s-%dx%d", s.name, size.Width, size.Height)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				d := beginIn(t, newWorld(t), size.Width, size.Height, t.TempDir(), Options{Playbooks: playbooks(t, nil)})
				d.press(s.keys)
				mono := entryIDs.ReplaceAllString(d.frame(), "undo${1}abcdefgh-$2")
				golden(t, name, mono)
				for _, theme := range draw.ThemeNames() {
					d.wears(theme)
					checkFrame(t, d.m)
					if diff := cmp.Diff(withoutTab(mono), withoutTab(trimmed(entryIDs.ReplaceAllString(uncoloured(d.m.View()), "undo${1}abcdefgh-$2")))); diff != "" {
						t.Errorf("in %s (-mono +%s):\n%s", theme, theme, diff)
					}
				}
			})
		}
	}
}

// TestEveryScreenHasAFrame looks for a screen that TestFrames leaves out.
func TestEveryScreenHasAFrame(t *testing.T) {
	framed := map[string]bool{}
	for _, s := range screens {
		framed[s.name] = true
	}
	for _, tab := range begin(t, newWorld(t), 80, 24).m.Tabs {
		if !framed[string(tab.Do)] {
			t.Errorf("%s has none", tab.Do)
		}
	}
}

// wears changes the theme.
func (d *driver) wears(name string) {
	d.t.Helper()
	worn, err := draw.ThemeNamed(name, trueColour)
	if err != nil {
		d.t.Fatal(err)
	}
	d.m.Theme = worn
}

func uncoloured(frame string) string { return sgr.ReplaceAllString(frame, "") }

// withoutTab takes the brackets away that the tab in front has where there is no colour.
func withoutTab(frame string) string {
	first, rest, _ := strings.Cut(frame, "\n")
	return strings.TrimRight(strings.NewReplacer("[", " ", "]", " ").Replace(first), " ") + "\n" + rest
}

// TestColours has the inks of two screens, by name, in each theme.
func TestColours(t *testing.T) {
	for _, name := range []string{"dark", "light", "contrast"} {
		for _, s := range []struct{ name, keys string }{{"reports", " jr<tab>"}, {"report", "<enter>"}} {
			d := beginIn(t, newWorld(t), 100, 24, t.TempDir(), Options{Theme: name})
			d.press(s.keys)
			golden(t, fmt.Sprintf("%s-%s-100x24", s.name, name), trimmed(markedIn(d.m.Theme, d.m.View())))
		}
	}
}
