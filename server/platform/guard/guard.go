// Package guard keeps a panic of one piece of work from ending the process.
//
// Handlers and jobs are covered where they are called. A goroutine of its own is
// covered by nobody, whatever started it.
package guard

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// ErrPanic is a panic that was caught. Errors that wrap it end with the stack.
var ErrPanic = errors.New("panic")

// Run returns the error of fn, or ErrPanic where fn panics.
func Run(fn func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v\n%s", ErrPanic, r, debug.Stack())
		}
	}()
	return fn()
}
