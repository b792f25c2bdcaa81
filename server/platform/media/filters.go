package media

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
	"image/png"
	"io"
	"strconv"
	"strings"

	xdraw "golang.org/x/image/draw"

	"svc/server/platform/config"
)

// filter applies the configured filters to a draft, after cleaning.
func (s *Service) filter(d *Draft) error {
	u := &s.settings.Load().Upload
	if u.Filtered(config.FilterAnonymize) {
		d.Name = anonymous(u.AnonymousName, d.Type.Ext)
	}
	if u.Filtered(config.FilterMogrify) {
		return s.mogrify(d, u)
	}
	return nil
}

// anonymous returns a name without information about the sender.
func anonymous(name, ext string) string {
	if name == "" {
		return strings.ToLower(rand.Text()) + "." + ext
	}
	return strings.ReplaceAll(name, "{extension}", ext)
}

// storedName returns a draft's name in the store: by its content, so that the
// same file is stored once, or random.
func (s *Service) storedName(d *Draft) string {
	if s.settings.Load().Upload.Filtered(config.FilterDedupe) {
		return d.Hash + "." + d.Type.Ext
	}
	var b [sha256.Size]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:]) + "." + d.Type.Ext
}

// mogrified is the quality of changed JPEGs, in percent.
const mogrified = 92

// mogrify changes a JPEG or a PNG as configured. An animated one, or one that
// cannot be decoded here, stays.
func (s *Service) mogrify(d *Draft, u *config.Upload) error {
	changes, ok := u.Changes()
	if !ok || len(changes) == 0 || d.Type.Ext != "jpg" && d.Type.Ext != "png" || d.Size > maxPacked {
		return nil
	}
	s.decodeSlots <- struct{}{}
	defer func() { <-s.decodeSlots }()
	raw, err := readAt(d.file, 0, int(d.Size))
	if err != nil || d.Type.Ext == "png" && bytes.Contains(raw, []byte("acTL")) {
		return err
	}
	img, turn, err := unpack(raw, d.Type)
	if errors.Is(err, errUndecoded) {
		return nil
	}
	if err != nil {
		return err
	}
	changed, img := change(changes, img, turn)
	if !changed {
		return nil
	}
	packed, err := pack(img, d.Type, raw)
	if err != nil {
		return fmt.Errorf("change a picture: %w", err)
	}
	if err := d.file.Truncate(0); err != nil {
		return err
	}
	if _, err := d.file.WriteAt(packed, 0); err != nil {
		return err
	}
	if _, err := d.file.Seek(0, io.SeekEnd); err != nil {
		return err
	}
	sum := sha256.Sum256(packed)
	d.Size, d.Hash = int64(len(packed)), hex.EncodeToString(sum[:])
	return nil
}

// change applies changes to a picture, in order. It is stripped already; a
// resized one is rotated first.
func change(changes []config.Change, img image.Image, turn uint16) (changed bool, _ image.Image) {
	upright := func() {
		if turn > 1 {
			img = turned(shrink(img, img.Bounds().Dx(), img.Bounds().Dy()), turn)
			turn, changed = 1, true
		}
	}
	for _, c := range changes {
		switch c.Name {
		case "auto-orient":
			upright()
		case "resize":
			before := img.Bounds().Size()
			if turn >= 5 {
				before.X, before.Y = before.Y, before.X
			}
			width, height := resized(c.Geometry, before.X, before.Y)
			if width == before.X && height == before.Y {
				continue
			}
			upright()
			img, changed = scale(img, width, height), true
		}
	}
	return changed, img
}

func scale(img image.Image, width, height int) image.Image {
	if b := img.Bounds(); width <= b.Dx() && height <= b.Dy() {
		return shrink(img, width, height)
	}
	out := image.NewRGBA(image.Rect(0, 0, width, height))
	xdraw.BiLinear.Scale(out, out.Bounds(), img, img.Bounds(), draw.Src, nil)
	return out
}

// maxGrown is how large a picture may be made, in pixels, and on one side.
const (
	// maxGrown bounds the size of an enlarged picture, in pixels, and on one side.
	maxGrown     = 16 << 20
	maxGrownSide = 16384
)

// resized returns the new size of a picture; the old one if it became too
// large. Shape: ImageMagick's geometry.
func resized(geometry string, width, height int) (int, int) {
	size := strings.TrimRight(geometry, "<>!%")
	flag := strings.TrimPrefix(geometry, size)
	if flag == "%" {
		n, _ := strconv.Atoi(size)
		return grown(width, height, width*n/100, height*n/100)
	}
	first, second, _ := strings.Cut(size, "x")
	w, _ := strconv.Atoi(first)
	h, _ := strconv.Atoi(second)
	switch {
	case w == 0 && h == 0,
		flag == ">" && (w == 0 || width <= w) && (h == 0 || height <= h),
		flag == "<" && (w > 0 && width >= w || h > 0 && height >= h):
		return width, height
	case flag == "!":
		if w == 0 {
			w = width
		}
		if h == 0 {
			h = height
		}
		return grown(width, height, w, h)
	case h == 0 || w > 0 && w*height <= h*width:
		return grown(width, height, w, (height*w+width/2)/width)
	}
	return grown(width, height, (width*h+height/2)/height, h)
}

func grown(width, height, w, h int) (int, int) {
	w, h = max(w, 1), max(h, 1)
	if (w > width || h > height) && (w > maxGrownSide || h > maxGrownSide || w*h > maxGrown) {
		return width, height
	}
	return w, h
}

// pack encodes a picture in its type, with its colours.
func pack(img image.Image, t Type, before []byte) ([]byte, error) {
	var out bytes.Buffer
	if t.Ext == "png" {
		if err := png.Encode(&out, img); err != nil {
			return nil, err
		}
		return insert(out.Bytes(), 8+25, pngColours(before)), nil
	}
	if err := jpeg.Encode(&out, img, &jpeg.Options{Quality: mogrified}); err != nil {
		return nil, err
	}
	return insert(out.Bytes(), 2, jpegColours(before)), nil
}

func insert(into []byte, at int, what []byte) []byte {
	return bytes.Join([][]byte{into[:at], what, into[at:]}, nil)
}

// jpegColours returns the segments with the colour profile of a JPEG. A CMYK
// profile does not fit a packed picture of three colours.
func jpegColours(raw []byte) []byte {
	var out []byte
	jpegSegments(raw, func(marker byte, body []byte) bool {
		switch {
		case marker == 0xe2 && bytes.HasPrefix(body, []byte("ICC_PROFILE\x00")):
			out = append(out, segmentOf(marker, body)...)
		case marker >= 0xc0 && marker <= 0xc2 && len(body) > 5 && body[5] != 3:
			out = nil
			return false
		}
		return true
	})
	return out
}

func segmentOf(marker byte, body []byte) []byte {
	head := binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(body)+2))
	return append(head, body...)
}

// pngColours returns the chunk with the colour profile of a PNG.
func pngColours(raw []byte) []byte {
	for at := int64(8); at+12 <= int64(len(raw)); {
		n := int64(binary.BigEndian.Uint32(raw[at:]))
		if at+12+n > int64(len(raw)) {
			break
		}
		if string(raw[at+4:at+8]) == "iCCP" && raw[8+8+9]&2 != 0 { // of colours, not of greys
			return raw[at : at+12+n]
		}
		at += 12 + n
	}
	return nil
}
