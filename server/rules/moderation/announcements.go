package moderation

import (
	"context"
	"fmt"
	"strings"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/platform/jobs"
	"svc/server/platform/text"
)

// maxAnnouncement is the most characters of an announcement.
const maxAnnouncement = 5000

// ChangedAnnouncement is a new announcement, or the fields of one that change; nil keeps
// one, and a zero time takes one away.
type ChangedAnnouncement struct {
	Text              *string
	StartsAt, EndsAt  *db.Time
	AllDay, Published *bool
	// IdempotencyKey makes a repeated creation return the first announcement. It must be
	// unique to the caller.
	IdempotencyKey string
}

// apply changes an announcement, or refuses all fields that are wrong.
func (in *ChangedAnnouncement) apply(a *db.Announcement, now db.Time) error {
	var wrong []fault.Field
	before := *a
	if in.Text != nil {
		clean, _ := text.Clean(*in.Text)
		a.Text = strings.TrimSpace(clean)
		if text.Length(a.Text) > maxAnnouncement {
			wrong = append(wrong, fault.Field{Name: "content", Message: fmt.Sprintf("must be up to %d characters", maxAnnouncement)})
		}
	}
	if a.Text == "" {
		wrong = append(wrong, fault.Field{Name: "content", Message: "can't be blank"})
	}
	set(&a.StartsAt, in.StartsAt)
	set(&a.EndsAt, in.EndsAt)
	set(&a.AllDay, in.AllDay)
	set(&a.Published, in.Published)
	if !a.StartsAt.IsZero() && !a.EndsAt.IsZero() && !a.EndsAt.After(a.StartsAt.Time) {
		wrong = append(wrong, fault.Field{Name: "ends_at", Message: "must be after starts_at"})
	}
	if len(wrong) > 0 {
		return fault.Invalid("", wrong...)
	}
	a.AllDay = a.AllDay && !a.StartsAt.IsZero() && !a.EndsAt.IsZero()
	a.UpdatedAt = now
	switch {
	case a.Published && a.StartsAt.After(now.Time):
		a.PublishedAt = a.StartsAt
	case a.Published && (!before.Published || before.PublishedAt.After(now.Time)), before.ID == 0:
		a.PublishedAt = now
	}
	return nil
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// CreateAnnouncement announces something to everybody here, and logs it.
func (s *Service) CreateAnnouncement(ctx context.Context, by *db.Account, in ChangedAnnouncement) (*db.Announcement, error) {
	return db.Once(ctx, s.db, "announcement", in.IdempotencyKey, func(claim db.Claim[int64]) (*db.Announcement, error) {
		a := &db.Announcement{Published: true, CreatedAt: db.At(s.now())}
		err := s.changeAnnouncements(ctx, by, AnnouncementCreated, func(tx *db.DB) (*db.Announcement, error) {
			if err := in.apply(a, db.At(s.now())); err != nil {
				return nil, err
			}
			n, err := tx.AnnouncementCount(ctx)
			if err != nil {
				return nil, err
			}
			if n >= db.MaxAnnouncements {
				return nil, fault.Invalidf("There are %d announcements already, the most there may be", db.MaxAnnouncements)
			}
			if err := s.social.In(tx).FormatAnnouncement(ctx, a); err != nil {
				return nil, err
			}
			if err := tx.CreateAnnouncement(ctx, a); err != nil {
				return nil, err
			}
			if err := s.social.TurnAnnouncement(ctx, tx, a, true); err != nil {
				return nil, err
			}
			return a, claim(ctx, tx, a.ID)
		})
		return a, err
	}, func(id int64) (*db.Announcement, error) { return s.db.Announcement(ctx, id) })
}

// UpdateAnnouncement changes an announcement, and logs it. Who has read it keeps it as
// read. An unknown one is db.ErrNotFound.
func (s *Service) UpdateAnnouncement(ctx context.Context, by *db.Account, id int64, in ChangedAnnouncement) (a *db.Announcement, err error) {
	err = s.changeAnnouncements(ctx, by, AnnouncementUpdated, func(tx *db.DB) (*db.Announcement, error) {
		if a, err = tx.HeldAnnouncement(ctx, id); err != nil {
			return nil, err
		}
		if err := in.apply(a, db.At(s.now())); err != nil {
			return nil, err
		}
		if err := s.social.In(tx).FormatAnnouncement(ctx, a); err != nil {
			return nil, err
		}
		if err := tx.UpdateAnnouncement(ctx, a); err != nil {
			return nil, err
		}
		return a, s.social.TurnAnnouncement(ctx, tx, a, true)
	})
	return a, err
}

// DeleteAnnouncement removes an announcement, and logs it. An unknown one is
// db.ErrNotFound.
func (s *Service) DeleteAnnouncement(ctx context.Context, by *db.Account, id int64) error {
	return s.changeAnnouncements(ctx, by, AnnouncementDeleted, func(tx *db.DB) (*db.Announcement, error) {
		a, err := tx.HeldAnnouncement(ctx, id)
		if err != nil {
			return nil, err
		}
		if err := tx.TurnAnnouncement(ctx, a, false, false); err != nil {
			return nil, err
		}
		if err := tx.DeleteAnnouncement(ctx, id); err != nil {
			return nil, err
		}
		return a, jobs.Enqueue(ctx, tx, jobs.ForgetAnnouncement{ID: id})
	})
}

// changeAnnouncements makes one change of the announcements, and logs the one that it
// returns.
func (s *Service) changeAnnouncements(ctx context.Context, by *db.Account, action *Action, change func(tx *db.DB) (*db.Announcement, error)) error {
	if err := s.rights.Check(by, action.right); err != nil {
		return err
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if err := tx.HoldAnnouncements(ctx); err != nil {
			return err
		}
		if err := s.rights.Hold(ctx, tx, by, action.right); err != nil {
			return err
		}
		a, err := change(tx)
		if err != nil {
			return err
		}
		return s.Log(ctx, tx, by, action, Data{Number: a.ID, Text: a.Text})
	})
}
