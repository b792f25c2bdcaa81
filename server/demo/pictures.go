package demo

import (
	"image"
	"image/color"
	"math"
)

// PictureKinds is how many pictures Draw knows.
const PictureKinds = 6

// Width and Height of every picture, in pixels.
const (
	PictureWidth  = 480
	PictureHeight = 320
)

// Draw paints picture kind, which is below PictureKinds.
func Draw(kind int) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, PictureWidth, PictureHeight))
	shade := shades[kind]
	for y := range PictureHeight {
		for x := range PictureWidth {
			img.SetRGBA(x, y, shade(float64(x)/PictureWidth, float64(y)/PictureHeight))
		}
	}
	return img
}

// shades gives each kind's colour at a point of the unit square.
var shades = [PictureKinds]func(x, y float64) color.RGBA{
	sunset, hills, stars, flowers, poster, rain,
}

func sunset(x, y float64) color.RGBA {
	if y > 0.6 {
		glint := 40 * math.Sin(90*y+6*math.Sin(20*x))
		return rgb(40+glint, 60+glint/2, 110)
	}
	if math.Hypot((x-0.5)*1.5, y-0.6) < 0.16 {
		return rgb(255, 214, 120)
	}
	return rgb(240, 110+130*y, 90+60*(1-y))
}

func hills(x, y float64) color.RGBA {
	for i, base := range []float64{0.45, 0.6, 0.78} {
		ridge := base + 0.06*math.Sin(9*x+4*float64(i)) + 0.03*math.Sin(23*x+float64(i))
		if y < ridge {
			if i == 0 {
				break
			}
			haze := 170 - 50*float64(i)
			return rgb(haze*0.8, haze, haze*0.9)
		}
	}
	if y > 0.78+0.06*math.Sin(9*x+8)+0.03*math.Sin(23*x+2) {
		return rgb(38, 70, 52)
	}
	return rgb(205+30*y, 220, 230)
}

func stars(x, y float64) color.RGBA {
	if y > 0.8+0.05*math.Abs(math.Mod(6*x, 1)-0.5) {
		return rgb(12, 12, 20)
	}
	cellX, cellY := math.Floor(40*x), math.Floor(27*y)
	if noise(cellX, cellY) > 0.86 && math.Hypot(40*x-cellX-0.5, 27*y-cellY-0.5) < 0.2*noise(cellY, cellX)+0.05 {
		return rgb(240, 240, 255)
	}
	return rgb(18, 22+20*y, 60+40*y)
}

func flowers(x, y float64) color.RGBA {
	if y < 0.3 {
		return rgb(150, 195, 235)
	}
	size := 6 + 30*(1-y)
	cellX, cellY := math.Floor(size*x*1.5), math.Floor(size*y)
	if math.Hypot(size*x*1.5-cellX-0.5, size*y-cellY-0.5) < 0.34 {
		if noise(cellX, cellY) > 0.5 {
			return rgb(225, 60, 80)
		}
		return rgb(245, 200, 70)
	}
	return rgb(60, 120+60*y, 60)
}

func poster(x, y float64) color.RGBA {
	if math.Sin(14*y+3*math.Sin(6*x)+2*x) > 0 {
		return rgb(20, 80, 120)
	}
	return rgb(240, 225, 190)
}

func rain(x, y float64) color.RGBA {
	column := math.Floor(60 * x)
	if math.Mod(y+noise(column, 1), 1) < 0.3*noise(column, 2) {
		return rgb(150, 165, 185)
	}
	warm := math.Max(0, 1-6*math.Hypot(x-0.7, y-0.5)) + math.Max(0, 1-7*math.Hypot(x-0.25, y-0.6))
	return rgb(40+200*warm, 48+140*warm, 66+60*warm)
}

// noise is a number from 0 to 1 that looks random and is not.
func noise(a, b float64) float64 {
	n := math.Sin(a*127.1+b*311.7) * 43758.5453
	return n - math.Floor(n)
}

func rgb(r, g, b float64) color.RGBA {
	return color.RGBA{R: channel(r), G: channel(g), B: channel(b), A: 255}
}

func channel(v float64) uint8 { return uint8(min(max(v, 0), 255)) }
