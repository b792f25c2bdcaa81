package server_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTheMapNamesWhatIsThere holds the documents for contributors to the tree:
// each path in them exists.
func TestTheMapNamesWhatIsThere(t *testing.T) {
	path := regexp.MustCompile("`((?:server|db|client|tui|cmd)(?:/[a-z0-9_]+)*(?:\\.go)?)`")
	pages, err := filepath.Glob("../docs/internals/*.md")
	if err != nil || len(pages) < 5 {
		t.Fatal(pages, err)
	}
	for _, name := range append(pages, "../docs/architecture.md", "../docs/CONTRIBUTING.md") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		found := path.FindAllSubmatch(text, -1)
		if len(found) == 0 && strings.HasSuffix(name, "architecture.md") {
			t.Errorf("%s names no path", name)
		}
		for _, m := range found {
			if _, err := os.Stat("../" + string(m[1])); err != nil {
				t.Errorf("%s names %s, which is not there", name, m[1])
			}
		}
	}
}
