package outbox

import (
	"context"
	"slices"

	"svc/db"
	"svc/server/federation/activitypub"
)

// Created sends a local status to its recipients, and to relays if it is
// public. A local-only one is not sent.
func (s *Service) Created(ctx context.Context, tx *db.DB, by *db.Account, status *db.Status) error {
	if s.silent(by) || isLocalOnly(status) {
		return nil
	}
	audience, err := s.audience(ctx, tx, by, status)
	if err != nil {
		return err
	}
	var members []db.RemoteRecipient
	if status.Visibility == db.List {
		if members, err = tx.RemoteRecipients(ctx, status.ID); err != nil {
			return err
		}
	}
	feeds, err := s.relayFeed(ctx, tx, status)
	if err != nil || nobody(&audience) && len(members) == 0 && !feeds.Plain && feeds.AccountID == "" {
		return err
	}
	in, err := s.input(ctx, tx, by, status)
	if err != nil {
		return err
	}
	if _, err := s.relayed(ctx, tx, status, in.Thread); err != nil {
		return err
	}
	audience.Relays = feeds.Plain
	a := act{by: by, of: *status.URI, priority: db.PriorityPost, audience: audience}
	if status.Visibility == db.Direct || status.Visibility == db.List {
		a.priority = db.PriorityPerson
	}
	if status.Visibility == db.List {
		return s.sendToList(ctx, tx, a, in, activitypub.Create(in), members)
	}
	if nobody(&a.audience) {
		return nil
	}
	if err := s.queue(ctx, tx, activitypub.Create(in), a); err != nil || in.Poll == nil {
		return err
	}
	return s.closeLater(ctx, tx, in.Poll)
}

// isLocalOnly reports whether a status is never federated.
func isLocalOnly(status *db.Status) bool { return status.Visibility == db.Local || status.URI == nil }

// sendToList sends a copy to each member of a list, which names only the
// members on the same server.
func (s *Service) sendToList(ctx context.Context, tx *db.DB, a act, in activitypub.NoteInput, doc activitypub.Object, members []db.RemoteRecipient) error {
	note, _ := doc["object"].(activitypub.Object)
	if in.Status.ListID != nil {
		doc["listMessage"] = listURI(in.Author, *in.Status.ListID)
	}
	audience := db.Audience{Personal: true, Bodies: map[string]string{}}
	orderKey := map[string][]string{}
	for _, m := range members {
		audience.AccountIDs = append(audience.AccountIDs, m.ID)
		if !slices.Contains(in.Status.ToURIs, m.URI) {
			orderKey[m.Domain] = append(orderKey[m.Domain], m.URI)
		}
	}
	bodies := map[string]string{} // by host
	for _, m := range members {
		if bodies[m.Domain] == "" {
			doc["cc"], note["cc"] = list(orderKey[m.Domain]), list(orderKey[m.Domain])
			body, err := activitypub.Encode(doc)
			if err != nil {
				return err
			}
			bodies[m.Domain] = string(body)
		}
		audience.Bodies[m.Inbox] = bodies[m.Domain]
	}
	if nobody(&audience) {
		return nil
	}
	doc["cc"], note["cc"] = []string{}, []string{}
	a.audience = audience
	return s.queue(ctx, tx, doc, a)
}

// Edited sends a new version of a local status to those who have an earlier one, to its
// recipients and present followers, and to relays if it is public. Its recipients must
// be stored. A local-only one is not sent.
func (s *Service) Edited(ctx context.Context, tx *db.DB, by *db.Account, status *db.Status) error {
	if s.off() || !status.Local || s.silent(by) || isLocalOnly(status) {
		return nil
	}
	audience, err := s.holders(ctx, tx, by, status)
	if err != nil || nobody(&audience) {
		return err
	}
	in, err := s.input(ctx, tx, by, status)
	if err != nil {
		return err
	}
	a := act{kind: "Update", by: by, of: *status.URI, priority: db.PriorityPost, audience: audience}
	if status.Visibility == db.Direct || status.Visibility == db.List {
		a.priority = db.PriorityPerson
	}
	update := activitypub.Activity(a.kind, s.newURI(tx, "activities"), by.URI, activitypub.Note(in), status.ToURIs, status.CCURIs, status.EditedAt.Time)
	if status.Visibility == db.List {
		members, err := tx.RemoteRecipients(ctx, status.ID)
		if err != nil {
			return err
		}
		members = slices.DeleteFunc(members, func(m db.RemoteRecipient) bool { return m.Blocked })
		return s.sendToList(ctx, tx, a, in, update, members)
	}
	if err := s.queue(ctx, tx, update, a); err != nil || in.Poll == nil {
		return err
	}
	return s.closeLater(ctx, tx, in.Poll)
}

