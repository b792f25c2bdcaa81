package db

import (
	"context"
	"errors"
	"slices"
	"time"
)

// Key is the signing key of a local account. Shape of the keys: PEM of PKCS #8.
type Key struct {
	AccountID  string `gorm:"primaryKey"`
	PrivateKey string
	// PreviousKey is the key that PrivateKey replaced, "" for none: other servers
	// may have it cached.
	PreviousKey string
	RotatedAt   Time
}

// Key returns an account's key.
func (d *DB) Key(ctx context.Context, accountID string) (*Key, error) {
	return one[Key](ctx, d, "key of "+accountID, "SELECT * FROM keys WHERE account_id = ?", accountID)
}

// AddKey gives an account its first key pair. If it has one, nothing changes
// and added is false.
func (d *DB) AddKey(ctx context.Context, accountID, private, public string) (added bool, err error) {
	n, err := d.exec(ctx, "add key", "INSERT INTO keys (account_id, private_key) VALUES (?, ?) ON CONFLICT DO NOTHING", accountID, private)
	if err != nil || n == 0 {
		return false, err
	}
	return true, d.showKey(ctx, accountID, public)
}

// ReplaceKey replaces the key was, which becomes the previous one. A key that
// is not current any more is ErrNotFound.
func (d *DB) ReplaceKey(ctx context.Context, accountID, was, private, public string) error {
	n, err := d.exec(ctx, "replace key", `UPDATE keys SET previous_key = private_key, private_key = ?, rotated_at = ?
		WHERE account_id = ? AND private_key = ?`, private, d.Now(), accountID, was)
	if err == nil && n == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return err
	}
	return d.showKey(ctx, accountID, public)
}

func (d *DB) showKey(ctx context.Context, accountID, public string) error {
	if _, err := d.exec(ctx, "show key", "UPDATE accounts SET public_key = ?, updated_at = ? WHERE id = ?", public, d.Now(), accountID); err != nil {
		return err
	}
	return d.Announce(ctx, AccountChanged, accountID)
}

// AccountByKey returns the remote account with this key id.
func (d *DB) AccountByKey(ctx context.Context, keyID string) (*Account, error) {
	if keyID == "" {
		return nil, wrap(ErrNotFound, "account by key")
	}
	return d.account(ctx, "key_id <> '' AND NOT local AND key_id = ?", keyID)
}

// MarkKeyGone stores that the owner of a key is gone.
func (d *DB) MarkKeyGone(ctx context.Context, keyID string) error {
	_, err := d.exec(ctx, "keep gone key", `INSERT INTO gone_keys (key_id, at) VALUES (?, ?)
		ON CONFLICT (key_id) DO UPDATE SET at = excluded.at`, keyID, d.Now())
	return err
}

// IsKeyGone reports whether the owner of a key was found gone since a moment.
func (d *DB) IsKeyGone(ctx context.Context, keyID string, since Time) (bool, error) {
	return value[bool](ctx, d, "gone key", "SELECT EXISTS (SELECT 1 FROM gone_keys WHERE key_id = ? AND at >= ?)", keyID, since)
}

// ForgetGoneKeys removes up to limit entries of gone keys made before a moment.
func (d *DB) ForgetGoneKeys(ctx context.Context, before Time, limit int) (int64, error) {
	return d.exec(ctx, "forget gone keys", "DELETE FROM gone_keys WHERE key_id IN (SELECT key_id FROM gone_keys WHERE at < ? ORDER BY at LIMIT ?)", before, limit)
}

// Instance returns a known server.
func (d *DB) Instance(ctx context.Context, host string) (*Instance, error) {
	return one[Instance](ctx, d, "instance "+host, "SELECT * FROM instances WHERE host = ?", host)
}

// SetSignatureKind stores the kind of signature that a server accepts.
func (d *DB) SetSignatureKind(ctx context.Context, host, kind string) error {
	_, err := d.exec(ctx, "keep knock", `INSERT INTO instances (host, created_at, knock) VALUES (?, ?, ?)
		ON CONFLICT (host) DO UPDATE SET knock = excluded.knock WHERE instances.knock <> excluded.knock`, host, d.Now(), kind)
	return err
}

