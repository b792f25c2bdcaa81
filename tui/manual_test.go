package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/go-cmp/cmp"

	"svc/tui/keys"
)

// manualRow is a binding as the manual's tables have it.
func manualRow(b keys.Binding) string {
	names := make([]string, len(b.Keys))
	for i, key := range b.Keys {
		names[i] = "`" + strings.ReplaceAll(keys.Name(key), "|", "\\|") + "`"
	}
	if len(names) == 0 {
		names = []string{"`:" + string(b.Do) + "`"}
	}
	where := b.On.String()
	switch b.On {
	case keys.OnAll:
		where = ""
	case keys.OnLists:
		where = "lists"
	}
	return fmt.Sprintf("| %s | `%s` | %s | %s |", strings.Join(names, " "), b.Do, b.Help, where)
}

// manualKeys are the tables of keys, one for each purpose.
func manualKeys() string {
	var b strings.Builder
	for _, purpose := range keys.Groups {
		title := string(purpose)
		b.WriteString("\n**" + strings.ToUpper(title[:1]) + title[1:] + "**\n\n| keys | name | | on |\n|---|---|---|---|\n")
		for _, one := range keys.DefaultBindings() {
			if keys.GroupOf(one.Do) == purpose {
				b.WriteString(manualRow(one) + "\n")
			}
		}
	}
	return b.String()
}

// TestTheManualHasEveryKey compares the tables of keys; -update writes them.
func TestTheManualHasEveryKey(t *testing.T) {
	const path, head = "../docs/tui.md", "key is bound to.\n"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, keys, ok := strings.Cut(string(text), head)
	if !ok {
		t.Fatal("the manual has no section of keys")
	}
	if *update {
		if err := os.WriteFile(path, []byte(before+head+manualKeys()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(keys, manualKeys()); diff != "" {
		t.Errorf("docs/tui.md, -is +should be:\n%s", diff)
	}
}

// TestTheFirstHourIsTrue types the keys of the manual, and looks for what it says of the
// screen.
func TestTheFirstHourIsTrue(t *testing.T) {
	page, err := os.ReadFile("../docs/tui.md")
	if err != nil {
		t.Fatal(err)
	}
	_, hour, _ := strings.Cut(string(page), "\n## The first hour\n")
	hour, _, _ = strings.Cut(hour, "\n## ")
	if lines := strings.Count(hour, "\n"); lines > 60 {
		t.Errorf("it has %d lines", lines)
	}
	rows := regexp.MustCompile(`(?m)^\| (`+"`"+`.+) \| .+ \| (.*)\|$`).FindAllStringSubmatch(hour, -1)
	const least = 15
	if len(rows) < least {
		t.Fatalf("%d rows", len(rows))
	}
	quoted := regexp.MustCompile("`([^`]+)`")
	d := beginPlays(t)
	for _, row := range rows {
		for _, key := range quoted.FindAllStringSubmatch(row[1], -1) {
			switch name := strings.ReplaceAll(key[1], "ctrl-", "ctrl+"); {
			case name == "space":
				d.press(" ")
			case len(name) > 1 && keyNamed(name).Type != tea.KeyRunes:
				d.press("<" + name + ">")
			default:
				d.press(name)
			}
		}
		for _, text := range quoted.FindAllStringSubmatch(row[2], -1) {
			if !strings.Contains(d.frame(), text[1]) {
				t.Errorf("after %s there is no %q in\n%s", row[1], text[1], d.frame())
			}
		}
	}
	if writes := d.world.writes(); !d.quit || len(writes) > 0 {
		t.Errorf("at the end: quit %v, sent %q", d.quit, writes)
	}
}

// tested are the folders with the tests that the manual names.
var tested = []string{".", "draw", "tty", "list", "staged", "noprobe", "keys", "shown", "../server", "../server/e2e", "../cmd/svcctl/commands", "../cmd/svcd/sshd"}

// TestTheManualNamesTestsThatExist reads the tables of statements of the terminal UI: each of them has a
// number, and tests that there are.
func TestTheManualNamesTestsThatExist(t *testing.T) {
	page, err := os.ReadFile("../docs/internals/tested.md")
	if err != nil {
		t.Fatal(err)
	}
	var source strings.Builder
	for _, folder := range tested {
		files, err := filepath.Glob(filepath.Join(filepath.FromSlash(folder), "*_test.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", folder, len(files), err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			source.Write(text)
		}
	}
	_, tables, _ := strings.Cut(string(page), "\n## The terminal UI\n")
	tables, _, _ = strings.Cut(tables, "\n## ")
	names := regexp.MustCompile("`((?:Test|Benchmark)[A-Z]\\w*)`")
	for _, name := range names.FindAllStringSubmatch(tables, -1) {
		if !strings.Contains(source.String(), "func "+name[1]+"(") {
			t.Errorf("there is no %s", name[1])
		}
	}
	want := []string{}
	for n := 1; n <= 29; n++ {
		want = append(want, fmt.Sprint(n))
		for i := 1; n == 26 && i <= 14; i++ {
			want = append(want, fmt.Sprintf("26.%d", i))
		}
	}
	var numbers []string
	for _, row := range regexp.MustCompile(`(?m)^\| (\d+(?:\.\d+)?) \| .+ \| (.*) \|$`).FindAllStringSubmatch(tables, -1) {
		numbers = append(numbers, row[1])
		if row[1] != "26" && !names.MatchString(row[2]) {
			t.Errorf("statement %s has no test", row[1])
		}
	}
	if diff := cmp.Diff(want, numbers); diff != "" {
		t.Errorf("numbers of statements, -want +got:\n%s", diff)
	}
}
