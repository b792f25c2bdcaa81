package moderation_test

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client/api"
	"svc/client/settings/term"
	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/platform/fault"
	"svc/server/platform/rights"
	"svc/server/rules/moderation"
	"svc/server/rules/social"
)

// world is a service with an admin, root, and two people: ann reports bob.
type world struct {
	*moderation.Service
	t              *testing.T
	d              *db.DB
	live           *config.Live
	social         *social.Service
	root, ann, bob *db.Account
}

// noon is the time of the world.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func each(t *testing.T, fn func(t *testing.T, w *world)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, d *db.DB) { fn(t, worldOf(t, d)) })
}

func worldOf(t *testing.T, d *db.DB) *world {
	t.Helper()
	live, err := config.NewLive(config.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	now := func() time.Time { return noon }
	w := &world{t: t, d: d, live: live, social: social.New(social.Parts{DB: d, Settings: live, Site: config.NewSite(dbtest.Base, false), Now: now})}
	w.Service = moderation.New(moderation.Parts{DB: d, Social: w.social, Settings: live, Rights: rights.New(live, true), Now: now})
	w.root, w.ann, w.bob = w.admin("root"), w.person("ann"), w.person("bob")
	return w
}

func (w *world) admin(nickname string) *db.Account {
	w.t.Helper()
	a := w.person(nickname)
	a.IsAdmin = true
	w.must(w.d.UpdateAccount(w.t.Context(), a, "is_admin"))
	return a
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) person(nickname string) *db.Account {
	w.t.Helper()
	a := dbtest.Account(w.t, w.d, nickname)
	w.must(w.d.CreateUser(w.t.Context(), &db.User{AccountID: a.ID, PasswordHash: "x"}))
	return a
}

func (w *world) post(by *db.Account, text string) *db.Status {
	w.t.Helper()
	s, err := w.social.PostStatus(w.t.Context(), by, social.NewStatus{Text: text})
	w.must(err)
	return s
}

func (w *world) report(statuses ...string) *db.Report {
	w.t.Helper()
	r, err := w.FileReport(w.t.Context(), w.ann, moderation.NewReport{TargetID: w.bob.ID, StatusIDs: statuses, Comment: "rude"})
	w.must(err)
	return r
}

// log returns the moderation log, oldest first, with ids replaced by names.
// Each entry's data must agree with its columns.
func (w *world) log(names map[string]string) []string {
	w.t.Helper()
	rows, err := w.d.Log(w.t.Context(), db.LogFilter{}, db.NumberedPage{Number: 1, Size: 1000})
	w.must(err)
	var out []string
	for _, e := range rows {
		var data struct{ Action, Message string }
		w.must(json.Unmarshal([]byte(e.Data), &data))
		if data.Action != e.Action || data.Message != e.Message || e.ActorID != w.root.ID || !e.CreatedAt.Equal(noon) {
			w.t.Errorf("data %s of entry %+v", e.Data, e)
		}
		line := e.Message
		for id, name := range names {
			line = strings.ReplaceAll(line, id, name)
		}
		out = append([]string{line}, out...)
	}
	return out
}

func (w *world) wantLog(names map[string]string, want ...string) {
	w.t.Helper()
	if diff := cmp.Diff(want, w.log(names)); diff != "" {
		w.t.Errorf("log (-want +got):\n%s", diff)
	}
}

func TestAReportWithAKeyIsFiledOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		in := moderation.NewReport{TargetID: w.bob.ID, Comment: "rude", IdempotencyKey: "k"}
		first, err := w.FileReport(ctx, w.ann, in)
		w.must(err)
		in.Comment = "sent again"
		again, err := w.FileReport(ctx, w.ann, in)
		w.must(err)
		in.TargetID, in.IdempotencyKey = "nobody", "refused"
		if _, err := w.FileReport(ctx, w.ann, in); !fault.Is(err, fault.KindMalformed) {
			t.Errorf("%v", err)
		}
		in.TargetID = w.bob.ID
		other, err := w.FileReport(ctx, w.ann, in)
		w.must(err)
		rows, counts, err := w.d.Reports(ctx, db.ReportFilter{}, db.NumberedPage{Number: 1, Size: 9})
		w.must(err)
		total := counts.In("")
		if again.ID != first.ID || again.Content != "rude" || other.ID == first.ID || total != 2 || len(rows) != 2 {
			t.Errorf("%s, %s %q, %s; %d reports", first.ID, again.ID, again.Content, other.ID, total)
		}
	})
}

