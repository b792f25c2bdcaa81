package db_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/db/dbtest"
)

// TestAHostIsCounted: persons once, however many they follow; pending follows not; and
// no more than CountMost of anything.
func TestAHostIsCounted(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		remote := func(nick, host string) *db.Account {
			a := db.NewAccount("https://"+host, nick)
			a.Local, a.Domain, a.Nickname, a.NickKey = false, host, nick+"@"+host, nick+"@"+host
			must(t, d.CreateAccount(ctx, a))
			return a
		}
		ann, bob := dbtest.Account(t, d, "ann"), dbtest.Account(t, d, "bob")
		eve, joe, other := remote("eve", "far.example"), remote("joe", "far.example"), remote("eve", "farther.example")
		for _, f := range []*db.Follow{
			{FollowerID: ann.ID, TargetID: eve.ID, Local: true}, {FollowerID: ann.ID, TargetID: joe.ID, Local: true},
			{FollowerID: bob.ID, TargetID: joe.ID, Local: true, Pending: true}, {FollowerID: bob.ID, TargetID: other.ID, Local: true},
			{FollowerID: ann.ID, TargetID: bob.ID, Local: true}, {FollowerID: eve.ID, TargetID: ann.ID}, {FollowerID: joe.ID, TargetID: ann.ID}, {FollowerID: joe.ID, TargetID: bob.ID},
		} {
			must(t, d.CreateFollow(ctx, f))
		}
		for i, about := range []*db.Account{eve, eve, joe, other, ann} {
			r := &db.Report{AccountID: about.ID, ReporterID: bob.ID}
			must(t, d.CreateReport(ctx, r, nil))
			if i == 1 {
				must(t, d.SetReportState(ctx, r.ID, db.ReportResolved, ""))
			}
		}
		check := func(host string, want db.HostCounts) {
			t.Helper()
			got, err := d.CountHost(ctx, host)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%s: %v (-want +got):\n%s", host, err, diff)
			}
		}
		check("far.example", db.HostCounts{Accounts: 2, Followed: 1, Followers: 2, Open: 2, Resolved: 1})
		check("farther.example", db.HostCounts{Accounts: 1, Followed: 1, Open: 1})
		check("nowhere.example", db.HostCounts{})
		check("", db.HostCounts{Open: 1}) // this server
		follow, err := d.Follow(ctx, bob.ID, joe.ID)
		must(t, err)
		follow.Pending = false
		must(t, d.UpdateFollow(ctx, follow, "pending"))
		check("far.example", db.HostCounts{Accounts: 2, Followed: 2, Followers: 2, Open: 2, Resolved: 1})
		must(t, d.Tx(ctx, func(tx *db.DB) error {
			for i := range db.CountMost + 5 {
				r := &db.Report{AccountID: eve.ID, ReporterID: bob.ID}
				if err := tx.CreateReport(ctx, r, nil); err != nil {
					return err
				}
				if i%2 == 0 {
					continue
				}
				a := dbtest.Account(t, tx, fmt.Sprintf("many%d", i))
				if err := tx.CreateFollow(ctx, &db.Follow{FollowerID: a.ID, TargetID: eve.ID, Local: true}); err != nil {
					return err
				}
			}
			return nil
		}))
		check("far.example", db.HostCounts{Accounts: 2, Followed: 2 + (db.CountMost+5)/2, Followers: 2, Open: 2 + db.CountMost + 5, Resolved: 1})
		for _, plan := range dbtest.Plans(t, d, func(ctx context.Context) {
			_, err := d.CountHost(ctx, "far.example")
			must(t, err)
		}) {
			t.Log(strings.Join(plan, "\n"))
			for _, line := range plan {
				for _, table := range []string{"accounts", "follows", "reports"} {
					if strings.Contains(line, "SCAN "+table) || strings.Contains(line, "Seq Scan on "+table) {
						t.Errorf("%s is read whole: %s", table, line)
					}
					if strings.Contains(line, "SEARCH follows") && !strings.Contains(line, "(host=? AND local=?") {
						t.Errorf("all follows of the host are read: %s", line)
					}
				}
			}
		}
	})
}
