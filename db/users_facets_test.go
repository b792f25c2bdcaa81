package db_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/db/dbtest"
)

// lines reads rows of two columns as text.
func lines(t *testing.T, d *db.DB, query string) []string {
	t.Helper()
	rows, err := d.Writer().QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	out := []string{}
	for rows.Next() {
		var a, b, c string
		if err := rows.Scan(&a, &b, &c); err != nil {
			t.Fatal(err)
		}
		out = append(out, a+" "+b+" "+c)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// wantFacets compares the stored facets with those derived from the rows of
// accounts.
func wantFacets(t *testing.T, d *db.DB, when string) {
	t.Helper()
	for want, got := range map[string]string{
		"SELECT facet, nickname_key, 1 FROM account_facet_list WHERE posted ORDER BY facet, nickname_key": "SELECT facet, nickname_key, 1 FROM account_facets ORDER BY facet, nickname_key",
		"SELECT facet, mask, COUNT(*) FROM account_facet_list GROUP BY facet, mask ORDER BY facet, mask":  "SELECT facet, mask, CAST(SUM(n) AS BIGINT) FROM account_facet_tallies_now GROUP BY facet, mask HAVING SUM(n) <> 0 ORDER BY facet, mask",
	} {
		if diff := cmp.Diff(lines(t, d, want), lines(t, d, got)); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", when, got, diff)
		}
	}
}

// TestFacetsFollowTheirAccounts changes accounts in every way and compares
// their facets with those derived from the rows.
func TestFacetsFollowTheirAccounts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx, all := t.Context(), crowd(t, d)
		wantFacets(t, d, "new accounts")
		for _, facet := range []string{"Ncarl", "Dänne", "N@", "Dcarlo"} {
			for _, step := range []string{"INSERT INTO asked_parts (facet) VALUES (?)",
				"INSERT INTO account_facet_tallies SELECT facet, mask, COUNT(*) FROM account_facet_list WHERE facet = ? GROUP BY facet, mask"} {
				if err := dbtest.Exec(t, d, step, facet); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, step := range []string{
			"UPDATE accounts SET display_name_key = 'änne äänne', tags = '[\"spam\",\"nsfw\"]' WHERE nickname = 'anna'",
			"UPDATE accounts SET nickname = 'barbara', nickname_key = 'barbara', actor_type = 'Group', is_admin = TRUE WHERE nickname = 'anna'",
			"UPDATE accounts SET deactivated = NOT deactivated",
			"UPDATE accounts SET invisible = NOT invisible WHERE nickname IN ('relay', 'Bert')",
			"UPDATE accounts SET display_name_key = '' WHERE local",
			"UPDATE accounts SET statuses_count = 5",
			"DELETE FROM accounts WHERE nickname IN ('dora', 'relay', 'internal.fetch')",
		} {
			if err := dbtest.Exec(t, d, step); err != nil {
				t.Fatalf("%s: %v", step, err)
			}
			wantFacets(t, d, step)
		}
		all["carlox"].DisplayName, all["carlox"].Tags = "Carlo Ox", db.Slice[string]{"x"}
		if err := d.UpdateAccount(ctx, all["carlox"], "display_name", "tags"); err != nil {
			t.Fatal(err)
		}
		wantFacets(t, d, "an update by the mapper")
	})
}

