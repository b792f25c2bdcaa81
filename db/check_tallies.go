package db

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gorm.io/gorm"
)

// tallied maps a visibility to the one that it is counted under.
const tallied = "CASE t.visibility WHEN 'local' THEN 'private' WHEN 'list' THEN 'direct' ELSE t.visibility END"

// A keptTally is a table of counts of rows, by a name that the rows share.
type keptTally struct {
	table string
	kept  string // selects its names and numbers
	rows  []talliedRows
	// add changes a number, by name and difference.
	add string
}

type talliedRows struct {
	from, key string // rows as t, and their key, with a comma between columns
	name      string // of the tally that a row counts in
	when      string
}

func tallies() []keptTally {
	of := func(table, column, kind, rows string) keptTally {
		return keptTally{
			table: table, kept: "SELECT CAST(" + column + " AS TEXT) AS name, CAST(n AS BIGINT) AS n FROM " + table,
			rows: []talliedRows{{from: rows + " t", key: "t.id", name: "CAST(t." + column + " AS TEXT)"}},
			add: "INSERT INTO " + table + " (" + column + ", n) VALUES (CAST(CAST(? AS TEXT) AS " + kind + "), CAST(? AS BIGINT))" +
				" ON CONFLICT (" + column + ") DO UPDATE SET n = " + table + ".n + excluded.n",
		}
	}
	const direct = "COALESCE(a.host, '') || ' direct'"
	accounts := of("account_tallies", "mask", "BIGINT", "accounts")
	accounts.kept = "SELECT CAST(mask AS TEXT) AS name, CAST(SUM(n) AS BIGINT) AS n FROM account_tallies_now GROUP BY mask"
	return []keptTally{
		accounts,
		of("report_tallies", "state", "TEXT", "reports"),
		of("app_tallies", "trusted", "BOOLEAN", "apps"),
		{
			table: "status_tallies",
			kept:  "SELECT host || ' ' || visibility AS name, CAST(SUM(n) AS BIGINT) AS n FROM status_tallies_now GROUP BY host, visibility",
			rows: []talliedRows{
				{from: "statuses t", key: "t.id", name: "t.host || ' ' || " + tallied, when: "t.reblog_of_id IS NULL"},
				{from: "chat_messages t LEFT JOIN account_hosts a ON a.id = t.account_id", key: "t.id", name: direct},
				{from: "poll_votes t LEFT JOIN account_hosts a ON a.id = t.account_id", key: "t.poll_id, t.account_id, t.choice", name: direct},
			},
			add: `INSERT INTO status_tallies (host, visibility, n) SELECT substr(x.name, 1, length(x.name) - length(x.visibility) - 1), x.visibility, x.n
				FROM (SELECT CAST(? AS TEXT) AS name, CAST(? AS TEXT) AS visibility, CAST(? AS BIGINT) AS n) x WHERE TRUE
				ON CONFLICT (host, visibility) DO UPDATE SET n = status_tallies.n + excluded.n`,
		},
	}
}

// tallyChunk bounds the rows of one statement that counts for tallies.
const tallyChunk = 5000

// checkTallies counts in one snapshot of the database, in chunks. Every writer
// changes rows and tally alike, so the difference stays right afterwards.
func (d *DB) checkTallies(ctx context.Context, o CheckOptions, found func(Finding) error) error {
	for _, t := range tallies() {
		off, err := d.offTally(ctx, t, o.Repair)
		if err != nil {
			return err
		}
		for _, f := range off {
			if err := found(f); err != nil {
				return err
			}
		}
	}
	return nil
}

// talliesRepaired is the row of meta that counts repairs of tallies: of two that saw the
// same difference, one adds it, and the other counts again.
const talliesRepaired = "tallies_repaired"

