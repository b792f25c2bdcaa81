// Package outputtest prints tables of tests with values as long as they get in use.
package outputtest

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"svc/client/safe"
	"svc/cmd/svcctl/cli/output"
)

// Fits fails when a line of out is wider than a terminal.
func Fits(t *testing.T, what, out string, width int) {
	t.Helper()
	for line := range strings.SplitSeq(out, "\n") {
		if n := safe.Width(line); n > width {
			t.Errorf("%s: a line takes %d cells:\n%s", what, n, line)
		}
	}
}

// now is the time at which tables of tests are printed.
var now = time.Date(2026, 1, 31, 12, 4, 0, 0, time.UTC)

// long fills an object with values as long as they get in use.
func long(v reflect.Value, name string, depth int) {
	if depth > 6 {
		return // some hold their own kind
	}
	switch {
	case v.Type() == reflect.TypeFor[json.RawMessage]():
		v.Set(reflect.ValueOf(json.RawMessage(`["` + strings.Repeat("value ", 20) + `"]`)))
		return
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(now.Add(-999 * 24 * time.Hour)))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(longText(name))
	case reflect.Int, reflect.Int64:
		v.SetInt(1234567)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		long(v.Elem(), name, depth+1)
	case reflect.Interface:
		if v.NumMethod() == 0 {
			v.Set(reflect.ValueOf(longText(name)))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 3, 3))
		for i := range v.Len() {
			long(v.Index(i), name, depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				long(v.Field(i), strings.ToLower(f.Name), depth+1)
			}
		}
	}
}

func longText(name string) string {
	switch name {
	case "id", "accountid", "clientid":
		return "9xA1q0000000000001"
	case "token":
		return strings.Repeat("t", 43)
	case "state":
		return "resolved"
	case "visibility":
		return "unlisted"
	case "acct", "nickname", "host":
		return "a.rather-long_nickname@social.some-long-host.example"
	case "url", "link", "uri":
		return "https://social.some-long-host.example/" + strings.Repeat("path/", 20)
	}
	return strings.Repeat("some words ", 12)
}

// Wrapless prints a shape with long values, at two widths, and notes that it is tested.
func Wrapless[T any](t *testing.T, tested map[string]bool, name string, shape output.Shape[T]) {
	t.Helper()
	tested[name] = true
	var item T
	long(reflect.ValueOf(&item).Elem(), "", 0)
	for _, format := range []string{"table", "wide"} {
		for _, width := range []int{80, 40} {
			var out bytes.Buffer
			left := ""
			p, err := output.New(&out, output.Options{Format: format}, output.Screen{
				Terminal: true, Width: width, Note: func(text string) { left += text },
			}, now)
			if err != nil {
				t.Fatal(err)
			}
			if err := shape.Print(p, []T{item, item}, false); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			whole := ""
			for _, c := range shape.Columns {
				if c.Whole {
					whole = c.Title
				}
			}
			if whole != "LINK" && (whole == "" || width == 80) {
				Fits(t, name+" -o "+format, out.String(), width)
			}
			shown, _, _ := strings.Cut(out.String(), "\n")
			for i, c := range shape.Columns {
				if c.Wide && format == "table" {
					continue
				}
				if there := strings.Contains(shown, c.Title); !there && (i == 0 || c.Whole || !strings.Contains(left, c.Title)) {
					t.Errorf("%s -o %s at %d columns: %s is neither there nor named in %q:\n%s", name, format, width, c.Title, left, shown)
				}
			}
		}
	}
}

// AllTested fails for a variable of the package in this folder that holds a shape which is
// not tested.
func AllTested(t *testing.T, tested map[string]bool) {
	t.Helper()
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok || decl.Tok != token.VAR {
				continue
			}
			for _, spec := range decl.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok && strings.HasSuffix(v.Names[0].Name, "Shape") {
					names = append(names, v.Names[0].Name)
				}
			}
		}
	}
	if len(names) == 0 {
		t.Error("no shapes found")
	}
	for _, name := range names {
		if !tested[name] {
			t.Errorf("%s is not tested", name)
		}
	}
}
