package main

import (
	"strings"
	"testing"

	"svc/client/safe"
)

// fits fails when a line of out is wider than a terminal.
func fits(t *testing.T, what, out string, width int) {
	t.Helper()
	for line := range strings.SplitSeq(out, "\n") {
		if n := safe.Width(line); n > width {
			t.Errorf("%s: a line takes %d cells:\n%s", what, n, line)
		}
	}
}