// list returns a list that is never null in JSON.
func list(ids []string) []string {
	if ids == nil {
		return []string{}
	}
	return ids
}

// Deleted sends the deletion of a status, by its author, a moderator or expiry,
// to all holders of copies. It must be called before its rows are deleted.
// Pending deliveries about the status are dropped when this is distributed.
//
// Other servers accept it from the author only, so that a deletion by another
// account is sent twice. by is nil for expiry.
func (s *Service) Deleted(ctx context.Context, tx *db.DB, by *db.Account, status *db.Status) error {
	if s.off() || !status.Local || isLocalOnly(status) || status.ReblogOfID != nil {
		return nil
	}
	author := by
	if by == nil || by.ID != status.AccountID {
		var err error
		if author, err = tx.Account(ctx, status.AccountID); err != nil {
			return err
		}
	}
	audience, err := s.copyAudience(ctx, tx, author, status)
	if err != nil || nobody(&audience) {
		return err
	}
	kind := "Note"
	if status.PollID != nil {
		kind = "Question"
	}
	gone := activitypub.Tombstone(*status.URI, kind, tx.Now())
	a := act{kind: "Delete", by: author, object: gone, of: *status.URI, to: status.ToURIs, cc: status.CCURIs, priority: db.PriorityPost, audience: audience}
	if by != nil && by.Deactivated { // an account that is deleted with all of its statuses
		a.priority = db.PriorityBulk
	}
	if by != nil && by.ID != author.ID {
		other := a
		other.by, other.audience.OfID = by, author.ID
		if err := s.keep(ctx, tx, other); err != nil {
			return err
		}
	}
	return s.keep(ctx, tx, a)
}

// copyAudience returns the audience of all holders of copies of a status.
func (s *Service) copyAudience(ctx context.Context, tx *db.DB, author *db.Account, status *db.Status) (db.Audience, error) {
	addressed, err := tx.RemoteRecipients(ctx, status.ID)
	if err != nil {
		return db.Audience{}, err
	}
	var audience db.Audience
	for _, a := range addressed {
		audience.AccountIDs = append(audience.AccountIDs, a.ID)
	}
	others, inboxes, err := tx.RemoteCopies(ctx, status)
	if err != nil {
		return audience, err
	}
	for _, id := range others {
		if !slices.Contains(audience.AccountIDs, id) {
			audience.AccountIDs = append(audience.AccountIDs, id)
		}
	}
	audience.Inboxes = inboxes
	if activitypub.Addressed(status, author.FollowersURI) {
		if audience.Followers, audience.Reached, err = tx.RemoteReach(ctx, author.ID); err != nil {
			return audience, err
		}
	}
	feeds, err := s.relayFeed(ctx, tx, status)
	audience.Relays = feeds.Plain
	return audience, err
}

// audience returns the remote audience of a local status or reblog, in one
// statement at most.
func (s *Service) audience(ctx context.Context, tx *db.DB, by *db.Account, status *db.Status) (db.Audience, error) {
	var audience db.Audience
	for _, m := range status.Mentions {
		// Policies may have removed a recipient.
		if s.remote(m.URI) && activitypub.Addressed(status, m.URI) {
			audience.AccountIDs = append(audience.AccountIDs, m.ID)
		}
	}
	if !activitypub.Addressed(status, by.FollowersURI) {
		return audience, nil
	}
	followers, err := tx.HasRemoteFollowers(ctx, by.ID)
	audience.Followers = followers
	return audience, err
}

// relayFeed returns the relays for public statuses.
func (s *Service) relayFeed(ctx context.Context, tx *db.DB, status *db.Status) (db.RelayFeed, error) {
	if status.Visibility != db.Public || !s.settings.Load().Instance.AllowRelay {
		return db.RelayFeed{}, nil
	}
	return s.feed.load(ctx, tx, s.base+"/relay")
}

// input returns a status with its related rows.
func (s *Service) input(ctx context.Context, tx *db.DB, by *db.Account, status *db.Status) (activitypub.NoteInput, error) {
	beside, err := tx.RelatedTo(ctx, []db.Status{*status})
	if err != nil {
		return activitypub.NoteInput{}, err
	}
	return activitypub.InputOf(beside, status, by, s.base, tx.Now().Time), nil
}
