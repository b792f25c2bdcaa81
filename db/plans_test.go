package db_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

// TestListsReadOnlyWhatTheyShow holds every list of the admin API to an index
// that gives its order: no table is read whole, and nothing is sorted.
func TestListsReadOnlyWhatTheyShow(t *testing.T) {
	page := db.NumberedPage{Number: 2, Size: 20}
	lists := map[string]func(ctx context.Context, d *db.DB) error{}
	for name, state := range map[string]string{"reports": "", "open reports": db.ReportOpen} {
		lists[name] = func(ctx context.Context, d *db.DB) error {
			_, _, err := d.Reports(ctx, db.ReportFilter{State: state}, page)
			return err
		}
	}
	host, here := "one.example", ""
	for name, f := range map[string]db.ReportFilter{
		"reports about an account": {AccountID: "a"}, "open reports about an account": {AccountID: "a", State: db.ReportOpen},
		"reports by an account": {ReporterID: "a"}, "closed reports by an account": {ReporterID: "a", State: db.ReportClosed},
		"reports of a host": {Host: &host}, "open reports of a host": {Host: &host, State: db.ReportOpen}, "open reports of this host": {Host: &here, State: db.ReportOpen},
	} {
		lists[name] = func(ctx context.Context, d *db.DB) error {
			_, counts, err := d.Reports(ctx, f, db.NumberedPage{Number: 1, Size: 20})
			if err == nil && f.AccountID+f.ReporterID == "" && counts.Open == 0 {
				err = fmt.Errorf("there are none")
			}
			return err
		}
	}
	lists["reports by an account about another"] = func(ctx context.Context, d *db.DB) error {
		a, err := d.AccountByNickname(ctx, "user000")
		if err == nil {
			_, _, err = d.Reports(ctx, db.ReportFilter{AccountID: a.ID, ReporterID: a.ID}, db.NumberedPage{Number: 1, Size: 20})
		}
		return err
	}
	lists["counts of reports"] = func(ctx context.Context, d *db.DB) error {
		_, err := d.ReportCounts(ctx, []string{db.ReportsAbout("a"), db.ReportsBy("b")})
		return err
	}
	lists["names of an account"] = func(ctx context.Context, d *db.DB) error {
		_, err := d.AccountNames(ctx, "a")
		return err
	}
	lists["accounts of a mail domain and an invite"] = func(ctx context.Context, d *db.DB) error {
		a, err := d.AccountByNickname(ctx, "user000")
		if err != nil {
			return err
		}
		near, err := d.Neighbours(ctx, a.ID, 5)
		if err == nil && (near.MailDomain != "mail.example" || len(near.ByMail) != 5) {
			err = fmt.Errorf("%+v", near)
		}
		return err
	}
	lists["last reports"] = func(ctx context.Context, d *db.DB) error {
		_, _, err := d.Reports(ctx, db.ReportFilter{}, db.NumberedPage{Number: 5, Size: 20})
		return err
	}
	lists["report groups"] = func(ctx context.Context, d *db.DB) error {
		_, err := d.ReportGroups(ctx, page)
		return err
	}
	for name, f := range map[string]db.UserFilter{
		"users": {}, "local users": {Local: true}, "remote users": {External: true}, "active users": {Active: true},
		"deactivated users": {Deactivated: true}, "users to approve": {NeedApprove: true}, "unconfirmed users": {Unconfirmed: true},
		"admins": {Admins: true}, "local active moderators": {Moderators: true, Local: true, Active: true},
		"users by a letter": {Query: "9"}, "users by a letter of names": {Name: "9"}, "users by type": {ActorTypes: []string{"Person", "Service"}},
		"users by nickname": {Query: "user09"}, "users by name": {Name: "er09"}, "users by part": {Query: "one"},
		"local users by nickname": {Query: "r09", Local: true}, "deactivated users by name": {Name: "r09", Deactivated: true},
		"users by nickname and name": {Query: "user09", Name: "ser0"}, "users by a tag": {Tags: []string{"odd"}},
		"users by two tags": {Tags: []string{"odd", "even"}}, "active users by a tag": {Tags: []string{"odd"}, Active: true},
		"remote users by type and a letter": {ActorTypes: []string{"Service"}, Query: "9", External: true},
		"users by address":                  {Email: "nobody@svc.example"}, "local admins to approve": {Admins: true, NeedApprove: true, Local: true},
		"deactivated and unconfirmed users": {Deactivated: true, Unconfirmed: true},
	} {
		lists[name] = func(ctx context.Context, d *db.DB) error {
			_, _, err := d.AdminUsers(ctx, f, db.NumberedPage{Number: 1, Size: 20})
			return err
		}
	}
	for name, f := range map[string]db.AdminStatusFilter{
		"statuses": {}, "all statuses": {All: true}, "statuses and reblogs": {All: true, Reblogs: true},
		"local statuses": {Local: true}, "local statuses and reblogs": {Local: true, Reblogs: true},
		"statuses of a host": {Host: "one.example"}, "statuses and reblogs of a host": {Host: "one.example", All: true, Reblogs: true},
		"statuses of an account": {AccountID: "a"}, "statuses and reblogs of an account": {AccountID: "a", All: true, Reblogs: true},
	} {
		lists[name] = func(ctx context.Context, d *db.DB) error {
			_, err := d.AdminStatuses(ctx, f, page)
			return err
		}
	}
	now := db.At(time.Now())
	for name, f := range map[string]db.LogFilter{
		"log": {}, "log of a time": {Since: now.Add(-time.Hour), Before: now}, "log of an actor": {ActorID: "a"},
		"log about an account": {AboutID: "a"}, "log about an account with a word": {AboutID: "a", Search: "word", Since: now.Add(-time.Hour)}, "log of an actor and a time": {ActorID: "a", Since: now.Add(-time.Hour), Before: now}, "log with a word": {Search: "word"}, "log with a letter": {Search: "w"}, "log with words by an actor": {Search: "a word", ActorID: "a"},
		"log with a word of a time": {Search: "word", Since: now.Add(-time.Hour), Before: now.Add(time.Hour)},
	} {
		lists[name] = func(ctx context.Context, d *db.DB) error {
			_, err := d.Log(ctx, f, page)
			return err
		}
	}
	yes, no := true, false
	for name, f := range map[string]db.AppFilter{
		"apps": {}, "apps by name": {Name: "app"}, "an app by its id": {ClientID: "x"}, "trusted apps": {Trusted: &yes},
		"other apps": {Trusted: &no}, "trusted apps by name": {Name: "app", Trusted: &yes}, "an app by everything": {Name: "app", ClientID: "x", Trusted: &no},
	} {
		lists[name] = func(ctx context.Context, d *db.DB) error {
			_, _, err := d.Apps(ctx, f, db.NumberedPage{Number: 1, Size: 20})
			return err
		}
	}
	lists["chats of an account"] = func(ctx context.Context, d *db.DB) error {
		_, err := d.AllChats(ctx, "a")
		return err
	}
	lists["posts of all hosts"] = func(ctx context.Context, d *db.DB) error {
		_, err := d.CountPosts(ctx)
		return err
	}
	lists["posts of a host"] = func(ctx context.Context, d *db.DB) error {
		_, err := d.CountPosts(ctx, "one.example")
		return err
	}
	// On SQLite these tables are stored in the order of the list, and one page
	// of them is read.
	inOrder := map[string][]string{"statuses and reblogs": {"SCAN x"}, "report groups": {"SCAN s"}, "apps": {"SCAN apps"},
		"reports": {"SCAN reports"}, "last reports": {"SCAN reports"},
		// The log sorts one block at a time.
		"log with words by an actor": {"USE TEMP B-TREE FOR LAST TERM OF ORDER BY"}}
	// These lists sort some rows: up to db.FewMatches accounts; blocks of the
	// log, if its newest entries have less than a page of matches; or pages of
	// several lists, each already in order.
	some := []string{"USE TEMP B-TREE FOR DISTINCT", "USE TEMP B-TREE FOR ORDER BY", "->  Sort", "Sort Key: x.nickname_key COLLATE \"C\"",
		"Sort Key: g.block DESC", "UNION USING TEMP B-TREE", "Sort Key: p.nickname_key COLLATE \"C\"",
		"Sort Key: accounts.nickname_key COLLATE \"C\""}
	for _, name := range []string{"users by a letter", "users by a letter of names", "log with a letter", "users by two tags",
		"remote users by type and a letter", "local admins to approve", "deactivated and unconfirmed users",
		"users to approve", "unconfirmed users", "deactivated users", "admins", "local active moderators", "deactivated users by name"} {
		inOrder[name] = some
	}
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		seedMany(t, d)
		for name, list := range lists {
			plans := dbtest.Plans(t, d, func(ctx context.Context) {
				if err := list(ctx, d); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			})
			if len(plans) == 0 {
				t.Errorf("%s sent no statement", name)
			}
			for sql, plan := range plans {
				waste := slices.DeleteFunc(dbtest.Wasteful(plan), func(line string) bool { return slices.Contains(inOrder[name], line) })
				if len(waste) > 0 {
					t.Errorf("%s: %q\n%q\n%s", name, waste, plan, sql)
				}
			}
		}
	})
}

