package db

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockFile takes the lock on f, which the kernel releases when this process ends
// in whatever way; false where another has it. The byte that is locked lies
// behind what is written, since what is locked cannot be read.
func lockFile(f *os.File) (bool, error) {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}
