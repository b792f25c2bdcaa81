package social

import (
	"context"
	"slices"
	"strconv"
	"time"

	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/media"
	"svc/server/platform/text"
)

// StatusEdit is a new version of a status, whole: what it leaves out is empty.
type StatusEdit struct {
	Text        string // as typed
	ContentType string // "" is that of the present version
	SpoilerText string
	Sensitive   bool
	Language    string // "" is that of the present version
	// MediaIDs are uploads of the author's that are not used yet, or are or were of this
	// status.
	MediaIDs []int64
	// Files are changes of files in MediaIDs.
	Files map[int64]FileChange
	Poll  *db.PollParams
}

// FileChange is a change of a file; nil keeps what is there.
type FileChange struct{ Description, Focus *string }

// EditStatus replaces a status by a new version, for its author; for others it
// is db.ErrNotFound, as a reblog is. The former version is kept in the history.
// Audience, parent, time and expiry never change, but that newly mentioned
// accounts are addressed and notified. A version that says the same changes
// nothing, but that a poll with the same options ends anew.
func (s *Service) EditStatus(ctx context.Context, by *db.Account, id string, in StatusEdit) error {
	row, err := s.db.StatusByID(ctx, id)
	if err != nil {
		return err
	}
	if err := ownPost(by, row); err != nil {
		return err
	}
	d, err := s.redraft(ctx, by, row, &in)
	if err != nil {
		return err
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		row, err := tx.HeldStatus(ctx, id)
		if err != nil {
			return err
		}
		if err := ownPost(by, row); err != nil {
			return err
		}
		if err := keepActive(ctx, tx, by); err != nil {
			return err
		}
		before, err := versionOf(ctx, tx, row)
		if err != nil {
			return err
		}
		r, err := s.revise(ctx, tx, by, before, d, &in)
		if err != nil {
			return err
		}
		if !before.differs(r) {
			return s.moveEnd(ctx, tx, before, r.poll)
		}
		return s.edited(ctx, tx, row, before, r)
	})
}

// ownPost refuses a status that is not by's own post.
func ownPost(by *db.Account, row *db.Status) error {
	if row.AccountID != by.ID || row.ReblogOfID != nil {
		return errNotFound("status", row.ID)
	}
	return nil
}

// redraft applies the rules of new statuses to another version of a status.
// What it takes from the present version is only what no edit changes, and
// what policies look at.
func (s *Service) redraft(ctx context.Context, by *db.Account, row *db.Status, in *StatusEdit) (*draft, error) {
	settings := s.settings.Load()
	if by.Deactivated {
		return nil, disabled()
	}
	asked := NewStatus{
		Text: in.Text, ContentType: in.ContentType, SpoilerText: in.SpoilerText, Sensitive: &in.Sensitive, Language: in.Language,
		MediaIDs: in.MediaIDs, Poll: in.Poll,
	}
	if asked.ContentType == "" {
		asked.ContentType = row.ContentType
	}
	if asked.Language == "" {
		asked.Language = row.Language
	}
	d := &draft{mediaIDs: in.MediaIDs, row: &db.Status{
		ID: row.ID, AccountID: by.ID, Local: true, URI: row.URI, URL: row.URL, Visibility: row.SaidVisibility(), CreatedAt: s.db.Now(),
	}}
	if err := s.checkText(settings, &asked); err != nil {
		return nil, err
	}
	if err := s.formatText(ctx, settings, by, d, &asked, true); err != nil {
		return nil, err
	}
	s.addressURIs(by, d.row)
	var err error
	if d.poll, err = s.newPoll(settings, asked.Poll, d.row); err != nil {
		return nil, err
	}
	if d.uploads, err = s.db.ShowableMedia(ctx, by.ID, row.ID, in.MediaIDs); err != nil {
		return nil, noMedia(err)
	}
	if err := in.describe(d.uploads, settings.Instance.DescriptionLimit); err != nil {
		return nil, err
	}
	s.linkFiles(settings, d)
	if row.InReplyToID != nil {
		if d.parent, err = s.db.StatusByID(ctx, *row.InReplyToID); ignoreNotFound(err) != nil {
			return nil, err
		}
	}
	return d, s.applyPolicies(ctx, settings, by, d)
}

// describe changes files as asked for. A change of another file is refused, as is a
// description of more than limit characters.
func (in *StatusEdit) describe(files []db.MediaAttachment, limit int) error {
	for id := range in.Files {
		if !slices.Contains(in.MediaIDs, id) {
			return noMedia(errNotFound("media", strconv.FormatInt(id, 10)))
		}
	}
	for i := range files {
		change := in.Files[files[i].ID]
		if err := media.Change(&files[i], change.Description, change.Focus, limit); err != nil {
			return err
		}
	}
	return nil
}

