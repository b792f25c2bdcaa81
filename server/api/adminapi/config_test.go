package adminapi_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/servertest"
)

const configPath = "/api/svc/admin/config"

// refused sends a call that must be refused, and returns the answer.
func refused(t *testing.T, c *client.Client, method, path, body string) (int, string) {
	t.Helper()
	var raw any
	if body != "" {
		raw = json.RawMessage(body)
	}
	resp, err := c.Do(t.Context(), client.Request{Method: method, Path: path, Body: raw}, nil)
	var e *client.Error
	switch {
	case errors.As(err, &e):
		return e.Status, string(e.Body)
	case err != nil:
		t.Fatalf("%s: %v", body, err)
	}
	return resp.Status, string(resp.Body)
}

func TestTheFirstExampleIsAnsweredToTheByte(t *testing.T) {
	s := servertest.Start(t)
	got := post(t, s.Admin("root"), examples(t)[1].Send)
	want := `{"configs":[{"group":":svc","key":":instance","value":[{"tuple":[":registrations_open",false]},{"tuple":[":invites_enabled",true]}],"db":[":registrations_open",":invites_enabled"]}],"need_reboot":false}`
	if string(got) != want {
		t.Errorf("%s", got)
	}
}

func TestBadConfigsAreRefusedWithTheirPlace(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		root := s.Admin("root")
		for _, c := range []struct{ body, pointer, message string }{
			{`{}`, "/configs", "Missing field: configs."},
			{`{"configs":5}`, "/configs", "configs - Invalid array. Got: integer."},
			{`{"configs":["x"]}`, "/configs/0", "0 - Invalid object. Got: string."},
			{`{"configs":[{"key":":k","value":1}]}`, "/configs/0/group", "Missing field: group."},
			{`{"configs":[{"group":":svc","value":1}]}`, "/configs/0/key", "Missing field: key."},
			{`{"configs":[{"group":":svc","key":":k"}]}`, "/configs/0/value", "Missing field: value."},
			{`{"configs":[{"group":":svc","key":":k","value":null}]}`, "/configs/0/value", "Missing field: value."},
			{`{"configs":[{"group":":svc","key":":ok","value":1},{"group":5,"key":":k","value":1}]}`, "/configs/1/group", "group - Invalid string. Got: integer."},
			{`{"configs":[{"group":":svc","key":[],"value":1}]}`, "/configs/0/key", "key - Invalid string. Got: array."},
			{`{"configs":[{"group":":svc","key":":k","delete":"maybe"}]}`, "/configs/0/delete", "delete - Invalid boolean. Got: string."},
			{`{"configs":[{"group":":svc","key":":k","delete":true,"subkeys":":x"}]}`, "/configs/0/subkeys", "subkeys - Invalid array. Got: string."},
			{`{"configs":[{"group":":svc","key":":k","delete":true,"subkeys":[5]}]}`, "/configs/0/subkeys", "subkeys - Invalid string. Got: integer."},
			{`{"configs":[{"group":":svc","key":":k","value":{"tuple":"a"}}]}`, "/configs/0/value", ""},
			{`{"configs":[{"group":"svc","key":":k","value":1}]}`, "/configs/0/group", ""},
			{`{"configs":[{"group":":svc","key":"Svc.Repo","value":1}]}`, "/configs/0/key", "key - Svc.Repo is set where the server is started."},
			{`{"configs":[{"group":":svc","key":":instance","value":[{"tuple":[":limit","a"]}]}]}`, "/configs/0/value", "value - :instance :limit takes an integer from 0 to 2147483647."},
			{`{"configs":[{"group":":svc","key":":instance","value":[{"tuple":[":account_activation_required",true]}]}]}`, "/configs/0/value", "value - :instance :account_activation_required takes true only where mail is sent."},
		} {
			code, body := refused(t, root, http.MethodPost, configPath, c.body)
			var got struct {
				Error  string
				Errors []struct {
					Title   string
					Source  struct{ Pointer string }
					Message string
				}
			}
			if err := json.Unmarshal([]byte(body), &got); err != nil || code != 400 || len(got.Errors) != 1 {
				t.Errorf("%s: %d %s", c.body, code, body)
				continue
			}
			e := got.Errors[0]
			if e.Title != "Invalid value" || e.Source.Pointer != c.pointer || e.Message != strings.TrimSuffix(got.Error, ".") || c.message != "" && got.Error != c.message {
				t.Errorf("%s: %s", c.body, body)
			}
		}
		if code, body := refused(t, root, http.MethodGet, configPath+"?only_db=maybe", ""); code != 400 || !strings.Contains(body, `"pointer":"/only_db"`) {
			t.Errorf("only_db: %d %s", code, body)
		}
		if saved, err := root.Admin.Config.List(t.Context(), api.ConfigQuery{OnlyDB: true}); err != nil || len(saved.Configs) != 0 {
			t.Errorf("saved %+v %v", saved, err)
		}
	})
}

