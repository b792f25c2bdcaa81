package db

import (
	"context"
	"fmt"
	"time"
)

// ActivityWeek is the activity on this server in one week. Start is its Monday.
type ActivityWeek struct {
	Start         time.Time
	Statuses      int64 // posted here, deleted ones included
	Logins        int64 // tokens given to users
	Registrations int64
}

// Weeks are numbered from the first Monday of 1970.
const (
	aWeek       = 7 * 24 * time.Hour
	firstMonday = 4 * 24 * time.Hour
)

func weekOf(t time.Time) int64 {
	return int64((time.Duration(t.UnixMicro())*time.Microsecond - firstMonday) / aWeek)
}

func weekStart(week int64) time.Time {
	return time.UnixMicro((week*int64(aWeek) + int64(firstMonday)) / int64(time.Microsecond)).UTC()
}

// counted is the last row of each table that the weeks include.
type counted struct {
	status  string
	token   int64
	account int64
}

const countedKey = "activity_counted"

// settled is the age at which a row is surely committed.
const settled = time.Minute

func (d *DB) counted(ctx context.Context) (c counted, raw string, err error) {
	if raw, err = d.Meta(ctx, countedKey); err != nil || raw == "" {
		return c, raw, err
	}
	_, err = fmt.Sscanf(raw, "%q %d %d", &c.status, &c.token, &c.account)
	return c, raw, wrap(err, "what of the activity was counted")
}

// weekCount is one number of one week.
type weekCount struct {
	Kind string
	Week int64
	N    int64
}

// tally counts the rows above one mark and, if given, up to another.
func (d *DB) tally(ctx context.Context, above counted, upTo *counted) ([]weekCount, error) {
	week := fmt.Sprintf("(created_at - %d) / %d", firstMonday.Microseconds(), aWeek.Microseconds())
	var q selection
	part := func(kind, table, cond, column string, from, to any) {
		if q.sql.Len() > 0 {
			q.add(` UNION ALL `)
		}
		q.add(`SELECT '`+kind+`' AS kind, `+week+` AS week, COUNT(*) AS n FROM `+table+` WHERE `+cond+` AND `+column+` > ?`, from)
		if upTo != nil {
			q.add(` AND `+column+` <= ?`, to)
		}
		q.add(` GROUP BY ` + week)
	}
	var to counted
	if upTo != nil {
		to = *upTo
	}
	part("statuses", "statuses", "local AND reblog_of_id IS NULL", "id", above.status, to.status)
	part("logins", "tokens", "account_id IS NOT NULL", "id", above.token, to.token)
	part("registrations", "accounts", "local AND NOT invisible", "serial", above.account, to.account)
	return list[weekCount](ctx, d, "count activity", q.sql.String(), q.args...)
}

// CountActivity adds the rows since its last run to the weeks, so that Activity
// need not count everything. Rows younger than a minute wait for the next run.
func (d *DB) CountActivity(ctx context.Context) error {
	last, raw, err := d.counted(ctx)
	if err != nil {
		return err
	}
	before := d.Now().Add(-settled)
	next := counted{status: max(last.status, FlakeAt(before.Time))}
	newest, err := one[struct{ Token, Account int64 }](ctx, d, "what of the activity to count",
		`SELECT COALESCE((SELECT MAX(id) FROM tokens WHERE id > ? AND created_at < ?), CAST(? AS BIGINT)) AS token,
		COALESCE((SELECT MAX(serial) FROM accounts WHERE serial > ? AND id < ?), CAST(? AS BIGINT)) AS account`,
		last.token, before, last.token, last.account, FlakeAt(before.Time), last.account) // remote accounts were created long before
	if err != nil {
		return err
	}
	next.token, next.account = newest.Token, newest.Account
	rows, err := d.tally(ctx, last, &next)
	if err != nil {
		return err
	}
	return d.Tx(ctx, func(tx *DB) error {
		// Another process may have been first; then there is nothing to add.
		if _, err := tx.exec(ctx, "keep what was counted", "INSERT INTO meta (key, value) VALUES (?, '') ON CONFLICT DO NOTHING", countedKey); err != nil {
			return err
		}
		n, err := tx.exec(ctx, "keep what was counted", "UPDATE meta SET value = ? WHERE key = ? AND value = ?",
			fmt.Sprintf("%q %d %d", next.status, next.token, next.account), countedKey, raw)
		if err != nil || n == 0 {
			return err
		}
		for _, r := range rows {
			if _, err := tx.exec(ctx, "add to week", `INSERT INTO activity_weeks (week, `+r.Kind+`) VALUES (?, ?)
				ON CONFLICT (week) DO UPDATE SET `+r.Kind+` = activity_weeks.`+r.Kind+` + excluded.`+r.Kind, r.Week, r.N); err != nil {
				return err
			}
		}
		return nil
	})
}

