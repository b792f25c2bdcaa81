package settings_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/rules/settings"
)

// process is a store with the settings of its process.
type process struct {
	*settings.Store
	live *config.Live
	db   *db.DB
}

func open(t *testing.T, d *db.DB, o settings.Options) process {
	t.Helper()
	live, err := config.NewLive(config.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	s, err := settings.Open(t.Context(), d, live, o)
	if err != nil {
		t.Fatal(err)
	}
	return process{s, live, d}
}

// root is an admin with the right to save settings.
var root = &db.Account{IsAdmin: true}

var on = settings.Options{FromDatabase: true, Unlocked: config.LockedNames()}

func set(key, value string) settings.Change {
	return settings.Change{Group: ":svc", Key: key, Value: json.RawMessage(value)}
}

// shown returns the saved settings as text.
func (p process) shown(t *testing.T) map[string]string {
	t.Helper()
	rows, err := p.Saved(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, row := range rows {
		out[row.Group+" "+row.Key] = row.Value.String()
	}
	return out
}

func (p process) update(t *testing.T, changes ...settings.Change) []string {
	t.Helper()
	left, err := p.Update(t.Context(), root, changes)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, l := range left {
		out = append(out, l.Key+" "+l.Value.String())
	}
	return out
}

func TestSavingMergesAndDeletingGivesBack(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := open(t, d, on)
		del := func(key string, subkeys ...string) settings.Change {
			return settings.Change{Group: ":svc", Key: key, Delete: true, Subkeys: subkeys}
		}
		for _, step := range []struct {
			name   string
			change []settings.Change
			left   []string
			saved  map[string]string
		}{
			{
				"nothing was saved", []settings.Change{set(":a", `[{"tuple":[":x",1]},{"tuple":[":y",[{"tuple":[":z",2]}]]}]`)},
				[]string{`:a [{"tuple":[":x",1]},{"tuple":[":y",[{"tuple":[":z",2]}]]}]`},
				map[string]string{":svc :a": `[{"tuple":[":x",1]},{"tuple":[":y",[{"tuple":[":z",2]}]]}]`},
			},
			{
				"pairs are merged deeply, new ones last", []settings.Change{set(":a", `[{"tuple":[":y",[{"tuple":[":w",3]}]]}]`)},
				[]string{`:a [{"tuple":[":x",1]},{"tuple":[":y",[{"tuple":[":z",2]},{"tuple":[":w",3]}]]}]`},
				map[string]string{":svc :a": `[{"tuple":[":x",1]},{"tuple":[":y",[{"tuple":[":z",2]},{"tuple":[":w",3]}]]}]`},
			},
			{
				"one item twice gives two entries", []settings.Change{set(":a", `[{"tuple":[":x",4]}]`), set(":a", `[{"tuple":[":x",5]}]`)},
				[]string{
					`:a [{"tuple":[":y",[{"tuple":[":z",2]},{"tuple":[":w",3]}]]},{"tuple":[":x",4]}]`,
					`:a [{"tuple":[":y",[{"tuple":[":z",2]},{"tuple":[":w",3]}]]},{"tuple":[":x",5]}]`,
				},
				map[string]string{":svc :a": `[{"tuple":[":y",[{"tuple":[":z",2]},{"tuple":[":w",3]}]]},{"tuple":[":x",5]}]`},
			},
			{
				"subkeys go, unknown ones do not matter", []settings.Change{del(":a", ":y", ":nothing")},
				[]string{`:a [{"tuple":[":x",5]}]`}, map[string]string{":svc :a": `[{"tuple":[":x",5]}]`},
			},
			{
				"no subkeys delete nothing", []settings.Change{{Group: ":svc", Key: ":a", Delete: true, Subkeys: []string{}}},
				[]string{`:a [{"tuple":[":x",5]}]`}, map[string]string{":svc :a": `[{"tuple":[":x",5]}]`},
			},
			{"with the last subkey the row goes", []settings.Change{del(":a", ":x")}, []string{}, map[string]string{}},
			{"what is missing is not missed", []settings.Change{del(":a"), del(":a", ":x")}, []string{}, map[string]string{}},
			{"without delete, subkeys do not matter", []settings.Change{{Group: ":svc", Key: ":a", Value: json.RawMessage(`true`), Subkeys: []string{":x"}}},
				[]string{`:a true`}, map[string]string{":svc :a": `true`}},
			{"another value replaces", []settings.Change{set(":a", `["x"]`), set(":a", `[{"tuple":[":x",1]}]`)},
				[]string{`:a ["x"]`, `:a [{"tuple":[":x",1]}]`}, map[string]string{":svc :a": `[{"tuple":[":x",1]}]`}},
			{"blanks are dropped", []settings.Change{set(":a", `" \t"`), {Group: ":svc", Key: ":a", Delete: true, Value: json.RawMessage(`null`)}}, []string{}, map[string]string{}},
			{"names have one spelling", []settings.Change{set(":Elixir.Svc.Upload", `[{"tuple":[":x",1]}]`)},
				[]string{`Svc.Upload [{"tuple":[":x",1]}]`}, map[string]string{":svc Svc.Upload": `[{"tuple":[":x",1]}]`}},
		} {
			if diff := cmp.Diff(step.left, p.update(t, step.change...)); diff != "" {
				t.Errorf("%s, answer: %s", step.name, diff)
			}
			if diff := cmp.Diff(step.saved, p.shown(t)); diff != "" {
				t.Errorf("%s, saved: %s", step.name, diff)
			}
		}
	})
}

