package client

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/url"
	"strconv"
)

const (
	// walkSize is the page size of a walk by page numbers where the query names
	// none.
	walkSize = 100
	// maxWalks bounds how often a list that changes under us is walked again.
	maxWalks = 3
)

// Listing is a list in pages, as a query selects it. It is a value: no request
// is sent before Page, Pages or All.
type Listing[T any] struct {
	query url.Values
	fetch func(ctx context.Context, query url.Values) (part[T], error)
	size  string         // the parameter that bounds a page
	id    func(T) string // of lists by page number alone
	seen  int            // items on the pages before, of lists by page number
}

// Page is one page of a Listing.
type Page[T any] struct {
	Items []T
	// Total is how many items match on all pages, -1 where the server does not
	// count them.
	Total int
	// Next and Prev are the pages around this one, nil where there are none. A
	// last page may still have a Next, which is then empty.
	Next, Prev *Listing[T]
}

// part is a page as the server gave it: next and prev are the parameters that
// differ on the pages around it.
type part[T any] struct {
	items      []T
	total      int
	next, prev url.Values
}

// PageSize is the same list with at most n items a page. The server may give
// fewer.
func (l Listing[T]) PageSize(n int) Listing[T] {
	if l.size != "" {
		l.query = merge(l.query, url.Values{l.size: {strconv.Itoa(n)}})
	}
	return l
}

// Page reads one page: the one that the query names, or the first.
func (l Listing[T]) Page(ctx context.Context) (Page[T], error) {
	p, err := l.fetch(ctx, l.query)
	if err != nil {
		return Page[T]{Total: -1}, err
	}
	page := Page[T]{Items: p.items, Total: p.total}
	switch {
	case l.id != nil:
		page.Next, page.Prev = l.neighbours(page)
	case len(p.items) > 0:
		page.Next, page.Prev = l.at(p.next), l.at(p.prev)
	}
	return page, nil
}

// at is the list at another place, nil where place names none or the same.
func (l Listing[T]) at(place url.Values) *Listing[T] {
	if place == nil {
		return nil
	}
	base := merge(l.query, nil)
	if place.Has("min_id") {
		base.Del("max_id")
		base.Del("since_id")
	}
	there := merge(base, place)
	if there.Encode() == l.query.Encode() {
		return nil
	}
	l.query = there
	return &l
}

// neighbours are the pages around one with a number. A page that is not full
// is the last one, unless the server counts more items than were seen: it may
// bound the size of a page.
func (l Listing[T]) neighbours(page Page[T]) (next, prev *Listing[T]) {
	number, size := max(1, l.number("page")), l.number(l.size)
	turn := func(to, seen int) *Listing[T] {
		there := l
		there.query = merge(l.query, url.Values{"page": {strconv.Itoa(to)}})
		there.seen = seen
		return &there
	}
	seen := l.seen + len(page.Items)
	full := len(page.Items) >= size && (size > 0 || page.Total < 0)
	if len(page.Items) > 0 && (full || seen < page.Total) {
		next = turn(number+1, seen)
	}
	if number > 1 {
		prev = turn(number-1, 0)
	}
	return next, prev
}

func (l Listing[T]) number(parameter string) int {
	n, err := strconv.Atoi(l.query.Get(parameter))
	if err != nil {
		return 0
	}
	return n
}

// All walks the items of this page and of those after it. It fetches pages as
// they are needed and ends after yielding an error.
func (l Listing[T]) All(ctx context.Context) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for page, err := range l.Pages(ctx) {
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range page.Items {
				if !yield(item, nil) {
					return
				}
			}
		}
	}
}

// Pages is All by the page. Pages may be empty, the last one above all.
func (l Listing[T]) Pages(ctx context.Context) iter.Seq2[Page[T], error] {
	if l.id != nil {
		return l.walk(ctx)
	}
	return func(yield func(Page[T], error) bool) {
		for next := &l; next != nil; {
			page, err := next.Page(ctx)
			if !yield(page, err) || err != nil {
				return
			}
			next = page.Next
		}
	}
}

// walk visits the pages of a list by number and yields each item once. Rows
// that come and go meanwhile shift the pages. So the walk also ends with a page
// of known items, and is repeated when the total moved.
func (l Listing[T]) walk(ctx context.Context) iter.Seq2[Page[T], error] {
	if l.number(l.size) < 1 {
		l = l.PageSize(walkSize)
	}
	first := max(1, l.number("page"))
	l.query = merge(l.query, url.Values{"page": {strconv.Itoa(first)}})
	return func(yield func(Page[T], error) bool) {
		yielded := map[string]bool{}
		for range maxWalks {
			walked := map[string]bool{}
			atStart, moved := -1, false
			for next := &l; next != nil; {
				page, err := next.Page(ctx)
				if err != nil {
					yield(page, err)
					return
				}
				if next == &l {
					atStart = page.Total
				}
				moved = moved || page.Total != atStart
				before := len(walked)
				var fresh []T
				for _, item := range page.Items {
					key := l.id(item)
					walked[key] = true
					if !yielded[key] {
						yielded[key] = true
						fresh = append(fresh, item)
					}
				}
				next = page.Next
				if page.Items = fresh; !yield(page, nil) {
					return
				}
				if len(walked) == before {
					break
				}
			}
			if !moved {
				return
			}
		}
	}
}

// Whole makes a Listing of one page out of a list that the server gives out
// whole.
func Whole[T any](read func(context.Context) ([]T, error)) Listing[T] {
	return Listing[T]{fetch: func(ctx context.Context, _ url.Values) (part[T], error) {
		items, err := read(ctx)
		return part[T]{items: items, total: len(items)}, err
	}}
}

// keyset returns a list that is paged by the Link header of each answer.
func keyset[T any](c *Client, query any, path ...string) Listing[T] {
	return listing(c, query, "limit", func(items []T, resp *Response) part[T] {
		return part[T]{items: items, total: -1, next: resp.Next(), prev: resp.Prev()}
	}, path...)
}

// numbered is a list by page numbers. Answers of type A hold the items, and the
// number of all that match or -1; id identifies items.
func numbered[T, A any](c *Client, query any, read func(A) ([]T, int), id func(T) string, path ...string) Listing[T] {
	l := listing(c, query, "page_size", func(answer A, _ *Response) part[T] {
		items, total := read(answer)
		return part[T]{items: items, total: total}
	}, path...)
	l.id = id
	return l
}

func listing[T, A any](c *Client, query any, size string, read func(A, *Response) part[T], path ...string) Listing[T] {
	return Listing[T]{query: values(query), size: size, fetch: func(ctx context.Context, query url.Values) (part[T], error) {
		var answer A
		resp, err := run(ctx, c, Request{Method: http.MethodGet, Query: query}, path, &answer)
		if err != nil {
			return part[T]{}, err
		}
		return read(answer, resp), nil
	}}
}

// whole reads a list that comes in one answer.
func whole[T any](ctx context.Context, c *Client, query any, path ...string) ([]T, error) {
	items, err := get[[]T](ctx, c, values(query), path...)
	if err != nil {
		return nil, err
	}
	return *items, nil
}

// Pages walks any list by its Link headers and yields the answers as they come,
// the last of them possibly empty.
func (c *Client) Pages(ctx context.Context, path string, query url.Values) iter.Seq2[*Response, error] {
	return func(yield func(*Response, error) bool) {
		for {
			resp, err := c.Do(ctx, Request{Method: http.MethodGet, Path: path, Query: query}, nil)
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
