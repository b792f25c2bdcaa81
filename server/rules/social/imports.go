package social

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/platform/jobs"
	"svc/server/platform/text"
)

// The bounds of imports: accounts of one list, of one job, and the bytes of one
// handle.
const (
	maxImport   = 20000
	importChunk = 500
	maxHandle   = 520
)

// StartImport imports a list of accounts to follow, block or mute (the kinds of
// jobs.Import): a handle on each line, or in the first column of CSV, as other
// servers export it. A job does the work. Unknown accounts, and those that by
// may not follow, are skipped.
func (s *Service) StartImport(ctx context.Context, by *db.Account, kind, list string) error {
	handles := readHandles(list)
	if len(handles) > maxImport {
		return fault.Invalidf("A list of more than %d accounts cannot be imported", maxImport)
	}
	var all []jobs.Import
	for chunk := range slices.Chunk(handles, importChunk) {
		all = append(all, jobs.Import{AccountID: by.ID, Verb: kind, Handles: chunk})
	}
	return s.db.Tx(ctx, func(tx *db.DB) error { return jobs.EnqueueAll(ctx, tx, all) })
}

// readHandles returns the possible handles of a list, each once.
func readHandles(list string) []string {
	list, _ = text.Clean(list)
	var out []string
	seen := map[string]bool{}
	for line := range strings.Lines(list) {
		first, _, _ := strings.Cut(line, ",")
		if strings.EqualFold(strings.TrimSpace(first), "Account address") {
			continue // the head of Mastodon's exports
		}
		for word := range strings.FieldsFuncSeq(first, unicode.IsSpace) {
			word = strings.TrimPrefix(strings.Trim(word, `"'`), "@")
			key := db.NicknameKey(word)
			if word == "" || len(word) > maxHandle || seen[key] {
				continue
			}
			seen[key] = true
			out = append(out, word)
		}
	}
	return out
}

// Import runs a job of its kind, one account at a time. Run twice it changes
// nothing more.
func (s *Service) Import(ctx context.Context, job jobs.Import) error {
	by, err := s.db.Account(ctx, job.AccountID)
	if err != nil || by.Deactivated {
		return ignoreNotFound(err)
	}
	var do func(id string) error
	switch job.Verb {
	case jobs.ImportFollows:
		do = func(id string) error { return s.Follow(ctx, by, id, FollowOptions{}) }
	case jobs.ImportBlocks:
		do = func(id string) error { return s.Block(ctx, by, id) }
	case jobs.ImportMutes:
		do = func(id string) error { return s.Mute(ctx, by, id, true, 0) }
	default:
		return nil
	}
	for _, handle := range job.Handles {
		target, err := s.account(ctx, s.nickname(handle))
		if err == nil {
			err = do(target.ID)
		}
		if refused := new(fault.Error); errors.As(err, &refused) || errors.Is(err, db.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}
