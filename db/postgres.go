package db

import (
	"database/sql"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"gorm.io/driver/postgres"
)

// connections is the pool's size towards PostgreSQL: above it the server's
// cores, not the round trips, are the limit.
const connections = 24

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
	p.dialect = Postgres
	p.write = stdlib.OpenDB(*cfg)
	p.read = p.write
	sizePool(p.write)
	orm, err := p.gorm(postgres.New(postgres.Config{Conn: p.write}))
	if err != nil {
		return nil, errors.Join(err, p.write.Close())
	}
	return &DB{pool: p, orm: orm, wrt: orm}, nil
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
