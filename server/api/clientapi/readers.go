package clientapi

import (
	"github.com/gin-gonic/gin"

	"svc/server/api/web"
)

// ForReader has h answer in the form that the caller and his app ask for.
func (a *API) ForReader(h web.Handler) web.Handler {
	return func(c *gin.Context) error {
		if shape := a.View.Reader(web.Caller(c)); shape != nil {
			web.Reshape(c, shape)
		}
		return h(c)
	}
}
