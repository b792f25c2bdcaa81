package manual_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"svc/docs/manual"
)

const root = "../.."

func all(t *testing.T) []manual.Page {
	t.Helper()
	all, err := manual.All(filepath.FromSlash(root))
	if err != nil || len(all) < 20 {
		t.Fatalf("%d pages, %v", len(all), err)
	}
	return all
}

var (
	fenced  = regexp.MustCompile("(?ms)^```.*?^```")
	quoted  = regexp.MustCompile("`[^`\n]*`")
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
)

// TestLinksLeadSomewhere checks the links among the pages: the file is there, and so is
// the heading.
func TestLinksLeadSomewhere(t *testing.T) {
	headings := map[string]map[string]bool{}
	for _, page := range all(t) {
		headings[page.Name] = map[string]bool{}
		for _, found := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(page.Text, ""), -1) {
			headings[page.Name][anchor(found[1])] = true
		}
	}
	links := 0
	for _, page := range all(t) {
		text := quoted.ReplaceAllString(fenced.ReplaceAllString(page.Text, ""), "")
		for _, found := range link.FindAllStringSubmatch(text, -1) {
			target, part, _ := strings.Cut(found[1], "#")
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			links++
			name := page.Name
			if target != "" {
				name = path.Join(path.Dir(page.Name), target)
			}
			if _, err := os.Stat(filepath.Join(filepath.FromSlash(root), filepath.FromSlash(name))); err != nil {
				t.Errorf("%s: (%s) leads nowhere", page.Name, found[1])
			} else if part != "" && !headings[name][part] {
				t.Errorf("%s: (%s): %s has no such heading", page.Name, found[1], name)
			}
		}
	}
	if links < 50 {
		t.Errorf("only %d links", links)
	}
}

// anchor is the part of an address that leads to a heading.
func anchor(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r), unicode.IsNumber(r), r == '-', r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, link.ReplaceAllString(title, "]"))
}

// TestOnlyContributorsReadOfCode holds the pages of operators, moderators and developers of
// apps free of paths in the code and of names of tests.
func TestOnlyContributorsReadOfCode(t *testing.T) {
	code := regexp.MustCompile("`(?:server|db|client|tui|cmd)/[a-z0-9_/.]+`|\\bgo test\\b|\\b(?:Test|Benchmark)[A-Z][a-z]\\w+|_test\\.go")
	for _, page := range all(t) {
		switch {
		case strings.HasPrefix(page.Name, "docs/internals/"), strings.HasPrefix(page.Name, "docs/release/"):
			continue
		case page.Name == "README.md", page.Name == "docs/architecture.md", page.Name == "docs/CONTRIBUTING.md", page.Name == "docs/benchmarks.md":
			continue
		}
		for _, found := range code.FindAllString(page.Text, -1) {
			t.Errorf("%s names %s, which is of use in docs/internals alone", page.Name, found)
		}
	}
}

// TestEveryPageIsLinkedFromTheFirst looks for pages that nobody finds.
func TestEveryPageIsLinkedFromTheFirst(t *testing.T) {
	found := map[string]bool{}
	texts := map[string]string{}
	for _, page := range all(t) {
		texts[page.Name] = page.Text
	}
	todo := []string{"README.md"}
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		if found[name] {
			continue
		}
		found[name] = true
		for _, link := range link.FindAllStringSubmatch(texts[name], -1) {
			target, _, _ := strings.Cut(link[1], "#")
			if next := path.Join(path.Dir(name), target); texts[next] != "" {
				todo = append(todo, next)
			}
		}
	}
	for name := range texts {
		if !found[name] {
			t.Errorf("no link leads to %s", name)
		}
	}
}

// TestEveryVariableIsDocumented compares the variables that the programs read with those that
// the pages of operators name: each is explained there, and none that is gone is named.
func TestEveryVariableIsDocumented(t *testing.T) {
	name := regexp.MustCompile(`\b(?:SVC|SVCCTL|OTEL)_[A-Z][A-Z_]*[A-Z]\b`)
	literal := regexp.MustCompile(`"(` + name.String() + `|NO_COLOR|BROWSER|VISUAL|EDITOR|ACCESSIBLE|GOGC|NOTIFY_SOCKET|WATCHDOG_USEC|LISTEN_FDS)"`)
	read := map[string]bool{}
	for _, dir := range []string{"cmd", "client", "server", "tui", "db"} {
		err := filepath.WalkDir(filepath.Join(filepath.FromSlash(root), dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, found := range literal.FindAllStringSubmatch(string(text), -1) {
				read[found[1]] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	explained := map[string]bool{}
	settings, err := os.ReadFile(filepath.Join(filepath.FromSlash(root), "docs", "deploy", "svcd.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range regexp.MustCompile(`Variable\s+(?:#\s*)?([A-Z_]+)`).FindAllStringSubmatch(string(settings), -1) {
		explained[found[1]] = true
	}
	for _, page := range all(t) {
		for _, row := range regexp.MustCompile("(?m)^\\| (`[A-Z_]+`(?:, `[A-Z_]+`)*) \\|").FindAllStringSubmatch(page.Text, -1) {
			for _, found := range strings.Split(row[1], ", ") {
				explained[strings.Trim(found, "`")] = true
			}
		}
	}
	for variable := range read {
		if !explained[variable] && !strings.HasPrefix(variable, "SVC_TEST_") {
			t.Errorf("%s is read, and no table and no setting explains it", variable)
		}
	}
	for _, page := range all(t) {
		for _, variable := range name.FindAllString(page.Text, -1) {
			plain := strings.TrimSuffix(variable, "_FILE")
			library := strings.HasPrefix(variable, "OTEL_") // which the library for traces reads
			if !read[variable] && !(read[plain] && explained[plain]) && !library && !strings.HasPrefix(variable, "SVC_TEST_") {
				t.Errorf("%s names %s, which nothing reads", page.Name, variable)
			}
		}
	}
}
