package server

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"svc/docs"
)

// description is the description of the API as it is sent.
type description struct {
	raw  []byte
	etag string
}

// describe makes it once: with the version of this build, and without the spaces that are
// for people.
func describe(version string) func() (description, error) {
	return sync.OnceValues(func() (description, error) {
		var doc map[string]json.RawMessage
		if err := json.Unmarshal(docs.OpenAPI, &doc); err != nil {
			return description{}, err
		}
		var info map[string]any
		err := json.Unmarshal(doc["info"], &info)
		if err != nil {
			return description{}, err
		}
		info["version"] = version
		if doc["info"], err = json.Marshal(info); err != nil {
			return description{}, err
		}
		raw, err := json.Marshal(doc)
		sum := sha256.Sum256(raw)
		return description{raw, `"` + hex.EncodeToString(sum[:16]) + `"`}, err
	})
}

// openAPI is GET /api/openapi.json: docs/openapi.json with the version of this build.
func (s *Server) openAPI(c *gin.Context) error {
	d, err := s.described()
	if err != nil {
		return err
	}
	h := c.Writer.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Cache-Control", "public, no-cache")
	h.Set("ETag", d.etag)
	http.ServeContent(c.Writer, c.Request, "", time.Time{}, bytes.NewReader(d.raw))
	c.Writer.WriteHeaderNow()
	return nil
}
