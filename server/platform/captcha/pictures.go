package captcha

import (
	"bytes"
	crand "crypto/rand"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// The size of a picture, and of the cell that a digit is drawn in, in pixels.
const (
	width  = 240
	height = 80
	cell   = 56
)

// shades is how many there are between paper and ink.
const shades = 16

// glyphs are the digits as masks of a cell: 0 is nothing, 255 ink.
var glyphs = sync.OnceValues(func() (*[10][cell][cell]uint8, error) {
	f, err := opentype.Parse(gobold.TTF)
	if err != nil {
		return nil, err
	}
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: 44, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		return nil, err
	}
	var out [10][cell][cell]uint8
	for d := range out {
		mask := image.NewAlpha(image.Rect(0, 0, cell, cell))
		text := string(rune('0' + d))
		pen := font.Drawer{Dst: mask, Src: image.Opaque, Face: face}
		pen.Dot = fixed.Point26_6{X: (fixed.I(cell) - pen.MeasureString(text)) / 2, Y: fixed.I(44)}
		pen.DrawString(text)
		for y := range cell {
			for x := range cell {
				out[d][y][x] = mask.AlphaAt(x, y).A
			}
		}
	}
	return &out, nil
})

// draw returns a PNG of the digits: each turned, slanted and sized by chance,
// on a wave, with lines and spots across them.
func draw(shown string) ([]byte, error) {
	masks, err := glyphs()
	if err != nil {
		return nil, err
	}
	var seed [32]byte
	_, _ = crand.Read(seed[:]) // never fails, by crypto/rand's contract
	chance := rand.New(rand.NewChaCha8(seed))
	between := func(low, high float64) float64 { return low + chance.Float64()*(high-low) }

	img := image.NewPaletted(image.Rect(0, 0, width, height), palette(chance))
	// Where a pixel takes its colour from: a little beside itself, in waves.
	fx, fy, px, py := between(0.03, 0.06), between(0.04, 0.08), between(0, 6), between(0, 6)
	ax, ay := between(2, 4), between(2, 4)
	step := float64(width-24) / float64(len(shown))
	type placed struct{ x, y, cos, sin, slant, scale float64 }
	places := make([]placed, len(shown))
	for i := range places {
		angle := between(-0.38, 0.38)
		places[i] = placed{
			12 + step*(float64(i)+0.5) + between(-3, 3), height/2 + between(-9, 9),
			math.Cos(angle), math.Sin(angle), between(-0.25, 0.25), between(0.9, 1.25),
		}
	}
	ink := func(x, y float64) uint8 {
		most := uint8(0)
		for i, p := range places {
			dx, dy := (x-p.x)/p.scale, (y-p.y)/p.scale
			u, v := dx*p.cos+dy*p.sin, dy*p.cos-dx*p.sin
			gx, gy := int(math.Floor(u+p.slant*v))+cell/2, int(math.Floor(v))+cell/2
			if gx >= 0 && gx < cell && gy >= 0 && gy < cell {
				most = max(most, masks[shown[i]-'0'][gy][gx])
			}
		}
		return most
	}
	for y := range height {
		for x := range width {
			sx := float64(x) + ax*math.Sin(float64(y)*fy+px)
			sy := float64(y) + ay*math.Sin(float64(x)*fx+py)
			img.SetColorIndex(x, y, ink(sx, sy)/(256/shades))
		}
	}
	scratch(img, chance)
	var out bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&out, img)
	return out.Bytes(), err
}

// palette runs from a light paper to a dark ink of any hue.
func palette(chance *rand.Rand) color.Palette {
	var ink [3]float64
	for i := range ink {
		ink[i] = chance.Float64() * 110
	}
	p := make(color.Palette, shades)
	for i := range p {
		t := float64(i) / (shades - 1)
		mix := func(dark float64) uint8 { return uint8(250 + t*(dark-250)) }
		p[i] = color.RGBA{mix(ink[0]), mix(ink[1]), mix(ink[2]), 255}
	}
	return p
}

// scratch draws curves and spots over everything.
func scratch(img *image.Paletted, chance *rand.Rand) {
	dot := func(x, y, r int, shade uint8) {
		for dy := -r; dy <= r; dy++ {
			for dx := -r; dx <= r; dx++ {
				if dx*dx+dy*dy <= r*r && image.Pt(x+dx, y+dy).In(img.Rect) {
					img.SetColorIndex(x+dx, y+dy, shade)
				}
			}
		}
	}
	for range 3 {
		y, slope := chance.Float64()*height, (chance.Float64()-0.5)*0.6
		amp, freq, phase := chance.Float64()*14, 0.02+chance.Float64()*0.05, chance.Float64()*6
		for x := range width {
			dot(x, int(y+slope*float64(x-width/2)+amp*math.Sin(float64(x)*freq+phase)), 1, shades-3)
		}
	}
	for range 90 {
		dot(chance.IntN(width), chance.IntN(height), chance.IntN(2), uint8(shades/2+chance.IntN(shades/2)))
	}
}
