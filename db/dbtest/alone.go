package dbtest

import (
	"os"
	"testing"
)

// Alone marks a long test in which the race detector finds nothing, but takes five
// times as long: it does one thing after the other, or its servers are processes.
// With SVC_TEST_ALONE=skip it is skipped: .ci/run runs these tests without the
// detector. It is the first statement of a test.
func Alone(t testing.TB) {
	t.Helper()
	if os.Getenv("SVC_TEST_ALONE") == "skip" {
		t.Skip("runs without the race detector")
	}
}
