// Package noprobe keeps bubbletea's initialisation off the terminal. Importing
// bubbletea asks the terminal for its background colour and waits up to five
// seconds for the answer, in every command of a program, used or not. It does not
// ask a dumb terminal, so this package sets TERM to dumb. The first line of main is
// noprobe.Restore(), which sets it back.
//
// A package of this module that imports os alone is initialised before unicode, for
// which bubbletea waits. Every program that links bubbletea imports this package.
package noprobe

import "os"

var term, given = os.LookupEnv("TERM")

var _ = os.Setenv("TERM", "dumb")

// Restore puts TERM back as it was when the program started.
func Restore() {
	if given {
		_ = os.Setenv("TERM", term)
	} else {
		_ = os.Unsetenv("TERM")
	}
}
