package emoji

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

// maxArchive is the size up to which a pack is offered as an archive, in bytes
// of its pictures.
const maxArchive = 64 << 20

// ErrNotShared is a pack that is not offered as an archive.
var ErrNotShared = errors.New("the pack is not shared")

// Pack is a folder of emoji.
type Pack struct {
	Name  string
	Files map[string]string // by shortcode, named from the pack's folder
	// Info is the content of pack.json besides the files.
	Info map[string]any
	// Archive is the SHA-256 of the pack's archive in hex; "" when it cannot be
	// had: its owner does not share it, or it is too large.
	Archive string

	Listed bool // in a pack.json: it is a pack even while it is empty
}

// Shortcodes are the pack's, in order.
func (p *Pack) Shortcodes() []string { return slices.Sorted(maps.Keys(p.Files)) }

// Packs returns the packs by name. They must not be changed.
func (s *Set) Packs() []Pack {
	if s == nil {
		return nil
	}
	return s.packs
}

// Pack returns the pack with this name.
func (s *Set) Pack(name string) (*Pack, bool) {
	i, ok := slices.BinarySearchFunc(s.Packs(), name, func(p Pack, name string) int { return strings.Compare(p.Name, name) })
	if !ok {
		return nil, false
	}
	return &s.packs[i], true
}

// loadPacks reads the subfolders of the emoji folder.
func (l *loader) loadPacks() {
	entries, err := fs.ReadDir(l.files, folder)
	if err != nil {
		return // there is none: the readable part was walked already
	}
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		p, err := l.loadPack(e.Name())
		if err != nil {
			l.log.Warn("skipped an emoji pack", "pack", e.Name(), "err", err)
			continue
		}
		if len(p.Files) > 0 || p.Listed {
			l.packs = append(l.packs, *p)
		}
	}
}

// manifest is pack.json.
type manifest struct {
	Files map[string]string `json:"files"`
	Pack  map[string]any    `json:"pack"`
}

// listing is how a pack says which emoji it has.
type listing struct {
	manifest

	kind string // the name of its list; "" where every picture is one
	raw  []byte // the list
	tags map[string][]string
}

// The lists of packs.
const (
	packJSON = "pack.json"
	packText = "emoji.txt"
)

// list reads what the pack in dir has: the files in pack.json, else in emoji.txt,
// else every picture in the folder.
func (l *loader) list(dir string) (*listing, error) {
	m := &listing{}
	for _, kind := range []string{packJSON, packText} {
		raw, err := readBounded(l.files, dir+"/"+kind)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil && kind == packJSON {
			err = json.Unmarshal(raw, &m.manifest)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", kind, err)
		}
		if kind == packText {
			m.Files, m.tags = lines(raw)
		}
		m.kind, m.raw = kind, raw
		break
	}
	if m.kind == "" {
		m.Files = l.unlisted(dir)
	}
	if m.Files == nil {
		m.Files = map[string]string{}
	}
	if m.Pack == nil {
		m.Pack = map[string]any{}
	}
	return m, nil
}

// picture returns the picture that a list names for a shortcode, from the static
// folder; "" for none that is there.
func (l *loader) picture(dir, code, name string) string {
	file := path.Join(dir, path.Clean("/"+strings.TrimPrefix(name, "/"+dir+"/")))
	if _, ok := slices.BinarySearch(l.all, file); !ok || !valid(code) {
		return ""
	}
	return file
}

// loadPack reads a pack.
func (l *loader) loadPack(name string) (*Pack, error) {
	dir := folder + "/" + name
	m, err := l.list(dir)
	if err != nil {
		return nil, err
	}
	p := &Pack{Name: name, Files: map[string]string{}, Info: m.Pack, Listed: m.kind == packJSON}
	for _, code := range slices.Sorted(maps.Keys(m.Files)) {
		file := l.picture(dir, code, m.Files[code])
		if file == "" {
			continue
		}
		p.Files[code] = strings.TrimPrefix(file, dir+"/")
		l.add(code, file, append(slices.Clone(m.tags[code]), "pack:"+name))
	}
	return p, l.seal(p)
}

// unlisted returns the pictures of a folder without a list, by name.
func (l *loader) unlisted(dir string) map[string]string {
	out := map[string]string{}
	for _, file := range l.all {
		rest, in := strings.CutPrefix(file, dir+"/")
		if !in || !slices.Contains(l.settings.PackExtensions, strings.ToLower(path.Ext(file))) {
			continue
		}
		if _, taken := out[stem(file)]; !taken {
			out[stem(file)] = rest
		}
	}
	return out
}

// seal computes the sum of the archive of a shared pack.
func (l *loader) seal(p *Pack) error {
	if p.Info["share-files"] != true {
		return nil
	}
	size := int64(0)
	for _, file := range p.Files {
		info, err := fs.Stat(l.files, folder+"/"+p.Name+"/"+file)
		if err != nil {
			return err
		}
		size += info.Size()
	}
	if size > maxArchive {
		return nil
	}
	sum := sha256.New()
	if err := p.write(sum, l.files); err != nil {
		return err
	}
	p.Archive = hex.EncodeToString(sum.Sum(nil))
	return nil
}

// write writes the archive: the pictures, and pack.json. It depends on the pack
// alone, so that its sum is known before.
func (p *Pack) write(w io.Writer, files fs.FS) error {
	z := zip.NewWriter(w)
	raw, err := json.MarshalIndent(manifest{p.Files, p.Info}, "", "  ")
	if err != nil {
		return err
	}
	f, err := z.Create("pack.json")
	if err != nil {
		return err
	}
	if _, err := f.Write(raw); err != nil {
		return err
	}
	names := slices.Sorted(maps.Values(p.Files))
	left := int64(maxArchive)
	for _, name := range slices.Compact(names) {
		// Pictures are packed already.
		f, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			return err
		}
		n, err := copyFile(f, files, folder+"/"+p.Name+"/"+name, left)
		if err != nil {
			return err
		}
		left -= n
	}
	return z.Close()
}

func copyFile(w io.Writer, files fs.FS, name string, most int64) (int64, error) {
	f, err := files.Open(name)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }()
	n, err := io.Copy(w, io.LimitReader(f, most+1))
	if err == nil && n > most {
		err = errTooMany
	}
	return n, err
}

// Archive writes the archive of a shared pack. Of others the error is ErrNotShared.
func (l *Live) Archive(w io.Writer, p *Pack) error {
	if p.Archive == "" {
		return ErrNotShared
	}
	root, err := os.OpenRoot(l.folder())
	if err != nil {
		return fmt.Errorf("archive of pack %s: %w", p.Name, err)
	}
	defer func() { _ = root.Close() }()
	if err := p.write(w, root.FS()); err != nil {
		return fmt.Errorf("archive of pack %s: %w", p.Name, err)
	}
	return nil
}

func readBounded(files fs.FS, name string) ([]byte, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	raw, err := io.ReadAll(io.LimitReader(f, maxListed+1))
	if err == nil && len(raw) > maxListed {
		err = fmt.Errorf("%s is longer than %d bytes", path.Base(name), maxListed)
	}
	return raw, err
}
