package social

import (
	"context"
	"strings"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/platform/text"
)

// accountNoteLength is the longest note about an account, in characters.
const accountNoteLength = 2000

// NoteAccount keeps a private note of by about an account, also about itself, in place of
// an earlier one. An empty one removes it.
func (s *Service) NoteAccount(ctx context.Context, by *db.Account, targetID, comment string) error {
	comment, _ = text.Clean(comment)
	if comment = strings.TrimSpace(comment); text.Length(comment) > accountNoteLength {
		return fault.Invalidf("Validation failed: Comment is too long (maximum is %d characters)", accountNoteLength)
	}
	return s.withTargetHeld(ctx, by, targetID, func(tx *db.DB) error {
		if comment == "" {
			return tx.DeleteAccountNote(ctx, by.ID, targetID)
		}
		return tx.PutAccountNote(ctx, by.ID, targetID, comment)
	})
}
