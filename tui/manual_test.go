package tui

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// manualRow is a binding as the manual's tables have it.
func manualRow(b binding) string {
	names := make([]string, len(b.keys))
	for i, key := range b.keys {
		names[i] = "`" + strings.ReplaceAll(keyName(key), "|", "\\|") + "`"
	}
	if len(names) == 0 {
		names = []string{"`:" + string(b.do) + "`"}
	}
	where := b.on.String()
	switch b.on {
	case onAll:
		where = ""
	case onLists:
		where = "lists"
	}
	return fmt.Sprintf("| %s | `%s` | %s | %s |", strings.Join(names, " "), b.do, b.help, where)
}

// manualKeys are the tables of keys, one for each purpose.
func manualKeys() string {
	var b strings.Builder
	for _, purpose := range groups {
		title := string(purpose)
		b.WriteString("\n**" + strings.ToUpper(title[:1]) + title[1:] + "**\n\n| keys | name | | on |\n|---|---|---|---|\n")
		for _, one := range defaultBindings() {
			if groupOf(one.do) == purpose {
				b.WriteString(manualRow(one) + "\n")
			}
		}
	}
	return b.String()
}

// TestTheManualHasEveryKey compares the tables of keys; -update writes them.
func TestTheManualHasEveryKey(t *testing.T) {
	const path, head, foot = "../docs/tui.md", "key is bound to.\n", "\n## What is tested"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), head)
	keys, after, ended := strings.Cut(rest, foot)
	if !ok || !ended {
		t.Fatal("the manual has no section of keys")
	}
	if *update {
		if err := os.WriteFile(path, []byte(before+head+manualKeys()+foot+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(keys, manualKeys()); diff != "" {
		t.Errorf("docs/tui.md, -is +should be:\n%s", diff)
	}
}

// TestTheManualNamesTestsThatExist reads the table of promises.
func TestTheManualNamesTestsThatExist(t *testing.T) {
	page, err := os.ReadFile("../docs/tui.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var source strings.Builder
	for _, file := range files {
		if strings.HasSuffix(file.Name(), "_test.go") {
			text, err := os.ReadFile(file.Name())
			if err != nil {
				t.Fatal(err)
			}
			source.Write(text)
		}
	}
	named := 0
	for _, word := range strings.Fields(string(page)) {
		name := strings.Trim(word, "`|,.;")
		if strings.HasPrefix(name, "Test") {
			named++
			if !strings.Contains(source.String(), "func "+name+"(t *testing.T)") {
				t.Errorf("there is no %s", name)
			}
		}
	}
	if named == 0 {
		t.Error("no test is named")
	}
}
