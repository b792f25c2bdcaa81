package media

import (
	"context"
	"errors"
	"io"
	"time"

	"svc/db"
	"svc/server/platform/jobs"
)

const (
	// measureChunk bounds the rows that one step of MeasureOld reads.
	measureChunk = 50
	// measureFor is the time after which another job goes on.
	measureFor = 2 * time.Minute
)

// MeasureOld measures the pictures of earlier releases, one at a time, and rests after each
// for as long as it took. After a while it leaves the rest to another job. One that is
// interrupted goes on behind the last chunk; what is measured already is not touched.
func (s *Service) MeasureOld(ctx context.Context) error {
	until := s.now().Add(measureFor)
	for {
		rows, walks, err := s.db.UnmeasuredFiles(ctx, measureChunk)
		if err != nil || !walks {
			return err
		}
		for i := range rows {
			if err := s.measureOld(ctx, &rows[i]); err != nil {
				return err
			}
		}
		ends, last := len(rows) < measureChunk, int64(0)
		if len(rows) > 0 {
			last = rows[len(rows)-1].ID
		}
		late := !ends && !s.now().Before(until)
		err = s.db.Tx(ctx, func(tx *db.DB) error {
			if err := tx.MeasuredUpTo(ctx, last, ends); err != nil || !late {
				return err
			}
			return jobs.Enqueue(ctx, tx, jobs.MeasureMedia{})
		})
		if err != nil || late || ends {
			return err
		}
	}
}

// measureOld measures one picture, if nobody has. A file that is gone or unreadable stays
// as it is; a store that does not answer is an error, and the job is tried again.
func (s *Service) measureOld(ctx context.Context, row *db.MediaAttachment) error {
	if row.File == "" || row.Width != 0 || !Measured(row.MimeType) {
		return nil
	}
	begun := time.Now()
	file, kind, err := s.Open(ctx, row.File)
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	raw, err := io.ReadAll(io.LimitReader(file, maxPacked))
	err = errors.Join(err, file.Close())
	if err != nil {
		return err
	}
	leave, err := s.decodeSlots.enter(ctx)
	if err != nil {
		return err
	}
	row.Width, row.Height, row.Blurhash = look(raw, kind)
	leave()
	if row.Width > 0 {
		if err := s.db.Tx(ctx, func(tx *db.DB) error { return tx.Measured(ctx, row) }); err != nil {
			return err
		}
	}
	select {
	case <-time.After(time.Since(begun)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
