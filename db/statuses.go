package db

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// The visibilities of a status. List is written list:ID on the wire.
const (
	Public   = "public"
	Unlisted = "unlisted"
	Private  = "private"
	Direct   = "direct"
	Local    = "local"
	List     = "list"
)

// Status is a status, or with ReblogOfID the reblog of one, which has its own
// id and its own places on timelines.
type Status struct {
	ID                 string `gorm:"primaryKey"` // flake
	Version            int64  `gorm:"->"`
	AccountID          string
	URI                *string `gorm:"column:uri"` // the object's id; the activity's for a reblog
	URL                string  `gorm:"column:url"`
	Local              bool
	Visibility         string
	ListID             *int64
	ConversationID     *int64
	InReplyToID        *string
	InReplyToAccountID *string
	InReplyToURI       string `gorm:"column:in_reply_to_uri"` // of a parent that is not stored
	ReblogOfID         *string
	ReblogOfAccountID  *string

	Text               string // as typed
	ContentType        string
	Content            string // HTML, sanitised
	SpoilerText        string
	Language           string
	Sensitive          bool
	HasMedia           bool
	Mentions           Slice[Mention]
	Tags               Slice[string] // lower case
	Emojis             Slice[Emoji]
	ToURIs             Slice[string] `gorm:"column:to_uris"` // addressing as federated
	CCURIs             Slice[string] `gorm:"column:cc_uris"`
	ApplicationName    string
	ApplicationWebsite string

	RepliesCount    int64
	ReblogsCount    int64
	FavouritesCount int64
	CreatedAt       Time `gorm:"autoCreateTime:false"`
	EditedAt        Time
	ExpiresAt       Time
	PinnedAt        Time

	Reactions Slice[ReactionCount] // earliest emoji first
	PollID    *int64
	CardID    *int64

	// QuoteURI is what a remote status quotes, QuoteStamped whether with a permission.
	QuoteURI     string `gorm:"column:quote_uri"`
	QuoteStamped bool

	// AuthorSensitive and AuthorVisibility are the author's own values while a
	// moderator's decisions stand in Sensitive and Visibility; nil and "" otherwise.
	AuthorSensitive  *bool
	AuthorVisibility string

	// Author is the author's row, if it was counted in the same transaction; else
	// nil.
	Author *Account `gorm:"-"`
}

// Mention is an account named in a status, with its names at that time.
type Mention struct {
	ID       string `json:"id"`
	Username string `json:"username"`
	URL      string `json:"url"`
	Acct     string `json:"acct"`
	URI      string `json:"uri"`
}

// StatusTag files a status under a hashtag, by its name.
type StatusTag struct {
	Tag      string `gorm:"primaryKey"`
	StatusID string `gorm:"primaryKey"`
}

// MediaAttachment is a file shown with a status.
type MediaAttachment struct {
	ID        int64 `gorm:"primaryKey;autoIncrement"`
	AccountID string
	StatusID  *string
	// ScheduledStatusID is the scheduled status that has reserved the file.
	ScheduledStatusID *int64
	Position          int
	Type              string // image, video, audio, unknown
	URL               string `gorm:"column:url"`
	RemoteURL         string `gorm:"column:remote_url"`
	PreviewURL        string `gorm:"column:preview_url"`
	Description       string
	MimeType          string
	Blurhash          string
	CreatedAt         Time   `gorm:"autoCreateTime:false"`
	File              string // the name of a file kept here; "" of a remote one
	Size              int64  // bytes of a file kept here
	Mascot            bool   // its owner's mascot, which no status can show
	Width, Height     int    // of a picture kept here as it is shown, 0 if unknown
	FocusX, FocusY    *float64
	Former            bool // taken out of StatusID by an edit
}

// Conversation is a thread: all statuses of one ActivityPub context.
type Conversation struct {
	ID  int64  `gorm:"primaryKey;autoIncrement"`
	URI string `gorm:"column:uri"`
}

// Tombstone keeps the URI of a deleted object.
type Tombstone struct {
	URI        string `gorm:"column:uri;primaryKey"`
	FormerType string
	AccountID  string
	DeletedAt  Time
}

