package commands

import (
	"archive/zip"
	"errors"
	"fmt"
	"image"
	"image/png"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"svc/client"
	"svc/client/api"
	"svc/db/dbtest"
	"svc/docs/manual"
	"svc/server/servertest"
)

// TestEveryCommandOfThePagesRuns types every block of commands of the pages of docs into a
// shell, against an instance of its own. README.md and the crontab of docs/svcctl.md have tests
// of their own, and the pages of contributors run tests and benchmarks.
func TestEveryCommandOfThePagesRuns(t *testing.T) {
	t.Parallel()
	pages, err := manual.All(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	h := newHand(t)
	n := 0
	for _, page := range pages {
		if slices.Contains([]string{"README.md", "docs/CONTRIBUTING.md", "docs/SECURITY.md", "docs/benchmarks.md"}, page.Name) || strings.HasPrefix(page.Name, "docs/internals/") {
			continue
		}
		for _, block := range page.Blocks() {
			switch block.Language {
			case "":
				n += h.types(t, page.Name, block.Text)
			case "yaml", "json", "text", "ini", "crontab", "nginx", "haproxy", "caddy":
			default:
				t.Errorf("%s has a block in %s", page.Name, block.Language)
			}
		}
	}
	if n < 140 {
		t.Errorf("only %d commands", n)
	}
}

// foreign are programs that change the machine, or speak to other machines. They are found on
// the PATH, do nothing, and succeed.
var foreign = []string{"apt", "systemctl", "docker", "createuser", "createdb", "restic", "pg_isready", "ldapwhoami"}

// others are the scripts in place of programs that would speak to social.example.
var others = map[string]string{
	"runuser":  `shift 3; exec "$@"`,
	"ssh":      `plain=; while [ $# -gt 0 ]; do case $1 in -p) shift 2;; -T) plain=--plain; shift;; social.example) shift;; *) break;; esac; done; [ $# -gt 0 ] || set -- tui $plain; exec svcctl "$@"`,
	"openssl":  `[ "$1" != s_client ] || exec cat "$SSL_CERT_FILE"; exec "$OPENSSL" "$@"`,
	"websocat": `exec curl -N -H "Authorization: Bearer $TOKEN" "https${1#wss}"`,
	"curl": `status=$("$CURL" --max-time 1 -s -o answer -w '%{http_code}' "$@"); echo "HTTP $status"; cat answer
case $status in 2*) exit 0;; 400) grep -q 'The code is unknown' answer;; *) exit 1;; esac`,
}

// exits are the exit codes of lines that do not end with 0, with the reason.
var exits = map[string][]int{
	"svcctl doctor":                                            {0, 9}, // mail does not work here
	"svcctl config diff settings.yaml":                         {0, 9},
	"svcctl relay follow https://relay.example/actor":          {7},   // it has to be asked
	"svcctl report list --host bad.example --state open":       {4},   // nothing is known of bad.example
	"svcctl emoji add blobcat@far.example --as cat":            {1},   // far.example has sent nothing
	"svcctl emoji pack import cats --from https://far.example": {5},   // the line before imported that pack
	"svcctl user pending --watch":                              {124}, // timeout ends it
}

// hand types what pages say.
type hand struct {
	*reader
	token    string
	app      *api.App
	blocks   int
	database string // on PostgreSQL
	restored string // the data folder of the latest restoration, which is moved
	demo     bool   // it was shown
	approves bool   // sign-ups wait for approval
}

func newHand(t *testing.T) *hand {
	t.Helper()
	h := &hand{reader: newReader(t)}
	stubs := filepath.Join(h.dir, "stubs")
	must(t, os.MkdirAll(stubs, 0o700))
	for _, name := range foreign {
		must(t, os.WriteFile(filepath.Join(stubs, name), []byte("#!/bin/sh\n"), 0o700))
	}
	for name, script := range others {
		must(t, os.WriteFile(filepath.Join(stubs, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700))
	}
	authority := ""
	for _, v := range h.env {
		if path, ok := strings.CutPrefix(v, "SSL_CERT_FILE="); ok {
			authority = path
		}
	}
	look := func(program string) string {
		path, err := exec.LookPath(program)
		if err != nil {
			path = "true"
		}
		return path
	}
	h.env = append(h.env, "PATH="+strings.Join([]string{stubs, servertest.Programs(t), os.Getenv("PATH")}, string(filepath.ListSeparator)),
		"SVC_BASE_URL=https://social.example", "SVC_DATA_DIR="+h.dir+"/data", "SVC_SMTP_HOST=127.0.0.1", "SVC_SMTP_PORT=1", "BROWSE_USER=mika", "EDITOR=true",
		"CURL="+look("curl"), "OPENSSL="+look("openssl"), "CURL_CA_BUNDLE="+authority)
	h.files(t)
	h.create(t, "svcd user create mika --email mika@example.org --admin")
	h.serve(t, "svcd", h.listen)
	h.run(t, h.dir, "svcctl auth login https://social.example", "")
	h.run(t, h.dir, "svcctl relay follow https://far.example/inbox", "")
	h.run(t, h.dir, "until svcctl federation host far.example >/dev/null 2>&1; do sleep 0.1; done", "")
	app, err := h.client(t).Apps.Create(t.Context(), api.NewApp{ClientName: "hand", RedirectURIs: client.OutOfBand, Scopes: servertest.AdminScopes})
	must(t, err)
	h.app = app
	own, err := h.client(t).OAuth.Password(t.Context(), app, "mika", h.password, servertest.AdminScopes)
	must(t, err)
	h.token = own.AccessToken
	h.env = append(h.env, "TOKEN="+h.token)
	return h
}

// files makes those that commands read.
func (h *hand) files(t *testing.T) {
	t.Helper()
	for _, dir := range []string{"etc/svc", "etc/caddy", "backup", "docs/deploy", ".ssh", "data/uploads"} {
		must(t, os.MkdirAll(filepath.Join(h.dir, dir), 0o700))
	}
	for name, text := range map[string]string{
		"password.txt": "secret\n", "new-password.txt": "correct horse battery\n", "etc/svc/svcd.yaml": "", "svc_1.0.0_amd64.deb": "",
		"SHA256SUMS":          "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  svc_1.0.0_amd64.deb\n",
		"blocklist.csv":       "#domain,#severity\nbad.example,suspend\n",
		".ssh/id_ed25519.pub": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAiSPZyER1EmBaKEFli8Bf94KzESAWC0P+tz+uaBHWgS mika@laptop\n",
	} {
		must(t, os.WriteFile(filepath.Join(h.dir, name), []byte(text), 0o600))
	}
	must(t, os.CopyFS(filepath.Join(h.dir, "docs", "deploy", "container"), os.DirFS(filepath.Join(h.root, "docs", "deploy", "container"))))
	for _, name := range []string{"blob.png", "tom.png"} {
		f, err := os.Create(filepath.Join(h.dir, name))
		must(t, err)
		must(t, errors.Join(png.Encode(f, image.NewGray(image.Rect(0, 0, 4, 4))), f.Close()))
	}
	f, err := os.Create(filepath.Join(h.dir, "cats.zip"))
	must(t, err)
	z := zip.NewWriter(f)
	w, err := z.Create("cat.png")
	must(t, err)
	must(t, errors.Join(png.Encode(w, image.NewGray(image.Rect(0, 0, 4, 4))), z.Close(), f.Close()))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// types types a block, and returns how many commands it has.
func (h *hand) types(t *testing.T, page, text string) (n int) {
	t.Helper()
	h.blocks++
	names := h.people(t, text)
	text = names.Replace(strings.ReplaceAll(text, "\\\n", ""))
	dir := h.dir
	here := regexp.MustCompile(`(?m)(cat >>.*<<'\.'\n(?:.*\n)*?\.$|.*\|\n.*)|^.+$`)
	for _, line := range here.FindAllString(text, -1) {
		line = trailer.ReplaceAllString(line, "")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		n++
		if to, ok := strings.CutPrefix(line, "cd "); ok {
			dir = filepath.Join(h.dir, to)
			continue
		}
		if out, err := h.one(t, dir, h.places().Replace(line)); err != nil {
			var exit *exec.ExitError
			code := -1
			if errors.As(err, &exit) {
				code = exit.ExitCode()
			}
			if !slices.Contains(exits[line], code) {
				t.Errorf("%s: %s: %v\n%s", page, line, err, out)
			}
		} else if want := exits[line]; len(want) > 0 && !slices.Contains(want, 0) {
			t.Errorf("%s: %s: exits with 0", page, line)
		}
	}
	return n
}

// places has the folders of pages in that of the test, and the address that svcd serves on.
func (h *hand) places() *strings.Replacer {
	return strings.NewReplacer("/etc/svc/", h.dir+"/etc/svc/", "/etc/caddy/", h.dir+"/etc/caddy/", "/var/lib/svc/svc.db", h.dir+"/back.db", "/var/lib/svc", h.dir+"/data",
		"/backup/svc", h.dir+"/backup/svc", "/usr/share/doc/svc", h.root+"/docs/deploy", "127.0.0.1:8080", h.listen)
}

var serves = regexp.MustCompile(`^([A-Z_]+=\S+ |[A-Z_]+="[^"]*" )*svcd( serve)?$`)

// one carries a line out.
func (h *hand) one(t *testing.T, dir, line string) (string, error) {
	t.Helper()
	restored := "SVC_DATA_DIR=" + h.restored + " "
	switch {
	case serves.MatchString(line):
		h.serve(t, "SVC_DATA_DIR="+filepath.Join(t.TempDir(), "data")+" "+line, freeAddress(t))
		return "", nil
	case line == "svcd demo" && h.demo: // two pages begin with it
		return "", nil
	case line == "svcd demo", line == "svcctl tui", line == "ssh social.example -p 2222":
		h.demo = h.demo || line == "svcd demo"
		return h.try(t, dir, line, " REPORTS ")
	case strings.HasPrefix(line, "ssh -T"):
		return h.try(t, dir, line+" </dev/null", "")
	case strings.Contains(line, "--watch"):
		return h.try(t, dir, "timeout --foreground -s INT 2 "+line, "")
	case strings.HasPrefix(line, "svcctl ssh-key delete 3"):
		rest := strings.TrimPrefix(line, "svcctl ssh-key delete 3")
		return h.try(t, dir, "svcctl ssh-key delete $(svcctl ssh-key list -o json --jq '.[0].id' "+rest+") "+rest, "")
	case strings.HasPrefix(line, "svcd restore"):
		h.restored = filepath.Join(t.TempDir(), "data")
		return h.try(t, dir, "SVC_DATA_DIR="+h.restored+" "+line, "")
	case strings.HasPrefix(line, "svcd move --to postgres"):
		if h.database == "" {
			if h.database = dbtest.Postgres(t); h.database == "" {
				return "", nil
			}
		}
		return h.try(t, dir, restored+strings.Replace(line, "postgres://svc@db.example/svc", "'"+h.database+"'", 1), "")
	case strings.HasPrefix(line, "svcd move --to sqlite"):
		if h.database == "" {
			return "", nil
		}
		return h.try(t, dir, restored+"SVC_DATABASE='"+h.database+"' "+line, "")
	}
	return h.try(t, dir, line, "")
}

var name = regexp.MustCompile(`\b(?:kim|zed|NICK)\b`)

// people makes those whom a block names, with a status and two reports if it names any. Each
// block has its own.
func (h *hand) people(t *testing.T, text string) *strings.Replacer {
	t.Helper()
	var pairs []string
	called := map[string]string{}
	var users []api.NewUser
	waits := strings.Contains(text, "user pending")
	if h.approves != waits {
		h.run(t, h.dir, fmt.Sprintf("svcctl config set svc instance account_approval_required %t", waits), "")
		h.approves = waits
	}
	if waits {
		h.run(t, h.dir, "svcctl config set svc instance registrations_open true && svcctl config set svc Svc.Captcha enabled false", "")
	}
	wanted := name.FindAllString(text, -1)
	if strings.Contains(text, "9xA7") {
		wanted = append(wanted, "kim")
	}
	slices.Sort(wanted)
	for _, who := range slices.Compact(wanted) {
		called[who] = fmt.Sprintf("%s%d", strings.ToLower(who), h.blocks)
		if waits {
			h.registers(t, called[who])
		} else {
			users = append(users, api.NewUser{Nickname: called[who], Email: called[who] + "@example.org", Password: "correct horse battery"})
		}
		pairs = append(pairs, "create "+who+" --email "+who, "create new"+called[who]+" --email new"+called[who], " "+who, " "+called[who])
	}
	c := h.client(t, h.token)
	if len(users) > 0 {
		_, err := c.Admin.Users.Create(t.Context(), users)
		must(t, err)
	}
	if strings.Contains(text, "9xA7") {
		about, err := c.Accounts.Get(t.Context(), called["kim"])
		must(t, err)
		for _, id := range []string{"9xA7", "9xA8"} {
			report, err := c.Reports.Create(t.Context(), api.NewReport{AccountID: about.ID, Comment: "spam"})
			must(t, err)
			for _, verb := range []string{"status context ", "status get ", "status delete "} {
				pairs = append(pairs, verb+id, verb+h.status(t))
			}
			pairs = append(pairs, id, report.ID)
		}
	}
	if who := called["NICK"]; who != "" && strings.Contains(text, "ssh-key delete 3") {
		h.run(t, h.dir, "svcctl ssh-key add ~/.ssh/id_ed25519.pub -y --user "+who, "")
	}
	pairs = append(pairs, "client_id=ID", "client_id="+h.app.ClientID, "client_secret=SECRET", "client_secret="+h.app.ClientSecret,
		"redirect_uri=https://app.example/back", "redirect_uri="+url.QueryEscape(client.OutOfBand), "YOUR.DOMAIN", "social.example")
	return strings.NewReplacer(pairs...)
}

// status posts one.
func (h *hand) status(t *testing.T) string {
	t.Helper()
	status, err := h.client(t, h.token).Statuses.Post(t.Context(), api.NewStatus{Status: "good morning"})
	must(t, err)
	return status.ID
}

// registers has somebody ask for an account.
func (h *hand) registers(t *testing.T, who string) {
	t.Helper()
	token, err := h.client(t).OAuth.ClientCredentials(t.Context(), h.app)
	must(t, err)
	yes := api.Bool(true)
	_, err = h.client(t, token.AccessToken).Accounts.Register(t.Context(), api.NewAccount{
		Username: who, Password: "correct horse battery", Email: who + "@spam.example", Agreement: &yes, Reason: "to read",
	})
	must(t, err)
}
