package settings_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client/settings/term"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/rules/settings"
)

// change returns the change that sets row to value, in the form of the API.
func change(row config.Setting, value string) settings.Change {
	for i := len(row.Path) - 1; i >= 0; i-- {
		if row.Map && i == len(row.Path)-1 {
			value = fmt.Sprintf(`{%q:%s}`, row.Path[i], value)
		} else {
			value = fmt.Sprintf(`[{"tuple":[%q,%s]}]`, row.Path[i], value)
		}
	}
	return settings.Change{Group: row.Group, Key: row.Key, Value: json.RawMessage(value)}
}

// The example keys of RFC 8291, Appendix A.
const (
	pushPublic  = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
	pushPrivate = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"
)

// others lists values that a setting may accept, and that are seldom a default.
// first uses the first accepted one.
func others(row config.Setting) []string {
	quoted := func(texts ...string) []string {
		for i, text := range texts {
			raw, _ := json.Marshal(text)
			texts[i] = string(raw)
		}
		return texts
	}
	switch row.Kind {
	case config.String, config.Word:
		var words []string
		for _, word := range row.OneOf {
			if word != row.Default {
				words = append(words, word)
			}
		}
		if row.OneOf != nil {
			if words[0] == "false" || words[0] == "true" {
				return words
			}
			return quoted(words...)
		}
		return append(quoted("changed", "/changed.png", "https://changed.example", "changed@mail.example", "#012345", ":changed", pushPublic, pushPrivate), "true", `{"tuple":[":basic","u","p"]}`)
	case config.Boolean:
		return []string{fmt.Sprint(!row.Default.(bool))}
	case config.Integer, config.IntegerOrFalse:
		return []string{fmt.Sprint(row.Default.(int) + 1), fmt.Sprint(row.Default.(int) - 1)}
	case config.Seconds:
		return []string{fmt.Sprint(int64(row.Default.(time.Duration)/time.Second) + 1), fmt.Sprint(int64(row.Default.(time.Duration)/time.Second) - 1)}
	case config.Millis:
		return []string{fmt.Sprint(row.Default.(time.Duration).Milliseconds() + 1), fmt.Sprint(row.Default.(time.Duration).Milliseconds() - 1)}
	case config.Strings, config.Words:
		list := []string{`["changed"]`, `["changed.example"]`, `["/changed.png"]`, `["https://changed.example"]`, `["10.1.2.3"]`, `["text/plain"]`}
		for _, word := range row.OneOf {
			list = append(list, fmt.Sprintf(`[%q]`, word))
		}
		return append(list, `[]`)
	case config.RateKind:
		return []string{`[{"tuple":[1234,5]},{"tuple":[4321,6]}]`}
	case config.RestrictKind:
		return []string{`true`}
	case config.ProxyKind:
		return []string{`{"tuple":[":socks5","proxy.example",1080]}`}
	case config.Groups:
		return []string{`[{"tuple":[":Changed",["/changed.png"]]}]`}
	case config.Maps:
		return []string{`[{"tuple":[":changed",{":a":"b"}]}]`}
	case config.MapList:
		return []string{`[{":src":"/changed.png"}]`}
	case config.MailboxKind:
		return []string{`{"tuple":["Changed","changed@mail.example"]}`}
	case config.Patterns:
		return []string{`["changed","~r/changed/i"]`}
	case config.Replacements:
		return []string{`[{"tuple":["~r/a/","b"]}]`}
	case config.HostReasons:
		return []string{`[{"tuple":["changed.example","changed"]}]`}
	case config.Subchains:
		return []string{`{"~r/changed/":["Svc.Web.ActivityPub.MRF.DropPolicy"]}`}
	case config.Allowlist:
		return []string{`{"changed.example":["https://changed.example/users/a"]}`}
	}
	return []string{
		`"changed"`, `{"changed":true}`, `[{"tuple":[":changed",true]}]`, `{"tuple":[":basic","u","p"]}`, `[{"tuple":["0 1 * * *","Svc.Workers.Cron.DigestEmailsWorker"]}]`,
		`["changed"]`, `"strip"`, `{"application/changed":["changed"]}`, `{"changed.example":["changed"]}`, `{":name":"changed",":ref":"x"}`, `{":name":"fe",":ref":"x"}`, `5`,
		`[{":link_color":"#000000"}]`, `{":link_color":"#000000"}`, `true`, `[]`,
	}
}

// first returns the change to the first of others that the setting accepts and
// that changes it.
func first(t *testing.T, row config.Setting) (settings.Change, bool) {
	t.Helper()
	before := config.DefaultSettings()
	for _, value := range others(row) {
		c := change(row, value)
		read, err := term.FromJSON(c.Value)
		if err != nil || len(config.Check(row.Group, row.Key, read)) > 0 {
			continue
		}
		after, wrong := before.With([]config.Saved{{Group: row.Group, Key: row.Key, Value: read}})
		if len(wrong) == 0 && !reflect.DeepEqual(row.Value(&before), row.Value(&after)) {
			return c, true
		}
	}
	return settings.Change{}, false
}