// StatusByID returns a status without regard to its visibility, for rules and
// jobs. Requests of people use Status.
func (d *DB) StatusByID(ctx context.Context, id string) (*Status, error) {
	return one[Status](ctx, d, "status "+id, "SELECT * FROM statuses WHERE id = ?", id)
}

// StatusByURI returns a status without regard to its visibility.
func (d *DB) StatusByURI(ctx context.Context, uri string) (*Status, error) {
	return one[Status](ctx, d, "status "+uri, "SELECT * FROM statuses WHERE uri = ?", uri)
}

// HeldStatus is StatusByID with the row locked until the transaction ends, so
// that it stays true. For a reblog, the reblogged status is locked first.
func (d *DB) HeldStatus(ctx context.Context, id string) (*Status, error) {
	if d.pool.dialect != Postgres {
		return d.StatusByID(ctx, id)
	}
	s, err := one[Status](ctx, d, "status "+id, "SELECT * FROM statuses WHERE id = ? AND reblog_of_id IS NULL"+d.hold(), id)
	if !errors.Is(err, ErrNotFound) {
		return s, err
	}
	if s, err = d.StatusByID(ctx, id); err != nil {
		return nil, err
	}
	if err := d.HoldStatus(ctx, *s.ReblogOfID); err != nil {
		return nil, err
	}
	return one[Status](ctx, d, "status "+id, "SELECT * FROM statuses WHERE id = ?"+d.hold(), id)
}

// StatusesByID returns the statuses with these ids, in no order and without
// regard to their visibility. Unknown ids are left out.
func (d *DB) StatusesByID(ctx context.Context, ids []string) ([]Status, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return list[Status](ctx, d, "statuses", "SELECT * FROM statuses WHERE id IN ?", ids)
}

const statusColumns = `id, account_id, uri, url, local, visibility, list_id, conversation_id,
	in_reply_to_id, in_reply_to_account_id, in_reply_to_uri, reblog_of_id, reblog_of_account_id,
	text, content_type, content, spoiler_text, language, sensitive, has_media, mentions, tags, emojis,
	to_uris, cc_uris, application_name, application_website, created_at, expires_at, poll_id, quote_uri, quote_stamped`

// Quotable reports whether others may quote a status, which everybody may see.
func (s *Status) Quotable() bool { return s.Visibility == Public || s.Visibility == Unlisted }

func (s *Status) values() []any {
	return []any{
		s.ID, s.AccountID, s.URI, s.URL, s.Local, s.Visibility, s.ListID, s.ConversationID,
		s.InReplyToID, s.InReplyToAccountID, s.InReplyToURI, s.ReblogOfID, s.ReblogOfAccountID,
		s.Text, s.ContentType, s.Content, s.SpoilerText, s.Language, s.Sensitive, s.HasMedia, s.Mentions, s.Tags, s.Emojis,
		s.ToURIs, s.CCURIs, s.ApplicationName, s.ApplicationWebsite, s.CreatedAt, s.ExpiresAt, s.PollID, s.QuoteURI, s.QuoteStamped,
	}
}

var insertStatus = "INSERT INTO statuses (" + statusColumns + ") VALUES " + rowsOf(1, strings.Count(statusColumns, ",")+1)

// CreateStatus inserts the row of s alone. It is written by hand, since every
// status passes here. A known URI is ErrDuplicate, of this or of a later statement.
func (d *DB) CreateStatus(ctx context.Context, s *Status) error {
	s.Version = 1
	return d.execLater(ctx, "create status", insertStatus, s.values()...)
}

// CreateReblog inserts s and counts it on the reblogged status. It is false,
// without changes, if the reblog exists. A reblogged status that is gone, or
// has not the given visibility any more, is ErrNotFound.
func (d *DB) CreateReblog(ctx context.Context, s *Status, visibility string) (bool, error) {
	n, err := d.exec(ctx, "create reblog", insertStatus+" ON CONFLICT DO NOTHING", s.values()...)
	if err != nil || n == 0 {
		return false, err
	}
	n, err = d.exec(ctx, "count reblog", "UPDATE statuses SET reblogs_count = reblogs_count + 1 WHERE id = ? AND visibility = ?", *s.ReblogOfID, visibility)
	if err == nil && n == 0 {
		err = notFound("status %s", *s.ReblogOfID)
	}
	return true, err
}