func TestAccountsAreSwitchedAllOrNone(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		if _, err := w.Deactivate(ctx, w.root, "ann", "nobody", "bob"); !errors.Is(err, db.ErrNotFound) {
			t.Fatalf("with an unknown one: %v, want ErrNotFound", err)
		}
		w.wantActive("ann", "bob")
		ids, err := w.Deactivate(ctx, w.root, "BOB", "ann", "bob")
		w.must(err)
		if diff := cmp.Diff([]string{w.bob.ID, w.ann.ID, w.bob.ID}, ids); diff != "" {
			t.Errorf("ids (-want +got):\n%s", diff)
		}
		w.wantActive()
		_, err = w.Deactivate(ctx, w.root, "bob")
		w.must(err)
		_, err = w.Activate(ctx, w.root, "bob", "root")
		w.must(err)
		w.wantActive("bob")
		id, err := w.Toggle(ctx, w.root, "Bob")
		if err != nil || id != w.bob.ID {
			t.Errorf("Toggle = %s, %v", id, err)
		}
		_, err = w.Toggle(ctx, w.root, "ann")
		w.must(err)
		if _, err := w.Toggle(ctx, w.root, "nobody"); !errors.Is(err, db.ErrNotFound) {
			t.Errorf("Toggle of nobody: %v", err)
		}
		w.wantActive("ann")
		w.wantLog(nil, "@root deactivated users: @bob, @ann", "@root activated users: @bob",
			"@root deactivated users: @bob", "@root activated users: @ann")
	})
}

func (w *world) wantActive(nicknames ...string) {
	w.t.Helper()
	for _, n := range []string{"ann", "bob"} {
		a, err := w.d.AccountByNickname(w.t.Context(), n)
		w.must(err)
		want := false
		for _, other := range nicknames {
			want = want || other == n
		}
		if a.Deactivated == want {
			w.t.Errorf("%s deactivated: %v", n, a.Deactivated)
		}
	}
}

func TestStatusesAreChangedAndLogged(t *testing.T) {
	yes, no := true, false
	word := func(s string) *string { return &s }
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		s := w.post(w.bob, "one")
		reblog, err := w.social.Reblog(ctx, w.ann, s.ID, "")
		w.must(err)
		w.must(w.UpdateStatus(ctx, w.root, s.ID, &yes, nil))
		w.must(w.UpdateStatus(ctx, w.root, s.ID, nil, word("unlisted")))
		w.must(w.UpdateStatus(ctx, w.root, s.ID, nil, nil))
		for _, v := range []string{"direct", "list", "local", "", "Public"} {
			if err := w.UpdateStatus(ctx, w.root, s.ID, &no, word(v)); !fault.Is(err, fault.KindMalformed) || err.Error() != "Unsupported visibility" {
				t.Errorf("visibility %q: %v", v, err)
			}
		}
		got, err := w.d.StatusByID(ctx, s.ID)
		if err != nil || !got.Sensitive || got.Visibility != "unlisted" {
			t.Errorf("status %+v, %v", got, err)
		}
		w.must(w.UpdateStatus(ctx, w.root, s.ID, &no, word("private")))
		for _, id := range []string{reblog.ID, "nothing"} {
			if err := w.UpdateStatus(ctx, w.root, id, &yes, nil); !errors.Is(err, db.ErrNotFound) {
				t.Errorf("UpdateStatus(%s) = %v, want ErrNotFound", id, err)
			}
			if err := w.DeleteStatus(ctx, w.root, id); !errors.Is(err, db.ErrNotFound) {
				t.Errorf("DeleteStatus(%s) = %v, want ErrNotFound", id, err)
			}
		}
		w.must(w.DeleteStatus(ctx, w.root, s.ID))
		if err := w.DeleteStatus(ctx, w.root, s.ID); !errors.Is(err, db.ErrNotFound) {
			t.Errorf("deleted twice: %v", err)
		}
		if _, err := w.d.StatusByID(ctx, s.ID); !errors.Is(err, db.ErrNotFound) {
			t.Errorf("the deleted status: %v", err)
		}
		w.wantLog(map[string]string{s.ID: "S"},
			"@root updated status #S, set sensitive: 'true'",
			"@root updated status #S, set visibility: 'unlisted'",
			"@root updated status #S, set sensitive: 'false', visibility: 'private'",
			"@root deleted status #S")
	})
}

