package web

import (
	"net/http"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
)

// Later answers a request that is worth sending again after a while: what it
// needs is not to be had from another server now. That is no failure of this
// one, and not logged as such.
func Later(c *gin.Context, after time.Duration, words string) error {
	c.Header("Retry-After", strconv.Itoa(int(after.Seconds())))
	return JSON(c, http.StatusServiceUnavailable, gin.H{"error": words})
}
