//go:build !unix

package server

// closeOnExec is of use under systemd only.
func closeOnExec(int) {}
