package client

import (
	"strconv"

	"svc/client/api"
)

// AdminLog is the moderation log.
type AdminLog struct{ c *Client }

// List is the log, newest first. GET /api/svc/admin/moderation_log.
func (s *AdminLog) List(query api.LogQuery) Listing[api.LogEntry] {
	read := func(entries []api.LogEntry) ([]api.LogEntry, int) { return entries, -1 }
	// Entries without ids differ by their content.
	id := func(e api.LogEntry) string {
		if e.ID == 0 {
			return string(e.Raw)
		}
		return strconv.FormatInt(e.ID, 10)
	}
	return numbered(s.c, query, read, id, adminPath+"/moderation_log")
}
