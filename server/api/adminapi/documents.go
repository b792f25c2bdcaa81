package adminapi

import (
	"io"
	"net/http"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
	"svc/server/platform/config"
	"svc/server/platform/static"
)

// Documents answers requests about the instance's documents.
type Documents struct {
	Static *static.Folder
	Site   config.Site
}

// Documents are the handlers of the instance's documents.
func (p *Parts) Documents() Documents { return Documents{p.Static, p.Site} }

// document reads the name in the path and answers once act, if any, is done.
func (a Documents) document(c *gin.Context, act func(by *db.Account, d static.Document) error) error {
	if err := web.Scope(c); err != nil {
		return err
	}
	d, err := static.DocumentNamed(c.Param("document_name"))
	if err == nil && act != nil {
		err = act(web.Caller(c).Account, d)
	}
	if err != nil {
		return err
	}
	return web.OK(c, api.Document{URL: a.Site.Base + d.Path})
}

// Show is GET /instance_document/:document_name.
func (a Documents) Show(c *gin.Context) error { return a.document(c, nil) }

// Set is PATCH /instance_document/:document_name.
func (a Documents) Set(c *gin.Context) error {
	var content []byte
	err := web.Files(c, func(name, _ string, r io.Reader) (err error) {
		if name != "file" {
			return nil
		}
		if content, err = io.ReadAll(io.LimitReader(r, static.MaxDocument+1)); len(content) > static.MaxDocument {
			return &http.MaxBytesError{Limit: static.MaxDocument}
		}
		if content == nil {
			content = []byte{}
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := web.Read(c, &struct{}{}); err != nil {
		return err
	}
	if content == nil {
		return web.Missing("file")
	}
	return a.document(c, func(by *db.Account, d static.Document) error {
		return a.Static.Write(c.Request.Context(), by, d, content)
	})
}

// BodyLimit is the longest body of a document's form, in bytes.
func (a Documents) BodyLimit() int64 { return static.MaxDocument + web.FormOverhead }

// Delete is DELETE /instance_document/:document_name.
func (a Documents) Delete(c *gin.Context) error {
	return a.document(c, func(by *db.Account, d static.Document) error { return a.Static.Delete(c.Request.Context(), by, d) })
}