// revise makes a revision of the present version and a draft, in the
// transaction that holds the status.
func (s *Service) revise(ctx context.Context, tx *db.DB, by *db.Account, before *version, d *draft, in *StatusEdit) (*revision, error) {
	row := *d.row
	r := &revision{author: by, row: &row, updated: s.after(&before.row)}
	if in.Language == "" {
		row.Language = before.row.Language
	}
	var err error
	if row.HasMedia {
		if r.files, err = tx.ShowableMedia(ctx, by.ID, before.row.ID, d.mediaIDs); err != nil {
			return nil, noMedia(err)
		}
		if err := in.describe(r.files, s.settings.Load().Instance.DescriptionLimit); err != nil {
			return nil, err
		}
		for _, f := range d.described { // by policies
			i := slices.IndexFunc(r.files, func(m db.MediaAttachment) bool { return m.ID == f.ID })
			r.files[i].Description = f.Description
		}
	}
	if d.poll != nil {
		poll := *d.poll
		r.poll = &poll
	}
	s.mention(r, d, before)
	return r, nil
}

// after is the time of a new version: now, and later than the last one as other
// servers read it.
func (s *Service) after(row *db.Status) time.Time {
	last := row.CreatedAt.Time
	if !row.EditedAt.IsZero() {
		last = row.EditedAt.Time
	}
	now := s.now().Truncate(time.Millisecond)
	if last = last.Truncate(time.Millisecond); !now.After(last) {
		now = last.Add(time.Millisecond)
	}
	return now
}

// mention sets the mentions and addresses of a revision. Those who are
// addressed without a name in the text, such as the author of the parent, stay;
// so does the access of those who are not named any more.
func (s *Service) mention(r *revision, d *draft, before *version) {
	settings, row, was := s.settings.Load(), r.row, &before.row
	named := map[string]bool{}
	for _, h := range addressing(settings, was.Text, was.ContentType, was.SaidVisibility()) {
		named[db.NicknameKey(s.nickname(h))] = true
	}
	mentioned := func(list []db.Mention, id string) bool {
		return slices.ContainsFunc(list, func(m db.Mention) bool { return m.ID == id })
	}
	var kept []db.Mention
	for _, m := range was.Mentions {
		if !named[db.NicknameKey(m.Acct)] && !mentioned(row.Mentions, m.ID) {
			kept = append(kept, m)
		}
	}
	row.Mentions = append(kept, row.Mentions...)
	addresses := slices.Clone(was.ToURIs)
	for _, a := range d.addressed {
		r.addressed = append(r.addressed, db.Recipient{AccountID: a.ID, Mentioned: true})
		if a.Local && a.ID != r.author.ID && !a.Deactivated && !a.Invisible {
			r.told = append(r.told, a.ID)
		}
		if !mentioned(was.Mentions, a.ID) && !slices.Contains(addresses, a.URI) {
			addresses = append(addresses, a.URI)
		}
	}
	if !narrower(row.Visibility, was.SaidVisibility()) { // as policies may make it
		row.ToURIs, row.CCURIs = addresses, was.CCURIs
	}
}

// addressing returns the handles in a text that address accounts, for a status
// of this visibility.
func addressing(settings *config.Settings, src, contentType, visibility string) []string {
	if visibility == db.Direct && settings.Instance.SafeDMMentions {
		return text.Handles(leadingMentions(src), text.TypePlain)
	}
	return text.Handles(src, contentType)
}

// moveEnd gives a poll with the same options its new end. Votes and history
// stay.
func (s *Service) moveEnd(ctx context.Context, tx *db.DB, before *version, next *db.Poll) error {
	if next == nil || next.ExpiresAt.Equal(before.poll.ExpiresAt.Time) {
		return nil
	}
	poll := *before.poll
	poll.ExpiresAt, poll.ToldClosed = next.ExpiresAt, false
	if err := tx.UpdatePoll(ctx, &poll); err != nil {
		return err
	}
	if err := endMoved(ctx, tx, before.poll, &poll); err != nil {
		return err
	}
	return s.outbox.PollTallied(ctx, tx, &poll, &before.row)
}

// Source returns the present version of a status as its author typed it, for
// its author; for others it is db.ErrNotFound, as a reblog is.
func (s *Service) Source(ctx context.Context, by *db.Account, id string) (*db.Status, error) {
	row, err := s.db.StatusByID(ctx, id)
	if err != nil {
		return nil, err
	}
	return row, ownPost(by, row)
}

// History returns a status that the viewer may see, for a reblog the reblogged
// one, and its former versions, the oldest first.
func (s *Service) History(ctx context.Context, viewer db.Viewer, id string) (*db.Status, []db.StatusEdit, error) {
	row, err := s.db.VisibleStatus(ctx, viewer, id)
	if err == nil && row.ReblogOfID != nil {
		row, err = s.db.VisibleStatus(ctx, viewer, *row.ReblogOfID)
	}
	if err != nil || row.EditedAt.IsZero() {
		return row, nil, err
	}
	former, err := s.db.StatusEdits(ctx, row.ID)
	return row, former, err
}
