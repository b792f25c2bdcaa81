package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/image/webp"
)

// secret stands in every place of a file that is no picture, film or sound.
const secret = "SECRET 52.5200N 13.4050E"

// exif is a TIFF header that turns the picture, and tells a secret. Its
// entries are in little-endian order, as most cameras write them.
func exif(turn uint16) []byte {
	b := []byte("II*\x00\x08\x00\x00\x00\x02\x00")
	entry := func(tag, kind uint16, n, value uint32) {
		b = binary.LittleEndian.AppendUint16(b, tag)
		b = binary.LittleEndian.AppendUint16(b, kind)
		b = binary.LittleEndian.AppendUint32(b, n)
		b = binary.LittleEndian.AppendUint32(b, value)
	}
	entry(0x010e, 2, uint32(len(secret)), 38)
	entry(0x0112, 3, 1, uint32(turn))
	return append(append(b, 0, 0, 0, 0), secret...)
}

func drawing() *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, 23, 17))
	for i := range m.Pix {
		m.Pix[i] = byte(i * 7)
	}
	for i := 3; i < len(m.Pix); i += 4 {
		m.Pix[i] = 255
	}
	return m
}

func segment(marker byte, content string) []byte {
	b := []byte{0xff, marker}
	b = binary.BigEndian.AppendUint16(b, uint16(len(content)+2))
	return append(b, content...)
}

