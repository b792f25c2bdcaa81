package ingest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/federation/mrf"
	"svc/server/federation/remote"
	"svc/server/platform/fault"
	"svc/server/rules/social"
)

const (
	// maxUnknown bounds the unknown mentioned accounts that are fetched, and
	// meeting the time for it.
	maxUnknown = 10
	meeting    = 15 * time.Second
)

// onCreate handles a status, a vote or a chat message.
func (s *Service) onCreate(ctx context.Context, in *Incoming) error {
	wanted, err := s.relays.From(ctx, in.Signer)
	if err != nil {
		return err
	}
	id := in.Activity.IDOf("object")
	if s.ours(id) {
		return errDrop("object %.200q is one of this server", id)
	}
	known, err := s.db.KnownObject(ctx, id, in.Actor.URI)
	switch {
	case err != nil:
		return err
	case known.StatusID != "" || known.Message:
		return nil // stored already
	case known.Gone:
		return errDrop("object %.200q was deleted", id)
	}
	object, author, err := s.objectOf(ctx, in)
	if err != nil {
		return err
	}
	switch {
	case object.Is("ChatMessage"):
		return s.onChatMessage(ctx, in, object)
	case isVote(object):
		return s.onVote(ctx, in, author, object)
	case !object.IsPost():
		return errDrop("an object of type %.50q means nothing here", object.Type())
	}
	return s.take(ctx, in, author, object, wanted)
}

// take stores a status that was sent.
func (s *Service) take(ctx context.Context, in *Incoming, author *db.Account, object activitypub.Object, wanted bool) error {
	post, err := s.readPost(ctx, author, object)
	if err != nil {
		return dropRefused(err)
	}
	post.Wanted = wanted
	draft, err := s.social.DraftRemote(ctx, author, *post)
	if err != nil {
		return dropRefused(err)
	}
	return dropRefused(in.Commit(ctx, func(tx *db.DB) error {
		_, err := s.social.In(tx).KeepRemote(ctx, draft)
		return err
	}))
}

// objectOf returns the object of a Create or Update, with its author. An
// embedded object counts if its author signed; otherwise it is fetched.
func (s *Service) objectOf(ctx context.Context, in *Incoming) (activitypub.Object, *db.Account, error) {
	object, id := in.Activity.Object("object"), in.Activity.IDOf("object")
	if !in.Forwarded && object != nil && len(object) > 2 && s.ids.SameOrigin(id, in.Actor.URI) {
		return object, in.Actor, nil
	}
	if id == "" {
		return nil, nil, errDrop("an object without an id")
	}
	return s.fetch(ctx, id, in.Activity.Type())
}

// fetch fetches an object and judges it as the object of an activity of type
// kind by its author.
func (s *Service) fetch(ctx context.Context, id, kind string) (activitypub.Object, *db.Account, error) {
	doc, err := s.remote.Fetch(ctx, id)
	if err != nil {
		return nil, nil, dropUnfetched(id, err)
	}
	return s.fetched(ctx, doc, kind)
}

func (s *Service) fetched(ctx context.Context, doc activitypub.Object, kind string) (activitypub.Object, *db.Account, error) {
	p, err := activitypub.ReadPost(doc, s.ids, "")
	if err != nil {
		return nil, nil, dropRefused(err)
	}
	if s.ours(p.ID) || s.ours(p.Author) {
		return nil, nil, errDrop("object %.200q pretends to be of this server", p.ID)
	}
	author, err := s.remote.Actor(ctx, p.Author)
	if err != nil {
		return nil, nil, dropUnfetched(p.Author, err)
	}
	judged, err := s.judge(ctx, author, activitypub.Object{
		"type": kind, "actor": author.URI, "to": doc["to"], "cc": doc["cc"], "object": map[string]any(doc),
	})
	if err != nil {
		return nil, nil, dropRefused(err)
	}
	return judged.Object("object"), author, nil
}

// readPost reads a judged object and finds its accounts. The first few unknown
// mentioned accounts are fetched.
func (s *Service) readPost(ctx context.Context, author *db.Account, object activitypub.Object) (*social.RemoteStatus, error) {
	p, err := activitypub.ReadPost(object, s.ids, author.URI)
	if err != nil {
		return nil, err
	}
	var uris []string
	for _, m := range p.Mentions {
		uris = append(uris, m.Href)
	}
	uris = append(uris, p.To...)
	uris = append(uris, p.CC...)
	slices.Sort(uris)
	uris = slices.DeleteFunc(slices.Compact(uris), func(uri string) bool {
		return uri == activitypub.Public || uri == author.FollowersURI || uri == author.URI
	})
	accounts, err := s.db.AccountsByURI(ctx, uris)
	if err != nil {
		return nil, err
	}
	if accounts == nil {
		accounts = map[string]*db.Account{}
	}
	s.fetchAccounts(ctx, p, accounts)
	return &social.RemoteStatus{Post: p, Accounts: accounts}, nil
}

