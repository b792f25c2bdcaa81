package moderation

import (
	"context"
	"errors"
	"strings"

	"svc/db"
	"svc/server/platform/fault"
)

// AddNote adds a note to a report, of any length but not blank, once for an
// idempotency key, which may be empty.
func (s *Service) AddNote(ctx context.Context, by *db.Account, reportID, content, key string) error {
	if err := s.rights.Check(by, NoteAdded.right); err != nil {
		return err
	}
	if strings.TrimSpace(content) == "" {
		return fault.Malformed("Invalid parameters")
	}
	return s.db.TxOnce(ctx, "note", key, func(tx *db.DB) error {
		if err := s.rights.Hold(ctx, tx, by, NoteAdded.right); err != nil {
			return err
		}
		report, err := tx.Report(ctx, reportID)
		if err != nil {
			return err
		}
		note := &db.ReportNote{ReportID: reportID, AccountID: by.ID, Content: content, CreatedAt: db.At(s.now())}
		if err := tx.CreateReportNote(ctx, note); err != nil {
			return err
		}
		return s.logNote(ctx, tx, by, NoteAdded, report, content)
	})
}

// DeleteNote removes a note by any moderator. A note of another report is
// db.ErrNotFound.
func (s *Service) DeleteNote(ctx context.Context, by *db.Account, reportID string, noteID int64) error {
	if err := s.rights.Check(by, NoteDeleted.right); err != nil {
		return err
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if err := s.rights.Hold(ctx, tx, by, NoteDeleted.right); err != nil {
			return err
		}
		report, err := tx.Report(ctx, reportID)
		if err != nil {
			return err
		}
		note, err := tx.ReportNote(ctx, reportID, noteID)
		if err != nil {
			return err
		}
		if err := tx.DeleteReportNote(ctx, note); err != nil {
			return err
		}
		return s.logNote(ctx, tx, by, NoteDeleted, report, note.Content)
	})
}

func (s *Service) logNote(ctx context.Context, tx *db.DB, by *db.Account, action *Action, report *db.Report, text string) error {
	reported, err := tx.Account(ctx, report.AccountID)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	return s.Log(ctx, tx, by, action, Data{Report: report, Reported: reported, Text: text})
}
