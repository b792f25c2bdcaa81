package media

import (
	"bytes"
	"encoding/binary"
	"os"
)

var (
	heifMeta = set("hdlr", "pitm", "iinf", "iloc", "iprp", "iref", "idat", "dinf", "grpl", "ipro")
	heifTop  = set("ftyp", "meta", "mdat", "moov", "wide")
	// heifShown are the types of items that make up a picture.
	heifShown = set("hvc1", "av01", "avc1", "vvc1", "lhv1", "hvt1", "grid", "iovl", "iden", "jpeg", "tmap", "unci", "j2k1")
)

// cleanHEIF blanks the items of a HEIC or AVIF picture that are no picture:
// Exif, XMP and other data. The orientation is a property of the picture.
// Shape: ISO/IEC 23008-12, and 8.11 of 14496-12.
func cleanHEIF(f *os.File, size int64, t Type) (Type, error) {
	b := newBoxes(f, size)
	film := film{boxes: b}
	found := false
	var items box
	err := b.only(0, size, false, heifTop, func(x box) error {
		switch x.name {
		case "meta":
			if found {
				return damaged("two tables of items")
			}
			found, items = true, x
		case "mdat":
			b.holds(x.body, x.end)
		case "moov":
			return b.only(x.body, x.end, false, filmMoov, func(x box) error {
				switch x.name {
				case "mvhd":
					return film.undated(x)
				case "trak":
					return film.track(x)
				}
				return nil
			})
		}
		return nil
	})
	if err == nil && !found {
		err = damaged("a picture without items")
	}
	if err == nil {
		err = film.wipe()
	}
	if err == nil {
		err = cleanItems(b, items)
	}
	return t, err
}

// maxItems bounds a table of items, in bytes.
const maxItems = 4 << 20

