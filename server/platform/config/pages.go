package config

import "slices"

// Look is the group of settings for browsers, feed readers and previews:
// :http_security, :feed, :manifest and Svc.Web.Metadata.
type Look struct {
	Security Security
	Feed     Feed
	Manifest Manifest
	Metadata Metadata
}

// Security is the group :http_security: security headers.
type Security struct {
	Enabled        bool // otherwise a proxy in front sends them
	STS            bool
	STSMaxAge      int // in seconds
	CTMaxAge       int // in seconds
	ReferrerPolicy string
	ReportURI      string // where browsers report violations of a policy; "" is nowhere
}

// Feed is the group :feed. TitleLength is in characters.
type Feed struct {
	TitleLength int
	Omission    string // the end of a cut title
	Logo        string // path or URL; "" is the picture of whose feed it is
}

// Manifest is the group :manifest: the web app manifest.
type Manifest struct {
	Icons           []map[string]any
	ThemeColor      string
	BackgroundColor string
}

// Metadata is Svc.Web.Metadata: metadata of pages for previews.
type Metadata struct {
	Providers  []string
	UnfurlNSFW bool // previews show sensitive files
}

// The kinds of metadata, as Metadata.Providers names them.
const (
	OpenGraph   = "Svc.Web.Metadata.Providers.OpenGraph"
	TwitterCard = "Svc.Web.Metadata.Providers.TwitterCard"
	RelMe       = "Svc.Web.Metadata.Providers.RelMe"
	FeedLink    = "Svc.Web.Metadata.Providers.Feed"
)

// Provides reports whether pages have the metadata of provider.
func (m *Metadata) Provides(provider string) bool { return slices.Contains(m.Providers, provider) }

// referrerPolicies are those of the W3C recommendation.
var referrerPolicies = []string{
	"no-referrer", "no-referrer-when-downgrade", "origin", "origin-when-cross-origin",
	"same-origin", "strict-origin", "strict-origin-when-cross-origin", "unsafe-url",
}

func webSettings() []Setting {
	security := func(path string, kind Kind, value any, field func(*Security) any, description string) Setting {
		return row(":http_security", path, kind, value, func(s *Settings) any { return field(&s.Look.Security) }, description)
	}
	return []Setting{
		security(":enabled", Boolean, true, func(s *Security) any { return &s.Enabled }, "Whether answers carry security headers"),
		security(":sts", Boolean, false, func(s *Security) any { return &s.STS }, "Whether browsers are told to come back by HTTPS only"),
		security(":sts_max_age", Integer, 31536000, func(s *Security) any { return &s.STSMaxAge }, "How long browsers remember to use HTTPS only, in seconds"),
		security(":ct_max_age", Integer, 2592000, func(s *Security) any { return &s.CTMaxAge }, "How long browsers insist on publicly logged certificates (Expect-CT), in seconds"),
		security(":referrer_policy", String, "same-origin", func(s *Security) any { return &s.ReferrerPolicy },
			"Referrer policy: the part of an address that browsers tell other sites").oneOf(referrerPolicies...),
		security(":report_uri", String, "", func(s *Security) any { return &s.ReportURI }, "URL that browsers report violations of the content security policy to").unset(),
		row(":feed", ":post_title :max_length", Integer, 100, func(s *Settings) any { return &s.Look.Feed.TitleLength },
			"Longest title of a post in a feed, in characters").between(1, maxInt).inMap(),
		row(":feed", ":post_title :omission", String, "...", func(s *Settings) any { return &s.Look.Feed.Omission }, "Text at the end of a title that was cut").inMap(),
		row(":feed", ":logo", String, "", func(s *Settings) any { return &s.Look.Feed.Logo }, "Picture of every feed, in place of the author's").unset(),
		row(":manifest", ":icons", MapList, []map[string]any{{"src": "/favicon.png", "type": "image/png", "sizes": "192x192"}},
			func(s *Settings) any { return &s.Look.Manifest.Icons }, "Icons of the instance, for phones"),
		row(":manifest", ":theme_color", String, "#282c37", func(s *Settings) any { return &s.Look.Manifest.ThemeColor }, "Colour of the window's frame around the installed web client"),
		row(":manifest", ":background_color", String, "#191b22", func(s *Settings) any { return &s.Look.Manifest.BackgroundColor }, "Colour of the installed web client while it loads"),
		row("Svc.Web.Metadata", ":providers", Words, []string{OpenGraph, TwitterCard, RelMe, FeedLink},
			func(s *Settings) any { return &s.Look.Metadata.Providers }, "Modules of the tags by which other programs preview pages"),
		row("Svc.Web.Metadata", ":unfurl_nsfw", Boolean, false, func(s *Settings) any { return &s.Look.Metadata.UnfurlNSFW }, "Whether previews show sensitive files"),
	}
}
