package media

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"os"
)

// Elements of a Matroska file. Shape: RFC 8794 and RFC 9559.
const (
	ebmlHeader   = 0x1a45dfa3
	mkvSegment   = 0x18538067
	mkvTracks    = 0x1654ae6b
	mkvTrack     = 0xae
	mkvNumber    = 0xd7
	mkvType      = 0x83
	mkvCluster   = 0x1f43b675
	mkvSimple    = 0xa3
	mkvBlock     = 0xa1
	mkvMuxer     = 0x4d80 // the programs that made it; both must be there
	mkvWriter    = 0x5741
	ebmlVoid     = 0xec
	unknownSize  = -1
	maxVoidEntry = 9 // a void's name and an eight byte size
)

// kept are the elements that stay in another: values, which are nil here, and containers
// of what they name. All else is removed: titles, dates, chapters, tags, attached files,
// names of tracks, checksums, which would not fit any more, voids, which hide what was
// there before, and what is not known.
type kept map[uint32]kept

func (k kept) and(ids ...uint32) kept {
	for _, id := range ids {
		k[id] = nil
	}
	return k
}

func values(ids ...uint32) kept { return kept{}.and(ids...) }

var (
	keptHeader  = values(0x4286, 0x42f7, 0x42f2, 0x42f3, 0x4282, 0x4287, 0x4285)
	keptSegment = kept{
		0x114d9b74: {0x4dbb: values(0x53ab, 0x53ac)}, // where the others are
		0x1549a966: values(0x2ad7b1, 0x4489, mkvMuxer, mkvWriter),
		mkvTracks:  {mkvTrack: keptTrack},
		mkvCluster: keptCluster,
		0x1c53bb6b: {0xbb: kept{0xb7: values(0xf7, 0xf1, 0xf0, 0xb2, 0x5378, 0xea)}.and(0xb3)}, // cues
	}
	keptTrack = kept{
		0xe0: kept{ // video
			0x55b0: kept{0x55d0: values(0x55d1, 0x55d2, 0x55d3, 0x55d4, 0x55d5, 0x55d6, 0x55d7, 0x55d8, 0x55d9, 0x55da)}.
				and(0x55b1, 0x55b2, 0x55b3, 0x55b4, 0x55b5, 0x55b6, 0x55b7, 0x55b8, 0x55b9, 0x55ba, 0x55bb, 0x55bc, 0x55bd),
			0x7670: values(0x7671, 0x7672, 0x7673, 0x7674, 0x7675),
		}.and(0xb0, 0xba, 0x9a, 0x9d, 0x53b8, 0x53b9, 0x53c0, 0x54aa, 0x54bb, 0x54cc, 0x54dd, 0x54b0, 0x54ba, 0x54b2, 0x54b3, 0x2eb524),
		0xe1:   values(0xb5, 0x78b5, 0x9f, 0x7d7b, 0x6264, 0x52f1), // audio
		0x6d80: {0x6240: kept{0x5034: values(0x4254, 0x4255)}.and(0x5031, 0x5032, 0x5033)},
		0x41e4: values(0x41f0, 0x41e7, 0x41ed),
		0xe2:   {0xe3: {0xe4: values(0xe5, 0xe6)}, 0xe9: values(0xed)},
	}.and(mkvNumber, 0x73c5, mkvType, 0xb9, 0x88, 0x55aa, 0x55ab, 0x55ac, 0x55ad, 0x55ae, 0x55af, 0x9c, 0x6de7, 0x6df8, 0x23e383, 0x234e7a,
		0x23314f, 0x55ee, 0x22b59c, 0x22b59d, 0x86, 0x63a2, 0x56aa, 0x56bb, 0xaa, 0x6fab)
	keptCluster = kept{
		0xa0:   kept{0x75a1: {0xa6: values(0xee, 0xa5)}}.and(mkvBlock, 0x9b, 0xfb, 0xfa, 0xfd, 0xa4, 0x75a2),
		0x5854: values(0x58d7),
	}.and(0xe7, mkvSimple, 0xa7, 0xab)
	// mkvShown are the types of tracks that are played: video, audio, both, subtitles.
	mkvShown = map[uint64]bool{1: true, 2: true, 3: true, 0x11: true}
)

// element reads the name and length of the element at an offset.
type element struct {
	id   uint32
	at   int64
	body int64
	n    int64 // of the content, or unknownSize
}

// mkvFilm is a film that is cleaned.
type mkvFilm struct {
	*patched
	hidden map[uint64]bool // tracks that are not played, by number
	blocks bool            // data of tracks was seen
}

// cleanMatroska keeps the played tracks of a film, and what players need of the rest.
func cleanMatroska(f *os.File, size int64, t Type) (Type, error) {
	m := mkvFilm{patched: newPatched(f, size, maxElements), hidden: map[uint64]bool{}}
	head, err := m.element(0)
	if err != nil || head.id != ebmlHeader || head.n == unknownSize || head.body+head.n > size {
		return t, damaged("a film without a header")
	}
	if err := m.clean(head.body, head.body+head.n, keptHeader); err != nil {
		return t, err
	}
	segment, err := m.element(head.body + head.n)
	if err != nil || segment.id != mkvSegment {
		return t, damaged("a film without a segment")
	}
	// Data after a segment would be another film.
	end := size
	if segment.n != unknownSize && segment.body+segment.n < size {
		end = segment.body + segment.n
		if err := m.blank(end, size-end); err != nil {
			return t, err
		}
	}
	return t, m.segment(segment.body, end)
}

