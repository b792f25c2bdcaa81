package db

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockFile takes the lock on f; false if another process has it. The kernel
// releases the lock when the process ends in any way. The locked byte lies
// behind the written ones, since locked bytes cannot be read.
func lockFile(f *os.File) (bool, error) {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

// fileLocked reports whether another process has the lock on f, which the caller
// closes at once.
func fileLocked(f *os.File) (bool, error) {
	mine, err := lockFile(f)
	return err == nil && !mine, err
}
