package tui

import (
	"flag"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"svc/client/safe"
	"svc/db/dbtest"
	"svc/tui/desk"
)

var pictures = flag.Bool("pictures", false, "draw the screens into docs/images")

// pictured are the screens that are drawn, in each theme.
var pictured = []string{
	"reports", "reports-staged", "reports-grouped", "reports-posts", "report", "visibility", "play", "person", "users", "users-verbs", "user", "log", "help", "actions",
	"thread", "relays", "hosts", "host", "config", "settings", "changes", "statuses", "chats", "messages", "documents", "rules", "stats", "invites", "queues", "jobs", "apps", "bans", "palette",
}

// TestPictures draws the screens as a terminal shows them, as SVG. It checks that
// every line of a picture has all of its cells.
func TestPictures(t *testing.T) {
	dbtest.Alone(t)
	draw := func(name, theme, keys string, width, height int) {
		d := beginIn(t, newWorld(t), width, height, t.TempDir(), Options{Theme: theme, Playbooks: playbooks(t, nil)})
		d.press(keys)
		svg := picture(t, d.m, theme)
		if !*pictures {
			return
		}
		dir := filepath.Join("..", "docs", "images", "tui")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name+"-"+theme+".svg"), []byte(svg), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, theme := range []string{"dark", "light", "contrast"} {
		for _, s := range screens {
			for _, name := range pictured {
				if s.name == name {
					draw(name, theme, s.keys, 120, 36)
				}
			}
		}
		draw("reports-80x24", theme, " jjr", 80, 24)
		draw("reports-200x50", theme, "b", 200, 50)
	}
}

const cellWidth, cellHeight = 8, 17 // pixels

// picture is the present frame as SVG. Every run of one ink stands at its own cell, and
// is stretched to its number of cells: the reader's font may be another, and not every
// viewer reads styles.
func picture(t *testing.T, m *desk.Model, name string) string {
	t.Helper()
	text := map[string]string{"dark": "#d0d0d0", "light": "#202020", "contrast": "#ffffff"}[name]
	ground := map[string]string{"dark": "#181818", "light": "#ffffff", "contrast": "#000000"}[name]
	classes := map[string]string{} // of sequences
	var style, grounds, body strings.Builder
	frame := strings.Split(m.View(), "\n")
	for y, l := range frame {
		column, class, back := 0, "", ""
		for _, part := range sgr.Split(keepSequences(l), -1) {
			if strings.HasPrefix(part, "\x00") {
				sequence := part[1:]
				class, back = "", ""
				if sequence != "0" {
					known, ok := classes[sequence]
					if !ok {
						known = fmt.Sprintf("c%d", len(classes))
						classes[sequence] = known
						fmt.Fprintf(&style, ".%s{%s}", known, css(sequence))
					}
					class, back = known, groundOf(sequence)
				}
				continue
			}
			width := safe.Width(part)
			if back != "" && width > 0 {
				fmt.Fprintf(&grounds, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`, column*cellWidth, y*cellHeight, width*cellWidth, cellHeight, back)
			}
			if strings.TrimSpace(part) != "" {
				attributes := fmt.Sprintf(`x="%d" y="%d" textLength="%d"`, column*cellWidth, y*cellHeight+13, width*cellWidth)
				if class != "" {
					attributes += fmt.Sprintf(` class="%s"`, class)
				}
				fmt.Fprintf(&body, "<text %s>%s</text>\n", attributes, html.EscapeString(part))
			}
			column += width
		}
		if column > m.Width {
			t.Errorf("line %d has %d cells", y, column)
		}
	}
	if len(classes) == 0 {
		t.Errorf("%s has no colours", name)
	}
	const margin = 10
	width, height := m.Width*cellWidth, m.Height*cellHeight
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" viewBox="-%d -%d %d %d" width="%d" height="%d">
<style>text{font:13.3px "DejaVu Sans Mono",Menlo,Consolas,monospace;fill:%s;white-space:pre}%s</style>
<rect x="-%d" y="-%d" width="%d" height="%d" rx="6" fill="%s"/>
%s
%s</svg>
`, margin, margin, width+2*margin, height+2*margin, width+2*margin, height+2*margin, text, style.String(),
		margin, margin, width+2*margin, height+2*margin, ground, grounds.String(), body.String())
}

// keepSequences puts the codes of a sequence between two that are split at.
func keepSequences(l string) string {
	return sgr.ReplaceAllString(l, "\x1b[m\x00$1\x1b[m")
}

var colourCode = regexp.MustCompile(`([34])8;2;(\d+);(\d+);(\d+)`)

func css(sequence string) string {
	var rules []string
	for _, found := range colourCode.FindAllStringSubmatch(sequence, -1) {
		if found[1] == "3" {
			rules = append(rules, "fill:"+hexOf(found))
		}
	}
	rest := colourCode.ReplaceAllString(sequence, "")
	for _, code := range strings.Split(rest, ";") {
		switch code {
		case "1":
			rules = append(rules, "font-weight:bold")
		case "3":
			rules = append(rules, "font-style:italic")
		}
	}
	return strings.Join(rules, ";")
}

func groundOf(sequence string) string {
	for _, found := range colourCode.FindAllStringSubmatch(sequence, -1) {
		if found[1] == "4" {
			return hexOf(found)
		}
	}
	return ""
}

func hexOf(found []string) string {
	hex := "#"
	for _, n := range found[2:] {
		var value int
		_, _ = fmt.Sscan(n, &value)
		hex += fmt.Sprintf("%02x", value)
	}
	return hex
}
