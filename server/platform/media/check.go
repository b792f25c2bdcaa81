package media

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"svc/db"
)

const (
	// checkedFiles bounds the files that one statement of a check is about.
	checkedFiles = 500
	// unsettled is the age of files that may just be stored.
	unsettled = time.Hour
)

// Check compares the stored files with the rows about them, and calls found for
// each difference. It reads every file. In folders it also finds files that no
// row knows, which a repair leaves to the next sweep.
func (s *Stores) Check(ctx context.Context, repair bool, found func(db.Finding) error) error {
	for place, more := "", true; more; more = place != "" {
		var err error
		if place, _, err = s.checkFrom(ctx, place, checkedFiles, repair, true, found); err != nil {
			return err
		}
	}
	return nil
}

// CheckSome goes on with a Check without repairs from a place, "" for the beginning:
// about up to limit rows, or about the files of one part of a folder. It returns the
// next place, "" at the end, and the number of files that it looked at. It opens files and
// does not read them, which in a bucket costs money.
func (s *Stores) CheckSome(ctx context.Context, place string, limit int, found func(db.Finding) error) (next string, n int, err error) {
	return s.checkFrom(ctx, place, limit, false, false, found)
}

// The kinds of places: behind the row of a file, and in front of a part of a folder.
const (
	behindRow  = "row "
	beforePart = "part "
)

func (s *Stores) checkFrom(ctx context.Context, place string, limit int, repair, read bool, found func(db.Finding) error) (next string, n int, err error) {
	part, inFolders := strings.CutPrefix(place, beforePart)
	if !inFolders {
		part = ""
		after := strings.TrimPrefix(place, behindRow)
		if after, n, err = s.checkRows(ctx, after, limit, read, found); err != nil || after != "" {
			return behindRow + after, n, err
		}
	}
	parts, err := s.parts(ctx)
	if err != nil {
		return "", n, err
	}
	parts = parts[sort.SearchStrings(parts, part):] // which may be gone
	if inFolders && len(parts) > 0 {
		if n, err = s.checkPart(ctx, parts[0], repair, found); err != nil {
			return "", n, err
		}
		parts = parts[1:]
	}
	if len(parts) == 0 {
		return "", n, nil
	}
	return beforePart + parts[0], n, nil
}

// checkRows opens up to limit files with names above after, and returns the name of
// the last, "" at the end. With read it compares what they contain.
func (s *Stores) checkRows(ctx context.Context, after string, limit int, read bool, found func(db.Finding) error) (last string, n int, err error) {
	files, err := s.db.StoredFiles(ctx, after, limit)
	if err != nil {
		return "", 0, err
	}
	for _, f := range files {
		fault, err := s.fault(ctx, f, read)
		if err == nil && fault != "" {
			err = found(db.Finding{Area: db.CheckFiles, Check: "stored_files.size", Row: f.Name, Fault: fault, Unmendable: "the file has to come from a backup"})
		}
		if err != nil {
			return "", 0, err
		}
		last = f.Name
	}
	if len(files) < limit {
		last = ""
	}
	return last, len(files), nil
}

// fault returns the fault of a stored file in words, "" for none.
func (s *Stores) fault(ctx context.Context, f db.StoredFile, read bool) (string, error) {
	said := ""
	switch file, err := s.Open(ctx, f.Name); {
	case errors.Is(err, db.ErrNotFound):
		said = "the file is missing"
	case err != nil:
		return "", err
	default:
		if file.Size() != f.Size {
			said = fmt.Sprintf("the file has %d bytes of %d", file.Size(), f.Size)
		} else if read {
			said, err = s.changed(ctx, f, file)
		}
		if err := errors.Join(err, file.Close()); err != nil {
			return "", err
		}
	}
	if said == "" {
		return "", nil
	}
	_, err := s.db.ExpectedFile(ctx, f.Name) // it may be removed by now
	if errors.Is(err, db.ErrNotFound) {
		return "", nil
	}
	return said, err
}

// changed compares what a file contains with what was stored. The contents of a file
// from before hashes were kept are taken as right at the first check.
func (s *Stores) changed(ctx context.Context, f db.StoredFile, file io.Reader) (string, error) {
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", fmt.Errorf("read %s: %w", f.Name, err)
	}
	hash := hex.EncodeToString(sum.Sum(nil))
	switch f.Hash {
	case hash:
		return "", nil
	case "":
		return "", s.db.NoteFileHash(ctx, f.Name, hash)
	}
	return "the file has other bytes than were stored", nil
}

// parts returns the paths of the parts of all known folders, sorted.
func (s *Stores) parts(ctx context.Context) ([]string, error) {
	if _, err := s.all(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	folders := slices.Collect(maps.Keys(s.disks))
	s.mu.Unlock()
	var out []string
	for _, folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			if e.IsDir() && len(e.Name()) == 2 {
				out = append(out, filepath.Join(folder, e.Name()))
			}
		}
	}
	slices.Sort(out)
	return out, nil
}

// checkPart finds the files of a part of a folder that no row knows, and returns the
// number of all.
func (s *Stores) checkPart(ctx context.Context, part string, repair bool, found func(db.Finding) error) (n int, err error) {
	d, err := os.Open(part)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	for {
		entries, _ := d.ReadDir(checkedFiles) // an empty rest is its end
		if len(entries) == 0 {
			break
		}
		n += len(entries)
		if err = s.checkEntries(ctx, entries, filepath.Base(part), repair, found); err != nil {
			break
		}
	}
	return n, errors.Join(err, d.Close())
}

func (s *Stores) checkEntries(ctx context.Context, entries []fs.DirEntry, part string, repair bool, found func(db.Finding) error) error {
	var names []string
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && e.Name()[:min(2, len(e.Name()))] == part && s.db.Now().Sub(info.ModTime()) > unsettled {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 {
		return nil
	}
	unknown, err := s.db.UnknownFiles(ctx, names)
	if err != nil {
		return err
	}
	for _, name := range unknown {
		if repair {
			if err := s.db.LoosenFile(ctx, name); err != nil {
				return err
			}
		}
		if err := found(db.Finding{Area: db.CheckFiles, Check: "files", Row: name, Fault: "no row knows the file", Repaired: repair}); err != nil {
			return err
		}
	}
	return nil
}
