package captcha

import (
	"bytes"
	"image/png"
	"strings"
	"testing"
	"time"
)

var expires = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func TestSealedAnswerOpensForItsCaptchaOnly(t *testing.T) {
	c, err := New("secret", expires)
	if err != nil {
		t.Fatal(err)
	}
	a, err := Open("secret", c.Token, c.Sealed)
	if err != nil || !a.Expires.Equal(expires) || len(a.Digits) != digits || strings.Trim(a.Digits, "0123456789") != "" {
		t.Fatalf("opened as %+v, %v", a, err)
	}
	other, err := New("secret", expires)
	if err != nil {
		t.Fatal(err)
	}
	for name, in := range map[string][3]string{
		"another secret": {"secret2", c.Token, c.Sealed},
		"another token":  {"secret", other.Token, c.Sealed},
		"cut off":        {"secret", c.Token, c.Sealed[:len(c.Sealed)-4]},
		"one letter off": {"secret", c.Token, strings.Replace(c.Sealed, c.Sealed[20:21], map[bool]string{true: "B", false: "A"}[c.Sealed[20] == 'A'], 1)},
		"no base64":      {"secret", c.Token, "§"},
		"too short":      {"secret", c.Token, "AAAA"},
		"nothing":        {"secret", "", ""},
	} {
		if a, err := Open(in[0], in[1], in[2]); err != ErrForged || a != (Answer{}) {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
	if strings.Contains(c.Sealed, a.Digits) {
		t.Error("the answer can be read")
	}
}

func TestSolutionIsReadAsPeopleTypeIt(t *testing.T) {
	other := Answer{Sum: sumOf("aB3x")}
	for solution, want := range map[string]bool{"aB3x": true, "aB 3x": true, "ab3x": false, "": false, other.Sum: false} {
		if other.Is(solution) != want {
			t.Errorf("by its sum, %q: %t", solution, !want)
		}
	}
	a := Answer{Digits: "012345"}
	for solution, want := range map[string]bool{"012345": true, "012 345": true, "12345": false, "": false, "0123456": false, "O12345": false} {
		if a.Is(solution) != want {
			t.Errorf("%q: %t", solution, !want)
		}
	}
}

func TestNoTwoPicturesAreAlike(t *testing.T) {
	seen := map[string]bool{}
	for range 20 {
		raw, err := draw("0123456789"[:digits])
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(raw))
		if err != nil || img.Bounds().Dx() != width || img.Bounds().Dy() != height {
			t.Fatalf("picture: %v", err)
		}
		if seen[string(raw)] {
			t.Error("the same picture twice")
		}
		seen[string(raw)] = true
		dark := 0
		for y := range height {
			for x := range width {
				if r, g, b, _ := img.At(x, y).RGBA(); r+g+b < 3*0xa000 {
					dark++
				}
			}
		}
		if share := float64(dark) / (width * height); share < 0.1 || share > 0.5 {
			t.Errorf("%.0f %% of the picture is ink", 100*share)
		}
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		if _, err := New("secret", expires); err != nil {
			b.Fatal(err)
		}
	}
}
