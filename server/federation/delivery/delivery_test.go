package delivery_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/server/platform/config"
)

func TestTriesFollowTheSchedule(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		p := newPeer(t)
		p.answers(http.StatusInternalServerError)
		w.follower(p, "bob")
		w.start()
		a := w.queue("Create", "o", public)
		table := []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 4 * time.Hour, 12 * time.Hour, 24 * time.Hour, 24 * time.Hour}
		for i, pause := range table {
			w.until("try "+strconv.Itoa(i+1), func() bool { rows := w.deliveries(); return len(rows) == 1 && rows[0].Attempt == i+1 })
			row := w.deliveries()[0]
			at := time.UnixMicro(row.NextAt)
			if got := at.Sub(w.clock.now()); got < pause*8/10-time.Second || got > pause*12/10+time.Second {
				t.Errorf("after try %d a pause of %s, want %s", i+1, got, pause)
			}
			if row.Error != "500 500" {
				t.Errorf("the error is %q", row.Error)
			}
			w.clock.add(at.Sub(w.clock.now()))
		}
		w.idle()
		want := slices.Repeat([]got{{"/inbox", "Create", "o", a.URI}}, len(table)+1)
		if _, calls := p.all(); !cmp.Equal(want, calls) {
			t.Errorf("the calls (-want +got):\n%s", cmp.Diff(want, calls))
		}
	})
}

func TestASettingBoundsTheTries(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		p := newPeer(t)
		p.answers(http.StatusBadGateway)
		w.follower(p, "bob")
		w.start()
		w.queue("Create", "o", public)
		w.until("a try", func() bool { rows := w.deliveries(); return len(rows) == 1 && rows[0].Attempt == 1 })
		w.clock.add(2 * time.Minute)
		w.idle()
		if _, calls := p.all(); len(calls) != 2 {
			t.Errorf("%d calls", len(calls))
		}
	}, func(s *config.Settings) { s.Retries.Outgoing = 2 })
}

func TestAnswersDecideWhatBecomesOfADelivery(t *testing.T) {
	ended, again := 0, 1
	for _, c := range []struct {
		status, left int
		gone         bool
	}{
		{200, ended, false}, {202, ended, false}, {204, ended, false}, {400, ended, false}, {403, ended, false}, {404, ended, false},
		{410, ended, true}, {422, ended, false}, {501, ended, false}, {301, ended, false},
		{401, again, false}, {408, again, false}, {429, again, false}, {500, again, false}, {502, again, false}, {503, again, false},
	} {
		t.Run(strconv.Itoa(c.status), func(t *testing.T) {
			each(t, func(t *testing.T, w *world) {
				p := newPeer(t)
				p.answers(c.status)
				bob := w.follower(p, "bob")
				w.start()
				w.queue("Create", "o", db.Audience{AccountIDs: []string{bob.ID}})
				w.until("the end", func() bool {
					rows := w.deliveries()
					_, calls := p.all()
					return len(calls) > 0 && len(rows) == c.left && (c.left == 0 || rows[0].Attempt == 1)
				})
				gone, err := w.db.GoneInboxes(t.Context(), []string{bob.Inbox})
				if err != nil || gone[bob.Inbox] != c.gone {
					t.Errorf("gone: %v %v", gone, err)
				}
				if w.instance(p.host).Failures > 0 {
					t.Error("the host counts as down")
				}
			})
		})
	}
}

func TestAGoneInboxIsSentNothingMore(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		p := newPeer(t)
		p.answers(http.StatusGone)
		bob := w.follower(p, "bob")
		w.start()
		w.queue("Create", "1", db.Audience{AccountIDs: []string{bob.ID}})
		w.idle()
		w.queue("Create", "2", db.Audience{AccountIDs: []string{bob.ID}})
		w.idle()
		if _, calls := p.all(); len(calls) != 1 {
			t.Errorf("calls: %v", calls)
		}
	})
}

func TestAnInboxThatRefusedADeletionIsNotGone(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		p := newPeer(t)
		p.answer = func(g got) (int, http.Header) {
			if g.Type == "Delete" { // of an account that it never met
				return http.StatusGone, nil
			}
			return http.StatusAccepted, nil
		}
		w.follower(p, "bob")
		w.start()
		w.queue("Delete", "other", public)
		w.idle()
		w.queue("Create", "1", public)
		w.idle()
		if taken, calls := p.all(); len(taken) != 1 || len(calls) != 2 {
			t.Errorf("taken are %v of %v", taken, calls)
		}
	})
}

