package db_test

import (
	"fmt"
	"testing"

	"svc/db"
	"svc/db/dbtest"
)

// BenchmarkCreateAccount makes accounts with parts of their names kept, and
// without; and writes log entries.
func BenchmarkCreateAccount(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) { benchmarkCreate(b, dbtest.Ready) })
	if dbtest.Postgres(b) != "" {
		b.Run("postgres", func(b *testing.B) { benchmarkCreate(b, dbtest.Postgres) })
	}
}

func benchmarkCreate(b *testing.B, ready func(testing.TB) string) {
	for _, kept := range []bool{true, false} {
		d := dbtest.Open(b, ready(b))
		without := []string{"DROP TRIGGER accounts_tally_facets ON accounts", "DROP TRIGGER moderation_log_grams ON moderation_log"}
		if d.Dialect() == db.SQLite {
			without = []string{"DROP TRIGGER accounts_facets_insert", "DROP TRIGGER moderation_log_grams"}
		}
		for _, drop := range without {
			if kept {
				break
			}
			if err := dbtest.Exec(b, d, drop); err != nil {
				b.Fatal(err)
			}
		}
		n := 0
		b.Run(fmt.Sprintf("account/kept=%v", kept), func(b *testing.B) {
			for range b.N {
				n++
				a := db.NewAccount(dbtest.Base, fmt.Sprintf("margaret%d", n*7919%1_000_003))
				a.DisplayName = "Margaret Miller"
				if err := d.Tx(b.Context(), func(tx *db.DB) error { return tx.CreateAccount(b.Context(), a) }); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("log/kept=%v", kept), func(b *testing.B) {
			for range b.N {
				n++
				e := &db.LogEntry{ActorID: "a", Action: "x", Data: "{}", Message: fmt.Sprintf("@root deactivated users: @margaret%d", n*7919%1_000_003)}
				if err := d.CreateLogEntry(b.Context(), e); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
