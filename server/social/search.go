package social

import (
	"context"

	"svc/db"
	"svc/server/text"
)

// indexChunk is how many rows one transaction of Reindex looks at.
const indexChunk = 500

// searchable is the text that a post is found by.
func searchable(s *db.Status) string {
	return text.Plain(s.SpoilerText) + "\n" + text.Plain(s.Content)
}

// Reindex makes found what is older than the search, chunk by chunk, until all
// is or ctx ends; then it goes on from there the next time.
func (s *Service) Reindex(ctx context.Context) error {
	for _, next := range []func(tx *db.DB) (bool, error){
		func(tx *db.DB) (bool, error) { return tx.ReindexAccounts(ctx, indexChunk) },
		func(tx *db.DB) (bool, error) { return tx.ReindexStatuses(ctx, indexChunk, searchable) },
	} {
		for more := true; more; {
			err := s.db.Tx(ctx, func(tx *db.DB) (err error) {
				more, err = next(tx)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