// plainJPEG is a picture and nothing else; photo is one as cameras write it.
func plainJPEG(t testing.TB) []byte {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, drawing(), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const profile = "ICC_PROFILE\x00\x01\x01 colours"

func photo(t testing.TB, turn uint16) []byte {
	plain := plainJPEG(t)
	out := []byte{0xff, 0xd8}
	out = append(out, segment(0xe0, "JFIF\x00\x01\x02\x00\x00\x01\x00\x01\x02\x02"+"thumbnail...")...)
	out = append(out, segment(0xe1, "Exif\x00\x00"+string(exif(turn)))...)
	out = append(out, segment(0xe1, "http://ns.adobe.com/xap/1.0/\x00"+secret)...)
	out = append(out, segment(0xe2, profile)...)
	out = append(out, segment(0xe2, "MPF\x00"+secret)...)
	out = append(out, segment(0xed, "Photoshop 3.0\x00"+secret)...)
	out = append(out, segment(0xfe, secret)...)
	out = append(out, plain[2:]...)
	return append(out, secret...)
}

func cleanedPhoto(t testing.TB, turn uint16) []byte {
	out := []byte{0xff, 0xd8}
	out = append(out, segment(0xe0, "JFIF\x00\x01\x02\x00\x00\x01\x00\x01\x00\x00")...)
	if turn != 1 {
		out = append(out, segment(0xe1, "Exif\x00\x00"+string(onlyOrientation(turn)))...)
	}
	out = append(out, segment(0xe2, profile)...)
	return append(out, plainJPEG(t)[2:]...)
}

// cleaned runs the cleaner for an ending over a file.
func cleaned(t testing.TB, ending string, file []byte) ([]byte, Type, error) {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	return cleanedIn(t, f, ending, file)
}

// cleanedIn is cleaned that writes into f.
func cleanedIn(t testing.TB, f *os.File, ending string, file []byte) ([]byte, Type, error) {
	t.Helper()
	_, err := f.WriteAt(file, 0)
	if err = errors.Join(err, f.Truncate(int64(len(file)))); err != nil {
		t.Fatal(err)
	}
	c := cleaners[ending]
	if c.patch != nil {
		kind, err := c.patch(f, int64(len(file)), ext(ending))
		out, readErr := os.ReadFile(f.Name())
		return out, kind, errors.Join(err, readErr)
	}
	var out bytes.Buffer
	err = c.rewrite(&out, io.NewSectionReader(f, 0, int64(len(file))))
	return out.Bytes(), ext(ending), err
}

func TestPhotosLoseAllButThePictureAndHowItIsTurned(t *testing.T) {
	for turn := uint16(1); turn <= 8; turn++ {
		got, _, err := cleaned(t, "jpg", photo(t, turn))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(cleanedPhoto(t, turn), got); diff != "" {
			t.Errorf("turned %d: %s", turn, diff)
		}
		if _, err := jpeg.Decode(bytes.NewReader(got)); err != nil {
			t.Errorf("turned %d: %v", turn, err)
		}
		again, _, err := cleaned(t, "jpg", got)
		if err != nil || !bytes.Equal(again, got) {
			t.Errorf("turned %d: cleaning changes what is clean, or %v", turn, err)
		}
	}
}

func TestReservedSegmentsOfAPhotoGo(t *testing.T) {
	clean := cleanedPhoto(t, 1)
	for _, marker := range []byte{0x02, 0x5e, 0xbf, 0xc8, 0xf0, 0xf7, 0xf8, 0xfd} {
		segment := append([]byte{0xff, marker}, []byte(be16(len(secret)+2)+secret)...)
		dirty := slices.Concat(clean[:2], segment, clean[2:])
		got, _, err := cleaned(t, "jpg", dirty)
		if err != nil || !bytes.Equal(got, clean) {
			t.Errorf("segment %#x: %v, %d bytes of %d", marker, err, len(got), len(clean))
		}
	}
}

func TestAPhotoThatBreaksOffIsKeptAsFarAsItGoes(t *testing.T) {
	whole := plainJPEG(t)
	got, _, err := cleaned(t, "jpg", whole[:len(whole)-20])
	if err != nil || !bytes.Equal(got[:len(got)-2], whole[:len(whole)-20]) || !bytes.HasSuffix(got, []byte{0xff, 0xd9}) {
		t.Errorf("%d of %d bytes, %v", len(got), len(whole), err)
	}
	if _, _, err := cleaned(t, "jpg", whole[:100]); err == nil {
		t.Error("a photo without a scan was taken")
	}
}

func chunk(name, content string) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(content)))
	b = append(append(b, name...), content...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

func TestPNGsKeepTheirPixels(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, drawing()); err != nil {
		t.Fatal(err)
	}
	plain := b.Bytes()
	head, body := plain[:33], plain[33:] // IHDR ends there
	file := bytes.Join([][]byte{
		head, chunk("tEXt", "Comment\x00"+secret), chunk("iCCP", "x\x00\x00colours"), chunk("zTXt", secret),
		body[:len(body)-12], chunk("iTXt", "XML:com.adobe.xmp\x00"+secret), chunk("tIME", "1234567"),
		chunk("eXIf", string(exif(6))), chunk("prVt", secret), body[len(body)-12:], []byte(secret),
	}, nil)
	want := bytes.Join([][]byte{head, chunk("iCCP", "x\x00\x00colours"), chunk("eXIf", string(onlyOrientation(6))), body}, nil)
	got, _, err := cleaned(t, "png", file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	shown, err := png.Decode(bytes.NewReader(got))
	if err != nil || !sameImage(shown, drawing()) {
		t.Errorf("another picture, or %v", err)
	}
	for _, broken := range [][]byte{file[:40], file[:len(file)-100], append([]byte(pngMagic), chunk("IDAT", "x")...)} {
		if _, _, err := cleaned(t, "png", broken); err == nil {
			t.Errorf("a broken PNG of %d bytes was taken", len(broken))
		}
	}
}

func sameImage(a, b image.Image) bool {
	if a.Bounds() != b.Bounds() {
		return false
	}
	for y := a.Bounds().Min.Y; y < a.Bounds().Max.Y; y++ {
		for x := a.Bounds().Min.X; x < a.Bounds().Max.X; x++ {
			if color.RGBAModel.Convert(a.At(x, y)) != color.RGBAModel.Convert(b.At(x, y)) {
				return false
			}
		}
	}
	return true
}

func TestGIFsKeepTheirFrames(t *testing.T) {
	palette := color.Palette{color.Black, color.White, color.RGBA{255, 0, 0, 255}}
	film := &gif.GIF{LoopCount: 3}
	for i := range 3 {
		frame := image.NewPaletted(image.Rect(0, 0, 9, 9), palette)
		frame.SetColorIndex(i, i, 2)
		film.Image, film.Delay = append(film.Image, frame), append(film.Delay, 5)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, film); err != nil {
		t.Fatal(err)
	}
	plain := b.Bytes()
	at := bytes.Index(plain, []byte{0x21, 0xff, 11})
	sub := func(s string) string { return string([]byte{byte(len(s))}) + s }
	notes := "\x21\xfe" + sub(secret) + "\x00" + "\x21\xff" + sub("XMP DataXMP") + sub(secret) + "\x00"
	got, _, err := cleaned(t, "gif", []byte(string(plain[:at])+notes+string(plain[at:])+secret))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(plain, got); diff != "" {
		t.Error(diff)
	}
	cut, _, err := cleaned(t, "gif", plain[:len(plain)-5])
	if err != nil || !bytes.HasSuffix(cut, []byte{0, 0x3b}) {
		t.Errorf("one that breaks off ends with %x, or %v", cut[max(0, len(cut)-4):], err)
	}
}

// pixel is a WebP picture of one pixel, without the file's head.
const pixel = "VP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"

func riff(chunks string) []byte {
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(chunks)+4)), "WEBP"+chunks...)
}

