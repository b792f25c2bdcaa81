package web

import (
	"strings"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"svc/db"
)

// legible refuses an address with too many parameters, or with a NUL or bytes that
// are not UTF-8, since no database could look them up. In the path they are not
// found; in a parameter they are of the wrong shape.
func legible(c *gin.Context) error {
	for _, p := range c.Params {
		if !IsText(p.Value) {
			return db.ErrNotFound
		}
	}
	if strings.Count(c.Request.URL.RawQuery, "&") >= maxParams {
		return errManyParams
	}
	if !strings.ContainsAny(c.Request.URL.RawQuery, "%\x00") && utf8.ValidString(c.Request.URL.RawQuery) {
		return nil
	}
	for name, values := range params(c).values {
		for _, v := range values {
			if !IsText(v) || !IsText(name) {
				name = strings.ToValidUTF8(strings.ReplaceAll(name, "\x00", ""), "")
				return BadParam(name, name+" - Invalid string. Got: binary.")
			}
		}
	}
	return nil
}

// IsText reports whether a database can hold s: UTF-8 without NUL.
func IsText(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }
