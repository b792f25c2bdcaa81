package server_test

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

// levels says which packages may import which: only lower ones. The tools'
// side has levels of its own.
var levels = map[string]int{
	"server/hosts": -1, "server/guard": -1, "db": 0, "db/dbtest": 1, "server/fault": 0, "server/text": 0, "client/api": 0, "server/httpsig": 0,
	"server/config/term": 0, "server/config": 1, "server/settings": 2, "server/outgoing": 1, "server/activitypub": 1, "server/jobs": 1, "server/alive": 1,
	"server/cards": 2, "server/backlinks": 2, "server/auth": 3, "server/media": 2, "server/static": 2, "server/emoji": 2, "server/captcha": 0,
	"server/mail": 2, "server/mail/mailtest": 3, "server/archive": 3, "server/notify": 2, "server/mrf": 2, "server/outbox": 2, "server/remote": 3, "server/remote/remotetest": 4,
	"server/view": 4, "server/social": 4, "server/chats": 4, "server/delivery": 4, "server/signup": 5, "server/web": 5, "server/relays": 5, "server/moderation": 6,
	"server/federation": 7, "server/clientapi": 8, "server/adminapi": 8, "server/pages": 8, "server/documents": 8,
	"server": 9, "server/demo": 9, "server/servertest": 10, "server/servertest/peer": 0,
	"client": 1, "client/safe": 1, "client/settings": 1, "client/login": 3, "client/action": 3,
	"tui/quiet": 0, "tui/tty": 0, "tui/shown": 4, "tui/list": 4, "tui/outbox": 4, "tui": 5, "cmd/svcctl/output": 2, "cmd/svcctl": 11, "cmd/svcd": 11, "docs/bench": 11, "server/e2e": 12,
}

type pkg struct {
	ImportPath string
	Imports    []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "svc/...").Output()
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

func TestPackagesImportOnlyLowerLevels(t *testing.T) {
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, "svc/")
		level, ok := levels[name]
		if !ok {
			t.Errorf("%s has no level", name)
		}
		for _, i := range p.Imports {
			dep, ours := strings.CutPrefix(i, "svc/")
			if ours && levels[dep] >= level {
				t.Errorf("%s (level %d) imports %s (level %d)", name, level, dep, levels[dep])
			}
		}
	}
}

// bans are what only some packages may import.
var bans = []struct {
	what    string
	only    func(name string) bool
	because string
}{
	{"gorm.io/", oneOf("db"), "queries live in db"},
	{"github.com/gin-gonic/gin", oneOf("server", "server/web", "server/clientapi", "server/adminapi", "server/pages", "server/federation", "server/documents"), "rules do not speak HTTP"},
	{"svc/client/api", func(name string) bool {
		return name != "db" && !oneOf("server/social", "server/moderation", "server/notify", "server/auth", "server/signup", "server/mail", "server/captcha", "server/activitypub", "server/outbox", "server/remote", "server/delivery", "server/relays", "server/federation")(name)
	}, "rules do not speak JSON"},
	{"svc/server", func(name string) bool { return strings.HasPrefix(name, "server") || name == "cmd/svcd" }, "the tools know only the API"},
	{"svc/db", func(name string) bool {
		return strings.HasPrefix(name, "server") || strings.HasPrefix(name, "db") || name == "cmd/svcd"
	}, "the tools know only the API"},
	{"github.com/charmbracelet/bubbletea", func(name string) bool { return strings.HasPrefix(name, "tui") }, "one place draws"},
}

func oneOf(names ...string) func(string) bool {
	return func(name string) bool {
		for _, n := range names {
			if n == name {
				return true
			}
		}
		return false
	}
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
