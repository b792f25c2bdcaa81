package media

import (
	"bufio"
	"encoding/binary"
	"hash/crc32"
	"io"
)

const pngMagic = "\x89PNG\r\n\x1a\n"

// pngKept are the chunks that make up a picture. Shape: PNG, third edition,
// section 11.
var pngKept = map[string]bool{
	"IHDR": true, "PLTE": true, "IDAT": true, "IEND": true, "tRNS": true, "cHRM": true, "gAMA": true, "iCCP": true,
	"sBIT": true, "sRGB": true, "cICP": true, "mDCV": true, "cLLI": true, "bKGD": true, "hIST": true, "pHYs": true,
	"sPLT": true, "acTL": true, "fcTL": true, "fdAT": true,
}

// cleanPNG keeps the picture, and the orientation of its Exif. Texts, times and
// trailing data are removed.
func cleanPNG(w io.Writer, file *io.SectionReader) error {
	turn, err := pngOrientation(file)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 64<<10)
	if _, err := out.WriteString(pngMagic); err != nil {
		return err
	}
	err = chunksOf(file, func(name string, r *bufio.Reader, n int64) error {
		if name == "IDAT" && turn != 1 {
			if err := writeChunk(out, "eXIf", onlyOrientation(turn)); err != nil {
				return err
			}
			turn = 1
		}
		if !pngKept[name] {
			return skip(r, n+4)
		}
		var head [8]byte
		binary.BigEndian.PutUint32(head[:], uint32(n))
		copy(head[4:], name)
		_, _ = out.Write(head[:])
		_, err := io.CopyN(out, r, n+4) // with its checksum
		return err
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

// pngOrientation returns the orientation of a picture, which may follow it, and
// checks its size.
func pngOrientation(file *io.SectionReader) (uint16, error) {
	turn := uint16(1)
	first := true
	err := chunksOf(file, func(name string, r *bufio.Reader, n int64) error {
		if first != (name == "IHDR") || first && n != 13 {
			return damaged("a PNG without a header")
		}
		if !first && (name != "eXIf" || n > maxExif) {
			return skip(r, n+4)
		}
		b := make([]byte, n+4)
		if _, err := io.ReadFull(r, b); err != nil {
			return err
		}
		if first {
			first = false
			return fits(int64(binary.BigEndian.Uint32(b)), int64(binary.BigEndian.Uint32(b[4:])))
		}
		turn = orientation(b[:n])
		return nil
	})
	return turn, err
}

// chunksOf calls each with every chunk up to the end of the picture; it must
// read the content and the checksum.
func chunksOf(file *io.SectionReader, each func(name string, r *bufio.Reader, n int64) error) error {
	if _, err := file.Seek(int64(len(pngMagic)), io.SeekStart); err != nil {
		return err
	}
	r := buffered(file)
	for n := 0; ; n++ {
		if n > maxChunks {
			return errManyParts
		}
		var head [8]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return io.ErrUnexpectedEOF
		}
		n := int64(binary.BigEndian.Uint32(head[:]))
		if n > 1<<31-1 {
			return damaged("a chunk of %d bytes", n)
		}
		name := string(head[4:])
		if err := each(name, r, n); err != nil {
			return err
		}
		if name == "IEND" {
			return nil
		}
	}
}

func skip(r *bufio.Reader, n int64) error {
	_, err := io.CopyN(io.Discard, r, n)
	return err
}

func writeChunk(w io.Writer, name string, content []byte) error {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(content)))
	b = append(append(b, name...), content...)
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
	_, err := w.Write(b)
	return err
}
