package server

import (
	"errors"
	"net/http"
	"os"
	"path"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"svc/db"
	"svc/server/api/pages"
	"svc/server/api/web"
	"svc/server/platform/static"
)

// frontTypes are the types of a front end's files, by extension. Others have
// the type of the settings, or are bytes.
var frontTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".mjs": "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8", ".json": "application/json", ".map": "application/json", ".webmanifest": "application/manifest+json",
	".txt": "text/plain; charset=utf-8", ".wasm": "application/wasm", ".svg": "image/svg+xml", ".ico": "image/x-icon",
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp", ".avif": "image/avif",
	".woff": "font/woff", ".woff2": "font/woff2", ".ttf": "font/ttf", ".otf": "font/otf", ".mp3": "audio/mpeg", ".ogg": "audio/ogg", ".mp4": "video/mp4", ".webm": "video/webm",
}

// fronted shows a front end's own page in place of ours, if one is chosen and
// the settings do not select ours.
func (s *Server) fronted(ours web.Handler) web.Handler {
	return func(c *gin.Context) error {
		// Other servers may accept HTML too, with a lower preference.
		if s.Settings.Load().Frontends.StaticFE || !web.WantsHTML(c.Request) || pages.PrefersDocument(c.GetHeader("Accept")) {
			return ours(c)
		}
		front, err := s.Static.Primary()
		if err != nil {
			return err
		}
		if front == "" {
			return ours(c)
		}
		return s.frontFile(c, front, static.Index)
	}
}

// adminFront is GET /svc/admin and all paths below it: the front end for
// admins.
func (s *Server) adminFront(c *gin.Context) error {
	front, err := s.Static.Admin()
	if err != nil {
		return err
	}
	if front == "" {
		web.NotFound(c)
		return nil
	}
	name := strings.TrimPrefix(path.Clean("/"+c.Param("path")), "/")
	if name == "" {
		name = static.Index
	}
	if err := s.frontFile(c, front, name); err == nil || !web.WantsHTML(c.Request) {
		return err
	}
	return s.frontFile(c, front, static.Index)
}

// unrouted answers paths without a route: files of the front end, and its own
// places.
func (s *Server) unrouted(c *gin.Context) {
	err := s.frontPage(c)
	if errors.Is(err, db.ErrNotFound) {
		web.NotFound(c)
	} else if err != nil {
		web.Fail(c, err)
	}
}

// frontPage answers with a file of the front end, or with its index if a person
// opened one of its places.
func (s *Server) frontPage(c *gin.Context) error {
	if c.Request.Method != http.MethodGet && c.Request.Method != http.MethodHead {
		return db.ErrNotFound
	}
	name := path.Clean("/" + c.Request.URL.Path)
	if strings.HasPrefix(name, "/api/") || strings.HasPrefix(name, "/.well-known/") || strings.HasPrefix(name, "/oauth/") {
		return db.ErrNotFound
	}
	front, err := s.Static.Primary()
	if err != nil {
		return err
	}
	if front == "" {
		return db.ErrNotFound
	}
	err = s.frontFile(c, front, name)
	if errors.Is(err, db.ErrNotFound) && web.WantsHTML(c.Request) && path.Ext(name) == "" {
		err = s.frontFile(c, front, static.Index)
	}
	return err
}

// frontFile answers with a file of a front end. If it is missing, the error is
// db.ErrNotFound, and nothing is written.
func (s *Server) frontFile(c *gin.Context, front, name string) error {
	f, err := s.Static.Open(path.Join(front, path.Clean("/"+name)))
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return s.sendFront(c, f, strings.ToLower(path.Ext(name)))
}

func (s *Server) sendFront(c *gin.Context, f *os.File, ext string) error {
	info, err := f.Stat()
	if err != nil {
		return db.ErrNotFound
	}
	kind := frontTypes[ext]
	if kind == "" {
		kind = s.typeOf(ext)
	}
	if kind == "" {
		kind = "application/octet-stream"
	}
	h := c.Writer.Header()
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", "public, max-age=3600")
	switch bare, _, _ := strings.Cut(kind, ";"); bare {
	case "text/html":
		scripts, err := s.fronts.scripts(f, info)
		if err != nil {
			return err
		}
		h.Set("Cache-Control", "no-cache")
		h.Set("Content-Security-Policy", s.frontPolicy(scripts))
	case "text/javascript": // a worker may run it
		h.Set("Content-Security-Policy", s.frontPolicy(""))
	}
	c.Status(http.StatusOK)
	http.ServeContent(c.Writer, c.Request, "", info.ModTime().Truncate(time.Second), f)
	c.Writer.WriteHeaderNow()
	return nil
}

// frontPolicy lets a front end run its own files and the named scripts of a page, and call
// this server alone.
func (s *Server) frontPolicy(scripts string) string {
	return "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'" + scripts + "; worker-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob: https:; " +
		"media-src 'self' data: blob: https:; font-src 'self' data:; connect-src 'self' blob: ws://" + s.site.Host + " wss://" + s.site.Host +
		"; manifest-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'" + web.ReportTo(&s.Settings.Load().Look.Security)
}