// TestAccountsFromBeforeFacetsAreFound: accounts are found and counted before a
// job has added their facets, and after.
func TestAccountsFromBeforeFacetsAreFound(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		seedMany(t, d)
		must(t, d.FoldTallies(ctx))
		for _, step := range []string{"DELETE FROM account_facets", "DELETE FROM account_facet_tallies",
			"INSERT INTO account_facets_due SELECT serial FROM accounts"} {
			if err := dbtest.Exec(t, d, step); err != nil {
				t.Fatal(err)
			}
		}
		dbtest.Account(t, d, "latecomer")
		find := func(when string) {
			t.Helper()
			for f, want := range map[string]int64{"user01": 10, "comer": 1, "one.ex": 50, "er": 101, "nobody": 0} {
				_, n, err := d.AdminUsers(ctx, db.UserFilter{Query: f}, db.NumberedPage{Number: 1, Size: 5})
				if err != nil || n != want {
					t.Errorf("%s: %q: %d, %v, want %d", when, f, n, err, want)
				}
			}
		}
		find("before")
		if err := dbtest.Exec(t, d, "UPDATE accounts SET deactivated = TRUE, tags = '[\"new\"]' WHERE nickname = 'user002'"); err != nil {
			t.Fatal(err)
		}
		if err := dbtest.Exec(t, d, "DELETE FROM accounts WHERE nickname = 'user098'"); err != nil {
			t.Fatal(err)
		}
		steps := 0
		for more := true; more; steps++ {
			err := d.Tx(ctx, func(tx *db.DB) (err error) {
				more, err = tx.ReindexFacets(ctx, 30)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if steps == 1 {
				if err := dbtest.Exec(t, d, "UPDATE accounts SET display_name_key = 'other' WHERE nickname IN ('user004', 'user096')"); err != nil {
					t.Fatal(err)
				}
			}
		}
		if steps != 4 {
			t.Errorf("%d steps", steps)
		}
		wantFacets(t, d, "afterwards")
		dbtest.Account(t, d, "user098")
		find("after")
	})
}

