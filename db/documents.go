package db

import (
	"context"
	"fmt"
)

// mostFetchers bounds the servers that are remembered for fetching one status.
const mostFetchers = 1000

// PublicStatuses returns a page of an account's statuses and reblogs that are
// public or unlisted.
func (d *DB) PublicStatuses(ctx context.Context, accountID string, p Page) ([]Status, error) {
	cond, order, args := p.where("id")
	rows, err := list[Status](ctx, d, "public statuses", "SELECT * FROM statuses WHERE account_id = ? AND visibility IN ('public', 'unlisted')"+cond+order,
		append([]any{accountID}, args...)...)
	return newestFirst(p, rows), err
}

// Place is one place in a list of ids.
type Place struct {
	Key string // for the next page
	URI string `gorm:"column:uri"`
}

// FollowerURIs returns a page of the ActivityPub ids of an account's followers.
func (d *DB) FollowerURIs(ctx context.Context, accountID string, p Page) ([]Place, error) {
	return d.places(ctx, "SELECT f.follower_id AS key, a.uri FROM follows f JOIN accounts a ON a.id = f.follower_id WHERE f.target_id = ? AND NOT f.pending AND NOT a.deactivated",
		"f.follower_id", accountID, p)
}

// FollowingURIs returns a page of the ActivityPub ids that an account follows.
func (d *DB) FollowingURIs(ctx context.Context, accountID string, p Page) ([]Place, error) {
	return d.places(ctx, "SELECT f.target_id AS key, a.uri FROM follows f JOIN accounts a ON a.id = f.target_id WHERE f.follower_id = ? AND NOT f.pending AND NOT a.deactivated",
		"f.target_id", accountID, p)
}

// ThreadURIs returns a page of the statuses of a conversation that everybody
// may see.
func (d *DB) ThreadURIs(ctx context.Context, conversationID int64, p Page) ([]Place, error) {
	return d.places(ctx, `SELECT s.id AS key, s.uri FROM statuses s JOIN accounts a ON a.id = s.account_id
		WHERE s.conversation_id = ? AND s.visibility IN ('public', 'unlisted') AND s.reblog_of_id IS NULL AND s.uri IS NOT NULL AND NOT a.deactivated`,
		"s.id", conversationID, p)
}

func (d *DB) places(ctx context.Context, query, column string, of any, p Page) ([]Place, error) {
	cond, order, args := p.where(column)
	rows, err := list[Place](ctx, d, fmt.Sprint("uris of ", of), query+cond+order, append([]any{of}, args...)...)
	return newestFirst(p, rows), err
}

// PinnedURIs returns an account's pinned statuses that everybody may see,
// newest first.
func (d *DB) PinnedURIs(ctx context.Context, accountID string, limit int) ([]string, error) {
	return d.uris(ctx, "SELECT uri FROM statuses WHERE account_id = ? AND pinned_at IS NOT NULL AND visibility IN ('public', 'unlisted') AND uri IS NOT NULL ORDER BY id DESC LIMIT ?",
		accountID, limit)
}

// OwnReplies returns the author's own replies to a status that everybody may
// see, oldest first.
func (d *DB) OwnReplies(ctx context.Context, statusID string, limit int) ([]string, error) {
	return d.uris(ctx, `SELECT uri FROM statuses WHERE in_reply_to_id = ? AND in_reply_to_account_id = account_id
		AND visibility IN ('public', 'unlisted') AND uri IS NOT NULL ORDER BY id LIMIT ?`, statusID, limit)
}

func (d *DB) uris(ctx context.Context, query string, args ...any) ([]string, error) {
	return list[string](ctx, d, fmt.Sprint("uris of ", args[0]), query, args...)
}

// ConversationByURI returns a thread by its ActivityPub id.
func (d *DB) ConversationByURI(ctx context.Context, uri string) (*Conversation, error) {
	return one[Conversation](ctx, d, "conversation "+uri, "SELECT * FROM conversations WHERE uri = ?", uri)
}

// TombstoneOf returns the tombstone of a deleted status.
func (d *DB) TombstoneOf(ctx context.Context, uri string) (*Tombstone, error) {
	return one[Tombstone](ctx, d, "tombstone of "+uri, "SELECT * FROM tombstones WHERE uri = ?", uri)
}

// DeletedAt returns when an account was deleted for good; zero if it was not.
func (d *DB) DeletedAt(ctx context.Context, accountID string) (Time, error) {
	at, _, err := optional(value[Time](ctx, d, "deletion of "+accountID, "SELECT created_at FROM deletions WHERE account_id = ?", accountID))
	return at, err
}

// ActivityByURI returns an activity of this server, while it is stored.
func (d *DB) ActivityByURI(ctx context.Context, uri string) (*Activity, error) {
	return one[Activity](ctx, d, "activity "+uri, "SELECT * FROM activities WHERE uri = ?", uri)
}

// RemoteAccess is the relation of a remote account to a status and its author.
type RemoteAccess struct {
	Blocked   bool // by the author
	Addressed bool // by name, or as a member of a list
	Follows   bool // the author
}

// RemoteAccessOf returns the relation of an account to a status, which may be
// "", and its author.
func (d *DB) RemoteAccessOf(ctx context.Context, accountID, authorID, statusID string) (RemoteAccess, error) {
	return value[RemoteAccess](ctx, d, "standing of "+accountID, `SELECT EXISTS (SELECT 1 FROM blocks WHERE account_id = ? AND target_id = ?) AS blocked,
		EXISTS (SELECT 1 FROM status_recipients WHERE status_id = ? AND account_id = ?) AS addressed,
		EXISTS (SELECT 1 FROM follows WHERE follower_id = ? AND target_id = ? AND NOT pending) AS follows`,
		authorID, accountID, statusID, accountID, accountID, authorID)
}

// BlocksAnybody reports whether an account blocks others.
func (d *DB) BlocksAnybody(ctx context.Context, accountID string) (bool, error) {
	return value[bool](ctx, d, "blocks of "+accountID, "SELECT EXISTS (SELECT 1 FROM blocks WHERE account_id = ?)", accountID)
}

// AddFetcher stores that the server with this inbox fetched a status, so that
// it gets the deletion. A bounded number of servers is stored for each status;
// a known one costs no write.
func (d *DB) AddFetcher(ctx context.Context, statusID, inbox string) error {
	settled, err := value[bool](ctx, d, "fetchers of "+statusID, `SELECT EXISTS (SELECT 1 FROM fetchers WHERE status_id = ? AND inbox = ?)
		OR EXISTS (SELECT 1 FROM fetchers WHERE status_id = ? LIMIT 1 OFFSET ?)`, statusID, inbox, statusID, mostFetchers-1)
	if err != nil || settled {
		return err
	}
	_, err = d.exec(ctx, "add fetcher", "INSERT INTO fetchers (status_id, inbox) VALUES (?, ?) ON CONFLICT DO NOTHING", statusID, inbox)
	return err
}
