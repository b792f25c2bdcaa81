//go:build unix

package db

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// lockFile takes this process's lock on f; false if another process has it. The
// kernel releases the lock when the process ends in any way.
func lockFile(f *os.File) (bool, error) {
	err := syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart})
	if errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.EAGAIN) {
		return false, nil
	}
	return err == nil, err
}

// fileLocked reports whether another process has the lock on f.
func fileLocked(f *os.File) (bool, error) {
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart}
	err := syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &lock)
	return err == nil && lock.Type != syscall.F_UNLCK, err
}
