package emoji

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/platform/rights"
)

const (
	// MaxArchive is the longest archive that is imported, in bytes.
	MaxArchive = maxArchive + 2*maxListed
	// maxDirectory bounds the table of contents of an archive, which is in memory.
	maxDirectory = 4 << 20
	// maxUnpacked bounds the pictures of an archive.
	maxUnpacked = 2 * maxArchive
)

// Imported is a pack that was imported. Skipped are the files that were left out, with
// the reasons.
type Imported struct {
	Pack    *Pack
	Skipped map[string]string
}

// Import makes a pack of a zip archive: the emoji in its pack.json, else in its
// emoji.txt, else its pictures by their file names. Files that can be no emoji are
// left out. Nothing is kept of an archive without any emoji.
func (l *Live) Import(ctx context.Context, by *db.Account, name string, archive io.ReaderAt, size int64) (*Imported, error) {
	if err := rights.AdministerNow(ctx, l.db, by); err != nil {
		return nil, err
	}
	if err := checkPackName(name); err != nil {
		return nil, err
	}
	a, err := openArchive(archive, size)
	if err != nil {
		return nil, err
	}
	done := &Imported{Skipped: map[string]string{}}
	err = l.write(ctx, func(w *writer) error {
		return w.newPack(name, func(dir string) error {
			found, err := a.extract(ctx, w, dir, done.Skipped)
			if err != nil {
				return err
			}
			if len(found.Files) == 0 {
				return fault.Invalid("The archive has no emoji")
			}
			if err := w.saveJSON(dir, found); err != nil {
				return err
			}
			return w.setDisabled(false, slices.DeleteFunc(slices.Collect(maps.Keys(found.Files)), l.knows)...)
		})
	})
	if err != nil {
		return nil, err
	}
	done.Pack = l.pack(name)
	return done, nil
}

// archive is a zip archive of a pack.
type archive struct {
	files map[string]*zip.File // by clean name
	top   string               // the folder of the pack in it, with a slash; "" for none
}

// openArchive reads the table of contents of an archive, within bounds.
func openArchive(r io.ReaderAt, size int64) (*archive, error) {
	bounded := &bounded{r: r}
	bounded.left.Store(maxDirectory)
	z, err := zip.NewReader(bounded, size)
	if err != nil {
		return nil, fault.Invalid("The file is no zip archive of a pack")
	}
	bounded.left.Store(size + 4*maxUnpacked)
	if len(z.File) > 2*maxPack {
		return nil, fault.Invalidf("The archive has more than %d files", 2*maxPack)
	}
	a := &archive{files: map[string]*zip.File{}}
	for _, f := range z.File {
		name := strings.TrimPrefix(path.Clean(strings.ReplaceAll(f.Name, `\`, "/")), "./")
		// Links, folders and names that lead elsewhere are nothing here.
		if !f.Mode().IsRegular() || !fs.ValidPath(name) || strings.HasPrefix(name, "__MACOSX/") {
			continue
		}
		a.files[name] = f
	}
	for _, list := range []string{packJSON, packText} {
		if a.files[list] != nil {
			return a, nil
		}
		for _, name := range slices.Sorted(maps.Keys(a.files)) {
			if dir, file := path.Split(name); file == list && strings.Count(dir, "/") == 1 {
				a.top = dir
				return a, nil
			}
		}
	}
	return a, nil
}

// bounded reads so many bytes.
type bounded struct {
	r    io.ReaderAt
	left atomic.Int64
}

var errLongDirectory = errors.New("the archive is read too often")

func (b *bounded) ReadAt(p []byte, off int64) (int, error) {
	if b.left.Add(-int64(len(p))) < 0 {
		return 0, errLongDirectory
	}
	return b.r.ReadAt(p, off)
}

// read unpacks one file of up to limit bytes.
func (a *archive) read(name string, limit int64) ([]byte, error) {
	f := a.files[name]
	if f == nil {
		return nil, fs.ErrNotExist
	}
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	raw, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(raw)) > limit {
		err = fault.TooLarge(fmt.Sprintf("longer than %d bytes", limit))
	}
	return raw, err
}

// list returns the files of the pack by shortcode, named from its folder, and what its
// pack.json says besides.
func (a *archive) list() (manifest, error) {
	var m manifest
	raw, err := a.read(a.top+packJSON, maxListed)
	switch {
	case err == nil:
		if err := json.Unmarshal(raw, &m); err != nil {
			return m, fault.Invalidf("The %s of the archive cannot be read", packJSON)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return m, fault.Invalidf("The %s of the archive cannot be read", packJSON)
	default:
		switch raw, err = a.read(a.top+packText, maxListed); {
		case err == nil:
			m.Files, _ = lines(raw)
		case !errors.Is(err, fs.ErrNotExist):
			return m, fault.Invalidf("The %s of the archive cannot be read", packText)
		default:
			m.Files = map[string]string{}
			for _, name := range slices.Sorted(maps.Keys(a.files)) {
				if code := stem(name); m.Files[code] == "" && slices.Contains(pictures, strings.ToLower(path.Ext(name))) {
					m.Files[code] = name
				}
			}
		}
	}
	if m.Pack == nil {
		m.Pack = map[string]any{}
	}
	// Whether we share a pack is not for those to say who made it.
	delete(m.Pack, "share-files")
	if len(m.Files) > maxPack {
		return m, fault.Invalidf("A pack has up to %d emoji", maxPack)
	}
	return m, nil
}

// extract writes the pictures to dir, under names of our own, and returns their list.
func (a *archive) extract(ctx context.Context, w *writer, dir string, skipped map[string]string) (manifest, error) {
	said, err := a.list()
	if err != nil {
		return said, err
	}
	found, total := manifest{map[string]string{}, said.Pack}, 0
	for _, code := range slices.Sorted(maps.Keys(said.Files)) {
		if err := ctx.Err(); err != nil {
			return found, err
		}
		name := a.top + strings.TrimPrefix(path.Clean("/"+said.Files[code]), "/")
		err := checkShortcode(code)
		var picture []byte
		if err == nil {
			picture, err = a.read(name, MaxPicture)
		}
		total += len(picture)
		if total > maxUnpacked {
			return found, fault.TooLarge(fmt.Sprintf("The pictures of the archive have more than %d bytes", maxUnpacked))
		}
		ending := ""
		if err == nil {
			ending, err = checkPicture(picture)
		}
		if err != nil {
			skipped[said.Files[code]] = reason(err)
			continue
		}
		if err := w.root.WriteFile(path.Join(dir, code+ending), picture, 0o644); err != nil {
			return found, fmt.Errorf("write emoji: %w", err)
		}
		found.Files[code] = code + ending
	}
	return found, nil
}

// reason says why a file of an archive is no emoji.
func reason(err error) string {
	var refusal *fault.Error
	switch {
	case errors.As(err, &refusal):
		return refusal.Message
	case errors.Is(err, fs.ErrNotExist):
		return "The archive does not have it"
	}
	return "It cannot be unpacked"
}
