package db

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"gorm.io/driver/postgres"
)

// connections is the pool's size towards PostgreSQL: above it the server's
// cores, not the round trips, are the limit. Each costs the server some 6 MB, and
// more of them than it has cores for only wait for each other: of 24, the slowest
// posts took three times as long as of 12.
const connections = 12

func openPostgres(p *pool, dsn string) (*DB, error) {
	cfg, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, errors.New("the postgres:// address cannot be read")
	}
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = 10 * time.Second
	}
	if _, ok := cfg.RuntimeParams["application_name"]; !ok {
		cfg.RuntimeParams["application_name"] = "svcd"
	}
	if p.bulk {
		cfg.RuntimeParams["synchronous_commit"] = "off"
	}
	p.dialect = Postgres
	p.write = stdlib.OpenDB(*cfg, stdlib.OptionAfterConnect(func(ctx context.Context, c *pgx.Conn) error {
		return plan(ctx, c, cfg.RuntimeParams)
	}))
	p.read = p.write
	sizePool(p.write)
	orm, err := p.gorm(postgres.New(postgres.Config{Conn: p.write}))
	if err != nil {
		return nil, errors.Join(err, p.write.Close())
	}
	return &DB{pool: p, orm: orm, wrt: orm}, nil
}

// planning is how our statements want to be planned. Each is planned once: a
// page of a timeline is a wide join of few rows, which takes longer to plan than
// to carry out, and longer still to compile. And all go by indexes, row by row,
// in the order of the list, whatever their values are: a plan that does not know
// the values reckons with somebody of average size, and would read all that a
// person has to sort it, or whole tables to join them. A search that needs the
// kind of index that only bitmaps read has to allow them in its transaction.
var planning = []struct{ name, value string }{
	{"plan_cache_mode", "force_generic_plan"}, {"jit", "off"},
	{"enable_mergejoin", "off"}, {"enable_hashjoin", "off"}, {"enable_bitmapscan", "off"},
}

// plan sets planning for a connection. What the address says about it stays,
// and an engine that does not know it may plan as it likes.
func plan(ctx context.Context, c *pgx.Conn, given map[string]string) error {
	for _, s := range planning {
		if _, ok := given[s.name]; ok {
			continue
		}
		var refused *pgconn.PgError
		if _, err := c.Exec(ctx, "SET "+s.name+" = "+s.value); err != nil && !errors.As(err, &refused) {
			return err
		}
	}
	return nil
}

func sizePool(c *sql.DB) {
	c.SetMaxOpenConns(connections)
	c.SetMaxIdleConns(connections)
	c.SetConnMaxIdleTime(5 * time.Minute)
}

func isDuplicate(err error) bool {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code == "23505"
	}
	return isSQLiteDuplicate(err)
}

// retryable tells whether the same transaction may succeed when run again:
// it lost a deadlock or a serialisation race.
func retryable(err error) bool {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code == "40001" || e.Code == "40P01"
	}
	return isSQLiteBusy(err)
}
