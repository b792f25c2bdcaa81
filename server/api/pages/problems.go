package pages

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"svc/server/api/web"
)

// problem is a page that explains a failure.
type problem struct {
	Heading string
	Flash   string
	Text    string
	Close   bool // an app opened the page: it has no links
}

func (p *Pages) problem(c *gin.Context, status int, body problem) error {
	return p.show(c, status, "problem.html", body.Heading, body)
}

// failed shows err as a page, where an app's question cannot be answered:
// refusals in their own words.
func (p *Pages) failed(c *gin.Context, err error) error {
	status, words := web.Explain(c, err)
	if words == "" {
		words = explanation(status)
	}
	return p.problem(c, status, problem{Heading: "That did not work", Text: words, Close: true})
}

// Problem is the page for a failed request of a browser; a web.ProblemPage.
func (p *Pages) Problem(c *gin.Context, status int, words string) error {
	heading, ok := headings[status]
	if !ok {
		heading = "That did not work"
	}
	if text := explanation(status); text != "" {
		words = text
	}
	return p.problem(c, status, problem{Heading: heading, Text: words})
}

var headings = map[int]string{
	http.StatusBadRequest: "That cannot be read", http.StatusUnauthorized: "For members only", http.StatusForbidden: "Not allowed",
	http.StatusNotFound: "There is nothing here", http.StatusGone: "It is gone", http.StatusTooManyRequests: "Too many requests",
	http.StatusInternalServerError: "Something went wrong", http.StatusServiceUnavailable: "Not available at the moment",
}

// explanation explains a status to people if the text of a refusal is for
// programs; it is empty if that text will do.
func explanation(status int) string {
	switch {
	case status == http.StatusNotFound:
		return "The page was removed, never was, or may not be shown to everybody."
	case status == http.StatusUnauthorized:
		return "This server shows that to its members only. If you are one, open it in your app."
	case status == http.StatusTooManyRequests:
		return "Please wait a minute, and try again."
	case status == http.StatusServiceUnavailable:
		return "Please try again in a moment."
	case status >= http.StatusInternalServerError:
		return "Something went wrong here. Please try again later."
	}
	return ""
}
