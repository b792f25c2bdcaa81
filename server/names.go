package server

import (
	"bytes"
	"encoding/json"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"svc/server/api/web"
	"svc/server/platform/naming"
)

// spoken is where words of the service stand in the requests and answers of a route.
type spoken struct {
	form, answer *naming.Shape // nil where there are none
}

// familyForms lists routes that wrap their answer under a name other than svc.
var familyForms = []string{"/api/svc/admin/moderation_log", "/api/svc/admin/relay"}

// named is the middleware that reads requests and renames answers under a name other than
// svc, which alone has it. It comes before everything that looks at an answer or keeps it,
// so that all of those see and keep the words of svc.
func (s *Server) named() gin.HandlerFunc {
	routes := map[string]spoken{}
	for _, r := range s.routes {
		routes[r.Method+" "+r.Path] = spoken{shapeOf(r.Files, r.Takes), shapeOf(nil, r.Answers...)}
	}
	for _, path := range familyForms {
		routes["GET "+path] = spoken{routes["GET "+path].form, naming.ShapeOf()}
	}
	words := s.site.Words
	return func(c *gin.Context) {
		c.Writer.Header().Add("Vary", naming.Header)
		if web.IsPlain(c.Request) {
			return
		}
		method := c.Request.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		here := routes[method+" "+c.FullPath()]
		renames := &web.Renames{Words: words, Form: here.form}
		web.Rename(c, renames)
		if here.answer == nil {
			return
		}
		w := &renaming{ResponseWriter: c.Writer, renames: renames, shape: here.answer}
		c.Writer = w
		defer func() { c.Writer = w.ResponseWriter }()
		c.Next()
		w.end()
	}
}

// shapeOf returns the shape of these types, or nil if they have no words of the service.
func shapeOf(files []string, of ...any) *naming.Shape {
	var types []reflect.Type
	for _, one := range of {
		if at, ok := one.(At); ok {
			one = at.Of
		}
		if with, ok := one.(With); ok {
			one = with.Of
		}
		if one != nil {
			types = append(types, reflect.TypeOf(one))
		}
	}
	if s := naming.ShapeOf(types...).WithFiles(files); s.Ours() {
		return s
	}
	return nil
}

// renaming holds a JSON answer back until it is whole.
type renaming struct {
	gin.ResponseWriter
	renames *web.Renames
	shape   *naming.Shape
	body    bytes.Buffer
	held    bool
}

func (r *renaming) Write(b []byte) (int, error) {
	if !r.held && strings.HasPrefix(r.Header().Get("Content-Type"), "application/json") && !r.Written() {
		r.held = true
	}
	if !r.held {
		return r.ResponseWriter.Write(b)
	}
	return r.body.Write(b)
}

// WriteString is Write.
func (r *renaming) WriteString(s string) (int, error) { return r.Write([]byte(s)) }

// Flush sends what is not held back.
func (r *renaming) Flush() {
	if !r.held {
		r.ResponseWriter.Flush()
	}
}

// Unwrap lets http.ResponseController find the connection.
func (r *renaming) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// end sends the answer.
func (r *renaming) end() {
	if !r.held {
		return
	}
	raw := r.renames.Words.JSON(r.body.Bytes(), r.shape)
	if wrap := r.renames.Family; wrap != nil && r.Status() == http.StatusOK {
		if wrapped, err := json.Marshal(wrap(raw)); err == nil {
			raw = wrapped
		}
	}
	r.Header().Set("Content-Length", strconv.Itoa(len(raw)))
	_, _ = r.ResponseWriter.Write(raw) // a client that left is logged by who wrote
}
