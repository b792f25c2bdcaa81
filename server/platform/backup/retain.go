package backup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// idLayout makes ids that sort by time.
const idLayout = "20060102T150405Z"

// newID is an id for a backup that begins now, above those of all others.
func (s *store) newID(now time.Time) (string, error) {
	ids, err := s.ids()
	if err != nil {
		return "", err
	}
	base := now.UTC().Format(idLayout)
	id := base
	for n := 2; len(ids) > 0 && ids[len(ids)-1] >= id && n < 1000; n++ {
		id = base + "-" + leftPad(n)
	}
	if len(ids) > 0 && ids[len(ids)-1] >= id {
		return "", errors.New("the clock is behind the newest backup, " + ids[len(ids)-1])
	}
	return id, nil
}

func leftPad(n int) string {
	text := strconv.Itoa(n)
	return strings.Repeat("0", 3-len(text)) + text
}

// retain removes backups that neither bound keeps, the newest never, and then the
// contents that no backup names. Manifests go first: a run that is interrupted leaves
// contents for the next one.
func (s *store) retain(keep int, keepFor time.Duration, now time.Time) (removed []string, freed int64, err error) {
	removed = []string{}
	ids, err := s.ids()
	if err != nil {
		return removed, 0, err
	}
	for i, id := range ids {
		if keep == 0 && keepFor == 0 || i == len(ids)-1 || keep > 0 && i >= len(ids)-keep {
			continue
		}
		if at, err := time.Parse(idLayout, id[:min(len(id), len(idLayout))]); err == nil && keepFor > 0 && now.Sub(at) < keepFor {
			continue
		}
		if err := os.Remove(s.path(manifests, id+".json")); err != nil {
			return removed, 0, readable(err)
		}
		removed = append(removed, id)
	}
	if err := syncFolder(s.path(manifests)); err != nil {
		return removed, 0, err
	}
	named, err := s.named()
	if err != nil {
		return removed, 0, err // what a damaged manifest names is unknown: all stays
	}
	err = s.eachBlob(func(path, name string) error {
		if named[name] {
			return nil
		}
		info, err := os.Stat(path)
		if err == nil {
			err = os.Remove(path)
		}
		if err == nil {
			freed += info.Size()
		}
		return readable(err)
	})
	return removed, freed, err
}

// eachBlob calls each with all contents.
func (s *store) eachBlob(each func(path, name string) error) error {
	return filepath.WalkDir(s.path(blobs), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return readable(err)
		}
		return each(path, d.Name())
	})
}

// named are the names of all contents that a backup has.
func (s *store) named() (map[string]bool, error) {
	ids, err := s.ids()
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, id := range ids {
		m, err := s.manifest(id)
		if err != nil {
			return nil, err
		}
		for _, st := range append(m.Parts, m.Files) {
			for _, hash := range st.Chunks {
				out[hash+packed] = true
			}
		}
		for _, e := range m.Folder {
			out[e.Hash] = true
		}
		if err := s.eachFile(m, func(e Entry) error {
			out[e.Hash] = true
			return nil
		}); err != nil {
			return nil, err
		}
	}
	return out, nil
}
