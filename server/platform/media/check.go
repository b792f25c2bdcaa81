package media

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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
// each difference. It opens every file. In folders it also finds files that no
// row knows, which a repair leaves to the next sweep.
func (s *Stores) Check(ctx context.Context, repair bool, found func(db.Finding) error) error {
	for after := ""; ; {
		files, err := s.db.StoredFiles(ctx, after, checkedFiles)
		if err != nil {
			return err
		}
		for _, f := range files {
			fault, err := s.fault(ctx, f)
			if err == nil && fault != "" {
				err = found(db.Finding{Area: db.CheckFiles, Check: "stored_files.size", Row: f.Name, Fault: fault, Unmendable: "the file has to come from a backup"})
			}
			if err != nil {
				return err
			}
			after = f.Name
		}
		if len(files) < checkedFiles {
			break
		}
	}
	s.mu.Lock()
	var folders []string
	for folder := range s.disks {
		folders = append(folders, folder)
	}
	s.mu.Unlock()
	slices.Sort(folders)
	for _, folder := range folders {
		if err := s.checkFolder(ctx, folder, repair, found); err != nil {
			return err
		}
	}
	return nil
}

// fault returns the fault of a stored file in words, "" for none.
func (s *Stores) fault(ctx context.Context, f db.StoredFile) (string, error) {
	said := ""
	switch file, err := s.Open(ctx, f.Name); {
	case errors.Is(err, db.ErrNotFound):
		said = "the file is missing"
	case err != nil:
		return "", err
	default:
		if file.Size() != f.Size {
			said = fmt.Sprintf("the file has %d bytes of %d", file.Size(), f.Size)
		}
		if err := file.Close(); err != nil {
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

// checkFolder finds the files of a folder that no row knows.
func (s *Stores) checkFolder(ctx context.Context, folder string, repair bool, found func(db.Finding) error) error {
	parts, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, part := range parts {
		if !part.IsDir() || len(part.Name()) != 2 {
			continue
		}
		d, err := os.Open(filepath.Join(folder, part.Name()))
		if err != nil {
			return err
		}
		for {
			entries, _ := d.ReadDir(checkedFiles) // an empty rest is its end
			if len(entries) == 0 {
				break
			}
			if err = s.checkEntries(ctx, entries, part.Name(), repair, found); err != nil {
				break
			}
		}
		if err := errors.Join(err, d.Close()); err != nil {
			return err
		}
	}
	return nil
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
