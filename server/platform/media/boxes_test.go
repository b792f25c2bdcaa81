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

// A film, as it is after cleaning for dates of zeros and no name.
var (
	dates   = be32(1790000000) + be32(1790000001)
	noDates = strings.Repeat("\x00", 8)
)

func handlerNamed(kind, name string) string {
	return aBox("hdlr", be32(0), be32(0), kind, strings.Repeat("\x00", 12), name)
}

func handler(kind string) string { return handlerNamed(kind, "\x00") }

// nothing is a blanked text.
func nothing(text string) string { return strings.Repeat("\x00", len(text)) }

func trackNamed(id int, dates, name, kind string, more ...string) string {
	return aBox("trak", aBox("tkhd", be32(0), dates, be32(id), be32(0)), aBox("mdia", aBox("mdhd", be32(0), dates, be32(1)),
		handlerNamed(kind, name), aBox("minf", append(more, handlerNamed("url ", name))...)))
}

func trackOf(kind string, tables ...string) string {
	return trackNamed(1, noDates, "\x00", kind, aBox("stbl", tables...))
}

func TestFilmsLoseAllButWhatIsShown(t *testing.T) {
	const picture, notes = "moving picture", secret + secret
	head := aBox("ftyp", "isom", be32(0))
	film := func(dates string) string { return aBox("mvhd", be32(0), dates, be32(1000)) }
	dated := trackNamed(1, dates, secret+"\x00", "vide", aBox("stbl", aBox("stsd", "avc1")), aBox("note", secret))
	video := trackNamed(1, noDates, nothing(secret)+"\x00", "vide", aBox("stbl", aBox("stsd", "avc1")), freed(8+len(secret)))
	// The notes lie in two chunks, of one and of two samples.
	camera := func(at int) string {
		n := len(secret)
		return trackOf("meta", aBox("stsc", be32(0), be32(2), be32(1), be32(1), be32(1), be32(2), be32(2), be32(1)),
			aBox("stsz", be32(0), be32(0), be32(3), be32(n), be32(n/2), be32(n-n/2)), aBox("stco", be32(0), be32(2), be32(at), be32(at+n)))
	}
	moov := func(at int) string {
		return aBox("moov", film(dates), dated, camera(at), aBox("udta", aBox("\xa9xyz", secret)), aBox("meta", secret), aBox("uuid", secret))
	}
	data := len(head) + len(moov(0)) + 8 + len(picture)
	file := head + moov(data) + aBox("mdat", picture, notes) + aBox("uuid", secret) + aBox("free", secret) + aBox("sefd", secret)
	want := head + aBox("moov", film(noDates), video, freed(len(camera(0))), freed(8+len(aBox("\xa9xyz", secret))), freed(8+len(secret)), freed(8+len(secret))) +
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

// TestChaptersOfAFilmGo has a track of titles that the film refers to, and subtitles, which
// it does not.
func TestChaptersOfAFilmGo(t *testing.T) {
	file := func(dirty bool) string {
		head, said := aBox("ftyp", "isom", be32(0)), "subtitles"
		link, titles := aBox("chap", be32(2)), secret
		if !dirty {
			link, titles = freed(len(link)), nothing(secret)
		}
		text := func(id, at, n int) string {
			return trackNamed(id, noDates, "\x00", "text", aBox("stbl", aBox("stsc", be32(0), be32(1), be32(1), be32(1), be32(1)),
				aBox("stsz", be32(0), be32(0), be32(1), be32(n)), aBox("stco", be32(0), be32(1), be32(at))))
		}
		moov := func(at int) string {
			video := aBox("trak", aBox("tkhd", be32(0), noDates, be32(1), be32(0)), aBox("tref", link, aBox("hint", be32(3))), aBox("mdia", handler("vide")))
			chapters := text(2, at, len(secret))
			if !dirty {
				chapters = freed(len(chapters))
			}
			return aBox("moov", text(3, at+len(secret), len(said)), video, chapters)
		}
		return head + moov(len(head)+len(moov(0))+8) + aBox("mdat", titles, said)
	}
	got, _, err := cleaned(t, "mov", []byte(file(true)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(file(false), string(got)); diff != "" {
		t.Error(diff)
	}
}

// TestHiddenTracksOfFragmentsGo has tracks of positions in fragments, whose places are told
// in all ways: from the beginning of the file or of the fragment, or behind the track before;
// with sizes of each sample, of the fragment, and of the film.
func TestHiddenTracksOfFragmentsGo(t *testing.T) {
	const picture = "moving picture"
	n := len(secret)
	head := aBox("ftyp", "iso6", be32(0))
	trex := func(id, size int) string {
		return aBox("trex", be32(0), be32(id), be32(1), be32(0), be32(size), be32(0))
	}
	moov := func(hidden string) string {
		return aBox("moov", aBox("mvhd", be32(0), noDates, be32(1000)), trackNamed(1, noDates, "\x00", "vide"), hidden, aBox("mvex", trex(1, len(picture)), trex(2, n)))
	}
	camera := trackNamed(2, noDates, "\x00", "meta")
	be64 := func(v int) string { return be32(0) + be32(v) }
	video := func(flags int, more ...string) string {
		return aBox("traf", aBox("tfhd", be32(flags), be32(1)), aBox("trun", append([]string{be32(1), be32(1)}, more...)...))
	}
	start := len(head + moov(camera))
	for name, traf := range map[string]func(moof, data int) (video, camera string){
		"behind the track before, with the size of the film": func(moof, data int) (string, string) {
			return video(0, be32(data-moof)), aBox("traf", aBox("tfhd", be32(0), be32(2)), aBox("trun", be32(0), be32(2)))
		},
		"from the fragment on, with a size of its own": func(moof, data int) (string, string) {
			return video(0x20000, be32(data-moof)), aBox("traf", aBox("tfhd", be32(0x20010), be32(2), be32(n)), aBox("trun", be32(1), be32(2), be32(data-moof+len(picture))))
		},
		"in the file, with a size of each sample": func(moof, data int) (string, string) {
			return video(0x20000, be32(data-moof)), aBox("traf", aBox("tfhd", be32(1), be32(2), be64(data+len(picture))),
				aBox("trun", be32(0x300), be32(1), be32(1000), be32(n)), aBox("trun", be32(0xa00), be32(1), be32(n), be32(5)))
		},
	} {
		build := func(moov string, cut bool) string {
			make := func(data int) (string, string) {
				v, c := traf(start, data)
				if cut {
					c = freed(len(c))
				}
				return v, c
			}
			v, c := make(0)
			fragment := len(aBox("moof", aBox("mfhd", be32(0), be32(1)), v, c))
			v, c = make(start + fragment + 8)
			notes := secret + secret
			if cut {
				notes = nothing(notes)
			}
			return head + moov + aBox("moof", aBox("mfhd", be32(0), be32(1)), v, c) + aBox("mdat", picture, notes)
		}
		got, _, err := cleaned(t, "mp4", []byte(build(moov(camera), false)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(build(moov(freed(len(camera))), true), string(got)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	outside := head + moov(camera) + aBox("moof", aBox("traf", aBox("tfhd", be32(1), be32(2), be64(8)), aBox("trun", be32(0), be32(1)))) + aBox("mdat", picture)
	if _, _, err := cleaned(t, "mp4", []byte(outside)); !errors.Is(err, errDamaged) {
		t.Errorf("a track in the tables: %v", err)
	}
	many := head + moov(camera) + aBox("moof", strings.Repeat(aBox("traf", aBox("tfhd", be32(1), be32(2), be64(start+100)), aBox("trun", be32(0), be32(1<<30))), 2000)) + aBox("mdat", picture)
	if _, _, err := cleaned(t, "mp4", []byte(many)); !errors.Is(err, errDamaged) {
		t.Errorf("the same data again and again: %v", err)
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
	want := strings.Replace(string(file[:len(file)-tail]), "application/rdf+xml", nothing("application/rdf+xml"), 1) + be32(0) + empty + strings.Repeat("\x00", notes-4-len(empty)+xmp) + freed(8+len(secret))
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

// TestHEICsLoseWhatIsReferredTo has notes that are found by a reference to the file itself, a
// small copy, names and descriptions.
func TestHEICsLoseWhatIsReferredTo(t *testing.T) {
	const picture, small = "picture", "the small copy"
	file := func(dirty bool) string {
		text, mark, notes := secret, 0, secret
		ref := func(kind string, from, to int) string { return aBox(kind, be16(from), be16(1), be16(to)) }
		link := ref("thmb", 3, 1)
		copied := small
		described := aBox("udes", be32(0), text, "\x00")
		unknown := aBox("note", text)
		if !dirty {
			text, notes, copied, mark = nothing(secret), nothing(secret), nothing(small), 1
			described, link, unknown = freed(len(described)), freed(len(link)), freed(len(unknown))
		}
		item := func(id, flags int, kind string) string {
			return aBox("infe", be32(2<<24|flags), be16(id), be16(0), kind, text+"\x00")
		}
		head := aBox("ftyp", "heic", be32(0))
		build := func(at int) string {
			place := func(id, file, from, n int) string {
				return be16(id) + be16(file) + be16(1) + be32(from) + be32(n)
			}
			return aBox("meta", be32(0), handlerNamed("pict", text+"\x00"), aBox("pitm", be32(0), be16(1)),
				aBox("dinf", aBox("dref", be32(0), be32(2), aBox("url ", be32(1)), aBox("url ", be32(0), text+"\x00"))),
				aBox("iloc", be32(0), be16(0x4400), be16(4), place(1, 0, at, len(picture)), place(2, 1, at+len(picture), len(notes)),
					place(3, 0, at+len(picture+notes), len(small)), place(4, 2, at, len(picture))),
				aBox("iinf", be32(0), be16(4), item(1, 0, "hvc1"), item(2, 0, "uri "), item(3, mark, "hvc1"), item(4, 0, "mime")),
				aBox("iref", be32(0), ref("cdsc", 2, 1), link),
				aBox("iprp", aBox("ipco", aBox("ispe", be32(0), be32(8), be32(8)), described, aBox("irot", "\x01"))), unknown)
		}
		return head + build(len(head)+len(build(0))+8) + aBox("mdat", picture, notes, copied)
	}
	got, _, err := cleaned(t, "heic", []byte(file(true)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(file(false), string(got)); diff != "" {
		t.Error(diff)
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

// TestMatroskasLoseAllButTheFilm has a secret in every place beside the film.
func TestMatroskasLoseAllButTheFilm(t *testing.T) {
	size := func(n int) string { return string(binary.BigEndian.AppendUint64(nil, uint64(n)|1<<56)) }
	el := func(id string, content ...string) string {
		c := strings.Join(content, "")
		return id + size(len(c)) + c
	}
	const unknown = "\x01\xff\xff\xff\xff\xff\xff\xff"
	file := func(dirty, live bool) string {
		// gone is an element that becomes a void, blank one that loses its text.
		gone := func(id string, content ...string) string {
			e := el(id, content...)
			if dirty {
				return e
			}
			return el("\xec", nothing(e[9:]))
		}
		text := secret
		if !dirty {
			text = nothing(secret)
		}
		hidden := func(id, number string) string { return el(id, number+text) }
		track := func(number, kind string) []string {
			return []string{el("\xd7", number), el("\x83", kind), el("\x86", "V_VP9"), el("\x63\xa2", "private")}
		}
		cluster := el("\xe7", "\x00") + gone("\xec", secret) + el("\xa3", "\x81moving picture") + hidden("\xa3", "\x82") +
			gone("\x7f\x01", secret) + el("\xa0", el("\xa1", "\x81more"), gone("\xbf", "\x01\x02\x03\x04"), gone("\xec", secret), el("\x9b", "\x10")) +
			el("\xa0", hidden("\xa1", "\x82"))
		begin := "\x1f\x43\xb6\x75" + size(len(cluster))
		if live {
			begin = "\x1f\x43\xb6\x75" + unknown
		}
		segment := el("\x11\x4d\x9b\x74", el("\x4d\xbb", el("\x53\xab", "\x15\x49\xa9\x66"), el("\x53\xac", "\x30")), gone("\xec", secret)) +
			el("\x15\x49\xa9\x66", gone("\x7b\xa9", secret), gone("\x44\x61", "\x01\x02\x03\x04\x05\x06\x07\x08"), gone("\x73\xa4", secret), gone("\x73\x84", secret),
				el("\x2a\xd7\xb1", "\x0f\x42\x40"), el("\x4d\x80", text), el("\x57\x41", text), gone("\xec", secret), gone("\xbf", "\x01\x02\x03\x04")) +
			el("\x16\x54\xae\x6b",
				el("\xae", append(track("\x01", "\x01"), gone("\x53\x6e", secret), gone("\x25\x86\x88", secret), gone("\x7f\x02", secret),
					el("\xe0", el("\xb0", "\x01"), gone("\x7f\x03", secret), el("\x55\xb0", el("\x55\xb1", "\x01"), gone("\x7f\x04", secret))))...),
				gone("\xae", append(track("\x02", "\x21"), el("\x53\x6e", secret))...)) +
			gone("\x10\x43\xa7\x70", el("\x45\xb9", secret)) + gone("\x12\x54\xc3\x67", secret) + gone("\x7f\x05", secret) + gone("\xec", secret) +
			begin + cluster + begin + cluster +
			el("\x1c\x53\xbb\x6b", el("\xbb", el("\xb3", "\x00"), el("\xb7", el("\xf7", "\x01"), el("\xf1", "\x50"), gone("\x7f\x06", secret))))
		return el("\x1a\x45\xdf\xa3", el("\x42\x82", "webm"), gone("\xec", secret), gone("\x7f\x07", secret)) + el("\x18\x53\x80\x67", segment)
	}
	for _, live := range []bool{false, true} {
		got, _, err := cleaned(t, "webm", []byte(file(true, live)))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(file(false, live), string(got)); diff != "" {
			t.Errorf("live %t: %s", live, diff)
		}
		if bytes.Contains(got, []byte(secret)) {
			t.Errorf("live %t: something is left", live)
		}
	}
}

func TestMatroskasLoseTheirTags(t *testing.T) {
	size := func(n int) string { return string(binary.BigEndian.AppendUint64(nil, uint64(n)|1<<56)) }
	el := func(id, content string) string { return id + size(len(content)) + content }
	const unknown = "\x01\xff\xff\xff\xff\xff\xff\xff"
	head := el("\x1a\x45\xdf\xa3", el("\x42\x82", "webm"))
	info, block := el("\x15\x49\xa9\x66", el("\x44\x89", "long")), el("\xe7", "\x00")+el("\xa3", "moving picture")
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
