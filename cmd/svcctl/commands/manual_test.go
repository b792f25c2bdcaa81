package commands

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"svc/client/login"
	"svc/client/playbook"
	"svc/server/servertest"
)

func svcctlPage(t *testing.T) string { return page(t, "svcctl.md") }

// page is a page of docs.
func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestTheManualNamesTestsThatAreThere reads the table of what is tested of svcctl.
func TestTheManualNamesTestsThatAreThere(t *testing.T) {
	t.Parallel()
	var code strings.Builder
	for _, dir := range []string{".", "..", filepath.Join("..", "cli"), filepath.Join("..", "cli", "output"), filepath.Join("..", "..", "..", "client", "login")} {
		files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			code.Write(text)
		}
	}
	_, table, found := strings.Cut(page(t, "internals/tested.md"), "\n## svcctl\n")
	table, _, _ = strings.Cut(table, "\n## ")
	rows := regexp.MustCompile(`(?m)^\| (\d+) \| .* \| (.*) \|$`).FindAllStringSubmatch(table, -1)
	const statements = 34
	if !found || len(rows) != statements {
		t.Fatalf("the table has %d rows, want %d", len(rows), statements)
	}
	for i, row := range rows {
		names := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[2], -1)
		if row[1] != strconv.Itoa(i+1) || len(names) == 0 {
			t.Errorf("row %d is about statement %s, with %d tests", i+1, row[1], len(names))
		}
		for _, name := range names {
			script, isScript := strings.CutPrefix(name[1], "script/")
			if isScript {
				if _, err := os.Stat(filepath.Join("testdata", "script", script+".txtar")); err != nil {
					t.Error(err)
				}
			} else if !strings.Contains(code.String(), "func "+name[1]+"(") {
				t.Errorf("there is no %s", name[1])
			}
		}
	}
}

// TestTheManualsRecipesRun runs each line of the crontab in the manual: none needs a
// person, and none prints an error.
func TestTheManualsRecipesRun(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.WithMail)
	dir := t.TempDir()
	env := append(os.Environ(), fill(t, s)...)
	env = append(env, "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_STATE_HOME="+dir, "SVCCTL_NO_KEYRING=1",
		"PATH="+servertest.Programs(t)+string(filepath.ListSeparator)+os.Getenv("PATH"), "GIT_CONFIG_GLOBAL=/dev/null")
	for name, text := range map[string]string{
		"svc/config.yaml": ":svc:\n  :instance:\n    :limit: 3000\n", "svc/staff.txt": "user/mika\nuser/tess\n",
		"feeds/media-urls.txt": "https://evil.example/a.png\n", "blocklist/list.yaml": "[]\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	shell := func(line string) (string, string, error) {
		var out, complaint strings.Builder
		cmd := exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll(line, "/srv/", dir+"/"))
		cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = env, dir, &out, &complaint
		err := cmd.Run()
		return out.String(), complaint.String(), err
	}
	if _, complaint, err := shell("cd /srv/blocklist && git init -q && git add . && git -c user.name=x -c user.email=x@x.example commit -qm x"); err != nil {
		t.Fatalf("%v: %s", err, complaint)
	}
	_, block, _ := strings.Cut(svcctlPage(t), "\n## Recipes for cron\n")
	recipes := regexp.MustCompile(`(?m)^[\d*/]+ [\d*/]+ \* \* [\d*] (.*)$`).FindAllStringSubmatch(block, -1)
	if len(recipes) != 12 {
		t.Fatalf("there are %d recipes", len(recipes))
	}
	said := ""
	for _, r := range recipes {
		out, complaint, err := shell(r[1])
		if err != nil || strings.Contains(complaint, "error:") {
			t.Errorf("%s: %v: %s%s", r[1], err, out, complaint)
		}
		said += out
	}
	for _, want := range []string{"# Moderation of ", "drift or failure: exit 9"} {
		if !strings.Contains(said, want) {
			t.Errorf("the recipes do not print %q:\n%s", want, said)
		}
	}
	if invite, err := os.ReadFile(filepath.Join(dir, "invite")); err != nil || len(invite) < 8 {
		t.Errorf("the invitation is %q, %v", invite, err)
	}
}

// TestTheManualsConfigurationFileIsAccepted reads its example with all that reads
// the file.
func TestTheManualsConfigurationFileIsAccepted(t *testing.T) {
	t.Parallel()
	_, text, found := strings.Cut(svcctlPage(t), "```yaml\n")
	text, _, ended := strings.Cut(text, "```")
	if !found || !ended {
		t.Fatal("there is no example")
	}
	c := newCLI(t, "", "")
	path := c.env["SVCCTL_CONFIG"]
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	config, err := login.LoadConfig(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(config.Rest) > 0 || len(config.Contexts) < 3 || len(config.Aliases) == 0 || config.Contexts[config.Current].Color == "" {
		t.Errorf("read as %+v", config)
	}
	for name, context := range config.Contexts {
		if len(context.Rest) > 0 {
			t.Errorf("context %s: unknown %v", name, context.Rest)
		}
	}
	keys, filters, err := tuiConfig(c.App)
	if err != nil || len(keys) == 0 || len(filters) == 0 {
		t.Errorf("keys %v, filters %v, %v", keys, filters, err)
	}
	books, err := playbook.Load(config.Playbooks, config.Templates)
	if err == nil {
		_, err = playbook.Find(books, "casino")
	}
	if err != nil {
		t.Error(err)
	}
}
