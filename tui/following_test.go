package tui

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"svc/client/api"
	"svc/server/platform/config"
	"svc/server/servertest"
	"svc/tui/desk"
)

// TestWhatOthersDoIsSeenAtOnce has another admin work, and people arrive, while
// the clock of the screen stands still but for moments.
func TestWhatOthersDoIsSeenAtOnce(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, func(s *config.Settings) { s.Instance.AccountApprovalRequired = true })
	ctx := t.Context()
	file := func(comment string) string {
		t.Helper()
		r, err := s.Client("ann").Reports.Create(ctx, api.NewReport{AccountID: s.User("bob").ID, Comment: comment})
		if err != nil {
			t.Fatal(err)
		}
		return r.ID
	}
	first, tess := file("the first"), s.Admin("tess").Admin
	d := beginOn(t, s.Admin("root"), 120, 24, Options{})
	d.hear("the connection", func() bool { return d.m.Poll.Live })
	began := d.clock
	shown := func(text string) func() bool { return func() bool { return strings.Contains(d.frame(), text) } }
	d.shows("the first")
	file("the second")
	d.hear("a new report", shown("REPORTS open 2"))
	if err := tess.Reports.Update(ctx, api.ReportUpdate{ID: first, State: api.ReportResolved}); err != nil {
		t.Fatal(err)
	}
	d.hear("a resolved report", shown("gone:tess"))
	d.press("2")
	agreed := api.Bool(true)
	if _, err := s.With(s.AppToken()).Accounts.Register(ctx, api.NewAccount{Username: "newcomer", Password: servertest.Password, Email: "new@example.org", Agreement: &agreed, Reason: "tea"}); err != nil {
		t.Fatal(err)
	}
	d.hear("a registration", shown("newcomer"))
	d.press("3")
	if _, err := tess.Users.Approve(ctx, "newcomer"); err != nil {
		t.Fatal(err)
	}
	d.hear("an entry of the log", shown("approved newcomer"))
	if took := d.clock.Sub(began); took >= desk.PollInUse {
		t.Errorf("that took %v, in which the server is polled anyway", took)
	}
}

// TestWithoutAStreamTheServerIsPolled refuses the stream, as older servers do.
func TestWithoutAStreamTheServerIsPolled(t *testing.T) {
	w := newWorld(t)
	d := begin(t, w, 80, 24)
	d.press("j")
	place := d.under()
	select {
	case msg := <-d.heard:
		if got, ok := msg.(desk.Heard); !ok || !got.Over {
			t.Fatalf("%+v", msg)
		}
		d.send(msg)
	case <-time.After(time.Minute):
		t.Fatal("nothing is said of the stream")
	}
	w.change(func() { w.log("tess", d.under(), "resolved"); find(w.Reports, "id", place)["state"] = "resolved" })
	d.pass(2 * desk.PollInUse)
	d.shows("resolved by tess")
	if d.under() != place {
		t.Errorf("the cursor went from %s to %s", place, d.under())
	}
}

// TestAnEndedConnectionIsNoticed has the server end the stream: polls go on at
// their usual pace until it stands again.
func TestAnEndedConnectionIsNoticed(t *testing.T) {
	w := newWorld(t)
	ended := make(chan struct{})
	live := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/v1/streaming" {
			w.ServeHTTP(rw, r)
			return
		}
		rw.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(rw).Flush()
		select {
		case <-ended:
		case <-r.Context().Done():
		}
	})
	w.Config.Handler = live
	d := begin(t, w, 80, 24)
	d.hear("the connection", func() bool { return d.m.Poll.Live })
	if wait := d.m.Interval(); wait != desk.PollUnfocused {
		t.Errorf("polled every %v meanwhile", wait)
	}
	close(ended)
	d.hear("its end", func() bool { return !d.m.Poll.Live })
	if wait := d.m.Interval(); wait != desk.PollInUse {
		t.Errorf("polled every %v after it", wait)
	}
}
