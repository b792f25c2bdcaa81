package ingest

import (
	"context"
	"testing"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/federation/activitypub"
	"svc/server/platform/jobs"
)

// takes returns a function that processes an activity, signed by actor.
func (r *receiver) takes(actor *db.Account, doc activitypub.Object) func(ctx context.Context) error {
	r.t.Helper()
	activity, err := r.normalise(doc)
	r.must(err)
	return func(ctx context.Context) error {
		return r.Process(ctx, &Incoming{Activity: activity, ID: activity.ID(), Hash: activity.ID(), Actor: actor, Signer: actor, ReceivedAt: noon, db: r.db})
	}
}

// TestAnActAndItsUndoInTwoProcesses: nothing of the act remains. Either it is
// undone, or its undo is already recorded when it comes.
func TestAnActAndItsUndoInTwoProcesses(t *testing.T) {
	const far = "https://far.example/users/vera"
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		r := newReceiver(t, d)
		vera := r.author(far)
		for kind, table := range map[string]string{"Like": "favourites", "Announce": "statuses WHERE reblog_of_id IS NOT NULL"} {
			act := activitypub.Object{
				"id": far + "/acts/" + kind, "type": kind, "actor": far, "object": *r.note.URI,
				"to": []any{activitypub.Public}, "cc": []any{far + "/followers"},
			}
			undo := activitypub.Object{"id": far + "/undoes/" + kind, "type": "Undo", "actor": far, "object": map[string]any(act)}
			err, other := dbtest.Between(t, d, "INTO undone", r.takes(vera, undo), r.takes(vera, act))
			r.must(err)
			r.must(other)
			var n int
			r.must(d.Writer().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM "+table).Scan(&n))
			if n != 0 {
				t.Errorf("%s: %d are left", kind, n)
			}
		}
	})
}

// TestAFetchedThreadHasAParentThatCameMeanwhile: a reply that waits for a parent which
// is stored already is joined, without a fetch.
func TestAFetchedThreadHasAParentThatCameMeanwhile(t *testing.T) {
	const far = "https://far.example/users/vera"
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		r := newReceiver(t, d)
		vera := r.author(far)
		for _, name := range []string{"parent", "reply"} {
			note := map[string]any{"id": far + "/" + name, "type": "Note", "attributedTo": far, "content": name, "to": []any{activitypub.Public}}
			r.must(r.takes(vera, activitypub.Object{"id": far + "/acts/" + name, "type": "Create", "actor": far, "object": note, "to": []any{activitypub.Public}})(t.Context()))
		}
		parent, err := d.StatusByURI(t.Context(), far+"/parent")
		r.must(err)
		reply, err := d.StatusByURI(t.Context(), far+"/reply")
		r.must(err)
		r.must(dbtest.Exec(t, d, "UPDATE statuses SET in_reply_to_uri = ? WHERE id = ?", far+"/parent", reply.ID))
		r.must(r.FetchThread(t.Context(), jobs.FetchThread{StatusID: reply.ID}))
		reply, err = d.StatusByID(t.Context(), reply.ID)
		r.must(err)
		if reply.InReplyToID == nil || *reply.InReplyToID != parent.ID || *reply.ConversationID != *parent.ConversationID {
			t.Errorf("the reply is %+v", reply)
		}
	})
}
