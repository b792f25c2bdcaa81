package social

import (
	"context"
	"slices"
	"strconv"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/platform/jobs"
	"svc/server/platform/text"
)

const (
	// maxAnnounced is how many emoji people may react to one announcement with. Source:
	// Mastodon.
	maxAnnounced = 8
	// forgetChunk bounds what one transaction removes of an announcement that is gone.
	forgetChunk = 1000
)

// shownAnnouncement returns a locked announcement that people see. Another one, as one
// that is over, is db.ErrNotFound.
func (s *Service) shownAnnouncement(a *db.Announcement, err error) (*db.Announcement, error) {
	if err != nil {
		return nil, err
	}
	if !a.ShownAt(s.now()) {
		return nil, errNotFound("announcement", strconv.FormatInt(a.ID, 10))
	}
	return a, nil
}

// DismissAnnouncement marks an announcement as read by an account. Repeating it changes
// nothing.
func (s *Service) DismissAnnouncement(ctx context.Context, by *db.Account, id int64) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if _, err := s.shownAnnouncement(tx.KeptAnnouncement(ctx, id)); err != nil {
			return err
		}
		if err := keepActive(ctx, tx, by); err != nil {
			return err
		}
		return tx.ReadAnnouncement(ctx, id, by.ID)
	})
}

// ReactToAnnouncement reacts to an announcement with an emoji, or with the shortcode of a
// custom emoji of this server. Repeating it changes nothing.
func (s *Service) ReactToAnnouncement(ctx context.Context, by *db.Account, id int64, name string) error {
	return s.announced(ctx, by, id, func(tx *db.DB, a *db.Announcement) error {
		known := slices.ContainsFunc(a.Reactions, func(r db.AnnouncementReaction) bool { return r.Name == name })
		url := ""
		if !text.IsEmoji(name) {
			custom := s.emojis.In(":" + name + ":")
			if len(custom) != 1 || custom[0].Shortcode != name {
				return fault.Invalid("Validation failed: Name is not a recognized emoji")
			}
			url = custom[0].URL
		}
		if !known && len(a.Reactions) >= maxAnnounced {
			return fault.Invalid("Validation failed: Limit of different reactions reached")
		}
		return tx.CreateAnnouncementReaction(ctx, a, by.ID, name, url)
	})
}

// UnreactToAnnouncement takes such a reaction back; none is no error.
func (s *Service) UnreactToAnnouncement(ctx context.Context, by *db.Account, id int64, name string) error {
	return s.announced(ctx, by, id, func(tx *db.DB, a *db.Announcement) error {
		return tx.DeleteAnnouncementReaction(ctx, a, by.ID, name)
	})
}

// announced changes the reactions of an account to an announcement, which is held.
func (s *Service) announced(ctx context.Context, by *db.Account, id int64, change func(tx *db.DB, a *db.Announcement) error) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		a, err := s.shownAnnouncement(tx.HeldAnnouncement(ctx, id))
		if err != nil {
			return err
		}
		if err := keepActive(ctx, tx, by); err != nil {
			return err
		}
		return change(tx, a)
	})
}

// FormatAnnouncement fills in what follows from the text of a: its HTML, with the accounts
// that this server knows, and the statuses that everybody may see.
func (s *Service) FormatAnnouncement(ctx context.Context, a *db.Announcement) error {
	var names []string
	for _, h := range text.Handles(a.Text, text.TypePlain) {
		names = append(names, s.nickname(h))
	}
	known, err := s.db.AccountsByNickname(ctx, names, "")
	if err != nil {
		return err
	}
	a.Mentions = nil
	found := text.Format(a.Text, text.TypePlain, s.formatting(text.Options{Resolve: func(handle string) (text.Mention, bool) {
		key := db.NicknameKey(s.nickname(handle))
		i := slices.IndexFunc(known, func(k db.Account) bool { return k.NickKey == key })
		if i < 0 {
			return text.Mention{}, false
		}
		m := &known[i]
		if !slices.ContainsFunc(a.Mentions, func(other db.Mention) bool { return other.ID == m.ID }) {
			a.Mentions = append(a.Mentions, db.Mention{ID: m.ID, Username: m.Username(), URL: profileURL(m), Acct: m.Nickname, URI: m.URI})
		}
		return text.Mention{ID: m.ID, Acct: m.Nickname, URL: profileURL(m)}, true
	}}))
	a.Content, a.Tags, a.Emojis, a.Statuses = found.HTML, found.Hashtags, s.emojis.In(a.Text), nil
	for _, href := range text.PageLinks(a.Content) {
		status, err := s.db.StatusAt(ctx, href)
		if ignoreNotFound(err) != nil {
			return err
		}
		if err == nil && (status.Visibility == db.Public || status.Visibility == db.Unlisted) {
			a.Statuses = append(a.Statuses, db.AnnouncedStatus{ID: status.ID, URL: href})
		}
	}
	return nil
}

// TurnAnnouncement tells streams that an announcement is shown or no more, or with changed
// that it has another text, and has a job do so at its next beginning or end.
func (s *Service) TurnAnnouncement(ctx context.Context, tx *db.DB, a *db.Announcement, changed bool) error {
	now := s.now()
	if err := tx.TurnAnnouncement(ctx, a, a.ShownAt(now), changed); err != nil || !a.Published {
		return err
	}
	for _, at := range []db.Time{a.StartsAt, a.EndsAt} {
		if at.After(now) {
			return jobs.EnqueueAt(ctx, tx, jobs.TurnAnnouncements{}, at.Time)
		}
	}
	return nil
}

// TurnAnnouncements runs a job of its kind. A job that runs before its time, since clocks
// differ, leaves its work to the next sweep.
func (s *Service) TurnAnnouncements(ctx context.Context, _ jobs.TurnAnnouncements) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if err := tx.HoldAnnouncements(ctx); err != nil {
			return err
		}
		rows, err := tx.AnnouncementsToTurn(ctx, s.now())
		if err != nil {
			return err
		}
		for i := range rows {
			if err := s.TurnAnnouncement(ctx, tx, &rows[i], false); err != nil {
				return err
			}
		}
		return nil
	})
}

// turnDue is TurnAnnouncements where there is something to do.
func (s *Service) turnDue(ctx context.Context) error {
	rows, err := s.db.AnnouncementsToTurn(ctx, s.now())
	if err != nil || len(rows) == 0 {
		return err
	}
	return s.TurnAnnouncements(ctx, jobs.TurnAnnouncements{})
}

// ForgetAnnouncement runs a job of its kind, in steps of their own transactions.
func (s *Service) ForgetAnnouncement(ctx context.Context, job jobs.ForgetAnnouncement) error {
	return s.db.Steps(ctx, func(tx *db.DB) (bool, error) { return tx.DeleteAnnouncementRest(ctx, job.ID, forgetChunk) })
}
