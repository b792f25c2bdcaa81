package media

import (
	"encoding/binary"
	"io"
	"os"
)

const jxlMagic = "\x00\x00\x00\x0cJXL \x0d\x0a\x87\x0a"

// Files of the ISO base media format are nested boxes, with offsets from the
// beginning of the file, so that nothing may move. A removed box becomes free
// space. Shape: ISO/IEC 14496-12.

// box is one box of a file.
type box struct {
	name string
	at   int64 // its offset
	body int64 // offset of its content
	end  int64
}

// boxes walks through a file.
type boxes struct{ *patched }

func newBoxes(f *os.File, size int64) boxes { return boxes{newPatched(f, size, maxBoxes)} }

// each calls fn with every box between two offsets. Only with cut may the last
// one be longer than the file, as in an interrupted film.
func (b boxes) each(from, end int64, cut bool, fn func(box) error) error {
	for at := from; at+8 <= end; {
		head, err := b.head(at, 8)
		if err != nil {
			return err
		}
		x := box{string(head[4:]), at, at + 8, at + int64(binary.BigEndian.Uint32(head))}
		switch x.end - at {
		case 0:
			x.end = end
		case 1:
			large, err := b.head(at+8, 8)
			if err != nil {
				return err
			}
			n := binary.BigEndian.Uint64(large)
			if n > 1<<62 {
				return damaged("a box of %d bytes", n)
			}
			x.body, x.end = at+16, at+int64(n)
		}
		if x.end > end && cut {
			x.end = end
		}
		if x.end > end || x.end < x.body {
			return damaged("box %q does not end", x.name)
		}
		if err := fn(x); err != nil {
			return err
		}
		at = x.end
	}
	return nil
}

// free turns a box into free space.
func (b boxes) free(x box) error {
	if x.name != "free" && x.name != "skip" {
		if err := b.write(x.at+4, []byte("free")); err != nil {
			return err
		}
	}
	return b.blank(x.body, x.end-x.body)
}

// only frees all boxes between two offsets but the named ones, and calls fn
// with these.
func (b boxes) only(from, end int64, cut bool, names map[string]bool, fn func(box) error) error {
	return b.each(from, end, cut, func(x box) error {
		if !names[x.name] {
			return b.free(x)
		}
		return fn(x)
	})
}

func set(names ...string) map[string]bool {
	m := map[string]bool{}
	for _, n := range names {
		m[n] = true
	}
	return m
}

var (
	filmTop  = set("ftyp", "styp", "moov", "moof", "mdat", "mfra", "sidx", "ssix", "prft", "pdin", "wide")
	filmMoov = set("mvhd", "trak", "mvex", "iods")
	filmTrak = set("tkhd", "mdia", "edts", "tref", "tapt")
	filmMdia = set("mdhd", "hdlr", "minf", "elng")
	filmMinf = set("vmhd", "smhd", "hmhd", "sthd", "nmhd", "gmhd", "dinf", "stbl", "hdlr")
	filmMoof = set("mfhd", "traf")
	filmTraf = set("tfhd", "trun", "tfdt", "subs", "sbgp", "sgpd", "saiz", "saio", "senc", "sdtp")
	// filmShown are the handlers of tracks that are played. Others hold data of the
	// camera, such as positions.
	filmShown = set("vide", "soun", "text", "sbtl", "subt", "clcp", "tmcd", "auxv", "pict", "hint")
)

