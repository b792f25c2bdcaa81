package adminapi_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/server/platform/config"
)

func TestHostsSayHowSendingGoes(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, root := t.Context(), w.Admin("root").Admin
		for _, h := range []string{"a.example", "b.example", "c.example"} {
			w.must(w.DB.AddInstance(ctx, h))
		}
		at := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
		w.must(w.DB.StoreDeliveryResults(ctx, "", db.DeliveryResults{Up: []string{"a.example"}, Down: []db.HostDown{{Host: "b.example", Failures: 3, RetryAt: db.At(at), Error: "no answer"}}}))
		a := &db.Activity{URI: w.Base() + "/activities/x", AccountID: w.ann.ID, Type: "Create", ObjectURI: "o", Body: "{}", Priority: db.PriorityPost}
		w.must(w.DB.QueueActivity(ctx, a))
		_, err := w.DB.Distribute(ctx, db.Chunk{ActivityID: a.ID, Done: true, Due: map[string]db.Time{"b.example": db.At(at)}, Deliveries: []db.Delivery{
			{Inbox: "https://b.example/inbox", Host: "b.example", Priority: db.PriorityPost}, {Inbox: "https://b.example/bob", Host: "b.example", Priority: db.PriorityPost},
		}})
		w.must(err)
		names := func(q api.HostQuery) (out []string) {
			l, err := root.Federation.Hosts(q).Page(ctx)
			w.must(err)
			for _, h := range l.Items {
				out = append(out, h.Host)
			}
			if l.Next != nil {
				after, err := l.Next.Page(ctx)
				w.must(err)
				out = append(out, "then "+after.Items[0].Host)
			}
			return out
		}
		for _, c := range []struct {
			query api.HostQuery
			want  []string
		}{
			{api.HostQuery{State: api.HostsFailing}, []string{"b.example"}},
			{api.HostQuery{State: api.HostsWaiting}, []string{"b.example"}},
			{api.HostQuery{State: api.HostsDead}, nil},
			{api.HostQuery{Limit: 2}, []string{"a.example", "b.example", "then c.example"}},
			{api.HostQuery{Limit: 2, After: "b.example"}, []string{"c.example"}},
		} {
			if diff := cmp.Diff(c.want, names(c.query)); diff != "" {
				t.Errorf("%+v (-want +got):\n%s", c.query, diff)
			}
		}
		b, err := root.Federation.Host(ctx, "b.example")
		w.must(err)
		b.LastErrorAt, b.UnreachableSince = nil, nil
		if diff := cmp.Diff(&api.Host{Host: "b.example", Waiting: 2, Failures: 3, LastError: "no answer", RetryAt: api.At(at)}, b); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if _, err := root.Federation.Host(ctx, "nowhere.example"); !errors.Is(err, client.ErrNotFound) {
			t.Errorf("an unknown host: %v", err)
		}
		b, err = root.Federation.Retry(ctx, "b.example")
		w.must(err)
		if b.RetryAt != nil {
			t.Errorf("after retry: %+v", b)
		}
		dropped, err := root.Federation.Forget(ctx, "b.example")
		w.must(err)
		b, err = root.Federation.Host(ctx, "b.example")
		w.must(err)
		if dropped.Dropped != 2 || b.Failures != 0 || b.Waiting != 0 || b.LastError != "" {
			t.Errorf("dropped %+v, left %+v", dropped, b)
		}
	}, func(s *config.Settings) { s.Instance.Federating = false })
}

func TestFailedJobsAreListedAndDoneAgain(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, root := t.Context(), w.Admin("root").Admin
		w.FailedJob()
		l, err := root.Jobs.List(api.JobQuery{}).Page(ctx)
		w.must(err)
		if len(l.Items) != 1 || l.Items[0].Kind != "expire_status" || l.Items[0].State != "discarded" || l.Next != nil {
			t.Fatalf("failed: %+v", l)
		}
		other, err := root.Jobs.List(api.JobQuery{Queue: "mailer"}).Page(ctx)
		w.must(err)
		if len(other.Items) != 0 {
			t.Errorf("in another queue: %+v", other)
		}
		discarded := func() int64 {
			queues, err := root.Jobs.Queues(ctx)
			w.must(err)
			names := map[string]bool{}
			n := int64(0)
			for _, q := range queues {
				names[q.Queue] = true
				n += q.Discarded
			}
			for _, name := range []string{"federator_outgoing", "federator_incoming", "publisher"} {
				if !names[name] {
					t.Errorf("no queue %s", name)
				}
			}
			return n
		}
		if n := discarded(); n != 1 {
			t.Errorf("%d discarded", n)
		}
		w.must(root.Jobs.Retry(ctx, l.Items[0].ID))
		if n := discarded(); n != 0 {
			t.Errorf("%d discarded after a retry", n)
		}
		if err := root.Jobs.Retry(ctx, 999999); !errors.Is(err, client.ErrNotFound) {
			t.Errorf("an unknown job: %v", err)
		}
	})
}
