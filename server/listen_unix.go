//go:build unix

package server

import "syscall"

// closeOnExec keeps a descriptor from programs that this one starts.
func closeOnExec(fd int) { syscall.CloseOnExec(fd) }