// cleanFilm keeps the played tracks of a film, and their tables. Titles,
// places, devices and other tracks are removed. A film without a picture is a
// sound.
func cleanFilm(f *os.File, size int64, t Type) (Type, error) {
	b := newBoxes(f, size)
	film := film{boxes: b}
	err := b.only(0, size, true, filmTop, func(x box) error {
		switch x.name {
		case "moov":
			film.found = true
			return b.only(x.body, x.end, false, filmMoov, func(x box) error {
				switch x.name {
				case "mvhd":
					return film.undated(x)
				case "trak":
					return film.track(x)
				case "mvex":
					return film.defaults(x)
				}
				return nil
			})
		case "moof":
			film.fragments = append(film.fragments, fragment{at: x.at})
			last := &film.fragments[len(film.fragments)-1]
			return b.only(x.body, x.end, false, filmMoof, func(x box) error {
				if x.name == "traf" {
					last.tracks = append(last.tracks, x)
					return b.only(x.body, x.end, false, filmTraf, func(box) error { return nil })
				}
				return nil
			})
		case "mdat":
			b.holds(x.body, x.end)
		}
		return nil
	})
	if err == nil {
		err = film.wipe()
	}
	switch {
	case err != nil:
		return t, err
	case !film.found:
		return t, damaged("a film without tables")
	case film.sound && !film.picture && (t.Ext == "mp4" || t.Ext == "3gp"):
		t = ext("m4a")
	}
	return t, nil
}

type film struct {
	boxes
	found, picture, sound bool
	hidden                []hidden
	texts                 []hidden        // tracks of text, of which some may be chapters
	chapters              map[uint32]bool // tracks that others refer to as theirs
	fragments             []fragment
	sizes                 map[uint32]uint32 // of the samples of fragments where they do not say, by track
}

// hidden is a track that is not played, and its tables.
type hidden struct {
	id            uint32
	track, tables box
}

// fragment is a part of a film with tables of its own, at an offset.
type fragment struct {
	at     int64
	tracks []box
}

