package ingest

import (
	"context"
	"maps"
	"slices"
	"strings"

	"svc/db"
	"svc/server/federation/activitypub"
)

// incoming reads an item: its actor, signer and activity, and whether the actor
// may send it. Errors are those of errDrop and errLater, and faults.
func (s *Service) incoming(ctx context.Context, it *item) (*Incoming, error) {
	doc, body, err := s.document(ctx, it)
	if err != nil {
		return nil, err
	}
	signer, err := s.db.Account(ctx, it.row.SignerID)
	if isNotFound(err) {
		return nil, errDrop("its signer is gone")
	}
	if err != nil {
		return nil, err
	}
	in := &Incoming{Signer: signer, Hash: hash(body), ReceivedAt: it.row.ReceivedAt.Time, db: s.db, item: it}
	if in.Activity, err = s.normalise(doc); err != nil {
		return nil, err
	}
	in.ID = in.Activity.ID()
	if err := s.findActor(ctx, in); err != nil {
		return nil, err
	}
	if in.Actor.Deactivated && !in.Activity.Is("Delete") {
		return nil, errDrop("its actor is deactivated here")
	}
	if err := s.dropUnproved(in); err != nil {
		return nil, err
	}
	s.ownFollowers(in.Activity, in.Actor)
	if err := s.checkInboxOwner(ctx, in, it.row.OwnerID); err != nil {
		return nil, err
	}
	return in, nil
}

// document returns the document of an item and its bytes, which may still be in
// the database.
func (s *Service) document(ctx context.Context, it *item) (doc activitypub.Object, body []byte, err error) {
	if body = it.row.Body; body == nil {
		if body, err = s.db.InboxBody(ctx, it.row.ID); isNotFound(err) {
			return nil, nil, errTaken
		} else if err != nil {
			return nil, nil, err
		}
	}
	if doc = it.doc; doc == nil {
		doc, err = activitypub.Decode(body)
	}
	return doc, body, err
}

// normalise returns an activity without parts that mean nothing here, with ids
// in stored form and addresses as lists. Its id, actor and created object must
// be of one origin, which is not ours.
func (s *Service) normalise(doc activitypub.Object) (activitypub.Object, error) {
	out := maps.Clone(doc)
	for _, key := range []string{"signature", "proof", "bto", "bcc"} {
		delete(out, key)
	}
	actor, err := s.ids.Check(doc.IDOf("actor"))
	if err != nil {
		return nil, err
	}
	if s.ours(actor) {
		return nil, errDrop("it is said to be by an account of this server")
	}
	out["actor"] = actor
	switch id := doc.ID(); {
	case id != "":
		if id, err = s.ids.Check(id); err != nil {
			return nil, err
		}
		if !s.ids.SameOrigin(id, actor) {
			return nil, errDrop("its id is of another server than its actor")
		}
		out["id"] = id
	case !out.Is("Add", "Remove") && (!out.Is("Undo") || out.Object("object") == nil):
		return nil, errDrop("it has no id")
	}
	readdressed(out)
	switch object := out["object"].(type) {
	case map[string]any:
		out["object"] = map[string]any(embedded(object))
	case []any: // of a report
		objects := slices.Clone(object)
		for i, one := range objects {
			if one, ok := one.(map[string]any); ok {
				objects[i] = map[string]any(embedded(one))
			}
		}
		if out["object"] = objects; len(objects) == 1 {
			out["object"] = objects[0]
		}
	}
	return out, nil
}

// embedded returns an object of an activity without parts that mean nothing here,
// and with its addresses as lists.
func embedded(o activitypub.Object) activitypub.Object {
	o = maps.Clone(o)
	readdressed(o)
	delete(o, "signature")
	return o
}

// readdressed turns the addresses of a document into lists of ids.
func readdressed(o activitypub.Object) {
	for _, key := range []string{"to", "cc", "audience"} {
		if _, given := o[key]; given {
			o[key] = anys(o.Addresses(key))
		}
	}
	delete(o, "bto")
	delete(o, "bcc")
}

