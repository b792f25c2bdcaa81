package ingest_test

import (
	"context"
	"errors"
	"testing"

	"svc/db"
	"svc/server/servertest/peer"
)

// TestADeleteThatIsPassedOnIsChecked: mallory forwards Deletes of vera's post
// and of vera herself, without vera's signature. They take effect once vera's
// server shows neither any more.
func TestADeleteThatIsPassedOnIsChecked(t *testing.T) {
	each(t, func(p *place) {
		mallory := p.peer.Actor("mallory")
		note := p.vera.Note("<p>hello</p>").Mentioning(p.bob.URI, "bob")
		p.peer.Publish(note)
		p.sends(202, p.vera, p.vera.Create(note))
		p.worked()
		there := func() (post, account bool) {
			_, err := p.s.DB.StatusByURI(context.Background(), note.Text("id"))
			vera, err2 := p.s.DB.AccountByURI(context.Background(), p.vera.ID)
			for _, err := range []error{err, err2} {
				if err != nil && !errors.Is(err, db.ErrNotFound) {
					p.Fatal(err)
				}
			}
			return err == nil, err2 == nil && !vera.Deactivated
		}
		pass := func(id string) {
			p.sends(202, mallory, p.vera.Delete(id), peer.SignedBy(mallory))
			p.worked()
		}
		pass(note.Text("id"))
		pass(p.vera.ID)
		if post, account := there(); !post || !account {
			p.Errorf("what is still shown: post %v, account %v", post, account)
		}
		p.peer.Gone("/" + note.Text("id")[len(p.peer.URL("/")):])
		pass(note.Text("id"))
		if post, account := there(); post || !account {
			p.Errorf("once it is gone: post %v, account %v", post, account)
		}
	})
}
