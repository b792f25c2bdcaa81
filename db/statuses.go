package db

import (
	"context"

	"gorm.io/gorm"
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

// Status is a post, or with ReblogOfID the boost of one, which has an id and
// place in timelines of its own.
type Status struct {
	ID                 string `gorm:"primaryKey"` // flake
	Version            int64  `gorm:"->"`
	AccountID          string
	URI                *string `gorm:"column:uri"` // the object's id; the activity's for a boost
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
}

// Mention is an account named in a status, as it was called then.
type Mention struct {
	ID       string `json:"id"`
	Username string `json:"username"`
	URL      string `json:"url"`
	Acct     string `json:"acct"`
	URI      string `json:"uri"`
}

// StatusRecipient is an account that a status is addressed to by name.
type StatusRecipient struct {
	StatusID  string `gorm:"primaryKey"`
	AccountID string `gorm:"primaryKey"`
	Mentioned bool
}

// StatusTag files a status under a hashtag, in lower case.
type StatusTag struct {
	Tag      string `gorm:"primaryKey"`
	StatusID string `gorm:"primaryKey"`
}

// MediaAttachment is a file shown with a status.
type MediaAttachment struct {
	ID          int64 `gorm:"primaryKey;autoIncrement"`
	AccountID   string
	StatusID    *string
	Position    int
	Type        string // image, video, audio, unknown
	URL         string `gorm:"column:url"`
	RemoteURL   string `gorm:"column:remote_url"`
	PreviewURL  string `gorm:"column:preview_url"`
	Description string
	MimeType    string
	Blurhash    string
	CreatedAt   Time `gorm:"autoCreateTime:false"`
}

// Conversation is a thread: all statuses of one ActivityPub context.
type Conversation struct {
	ID  int64  `gorm:"primaryKey;autoIncrement"`
	URI string `gorm:"column:uri"`
}

// Tombstone keeps the URI of what was deleted.
type Tombstone struct {
	URI        string `gorm:"column:uri;primaryKey"`
	FormerType string
	AccountID  string
	DeletedAt  Time
}

// StatusByID returns a status whoever may see it: for rules and jobs. What a
// person asks for goes through Status.
func (d *DB) StatusByID(ctx context.Context, id string) (*Status, error) {
	s, err := gorm.G[Status](d.orm).Where("id = ?", id).Take(ctx)
	if err != nil {
		return nil, wrap(err, "status %s", id)
	}
	return &s, nil
}

// StatusByURI returns a status whoever may see it.
func (d *DB) StatusByURI(ctx context.Context, uri string) (*Status, error) {
	s, err := gorm.G[Status](d.orm).Where("uri = ?", uri).Take(ctx)
	if err != nil {
		return nil, wrap(err, "status %s", uri)
	}
	return &s, nil
}

// StatusesByID returns the statuses with these ids, in no order, whoever may
// see them; unknown ids are left out.
func (d *DB) StatusesByID(ctx context.Context, ids []string) ([]Status, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := gorm.G[Status](d.orm).Where("id IN ?", ids).Find(ctx)
	return rows, wrap(err, "statuses")
}