func TestSecretsAreMaskedUnlessAskedFor(t *testing.T) {
	dbtest.EachReady(t, func(t *testing.T, dsn string) {
		s := servertest.Booted(t, dsn, func(c *config.Config) {
			c.Settings.Auth.AdminToken = "of the file"
			c.Settings.Upload.Bucket.Secret = "of the file"
		})
		root, ctx := s.Admin("root"), t.Context()
		reader := s.With(s.Token("root", "admin:read"))
		answer, err := root.Admin.Config.Change(ctx,
			api.ConfigChange{Group: ":svc", Key: "Svc.Emails.Mailer", Value: client.Keyword(":relay", "smtp.my.example", ":password", "s3cret")},
			api.ConfigChange{Group: ":quack", Key: ":webhook_url", Value: json.RawMessage(`"s3cret"`)},
		)
		if err != nil {
			t.Fatal(err)
		}
		shows := func(what string, list []api.ConfigSetting, masks int) {
			t.Helper()
			raw, err := json.Marshal(list)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Count(string(raw), config.Mask); got != masks || strings.Contains(string(raw), "s3cret") || strings.Contains(string(raw), "of the file") {
				t.Errorf("%s has %d masks: %s", what, got, raw)
			}
		}
		if raw := string(answer.Configs[0].Value) + string(answer.Configs[1].Value); strings.Count(raw, "s3cret") != 2 {
			t.Errorf("the answer of POST is not as sent: %s", raw)
		}
		answer, err = root.Admin.Config.Change(ctx,
			api.ConfigChange{Group: ":svc", Key: "Svc.Emails.Mailer", Value: client.Keyword(":port", 25)},
			api.ConfigChange{Group: ":quack", Key: ":webhook_url", Value: json.RawMessage(`"********"`)},
		)
		if err != nil {
			t.Fatal(err)
		}
		shows("the answer of a POST without the secrets", answer.Configs, 2)
		saved, err := reader.Admin.Config.List(ctx, api.ConfigQuery{OnlyDB: true})
		if err != nil {
			t.Fatal(err)
		}
		shows("what is saved", saved.Configs, 2)
		all, err := reader.Admin.Config.List(ctx, api.ConfigQuery{})
		if err != nil {
			t.Fatal(err)
		}
		shows("what is in force", all.Configs, 4)
		if code, body := refused(t, reader, "GET", configPath+"?with_secrets=true", ""); code != 403 || body != `{"error":"Insufficient permissions: admin:write."}` {
			t.Errorf("secrets for a token that may read: %d %s", code, body)
		}
		clear, err := s.With(s.Token("root", "admin:read admin:write")).Admin.Config.List(ctx, api.ConfigQuery{WithSecrets: true})
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(clear.Configs)
		if err != nil || strings.Contains(string(raw), config.Mask) || strings.Count(string(raw), "s3cret") != 2 || strings.Count(string(raw), "of the file") != 2 {
			t.Errorf("with secrets: %s %v", raw, err)
		}
		// Masked values may be sent back as they are.
		for _, list := range [][]api.ConfigSetting{answer.Configs, all.Configs} {
			var back []api.ConfigChange
			for _, c := range list {
				back = append(back, api.ConfigChange{Group: c.Group, Key: c.Key, Value: c.Value})
			}
			if _, err := root.Admin.Config.Change(ctx, back...); err != nil {
				t.Fatal(err)
			}
			now := s.Settings.Load()
			if got := [3]string{now.Mailer.Password, now.Auth.AdminToken, now.Upload.Bucket.Secret}; got != [3]string{"s3cret", "of the file", "of the file"} {
				t.Errorf("after the masks were sent back: %q", got)
			}
		}
		if kept, err := root.Admin.Config.List(ctx, api.ConfigQuery{OnlyDB: true, WithSecrets: true}); err != nil || !slices.ContainsFunc(kept.Configs, func(c api.ConfigSetting) bool {
			return c.Key == ":webhook_url" && string(c.Value) == `"s3cret"`
		}) {
			t.Errorf("a whole value: %+v %v", kept, err)
		}
	})
}

