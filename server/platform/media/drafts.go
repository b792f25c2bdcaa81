package media

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"svc/server/platform/fault"
)

// ErrTooLarge is a file longer than its reader accepts.
var ErrTooLarge = errors.New("the file is too large")

// Draft is a received, checked and cleaned file before it is stored.
type Draft struct {
	Name string // original name
	Type Type
	Size int64
	Hash string // SHA-256 of the cleaned file, in hex

	file *os.File
}

// Close removes an unstored draft.
func (d *Draft) Close() {
	_ = d.file.Close()
	_ = os.Remove(d.file.Name()) // already gone if it was stored
}

// Receive reads a file of up to limit bytes into a Draft, which its caller
// closes. A longer one is ErrTooLarge, a damaged picture or film a fault, a
// full disk ErrFull, and a failing disk ErrAway. It uses some kilobytes of
// memory for any length.
func (s *Service) Receive(r io.Reader, name string, limit int64) (*Draft, error) {
	d, err := s.receive(s.scratch, r, name, limit)
	return d, s.unwritten(err)
}

// ReceiveIn is Receive with a folder for the unfinished file, which it creates.
// Leftovers of a crash are removed.
func (s *Service) ReceiveIn(folder string, r io.Reader, name string, limit int64) (*Draft, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, s.unwritten(fmt.Errorf("folder for a file: %w", err))
	}
	if err := s.removeAbandoned(folder, draftPrefix); err != nil {
		return nil, s.unwritten(err)
	}
	d, err := s.receive(folder, r, name, limit)
	return d, s.unwritten(err)
}

func (s *Service) receive(folder string, r io.Reader, name string, limit int64) (_ *Draft, err error) {
	head := make([]byte, headSize)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("receive file: %w", err)
	}
	head = head[:n]
	if len(head) == 0 {
		return nil, fault.Invalid("The file is empty")
	}
	f, err := temp(folder)
	if err != nil {
		return nil, err
	}
	d := &Draft{Name: name, Type: Sniff(head), file: f}
	defer func() {
		if err != nil {
			d.Close()
		}
	}()
	clean, dirty := cleaners[d.Type.Ext]
	sum := sha256.New()
	var into io.Writer = f
	if !dirty {
		into = io.MultiWriter(f, sum)
	}
	d.Size, err = io.Copy(into, io.LimitReader(io.MultiReader(bytes.NewReader(head), r), limit+1))
	if err != nil {
		return nil, fmt.Errorf("receive file: %w", err)
	}
	if d.Size > limit {
		return nil, ErrTooLarge
	}
	if dirty {
		if err := s.clean(d, clean, sum); err != nil {
			return nil, err
		}
	}
	d.Hash = hex.EncodeToString(sum.Sum(nil))
	return d, s.filter(d)
}

// draftPrefix begins the names of unfinished files.
const draftPrefix = "draft-"

func temp(folder string) (*os.File, error) {
	f, err := os.CreateTemp(folder, draftPrefix+"*")
	if err != nil {
		return nil, fmt.Errorf("make a file: %w", err)
	}
	return f, nil
}

// clean replaces d by its cleaned form, and also writes that to sum.
func (s *Service) clean(d *Draft, clean cleaner, sum hash.Hash) error {
	if clean.patch != nil {
		t, err := clean.patch(d.file, d.Size, d.Type)
		if err != nil {
			return unreadable(d.Type, err)
		}
		d.Type = t
		_, err = io.Copy(sum, io.NewSectionReader(d.file, 0, d.Size))
		return err
	}
	f, err := temp(filepath.Dir(d.file.Name()))
	if err != nil {
		return err
	}
	old := d.file
	out := &counter{w: io.MultiWriter(f, sum)}
	err = clean.rewrite(out, io.NewSectionReader(old, 0, d.Size))
	d.file, d.Size = f, out.n
	_ = old.Close()
	_ = os.Remove(old.Name())
	if err != nil {
		return unreadable(d.Type, err)
	}
	return nil
}

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// unreadable returns the fault of a damaged file; other errors are ours.
func unreadable(t Type, err error) error {
	var huge *hugeError
	switch {
	case errors.As(err, &huge):
		return fault.Invalidf("The picture has too many pixels (%d×%d)", huge.width, huge.height)
	case errors.Is(err, errDamaged), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fault.Invalidf("The file is damaged: it begins as %s, and cannot be read to its end", t.Mime)
	}
	return fmt.Errorf("clean %s: %w", t.Mime, err)
}

// full marks an error as a full disk.
func full(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG) {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return err
}

// Store keeps finished files by name. Unfinished ones are invisible.
type Store interface {
	// Put stores a draft, unless the name exists.
	Put(ctx context.Context, name string, d *Draft) error
	// Open opens a file; db.ErrNotFound if there is none.
	Open(ctx context.Context, name string) (File, error)
	// Delete removes a file, if it exists. Without an error it is gone.
	Delete(ctx context.Context, name string) error
	// Probe tests whether the store accepts and returns files. Wrong settings are
	// ErrMisset.
	Probe(ctx context.Context) error
}

// File is a file of a store. Close it.
type File interface {
	io.ReadSeekCloser
	// Size is in bytes.
	Size() int64
}
