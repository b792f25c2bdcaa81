package sshd_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"svc/client/safe"
)

// emulator is a terminal as far as the TUI uses one. It knows the sequences that the TUI
// draws with, and takes every other for a change by somebody else.
type emulator struct {
	width, height int
	rows          [][]string // clusters of the screen in front, "" behind a wide one
	x, y          int
	modes         map[string]bool // that are on, by number
	style         string
	strange       []string // what no terminal should be told
}

func newEmulator(width, height int) *emulator {
	e := &emulator{width: width, height: height, modes: map[string]bool{}}
	e.clear()
	return e
}

func (e *emulator) clear() {
	e.rows = make([][]string, e.height)
	for i := range e.rows {
		e.rows[i] = make([]string, e.width)
	}
}

// state is the modes that were switched.
func (e *emulator) state() string {
	return fmt.Sprintf("modes %q", slices.Sorted(maps.Keys(e.modes)))
}

// frame is the text on the screen.
func (e *emulator) frame() string {
	lines := make([]string, e.height)
	for i, row := range e.rows {
		for _, cluster := range row {
			if cluster == "" {
				cluster = " "
			}
			lines[i] += cluster
		}
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// known are the question for the background, which ends with one that every terminal
// answers, and sequences that move, erase, switch modes and set styles.
var known = regexp.MustCompile("^(?:\x1b\\]11;\\?\x1b\\\\\x1b\\[c|\x1b\\[([?]?)([0-9;]*)([A-Za-z]))")

// modesOfTheTUI are the modes that it switches: the cursor, the mouse, focus, the
// other screen, and pasting.
var modesOfTheTUI = []string{"25", "1000", "1002", "1003", "1004", "1006", "1049", "2004"}

func (e *emulator) write(text string) {
	for text != "" {
		if strings.IndexByte("\r\n", text[0]) >= 0 && e.style != "" {
			e.oddly("a line ends in style %s", e.style)
		}
		switch text[0] {
		case '\r':
			e.x, text = 0, text[1:]
			continue
		case '\n':
			if e.y++; e.y >= e.height && e.modes["1049"] {
				e.oddly("the screen scrolls")
			}
			e.y, text = min(e.y, e.height-1), text[1:]
			continue
		case 0x1b:
			found := known.FindStringSubmatch(text)
			if found == nil {
				e.oddly("a sequence %q", text[:min(len(text), 12)])
				return
			}
			if found[3] != "" {
				e.control(found[1] != "", found[2], found[3])
			}
			text = text[len(found[0]):]
			continue
		}
		end := strings.IndexAny(text, "\r\n\x1b")
		if end < 0 {
			end = len(text)
		}
		e.print(text[:end])
		text = text[end:]
	}
}

func (e *emulator) control(private bool, args, final string) {
	n, _ := strconv.Atoi(args)
	switch {
	case private && (final == "h" || final == "l"):
		for _, mode := range strings.Split(args, ";") {
			if !slices.Contains(modesOfTheTUI, mode) {
				e.oddly("mode %s", mode)
			}
			// The cursor is there before anything asks for it.
			if on := final == "h"; on == (mode != "25") {
				e.modes[mode] = true
			} else {
				delete(e.modes, mode)
			}
			if mode == "1049" {
				e.clear()
			}
		}
	case private:
		e.oddly("?%s%s", args, final)
	case final == "m":
		if e.style = args; args == "0" {
			e.style = ""
		}
	case final == "H":
		row, column, _ := strings.Cut(args, ";")
		y, _ := strconv.Atoi(row)
		x, _ := strconv.Atoi(column)
		e.y, e.x = min(max(y, 1), e.height)-1, min(max(x, 1), e.width)-1
	case final == "A":
		e.y = max(0, e.y-max(n, 1))
	case final == "B":
		e.y = min(e.height-1, e.y+max(n, 1))
	case final == "C":
		e.x = min(e.width-1, e.x+max(n, 1))
	case final == "D":
		e.x = max(0, e.x-max(n, 1))
	case final == "J" && args == "2":
		e.clear()
	case final == "J" && n == 0:
		clear(e.rows[e.y][min(e.x, e.width):])
		for _, row := range e.rows[e.y+1:] {
			clear(row)
		}
	case final == "K" && n == 0:
		clear(e.rows[e.y][min(e.x, e.width):])
	case final == "K" && n == 2:
		clear(e.rows[e.y])
	default:
		e.oddly("%s%s", args, final)
	}
}

func (e *emulator) print(text string) {
	for _, r := range text {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r >= 0xe0000 && r <= 0xe007f {
			e.oddly("%U in %q", r, text)
			return
		}
	}
	if over := e.x + safe.Width(text) - e.width; over > 0 {
		e.oddly("%d cells too many in %q at %d", over, text, e.x)
		return
	}
	for clusters := displaywidth.StringGraphemes(text); clusters.Next(); {
		width := safe.Width(clusters.Value())
		if width > 0 {
			clear(e.rows[e.y][e.x : e.x+width])
			e.rows[e.y][e.x] = clusters.Value()
		}
		e.x += width
	}
}

func (e *emulator) oddly(format string, args ...any) {
	e.strange = append(e.strange, fmt.Sprintf(format, args...))
}
