package remote

import (
	"context"
	"errors"
	"sync"
	"testing"

	"svc/server/platform/guard"
)

// TestAPanicOfALookUpIsItsError has all who wait for one look-up told that it
// broke off, and the next one made anew.
func TestAPanicOfALookUpIsItsError(t *testing.T) {
	var (
		f     flights[int]
		group sync.WaitGroup
	)
	begun := make(chan struct{})
	for range 3 {
		group.Go(func() {
			_, err := f.do(t.Context(), "a page", func(context.Context) (int, error) {
				<-begun
				panic("a byte too many")
			})
			if !errors.Is(err, guard.ErrPanic) {
				t.Error(err)
			}
		})
	}
	close(begun)
	group.Wait()
	if n, err := f.do(t.Context(), "a page", func(context.Context) (int, error) { return 7, nil }); n != 7 || err != nil {
		t.Errorf("then: %d %v", n, err)
	}
}
