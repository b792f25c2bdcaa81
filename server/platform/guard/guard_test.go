package guard_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"svc/server/platform/guard"
)

func TestALoopThatBreaksGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		ctx, stop := context.WithCancel(t.Context())
		turns := 0
		guard.Forever(ctx, slog.New(slog.NewTextHandler(&out, nil)), "count", func(context.Context) {
			if turns++; turns == 1 {
				panic("one")
			}
			stop()
		})
		if turns != 2 || !strings.Contains(out.String(), "in=count") || !strings.Contains(out.String(), "panic: one") {
			t.Errorf("%d turns, logged %s", turns, out.String())
		}
	})
}
