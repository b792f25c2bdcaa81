package config

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// publishedLook is the part of the defaults that browsers see.
func publishedLook() Look {
	return Look{
		Security: Security{Enabled: true, STSMaxAge: 31536000, CTMaxAge: 2592000, ReferrerPolicy: "same-origin"},
		Feed:     Feed{TitleLength: 100, Omission: "..."},
		Manifest: Manifest{
			Icons:      []map[string]any{{"src": "/favicon.png", "type": "image/png", "sizes": "192x192"}},
			ThemeColor: "#282c37", BackgroundColor: "#191b22",
		},
		Metadata: Metadata{Providers: []string{
			"Svc.Web.Metadata.Providers.OpenGraph", "Svc.Web.Metadata.Providers.TwitterCard",
			"Svc.Web.Metadata.Providers.RelMe", "Svc.Web.Metadata.Providers.Feed",
		}},
	}
}

func TestFileOverlaysTheLook(t *testing.T) {
	file := write(t, "svc.yaml", `
settings:
  http_security: {sts: true, sts_max_age: 60, referrer_policy: no-referrer, report_uri: "https://reports.example/"}
  feed: {post_title: {max_length: 10, omission: "…"}, logo: /logo.png}
  manifest: {theme_color: "#fff", icons: [{src: /a.png, sizes: 96x96}]}
  Svc.Web.Metadata: {unfurl_nsfw: true, providers: [Svc.Web.Metadata.Providers.OpenGraph]}
`)
	got, err := load(t, []string{"--config", file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := publishedLook()
	want.Security = Security{Enabled: true, STS: true, STSMaxAge: 60, CTMaxAge: 2592000, ReferrerPolicy: "no-referrer", ReportURI: "https://reports.example/"}
	want.Feed = Feed{TitleLength: 10, Omission: "…", Logo: "/logo.png"}
	want.Manifest.ThemeColor = "#fff"
	want.Manifest.Icons = []map[string]any{{"src": "/a.png", "sizes": "96x96"}}
	want.Metadata = Metadata{UnfurlNSFW: true, Providers: []string{OpenGraph}}
	if diff := cmp.Diff(want, got.Settings.Look); diff != "" {
		t.Error(diff)
	}
	var problems Problems
	_, err = load(t, []string{"--config", write(t, "bad.yaml", "settings: {http_security: {referrer_policy: none}, manifest: {icons: [x]}}")}, nil)
	if !errors.As(err, &problems) || len(problems) != 2 {
		t.Errorf("a policy that is none and icons that are none: %v", err)
	}
}
