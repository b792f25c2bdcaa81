package adminapi_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/server/platform/config"
	"svc/server/servertest"
)

// example is a typical change. After is the number of the example that it
// builds on, 0 for nothing saved.
type example struct {
	N     int             `json:"n"`
	Note  string          `json:"note"`
	After int             `json:"after"`
	Send  json.RawMessage `json:"send"`
	Want  json.RawMessage `json:"want"`
}

func examples(t *testing.T) map[int]example {
	t.Helper()
	raw, err := os.ReadFile("testdata/config_examples.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []example
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	out := map[int]example{}
	for _, e := range list {
		out[e.N] = e
	}
	return out
}

// effects are the visible effects of the examples.
func effects(t *testing.T, s *servertest.Server) map[int]func() (got, want any) {
	instance := func() *api.Instance {
		i, err := s.Anonymous().Instance.Get(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	live := s.Settings.Load
	return map[int]func() (any, any){
		1: func() (any, any) {
			i := instance()
			return []bool{i.Registrations, i.InvitesEnabled}, []bool{false, true}
		},
		2: func() (any, any) { return instance().ApprovalRequired, true },
		3: func() (any, any) {
			i := instance()
			return []string{i.Title, i.Description, i.Email}, []string{"My node", "A quiet place", "admin@my.example"}
		},
		4: func() (any, any) {
			i := instance()
			return []int{i.MaxTootChars, i.ChatLimit}, []int{3000, 1000}
		},
		5: func() (any, any) { return instance().UploadLimit, int64(50000000) },
		6: func() (any, any) {
			return instance().PollLimits, api.PollLimits{MaxOptions: 10, MaxOptionChars: 100, MinExpiration: 300, MaxExpiration: 2629746}
		},
		11: func() (any, any) {
			return live().Welcome.DirectMessage, config.Message{Enabled: true, SenderNickname: "admin", Message: "Hello!"}
		},
		12: func() (any, any) {
			return live().Welcome.DirectMessage, config.Message{Enabled: true, SenderNickname: "admin", Message: "Hi!"}
		},
		13: func() (any, any) {
			m := live().Mailer
			return []any{m.On(), m.Relay, m.Port, m.Password, m.SSL, m.Auth, live().Instance.AccountActivationRequired},
				[]any{true, "smtp.my.example", 465, "s3cret", true, ":always", true}
		},
		14: func() (any, any) {
			m := live().Mailer
			return []any{m.Enabled, m.Relay, m.Port, m.Password, m.Auth}, []any{true, "", 0, "", ":if_available"}
		},
		15: func() (any, any) {
			p := live().MediaProxy
			return []any{p.Enabled, p.Whitelist}, []any{true, []string{"https://cdn.example"}}
		},
		16: func() (any, any) {
			l := live().RateLimits
			return []config.Limit{l[config.BucketAuthentication], l[config.BucketSearch]},
				[]config.Limit{{Anonymous: rate(60e9, 5), User: rate(60e9, 5)}, {Anonymous: rate(1e9, 5), User: rate(1e9, 60)}}
		},
		17: func() (any, any) {
			code, body := plainGet(t, s, "/api/v1/timelines/public")
			return []any{code, body}, []any{401, `{"error":"authorization required for timeline view"}`}
		},
		18: func() (any, any) { _, body := plainGet(t, s, "/api/svc/captcha"); return body, `{"type":"none"}` },
		19: func() (any, any) {
			_, body := plainGet(t, s, "/api/svc/frontend_configurations")
			var got struct {
				FE any `json:"svc_fe"`
			}
			if err := json.Unmarshal([]byte(body), &got); err != nil {
				t.Fatal(err)
			}
			return got.FE, map[string]any{"theme": "light", "logo": "/l.png"}
		},
		20: func() (any, any) { return live().HTTP.Proxy.URL().String(), "socks5://127.0.0.1:9050" },
		24: func() (any, any) { return instance().MaxTootChars, 5000 },
		25: func() (any, any) { return instance().ChatLimit, 5000 },
	}
}

func TestDayToDayChangesAnswerAndActAsDocumented(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		all, noticed := examples(t), effects(t, s)
		root := s.Admin("root")
		for n := 1; n <= len(all); n++ {
			e := all[n]
			forget(t, root)
			if e.After > 0 {
				post(t, root, all[e.After].Send)
			}
			if diff := cmp.Diff(tree(t, e.Want), tree(t, post(t, root, e.Send))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", e.Note, diff)
			}
			if look, ok := noticed[n]; ok {
				got, want := look()
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s, for people (-want +got):\n%s", e.Note, diff)
				}
			}
			switch n {
			case 5:
				if needed, err := root.Admin.Config.NeedReboot(t.Context()); err != nil || !needed {
					t.Errorf("after 5: need_reboot %v %v", needed, err)
				}
			case 23:
				var answer api.ConfigSettings
				if err := json.Unmarshal(post(t, root, all[2].Send), &answer); err != nil || !answer.NeedReboot {
					t.Errorf("2 after 23: %+v %v", answer, err)
				}
			}
		}
	}, func(c *config.Settings) { c.Captcha.Enabled = true })
}

