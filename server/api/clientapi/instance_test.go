package clientapi_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"svc/client"
	"svc/client/api"
	"svc/server/platform/config"
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

// varying matches the differences between two equal instances: ids and times.
var varying = regexp.MustCompile(`"(vapid_public_key|id|created_at)":"[^"]*"`)

func TestWhatThereIsNoneOf(t *testing.T) {
	s := servertest.Start(t)
	token := s.Token("ann", servertest.AllScopes)
	for path, want := range map[string]string{
		"/api/v1/suggestions": "[]", "/api/v2/suggestions": "[]", "/api/v1/trends": "[]", "/api/v1/trends/tags": "[]", "/api/v1/trends/statuses": "[]", "/api/v1/trends/links": "[]",
		"/api/v1/accounts/" + s.User("ann").ID + "/featured_tags": "[]", "/api/v1/accounts/" + s.User("ann").ID + "/endorsements": "[]", "/api/v1/identity_proofs": "[]", "/api/v1/endorsements": "[]",
		"/api/v1/custom_emojis": "[]", "/api/v1/instance/peers": "[]", "/api/v1/accounts/" + s.User("ann").ID + "/identity_proofs": "[]",
		"/api/v1/preferences": `{"posting:default:visibility":"public","posting:default:sensitive":false,"posting:default:language":null,"reading:expand:media":"default","reading:expand:spoilers":false}`,
	} {
		if a := call(t, s, token, "GET", path, "", ""); a.status != 200 || a.body != want || !strings.HasPrefix(a.header.Get("Content-Type"), asJSON) {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	for _, path := range []string{"/api/v1/accounts/AAAAAAAAAAAAAAAAAA/featured_tags", "/api/v1/accounts/nobody/endorsements"} {
		if a := call(t, s, token, "GET", path, "", ""); a.status != 404 {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	if a := call(t, s, "", "GET", "/api/v2/suggestions", "", ""); a.status != 401 {
		t.Errorf("suggestions for a stranger: %d %s", a.status, a.body)
	}
	for path, want := range map[string]string{
		"/health": `{"status":"UP"}`, "/api/v1/trends/tags": "[]",
		"/.well-known/host-meta.json": `{"links":[{"rel":"lrdd","type":"application/jrd+json","template":"` + s.Base() + `/.well-known/webfinger?resource={uri}"}]}`,
	} {
		if a := call(t, s, "", "GET", path, "", ""); a.status != 200 || a.body != want {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	if status, header, _ := (door{t, s}).send(sent{"GET", "/.well-known/change-password", nil, nil}); status != 302 || header.Get("Location") != "/auth/password" {
		t.Errorf("where a password is changed: %d %v", status, header)
	}
	for _, path := range []string{"/api/v1/directory", "/api/v1/featured_tags"} {
		if a := call(t, s, token, "GET", path, "", ""); a.status != 404 || a.body != `{"error":"Not implemented"}` {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
}

// TestAnAddressThatIsNoTextNamesNothing requests addresses with a NUL, and with
// bytes that are not UTF-8.
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

// TestThePoliciesAreTold: the description has all policies in effect, except
// for excluded hosts; or none.
func TestThePoliciesAreTold(t *testing.T) {
	eachVillage(t, func(t *testing.T, v *village) {
		told := func() string {
			t.Helper()
			i, err := v.Anonymous().Instance.Get(t.Context())
			v.must(err)
			raw, err := json.Marshal(i.Svc.Metadata.Federation)
			v.must(err)
			_, body := fetch(t, "GET", v.URL+"/nodeinfo/2.1.json")
			if !strings.Contains(body, `"federation":`+string(raw)) {
				t.Errorf("nodeinfo says something else than %s: %s", raw, body)
			}
			return string(raw)
		}
		v.want("by default", told(), `{"enabled":true,"exclusions":false,"mrf_policies":["ObjectAgePolicy","TagPolicy"],"mrf_simple":{},"quarantined_instances":[],`+
			`"mrf_object_age":{"threshold":604800,"actions":["delist","strip_followers"]}}`)
		v.chain("SimplePolicy", "KeywordPolicy", "HellthreadPolicy", "RejectNonPublic", "VocabularyPolicy", "UserAllowListPolicy", "NoOpPolicy")
		v.set(":mrf", client.Keyword(":transparency_exclusions", []string{"Hidden.example"}))
		v.set(":mrf_simple", client.Keyword(":reject", []string{"bad.example", "hidden.example", "*.worse.example"}, ":media_nsfw", []string{"lewd.example"}))
		v.set(":mrf_keyword", client.Keyword(":reject", []any{"~r/cheap watches/i", "spamword"}, ":replace", []any{client.Tuple("foo", "bar")}))
		v.set(":mrf_vocabulary", client.Keyword(":reject", []string{"Move"}))
		v.set(":mrf_user_allowlist", map[string]any{"small.example": []string{"a", "b"}, "hidden.example": []string{"c"}})
		v.set(":instance", client.Keyword(":quarantined_instances", []string{"sick.example", "HIDDEN.example"}))
		v.want("everything", told(), `{"enabled":true,"exclusions":true,"mrf_policies":["SimplePolicy","KeywordPolicy","HellthreadPolicy","RejectNonPublic","VocabularyPolicy","UserAllowListPolicy","NoOpPolicy"],`+
			`"mrf_simple":{"accept":[],"avatar_removal":[],"banner_removal":[],"federated_timeline_removal":[],"followers_only":[],"media_nsfw":["lewd.example"],"media_removal":[],"reject":["bad.example","*.worse.example"],"reject_deletes":[],"report_removal":[]},`+
			`"quarantined_instances":["sick.example"],"mrf_hellthread":{"delist_threshold":10,"reject_threshold":20},`+
			`"mrf_keyword":{"reject":["~r/cheap watches/i","spamword"],"federated_timeline_removal":[],"replace":[{"pattern":"foo","replacement":"bar"}]},`+
			`"mrf_rejectnonpublic":{"allow_followersonly":false,"allow_direct":false},"mrf_vocabulary":{"accept":[],"reject":["Move"]},"mrf_user_allowlist":{"small.example":2}}`)
		v.set(":mrf", client.Keyword(":transparency", false))
		v.want("nothing", told(), `{"enabled":true}`)
	})
}
