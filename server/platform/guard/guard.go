// Package guard keeps a panic in one piece of work from ending the process.
//
// Handlers and jobs are covered by their callers. A goroutine must guard
// itself.
package guard

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"
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

// pause is the time between a turn that panicked and the next.
const pause = time.Second

// Forever calls turn until ctx ends. A panic is logged, and the next turn comes
// after a second.
func Forever(ctx context.Context, log *slog.Logger, what string, turn func(ctx context.Context)) {
	for ctx.Err() == nil {
		if Broke(ctx, log, what, func() { turn(ctx) }) {
			select {
			case <-ctx.Done():
			case <-time.After(pause):
			}
		}
	}
}

// Broke runs fn, logs a panic, and reports whether there was one.
func Broke(ctx context.Context, log *slog.Logger, what string, fn func()) bool {
	err := Run(func() error { fn(); return nil })
	if err != nil {
		log.ErrorContext(ctx, "panic", "in", what, "err", err)
	}
	return err != nil
}
