//go:build !unix

package tty

import "time"

// readable cannot be told here: nothing is waited for, so that an escape
// sequence cut in two reads counts as keys.
func readable(uintptr, time.Duration) bool { return false }
