package web

import "github.com/gin-gonic/gin"

// Explain is Fail for a door that does not answer in JSON: it logs what is not
// a refusal, and returns the status and the words that people may read, empty
// where there are none.
func Explain(c *gin.Context, err error) (status int, words string) {
	status, body := render(c, err)
	if status >= 500 {
		slogger(c).ErrorContext(c.Request.Context(), "request failed", "err", err, "request_id", RequestID(c),
			"method", c.Request.Method, "route", c.FullPath())
	}
	return status, spoken(status, body)
}
