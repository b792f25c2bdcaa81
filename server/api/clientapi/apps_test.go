package clientapi_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"svc/server/servertest"
)

// TestAppsRegisterWithListsOfRedirects: as masto.js 7 and Ice Cubes do, in JSON and forms,
// with addresses of a private-use scheme. The answer names them as a text and as a list.
func TestAppsRegisterWithListsOfRedirects(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		d := door{t, s}
		form := func(pairs ...string) any {
			v := url.Values{"client_name": {"x"}, "scopes": {"read write"}}
			for i := 0; i < len(pairs); i += 2 {
				v.Add(pairs[i], pairs[i+1])
			}
			return v
		}
		type object = map[string]any
		two := "https://a.example/back\nicecubesapp://"
		for name, c := range map[string]struct {
			body any
			want string // "" is refused
			code int
		}{
			"text":               {object{"client_name": "x", "redirect_uris": two}, two, 200},
			"blanks":             {object{"client_name": "x", "redirect_uris": " https://a.example/back  icecubesapp:// "}, two, 200},
			"list":               {object{"client_name": "x", "redirect_uris": []string{"https://a.example/back", "icecubesapp://"}}, two, 200},
			"form":               {form("redirect_uris", two), two, 200},
			"list in a form":     {form("redirect_uris[]", "https://a.example/back", "redirect_uris[]", "icecubesapp://"), two, 200},
			"one":                {object{"client_name": "x", "redirect_uris": []string{"tusky://"}}, "tusky://", 200},
			"out of band":        {object{"client_name": "x", "redirect_uris": "urn:ietf:wg:oauth:2.0:oob"}, "urn:ietf:wg:oauth:2.0:oob", 200},
			"none":               {object{"client_name": "x", "redirect_uris": []string{}}, "", 422},
			"script":             {object{"client_name": "x", "redirect_uris": []string{"https://a.example/", "javascript:alert(1)"}}, "", 422},
			"no scheme":          {object{"client_name": "x", "redirect_uris": []string{"a.example"}}, "", 422},
			"a blank within":     {object{"client_name": "x", "redirect_uris": []string{"https://a.example/ https://b.example/"}}, "", 400},
			"numbers":            {object{"client_name": "x", "redirect_uris": []any{1}}, "", 400},
			"an object":          {object{"client_name": "x", "redirect_uris": object{"a": "b"}}, "", 400},
			"twenty-one":         {object{"client_name": "x", "redirect_uris": strings.Fields(strings.Repeat("https://a.example/ ", 21))}, "", 422},
			"too long":           {object{"client_name": "x", "redirect_uris": "https://a.example/" + strings.Repeat("x", 2000)}, "", 422},
			"twenty of the most": {object{"client_name": "x", "redirect_uris": strings.Repeat("https://a.example/"+strings.Repeat("x", 1900)+" ", 20)}, strings.TrimSpace(strings.Repeat("https://a.example/"+strings.Repeat("x", 1900)+"\n", 20)), 200},
		} {
			code, _, body := d.send(sent{"POST", "/api/v1/apps", c.body, nil})
			if code != c.code {
				t.Errorf("%s: %d %.300s", name, code, body)
			}
			if code != http.StatusOK {
				continue
			}
			var got struct {
				RedirectURI  string   `json:"redirect_uri"`
				RedirectURIs []string `json:"redirect_uris"`
				Scopes       []string `json:"scopes"`
				Expires      *int     `json:"client_secret_expires_at"`
			}
			if err := json.Unmarshal([]byte(body), &got); err != nil || got.RedirectURI != c.want || strings.Join(got.RedirectURIs, "\n") != c.want || len(got.Scopes) == 0 || got.Expires == nil || *got.Expires != 0 {
				t.Errorf("%s: %v %s", name, err, body)
			}
		}
	})
}
