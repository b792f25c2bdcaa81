package db

import (
	"errors"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// limitUnacknowledged has the kernel give a TCP connection up whose other side
// does not acknowledge what was sent.
func limitUnacknowledged(network, _ string, c syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") {
		return nil
	}
	var refused error
	err := c.Control(func(fd uintptr) {
		refused = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(unacknowledged.Milliseconds()))
	})
	return errors.Join(err, refused)
}
