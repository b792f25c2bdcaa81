package web

import (
	"maps"
	"net/url"
	"strconv"

	"github.com/gin-gonic/gin"

	"svc/db"
)

// Page reads max_id, since_id, min_id and limit. A limit is at least 1 and at
// most most; absent, or not a number, it is usual.
func Page(c *gin.Context, usual, most int) db.Page {
	p := db.Page{
		MaxID: Query(c, "max_id"), SinceID: Query(c, "since_id"), MinID: Query(c, "min_id"), Limit: usual,
	}
	if n, err := strconv.Atoi(Query(c, "limit")); err == nil {
		p.Limit = min(max(n, 1), most)
	}
	return p
}

// Query is a parameter of the query, the last of its values; "" for none.
func Query(c *gin.Context, name string) string {
	vs := params(c).values[name]
	if len(vs) == 0 {
		return ""
	}
	return vs[len(vs)-1]
}

// QueryValues returns the readable parameters of the query. They must not be
// changed.
func QueryValues(c *gin.Context) url.Values { return params(c).values }

// Links sets the Link header of a page that begins with the key first and ends
// with oldest: the same address, by the name of the service, with other bounds.
func Links(c *gin.Context, base, first, oldest string) {
	if first == "" || oldest == "" {
		return
	}
	at := func(name, key string) string {
		q := maps.Clone(params(c).values)
		if q == nil {
			q = url.Values{}
		}
		for _, other := range []string{"max_id", "since_id", "min_id", "access_token"} {
			q.Del(other)
		}
		q.Set(name, key)
		u := url.URL{Path: Words(c).Link(c.Request.URL.Path), RawQuery: q.Encode()}
		return base + u.String()
	}
	c.Header("Link", "<"+at("max_id", oldest)+`>; rel="next", <`+at("min_id", first)+`>; rel="prev"`)
}

// NumberedPage reads page (from 1) and page_size of the admin lists. Below 1
// counts as 1; there is no upper bound but most.
func NumberedPage(c *gin.Context, usual, most int) db.NumberedPage {
	p := db.NumberedPage{Number: 1, Size: usual}
	if n, err := strconv.Atoi(Query(c, "page")); err == nil {
		p.Number = max(n, 1)
	}
	if n, err := strconv.Atoi(Query(c, "page_size")); err == nil {
		p.Size = min(max(n, 1), most)
	}
	return p
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