// TestUsersAreFoundAsByReadingThemAll compares every kind of filter with a test
// of each account, page by page from both ends.
func TestUsersAreFoundAsByReadingThemAll(t *testing.T) {
	dbtest.Alone(t)
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx, r := t.Context(), rand.New(rand.NewPCG(1, 2))
		pick := func(words ...string) string { return words[r.IntN(len(words))] }
		var all []*db.Account
		err := d.Tx(ctx, func(tx *db.DB) error {
			for i := range 300 {
				name := pick("ann", "anna", "bob", "zoe", "max") + pick("", "_x", "a", "öö") + fmt.Sprint(i)
				a := db.NewAccount(dbtest.Base, name)
				if i%3 == 0 {
					a.Local, a.Domain = false, pick("one.example", "two.example")
					a.Nickname += "@" + a.Domain
					a.NickKey = strings.ToLower(a.Nickname)
				}
				a.DisplayName = pick("Ann", "Änne", "Bob") + " " + pick("Müller", "o", "")
				a.Deactivated, a.ApprovalPending, a.IsAdmin = r.IntN(5) == 0, r.IntN(10) == 0, r.IntN(20) == 0
				a.ActorType, a.Invisible = pick("Person", "Person", "Service", "Group"), r.IntN(30) == 0
				if r.IntN(4) == 0 {
					a.Tags = db.Slice[string]{pick("spam", "nsfw"), pick("a", "b")}
				}
				if err := tx.CreateAccount(ctx, a); err != nil {
					return err
				}
				all = append(all, a)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		matches := func(f *db.UserFilter, a *db.Account) bool {
			in := func(words []string, is func(string) bool) bool {
				for _, w := range words {
					if is(w) {
						return true
					}
				}
				return len(words) == 0
			}
			return !a.Invisible && strings.Contains(a.NickKey, strings.ToLower(f.Query)) &&
				strings.Contains(strings.ToLower(a.DisplayName), strings.ToLower(f.Name)) &&
				in(f.ActorTypes, func(w string) bool { return w == a.ActorType }) &&
				in(f.Tags, func(w string) bool { return len(a.Tags) > 0 && (a.Tags[0] == w || a.Tags[1] == w) }) &&
				(!f.Local || a.Local) && (!f.External || !a.Local) && (!f.Active || !a.Deactivated && !a.ApprovalPending) &&
				(!f.Deactivated || a.Deactivated) && (!f.NeedApprove || a.ApprovalPending) && (!f.Admins || a.IsAdmin)
		}
		for i := range 400 {
			f := db.UserFilter{Local: r.IntN(4) == 0, External: r.IntN(6) == 0, Active: r.IntN(5) == 0,
				Deactivated: r.IntN(5) == 0, NeedApprove: r.IntN(8) == 0, Admins: r.IntN(10) == 0}
			if r.IntN(2) == 0 {
				f.Query = pick("a", "z", "x", "an", "öö", "ANN", "anna", "one", "@two.ex", "x1", "max_x", "nothere", "7")
			}
			if r.IntN(3) == 0 {
				f.Name = pick("ä", "o", "ann", "Änne M", "Müller", "bob ")
			}
			if r.IntN(5) == 0 {
				f.Tags = [][]string{{"spam"}, {"a"}, {"spam", "b"}, {"none"}}[r.IntN(4)]
			}
			if r.IntN(5) == 0 {
				f.ActorTypes = [][]string{{"Group"}, {"Person"}, {"Service", "Group"}, {"Nothing"}}[r.IntN(4)]
			}
			want := []string{}
			for _, a := range all {
				if matches(&f, a) {
					want = append(want, a.NickKey)
				}
			}
			slices.Sort(want)
			size, got := 1+r.IntN(60), []string{}
			for page := 1; page == 1 || (page-1)*size < len(want); page++ {
				rows, n, err := d.AdminUsers(ctx, f, db.NumberedPage{Number: page, Size: size})
				if err != nil || int(n) != len(want) {
					t.Fatalf("%d %+v: count %d, %v, want %d", i, f, n, err, len(want))
				}
				for _, u := range rows {
					got = append(got, strings.ToLower(u.Nickname))
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%d %+v (-want +got):\n%s", i, f, diff)
			}
		}
	})
}

// TestTheLogIsSearchedAsByReadingItAll compares searches of a long log with a
// test of each entry.
func TestTheLogIsSearchedAsByReadingItAll(t *testing.T) {
	dbtest.Alone(t)
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx, r := t.Context(), rand.New(rand.NewPCG(3, 4))
		start := d.Now().Add(-48 * time.Hour)
		var all []db.LogEntry
		err := d.Tx(ctx, func(tx *db.DB) error {
			for i := range 1500 {
				e := db.LogEntry{ActorID: fmt.Sprint("actor", r.IntN(4)), Action: "x", Data: "{}",
					CreatedAt: start.Add(time.Duration(i) * time.Minute), Message: fmt.Sprintf("@Root%d deactivated users: @Änne%d", i%3, i)}
				if i == 7 {
					e.Message = "q"
				}
				if err := tx.CreateLogEntry(ctx, &e); err != nil {
					return err
				}
				all = append(all, e)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 250 {
			if i == 200 { // as after an update from a version without the index
				for _, step := range []string{"DELETE FROM log_grams", "INSERT INTO meta (key, value) VALUES ('reindex_log', '1500')"} {
					if err := dbtest.Exec(t, d, step); err != nil {
						t.Fatal(err)
					}
				}
			}
			if i == 220 {
				for more := true; more; {
					if more, err = d.ReindexLog(ctx, 333); err != nil {
						t.Fatal(err)
					}
				}
			}
			f := db.LogFilter{Search: []string{"q", "e7", "Ä", "änne7", "@root1", "root2 deactivated users: @Änne14", "users: @root", "nne1499", "99"}[i%9]}
			if r.IntN(3) == 0 {
				f.ActorID = fmt.Sprint("actor", r.IntN(5))
			}
			if r.IntN(3) == 0 {
				f.Since = all[r.IntN(len(all))].CreatedAt
			}
			if r.IntN(3) == 0 {
				f.Before = all[r.IntN(len(all))].CreatedAt
			}
			want := []int64{}
			for j := len(all) - 1; j >= 0; j-- {
				e := &all[j]
				if strings.Contains(strings.ToLower(e.Message), strings.ToLower(f.Search)) && (f.ActorID == "" || f.ActorID == e.ActorID) &&
					(f.Since.IsZero() || !e.CreatedAt.Before(f.Since.Time)) && (f.Before.IsZero() || e.CreatedAt.Before(f.Before.Time)) {
					want = append(want, e.ID)
				}
			}
			got := []int64{}
			for page := 1; page == 1 || (page-1)*40 < len(want); page++ {
				rows, err := d.Log(ctx, f, db.NumberedPage{Number: page, Size: 40})
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range rows {
					got = append(got, e.ID)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%+v (-want +got):\n%s", f, diff)
			}
		}
	})
}

// TestSearchedPartsAreCountedFromThenOn: after a search for a part of many
// names, later totals come from tallies, also after changes.
func TestSearchedPartsAreCountedFromThenOn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		err := d.Tx(ctx, func(tx *db.DB) error {
			for i := range 1200 {
				a := db.NewAccount(dbtest.Base, fmt.Sprintf("person%04d", i))
				a.DisplayName = "Somebody"
				if err := tx.CreateAccount(ctx, a); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		ask := func(f db.UserFilter, want int64, statements int) {
			t.Helper()
			sent := dbtest.Queries(t, func(ctx context.Context) {
				_, n, err := d.AdminUsers(ctx, f, db.NumberedPage{Number: 1, Size: 10})
				if err != nil || n != want {
					t.Errorf("%+v: %d, %v, want %d", f, n, err, want)
				}
			})
			if statements != 0 && int(sent) != statements {
				t.Errorf("%+v: %d statements, want %d", f, sent, statements)
			}
		}
		query, name := db.UserFilter{Query: "Person"}, db.UserFilter{Name: "somebody"}
		ask(query, 1200, 0)
		ask(name, 1200, 0)
		if err := d.KeepCounts(ctx); err != nil {
			t.Fatal(err)
		}
		ask(query, 1200, 3)
		ask(name, 1200, 3)
		for _, step := range []string{"DELETE FROM accounts WHERE nickname = 'person0003'",
			"UPDATE accounts SET deactivated = TRUE WHERE nickname LIKE 'person100%'", "UPDATE accounts SET display_name_key = 'x' WHERE nickname LIKE 'person11%'"} {
			if err := dbtest.Exec(t, d, step); err != nil {
				t.Fatal(err)
			}
		}
		dbtest.Account(t, d, "new_person")
		ask(query, 1200, 3)
		ask(name, 1099, 3)
		query.Deactivated = true
		ask(query, 10, 3)
		wantFacets(t, d, "asked")
	})
}

// TestThoseWhoMakeAccountsDoNotWaitForEachOther makes and changes accounts of one kind,
// with names that have parts in common, while others are being made and changed. The
// numbers are right before and after the changes are added up.
func TestThoseWhoMakeAccountsDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), dbtest.Open(t, onPostgres(t))
	for _, name := range []string{"joanna", "johanna", "joanne", "john"} {
		dbtest.Account(t, d, name)
	}
	change := func(ctx context.Context, d *db.DB, name string) error {
		a, err := d.AccountByNickname(ctx, name)
		if err != nil {
			return err
		}
		a.DisplayName, a.Deactivated = "Jo Hanna", true
		return d.UpdateAccount(ctx, a, "display_name", "deactivated")
	}
	remove := func(ctx context.Context, d *db.DB, name string) error {
		a, err := d.AccountByNickname(ctx, name)
		if err != nil {
			return err
		}
		return d.DeleteAccount(ctx, a.ID)
	}
	must(t, d.Tx(ctx, func(tx *db.DB) error {
		if err := errors.Join(tx.CreateAccount(ctx, db.NewAccount(dbtest.Base, "johann")), change(ctx, tx, "joanna"), remove(ctx, tx, "john")); err != nil {
			return err
		}
		others, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		if err := errors.Join(d.CreateAccount(others, db.NewAccount(dbtest.Base, "johannes")), change(others, d, "johanna"), remove(others, d, "joanne")); err != nil {
			t.Errorf("others wait: %v", err)
		}
		return nil
	}))
	for _, when := range []string{"before", "after"} {
		wantFacets(t, d, when+" the changes are added up")
		if _, all := findings(t, d, db.CheckOptions{Areas: []string{db.CheckCounters}}); len(all) > 0 {
			t.Errorf("%s: %+v", when, all)
		}
		if stats, err := d.Stats(ctx); err != nil || stats.Users != 2 { // johann and johannes
			t.Errorf("%s: %+v, %v", when, stats, err)
		}
		must(t, d.FoldTallies(ctx))
	}
	if n := count(t, d, "account_tally_changes") + count(t, d, "account_facet_changes"); n > 0 {
		t.Errorf("%d changes are left", n)
	}
}

// BenchmarkNewAccountsAtOnce makes accounts over many connections.
func BenchmarkNewAccountsAtOnce(b *testing.B) {
	dsn := dbtest.Postgres(b)
	if dsn == "" {
		b.Skip("without PostgreSQL")
	}
	d := dbtest.Open(b, dsn)
	var n atomic.Int64
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			a := db.NewAccount(dbtest.Base, fmt.Sprintf("person%06d", n.Add(1)))
			a.DisplayName = "Somebody With A Name"
			if err := d.Tx(b.Context(), func(tx *db.DB) error { return tx.CreateAccount(b.Context(), a) }); err != nil {
				b.Error(err)
			}
		}
	})
}
