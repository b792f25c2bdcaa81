package social

import (
	"context"

	"svc/db"
)

// DismissNotifications removes those notifications of by that have one of ids, or
// are about one of these statuses. Others are passed over.
func (s *Service) DismissNotifications(ctx context.Context, by *db.Account, ids []int64, statusIDs []string) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if _, err := tx.DeleteNotifications(ctx, by.ID, ids...); err != nil {
			return err
		}
		return tx.DeleteNotificationsAbout(ctx, by.ID, statusIDs)
	})
}
