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

// maxScans bounds the scans of a JPEG, which programs that show it go through
// one by one, and maxSegments the segments that stay.
const (
	maxScans    = 1 << 10
	maxSegments = 1 << 14
)

// cleanJPEG keeps of the application segments JFIF without its small copy, the
// colour profile, Adobe's note on colours, and of Exif the orientation.
// Comments go, and so do reserved segments, which nothing shows, and bytes after
// the end of the picture.
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
	kept    int // segments
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
	if marker < 0xc0 || marker == 0xc8 || marker >= 0xf0 && marker != jpegCOM {
		return nil
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
	if c.kept++; c.kept > maxSegments {
		return errManyParts
	}
	binary.BigEndian.PutUint16(length[:], uint16(len(payload)+2))
	if err := c.write(append([]byte{0xff, marker, length[0], length[1]}, payload...)...); err != nil {
		return err
	}
	if marker == jpegSOS {
		if !c.framed {
			return damaged("a scan without a frame")
		}
		if c.scans++; c.scans > maxScans {
			return errManyParts
		}
		return c.copyScan()
	}
	return nil
}

// application returns the remains of an application segment or comment, nil for
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
		if _, err := c.r.Peek(2); err != nil {
			if b, _ := c.r.Peek(1); len(b) == 1 && b[0] != 0xff {
				_, _ = c.w.Write(b)
			}
			return err
		}
		chunk, _ := c.r.Peek(c.r.Buffered())
		n, drop, end := scanData(chunk)
		if _, err := c.w.Write(chunk[:n]); err != nil {
			return err
		}
		_, _ = c.r.Discard(n + drop)
		if end {
			return nil
		}
	}
}

// scanData tells how many bytes at the beginning of b are data of a scan, how
// many after them are filling, and whether a marker follows then.
func scanData(b []byte) (n, drop int, end bool) {
	for {
		i := bytes.IndexByte(b[n:], 0xff)
		if i < 0 {
			return len(b), 0, false
		}
		n += i
		if n+1 == len(b) {
			return n, 0, false // the byte after it is not here yet
		}
		switch next := b[n+1]; {
		case next == 0xff:
			for drop = 1; n+drop+1 < len(b) && b[n+drop+1] == 0xff; drop++ {
			}
			return n, drop, false
		case next == 0 || next >= 0xd0 && next <= 0xd7:
			n += 2
		default:
			return n, 0, true
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
