package pages

import (
	"strings"

	"svc/client/api"
	"svc/server/platform/config"
	"svc/server/platform/text"
)

// about is the metadata of a public page, for programs.
type about struct {
	Index       bool // search engines may keep it
	Description string
	Canonical   string
	Links       []link
	Tags        []metaTag
}

// link is a link element of a page's head.
type link struct{ Rel, Type, Href, Title string }

// metaTag is a meta element: OpenGraph names them by property.
type metaTag struct {
	Name, Content string
	Property      bool
}

// previewLength bounds the text of a preview, in characters.
const previewLength = 300

// preview is a page in a few words.
type preview struct {
	Kind        string // OpenGraph's type
	Title       string
	Description string
	URL         string
	Pictures    []picture
	Large       bool // the pictures are the subject of the page
}

type picture struct{ URL, Alt, Type string }

// describe makes the metadata of a page from its preview, as far as the
// settings allow.
func (p *Pages) describe(v preview) *about {
	m := &p.Settings.Load().Look.Metadata
	v.Description, v.URL = shorten(v.Description, previewLength, "…"), webAddress(v.URL)
	out := &about{Index: true, Description: v.Description, Canonical: v.URL}
	if m.Provides(config.OpenGraph) {
		out.openGraph(v, p.Settings.Load().Instance.Name)
	}
	if m.Provides(config.TwitterCard) {
		out.twitterCard(v)
	}
	return out
}

func (a *about) openGraph(v preview, site string) {
	add := func(name, content string) {
		if content != "" {
			a.Tags = append(a.Tags, metaTag{Name: "og:" + name, Content: content, Property: true})
		}
	}
	add("type", v.Kind)
	add("site_name", site)
	add("title", v.Title)
	add("url", v.URL)
	add("description", v.Description)
	for _, picture := range v.Pictures {
		kind, _, _ := strings.Cut(picture.Type, "/")
		if kind != "video" && kind != "audio" {
			kind = "image"
		}
		add(kind, picture.URL)
		add(kind+":type", picture.Type)
		add(kind+":alt", picture.Alt)
	}
}

func (a *about) twitterCard(v preview) {
	add := func(name, content string) {
		if content != "" {
			a.Tags = append(a.Tags, metaTag{Name: "twitter:" + name, Content: content})
		}
	}
	kind := "summary"
	if v.Large {
		kind = "summary_large_image"
	}
	add("card", kind)
	add("title", v.Title)
	add("description", v.Description)
	for _, picture := range v.Pictures {
		if picture.Type == "" || strings.HasPrefix(picture.Type, "image/") {
			add("image", picture.URL)
			add("image:alt", picture.Alt)
			return
		}
	}
}

// describeAccount is describe for a profile.
func (p *Pages) describeAccount(a *api.Account) *about {
	out := p.describe(preview{
		Kind: "profile", Title: a.DisplayName + " (" + p.handle(a.Acct) + ")", Description: text.Plain(a.Note), URL: a.URL,
		Pictures: []picture{{URL: webAddress(a.Avatar)}},
	})
	out.Index = a.Discoverable
	m := &p.Settings.Load().Look.Metadata
	if m.Provides(config.FeedLink) {
		out.Links = append(out.Links, link{"alternate", atomType, p.Site.Base + feedPath(a.Acct), "Posts of " + a.DisplayName})
	}
	if m.Provides(config.RelMe) {
		for _, f := range a.Fields {
			if address := firstLink(f.Value); address != "" {
				out.Links = append(out.Links, link{Rel: "me", Href: address})
			}
		}
	}
	if id := a.Svc.APID; id != nil && p.Settings.Load().Instance.Federating {
		out.Links = append(out.Links, link{Rel: "alternate", Type: activityType, Href: webAddress(*id)})
	}
	return out
}

// describeStatus is describe for a status. A subject replaces the text that it
// warns of.
func (p *Pages) describeStatus(s *api.Status) *about {
	v := preview{
		Kind: "article", Title: s.Account.DisplayName + " (" + p.handle(s.Account.Acct) + ")", URL: s.URL, Description: text.Plain(s.Content),
	}
	settings := p.Settings.Load()
	if s.SpoilerText != "" {
		v.Description = s.SpoilerText
	}
	if !s.Sensitive && s.SpoilerText == "" || settings.Look.Metadata.UnfurlNSFW {
		for _, m := range s.MediaAttachments {
			if address := webAddress(m.URL); address != "" && m.Type != "unknown" {
				alt := ""
				if m.Description != nil {
					alt = shorten(*m.Description, previewLength, "…")
				}
				v.Pictures = append(v.Pictures, picture{address, alt, m.Svc.MimeType})
			}
		}
	}
	v.Large = len(v.Pictures) > 0
	if !v.Large {
		v.Pictures = []picture{{URL: webAddress(s.Account.Avatar)}}
	}
	out := p.describe(v)
	out.Index = s.Account.Discoverable && s.Visibility == "public"
	if settings.Look.Metadata.Provides(config.FeedLink) {
		out.Links = append(out.Links, link{"alternate", atomType, p.Site.Base + feedPath(s.Account.Acct), "Posts of " + s.Account.DisplayName})
	}
	if settings.Instance.Federating {
		out.Links = append(out.Links, link{Rel: "alternate", Type: activityType, Href: webAddress(s.URI)})
	}
	return out
}

const (
	atomType     = "application/atom+xml"
	activityType = "application/activity+json"
)
