package staged

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"svc/client/safe"
)

// maxOutboxes is how many programs may work on one context at the same time;
// each has an outbox file of its own.
const maxOutboxes = 32

// file is an outbox on disk. A lock beside it shows other programs that its
// owner runs.
type file struct {
	path string
	lock *flock.Flock

	mu      sync.Mutex
	version int // of the newest content asked to be written
	written int
}

type content struct {
	Items  []*Item           `json:"items"`
	Drafts map[string]string `json:"drafts,omitempty"`
	Folded map[string]string `json:"folded,omitempty"`
}

// Open takes a free outbox file of the context in dir, and the actions in the
// files of ended programs: those wait for an answer of the person.
func Open(dir, context string, timer func() time.Time) (*Actions, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("outbox: %w", err)
	}
	o := &Actions{Drafts: map[string]string{}, Folded: map[string]string{}, settled: map[string]time.Time{}, timer: timer}
	for i := range maxOutboxes {
		path := filepath.Join(dir, fmt.Sprintf("outbox-%s-%d.json", fileName(context), i))
		lock := flock.New(path + ".lock")
		free, err := lock.TryLock()
		if err != nil {
			return nil, fmt.Errorf("lock the outbox: %w", err)
		}
		if !free {
			continue
		}
		content, err := readOutbox(path)
		if err != nil {
			_ = lock.Unlock()
			return nil, err
		}
		if content != nil {
			o.adopt(content)
		}
		if o.file == nil {
			o.file = &file{path: path, lock: lock}
			continue
		}
		// Adopted actions are written to our own file before the other file
		// goes.
		if content != nil {
			if err := o.file.write(o.content()); err == nil {
				err = os.Remove(path)
				if err != nil {
					_ = lock.Unlock()
					return nil, fmt.Errorf("outbox: %w", err)
				}
			}
		}
		_ = lock.Unlock()
		if content == nil {
			break // files are taken in order; behind an unused one there are none
		}
	}
	if o.file == nil {
		return nil, fmt.Errorf("%d programs work on %s already", maxOutboxes, context)
	}
	return o, nil
}

func (o *Actions) adopt(content *content) {
	for _, item := range content.Items {
		if len(item.Actions) == 0 {
			continue
		}
		if item.Phase != Conflict {
			item.Phase = Asking
		}
		item.Label, item.Lost = safe.Line(item.Label), safe.Line(item.Lost)
		for target, why := range item.Why {
			item.Why[target] = safe.Line(why)
		}
		o.Items, o.index = append(o.Items, item), nil
	}
	for id, text := range content.Drafts {
		o.Drafts[id] = text
	}
	maps.Copy(o.Folded, content.Folded)
}

func readOutbox(path string) (*content, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("outbox: %w", err)
	}
	content := &content{}
	if err := json.Unmarshal(data, content); err != nil {
		return nil, fmt.Errorf("outbox %s is damaged (move it away to go on): %w", path, err)
	}
	return content, nil
}

func (o *Actions) content() []byte {
	data, err := json.MarshalIndent(content{Items: append([]*Item{}, o.Items...), Drafts: o.Drafts, Folded: o.Folded}, "", " ")
	if err != nil {
		panic(err) // strings, times and maps of strings always encode
	}
	return data
}

// Save returns the write of the outbox as it is now. Writes may run in any
// order; an older one does not undo a newer.
func (o *Actions) Save() func() error {
	if o.file == nil {
		return func() error { return nil }
	}
	f := o.file
	f.mu.Lock()
	f.version++
	version := f.version
	f.mu.Unlock()
	content := o.content()
	return func() error {
		f.mu.Lock()
		defer f.mu.Unlock()
		if version < f.written {
			return nil
		}
		f.written = version
		return f.write(content)
	}
}

func (f *file) write(content []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(f.path), ".outbox-*")
	if err != nil {
		return fmt.Errorf("outbox: %w", err)
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(content)
	if err == nil {
		err = tmp.Sync()
	}
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), f.path)
	}
	if err != nil {
		return fmt.Errorf("outbox: %w", err)
	}
	return nil
}

// Close writes the outbox a last time and lets others have its file.
func (o *Actions) Close() error {
	if o.file == nil {
		return nil
	}
	err := o.Save()()
	if len(o.Items) == 0 && len(o.Drafts) == 0 && len(o.Folded) == 0 {
		err = errors.Join(err, os.Remove(o.file.path))
	}
	return errors.Join(err, o.file.lock.Unlock())
}

// fileName makes a context's name fit to be part of a file's.
func fileName(context string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '.' {
			return r
		}
		return '_'
	}, context)
}
