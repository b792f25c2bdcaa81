package server_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"svc/client/schema"
	"svc/server"
	"svc/server/servertest"
)

// The golden is docs/openapi.json.
const openAPIFile = "../docs/openapi.json"

type object = schema.Object

// described are the parts of the API that the description has: all but pages, and what
// other servers ask for.
func described(r server.Route) bool {
	if r.Access == server.Page || r.Access == server.Federation {
		return false
	}
	return r.Answers != nil || slices.ContainsFunc([]string{"/api/", "/oauth/", "/nodeinfo/", "/.well-known/"}, func(part string) bool { return strings.HasPrefix(r.Path, part) })
}

// openAPI is the description under construction.
type openAPI struct {
	t       *testing.T
	answers schema.Set
	forms   schema.Set
	calls   map[string][]call // of the client, by route
	names   map[string]string // of parameters in paths, by the path without names
	words   map[string]string
	ids     map[string]bool
}

func newOpenAPI(t *testing.T, routes []server.Route) *openAPI {
	d := &openAPI{t: t, calls: clientCalls(t), names: map[string]string{}, words: toldRoutes(t), ids: map[string]bool{}}
	d.answers = schema.Set{Ref: "#/components/schemas/", Exact: true, Rules: schema.Rules}
	d.forms = schema.Set{Ref: "#/components/schemas/", Form: true, Other: &d.answers}
	for _, r := range routes { // types of answers come first: those of forms get other names
		for _, one := range r.Answers {
			d.answer(one)
		}
	}
	return d
}

// document is the whole description.
func (d *openAPI) document(routes []server.Route) object {
	paths, scopes := object{}, object{}
	for _, r := range routes {
		if !described(r) {
			continue
		}
		path := d.path(r.Path)
		item, _ := paths[path].(object)
		if item == nil {
			item = object{}
			paths[path] = item
		}
		item[strings.ToLower(r.Method)] = d.operation(r, path)
		for _, scope := range scopesOf(r) {
			scopes[scope] = ""
		}
	}
	for scope := range scopes {
		scopes[scope] = scopeWords(scope)
	}
	schemas := object{"Error": errorSchema}
	for _, set := range []schema.Set{d.answers, d.forms} {
		for name, of := range set.Defs {
			schemas[name] = of
		}
	}
	responses := object{}
	for name, words := range refusals {
		responses[name] = object{"description": words, "content": object{"application/json": object{"schema": object{"$ref": "#/components/schemas/Error"}}}}
	}
	flow := func(urls ...string) object {
		f := object{"scopes": scopes, "tokenUrl": "/oauth/token"}
		if len(urls) > 0 {
			f["authorizationUrl"] = urls[0]
		}
		return f
	}
	return object{
		"openapi": "3.1.1",
		"info": object{
			"title": "svc", "version": "0",
			"summary":     "The API of an svc server: that of Mastodon's clients, and svc's own.",
			"description": "Bodies may be JSON, forms or multipart. Booleans and integers may also come as texts. Pages, feeds and what other servers ask for are not described here.",
		},
		"servers":           []any{object{"url": "/"}},
		"jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
		"paths":             paths,
		"components": object{
			"schemas": schemas, "responses": responses,
			"securitySchemes": object{
				"token":  object{"type": "oauth2", "flows": object{"authorizationCode": flow("/oauth/authorize"), "clientCredentials": flow(), "password": flow()}},
				"client": object{"type": "http", "scheme": "basic", "description": "The client id and secret of an app. They may be in the body instead."},
			},
		},
	}
}

// refusals are the answers of requests that are refused.
var refusals = map[string]string{
	"Malformed":       "The request cannot be read, or a parameter has the wrong shape.",
	"Unauthenticated": "The token is missing or no longer valid.",
	"Forbidden":       "The token lacks a scope, or the account may not do that.",
	"NotFound":        "The object does not exist, or the caller may not see it.",
	"Invalid":         "A value is not accepted.",
	"RateLimited":     "Too many requests. The fields X-RateLimit-Reset and Retry-After say when to try again.",
	"Unavailable":     "The server cannot answer for the moment. Retry-After says when to try again.",
	"Other":           "Any other refusal or failure.",
}

