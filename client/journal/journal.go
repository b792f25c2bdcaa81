// Package journal remembers on this machine which changes were made, with the
// actions that take them back: of the command line and the terminal UI, in one
// file for all servers. Secrets are never part of an action, so none are in it.
//
// It depends on client/action for the actions and sends nothing.
package journal

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"svc/client/action"
)

// maxSize is the size from which the older half of the file is dropped, in bytes.
const maxSize = 8 << 20

// Entry is one change that took effect.
type Entry struct {
	ID     string         `json:"id"`
	Run    string         `json:"run"` // the same for changes that were made together
	At     time.Time      `json:"at"`
	Server string         `json:"server"`
	Action action.Action  `json:"action"`
	Undo   *action.Action `json:"undo,omitempty"`   // nil where nothing takes it back
	Undoes string         `json:"undoes,omitempty"` // the entry that this one took back
	Undone bool           `json:"-"`                // another one took this back
}

// Journal is the part of the file that is about one server.
type Journal struct {
	path   string
	server string
	now    func() time.Time
}

// Open is the journal in the folder dir for the server of an address.
func Open(dir, server string, now func() time.Time) *Journal {
	return &Journal{filepath.Join(dir, "journal.jsonl"), strings.TrimSuffix(server, "/"), now}
}

// Add writes down the results that changed something, and returns the ids of
// their entries, "" for the others. The change of results[i] took back the entry
// undoes[i], where that is given.
func (j *Journal) Add(results []action.Result, undoes []string) ([]string, error) {
	var lines bytes.Buffer
	ids := make([]string, len(results))
	run := strings.ToLower(rand.Text()[:8])
	for i, r := range results {
		if r.Outcome != action.Changed {
			continue
		}
		e := Entry{
			ID: run + "-" + strconv.Itoa(i+1), Run: run, At: j.now().UTC().Truncate(time.Second), Server: j.server, Action: r.Action, Undo: r.Inverse,
		}
		if i < len(undoes) {
			e.Undoes = undoes[i]
		}
		ids[i] = e.ID
		line, err := json.Marshal(e)
		if err != nil {
			return nil, fmt.Errorf("journal: %w", err)
		}
		lines.Write(append(line, '\n'))
	}
	if lines.Len() == 0 {
		return ids, nil
	}
	return ids, j.write(lines.Bytes())
}

func (j *Journal) write(lines []byte) error {
	if err := os.MkdirAll(filepath.Dir(j.path), 0o700); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	lock := flock.New(j.path + ".lock")
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("lock the journal: %w", err)
	}
	defer func() { _ = lock.Unlock() }()
	if err := j.shorten(); err != nil {
		return err
	}
	file, err := os.OpenFile(j.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	// A line that was cut off, by a full disk or a crash, must not spoil the next.
	last := make([]byte, 1)
	if info, statErr := file.Stat(); statErr == nil && info.Size() > 0 {
		if _, readErr := file.ReadAt(last, info.Size()-1); readErr == nil && last[0] != '\n' {
			lines = append([]byte{'\n'}, lines...)
		}
	}
	_, err = file.Write(lines)
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}

// shorten drops the older half of a file that grew large.
func (j *Journal) shorten() error {
	info, err := os.Stat(j.path)
	if err != nil || info.Size() < maxSize {
		return nil //nolint:nilerr // a file that is not there is short enough
	}
	data, err := os.ReadFile(j.path)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	data = data[len(data)/2:]
	if end := bytes.IndexByte(data, '\n'); end >= 0 {
		data = data[end+1:]
	}
	if err := os.WriteFile(j.path+".new", data, 0o600); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	if err := os.Rename(j.path+".new", j.path); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}

// Entries are the changes of the server, newest first, and the number of lines
// that could not be read. No file is no entries.
func (j *Journal) Entries() (entries []Entry, damaged int, err error) {
	file, err := os.Open(j.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("journal: %w", err)
	}
	defer file.Close()
	undone := map[string]bool{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, maxSize)
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var e Entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil || e.ID == "" || e.Action.Kind == "" {
			damaged++
			continue
		}
		if e.Undoes != "" {
			undone[e.Undoes] = true
		}
		if e.Server == j.server {
			entries = append(entries, e)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, damaged, fmt.Errorf("journal: %w", err)
	}
	for i, k := 0, len(entries)-1; i < k; i, k = i+1, k-1 {
		entries[i], entries[k] = entries[k], entries[i]
	}
	for i := range entries {
		entries[i].Undone = undone[entries[i].ID]
	}
	return entries, damaged, nil
}
