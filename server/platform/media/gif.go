package media

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

// gifKept are the application extensions that change the display of a picture:
// its repetitions, and its colour profile.
var gifKept = map[string]bool{"NETSCAPE2.0": true, "ANIMEXTS1.0": true, "ICCRGBG1012": true}

// cleanGIF removes comments, other application extensions, and trailing data.
// Shape: GIF89a specification.
func cleanGIF(w io.Writer, file *io.SectionReader) error {
	out := bufio.NewWriterSize(w, 64<<10)
	c := gifCleaner{r: buffered(file), w: out}
	err := c.run()
	if errors.Is(err, io.EOF) && c.pictures > 0 {
		// A truncated one is shown as far as it goes: end its data, and the file.
		end := []byte{0, 0x3b}
		if !c.open {
			end = end[1:]
		}
		_, err = out.Write(end)
	}
	if err != nil {
		return err
	}
	return out.Flush()
}

type gifCleaner struct {
	r        *bufio.Reader
	w        *bufio.Writer
	pictures int
	open     bool // inside of data
	block    [1 + 255]byte
}

// maxPictures bounds the pictures of an animation.
const maxPictures = 1 << 16

// take reads n bytes, and copies those to keep.
func (c *gifCleaner) take(n int, keep bool) ([]byte, error) {
	b := make([]byte, n)
	if _, err := io.ReadFull(c.r, b); err != nil {
		return nil, eof(err)
	}
	if keep {
		if _, err := c.w.Write(b); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// table returns the length of the colour table for the flags.
func table(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

// blocks passes the data blocks up to the empty one.
func (c *gifCleaner) blocks(keep bool) error {
	c.open = keep
	for {
		n, err := c.r.ReadByte()
		if err != nil {
			return err
		}
		c.block[0] = n
		if _, err := io.ReadFull(c.r, c.block[1:1+int(n)]); err != nil {
			return eof(err)
		}
		if keep {
			if _, err := c.w.Write(c.block[:1+int(n)]); err != nil {
				return err
			}
		}
		if n == 0 {
			c.open = false
			return nil
		}
	}
}

func (c *gifCleaner) run() error {
	head, err := c.take(13, true)
	if err != nil {
		return err
	}
	width, height := binary.LittleEndian.Uint16(head[6:]), binary.LittleEndian.Uint16(head[8:])
	if err := fits(int64(width), int64(height)); err != nil {
		return err
	}
	if _, err := c.take(table(head[10]), true); err != nil {
		return err
	}
	for {
		kind, err := c.r.ReadByte()
		if err != nil {
			return err
		}
		switch kind {
		case 0x3b:
			if c.pictures == 0 {
				return damaged("a GIF without a picture")
			}
			return c.w.WriteByte(kind)
		case 0x2c:
			err = c.picture()
		case 0x21:
			err = c.extension()
		default:
			err = damaged("a block of kind %#x", kind)
		}
		if err != nil {
			return err
		}
	}
}

func (c *gifCleaner) picture() error {
	b, err := c.take(9, false)
	if err != nil {
		return err
	}
	if err := fits(int64(binary.LittleEndian.Uint16(b[4:])), int64(binary.LittleEndian.Uint16(b[6:]))); err != nil {
		return err
	}
	more, err := c.take(table(b[8])+1, false) // and the size of its first codes
	if err != nil {
		return err
	}
	_ = c.w.WriteByte(0x2c)
	_, _ = c.w.Write(b)
	if _, err := c.w.Write(more); err != nil {
		return err
	}
	if c.pictures++; c.pictures > maxPictures {
		return errManyParts
	}
	return c.blocks(true)
}

func (c *gifCleaner) extension() error {
	label, err := c.r.ReadByte()
	if err != nil {
		return err
	}
	keep := label == 0xf9 || label == 0x01
	if label == 0xff {
		id, err := c.r.Peek(12)
		if err != nil {
			return err
		}
		keep = id[0] == 11 && gifKept[string(id[1:])]
	}
	if keep {
		_, _ = c.w.Write([]byte{0x21, label})
	}
	return c.blocks(keep)
}
