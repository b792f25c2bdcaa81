package api

import "encoding/json"

// Status is a status, or with Reblog a wrapper that reblogs one. A wrapper's
// account and created_at are those of the reblog, card and poll are null, and
// of svc only local has a meaning.
//
// The fields that depend on the viewer, poll to bookmarked, are contiguous and
// in this order, and so is the end of svc from direct_conversation_id on: a
// renderer may cache the rest and splice them in, and filtered.
type Status struct {
	ID                 string           `json:"id" schema:"filled,named"`
	URI                string           `json:"uri" schema:"filled"`
	URL                string           `json:"url" schema:"url"`
	Account            *Account         `json:"account" schema:"notnull"`
	InReplyToID        *string          `json:"in_reply_to_id" schema:"filled"`
	InReplyToAccountID *string          `json:"in_reply_to_account_id" schema:"filled"`
	Reblog             *Status          `json:"reblog"`
	Content            string           `json:"content"` // HTML
	Text               *string          `json:"text"`    // the source, in the answer to a delete
	CreatedAt          Time             `json:"created_at"`
	EditedAt           *Time            `json:"edited_at"`
	ReblogsCount       int              `json:"reblogs_count"`
	RepliesCount       int              `json:"replies_count"`
	FavouritesCount    int              `json:"favourites_count"`
	Sensitive          bool             `json:"sensitive"`
	SpoilerText        string           `json:"spoiler_text"`
	Visibility         string           `json:"visibility" schema:"enum=public unlisted private direct local list"` // public, unlisted, local, private, direct, list
	MediaAttachments   List[Attachment] `json:"media_attachments"`
	Mentions           List[Mention]    `json:"mentions"`
	Tags               List[Tag]        `json:"tags"`
	Emojis             List[Emoji]      `json:"emojis"`
	Card               *Card            `json:"card"`
	Application        *Application     `json:"application"`
	Language           *string          `json:"language" schema:"filled"`

	Poll       *Poll              `json:"poll"`
	Quote      *Quote             `json:"quote"` // of a status of another server that quotes
	Favourited bool               `json:"favourited"`
	Reblogged  bool               `json:"reblogged"`
	Muted      bool               `json:"muted"`
	Bookmarked bool               `json:"bookmarked"`
	Pinned     bool               `json:"pinned"`
	Filtered   List[FilterResult] `json:"filtered"`

	Svc StatusSvc `json:"svc"`

	Raw json.RawMessage `json:"-"`
}

// The states of a quote.
const (
	QuoteAccepted     = "accepted"
	QuoteUnauthorized = "unauthorized" // not shown to the viewer
	QuotePending      = "pending"      // not known here
	QuoteDeleted      = "deleted"
)

// Quote is what a status quotes: the status itself, null unless the quote is accepted. The
// Quote of a quoted status has its id in its place.
type Quote struct {
	State    string  `json:"state" schema:"enum=accepted unauthorized pending deleted"`
	Status   *Status `json:"quoted_status,omitempty" schema:"nullable"`
	StatusID *string `json:"quoted_status_id,omitempty" schema:"filled,nullable"`
}

// StatusSvc is the service's part of a status. The conversation ids are
// integers.
type StatusSvc struct {
	Local                bool                `json:"local"`
	ConversationID       *int64              `json:"conversation_id"`
	InReplyToAccountAcct *string             `json:"in_reply_to_account_acct" schema:"filled"`
	Content              PlainText           `json:"content"`
	SpoilerText          PlainText           `json:"spoiler_text"`
	DirectConversationID *int64              `json:"direct_conversation_id"`
	ExpiresAt            *Time               `json:"expires_at"` // to the author
	EmojiReactions       List[EmojiReaction] `json:"emoji_reactions"`
	ThreadMuted          bool                `json:"thread_muted"`
	ParentVisible        bool                `json:"parent_visible"`

	// In reports, and in threads as admins see them: the status is gone, and shown as it was when it was reported.
	Deleted *StatusDeletion `json:"deleted,omitempty"`
	// Reported is the status as it was when it was reported, if it changed since.
	Reported *Status `json:"reported,omitempty"`
}

// StatusDeletion says when a reported status was deleted, null if that is not known, and
// by whom: "author", "moderator" (Nickname), "account" if it went with its account, or
// "server" if another server said so or this one did by itself.
type StatusDeletion struct {
	At       *Time  `json:"at"`
	By       string `json:"by"`
	Nickname string `json:"nickname,omitempty"`
}

// PlainText is a text in its variants, of which there is one.
type PlainText struct {
	Plain string `json:"text/plain"`
}

