package social

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"svc/db"
	"svc/server/auth"
	"svc/server/config"
	"svc/server/fault"
	"svc/server/notify"
	"svc/server/text"
)

// NewStatus is a status about to be posted.
type NewStatus struct {
	Text        string // as typed
	ContentType string // one that is not allowed counts as text/plain
	SpoilerText string
	Sensitive   bool
	Visibility  string // "" is the parent's, or public
	InReplyToID string
	Language    string
	// To, when not nil, names the addressees instead of the mentions.
	To []string
	// MediaIDs are uploads of the author's that are not used yet; Attachments
	// are files that come with the status.
	MediaIDs    []int64
	Attachments []db.MediaAttachment
	// ExpiresIn is when the status is deleted, from now; 0 is never.
	ExpiresIn  time.Duration
	AppName    string
	AppWebsite string
	// IdempotencyKey makes a repeated post return the first one. It must be
	// unique to the caller.
	IdempotencyKey string

	// Of a status that comes from another server: its ids, time, and content
	// that is HTML already. A zero CreatedAt is now, an empty URI is made up.
	URI       string
	URL       string
	HTML      string
	CreatedAt time.Time
}

// minExpiry is from when on a status may expire.
const minExpiry = time.Hour

// draft is a status on its way into the database.
type draft struct {
	row       *db.Status
	parent    *db.Status
	addressed []db.Account
	mediaIDs  []int64
	files     []db.MediaAttachment
	key       string
}

// PostStatus posts a status and returns its row. A parent that by may not see
// is db.ErrNotFound; what breaks a rule is a fault. With a key that was used
// before, nothing is posted and the first status returned.
//
// It takes, in the transaction, two statements, the insertion of a
// conversation for what is no reply, one for counters, and one each for
// addressees, hashtags, files, notifications, the parent's counter and the key
// where there are any.
func (s *Service) PostStatus(ctx context.Context, by *db.Account, in NewStatus) (*db.Status, error) {
	d, err := s.draft(ctx, by, in)
	if err != nil {
		return nil, err
	}
	var first string
	err = s.db.Tx(ctx, func(tx *db.DB) error {
		if d.key != "" {
			if first, err = tx.ClaimKey(ctx, d.key, d.row.ID); err != nil || first != "" {
				return err
			}
		}
		return s.post(ctx, tx, by, d)
	})
	if err != nil {
		return nil, err
	}
	if first != "" {
		return s.db.StatusByID(ctx, first)
	}
	return d.row, nil
}

// post inserts d. The author's account is locked as late as possible, so that
// several posts of one author wait for each other for a moment only; then the
// parent.
func (s *Service) post(ctx context.Context, tx *db.DB, by *db.Account, d *draft) error {
	row := d.row
	if d.parent != nil {
		row.ConversationID = d.parent.ConversationID
	}
	if d.parent == nil || row.ConversationID == nil {
		id, err := tx.CreateConversation(ctx, s.newURI("contexts"))
		if err != nil {
			return err
		}
		row.ConversationID = &id
	}
	if err := tx.CreateStatus(ctx, row); err != nil {
		return err
	}
	if err := s.attach(ctx, tx, by, d); err != nil {
		return err
	}
	all, local := make([]string, len(d.addressed)), make([]string, 0, len(d.addressed))
	for i, a := range d.addressed {
		all[i] = a.ID
		if a.Local && a.ID != by.ID {
			local = append(local, a.ID)
		}
	}
	if err := tx.AddRecipients(ctx, row.ID, all); err != nil {
		return err
	}
	if err := tx.AddTags(ctx, row.ID, row.Tags); err != nil {
		return err
	}
	if err := deliver(ctx, tx, by, row, local); err != nil {
		return err
	}
	news := db.News{Type: db.NotifyMention, From: by, StatusID: row.ID, Conversation: row.ConversationID}
	if err := notify.Notify(ctx, tx, news, local...); err != nil {
		return err
	}
	if !counted(row.Visibility) {
		return nil
	}
	if err := tx.Posted(ctx, by.ID, row.CreatedAt); err != nil || d.parent == nil {
		return err
	}
	return tx.AddStatusCounts(ctx, d.parent.ID, db.StatusCounts{Replies: 1})
}

func (s *Service) attach(ctx context.Context, tx *db.DB, by *db.Account, d *draft) error {
	err := tx.AttachMedia(ctx, by.ID, d.row.ID, d.mediaIDs)
	if errors.Is(err, db.ErrNotFound) {
		return fault.Invalid("Could not find the media to attach")
	}
	if err != nil {
		return err
	}
	return tx.CreateAttachments(ctx, slices.Clone(d.files))
}

