package web

import (
	"net/http"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
)

// Later answers a request that is worth repeating after a while: another server
// that it needs is not available now. That is no failure of this server, and
// not logged as one.
func Later(c *gin.Context, after time.Duration, words string) error {
	c.Header("Retry-After", strconv.Itoa(int(after.Seconds())))
	return JSON(c, http.StatusServiceUnavailable, gin.H{"error": words})
}