func TestWithoutTheDatabaseThreeEndpointsRefuse(t *testing.T) {
	dbtest.EachReady(t, func(t *testing.T, dsn string) {
		s := servertest.Booted(t, dsn, func(c *config.Config) { c.FromDatabase = false })
		root := s.Admin("root")
		const want = `{"error":"To use this endpoint you need to enable configuration from database."}`
		for _, call := range [][3]string{{"GET", configPath, ""}, {"POST", configPath, `{"configs":[]}`}, {"GET", "/api/svc/admin/restart", ""}} {
			if code, body := refused(t, root, call[0], call[1], call[2]); code != 400 || body != want {
				t.Errorf("%v: %d %s", call, code, body)
			}
		}
		// Shape and scope are checked before the setting.
		if code, body := refused(t, root, "POST", configPath, `{"configs":5}`); code != 400 || body == want {
			t.Errorf("a wrong shape: %d %s", code, body)
		}
		if code, _ := refused(t, s.With(s.Token("root", "admin:read")), "POST", configPath, `{"configs":[]}`); code != 403 {
			t.Errorf("without the scope: %d", code)
		}
		if needed, err := root.Admin.Config.NeedReboot(t.Context()); err != nil || needed {
			t.Errorf("need_reboot %v %v", needed, err)
		}
		if code, _ := refused(t, root, "GET", configPath+"/descriptions", ""); code != 200 {
			t.Errorf("descriptions: %d", code)
		}
	})
}

func TestAnAdminAloneMovesNoFolderAndRunsNoProgram(t *testing.T) {
	dbtest.EachReady(t, func(t *testing.T, dsn string) {
		s := servertest.Booted(t, dsn, func(c *config.Config) { c.Unlocked = nil })
		code, body := refused(t, s.Admin("root"), "POST", configPath, `{"configs":[{"group":":svc","key":":instance","value":[{"tuple":[":static_dir","/etc"]},{"tuple":[":limit",1]}]}]}`)
		if code != 400 || !strings.Contains(body, `"pointer":"/configs/0/value"`) || !strings.Contains(body, "SVC_CONFIG_UNLOCK=:svc/:instance/:static_dir") {
			t.Errorf("%d %s", code, body)
		}
		if got := s.Settings.Load().Instance; got.StaticDir == "/etc" || got.Limit == 1 {
			t.Errorf("folder %s, limit %d", got.StaticDir, got.Limit)
		}
	})
}

func TestTheWhitelistBoundsWhatIsSavedThroughTheAPI(t *testing.T) {
	dbtest.EachReady(t, func(t *testing.T, dsn string) {
		s := servertest.Booted(t, dsn, func(c *config.Config) { c.Whitelist = config.Whitelist{{Group: ":svc", Key: ":instance"}} })
		answer, err := s.Admin("root").Admin.Config.Change(t.Context(),
			api.ConfigChange{Group: ":svc", Key: ":oauth2", Value: client.Keyword(":clean_expired_tokens", true)},
			api.ConfigChange{Group: ":svc", Key: ":instance", Value: client.Keyword(":limit", 12)})
		if err != nil || len(answer.Configs) != 1 || answer.Configs[0].Key != ":instance" {
			t.Errorf("%+v %v", answer, err)
		}
		if l := s.Settings.Load(); l.Instance.Limit != 12 || l.OAuth.CleanExpiredTokens {
			t.Errorf("limit %d, clean %v", l.Instance.Limit, l.OAuth.CleanExpiredTokens)
		}
	})
}

func TestConfigurationIsNotLogged(t *testing.T) {
	s := servertest.Start(t)
	root, ctx := s.Admin("root"), t.Context()
	if _, err := root.Admin.Config.Set(ctx, ":svc", ":instance", client.Keyword(":limit", 12)); err != nil {
		t.Fatal(err)
	}
	if err := root.Admin.Config.Restart(ctx); err != nil {
		t.Fatal(err)
	}
	if entries, err := root.Admin.Log.List(api.LogQuery{}).Page(ctx); err != nil || len(entries.Items) != 0 {
		t.Errorf("%+v %v", entries.Items, err)
	}
}

