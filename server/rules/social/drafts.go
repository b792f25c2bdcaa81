package social

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/fault"
	"svc/server/platform/hosts"
	"svc/server/platform/text"
)

// draft is a status before it is stored.
type draft struct {
	row          *db.Status
	parent       *db.Status
	conversation *db.Participation
	addressed    []db.Account
	mediaIDs     []int64
	uploads      []db.MediaAttachment // those of mediaIDs
	described    []db.MediaAttachment // uploads whose description policies changed
	poll         *db.Poll
}

// thread returns the conversation of d, nil if it begins one.
func (d *draft) thread() *int64 {
	switch {
	case d.conversation != nil:
		return &d.conversation.ConversationID
	case d.parent != nil:
		return d.parent.ConversationID
	}
	return nil
}

func disabled() error {
	return fault.Forbidden("Your account is currently disabled").With("account_is_disabled")
}

// keepActive makes the deletion of by wait until the transaction ends. An account
// that was deactivated since its request began is refused: it may be erased
// already.
func keepActive(ctx context.Context, tx *db.DB, by *db.Account) error {
	return refuseGone(tx.KeepAccounts(ctx, by.ID))
}

// holdActive is keepActive that makes other writes of by wait too.
func holdActive(ctx context.Context, tx *db.DB, by *db.Account) error {
	return refuseGone(tx.HoldActive(ctx, by.ID))
}

func refuseGone(err error) error {
	if errors.Is(err, db.ErrNotFound) {
		return disabled()
	}
	return err
}

// draft applies the rules and fills the row in. With lookUp, unknown mentioned
// accounts are fetched from other servers. It takes a fixed number of
// statements: one or two each for parent, conversation, list, mentions and
// uploads, where there are any.
func (s *Service) draft(ctx context.Context, by *db.Account, in NewStatus, lookUp bool) (*draft, error) {
	settings := s.settings.Load()
	in = in.withDefaults(by)
	d := &draft{mediaIDs: in.MediaIDs, row: &db.Status{AccountID: by.ID, Local: true}}
	if by.Deactivated {
		return nil, disabled()
	}
	if err := s.checkText(settings, &in); err != nil {
		return nil, err
	}
	if in.QuotedID != "" { // without its quote the text would mean another thing
		return nil, fault.Invalid("Quoting is not supported")
	}
	if err := s.setExpiry(settings, d, in.ExpiresIn); err != nil {
		return nil, err
	}
	if err := s.findParent(ctx, by, d, &in); err != nil {
		return nil, err
	}
	if err := s.chooseVisibility(ctx, by, d, in.Visibility); err != nil {
		return nil, err
	}
	if err := s.formatText(ctx, settings, by, d, &in, lookUp); err != nil {
		return nil, err
	}
	s.identify(d.row, &in)
	s.addressURIs(by, d.row)
	var err error
	if d.poll, err = s.newPoll(settings, in.Poll, d.row); err != nil {
		return nil, err
	}
	if d.uploads, err = s.db.UnusedMedia(ctx, by.ID, in.MediaIDs); err != nil {
		return nil, noMedia(err)
	}
	s.linkFiles(settings, d)
	return d, s.applyPolicies(ctx, settings, by, d)
}

// withDefaults adds the author's own sensitivity and language where in names
// none.
func (in NewStatus) withDefaults(by *db.Account) NewStatus {
	if in.Sensitive == nil {
		in.Sensitive = &by.DefaultSensitive
	}
	in.Language = cmp.Or(in.Language, by.DefaultLanguage)
	return in
}