// draft applies the rules and fills the row in, with up to 3 statements.
func (s *Service) draft(ctx context.Context, by *db.Account, in NewStatus) (*draft, error) {
	settings := s.settings.Load()
	d := &draft{mediaIDs: in.MediaIDs, row: &db.Status{AccountID: by.ID, Local: by.Local}}
	if by.Deactivated {
		return nil, fault.Forbidden("Your account is currently disabled").With("account_is_disabled")
	}
	if err := s.body(settings, by, &in); err != nil {
		return nil, err
	}
	if in.ExpiresIn != 0 {
		if in.ExpiresIn <= minExpiry {
			return nil, fault.Invalid("Expiry date is too soon")
		}
		d.row.ExpiresAt = db.At(s.now().Add(in.ExpiresIn))
	}
	if in.InReplyToID != "" {
		parent, err := visible(ctx, s.db, by, in.InReplyToID)
		if err != nil {
			return nil, err
		}
		d.parent = parent
		d.row.InReplyToID, d.row.InReplyToAccountID = &parent.ID, &parent.AccountID
	}
	if err := d.chooseVisibility(by, in.Visibility); err != nil {
		return nil, err
	}
	if err := s.write(ctx, by, d, &in); err != nil {
		return nil, err
	}
	s.identify(by, d, &in)
	if in.IdempotencyKey != "" {
		d.key = "status:" + auth.Hash(in.IdempotencyKey)
	}
	for i, f := range in.Attachments {
		f.AccountID, f.StatusID, f.Position = by.ID, &d.row.ID, i
		if f.CreatedAt.IsZero() {
			f.CreatedAt = d.row.CreatedAt
		}
		d.files = append(d.files, f)
	}
	return d, nil
}

// body cleans what was typed and checks its length.
func (s *Service) body(settings *config.Settings, by *db.Account, in *NewStatus) error {
	in.Text, _ = text.Clean(in.Text)
	in.SpoilerText, _ = text.Clean(in.SpoilerText)
	in.Text, in.SpoilerText = strings.TrimSpace(in.Text), strings.TrimSpace(in.SpoilerText)
	if in.Text == "" && in.HTML == "" && len(in.MediaIDs) == 0 && len(in.Attachments) == 0 {
		return fault.Invalid("Cannot post an empty status without attachments")
	}
	limit := settings.Instance.Limit
	if !by.Local {
		limit = settings.Instance.RemoteLimit
	}
	// Bytes are never fewer than characters: most texts need not be counted.
	if len(in.Text)+len(in.HTML)+len(in.SpoilerText) > limit && text.Length(in.Text)+text.Length(in.HTML)+text.Length(in.SpoilerText) > limit {
		return fault.Invalid("The status is over the character limit")
	}
	if len(in.To) > maxAddressed {
		return fault.Invalidf("A status cannot be addressed to more than %d accounts", maxAddressed)
	}
	if !slices.Contains(settings.Instance.AllowedPostFormats, in.ContentType) {
		in.ContentType = text.TypePlain
	}
	return nil
}

func (d *draft) chooseVisibility(by *db.Account, wanted string) error {
	if wanted == "" {
		wanted = db.Public
		if d.parent != nil {
			wanted = d.parent.Visibility
		}
	}
	switch {
	case wanted == db.List || strings.HasPrefix(wanted, "list:"):
		return fault.NotFound("List not found")
	case !slices.Contains([]string{db.Public, db.Unlisted, db.Private, db.Direct, db.Local}, wanted):
		return fault.Invalid("Visibility is not included in the list")
	case wanted == db.Local && !by.Local:
		return fault.Invalid("Only local accounts can post locally")
	case d.parent != nil && d.parent.Visibility == db.Direct && wanted != db.Direct:
		return fault.Invalid("The message visibility must be direct")
	}
	d.row.Visibility = wanted
	return nil
}