func TestBadChangesAreRefusedByPlaceAndNoneIsMade(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := open(t, d, on)
		p.update(t, set(":plain", `5`))
		good := set(":good", `1`)
		for _, c := range []struct {
			change settings.Change
			want   settings.Problem
		}{
			{settings.Change{Group: "svc", Key: ":a", Value: json.RawMessage(`1`)}, settings.Problem{Field: "group"}},
			{settings.Change{Group: ":svc", Key: "a", Value: json.RawMessage(`1`)}, settings.Problem{Field: "key"}},
			{settings.Change{Group: ":svc", Key: ":" + strings.Repeat("k", 255), Value: json.RawMessage(`1`)}, settings.Problem{Field: "key"}},
			{set(":a", `null`), settings.Problem{Field: "value", Message: "value - Invalid value. Got: null."}},
			{set(":a", `{"tuple":"a"}`), settings.Problem{Field: "value"}},
			{set(":a", `"~rabc"`), settings.Problem{Field: "value"}},
			{set(":a", `["~r/(?=x)/"]`), settings.Problem{Field: "value"}},
			{set(":a", `["~r/(/"]`), settings.Problem{Field: "value"}},
			{set(":a", `[{"tuple":[":args",["{System.halt()}"]]}]`), settings.Problem{Field: "value"}},
			{set(":instance", `[{"tuple":[":limit","many"]}]`), settings.Problem{Field: "value", Message: "value - :instance :limit takes an integer from 0 to 2147483647."}},
			{set(":instance", `[{"tuple":[":limit",-1]}]`), settings.Problem{Field: "value"}},
			{set(":instance", `[{"tuple":[":limit",12345678901234567890123]}]`), settings.Problem{Field: "value"}},
			{set(":instance", `[{"tuple":[":poll_limits",3]}]`), settings.Problem{Field: "value", Message: "value - :instance :poll_limits takes settings by name."}},
			{set(":instance", `"x"`), settings.Problem{Field: "value", Message: "value - :instance takes settings by name."}},
			{set(":instance", `[{"tuple":[":name",["x"]]}]`), settings.Problem{Field: "value"}},
			{set(":instance", `[{"tuple":[":name","a\u0000b"]}]`), settings.Problem{Field: "value"}},
			{set(":instance", `[{"tuple":[":account_activation_required",true]}]`), settings.Problem{Field: "value", Message: "value - :instance :account_activation_required takes true only where mail is sent."}},
			{set(":rate_limit", `[{"tuple":[":search",{"tuple":[0,1]}]}]`), settings.Problem{Field: "value"}},
			{set(":http", `[{"tuple":[":proxy_url",{"tuple":[":ftp","localhost",1]}]}]`), settings.Problem{Field: "value"}},
			{settings.Change{Group: ":svc", Key: ":plain", Delete: true, Subkeys: []string{":x"}}, settings.Problem{Field: "subkeys"}},
			{set("Svc.Repo", `1`), settings.Problem{Field: "key"}},
			{set("Svc.Web.Endpoint", `1`), settings.Problem{Field: "key"}},
			{set(":env", `1`), settings.Problem{Field: "key"}},
			{set(":configurable_from_database", `false`), settings.Problem{Field: "key"}},
			{set(":database", `1`), settings.Problem{Field: "key"}},
			{set(":swarm", `1`), settings.Problem{Field: "key"}},
			{set(":database_config_whitelist", `[]`), settings.Problem{Field: "key"}},
		} {
			left, err := p.Update(t.Context(), root, []settings.Change{good, c.change})
			var refused settings.Refused
			if !errors.As(err, &refused) || len(refused) != 1 || left != nil {
				t.Errorf("%s %s: %v %v", c.change.Key, c.change.Value, left, err)
				continue
			}
			if refused[0].Item != 1 || refused[0].Field != c.want.Field || c.want.Message != "" && refused[0].Message != c.want.Message {
				t.Errorf("%s %s: %+v, want %+v", c.change.Key, c.change.Value, refused[0], c.want)
			}
		}
		if diff := cmp.Diff(map[string]string{":svc :plain": "5"}, p.shown(t)); diff != "" {
			t.Errorf("saved: %s", diff)
		}
		_, err := p.Update(t.Context(), root, []settings.Change{set("Svc.Emails.Mailer", `[{"tuple":[":password","~rhunter2"]}]`), set("Svc.Emails.Mailer", `[{"tuple":[":password",["hunter2"]]}]`)})
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("a secret in words: %v", err)
		}
	})
}

