package db

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// MaxAnnouncements bounds the announcements that are kept.
const MaxAnnouncements = 100

// Announcement is a text of the admins for everybody here.
type Announcement struct {
	ID          int64 `gorm:"primaryKey;autoIncrement"`
	Text        string
	Content     string // HTML
	StartsAt    Time   // it is shown from then on, if there is a time
	EndsAt      Time   // and until then
	AllDay      bool
	Published   bool
	Shown       bool // streams were told that it is shown
	Mentions    Slice[Mention]
	Statuses    Slice[AnnouncedStatus]
	Tags        Slice[string]
	Emojis      Slice[Emoji]
	Reactions   Slice[AnnouncementReaction]
	PublishedAt Time `gorm:"autoCreateTime:false"`
	CreatedAt   Time `gorm:"autoCreateTime:false"`
	UpdatedAt   Time `gorm:"autoUpdateTime:false"`
}

// AnnouncedStatus is a status that an announcement links to.
type AnnouncedStatus struct {
	ID  string `json:"id"`
	URL string `json:"url"`
}

// AnnouncementReaction counts the accounts that reacted to an announcement with an emoji.
// A custom emoji has the address of its picture.
type AnnouncementReaction struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
	URL   string `json:"url,omitempty"`
}

// ShownAt reports whether people see the announcement at a moment.
func (a *Announcement) ShownAt(now time.Time) bool {
	return a.Published && !a.StartsAt.After(now) && (a.EndsAt.IsZero() || a.EndsAt.After(now))
}

// shownAnnouncement is ShownAt as a condition on announcements n, for one moment twice.
const shownAnnouncement = "n.published AND (n.starts_at IS NULL OR n.starts_at <= ?) AND (n.ends_at IS NULL OR n.ends_at > ?)"

// ReadAnnouncement is an announcement as an account sees it.
type ReadAnnouncement struct {
	Announcement
	Read bool
}

// Announcements returns a page of all announcements, newest first.
func (d *DB) Announcements(ctx context.Context, p NumberedPage) ([]Announcement, error) {
	return list[Announcement](ctx, d, "announcements", "SELECT * FROM announcements ORDER BY id DESC"+p.limit())
}

// AnnouncementCount counts all announcements.
func (d *DB) AnnouncementCount(ctx context.Context) (int, error) {
	return value[int](ctx, d, "count of announcements", "SELECT COUNT(*) FROM announcements")
}

// ShownAnnouncements returns the announcements that people see at a moment, the first
// published first, and whether an account has read each; with unread only the others.
func (d *DB) ShownAnnouncements(ctx context.Context, accountID string, now time.Time, unread bool) ([]ReadAnnouncement, error) {
	read := "EXISTS (SELECT 1 FROM announcement_reads r WHERE r.announcement_id = n.id AND r.account_id = ?)"
	query, at := "SELECT n.*, "+read+" AS read FROM announcements n WHERE "+shownAnnouncement, At(now)
	args := []any{accountID, at, at}
	if unread {
		query += " AND NOT " + read
		args = append(args, accountID)
	}
	return list[ReadAnnouncement](ctx, d, "shown announcements", query+" ORDER BY n.published_at, n.id LIMIT ?", append(args, MaxAnnouncements)...)
}

// Announcement returns an announcement, shown or not.
func (d *DB) Announcement(ctx context.Context, id int64) (*Announcement, error) {
	return d.announcement(ctx, id, "")
}

// HeldAnnouncement is Announcement that makes changes of it and of its reactions wait until
// the transaction ends, and KeptAnnouncement one that makes its deletion wait.
func (d *DB) HeldAnnouncement(ctx context.Context, id int64) (*Announcement, error) {
	return d.writing().announcement(ctx, id, d.hold())
}

// KeptAnnouncement is explained at HeldAnnouncement.
func (d *DB) KeptAnnouncement(ctx context.Context, id int64) (*Announcement, error) {
	return d.writing().announcement(ctx, id, d.keep())
}

func (d *DB) announcement(ctx context.Context, id int64, lock string) (*Announcement, error) {
	return one[Announcement](ctx, d, fmt.Sprintf("announcement %d", id), "SELECT * FROM announcements WHERE id = ?"+lock, id)
}

// HoldAnnouncements keeps others from changing announcements until the transaction ends.
// Reading them and reacting to them goes on.
func (d *DB) HoldAnnouncements(ctx context.Context) error { return d.HoldURIs(ctx, "announcements") }

