package clientapi_test

import (
	"regexp"
	"strings"
	"testing"

	"svc/client/api"
	"svc/server/config"
	"svc/server/servertest"
)

func TestTheInstanceDescribesItself(t *testing.T) {
	s := servertest.Start(t, func(c *config.Settings) {
		c.Instance.Name, c.Instance.Email = "A Place", "post@svc.example"
		c.Instance.Limit = 123
	})
	s.AdminUser("root")
	if _, err := s.Client("ann").Statuses.Post(t.Context(), api.NewStatus{Status: "x"}); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{
		"instance": "/api/v1/instance", "nodeinfo_links": "/.well-known/nodeinfo", "nodeinfo_20": "/nodeinfo/2.0", "nodeinfo_21": "/nodeinfo/2.1.json",
	} {
		a := call(t, s, "", "GET", path, "", "")
		if a.status != 200 {
			t.Errorf("%s: %d %s", path, a.status, a.body)
			continue
		}
		body := varying.ReplaceAllString(a.body, `"$1":"X"`)
		golden(t, name, strings.ReplaceAll(body, "ws://"+strings.TrimPrefix(s.Base(), "http://"), "wss://svc.example"))
		if again := call(t, s, "", "GET", path+"/", "", ""); again.body != a.body {
			t.Errorf("%s: the kept answer differs", path)
		}
	}
	if got := call(t, s, "", "GET", "/nodeinfo/2.1", "", "").header.Get("Content-Type"); got != `application/json; profile="http://nodeinfo.diaspora.software/ns/schema/2.1#"; charset=utf-8` {
		t.Errorf("content type %s", got)
	}
	if a := call(t, s, "", "GET", "/nodeinfo/1.0", "", ""); a.status != 404 || a.body != `{"error":"Nodeinfo schema version not handled"}` {
		t.Errorf("%d %s", a.status, a.body)
	}
	info, err := s.Anonymous().Instance.NodeInfo(t.Context())
	if err != nil || info.Version != "2.1" || info.Usage.Users.Total != 2 || info.Usage.LocalPosts != 1 {
		t.Errorf("%+v %v", info, err)
	}
}

// varying is what differs between two instances that are alike: ids and times.
var varying = regexp.MustCompile(`"(id|created_at)":"[^"]*"`)

func TestWhatThereIsNoneOf(t *testing.T) {
	s := servertest.Start(t)
	token := s.Token("ann", servertest.AllScopes)
	for path, want := range map[string]string{
		"/api/v1/suggestions": "[]", "/api/v1/trends": "[]", "/api/v1/identity_proofs": "[]", "/api/v1/endorsements": "[]",
		"/api/v1/custom_emojis": "[]", "/api/v1/instance/peers": "[]", "/api/v1/accounts/" + s.User("ann").ID + "/identity_proofs": "[]",
		"/api/v1/preferences": `{"posting:default:visibility":"public","posting:default:sensitive":false,"posting:default:language":null,"reading:expand:media":"default","reading:expand:spoilers":false}`,
	} {
		if a := call(t, s, token, "GET", path, "", ""); a.status != 200 || a.body != want || !strings.HasPrefix(a.header.Get("Content-Type"), asJSON) {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	for _, path := range []string{"/api/v1/directory", "/api/v1/featured_tags"} {
		if a := call(t, s, token, "GET", path, "", ""); a.status != 404 || a.body != `{"error":"Not implemented"}` {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
}

// TestAnAddressThatIsNoTextNamesNothing asks with a NUL, and with bytes that
// are not UTF-8, where an address is looked up.
func TestAnAddressThatIsNoTextNamesNothing(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		token := s.Token("ann", servertest.AllScopes)
		for _, bad := range []string{"%00", "a%00", "%ff"} {
			for path, want := range map[string]int{
				"/api/v1/accounts/" + bad: 404, "/api/v1/statuses/" + bad: 404, "/api/v1/statuses/" + bad + "/context": 404,
				"/api/v1/accounts/" + bad + "/followers": 404, "/api/v1/notifications/" + bad: 404,
				"/api/v1/timelines/home?max_id=" + bad: 400, "/api/v1/accounts/relationships?id[]=" + bad: 400,
				"/api/v1/accounts/search?q=" + bad: 400, "/api/v1/timelines/public?" + bad + "=1": 400, "/api/v1/instance?access_token=" + bad: 400,
			} {
				if a := call(t, s, token, "GET", path, "", ""); a.status != want {
					t.Errorf("%s: %d %s, want %d", path, a.status, a.body, want)
				}
			}
		}
	})
}