// UnmarshalJSON decodes a status and keeps its bytes in Raw.
func (s *Status) UnmarshalJSON(data []byte) error {
	type plain Status
	if err := json.Unmarshal(data, (*plain)(s)); err != nil {
		return err
	}
	if s.Account != nil {
		s.Account.Raw = nil
	}
	if s.Reblog != nil {
		s.Reblog.Raw = nil
	}
	s.Raw = keep(data)
	return nil
}

// StatusContext is the thread around a status, each part in the order to show.
type StatusContext struct {
	Ancestors   List[Status] `json:"ancestors"`
	Descendants List[Status] `json:"descendants"`
}

// Mention is an account that a status addresses.
type Mention struct {
	ID       string `json:"id" schema:"filled"`
	Username string `json:"username" schema:"filled"`
	URL      string `json:"url" schema:"url"`
	Acct     string `json:"acct" schema:"filled"`
}

// Tag is a hashtag. Its name is in one case and one Unicode form.
type Tag struct {
	ID        string                `json:"id,omitempty" schema:"filled"`
	Name      string                `json:"name" schema:"filled"`
	URL       string                `json:"url" schema:"url"`
	History   List[json.RawMessage] `json:"history"`
	Following *bool                 `json:"following,omitempty"`
}

// Attachment is a picture, video, sound or other file of a status. Its id is
// an integer printed as a string.
type Attachment struct {
	ID          string        `json:"id" schema:"filled"`
	Type        string        `json:"type" schema:"enum=image video gifv audio unknown"` // image, video, audio, unknown
	URL         string        `json:"url" schema:"url"`
	RemoteURL   *string       `json:"remote_url" schema:"filled"`
	PreviewURL  string        `json:"preview_url" schema:"url"`
	TextURL     string        `json:"text_url"`
	Description *string       `json:"description"`
	Blurhash    *string       `json:"blurhash" schema:"filled"`
	Meta        *MediaMeta    `json:"meta"` // null for files of other servers
	Svc         AttachmentSvc `json:"svc"`
}

// MediaMeta is what is known of a file kept here: of a picture its size, that of its
// preview, and the point that cuts keep once one is set.
type MediaMeta struct {
	Original *MediaSize  `json:"original,omitempty"`
	Small    *MediaSize  `json:"small,omitempty"`
	Focus    *MediaFocus `json:"focus,omitempty"`
}

// MediaSize is a size in pixels. Size is its text, such as 640x480.
type MediaSize struct {
	Width  int     `json:"width"`
	Height int     `json:"height"`
	Size   string  `json:"size" schema:"filled"`
	Aspect float64 `json:"aspect"`
}

// MediaFocus is a point of a picture, from -1 (left, bottom) to 1.
type MediaFocus struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// AttachmentSvc is the service's part of an attachment.
type AttachmentSvc struct {
	MimeType string `json:"mime_type"`
}

// Card previews the page that a status links to.
type Card struct {
	Type         string  `json:"type" schema:"enum=link"` // link
	URL          string  `json:"url" schema:"url"`
	Title        string  `json:"title"`
	Description  string  `json:"description"`
	Image        *string `json:"image" schema:"filled"`
	ProviderName string  `json:"provider_name"`
	ProviderURL  string  `json:"provider_url"`
	AuthorName   string  `json:"author_name"`
	AuthorURL    string  `json:"author_url"`
	HTML         string  `json:"html"`
	Width        int     `json:"width"`
	Height       int     `json:"height"`
	EmbedURL     string  `json:"embed_url"`
	Svc          CardSvc `json:"svc"`
}

// CardSvc is the service's part of a card.
type CardSvc struct {
	OpenGraph json.RawMessage `json:"opengraph"`
}

// Application is the program that a status was written with.
type Application struct {
	Name    string  `json:"name" schema:"filled"`
	Website *string `json:"website"`
}

// NewStatus is the form of POST /api/v1/statuses. Status may be empty with
// media; ExpiresIn is in seconds.
type NewStatus struct {
	Status                  string   `json:"status,omitempty" form:"status"`
	MediaIDs                []string `json:"media_ids,omitempty" form:"media_ids[]"`
	InReplyToID             string   `json:"in_reply_to_id,omitempty" form:"in_reply_to_id"`
	Sensitive               *Bool    `json:"sensitive,omitempty" form:"sensitive"`
	SpoilerText             string   `json:"spoiler_text,omitempty" form:"spoiler_text"`
	Visibility              string   `json:"visibility,omitempty" form:"visibility"`
	ScheduledAt             string   `json:"scheduled_at,omitempty" form:"scheduled_at"`
	Language                string   `json:"language,omitempty" form:"language"`
	Poll                    *NewPoll `json:"poll,omitempty" form:"poll"`
	Preview                 Bool     `json:"preview,omitempty" form:"preview"`
	ContentType             string   `json:"content_type,omitempty" form:"content_type"`
	To                      []string `json:"to,omitempty" form:"to[]"`
	ExpiresIn               *Int     `json:"expires_in,omitempty" form:"expires_in"`
	InReplyToConversationID Int      `json:"in_reply_to_conversation_id,omitempty" form:"in_reply_to_conversation_id"`
	// QuotedStatusID is refused: statuses do not quote others here.
	QuotedStatusID string `json:"quoted_status_id,omitempty" form:"quoted_status_id"`
	// AllowedMentions, if not nil, are the ids of the only accounts that the text may
	// mention.
	AllowedMentions []string `json:"allowed_mentions,omitempty" form:"allowed_mentions[]"`
}

