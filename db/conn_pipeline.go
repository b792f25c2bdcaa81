package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// A transaction of Tx waits for PostgreSQL as seldom as it can. Its BEGIN travels with its
// first statement. Statements of execLater, of which no result is needed, travel with the
// next statement that has one, and the last of them with COMMIT. The server carries them
// out one after the other, each with a snapshot of its own, as if it had been sent alone.

type laterKey struct{}

// execLater is exec for a statement whose result nobody needs. On PostgreSQL it is sent
// with the next statement of the transaction, or with COMMIT, which reports its error.
// Outside a transaction, on SQLite and for bulk work it is carried out at once, and under
// WatchStatements too, which shows statements that were carried out.
func (d *DB) execLater(ctx context.Context, what, query string, args ...any) error {
	if d.tx != nil && d.pool.dialect == Postgres && ctx.Value(withinKey{}) == nil && ctx.Value(watcherKey{}) == nil {
		ctx = context.WithValue(ctx, laterKey{}, what)
	}
	_, err := d.exec(ctx, what, query, args...)
	return err
}

type pipelinedKey struct{}

// pipelined returns a context for a transaction that begins with its first statement.
func pipelined(ctx context.Context) context.Context {
	return context.WithValue(ctx, pipelinedKey{}, true)
}

const (
	begin  = "BEGIN"
	commit = "COMMIT"
)

// unsent is a statement that is sent with the next one of its transaction.
type unsent struct {
	what  string // "" for those of the connection itself
	query string
	args  []any
}

// postpone keeps a statement for the next round trip.
func (c *boundedConn) postpone(what, query string, args ...any) {
	c.unsent = append(c.unsent, unsent{what, query, args})
}

func argsOf(args []driver.NamedValue) []any {
	out := make([]any, len(args))
	for i := range args {
		out[i] = args[i].Value
	}
	return out
}

// flush sends the unsent statements.
func (c *boundedConn) flush(ctx context.Context) error {
	if len(c.unsent) == 0 {
		return nil
	}
	last := c.unsent[len(c.unsent)-1]
	c.unsent = c.unsent[:len(c.unsent)-1]
	if _, err := c.execTogether(ctx, last.query, last.args...); err != nil {
		return last.wrap(err)
	}
	return nil
}

func (u *unsent) wrap(err error) error {
	if u.what == "" {
		return err
	}
	return fmt.Errorf("%s: %w", u.what, err)
}

// execTogether runs the unsent statements and then this one, in one round trip.
func (c *boundedConn) execTogether(ctx context.Context, query string, args ...any) (pgconn.CommandTag, error) {
	results, begins, err := c.send(ctx, query, args)
	if err != nil {
		return pgconn.CommandTag{}, err
	}
	tag, err := results.Exec()
	if closed := results.Close(); err == nil {
		err = closed
	}
	return tag, c.failure(ctx, err, begins && query != commit)
}

// queryTogether is execTogether for a statement that returns rows.
func (c *boundedConn) queryTogether(ctx context.Context, cancel context.CancelFunc, query string, args []any) (driver.Rows, error) {
	results, begins, err := c.send(ctx, query, args)
	if err != nil {
		return nil, err
	}
	rows, err := results.Query()
	if err == nil {
		out := &pipelinedRows{Rows: rows, results: results, types: c.Conn.Conn().TypeMap(), cancel: cancel}
		// The columns are known, and most errors, once the first row is read.
		out.ahead = rows.Next()
		if err = rows.Err(); err == nil {
			out.read = true
			return out, nil
		}
	}
	_ = results.Close()
	return nil, c.failure(ctx, err, begins)
}

// send sends the unsent statements and then this one, whose result is the next one of the
// results. begins reports whether a transaction begins with them.
func (c *boundedConn) send(ctx context.Context, query string, args []any) (results pgx.BatchResults, begins bool, err error) {
	var batch pgx.Batch
	waiting := c.unsent
	c.unsent = nil
	for _, w := range waiting {
		batch.Queue(w.query, w.args...)
		begins = begins || w.query == begin
	}
	batch.Queue(query, args...)
	countTrip(ctx)
	results = c.Conn.Conn().SendBatch(ctx, &batch)
	for i := range waiting {
		if _, err := results.Exec(); err != nil {
			_ = results.Close()
			return nil, begins, waiting[i].wrap(c.failure(ctx, err, begins && query != commit))
		}
	}
	return results, begins, nil
}

