package pages

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/platform/text"
)

// The shape of a feed: Atom 1.0, RFC 4287.
type atomFeed struct {
	XMLName   xml.Name      `xml:"http://www.w3.org/2005/Atom feed"`
	ID        string        `xml:"id"`
	Title     string        `xml:"title"`
	Subtitle  string        `xml:"subtitle,omitempty"`
	Updated   string        `xml:"updated"`
	Author    *atomPerson   `xml:"author"`
	Links     []atomLink    `xml:"link"`
	Logo      string        `xml:"logo,omitempty"`
	Generator atomGenerator `xml:"generator"`
	Entries   []atomEntry   `xml:"entry"`
}

type atomGenerator struct {
	URI     string `xml:"uri,attr"`
	Version string `xml:"version,attr,omitempty"`
	Name    string `xml:",chardata"`
}

type atomPerson struct {
	Name string `xml:"name"`
	URI  string `xml:"uri"`
}

type atomLink struct {
	Rel   string `xml:"rel,attr"`
	Type  string `xml:"type,attr,omitempty"`
	Href  string `xml:"href,attr"`
	Title string `xml:"title,attr,omitempty"`
}

type atomEntry struct {
	ID         string         `xml:"id"`
	Title      string         `xml:"title"`
	Published  string         `xml:"published"`
	Updated    string         `xml:"updated"`
	Author     atomPerson     `xml:"author"`
	Links      []atomLink     `xml:"link"`
	Categories []atomCategory `xml:"category"`
	Summary    string         `xml:"summary,omitempty"`
	Content    atomContent    `xml:"content"`
}

type atomCategory struct {
	Term string `xml:"term,attr"`
}

type atomContent struct {
	Type string `xml:"type,attr"`
	Lang string `xml:"http://www.w3.org/XML/1998/namespace lang,attr,omitempty"`
	HTML string `xml:",chardata"`
}

func feedPath(nickname string) string { return "/users/" + url.PathEscape(nickname) + "/feed.atom" }
func tagFeedPath(tag string) string   { return "/tags/" + url.PathEscape(tag) + ".atom" }

// AccountFeed is GET /users/:nickname/feed and /users/:nickname/feed.atom: the
// public posts of an account, newest first.
func (p *Pages) AccountFeed(c *gin.Context) error { return p.accountFeed(c, c.Param("nickname")) }

func (p *Pages) accountFeed(c *gin.Context, nickname string) error {
	ctx, viewer, page := c.Request.Context(), p.View.Viewer(nil), pageOf(c)
	row, err := p.account(ctx, nickname)
	if missing(err) || viewer.NoLocal {
		return fmt.Errorf("feed of %s: %w", nickname, db.ErrNotFound)
	}
	if err != nil {
		return err
	}
	refs, err := p.DB.AccountStatuses(ctx, viewer, row.ID, db.AccountFilter{ExcludeReblogs: true}, page)
	if err != nil {
		return err
	}
	statuses, err := p.View.StatusValues(ctx, refs)
	if err != nil {
		return err
	}
	a := p.View.Account(row)
	path := feedPath(row.Nickname)
	author := atomPerson{a.DisplayName, webAddress(a.URL)}
	feed := atomFeed{
		ID: p.Site.Base + path, Title: a.DisplayName + " (" + p.handle(a.Acct) + ")", Subtitle: text.Plain(a.Note), Author: &author, Logo: webAddress(a.Avatar),
		Links: []atomLink{{Rel: "alternate", Type: "text/html", Href: webAddress(a.URL)}},
	}
	return p.feed(c, feed, path, page, statuses, row.CreatedAt.Time)
}

// TagFeed is GET /tags/:tag with .atom at its end: local public posts under a
// hashtag. Without it, it leads to the hashtag's page.
func (p *Pages) TagFeed(c *gin.Context) error {
	name, ok := strings.CutSuffix(c.Param("tag"), ".atom")
	tag := text.Tag(name)
	if !ok {
		c.Redirect(http.StatusFound, "/tag/"+url.PathEscape(tag))
		return nil
	}
	viewer, page := p.View.Viewer(nil), pageOf(c)
	if p.closed() != nil || viewer.NoLocal {
		return fmt.Errorf("feed of #%s: %w", tag, db.ErrNotFound)
	}
	t, err := p.tagged(c, tag, page)
	if err != nil {
		return err
	}
	statuses, err := p.View.StatusValues(c.Request.Context(), t.Refs)
	if err != nil {
		return err
	}
	path := tagFeedPath(tag)
	i := &p.Settings.Load().Instance
	feed := atomFeed{
		ID: p.Site.Base + path, Title: "#" + tag + " on " + i.Name, Author: &atomPerson{i.Name, p.Site.Base + "/"}, Logo: p.absolute(i.InstanceThumbnail),
		Links: []atomLink{{Rel: "alternate", Type: "text/html", Href: p.Site.Base + "/tag/" + url.PathEscape(tag)}},
	}
	return p.feed(c, feed, path, page, statuses, time.Unix(0, 0))
}

