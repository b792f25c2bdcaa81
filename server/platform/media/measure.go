package media

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/bbrks/go-blurhash"

	"svc/db"
	"svc/server/platform/fault"
)

// The blurhash of a picture has this many parts, and is made of a copy that fits into a
// box of this many pixels.
const (
	blurX, blurY = 4, 3
	blurBox      = 64
)

// measure completes the row of a picture: its size as it is shown, and its blurhash. Of
// one that is too large to unpack the size alone is known, of one that cannot be read
// nothing.
func (s *Service) measure(ctx context.Context, row *db.MediaAttachment, d *Draft) error {
	if !Measured(d.Type.Mime) {
		return nil
	}
	leave, err := s.decodeSlots.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	raw, err := io.ReadAll(io.NewSectionReader(d.file, 0, min(d.Size, maxPacked)))
	if err != nil {
		return s.unwritten(err)
	}
	width, height, blur := look(raw, d.Type)
	row.Width, row.Height, row.Blurhash = width, height, blur
	return nil
}

// Measured reports whether files of a type are measured when they are uploaded.
func Measured(mime string) bool {
	return slices.Contains([]string{"image/jpeg", "image/png", "image/webp", "image/gif"}, mime)
}

// look returns the size of a picture as it is shown, 0 by 0 for an unreadable one, and
// its blurhash, "" where it cannot be unpacked. Of an animation the first frame counts.
func look(raw []byte, t Type) (width, height int, blur string) {
	d, ok := decoderOf(t)
	if t.Ext == "gif" {
		d, ok = decoder{gif.DecodeConfig, gif.Decode, func([]byte) uint16 { return 1 }}, true
	}
	if !ok {
		return 0, 0, ""
	}
	head, err := d.config(bytes.NewReader(raw))
	if err != nil || head.Width <= 0 || head.Height <= 0 {
		return 0, 0, ""
	}
	turn := d.turn(raw)
	width, height = head.Width, head.Height
	if turn >= 5 {
		width, height = height, width
	}
	img, err := d.unpack(raw, t, head)
	if err != nil {
		return width, height, ""
	}
	w, h := inBox(img.Bounds().Dx(), img.Bounds().Dy(), blurBox, blurBox)
	if blur, err = blurhash.Encode(blurX, blurY, image.Image(turned(shrink(img, w, h), turn))); err != nil {
		blur = ""
	}
	return width, height, blur
}

// Small returns the size of the preview of a picture of this server, which is its own
// if it has none.
func (u *URLs) Small(m *db.MediaAttachment) (width, height int) {
	s := u.settings.Load()
	if !s.MediaProxy.Enabled || !s.MediaPreview.Enabled || m.MimeType == "image/gif" || m.Size < int64(s.MediaPreview.MinContentLength) ||
		int64(m.Width)*int64(m.Height) > maxDecoded {
		return m.Width, m.Height
	}
	return inBox(m.Width, m.Height, s.MediaPreview.MaxWidth, s.MediaPreview.MaxHeight)
}

// readFocus reads a point that cuts of a picture keep: "x,y", each from -1 to 1. Any other
// text is a fault.
func readFocus(said string) (x, y float64, err error) {
	a, b, comma := strings.Cut(said, ",")
	x, errX := strconv.ParseFloat(strings.TrimSpace(a), 64)
	y, errY := strconv.ParseFloat(strings.TrimSpace(b), 64)
	// Comparisons with NaN are false.
	if !comma || errors.Join(errX, errY) != nil || !(x >= -1 && x <= 1 && y >= -1 && y <= 1) {
		return 0, 0, fault.Invalid("Validation failed: Focus is not a pair of numbers from -1 to 1")
	}
	return x, y, nil
}

// Delete removes an upload of by that nothing shows. One that is used is a fault.
func (s *Service) Delete(ctx context.Context, by *db.Account, id string) error {
	var name string
	err := s.db.Tx(ctx, func(tx *db.DB) error {
		row, err := own(ctx, tx, by, id)
		if fault.Is(err, fault.KindForbidden) || err == nil && row.Mascot { // another's may as well not exist
			return fmt.Errorf("media %s: %w", id, db.ErrNotFound)
		}
		if err != nil {
			return err
		}
		gone, err := tx.DeleteUpload(ctx, row)
		if err == nil && !gone {
			err = fault.Invalid("Media attachment is currently used by a status")
		}
		name = row.File
		return err
	})
	if err != nil || name == "" {
		return err
	}
	// A file that is not removed now, since another row names it or the store fails, is
	// left to the sweep.
	if removed, err := s.remove(ctx, name); err == nil && removed && s.removed != nil {
		s.removed(ctx, []string{name})
	}
	return nil
}
