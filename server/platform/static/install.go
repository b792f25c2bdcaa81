package static

import (
	"archive/zip"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"svc/server/platform/config"
)

// The bounds of a front end: of its files, of all their bytes, and of those of one.
const (
	frontFiles = 20_000
	frontBytes = 500 << 20
	frontFile  = 100 << 20
)

// ErrNoFrontend is an archive that is no front end; its text says why.
var ErrNoFrontend = errors.New("this is no front end")

func noFrontend(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrNoFrontend, fmt.Sprintf(format, args...))
}

// Install unpacks a front end into frontends/name/ref of the static folder, whole or not
// at all, in place of what has that name and version. It returns the number of files. The
// archive has the file index.html, at its root or in its only folder.
func (f *Folder) Install(archive *zip.Reader, name, ref string) (files int, err error) {
	if !config.IsFrontendName(name) || !config.IsFrontendName(ref) {
		return 0, noFrontend("%q, version %q: letters, digits, '.', '_' and '-' are accepted, and no '.' at the beginning", name, ref)
	}
	content, err := contentOf(archive)
	if err != nil {
		return 0, err
	}
	if err := os.MkdirAll(f.Path(), 0o755); err != nil {
		return 0, fmt.Errorf("static folder: %w", err)
	}
	root, err := os.OpenRoot(f.Path())
	if err != nil {
		return 0, fmt.Errorf("static folder: %w", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	home := "frontends/" + name
	if err := root.MkdirAll(home, 0o755); err != nil {
		return 0, fmt.Errorf("folder of %s: %w", name, err)
	}
	// No front end is asked for by a name that begins with a dot.
	fresh, former := home+"/.new-"+rand.Text(), home+"/.old-"+rand.Text()
	defer func() { err = errors.Join(err, root.RemoveAll(fresh), root.RemoveAll(former)) }()
	for inside, file := range content {
		if err := unpack(root, fresh+"/"+inside, file); err != nil {
			return 0, fmt.Errorf("unpack %s: %w", inside, err)
		}
	}
	if err := root.Rename(home+"/"+ref, former); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("put the former %s aside: %w", ref, err)
	}
	if err := root.Rename(fresh, home+"/"+ref); err != nil {
		return 0, fmt.Errorf("put %s in place: %w", ref, errors.Join(err, root.Rename(former, home+"/"+ref)))
	}
	return len(content), nil
}

// contentOf returns the files of an archive by their names, without the folder that all
// of them are in, and checks them before anything is written.
func contentOf(archive *zip.Reader) (map[string]*zip.File, error) {
	if len(archive.File) > frontFiles {
		return nil, noFrontend("it has more than %d files", frontFiles)
	}
	var total uint64
	all := map[string]*zip.File{}
	for _, file := range archive.File {
		name := strings.TrimSuffix(file.Name, "/")
		if !fs.ValidPath(name) || strings.ContainsAny(name, "\\\x00") {
			return nil, noFrontend("%q is no name within it", file.Name)
		}
		if file.FileInfo().IsDir() {
			continue
		}
		if !file.Mode().IsRegular() {
			return nil, noFrontend("%q is not a plain file", file.Name)
		}
		if total += file.UncompressedSize64; file.UncompressedSize64 > frontFile || total > frontBytes {
			return nil, noFrontend("%q makes it larger than %d MB, or is larger than %d MB", file.Name, frontBytes>>20, frontFile>>20)
		}
		if all[name] != nil {
			return nil, noFrontend("%q is in it twice", file.Name)
		}
		all[name] = file
	}
	if all[Index] != nil {
		return all, nil
	}
	below := map[string]*zip.File{}
	var folder string
	for name, file := range all {
		first, rest, _ := strings.Cut(name, "/")
		if rest == "" || folder != "" && folder != first {
			return nil, noFrontend("there is no %s at its root, nor in an only folder", Index)
		}
		folder, below[rest] = first, file
	}
	if below[Index] == nil {
		return nil, noFrontend("there is no %s at its root, nor in an only folder", Index)
	}
	return below, nil
}

// unpack writes a file of an archive, of the size that the archive says.
func unpack(root *os.Root, name string, file *zip.File) error {
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	from, err := file.Open()
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	to, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	n, err := io.Copy(to, io.LimitReader(from, int64(file.UncompressedSize64)+1))
	if err == nil && uint64(n) != file.UncompressedSize64 {
		err = noFrontend("it is not of the size that it says")
	}
	if err == nil {
		err = to.Sync()
	}
	return errors.Join(err, to.Close())
}