func TestListShowsChangedSubkeysLast(t *testing.T) {
	s := servertest.Start(t)
	root := s.Admin("root")
	post(t, root, examples(t)[4].Send)
	all, err := root.Admin.Config.List(t.Context(), api.ConfigQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all.Configs {
		if c.Group != ":svc" || c.Key != ":instance" {
			if c.DB != nil {
				t.Errorf("%s %s: db %q", c.Group, c.Key, c.DB)
			}
			continue
		}
		var pairs []struct {
			Pair []any `json:"tuple"`
		}
		if err := json.Unmarshal(c.Value, &pairs); err != nil || len(pairs) != 51 {
			t.Fatalf("%d subkeys: %v", len(pairs), err)
		}
		last := []any{pairs[49].Pair, pairs[50].Pair}
		if diff := cmp.Diff([]any{[]any{":limit", 3000.0}, []any{":chat_limit", 1000.0}}, last); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(api.List[string]{":limit", ":chat_limit"}, c.DB); diff != "" {
			t.Error(diff)
		}
	}
	saved, err := root.Admin.Config.List(t.Context(), api.ConfigQuery{OnlyDB: true})
	if err != nil {
		t.Fatal(err)
	}
	want := api.List[api.ConfigSetting]{{Group: ":svc", Key: ":instance", Value: client.Keyword(":limit", 3000, ":chat_limit", 1000)}}
	if diff := cmp.Diff(want, saved.Configs, decoded); diff != "" {
		t.Errorf("only_db: %s", diff)
	}
}

// forget deletes all saved settings, and restarts if that is due.
func forget(t *testing.T, c *client.Client) {
	t.Helper()
	saved, err := c.Admin.Config.List(t.Context(), api.ConfigQuery{OnlyDB: true})
	if err != nil {
		t.Fatal(err)
	}
	var changes []api.ConfigChange
	for _, one := range saved.Configs {
		changes = append(changes, api.ConfigChange{Group: one.Group, Key: one.Key, Delete: true})
	}
	if _, err := c.Admin.Config.Change(t.Context(), changes...); err != nil {
		t.Fatal(err)
	}
	if err := c.Admin.Config.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if needed, err := c.Admin.Config.NeedReboot(t.Context()); err != nil || needed {
		t.Fatalf("after a restart: need_reboot %v %v", needed, err)
	}
}

func post(t *testing.T, c *client.Client, body json.RawMessage) json.RawMessage {
	t.Helper()
	resp, err := c.Do(t.Context(), client.Request{Method: http.MethodPost, Path: "/api/svc/admin/config", Body: body}, nil)
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return resp.Body
}

func tree(t *testing.T, raw []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return v
}

func rate(window int64, count int) config.Rate {
	return config.Rate{Window: time.Duration(window), Count: count}
}

func plainGet(t *testing.T, s *servertest.Server, path string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(raw)
}
