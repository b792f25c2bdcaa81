package server_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"io"
	"math/rand/v2"
	"net/http"
	"testing"

	"svc/client"
	"svc/client/api"
	"svc/server/servertest"
)

// BenchmarkMedia uploads photographs, each another, and fetches one, over the
// network of this machine.
func BenchmarkMedia(b *testing.B) {
	s := servertest.Start(b)
	ann := s.Client("ann")
	noise := rand.New(rand.NewPCG(1, 2))
	m := image.NewRGBA(image.Rect(0, 0, 1600, 1200))
	for i := range m.Pix {
		m.Pix[i] = byte(noise.Uint32())
	}
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, m, nil); err != nil {
		b.Fatal(err)
	}
	raw := photo.Bytes()
	var url string
	b.Run("upload", func(b *testing.B) {
		b.SetBytes(int64(len(raw)))
		b.ReportAllocs()
		for b.Loop() {
			raw[len(raw)/2] = byte(noise.Uint32()) & 0x7f // another file
			raw[len(raw)/2+1] = byte(noise.Uint32()) & 0x7f
			up, err := ann.Media.Upload(b.Context(), client.File{Name: "photo.jpg", Content: bytes.NewReader(raw)}, api.MediaForm{})
			if err != nil {
				b.Fatal(err)
			}
			url = up.URL
		}
	})
	b.Run("fetch", func(b *testing.B) {
		b.SetBytes(int64(len(raw)))
		b.RunParallel(func(p *testing.PB) {
			for p.Next() {
				resp, err := http.Get(url)
				if err != nil {
					b.Error(err)
					return
				}
				n, err := io.Copy(io.Discard, resp.Body)
				if err != nil || n < int64(len(raw))-64 {
					b.Errorf("%d bytes, %v", n, err)
				}
				_ = resp.Body.Close()
			}
		})
	})
}
