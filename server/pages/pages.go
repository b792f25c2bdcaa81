// Package pages holds what people see in a browser: signing in and giving an
// app consent. It decodes, calls package auth, and renders HTML that needs no
// script and loads nothing.
package pages

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"

	"svc/server/auth"
	"svc/server/config"
	"svc/server/web"
)

//go:embed templates/*.html
var templates embed.FS

//go:embed style.css
var style string

// Pages answers browsers. Its methods are web.Handlers.
type Pages struct {
	auth     *auth.Service
	settings *config.Live
	base     string
	secure   bool // browsers reach the server by https
	cross    *http.CrossOriginProtection
	html     *template.Template
	policy   string
}

// New returns the pages of the instance at base, the public base URL without a
// slash.
func New(a *auth.Service, settings *config.Live, base string) (*Pages, error) {
	p := &Pages{auth: a, settings: settings, base: base, secure: strings.HasPrefix(base, "https://")}
	p.cross = http.NewCrossOriginProtection()
	if err := p.cross.AddTrustedOrigin(base); err != nil {
		return nil, fmt.Errorf("pages at %s: %w", base, err)
	}
	var err error
	if p.html, err = template.ParseFS(templates, "templates/*.html"); err != nil {
		return nil, fmt.Errorf("pages: %w", err)
	}
	sum := sha256.Sum256([]byte(style))
	p.policy = "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
	return p, nil
}

// page is what every template is given.
type page struct {
	Title    string
	Instance string
	Host     string
	Style    template.CSS
	Body     any
}

// show answers with a template. After a form on it was sent, a browser may be
// led on to addresses of the schemes named.
func (p *Pages) show(c *gin.Context, status int, name, title string, body any, schemes ...string) error {
	_, host, _ := strings.Cut(p.base, "://")
	data := page{
		Title: title, Instance: p.settings.Load().Instance.Name, Host: host,
		Style: template.CSS(style),
		Body:  body,
	}
	var out bytes.Buffer
	if err := p.html.ExecuteTemplate(&out, name, data); err != nil {
		return fmt.Errorf("page %s: %w", name, err)
	}
	h := c.Writer.Header()
	h.Del("Access-Control-Allow-Origin")
	h.Del("Access-Control-Expose-Headers")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", p.policy+formTargets(schemes))
	h.Set("X-Frame-Options", "DENY")
	// Not "no-referrer": with that, browsers hide the origin of our own forms.
	h.Set("Referrer-Policy", "same-origin")
	c.Data(status, "text/html; charset=utf-8", out.Bytes())
	return nil
}

// formTargets names schemes in the policy's form-action. Browsers hold the
// whole chain of redirections that follows a form to it, and an app may lead on
// from the address it registered, so that a scheme is as narrow as it can be.
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

// problem is a page that says why nothing can be done.
type problem struct {
	Heading string
	Flash   string
	Text    string
}

func (p *Pages) problem(c *gin.Context, status int, body problem) error {
	return p.show(c, status, "problem.html", body.Heading, body)
}

// failed shows err as a page: refusals in their own words.
// Wrap makes a page of what h refuses.
func (p *Pages) Wrap(h web.Handler) web.Handler {
	return func(c *gin.Context) error {
		if err := h(c); err != nil {
			return p.failed(c, err)
		}
		return nil
	}
}

func (p *Pages) failed(c *gin.Context, err error) error {
	status, words := web.Explain(c, err)
	return p.problem(c, status, problem{Heading: "That did not work", Text: words})
}
