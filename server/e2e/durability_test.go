package e2e

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/client"
	"svc/client/api"
	"svc/db/dbtest"
)

const kills = 10

// TestKillsLoseNothingAcknowledged kills the server ten times under a mixed
// load from 16 connections. Acknowledged writes are there after each start, and
// in the end once: statuses, some with files, reports and notes, which are sent
// again under their Idempotency-Key until they are acknowledged, and
// moderators' changes, which are sent once, with their log entries.
func TestKillsLoseNothingAcknowledged(t *testing.T) {
	dbtest.Alone(t)
	t.Parallel()
	dbtest.EachDSN(t, func(t *testing.T, dsn string) {
		p := newProcess(t, shortDir(t), postgresOnly(dsn))
		p.user("alice")
		p.user("bob")
		p.user("root", "--admin")
		p.start()
		l := newLoad(t, p)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		l.begin(ctx)
		for range kills {
			l.progress(8)
			select {
			case <-t.Context().Done():
			case <-time.After(time.Duration(rand.IntN(300)) * time.Millisecond):
			}
			p.kill()
			p.start()
			l.check()
		}
		stop()
		l.workers.Wait()
		l.checkAll()
		p.run("check") // every counter
	})
}

// postgresOnly is dsn, or "" where the data folder's own database will do.
func postgresOnly(dsn string) string {
	if strings.HasPrefix(dsn, "sqlite:") {
		return ""
	}
	return dsn
}

// load is the work of 16 connections, and the answers to it.
type load struct {
	t                *testing.T
	p                *process
	alice, bob, root string // tokens
	aliceID, bobID   string
	workers          sync.WaitGroup
	inFlight         chan string // reports for moderators to work on

	mu      sync.Mutex
	posts   map[string]string // text to id
	reports map[string]string // comment to id
	changes map[string][]change
	notes   map[string]bool // text to whether it was acknowledged
	reads   int
	retries int
}

// change is one PATCH of a report's state.
type change struct {
	state string
	acked bool // else it may have happened
}

func newLoad(t *testing.T, p *process) *load {
	l := &load{
		t: t, p: p, inFlight: make(chan string, 1<<16),
		posts: map[string]string{}, reports: map[string]string{}, changes: map[string][]change{}, notes: map[string]bool{},
	}
	l.alice, l.bob, l.root = p.logIn("alice"), p.logIn("bob"), p.logIn("root")
	for token, id := range map[string]*string{l.alice: &l.aliceID, l.bob: &l.bobID} {
		me, err := p.client(token).Accounts.Verify(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		*id = me.ID
	}
	if _, err := p.client(l.bob).Accounts.Follow(t.Context(), l.aliceID, api.Follow{}); err != nil {
		t.Fatal(err)
	}
	return l
}

func (l *load) begin(ctx context.Context) {
	kinds := []func(context.Context, int, *rand.Rand){l.post, l.post, l.post, l.post, l.post, l.report, l.report, l.report, l.moderate, l.moderate, l.annotate, l.read, l.read, l.read, l.read, l.read}
	for i, work := range kinds {
		l.workers.Go(func() { work(ctx, i, rand.New(rand.NewPCG(uint64(i), 7))) })
	}
}

// insist calls until the server acknowledges, also when ctx has ended: then no
// more is begun, but begun calls are brought to their end.
func (l *load) insist(what string, call func(ctx context.Context) error) bool {
	deadline := time.Now().Add(20 * time.Second)
	for {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		err := call(ctx)
		cancel()
		switch {
		case err == nil:
			return true
		case !errors.Is(err, client.ErrNetwork):
			l.t.Errorf("%s: %v", what, err)
			return false
		case time.Now().After(deadline):
			l.t.Errorf("%s is not acknowledged: %v", what, err)
			return false
		}
		l.mu.Lock()
		l.retries++
		l.mu.Unlock()
		time.Sleep(2 * time.Millisecond)
	}
}

func (l *load) post(ctx context.Context, worker int, _ *rand.Rand) {
	c := l.p.client(l.alice)
	for n := 0; ctx.Err() == nil; n++ {
		text := fmt.Sprintf("post %d of worker %d", n, worker)
		form := api.NewStatus{Status: text}
		if n%4 == 0 { // a file can be attached once: the first try takes it
			l.insist("file of "+text, func(ctx context.Context) error {
				up, err := c.Media.Upload(ctx, client.File{Name: "a.txt", Content: strings.NewReader(text)}, api.MediaForm{})
				if err == nil {
					form.MediaIDs = []string{up.ID}
				}
				return err
			})
		}
		l.insist(text, func(ctx context.Context) error {
			s, err := c.Statuses.Post(ctx, form, client.IdempotencyKey(text))
			if err == nil {
				l.keep(l.posts, text, s.ID)
			}
			return err
		})
	}
}

func (l *load) report(ctx context.Context, worker int, _ *rand.Rand) {
	c := l.p.client(l.bob)
	for n := 0; ctx.Err() == nil; n++ {
		text := fmt.Sprintf("report %d of worker %d", n, worker)
		l.insist(text, func(ctx context.Context) error {
			r, err := c.Reports.Create(ctx, api.NewReport{AccountID: l.aliceID, Comment: text}, client.IdempotencyKey(text))
			if err == nil {
				l.keep(l.reports, text, r.ID)
				l.inFlight <- r.ID
			}
			return err
		})
	}
}

func (l *load) keep(into map[string]string, text, id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	into[text] = id
}

// moderate moves reports from state to state, each report by one worker.
func (l *load) moderate(ctx context.Context, _ int, r *rand.Rand) {
	c := l.p.client(l.root)
	states := []string{api.ReportClosed, api.ReportResolved, api.ReportOpen}
	for {
		select {
		case <-ctx.Done():
			return
		case id := <-l.inFlight:
			for range 1 + r.IntN(3) {
				state := states[r.IntN(3)]
				err := c.Admin.Reports.Update(context.Background(), api.ReportUpdate{ID: id, State: state})
				if err != nil && !errors.Is(err, client.ErrNetwork) {
					l.t.Errorf("report %s: %v", id, err)
				}
				l.mu.Lock()
				l.changes[id] = append(l.changes[id], change{state, err == nil})
				l.mu.Unlock()
			}
		}
	}
}

// annotate writes notes.
func (l *load) annotate(ctx context.Context, _ int, _ *rand.Rand) {
	c := l.p.client(l.root)
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		case id := <-l.inFlight:
			text := fmt.Sprintf("note %d", n)
			acked := l.insist(text, func(ctx context.Context) error {
				return c.Admin.Reports.AddNote(ctx, id, text, client.IdempotencyKey(text))
			})
			l.mu.Lock()
			l.notes[text] = acked
			l.mu.Unlock()
		}
	}
}