// write formats the text and finds whom it is addressed to, with up to one
// statement.
func (s *Service) write(ctx context.Context, by *db.Account, d *draft, in *NewStatus) error {
	row := d.row
	handles := text.Handles(in.Text, in.ContentType)
	names := make([]string, 0, len(handles)+len(in.To))
	for _, h := range slices.Concat(handles, in.To) {
		names = append(names, s.nickname(h))
	}
	parentAuthor := ""
	if in.To == nil && d.addressesParent(by) {
		parentAuthor = d.parent.AccountID
	}
	known, err := s.db.Named(ctx, names, parentAuthor)
	if err != nil {
		return err
	}
	byName := make(map[string]*db.Account, len(known))
	byID := make(map[string]*db.Account, len(known))
	for i := range known {
		byName[known[i].NickKey], byID[known[i].ID] = &known[i], &known[i]
	}
	found := text.Format(in.Text, in.ContentType, text.Options{BaseURL: s.base, Resolve: func(handle string) (text.Mention, bool) {
		a := byName[s.nickname(handle)]
		if a == nil {
			return text.Mention{}, false
		}
		return text.Mention{ID: a.ID, Acct: a.Nickname, URL: profileURL(a)}, true
	}})
	address := func(a *db.Account) {
		if a != nil && !slices.ContainsFunc(d.addressed, func(b db.Account) bool { return b.ID == a.ID }) {
			d.addressed = append(d.addressed, *a)
		}
	}
	address(byID[parentAuthor])
	if in.To != nil {
		for _, name := range in.To {
			address(byName[s.nickname(name)])
		}
	} else {
		for _, m := range found.Mentions {
			address(byID[m.ID])
		}
	}
	for _, a := range d.addressed {
		row.Mentions = append(row.Mentions, db.Mention{ID: a.ID, Username: a.Username(), URL: profileURL(&a), Acct: a.Nickname, URI: a.URI})
	}
	row.Text, row.ContentType, row.SpoilerText, row.Content = in.Text, in.ContentType, in.SpoilerText, found.HTML
	if in.HTML != "" {
		row.Content, row.ContentType = text.SanitizeRemote(in.HTML), text.TypeHTML
	}
	row.Tags = found.Hashtags
	row.Sensitive = in.Sensitive || found.NSFW
	row.HasMedia = len(in.MediaIDs) > 0 || len(in.Attachments) > 0
	row.Language = language(in.Language)
	return nil
}

// addressesParent tells whether a reply is addressed to the parent's author
// even if it does not mention him: followers-only ones are not, direct ones
// are within a direct exchange.
func (d *draft) addressesParent(by *db.Account) bool {
	if d.parent == nil || d.parent.AccountID == by.ID {
		return false
	}
	switch d.row.Visibility {
	case db.Private:
		return false
	case db.Direct:
		return d.parent.Visibility == db.Direct
	}
	return true
}

// identify gives d its id, time and addresses.
func (s *Service) identify(by *db.Account, d *draft, in *NewStatus) {
	row := d.row
	row.ID, row.CreatedAt = s.db.NewID(), s.db.Now()
	if !in.CreatedAt.IsZero() {
		row.CreatedAt = db.At(in.CreatedAt)
	}
	uri := in.URI
	switch {
	case by.Local:
		uri = s.newURI("objects")
		row.URL = s.base + "/notice/" + row.ID
	case uri == "":
		uri = origin(by.URI) + "/objects/" + s.db.NewUUID()
	}
	row.URI = &uri
	if !by.Local {
		if row.URL = in.URL; row.URL == "" {
			row.URL = uri
		}
	}
	row.ApplicationName, row.ApplicationWebsite = in.AppName, in.AppWebsite
	s.addressURIs(by, row)
}

// addressURIs sets whom a status is federated to, from its visibility and
// mentions. Shape: the table of visibilities; followers and mentions stand in
// to, or in cc where everybody does not.
func (s *Service) addressURIs(by *db.Account, row *db.Status) {
	var named []string
	for _, m := range row.Mentions {
		named = append(named, m.URI)
	}
	to, cc := named, []string(nil)
	switch row.Visibility {
	case db.Public:
		to, cc = append([]string{Public}, named...), []string{by.FollowersURI}
	case db.Unlisted:
		to, cc = append([]string{by.FollowersURI}, named...), []string{Public}
	case db.Local:
		to, cc = append([]string{s.base + "/#Public"}, named...), []string{by.FollowersURI}
	case db.Private:
		to = append([]string{by.FollowersURI}, named...)
	}
	row.ToURIs, row.CCURIs = to, cc
}

// nickname is the stored form of a handle: without our own host, lower case.
func (s *Service) nickname(handle string) string {
	handle = strings.ToLower(strings.TrimPrefix(handle, "@"))
	if name, host, ok := strings.Cut(handle, "@"); ok && host == strings.ToLower(s.host) {
		return name
	}
	return handle
}

// newURI returns an ActivityPub id that cannot be guessed. Those made one after
// the other sort so, which keeps their index compact.
func (s *Service) newURI(kind string) string { return s.base + "/" + kind + "/" + s.db.NewUUID() }

func origin(uri string) string {
	u, err := url.Parse(uri)
	if err != nil {
		return uri
	}
	return u.Scheme + "://" + u.Host
}

func profileURL(a *db.Account) string {
	if a.URL != "" {
		return a.URL
	}
	return a.URI
}

// language keeps what can be a language tag (RFC 5646), in lower case.
func language(tag string) string {
	if len(tag) < 2 || len(tag) > 35 {
		return ""
	}
	for _, r := range tag {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' {
			return ""
		}
	}
	return strings.ToLower(tag)
}
