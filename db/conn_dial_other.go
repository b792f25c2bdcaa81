//go:build !linux

package db

import "syscall"

// limitUnacknowledged leaves retransmission to the system.
func limitUnacknowledged(string, string, syscall.RawConn) error { return nil }