// StatusForm is the form of PUT /api/v1/statuses/:id: the whole status anew. What it
// leaves out is empty, but that the language and the format stay, and descriptions of
// files without MediaAttributes.
type StatusForm struct {
	Status          string            `json:"status,omitempty" form:"status"`
	SpoilerText     string            `json:"spoiler_text,omitempty" form:"spoiler_text"`
	Sensitive       Bool              `json:"sensitive,omitempty" form:"sensitive"`
	Language        string            `json:"language,omitempty" form:"language"`
	ContentType     string            `json:"content_type,omitempty" form:"content_type"`
	MediaIDs        []string          `json:"media_ids,omitempty" form:"media_ids[]"`
	MediaAttributes []MediaAttributes `json:"media_attributes,omitempty" form:"media_attributes[]"`
	Poll            *NewPoll          `json:"poll,omitempty" form:"poll"`
}

// MediaAttributes are changes of a file of a StatusForm.
type MediaAttributes struct {
	ID          string  `json:"id" form:"id" binding:"required"`
	Description *string `json:"description,omitempty" form:"description"`
	Focus       *string `json:"focus,omitempty" form:"focus"`
}

// StatusSource is a status as its author typed it.
type StatusSource struct {
	ID          string `json:"id" schema:"filled"`
	Text        string `json:"text"`
	SpoilerText string `json:"spoiler_text"`
	ContentType string `json:"content_type" schema:"filled"`
}

// StatusEdit is a version of a status. CreatedAt is when it was made.
type StatusEdit struct {
	Content          string           `json:"content"` // HTML
	SpoilerText      string           `json:"spoiler_text"`
	Sensitive        bool             `json:"sensitive"`
	CreatedAt        Time             `json:"created_at"`
	Account          *Account         `json:"account" schema:"notnull"`
	Poll             *EditedPoll      `json:"poll"`
	MediaAttachments List[Attachment] `json:"media_attachments"`
	Emojis           List[Emoji]      `json:"emojis"`
}

// EditedPoll is the poll of a version: its question, and no votes.
type EditedPoll struct {
	ID          string             `json:"id" schema:"filled"`
	ExpiresAt   *Time              `json:"expires_at"`
	Expired     bool               `json:"expired"`
	Multiple    bool               `json:"multiple"`
	VotesCount  int                `json:"votes_count"`
	VotersCount *int               `json:"voters_count"`
	Options     List[EditedOption] `json:"options"`
	OwnVotes    List[int]          `json:"own_votes"`
	Emojis      List[Emoji]        `json:"emojis"`
}

// EditedOption is an answer of an EditedPoll.
type EditedOption struct {
	Title      string `json:"title"`
	VotesCount *int   `json:"votes_count"`
}

// StatusesQuery names the statuses of GET /api/v1/statuses, 100 at most, by either
// name.
type StatusesQuery struct {
	IDs       []string `json:"ids,omitempty" form:"ids[]"`
	ID        []string `json:"id,omitempty" form:"id[]"`
	WithMuted bool     `json:"with_muted,omitempty" form:"with_muted"`
}

// OneStatusQuery is the query of GET /api/v1/statuses/:id.
type OneStatusQuery struct {
	WithMuted Bool `json:"with_muted,omitempty" form:"with_muted"`
}

// NewReblog is the form of POST /api/v1/statuses/:id/reblog.
type NewReblog struct {
	Visibility string `json:"visibility,omitempty" form:"visibility"`
}

// TimelineQuery selects a page of the home or public timeline. ReplyVisibility
// is following or self; OnlyMedia and Instance are for the public one.
type TimelineQuery struct {
	PageQuery
	Local               bool     `json:"local,omitempty" form:"local"`
	Remote              bool     `json:"remote,omitempty" form:"remote"`
	OnlyMedia           bool     `json:"only_media,omitempty" form:"only_media"`
	Instance            string   `json:"instance,omitempty" form:"instance"`
	WithMuted           bool     `json:"with_muted,omitempty" form:"with_muted"`
	ExcludeVisibilities []string `json:"exclude_visibilities,omitempty" form:"exclude_visibilities[]"`
	ReplyVisibility     string   `json:"reply_visibility,omitempty" form:"reply_visibility"`
}
