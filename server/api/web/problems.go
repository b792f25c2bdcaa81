package web

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
)

const problemKey = "svc.problem"

// ProblemPage answers with a page that says why a request failed. Words are
// those of the refusal, empty when it has none for people.
type ProblemPage func(c *gin.Context, status int, words string) error

// Problems gives browsers a page in place of the JSON of an error.
func Problems(page ProblemPage) gin.HandlerFunc {
	return func(c *gin.Context) {
		c.Set(problemKey, page)
		c.Next()
	}
}

// problem shows body, a refusal in JSON, as a page where one is wanted; false
// when it is not.
func problem(c *gin.Context, status int, body any) bool {
	page, ok := c.Value(problemKey).(ProblemPage)
	if !ok {
		return false
	}
	switch family, _ := c.Value(familyKey).(Family); {
	case family == OAuthAPI || family != Pages && !opened(c.Request):
		return false
	}
	return page(c, status, spoken(status, body)) == nil
}

// opened reports whether a person opened an address outside of the APIs, or
// sent a form to it.
func opened(r *http.Request) bool {
	if !WantsHTML(r) {
		return false
	}
	for _, api := range []string{"/api/", "/.well-known/", "/nodeinfo/", "/healthz", "/readyz"} {
		if strings.HasPrefix(r.URL.Path, api) {
			return false
		}
	}
	return true
}

// WantsHTML reports whether a request asks for HTML by name, as browsers do.
func WantsHTML(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "text/html")
}

// spoken returns the words of a refusal that people may read.
func spoken(status int, body any) string {
	if status >= 500 {
		return ""
	}
	var said struct {
		Error string `json:"error"`
	}
	if raw, err := json.Marshal(body); err == nil {
		_ = json.Unmarshal(raw, &said)
	}
	return said.Error
}
