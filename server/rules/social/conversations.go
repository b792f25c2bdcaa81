package social

import (
	"context"
	"fmt"
	"slices"

	"svc/db"
	"svc/server/platform/fault"
)

// SetRecipients sets the recipients of an account's replies in one of its
// conversations: these accounts and itself. An unknown account, or another's
// conversation, is db.ErrNotFound.
func (s *Service) SetRecipients(ctx context.Context, by *db.Account, id int64, recipients []string) error {
	recipients = slices.Clone(recipients)
	slices.Sort(recipients)
	recipients = slices.DeleteFunc(slices.Compact(recipients), func(r string) bool { return r == by.ID })
	if len(recipients) > maxAddressed {
		return fault.Invalidf("A conversation cannot have more than %d recipients", maxAddressed)
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		known, err := tx.Accounts(ctx, recipients)
		if err != nil {
			return err
		}
		known = slices.DeleteFunc(known, func(a db.Account) bool { return a.Deactivated || a.Invisible })
		if len(known) < len(recipients) {
			return fmt.Errorf("recipients of conversation %d: %w", id, db.ErrNotFound)
		}
		return tx.SetRecipients(ctx, by.ID, id, recipients)
	})
}

// LeaveConversation removes a conversation from an account's list, until the
// next direct status in it.
func (s *Service) LeaveConversation(ctx context.Context, by *db.Account, id int64) error {
	return s.db.Tx(ctx, func(tx *db.DB) error { return tx.DeleteParticipation(ctx, by.ID, id) })
}

// maxRead bounds the conversations among which those to return are found.
const maxRead = 1000

// ReadConversations marks all conversations of an account as read and returns
// the newest limit of those that were unread.
func (s *Service) ReadConversations(ctx context.Context, by *db.Account, v db.Viewer, limit int) ([]db.Participation, error) {
	var rows []db.Participation
	err := s.db.Tx(ctx, func(tx *db.DB) (err error) {
		read, err := tx.ReadParticipations(ctx, by.ID, "")
		if err != nil {
			return err
		}
		ids := make([]int64, 0, maxRead)
		for _, p := range read[:min(len(read), maxRead)] {
			ids = append(ids, p.ID)
		}
		rows, err = tx.Participations(ctx, v, db.ParticipationFilter{IDs: ids}, db.Page{Limit: limit})
		for i := range rows {
			rows[i].Unread = false // one that came meanwhile is not read
		}
		return err
	})
	return rows, err
}