func TestAProcessFollowsWhatAnotherSaved(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		other := s
		if s.DB.Dialect() == db.Postgres {
			other = s.Second(t)
		}
		begun := time.Now()
		if _, err := s.Admin("root").Admin.Config.Set(t.Context(), ":svc", ":instance", client.Keyword(":limit", 77)); err != nil {
			t.Fatal(err)
		}
		wait(t, "the other process did not follow", func() bool { return other.Settings.Load().Instance.Limit == 77 })
		t.Logf("followed after %s", time.Since(begun))
		instance, err := other.Anonymous().Instance.Get(t.Context())
		if err != nil || instance.MaxTootChars != 77 {
			t.Errorf("%+v %v", instance, err)
		}
	})
}

func TestARestartUnderLoadFailsNoRequestAndNoJob(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		root, ann, bob := s.Admin("root"), s.Client("ann"), s.Client("bob")
		if _, err := bob.Accounts.Follow(t.Context(), s.User("ann").ID, api.Follow{}); err != nil {
			t.Fatal(err)
		}
		var (
			load    sync.WaitGroup
			done    = make(chan struct{})
			served  atomic.Int64
			posted  atomic.Int64
			restart = func() {
				if err := root.Admin.Config.Restart(t.Context()); err != nil {
					t.Error(err)
				}
			}
		)
		more := func() bool {
			select {
			case <-done:
				return false
			default:
				return true
			}
		}
		for range 3 {
			load.Go(func() {
				for more() {
					if _, err := ann.Instance.Get(t.Context()); err != nil {
						t.Error(err)
						return
					}
					served.Add(1)
				}
			})
		}
		load.Go(func() {
			for more() && posted.Load() < 100 {
				if _, err := ann.Statuses.Post(t.Context(), api.NewStatus{Status: fmt.Sprintf("post %d", posted.Load())}); err != nil {
					t.Error(err)
					return
				}
				posted.Add(1)
			}
		})
		for i := range 3 {
			before := served.Load()
			restart()
			wait(t, "nothing is served after a restart", func() bool { return served.Load() > before+20 && posted.Load() > int64(4*i) })
		}
		close(done)
		load.Wait()
		// A job of the last runner.
		if _, err := ann.Statuses.Post(t.Context(), api.NewStatus{Status: "the last"}); err != nil {
			t.Fatal(err)
		}
		wait(t, "the posts did not reach a follower", func() bool {
			home, err := bob.Timelines.Home(api.TimelineQuery{}).Page(t.Context())
			return err == nil && len(home.Items) > 0 && strings.Contains(home.Items[0].Content, "the last")
		})
		t.Logf("%d requests, %d posts", served.Load(), posted.Load())
	})
}

func TestARestartForgetsWhatWasCounted(t *testing.T) {
	s := servertest.Start(t, func(c *config.Settings) {
		c.RateLimits[config.BucketSearch] = config.Limit{Anonymous: rate(int64(time.Hour), 1)}
	})
	ask := func() int {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/api/v1/accounts/search?q=ann", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Forwarded-For", "203.0.113.7")
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		return resp.StatusCode
	}
	if first, second := ask(), ask(); first != 200 || second != 429 {
		t.Fatalf("%d, then %d", first, second)
	}
	if err := s.Admin("root").Admin.Config.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	wait(t, "still counted", func() bool { return ask() == 200 })
}

// wait polls until ok.
func wait(t *testing.T, otherwise string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(15 * time.Second); !ok(); {
		if time.Now().After(end) {
			t.Fatal(otherwise)
		}
		select {
		case <-t.Context().Done():
			t.Fatal(otherwise)
		case <-time.After(3 * time.Millisecond):
		}
	}
}