// unbegun is the loss of a connection with the first statements of a transaction. Nothing
// of them was kept, so that the transaction can run again on another connection.
type unbegun struct{ error }

func (u unbegun) Unwrap() error { return u.error }

// failure looks at the error of a statement of a transaction. begins says that the
// transaction began with it and was not to be committed yet.
func (c *boundedConn) failure(ctx context.Context, err error, begins bool) error {
	if err == nil {
		return nil
	}
	c.meets(err)
	if begins && c.Conn.Conn().IsClosed() && ctx.Err() == nil && !pgconn.Timeout(err) {
		return unbegun{err}
	}
	return c.refuseReadOnly(err)
}

// pipelinedRows are the rows of the last of several statements.
type pipelinedRows struct {
	pgx.Rows
	results pgx.BatchResults
	types   *pgtype.Map
	cancel  context.CancelFunc
	read    bool // ahead tells whether there is a first row, which is read already
	ahead   bool
}

// Columns are the names of the columns.
func (r *pipelinedRows) Columns() []string {
	fields := r.FieldDescriptions()
	out := make([]string, len(fields))
	for i := range fields {
		out[i] = fields[i].Name
	}
	return out
}

// Close ends the reading.
func (r *pipelinedRows) Close() error {
	defer r.cancel()
	r.Rows.Close()
	return r.results.Close()
}

// Next reads a row.
func (r *pipelinedRows) Next(into []driver.Value) error {
	more := r.ahead
	if !r.read {
		more = r.Rows.Next()
	}
	r.read = false
	if !more {
		if err := r.Err(); err != nil {
			return err
		}
		return io.EOF
	}
	fields := r.FieldDescriptions()
	for i, raw := range r.RawValues() {
		var err error
		if into[i], err = r.value(&fields[i], raw); err != nil {
			return fmt.Errorf("column %s: %w", fields[i].Name, err)
		}
	}
	return nil
}

// value converts a value as the driver does for a statement that is sent alone. A list is
// written anew, which leaves out blanks in JSON.
func (r *pipelinedRows) value(f *pgconn.FieldDescription, raw []byte) (driver.Value, error) {
	if raw == nil {
		return nil, nil //nolint:nilnil // NULL
	}
	t, ok := r.types.TypeForOID(f.DataTypeOID)
	if !ok || f.DataTypeOID == pgtype.TextOID {
		return string(raw), nil
	}
	if _, array := t.Codec.(*pgtype.ArrayCodec); !array || f.Format == pgtype.TextFormatCode {
		return t.Codec.DecodeDatabaseSQLValue(r.types, f.DataTypeOID, f.Format, raw)
	}
	items, err := t.Codec.DecodeValue(r.types, f.DataTypeOID, f.Format, raw)
	if err != nil {
		return nil, err
	}
	text, err := r.types.Encode(f.DataTypeOID, pgtype.TextFormatCode, items, nil)
	return string(text), err
}

// begin begins a transaction, at once or with its first statement.
func (c *boundedConn) begin(ctx context.Context) error {
	if ctx.Value(pipelinedKey{}) != nil {
		c.postpone("", begin)
		return nil
	}
	countTrip(ctx)
	_, err := c.Conn.Conn().Exec(ctx, begin)
	return err
}

// commit ends a transaction with its unsent statements.
func (c *boundedConn) commit(ctx context.Context) error {
	if len(c.unsent) == 1 && c.unsent[0].query == begin { // it did nothing
		c.unsent = nil
		return nil
	}
	tag, err := c.execTogether(ctx, commit)
	switch {
	case err != nil:
		return errors.Join(err, c.rollback(ctx))
	case tag.String() == "ROLLBACK":
		return pgx.ErrTxCommitRollback
	}
	return nil
}

// rollback drops a transaction. A connection that cannot do so is closed.
func (c *boundedConn) rollback(ctx context.Context) error {
	c.unsent = nil
	conn := c.Conn.Conn()
	if conn.IsClosed() || conn.PgConn().TxStatus() == 'I' {
		return nil
	}
	countTrip(ctx)
	_, err := conn.Exec(ctx, "ROLLBACK")
	if err != nil {
		_ = conn.Close(ctx)
	}
	return c.refuseReadOnly(err)
}
