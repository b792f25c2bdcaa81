package ingest

import (
	"errors"
	"strings"
	"testing"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/federation/activitypub"
)

// TestNobodySpeaksForAnother: a neighbour of vera's on her server, and an
// account of another server, send activities about objects of hers. All are
// dropped, and vera's post stays as it is.
func TestNobodySpeaksForAnother(t *testing.T) {
	const (
		vera      = "https://far.example/users/vera"
		neighbour = "https://far.example/users/mallory"
		stranger  = "https://evil.example/users/mallory"
		post      = "https://far.example/posts/1"
		public    = "https://www.w3.org/ns/activitystreams#Public"
	)
	about := func(kind, actor string, object any) activitypub.Object {
		return activitypub.Object{"type": kind, "id": actor + "/acts/1", "actor": actor, "object": object, "to": []any{public}}
	}
	note := func(id, author, content string) map[string]any {
		return map[string]any{"type": "Note", "id": id, "attributedTo": author, "content": content, "to": []any{public}, "published": "2026-03-01T00:00:00Z"}
	}
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		r := newReceiver(t, d)
		send := func(signer string, doc activitypub.Object) error {
			activity, err := r.normalise(doc)
			if err != nil {
				return err
			}
			in := &Incoming{Activity: activity, ID: activity.ID(), Signer: r.author(signer), ReceivedAt: noon, db: r.db}
			if err := r.findActor(t.Context(), in); err != nil {
				return err
			}
			if err := r.dropUnproved(in); err != nil {
				return err
			}
			return r.Process(t.Context(), in)
		}
		r.must(send(vera, about("Create", vera, note(post, vera, "mine"))))
		for name, c := range map[string]struct {
			signer string
			doc    activitypub.Object
			words  string
		}{
			"a neighbour deletes a post":                {neighbour, about("Delete", neighbour, post), "is another's"},
			"a stranger deletes a post":                 {stranger, about("Delete", stranger, post), "is not on the server of who deletes it"},
			"a stranger deletes before it comes":        {stranger, about("Delete", stranger, "https://far.example/posts/2"), "is not on the server of who deletes it"},
			"a stranger creates elsewhere":              {stranger, about("Create", stranger, note("https://far.example/posts/3", stranger, "false")), "is of another server than its actor"},
			"a stranger changes a post":                 {stranger, about("Update", stranger, note(post, vera, "false")), "is of another server than its actor"},
			"a stranger creates a post of this server":  {stranger, about("Create", stranger, note(dbtest.Base+"/objects/x", stranger, "false")), "is said to be of this server"},
			"a stranger names an activity of elsewhere": {stranger, activitypub.Object{"type": "Like", "id": vera + "/acts/9", "actor": stranger, "object": *r.note.URI}, "its id is of another server"},
			"a neighbour signs a like":                  {neighbour, about("Like", vera, *r.note.URI), "its actor did not sign it"},
		} {
			err := send(c.signer, c.doc)
			var no *dropped
			if !errors.As(err, &no) || !strings.Contains(no.Error(), c.words) {
				t.Errorf("%s: %v", name, err)
			}
		}
		kept, err := r.db.StatusByURI(t.Context(), post)
		if err != nil || kept.Content != "mine" && kept.Content != "<p>mine</p>" {
			t.Errorf("the post is %+v: %v", kept, err)
		}
		if note, err := r.db.StatusByID(t.Context(), r.note.ID); err != nil || note.FavouritesCount != 0 {
			t.Errorf("%d favourites: %v", note.FavouritesCount, err)
		}
	})
}