// CreateAnnouncement inserts a, which no stream was told of, and sets its id.
func (d *DB) CreateAnnouncement(ctx context.Context, a *Announcement) (err error) {
	a.ID, err = value[int64](ctx, d.writing(), "create announcement", `INSERT INTO announcements
		(text, content, starts_at, ends_at, all_day, published, mentions, statuses, tags, emojis, published_at, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
		a.Text, a.Content, a.StartsAt, a.EndsAt, a.AllDay, a.Published, a.Mentions, a.Statuses, a.Tags, a.Emojis, a.PublishedAt, a.CreatedAt, a.UpdatedAt)
	return err
}

// UpdateAnnouncement stores a, but for its reactions and what streams were told.
func (d *DB) UpdateAnnouncement(ctx context.Context, a *Announcement) error {
	_, err := d.exec(ctx, "update announcement", `UPDATE announcements SET text = ?, content = ?, starts_at = ?, ends_at = ?, all_day = ?, published = ?,
		mentions = ?, statuses = ?, tags = ?, emojis = ?, published_at = ?, updated_at = ? WHERE id = ?`,
		a.Text, a.Content, a.StartsAt, a.EndsAt, a.AllDay, a.Published, a.Mentions, a.Statuses, a.Tags, a.Emojis, a.PublishedAt, a.UpdatedAt, a.ID)
	return err
}

// AnnouncementsToTurn returns the announcements that began or ceased to be shown since
// streams were told of them.
func (d *DB) AnnouncementsToTurn(ctx context.Context, now time.Time) ([]Announcement, error) {
	at := At(now)
	return list[Announcement](ctx, d, "announcements to turn", "SELECT * FROM announcements n WHERE n.shown <> ("+shownAnnouncement+") ORDER BY n.id LIMIT ?", at, at, MaxAnnouncements)
}

// TurnAnnouncement stores whether streams were told that a is shown, and tells them; with
// changed also that it has changed while it is shown.
func (d *DB) TurnAnnouncement(ctx context.Context, a *Announcement, shown, changed bool) error {
	e := Event{Subject: fmt.Sprint(a.ID)}
	switch {
	case shown && (changed || !a.Shown):
		e.Kind = EventAnnouncement
	case !shown && a.Shown:
		e.Kind = EventAnnouncementGone
	default:
		return nil
	}
	a.Shown = shown
	if _, err := d.exec(ctx, "turn announcement", "UPDATE announcements SET shown = ? WHERE id = ?", shown, a.ID); err != nil {
		return err
	}
	return d.Emit(ctx, e)
}

// DeleteAnnouncement removes an announcement. What accounts did with it goes by
// DeleteAnnouncementRest.
func (d *DB) DeleteAnnouncement(ctx context.Context, id int64) error {
	n, err := d.exec(ctx, "delete announcement", "DELETE FROM announcements WHERE id = ?", id)
	if err == nil && n == 0 {
		err = notFound("announcement %d", id)
	}
	return err
}

// DeleteAnnouncementRest removes up to limit reads and as many reactions of an
// announcement that is gone, and reports whether there may be more.
func (d *DB) DeleteAnnouncementRest(ctx context.Context, id int64, limit int) (more bool, err error) {
	for table, key := range map[string]string{"announcement_reads": "announcement_id, account_id", "announcement_reactions": "announcement_id, account_id, name"} {
		n, err := d.exec(ctx, "delete "+table, "DELETE FROM "+table+" WHERE "+d.inOrder(table, key, "announcement_id = ?", limit), id)
		if err != nil {
			return false, err
		}
		more = more || n >= int64(limit)
	}
	return more, nil
}

// ReadAnnouncement marks an announcement as read by an account, once.
func (d *DB) ReadAnnouncement(ctx context.Context, id int64, accountID string) error {
	_, err := d.exec(ctx, "read announcement", "INSERT INTO announcement_reads (announcement_id, account_id) VALUES (?, ?) ON CONFLICT DO NOTHING", id, accountID)
	return err
}

// OwnAnnouncementReactions returns the names that an account reacted with, by
// announcement.
func (d *DB) OwnAnnouncementReactions(ctx context.Context, accountID string, ids []int64) (map[int64][]string, error) {
	if accountID == "" || len(ids) == 0 {
		return nil, nil
	}
	rows, err := list[struct {
		AnnouncementID int64
		Name           string
	}](ctx, d, "own reactions to announcements", `SELECT announcement_id, name FROM announcement_reactions
		WHERE account_id = ? AND announcement_id IN ? ORDER BY announcement_id, name`, accountID, ids)
	own := make(map[int64][]string, len(rows))
	for _, r := range rows {
		own[r.AnnouncementID] = append(own[r.AnnouncementID], r.Name)
	}
	return own, err
}

// CreateAnnouncementReaction stores the reaction of an account to a held announcement and
// counts it; repeating it changes nothing. url is that of a custom emoji.
func (d *DB) CreateAnnouncementReaction(ctx context.Context, a *Announcement, accountID, name, url string) error {
	n, err := d.exec(ctx, "react to announcement", "INSERT INTO announcement_reactions (announcement_id, account_id, name) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
		a.ID, accountID, name)
	if err != nil || n == 0 {
		return err
	}
	return d.countAnnouncementReaction(ctx, a, AnnouncementReaction{Name: name, Count: 1, URL: url})
}

// DeleteAnnouncementReaction removes such a reaction; none is no error.
func (d *DB) DeleteAnnouncementReaction(ctx context.Context, a *Announcement, accountID, name string) error {
	n, err := d.exec(ctx, "take back reaction to announcement", "DELETE FROM announcement_reactions WHERE announcement_id = ? AND account_id = ? AND name = ?",
		a.ID, accountID, name)
	if err != nil || n == 0 {
		return err
	}
	return d.countAnnouncementReaction(ctx, a, AnnouncementReaction{Name: name, Count: -1})
}

// countAnnouncementReaction adds a number of reactions to those of a held announcement,
// and tells streams of their new count. A new emoji comes last; an unused one is removed.
func (d *DB) countAnnouncementReaction(ctx context.Context, a *Announcement, more AnnouncementReaction) error {
	i := slices.IndexFunc(a.Reactions, func(r AnnouncementReaction) bool { return r.Name == more.Name })
	now := more
	if i >= 0 {
		now = a.Reactions[i]
		now.Count += more.Count
		a.Reactions[i] = now
	} else {
		i = len(a.Reactions)
		a.Reactions = append(a.Reactions, now)
	}
	if now.Count <= 0 {
		now.Count = 0
		a.Reactions = slices.Delete(a.Reactions, i, i+1)
	}
	if _, err := d.exec(ctx, "count reactions to announcement", "UPDATE announcements SET reactions = ? WHERE id = ?", a.Reactions, a.ID); err != nil {
		return err
	}
	return d.Emit(ctx, Event{Kind: EventAnnouncementReaction, Subject: fmt.Sprint(a.ID), Data: EventData(now)})
}

// eraseAnnouncementReactions takes back reactions of an account to announcements.
func eraseAnnouncementReactions(ctx context.Context, d *DB, accountID string, limit int) (int64, error) {
	rows, err := list[struct {
		AnnouncementID int64
		Name           string
	}](ctx, d, "reactions to announcements of "+accountID, `SELECT announcement_id, name FROM announcement_reactions
		WHERE account_id = ? ORDER BY announcement_id, name LIMIT ?`, accountID, limit)
	if err != nil {
		return 0, err
	}
	for _, r := range rows {
		a, there, err := optional(d.HeldAnnouncement(ctx, r.AnnouncementID))
		if err == nil && !there {
			a = &Announcement{ID: r.AnnouncementID} // its rest is being deleted
		}
		if err == nil {
			err = d.DeleteAnnouncementReaction(ctx, a, accountID, r.Name)
		}
		if err != nil {
			return 0, err
		}
	}
	return int64(len(rows)), nil
}

// recountAnnouncement counts the reactions to an announcement anew.
func recountAnnouncement(ctx context.Context, tx *DB, key []any) error {
	counts, err := list[AnnouncementReaction](ctx, tx, "reactions to announcement",
		"SELECT name, COUNT(*) AS count, '' AS url FROM announcement_reactions WHERE announcement_id = ? GROUP BY name ORDER BY name", key...)
	if err != nil {
		return err
	}
	before, err := value[Slice[AnnouncementReaction]](ctx, tx.writing(), "reactions to announcement", "SELECT reactions FROM announcements WHERE id = ?", key...)
	if err != nil {
		return err
	}
	for i := range counts {
		for _, was := range before {
			if was.Name == counts[i].Name {
				counts[i].URL = was.URL
			}
		}
	}
	_, err = tx.exec(ctx, "count reactions to announcement", "UPDATE announcements SET reactions = ? WHERE id = ?", append([]any{Slice[AnnouncementReaction](counts)}, key...)...)
	return err
}
