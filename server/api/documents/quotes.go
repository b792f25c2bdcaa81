package documents

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"svc/db"
	"svc/server/federation/activitypub"
)

// Quote is GET /objects/:uuid/quotes/:quote: the authorization to quote a
// status, as long as it holds.
func (s *Service) Quote(c *gin.Context) error {
	return s.read(func(c *gin.Context, r reader) error {
		ctx, uri := c.Request.Context(), s.base+"/objects/"+c.Param("uuid")
		status, author, err := s.post(ctx, r, uri)
		if err != nil {
			return err
		}
		quote, err := s.db.Quote(ctx, status.ID, c.Param("quote"))
		if err != nil {
			return err
		}
		blocked, err := s.db.Blocks(ctx, author.ID, quote.AccountID)
		if err != nil {
			return err
		}
		if blocked || !status.Quotable() {
			return db.ErrNotFound
		}
		return send(c, http.StatusOK, activitypub.QuoteAuthorization(activitypub.QuoteID(uri, quote.ID), author.URI, quote.ObjectURI, uri))
	})(c)
}
