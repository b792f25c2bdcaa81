package db_test

import (
	"errors"
	"testing"

	"svc/db"
)

// TestBackupsOfALaterProgramAreRefused, whichever migrations it has more.
func TestBackupsOfALaterProgramAreRefused(t *testing.T) {
	for _, kind := range []db.Dialect{db.SQLite, db.Postgres} {
		for _, c := range []db.Contents{
			{Dialect: kind, Schema: []int{40, 9999}, Jobs: []int{1}},
			{Dialect: kind, Schema: []int{40}, Jobs: []int{1, 999}},
		} {
			if err := c.Fits(); !errors.Is(err, db.ErrNewer) {
				t.Errorf("%s %v %v: %v", kind, c.Schema, c.Jobs, err)
			}
		}
		c := db.Contents{Dialect: kind, Schema: []int{40}, Jobs: []int{1}}
		if err := c.Fits(); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}
