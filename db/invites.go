package db

import (
	"context"
)

// Invite allows registration while registration is closed.
type Invite struct {
	ID        int64 `gorm:"primaryKey;autoIncrement"`
	Token     string
	Used      bool // used up, or revoked
	Revoked   bool
	Uses      int64
	MaxUse    *int64
	ExpiresOn *string // the last day, in UTC: YYYY-MM-DD
	CreatedAt Time    `gorm:"autoCreateTime:false"`
}

// The kinds of invites, by their bounds.
const (
	InviteOneTime             = "one_time"
	InviteReusable            = "reusable"
	InviteDateLimited         = "date_limited"
	InviteReusableDateLimited = "reusable_date_limited"
)

// Type is the invite's kind.
func (i *Invite) Type() string {
	switch {
	case i.MaxUse != nil && i.ExpiresOn != nil:
		return InviteReusableDateLimited
	case i.MaxUse != nil:
		return InviteReusable
	case i.ExpiresOn != nil:
		return InviteDateLimited
	}
	return InviteOneTime
}

// day is t's day as invites keep it.
func day(t Time) string { return t.UTC().Format("2006-01-02") }

// Usable reports whether the invite allows a registration at a moment.
func (i *Invite) Usable(at Time) bool {
	return !i.Used && (i.MaxUse == nil || i.Uses < *i.MaxUse) && (i.ExpiresOn == nil || *i.ExpiresOn >= day(at))
}

// CreateInvite inserts i.
func (d *DB) CreateInvite(ctx context.Context, i *Invite) error {
	if i.CreatedAt.IsZero() {
		i.CreatedAt = d.Now()
	}
	return create(ctx, d, i, "create invite")
}

// Invite returns the invite with this token.
func (d *DB) Invite(ctx context.Context, token string) (*Invite, error) {
	return one[Invite](ctx, d, "invite", "SELECT * FROM invites WHERE token = ?", token)
}

// Invites returns up to limit invites with greater ids than after, ascending.
func (d *DB) Invites(ctx context.Context, after int64, limit int) ([]Invite, error) {
	return list[Invite](ctx, d, "invites", "SELECT * FROM invites WHERE id > ? ORDER BY id LIMIT ?", after, limit)
}

// UseInvite counts one use and returns the invite's id, 0 if none was left. Concurrent
// calls never get more than the invite allows.
func (d *DB) UseInvite(ctx context.Context, token string) (int64, error) {
	ids, err := list[int64](ctx, d.writing(), "use invite", `UPDATE invites SET
		uses = CASE WHEN max_use IS NULL THEN uses ELSE uses + 1 END,
		used = CASE WHEN max_use IS NOT NULL THEN uses + 1 >= max_use ELSE expires_on IS NULL END
		WHERE token = ? AND NOT used AND (max_use IS NULL OR uses < max_use) AND (expires_on IS NULL OR expires_on >= ?) RETURNING id`,
		token, day(d.Now()))
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return ids[0], nil
}

// RevokeInvite ends an invite for good and returns it. One that is used up stays so, and
// does not become a revoked one. An unknown token is ErrNotFound.
func (d *DB) RevokeInvite(ctx context.Context, token string) (*Invite, error) {
	return one[Invite](ctx, d.writing(), "revoke invite", "UPDATE invites SET revoked = revoked OR NOT used, used = TRUE WHERE token = ? RETURNING *", token)
}
