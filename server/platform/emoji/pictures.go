package emoji

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/png"
	"io"
	"net/http"

	"golang.org/x/image/webp"

	"svc/server/platform/fault"
	"svc/server/platform/outgoing"
)

// The bounds of an emoji that is added.
const (
	maxShortcode = 100
	// MaxPicture is the longest picture, in bytes.
	MaxPicture = 256 << 10
	maxSide    = 1024 // pixels
)

// checkPicture returns the file ending of a picture by its content, or why it can be
// no emoji.
func checkPicture(picture []byte) (string, error) {
	if len(picture) > MaxPicture {
		return "", fault.TooLarge(fmt.Sprintf("The picture of an emoji has up to %d bytes", MaxPicture))
	}
	ending := endingOf(picture)
	decoders := map[string]func(io.Reader) (image.Config, error){".png": png.DecodeConfig, ".gif": gif.DecodeConfig, ".webp": webp.DecodeConfig}
	decode := decoders[ending]
	if decode == nil {
		return "", fault.Invalid("The picture of an emoji is a PNG, GIF or WebP")
	}
	head, err := decode(bytes.NewReader(picture))
	if err != nil {
		return "", fault.Invalid("The picture cannot be read")
	}
	if head.Width < 1 || head.Height < 1 || head.Width > maxSide || head.Height > maxSide {
		return "", fault.Invalidf("The picture of an emoji has up to %d × %[1]d pixels", maxSide)
	}
	return ending, nil
}

// fetchEmoji fetches a picture from an address that an admin gave.
func fetchEmoji(ctx context.Context, out *outgoing.Client, address string) ([]byte, error) {
	picture, err := fetchPicture(ctx, out, address, MaxPicture)
	switch {
	case err == nil:
		return picture, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, outgoing.ErrTooLarge):
		return nil, fault.TooLarge(fmt.Sprintf("The picture of an emoji has up to %d bytes", MaxPicture))
	case errors.Is(err, errNoPicture):
		return nil, fault.Invalid("The picture of an emoji is a PNG, GIF or WebP")
	}
	return nil, fault.Malformed("The picture cannot be fetched")
}

// endingOf returns the file ending of a picture by its content; "" for other
// files.
func endingOf(picture []byte) string {
	switch http.DetectContentType(picture) {
	case "image/png":
		return ".png"
	case "image/gif":
		return ".gif"
	case "image/webp":
		return ".webp"
	case "image/jpeg":
		return ".jpg"
	}
	return ""
}