// fetchAccounts fetches unknown mentioned accounts.
func (s *Service) fetchAccounts(ctx context.Context, p *activitypub.Post, accounts map[string]*db.Account) {
	ctx, cancel := context.WithTimeout(ctx, meeting)
	defer cancel()
	asked := 0
	for _, m := range p.Mentions {
		if accounts[m.Href] != nil || s.ours(m.Href) {
			continue
		}
		if asked++; asked > maxUnknown || ctx.Err() != nil {
			return
		}
		a, err := s.remote.Actor(ctx, m.Href)
		if err != nil {
			s.log.DebugContext(ctx, "cannot fetch a mentioned account", "account", fmt.Sprintf("%.200q", m.Href), "err", err)
			continue
		}
		accounts[m.Href] = a
	}
}

// updateObject handles the Update of an object that is no actor.
func (s *Service) updateObject(ctx context.Context, in *Incoming) error {
	id := in.Activity.IDOf("object")
	if s.ours(id) {
		return errDrop("object %.200q is one of this server", id)
	}
	known, err := s.db.KnownObject(ctx, id, in.Actor.URI)
	switch {
	case err != nil:
		return err
	case known.Message:
		return errDrop("chat messages do not change")
	case known.Gone:
		return errDrop("object %.200q was deleted", id)
	}
	object, author, err := s.objectOf(ctx, in)
	if err != nil {
		return err
	}
	if !object.IsPost() || isVote(object) {
		return errDrop("an update of type %.50q means nothing here", object.Type())
	}
	if known.StatusID == "" {
		wanted, err := s.relays.From(ctx, in.Signer)
		if err != nil {
			return err
		}
		return s.take(ctx, in, author, object, wanted)
	}
	draft, err := s.revision(ctx, author, object)
	if err != nil {
		return err
	}
	return dropRefused(in.Commit(ctx, func(tx *db.DB) error {
		_, err := s.social.In(tx).EditRemote(ctx, known.StatusID, draft)
		return err
	}))
}

// revision drafts another version of a stored status.
func (s *Service) revision(ctx context.Context, author *db.Account, object activitypub.Object) (*social.RemoteDraft, error) {
	post, err := s.readPost(ctx, author, object)
	if err != nil {
		return nil, dropRefused(err)
	}
	post.Edit = true
	draft, err := s.social.DraftRemote(ctx, author, *post)
	return draft, dropRefused(err)
}

// deleteObject handles the Delete of an object that is no actor. An unknown
// object is remembered for some hours, so that it is dropped when it comes
// late.
func (s *Service) deleteObject(ctx context.Context, in *Incoming) error {
	id, err := s.ids.Check(in.Activity.IDOf("object"))
	if err != nil {
		return dropRefused(err)
	}
	if !s.ids.SameOrigin(id, in.Actor.URI) {
		return errDrop("%.200q is not on the server of who deletes it", id)
	}
	if in.Forwarded {
		// The sender proves nothing: ask the object's server.
		_, err := s.remote.Fetch(ctx, id)
		switch {
		case err == nil:
			return errDrop("%.200q is not deleted", id)
		case !errors.Is(err, remote.ErrGone) && !errors.Is(err, remote.ErrNotFound):
			return dropUnfetched(id, err)
		}
	}
	return dropRefused(in.Commit(ctx, func(tx *db.DB) error {
		if err := tx.HoldURIs(ctx, id); err != nil { // it may be fetched and stored at this moment
			return err
		}
		status, err := tx.StatusByURI(ctx, id)
		switch {
		case err == nil && status.AccountID != in.Actor.ID:
			return errDrop("%.200q is another's", id)
		case err == nil:
			return s.social.In(tx).RemoveRemote(ctx, status.ID)
		case !isNotFound(err):
			return err
		}
		known, err := tx.KnownObject(ctx, id, in.Actor.URI)
		switch {
		case err != nil || known.Gone:
			return err
		case known.Message:
			return s.chats.In(tx).Withdraw(ctx, in.Actor, id)
		}
		return tx.AddUndone(ctx, id, in.Actor.URI)
	}))
}

// dropRefused turns a refusal into a drop, and a duplicate into success.
func dropRefused(err error) error {
	var (
		refused *mrf.Rejection
		no      *fault.Error
	)
	switch {
	case err == nil, errors.Is(err, db.ErrDuplicate):
		return nil
	case errors.As(err, &refused), errors.As(err, &no), errors.Is(err, activitypub.ErrMalformed), errors.Is(err, db.ErrNotFound):
		return errDrop("%v", err)
	}
	return err
}

// dropUnfetched decides about an activity after the fetch of its objects
// failed.
func dropUnfetched(id string, err error) error {
	if db.IsTemporary(err) {
		return err
	}
	if errors.Is(err, remote.ErrGone) || errors.Is(err, remote.ErrRefused) || errors.Is(err, db.ErrNotFound) || errors.Is(err, activitypub.ErrMalformed) {
		return errDrop("%.200q cannot be had: %v", id, err)
	}
	return errLater("%.200q cannot be had yet: %v", id, err)
}
