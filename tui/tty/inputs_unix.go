//go:build unix

package tty

import (
	"time"

	"golang.org/x/sys/unix"
)

// readable reports whether a byte can be read from fd within the time given.
func readable(fd uintptr, wait time.Duration) bool {
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	for {
		n, err := unix.Poll(fds, int(wait.Milliseconds()))
		if err == unix.EINTR {
			continue
		}
		return err == nil && n > 0
	}
}