// offTally returns the numbers of a tally that are wrong. With repair it adds what is
// missing, in a short transaction after the long one that counts.
func (d *DB) offTally(ctx context.Context, t keptTally, repair bool) (out []Finding, err error) {
	for again := true; again; {
		out, again, err = d.offTallyOnce(ctx, t, repair)
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (d *DB) offTallyOnce(ctx context.Context, t keptTally, repair bool) (out []Finding, again bool, err error) {
	off := map[string][2]int64{} // kept and counted
	seen := ""
	err = d.snapshot(ctx, func(tx *DB) (err error) {
		if seen, _, err = tx.walkPosition(ctx, talliesRepaired); err != nil {
			return err
		}
		return tx.countTally(ctx, t, off)
	})
	if err != nil {
		return nil, false, err
	}
	names := slices.Sorted(maps.Keys(off))
	if repair && len(off) > 0 {
		err = d.Tx(ctx, func(tx *DB) error {
			again = false
			if _, err := tx.exec(ctx, "repair tally", "INSERT INTO meta (key, value) VALUES (?, '0') ON CONFLICT (key) DO NOTHING", talliesRepaired); err != nil {
				return err
			}
			last, err := value[string](ctx, tx.writing(), "repairs", "SELECT value FROM meta WHERE key = ?"+tx.hold(), talliesRepaired)
			if err != nil {
				return err
			}
			if again = last != cmp.Or(seen, "0"); again {
				return nil
			}
			for _, name := range names {
				args := []any{name, off[name][1] - off[name][0]}
				if t.table == "status_tallies" {
					args = []any{name, name[strings.LastIndex(name, " ")+1:], args[1]}
				}
				if _, err := tx.exec(ctx, "repair tally", t.add, args...); err != nil {
					return err
				}
			}
			n, _ := strconv.Atoi(last)
			return tx.saveWalkPosition(ctx, talliesRepaired, strconv.Itoa(n+1), false)
		})
	}
	for _, name := range names {
		out = append(out, Finding{Area: CheckCounters, Check: t.table + ".n", Row: name, Fault: fmt.Sprintf("is %d, counted %d", off[name][0], off[name][1]), Repaired: repair})
	}
	return out, again, err
}

// snapshot runs fn on one state of the database, unaffected by later commits.
func (d *DB) snapshot(ctx context.Context, fn func(tx *DB) error) error {
	return wrap(d.orm.WithContext(ctx).Transaction(func(orm *gorm.DB) error {
		tx := &DB{pool: d.pool, orm: orm, wrt: orm, tx: &txn{}}
		if d.pool.dialect == Postgres {
			if _, err := tx.exec(ctx, "take snapshot", "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"); err != nil {
				return err
			}
		}
		return fn(tx)
	}), "snapshot")
}

// countTally fills off with the wrong numbers of t, kept and counted.
func (d *DB) countTally(ctx context.Context, t keptTally, off map[string][2]int64) error {
	clear(off)
	for _, r := range t.rows {
		if err := d.countRows(ctx, r, off); err != nil {
			return err
		}
	}
	type number struct {
		Name string
		N    int64
	}
	kept, err := list[number](ctx, d, t.table, t.kept)
	for _, k := range kept {
		off[k.Name] = [2]int64{k.N, off[k.Name][1]}
	}
	maps.DeleteFunc(off, func(_ string, n [2]int64) bool { return n[0] == n[1] })
	return err
}

func (d *DB) countRows(ctx context.Context, r talliedRows, into map[string][2]int64) error {
	width := strings.Count(r.key, ",") + 1
	var name string
	scan := func(rows *sql.Rows, row *[]any) error {
		key := make([]any, width)
		to := make([]any, 0, width+1)
		for i := range key {
			to = append(to, &key[i])
		}
		err := rows.Scan(append(to, &name)...)
		n := into[name]
		into[name], *row = [2]int64{n[0], n[1] + 1}, key
		return err
	}
	for after := []any(nil); ; {
		var conds []string
		if r.when != "" {
			conds = append(conds, r.when)
		}
		if after != nil {
			conds = append(conds, "("+r.key+") > (?"+strings.Repeat(", ?", width-1)+")")
		}
		where := ""
		if conds != nil {
			where = " WHERE " + strings.Join(conds, " AND ")
		}
		keys, err := read(ctx, d, "rows of a tally", scan, "SELECT "+r.key+", "+r.name+" FROM "+r.from+where+" ORDER BY "+r.key+limitOf(tallyChunk), after...)
		if err != nil || len(keys) < tallyChunk {
			return err
		}
		after = keys[len(keys)-1]
	}
}