func TestConfigIsOrderedAndEverythingIsListed(t *testing.T) {
	s := servertest.Start(t)
	all, err := s.Admin("root").Admin.Config.List(t.Context(), api.ConfigQuery{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i, c := range all.Configs {
		names = append(names, c.Group+" "+c.Key)
		if i > 0 && cmp.Diff(names[i-1], names[i]) != "" && all.Configs[i-1].Group == c.Group && all.Configs[i-1].Key >= c.Key {
			t.Errorf("%s after %s", names[i], names[i-1])
		}
	}
	for _, want := range strings.Fields(":activitypub :assets :auth Oban :mrf :mrf_simple :rate_limit Svc.Upload Svc.Emails.Mailer :welcome :chat :pools :frontends") {
		if !strings.Contains(strings.Join(names, "\n")+"\n", ":svc "+want+"\n") {
			t.Errorf("no %s", want)
		}
	}
	if len(names) < 80 {
		t.Errorf("%d settings", len(names))
	}
}

func TestTheSettingsPageOfAdminsCanShowEveryValue(t *testing.T) {
	s := servertest.Start(t)
	root := s.Admin("root")
	allow := json.RawMessage(`{"b.example":["https://b.example/users/a"],"a.example":[]}`)
	saved, err := root.Admin.Config.Change(t.Context(), api.ConfigChange{Group: ":svc", Key: ":mrf_user_allowlist", Value: allow})
	if err != nil || cmp.Diff(tree(t, allow), tree(t, saved.Configs[0].Value)) != "" {
		t.Fatalf("%+v %v", saved, err)
	}
	all, err := root.Admin.Config.List(t.Context(), api.ConfigQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all.Configs {
		value := tree(t, c.Value)
		if c.Key == ":mrf_user_allowlist" {
			const want = `[{"tuple":["a.example",[]]},{"tuple":["b.example",["https://b.example/users/a"]]}]`
			if string(c.Value) != want || !slices.Equal(c.DB, []string{c.Key}) {
				t.Errorf("%s %s of %s", c.Key, c.Value, c.DB)
			}
			// Which may be sent back.
			if _, err := root.Admin.Config.Change(t.Context(), api.ConfigChange{Group: c.Group, Key: c.Key, Value: c.Value}); err != nil {
				t.Error(err)
			}
			if got := s.Settings.Load().Policies.UserAllowlist; len(got) != 2 || got[1].Host != "b.example" || len(got[1].Actors) != 1 {
				t.Errorf("acts as %+v", got)
			}
		}
		name := c.Group + " " + c.Key
		if _, isMap := value.(map[string]any); isMap && c.Key != ":types" {
			t.Errorf("%s is %s", name, c.Value)
		}
		list, _ := value.([]any)
		for _, item := range list {
			if object, ok := item.(map[string]any); ok && (len(object) != 1 || object["tuple"] == nil) {
				t.Errorf("%s holds an object: %s", name, c.Value)
			}
		}
		if c.Key == ":rate_limit" && strings.Contains(string(c.Value), "null") {
			t.Errorf("%s has a null: %s", name, c.Value)
		}
		if want := map[string]string{"Svc.Emails.Mailer": `":adapter"`, "Svc.Upload": `":uploader"`}[c.Key]; !strings.Contains(string(c.Value), want) {
			t.Errorf("%s has no %s: %s", name, want, c.Value)
		}
	}
}

// TestSavingHostsChecksThemAndSaysWhatDoesNothing: a host that is none changes
// nothing, and a list that no policy reads is saved with a warning.
func TestSavingHostsChecksThemAndSaysWhatDoesNothing(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, root := t.Context(), s.Admin("root")
		save := func(key string, value any) ([]string, error) {
			saved, err := root.Admin.Config.Set(ctx, ":svc", key, value)
			if err != nil {
				return nil, err
			}
			return saved.Warnings, nil
		}
		reject := func(list ...string) json.RawMessage { return client.Keyword(":reject", list) }
		_, err := save(":mrf_simple", reject("bad.example", "https://worse.example/"))
		if err == nil || !strings.Contains(err.Error(), `"https://worse.example/" is none`) || len(s.Settings.Load().Policies.Simple.Reject) > 0 {
			t.Errorf("an address: %v, %v", err, s.Settings.Load().Policies.Simple.Reject)
		}
		const want = ":mrf_simple has no effect while Svc.Web.ActivityPub.MRF.SimplePolicy is not in :mrf :policies"
		if got, err := save(":mrf_simple", reject("bad.example")); err != nil || !slices.Equal(got, []string{want}) {
			t.Errorf("%v, %v", got, err)
		}
		if got, err := save(":mrf_simple", reject()); err != nil || len(got) > 0 {
			t.Errorf("an empty list: %v, %v", got, err)
		}
		both := []api.ConfigChange{
			{Group: ":svc", Key: ":mrf_simple", Value: reject("bad.example")},
			{Group: ":svc", Key: ":mrf", Value: client.Keyword(":policies", []string{"Svc.Web.ActivityPub.MRF.SimplePolicy"})},
		}
		if saved, err := root.Admin.Config.Change(ctx, both...); err != nil || len(saved.Warnings) > 0 {
			t.Errorf("with its policy: %+v, %v", saved, err)
		}
		// One from before the check does not keep others from being saved.
		if _, err := s.DB.Writer().ExecContext(ctx, `UPDATE settings SET value = REPLACE(value, 'bad.example', '@a@bad.example')`); err != nil {
			t.Fatal(err)
		}
		if _, err := save(":mrf_simple", reject("@a@bad.example", "worse.example")); err != nil {
			t.Error(err)
		}
	})
}