func part(name, content string) string {
	s := name + string(binary.LittleEndian.AppendUint32(nil, uint32(len(content)))) + content
	if len(content)%2 == 1 {
		s += "\x00"
	}
	return s
}

func TestWebPsKeepTheirPicture(t *testing.T) {
	extended := func(flags byte) string { return part("VP8X", string([]byte{flags, 0, 0, 0, 0, 0, 0, 0, 0, 0})) }
	for name, c := range map[string]struct{ file, want []byte }{
		"plain":          {riff(pixel), riff(pixel)},
		"trailing":       {append(riff(pixel), secret...), riff(pixel)},
		"unknown chunks": {riff(pixel + part("NOTE", secret)), riff(pixel)},
		"Exif and XMP": {
			riff(extended(0x2c) + part("ICCP", "odd") + pixel + part("EXIF", string(exif(1))) + part("XMP ", secret)),
			riff(extended(0x20) + part("ICCP", "odd") + pixel),
		},
		"turned": {
			riff(extended(0x0c) + pixel + part("EXIF", "Exif\x00\x00"+string(exif(8))) + part("XMP ", secret)),
			riff(extended(0x08) + pixel + part("EXIF", string(onlyOrientation(8)))),
		},
	} {
		got, _, err := cleaned(t, "webp", c.file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if name == "plain" {
			if _, err := webp.Decode(bytes.NewReader(got)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestPicturesThatUnpackTooFarAreRefused(t *testing.T) {
	head := func(w, h uint32) []byte {
		b := binary.BigEndian.AppendUint32(nil, w)
		b = binary.BigEndian.AppendUint32(b, h)
		return append(b, 8, 2, 0, 0, 0)
	}
	bomb := append([]byte(pngMagic), chunk("IHDR", string(head(30000, 30000)))...)
	bomb = append(append(bomb, chunk("IDAT", "x")...), chunk("IEND", "")...)
	frame := append(append([]byte{0xff, 0xd8}, segment(0xc0, "\x08\xff\xff\xff\xff\x03")...), segment(0xda, "")...)
	for ending, file := range map[string][]byte{
		"png":  bomb,
		"jpg":  frame,
		"gif":  []byte("GIF89a\xff\xff\xff\xff\x00\x00\x00;"),
		"webp": riff(part("VP8X", "\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff") + pixel),
		"avif": avifFile("\x00\x00\xff\xff\x00\x00\xff\xff"),
	} {
		var huge *hugeError
		if _, _, err := cleaned(t, ending, file); !errors.As(err, &huge) {
			t.Errorf("%s: %v", ending, err)
		}
	}
}
