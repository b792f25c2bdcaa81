package social

import (
	"context"
	"slices"
	"strings"
	"time"

	"svc/db"
	"svc/server/platform/jobs"
	"svc/server/rules/notify"
)

// EditRemote replaces a remote status by the drafted version, if that is newer;
// the former version is kept in the history. The same text again only updates
// the tallies of its poll. Author, id and time never change, and the audience
// never grows but by newly mentioned accounts. It reports whether anything
// changed. A status of another author is db.ErrNotFound.
func (s *Service) EditRemote(ctx context.Context, id string, d *RemoteDraft) (changed bool, err error) {
	err = s.db.Tx(ctx, func(tx *db.DB) error {
		changed = false
		row, err := tx.HeldStatus(ctx, id)
		if err != nil {
			return err
		}
		if row.AccountID != d.author.ID || row.ReblogOfID != nil {
			return errNotFound("status", id)
		}
		before, err := versionOf(ctx, tx, row)
		if err != nil {
			return err
		}
		if d.over && before.poll != nil && before.poll.Closed(db.At(s.now())) {
			d.poll.ExpiresAt = before.poll.ExpiresAt
		}
		differs, newer := before.differs(&d.revision), newer(row, d.updated)
		switch {
		case !newer && differs, !newer && !d.updated.IsZero() && !row.EditedAt.IsZero() && d.updated.Before(row.EditedAt.Time):
			return nil // an older version that comes late
		case !differs:
			changed, err = updateTallies(ctx, tx, before.poll, d.poll)
			return err
		}
		changed = true
		return s.edited(ctx, tx, row, before, &d.revision)
	})
	return changed, err
}

// newer reports whether a version is newer than the stored one. A version
// without a time counts as new. Times are often whole seconds, so that the
// first edit may seem as old as the status.
func newer(row *db.Status, updated time.Time) bool {
	switch {
	case updated.IsZero():
		return true
	case row.EditedAt.IsZero():
		return !updated.Before(row.CreatedAt.Truncate(time.Second))
	}
	return updated.After(row.EditedAt.Time)
}

// version is a status with its rows in other tables.
type version struct {
	row   db.Status
	files []db.MediaAttachment
	poll  *db.Poll
}

func versionOf(ctx context.Context, tx *db.DB, row *db.Status) (*version, error) {
	v := &version{row: *row}
	var err error
	if row.HasMedia {
		if v.files, err = tx.Attachments(ctx, []string{row.ID}); err != nil {
			return nil, err
		}
	}
	if row.PollID != nil {
		v.poll, err = tx.Poll(ctx, *row.PollID)
	}
	return v, err
}

// revision is a version of a stored status that its author wrote, here or elsewhere.
type revision struct {
	author    *db.Account
	row       *db.Status // its texts and addresses
	addressed []db.Recipient
	told      []string // local mentioned accounts
	files     []db.MediaAttachment
	poll      *db.Poll
	updated   time.Time // zero if nobody says when
}

// differs reports whether a revision differs from a version, apart from the
// tallies and the end of a poll. The HTML, hashtags and emoji of a local status
// follow from what its author typed.
func (v *version) differs(r *revision) bool {
	a, b := &v.row, r.row
	said := a.Content != b.Content || !slices.Equal(a.Emojis, b.Emojis) || !slices.Equal(a.Tags, b.Tags)
	if a.Local {
		said = a.Text != b.Text || a.ContentType != b.ContentType
	}
	return said || a.SpoilerText != b.SpoilerText || a.SaidSensitive() != b.Sensitive || !strings.EqualFold(a.Language, b.Language) ||
		v.otherFiles(r) || r.poll == nil && v.poll != nil || r.poll != nil && !sameOptions(v.poll, r.poll)
}

func (v *version) otherFiles(r *revision) bool {
	return !slices.EqualFunc(v.files, r.files, func(a, b db.MediaAttachment) bool {
		return a.RemoteURL == b.RemoteURL && a.Description == b.Description && a.Type == b.Type &&
			(!v.row.Local || a.ID == b.ID && sameFocus(&a, &b))
	})
}

func sameFocus(a, b *db.MediaAttachment) bool {
	same := func(x, y *float64) bool { return x == y || x != nil && y != nil && *x == *y }
	return same(a.FocusX, b.FocusX) && same(a.FocusY, b.FocusY)
}

// sameOptions reports whether a new version b of a poll has the options of a. Of
// options that are stored without their name the title counts.
func sameOptions(a, b *db.Poll) bool {
	return a != nil && b != nil && a.Multiple == b.Multiple &&
		slices.EqualFunc(a.Options, b.Options, func(x, y db.PollOption) bool {
			return x.Named() == y.Named() || x.Name == "" && x.Title == y.Title
		})
}

