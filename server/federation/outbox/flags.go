package outbox

import (
	"context"

	"svc/db"
)

// Flagged tells the server of a remote account of a report on it, and on those
// of its posts with these ids. It is said by speaker, the account that speaks
// for this server: nobody is told who complains.
func (s *Service) Flagged(ctx context.Context, tx *db.DB, speaker, target *db.Account, content string, statusURIs []string) error {
	if s.off() || target.Local {
		return nil
	}
	a := act{
		kind: "Flag", by: speaker, object: append([]string{target.URI}, statusURIs...), of: orderKey("Flag", speaker.URI, target.URI),
		to: []string{target.URI}, priority: db.PriorityAct, audience: only(target),
	}
	a.more = map[string]any{"content": content}
	a.audience.Personal = true
	return s.keep(ctx, tx, a)
}
