package social

import (
	"context"

	"svc/db"
	"svc/server/platform/jobs"
)

// adoptReplies joins up to limit replies that arrived before their parent, and their
// threads. It reports whether there may be more. The parent stays until the transaction
// ends.
func adoptReplies(ctx context.Context, tx *db.DB, row *db.Status, limit int) (more bool, err error) {
	waiting, err := tx.AdoptReplies(ctx, row, limit)
	if err != nil || len(waiting) == 0 {
		return false, err
	}
	merged, replies := map[int64]bool{*row.ConversationID: true}, int64(0)
	for _, w := range waiting {
		if counted(w.Visibility) {
			replies++
		}
		if w.ConversationID == nil || merged[*w.ConversationID] {
			continue
		}
		merged[*w.ConversationID] = true
		if err := mergeThreads(ctx, tx, jobs.MergeThreads{From: *w.ConversationID, Into: *row.ConversationID, StatusID: row.ID}); err != nil {
			return false, err
		}
	}
	return len(waiting) == limit, tx.AddStatusCounts(ctx, row.ID, db.StatusCounts{Replies: replies})
}

// AdoptReplies runs a job of its kind, in steps of their own transactions. Run twice
// it does nothing more.
func (s *Service) AdoptReplies(ctx context.Context, job jobs.AdoptReplies) error {
	return s.db.Steps(ctx, func(tx *db.DB) (bool, error) {
		// Held, so that its thread does not become part of another meanwhile.
		row, err := tx.HeldStatus(ctx, job.StatusID)
		if err != nil || row.ConversationID == nil {
			return false, ignoreNotFound(err)
		}
		return adoptReplies(ctx, tx, row, stepChunk)
	})
}

// mergeThreads carries out the first part of job in the transaction that joins the
// threads, and leaves the rest to it.
func mergeThreads(ctx context.Context, tx *db.DB, job jobs.MergeThreads) error {
	more, err := tx.MergeConversations(ctx, job.From, job.Into, atOnce)
	if err != nil || !more {
		return err
	}
	return jobs.Enqueue(ctx, tx, job)
}

// MergeThreads runs a job of its kind, in steps of their own transactions. Where the
// other thread became part of a third one meanwhile, that is the one to join. Run
// twice it does nothing more.
func (s *Service) MergeThreads(ctx context.Context, job jobs.MergeThreads) error {
	return s.db.Steps(ctx, func(tx *db.DB) (bool, error) {
		into := job.Into
		row, err := tx.HeldStatus(ctx, job.StatusID)
		if err == nil && row.ConversationID != nil {
			into = *row.ConversationID
		}
		if ignoreNotFound(err) != nil {
			return false, err
		}
		return tx.MergeConversations(ctx, job.From, into, stepChunk)
	})
}

// JoinParent makes a stored parent adopt the replies that still wait for it: it was
// stored while the status, one of them, was. The author of the status must be able
// to see the parent.
func (s *Service) JoinParent(ctx context.Context, statusID string) error {
	status, err := s.db.StatusByID(ctx, statusID)
	if err != nil || status.InReplyToURI == "" {
		return ignoreNotFound(err)
	}
	parent, err := s.db.StatusAt(ctx, status.InReplyToURI)
	if err != nil || parent.Local || parent.ReblogOfID != nil {
		return ignoreNotFound(err)
	}
	return s.AdoptReplies(ctx, jobs.AdoptReplies{StatusID: parent.ID})
}
