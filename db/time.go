package db

import (
	"database/sql/driver"
	"fmt"
	"time"
)

// Time is a moment in rows: microseconds since 1970 UTC in an integer column,
// so that both databases compare it alike. Its zero value is NULL.
type Time struct{ time.Time }

// At returns t with the precision of a row.
func At(t time.Time) Time {
	if t.IsZero() {
		return Time{}
	}
	return Time{t.UTC().Truncate(time.Microsecond)}
}

// Value writes microseconds, or NULL.
func (t Time) Value() (driver.Value, error) {
	if t.IsZero() {
		return nil, nil
	}
	return t.UnixMicro(), nil
}

// Scan reads microseconds, or NULL.
func (t *Time) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*t = Time{}
	case int64:
		*t = Time{time.UnixMicro(v).UTC()}
	default:
		return fmt.Errorf("a time column held %T", src)
	}
	return nil
}

// GormDataType names the column's kind to the mapper.
func (Time) GormDataType() string { return "bigint" }

// Add returns t moved by d.
func (t Time) Add(d time.Duration) Time { return At(t.Time.Add(d)) }