// feed answers with the public part of statuses. An empty feed was updated when
// its subject was created.
func (p *Pages) feed(c *gin.Context, feed atomFeed, path string, page db.Page, statuses []api.Status, began time.Time) error {
	s := p.Settings.Load()
	viewer := p.View.Viewer(nil)
	self := p.Site.Base + path
	if page.MaxID != "" {
		self += "?" + url.Values{"max_id": {page.MaxID}}.Encode()
	}
	feed.Links = append(feed.Links, atomLink{Rel: "self", Type: atomType, Href: self})
	if len(statuses) == page.Limit {
		_, older := turn(path, page, statuses[len(statuses)-1].ID)
		feed.Links = append(feed.Links, atomLink{Rel: "next", Type: atomType, Href: p.Site.Base + older})
	}
	if s.Look.Feed.Logo != "" {
		feed.Logo = p.absolute(s.Look.Feed.Logo)
	}
	feed.Generator = atomGenerator{URI: p.Site.Base + "/about", Version: p.Version, Name: p.Site.Words.Name()}
	updated := began
	for i := range statuses {
		if s := &statuses[i]; s.Reblog == nil && shownToAll(s, viewer) {
			entry, at := p.entry(s)
			feed.Entries = append(feed.Entries, entry)
			if at.After(updated) {
				updated = at
			}
		}
	}
	feed.Updated = stamp(updated)
	var out bytes.Buffer
	out.WriteString(xml.Header)
	if err := xml.NewEncoder(&out).Encode(feed); err != nil {
		return fmt.Errorf("feed %s: %w", path, err)
	}
	if p.unchanged(c, out.Bytes()) {
		return nil
	}
	c.Data(http.StatusOK, atomType+"; charset=utf-8", out.Bytes())
	return nil
}

func (p *Pages) entry(s *api.Status) (atomEntry, time.Time) {
	look := &p.Settings.Load().Look.Feed
	title := s.SpoilerText
	if title == "" {
		title = text.Plain(s.Content)
	}
	title = shorten(title, look.TitleLength, look.Omission)
	if title == "" {
		title = "A post by " + s.Account.DisplayName
	}
	changed := s.CreatedAt.Time
	if s.EditedAt != nil && !s.EditedAt.IsZero() {
		changed = s.EditedAt.Time
	}
	entry := atomEntry{
		ID: s.URI, Title: title, Published: stamp(s.CreatedAt.Time), Updated: stamp(changed), Author: atomPerson{s.Account.DisplayName, webAddress(s.Account.URL)},
		Links:   []atomLink{{Rel: "alternate", Type: "text/html", Href: webAddress(s.URL)}},
		Summary: s.SpoilerText, Content: atomContent{Type: "html", HTML: feedHTML(s)},
	}
	if s.Language != nil && isLanguage(*s.Language) {
		entry.Content.Lang = *s.Language
	}
	for _, tag := range s.Tags {
		entry.Categories = append(entry.Categories, atomCategory{tag.Name})
	}
	for _, m := range s.MediaAttachments {
		if address := webAddress(m.URL); address != "" {
			l := atomLink{Rel: "enclosure", Type: m.Svc.MimeType, Href: address}
			if m.Description != nil {
				l.Title = *m.Description
			}
			entry.Links = append(entry.Links, l)
		}
	}
	return entry, changed
}

// feedHTML is a post's text for readers that show HTML: its subject first.
func feedHTML(s *api.Status) string {
	body := string(rich(s.Content, s.Emojis))
	if s.SpoilerText != "" {
		body = "<p><strong>" + html.EscapeString(s.SpoilerText) + "</strong></p>" + body
	}
	if s.Poll != nil {
		body += "<ul>"
		for _, o := range s.Poll.Options {
			body += "<li>" + html.EscapeString(o.Title) + "</li>"
		}
		body += "</ul>"
	}
	return body
}

func (p *Pages) absolute(path string) string {
	if strings.HasPrefix(path, "/") {
		return p.Site.Base + path
	}
	return webAddress(path)
}
