package web

import (
	"net/http"

	"github.com/gin-gonic/gin"
)

// Stream answers 200 with a JSON text in pieces: before, then the values of
// next with commas between until it returns an empty one, then after. Only the
// first piece can still be refused. An error of a later one breaks the
// connection off, so that no client takes a part for the whole.
func Stream(c *gin.Context, before, after string, next func() ([]byte, error)) error {
	piece, err := next()
	if err != nil {
		return err
	}
	c.Header("Content-Type", "application/json; charset=utf-8")
	c.Status(http.StatusOK)
	separator := before
	for len(piece) > 0 && err == nil {
		if _, err = c.Writer.WriteString(separator); err == nil {
			_, err = c.Writer.Write(piece)
		}
		if err == nil {
			separator = ","
			piece, err = next()
		}
	}
	if err == nil {
		if separator == before {
			after = before + after
		}
		_, err = c.Writer.WriteString(after)
	}
	if err != nil {
		if !left(c) {
			slogger(c).WarnContext(c.Request.Context(), "answer broken off", "err", err, "request_id", RequestID(c))
		}
		panic(http.ErrAbortHandler)
	}
	return nil
}