func (l *load) read(ctx context.Context, _ int, r *rand.Rand) {
	bob, root := l.p.client(l.bob), l.p.client(l.root)
	for ctx.Err() == nil {
		var err error
		switch r.IntN(4) {
		case 0:
			_, err = bob.Timelines.Home(api.TimelineQuery{}).Page(ctx)
		case 1:
			_, err = bob.Timelines.Public(api.TimelineQuery{}).Page(ctx)
		case 2:
			_, err = bob.Notifications.List(api.NotificationQuery{}).Page(ctx)
		case 3:
			_, err = root.Admin.Reports.List(api.ReportQuery{}).Page(ctx)
		}
		if err != nil && !errors.Is(err, client.ErrNetwork) && ctx.Err() == nil {
			l.t.Errorf("read: %v", err)
		}
		if err == nil {
			l.mu.Lock()
			l.reads++
			l.mu.Unlock()
		}
	}
}

// progress waits until n more posts are acknowledged, however slow the machine.
func (l *load) progress(n int) {
	l.t.Helper()
	count := func() int {
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.posts)
	}
	from := count()
	eventually(l.t, 20*time.Second, "posts are taken", func() bool { return count() >= from+n || l.t.Failed() })
}

// check reads, right after a start, some of the acknowledged objects.
func (l *load) check() {
	l.t.Helper()
	l.mu.Lock()
	ids := make([]string, 0, len(l.posts))
	for _, id := range l.posts {
		ids = append(ids, id)
	}
	l.mu.Unlock()
	slices.Sort(ids)
	newest := ids[max(0, len(ids)-100):]
	c := l.p.client(l.bob)
	var found []api.Status
	l.insist("look after the start", func(ctx context.Context) (err error) {
		found, err = c.Statuses.GetMany(ctx, newest...)
		return err
	})
	if len(found) != len(newest) {
		l.t.Errorf("after a start %d of the newest %d acknowledged posts are there", len(found), len(newest))
	}
}