func TestRetryAfterIsObeyedAndNoAttempt(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		p := newPeer(t)
		p.answers(http.StatusTooManyRequests, "Retry-After", "600")
		w.follower(p, "bob")
		w.start()
		w.queue("Create", "1", public)
		w.until("the pause", func() bool { return w.instance(p.host).RetryAt.Equal(w.clock.now().Add(10 * time.Minute)) })
		if rows := w.deliveries(); len(rows) != 1 || rows[0].Attempt != 0 {
			t.Errorf("deliveries: %+v", rows)
		}
		w.queue("Create", "2", public)
		p.answers(http.StatusAccepted)
		w.clock.add(9 * time.Minute)
		w.until("both wait", func() bool { return w.depth().Deliveries == 2 && w.depth().Undistributed == 0 })
		if _, calls := p.all(); len(calls) != 1 {
			t.Errorf("calls in the pause: %v", calls)
		}
		w.clock.add(time.Minute + time.Second)
		w.idle()
		p.answers(http.StatusTooManyRequests, "Retry-After", "9999999")
		w.queue("Create", "3", public)
		w.until("a day at most", func() bool { return w.instance(p.host).RetryAt.Equal(w.clock.now().Add(24 * time.Hour)) })
	})
}

func TestAHostThatWasDownGetsAllOnceInOrder(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		p := newPeer(t)
		w.follower(p, "bob")
		p.goDown()
		w.start()
		const posts = 60
		for i := range posts {
			w.queue("Create", fmt.Sprint("o", i), public)
			if i%10 == 5 {
				w.queue("Update", fmt.Sprint("o", i), public)
				w.queue("Like", fmt.Sprint("x", i), public, func(a *db.Activity) { a.Priority = db.PriorityAct })
			}
		}
		total := int64(posts + posts/10*2)
		w.until("it is found to be down", func() bool { return w.instance(p.host).Failures == 1 && w.depth().Deliveries == total })
		// An hour of it: the probes of the schedule, and no more.
		for elapsed := time.Duration(0); elapsed < time.Hour; elapsed += 5 * time.Minute {
			w.clock.add(5 * time.Minute)
			at := w.clock.now()
			w.until("the probe", func() bool { return w.instance(p.host).RetryAt.After(at) })
		}
		if n := w.instance(p.host).Failures; n < 3 || n > 5 {
			t.Errorf("%d failures in an hour", n)
		}
		if n := w.Counts().Failed; n > 8 {
			t.Errorf("%d calls failed", n)
		}
		p.comeBack()
		w.clock.add(2 * time.Hour)
		w.idle()
		taken, _ := p.all()
		seen := map[string]int{}
		var created []string
		for i, g := range taken {
			if seen[g.ID]++; seen[g.ID] > 1 {
				t.Errorf("%v came twice", g)
			}
			switch g.Type {
			case "Create":
				created = append(created, g.Object)
			case "Update":
				if !slices.ContainsFunc(taken[:i], func(b got) bool { return b.Type == "Create" && b.Object == g.Object }) {
					t.Errorf("%v came before its Create", g)
				}
			}
		}
		if len(taken) != int(total) || len(created) != posts {
			t.Errorf("%d came, want %d", len(taken), total)
		}
		if i := w.instance(p.host); i.Failures != 0 || !i.UnreachableSince.IsZero() || i.DeliveredAt.IsZero() {
			t.Errorf("the host is %+v", i)
		}
		if p.most > 4 {
			t.Errorf("%d calls at once", p.most)
		}
	})
}

