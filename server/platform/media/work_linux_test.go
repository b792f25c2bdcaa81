package media

import (
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// upTo repeats a part until there are some 4 MB of it.
func upTo(part string) string { return strings.Repeat(part, 4<<20/len(part)) }

// costly are files that give a cleaner as much to do as their length allows.
func costly(t testing.TB) map[string]func() (ending, file string) {
	film := aBox("ftyp", "isom", be32(0))
	size := func(n int) string { return string(binary.BigEndian.AppendUint64(nil, uint64(n)|1<<56)) }
	matroska := "\x1a\x45\xdf\xa3\x84webm\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff"
	pngHead := pngMagic + string(chunk("IHDR", "\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00"))
	const gifHead, frame = "GIF89a\x01\x00\x01\x00\x00\x00\x00", "\x2c\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02"
	plain := string(plainJPEG(t))
	chunks := func(n, bytes int) string {
		return aBox("moov", trackOf("meta", aBox("stsc", be32(0), be32(1), be32(1), be32(1), be32(1)),
			aBox("stsz", be32(0), be32(bytes), be32(n)), aBox("stco", be32(0), be32(n), strings.Repeat(be32(len(film)+8), n))))
	}
	extents := func(n, bytes int) string {
		item := aBox("infe", be32(2<<24), be16(1), be16(0), "Exif", "\x00")
		places := ""
		for i := range n / 0xffff {
			places += be16(i) + be16(0) + be16(0xffff) + strings.Repeat(be32(len(film)+8)+be32(bytes), 0xffff)
		}
		return aBox("meta", be32(0), aBox("iinf", be32(0), be16(1), item), aBox("iloc", be32(0), be16(0x4400), be16(n/0xffff), places))
	}
	data := aBox("mdat", strings.Repeat("x", 1<<20))
	items := aBox("infe", be32(2<<24), be16(1), be16(0), "Exif")
	scans := func(scan string) string { return plain[:len(plain)-2] + upTo(scan) + "\xff\xd9" }
	return map[string]func() (ending, file string){
		"empty boxes":           func() (string, string) { return "mp4", film + upTo(aBox("uuid")) },
		"empty boxes in a film": func() (string, string) { return "mp4", film + aBox("moov", upTo(aBox("udta"))) },
		"empty free boxes":      func() (string, string) { return "mp4", film + aBox("moov", upTo(aBox("free"))) },
		"tracks":                func() (string, string) { return "mp4", film + aBox("moov", upTo(trackOf("meta"))) },
		"sound tracks":          func() (string, string) { return "mp4", film + aBox("moov", upTo(trackOf("soun"))) },
		"empty chunks":          func() (string, string) { return "mp4", film + data + chunks(250_000, 0) },
		"chunks":                func() (string, string) { return "mp4", film + data + chunks(250_000, 1) },
		"long chunks":           func() (string, string) { return "mp4", film + data + chunks(250_000, 64) },
		"boxes of a JPEG XL":    func() (string, string) { return "jxl", jxlMagic + upTo(aBox("Exif")) },
		"boxes of few bytes":    func() (string, string) { return "jxl", jxlMagic + upTo(aBox("Exif", "x")) },
		"empty extents":         func() (string, string) { return "avif", film + data + extents(0xffff*7, 0) },
		"extents":               func() (string, string) { return "avif", film + data + extents(0xffff*7, 1) },
		"items": func() (string, string) {
			return "heic", film + aBox("meta", be32(0), aBox("iinf", be32(1<<24), be32(4<<20/len(items)-1), strings.Repeat(items, 4<<20/len(items)-1)))
		},
		"tables of items": func() (string, string) {
			return "heic", film + aBox("meta", be32(0), upTo(aBox("iinf", be32(0), be16(0))))
		},
		"empty tags": func() (string, string) { return "webm", matroska + upTo("\x12\x54\xc3\x67\x80") },
		"short tags": func() (string, string) { return "webm", matroska + upTo("\x12\x54\xc3\x67\x82ab") },
		"elements":   func() (string, string) { return "webm", matroska + upTo("\xec\x80") },
		"elements of a cluster": func() (string, string) {
			return "webm", matroska + "\x1f\x43\xb6\x75\x01\xff\xff\xff\xff\xff\xff\xff" + upTo("\xa3\x80")
		},
		"clusters":                func() (string, string) { return "webm", matroska + upTo("\x1f\x43\xb6\x75\xff") },
		"tags with a long length": func() (string, string) { return "webm", matroska + upTo("\x12\x54\xc3\x67"+size(0)) },
		"chunks of a PNG": func() (string, string) {
			return "png", pngHead + upTo(string(chunk("IDAT", ""))) + string(chunk("IEND", ""))
		},
		"texts of a PNG": func() (string, string) {
			return "png", pngHead + upTo(string(chunk("tEXt", ""))) + string(chunk("IEND", ""))
		},
		"turns of a PNG": func() (string, string) {
			return "png", pngHead + upTo(string(chunk("eXIf", string(exif(1))))) + string(chunk("IEND", ""))
		},
		"extensions of a GIF": func() (string, string) { return "gif", gifHead + upTo("\x21\xfe\x00") },
		"blocks of a GIF": func() (string, string) {
			return "gif", gifHead + frame + upTo("\x01x") + "\x00\x3b"
		},
		"frames of a GIF": func() (string, string) {
			return "gif", gifHead + upTo(frame+"\x00") + "\x3b"
		},
		"chunks of a WebP":   func() (string, string) { return "webp", string(riff(pixel + upTo(part("NOTE", "")))) },
		"frames of a WebP":   func() (string, string) { return "webp", string(riff(pixel + upTo(part("ANMF", "")))) },
		"scans of a JPEG":    func() (string, string) { return "jpg", scans("\xff\xda\x00\x02") },
		"tables of a JPEG":   func() (string, string) { return "jpg", scans("\xff\xc4\x00\x02") },
		"comments of a JPEG": func() (string, string) { return "jpg", scans("\xff\xfe\x00\x02") },
		"marks of a JPEG":    func() (string, string) { return "jpg", scans("\xff\xd0") },
		"fillings of a JPEG": func() (string, string) { return "jpg", scans("\xff") },
		"stuffing of a JPEG": func() (string, string) { return "jpg", scans("\xff\x00") },
		"bytes between":      func() (string, string) { return "jpg", "\xff\xd8" + upTo("x") },
	}
}

// processorTime is the time the thread has used so far.
func processorTime(t testing.TB) time.Duration {
	t.Helper()
	const thread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	if err := syscall.Getrusage(thread, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func TestNoFileCostsACleanerMuch(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for name, make := range costly(t) {
		ending, file := make()
		before := processorTime(t)
		_, _, _ = cleanedIn(t, f, ending, []byte(file))
		used := processorTime(t) - before
		if used > 3*time.Second { // with room for the race detector
			t.Errorf("%s: cleaning %d bytes takes %v of processor", name, len(file), used)
		}
	}
}

// inScans is a JPEG of grey that comes in scans, of which all but the first say
// that nothing changes. Shape: ITU-T T.81, annexes B and G.
func inScans(side, scans int) []byte {
	b := append([]byte{0xff, 0xd8}, segment(0xdb, "\x00"+strings.Repeat("\x01", 64))...)
	b = append(b, segment(0xc2, "\x08"+be16(side)+be16(side)+"\x01\x01\x11\x00")...)
	// One code of one bit each: of no difference, and of a run of 16,384 blocks
	// and some more in which nothing is.
	b = append(b, segment(0xc4, "\x00\x01"+strings.Repeat("\x00", 15)+"\x00")...)
	b = append(b, segment(0xc4, "\x10\x01"+strings.Repeat("\x00", 15)+"\xe0")...)
	blocks := (side + 7) / 8 * ((side + 7) / 8)
	b = append(b, segment(0xda, "\x01\x01\x00\x00\x00\x00")...)
	b = append(b, make([]byte, blocks/8+1)...)
	empty := append(segment(0xda, "\x01\x01\x00\x01\x3f\x00"), make([]byte, (blocks/16384+1)*15/8+1)...)
	for range scans {
		b = append(b, empty...)
	}
	return append(b, 0xff, 0xd9)
}

func TestNoPictureCostsTheStudioMuch(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for name, c := range map[string]struct {
		file  []byte
		drawn bool
	}{
		"few scans":  {inScans(512, 20), true},
		"many scans": {inScans(4096, 2000), false},
	} {
		before := processorTime(t)
		err := thumbnail(io.Discard, c.file, ext("jpg"), 100, 100, 80)
		if used := processorTime(t) - before; used > time.Second {
			t.Errorf("%s: %d bytes take %v of processor", name, len(c.file), used)
		}
		if c.drawn != (err == nil) || err != nil && !errors.Is(err, errUndecoded) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, c := range map[string]struct {
		model  color.Model
		side   int
		ext    string
		raw    []byte
		pixels int64
		bytes  int64
	}{
		"grey":         {color.GrayModel, 800, "png", nil, 1, 4},
		"16 bits":      {color.NRGBA64Model, 800, "png", nil, 1, 8},
		"in scans":     {color.GrayModel, 800, "jpg", inScans(800, 2), 3, 5},
		"all at once":  {color.YCbCrModel, 23, "jpg", plainJPEG(t), 1, 1},
		"of four inks": {color.CMYKModel, 800, "jpg", nil, 0, 8},
	} {
		size, passes := burden(c.raw, ext(c.ext), image.Config{ColorModel: c.model, Width: c.side, Height: c.side})
		if n := int64(c.side) * int64(c.side); size/n != c.bytes || passes/n != c.pixels {
			t.Errorf("%s: %d bytes and %d passes a pixel", name, size/n, passes/n)
		}
	}
}