// seedMany makes a hundred rows of each kind, in one transaction.
func seedMany(t *testing.T, d *db.DB) {
	t.Helper()
	ctx := t.Context()
	err := d.Tx(ctx, func(tx *db.DB) error {
		for i := range 100 {
			a := db.NewAccount(dbtest.Base, fmt.Sprintf("user%03d", i))
			a.IsAdmin, a.Deactivated, a.IsModerator = i < 3, i%10 == 9, i%20 == 3
			a.ApprovalPending, a.ConfirmationPending = i%25 == 5, i%25 == 6
			a.Tags, a.ActorType = db.Slice[string]{[]string{"even", "odd"}[i%2]}, []string{"Person", "Service"}[i/50]
			if i%2 == 1 {
				a.Local, a.Domain = false, "one.example"
				a.Nickname += "@one.example"
				a.NickKey = a.Nickname
			}
			if err := tx.CreateAccount(ctx, a); err != nil {
				return err
			}
			if err := tx.CreateUser(ctx, &db.User{AccountID: a.ID, Email: a.Nickname + "@mail.example", PasswordHash: "x"}); err != nil {
				return err
			}
			r := &db.Report{AccountID: a.ID, ReporterID: a.ID}
			if err := tx.CreateReport(ctx, r, []db.ReportStatus{{StatusID: "s", StatusURI: "u"}}); err != nil {
				return err
			}
			if err := tx.CreateApp(ctx, &db.App{Name: "app", Scopes: "read", ClientID: a.ID, Trusted: i%10 == 0}); err != nil {
				return err
			}
			if err := tx.CreateLogEntry(ctx, &db.LogEntry{ActorID: a.ID, Action: "activate", Data: "{}", Message: "a word", About: []string{a.ID}}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