// updateTallies stores the tallies of a remote poll.
func updateTallies(ctx context.Context, tx *db.DB, here, there *db.Poll) (changed bool, err error) {
	if here == nil || there == nil || !sameOptions(here, there) {
		return false, nil
	}
	if slices.Equal(here.Options, there.Options) && here.VotersCount == there.VotersCount && here.ExpiresAt.Equal(there.ExpiresAt.Time) {
		return false, nil
	}
	next := *here
	next.Options, next.VotersCount, next.ExpiresAt = there.Options, there.VotersCount, there.ExpiresAt
	if err := tx.UpdatePoll(ctx, &next); err != nil {
		return false, err
	}
	return true, endMoved(ctx, tx, here, &next)
}

// edited is the effect of an edit, local or remote: the former version goes to the
// history, and the rows of the status, notifications, jobs, events and the activity
// follow the revision.
func (s *Service) edited(ctx context.Context, tx *db.DB, row *db.Status, before *version, d *revision) error {
	if err := tx.CreateStatusEdit(ctx, before.kept()); err != nil {
		return err
	}
	from := d.row
	row.Content, row.Text, row.ContentType, row.SpoilerText = from.Content, from.Text, from.ContentType, from.SpoilerText
	row.SaySensitive(from.Sensitive)
	row.Language, row.HasMedia, row.URL = from.Language, from.HasMedia, from.URL
	row.Emojis, row.Tags, row.Mentions = from.Emojis, from.Tags, from.Mentions
	row.QuoteURI, row.QuoteStamped = from.QuoteURI, from.QuoteStamped
	if row.EditedAt = db.At(d.updated); d.updated.IsZero() {
		row.EditedAt = db.At(s.now())
	}
	columns := []string{"content", "text", "quote_uri", "quote_stamped", "content_type", "spoiler_text", "sensitive", "author_sensitive", "language", "has_media", "url", "emojis", "tags", "mentions", "edited_at"}
	if narrower(from.Visibility, row.SaidVisibility()) {
		if err := s.narrow(ctx, tx, row, from); err != nil {
			return err
		}
		columns = append(columns, "visibility", "author_visibility", "to_uris", "cc_uris")
	} else if row.Local {
		row.ToURIs = from.ToURIs
		columns = append(columns, "to_uris")
	}
	card := s.otherCard(&before.row, row)
	if card {
		row.CardID = nil
		columns = append(columns, "card_id")
	}
	if poll, err := editPoll(ctx, tx, before.poll, d.poll, row); err != nil {
		return err
	} else if poll {
		columns = append(columns, "poll_id")
	}
	if err := tx.UpdateStatus(ctx, row, columns...); err != nil {
		return err
	}
	if before.otherFiles(d) {
		if err := replaceFiles(ctx, tx, row, d); err != nil {
			return err
		}
	}
	if err := tx.ReplaceTags(ctx, row.ID, before.row.Tags, row.Tags); err != nil {
		return err
	}
	if err := tx.AddTagEntries(ctx, row); err != nil {
		return err
	}
	if err := tx.IndexStatus(ctx, row, Searchable(row)); err != nil {
		return err
	}
	if err := changeReblogs(ctx, tx, row, jobs.ChangeReblogs{StatusID: row.ID, Edited: true}); err != nil {
		return err
	}
	if card {
		if err := s.replaceCard(ctx, tx, &before.row, row); err != nil {
			return err
		}
	}
	if err := tx.Emit(ctx, db.Event{Kind: db.EventStatusEdited, Subject: row.ID}); err != nil {
		return err
	}
	if err := notifyNewMentions(ctx, tx, row, &before.row, d); err != nil {
		return err
	}
	return s.outbox.Edited(ctx, tx, d.author, row)
}

// replaceFiles gives a status the files of a revision.
func replaceFiles(ctx context.Context, tx *db.DB, row *db.Status, d *revision) error {
	if row.Local {
		return noMedia(tx.ShowMedia(ctx, d.author.ID, row.ID, d.files))
	}
	return tx.ReplaceAttachments(ctx, row.ID, d.filesOf(row))
}

// otherCard reports whether an edited status links to another page than before, or has
// no card of its page yet.
func (s *Service) otherCard(before, row *db.Status) bool {
	if row.Content == before.Content {
		return false
	}
	return row.CardID == nil && s.cards.Wanted(row.Content) || row.CardID != nil && s.cards.Link(before.Content) != s.cards.Link(row.Content)
}

// replaceCard drops the card of a page that a status does not link to any more, and
// enqueues the fetch of another.
func (s *Service) replaceCard(ctx context.Context, tx *db.DB, before, row *db.Status) error {
	if before.CardID != nil {
		if err := tx.DropCard(ctx, *before.CardID); err != nil {
			return err
		}
	}
	if !s.cards.Wanted(row.Content) {
		return nil
	}
	return jobs.Enqueue(ctx, tx, jobs.FetchCard{StatusID: row.ID})
}

