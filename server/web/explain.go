package web

import (
	"encoding/json"

	"github.com/gin-gonic/gin"
)

// Explain is Fail for a door that does not answer in JSON: it logs what is not
// a refusal, and returns the status and the words that people may read.
func Explain(c *gin.Context, err error) (status int, words string) {
	status, body := render(c, err)
	if status >= 500 {
		slogger(c).ErrorContext(c.Request.Context(), "request failed", "err", err, "request_id", RequestID(c),
			"method", c.Request.Method, "route", c.FullPath())
		return status, "Something went wrong here. Please try again later."
	}
	var said struct {
		Error string `json:"error"`
	}
	if raw, err := json.Marshal(body); err == nil {
		_ = json.Unmarshal(raw, &said)
	}
	return status, said.Error
}