// ReblogBy returns the reblog of a status by an account.
func (d *DB) ReblogBy(ctx context.Context, accountID, statusID string) (*Status, error) {
	return one[Status](ctx, d, "reblog of "+statusID, "SELECT * FROM statuses WHERE reblog_of_id = ? AND account_id = ?", statusID, accountID)
}

// CreateConversation creates a thread and returns its number.
func (d *DB) CreateConversation(ctx context.Context, uri string) (int64, error) {
	return value[int64](ctx, d.writing(), "create conversation", "INSERT INTO conversations (uri) VALUES (?) RETURNING id", uri)
}

// AddTags files a status under hashtags, by their names.
func (d *DB) AddTags(ctx context.Context, statusID string, tags []string) error {
	if len(tags) == 0 {
		return nil
	}
	args := make([]any, 0, 2*len(tags))
	for _, tag := range tags {
		args = append(args, tag, statusID)
	}
	return d.execLater(ctx, "add tags", "INSERT INTO status_tags (tag, status_id) VALUES "+
		rowsOf(len(tags), 2)+" ON CONFLICT DO NOTHING", args...)
}

// CreateAttachments inserts files and sets their ids, and their times if they
// have none.
func (d *DB) CreateAttachments(ctx context.Context, files []MediaAttachment) error {
	if len(files) == 0 {
		return nil
	}
	for i := range files {
		if files[i].CreatedAt.IsZero() {
			files[i].CreatedAt = d.Now()
		}
	}
	const values = 25 // of one file, at least
	for some := range slices.Chunk(files, manyAtOnce/values) {
		if err := d.writer(ctx).Create(&some).Error; err != nil {
			return wrap(err, "create attachments")
		}
	}
	return nil
}

// AttachMedia attaches an account's own, unused uploads to a status, in order.
// An upload that is another's, used or unknown is ErrNotFound.
func (d *DB) AttachMedia(ctx context.Context, accountID, statusID string, ids []int64) error {
	return d.useMedia(ctx, "status_id", statusID, accountID, ids)
}

// useMedia writes the user of an account's own, unused uploads into a column.
func (d *DB) useMedia(ctx context.Context, column string, by any, accountID string, ids []int64) error {
	for i, id := range ids {
		n, err := d.exec(ctx, "use media", "UPDATE media_attachments SET "+column+` = ?, position = ?
			WHERE id = ? AND account_id = ? AND status_id IS NULL AND scheduled_status_id IS NULL AND NOT mascot`, by, i, id, accountID)
		if err != nil {
			return err
		}
		if n == 0 {
			return notFound("media %d", id)
		}
	}
	return nil
}

// StatusCounts are changes to a status's counters.
type StatusCounts struct{ Replies, Reblogs, Favourites int64 }

// AddStatusCounts changes a status's counters, never below zero. A status that
// is gone is ErrNotFound.
func (d *DB) AddStatusCounts(ctx context.Context, id string, by StatusCounts) error {
	n, err := d.exec(ctx, "count", `UPDATE statuses SET
		replies_count    = CASE WHEN replies_count + ? < 0 THEN 0 ELSE replies_count + ? END,
		reblogs_count    = CASE WHEN reblogs_count + ? < 0 THEN 0 ELSE reblogs_count + ? END,
		favourites_count = CASE WHEN favourites_count + ? < 0 THEN 0 ELSE favourites_count + ? END
		WHERE id = ?`, by.Replies, by.Replies, by.Reblogs, by.Reblogs, by.Favourites, by.Favourites, id)
	if err == nil && n == 0 {
		err = notFound("status %s", id)
	}
	return err
}

// CountReply holds a status that gets a reply, counts the reply if it counts,
// and returns the thread of the status. A status that is gone is ErrNotFound.
func (d *DB) CountReply(ctx context.Context, id string, counts bool) (thread *int64, err error) {
	query := "SELECT conversation_id FROM statuses WHERE id = ?" + d.hold()
	if counts {
		query = "UPDATE statuses SET replies_count = replies_count + 1 WHERE id = ? RETURNING conversation_id"
	}
	return value[*int64](ctx, d.writing(), "status "+id, query, id)
}

