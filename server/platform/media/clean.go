package media

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
)

// A cleaner takes out of a file what is not picture, film or sound: where and
// with what it was taken, names, small copies of it, and whatever stands behind
// its end. What is seen and heard stays as it is, to the bit.
type cleaner struct {
	// rewrite copies the file without that.
	rewrite func(w io.Writer, r *io.SectionReader) error
	// patch overwrites it in place, where offsets must not move, and tells
	// what the file is, which may be seen better from its tables.
	patch func(f *os.File, size int64, t Type) (Type, error)
}

var cleaners = map[string]cleaner{
	"jpg": {rewrite: cleanJPEG}, "png": {rewrite: cleanPNG}, "gif": {rewrite: cleanGIF}, "webp": {rewrite: cleanWebP},
	"heic": {patch: cleanHEIF}, "heif": {patch: cleanHEIF}, "avif": {patch: cleanHEIF}, "jxl": {patch: cleanJXL},
	"mp4": {patch: cleanFilm}, "mov": {patch: cleanFilm}, "3gp": {patch: cleanFilm}, "m4a": {patch: cleanFilm},
	"webm": {patch: cleanMatroska}, "mkv": {patch: cleanMatroska}, "weba": {patch: cleanMatroska},
}

// errDamaged is a file that is not what it begins as.
var errDamaged = errors.New("damaged file")

func damaged(what string, args ...any) error {
	return fmt.Errorf("%w: "+what, append([]any{errDamaged}, args...)...)
}

// A picture may be this large: what is small on its way may be huge once it is
// unpacked for whoever looks at it.
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

// readAt reads exactly n bytes; fewer are a damaged file.
func readAt(r io.ReaderAt, at int64, n int) ([]byte, error) {
	b := make([]byte, n)
	if _, err := io.ReadFull(io.NewSectionReader(r, at, int64(n)), b); err != nil {
		return nil, err
	}
	return b, nil
}

func buffered(r io.Reader) *bufio.Reader { return bufio.NewReaderSize(r, 64<<10) }