// two are processes on one database: on PostgreSQL with connections of their
// own.
func two(t *testing.T, fn func(t *testing.T, a, b process)) {
	dbtest.EachReady(t, func(t *testing.T, dsn string) {
		first := dbtest.Open(t, dsn)
		second := first
		if first.Dialect() == db.Postgres {
			second = dbtest.Open(t, dsn)
			ctx, stop := context.WithCancel(context.Background())
			t.Cleanup(stop)
			go second.Listen(ctx)
			go first.Listen(ctx)
		}
		fn(t, open(t, first, on), open(t, second, on))
	})
}

func TestTwoAdminsAtOnceLoseNothing(t *testing.T) {
	two(t, func(t *testing.T, a, b process) {
		const each = 12
		var work sync.WaitGroup
		for i, p := range []process{a, b} {
			for j := range each {
				work.Go(func() {
					if _, err := p.Update(t.Context(), root, []settings.Change{set(":instance", fmt.Sprintf(`[{"tuple":[":mine_%d_%d",%d]}]`, i, j, j))}); err != nil {
						t.Error(err)
					}
				})
			}
		}
		work.Wait()
		rows, err := a.Saved(t.Context())
		if err != nil || len(rows) != 1 || len(rows[0].Value.Keys()) != 2*each {
			t.Errorf("%v %v", rows, err)
		}
	})
}

func within(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !ok(); {
		if time.Now().After(end) {
			t.Fatal(what)
		}
		select {
		case <-t.Context().Done():
			t.Fatal(what)
		case <-time.After(2 * time.Millisecond):
		}
	}
}

func TestEveryProcessFollowsAndRestartsOnce(t *testing.T) {
	two(t, func(t *testing.T, a, b process) {
		var restarts [2]atomic.Int32
		ctx, stop := context.WithCancel(t.Context())
		var watching sync.WaitGroup
		for i, p := range []process{a, b} {
			watching.Go(func() {
				p.Watch(ctx, func(context.Context) {
					restarts[i].Add(1)
					panic("cannot restart") // Watch goes on
				})
			})
		}
		defer watching.Wait()
		defer stop()
		begun := time.Now()
		a.update(t, set(":instance", `[{"tuple":[":limit",7]},{"tuple":[":upload_limit",8]}]`))
		if got := a.live.Load().Instance.Limit; got != 7 {
			t.Errorf("the process that was asked has %d", got)
		}
		within(t, "the other process did not follow", func() bool { return b.live.Load().Instance.Limit == 7 })
		if took := time.Since(begun); took > 5*time.Second {
			t.Errorf("following took %s", took)
		}
		needed := func(want bool) {
			t.Helper()
			for _, p := range []process{a, b} {
				if got, err := p.NeedReboot(t.Context()); err != nil || got != want {
					t.Errorf("need_reboot %v %v, want %v", got, err, want)
				}
			}
		}
		needed(true)
		b.update(t, set(":instance", `[{"tuple":[":limit",9]}]`))
		needed(true)
		if late := open(t, a.db, on); late.live.Load().Instance.Limit != 9 {
			t.Error("a new process does not begin with what is saved")
		} else if got, err := late.NeedReboot(t.Context()); err != nil || got {
			t.Errorf("a new process needs a restart: %v %v", got, err)
		}
		if err := b.Restart(t.Context(), root); err != nil {
			t.Fatal(err)
		}
		needed(false)
		within(t, "not every process restarted", func() bool { return restarts[0].Load() == 1 && restarts[1].Load() == 1 })
		a.update(t, settings.Change{Group: ":svc", Key: ":instance", Delete: true, Subkeys: []string{":limit"}})
		needed(false)
		within(t, "the default did not come back", func() bool { return b.live.Load().Instance.Limit == 5000 })
		a.update(t, settings.Change{Group: ":svc", Key: ":instance", Delete: true})
		needed(true)
		if restarts[0].Load() != 1 || restarts[1].Load() != 1 {
			t.Error("more restarts than were asked for")
		}
	})
}

