package outbox

import (
	"context"

	"svc/db"
)

// Flagged sends a report to the server of a remote account, with those of its
// statuses with these ids. The actor is speaker, the service actor, so that the
// reporter stays unknown.
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