func TestActivitiesAboutOneObjectArriveInOrder(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		p := newPeer(t)
		var refuse = true
		p.answer = func(g got) (int, http.Header) {
			if g.Type == "Create" && g.Object == "o" && refuse {
				return http.StatusInternalServerError, nil
			}
			return http.StatusAccepted, nil
		}
		w.follower(p, "bob")
		w.start()
		w.queue("Create", "o", public)
		// A more urgent activity does not overtake it.
		w.queue("Update", "o", public, func(a *db.Activity) { a.Priority = db.PriorityPerson })
		w.until("the try", func() bool { rows := w.deliveries(); return len(rows) == 2 && rows[0].Attempt == 1 })
		w.queue("Update", "o", public)
		w.queue("Create", "other", public)
		w.until("another thing", func() bool { taken, _ := p.all(); return len(taken) == 1 })
		p.mu.Lock()
		refuse = false
		p.mu.Unlock()
		w.clock.add(2 * time.Minute)
		w.idle()
		taken, _ := p.all()
		var types []string
		for _, g := range taken[1:] {
			types = append(types, g.Type)
		}
		if diff := cmp.Diff([]string{"Create", "Update", "Update"}, types); diff != "" || taken[0].Object != "other" {
			t.Errorf("in order (-want +got):\n%s%v", diff, taken)
		}
	})
}

func TestAFailureAtOneKindOfActivityStopsNoOther(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		p := newPeer(t)
		p.answer = func(g got) (int, http.Header) {
			if g.Type == "ChatMessage" {
				return http.StatusInternalServerError, nil
			}
			return http.StatusAccepted, nil
		}
		w.follower(p, "bob")
		w.start()
		const chats = 15
		for i := range chats {
			w.queue("ChatMessage", fmt.Sprint("c", i), public, func(a *db.Activity) { a.Priority = db.PriorityPerson })
		}
		w.until("they fail", func() bool { return w.Counts().Failed == chats })
		w.queue("Create", "o", public)
		w.until("a post", func() bool { taken, _ := p.all(); return len(taken) == 1 })
		if i := w.instance(p.host); i.Failures > 0 {
			t.Errorf("the host counts as down: %+v", i)
		}
	})
}

func TestAServerThatIsBackIsNotTriedWithOneTypeAlone(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		p := newPeer(t)
		w.follower(p, "bob")
		p.goDown()
		w.start()
		w.queue("ChatMessage", "c", public, func(a *db.Activity) { a.Priority = db.PriorityPerson })
		w.queue("Create", "o", public)
		w.until("it is down", func() bool { return w.instance(p.host).Failures > 0 && w.depth().Undistributed == 0 })
		p.answer = func(g got) (int, http.Header) {
			if g.Type == "ChatMessage" {
				return http.StatusInternalServerError, nil
			}
			return http.StatusAccepted, nil
		}
		p.comeBack()
		w.clock.add(2 * time.Minute)
		w.until("the post comes", func() bool { taken, _ := p.all(); return len(taken) == 1 })
		w.until("it counts as back", func() bool { return w.instance(p.host).Failures == 0 })
	})
}

func TestAServerThatFailsAtEverythingIsLeftAlone(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		p := newPeer(t)
		p.answers(http.StatusServiceUnavailable)
		w.follower(p, "bob")
		w.start()
		for i := range 40 {
			w.queue([]string{"Create", "Like"}[i%2], fmt.Sprint("o", i), public)
		}
		w.until("it is left alone", func() bool { return w.instance(p.host).Failures > 0 && w.depth().Undistributed == 0 })
		if _, calls := p.all(); len(calls) > 10 {
			t.Errorf("%d calls", len(calls))
		}
		p.answers(http.StatusAccepted)
		w.clock.add(3 * time.Minute)
		w.idle()
		if taken, _ := p.all(); len(taken) != 40 {
			t.Errorf("%d came", len(taken))
		}
	})
}

func TestADeletionTakesBackWhatWaits(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		p := newPeer(t)
		p.answers(http.StatusInternalServerError)
		w.follower(p, "bob")
		w.start()
		w.queue("Create", "o", public)
		w.queue("Create", "other", public)
		w.until("they fail", func() bool { return w.Counts().Failed == 2 && w.depth().Undistributed == 0 })
		w.until("they wait", func() bool { rows := w.deliveries(); return len(rows) == 2 && rows[0].Attempt+rows[1].Attempt == 2 })
		p.answers(http.StatusAccepted)
		w.queue("Delete", "o", public)
		w.until("it is known to be needless", func() bool { return w.depth().Undistributed == 0 })
		w.clock.add(2 * time.Minute)
		w.idle()
		taken, _ := p.all()
		kinds := map[string]string{}
		for _, g := range taken {
			kinds[g.Object] += g.Type
		}
		if diff := cmp.Diff(map[string]string{"o": "Delete", "other": "Create"}, kinds); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
