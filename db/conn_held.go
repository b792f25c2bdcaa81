package db

import (
	"context"
	"hash/fnv"
	"slices"
	"strings"
)

// Nothing that was read before a transaction decides inside it: to count, hide,
// delete or grant, a transaction first holds the row and reads it again. Rows
// are held in one order: statuses, then favourites and reblogs, then accounts
// by id, then tallies. So an operation finds out first which accounts it will change,
// the one that acts among them, and holds them all at once.

// holdAccounts holds the rows of accounts in the order of their ids. Those that the
// transaction holds are left out. With erased, KeepAccounts waits too.
func (d *DB) holdAccounts(ctx context.Context, ids []string, erased bool) error {
	if d.pool.dialect != Postgres {
		return nil
	}
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	lock := d.hold()
	if erased {
		lock = " FOR UPDATE"
	}
	if d.tx != nil {
		ids = slices.DeleteFunc(ids, func(id string) bool {
			most, held := d.tx.held[id]
			return held && (most || !erased)
		})
	}
	_, err := inChunks(ids, func(ids []string) ([]string, error) {
		return list[string](ctx, d.writing(), "hold accounts", "SELECT id FROM accounts WHERE id IN ? ORDER BY id"+lock, ids)
	})
	if err != nil || d.tx == nil {
		return err
	}
	if d.tx.held == nil {
		d.tx.held = make(map[string]bool, len(ids))
	}
	for _, id := range ids {
		d.tx.held[id] = erased
	}
	return nil
}

// holds reports whether the transaction holds the row of an account.
func (d *DB) holds(accountID string) bool {
	if d.tx == nil {
		return false
	}
	_, held := d.tx.held[accountID]
	return held
}

// hold ends a statement that locks the rows it reads until the transaction ends.
// On SQLite a writing transaction is alone anyway.
func (d *DB) hold() string {
	if d.pool.dialect != Postgres {
		return ""
	}
	return " FOR NO KEY UPDATE"
}

// keep ends a statement that makes the deletion of the rows it reads wait until the
// transaction ends.
func (d *DB) keep() string {
	if d.pool.dialect != Postgres {
		return ""
	}
	return " FOR KEY SHARE"
}

// HoldURIs makes other transactions that hold one of these ids wait until this
// one ends, whether there are rows with them or not: that of an actor for their
// activities, and that of an object for its creation, its replies and its
// deletion. Actors are held before objects, and both before rows.
func (d *DB) HoldURIs(ctx context.Context, uris ...string) error {
	if d.pool.dialect != Postgres {
		return nil
	}
	keys := make([]int64, len(uris))
	for i, uri := range uris {
		h := fnv.New64a()
		_, _ = h.Write([]byte(uri))
		keys[i] = int64(h.Sum64())
	}
	slices.Sort(keys)
	keys = slices.Compact(keys) // a post often has one address for both
	values := strings.TrimSuffix(strings.Repeat("(CAST(? AS BIGINT)), ", len(keys)), ", ")
	args := make([]any, len(keys))
	for i, key := range keys {
		args[i] = key
	}
	_, err := d.exec(ctx, "hold ids", "SELECT pg_advisory_xact_lock(k) FROM (VALUES "+values+") v (k)", args...)
	return err
}

// inOrder is the condition of a statement that writes the rows of a table that
// fulfil cond, and locks them in the order of their key: up to limit of them, 0 for
// all. On SQLite, which locks no rows, they have no order.
func (d *DB) inOrder(table, key, cond string, limit int) string {
	if d.pool.dialect != Postgres && limit == 0 {
		return cond
	}
	rows := "(" + key + ") IN (SELECT " + key + " FROM " + table + " WHERE " + cond
	if d.pool.dialect == Postgres {
		rows += " ORDER BY " + key
	}
	if limit > 0 {
		rows += limitOf(limit)
	}
	return rows + d.hold() + ")"
}

// among returns the condition that a row is of an account, in its column owner, and
// has one of ids in column, with its arguments. PostgreSQL expects few rows of an
// account: without the lowest and the highest id as bounds it reads all of them, and
// compares each with all ids.
func among[ID string | int64](owner, accountID, column string, ids []ID) (cond string, args []any) {
	return owner + " = ? AND " + column + " BETWEEN ? AND ? AND " + column + " IN ?", []any{accountID, slices.Min(ids), slices.Max(ids), ids}
}