func TestEverySettingCanBeSavedAndActsInEveryProcess(t *testing.T) {
	two(t, func(t *testing.T, a, b process) {
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); b.Watch(ctx, func(context.Context) {}) }()
		defer func() { stop(); <-done }()
		before := *a.live.Base()
		var changes, back []settings.Change
		var rows []config.Setting
		for _, row := range config.Honoured() {
			c, ok := first(t, row)
			if !ok {
				t.Errorf("%s takes none of %s", row.Name(), others(row))
				continue
			}
			// Settings of one map replace each other, and so do retries. The
			// two ways to encrypt LDAP exclude each other. They are tried one
			// by one.
			if row.Map || row.Key == ":workers" || row.Name() == "ldap.tls" {
				a.update(t, c)
				if now := a.live.Load(); reflect.DeepEqual(row.Value(now), row.Value(&before)) {
					t.Errorf("%s stays %v", row.Name(), row.Value(now))
				}
				a.update(t, settings.Change{Group: row.Group, Key: row.Key, Delete: true})
				continue
			}
			rows, changes = append(rows, row), append(changes, c)
			back = append(back, settings.Change{Group: row.Group, Key: row.Key, Delete: true})
		}
		changes = append(changes, settings.Change{
			Group: ":svc", Key: "Svc.Emails.Mailer",
			Value: json.RawMessage(`[{"tuple":[":enabled",true]},{"tuple":[":adapter","Swoosh.Adapters.SMTP"]},{"tuple":[":relay","changed.example"]}]`),
		})
		a.update(t, changes...)
		// The mark of the last change.
		a.update(t, set(":instance", `[{"tuple":[":limit",4321]}]`))
		within(t, "the other process did not follow", func() bool { return b.live.Load().Instance.Limit == 4321 })
		for _, row := range rows {
			for _, p := range []process{a, b} {
				if now := p.live.Load(); reflect.DeepEqual(row.Value(now), row.Value(&before)) {
					t.Errorf("%s stays %v", row.Name(), row.Value(now))
				}
			}
		}
		a.update(t, back...)
		within(t, "the other process did not follow back", func() bool { return b.live.Load().Instance.Limit == before.Instance.Limit })
		for name, p := range map[string]process{"the process that was asked": a, "the other": b} {
			if diff := cmp.Diff(before, *p.live.Load(), cmp.Comparer(term.Term.Equal), cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
				t.Errorf("%s, after all was deleted: %s", name, diff)
			}
		}
	})
}

// never are values that no setting of the row's kind takes.
func never(row config.Setting) []string {
	outside := func(of ...string) []string {
		return append(of, fmt.Sprint(row.Min-1), fmt.Sprint(row.Max+1), `12345678901234567890123`, `"7"`, `1.5`, `[]`)
	}
	switch row.Kind {
	case config.String:
		list := []string{`5`, `["x"]`, `{":x":1}`, `"a\u0000b"`, `true`}
		if row.OneOf != nil {
			list = append(list, `"no such thing"`)
		}
		return list
	case config.Word:
		list := []string{`5`, `["x"]`, `"a\u0000b"`}
		if row.OneOf != nil {
			list = append(list, `":no_such_thing"`)
		}
		return list
	case config.Boolean:
		return []string{`"true"`, `1`, `[]`, `":yes"`}
	case config.Integer, config.Seconds, config.Millis:
		return outside(`true`, `false`)
	case config.IntegerOrFalse:
		if row.Min <= 1 {
			return []string{fmt.Sprint(row.Max + 1), `-1`, `true`, `"7"`, `[]`}
		}
		return outside(`true`)
	case config.Strings:
		return []string{`"x"`, `5`, `[5]`, `[null]`, `{"x":"y"}`, `["a\u0000b"]`}
	case config.Words:
		return []string{`5`, `[5]`, `{"x":"y"}`}
	case config.RateKind:
		return []string{`5`, `"x"`, `{"tuple":[0,1]}`, `{"tuple":[1,0]}`, `{"tuple":[1]}`, `[{"tuple":[1,2]}]`, `{"tuple":[1,2147483648]}`, `true`}
	case config.RestrictKind:
		return []string{`5`, `":maybe"`, `[]`}
	case config.ProxyKind:
		return []string{`5`, `"localhost"`, `"http://localhost:1"`, `{"tuple":[":ftp","localhost",1]}`, `{"tuple":[":socks5","localhost",0]}`, `{"tuple":[":socks5","localhost",65536]}`, `[]`}
	case config.Groups:
		return []string{`5`, `["x"]`, `[{"tuple":[":x",5]}]`}
	case config.Maps:
		return []string{`5`, `["x"]`, `[{"tuple":[":x",5]}]`}
	case config.MapList:
		return []string{`5`, `["x"]`, `{":x":1}`}
	case config.MailboxKind:
		return []string{`5`, `"nobody"`, `{"tuple":["a","b"]}`, `{"tuple":["a\nb","a@b.example"]}`}
	case config.Patterns:
		return []string{`5`, `[5]`}
	case config.Replacements:
		return []string{`5`, `["x"]`, `[{"tuple":["x"]}]`}
	case config.Subchains, config.Allowlist:
		return []string{`5`, `["x"]`}
	}
	return nil
}

func TestEveryBoundOfASettingRefuses(t *testing.T) {
	p := open(t, dbtest.New(t), on)
	tried := 0
	for _, row := range config.Honoured() {
		for _, value := range never(row) {
			c := change(row, value)
			_, err := p.Update(t.Context(), root, []settings.Change{c})
			var refused settings.Refused
			if !errors.As(err, &refused) || len(refused) != 1 || refused[0].Field != "value" {
				t.Errorf("%s takes %s: %v", row.Name(), value, err)
				continue
			}
			if last := append([]string{row.Key}, row.Path...); !strings.Contains(refused[0].Message, last[len(last)-1]) {
				t.Errorf("%s: %s does not name it", row.Name(), refused[0].Message)
			}
			tried++
		}
	}
	if rows := p.shown(t); len(rows) != 0 {
		t.Errorf("saved: %v", rows)
	}
	t.Logf("%d values refused", tried)
}
