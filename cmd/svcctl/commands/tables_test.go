package commands

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

// fits fails when a line of out is wider than a terminal.
func fits(t *testing.T, what, out string, width int) {
	t.Helper()
	for line := range strings.SplitSeq(out, "\n") {
		if n := safe.Width(line); n > width {
			t.Errorf("%s: a line takes %d cells:\n%s", what, n, line)
		}
	}
}

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
		v.Set(reflect.ValueOf(fixedNow.Add(-999 * 24 * time.Hour)))
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

// TestNoTableWrapsAt80Columns prints each shape of the package with long values.
func TestNoTableWrapsAt80Columns(t *testing.T) {
	tested := map[string]bool{}
	wrapless(t, tested, "accountShape", accountShape)
	wrapless(t, tested, "aliasShape", aliasShape)
	wrapless(t, tested, "appShape", appShape)
	wrapless(t, tested, "cachedShape", cachedShape)
	wrapless(t, tested, "chatShape", chatShape)
	wrapless(t, tested, "checkShape", checkShape)
	wrapless(t, tested, "configShape", configShape)
	wrapless(t, tested, "contextShape", contextShape)
	wrapless(t, tested, "credentialsShape", credentialsShape)
	wrapless(t, tested, "digestShape", digestShape)
	wrapless(t, tested, "docShape", docShape)
	wrapless(t, tested, "draftShape", draftShape)
	wrapless(t, tested, "emojiShape", emojiShape)
	wrapless(t, tested, "entryShape", entryShape)
	wrapless(t, tested, "fieldShape", fieldShape)
	wrapless(t, tested, "groupShape", groupShape)
	wrapless(t, tested, "historyShape", historyShape)
	wrapless(t, tested, "hostShape", hostShape)
	wrapless(t, tested, "instanceShape", instanceShape)
	wrapless(t, tested, "inviteShape", inviteShape)
	wrapless(t, tested, "jobShape", jobShape)
	wrapless(t, tested, "journalShape", journalShape)
	wrapless(t, tested, "knownShape", knownShape)
	wrapless(t, tested, "limitedShape", limitedShape)
	wrapless(t, tested, "lineShape", lineShape)
	wrapless(t, tested, "logInShape", logInShape)
	wrapless(t, tested, "logShape", logShape)
	wrapless(t, tested, "mailDomainShape", mailDomainShape)
	wrapless(t, tested, "mediaShape", mediaShape)
	wrapless(t, tested, "messageShape", messageShape)
	wrapless(t, tested, "packShape", packShape)
	wrapless(t, tested, "pastShape", pastShape)
	wrapless(t, tested, "pendingShape", pendingShape)
	wrapless(t, tested, "queueShape", queueShape)
	wrapless(t, tested, "rebootShape", rebootShape)
	wrapless(t, tested, "relayShape", relayShape)
	wrapless(t, tested, "reportShape", reportShape)
	wrapless(t, tested, "resetShape", resetShape)
	wrapless(t, tested, "restrictionShape", restrictionShape)
	wrapless(t, tested, "roleShape", roleShape)
	wrapless(t, tested, "announcementShape", announcementShape)
	wrapless(t, tested, "ruleShape", ruleShape)
	wrapless(t, tested, "schemaFieldShape", schemaFieldShape)
	wrapless(t, tested, "sshKeyShape", sshKeyShape)
	wrapless(t, tested, "statsShape", statsShape)
	wrapless(t, tested, "statusGroupShape", statusGroupShape)
	wrapless(t, tested, "statusShape", statusShape)
	wrapless(t, tested, "threadShape", threadShape)
	wrapless(t, tested, "userShape", userShape)
	wrapless(t, map[string]bool{}, "differenceShape", differenceShape("now", "new"))
	for _, name := range shapeNames(t) {
		if !tested[name] {
			t.Errorf("%s is not tested", name)
		}
	}
}

func wrapless[T any](t *testing.T, tested map[string]bool, name string, shape output.Shape[T]) {
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
			}, fixedNow)
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
				fits(t, name+" -o "+format, out.String(), width)
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

// shapeNames are the variables of this package that hold shapes.
func shapeNames(t *testing.T) []string {
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
	if len(names) < 30 {
		t.Errorf("only %d shapes found", len(names))
	}
	return names
}