func TestUnreadableSettingsAreLoggedAndSkipped(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		for _, row := range []db.Setting{
			{Grp: ":svc", Key: ":broken", Value: `{"zz":"hunter2"}`},
			{Grp: ":svc", Key: ":instance", Value: `[{"t":[{"a":"limit"},"hunter2"]},{"t":[{"a":"chat_limit"},44]}]`},
		} {
			if err := d.SaveSetting(ctx, &row); err != nil {
				t.Fatal(err)
			}
		}
		var out bytes.Buffer
		p := open(t, d, settings.Options{FromDatabase: true, Log: slog.New(slog.NewTextHandler(&out, nil))})
		if got := p.live.Load().Instance; got.Limit != 5000 || got.ChatLimit != 44 {
			t.Errorf("limits %d and %d", got.Limit, got.ChatLimit)
		}
		for _, want := range []string{":broken", ":instance :limit"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("no word of %s in\n%s", want, out.String())
			}
		}
		if strings.Contains(out.String(), "hunter2") {
			t.Errorf("values in\n%s", out.String())
		}
		if diff := cmp.Diff([]string{`:broken [{"tuple":[":x",1]}]`}, p.update(t, set(":broken", `[{"tuple":[":x",1]}]`))); diff != "" {
			t.Errorf("saving over it: %s", diff)
		}
	})
}

func TestOutsideTheWhitelistNothingIsSavedButOldRowsAct(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		open(t, d, on).update(t, set(":oauth2", `[{"tuple":[":clean_expired_tokens",true]}]`))
		p := open(t, d, settings.Options{FromDatabase: true, Whitelist: config.Whitelist{{Group: ":svc", Key: ":instance"}, {Group: ":logger"}}})
		left := p.update(t, set(":instance", `[{"tuple":[":limit",1]}]`), set(":oauth2", `[{"tuple":[":clean_expired_tokens",false]}]`),
			settings.Change{Group: ":svc", Key: ":oauth2", Delete: true}, settings.Change{Group: ":logger", Key: ":console", Value: json.RawMessage(`[]`)})
		if diff := cmp.Diff([]string{`:instance [{"tuple":[":limit",1]}]`, `:console []`}, left); diff != "" {
			t.Error(diff)
		}
		if s := p.live.Load(); s.Instance.Limit != 1 || !s.OAuth.CleanExpiredTokens {
			t.Errorf("limit %d, clean %v", s.Instance.Limit, s.OAuth.CleanExpiredTokens)
		}
	})
}

