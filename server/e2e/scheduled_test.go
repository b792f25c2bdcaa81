package e2e

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
)

// TestDueStatusesArePostedOnceThroughKills lets many scheduled statuses come
// due, and others expire, while the server is killed; on PostgreSQL two servers
// work at once. Each is posted once, and expired ones are gone.
func TestDueStatusesArePostedOnceThroughKills(t *testing.T) {
	t.Parallel()
	dbtest.EachDSN(t, func(t *testing.T, dsn string) {
		ctx := t.Context()
		p := newProcess(t, shortDir(t), postgresOnly(dsn))
		p.user("alice")
		p.start()
		alice := p.client(p.logIn("alice"))
		me, err := alice.Accounts.Verify(ctx)
		must(t, err)
		want := map[string]int{}
		for i := range 20 {
			text := fmt.Sprintf("due %d", i)
			want[text] = 1
			must(t, err1(alice.Statuses.Schedule(ctx, api.NewStatus{Status: text, ScheduledAt: time.Now().Add(time.Hour).UTC().Format(time.RFC3339)})))
			must(t, err1(alice.Statuses.Post(ctx, api.NewStatus{Status: fmt.Sprintf("over %d", i), ExpiresIn: new(api.Int(3601))})))
		}
		p.kill()
		comeDue(t, p)
		p.start()
		for range 3 {
			<-time.After(40 * time.Millisecond)
			p.kill()
			p.start()
		}
		if p.dsn != "" {
			newProcess(t, shortDir(t), p.dsn).start()
		}
		alice = p.client(p.logIn("alice"))
		got := map[string]int{}
		for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
			got = map[string]int{}
			for s, err := range alice.Accounts.Statuses(me.ID, api.AccountStatusQuery{}).All(ctx) {
				must(t, err)
				got[s.Svc.Content.Plain]++
			}
			if cmp.Equal(want, got) {
				break
			}
			<-time.After(100 * time.Millisecond)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		left, err := alice.ScheduledStatuses.List(api.PageQuery{}).Page(ctx)
		must(t, err)
		if len(left.Items) != 0 {
			t.Errorf("%d are still scheduled", len(left.Items))
		}
		// The account is cached for a second, and another server may have
		// posted.
		for deadline := time.Now().Add(10 * time.Second); me.StatusesCount != len(want); <-time.After(100 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%d statuses are counted", me.StatusesCount)
			}
			me, err = alice.Accounts.Verify(ctx)
			must(t, err)
		}
		p.run("check") // every counter
	})
}

// comeDue moves the times of everything that waits into the past, while no
// server runs.
func comeDue(t *testing.T, p *process) {
	t.Helper()
	dsn, now := p.dsn, any(time.Now().UTC())
	if dsn == "" {
		dsn, now = "sqlite:"+filepath.Join(p.dir, "svc.db"), time.Now().UTC().Format("2006-01-02 15:04:05.000")
	}
	d, err := db.Open(t.Context(), dsn, db.Options{})
	must(t, err)
	defer func() { must(t, d.Close()) }()
	past := time.Now().Add(-time.Minute).UnixMicro()
	must(t, dbtest.Exec(t, d, "UPDATE scheduled_statuses SET scheduled_at = ?", past))
	must(t, dbtest.Exec(t, d, "UPDATE statuses SET expires_at = ? WHERE expires_at IS NOT NULL", past))
	must(t, dbtest.Exec(t, d, "UPDATE river_job SET state = 'available', scheduled_at = ? WHERE kind IN ('publish_scheduled', 'expire_status') AND finalized_at IS NULL", now))
}
