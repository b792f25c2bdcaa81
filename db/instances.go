package db

import "context"

// Instance is a known other server.
type Instance struct {
	Host             string `gorm:"primaryKey"`
	CreatedAt        Time   `gorm:"autoCreateTime:false"`
	UnreachableSince Time
	Software         string
	Favicon          string
	AskedAt          Time // the last query for its software

	// The state of deliveries.
	Failures    int    // in a row
	RetryAt     Time   // no delivery before this time
	LastError   string // of the last failure
	LastErrorAt Time
	DeliveredAt Time   // the last success
	HeardAt     Time   // the last valid signature
	Knock       string // the kind of signature that it accepts: KnockCavage, KnockRFC9421; "" is not known
}

// The kinds of signatures.
const (
	KnockCavage  = "cavage"
	KnockRFC9421 = "rfc9421"
)

// AddInstance stores a server by its host.
func (d *DB) AddInstance(ctx context.Context, host string) error {
	_, err := d.exec(ctx, "keep instance", "INSERT INTO instances (host, created_at) VALUES (?, ?) ON CONFLICT DO NOTHING", host, d.Now())
	return err
}

// Stats are the public counts of an instance.
type Stats struct{ Users, Statuses, Domains int64 }

// ActiveUsers counts the local accounts that posted or signed in since a moment.
func (d *DB) ActiveUsers(ctx context.Context, since Time) (int64, error) {
	return value[int64](ctx, d, "active users", `SELECT COUNT(*) FROM users u JOIN accounts a ON a.id = u.account_id
		WHERE NOT a.deactivated AND (a.last_status_at >= ? OR EXISTS (SELECT 1 FROM tokens t WHERE t.account_id = u.account_id AND t.created_at >= ?))`, since, since)
}

// Stats counts the active local accounts, the statuses made here, and the other
// servers heard of.
func (d *DB) Stats(ctx context.Context) (Stats, error) {
	return value[Stats](ctx, d, "count what there is", `SELECT
		(SELECT COALESCE(SUM(n), 0) FROM account_tallies_now WHERE mask % 4 = 1 AND mask < 64) AS users,
		(SELECT COUNT(*) FROM statuses WHERE reblog_of_id IS NULL AND local) AS statuses,
		(SELECT COUNT(*) FROM instances) AS domains`)
}

// Peers returns the hosts of up to limit other servers, by name.
func (d *DB) Peers(ctx context.Context, limit int) ([]string, error) {
	return list[string](ctx, d, "peers", "SELECT host FROM instances ORDER BY host LIMIT ?", limit)
}

// Staff returns the URIs of the active local admins and moderators with a
// visible role.
func (d *DB) Staff(ctx context.Context) ([]string, error) {
	return list[string](ctx, d, "staff", `SELECT uri FROM accounts WHERE (is_admin OR is_moderator) AND local AND show_role AND NOT deactivated AND NOT invisible
		ORDER BY nickname_key`)
}
