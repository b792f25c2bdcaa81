package server_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"svc/docs"
	"svc/server/servertest"
)

// TestTheDescriptionIsWellFormed: ids are unique, references lead somewhere and every
// schema is used, every parameter of a path is declared, every schema is one of JSON Schema
// 2020-12, scopes are declared, and every operation has words and answers.
func TestTheDescriptionIsWellFormed(t *testing.T) {
	raw, err := jsonschema.UnmarshalJSON(bytes.NewReader(docs.OpenAPI))
	if err != nil {
		t.Fatal(err)
	}
	doc := raw.(object)
	if version, _ := doc["openapi"].(string); !strings.HasPrefix(version, "3.1.") {
		t.Errorf("openapi is %q", version)
	}
	components := doc["components"].(object)
	used := map[string]bool{}
	eachRef(raw, func(ref string) {
		used[ref] = true
		var at any = doc
		for part := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
			inner, _ := at.(object)
			at = inner[part]
		}
		if at == nil {
			t.Errorf("%s leads nowhere", ref)
		}
	})
	c := jsonschema.NewCompiler()
	if err := c.AddResource("openapi.json", raw); err != nil {
		t.Fatal(err)
	}
	for name := range components["schemas"].(object) {
		if !used["#/components/schemas/"+name] {
			t.Errorf("no operation uses the schema %s", name)
		}
		if _, err := c.Compile("openapi.json#/components/schemas/" + name); err != nil {
			t.Error(err)
		}
	}
	scopes := components["securitySchemes"].(object)["token"].(object)["flows"].(object)["authorizationCode"].(object)["scopes"].(object)
	ids := map[string]string{}
	for path, item := range doc["paths"].(object) {
		var wanted []string
		for _, m := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(path, -1) {
			wanted = append(wanted, m[1])
		}
		for method, of := range item.(object) {
			op, at := of.(object), method+" "+path
			id, _ := op["operationId"].(string)
			if id == "" || ids[id] != "" {
				t.Errorf("%s has the id %q of %s", at, id, ids[id])
			}
			ids[id] = at
			if words, _ := op["summary"].(string); len(words) < 5 || !strings.HasSuffix(words, ".") {
				t.Errorf("%s: its summary is %q", at, words)
			}
			var declared, names []string
			params, _ := op["parameters"].([]any)
			for _, p := range params {
				name := p.(object)["name"].(string)
				if p.(object)["in"] == "path" {
					declared = append(declared, name)
				}
				names = append(names, p.(object)["in"].(string)+" "+name)
			}
			slices.Sort(names)
			if !slices.Equal(declared, wanted) || len(slices.Compact(slices.Clone(names))) != len(names) {
				t.Errorf("%s declares the parameters %q", at, names)
			}
			security, _ := op["security"].([]any)
			for _, way := range security {
				all, _ := way.(object)["token"].([]any)
				for _, scope := range all {
					if scopes[scope.(string)] == nil {
						t.Errorf("%s: the scope %s is not declared", at, scope)
					}
				}
			}
			if answers := op["responses"].(object); answers["200"] == nil && answers["204"] == nil {
				t.Errorf("%s has no answer: %v", at, slices.Collect(maps.Keys(answers)))
			}
		}
	}
}

func eachRef(v any, see func(ref string)) {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			eachRef(one, see)
		}
	case object:
		for name, one := range v {
			if ref, ok := one.(string); ok && name == "$ref" {
				see(ref)
				continue
			}
			eachRef(one, see)
		}
	}
}

// TestTheDescriptionIsServed: to everybody and to pages of other sites, with the version of
// the build, and again only if it has changed.
func TestTheDescriptionIsServed(t *testing.T) {
	s := servertest.Start(t)
	ask := func(etag string) (*http.Response, []byte) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/api/openapi.json", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Origin", "https://app.example")
		if etag != "" {
			req.Header.Set("If-None-Match", etag)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		raw, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp, raw
	}
	resp, raw := ask("")
	var got struct {
		Info  struct{ Version string }
		Paths map[string]any
	}
	if err := json.Unmarshal(raw, &got); err != nil || got.Info.Version != "test" || len(got.Paths) < 200 {
		t.Errorf("%v: version %q, %d paths", err, got.Info.Version, len(got.Paths))
	}
	if h := resp.Header; resp.StatusCode != 200 || h.Get("Access-Control-Allow-Origin") != "*" || !strings.HasPrefix(h.Get("Content-Type"), "application/json") {
		t.Errorf("%d %v", resp.StatusCode, h)
	}
	if again, rest := ask(resp.Header.Get("ETag")); again.StatusCode != http.StatusNotModified || len(rest) > 0 {
		t.Errorf("unchanged: %d, %d bytes", again.StatusCode, len(rest))
	}
}