func TestAStatusOfADeactivatedAccountIsChangedAndDeleted(t *testing.T) {
	yes := true
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		s := w.post(w.bob, "one")
		_, err := w.Deactivate(ctx, w.root, "bob")
		w.must(err)
		w.must(w.UpdateStatus(ctx, w.root, s.ID, &yes, nil))
		w.must(w.DeleteStatus(ctx, w.root, s.ID))
		if _, err := w.d.StatusByID(ctx, s.ID); !errors.Is(err, db.ErrNotFound) {
			t.Errorf("the deleted status: %v", err)
		}
	})
}

func TestNobodyElseModerates(t *testing.T) {
	yes := true
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		s, r := w.post(w.bob, "one"), w.report()
		_, toggled := w.Toggle(ctx, w.ann, "bob")
		_, deactivated := w.Deactivate(ctx, w.ann, "bob")
		_, activated := w.Activate(ctx, w.ann, "bob")
		_, updated := w.UpdateReports(ctx, w.ann, []moderation.ReportChange{{ID: r.ID, State: "closed"}})
		for name, err := range map[string]error{
			"toggle": toggled, "deactivate": deactivated, "activate": activated, "reports": updated,
			"note": w.AddNote(ctx, w.ann, r.ID, "x", ""), "delete note": w.DeleteNote(ctx, w.ann, r.ID, 1),
			"status": w.UpdateStatus(ctx, w.ann, s.ID, &yes, nil), "delete status": w.DeleteStatus(ctx, w.ann, s.ID),
		} {
			if !fault.Is(err, fault.KindForbidden) {
				t.Errorf("%s: %v, want a refusal", name, err)
			}
		}
		w.wantLog(nil)
	})
}

