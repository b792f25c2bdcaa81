package clientapi

import (
	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/server/api/web"
)

// List is GET /api/v1/svc/backups.
func (a *Backups) List(c *gin.Context) error {
	rows, err := a.Archive.Backups(c.Request.Context(), web.Caller(c).Account)
	if err != nil {
		return err
	}
	out := make([]api.Backup, len(rows))
	for i, b := range rows {
		out[i] = api.Backup{
			ID: b.ID, ContentType: "application/zip", FileSize: b.Size, Processed: b.File != "", InsertedAt: api.Time{Time: b.CreatedAt.Time},
		}
		if b.File != "" {
			out[i].URL = a.Archive.URL(b.File)
		}
	}
	return web.OK(c, out)
}

// Start is POST /api/v1/svc/backups.
func (a *Backups) Start(c *gin.Context) error {
	if err := a.Archive.Start(c.Request.Context(), web.Caller(c).Account, web.IdempotencyKey(c)); err != nil {
		return err
	}
	return a.List(c)
}