// segment cleans the parts of a film. A cluster of unknown length ends where the next
// part begins.
func (m *mkvFilm) segment(at, end int64) error {
	open := false
	for at < end {
		e, err := m.element(at)
		if errors.Is(err, errManyParts) {
			return err
		}
		if err != nil {
			// A truncated film is shown as far as it goes; blank the rest.
			return m.blank(at, end-at)
		}
		if e.n == unknownSize {
			if e.id != mkvCluster {
				return damaged("an element that does not end")
			}
			open, at = true, e.body
			continue
		}
		stop := min(e.body+e.n, end)
		parts, part := keptSegment[e.id]
		inside, child := keptCluster[e.id]
		switch {
		case part:
			open = false
			err = m.keep(e, stop, parts)
		case open && child:
			err = m.keep(e, stop, inside)
		default:
			err = m.void(at, stop)
		}
		if err != nil {
			return err
		}
		at = stop
	}
	return nil
}

// clean cleans the elements between two offsets.
func (m *mkvFilm) clean(at, end int64, parts kept) error {
	for at < end {
		e, err := m.element(at)
		if errors.Is(err, errManyParts) {
			return err
		}
		if err != nil {
			return m.blank(at, end-at)
		}
		if e.n == unknownSize {
			return damaged("an element that does not end")
		}
		stop := min(e.body+e.n, end)
		if inside, ok := parts[e.id]; ok {
			err = m.keep(e, stop, inside)
		} else {
			err = m.void(at, stop)
		}
		if err != nil {
			return err
		}
		at = stop
	}
	return nil
}

// keep cleans an element that stays.
func (m *mkvFilm) keep(e element, stop int64, parts kept) error {
	switch e.id {
	case mkvMuxer, mkvWriter:
		return m.blank(e.body, stop-e.body)
	case mkvSimple, mkvBlock:
		return m.block(e, stop)
	case mkvTrack:
		number, kind, err := m.track(e.body, stop)
		if err != nil {
			return err
		}
		if !mkvShown[kind] {
			if m.blocks {
				return damaged("a track behind its data")
			}
			m.hidden[number] = true
			return m.void(e.at, stop)
		}
	}
	if parts == nil {
		return nil
	}
	return m.clean(e.body, stop, parts)
}

// track reads the number and the type of a track.
func (m *mkvFilm) track(at, end int64) (number, kind uint64, err error) {
	for at < end {
		e, err := m.element(at)
		if err != nil || e.n == unknownSize || e.body+e.n > end {
			return 0, 0, damaged("a track that does not end")
		}
		at = e.body + e.n
		if e.id != mkvNumber && e.id != mkvType || e.n > 8 {
			continue
		}
		raw, err := m.head(e.body, int(e.n))
		if err != nil {
			return 0, 0, err
		}
		n := (&fields{b: raw}).uint(len(raw))
		if e.id == mkvNumber {
			number = n
		} else {
			kind = n
		}
	}
	return number, kind, nil
}

// block blanks the data of a track that is not played.
func (m *mkvFilm) block(e element, stop int64) error {
	m.blocks = true
	if len(m.hidden) == 0 || stop == e.body {
		return nil
	}
	raw, err := m.head(e.body, int(min(8, stop-e.body)))
	if err != nil {
		return err
	}
	l := bits.LeadingZeros8(raw[0]) + 1
	if l > len(raw) {
		return damaged("a block without a track")
	}
	if number := (&fields{b: raw}).uint(l) &^ (1 << (7 * l)); !m.hidden[number] {
		return nil
	}
	return m.blank(e.body+int64(l), stop-e.body-int64(l))
}

// element reads the name and length of the element at a position.
func (p *patched) element(at int64) (element, error) {
	b, err := p.head(at, int(min(12, max(p.size-at, 0))))
	if err != nil {
		return element{}, err
	}
	e := element{at: at}
	if len(b) == 0 || b[0] < 0x10 {
		return e, damaged("an element's name")
	}
	k := bits.LeadingZeros8(b[0]) + 1
	if len(b) <= k || b[k] == 0 {
		return e, damaged("an element's length")
	}
	for _, x := range b[:k] {
		e.id = e.id<<8 | uint32(x)
	}
	l := bits.LeadingZeros8(b[k]) + 1
	if len(b) < k+l {
		return e, damaged("an element's length")
	}
	var wide [8]byte
	copy(wide[8-l:], b[k:k+l])
	n := binary.BigEndian.Uint64(wide[:]) &^ (1 << (7 * l))
	e.body = at + int64(k+l)
	e.n = int64(n)
	if n == 1<<(7*l)-1 {
		e.n = unknownSize
	} else if n > 1<<55 {
		return e, damaged("an element of %d bytes", n)
	}
	return e, nil
}

// void turns the range between two offsets into one blank void element.
func (p *patched) void(from, to int64) error {
	n := to - from
	if err := p.blank(from, n); err != nil {
		return err
	}
	head := []byte{ebmlVoid}
	if n >= maxVoidEntry {
		head = binary.BigEndian.AppendUint64(head, uint64(n-maxVoidEntry)|1<<56)
	} else {
		head = append(head, 0x80|byte(n-2))
	}
	return p.write(from, head)
}
