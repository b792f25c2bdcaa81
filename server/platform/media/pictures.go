package media

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/bmp"
	"golang.org/x/image/webp"
)

const (
	// maxDecoded is the largest decoded picture, in pixels, maxPacked in bytes of
	// its file, and maxUnpacked in bytes of memory.
	maxDecoded  = 24 << 20
	maxPacked   = 32 << 20
	maxUnpacked = 4 * maxDecoded
	// maxPasses bounds the pixels processed for one picture: a progressive JPEG is
	// processed once for each scan.
	maxPasses = 24 * maxDecoded
	// seats bounds the concurrently decoded pictures.
	seats = 2
)

// errUndecoded is a picture that is not decoded here: too large, damaged, or of
// an unknown type.
var errUndecoded = errors.New("the picture cannot be unpacked")

// decodeSlots limits concurrent decoding.
type decodeSlots chan struct{}

func newStudio() decodeSlots { return make(decodeSlots, seats) }

// enter waits for a slot; leave must be called after.
func (s decodeSlots) enter(ctx context.Context) (leave func(), err error) {
	select {
	case s <- struct{}{}:
		return func() { <-s }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// decoder decodes one type of picture.
type decoder struct {
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
	turn   func([]byte) uint16 // the Exif orientation
}

func decoderOf(t Type) (decoder, bool) {
	straight := func([]byte) uint16 { return 1 }
	switch t.Ext {
	case "jpg":
		return decoder{jpeg.DecodeConfig, jpeg.Decode, jpegTurn}, true
	case "png":
		return decoder{png.DecodeConfig, png.Decode, pngTurn}, true
	case "webp":
		return decoder{webp.DecodeConfig, webp.Decode, webpTurn}, true
	case "bmp":
		return decoder{bmp.DecodeConfig, bmp.Decode, straight}, true
	}
	return decoder{}, false
}

// unpack decodes a picture, and returns its orientation. Its size and cost are
// checked before any memory is allocated.
func unpack(raw []byte, t Type) (_ image.Image, turn uint16, err error) {
	d, ok := decoderOf(t)
	if !ok {
		return nil, 0, fmt.Errorf("%w: %s", errUndecoded, t.Mime)
	}
	head, err := d.config(bytes.NewReader(raw))
	if err != nil {
		return nil, 0, fmt.Errorf("%w: %w", errUndecoded, err)
	}
	img, err := d.unpack(raw, t, head)
	return img, d.turn(raw), err
}

// unpack decodes a picture with this head, after its size and cost are checked.
func (d decoder) unpack(raw []byte, t Type, head image.Config) (image.Image, error) {
	if head.Width <= 0 || head.Height <= 0 || int64(head.Width)*int64(head.Height) > maxDecoded {
		return nil, fmt.Errorf("%w: %d×%d", errUndecoded, head.Width, head.Height)
	}
	if size, passes := burden(raw, t, head); size > maxUnpacked || passes > maxPasses {
		return nil, fmt.Errorf("%w: %d×%d, %d bytes, %d pixels in all scans", errUndecoded, head.Width, head.Height, size, passes)
	}
	img, err := d.decode(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUndecoded, err)
	}
	return img, nil
}

// burden returns the memory for decoding a picture, and the pixels to process.
func burden(raw []byte, t Type, head image.Config) (size, passes int64) {
	pixels := int64(head.Width) * int64(head.Height)
	switch head.ColorModel {
	case color.RGBA64Model, color.NRGBA64Model:
		size = 8 * pixels
	case color.Gray16Model:
		size = 2 * pixels
	default:
		size = 4 * pixels
	}
	if t.Ext != "jpg" {
		return size, pixels
	}
	samples, progressive := jpegSamples(raw)
	if size = int64(samples * float64(pixels)); progressive {
		size *= 1 + 4 // it keeps coefficients of four bytes each
	}
	if head.ColorModel != color.YCbCrModel && head.ColorModel != color.GrayModel {
		size += 4 * pixels // and is then reassembled
	}
	// The data of a scan has no such pair.
	return size, pixels * int64(bytes.Count(raw, []byte{0xff, jpegSOS}))
}

// jpegSamples returns the samples for each pixel of a JPEG, and whether it is
// progressive. Shape: ITU-T T.81, B.2.2.
func jpegSamples(raw []byte) (samples float64, progressive bool) {
	samples = 4 // at most
	jpegSegments(raw, func(marker byte, body []byte) bool {
		if marker < 0xc0 || marker > 0xc2 {
			return true
		}
		progressive = marker == 0xc2
		if len(body) < 6 || len(body) < 6+3*int(body[5]) {
			return false
		}
		most, sum := 1, 0
		for i := range int(body[5]) {
			n := int(body[6+3*i+1]>>4) * int(body[6+3*i+1]&15)
			most, sum = max(most, n), sum+n
		}
		samples = float64(sum) / float64(most)
		return false
	})
	return samples, progressive
}

// jpegSegments calls each with the segments of a JPEG before its first scan,
// until it returns false.
func jpegSegments(raw []byte, each func(marker byte, body []byte) bool) {
	for at := 2; at+4 <= len(raw) && raw[at] == 0xff && raw[at+1] != jpegSOS; {
		end := at + 2 + int(binary.BigEndian.Uint16(raw[at+2:]))
		if end < at+4 || end > len(raw) || !each(raw[at+1], raw[at+4:end]) {
			return
		}
		at = end
	}
}

// readWhole reads a file that is short enough to be decoded.
func readWhole(f File) ([]byte, error) {
	if f.Size() > maxPacked {
		return nil, fmt.Errorf("%w: it has %d bytes", errUndecoded, f.Size())
	}
	raw := make([]byte, f.Size())
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	_, err := io.ReadFull(f, raw)
	return raw, err
}

// jpegTurn returns the orientation in a JPEG's Exif.
func jpegTurn(raw []byte) uint16 {
	turn := uint16(1)
	jpegSegments(raw, func(marker byte, body []byte) bool {
		if marker != 0xe1 || !bytes.HasPrefix(body, []byte("Exif\x00\x00")) {
			return true
		}
		turn = orientation(body[6:])
		return false
	})
	return turn
}

// pngTurn returns the orientation in a PNG's Exif.
func pngTurn(raw []byte) uint16 {
	for at := int64(8); at+12 <= int64(len(raw)); {
		n := int64(binary.BigEndian.Uint32(raw[at:]))
		if at+12+n > int64(len(raw)) {
			break
		}
		if string(raw[at+4:at+8]) == "eXIf" {
			return orientation(raw[at+8 : at+8+n])
		}
		at += 12 + n
	}
	return 1
}

// webpTurn returns the orientation in a WebP's Exif.
func webpTurn(raw []byte) uint16 {
	file := io.NewSectionReader(bytes.NewReader(raw), 0, int64(len(raw)))
	all, err := webpChunks(file)
	if err != nil {
		return 1
	}
	for _, c := range all {
		if c.name == "EXIF" && c.at+c.n <= int64(len(raw)) {
			return orientation(bytes.TrimPrefix(raw[c.at:c.at+c.n], []byte("Exif\x00\x00")))
		}
	}
	return 1
}

// shrink scales a picture down, or copies it: each pixel is the average of its
// source pixels. It holds one row at a time.
func shrink(src image.Image, width, height int) *image.RGBA {
	from := src.Bounds()
	sw, sh := from.Dx(), from.Dy()
	out := image.NewRGBA(image.Rect(0, 0, width, height))
	row := image.NewRGBA(image.Rect(0, 0, sw, 1))
	sums := make([]uint64, 4*width)
	for y := range height {
		clear(sums)
		y0, y1 := y*sh/height, (y+1)*sh/height
		for sy := y0; sy < y1; sy++ {
			draw.Draw(row, row.Bounds(), src, image.Pt(from.Min.X, from.Min.Y+sy), draw.Src)
			for x := range width {
				sum := sums[4*x : 4*x+4 : 4*x+4]
				for p := row.Pix[4*(x*sw/width) : 4*((x+1)*sw/width)]; len(p) >= 4; p = p[4:] {
					sum[0] += uint64(p[0])
					sum[1] += uint64(p[1])
					sum[2] += uint64(p[2])
					sum[3] += uint64(p[3])
				}
			}
		}
		line := out.Pix[y*out.Stride:]
		for x := range width {
			n := uint64((y1 - y0) * ((x+1)*sw/width - x*sw/width))
			for i := range 4 {
				line[4*x+i] = uint8((sums[4*x+i] + n/2) / n)
			}
		}
	}
	return out
}

// turned rotates a picture by its orientation. Shape: Exif 2.32, 4.6.4.
func turned(src *image.RGBA, turn uint16) *image.RGBA {
	if turn < 2 || turn > 8 {
		return src
	}
	w, h := src.Rect.Dx(), src.Rect.Dy()
	width, height := w, h
	if turn >= 5 {
		width, height = h, w
	}
	out := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			sx, sy := x, y
			switch turn {
			case 2:
				sx = w - 1 - x
			case 3:
				sx, sy = w-1-x, h-1-y
			case 4:
				sy = h - 1 - y
			case 5:
				sx, sy = y, x
			case 6:
				sx, sy = y, h-1-x
			case 7:
				sx, sy = w-1-y, h-1-x
			case 8:
				sx, sy = w-1-y, x
			}
			copy(out.Pix[out.PixOffset(x, y):][:4], src.Pix[src.PixOffset(sx, sy):][:4])
		}
	}
	return out
}

// thumbnail writes a small, rotated copy of a picture that fits into a box: a
// JPEG, or a PNG for a transparent one.
func thumbnail(w io.Writer, raw []byte, t Type, maxWidth, maxHeight, quality int) error {
	img, turn, err := unpack(raw, t)
	if err != nil {
		return err
	}
	if turn >= 5 {
		maxWidth, maxHeight = maxHeight, maxWidth
	}
	width, height := inBox(img.Bounds().Dx(), img.Bounds().Dy(), maxWidth, maxHeight)
	small := turned(shrink(img, width, height), turn)
	if small.Opaque() {
		return jpeg.Encode(w, small, &jpeg.Options{Quality: quality})
	}
	return png.Encode(w, small)
}

// inBox returns the size of a picture that fits into a box, never enlarged.
func inBox(width, height, maxWidth, maxHeight int) (int, int) {
	w, h := width, height
	if w > maxWidth {
		w, h = maxWidth, height*maxWidth/width
	}
	if h > maxHeight {
		w, h = width*maxHeight/height, maxHeight
	}
	return max(w, 1), max(h, 1)
}
