package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"svc/client/action"
)

// ParseTime reads RFC 3339, a date or time without zone (UTC), or an age
// counted back from now: 36h, 7d.
func ParseTime(s string, now time.Time) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), nil
		}
	}
	if d, ok := ParseAge(s); ok {
		return now.Add(-d).UTC(), nil
	}
	return time.Time{}, fmt.Errorf("%s: RFC 3339, a date, or an age like 36h or 7d is accepted", action.Quote(s))
}

// ParseAge reads a time from now: 36h, 7d.
func ParseAge(s string) (time.Duration, bool) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.ParseFloat(days, 64)
		d := n * 24 * float64(time.Hour)
		if err != nil || n < 0 || d > math.MaxInt64 {
			return 0, false
		}
		return time.Duration(d), true
	}
	d, err := time.ParseDuration(s)
	return d, err == nil && d >= 0
}

// IsDate tells whether s is a date alone, like 2026-01-31.
func IsDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}