// Activity returns the last n weeks, the present one first.
func (d *DB) Activity(ctx context.Context, n int) ([]ActivityWeek, error) {
	present := weekOf(d.Now().Time)
	out := make([]ActivityWeek, n)
	for i := range out {
		out[i].Start = weekStart(present - int64(i))
	}
	add := func(week int64, to func(w *ActivityWeek)) {
		if i := present - week; i >= 0 && i < int64(n) {
			to(&out[i])
		}
	}
	kept, err := list[struct{ Week, Statuses, Logins, Registrations int64 }](ctx, d, "activity", "SELECT week, statuses, logins, registrations FROM activity_weeks WHERE week > ?", present-int64(n))
	if err != nil {
		return nil, err
	}
	for _, k := range kept {
		add(k.Week, func(w *ActivityWeek) { w.Statuses, w.Logins, w.Registrations = k.Statuses, k.Logins, k.Registrations })
	}
	last, _, err := d.counted(ctx)
	if err != nil {
		return nil, err
	}
	rest, err := d.tally(ctx, last, nil)
	if err != nil {
		return nil, err
	}
	for _, r := range rest {
		add(r.Week, func(w *ActivityWeek) {
			switch r.Kind {
			case "statuses":
				w.Statuses += r.N
			case "logins":
				w.Logins += r.N
			case "registrations":
				w.Registrations += r.N
			}
		})
	}
	return out, nil
}

// Contact returns the contact account of the instance: its first admin with a
// visible role. ErrNotFound if there is none.
func (d *DB) Contact(ctx context.Context) (*Account, error) {
	return one[Account](ctx, d, "contact account", "SELECT * FROM accounts WHERE is_admin AND local AND show_role AND NOT deactivated AND NOT invisible ORDER BY serial LIMIT 1")
}

// Unreachable returns up to limit servers that have been unreachable since
// before a moment, longest first.
func (d *DB) Unreachable(ctx context.Context, before Time, limit int) ([]Instance, error) {
	return list[Instance](ctx, d, "unreachable servers",
		"SELECT * FROM instances WHERE unreachable_since IS NOT NULL AND unreachable_since < ? ORDER BY unreachable_since LIMIT ?", before, limit)
}

// Health is the state of the pool and of the queue.
type Health struct {
	Connections int // the most that may be open at once
	Active      int
	Idle        int
	// Jobs counts those that wait or run, by queue and state.
	Jobs map[string]map[string]int64
}

// Health asks the pool and the queue.
func (d *DB) Health(ctx context.Context) (*Health, error) {
	stats := d.pool.write.Stats()
	h := &Health{Connections: stats.MaxOpenConnections, Active: stats.InUse, Idle: stats.Idle, Jobs: map[string]map[string]int64{}}
	if d.pool.read != d.pool.write {
		more := d.pool.read.Stats()
		h.Connections += more.MaxOpenConnections
		h.Active += more.InUse
		h.Idle += more.Idle
	}
	type depth struct {
		Queue, State string
		N            int64
	}
	rows, err := list[depth](ctx, d, "count jobs", `SELECT queue, CAST(state AS TEXT) AS state, COUNT(*) AS n FROM river_job
		WHERE state IN ('available', 'running', 'retryable', 'scheduled') GROUP BY queue, state`)
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		if h.Jobs[r.Queue] == nil {
			h.Jobs[r.Queue] = map[string]int64{}
		}
		h.Jobs[r.Queue][r.State] = r.N
	}
	return h, nil
}