// TestPrivilegesAreReadInTheTransaction: a moderator who lost the role, or whose
// role lost the privilege, after the request began changes nothing. The process
// has not heard of either.
func TestPrivilegesAreReadInTheTransaction(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		status := w.post(w.bob, "hello")
		report := w.report(status.ID)
		w.must(w.AddNote(ctx, w.root, report.ID, "seen", ""))
		settings := config.DefaultSettings()
		for _, p := range api.Privileges() {
			settings.Instance.ModeratorPrivileges = append(settings.Instance.ModeratorPrivileges, string(p))
		}
		w.must(w.live.Swap(settings))
		mod := w.person("mod")
		mod.IsModerator = true
		yes := true
		deeds := map[string]func() error{
			"deactivate": func() error { _, err := w.Deactivate(ctx, mod, "bob"); return err },
			"toggle":     func() error { _, err := w.Toggle(ctx, mod, "bob"); return err },
			"update reports": func() error {
				_, err := w.UpdateReports(ctx, mod, []moderation.ReportChange{{ID: report.ID, State: "closed"}})
				return err
			},
			"add note":      func() error { return w.AddNote(ctx, mod, report.ID, "mine", "") },
			"delete note":   func() error { return w.DeleteNote(ctx, mod, report.ID, 1) },
			"update status": func() error { return w.UpdateStatus(ctx, mod, status.ID, &yes, nil) },
		}
		before := w.log(nil)
		deeds["delete status"] = func() error { return w.DeleteStatus(ctx, mod, status.ID) }
		for name, do := range deeds { // the row has no role
			if err := do(); err == nil || err.Error() != "User is not an admin." {
				t.Errorf("%s without the role: %v", name, err)
			}
		}
		w.must(w.d.UpdateAccount(ctx, mod, "is_moderator"))
		delete(deeds, "delete status") // which needs no privilege
		none, err := term.FromJSON([]byte(`[{"tuple":[":moderator_privileges",["log"]]}]`))
		w.must(err)
		w.must(w.d.SaveSetting(ctx, &db.Setting{Grp: ":svc", Key: ":instance", Value: none.Encode()}))
		for name, do := range deeds {
			err := do()
			if err == nil || !strings.Contains(err.Error(), "moderators lack the privilege") {
				t.Errorf("%s without the privilege: %v", name, err)
			}
		}
		w.wantLog(nil, before...)
	})
}

// TestRightsAreReadInTheTransaction: an admin who lost the right after the
// request began changes nothing.
func TestRightsAreReadInTheTransaction(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		eve := w.person("eve")
		eve.IsAdmin = true
		w.must(w.d.UpdateAccount(ctx, eve, "is_admin"))
		deeds := map[string]func(by *db.Account) error{
			"grant":      func(by *db.Account) error { _, err := w.Grant(ctx, by, moderation.Admins, "bob"); return err },
			"revoke":     func(by *db.Account) error { _, err := w.Revoke(ctx, by, moderation.Admins, "eve"); return err },
			"revoke one": func(by *db.Account) error { _, err := w.RevokeOne(ctx, by, moderation.Admins, "eve"); return err },
			"deactivate": func(by *db.Account) error { _, err := w.Deactivate(ctx, by, "eve"); return err },
			"toggle":     func(by *db.Account) error { _, err := w.Toggle(ctx, by, "eve"); return err },
			"delete":     func(by *db.Account) error { return w.DeleteUsers(ctx, by, "eve") },
			"tag":        func(by *db.Account) error { return w.Tag(ctx, by, []string{"eve"}, []string{"x"}) },
			"follow":     func(by *db.Account) error { return w.Follow(ctx, by, "ann", "eve") },
		}
		for _, c := range []struct {
			words string
			lose  func(now *db.Account)
		}{
			{"User is not an admin.", func(now *db.Account) { now.IsAdmin = false }},
			{"Invalid credentials.", func(now *db.Account) { now.IsAdmin, now.Deactivated = true, true }},
		} {
			now := *w.root
			c.lose(&now)
			w.must(w.d.UpdateAccount(ctx, &now, "is_admin", "deactivated"))
			for name, do := range deeds {
				if err := do(w.root); err == nil || err.Error() != c.words {
					t.Errorf("%s: %v, want %s", name, err, c.words)
				}
			}
		}
		if left, err := w.d.Account(ctx, eve.ID); err != nil || !left.IsAdmin || left.Deactivated {
			t.Errorf("eve is %+v, %v", left, err)
		}
		w.wantLog(nil)
	})
}

