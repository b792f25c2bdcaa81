package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/riverqueue/river/rivermigrate"
)

// longConnection is one connection for work that takes as long as it takes: no
// statement of it is bounded but in its wait for locks, and plans are the server's.
func longConnection(ctx context.Context, dsn string, o *sql.TxOptions) (*sql.Conn, *sql.Tx, func() error, error) {
	cfg, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, nil, nil, errors.New("the postgres:// address cannot be read")
	}
	if len(cfg.Fallbacks) > 0 && cfg.ValidateConnect == nil && !strings.Contains(dsn, "target_session_attrs") {
		cfg.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	cfg.DialFunc = dialer().DialContext
	for _, s := range slices.Concat(limits, planning) {
		delete(cfg.RuntimeParams, s.name) // poolers refuse them at connect
	}
	pool := stdlib.OpenDB(*cfg)
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, nil, nil, errors.Join(outage(err), pool.Close())
	}
	end := func() error {
		_ = conn.Close()
		return pool.Close()
	}
	tx, err := conn.BeginTx(ctx, o)
	if err == nil {
		_, err = tx.ExecContext(ctx, `SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;
			SET LOCAL lock_timeout = '60s'; SET LOCAL synchronize_seqscans = off; SET LOCAL client_encoding = 'UTF8';
			SET LOCAL datestyle = 'ISO'; SET LOCAL intervalstyle = 'iso_8601'; SET LOCAL bytea_output = 'hex'; SET LOCAL extra_float_digits = 3`)
	}
	if err != nil {
		return nil, nil, nil, errors.Join(outage(err), end())
	}
	return conn, tx, end, nil
}

// raw gives do the connection under a transaction, for COPY.
func raw(conn *sql.Conn, do func(c *pgconn.PgConn) error) error {
	return conn.Raw(func(c any) error { return do(c.(*stdlib.Conn).Conn().PgConn()) })
}

// tablesOf lists the tables of the schema with the columns that are written; what a
// column generates from others is not.
const tablesOf = `SELECT c.relname, string_agg(quote_ident(a.attname), ',' ORDER BY a.attnum), pg_relation_size(c.oid)
	FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
	WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) AND c.relkind IN ('r', 'p') AND NOT c.relispartition
	GROUP BY c.oid, c.relname ORDER BY c.relname`

// snapshotPostgres copies all tables within one transaction that sees one moment.
func snapshotPostgres(ctx context.Context, dsn string) (*Snapshot, error) {
	conn, tx, end, err := longConnection(ctx, dsn, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return nil, err
	}
	s := &Snapshot{Contents: Contents{Dialect: Postgres}, Taken: time.Now()}
	s.close = func() error {
		_ = tx.Rollback()
		return end()
	}
	s.Schema, err = versionsIn(ctx, tx, "schema_migrations")
	if err == nil {
		s.Jobs, err = versionsIn(ctx, tx, "river_migration")
	}
	if err == nil {
		s.Parts, err = tablesIn(ctx, tx)
	}
	if err == nil {
		// Numbers are drawn outside of transactions: these are at least those of the rows.
		err = eachRow(ctx, tx, `SELECT sequencename, COALESCE(last_value, start_value), last_value IS NOT NULL
			FROM pg_sequences WHERE schemaname = current_schema() ORDER BY sequencename`, func(rows *sql.Rows) error {
			var q Sequence
			err := rows.Scan(&q.Name, &q.Last, &q.Called)
			s.Sequences = append(s.Sequences, q)
			return err
		})
	}
	if err != nil {
		return nil, errors.Join(outage(err), s.close())
	}
	s.copy = func(ctx context.Context, p *Part, w io.Writer) error {
		return raw(conn, func(c *pgconn.PgConn) error {
			tag, err := c.CopyTo(ctx, w, "COPY "+quoted(p.Name)+" ("+strings.Join(p.Columns, ", ")+") TO STDOUT")
			p.Rows = tag.RowsAffected()
			if err != nil {
				return fmt.Errorf("table %s: %w", p.Name, outage(err))
			}
			return nil
		})
	}
	s.files = filesOf(tx)
	return s, nil
}

func quoted(name string) string { return pgx.Identifier{name}.Sanitize() }

func tablesIn(ctx context.Context, tx *sql.Tx) (out []Part, err error) {
	err = eachRow(ctx, tx, tablesOf, func(rows *sql.Rows) error {
		var (
			p       Part
			columns string
		)
		err := rows.Scan(&p.Name, &columns, &p.Estimate)
		p.Columns = strings.Split(columns, ",")
		out = append(out, p)
		return err
	})
	return out, err
}

