package media

import (
	"bytes"
	"os"
	"slices"
	"testing"
)

// FuzzClean gives all readers of formats any bytes: they must end, make nothing
// longer than it was, and leave a clean file alone.
func FuzzClean(f *testing.F) {
	var endings []string
	for e := range cleaners {
		endings = append(endings, e)
	}
	slices.Sort(endings)
	for i := range endings {
		for _, seed := range [][]byte{
			photo(f, 6), []byte(pngMagic + string(chunk("IHDR", "\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00")) + string(chunk("IEND", ""))),
			[]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"),
			riff(pixel + part("EXIF", string(exif(3)))), avifFile(be32(20) + be32(10)),
			[]byte(aBox("ftyp", "isom", be32(0)) + aBox("moov", trackOf("soun"), trackOf("meta", aBox("stco", be32(0), be32(1), be32(20))))),
			[]byte("\x1a\x45\xdf\xa3\x84webm\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff\x12\x54\xc3\x67\x82ab"),
		} {
			f.Add(byte(i), seed)
		}
	}
	file, err := os.CreateTemp(f.TempDir(), "fuzz")
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = file.Close() })
	f.Fuzz(func(t *testing.T, which byte, data []byte) {
		ending := endings[int(which)%len(endings)]
		out, _, err := cleanedIn(t, file, ending, data)
		if err != nil {
			return
		}
		// The note that turns a picture may have been shorter.
		if len(out) > len(data)+64 {
			t.Errorf("%s: %d bytes became %d", ending, len(data), len(out))
		}
		again, _, err := cleanedIn(t, file, ending, out)
		if err != nil || !bytes.Equal(again, out) {
			t.Errorf("%s: cleaning changes what is clean, or %v\n%q\n%q\n%q", ending, err, data, out, again)
		}
	})
}

func FuzzSniff(f *testing.F) {
	f.Add([]byte("\xff\xfb\x90\x00"))
	f.Add([]byte("\xff\xf1\x50\x80\x01\x7f\xfc"))
	f.Add([]byte("RIFF\x00\x00\x00\x00WEBP"))
	f.Add([]byte("\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00avif"))
	f.Add([]byte("\x1a\x45\xdf\xa3\x84webm\x86\x86A_OPUS"))
	f.Add([]byte("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script>"))
	f.Fuzz(func(t *testing.T, data []byte) {
		kind := Sniff(data)
		if again, ok := typeOfName("0000000000000000000000000000000000000000000000000000000000000000." + kind.Ext); !ok || again != kind {
			t.Errorf("a file of type %v is served as %v", kind, again)
		}
	})
}