// errorSchema has the shapes of refusals.
var errorSchema = object{"anyOf": []any{
	object{
		"type": "object", "required": []string{"error"},
		"properties": object{
			"error": object{"type": []string{"string", "object"}, "description": "What is wrong, for people."}, "error_description": object{"type": "string"},
			"identifier": object{"type": "string", "description": "A word for programs."}, "mfa_token": object{"type": "string"},
			"errors": object{"type": "array", "items": object{"type": "object", "properties": object{"title": object{"type": "string"}, "message": object{"type": "string"}, "source": object{"type": "object", "properties": object{"pointer": object{"type": "string"}}}}}},
		},
	},
	object{"type": "object", "required": []string{"errors"}, "properties": object{"errors": object{"type": "object", "additionalProperties": object{"type": "string"}}}},
	object{"type": "array", "items": object{"type": "object"}, "description": "The refused items of a change of many."},
	object{"type": "string"},
}}

var (
	pathParam = regexp.MustCompile(`[:*](\w+)`)
	bare      = func(path string) string { return pathParam.ReplaceAllString(path, "{}") }
)

// path is a path as OpenAPI writes it. Paths that differ by names of parameters alone are
// one.
func (d *openAPI) path(path string) string {
	known, ok := d.names[bare(path)]
	if !ok {
		known = pathParam.ReplaceAllString(path, "{$1}")
		d.names[bare(path)] = known
	}
	return known
}

func scopesOf(r server.Route) []string {
	var all []string
	for _, scope := range r.Scopes {
		if r.Access == server.Admin {
			scope = "admin:" + scope
		}
		all = append(all, scope)
	}
	return all
}

func scopeWords(scope string) string {
	admin, rest := "", scope
	if after, ok := strings.CutPrefix(scope, "admin:"); ok {
		admin, rest = " as an administrator or moderator", after
	}
	verb, what, one := strings.Cut(rest, ":")
	switch {
	case one && verb == "read":
		return "Read " + strings.ReplaceAll(what, "_", " ") + admin + "."
	case one:
		return "Change " + strings.ReplaceAll(what, "_", " ") + admin + "."
	case verb == "read":
		return "Read everything" + admin + "."
	case verb == "write":
		return "Change everything" + admin + "."
	case verb == "follow":
		return "Read and change follows, blocks and mutes."
	case verb == "push":
		return "Receive notifications by Web Push."
	}
	return "Read the caller's " + verb + "."
}

// operation describes a route.
func (d *openAPI) operation(r server.Route, path string) object {
	id, tag, words := d.named(r)
	op := object{"operationId": id, "tags": []string{tag}, "summary": words, "x-svc-access": string(r.Access)}
	if r.Right != "" {
		op["x-svc-privilege"] = string(r.Right)
	}
	if security := securityOf(r); security != nil {
		op["security"] = security
	}
	var params []any
	for _, m := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(path, -1) {
		params = append(params, object{"name": m[1], "in": "path", "required": true, "schema": object{"type": "string"}})
	}
	if r.Method == http.MethodGet {
		params = append(params, d.query(r)...)
	} else if body := d.body(r); body != nil {
		op["requestBody"] = body
	}
	if params != nil {
		op["parameters"] = params
	}
	op["responses"] = d.responses(r, strings.Contains(path, "{"))
	return op
}

func securityOf(r server.Route) []any {
	var all []any
	switch r.Access {
	case server.Optional, server.Stream:
		all = append(all, object{})
	case server.OAuth:
		return []any{object{"client": []string{}}, object{}}
	}
	switch r.Access {
	case server.Public:
		return []any{}
	case server.Optional, server.User, server.Token, server.Admin, server.App, server.Stream:
		for _, scope := range scopesOf(r) {
			all = append(all, object{"token": []string{scope}})
		}
		if len(r.Scopes) == 0 {
			all = append(all, object{"token": []string{}})
		}
	}
	return all
}

// query has the parameters of a GET.
func (d *openAPI) query(r server.Route) (params []any) {
	if r.Takes == nil {
		return nil
	}
	seen := map[string]bool{}
	for _, f := range schema.Fields(reflect.TypeOf(r.Takes)) {
		if seen[f.Name] {
			continue
		}
		seen[f.Name] = true
		p := object{"name": f.Name, "in": "query", "schema": d.forms.Field(f)}
		if f.Tag.Get("binding") == "required" {
			p["required"] = true
		}
		if schema.TypeOf(f.Type) == "array" {
			p["name"], p["style"], p["explode"] = f.Name+"[]", "form", true
		}
		params = append(params, p)
	}
	return params
}

