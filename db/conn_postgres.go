package db

import (
	"cmp"
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
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/stdlib"
	"gorm.io/driver/postgres"
)

// connections is the size of the pool for PostgreSQL unless a setting has another. Above
// it the server's cores, not the round trips, are the limit: each connection costs the
// server 5 to 28 MiB for plans and catalogues, and with 24 of them the slowest statuses
// took three times as long as with 12.
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
	cfg.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.DeadlineContextWatcherHandler{Conn: c.Conn(), DeadlineDelay: leftTime}
	}
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
	p.sizePool()
	orm, err := p.gorm(postgres.New(postgres.Config{Conn: p.write}))
	if err != nil {
		return nil, errors.Join(err, p.write.Close())
	}
	return &DB{pool: p, orm: orm, wrt: orm}, nil
}

// countHosts counts the servers that an address names. Each is tried with and
// without TLS.
func countHosts(cfg *pgx.ConnConfig) int {
	hosts := map[string]bool{net.JoinHostPort(cfg.Host, strconv.Itoa(int(cfg.Port))): true}
	for _, f := range cfg.Fallbacks {
		hosts[net.JoinHostPort(f.Host, strconv.Itoa(int(f.Port)))] = true
	}
	return len(hosts)
}

// dialer makes connections that notice a host that vanished: one that is silent
// for half a minute, or does not acknowledge sent data.
func dialer() *net.Dialer {
	return &net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3},
		Control:         limitUnacknowledged,
	}
}

// unacknowledged bounds how long sent data may stay unacknowledged.
const unacknowledged = 20 * time.Second

type setting struct{ name, value string }

// planning makes PostgreSQL plan each statement once: a page of a timeline is a
// wide join of few rows, which takes longer to plan than to run, and longer
// still to compile. All plans use indexes, row by row, in the order of the
// list, for all values: a generic plan assumes an average account, and would
// sort all rows of a person, or join whole tables. A search with an index that
// only bitmaps can read must allow bitmaps in its transaction.
var planning = []setting{
	{"plan_cache_mode", "force_generic_plan"}, {"jit", "off"},
	{"enable_mergejoin", "off"}, {"enable_hashjoin", "off"}, {"enable_bitmapscan", "off"},
}

// sessionSettings returns the settings of a new connection, and the statement
// time-out that follows from them. Settings in the address win, but are set
// once the connection stands: poolers refuse unknown settings at connect.
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

// timeOf parses a time in PostgreSQL's notation: milliseconds, or with a unit.
func timeOf(text string) (time.Duration, error) {
	if n, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(n) * time.Millisecond, nil
	}
	return time.ParseDuration(strings.Replace(text, "min", "m", 1))
}

// setUp applies the settings of a connection, in one round trip. A server that does
// not know one may ignore it: then each is sent by itself.
func setUp(ctx context.Context, c *pgx.Conn, session []setting) error {
	refused, err := set(ctx, c, session...)
	for i := 0; refused && err == nil && i < len(session); i++ {
		_, err = set(ctx, c, session[i])
	}
	return err
}

// set applies settings of a connection, all or none, and reports whether the server
// refused them.
func set(ctx context.Context, c *pgx.Conn, session ...setting) (refused bool, err error) {
	var (
		calls []string
		args  = []any{pgx.QueryExecModeSimpleProtocol}
	)
	for i, s := range session {
		calls = append(calls, fmt.Sprintf("set_config($%d, $%d, false)", 2*i+1, 2*i+2))
		args = append(args, s.name, s.value)
	}
	_, err = c.Exec(ctx, "SELECT "+strings.Join(calls, ", "), args...)
	var no *pgconn.PgError
	if errors.As(err, &no) {
		return true, nil
	}
	return false, err
}

func (p *pool) sizePool() {
	size := cmp.Or(p.size, connections)
	p.write.SetMaxOpenConns(size)
	p.write.SetMaxIdleConns(size)
	p.write.SetConnMaxIdleTime(connectionRest)
	p.write.SetConnMaxLifetime(connectionLife)
}

func isDuplicate(err error) bool {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code == "23505"
	}
	return isSQLiteDuplicate(err)
}

// retryable reports whether the same transaction may succeed when run again,
// because it lost a deadlock or a serialisation race, met a change of the
// schema, or lost its connection before it began.
func retryable(err error) bool {
	if lost := (unbegun{}); errors.As(err, &lost) {
		return true
	}
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code == "40001" || e.Code == "40P01" || isStalePlan(err)
	}
	return isSQLiteBusy(err) || errors.As(err, new(undone))
}
