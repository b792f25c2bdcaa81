// Package pages serves HTML to browsers: registration, signing in, consent to
// apps, and public profiles, statuses, timelines and feeds. A handler decodes,
// calls the rules or a query, and renders HTML that needs no script.
//
// Public pages show what an anonymous visitor may see, even to people who are
// signed in.
package pages

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"

	"svc/db"
	"svc/server/api/view"
	"svc/server/api/web"
	"svc/server/platform/config"
	"svc/server/platform/static"
	"svc/server/rules/auth"
	"svc/server/rules/login"
	"svc/server/rules/signup"
)

//go:embed templates/*.html
var templates embed.FS

//go:embed style.css
var style []byte

// Parts are the dependencies of the pages.
type Parts struct {
	DB       *db.DB
	View     *view.View
	Auth     *auth.Service
	Login    *login.Service
	Signup   *signup.Service
	Settings *config.Live
	Site     config.Site
	Version  string
	// Stats returns the public counts of the instance.
	Stats func(context.Context) (db.Stats, error)
	// Static has the terms of service.
	Static *static.Folder
}

// Pages answers browsers. Its methods are web.Handlers.
type Pages struct {
	Parts
	cross *http.CrossOriginProtection
	html  *template.Template
	style string // address of the stylesheet
}

// New returns the pages of the site.
func New(parts Parts) (*Pages, error) {
	p := &Pages{Parts: parts}
	p.cross = http.NewCrossOriginProtection()
	if err := p.cross.AddTrustedOrigin(p.Site.Base); err != nil {
		return nil, fmt.Errorf("pages at %s: %w", p.Site.Base, err)
	}
	var err error
	if p.html, err = template.ParseFS(templates, "templates/*.html"); err != nil {
		return nil, fmt.Errorf("pages: %w", err)
	}
	sum := sha256.Sum256(style)
	p.style = "/pages/style.css?v=" + hex.EncodeToString(sum[:8])
	return p, nil
}

// Style is GET /pages/style.css: the look of all pages. Its address changes
// with it.
func (p *Pages) Style(c *gin.Context) error {
	c.Header("Cache-Control", "public, max-age=31536000, immutable")
	c.Data(http.StatusOK, "text/css; charset=utf-8", style)
	return nil
}

// page is the value for every template.
type page struct {
	Title    string
	Instance string
	Host     string
	Email    string
	Style    string
	About    *about // of public pages; nil on forms
	Nav      []entry
	Body     any
}

// entry is a link on every public page.
type entry struct {
	Words, Href string
	Here        bool
}

// The content policies of the two kinds of pages. Public pages may show
// pictures and sounds of any server with https.
const (
	formPolicy   = "default-src 'none'; style-src 'self'; img-src 'self'; manifest-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
	publicPolicy = "default-src 'none'; style-src 'self'; img-src 'self' https:; media-src 'self' https:; manifest-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'"
)

// show answers with a form, or with its outcome. The form may redirect to
// addresses of the named schemes.
func (p *Pages) show(c *gin.Context, status int, name, title string, body any, schemes ...string) error {
	return p.showWith(c, status, name, title, body, formPolicy+formTargets(schemes))
}

func (p *Pages) showWith(c *gin.Context, status int, name, title string, body any, policy string) error {
	raw, err := p.render(name, page{Title: title, Body: body})
	if err != nil {
		return err
	}
	h := c.Writer.Header()
	h.Set("Cache-Control", "no-store")
	// The settings may say "no-referrer", but browsers would then hide the
	// origin of our own forms.
	h.Set("Referrer-Policy", "same-origin")
	p.guard(c, policy)
	p.send(c, status, raw)
	return nil
}

// publish answers with a public page, or says that it has not changed.
func (p *Pages) publish(c *gin.Context, name, title string, facts *about, body any) error {
	raw, err := p.render(name, page{Title: title, About: facts, Nav: p.nav(c.Request.URL.Path), Body: body})
	if err != nil {
		return err
	}
	if c.Writer.Header().Get("Vary") == "" {
		c.Writer.Header().Set("Vary", "Accept")
	}
	// Browsers replace the policy of a cached page by that of the 304.
	p.guard(c, publicPolicy)
	if p.unchanged(c, raw) {
		return nil
	}
	p.send(c, http.StatusOK, raw)
	return nil
}

// unchanged answers a browser that has these bytes already. Caches must ask
// each time, since a deleted status must be gone at once.
func (p *Pages) unchanged(c *gin.Context, raw []byte) bool {
	sum := sha256.Sum256(raw)
	etag := `"` + base64.RawURLEncoding.EncodeToString(sum[:18]) + `"`
	h := c.Writer.Header()
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", etag)
	for _, known := range strings.Split(c.GetHeader("If-None-Match"), ",") {
		if known = strings.TrimPrefix(strings.TrimSpace(known), "W/"); known == etag {
			c.Status(http.StatusNotModified)
			c.Writer.WriteHeaderNow()
			return true
		}
	}
	return false
}

func (p *Pages) render(name string, data page) ([]byte, error) {
	i := &p.Settings.Load().Instance
	data.Instance, data.Email, data.Host, data.Style = i.Name, i.Email, p.Site.Host, p.style
	var out bytes.Buffer
	if err := p.html.ExecuteTemplate(&out, name, data); err != nil {
		return nil, fmt.Errorf("page %s: %w", name, err)
	}
	return out.Bytes(), nil
}

// guard sets the headers that restrict the browser.
func (p *Pages) guard(c *gin.Context, policy string) {
	h := c.Writer.Header()
	h.Del("Access-Control-Allow-Origin")
	h.Del("Access-Control-Expose-Headers")
	h.Set("Content-Security-Policy", policy+web.ReportTo(&p.Settings.Load().Look.Security))
	h.Set("X-Frame-Options", "DENY")
}

func (p *Pages) send(c *gin.Context, status int, raw []byte) {
	c.Data(status, "text/html; charset=utf-8", raw)
}

// formTargets names schemes in the policy's form-action. Browsers apply it to
// the whole chain of redirections after a form, and an app may redirect on from
// its registered address. A scheme is as narrow as it can be.
func formTargets(schemes []string) string {
	var b strings.Builder
	for _, s := range schemes {
		if isScheme(s) {
			b.WriteString(" " + s + ":")
		}
	}
	return b.String()
}

// isScheme keeps anything out of the policy that could end its directive.
func isScheme(s string) bool {
	for _, c := range []byte(s) {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '+', c == '-', c == '.':
		default:
			return false
		}
	}
	return s != ""
}

// schemesOf are those that a redirection to uri may go on with.
func schemesOf(uri string) []string {
	u, err := url.Parse(uri)
	switch {
	case err != nil || uri == auth.OutOfBand:
		return nil
	case u.Scheme == "http":
		return []string{"http", "https"}
	}
	return []string{u.Scheme}
}
