package media

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"svc/db"
)

// TestFilesAreCheckedInPieces: pieces find what one check finds, each once, and go on
// where the one before ended, in another process too. Files that may just be stored
// are passed over.
func TestFilesAreCheckedInPieces(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		data := t.TempDir()
		stores := NewStores(w.db, data, "", w.live)
		w.store = stores
		var files []string
		for _, content := range []string{"a", "b", "c", "d", "e"} {
			row := w.upload(content)
			w.show(row)
			files = append(files, row.File)
		}
		slices.Sort(files)
		w.later(7 * time.Hour)
		w.sweep() // which finds all of them shown
		path := func(name string) string { return filepath.Join(data, "uploads", name[:2], name) }
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		must(os.Remove(path(files[0])))
		must(os.WriteFile(path(files[3]), []byte("longer"), 0o600))
		strange := []string{"00strange.txt", "zzstrange.txt"}
		for _, name := range append([]string{"00new.txt"}, strange...) {
			must(os.MkdirAll(filepath.Dir(path(name)), 0o700))
			must(os.WriteFile(path(name), nil, 0o600))
		}
		w.later(2 * time.Hour)
		must(os.Chtimes(path("00new.txt"), time.Time{}, w.now()))
		want := []string{files[0] + ": the file is missing", files[3] + ": the file has 6 bytes of 1", strange[0] + ": no row knows the file", strange[1] + ": no row knows the file"}

		var found []string
		take := func(f db.Finding) error {
			found = append(found, f.Row+": "+f.Fault)
			return nil
		}
		must(stores.Check(t.Context(), false, take))
		if !slices.Equal(found, want) {
			t.Errorf("a check found %q, want %q", found, want)
		}
		found = nil
		place, seen, pieces := "", 0, 0
		for more := true; more; more = place != "" {
			stores = NewStores(w.db, data, "", w.live)
			before := len(found)
			next, n, err := stores.CheckSome(t.Context(), place, 2, take)
			must(err)
			if pieces++; next != "" && next == place || len(found)-before > 2 {
				t.Fatalf("at %q after %q: %q", next, place, found)
			}
			place, seen = next, seen+n
		}
		if !slices.Equal(found, want) {
			t.Errorf("%d pieces found %q, want %q", pieces, found, want)
		}
		if onDisk := len(files) - 1 + len(strange) + 1; seen != len(files)+onDisk {
			t.Errorf("%d files were looked at, want %d rows and %d files", seen, len(files), onDisk)
		}

		found = nil
		must(stores.Check(t.Context(), true, take))
		must(stores.Check(t.Context(), true, take))
		if again := slices.Concat(want, want[:2]); !slices.Equal(found, again) {
			t.Errorf("two repairs found %q, want %q", found, again)
		}
	})
}

// TestFilesWithOtherBytesAreFound: of the same length too, and such that were stored
// within the last hours.
func TestFilesWithOtherBytesAreFound(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		data := t.TempDir()
		stores := NewStores(w.db, data, "", w.live)
		w.store = stores
		one, two, loose := w.upload("one"), w.upload("two"), w.upload("six")
		w.show(one)
		w.show(two)
		w.later(time.Hour)
		path := func(name string) string { return filepath.Join(data, "uploads", name[:2], name) }
		check := func() (found []string) {
			t.Helper()
			err := stores.Check(t.Context(), false, func(f db.Finding) error {
				found = append(found, f.Row+": "+f.Fault)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(found)
			return found
		}
		if found := check(); len(found) > 0 {
			t.Errorf("of whole files %q", found)
		}
		for _, err := range []error{os.WriteFile(path(one.File), []byte("eno"), 0o600), os.Remove(path(two.File)), os.WriteFile(path(loose.File), []byte("xis"), 0o600)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		const other = ": the file has other bytes than were stored"
		want := []string{one.File + other, two.File + ": the file is missing", loose.File + other}
		slices.Sort(want)
		if found := check(); !slices.Equal(found, want) {
			t.Errorf("found %q, want %q", found, want)
		}
		// A file from before hashes were kept: what it contains first is right.
		if _, err := w.db.Writer().ExecContext(t.Context(), "UPDATE stored_files SET hash = ''"); err != nil {
			t.Fatal(err)
		}
		if found := check(); len(found) != 1 {
			t.Errorf("without hashes %q", found)
		}
		if err := os.WriteFile(path(one.File), []byte("one"), 0o600); err != nil {
			t.Fatal(err)
		}
		if found := check(); !slices.Contains(found, one.File+other) {
			t.Errorf("after a change %q", found)
		}
	})
}