// UpdateStatus writes the named columns of s.
func (d *DB) UpdateStatus(ctx context.Context, s *Status, columns ...string) error {
	err := d.writer(ctx).Model(&Status{}).Where("id = ?", s.ID).Select(columns).Updates(s).Error
	return wrap(err, "update status %s", s.ID)
}

// restOf are the rows of others about a status, or about its poll, by keys that
// an index has in order.
var restOf = []struct{ table, key, column, where string }{
	{"statuses", "id", "reblog_of_id", ""},
	{"notifications", "id", "status_id", "status_id <> '' AND "}, // as its index says
	{"favourites", "account_id, status_id", "status_id", ""},
	{"bookmarks", "id", "status_id", ""},
	{"filter_statuses", "account_id, number", "status_id", ""},
	{"status_recipients", "status_id, account_id", "status_id", ""},
	{"fetchers", "status_id, inbox", "status_id", ""},
	{"quotes", "id", "status_id", ""},
	{"emoji_reactions", "id", "status_id", ""},
	{"poll_votes", "poll_id, account_id, choice", "poll_id", ""},
}

// DeleteRest removes up to limit rows of each kind about a status that is gone,
// and about its poll, 0 for none. It reports whether there may be more.
func (d *DB) DeleteRest(ctx context.Context, statusID string, pollID int64, limit int) (more bool, err error) {
	for _, r := range restOf {
		var of any = statusID
		if r.column == "poll_id" {
			if of = pollID; pollID == 0 {
				continue
			}
		}
		n, err := d.exec(ctx, "delete rest of status", "DELETE FROM "+r.table+" WHERE "+d.inOrder(r.table, r.key, r.where+r.column+" = ?", limit), of)
		if err != nil {
			return false, err
		}
		more = more || n >= int64(limit)
	}
	d.countsChanged(Everybody)
	return more, nil
}

// DeleteStatus removes a status with its files, tags, poll and card, and up to
// limit rows of each kind of DeleteRest, and keeps its URI as a tombstone. Home
// entries stay without a status until they are swept. It reports whether
// DeleteRest has more to do. A status that is gone is ErrNotFound.
func (d *DB) DeleteStatus(ctx context.Context, s *Status, limit int) (more bool, err error) {
	n, err := d.exec(ctx, "delete status", "DELETE FROM statuses WHERE id = ?", s.ID)
	if err != nil {
		return false, err
	}
	if n == 0 {
		return false, notFound("status %s", s.ID)
	}
	var poll int64
	if s.PollID != nil {
		poll = *s.PollID
	}
	if more, err = d.DeleteRest(ctx, s.ID, poll, limit); err != nil {
		return false, err
	}
	if _, err := d.exec(ctx, "delete status's files", "DELETE FROM media_attachments WHERE status_id = ?", s.ID); err != nil {
		return false, err
	}
	if err := d.deletePollCard(ctx, s); err != nil {
		return false, err
	}
	if len(s.Tags) > 0 {
		if _, err := d.exec(ctx, "delete status's tags", "DELETE FROM status_tags WHERE tag IN ? AND status_id = ?", []string(s.Tags), s.ID); err != nil {
			return false, err
		}
	}
	if err := d.RemoveFromParticipations(ctx, s); err != nil || s.URI == nil {
		return more, err
	}
	kind := "Note"
	if s.PollID != nil {
		kind = "Question"
	}
	_, err = d.exec(ctx, "tombstone", `INSERT INTO tombstones (uri, former_type, account_id, deleted_at)
		VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`, *s.URI, kind, s.AccountID, d.Now())
	return more, err
}

// deletePollCard removes rows that only some statuses have: a poll, a card.
func (d *DB) deletePollCard(ctx context.Context, s *Status) error {
	if s.PollID != nil {
		if err := d.DeletePoll(ctx, *s.PollID); err != nil {
			return err
		}
	}
	if s.CardID != nil {
		return d.deleteCard(ctx, *s.CardID)
	}
	return nil
}

