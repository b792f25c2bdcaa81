package media

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAFileWaitsInTheFolderThatItsReceiverNames(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		folder := filepath.Join(t.TempDir(), "made", "here")
		count := func(folder string) int {
			entries, err := os.ReadDir(folder)
			if err != nil {
				t.Fatal(err)
			}
			return len(entries)
		}
		d, err := w.ReceiveIn(folder, strings.NewReader("some words"), "a.txt", 100)
		if err != nil {
			t.Fatal(err)
		}
		if n, others := count(folder), count(filepath.Join(w.dir, "incoming")); n != 1 || others != 0 {
			t.Errorf("%d files there, %d where others are", n, others)
		}
		if _, err := w.Keep(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		d.Close()
		if n := count(folder); n != 0 {
			t.Errorf("%d files are left", n)
		}
	})
}