// checkAll compares everything with the acknowledgements.
func (l *load) checkAll() {
	t := l.t
	t.Helper()
	t.Logf("%d posts, %d reports, %d reports changed, %d notes, %d reads, %d tries in vain",
		len(l.posts), len(l.reports), len(l.changes), len(l.notes), l.reads, l.retries)
	if len(l.reports) < kills || len(l.changes) == 0 || len(l.notes) == 0 || l.reads < kills || l.retries == 0 {
		t.Error("that is no load, or no kill was felt")
	}
	ctx := t.Context()
	bob, root := l.p.client(l.bob), l.p.client(l.root)

	profile, home := map[string]int{}, map[string]int{}
	for s, err := range bob.Accounts.Statuses(l.aliceID, api.AccountStatusQuery{}).All(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		profile[s.Content]++
	}
	for s, err := range bob.Timelines.Home(api.TimelineQuery{}).All(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		home[s.Content]++
	}
	once(t, "posts on the profile", l.posts, profile)
	once(t, "posts on the follower's timeline", l.posts, home)
	alice, err := bob.Accounts.Get(ctx, l.aliceID)
	if err != nil || alice.StatusesCount != len(l.posts) {
		t.Errorf("%d posts are counted, %v; there are %d", alice.StatusesCount, err, len(l.posts))
	}

	filed, states, notes, total := map[string]int{}, map[string]string{}, map[string]int{}, 0
	for r, err := range root.Admin.Reports.List(api.ReportQuery{PageSize: 500}).All(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		total++
		filed[*r.Content]++
		states[r.ID] = r.State
		for _, n := range r.Notes {
			notes[n.Content]++
		}
	}
	once(t, "reports", l.reports, filed)
	list, err := root.Admin.Reports.List(api.ReportQuery{}).Page(ctx)
	if err != nil || list.Total != total {
		t.Errorf("%d reports are counted, %v; there are %d", list.Total, err, total)
	}
	told := 0
	for n, err := range root.Notifications.List(api.NotificationQuery{IncludeTypes: []string{"svc:report"}}).All(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		if n.Type == "svc:report" {
			told++
		}
	}
	if told != total {
		t.Errorf("the admin was told of %d reports of %d", told, total)
	}
	l.checkLog(states, notes)
}

// checkLog compares reports' states and notes with their log entries, and these
// with the acknowledgements.
func (l *load) checkLog(states map[string]string, notes map[string]int) {
	t := l.t
	t.Helper()
	logged, noted := map[string][]string{}, map[string]int{}
	for e, err := range l.p.client(l.root).Admin.Log.List(api.LogQuery{PageSize: 500}).All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case strings.Contains(e.Message, " updated report #"):
			_, rest, _ := strings.Cut(e.Message, "#")
			id, _, _ := strings.Cut(rest, " ")
			_, rest, _ = strings.Cut(rest, ") with '")
			state, _, _ := strings.Cut(rest, "'")
			logged[id] = append(logged[id], state)
		case strings.Contains(e.Message, " added note '"):
			_, rest, _ := strings.Cut(e.Message, "'")
			text, _, _ := strings.Cut(rest, "'")
			noted[text]++
		default:
			t.Errorf("unexpected log entry: %s", e.Message)
		}
	}
	for id, entries := range logged {
		slices.Reverse(entries) // now oldest first
		if last := entries[len(entries)-1]; last != states[id] {
			t.Errorf("report %s is %s, and its last log entry says %s", id, states[id], last)
		}
	}
	for id, changes := range l.changes {
		if !explains(changes, logged[id]) {
			t.Errorf("report %s was changed %v, and its log entries are %v", id, changes, logged[id])
		}
	}
	for text, acked := range l.notes {
		if noted[text] != notes[text] || noted[text] > 1 || acked && noted[text] == 0 {
			t.Errorf("%s: acknowledged %t, there %d times, logged %d times", text, acked, notes[text], noted[text])
		}
	}
}

// explains reports whether entries are the changes in their order, where those
// that were not acknowledged may be missing.
func explains(changes []change, entries []string) bool {
	switch {
	case len(changes) == 0:
		return len(entries) == 0
	case len(entries) > 0 && entries[0] == changes[0].state && explains(changes[1:], entries[1:]):
		return true
	}
	return !changes[0].acked && explains(changes[1:], entries)
}

// once wants each of want exactly once in got, and nothing else there.
func once(t *testing.T, what string, want map[string]string, got map[string]int) {
	t.Helper()
	for text := range want {
		if got[text] != 1 {
			t.Errorf("%s: %q is there %d times", what, text, got[text])
		}
	}
	for text, n := range got {
		if _, ok := want[text]; !ok {
			t.Errorf("%s: %q was never acknowledged, and is there %d times", what, text, n)
		}
	}
}
