package media

import (
	"bytes"
	"encoding/binary"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
)

// Kind is the kind of display of a file.
type Kind string

// The kinds of files. Only the first three are displayed; others are downloads.
const (
	Image   Kind = "image"
	Video   Kind = "video"
	Audio   Kind = "audio"
	Unknown Kind = "unknown"
)

// Type is the type of a file: its media type, its ending in the store, and its
// kind.
type Type struct {
	Mime string
	Ext  string
	Kind Kind
}

// Shown returns the media type for serving a file: nothing that a browser would
// run, or show as a page.
func (t Type) Shown() string {
	if t.Kind == Unknown {
		return "application/octet-stream"
	}
	return t.Mime
}

// types are all types of files. An ending belongs to one type.
var types = []Type{
	{"image/jpeg", "jpg", Image}, {"image/png", "png", Image}, {"image/gif", "gif", Image}, {"image/webp", "webp", Image},
	{"image/avif", "avif", Image}, {"image/heic", "heic", Image}, {"image/heif", "heif", Image}, {"image/jxl", "jxl", Image},
	{"image/bmp", "bmp", Image},
	{"video/mp4", "mp4", Video}, {"video/quicktime", "mov", Video}, {"video/3gpp", "3gp", Video}, {"video/webm", "webm", Video},
	{"video/x-matroska", "mkv", Video}, {"video/ogg", "ogv", Video}, {"video/x-msvideo", "avi", Video}, {"video/mpeg", "mpg", Video},
	{"audio/mpeg", "mp3", Audio}, {"audio/aac", "aac", Audio}, {"audio/flac", "flac", Audio}, {"audio/ogg", "ogg", Audio},
	{"audio/wav", "wav", Audio}, {"audio/mp4", "m4a", Audio}, {"audio/webm", "weba", Audio}, {"audio/aiff", "aiff", Audio},
	{"audio/midi", "mid", Audio}, {"audio/amr", "amr", Audio},
	{"application/pdf", "pdf", Unknown}, {"application/zip", "zip", Unknown}, {"application/gzip", "gz", Unknown},
	{"text/plain", "txt", Unknown}, other,
}

// Mimes returns the media types of the displayed files.
func Mimes() []string {
	var out []string
	for _, t := range types {
		if t.Kind != Unknown {
			out = append(out, t.Mime)
		}
	}
	return out
}

var other = Type{"application/octet-stream", "bin", Unknown}

// stored matches the name of a file in the store.
var stored = regexp.MustCompile(`^[0-9a-f]{64}\.([a-z0-9]{2,4})$`)

// ext returns the type of a known ending.
func ext(e string) Type {
	for _, t := range types {
		if t.Ext == e {
			return t
		}
	}
	return other
}

// typeOfName returns the type of a file in the store; false for an invalid
// name.
func typeOfName(name string) (Type, bool) {
	m := stored.FindStringSubmatch(name)
	if m == nil {
		return other, false
	}
	t := ext(m[1])
	return t, t.Ext == m[1]
}

// nameQuery returns the query with a file's own name, "" without one.
func nameQuery(name string) string {
	if name = path.Base("/" + name); name == "/" || name == "." {
		return ""
	}
	return "?" + url.Values{"name": {name}}.Encode()
}

// headSize is the number of bytes that Sniff reads.
const headSize = 4096

// Sniff returns the type of a file from its first bytes; its name plays no part. Types
// that a browser could run are text or bytes.
func Sniff(head []byte) Type {
	head = head[:min(len(head), headSize)]
	if e := magic(head); e != "" {
		return ext(e)
	}
	if bytes.HasPrefix(head, []byte("BM")) {
		head = head[2:] // a bitmap by its first two letters
	}
	switch kind, _, _ := strings.Cut(http.DetectContentType(head), ";"); kind {
	case "application/pdf":
		return ext("pdf")
	case "application/zip":
		return ext("zip")
	case "application/x-gzip":
		return ext("gz")
	case "text/plain":
		return ext("txt")
	}
	return other
}

// magic returns the ending of a picture, film or sound by its magic numbers.
func magic(b []byte) string {
	at := func(i int, s string) bool { return len(b) >= i+len(s) && string(b[i:i+len(s)]) == s }
	switch {
	case at(0, "\xff\xd8\xff"):
		return "jpg"
	case at(0, pngMagic):
		return "png"
	case at(0, "GIF87a"), at(0, "GIF89a"):
		return "gif"
	case at(0, "RIFF") && at(8, "WEBP"):
		return "webp"
	case at(0, "RIFF") && at(8, "WAVE"):
		return "wav"
	case at(0, "RIFF") && at(8, "AVI "):
		return "avi"
	case at(0, "\xff\x0a"), at(0, jxlMagic):
		return "jxl"
	case at(0, "BM"):
		return bitmap(b)
	case at(4, "ftyp"):
		return brand(b)
	case at(4, "moov"), at(4, "wide"), at(4, "mdat"):
		return "mov"
	case at(0, "\x1a\x45\xdf\xa3"):
		return matroska(b)
	case at(0, "OggS"):
		return ogg(b)
	case at(0, "fLaC"):
		return "flac"
	case at(0, "ID3"):
		return "mp3"
	case at(0, "FORM") && (at(8, "AIFF") || at(8, "AIFC")):
		return "aiff"
	case at(0, "MThd\x00\x00\x00\x06"):
		return "mid"
	case at(0, "#!AMR"):
		return "amr"
	case at(0, "\x00\x00\x01\xba"), at(0, "\x00\x00\x01\xb3"):
		return "mpg"
	}
	return frames(b)
}

