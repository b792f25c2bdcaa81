package emoji

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/platform/outgoing"
	"svc/server/platform/rights"
)

// CustomPack is the pack of single emoji, which is made when it is needed.
const CustomPack = "custom"

// maxPack bounds the emoji of a pack that is changed or imported here.
const maxPack = 5000

// writer changes the files in the emoji folder. Its pack is one at a time.
type writer struct {
	loader

	root *os.Root
}

// write carries out one change of the files, alone in all processes that share the
// folder, and has all processes read them again.
func (l *Live) write(ctx context.Context, change func(w *writer) error) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	if err := os.MkdirAll(l.folder(), 0o755); err != nil {
		return fmt.Errorf("write emoji: %w", err)
	}
	lock := flock.New(filepath.Join(l.folder(), ".emoji.lock"))
	if _, err := lock.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		return fmt.Errorf("write emoji: %w", err)
	}
	defer func() { _ = lock.Unlock() }()
	root, err := os.OpenRoot(l.folder())
	if err != nil {
		return fmt.Errorf("write emoji: %w", err)
	}
	defer func() { _ = root.Close() }()
	if err := root.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("write emoji: %w", err)
	}
	w := &writer{loader{files: root.FS(), settings: l.settings.Load().Emoji, log: l.log}, root}
	if err := change(w); err != nil {
		return err
	}
	return l.reloadAll(ctx)
}

// replace writes a file atomically: readers find the old one or the new one,
// whole.
func (w *writer) replace(name string, content []byte) error {
	unfinished := name + ".new"
	if err := w.root.WriteFile(unfinished, content, 0o644); err != nil {
		return fmt.Errorf("write emoji: %w", err)
	}
	if err := w.root.Rename(unfinished, name); err != nil {
		return fmt.Errorf("write emoji: %w", err)
	}
	return nil
}

// errNoPack refuses a name that no pack has. Bytes of it that are no text are left out.
func errNoPack(name string) error {
	return fault.NotFoundf("Pack %s does not exist", strings.ReplaceAll(name, "\ufffd", ""))
}