// body has the forms of a request.
func (d *openAPI) body(r server.Route) object {
	if r.Takes == nil && r.Files == nil {
		return nil
	}
	content, must := object{}, false
	whole := object{"type": "object"}
	if r.Takes != nil {
		whole = d.forms.Of(reflect.TypeOf(r.Takes))
		for _, kind := range []string{"application/json", "application/x-www-form-urlencoded"} {
			content[kind] = object{"schema": whole}
		}
		name := strings.TrimPrefix(whole["$ref"].(string), d.forms.Ref)
		must = d.forms.Defs[name]["required"] != nil
	}
	if r.Files != nil {
		files := object{}
		for _, name := range r.Files {
			files[name] = object{"contentMediaType": "application/octet-stream"}
		}
		content["multipart/form-data"] = object{"schema": object{"allOf": []any{whole, object{"type": "object", "properties": files}}}}
	}
	return object{"required": must, "content": content}
}

// responses has what a route is answered with.
func (d *openAPI) responses(r server.Route, named bool) object {
	out := object{}
	ok, status := object{"description": "Success."}, "200"
	var either []any
	for _, one := range r.Answers {
		switch one := one.(type) {
		case server.Nothing:
			status = "204"
		case server.At:
			of := d.answer(one.Of)
			if one.Status >= 400 {
				of = object{"anyOf": []any{of, object{"$ref": "#/components/schemas/Error"}}}
			}
			out[strconv.Itoa(one.Status)] = object{"description": http.StatusText(one.Status) + ".", "content": object{"application/json": object{"schema": of}}}
		case server.File:
			ok["content"] = object{one.Type: object{}}
		default:
			either = append(either, d.answer(one))
		}
	}
	if len(either) == 1 {
		ok["content"] = object{"application/json": object{"schema": either[0]}}
	} else if len(either) > 1 {
		ok["content"] = object{"application/json": object{"schema": object{"anyOf": either}}}
	}
	if r.Access == server.Stream {
		ok["description"] = "Events, for as long as the client stays. With Upgrade: websocket they come over a WebSocket."
		ok["content"] = object{"text/event-stream": object{}}
		out["101"] = object{"description": "The connection is a WebSocket."}
	}
	out[status] = ok
	say := func(status, name string) {
		if out[status] == nil {
			out[status] = object{"$ref": "#/components/responses/" + name}
		}
	}
	say("default", "Other")
	if r.Takes != nil || r.Files != nil {
		say("400", "Malformed")
	}
	switch r.Access {
	case server.Optional, server.User, server.Token, server.App, server.OAuth, server.Stream:
		say("401", "Unauthenticated")
	}
	if len(r.Scopes) > 0 {
		say("403", "Forbidden")
	}
	if named {
		say("404", "NotFound")
	}
	if r.Method != http.MethodGet {
		say("422", "Invalid")
	}
	if len(r.Limits) > 0 {
		say("429", "RateLimited")
	}
	say("503", "Unavailable")
	return out
}

// answer is the schema of an answer.
func (d *openAPI) answer(one any) object {
	switch one := one.(type) {
	case server.Nothing, server.File:
		return nil
	case server.At:
		return d.answer(one.Of)
	case server.With:
		of, need := d.answer(one.Of), object{"required": one.Fields}
		if items, ok := of["items"]; ok {
			of["items"] = object{"allOf": []any{items, need}}
			return of
		}
		return object{"allOf": []any{of, need}}
	}
	return d.answers.Of(reflect.TypeOf(one))
}

// call is a method of the client, and the first sentence about it.
type call struct{ noun, method, words string }

var toldRoute = regexp.MustCompile(`(GET|POST|PUT|PATCH|DELETE)\s+(/\S*[^\s.,;:])`)

// clientCalls are the methods of the client by the routes in their comments.
func clientCalls(t *testing.T) map[string][]call {
	t.Helper()
	files, err := filepath.Glob("../client/*.go")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]call{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range f.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || fn.Doc == nil || !fn.Name.IsExported() {
				continue
			}
			star, ok := fn.Recv.List[0].Type.(*ast.StarExpr)
			if !ok {
				continue
			}
			text := strings.Join(strings.Fields(fn.Doc.Text()), " ")
			for _, m := range toldRoute.FindAllStringSubmatch(text, -1) {
				route := m[1] + " " + bare(m[2])
				out[route] = append(out[route], call{star.X.(*ast.Ident).Name, fn.Name.Name, firstSentence(fn.Name.Name, text)})
			}
		}
	}
	return out
}

