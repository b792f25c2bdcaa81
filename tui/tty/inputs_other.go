//go:build !unix

package tty

import "time"

// readable is not known here: nothing is waited for, so an escape sequence cut
// in two reads counts as keys.
func readable(uintptr, time.Duration) bool { return false }