func TestLockedSettingsActOnlyWhereTheyAreUnlocked(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		var out bytes.Buffer
		locked := settings.Options{FromDatabase: true, Log: slog.New(slog.NewTextHandler(&out, nil))}
		// Other spellings of the name do not evade the lock.
		for _, value := range []string{
			`[{"tuple":[":static_dir","/etc"]},{"tuple":[":limit",1]}]`, `{":static_dir":"/etc",":limit":1}`, `{"static_dir":"/etc","limit":1}`,
			`[{"tuple":[":limit",1]},{"tuple":[":static_dir","/etc"]},{"tuple":[":static_dir","/usr"]}]`,
		} {
			open(t, d, on).update(t, settings.Change{Group: ":svc", Key: ":instance", Delete: true}, set(":instance", value))
			out.Reset()
			p := open(t, d, locked)
			if got := p.live.Load().Instance; got.StaticDir != "instance/static/" || got.Limit != 1 {
				t.Errorf("%s: folder %s, limit %d", value, got.StaticDir, got.Limit)
			}
			if lines := strings.Count(out.String(), "\n"); lines != 1 || !strings.Contains(out.String(), "[:svc/:instance/:static_dir]") {
				t.Errorf("%s is told in %d lines: %s", value, lines, out.String())
			}
		}
		p := open(t, d, settings.Options{FromDatabase: true, Unlocked: config.Unlocked{":svc/:instance/:static_dir"}})
		if got := p.live.Load().Instance.StaticDir; got != "/etc" {
			t.Errorf("unlocked by name: %s", got)
		}
		p = open(t, d, locked)
		for _, c := range []struct{ key, value, name string }{
			{":instance", `[{"tuple":[":limit",2]},{"tuple":[":static_dir","/usr"]}]`, ":instance :static_dir"},
			{"Svc.Uploaders.Local", `[{"tuple":[":uploads","/"]}]`, "Svc.Uploaders.Local :uploads"},
			{"Svc.User.Backup", `[{"tuple":[":dir","/"]}]`, "Svc.User.Backup :dir"},
			{"Svc.Emails.Mailer", `[{"tuple":[":cmd_path","/bin/sh"]}]`, "Svc.Emails.Mailer :cmd_path"},
			{"Svc.Emails.Mailer", `[{"tuple":[":cmd_args","-c"]}]`, "Svc.Emails.Mailer :cmd_args"},
			{"Svc.Web.MediaProxy.Invalidation.Script", `{"script_path":"/bin/sh"}`, "Svc.Web.MediaProxy.Invalidation.Script :script_path"},
			{":modules", `[{"tuple":[":runtime_dir","/"]}]`, ":modules :runtime_dir"},
		} {
			_, err := p.Update(t.Context(), root, []settings.Change{set(":logger", `[]`), set(c.key, c.value)})
			var refused settings.Refused
			if !errors.As(err, &refused) || len(refused) != 1 || refused[0].Item != 1 || refused[0].Field != "value" || !strings.Contains(refused[0].Message, c.name) ||
				!strings.Contains(refused[0].Message, "SVC_CONFIG_UNLOCK=:svc/"+strings.ReplaceAll(c.name, " ", "/")) {
				t.Errorf("%s: %v", c.name, err)
			}
		}
		if got := p.live.Load().Instance.Limit; got != 1 {
			t.Errorf("a refused change acts: limit %d", got)
		}
		// A locked setting may be sent with the value that it has, or that it
		// would have with nothing saved.
		p.update(t, set(":instance", `[{"tuple":[":static_dir","/etc"]},{"tuple":[":limit",3]}]`), set("Svc.Uploaders.Local", `[{"tuple":[":uploads","uploads"]}]`))
		p.update(t, set(":instance", `[{"tuple":[":static_dir","instance/static/"]}]`))
		p.update(t, settings.Change{Group: ":svc", Key: ":instance", Delete: true, Subkeys: []string{":static_dir"}})
		if diff := cmp.Diff(`[{"tuple":[":limit",3]}]`, p.shown(t)[":svc :instance"]); diff != "" {
			t.Error(diff)
		}
	})
}

func TestSettingsThatAreTheOperatorsAloneDoNotComeFromTheDatabase(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		open(t, d, on).update(t, set(":instance", `[{"tuple":[":limit",1]}]`))
		p := open(t, d, settings.Options{})
		if got := p.live.Load().Instance.Limit; got != 5000 {
			t.Errorf("limit %d", got)
		}
		const want = "To use this endpoint you need to enable configuration from database."
		if _, err := p.Update(t.Context(), root, nil); err == nil || err.Error() != want {
			t.Errorf("update: %v", err)
		}
		if err := p.Restart(t.Context(), root); err == nil || err.Error() != want {
			t.Errorf("restart: %v", err)
		}
		if needed, err := p.NeedReboot(t.Context()); err != nil || needed {
			t.Errorf("need_reboot: %v %v", needed, err)
		}
	})
}

func TestAMaskKeepsTheSavedSecret(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := open(t, d, on)
		p.update(t, set("Svc.Emails.Mailer", `[{"tuple":[":relay","a.example"]},{"tuple":[":password","s3cret"]}]`), set(":admin_token", `"open sesame"`))
		p.update(t, set("Svc.Emails.Mailer", `[{"tuple":[":relay","b.example"]},{"tuple":[":password","********"]}]`), set(":admin_token", `"********"`))
		s := p.live.Load()
		if s.Mailer.Relay != "b.example" || s.Mailer.Password != "s3cret" || s.Auth.AdminToken != "open sesame" {
			t.Errorf("%+v %+v", s.Mailer, s.Auth)
		}
		p.update(t, settings.Change{Group: ":svc", Key: ":admin_token", Delete: true})
		if left := p.update(t, set(":admin_token", `"********"`)); len(left) != 0 || p.live.Load().Auth.AdminToken != "" {
			t.Errorf("a mask of nothing left %v", left)
		}
	})
}
