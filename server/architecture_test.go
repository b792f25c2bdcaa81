package server_test

import (
	"os"
	"regexp"
	"testing"
)

// TestTheMapNamesWhatIsThere holds the documents for contributors to the tree:
// each path in them exists.
func TestTheMapNamesWhatIsThere(t *testing.T) {
	path := regexp.MustCompile("`((?:server|db|client|tui|cmd)(?:/[a-z0-9_]+)*(?:\\.go)?)`")
	for _, name := range []string{"architecture.md", "settings.md", "posting.md", "remote-posts.md", "accounts.md", "media.md", "services.md"} {
		text, err := os.ReadFile("../docs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		found := path.FindAllSubmatch(text, -1)
		if len(found) == 0 {
			t.Errorf("%s names no path", name)
		}
		for _, m := range found {
			if _, err := os.Stat("../" + string(m[1])); err != nil {
				t.Errorf("%s names %s, which is not there", name, m[1])
			}
		}
	}
}
