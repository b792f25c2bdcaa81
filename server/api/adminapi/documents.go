package adminapi

import (
	"io"
	"net/http"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
	"svc/server/platform/static"
)

// document reads the name in the path and answers once act, if any, is done.
func (a *API) document(c *gin.Context, act func(by *db.Account, d static.Document) error) error {
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

// Document is GET /instance_document/:document_name.
func (a *API) Document(c *gin.Context) error { return a.document(c, nil) }

// SetDocument is PATCH /instance_document/:document_name.
func (a *API) SetDocument(c *gin.Context) error {
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
	return a.document(c, func(by *db.Account, d static.Document) error { return a.Static.Write(by, d, content) })
}

// DocumentBody is the longest body of a document's form, in bytes.
func (a *API) DocumentBody() int64 { return static.MaxDocument + web.FormOverhead }

// DeleteDocument is DELETE /instance_document/:document_name.
func (a *API) DeleteDocument(c *gin.Context) error { return a.document(c, a.Static.Delete) }
