package web

import (
	"strings"

	"github.com/gin-gonic/gin"

	"svc/db"
)

// KnownIDs answers 404, whoever asks, where the segment :id of a path of the client API
// is no id of its kind. Apps try the names of endpoints that are newer than a server, and
// take other refusals as the end of their session.
func KnownIDs(path string, h Handler) Handler {
	is := idsOf(path)
	if is == nil {
		return h
	}
	return func(c *gin.Context) error {
		if !is(c.Param("id")) {
			return db.ErrNotFound
		}
		return h(c)
	}
}

// idsOf returns which ids a path takes; nil if it takes other names too.
func idsOf(path string) func(id string) bool {
	path, v1 := strings.CutPrefix(path, "/api/v1/")
	path, v2 := strings.CutPrefix(path, "/api/v2/")
	family, rest, there := strings.Cut(path, "/:id")
	if !there || !v1 && !v2 {
		return nil
	}
	switch family {
	case "accounts":
		if rest == "" || rest == "/statuses" { // nicknames, too
			return nil
		}
		return isFlake
	case "statuses":
		return isFlake
	case "notifications", "lists", "filters", "filters/keywords", "filters/statuses", "media", "polls", "conversations", "scheduled_statuses", "announcements":
		return isNumber
	}
	return nil
}

// longestNumber is the number of digits of the largest number.
const longestNumber = 19

func isNumber(id string) bool {
	return id != "" && len(id) <= longestNumber && strings.Trim(id, "0123456789") == ""
}

// isFlake reports whether id is a flake, or a number, which some clients send.
func isFlake(id string) bool {
	if isNumber(id) {
		return true
	}
	return len(id) >= 16 && len(id) <= 20 && !strings.ContainsFunc(id, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}
