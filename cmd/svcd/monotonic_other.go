//go:build !linux

package main

import "time"

// monotonic is of use under systemd only.
func monotonic() time.Duration { return 0 }