// bitmap checks more than the first two letters, with which texts begin too.
func bitmap(b []byte) string {
	if len(b) < 26 || binary.LittleEndian.Uint32(b[6:]) != 0 {
		return ""
	}
	switch binary.LittleEndian.Uint32(b[14:]) {
	case 12, 40, 52, 56, 64, 108, 124:
		return "bmp"
	}
	return ""
}

// brand returns the ending of a file in the ISO base media format.
func brand(b []byte) string {
	end := min(int(min(binary.BigEndian.Uint32(b), headSize)), len(b))
	if len(b) < 12 {
		return ""
	}
	major := string(b[8:12])
	has := func(names ...string) bool {
		for i := 8; i+4 <= end; i += 4 {
			for _, n := range names {
				if i != 12 && string(b[i:i+4]) == n {
					return true
				}
			}
		}
		return false
	}
	switch {
	case major == "avif", major == "avis":
		return "avif"
	case major == "heic", major == "heix", major == "hevc", major == "hevx", major == "heim", major == "heis":
		return "heic"
	case major == "mif1", major == "msf1", major == "miaf":
		if has("avif", "avis") {
			return "avif"
		}
		if has("heic", "heix", "hevc", "hevx") {
			return "heic"
		}
		return "heif"
	case major == "M4A ", major == "M4B ", major == "M4P ":
		return "m4a"
	case major == "qt  ":
		return "mov"
	case strings.HasPrefix(major, "3gp"), strings.HasPrefix(major, "3g2"):
		return "3gp"
	case major == "crx ", major == "jp2 ", major == "jpx ":
		return ""
	}
	return "mp4"
}

func matroska(b []byte) string {
	film, sound := codec(b, "V_"), codec(b, "A_")
	switch {
	case bytes.Contains(b[:min(len(b), 64)], []byte("webm")):
		if sound && !film {
			return "weba"
		}
		return "webm"
	case bytes.Contains(b[:min(len(b), 64)], []byte("matroska")):
		return "mkv"
	}
	return ""
}

// codec reports whether there is a CodecID element (0x86, a short length, the
// name) with this prefix.
func codec(b []byte, name string) bool {
	for rest := b; ; {
		i := bytes.Index(rest, []byte(name))
		if i < 0 {
			return false
		}
		if i >= 2 && rest[i-2] == 0x86 && rest[i-1]&0x80 != 0 {
			return true
		}
		rest = rest[i+len(name):]
	}
}

func ogg(b []byte) string {
	first := b[min(28, len(b)):min(40, len(b))]
	switch {
	case bytes.HasPrefix(first, []byte("\x80theora")), bytes.HasPrefix(first, []byte("BBCD")), bytes.HasPrefix(first, []byte("\x01video")):
		return "ogv"
	case bytes.HasPrefix(first, []byte("fishead")) && bytes.Contains(b, []byte("\x80theora")):
		return "ogv"
	}
	return "ogg"
}

// frames recognises MPEG audio without a tag, by two frames in a row.
func frames(b []byte) string {
	if len(b) < 7 || b[0] != 0xff {
		return ""
	}
	if b[1]&0xf6 == 0xf0 { // ADTS: AAC
		n := int(b[3]&3)<<11 | int(b[4])<<3 | int(b[5])>>5
		if n >= 7 && len(b) >= n+2 && b[n] == 0xff && b[n+1] == b[1] {
			return "aac"
		}
		return ""
	}
	if n := mp3Frame(b); n > 0 && len(b) >= n+4 && mp3Frame(b[n:]) > 0 {
		return "mp3"
	}
	return ""
}

var (
	rates1 = [...]int{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320}
	rates2 = [...]int{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160}
	hertz  = [...]int{44100, 48000, 32000}
)

// mp3Frame returns the length of a frame of layer III, 0 for none.
func mp3Frame(b []byte) int {
	if len(b) < 4 || b[0] != 0xff || b[1]&0xe6 != 0xe2 {
		return 0
	}
	version, rate, sample := b[1]>>3&3, int(b[2]>>4), int(b[2]>>2&3)
	if version == 1 || rate == 0 || rate == 15 || sample == 3 {
		return 0
	}
	pad := int(b[2] >> 1 & 1)
	switch version {
	case 3:
		return 144*rates1[rate]*1000/hertz[sample] + pad
	case 2:
		return 72*rates2[rate]*1000/(hertz[sample]/2) + pad
	}
	return 72*rates2[rate]*1000/(hertz[sample]/4) + pad
}
