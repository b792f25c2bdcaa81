package media

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

// Markers of a JPEG file. Shape: ITU-T T.81, annex B.
const (
	jpegSOI  = 0xd8
	jpegEOI  = 0xd9
	jpegSOS  = 0xda
	jpegCOM  = 0xfe
	jpegTEM  = 0x01
	jpegAPP0 = 0xe0
)

// cleanJPEG keeps of the application segments JFIF without its small copy, the
// colour profile, Adobe's note on colours, and of Exif the orientation.
// Comments go, and what follows the end of the picture.
func cleanJPEG(w io.Writer, file *io.SectionReader) error {
	out := bufio.NewWriterSize(w, 64<<10)
	c := jpegCleaner{r: buffered(file), w: out}
	if err := c.run(); err != nil {
		return err
	}
	return out.Flush()
}

type jpegCleaner struct {
	r       *bufio.Reader
	w       *bufio.Writer
	scans   int
	framed  bool
	turned  bool
	segment [64 << 10]byte
}

func (c *jpegCleaner) run() error {
	if b, err := c.r.Peek(2); err != nil || b[0] != 0xff || b[1] != jpegSOI {
		return damaged("no JPEG")
	}
	_, _ = c.r.Discard(2)
	if err := c.write(0xff, jpegSOI); err != nil {
		return err
	}
	for {
		marker, err := c.marker()
		if err == nil {
			switch {
			case marker == jpegEOI:
				return c.write(0xff, jpegEOI)
			case marker == jpegSOI:
				return damaged("a JPEG in a JPEG")
			case marker == jpegTEM, marker >= 0xd0 && marker <= 0xd7:
				err = c.write(0xff, marker)
			default:
				err = c.copySegment(marker)
			}
		}
		if errors.Is(err, io.EOF) && c.scans > 0 {
			// A picture that breaks off is shown as far as it goes.
			return c.write(0xff, jpegEOI)
		}
		if err != nil {
			return err
		}
	}
}

func (c *jpegCleaner) write(b ...byte) error {
	_, err := c.w.Write(b)
	return err
}

// marker finds the next marker. Bytes before one, which some programs leave,
// are dropped.
func (c *jpegCleaner) marker() (byte, error) {
	for {
		b, err := c.r.ReadByte()
		if err != nil {
			return 0, err
		}
		for b == 0xff {
			if b, err = c.r.ReadByte(); err != nil {
				return 0, err
			}
			if b != 0xff && b != 0 {
				return b, nil
			}
		}
	}
}

// copySegment copies a segment that may stay, and after the head of a scan its
// data.
func (c *jpegCleaner) copySegment(marker byte) error {
	var length [2]byte
	if _, err := io.ReadFull(c.r, length[:]); err != nil {
		return eof(err)
	}
	n := int(binary.BigEndian.Uint16(length[:])) - 2
	if n < 0 {
		return damaged("a segment of length %d", n+2)
	}
	payload := c.segment[:n]
	if _, err := io.ReadFull(c.r, payload); err != nil {
		return eof(err)
	}
	if marker&0xf0 == jpegAPP0 || marker == jpegCOM {
		payload = c.application(marker, payload)
		if payload == nil {
			return nil
		}
	}
	if marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc {
		if n < 6 {
			return damaged("a frame of length %d", n)
		}
		c.framed = true
		height, width := binary.BigEndian.Uint16(payload[1:]), binary.BigEndian.Uint16(payload[3:])
		if err := fits(int64(width), int64(height)); err != nil {
			return err
		}
	}
	binary.BigEndian.PutUint16(length[:], uint16(len(payload)+2))
	if err := c.write(append([]byte{0xff, marker, length[0], length[1]}, payload...)...); err != nil {
		return err
	}
	if marker == jpegSOS {
		if !c.framed {
			return damaged("a scan without a frame")
		}
		c.scans++
		return c.copyScan()
	}
	return nil
}

// application is what stays of an application segment or comment, nil for
// nothing.
func (c *jpegCleaner) application(marker byte, payload []byte) []byte {
	switch begins := func(s string) bool { return bytes.HasPrefix(payload, []byte(s)) }; {
	case marker == 0xe0 && begins("JFIF\x00") && len(payload) >= 14:
		payload[12], payload[13] = 0, 0 // the size of the small copy
		return payload[:14]
	case marker == 0xe1 && begins("Exif\x00\x00") && !c.turned:
		c.turned = true
		if o := orientation(payload[6:]); o != 1 {
			return append([]byte("Exif\x00\x00"), onlyOrientation(o)...)
		}
	case marker == 0xe2 && begins("ICC_PROFILE\x00"), marker == 0xee && begins("Adobe") && len(payload) <= 16:
		return payload
	}
	return nil
}

// copyScan copies data up to the next marker that is none of the data's own.
func (c *jpegCleaner) copyScan() error {
	for {
		if _, err := c.r.Peek(1); err != nil {
			return err
		}
		chunk, _ := c.r.Peek(c.r.Buffered())
		i := bytes.IndexByte(chunk, 0xff)
		if i < 0 {
			i = len(chunk)
		}
		if _, err := c.w.Write(chunk[:i]); err != nil {
			return err
		}
		_, _ = c.r.Discard(i)
		if i == len(chunk) {
			continue
		}
		pair, err := c.r.Peek(2)
		switch {
		case err != nil:
			return err
		case pair[1] == 0xff: // filling
			_, _ = c.r.Discard(1)
		case pair[1] == 0 || pair[1] >= 0xd0 && pair[1] <= 0xd7:
			if err := c.write(0xff, pair[1]); err != nil {
				return err
			}
			_, _ = c.r.Discard(2)
		default:
			return nil
		}
	}
}

// eof makes the end within something the same as the end before it.
func eof(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return io.EOF
	}
	return err
}
