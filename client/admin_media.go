package client

import (
	"context"
	"net/http"

	"svc/client/api"
)

const cachedMediaPath = adminPath + "/media_proxy_caches/files"

// AdminMedia is the content of the media proxy and of caches before it, and the
// banned files.
type AdminMedia struct{ c *Client }

// Bans is the addresses that are not given out, in the order in which they
// were banned. GET /api/svc/admin/media_proxy_caches.
func (s *AdminMedia) Bans(query api.MediaBanQuery) Listing[string] {
	read := func(a api.MediaBans) ([]string, int) { return a.URLs, a.Count }
	id := func(url string) string { return url }
	return numbered(s.c, query, read, id, adminPath+"/media_proxy_caches")
}

// Unban gives files out again, named as they were when banned or as they are
// listed. POST /api/svc/admin/media_proxy_caches/delete.
func (s *AdminMedia) Unban(ctx context.Context, urls ...string) error {
	in := Request{Method: http.MethodPost, Body: api.MediaURLs{URLs: urls}, Repeatable: true}
	return perform(ctx, s.c, in, []string{adminPath + "/media_proxy_caches/delete"})
}

// Purge makes caches drop their copies of files. With ban the files are not
// served any more. POST /api/svc/admin/media_proxy_caches/purge.
func (s *AdminMedia) Purge(ctx context.Context, ban bool, urls ...string) error {
	in := Request{Method: http.MethodPost, Body: api.MediaPurge{URLs: urls, Ban: &ban}, Repeatable: true}
	return perform(ctx, s.c, in, []string{adminPath + "/media_proxy_caches/purge"})
}

// Cached counts the cached files that query selects, in the process that answers. GET
// /api/svc/admin/media_proxy_caches/files.
func (s *AdminMedia) Cached(ctx context.Context, query api.CachedMediaQuery) (*api.CachedMedia, error) {
	return get[api.CachedMedia](ctx, s.c, values(query), cachedMediaPath)
}

// PurgeCached has all processes remove these files from their caches, and returns what
// that is in the process that answers. DELETE /api/svc/admin/media_proxy_caches/files.
func (s *AdminMedia) PurgeCached(ctx context.Context, query api.CachedMediaQuery) (*api.CachedMedia, error) {
	in := Request{Method: http.MethodDelete, Body: query, Repeatable: true}
	return send[api.CachedMedia](ctx, s.c, in, []string{cachedMediaPath})
}