// restorePostgres makes the schema that the backup had and fills it, in one
// transaction: the database has nothing, or all.
func (r *Restoring) restorePostgres(ctx context.Context) error {
	if err := r.makeJobs(ctx); err != nil {
		return err
	}
	conn, tx, end, err := longConnection(ctx, r.DSN, nil)
	if err != nil {
		return err
	}
	defer func() { _ = end() }()
	defer func() { _ = tx.Rollback() }()
	run := func(query string, args ...any) error { _, err := tx.ExecContext(ctx, query, args...); return err }
	if err := run("SELECT pg_advisory_xact_lock($1)", advisoryLock); err != nil { // others that migrate
		return outage(err)
	}
	if err := r.makeSchema(ctx, tx); err != nil {
		return err
	}
	there, err := tablesIn(ctx, tx)
	if err != nil {
		return err
	}
	again, err := r.unguard(ctx, tx, there)
	if err != nil {
		return err
	}
	for _, p := range r.Parts {
		if !slices.ContainsFunc(there, func(t Part) bool { return t.Name == p.Name }) {
			continue // a table of something else in the same schema
		}
		if err := r.fill(ctx, conn, p); err != nil {
			return fmt.Errorf("table %s: %w", p.Name, err)
		}
	}
	for _, query := range again {
		if err := run(query); err != nil {
			return fmt.Errorf("%s: %w", query, err)
		}
	}
	for _, q := range r.Sequences {
		if err := run("SELECT setval(to_regclass($1), $2, $3) WHERE to_regclass($1) IS NOT NULL", quoted(q.Name), q.Last, q.Called); err != nil {
			return fmt.Errorf("sequence %s: %w", q.Name, err)
		}
	}
	if err := r.beginAnew(ctx, tx); err != nil {
		return err
	}
	if err := run("ANALYZE"); err != nil {
		return err
	}
	return outage(tx.Commit())
}

// unguard empties the tables and leaves out what would judge single rows: triggers, and
// references between tables. What it returns puts them back, which checks all rows.
func (r *Restoring) unguard(ctx context.Context, tx *sql.Tx, there []Part) (again []string, err error) {
	var drop, names []string
	err = eachRow(ctx, tx, `SELECT quote_ident(t.relname), quote_ident(c.conname), pg_get_constraintdef(c.oid)
		FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid
		WHERE c.contype = 'f' AND c.connamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) ORDER BY 1, 2`, func(rows *sql.Rows) error {
		var table, name, definition string
		err := rows.Scan(&table, &name, &definition)
		drop = append(drop, "ALTER TABLE "+table+" DROP CONSTRAINT "+name)
		again = append(again, "ALTER TABLE "+table+" ADD CONSTRAINT "+name+" "+definition)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, t := range there {
		if slices.ContainsFunc(r.Parts, func(p Part) bool { return p.Name == t.Name }) {
			names = append(names, quoted(t.Name))
			drop = append(drop, "ALTER TABLE "+quoted(t.Name)+" DISABLE TRIGGER USER")
			again = append(again, "ALTER TABLE "+quoted(t.Name)+" ENABLE TRIGGER USER")
		}
	}
	for _, query := range append(drop, "TRUNCATE "+strings.Join(names, ", ")) {
		if _, err := tx.ExecContext(ctx, query); err != nil {
			return nil, fmt.Errorf("%s: %w", query, err)
		}
	}
	return again, nil
}

func (r *Restoring) fill(ctx context.Context, conn *sql.Conn, p Part) error {
	in, err := r.Open(p)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	return raw(conn, func(c *pgconn.PgConn) error {
		tag, err := c.CopyFrom(ctx, in, "COPY "+quoted(p.Name)+" ("+strings.Join(p.Columns, ", ")+") FROM STDIN")
		if err == nil && tag.RowsAffected() != p.Rows {
			err = fmt.Errorf("it has %d rows of %d", tag.RowsAffected(), p.Rows)
		}
		return err
	})
}

// makeJobs makes the empty tables of the job queue. Its migrations cannot be in one
// transaction; a restoration that is interrupted goes on with them.
func (r *Restoring) makeJobs(ctx context.Context) (err error) {
	d, err := Open(ctx, r.DSN, Options{Now: r.Now})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	applied, err := d.applied(ctx, "river_migration")
	if err != nil || len(without(r.Jobs, applied)) == 0 {
		return err
	}
	m, err := d.jobMigrator()
	if err != nil {
		return err
	}
	_, err = m.Migrate(Within(ctx, migrationTime), rivermigrate.DirectionUp, &rivermigrate.MigrateOpts{TargetVersion: slices.Max(r.Jobs)})
	if err != nil {
		err = fmt.Errorf("jobs: %w", err)
	}
	return err
}

// makeSchema applies the migrations that the backup had, unless they are there.
func (r *Restoring) makeSchema(ctx context.Context, tx *sql.Tx) error {
	if _, err := tx.ExecContext(ctx, createMigrations); err != nil {
		return err
	}
	if there, err := versionsIn(ctx, tx, "schema_migrations"); err != nil || len(there) > 0 {
		return err
	}
	d := &DB{pool: &pool{dialect: Postgres, migrations: migrations}}
	known, err := d.known()
	if err != nil {
		return err
	}
	for _, k := range known {
		if !slices.Contains(r.Schema, k.version) {
			continue
		}
		text, indexes := strings.CutPrefix(k.sql, outside)
		if indexes {
			text = strings.ReplaceAll(text, " CONCURRENTLY ", " ")
		}
		if _, err := tx.ExecContext(ctx, text); err != nil {
			return fmt.Errorf("%d %s: %w", k.version, k.name, err)
		}
	}
	return nil
}
