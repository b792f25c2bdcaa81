package media

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
)

// A cleaner removes everything but picture, film or sound from a file: place
// and device, names, thumbnails, and trailing data. Picture and sound stay
// the same, to the bit.
type cleaner struct {
	// rewrite writes a cleaned copy.
	rewrite func(w io.Writer, r *io.SectionReader) error
	// patch cleans the file in place, as offsets must not move, and returns its
	// type, which its tables may tell better.
	patch func(f *os.File, size int64, t Type) (Type, error)
}

var cleaners = map[string]cleaner{
	"jpg": {rewrite: cleanJPEG}, "png": {rewrite: cleanPNG}, "gif": {rewrite: cleanGIF}, "webp": {rewrite: cleanWebP},
	"heic": {patch: cleanHEIF}, "heif": {patch: cleanHEIF}, "avif": {patch: cleanHEIF}, "jxl": {patch: cleanJXL},
	"mp4": {patch: cleanFilm}, "mov": {patch: cleanFilm}, "3gp": {patch: cleanFilm}, "m4a": {patch: cleanFilm},
	"webm": {patch: cleanMatroska}, "mkv": {patch: cleanMatroska}, "weba": {patch: cleanMatroska},
}

// errDamaged is a file whose content does not match its beginning.
var errDamaged = errors.New("damaged file")

func damaged(what string, args ...any) error {
	return fmt.Errorf("%w: "+what, append([]any{errDamaged}, args...)...)
}

// The largest picture: a small file may be huge once its readers decode it.
const (
	maxSide   = 32767
	maxPixels = 1 << 27
)

type hugeError struct{ width, height int64 }

func (e *hugeError) Error() string { return fmt.Sprintf("a picture of %d×%d", e.width, e.height) }

func fits(width, height int64) error {
	if width > maxSide || height > maxSide || width*height > maxPixels {
		return &hugeError{width, height}
	}
	return nil
}

// readAt reads exactly n bytes; fewer are errDamaged.
func readAt(r io.ReaderAt, at int64, n int) ([]byte, error) {
	b := make([]byte, n)
	if _, err := io.ReadFull(io.NewSectionReader(r, at, int64(n)), b); err != nil {
		return nil, err
	}
	return b, nil
}

func buffered(r io.Reader) *bufio.Reader { return bufio.NewReaderSize(r, 64<<10) }
