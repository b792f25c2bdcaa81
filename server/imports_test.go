package server_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// floors are the levels of packages, of the server and of the tools: a package
// imports its own level and those below. A folder stands for all packages in
// it.
var floors = map[string][][]string{
	"server": {
		{"client/api", "client/build", "client/schema", "client/settings/term"}, {"db"}, {"server/platform"}, {"server/federation"}, {"server/rules"}, {"server/api"}, {"server"},
		{"server/servertest", "server/demo", "client"}, {"cmd/svcd"}, {"server/e2e"},
	},
	"tools": {
		{"client/api", "client/build", "client/settings/term"}, {"client/suggest", "client/schema"}, {"client/safe", "client/settings"}, {"client"}, {"client/login", "client/action"}, {"client/blocklist", "client/journal", "client/playbook"}, {"tui/draw", "tui/list", "tui/noprobe", "tui/shown", "tui/tty"}, {"tui/staged", "tui/tables"}, {"tui/keys"}, {"tui/desk"}, {"tui/grid"}, {"tui/queue"}, {"tui/plain"}, {"tui"}, {"cmd/svcctl/cli"}, {"cmd/svcctl/commands/names"}, {"cmd/svcctl/commands/settings"}, {"cmd/svcctl/commands/instance", "cmd/svcctl/commands/moderation"}, {"cmd/svcctl/commands"}, {"cmd", "docs"}, {"server/e2e"},
	},
}

type pkg struct {
	ImportPath string
	Imports    []string
	Dir        string
	GoFiles    []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,Dir,GoFiles", "svc/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var p pkg
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// floorOf returns the level of the longest folder with a package; -1 for none.
func floorOf(up [][]string, name string) int {
	floor, longest := -1, 0
	for i, folders := range up {
		for _, f := range folders {
			if (name == f || strings.HasPrefix(name, f+"/")) && len(f) > longest {
				floor, longest = i, len(f)
			}
		}
	}
	return floor
}

func TestNoArrowPointsUp(t *testing.T) {
	for _, p := range packages(t) {
		name, known := strings.TrimPrefix(p.ImportPath, "svc/"), false
		for side, up := range floors {
			from := floorOf(up, name)
			known = known || from >= 0
			for _, i := range p.Imports {
				dep, ours := strings.CutPrefix(i, "svc/")
				if ours && from >= 0 && floorOf(up, dep) > from {
					t.Errorf("%s imports %s, which is above it among the floors of the %s", name, dep, side)
				}
			}
		}
		if !known {
			t.Errorf("%s is on no floor", name)
		}
	}
}

// bans are imports that only some packages may have.
var bans = []struct {
	what    string
	only    func(name string) bool
	because string
}{
	{"gorm.io/", under("db"), "queries live in db"},
	{"github.com/gin-gonic/gin", func(name string) bool { return name == "server" || under("server/api")(name) }, "rules do not speak HTTP"},
	{"svc/client/api", func(name string) bool {
		return !under("db", "server/federation", "server/rules")(name)
	}, "rules do not speak JSON"},
	{"svc/server", under("server", "cmd/svcd"), "the tools know only the API"},
	{"svc/db", under("server", "db", "cmd/svcd"), "the tools know only the API"},
	{"github.com/charmbracelet/bubbletea", under("tui"), "one place draws"},
}

// under reports whether a package is one of these, or in one of them.
func under(folders ...string) func(string) bool {
	return func(name string) bool { return floorOf([][]string{folders}, name) == 0 }
}

func TestBansHold(t *testing.T) {
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, "svc/")
		for _, i := range p.Imports {
			for _, ban := range bans {
				if (i == ban.what || strings.HasPrefix(i, strings.TrimSuffix(ban.what, "/")+"/")) && !ban.only(name) {
					t.Errorf("%s imports %s: %s", name, i, ban.because)
				}
			}
		}
	}
}

// TestHandlersOpenNoTransaction keeps writes in the rules: a handler calls one
// operation, which may be called from elsewhere too.
func TestHandlersOpenNoTransaction(t *testing.T) {
	for _, p := range packages(t) {
		if !under("server/api")(strings.TrimPrefix(p.ImportPath, "svc/")) {
			continue
		}
		for _, name := range p.GoFiles {
			source, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range strings.Split(string(source), "\n") {
				if strings.Contains(line, ".Tx(") || strings.Contains(line, ".TxOnce(") || strings.Contains(line, "db.Once(") {
					t.Errorf("%s/%s:%d opens a transaction", p.ImportPath, name, i+1)
				}
			}
		}
	}
}
