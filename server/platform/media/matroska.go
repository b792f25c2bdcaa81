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
	mkvCluster   = 0x1f43b675
	mkvTags      = 0x1254c367
	mkvAttached  = 0x1941a469
	ebmlVoid     = 0xec
	unknownSize  = -1
	maxVoidEntry = 9 // a void's name and an eight byte size
)

// inCluster are the elements inside of a cluster of unknown length.
var inCluster = map[uint32]bool{0xe7: true, 0xa3: true, 0xa0: true, 0xa7: true, 0xab: true, 0x5854: true, 0xaf: true, ebmlVoid: true, 0xbf: true}

// element reads the name and length of the element at an offset.
type element struct {
	id   uint32
	at   int64
	body int64
	n    int64 // of the content, or unknownSize
}

// cleanMatroska voids tags and attached files, which are separate from the
// film.
func cleanMatroska(f *os.File, size int64, t Type) (Type, error) {
	p := newPatched(f, size, maxElements)
	next := p.element
	head, err := next(0)
	if err != nil || head.id != ebmlHeader || head.n == unknownSize {
		return t, damaged("a film without a header")
	}
	segment, err := next(head.body + head.n)
	if err != nil || segment.id != mkvSegment {
		return t, damaged("a film without a segment")
	}
	// Data after a segment would be another film.
	end := size
	if segment.n != unknownSize && segment.body+segment.n < size {
		end = segment.body + segment.n
		if err := p.blank(end, size-end); err != nil {
			return t, err
		}
	}
	for at := segment.body; at < end; {
		e, err := next(at)
		if errors.Is(err, errManyParts) {
			return t, err
		}
		if err != nil {
			// A truncated film is shown as far as it goes; blank the rest.
			return t, p.blank(at, end-at)
		}
		switch {
		case e.n == unknownSize && e.id == mkvCluster:
			if at, err = afterCluster(next, e, end); err != nil {
				return t, err
			}
			continue
		case e.n == unknownSize:
			return t, damaged("an element that does not end")
		}
		stop := min(e.body+e.n, end)
		if e.id == mkvTags || e.id == mkvAttached {
			if err := p.void(e.at, stop); err != nil {
				return t, err
			}
		}
		at = stop
	}
	return t, nil
}

// afterCluster returns the end of a cluster of unknown length: the first
// element that cannot be inside.
func afterCluster(next func(int64) (element, error), cluster element, end int64) (int64, error) {
	for at := cluster.body; at < end; {
		e, err := next(at)
		if err != nil || !inCluster[e.id] {
			return at, nil
		}
		if e.n == unknownSize {
			return 0, damaged("an element that does not end")
		}
		at = e.body + e.n
	}
	return end, nil
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
