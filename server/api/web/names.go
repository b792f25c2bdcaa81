package web

import (
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/gin-gonic/gin"

	"svc/server/platform/naming"
)

// Renames says how the words of a request are read: those of a name of the service other
// than svc.
type Renames struct {
	Words naming.Words
	Form  *naming.Shape // of the parameters
	// Family makes an answer that is a list inside what the family has there; nil for none.
	Family func(list json.RawMessage) any
}

// FamilyForm has the answer, which is a list, wrapped where the family of a name has
// something else there. Under svc it does nothing.
func FamilyForm(c *gin.Context, wrap func(list json.RawMessage) any) {
	if r := RenamesOf(c); r != nil {
		r.Family = wrap
	}
}

const renamesKey = "svc.renames"

// Rename has a request read by r.
func Rename(c *gin.Context, r *Renames) { c.Set(renamesKey, r) }

// RenamesOf is what Rename set, nil for none.
func RenamesOf(c *gin.Context) *Renames {
	r, _ := c.Value(renamesKey).(*Renames)
	return r
}

// Words are the words in which a request is answered. Outside of a service with a name of
// its own they are those of svc.
func Words(c *gin.Context) naming.Words {
	if r := RenamesOf(c); r != nil {
		return r.Words
	}
	return naming.Words{}
}

// renamed changes parameters to the words inside.
func renamed(c *gin.Context, t tree) {
	if r := RenamesOf(c); r != nil && r.Form != nil && t != nil {
		r.Words.Tree(t, r.Form)
	}
}

// renamedFiles is receive with the names inside.
func renamedFiles(c *gin.Context, receive func(name, file string, content io.Reader) error) func(name, file string, content io.Reader) error {
	r := RenamesOf(c)
	if r == nil || r.Form == nil {
		return receive
	}
	return func(name, file string, content io.Reader) error {
		return receive(r.Words.File(name, r.Form), file, content)
	}
}

type plainKey struct{}

// Plain marks a request that is answered in the words of svc whatever the service's name.
func Plain(r *http.Request) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), plainKey{}, true))
}

// IsPlain reports whether a request is marked by Plain.
func IsPlain(r *http.Request) bool { return r.Context().Value(plainKey{}) != nil }
