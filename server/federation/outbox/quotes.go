package outbox

import (
	"context"

	"svc/db"
	"svc/server/federation/activitypub"
)

// QuoteAnswered answers a remote account's request to quote a status of author
// with its status object: yes with a quote, no with nil. request is the id of
// the request. Shape: FEP-044f.
func (s *Service) QuoteAnswered(ctx context.Context, tx *db.DB, author, by *db.Account, status *db.Status, request, object string, quote *db.Quote) error {
	if s.silent(author) || status.URI == nil {
		return nil
	}
	asked := activitypub.Inner("QuoteRequest", request, by.URI, *status.URI)
	asked["instrument"] = object
	a := act{
		kind: "Reject", by: author, object: asked, of: orderKey("QuoteRequest", by.URI, object), to: []string{by.URI},
		priority: db.PriorityPerson, audience: only(by),
	}
	if quote != nil {
		a.kind, a.more = "Accept", activitypub.Object{"result": activitypub.QuoteID(*status.URI, quote.ID)}
	}
	a.audience.Personal = true
	return s.keep(ctx, tx, a)
}
