// Package apitest holds requests and answers of tests against the description of the API,
// docs/openapi.json: every field is there, of its type, and null only where that is said.
// It knows nothing of the service but this document.
package apitest

import (
	"bytes"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/gin-gonic/gin"
)

// Answers checks the JSON of requests and answers. Each service of a test has one, so that
// all requests and answers of all tests pass it.
type Answers struct {
	mu    sync.Mutex
	wrong []string
	seen  map[string]bool
}

const (
	maxChecked  = 1 << 20 // bytes of an answer; longer ones are those of tests of size
	maxMistakes = 20      // of one service that are told
)

// Check is the middleware that keeps answers of described routes, and checks them and the
// requests that they answer.
func (a *Answers) Check(c *gin.Context) {
	op := operationAt(c.Request.Method, c.FullPath())
	if op == nil {
		return
	}
	kept := &keeping{ResponseWriter: c.Writer}
	c.Writer = kept
	c.Next()
	route := c.Request.Method + " " + c.FullPath()
	if isJSON(kept.Header().Get("Content-Type")) && kept.body.Len() > 0 && !kept.long && kept.whole() {
		for _, mistake := range op.answer(kept.Status(), kept.body.Bytes()) {
			a.tell(fmt.Sprintf("the answer %d to %s: %s", kept.Status(), route, mistake))
		}
	}
	if kept.Status()/100 != 2 {
		return
	}
	if sent, ok := c.Value("svc.body").(interface{ Tree() map[string]any }); ok && isJSON(c.Request.Header.Get("Content-Type")) {
		for _, mistake := range op.request(sent.Tree()) {
			a.tell("the request " + route + ": " + mistake)
		}
	}
	if forms, ok := c.Value("svc.forms").([]any); ok {
		for _, name := range op.unknown(forms) {
			a.tell("the handler of " + route + " reads " + name + ", which is not described")
		}
	}
}

func isJSON(kind string) bool {
	kind, _, _ = strings.Cut(kind, ";")
	kind = strings.TrimSpace(kind)
	return kind == "application/json"
}

func (a *Answers) tell(mistake string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.seen[mistake] || len(a.wrong) >= maxMistakes {
		return
	}
	if a.seen == nil {
		a.seen = map[string]bool{}
	}
	a.seen[mistake] = true
	a.wrong = append(a.wrong, mistake)
}

// Report tells of all mistakes, once the service has ended.
func (a *Answers) Report(t testing.TB) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, mistake := range a.wrong {
		t.Errorf("docs/openapi.json does not describe %s", mistake)
	}
}

// keeping keeps a copy of what is written.
type keeping struct {
	gin.ResponseWriter
	body bytes.Buffer
	long bool
}

// whole tells whether all was written that was promised: a caller may leave before.
func (k *keeping) whole() bool {
	promised := k.Header().Get("Content-Length")
	return promised == "" || promised == strconv.Itoa(k.body.Len())
}

func (k *keeping) Write(b []byte) (int, error) {
	k.keep(b)
	return k.ResponseWriter.Write(b)
}

func (k *keeping) WriteString(s string) (int, error) {
	k.keep([]byte(s))
	return k.ResponseWriter.WriteString(s)
}

// Unwrap lets http.ResponseController find the connection.
func (k *keeping) Unwrap() http.ResponseWriter { return k.ResponseWriter }

func (k *keeping) keep(b []byte) {
	if k.long = k.long || k.body.Len()+len(b) > maxChecked; !k.long {
		k.body.Write(b)
	}
}

// namesOf are the parameters of a struct that is bound.
func namesOf(kind reflect.Type) (names []string) {
	for i := range kind.NumField() {
		f := kind.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			name, _, _ = strings.Cut(f.Tag.Get("form"), ",")
			name = strings.TrimSuffix(name, "[]")
		}
		switch {
		case f.Anonymous && f.Type.Kind() == reflect.Struct:
			names = append(names, namesOf(f.Type)...)
		case name != "" && name != "-" && f.IsExported():
			names = append(names, name)
		}
	}
	return names
}
