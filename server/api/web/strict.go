package web

import (
	"maps"
	"reflect"
	"slices"

	"github.com/gin-gonic/gin"

	"svc/server/platform/config"
)

const strictKey = "svc.strict"

// Strict has h's Bind, BindQuery and BindAny refuse names in the query that they
// do not know, while the settings ask for it.
func Strict(settings *config.Live, h Handler) Handler {
	return func(c *gin.Context) error {
		if c.Request.URL.RawQuery != "" && settings.Load().StrictQueries {
			c.Set(strictKey, true)
		}
		return h(c)
	}
}

func strict(c *gin.Context) bool { return c.GetBool(strictKey) }

// everywhere lists parameters of any request, and paged those of lists.
// Handlers read them apart from the structs that they bind.
var (
	everywhere = []string{"access_token", "admin_token", methodName}
	paged      = []string{"max_id", "since_id", "min_id", "limit", "page", "page_size"}
)

// unexpected refuses names in the query that none of these structs has. If
// there is a struct for the query, parameters of pages are allowed.
func (d *decoder) unexpected(query tree, into ...any) {
	known := map[string]bool{}
	allow := func(names []string) {
		for _, name := range names {
			known[name] = true
		}
	}
	allow(everywhere)
	if len(into) > 0 {
		allow(paged)
	}
	for _, in := range into {
		allow(namesOf(reflect.TypeOf(in).Elem()))
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if !known[name] {
			d.wrong = append(d.wrong, ShapeValue{Pointer: "/" + name, Message: "Unexpected field: " + name + "."})
		}
	}
}

// namesOf are the parameters of a struct that is bound.
func namesOf(kind reflect.Type) []string {
	var names []string
	for i := range kind.NumField() {
		f := kind.Field(i)
		if f.Anonymous && f.Type.Kind() == reflect.Struct {
			names = append(names, namesOf(f.Type)...)
		} else if name := nameOf(f); name != "" {
			names = append(names, name)
		}
	}
	return names
}
