package draw

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/muesli/termenv"
)

// luminance is that of WCAG 2.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 32)
	if err != nil || len(hex) != 7 {
		t.Fatalf("colour %q", hex)
	}
	channel := func(shift uint) float64 {
		c := float64(n>>shift&0xff) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*channel(16) + 0.7152*channel(8) + 0.0722*channel(0)
}

func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a)+0.05, luminance(t, b)+0.05
	return max(x, y) / min(x, y)
}

// in256 is the colour that a terminal with 256 of them shows.
func in256(hex string) string {
	r, g, b := termenv.ConvertToRGB(termenv.ANSI256.Color(hex)).RGB255()
	return fmt.Sprintf("#%02x%02x%02x", r, g, b)
}

// TestEveryInkCanBeRead measures every ink on the backgrounds of its theme and
// under the cursor, in full colour and in 256.
func TestEveryInkCanBeRead(t *testing.T) {
	const least = 4.5
	for _, p := range palettes {
		if p.name == "mono" {
			continue
		}
		for i := InkPlain; i < inkCount; i++ {
			n, known := p.tints[i]
			if !known {
				t.Errorf("%s has no ink %d", p.name, i)
			}
			grounds := p.grounds[:]
			if n.ground != "" {
				grounds = []string{n.ground}
			}
			text := n.hex
			for _, ground := range grounds {
				if text == "" {
					break // the terminal's own
				}
				if got := contrast(t, text, ground); got < least {
					t.Errorf("%s: ink %d %s on %s has %.2f", p.name, i, text, ground, got)
				}
				if got := contrast(t, in256(text), ground); got < least {
					t.Errorf("%s: ink %d %s as %s on %s has %.2f", p.name, i, text, in256(text), ground, got)
				}
			}
			switch {
			case n.ground != "":
				continue // keeps its own
			case text == "" || p.flat:
				text = p.cursorText
			}
			if got := contrast(t, text, p.cursorGround); got < least {
				t.Errorf("%s: ink %d %s under the cursor has %.2f", p.name, i, text, got)
			}
			if got := contrast(t, in256(text), in256(p.cursorGround)); got < least {
				t.Errorf("%s: ink %d %s as %s under the cursor %s has %.2f", p.name, i, text, in256(text), in256(p.cursorGround), got)
			}
		}
	}
}