// there reports whether a pack of this name has a folder.
func (w *writer) there(name string) bool {
	if name == "" || strings.HasPrefix(name, ".") || strings.ContainsAny(name, `/\`) || !fs.ValidPath(name) {
		return false
	}
	info, err := w.root.Lstat(folder + "/" + name)
	return err == nil && info.IsDir()
}

// open reads the list of a pack.
func (w *writer) open(name string) (dir string, m *listing, err error) {
	if !w.there(name) {
		return "", nil, errNoPack(name)
	}
	dir, w.all = folder+"/"+name, nil
	if err := w.walkIn(dir); err != nil {
		return "", nil, fmt.Errorf("read pack %s: %w", name, err)
	}
	slices.Sort(w.all)
	if m, err = w.list(dir); err != nil {
		return "", nil, fault.Conflictf("The list of pack %s cannot be read: %v", name, err)
	}
	return dir, m, nil
}

// saveJSON writes the list of a pack as its pack.json.
func (w *writer) saveJSON(dir string, m manifest) error {
	raw, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if len(raw) > maxListed {
		return fault.Invalidf("The list of the pack would be longer than %d bytes", maxListed)
	}
	return w.replace(path.Join(dir, packJSON), raw)
}

// NewEmoji is an emoji to be added: its picture, or the address of one. The pack
// "" is CustomPack.
type NewEmoji struct {
	Pack, Shortcode string
	Picture         []byte
	URL             string
}

// Add adds an emoji to a pack, and returns the files of the pack by shortcode.
func (l *Live) Add(ctx context.Context, by *db.Account, out *outgoing.Client, in NewEmoji) (*Pack, error) {
	if err := rights.AdministerNow(ctx, l.db, by); err != nil {
		return nil, err
	}
	if in.Pack == "" {
		in.Pack = CustomPack
	}
	if err := checkShortcode(in.Shortcode); err != nil {
		return nil, err
	}
	if err := l.free(in.Shortcode); err != nil {
		return nil, err // before anything is fetched
	}
	if in.URL != "" {
		var err error
		if in.Picture, err = fetchEmoji(ctx, out, in.URL); err != nil {
			return nil, err
		}
	}
	ending, err := checkPicture(in.Picture)
	if err != nil {
		return nil, err
	}
	err = l.write(ctx, func(w *writer) error {
		if err := l.free(in.Shortcode); err != nil {
			return err
		}
		if in.Pack == CustomPack {
			if err := w.root.MkdirAll(folder+"/"+CustomPack, 0o755); err != nil {
				return fmt.Errorf("write emoji: %w", err)
			}
		}
		return w.add(in.Pack, in.Shortcode, in.Shortcode+ending, in.Picture)
	})
	if err != nil {
		return nil, err
	}
	return l.pack(in.Pack), nil
}

// pack returns a pack that was just changed.
func (l *Live) pack(name string) *Pack {
	if p, ok := l.Load().Pack(name); ok {
		return p
	}
	return &Pack{Name: name}
}

func checkShortcode(code string) error {
	if !valid(code) || len(code) > maxShortcode {
		return fault.Invalidf("A shortcode has up to %d letters of English, digits, _, - and +", maxShortcode)
	}
	return nil
}

func (l *Live) free(code string) error {
	set := l.Load()
	if e, known := set.Emoji(code); known {
		if e.Disabled {
			return fault.Conflictf("An emoji with the %q shortcode already exists; it is disabled", code)
		}
		return fault.Conflictf("An emoji with the %q shortcode already exists", code)
	}
	if len(set.Every()) >= maxEmoji {
		return fault.Invalidf("There are %d emoji already, and no more are read", maxEmoji)
	}
	return nil
}

// add adds a picture to a pack, in its list if it has one.
func (w *writer) add(pack, code, name string, picture []byte) error {
	dir, m, err := w.open(pack)
	if err != nil {
		return err
	}
	if _, taken := m.Files[code]; taken {
		return fault.Conflictf("An emoji with the %q shortcode already exists", code)
	}
	if len(m.Files) >= maxPack {
		return fault.Invalidf("A pack has up to %d emoji", maxPack)
	}
	if _, err := w.root.Lstat(path.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
		return fault.Conflictf("The file %s of pack %s exists already", name, pack)
	}
	if err := w.replace(path.Join(dir, name), picture); err != nil {
		return err
	}
	switch {
	case m.kind == packText:
		text := strings.TrimRight(string(m.raw), "\n") + "\n" + code + ", " + name + "\n"
		err = w.replace(path.Join(dir, packText), []byte(strings.TrimPrefix(text, "\n")))
	case m.kind == "" && slices.Contains(w.settings.PackExtensions, path.Ext(name)):
		// Every such file of the folder is an emoji.
	default:
		m.Files[code] = name
		err = w.saveJSON(dir, m.manifest)
	}
	if err != nil {
		return err
	}
	return w.setDisabled(false, code)
}

// Remove removes an emoji from a pack, with its picture, unless another emoji of
// the pack has the same.
func (l *Live) Remove(ctx context.Context, by *db.Account, pack, code string) (*Pack, error) {
	if err := rights.AdministerNow(ctx, l.db, by); err != nil {
		return nil, err
	}
	err := l.write(ctx, func(w *writer) error {
		dir, m, err := w.open(pack)
		if err != nil {
			return err
		}
		name, listed := m.Files[code]
		file := w.picture(dir, code, name)
		if e, known := l.Load().Emoji(code); !listed && known && e.Pack == pack {
			file = path.Join(dir, e.File) // an emoji by its place alone
		} else if !listed {
			return fault.NotFoundf("Emoji %q does not exist in pack %s", code, pack)
		}
		delete(m.Files, code)
		switch m.kind {
		case packJSON:
			err = w.saveJSON(dir, m.manifest)
		case packText:
			err = w.replace(path.Join(dir, packText), []byte(withoutLine(string(m.raw), code)))
		}
		if err != nil || file == "" {
			return err
		}
		for other, name := range m.Files {
			if w.picture(dir, other, name) == file {
				return nil
			}
		}
		if err := w.root.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove emoji: %w", err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return l.pack(pack), nil
}

// withoutLine is an emoji.txt without the lines of a shortcode.
func withoutLine(text, code string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if first, _, _ := strings.Cut(line, ","); strings.TrimSpace(first) != code {
			out.WriteString(line)
		}
	}
	return out.String()
}

// SetEnabled enables or disables emoji, and returns them. A disabled emoji is
// neither offered nor found in new texts; its picture is served on, for the texts
// that have it.
func (l *Live) SetEnabled(ctx context.Context, by *db.Account, codes []string, enabled bool) ([]Emoji, error) {
	if err := rights.AdministerNow(ctx, l.db, by); err != nil {
		return nil, err
	}
	set := l.Load()
	for _, code := range codes {
		if _, known := set.Emoji(code); !known {
			return nil, fault.NotFoundf("Emoji %q does not exist", code)
		}
	}
	if err := l.write(ctx, func(w *writer) error { return w.setDisabled(!enabled, codes...) }); err != nil {
		return nil, err
	}
	out := []Emoji{}
	for _, code := range codes {
		if e, known := l.Load().Emoji(code); known {
			out = append(out, *e)
		}
	}
	return out, nil
}

// setDisabled changes the list of disabled emoji.
func (w *writer) setDisabled(disabled bool, codes ...string) error {
	list, err := readDisabled(w.files)
	if err != nil {
		return err
	}
	before := len(list)
	for _, code := range codes {
		if disabled {
			list[code] = true
		} else {
			delete(list, code)
		}
	}
	if len(list) == before {
		return nil // codes are only added, or only removed
	}
	if len(list) == 0 {
		return w.root.Remove(disabledList)
	}
	text := strings.Join(slices.Sorted(maps.Keys(list)), "\n") + "\n"
	if len(text) > maxListed {
		return fault.Invalid("Too many emoji are disabled")
	}
	return w.replace(disabledList, []byte(text))
}
