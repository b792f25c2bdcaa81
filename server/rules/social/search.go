package social

import (
	"context"
	"time"

	"svc/db"
	"svc/server/platform/jobs"
	"svc/server/platform/text"
)

const (
	// indexChunk bounds the rows of one transaction of Reindex, between which
	// others write.
	indexChunk = 100
	// indexFor is the time after which another job goes on.
	indexFor = 2 * time.Minute
)

// Searchable returns the text that a status is indexed by.
func Searchable(s *db.Status) string {
	return s.SpoilerText + "\n" + text.Plain(s.Content)
}

// Reindex indexes rows that are older than the search index, and renames older
// hashtags, chunk by chunk.
// After a while it leaves the rest to another job.
func (s *Service) Reindex(ctx context.Context) error {
	until := s.now().Add(indexFor)
	for _, next := range []func(tx *db.DB) (bool, error){
		func(tx *db.DB) (bool, error) { return tx.ReindexAccounts(ctx, indexChunk) },
		func(tx *db.DB) (bool, error) { return tx.ReindexFacets(ctx, indexChunk) },
		func(tx *db.DB) (bool, error) { return tx.ReindexLog(ctx, indexChunk) },
		func(tx *db.DB) (bool, error) { return tx.RenameTags(ctx, indexChunk, text.Tag) },
		func(tx *db.DB) (bool, error) { return tx.ReindexStatuses(ctx, indexChunk, Searchable) },
	} {
		for more := true; more; {
			late := !s.now().Before(until)
			err := s.db.Tx(ctx, func(tx *db.DB) (err error) {
				if more, err = next(tx); err != nil || !late {
					return err
				}
				return jobs.Enqueue(ctx, tx, jobs.Reindex{})
			})
			if err != nil || late {
				return err
			}
		}
	}
	return nil
}
