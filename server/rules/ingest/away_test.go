package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"svc/client/api"
	"svc/db"
	"svc/server/platform/jobs"
	"svc/server/servertest"
	"svc/server/servertest/peer"
)

// moderated carries out a change by an admin.
func (p *place) moderated(do func(ctx context.Context) error) {
	p.Helper()
	if err := do(context.Background()); err != nil {
		p.Fatal(err)
	}
}

// erased waits until nothing is left of an account but its empty row.
func (p *place) erased(a *peer.Actor) {
	p.Helper()
	servertest.Eventually(p, a.Nickname+" is erased", func() bool { return p.known(a).DisplayName == "" })
}

// found counts the accounts that bob finds under a handle or an id, also elsewhere.
func (p *place) found(what string) int {
	p.Helper()
	found, err := p.s.Client("bob").Search.Find(context.Background(), api.SearchQuery{Q: what, Resolve: true})
	if err != nil {
		p.Fatal(err)
	}
	return len(found.Accounts)
}

func (p *place) toBob(text string) peer.Doc {
	return p.vera.Note(text).To([]string{peer.Public}, []string{p.bob.URI})
}

func TestADeletedAccountThatWasDeactivatedStaysAway(t *testing.T) {
	each(t, func(p *place) {
		root := p.s.Admin("root").Admin.Users
		handle := p.vera.Handle()
		p.publishes(p.toBob("one"))
		p.moderated(func(ctx context.Context) error { return root.Tag(ctx, []string{handle}, []string{"mrf_tag:sandbox"}) })
		p.moderated(func(ctx context.Context) error { _, err := root.Deactivate(ctx, handle); return err })
		p.moderated(func(ctx context.Context) error { _, err := root.Delete(ctx, handle); return err })
		p.erased(p.vera)

		again := p.toBob("two")
		p.peer.Publish(again)
		p.sends(202, p.vera, p.vera.Create(again))
		p.sends(202, p.vera, p.vera.Update(p.vera.Doc()))
		p.sends(202, p.vera, p.vera.Follow(p.bob.URI))
		rita := p.peer.Actor("rita")
		p.sends(202, rita, rita.Announce(again.Text("id")).To([]string{peer.Public}, []string{p.bob.URI}))
		p.sends(202, p.vera, p.vera.Delete(p.vera.ID))
		p.worked()
		if p.look(again.Text("id"), true) != nil || p.found(handle)+p.found(p.vera.ID) != 0 {
			p.Error("it is back")
		}
		if row := p.known(p.vera); row.DisplayName != "" || !row.Deactivated || p.follow(p.vera.ID, p.bob) != nil {
			p.Errorf("its row is %+v", row)
		}
		u, err := root.Get(context.Background(), handle)
		if err != nil || u.DeletedAt == nil || !u.Deactivated || !slices.Contains(u.Tags, "mrf_tag:sandbox") {
			p.Errorf("a moderator sees %+v: %v", u, err)
		}

		// A moderator lifts it.
		p.moderated(func(ctx context.Context) error { _, err := root.Activate(ctx, handle); return err })
		if p.found(handle) != 1 {
			p.Error("it cannot be found after the deletion was lifted")
		}
		servertest.Eventually(p, "its profile is fetched", func() bool { return p.known(p.vera).DisplayName != "" })
		p.publishes(p.toBob("three"))
		if u, err = root.Get(context.Background(), handle); err != nil || u.DeletedAt != nil || u.Deactivated || !slices.Contains(u.Tags, "mrf_tag:sandbox") {
			p.Errorf("after that, a moderator sees %+v: %v", u, err)
		}
	})
}

// TestADeactivatedAccountDoesNotEscapeByDeletingItself: vera deletes herself, by
// her own word or with her key gone, and comes back.
func TestADeactivatedAccountDoesNotEscapeByDeletingItself(t *testing.T) {
	each(t, func(p *place) {
		root := p.s.Admin("root").Admin.Users
		handle := p.vera.Handle()
		p.publishes(p.toBob("one"))
		p.moderated(func(ctx context.Context) error { _, err := root.Deactivate(ctx, handle); return err })
		p.sends(202, p.vera, p.vera.Delete(p.vera.ID))
		p.erased(p.vera)
		again := p.toBob("two")
		p.peer.Publish(again)
		_ = p.vera.Send(p.inbox(), p.vera.Create(again))
		p.worked()
		if p.look(again.Text("id"), true) != nil || p.found(handle)+p.found(p.vera.ID) != 0 {
			p.Error("it is back")
		}
	})
}