// ClaimInstanceQuery claims the query of a server's software, and reports
// whether it is due: none was made since.
func (d *DB) ClaimInstanceQuery(ctx context.Context, host string, since Time) (bool, error) {
	n, err := d.exec(ctx, "ask instance", `INSERT INTO instances (host, created_at, asked_at) VALUES (?, ?, ?)
		ON CONFLICT (host) DO UPDATE SET asked_at = excluded.asked_at WHERE instances.asked_at IS NULL OR instances.asked_at < ?`,
		host, d.Now(), d.Now(), since)
	return n > 0, err
}

// DescribeInstance stores the software of a server, name and version, and the
// address of its icon; "" is none.
func (d *DB) DescribeInstance(ctx context.Context, host, software, favicon string) error {
	_, err := d.exec(ctx, "describe instance", "UPDATE instances SET software = ?, favicon = ? WHERE host = ?", software, favicon, host)
	return err
}

// Favicons returns the icons of up to limit servers that have one, by host.
func (d *DB) Favicons(ctx context.Context, limit int) (map[string]string, error) {
	rows, err := list[Instance](ctx, d, "icons of servers", "SELECT host, favicon FROM instances WHERE favicon <> '' ORDER BY host LIMIT ?", limit)
	out := make(map[string]string, len(rows))
	for _, r := range rows {
		out[r.Host] = r.Favicon
	}
	return out, err
}

// remoteColumns are the columns of accounts that actor documents fill.
var remoteColumns = []string{
	"url", "nickname", "nickname_key", "domain", "actor_type", "display_name", "note", "note_html", "fields", "fields_html", "emojis",
	"avatar", "header", "inbox", "shared_inbox", "outbox", "followers_uri", "following_uri", "featured_uri", "key_id", "public_key",
	"also_known_as", "moved_to", "locked", "discoverable", "unindexed", "invisible", "accepts_chat_messages",
	"fetched_at",
}

// StoreRemote stores a remote account by its URI: it inserts a row or updates
// the known one. An account of another URI with the same nickname is renamed to
// ID.NICK. a becomes the row, and its key no longer counts as gone. A row that
// was fetched later than a stays as it is.
//
// Negative counts in a keep the stored ones, and so does a zero CreatedAt. An account that was deleted for good
// stays as it is.
func (d *DB) StoreRemote(ctx context.Context, a *Account) error {
	a.NickKey = NicknameKey(a.Nickname)
	return d.Tx(ctx, func(tx *DB) error {
		was, unknown := one[Account](ctx, tx, "account "+a.URI, "SELECT * FROM accounts WHERE uri = ?"+tx.hold(), a.URI)
		if unknown == nil && was.FetchedAt.After(a.FetchedAt.Time) {
			*a = *was
			return nil
		}
		if unknown == nil && was.Deactivated {
			if deleted, err := tx.Deleted(ctx, was.ID); err != nil || deleted {
				*a = *was
				return err
			}
		}
		before, err := tx.yieldNickname(ctx, a)
		if err != nil {
			return err
		}
		if _, err := tx.exec(ctx, "forget gone key", "DELETE FROM gone_keys WHERE key_id = ?", a.KeyID); err != nil {
			return err
		}
		row, err := *a, unknown
		switch {
		case errors.Is(err, ErrNotFound):
			row.FollowersCount, row.FollowingCount, row.StatusesCount = max(row.FollowersCount, 0), max(row.FollowingCount, 0), max(row.StatusesCount, 0)
			row.UpdatedAt = tx.Now()
			if err = tx.returned(ctx, &row); err == nil && before != nil {
				err = tx.inherit(ctx, &row, before)
			}
		case err == nil:
			row.ID, row.Serial, row.Local = was.ID, was.Serial, was.Local
			if was.Local {
				return wrap(ErrDuplicate, "store account %s", a.URI)
			}
			columns := remoteColumns
			for column, n := range map[string]int64{"followers_count": a.FollowersCount, "following_count": a.FollowingCount, "statuses_count": a.StatusesCount} {
				if n >= 0 {
					columns = append(columns[:len(columns):len(columns)], column)
				}
			}
			if !a.CreatedAt.IsZero() {
				columns = append(columns[:len(columns):len(columns)], "created_at")
			}
			err = tx.UpdateAccount(ctx, &row, columns...)
		}
		if err != nil {
			return err
		}
		now, err := tx.Account(ctx, row.ID)
		if err != nil {
			return err
		}
		*a = *now
		return nil
	})
}