// TestTwoAdminsWhoDemoteEachOtherLeaveOne: at least one admin must remain, also
// when two deactivate or delete each other.
func TestTwoAdminsWhoDemoteEachOtherLeaveOne(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		eve := w.person("eve")
		for name, do := range map[string]func(by *db.Account, nickname string) error{
			"revoke":     func(by *db.Account, n string) error { _, err := w.Revoke(ctx, by, moderation.Admins, n); return err },
			"revoke one": func(by *db.Account, n string) error { _, err := w.RevokeOne(ctx, by, moderation.Admins, n); return err },
			"deactivate": func(by *db.Account, n string) error { _, err := w.Deactivate(ctx, by, n); return err },
			"delete":     func(by *db.Account, n string) error { return w.DeleteUsers(ctx, by, n) },
		} {
			two := []*db.Account{w.root, eve}
			if name == "delete" { // a deletion is final, so it gets accounts of its own
				two = []*db.Account{w.person("kim"), w.person("lee")}
			}
			for range 5 {
				for _, a := range two {
					a.IsAdmin, a.Deactivated = true, false
					w.must(w.d.UpdateAccount(ctx, a, "is_admin", "deactivated"))
				}
				var wg sync.WaitGroup
				for i, by := range two {
					wg.Go(func() {
						if err := do(by, two[1-i].Nickname); err != nil && !fault.Is(err, fault.KindForbidden) {
							t.Errorf("%s: %v", name, err)
						}
					})
				}
				wg.Wait()
				left := 0
				for _, a := range two {
					now, err := w.d.Account(ctx, a.ID)
					w.must(err)
					if now.IsAdmin && !now.Deactivated {
						left++
					}
				}
				if left != 1 {
					t.Errorf("%s: %d admins are left", name, left)
				}
				if name == "delete" {
					break
				}
			}
		}
	})
}

// TestTwoModeratorsAtOnce: concurrent changes are complete, none is lost, and
// each has its entry in the log.
func TestTwoModeratorsAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		var ids []string
		for range 4 {
			ids = append(ids, w.report().ID)
		}
		var wg sync.WaitGroup
		for i := range 8 {
			state := []string{"closed", "resolved"}[i%2]
			changes := make([]moderation.ReportChange, len(ids))
			for j := range ids {
				changes[j] = moderation.ReportChange{ID: ids[(i+j)%len(ids)], State: state}
			}
			wg.Go(func() {
				if refused, err := w.UpdateReports(ctx, w.root, changes); err != nil || len(refused) > 0 {
					t.Errorf("UpdateReports: %v, %v", refused, err)
				}
			})
			wg.Go(func() {
				if _, err := w.Toggle(ctx, w.root, "bob"); err != nil {
					t.Errorf("Toggle: %v", err)
				}
			})
			wg.Go(func() {
				names := []string{"ann", "bob"}
				if i%2 == 1 {
					names = []string{"bob", "ann"}
				}
				if _, err := w.Activate(ctx, w.root, names...); err != nil {
					t.Errorf("Activate: %v", err)
				}
			})
		}
		wg.Wait()
		states := map[string]bool{}
		for _, id := range ids {
			r, err := w.d.Report(ctx, id)
			w.must(err)
			states[r.State] = true
		}
		if len(states) != 1 {
			t.Errorf("the last change was half done: %v", states)
		}
		rows, counts, err := w.d.Reports(ctx, db.ReportFilter{}, db.NumberedPage{Number: 1, Size: 50})
		total := counts.In("")
		if err != nil || total != 4 || len(rows) != 4 {
			t.Errorf("%d reports of %d, %v", len(rows), total, err)
		}
		updates, active := 0, true
		for _, line := range w.log(nil) {
			switch {
			case strings.Contains(line, "updated report"):
				updates++
			case strings.Contains(line, "deactivated users: @bob"):
				if !active {
					t.Error("bob was deactivated twice")
				}
				active = false
			case strings.Contains(line, "activated users: @bob"):
				if active {
					t.Error("bob was activated twice")
				}
				active = true
			}
		}
		bob, err := w.d.AccountByNickname(ctx, "bob")
		if err != nil || bob.Deactivated == active {
			t.Errorf("bob deactivated %v, the log says active %v, %v", bob.Deactivated, active, err)
		}
		if updates != 8*len(ids) {
			t.Errorf("%d updates in the log, want %d", updates, 8*len(ids))
		}
	})
}
