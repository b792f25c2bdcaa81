package client

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/url"
)

const (
	// walkSize is the page size of All where the query names none.
	walkSize = 100
	// maxWalks bounds how often a list that changes under us is walked again.
	maxWalks = 3
)

// list reads one page.
func list[T any](ctx context.Context, c *Client, query any, path ...string) ([]T, error) {
	items, err := get[[]T](ctx, c, values(query), path...)
	if err != nil {
		return nil, err
	}
	return *items, nil
}

// keyset walks a list from page to page by its Link header.
func keyset[T any](ctx context.Context, c *Client, query any, path ...string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		target, err := join(path...)
		if err != nil {
			yield(none, fmt.Errorf("GET %s: %w", target, err))
			return
		}
		for resp, err := range c.pages(ctx, target, values(query)) {
			if err != nil {
				yield(none, err)
				return
			}
			var items []T
			if err := decode(call{method: http.MethodGet, path: target}, resp, &items); err != nil {
				yield(none, err)
				return
			}
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
		}
	}
}

// Pages walks any keyset list and yields its pages as they come, the last of
// them possibly empty.
func (c *Client) Pages(ctx context.Context, path string, query url.Values) iter.Seq2[*Response, error] {
	return func(yield func(*Response, error) bool) {
		target, err := c.target(path)
		if err != nil {
			yield(nil, fmt.Errorf("GET %s: %w", path, err))
			return
		}
		c.pages(ctx, target.EscapedPath(), merge(target.Query(), query))(yield)
	}
}

func (c *Client) pages(ctx context.Context, path string, query url.Values) iter.Seq2[*Response, error] {
	return func(yield func(*Response, error) bool) {
		for {
			resp, err := c.do(ctx, call{method: http.MethodGet, path: path, query: query}, nil)
			if !yield(resp, err) || err != nil {
				return
			}
			next := resp.Next()
			if next == nil || emptyArray(resp.Body) {
				return
			}
			following := merge(query, next)
			if following.Encode() == query.Encode() {
				return
			}
			query = following
		}
	}
}

func emptyArray(body []byte) bool {
	var items []json.RawMessage
	return json.Unmarshal(body, &items) == nil && len(items) == 0
}

// Walk walks a list by page numbers from the first page on and yields each id
// once. A page of fewer items than size is the last one, unless the server counts
// more than were seen: it may bound the size of a page. Rows that come and go
// meanwhile shift the pages, so a walk also ends with a page without anything
// new, and is repeated when the total moved; a total below 0 is unknown.
func Walk[T any, K comparable](first, size int, id func(T) K, fetch func(page int) (items []T, total int, err error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		yielded := map[K]bool{}
		for range maxWalks {
			walked := map[K]bool{}
			atStart, moved := -1, false
			for page := first; ; page++ {
				items, total, err := fetch(page)
				if err != nil {
					var none T
					yield(none, err)
					return
				}
				if page == first {
					atStart = total
				}
				moved = moved || total != atStart
				before := len(walked)
				for _, item := range items {
					key := id(item)
					walked[key] = true
					if yielded[key] {
						continue
					}
					yielded[key] = true
					if !yield(item, nil) {
						return
					}
				}
				if len(walked) == before || len(items) < size && len(walked) >= total {
					break
				}
			}
			if !moved {
				return
			}
		}
	}
}