// ownFollowers drops the followers collections that are not the actor's own
// from the addresses.
func (s *Service) ownFollowers(activity activitypub.Object, actor *db.Account) {
	for _, o := range append([]activitypub.Object{activity}, activity.Objects("object")...) {
		for _, key := range []string{"to", "cc", "audience"} {
			if _, given := o[key]; given {
				o[key] = anys(slices.DeleteFunc(o.Addresses(key), func(id string) bool {
					return strings.HasSuffix(id, "/followers") && id != actor.FollowersURI
				}))
			}
		}
	}
}

// findActor finds the actor, and whether they signed.
func (s *Service) findActor(ctx context.Context, in *Incoming) error {
	uri, kind := in.Activity.Text("actor"), in.Activity.Type()
	if in.Signer.URI == uri {
		in.Actor = in.Signer
		return nil
	}
	if !forwarded(kind) {
		return errDrop("its actor did not sign it")
	}
	if s.remote.Blocked(s.ids.Host(uri)) {
		return errDrop("its actor's server is blocked")
	}
	in.Forwarded = true
	var err error
	if kind == "Delete" { // nothing of an unknown actor to delete
		in.Actor, err = s.db.AccountByURI(ctx, uri)
	} else {
		in.Actor, err = s.remote.Actor(ctx, uri)
		if err != nil {
			return dropUnfetched(uri, err)
		}
	}
	if isNotFound(err) {
		return errDrop("its actor is not known")
	}
	return err
}

// checkInboxOwner reports whether an activity posted to a personal inbox
// concerns its owner: the owner is addressed, or nobody is, or the owner
// follows the actor. Then the owner joins the addresses.
func (s *Service) checkInboxOwner(ctx context.Context, in *Incoming, ownerID string) error {
	if ownerID == "" {
		return nil
	}
	owner, err := s.db.Account(ctx, ownerID)
	if isNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	to, cc := in.Activity.Addresses("to"), in.Activity.Addresses("cc")
	if object := in.Activity.Object("object"); object != nil {
		to, cc = slices.Concat(to, object.Addresses("to")), slices.Concat(cc, object.Addresses("cc"))
	}
	named := slices.Contains(to, owner.URI) || slices.Contains(cc, owner.URI)
	switch {
	case named, len(to)+len(cc) == 0:
	default:
		f, err := s.db.Follow(ctx, owner.ID, in.Actor.ID)
		if isNotFound(err) || err == nil && f.Pending {
			return nil
		}
		if err != nil {
			return err
		}
	}
	in.Owner = owner
	if !named {
		in.Activity["cc"] = anys(append(in.Activity.Addresses("cc"), owner.URI))
	}
	return nil
}

// dropUnproved keeps of an activity the parts that its signature proves: the
// created or changed object if its author signed, else only the object's id,
// which must be on the actor's server.
func (s *Service) dropUnproved(in *Incoming) error {
	if !in.Activity.Is("Create", "Update") {
		return nil
	}
	id, err := s.ids.Check(in.Activity.IDOf("object"))
	if err != nil {
		return err
	}
	if s.ours(id) {
		return errDrop("what it is about is said to be of this server")
	}
	if !s.ids.SameOrigin(id, in.Actor.URI) {
		return errDrop("what it is about is of another server than its actor")
	}
	object := in.Activity.Object("object")
	if object == nil || in.Forwarded || !isActor(object) && !isAuthor(object, in.Signer.URI) {
		in.Activity["object"] = id
	}
	return nil
}

// isAuthor reports whether an actor is among the authors of an object.
func isAuthor(o activitypub.Object, uri string) bool {
	authors := o.IDs("attributedTo")
	if len(authors) == 0 {
		authors = o.IDs("actor")
	}
	return slices.Contains(authors, uri)
}
