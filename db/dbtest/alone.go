package dbtest

import (
	"os"
	"testing"
)

// Alone marks a long test that does one thing after the other, so that the race
// detector finds nothing in it but takes five times as long. With
// SVC_TEST_ALONE=skip it is skipped: .ci/run runs these tests without the detector.
// It is the first statement of a test.
func Alone(t testing.TB) {
	t.Helper()
	if os.Getenv("SVC_TEST_ALONE") == "skip" {
		t.Skip("runs without the race detector")
	}
}
