package safe

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
	"github.com/mattn/go-runewidth"
)

// Terminals disagree: some draw a cluster of joined characters as one glyph,
// some draw each by itself. Counting the wider answer, a line may end early
// but never runs over.
var wide = runewidth.Condition{EastAsianWidth: false, StrictEmojiNeutral: true}

// Width is the number of cells that text needs at most, on one line.
func Width(text string) int {
	if ascii(text) {
		return len(text)
	}
	width := 0
	clusters := displaywidth.StringGraphemes(text)
	for clusters.Next() {
		width += clusterWidth(clusters.Value(), clusters.Width())
	}
	return width
}

func clusterWidth(cluster string, width int) int {
	sum := 0
	for _, r := range cluster {
		sum += wide.RuneWidth(r)
	}
	return max(sum, width)
}

func ascii(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// Truncate cuts text to at most width cells, between clusters. Text that was
// cut ends with tail.
func Truncate(text string, width int, tail string) string {
	if width <= 0 {
		return ""
	}
	if len(text) <= width && ascii(text) || Width(text) <= width {
		return text
	}
	room := width - Width(tail)
	if room < 0 {
		tail, room = "", width
	}
	used, end := 0, 0
	clusters := displaywidth.StringGraphemes(text)
	for clusters.Next() {
		used += clusterWidth(clusters.Value(), clusters.Width())
		if used > room {
			break
		}
		end += len(clusters.Value())
	}
	return text[:end] + tail
}

// Fit is Truncate that fills up with spaces to exactly width cells.
func Fit(text string, width int) string {
	text = Truncate(text, width, "~")
	return text + strings.Repeat(" ", max(0, width-Width(text)))
}

// Wrap breaks text into lines of at most width cells, at spaces where it can.
// Newlines in text stay line ends; the result has at least one line. A width
// below 2 counts as 2, since a cluster may need two cells.
func Wrap(text string, width int) []string {
	width = max(width, 2)
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		lines = append(lines, wrapLine(strings.TrimRight(line, " "), width)...)
	}
	return lines
}

func wrapLine(line string, width int) []string {
	if Width(line) <= width {
		return []string{line}
	}
	var lines []string
	start, used := 0, 0       // of the line being filled
	blank, afterBlank := 0, 0 // last space: where it stands, cells used behind it
	pos := 0
	clusters := displaywidth.StringGraphemes(line)
	for clusters.Next() {
		cluster := clusters.Value()
		cells := clusterWidth(cluster, clusters.Width())
		if cells > width { // a stack of joined glyphs wider than the screen
			lines = append(lines, strings.TrimRight(line[start:pos], " "), "\uFFFD")
			pos += len(cluster)
			start, used, blank = pos, 0, pos
			continue
		}
		if used+cells > width && cluster != " " {
			if blank > start {
				lines = append(lines, strings.TrimRight(line[start:blank], " "))
				start, used = blank+1, used-afterBlank
			} else {
				lines = append(lines, line[start:pos])
				start, used = pos, 0
			}
			blank = start
		}
		used += cells
		if cluster == " " {
			blank, afterBlank = pos, used
		}
		pos += len(cluster)
	}
	if start < len(line) || len(lines) == 0 {
		lines = append(lines, strings.TrimRight(line[start:], " "))
	}
	return lines
}
