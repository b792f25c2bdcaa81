package client

import (
	"context"
	"iter"
	"net/http"

	"svc/client/api"
)

// AdminMedia is what the media proxy and caches before it hold, and the files
// that are not given out.
type AdminMedia struct{ c *Client }

// Bans returns a page of the addresses that are not given out, in the order in
// which they were banned. GET /api/svc/admin/media_proxy_caches.
func (s *AdminMedia) Bans(ctx context.Context, query api.MediaBanQuery) (*api.MediaBans, error) {
	return get[api.MediaBans](ctx, s.c, values(query), adminPath+"/media_proxy_caches")
}

// AllBans walks the banned addresses, from the query's page on, each once.
func (s *AdminMedia) AllBans(ctx context.Context, query api.MediaBanQuery) iter.Seq2[string, error] {
	if query.PageSize <= 0 {
		query.PageSize = walkSize
	}
	id := func(url string) string { return url }
	return Walk(max(1, int(query.Page)), int(query.PageSize), id, func(page int) ([]string, int, error) {
		query.Page = api.Int(page)
		answer, err := s.Bans(ctx, query)
		if err != nil {
			return nil, 0, err
		}
		return answer.URLs, answer.Count, nil
	})
}

// Unban gives files out again, named as they were when banned or as they are
// listed. POST /api/svc/admin/media_proxy_caches/delete.
func (s *AdminMedia) Unban(ctx context.Context, urls ...string) error {
	in := call{method: http.MethodPost, body: api.MediaURLs{URLs: urls}, repeatable: true}
	return run(ctx, s.c, in, []string{adminPath + "/media_proxy_caches/delete"}, nil)
}

// Purge has caches drop their copies of files, and with ban nobody is given
// them any more. POST /api/svc/admin/media_proxy_caches/purge.
func (s *AdminMedia) Purge(ctx context.Context, ban bool, urls ...string) error {
	in := call{method: http.MethodPost, body: api.MediaPurge{URLs: urls, Ban: &ban}, repeatable: true}
	return run(ctx, s.c, in, []string{adminPath + "/media_proxy_caches/purge"}, nil)
}
