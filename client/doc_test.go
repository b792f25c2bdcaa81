package client

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// TestTheTableOfNounsIsWhole holds the tables in the comments of the package and
// of Admin against the methods.
func TestTheTableOfNounsIsWhole(t *testing.T) {
	var text []byte
	for _, name := range []string{"doc.go", "client.go"} {
		part, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, part...)
	}
	// A row is a noun and its methods; a row that begins with spaces continues
	// the one above.
	row := regexp.MustCompile(`(?m)^//\t(c\.[\w.]+)?  +(\w.*)$`)
	said, noun := map[string][]string{}, ""
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		if m[1] != "" {
			noun = m[1]
		}
		said[noun] = append(said[noun], strings.Fields(m[2])...)
	}
	is := map[string][]string{}
	var nouns func(prefix string, of reflect.Type)
	nouns = func(prefix string, of reflect.Type) {
		for i := range of.NumField() {
			f := of.Field(i)
			switch {
			case !f.IsExported():
			case f.Name == "Admin":
				nouns("c.Admin.", f.Type.Elem())
			default:
				for j := range f.Type.NumMethod() {
					is[prefix+f.Name] = append(is[prefix+f.Name], f.Type.Method(j).Name)
				}
			}
		}
	}
	nouns("c.", reflect.TypeFor[Client]())
	for noun, methods := range is {
		if got := strings.Join(said[noun], " "); got != strings.Join(methods, " ") {
			t.Errorf("the documentation says of %s\n%s\nwant\n%s", noun, got, strings.Join(methods, " "))
		}
		delete(said, noun)
	}
	for noun := range said {
		t.Errorf("the documentation has %s, which there is not", noun)
	}
}