func TestADeletedAccountThatWasActiveComesBackWithItsTags(t *testing.T) {
	each(t, func(p *place) {
		ctx := context.Background()
		root := p.s.Admin("root").Admin.Users
		for _, deletes := range []func(){
			func() {
				p.moderated(func(ctx context.Context) error { _, err := root.Delete(ctx, p.vera.Handle()); return err })
			},
			func() { p.sends(202, p.vera, p.vera.Delete(p.vera.ID)) },
		} {
			p.found(p.vera.Handle()) // a key that is gone counts again once the actor is looked up
			p.publishes(p.toBob("before"))
			was := p.known(p.vera)
			p.moderated(func(ctx context.Context) error {
				return root.Tag(ctx, []string{p.vera.Handle()}, []string{"mrf_tag:media-strip"})
			})
			deletes()
			servertest.Eventually(p, "vera is gone", func() bool {
				_, err := p.s.DB.AccountByURI(ctx, p.vera.ID)
				return err != nil
			})
			if users, _, err := p.s.DB.AdminUsers(ctx, db.UserFilter{Tags: []string{"mrf_tag:media-strip"}}, db.NumberedPage{Number: 1, Size: 10}); err != nil || len(users) != 0 {
				p.Errorf("the deleted account is listed under its tag: %v %v", users, err)
			}
			p.found(p.vera.Handle())
			now := p.known(p.vera)
			if now.ID != was.ID || !slices.Contains(now.Tags, "mrf_tag:media-strip") || now.Deactivated {
				p.Errorf("back is %s with %v, it was %s", now.ID, now.Tags, was.ID)
			}
			users, _, err := p.s.DB.AdminUsers(ctx, db.UserFilter{Tags: []string{"mrf_tag:media-strip"}}, db.NumberedPage{Number: 1, Size: 10})
			if err != nil || len(users) != 1 {
				p.Errorf("under its tag are %v: %v", users, err)
			}
		}
	})
}

// TestAHandleUnderAnotherIDStaysDecided has the server of an account give its handle a
// new id, as one that was set up again does.
func TestAHandleUnderAnotherIDStaysDecided(t *testing.T) {
	for _, deleted := range []bool{false, true} {
		t.Run(fmt.Sprintf("deleted %t", deleted), func(t *testing.T) {
			each(t, func(p *place) {
				root := p.s.Admin("root").Admin.Users
				handle := p.vera.Handle()
				p.publishes(p.toBob("one"))
				p.moderated(func(ctx context.Context) error { return root.Tag(ctx, []string{handle}, []string{"mrf_tag:sandbox"}) })
				p.moderated(func(ctx context.Context) error { _, err := root.Deactivate(ctx, handle); return err })
				if deleted {
					p.moderated(func(ctx context.Context) error { _, err := root.Delete(ctx, handle); return err })
					p.erased(p.vera)
				}

				anew := p.peer.ActorAt("/people/vera", p.vera.Nickname)
				again := anew.Note("two").To([]string{peer.Public}, []string{p.bob.URI})
				p.peer.Publish(again)
				p.sends(202, anew, anew.Create(again))
				p.worked()
				if p.look(again.Text("id"), true) != nil {
					p.Error("its status is here")
				}
				u, err := root.Get(context.Background(), handle)
				if err != nil || !p.known(anew).Deactivated || !u.Deactivated || u.DeletedAt != nil || !slices.Equal(u.Tags, []string{"mrf_tag:sandbox"}) {
					p.Errorf("a moderator sees %+v: %v", u, err)
				}
			})
		})
	}
}

// TestTheHandleOfALeaverIsFree gives the handle of an account that deleted itself to
// another one, before its rows are removed.
func TestTheHandleOfALeaverIsFree(t *testing.T) {
	each(t, func(p *place) {
		p.publishes(p.toBob("one"))
		row := p.known(p.vera)
		row.Deactivated = true
		err := p.s.DB.Tx(context.Background(), func(tx *db.DB) error {
			_, err := tx.MarkDeleted(context.Background(), row.ID)
			return errors.Join(err, tx.UpdateAccount(context.Background(), row, "deactivated"),
				jobs.EnqueueAt(context.Background(), tx, jobs.EraseAccount{AccountID: row.ID, Whole: true}, time.Now().Add(time.Hour)))
		})
		if err != nil {
			p.Fatal(err)
		}
		p.vera = p.peer.ActorAt("/people/vera", p.vera.Nickname)
		p.publishes(p.toBob("two"))
	})
}
