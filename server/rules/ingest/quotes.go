package ingest

import (
	"context"

	"svc/db"
	"svc/server/rules/social"
)

// onQuoteRequest answers a request to quote a local status. The quoting status
// is the requester's and is taken when it comes by itself. Shape: FEP-044f.
func (s *Service) onQuoteRequest(ctx context.Context, in *Incoming) error {
	uri, err := s.ids.Check(in.Activity.IDOf("instrument"))
	if err != nil {
		return dropRefused(err)
	}
	if !s.ids.SameOrigin(uri, in.Actor.URI) {
		return errDrop("the post that quotes is of another server than its actor")
	}
	if post := in.Activity.Object("instrument"); post != nil {
		if author := post.IDOf("attributedTo"); author != "" && author != in.Actor.URI {
			return errDrop("the post that quotes is by somebody else")
		}
	}
	if !s.ours(in.Activity.IDOf("object")) {
		return errDrop("no post of this server is quoted")
	}
	return s.withObject(ctx, in, func(tx *db.DB, status *db.Status) error {
		return s.social.In(tx).TakeQuote(ctx, in.Actor, status.ID, social.QuoteRequest{URI: in.ID, Object: uri})
	})
}
