package media

import (
	"bufio"
	"encoding/binary"
	"io"
)

// webpKept are the chunks that make up a picture. Shape: RFC 9649.
var webpKept = set("VP8 ", "VP8L", "VP8X", "ALPH", "ANIM", "ANMF", "ICCP")

type riffChunk struct {
	name string
	at   int64 // of its content
	n    int64
}

// maxChunks bounds the chunks of a WebP or PNG: each frame of an animation has
// at least one.
const maxChunks = 1 << 16

// cleanWebP keeps the picture, and the orientation of its Exif.
func cleanWebP(w io.Writer, file *io.SectionReader) error {
	all, err := webpChunks(file)
	if err != nil {
		return err
	}
	if err := webpFits(file, all[0]); err != nil {
		return err
	}
	var exif []byte
	size := int64(4)
	kept := all[:0:0]
	for _, c := range all {
		if c.name == "EXIF" && exif == nil && c.n <= maxExif && all[0].name == "VP8X" {
			raw, err := readAt(file, c.at, int(c.n))
			if err != nil {
				return err
			}
			if len(raw) > 6 && string(raw[:6]) == "Exif\x00\x00" { // some writers use JPEG's prefix
				raw = raw[6:]
			}
			if o := orientation(raw); o != 1 {
				exif = onlyOrientation(o)
				size += 8 + int64(len(exif))
			}
		}
		if webpKept[c.name] {
			kept = append(kept, c)
			size += 8 + c.n + c.n&1
		}
	}
	out := bufio.NewWriterSize(w, 64<<10)
	head := func(name string, n int64) {
		_, _ = out.WriteString(name)
		_, _ = out.Write(binary.LittleEndian.AppendUint32(nil, uint32(n)))
	}
	head("RIFF", size)
	_, _ = out.WriteString("WEBP")
	for i, c := range kept {
		head(c.name, c.n)
		content := io.NewSectionReader(file, c.at, c.n)
		if i == 0 && c.name == "VP8X" {
			flags, err := readAt(file, c.at, 1)
			if err != nil {
				return err
			}
			flags[0] &^= 0x0c // there is no Exif and no XMP,
			if exif != nil {
				flags[0] |= 0x08 // or only ours
			}
			_, _ = out.Write(flags)
			_, _ = content.Seek(1, io.SeekStart)
		}
		if _, err := io.Copy(out, content); err != nil {
			return err
		}
		if c.n&1 == 1 {
			_ = out.WriteByte(0)
		}
	}
	if exif != nil {
		head("EXIF", int64(len(exif)))
		_, _ = out.Write(exif)
	}
	return out.Flush()
}

// webpChunks lists the chunks of the file, at least the first.
func webpChunks(file *io.SectionReader) ([]riffChunk, error) {
	b, err := readAt(file, 0, 12)
	if err != nil {
		return nil, err
	}
	end := 8 + int64(binary.LittleEndian.Uint32(b[4:]))
	if end > file.Size() {
		return nil, io.ErrUnexpectedEOF
	}
	var all []riffChunk
	for at := int64(12); at+8 <= end; {
		if b, err = readAt(file, at, 8); err != nil {
			return nil, err
		}
		c := riffChunk{string(b[:4]), at + 8, int64(binary.LittleEndian.Uint32(b[4:]))}
		if c.at+c.n > end {
			return nil, io.ErrUnexpectedEOF
		}
		if all = append(all, c); len(all) > maxChunks {
			return nil, errManyParts
		}
		at = c.at + c.n + c.n&1
	}
	if len(all) == 0 {
		return nil, io.ErrUnexpectedEOF
	}
	return all, nil
}

// webpFits checks the size in the first chunk.
func webpFits(file io.ReaderAt, c riffChunk) error {
	b, err := readAt(file, c.at, int(min(c.n, 10)))
	if err != nil {
		return err
	}
	three := func(i int) int64 { return int64(b[i]) | int64(b[i+1])<<8 | int64(b[i+2])<<16 }
	switch {
	case c.name == "VP8X" && len(b) >= 10:
		return fits(three(4)+1, three(7)+1)
	case c.name == "VP8 " && len(b) >= 10 && string(b[3:6]) == "\x9d\x01\x2a":
		return fits(int64(binary.LittleEndian.Uint16(b[6:])&0x3fff), int64(binary.LittleEndian.Uint16(b[8:])&0x3fff))
	case c.name == "VP8L" && len(b) >= 5 && b[0] == 0x2f:
		bits := binary.LittleEndian.Uint32(b[1:])
		return fits(int64(bits&0x3fff)+1, int64(bits>>14&0x3fff)+1)
	}
	return damaged("a WebP that begins with %q", c.name)
}
