package client

import (
	"context"
	"iter"
	"strconv"

	"svc/client/api"
)

// AdminLog is what moderators did.
type AdminLog struct{ c *Client }

// List returns a page of the log, newest first. GET
// /api/svc/admin/moderation_log.
func (s *AdminLog) List(ctx context.Context, query api.LogQuery) ([]api.LogEntry, error) {
	return list[api.LogEntry](ctx, s.c, query, adminPath+"/moderation_log")
}

// All walks the log, newest first, each entry once.
func (s *AdminLog) All(ctx context.Context, query api.LogQuery) iter.Seq2[api.LogEntry, error] {
	if query.PageSize <= 0 {
		query.PageSize = walkSize
	}
	// Servers whose entries have no id still have entries that differ.
	id := func(e api.LogEntry) string {
		if e.ID == 0 {
			return string(e.Raw)
		}
		return strconv.FormatInt(e.ID, 10)
	}
	return Walk(max(1, int(query.Page)), int(query.PageSize), id, func(page int) ([]api.LogEntry, int, error) {
		query.Page = api.Int(page)
		items, err := s.List(ctx, query)
		return items, -1, err
	})
}
