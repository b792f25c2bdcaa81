package emoji

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/platform/rights"
)

// Renaming gives an emoji of a pack another shortcode, and its picture another name in the
// folder of the pack. The picture keeps its name if File is "", unless emoji of this folder
// are named by their files. With Force another emoji may have the shortcode already; one of
// the same pack is replaced in its list.
type Renaming struct {
	Pack, Shortcode, To, File string
	Force                     bool
}

// Rename renames an emoji of a pack, and returns the files of the pack by shortcode. Texts
// that have the emoji keep the address of its picture, at which there is none any more
// if the picture got another name.
func (l *Live) Rename(ctx context.Context, by *db.Account, in Renaming) (*Pack, error) {
	if err := rights.AdministerNow(ctx, l.db, by); err != nil {
		return nil, err
	}
	if err := checkShortcode(in.To); err != nil {
		return nil, err
	}
	if err := l.write(ctx, func(w *writer) error { return w.rename(l.Load(), in) }); err != nil {
		return nil, err
	}
	return l.pack(in.Pack), nil
}

func (w *writer) rename(set *Set, in Renaming) error {
	dir, m, err := w.open(in.Pack)
	if err != nil {
		return err
	}
	known, there := set.Emoji(in.Shortcode)
	name, listed := m.Files[in.Shortcode]
	file := w.picture(dir, in.Shortcode, name)
	if file == "" && there && known.Pack == in.Pack {
		file = path.Join(dir, known.File) // an emoji by its place alone
	}
	if file == "" {
		return fault.NotFoundf("Emoji %q does not exist in pack %s", in.Shortcode, in.Pack)
	}
	if _, taken := set.Emoji(in.To); taken && in.To != in.Shortcode && !in.Force {
		return fault.Conflictf("An emoji with the %q shortcode already exists", in.To)
	}
	to, err := w.renamedFile(dir, file, m, in)
	if err != nil {
		return err
	}
	if to != file {
		if err := w.copyPicture(file, to); err != nil {
			return err
		}
	}
	// The list comes between the two files, so that each time it names one that is there.
	if err := w.listRenamed(dir, file, to, m, in, listed); err != nil {
		return err
	}
	if to != file {
		if err := w.root.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("rename emoji: %w", err)
		}
	}
	if in.To == in.Shortcode {
		return nil
	}
	if err := w.setDisabled(there && known.Disabled, in.To); err != nil {
		return err
	}
	return w.setDisabled(false, in.Shortcode)
}

// renamedFile returns the name of the picture after a renaming.
func (w *writer) renamedFile(dir, file string, m *listing, in Renaming) (string, error) {
	globbed := slices.ContainsFunc(w.settings.ShortcodeGlobs, func(glob string) bool { return match(glob, "/"+file) })
	byName := globbed || m.kind == ""
	now := strings.TrimPrefix(file, dir+"/")
	to := in.File
	if to == "" || byName && to == now {
		to = now
		if byName {
			to = in.To + path.Ext(file)
		}
	}
	switch {
	case to == now:
		return file, nil
	case !valid(stem(to)) || path.Base(to) != to || len(to) > maxShortcode || path.Ext(to) != path.Ext(file):
		return "", fault.Invalidf("The name of the picture has letters of English, digits, _, -, + and the ending %s", path.Ext(file))
	case byName && stem(to) != in.To:
		return "", fault.Conflictf("The pictures of pack %s are named by their shortcodes", in.Pack)
	}
	if _, err := w.root.Lstat(path.Join(dir, to)); !errors.Is(err, fs.ErrNotExist) {
		return "", fault.Conflictf("The file %s of pack %s exists already", to, in.Pack)
	}
	return path.Join(dir, to), nil
}

func (w *writer) copyPicture(from, to string) error {
	picture, err := w.root.ReadFile(from)
	if err != nil {
		return fmt.Errorf("rename emoji: %w", err)
	}
	return w.replace(to, picture)
}

// listRenamed writes the list of a pack after a renaming. A folder without a list needs none.
func (w *writer) listRenamed(dir, file, to string, m *listing, in Renaming, listed bool) error {
	name := strings.TrimPrefix(to, dir+"/")
	moved := func(code string) bool { return w.picture(dir, code, m.Files[code]) == file }
	switch m.kind {
	case packJSON:
		for code := range maps.Clone(m.Files) {
			if moved(code) {
				m.Files[code] = name
			}
		}
		if listed {
			delete(m.Files, in.Shortcode)
			m.Files[in.To] = name
		}
		return w.saveJSON(dir, m.manifest)
	case packText:
		return w.replace(path.Join(dir, packText), []byte(renamedLines(string(m.raw), name, in, moved)))
	}
	return nil
}

// renamedLines is an emoji.txt after a renaming. Tags and lines that are no emoji stay.
func renamedLines(text, name string, in Renaming, moved func(code string) bool) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		code, rest, ok := strings.Cut(line, ",")
		code = strings.TrimSpace(code)
		if !ok || code != in.Shortcode && code != in.To && !moved(code) {
			out.WriteString(line)
			continue
		}
		if code == in.To && in.To != in.Shortcode {
			continue
		}
		if _, tags, tagged := strings.Cut(rest, ","); tagged {
			rest = ", " + strings.TrimSpace(tags)
		} else {
			rest = ""
		}
		if code == in.Shortcode {
			code = in.To
		}
		out.WriteString(code + ", " + name + rest + "\n")
	}
	return out.String()
}

// Scan reads the emoji folder again in all processes, and returns the names of the packs
// that were not there before.
func (l *Live) Scan(ctx context.Context, by *db.Account) ([]string, error) {
	before := l.Load()
	if err := l.ReloadAll(ctx, by); err != nil {
		return nil, err
	}
	found := []string{}
	for _, p := range l.Load().Packs() {
		if _, known := before.Pack(p.Name); !known {
			found = append(found, p.Name)
		}
	}
	return found, nil
}
