// Package guard keeps a panic in one piece of work from ending the process.
//
// Handlers and jobs are covered by their callers. A goroutine must guard
// itself.
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
