package web

import "github.com/gin-gonic/gin"

// Explain is Fail for a door that does not answer in JSON: it logs what is not
// a refusal, and returns the status and the words that people may read, empty
// where there are none.
func Explain(c *gin.Context, err error) (status int, words string) {
	status, body := judge(c, err)
	return status, spoken(status, body)
}
