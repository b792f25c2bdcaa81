package media

import (
	"io"
	"os"
	"slices"
)

const (
	// maxBoxes bounds the boxes and parts of items that are read, and maxElements
	// the elements of a Matroska file: in a live recording each picture and sound
	// is one.
	maxBoxes    = 1 << 17
	maxElements = 1 << 20
	// maxWrites bounds the writes to a file: each is a system call, for eight bytes
	// of a file.
	maxWrites = 1 << 15
	// windowSize is the size of one read.
	windowSize = 32 << 10
)

// patched is a file that a cleaner overwrites in place. Since few bytes of a
// file can cause much work, it bounds reads and writes.
type patched struct {
	f    *os.File
	size int64
	data []span // targets of tables

	heads  int
	writes int
	// blanks is the number of bytes that may still be blanked, since tables can
	// name the same ones repeatedly.
	blanks int64

	window []byte // the file from at on
	at     int64
}

var errManyParts = damaged("more parts than a file needs")

// span is a part of a file.
type span struct{ from, to int64 }

func newPatched(f *os.File, size int64, heads int) *patched {
	return &patched{f: f, size: size, heads: heads, writes: maxWrites, blanks: 2*size + 1<<20}
}

// head reads the head of a box or element: n bytes, or io.ErrUnexpectedEOF.
// They are valid until the next call.
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

// write overwrites bytes at an offset.
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

// holds adds a range of data, in order.
func (p *patched) holds(from, to int64) { p.data = append(p.data, span{from, to}) }

// room returns the number of data bytes from an offset on.
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
