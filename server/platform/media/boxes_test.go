package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func be32(n int) string { return string(binary.BigEndian.AppendUint32(nil, uint32(n))) }
func be16(n int) string { return string(binary.BigEndian.AppendUint16(nil, uint16(n))) }

func aBox(name string, content ...string) string {
	c := strings.Join(content, "")
	return be32(len(c)+8) + name + c
}

// freed is a box in place of a removed one.
func freed(n int) string { return be32(n) + "free" + strings.Repeat("\x00", n-8) }

func handler(kind string) string { return aBox("hdlr", be32(0), be32(0), kind, "name\x00") }

func trackOf(kind string, tables ...string) string {
	return aBox("trak", aBox("tkhd", "track"), aBox("mdia", aBox("mdhd", "media"), handler(kind), aBox("minf", aBox("stbl", tables...))))
}

func TestFilmsLoseAllButWhatIsShown(t *testing.T) {
	const picture, notes = "moving picture", secret + secret
	head := aBox("ftyp", "isom", be32(0))
	video := trackOf("vide", aBox("stsd", "avc1"))
	// The notes lie in two chunks, of one and of two samples.
	camera := func(at int) string {
		n := len(secret)
		return trackOf("meta", aBox("stsc", be32(0), be32(2), be32(1), be32(1), be32(1), be32(2), be32(2), be32(1)),
			aBox("stsz", be32(0), be32(0), be32(3), be32(n), be32(n/2), be32(n-n/2)), aBox("stco", be32(0), be32(2), be32(at), be32(at+n)))
	}
	moov := func(at int) string {
		return aBox("moov", aBox("mvhd", "film"), video, camera(at), aBox("udta", aBox("\xa9xyz", secret)), aBox("meta", secret), aBox("uuid", secret))
	}
	data := len(head) + len(moov(0)) + 8 + len(picture)
	file := head + moov(data) + aBox("mdat", picture, notes) + aBox("uuid", secret) + aBox("free", secret) + aBox("sefd", secret)
	want := head + aBox("moov", aBox("mvhd", "film"), video, freed(len(camera(0))), freed(8+len(aBox("\xa9xyz", secret))), freed(8+len(secret)), freed(8+len(secret))) +
		aBox("mdat", picture, strings.Repeat("\x00", len(notes))) + freed(8+len(secret)) + freed(8+len(secret)) + freed(8+len(secret))
	got, kind, err := cleaned(t, "mp4", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(ext("mp4"), kind); diff != "" {
		t.Error(diff)
	}
}

func TestAFilmWithoutAPictureIsASound(t *testing.T) {
	file := aBox("ftyp", "isom", be32(0)) + aBox("moov", trackOf("soun"))
	if _, kind, err := cleaned(t, "mp4", []byte(file)); err != nil || kind != ext("m4a") {
		t.Errorf("%v, %v", kind, err)
	}
	if _, _, err := cleaned(t, "mp4", []byte(aBox("ftyp", "isom", be32(0))+aBox("mdat", "x"))); err == nil {
		t.Error("a film without tables was taken")
	}
}

func TestTablesThatLeadAroundAreRefused(t *testing.T) {
	head, data := aBox("ftyp", "isom", be32(0)), aBox("mdat", strings.Repeat("x", 1<<20))
	film := func(at, n, times int) string {
		return head + data + aBox("moov", trackOf("meta", aBox("stsc", be32(0), be32(1), be32(1), be32(1), be32(1)),
			aBox("stsz", be32(0), be32(n), be32(times)), aBox("stco", be32(0), be32(times), strings.Repeat(be32(at), times))))
	}
	for name, file := range map[string]string{
		"the same data, again and again": film(len(head)+8, 1<<20, 16),
		"a few bytes of it":              film(len(head)+8, 1, 1<<17),
		"its own tables":                 film(len(head+data)+20, 8, 1),
		"the head of the data":           film(len(head), 8, 1),
	} {
		if _, _, err := cleaned(t, "mp4", []byte(file)); !errors.Is(err, errDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Where a film breaks off, its tables lead past the end.
	if _, _, err := cleaned(t, "mp4", []byte(film(1<<30, 8, 100))); err != nil {
		t.Error(err)
	}
}

// avifFile is a picture with Exif and XMP items; size is the content of ispe.
func avifFile(size string) []byte {
	const picture = "picture"
	notes := be32(0) + string(exif(6))
	xmp := "<x>" + secret
	item := func(id int, kind, more string) string {
		return aBox("infe", be32(2<<24), be16(id), be16(0), kind, "\x00", more)
	}
	head := aBox("ftyp", "avif", be32(0))
	build := func(at int) string {
		place := func(id, from, n int) string { return be16(id) + be16(0) + be16(1) + be32(from) + be32(n) }
		return aBox("meta", be32(0), handler("pict"), aBox("pitm", be32(0), be16(1)),
			aBox("iloc", be32(0), be16(0x4400), be16(3), place(1, at, len(picture)), place(2, at+len(picture), len(notes)), place(3, at+len(picture)+len(notes), len(xmp))),
			aBox("iinf", be32(0), be16(3), item(1, "av01", ""), item(2, "Exif", ""), item(3, "mime", "application/rdf+xml\x00")),
			aBox("iprp", aBox("ipco", aBox("ispe", be32(0), size), aBox("irot", "\x01"))))
	}
	meta := build(len(head) + len(build(0)) + 8)
	return []byte(head + meta + aBox("mdat", picture, notes, xmp) + aBox("mpvd", secret))
}

func TestAVIFsLoseAllButThePicture(t *testing.T) {
	file := avifFile(be32(20) + be32(10))
	got, _, err := cleaned(t, "avif", file)
	if err != nil {
		t.Fatal(err)
	}
	notes, xmp := len(be32(0)+string(exif(6))), len("<x>"+secret)
	tail := notes + xmp + 8 + len(secret)
	empty := string(onlyOrientation(1))
	want := string(file[:len(file)-tail]) + be32(0) + empty + strings.Repeat("\x00", notes-4-len(empty)+xmp) + freed(8+len(secret))
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
	// An item over the table of places would make another file of this one.
	over := bytes.Clone(file)
	place := bytes.Index(over, []byte(be16(2)+be16(0)+be16(1))) + 6
	copy(over[place:], be32(place))
	if _, _, err := cleaned(t, "avif", over); !errors.Is(err, errDamaged) {
		t.Errorf("an item over the table of places: %v", err)
	}
	for _, cut := range []int{20, 100, len(file) / 2} {
		if _, _, err := cleaned(t, "avif", file[:cut]); err == nil {
			t.Errorf("a picture of %d bytes was taken", cut)
		}
	}
}

func TestJXLsLoseTheirBoxes(t *testing.T) {
	head := jxlMagic + aBox("ftyp", "jxl ", be32(0))
	file := head + aBox("Exif", be32(0), string(exif(1))) + aBox("xml ", secret) + aBox("jxlc", "\xff\x0apicture") + aBox("brob", secret)
	want := head + freed(8+len(be32(0)+string(exif(1)))) + freed(8+len(secret)) + aBox("jxlc", "\xff\x0apicture") + freed(8+len(secret))
	got, _, err := cleaned(t, "jxl", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestMatroskasLoseTheirTags(t *testing.T) {
	size := func(n int) string { return string(binary.BigEndian.AppendUint64(nil, uint64(n)|1<<56)) }
	el := func(id, content string) string { return id + size(len(content)) + content }
	const unknown = "\x01\xff\xff\xff\xff\xff\xff\xff"
	head := el("\x1a\x45\xdf\xa3", el("\x42\x82", "webm"))
	info, block := el("\x15\x49\xa9\x66", "info"), el("\xe7", "\x00")+el("\xa3", "moving picture")
	tags, files := el("\x12\x54\xc3\x67", secret), el("\x19\x41\xa4\x69", secret)
	small := "\x12\x54\xc3\x67\x82ab"
	void := func(n int) string {
		if n < 9 {
			return "\xec" + string([]byte{0x80 | byte(n-2)}) + strings.Repeat("\x00", n-2)
		}
		return "\xec" + size(n-9) + strings.Repeat("\x00", n-9)
	}
	body := func(tags, files, small string) string {
		return info + tags + files + "\x1f\x43\xb6\x75" + unknown + block + small + el("\x1f\x43\xb6\x75", block) + tags
	}
	for name, segment := range map[string]func(string) string{
		"whole": func(b string) string { return el("\x18\x53\x80\x67", b) },
		"live":  func(b string) string { return "\x18\x53\x80\x67" + unknown + b },
	} {
		file := head + segment(body(tags, files, small))
		want := head + segment(body(void(len(tags)), void(len(files)), void(len(small))))
		trailing := ""
		if name == "whole" {
			trailing = secret
			want += strings.Repeat("\x00", len(secret))
		}
		got, _, err := cleaned(t, "webm", []byte(file+trailing))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		cut, _, err := cleaned(t, "webm", []byte(file[:len(file)-len(tags)-5]))
		if err != nil || !bytes.HasPrefix(cut, []byte(want[:len(file)-len(tags)-40])) {
			t.Errorf("%s, broken off: %v", name, err)
		}
	}
}