// firstSentence is that of a comment without the name it begins with.
func firstSentence(name, text string) string {
	text = toldRoute.ReplaceAllString(text, "")
	text, _, _ = strings.Cut(text, ". ")
	text, _, _ = strings.Cut(text, "; ")
	text = strings.TrimRight(strings.TrimSpace(strings.TrimPrefix(text, name)), ". ")
	for _, verb := range []string{"is ", "are "} {
		text = strings.TrimPrefix(text, verb)
	}
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// toldRoutes are the sentences about routes that no method of the client tells of.
func toldRoutes(t *testing.T) map[string]string {
	t.Helper()
	raw, err := os.ReadFile("testdata/summaries.txt")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for line := range strings.Lines(string(raw)) {
		if route, words, ok := strings.Cut(strings.TrimSpace(line), " | "); ok {
			out[route] = words
		}
	}
	return out
}

// named is the id of an operation, the part of the API it belongs to, and a sentence.
func (d *openAPI) named(r server.Route) (id, tag, words string) {
	route := r.Method + " " + r.Path
	if calls := d.calls[r.Method+" "+bare(r.Path)]; len(calls) > 0 {
		id, tag, words = lowerFirst(calls[0].noun)+calls[0].method, spaced(calls[0].noun), calls[0].words
	}
	if id == "" || d.ids[id] {
		parts := strings.FieldsFunc(strings.ToLower(r.Method)+r.Path, func(c rune) bool { return strings.ContainsRune("/.-_:*", c) })
		for i := range parts[1:] {
			parts[i+1] = strings.ToUpper(parts[i+1][:1]) + parts[i+1][1:]
		}
		id = strings.Join(parts, "")
	}
	d.ids[id] = true
	if own, ok := d.words[route]; ok {
		words = own
		delete(d.words, route)
	}
	if words == "" {
		d.t.Errorf("nothing says what %s does: neither a method of the client nor testdata/summaries.txt", route)
	}
	return id, cmp.Or(tag, roomOf(r.Path)), words
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }

var humps = regexp.MustCompile(`([a-z])([A-Z])`)

func spaced(noun string) string { return humps.ReplaceAllString(noun, "$1 $2") }

// roomOf is the part of the API that a path says.
func roomOf(path string) string {
	for _, part := range strings.Split(path, "/") {
		switch part {
		case "", "api", "v1", "v2", "svc", "web":
			continue
		case ".well-known", "nodeinfo", "openapi.json":
			return "Instance"
		case "admin":
			return "Admin"
		}
		return strings.ToUpper(part[:1]) + strings.ReplaceAll(part[1:], "_", " ")
	}
	return "Instance"
}

// TestTheAPIIsDescribed: docs/openapi.json is what the table of routes, the types of
// client/api and the comments of the client say. An untyped route is an error.
func TestTheAPIIsDescribed(t *testing.T) {
	routes := servertest.Start(t).Routes()
	for _, r := range routes {
		if described(r) && r.Answers == nil && r.Access != server.Stream {
			t.Errorf("%s %s: the table of routes does not say what it answers", r.Method, r.Path)
		}
	}
	d := newOpenAPI(t, routes)
	var got bytes.Buffer
	enc := json.NewEncoder(&got)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(d.document(routes)); err != nil {
		t.Fatal(err)
	}
	for _, route := range slices.Sorted(maps.Keys(d.words)) {
		t.Errorf("testdata/summaries.txt tells of %s, which is no route of the description", route)
	}
	if *update {
		if err := os.WriteFile(openAPIFile, got.Bytes(), 0o644); err != nil { //nolint:gosec // a document
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(openAPIFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, got.Bytes()) {
		at := 0
		for at < len(want) && at < got.Len() && want[at] == got.Bytes()[at] {
			at++
		}
		t.Errorf("docs/openapi.json is not what the routes say; go test ./server -run TestTheAPIIsDescribed -update. From byte %d on it is\n%.300s\nwant\n%.300s", at, got.Bytes()[at:], want[min(at, len(want)):])
	}
}
