package ingest

import (
	"context"
	"slices"

	"svc/db"
	"svc/server/federation/activitypub"
)

// onChatMessage stores a message in the chat of the one local account that both
// the activity and the message are addressed to.
func (s *Service) onChatMessage(ctx context.Context, in *Incoming, object activitypub.Object) error {
	if in.Forwarded {
		return errDrop("a chat message that was passed on")
	}
	to := object.Addresses("to")
	if len(to) != 1 || len(object.Addresses("cc")) > 0 || !slices.Equal(to, in.Activity.Addresses("to")) {
		return errDrop("a chat message that is not to one")
	}
	recipient, err := s.db.AccountByURI(ctx, to[0])
	if err == nil && !recipient.Local {
		return errDrop("a chat message to nobody here")
	}
	if err != nil {
		return dropRefused(err)
	}
	p, err := activitypub.ReadPost(object, s.ids, in.Actor.URI)
	if err != nil {
		return dropRefused(err)
	}
	return dropRefused(in.Commit(ctx, func(tx *db.DB) error {
		_, err := s.chats.In(tx).Receive(ctx, in.Actor, recipient, p)
		return err
	}))
}