// track cleans a track, and notes one that is not played.
func (m *film) track(trak box) error {
	var handler string
	var tables box
	var id uint32
	err := m.only(trak.body, trak.end, false, filmTrak, func(x box) error {
		if x.name == "tkhd" {
			b, err := readAt(m.f, x.body, int(min(x.end-x.body, 24)))
			if err != nil {
				return err
			}
			f := &fields{b: b}
			if f.uint(4)>>24 == 1 {
				f.uint(8)
			}
			f.uint(8)
			id = uint32(f.uint(4))
			return m.undated(x)
		}
		if x.name == "tref" {
			return m.chapterTracks(x)
		}
		if x.name != "mdia" {
			return nil
		}
		return m.only(x.body, x.end, false, filmMdia, func(x box) error {
			switch x.name {
			case "mdhd":
				return m.undated(x)
			case "hdlr":
				b, err := readAt(m.f, x.body, int(min(x.end-x.body, 12)))
				if err != nil || len(b) < 12 {
					return damaged("a track without a handler")
				}
				handler = string(b[8:12])
				return m.unnamed(x)
			case "minf":
				return m.only(x.body, x.end, false, filmMinf, func(x box) error {
					switch x.name {
					case "stbl":
						tables = x
					case "hdlr":
						return m.unnamed(x)
					}
					return nil
				})
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	m.picture = m.picture || handler == "vide"
	m.sound = m.sound || handler == "soun"
	switch {
	case !filmShown[handler]:
		m.hidden = append(m.hidden, hidden{id, trak, tables})
	case handler == "text":
		m.texts = append(m.texts, hidden{id, trak, tables})
	}
	return nil
}

// chapterTracks notes the tracks that hold titles of chapters, and frees the references.
func (m *film) chapterTracks(tref box) error {
	return m.each(tref.body, tref.end, false, func(x box) error {
		if x.name != "chap" {
			return nil
		}
		b, err := tableOf(m.f, x, maxTable)
		if err != nil {
			return err
		}
		if m.chapters == nil {
			m.chapters = map[uint32]bool{}
		}
		for ; len(b) >= 4; b = b[4:] {
			m.chapters[binary.BigEndian.Uint32(b)] = true
		}
		return m.free(x)
	})
}

// unnamed blanks the name of a handler, which tells the program or the device.
func (b boxes) unnamed(hdlr box) error {
	const name = 24 // its offset
	if hdlr.end-hdlr.body <= name {
		return nil
	}
	return b.blank(hdlr.body+name, hdlr.end-hdlr.body-name)
}

// undated blanks the times at which a film, track or medium was made and changed.
func (b boxes) undated(x box) error {
	head, err := b.head(x.body, int(min(4, x.end-x.body)))
	if err != nil || len(head) < 4 {
		return err
	}
	n := int64(8)
	if head[0] == 1 {
		n = 16
	}
	return b.blank(x.body+4, min(n, x.end-x.body-4))
}

// defaults notes the sizes of samples in fragments that give none.
func (m *film) defaults(mvex box) error {
	m.sizes = map[uint32]uint32{}
	return m.each(mvex.body, mvex.end, false, func(x box) error {
		if x.name != "trex" {
			return nil
		}
		b, err := readAt(m.f, x.body, int(min(x.end-x.body, 20)))
		if err == nil && len(b) == 20 {
			m.sizes[binary.BigEndian.Uint32(b[4:])] = binary.BigEndian.Uint32(b[16:])
		}
		return err
	})
}

// wipe frees the tracks that are not played, once the offset of the file's data
// is known.
func (m *film) wipe() error {
	for _, t := range m.texts {
		if m.chapters[t.id] {
			m.hidden = append(m.hidden, t)
		}
	}
	if err := m.wipeFragments(); err != nil {
		return err
	}
	for _, h := range m.hidden {
		if err := m.wipeData(h.tables); err != nil {
			return err
		}
		if err := m.free(h.track); err != nil {
			return err
		}
	}
	return nil
}

// maxTable bounds the table of a wiped track, in bytes.
const maxTable = 1 << 20

// wipeData blanks the data of a track. Shape: 8.6 and 8.7 of ISO/IEC 14496-12.
func (m *film) wipeData(tables box) error {
	raw := map[string][]byte{}
	err := m.each(tables.body, tables.end, false, func(x box) error {
		switch x.name {
		case "stsc", "stsz", "stz2", "stco", "co64":
			b, err := tableOf(m.f, x, maxTable)
			raw[x.name] = b
			return err
		}
		return nil
	})
	if err != nil {
		return err
	}
	sizes := sampleSizes(raw["stsz"], raw["stz2"])
	runs := raw["stsc"]
	runs = runs[min(8, len(runs)):]
	sample, perChunk := 0, 0
	for i, at := range chunkOffsets(raw["stco"], raw["co64"]) {
		for ; len(runs) >= 12 && int(binary.BigEndian.Uint32(runs)) <= i+1; runs = runs[12:] {
			perChunk = int(binary.BigEndian.Uint32(runs[4:]))
		}
		n := sizes(sample, perChunk)
		sample += perChunk
		if n <= 0 || at >= m.size {
			continue
		}
		room := m.room(at)
		if room == 0 {
			return damaged("a track outside the data")
		}
		if err := m.blank(at, min(n, room)); err != nil {
			return err
		}
	}
	return nil
}

// wipeFragments blanks the data of hidden tracks in fragments, and their tables. Shape:
// 8.8 of ISO/IEC 14496-12.
func (m *film) wipeFragments() error {
	ids := map[uint32]bool{}
	for _, h := range m.hidden {
		ids[h.id] = true
	}
	if len(ids) == 0 {
		return nil
	}
	for _, f := range m.fragments {
		next := f.at // the data of a track follows that of the one before, where it says nothing
		for _, traf := range f.tracks {
			var runs []span
			id, err := m.runs(traf, f.at, &next, func(s span) { runs = append(runs, s) })
			if err != nil || !ids[id] {
				if err != nil {
					return err
				}
				continue
			}
			for _, run := range runs {
				if run.from >= m.size || run.from == run.to {
					continue
				}
				room := m.room(run.from)
				if room == 0 {
					return damaged("a track outside the data")
				}
				if err := m.blank(run.from, min(run.to-run.from, room)); err != nil {
					return err
				}
			}
			if err := m.free(traf); err != nil {
				return err
			}
		}
	}
	return nil
}

// tableOf reads the body of a box that may have so many bytes.
func tableOf(r io.ReaderAt, x box, most int64) ([]byte, error) {
	if x.end-x.body > most {
		return nil, damaged("a table of %d bytes", x.end-x.body)
	}
	return readAt(r, x.body, int(x.end-x.body))
}

// runs calls fn with the places of the data of a track in a fragment at an offset, and
// moves next behind them.
func (m *film) runs(traf box, moof int64, next *int64, fn func(span)) (id uint32, err error) {
	base, size := *next, uint64(0)
	err = m.each(traf.body, traf.end, false, func(x box) error {
		if x.name != "tfhd" && x.name != "trun" {
			return nil
		}
		raw, err := tableOf(m.f, x, maxTable)
		if err != nil {
			return err
		}
		f := &fields{b: raw}
		flags := f.uint(4)
		opt := func(flag uint64, n int) uint64 {
			if flags&flag == 0 {
				return 0
			}
			return f.uint(n)
		}
		if x.name == "tfhd" {
			id = uint32(f.uint(4))
			size = uint64(m.sizes[id])
			if at := opt(1, 8); flags&1 != 0 {
				base = int64(at & (1<<62 - 1))
			} else if flags&0x20000 != 0 {
				base = moof
			}
			*next = base
			opt(2, 4)
			opt(8, 4)
			if n := opt(0x10, 4); flags&0x10 != 0 {
				size = n
			}
		} else {
			count := f.uint(4)
			at := *next
			if offset := opt(1, 4); flags&1 != 0 {
				at = base + int64(int32(offset))
			}
			opt(4, 4)
			n := int64(0)
			if flags&0x200 == 0 {
				n = int64(count * size & (1<<62 - 1))
			} else {
				for range count {
					opt(0x100, 4)
					n += int64(f.uint(4))
					opt(0x400, 4)
					opt(0x800, 4)
					if f.bad {
						break
					}
				}
			}
			fn(span{at, at + n})
			*next = at + n
		}
		if f.bad {
			return damaged("a table of a fragment")
		}
		return nil
	})
	return id, err
}

// sampleSizes returns a function for the size of k samples from the i-th on.
// Samples past the last have none. Sizes of fewer than 32 bits count as their
// maximum.
func sampleSizes(stsz, stz2 []byte) func(i, k int) int64 {
	switch {
	case len(stsz) >= 12:
		fixed, count := int64(binary.BigEndian.Uint32(stsz[4:])), int(binary.BigEndian.Uint32(stsz[8:]))
		if fixed > 0 {
			return func(i, k int) int64 { return fixed * int64(max(min(k, count-i), 0)) }
		}
		table := stsz[12:]
		return func(i, k int) (n int64) {
			for j := i; j < min(i+k, len(table)/4); j++ {
				n += int64(binary.BigEndian.Uint32(table[4*j:]))
			}
			return n
		}
	case len(stz2) >= 12:
		most, count := int64(1)<<min(stz2[7], 16)-1, int(binary.BigEndian.Uint32(stz2[8:]))
		return func(i, k int) int64 { return most * int64(max(min(k, count-i), 0)) }
	}
	return func(int, int) int64 { return 0 }
}

func chunkOffsets(stco, co64 []byte) []int64 {
	var out []int64
	if len(stco) >= 8 {
		for b := stco[8:]; len(b) >= 4; b = b[4:] {
			out = append(out, int64(binary.BigEndian.Uint32(b)))
		}
	} else if len(co64) >= 8 {
		for b := co64[8:]; len(b) >= 8; b = b[8:] {
			out = append(out, int64(binary.BigEndian.Uint64(b)))
		}
	}
	return out
}

var jxlTop = set("JXL ", "ftyp", "jxll", "jxlc", "jxlp", "jxli")

// cleanJXL frees the boxes around a picture. Its orientation is in the picture
// itself. Shape: ISO/IEC 18181-2.
func cleanJXL(f *os.File, size int64, t Type) (Type, error) {
	head, err := readAt(f, 0, 2)
	if err != nil || string(head) == "\xff\x0a" {
		return t, err // a bare picture
	}
	b := newBoxes(f, size)
	return t, b.only(0, size, false, jxlTop, func(box) error { return nil })
}
