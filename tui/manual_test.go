package tui

import (
	"fmt"
	"os"
	"slices"
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
	return fmt.Sprintf("| %s | `%s` | %s |", strings.Join(names, " "), b.do, b.help)
}

// manualKeys are the tables of keys, one for each group of screens.
func manualKeys() string {
	var b strings.Builder
	var seen []places
	bindings := defaultBindings()
	for _, first := range bindings {
		if slices.Contains(seen, first.on) {
			continue
		}
		seen = append(seen, first.on)
		where := "On " + first.on.String()
		if first.on == onAll {
			where = "Everywhere"
		}
		b.WriteString("\n**" + where + "**\n\n| keys | name | |\n|---|---|---|\n")
		for _, other := range bindings {
			if other.on == first.on {
				b.WriteString(manualRow(other) + "\n")
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