func (v *version) kept() *db.StatusEdit {
	e := &db.StatusEdit{
		StatusID: v.row.ID, Content: v.row.Content, Text: v.row.Text, SpoilerText: v.row.SpoilerText, Sensitive: v.row.Sensitive,
		Language: v.row.Language, Emojis: v.row.Emojis, CreatedAt: v.row.EditedAt,
	}
	if e.CreatedAt.IsZero() {
		e.CreatedAt = v.row.CreatedAt
	}
	for _, f := range v.files {
		e.Files = append(e.Files, f.Edited())
	}
	if v.poll != nil {
		e.PollOf(v.poll)
	}
	return e
}

// narrower reports whether visibility a has a smaller audience than b.
func narrower(a, b string) bool {
	order := []string{db.Direct, db.Private, db.Unlisted, db.Public}
	return slices.Index(order, a) < slices.Index(order, b)
}

// narrow gives a status the narrower visibility that its author sent, and
// updates counters. A decision of a moderator for a narrower one stands.
func (s *Service) narrow(ctx context.Context, tx *db.DB, row, to *db.Status) error {
	if narrower(row.Visibility, to.Visibility) {
		row.AuthorVisibility = to.Visibility
		return nil
	}
	row.AuthorVisibility = ""
	if counted(row.Visibility) && !counted(to.Visibility) {
		if err := countStatus(ctx, tx, row, -1); err != nil {
			return err
		}
		if err := changeReblogs(ctx, tx, row, jobs.ChangeReblogs{StatusID: row.ID, Cut: true}); err != nil {
			return err
		}
	}
	row.Visibility, row.ToURIs, row.CCURIs = to.Visibility, to.ToURIs, to.CCURIs
	return nil
}

// editPoll replaces a poll by one with other options, or ends it if there is none any
// more. It reports whether the status got its first poll or lost its poll.
func editPoll(ctx context.Context, tx *db.DB, here, there *db.Poll, row *db.Status) (bool, error) {
	switch {
	case there == nil && here == nil:
		return false, nil
	case there == nil:
		row.PollID = nil
		if err := tx.DeletePoll(ctx, here.ID); err != nil {
			return false, err
		}
		return true, loseVotes(ctx, tx, here)
	case here == nil:
		fresh := *there
		fresh.StatusID = row.ID
		return true, createPoll(ctx, tx, row, &fresh)
	}
	next := *there
	next.ID, next.StatusID = here.ID, here.StatusID
	switch {
	case !sameOptions(here, there):
		if err := loseVotes(ctx, tx, here); err != nil {
			return false, err
		}
	case row.Local: // its votes are counted here
		next.Options, next.VotersCount = here.Options, here.VotersCount
	default:
		next.ToldClosed = here.ToldClosed
	}
	if err := tx.UpdatePoll(ctx, &next); err != nil {
		return false, err
	}
	return false, endMoved(ctx, tx, here, &next)
}

// loseVotes removes the present votes of a poll, and leaves the rest to a job.
func loseVotes(ctx context.Context, tx *db.DB, poll *db.Poll) error {
	job := jobs.ForgetVotes{PollID: poll.ID, Before: tx.Now().UnixMicro()}
	more, err := forgetVotes(ctx, tx, job, atOnce)
	if err != nil || !more {
		return err
	}
	return jobs.Enqueue(ctx, tx, job)
}

// ForgetVotes runs a job of its kind, in steps of their own transactions. Run twice
// it does nothing more.
func (s *Service) ForgetVotes(ctx context.Context, job jobs.ForgetVotes) error {
	return s.db.Steps(ctx, func(tx *db.DB) (bool, error) { return forgetVotes(ctx, tx, job, stepChunk) })
}

func forgetVotes(ctx context.Context, tx *db.DB, job jobs.ForgetVotes, limit int) (more bool, err error) {
	return tx.ForgetVotes(ctx, job.PollID, db.At(time.UnixMicro(job.Before)), limit)
}

// notifyNewMentions makes newly mentioned accounts recipients of an edited
// status and notifies them.
func notifyNewMentions(ctx context.Context, tx *db.DB, row, before *db.Status, d *revision) error {
	added := slices.DeleteFunc(slices.Clone(d.addressed), func(to db.Recipient) bool {
		return !to.Mentioned || slices.ContainsFunc(before.Mentions, func(m db.Mention) bool { return m.ID == to.AccountID })
	})
	if err := tx.PutRecipients(ctx, row.ID, added); err != nil {
		return err
	}
	var told []string
	for _, to := range added {
		if slices.Contains(d.told, to.AccountID) {
			told = append(told, to.AccountID)
		}
	}
	if len(told) == 0 {
		return nil
	}
	if err := tx.AddHomeEntries(ctx, db.HomeEntries{Status: row, Addressed: told}); err != nil {
		return err
	}
	if row.Visibility == db.Direct && row.ConversationID != nil {
		if err := tx.AddToParticipations(ctx, row, row.Local, told, told); err != nil {
			return err
		}
	}
	return notify.Notify(ctx, tx, postNews(d.author, row), told...)
}
