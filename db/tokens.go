package db

import (
	"context"
)

// Relations tells which kinds of relations an account has at all, so that its
// timelines need not look for the others.
type Relations struct {
	Blocks       bool
	Mutes        bool
	DomainBlocks bool
	ThreadMutes  bool
	HidesReblogs bool
	Languages    bool // follows for statuses in some languages
	Bookmarks    bool
	Filters      bool // that have not expired

	FollowedTags   bool
	ExclusiveLists bool

	// FilterVersion counts the changes of the filters; 0 is unknown.
	FilterVersion int64
}

// TokenUse is a token with the app and account of its request.
type TokenUse struct {
	Token        Token
	App          App
	Account      *Account // nil for an app's own token
	ResetPending bool     // the account must reset its password first
	Relations    Relations
}

// TokenUse returns the unexpired token with this hash (4 statements).
func (d *DB) TokenUse(ctx context.Context, hash string) (*TokenUse, error) {
	t, err := value[Token](ctx, d, "token", "SELECT * FROM tokens WHERE token_hash = ? AND expires_at > ?", hash, d.Now())
	if err != nil {
		return nil, err
	}
	use := &TokenUse{Token: t}
	if use.App, err = value[App](ctx, d, "app of token", "SELECT * FROM apps WHERE id = ?", t.AppID); err != nil {
		return nil, err
	}
	if t.AccountID == nil {
		return use, nil
	}
	if use.Account, err = d.Account(ctx, *t.AccountID); err != nil {
		return nil, err
	}
	use.Relations, use.ResetPending, err = d.RelationsOf(ctx, *t.AccountID)
	return use, err
}

// RelationsOf returns the kinds of relations of an account, and whether it must
// reset its password first.
func (d *DB) RelationsOf(ctx context.Context, id string) (Relations, bool, error) {
	type standing struct {
		Relations
		PasswordResetPending bool
	}
	row, err := value[standing](ctx, d, "standing of "+id, `SELECT u.password_reset_pending,
		EXISTS (SELECT 1 FROM blocks WHERE account_id = u.account_id) AS blocks,
		EXISTS (SELECT 1 FROM mutes WHERE account_id = u.account_id) AS mutes,
		EXISTS (SELECT 1 FROM domain_blocks WHERE account_id = u.account_id) AS domain_blocks,
		EXISTS (SELECT 1 FROM thread_mutes WHERE account_id = u.account_id) AS thread_mutes,
		EXISTS (SELECT 1 FROM follows WHERE follower_id = u.account_id AND NOT reblogs) AS hides_reblogs,
		EXISTS (SELECT 1 FROM follows WHERE follower_id = u.account_id AND languages <> '[]') AS languages,
		EXISTS (SELECT 1 FROM bookmarks WHERE account_id = u.account_id) AS bookmarks,
		EXISTS (SELECT 1 FROM followed_tags WHERE account_id = u.account_id) AS followed_tags,
		EXISTS (SELECT 1 FROM lists WHERE account_id = u.account_id AND exclusive) AS exclusive_lists,
		EXISTS (SELECT 1 FROM filters WHERE account_id = u.account_id AND (expires_at IS NULL OR expires_at > ?)) AS filters,
		COALESCE((SELECT version FROM filter_numbers WHERE account_id = u.account_id), 0) AS filter_version
		FROM users u WHERE u.account_id = ?`, d.Now(), id)
	return row.Relations, row.PasswordResetPending, err
}
