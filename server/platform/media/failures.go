package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync/atomic"
	"syscall"

	"svc/db"
	"svc/server/platform/fault"
)

// ErrAway is a store that currently fails.
var ErrAway = fault.Unavailable("The media store does not answer. Try again later.")

// Failures returns the failures of the store since the start.
type Failures struct{ Put, Open, Read, Delete int64 }

// failures counts Failures.
type failures struct{ put, open, read, delete atomic.Int64 }

// Failures returns how often the store failed since the start.
func (s *Service) Failures() Failures {
	n := &s.failures
	return Failures{Put: n.put.Load(), Open: n.open.Load(), Read: n.read.Load(), Delete: n.delete.Load()}
}

// asUnavailable turns an error of the store into ErrAway and counts it. A
// missing file, or a caller that is gone, is no failure; ErrFull stays.
func asUnavailable(count *atomic.Int64, err error) error {
	if err == nil || errors.Is(err, db.ErrNotFound) || errors.Is(err, context.Canceled) {
		return err
	}
	count.Add(1)
	if err = full(err); errors.Is(err, ErrFull) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrAway, err)
}

// unwritten is asUnavailable for writes. Errors of the sender stay.
func (s *Service) unwritten(err error) error {
	var path *fs.PathError
	if !errors.As(err, &path) {
		return err
	}
	return asUnavailable(&s.failures.put, err)
}

// watched is a file with counted read failures.
type watched struct {
	File
	failed *atomic.Int64
}

func (f watched) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = asUnavailable(f.failed, err)
	}
	return n, err
}

// opened opens a file of the store. Files on a disk, which the system may send
// itself, are not watched.
func (s *Service) opened(ctx context.Context, name string) (File, error) {
	f, err := s.store.Open(ctx, name)
	if err != nil {
		return nil, asUnavailable(&s.failures.open, err)
	}
	if _, direct := f.(syscall.Conn); direct {
		return f, nil
	}
	return watched{f, &s.failures.read}, nil
}

// Probe tests whether the store accepts and returns files. Wrong settings are
// ErrMisset.
func (s *Service) Probe(ctx context.Context) error { return s.store.Probe(ctx) }
