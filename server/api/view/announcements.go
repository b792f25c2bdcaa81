package view

import (
	"context"
	"slices"

	"svc/client/api"
	"svc/db"
)

// Announcements renders announcements for an account, with its own reactions: one
// statement.
func (v *View) Announcements(ctx context.Context, accountID string, rows []db.ReadAnnouncement) (api.List[api.Announcement], error) {
	var ids []int64
	for i := range rows {
		if len(rows[i].Reactions) > 0 {
			ids = append(ids, rows[i].ID)
		}
	}
	own, err := v.db.OwnAnnouncementReactions(ctx, accountID, ids)
	if err != nil {
		return nil, err
	}
	out := make(api.List[api.Announcement], len(rows))
	for i := range rows {
		out[i] = v.Announcement(&rows[i].Announcement)
		out[i].Read = &rows[i].Read
		for k := range out[i].Reactions {
			r := &out[i].Reactions[k]
			r.Me = new(slices.Contains(own[rows[i].ID], r.Name))
		}
	}
	return out, nil
}

// Announcement renders an announcement for nobody in particular.
func (v *View) Announcement(a *db.Announcement) api.Announcement {
	out := api.Announcement{
		ID: itoa(a.ID), Content: a.Content, StartsAt: api.At(a.StartsAt.Time), EndsAt: api.At(a.EndsAt.Time), AllDay: a.AllDay, Published: a.Published,
		PublishedAt: api.Time{Time: a.PublishedAt.Time}, UpdatedAt: api.Time{Time: a.UpdatedAt.Time}, Mentions: mentions(a.Mentions), Emojis: v.emojis(a.Emojis),
	}
	for _, s := range a.Statuses {
		out.Statuses = append(out.Statuses, api.AnnouncedStatus(s))
	}
	for _, t := range v.tags(a.Tags) {
		out.Tags = append(out.Tags, api.AnnouncedTag{Name: t.Name, URL: t.URL})
	}
	for _, r := range a.Reactions {
		out.Reactions = append(out.Reactions, v.AnnouncementReaction(r))
	}
	return out
}

// AnnouncementReaction renders the count of one emoji for nobody in particular.
func (v *View) AnnouncementReaction(r db.AnnouncementReaction) api.AnnouncementReaction {
	out := api.AnnouncementReaction{Name: r.Name, Count: r.Count}
	if r.URL != "" {
		out.URL = v.url(r.URL)
		out.StaticURL = out.URL
	}
	return out
}
