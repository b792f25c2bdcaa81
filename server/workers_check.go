package server

import (
	"context"
	"time"

	"github.com/riverqueue/river"

	"svc/db"
	"svc/server/platform/jobs"
)

const (
	// checkEvery is the time between the beginnings of two checks.
	checkEvery = 24 * time.Hour
	// checkRows bounds the rows of one statement of a check.
	checkRows = 200
	// checkSlice bounds one run of the job. A process that stops waits for it.
	checkSlice = 2 * time.Second
	// checkShare is how many times longer than a statement the pause after it is.
	checkShare = 4
	// checkSaved is the time between two saves of the place.
	checkSaved = time.Second
	// filesChecked is how many files of the media store one check looks at, and
	// filesAtOnce how many of them at once: in a bucket each takes a request.
	filesChecked = 20000
	filesAtOnce  = 50
	// checkLogged bounds the findings of one check that are logged.
	checkLogged = 100
)

// checkDatabase runs a job of its kind: it goes on with the check that is under
// way, or begins one if the last began a day ago. Findings are logged and counted
// once; of two processes that check, one ends.
func (s *Server) checkDatabase(ctx context.Context, _ jobs.CheckDatabase) error {
	w, err := s.DB.CheckWalk(ctx)
	if err != nil {
		return err
	}
	began := s.now()
	if w.Ended() {
		if began.Sub(time.Unix(w.BeganAt, 0)) < checkEvery {
			return nil
		}
		s.DB.BeginCheck(w, began.Unix())
		w.FilesLeft = filesChecked
	}
	for saved := began; ; {
		var found []db.Finding
		before, area := s.now(), w.Area
		take := func(f db.Finding) { found = append(found, f) }
		if w.FilesLeft > 0 {
			area = db.CheckFiles
			s.checkFiles(ctx, w, take)
		} else {
			o := CheckRules(s.Settings.Load())
			o.Chunk = checkRows
			if err := s.DB.CheckNext(ctx, w, o, before.Unix(), take); err != nil {
				return err
			}
		}
		now := s.now()
		over := now.Sub(began) >= checkSlice
		if over || w.Ended() || len(found) > 0 || now.Sub(saved) >= checkSaved {
			if ours, err := s.DB.SaveCheckWalk(ctx, w); err != nil || !ours {
				return err
			}
			saved = now
		}
		s.logFindings(ctx, w, area, found)
		switch {
		case w.Ended():
			s.log.InfoContext(ctx, "checked the database", "findings", sum(w.Result), "seconds", w.EndedAt-w.BeganAt)
			return nil
		case over:
			return river.JobSnooze(0) // to the end of the queue
		}
		select {
		case <-time.After(checkShare * now.Sub(before)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// checkFiles checks the next files and moves w on. Where they cannot be read, or at the
// end of all files, the next check goes on.
func (s *Server) checkFiles(ctx context.Context, w *db.CheckWalk, found func(db.Finding)) {
	next, n, err := s.stores.CheckSome(ctx, w.Files, filesAtOnce, func(f db.Finding) error {
		w.Found[f.Area]++
		found(f)
		return nil
	})
	switch {
	case err != nil:
		w.FilesLeft = 0
		s.log.WarnContext(ctx, "cannot check the stored files", "err", err)
	case next == "":
		w.Files, w.FilesLeft = "", 0
	default:
		w.Files, w.FilesLeft = next, max(0, w.FilesLeft-max(n, 1))
	}
}

// logFindings logs the findings of one step in an area, up to a bound for the
// whole check.
func (s *Server) logFindings(ctx context.Context, w *db.CheckWalk, area string, found []db.Finding) {
	before := sum(w.Found)
	if w.Ended() {
		before = sum(w.Result)
	}
	for i, f := range found {
		if before-len(found)+i < checkLogged {
			s.log.WarnContext(ctx, "the database contradicts itself", "area", area, "check", f.Check, "row", f.Row, "fault", f.Fault)
		}
	}
}

func sum(found map[string]int) (n int) {
	for _, of := range found {
		n += of
	}
	return n
}
