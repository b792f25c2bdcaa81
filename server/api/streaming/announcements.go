package streaming

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"svc/client/api"
	"svc/db"
)

// announced sends an announcement that is shown to everybody who listens to their home
// timeline.
func (t *teller) announced(ctx context.Context) error {
	subs := t.to.flat(home)
	if len(subs) == 0 {
		return nil
	}
	number, err := strconv.ParseInt(t.event.Subject, 10, 64)
	if err != nil {
		return err
	}
	row, err := t.DB.Announcement(ctx, number)
	if errors.Is(err, db.ErrNotFound) {
		return nil // deleted since
	}
	if err != nil || !row.Shown {
		return err
	}
	raw, err := json.Marshal(t.View.Announcement(row))
	if err == nil {
		t.give("announcement", raw, subs)
	}
	return err
}

// announcementReaction sends them the new count of a reaction.
func (t *teller) announcementReaction() error {
	var now db.AnnouncementReaction
	if err := json.Unmarshal([]byte(t.event.Data), &now); err != nil {
		return err
	}
	raw, err := json.Marshal(api.AnnouncementReactionUpdate{AnnouncementReaction: t.View.AnnouncementReaction(now), AnnouncementID: t.event.Subject})
	if err == nil {
		t.give("announcement.reaction", raw, t.to.flat(home))
	}
	return err
}
