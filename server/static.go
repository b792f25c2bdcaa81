package server

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"svc/db"
	"svc/server/api/web"
	"svc/server/platform/static"
)

// images are the pictures of accounts and instances that have none of their
// own.
//
//go:embed images
var images embed.FS

// pictures are files of the static folder that a browser cannot run.
var pictures = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
}

// image is GET /images/:name: the operator's own from the static folder, else
// the built-in one.
func (s *Server) image(c *gin.Context) error {
	return s.picture(c, path.Base("/"+c.Param("name")))
}

// thumbnail is GET /instance/thumbnail.jpeg, likewise.
func (s *Server) thumbnail(c *gin.Context) error { return s.picture(c, "thumbnail.jpeg") }

// favicon is GET /favicon.png and /favicon.ico, likewise.
func (s *Server) favicon(c *gin.Context) error {
	if f, err := s.staticFile("favicon.png"); !errors.Is(err, db.ErrNotFound) {
		return sendPicture(c, "favicon.png", f, err)
	}
	return s.picture(c, "favicon.png")
}

func (s *Server) picture(c *gin.Context, name string) error {
	if f, err := s.staticFile(path.Join("images", name)); !errors.Is(err, db.ErrNotFound) {
		return sendPicture(c, name, f, err)
	}
	raw, err := fs.ReadFile(images, path.Join("images", name))
	if err != nil {
		return db.ErrNotFound
	}
	setPicture(c, name)
	c.Data(http.StatusOK, pictures[path.Ext(name)], raw)
	return nil
}

// static is GET /static/*path: pictures in the static folder and other types of
// the settings, the instance's documents, and files of the front end.
func (s *Server) static(c *gin.Context) error {
	name := path.Clean("/" + c.Param("path"))
	for _, d := range static.Documents {
		if "/static"+name == d.Path {
			return s.document(c, d)
		}
	}
	ext := strings.ToLower(path.Ext(name))
	kind := pictures[ext]
	if kind == "" {
		kind = s.typeOf(ext)
	}
	if kind != "" {
		for _, at := range []string{path.Join("static", name), name} {
			if f, err := s.Static.Open(at); !errors.Is(err, db.ErrNotFound) {
				return sendStatic(c, kind, f, err)
			}
		}
	}
	front, err := s.Static.Primary()
	if err != nil {
		return err
	}
	if front != "" {
		return s.frontFile(c, front, "/static"+name)
	}
	return db.ErrNotFound
}

// typeOf is the type that the settings give to files with an ending that the
// server does not know; "" for none.
func (s *Server) typeOf(ext string) string {
	if frontTypes[ext] != "" {
		return ""
	}
	kind := s.Settings.Load().TypeOf(ext)
	if strings.HasPrefix(kind, "text/") {
		kind += "; charset=utf-8"
	}
	return kind
}

// panel is GET /instance/panel.html: the panel beside the web client.
func (s *Server) panel(c *gin.Context) error { return s.document(c, static.Panel) }

// documentPolicy lets a document show pictures and have any style. The author
// of a document still cannot act in a reader's name.
const documentPolicy = "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' https: data:; media-src 'self' https:; " +
	"font-src 'self' https: data:; base-uri 'none'; form-action 'none'; sandbox allow-popups allow-popups-to-escape-sandbox"

// document answers with one of the instance's documents, or says that it has
// not changed.
func (s *Server) document(c *gin.Context, d static.Document) error {
	content, _, err := s.Static.Read(d)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(content)
	h := c.Writer.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", documentPolicy+web.ReportTo(&s.Settings.Load().Look.Security))
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", `"`+hex.EncodeToString(sum[:16])+`"`)
	http.ServeContent(c.Writer, c.Request, "", time.Time{}, bytes.NewReader(content))
	c.Writer.WriteHeaderNow()
	return nil
}

// emoji is GET /emoji/*path: the pictures of custom emoji, in the static folder.
func (s *Server) emoji(c *gin.Context) error {
	f, err := s.staticFile(path.Join("emoji", path.Clean("/"+c.Param("path"))))
	return sendPicture(c, c.Param("path"), f, err)
}

// staticFile opens a picture below the static folder; for other names the error
// is db.ErrNotFound.
func (s *Server) staticFile(name string) (*os.File, error) {
	if pictures[strings.ToLower(path.Ext(name))] == "" {
		return nil, db.ErrNotFound
	}
	return s.Static.Open(name)
}

func setPicture(c *gin.Context, name string) { setStatic(c, pictures[strings.ToLower(path.Ext(name))]) }

// setStatic has a browser show the file, and run nothing of it.
func setStatic(c *gin.Context, kind string) {
	c.Header("Content-Type", kind)
	c.Header("Cache-Control", "public, max-age=86400")
	c.Header("Content-Security-Policy", "default-src 'none'; sandbox")
}

func sendPicture(c *gin.Context, name string, f *os.File, err error) error {
	return sendStatic(c, pictures[strings.ToLower(path.Ext(name))], f, err)
}

// sendStatic answers with a file that was opened, unless that failed.
func sendStatic(c *gin.Context, kind string, f *os.File, err error) error {
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return db.ErrNotFound
	}
	setStatic(c, kind)
	http.ServeContent(c.Writer, c.Request, "", info.ModTime().Truncate(time.Second), io.ReadSeeker(f))
	return nil
}