// DeleteReblog removes a reblog and its notification. It first updates the
// counter of the reblogged status, so that statuses are locked before their
// reblogs, as in DeleteStatus. A reblog that is gone is ErrNotFound.
func (d *DB) DeleteReblog(ctx context.Context, s *Status) error {
	if err := d.AddStatusCounts(ctx, *s.ReblogOfID, StatusCounts{Reblogs: -1}); err != nil {
		return err
	}
	n, err := d.exec(ctx, "delete reblog", "DELETE FROM statuses WHERE id = ?", s.ID)
	if err != nil {
		return err
	}
	if n == 0 {
		return notFound("reblog %s", s.ID)
	}
	return d.deleteReaction(ctx, NotifyReblog, s.AccountID, *s.ReblogOfID)
}

// CutReblogs removes up to limit reblogs of s, which is held, by others than its
// author. more reports that there may be others.
func (d *DB) CutReblogs(ctx context.Context, s *Status, limit int) (more bool, err error) {
	n, err := d.exec(ctx, "delete reblogs", "DELETE FROM statuses WHERE id IN (SELECT id FROM statuses WHERE reblog_of_id = ? AND account_id <> ? ORDER BY id LIMIT ?"+d.hold()+")",
		s.ID, s.AccountID, limit)
	if err != nil || n == 0 {
		return false, err
	}
	return n >= int64(limit), d.AddStatusCounts(ctx, s.ID, StatusCounts{Reblogs: -n})
}

// CreateFavourite inserts f and counts it. It is false, without changes, if the
// favourite exists, or its account is deactivated: MarkDeleted waits for the
// account, which is held here, as the status is. A status that is gone is
// ErrNotFound.
func (d *DB) CreateFavourite(ctx context.Context, f *Favourite) (bool, error) {
	query := `INSERT INTO favourites (account_id, status_id, id, uri, created_at)
		SELECT a.id, s.id, CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT) FROM accounts a CROSS JOIN statuses s
		WHERE a.id = ? AND NOT a.deactivated AND s.id = ?`
	if d.pool.dialect == Postgres {
		query += " FOR NO KEY UPDATE OF s FOR KEY SHARE OF a"
	}
	n, err := d.exec(ctx, "create favourite", query+" ON CONFLICT DO NOTHING", f.ID, f.URI, f.CreatedAt, f.AccountID, f.StatusID)
	if err == nil && n == 0 {
		err = d.HoldStatus(ctx, f.StatusID)
	}
	if err != nil || n == 0 {
		return false, err
	}
	return true, d.execLater(ctx, "count favourite", "UPDATE statuses SET favourites_count = favourites_count + 1 WHERE id = ?", f.StatusID)
}

// DeleteFavourite removes a favourite and its notification. It is false if
// there was none.
func (d *DB) DeleteFavourite(ctx context.Context, accountID, statusID string) (bool, error) {
	if err := d.HoldOriginal(ctx, statusID); err != nil {
		return false, err
	}
	n, err := d.exec(ctx, "delete favourite", "DELETE FROM favourites WHERE account_id = ? AND status_id = ?", accountID, statusID)
	if err != nil || n == 0 {
		return false, err
	}
	if err := d.AddStatusCounts(ctx, statusID, StatusCounts{Favourites: -1}); err != nil {
		return false, err
	}
	return true, d.deleteReaction(ctx, NotifyFavourite, accountID, statusID)
}

func (d *DB) deleteReaction(ctx context.Context, kind, fromID, statusID string) error {
	err := d.execLater(ctx, "delete notification",
		"DELETE FROM notifications WHERE status_id = ? AND status_id <> '' AND type = ? AND from_id = ?", statusID, kind, fromID)
	d.countsChanged(Everybody)
	return err
}

// ExpiredStatuses returns up to limit ids of unpinned statuses that expired
// before a moment.
func (d *DB) ExpiredStatuses(ctx context.Context, before Time, limit int) ([]string, error) {
	return list[string](ctx, d, "expired statuses", "SELECT id FROM statuses WHERE expires_at IS NOT NULL AND expires_at <= ? AND pinned_at IS NULL ORDER BY expires_at LIMIT ?",
		before, limit)
}