// PinsTold notes that an account, which is held, told what it pins or unpins.
func (d *DB) PinsTold(ctx context.Context, accountID string) error {
	_, err := d.exec(ctx, "note pins", "UPDATE accounts SET pins_told_at = ? WHERE id = ?", d.Now(), accountID)
	return err
}

// yieldNickname renames another account that has a's nickname, and returns it as it was;
// nil if there is none.
func (d *DB) yieldNickname(ctx context.Context, a *Account) (*Account, error) {
	other, err := d.AccountByNickname(ctx, a.Nickname)
	if errors.Is(err, ErrNotFound) || err == nil && other.URI == a.URI {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if other.Local {
		return nil, wrap(ErrDuplicate, "store account %s", a.URI)
	}
	before := *other
	other.Nickname = other.ID + "." + other.Nickname
	other.NickKey = NicknameKey(other.Nickname)
	return &before, d.UpdateAccount(ctx, other, "nickname", "nickname_key", "display_name")
}

// inherit gives a new account the tags and the deactivation of the one that had its
// handle: moderators decided about a handle, and a server may give it another id.
func (d *DB) inherit(ctx context.Context, a, before *Account) error {
	tags := slices.Clone(a.Tags)
	for _, tag := range before.Tags {
		if !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	if err := d.SetAccountTags(ctx, a, tags); err != nil || !before.Deactivated {
		return err
	}
	// An account that nobody banned is hidden too, while its rows are removed.
	leaving, err := value[bool](ctx, d, "erasure of "+before.ID, "SELECT "+underWay("erase_account",
		"j.args ->> 'account_id' = ? AND CAST(j.args ->> 'whole' AS TEXT) IN ('true', '1')"), before.ID)
	if err != nil || leaving {
		return err
	}
	a.Deactivated = true
	return d.UpdateAccount(ctx, a, "deactivated")
}

// MarkAccountFetched stores that a remote account was fetched now, without
// changes.
func (d *DB) MarkAccountFetched(ctx context.Context, accountID string, at time.Time) error {
	_, err := d.exec(ctx, "keep fetch", "UPDATE accounts SET fetched_at = ? WHERE id = ?", At(at), accountID)
	return err
}

// RemoteCounts are the sizes of an account's collections at its server; -1 is
// unknown.
type RemoteCounts struct {
	Followers, Following, Statuses                                   int64
	HideFollowers, HideFollows, HideFollowersCount, HideFollowsCount bool
}

// SetRemoteCounts stores the counts of a remote account.
func (d *DB) SetRemoteCounts(ctx context.Context, accountID string, c RemoteCounts) error {
	_, err := d.exec(ctx, "keep counts", `UPDATE accounts SET
		followers_count = CASE WHEN ? >= 0 THEN ? ELSE followers_count END,
		following_count = CASE WHEN ? >= 0 THEN ? ELSE following_count END,
		statuses_count  = CASE WHEN ? >= 0 THEN ? ELSE statuses_count END,
		hide_followers = ?, hide_follows = ?, hide_followers_count = ?, hide_follows_count = ?
		WHERE id = ?`, c.Followers, c.Followers, c.Following, c.Following, c.Statuses, c.Statuses,
		c.HideFollowers, c.HideFollows, c.HideFollowersCount, c.HideFollowsCount, accountID)
	if err != nil {
		return err
	}
	return d.Announce(ctx, AccountChanged, accountID)
}
