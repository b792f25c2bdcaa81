package tui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// folders are those of the terminal program that know its screens.
var folders = []string{".", "desk", "grid", "queue", "plain"}

// sources are the files of these folders, without tests.
func sources(t *testing.T) []*ast.File {
	t.Helper()
	var names []string
	for _, folder := range folders {
		found, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d files, %v", folder, len(found), err)
		}
		names = append(names, found...)
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

// TestScreensAnswerForThemselves keeps the program from asking which screen is in
// front: what it wants to know is a method of the interface screen, so that a new
// screen is a type and a line where it is registered.
func TestScreensAnswerForThemselves(t *testing.T) {
	files := sources(t)
	screens := map[string]bool{}
	for _, file := range files {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name == "Spoken" {
				screens[named(f.Recv.List[0].Type)] = true
			}
		}
	}
	if len(screens) < 4 {
		t.Fatalf("found the screens %v", screens)
	}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			var types []ast.Expr
			switch n := n.(type) {
			case *ast.CaseClause:
				types = n.List
			case *ast.TypeAssertExpr:
				types = []ast.Expr{n.Type}
			}
			for _, e := range types {
				if star, ok := e.(*ast.StarExpr); ok && screens[named(star)] {
					t.Errorf("%s: asks whether a screen is %s", file.Name, named(star))
				}
			}
			return true
		})
	}
}

// named is the name of a type or of what a pointer is to.
func named(e ast.Expr) string {
	if star, ok := e.(*ast.StarExpr); ok {
		e = star.X
	}
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// TestThePartsOfTheProgramAreSmallAndApart bounds the fields of the four parts, and
// keeps each from reaching another: what takes two of them is a method of env.
func TestThePartsOfTheProgramAreSmallAndApart(t *testing.T) {
	const most = 12
	structs := map[string]*ast.StructType{}
	for _, file := range sources(t) {
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				if s, ok := spec.Type.(*ast.StructType); ok {
					structs[spec.Name.Name] = s
				}
			}
			return true
		})
	}
	parts := map[string]bool{}
	for _, f := range structs["Env"].Fields.List {
		parts[named(f.Type)] = true
	}
	if len(parts) != 4 {
		t.Errorf("env has the parts %v", parts)
	}
	apart := map[string]bool{"Env": true, "Model": true}
	for part := range parts {
		apart[part] = true
	}
	var check func(name string)
	check = func(name string) {
		fields := 0
		for _, f := range structs[name].Fields.List {
			fields += max(1, len(f.Names))
			if apart[named(f.Type)] {
				t.Errorf("%s has the part %s", name, named(f.Type))
			}
			if len(f.Names) == 0 && structs[named(f.Type)] != nil { // embedded
				check(named(f.Type))
			}
		}
		if fields > most {
			t.Errorf("%s has %d fields, at most %d", name, fields, most)
		}
	}
	for part := range parts {
		check(part)
	}
}