func cleanItems(b boxes, meta box) error {
	tables := map[string][]byte{}
	at := map[string]box{}
	here := map[uint64]bool{0: true} // references to data that lead to this file
	var idat box
	err := b.only(meta.body+4, meta.end, false, heifMeta, func(x box) error {
		switch x.name {
		case "iinf", "iloc", "iprp", "iref":
			raw, err := tableOf(b.f, x, maxItems)
			tables[x.name], at[x.name] = raw, x
			return err
		case "idat":
			idat = x
		case "hdlr":
			return b.unnamed(x)
		case "dinf":
			return b.references(x, here)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := itemsFit(tables["iprp"]); err != nil {
		return err
	}
	if p := at["iprp"]; p.end > 0 {
		if err := b.undescribed(p); err != nil {
			return err
		}
	}
	small, err := b.smallCopies(at["iref"], tables["iref"])
	if err != nil {
		return err
	}
	kinds, err := b.items(tables["iinf"], at["iinf"].body, small)
	if err != nil {
		return err
	}
	return itemExtents(tables["iloc"], func(item uint32, e extent) error {
		kind := kinds[item]
		if heifShown[kind] && !small[item] || !here[e.file] {
			return nil
		}
		// Only data is blanked: an item over a table would corrupt the file.
		switch e.method {
		case 0:
			if e.n > b.room(e.at) {
				return damaged("an item outside the data")
			}
		case 1:
			if e.at > idat.end-idat.body || e.n > idat.end-idat.body-e.at {
				return damaged("an item outside its data")
			}
			e.at += idat.body
		default:
			return damaged("an item within an item")
		}
		if err := b.blank(e.at, e.n); err != nil {
			return err
		}
		if empty := onlyOrientation(1); kind == "Exif" && e.first && e.n >= int64(4+len(empty)) {
			return b.write(e.at+4, empty)
		}
		return nil
	})
}

// itemsFit checks the sizes of pictures among the properties.
func itemsFit(iprp []byte) error {
	for rest := iprp; ; {
		i := bytes.Index(rest, []byte("ispe"))
		if i < 0 {
			return nil
		}
		if rest = rest[i+4:]; len(rest) < 12 {
			return nil
		}
		if err := fits(int64(binary.BigEndian.Uint32(rest[4:])), int64(binary.BigEndian.Uint32(rest[8:]))); err != nil {
			return err
		}
	}
}

// fields reads big-endian numbers from a table; missing ones are 0 and set bad.
type fields struct {
	b   []byte
	bad bool
}

func (f *fields) uint(n int) uint64 {
	if n > len(f.b) {
		f.bad = true
		f.b = nil
		return 0
	}
	var v uint64
	for _, x := range f.b[:n] {
		v = v<<8 | uint64(x)
	}
	f.b = f.b[n:]
	return v
}

// references notes which references to data lead to the file itself, and blanks the
// others, which are addresses.
func (b boxes) references(dinf box, here map[uint64]bool) error {
	return b.each(dinf.body, dinf.end, false, func(x box) error {
		if x.name != "dref" || x.end-x.body < 8 {
			return b.free(x)
		}
		n := uint64(0)
		return b.each(x.body+8, x.end, false, func(x box) error {
			n++
			head, err := b.head(x.body, int(min(4, x.end-x.body)))
			if err != nil || len(head) < 4 {
				return damaged("a reference to data")
			}
			here[n] = head[3]&1 != 0
			return b.blank(x.body+4, x.end-x.body-4)
		})
	})
}

// heifDescribed are the properties that tell of a picture in words and times.
var heifDescribed = set("udes", "crtm", "mdft", "altt", "uuid", "free", "skip")

// undescribed frees properties that do not show: the others keep their numbers.
func (b boxes) undescribed(iprp box) error {
	return b.each(iprp.body, iprp.end, false, func(x box) error {
		if x.name != "ipco" {
			return nil
		}
		return b.each(x.body, x.end, false, func(x box) error {
			if heifDescribed[x.name] {
				return b.free(x)
			}
			return nil
		})
	})
}

// smallCopies frees the references from small copies to their pictures, and returns the
// copies: they may show what was cut off or covered since.
func (b boxes) smallCopies(iref box, raw []byte) (map[uint32]bool, error) {
	out := map[uint32]bool{}
	if len(raw) < 4 {
		return out, nil
	}
	wide := 2
	if raw[0] > 0 {
		wide = 4
	}
	err := b.each(iref.body+4, iref.end, false, func(x box) error {
		if x.name != "thmb" {
			return nil
		}
		from, err := readAt(b.f, x.body, int(min(int64(wide), x.end-x.body)))
		if err != nil || len(from) < wide {
			return damaged("a reference between items")
		}
		out[uint32((&fields{b: from}).uint(wide))] = true
		return b.free(x)
	})
	return out, err
}

// items returns the kinds of items, and blanks their names, which stand behind their
// kinds. Those of small, which are blanked, are marked as hidden, so that no program
// shows them as further pictures. at is the offset of the table.
func (b boxes) items(iinf []byte, at int64, small map[uint32]bool) (map[uint32]string, error) {
	f := &fields{b: iinf}
	version := f.uint(4) >> 24
	width := 2
	if version > 0 {
		width = 4
	}
	count := f.uint(width)
	out := map[uint32]string{}
	for range count {
		begin := at + int64(len(iinf)-len(f.b))
		n := f.uint(4)
		name := f.uint(4)
		if f.bad || n < 8 || n-8 > uint64(len(f.b)) || uint32(name) != 0x696e6665 { // infe
			return nil, damaged("a table of items")
		}
		entry := &fields{b: f.b[:n-8]}
		f.b = f.b[n-8:]
		id, kind := uint64(0), ""
		switch version := entry.uint(4) >> 24; version {
		case 2, 3:
			id = entry.uint(int(version-1) * 2)
			entry.uint(2)
			kind = string(binary.BigEndian.AppendUint32(nil, uint32(entry.uint(4))))
		default:
			id = entry.uint(2)
			entry.uint(2)
		}
		if entry.bad {
			return nil, damaged("an entry of a table of items")
		}
		out[uint32(id)] = kind
		if small[uint32(id)] {
			const flags = 11 // the last byte of an entry's
			if err := b.write(begin+flags, []byte{1}); err != nil {
				return nil, err
			}
		}
		if named := int64(len(entry.b)); bytes.ContainsFunc(entry.b, func(r rune) bool { return r != 0 }) {
			if err := b.blank(at+int64(len(iinf)-len(f.b))-named, named); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// extent is the place of a part of an item.
type extent struct {
	method uint64 // 0: in the file, 1: in the idat box
	file   uint64 // the reference to the file, 0: this one
	at, n  int64
	first  bool
}

// itemExtents calls fn with every part of every item.
func itemExtents(iloc []byte, fn func(item uint32, e extent) error) error {
	f := &fields{b: iloc}
	version := f.uint(4) >> 24
	sizes := f.uint(2)
	offset, length, base, index := int(sizes>>12), int(sizes>>8&15), int(sizes>>4&15), int(sizes&15)
	if version > 2 || offset > 8 || length > 8 || base > 8 || index > 8 {
		return damaged("a table of places")
	}
	wide := 2
	if version == 2 {
		wide = 4
	}
	left := maxBoxes
	for range f.uint(wide) {
		item := uint32(f.uint(wide))
		e := extent{}
		if version > 0 {
			e.method = f.uint(2) & 15
		}
		e.file = f.uint(2)
		from := f.uint(base)
		for i := range f.uint(2) {
			if version > 0 {
				f.uint(index)
			}
			at, n := from+f.uint(offset), f.uint(length)
			if left--; left < 0 || f.bad || at > 1<<62 || n > 1<<62 {
				return damaged("a table of places")
			}
			e.at, e.n, e.first = int64(at), int64(n), i == 0
			if err := fn(item, e); err != nil {
				return err
			}
		}
		if f.bad {
			return damaged("a table of places")
		}
	}
	return nil
}
