package moderation

import (
	"context"
	"strings"

	"svc/db"
)

// maxRemoteComment bounds the stored text of a remote report, in characters.
const maxRemoteComment = 5000

// RemoteReport is a report from another server about a local account.
type RemoteReport struct {
	URI       string // the activity's id
	TargetID  string
	StatusIDs []string
	Comment   string
}

// TakeReport files a report by a remote account, which may represent its whole
// server, and notifies admins and moderators. As in local reports, only the
// target's statuses are stored, with copies.
func (s *Service) TakeReport(ctx context.Context, by *db.Account, in RemoteReport) (*db.Report, error) {
	var report *db.Report
	err := s.db.Tx(ctx, func(tx *db.DB) error {
		target, err := tx.Account(ctx, in.TargetID)
		if err != nil {
			return err
		}
		statuses, err := evidence(ctx, tx, target.ID, in.StatusIDs)
		if err != nil {
			return err
		}
		report = &db.Report{
			URI: in.URI, AccountID: target.ID, ReporterID: by.ID, Content: strings.TrimSpace(firstRunes(in.Comment, maxRemoteComment)),
			CreatedAt: db.At(s.now()),
		}
		return s.reported(ctx, tx, by, target, report, statuses)
	})
	if err != nil {
		return nil, err
	}
	return report, nil
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}
