package clientapi

import (
	"io"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/server/api/web"
	"svc/server/platform/jobs"
)

// maxList is the longest list that is read of a file, in bytes.
const maxList = 1 << 20

// ImportFollows is POST /api/svc/follow_import.
func (a *Relationships) ImportFollows(c *gin.Context) error {
	return a.importList(c, jobs.ImportFollows)
}

// ImportBlocks is POST /api/svc/blocks_import.
func (a *Relationships) ImportBlocks(c *gin.Context) error { return a.importList(c, jobs.ImportBlocks) }

// ImportMutes is POST /api/svc/mutes_import.
func (a *Relationships) ImportMutes(c *gin.Context) error { return a.importList(c, jobs.ImportMutes) }

// importList starts an import of a text or a file.
func (a *Relationships) importList(c *gin.Context, kind string) error {
	var file []byte
	err := web.Files(c, func(name, _ string, content io.Reader) (err error) {
		if name == "list" {
			file, err = io.ReadAll(io.LimitReader(content, maxList))
		}
		return err
	})
	if err != nil {
		return err
	}
	var in api.NewImport
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	if file != nil {
		in.List = string(file)
	}
	if in.List == "" {
		return web.Missing("list")
	}
	if err := a.Social.StartImport(c.Request.Context(), web.Caller(c).Account, kind, in.List); err != nil {
		return err
	}
	return web.OK(c, "job started")
}
