package media

import (
	"io"
	"os"
	"slices"
)

const (
	// maxBoxes bounds the boxes and the parts of items that are looked at,
	// and maxElements the elements of a Matroska file: of one recorded live,
	// each picture and each piece of sound is one.
	maxBoxes    = 1 << 17
	maxElements = 1 << 20
	// maxWrites bounds how often a file is written to: each time is a call of
	// the system, which eight bytes of a file can ask for.
	maxWrites = 1 << 15
	// windowSize is how much is read at once.
	windowSize = 32 << 10
)

// patched is a file that a cleaner overwrites in place. Small parts of a file
// can ask for much work: it bounds what is looked at and what is written.
type patched struct {
	f    *os.File
	size int64
	data []span // where tables may lead to

	heads  int
	writes int
	// blanks is how many bytes may still be blanked: tables can name the same
	// ones again and again.
	blanks int64

	window []byte // a part of the file, from at on
	at     int64
}

var errManyParts = damaged("more parts than a file needs")

// span is a part of a file.
type span struct{ from, to int64 }

func newPatched(f *os.File, size int64, heads int) *patched {
	return &patched{f: f, size: size, heads: heads, writes: maxWrites, blanks: 2*size + 1<<20}
}

// head reads the head of a box or element: n bytes, of which a file that ends
// is io.ErrUnexpectedEOF. They are valid until the next call.
func (p *patched) head(at int64, n int) ([]byte, error) {
	if p.heads--; p.heads < 0 {
		return nil, errManyParts
	}
	if at < 0 || at+int64(n) > p.size {
		return nil, io.ErrUnexpectedEOF
	}
	if at < p.at || at+int64(n) > p.at+int64(len(p.window)) {
		if p.window == nil {
			p.window = make([]byte, 0, windowSize)
		}
		p.window = p.window[:min(windowSize, p.size-at)]
		p.at = at
		if _, err := io.ReadFull(io.NewSectionReader(p.f, at, int64(len(p.window))), p.window); err != nil {
			p.window = p.window[:0]
			return nil, err
		}
	}
	return p.window[at-p.at:][:n], nil
}

// write overwrites what is at a position.
func (p *patched) write(at int64, b []byte) error {
	if p.writes--; p.writes < 0 {
		return errManyParts
	}
	return p.put(at, b)
}

func (p *patched) put(at int64, b []byte) error {
	if _, err := p.f.WriteAt(b, at); err != nil {
		return err
	}
	from, to := max(at, p.at), min(at+int64(len(b)), p.at+int64(len(p.window)))
	if from < to {
		copy(p.window[from-p.at:], b[from-at:to-at])
	}
	return nil
}

var zeros [32 << 10]byte

// blank overwrites n bytes with zeros.
func (p *patched) blank(from, n int64) error {
	if p.blanks -= n; n < 0 || p.blanks < 0 {
		return damaged("tables that name the same data again and again")
	}
	if n == 0 {
		return nil
	}
	if p.writes--; p.writes < 0 {
		return errManyParts
	}
	for n > 0 {
		k := min(n, int64(len(zeros)))
		if err := p.put(from, zeros[:k]); err != nil {
			return err
		}
		from, n = from+k, n-k
	}
	return nil
}

// holds adds a part of the file that tables may lead to. They come in order.
func (p *patched) holds(from, to int64) { p.data = append(p.data, span{from, to}) }

// room is how many bytes from a position on are data, and so none of a table.
func (p *patched) room(from int64) int64 {
	i, found := slices.BinarySearchFunc(p.data, from, func(s span, from int64) int {
		switch {
		case s.to <= from:
			return -1
		case s.from > from:
			return 1
		}
		return 0
	})
	if !found {
		return 0
	}
	return p.data[i].to - from
}
