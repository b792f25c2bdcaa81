package servertest

import (
	"bytes"
	"image"
	"image/png"
	"math/rand/v2"
	"testing"
)

// Picture5MB is a picture of more than 5 MB.
func Picture5MB(t testing.TB) []byte {
	t.Helper()
	noise := rand.NewChaCha8([32]byte{1})
	m := image.NewNRGBA(image.Rect(0, 0, 1200, 1200))
	_, _ = noise.Read(m.Pix)
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	if b.Len() < 5<<20 || b.Len() > 10<<20 {
		t.Fatalf("the picture has %d bytes", b.Len())
	}
	return b.Bytes()
}
