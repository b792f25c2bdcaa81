package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// monotonic is the time of the clock that systemd compares.
func monotonic() time.Duration {
	var at unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &at); err != nil {
		return 0
	}
	return time.Duration(at.Nano())
}
