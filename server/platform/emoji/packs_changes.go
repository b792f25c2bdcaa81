package emoji

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strings"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/platform/rights"
)

// checkPackName refuses names of new packs that are no plain names of folders
// everywhere.
func checkPackName(name string) error {
	ok := name != "" && len(name) <= maxShortcode && !strings.HasPrefix(name, ".")
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '.' }) {
		ok = ok && valid(part)
	}
	if !ok {
		return fault.Invalidf("The name of a pack has up to %d letters of English, digits, _, -, + and inner dots", maxShortcode)
	}
	return nil
}

// taken refuses the name of a pack that exists.
func (w *writer) taken(name string) error {
	_, err := w.root.Lstat(folder + "/" + name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = fault.Conflictf("A pack named %q already exists", name)
	}
	return err
}

// CreatePack makes an empty pack.
func (l *Live) CreatePack(ctx context.Context, by *db.Account, name string) error {
	if err := rights.AdministerNow(ctx, l.db, by); err != nil {
		return err
	}
	if err := checkPackName(name); err != nil {
		return err
	}
	return l.write(ctx, func(w *writer) error {
		return w.newPack(name, func(dir string) error { return w.saveJSON(dir, manifest{map[string]string{}, map[string]any{}}) })
	})
}

// newPack fills a hidden folder and makes it a pack at once.
func (w *writer) newPack(name string, fill func(dir string) error) error {
	if err := w.taken(name); err != nil {
		return err
	}
	unfinished := folder + "/.new-" + rand.Text()
	if err := w.root.Mkdir(unfinished, 0o755); err != nil {
		return fmt.Errorf("write emoji: %w", err)
	}
	err := fill(unfinished)
	if err == nil {
		err = w.root.Rename(unfinished, folder+"/"+name)
	}
	if err != nil {
		return errors.Join(err, w.root.RemoveAll(unfinished))
	}
	return nil
}

// DescribePack changes what pack.json says of a pack besides its files: a nil value
// removes what was said. A folder without a list gets one.
func (l *Live) DescribePack(ctx context.Context, by *db.Account, name string, info map[string]any) (*Pack, error) {
	if err := rights.AdministerNow(ctx, l.db, by); err != nil {
		return nil, err
	}
	err := l.write(ctx, func(w *writer) error {
		dir, m, err := w.open(name)
		if err != nil {
			return err
		}
		if m.kind == packText {
			return fault.Conflictf("Pack %s is listed in %s, which says nothing but its emoji", name, packText)
		}
		maps.Copy(m.Pack, info)
		maps.DeleteFunc(m.Pack, func(_ string, value any) bool { return value == nil })
		return w.saveJSON(dir, m.manifest)
	})
	if err != nil {
		return nil, err
	}
	return l.pack(name), nil
}

// DeletePack removes a pack with its pictures.
func (l *Live) DeletePack(ctx context.Context, by *db.Account, name string) error {
	if err := rights.AdministerNow(ctx, l.db, by); err != nil {
		return err
	}
	return l.write(ctx, func(w *writer) error {
		if !w.there(name) {
			return errNoPack(name)
		}
		// It goes at once, even if its files do not.
		gone := folder + "/.gone-" + rand.Text()
		if err := w.root.Rename(folder+"/"+name, gone); err != nil {
			return fmt.Errorf("delete pack %s: %w", name, err)
		}
		if err := w.root.RemoveAll(gone); err != nil {
			w.log.WarnContext(ctx, "files of a deleted emoji pack are left", "folder", gone, "err", err)
		}
		return nil
	})
}
