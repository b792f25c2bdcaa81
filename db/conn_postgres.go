package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
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
	hosts := countHosts(cfg)
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = connectTimeout / time.Duration(hosts)
	}
	if hosts > 1 && cfg.ValidateConnect == nil && !strings.Contains(dsn, "target_session_attrs") {
		cfg.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite // not a standby
	}
	cfg.DialFunc = dialer().DialContext
	if _, ok := cfg.RuntimeParams["application_name"]; !ok {
		cfg.RuntimeParams["application_name"] = "svcd"
	}
	if p.bulk {
		cfg.RuntimeParams["synchronous_commit"] = "off"
	}
	session, usual, err := sessionSettings(cfg)
	if err != nil {
		return nil, err
	}
	p.dialect = Postgres
	p.write = sql.OpenDB(&bounded{
		Connector: stdlib.GetConnector(*cfg, stdlib.OptionAfterConnect(func(ctx context.Context, c *pgx.Conn) error {
			return setUp(ctx, c, session)
		})),
		connect: cfg.ConnectTimeout*time.Duration(hosts) + answerTime, usual: usual,
	})
	p.read = p.write
	sizePool(p.write)
	orm, err := p.gorm(postgres.New(postgres.Config{Conn: p.write}))
	if err != nil {
		return nil, errors.Join(err, p.write.Close())
	}
	return &DB{pool: p, orm: orm, wrt: orm}, nil
}

// countHosts is how many servers an address names. One is tried with and
// without TLS.
func countHosts(cfg *pgx.ConnConfig) int {
	hosts := map[string]bool{net.JoinHostPort(cfg.Host, strconv.Itoa(int(cfg.Port))): true}
	for _, f := range cfg.Fallbacks {
		hosts[net.JoinHostPort(f.Host, strconv.Itoa(int(f.Port)))] = true
	}
	return len(hosts)
}

// dialer makes connections that notice a host that went away without a word:
// one that is silent for half a minute, or does not acknowledge what is sent.
func dialer() *net.Dialer {
	return &net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3},
		Control:         limitUnacknowledged,
	}
}

// unacknowledged is how long what was sent may stay without an acknowledgement.
const unacknowledged = 20 * time.Second

type setting struct{ name, value string }

// planning is how our statements want to be planned. Each is planned once: a
// page of a timeline is a wide join of few rows, which takes longer to plan than
// to carry out, and longer still to compile. And all go by indexes, row by row,
// in the order of the list, whatever their values are: a plan that does not know
// the values reckons with someone of average size, and would read all that a
// person has to sort it, or whole tables to join them. A search that needs the
// kind of index that only bitmaps read has to allow them in its transaction.
var planning = []setting{
	{"plan_cache_mode", "force_generic_plan"}, {"jit", "off"},
	{"enable_mergejoin", "off"}, {"enable_hashjoin", "off"}, {"enable_bitmapscan", "off"},
}

// sessionSettings are those that connections begin with, and how long a
// statement may take by them. What the address says stays, but is set when the
// connection is there: poolers refuse to connect with settings that they do not
// know.
func sessionSettings(cfg *pgx.ConnConfig) (all []setting, statement time.Duration, err error) {
	for _, s := range slices.Concat(limits, planning) {
		if given, ok := cfg.RuntimeParams[s.name]; ok {
			delete(cfg.RuntimeParams, s.name)
			s.value = given
		}
		if s.name == statementSetting {
			if statement, err = timeOf(s.value); err != nil {
				return nil, 0, fmt.Errorf("the postgres:// address has %s=%s; give milliseconds, 0 for no bound", s.name, s.value)
			}
		}
		all = append(all, s)
	}
	return all, statement, nil
}

// timeOf reads a time as PostgreSQL has it: milliseconds, or with a unit.
func timeOf(text string) (time.Duration, error) {
	if n, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(n) * time.Millisecond, nil
	}
	return time.ParseDuration(strings.Replace(text, "min", "m", 1))
}

// setUp makes the settings of a connection. An engine that does not know one
// may do as it likes.
func setUp(ctx context.Context, c *pgx.Conn, session []setting) error {
	for _, s := range session {
		var refused *pgconn.PgError
		if _, err := c.Exec(ctx, "SELECT set_config($1, $2, false)", pgx.QueryExecModeSimpleProtocol, s.name, s.value); err != nil && !errors.As(err, &refused) {
			return err
		}
	}
	return nil
}

func sizePool(c *sql.DB) {
	c.SetMaxOpenConns(connections)
	c.SetMaxIdleConns(connections)
	c.SetConnMaxIdleTime(5 * time.Minute)
	c.SetConnMaxLifetime(connectionLife)
}

func isDuplicate(err error) bool {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code == "23505"
	}
	return isSQLiteDuplicate(err)
}

// retryable reports whether the same transaction may succeed when run again:
// it lost a deadlock or a serialisation race.
func retryable(err error) bool {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code == "40001" || e.Code == "40P01"
	}
	return isSQLiteBusy(err)
}
