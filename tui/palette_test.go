package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// commandLine stands for the program around: it writes down what it is to run, and
// answers with text that attacks a terminal.
type commandLine struct{ ran []string }

func (c *commandLine) options() Options {
	return Options{
		Command: func(ctx context.Context, args []string, width int) (string, error) {
			c.ran = append(c.ran, fmt.Sprintf("%s (%d)", strings.Join(args, "|"), width))
			if args[0] == "frobnicate" {
				return "error: there is no command \"frobnicate\"\n", errors.New("exit 2")
			}
			return "first line \x1b]0;evil\x07\x1b[31mred\u202e\nsecond line\n", ctx.Err()
		},
		Complete: func(line string) []string {
			words := []string{"doctor", "report", "role", "status"}
			if strings.Contains(line, " ") {
				words = []string{"resolve", "reopen", "list"}
			}
			last := line[strings.LastIndex(line, " ")+1:]
			return slices.DeleteFunc(words, func(word string) bool { return !strings.HasPrefix(word, last) })
		},
	}
}

func TestThePaletteRunsCommandsOfTheCommandLine(t *testing.T) {
	var c commandLine
	d := beginIn(t, newWorld(t), 80, 24, t.TempDir(), c.options())
	d.press(":report list --state 'open or so'<enter>")
	d.shows("COMMAND report list", "first line", "red<U+202E>", "second line", "done")
	if strings.ContainsAny(d.frame(), "\x1b\x07\u202e") {
		t.Errorf("the frame is not inert: %q", d.frame())
	}
	d.press("<esc>")
	d.shows("REPORTS open")
	d.press(":doctor<enter>")
	d.shows("COMMAND doctor")
	d.press("<esc>:frobnicate<enter>")
	d.shows("there is no command", ":frobnicate: exit 2")
	d.press("<esc>:report list 'x<enter>")
	d.shows("a quotation mark is missing")
	want := []string{"report|list|--state|open or so (79)", "doctor (79)", "frobnicate (79)"}
	if !slices.Equal(c.ran, want) {
		t.Errorf("ran %q, want %q", c.ran, want)
	}
}

func TestThePaletteOpensOneObject(t *testing.T) {
	w := newWorld(t)
	id, _ := w.Reports[1]["id"].(string)
	nick, _ := w.Users[0]["nickname"].(string)
	d := begin(t, w, 80, 24)
	d.press(":report " + id + "<enter>")
	d.shows("REPORT " + id)
	d.press("<esc>:user " + nick + "<enter>")
	d.shows("USER " + nick)
}

func TestThePaletteFindsByLettersAndCompletes(t *testing.T) {
	var c commandLine
	d := beginIn(t, newWorld(t), 80, 24, t.TempDir(), c.options())
	// While it is typed, what has these letters is listed, the closest first.
	d.press(":rel")
	d.shows("relays")
	d.hides("bans", "hosts")
	d.press("<ctrl+u>rlys<enter>")
	d.shows("RELAYS 3")
	// Tab completes as far as it is sure, and lists what is left.
	d.press(":inv<tab>")
	d.shows(":invites _")
	d.press("<ctrl+u>doc<tab>")
	d.shows("doctor", "documents", ":doc_")
	d.press("t<tab>")
	d.shows(":doctor _")
	d.press("<ctrl+u>report re<tab>")
	d.shows("reopen resolve", ":report re_")
	d.press("s<tab>")
	d.shows(":report resolve _")
	if len(c.ran) > 0 {
		t.Errorf("ran %q", c.ran)
	}
}

// TestThePaletteNeedsNoCommandLine has a program around that runs nothing.
func TestThePaletteNeedsNoCommandLine(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press(":report list<enter>")
	d.shows(":report list: no such command here")
	d.press(":relay<tab><enter>")
	d.shows("RELAYS 3")
}

func TestPlainModeRunsCommandsOfTheCommandLine(t *testing.T) {
	var c commandLine
	w := newWorld(t)
	nick, _ := w.Users[0]["nickname"].(string)
	d := beginTalk(t, w, c.options())
	d.says("doctor --verbose").hears("first line", "second line")
	d.says("palette role list").hears("first line")
	d.says("user " + nick).hears("USER " + nick)
	if want := []string{"doctor|--verbose (999)", "role|list (999)"}; !slices.Equal(c.ran, want) {
		t.Errorf("ran %q, want %q", c.ran, want)
	}
}

// TestThePaletteCompletesPeople: names of accounts come from the server, also where there
// is no command line.
func TestThePaletteCompletesPeople(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press(":user sp<tab>")
	d.pass(time.Second)
	d.shows(":user spam1@bad.example _")
	d.press("<enter>")
	d.pass(time.Second)
	d.shows("USER spam1@bad.example")
	d.press(":chats t<tab>")
	d.pass(time.Second)
	d.shows("tess tom", ":chats t_")
}

// TestThePaletteBringsBackWhatWasTyped: up and down go through the commands.
func TestThePaletteBringsBackWhatWasTyped(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press(":<up>")
	d.shows(":_")
	d.press("relays<enter>:stats<enter>:relays<enter>:<up>")
	d.shows(":relays_")
	d.press("<up>")
	d.shows(":stats_")
	d.press("<up>")
	d.shows(":stats_")
	d.press("<down>")
	d.shows(":relays_")
	d.press("<down>")
	d.shows(":_")
	d.press("<up><enter>")
	d.shows("RELAYS 3")
}

// TestThePaletteSaysWhyACommandIsNotHere: one of another screen, one that the account may
// not give, and one that does not exist.
func TestThePaletteSaysWhyACommandIsNotHere(t *testing.T) {
	w := newWorld(t)
	d := begin(t, w, 80, 24)
	d.press("2:resolve<enter>")
	d.shows(":resolve: no such command here, but on reports, report")
	d.press(":fly<enter>")
	d.shows(":fly: no such command here")
	d.hides("but on")
}