// checkText cleans the text and checks its length.
func (s *Service) checkText(settings *config.Settings, in *NewStatus) error {
	in.Text, _ = text.Clean(in.Text)
	in.Text, in.SpoilerText = strings.TrimSpace(in.Text), text.Lines(in.SpoilerText)
	if in.Text == "" && len(in.MediaIDs) == 0 {
		return fault.Invalid("Cannot post an empty status without attachments")
	}
	limit := settings.Instance.Limit
	// There are at least as many bytes as characters: most texts need not be
	// counted.
	if len(in.Text)+len(in.SpoilerText) > limit && text.Length(in.Text)+text.Length(in.SpoilerText) > limit {
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

// findParent finds the parent of d: the given one, or the newest status of the
// given conversation.
func (s *Service) findParent(ctx context.Context, by *db.Account, d *draft, in *NewStatus) error {
	if in.InReplyToID != "" {
		parent, err := visible(ctx, s.db, by, in.InReplyToID)
		if err != nil {
			return err
		}
		d.parent = parent
	}
	if in.ConversationID != 0 {
		c, err := s.db.Participation(ctx, db.Viewer{ID: by.ID}, in.ConversationID)
		if err != nil {
			return err
		}
		d.conversation = c
		if d.parent == nil && c.ShownID != "" {
			if d.parent, err = s.db.StatusByID(ctx, c.ShownID); ignoreNotFound(err) != nil {
				return err
			}
		}
	}
	if d.parent != nil {
		d.row.InReplyToID, d.row.InReplyToAccountID = &d.parent.ID, &d.parent.AccountID
	}
	return nil
}

// chooseVisibility sets the visibility: direct in a conversation, else the
// wanted one, else the parent's, else the author's default. A reply to another
// author's list status is direct, since only that author can address the list.
func (s *Service) chooseVisibility(ctx context.Context, by *db.Account, d *draft, wanted string) error {
	switch {
	case d.conversation != nil:
		wanted = db.Direct
	case wanted == "" && d.parent == nil:
		wanted = cmp.Or(by.DefaultScope, db.Public)
	case wanted == "" && d.parent.Visibility == db.List:
		wanted = db.Direct
		if d.parent.AccountID == by.ID && d.parent.ListID != nil {
			wanted = "list:" + strconv.FormatInt(*d.parent.ListID, 10)
		}
	case wanted == "":
		wanted = d.parent.Visibility
	}
	list, toList := strings.CutPrefix(wanted, "list:")
	switch {
	case d.parent != nil && d.parent.Visibility == db.Direct && wanted != db.Direct:
		return fault.Invalid("The message visibility must be direct")
	case toList || wanted == db.List:
		return s.chooseList(ctx, by, d, list)
	case !slices.Contains([]string{db.Public, db.Unlisted, db.Private, db.Direct, db.Local}, wanted):
		return fault.Invalid("Visibility is not included in the list")
	}
	d.row.Visibility = wanted
	return nil
}

func (s *Service) chooseList(ctx context.Context, by *db.Account, d *draft, list string) error {
	id, err := strconv.ParseInt(list, 10, 64)
	if err != nil {
		return fault.NotFound("List not found")
	}
	if _, err := s.db.ListByID(ctx, by.ID, id); err != nil {
		if errors.Is(err, db.ErrNotFound) {
			return fault.NotFound("List not found")
		}
		return err
	}
	d.row.Visibility, d.row.ListID = db.List, &id
	return nil
}

// formatText formats the text and finds its recipients, with up to two
// statements.
func (s *Service) formatText(ctx context.Context, settings *config.Settings, by *db.Account, d *draft, in *NewStatus, lookUp bool) error {
	row := d.row
	handles := text.Handles(in.Text, in.ContentType)
	names := make([]string, 0, len(handles)+len(in.To))
	for _, h := range slices.Concat(handles, in.To) {
		names = append(names, s.nickname(h))
	}
	parentAuthor := ""
	if in.To == nil && d.conversation == nil && d.addressesParent(by) {
		parentAuthor = d.parent.AccountID
	}
	known, err := s.accountsNamed(ctx, names, parentAuthor, lookUp)
	if err != nil {
		return err
	}
	byName := make(map[string]*db.Account, len(known))
	byID := make(map[string]*db.Account, len(known))
	for i := range known {
		byName[known[i].NickKey], byID[known[i].ID] = &known[i], &known[i]
	}
	found := text.Format(in.Text, in.ContentType, s.formatting(text.Options{Resolve: func(handle string) (text.Mention, bool) {
		a := byName[db.NicknameKey(s.nickname(handle))]
		if a == nil {
			return text.Mention{}, false
		}
		return text.Mention{ID: a.ID, Acct: a.Nickname, URL: profileURL(a)}, true
	}}))
	if err := unexpected(in.Expected, by, found.Mentions, byID); err != nil {
		return err
	}
	address := func(a *db.Account) {
		if a != nil && !slices.ContainsFunc(d.addressed, func(b db.Account) bool { return b.ID == a.ID }) {
			d.addressed = append(d.addressed, *a)
		}
	}
	address(byID[parentAuthor])
	switch {
	case d.conversation != nil:
		others, err := s.db.Accounts(ctx, d.conversation.RecipientIDs())
		if err != nil {
			return err
		}
		for i := range others {
			if a := &others[i]; a.ID != by.ID && !a.Deactivated && !a.Invisible {
				address(a)
			}
		}
	case in.To != nil:
		for _, name := range in.To {
			address(byName[db.NicknameKey(s.nickname(name))])
		}
	case row.Visibility == db.Direct && settings.Instance.SafeDMMentions:
		for _, h := range addressing(settings, in.Text, in.ContentType, row.Visibility) {
			address(byName[db.NicknameKey(s.nickname(h))])
		}
	default:
		for _, m := range found.Mentions {
			address(byID[m.ID])
		}
	}
	for _, a := range d.addressed {
		row.Mentions = append(row.Mentions, db.Mention{ID: a.ID, Username: a.Username(), URL: profileURL(&a), Acct: a.Nickname, URI: a.URI})
	}
	row.Text, row.ContentType, row.SpoilerText, row.Content = in.Text, in.ContentType, in.SpoilerText, found.HTML
	row.Tags = found.Hashtags
	row.Emojis = s.emojis.In(append([]string{in.Text, in.SpoilerText}, optionsOf(in.Poll)...)...)
	row.Sensitive = *in.Sensitive || found.NSFW
	row.HasMedia = len(in.MediaIDs) > 0
	row.Language = text.Language(in.Language)
	return nil
}

// UnexpectedError refuses a text that mentions others than its author expects.
type UnexpectedError struct{ Accounts []db.Account }

// Error is the refusal for people.
func (*UnexpectedError) Error() string {
	return "The text mentions other accounts than the allowed ones"
}

// unexpected refuses mentions of others than the expected accounts and the author, if
// there are expected ones.
func unexpected(expected []string, by *db.Account, mentions []text.Mention, byID map[string]*db.Account) error {
	var others []db.Account
	for _, m := range mentions {
		if a := byID[m.ID]; expected != nil && a != nil && a.ID != by.ID && !slices.Contains(expected, a.ID) {
			others = append(others, *a)
		}
	}
	if len(others) == 0 {
		return nil
	}
	return &UnexpectedError{others}
}

// optionsOf returns the texts of a poll's options.
func optionsOf(p *db.PollParams) []string {
	if p == nil {
		return nil
	}
	return p.Options
}

// leadingMentions returns the beginning of a text that holds only mentions.
func leadingMentions(src string) string {
	rest := src
	for {
		rest = strings.TrimLeft(rest, " \t\n")
		if !strings.HasPrefix(rest, "@") {
			return src[:len(src)-len(rest)]
		}
		end := strings.IndexAny(rest, " \t\n")
		if end < 0 {
			return src
		}
		rest = rest[end:]
	}
}

// addressesParent reports whether a reply is addressed to the parent's author
// without a mention: not if it is followers-only, but if it is direct in a
// direct exchange, or replies to a list status.
func (d *draft) addressesParent(by *db.Account) bool {
	if d.parent == nil || d.parent.AccountID == by.ID {
		return false
	}
	switch d.row.Visibility {
	case db.Private:
		return false
	case db.Direct:
		return d.parent.Visibility == db.Direct || d.parent.Visibility == db.List
	}
	return true
}

// identify gives a row its id, time and addresses on this server.
func (s *Service) identify(row *db.Status, in *NewStatus) {
	row.CreatedAt = s.db.Now()
	uri := s.newURI("objects")
	row.URI = &uri
	s.number(row, s.db.NewID())
	row.ApplicationName, row.ApplicationWebsite = in.AppName, in.AppWebsite
}

// number gives a row an id, and the address that has it.
func (s *Service) number(row *db.Status, id string) { row.ID, row.URL = id, s.base+"/notice/"+id }

// addressURIs sets the ActivityPub addresses of a status from its visibility
// and mentions. Shape: the table of visibilities.
func (s *Service) addressURIs(by *db.Account, row *db.Status) {
	var named []string
	for _, m := range row.Mentions {
		named = append(named, m.URI)
	}
	row.ToURIs, row.CCURIs = Addresses(row.Visibility, by.FollowersURI, named)
	if row.Visibility == db.Local {
		row.ToURIs, row.CCURIs = append([]string{s.base + "/#Public"}, named...), []string{by.FollowersURI}
	}
}

// Addresses returns to and cc of a status with this visibility, by the author
// with these followers. Mentions are in to. Followers are in to, or in cc of a
// public status. Members of a list are in neither, since list members are
// secret.
func Addresses(visibility, followers string, named []string) (to, cc []string) {
	switch visibility {
	case db.Public:
		return append([]string{Public}, named...), []string{followers}
	case db.Unlisted:
		return append([]string{followers}, named...), []string{Public}
	case db.Private:
		return append([]string{followers}, named...), nil
	}
	return named, nil
}

// nickname returns the nickname of the account that a handle names.
func (s *Service) nickname(handle string) string { return hosts.Nickname(handle, s.host) }

// newURI returns an ActivityPub id that cannot be guessed. Consecutive ids sort
// in order, which keeps their index compact.
func (s *Service) newURI(kind string) string { return s.base + "/" + kind + "/" + s.db.NewUUID() }

func profileURL(a *db.Account) string {
	if a.URL != "" {
		return a.URL
	}
	return a.URI
}
