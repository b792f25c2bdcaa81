package db_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// unread are the columns and tables that a migration drops or renames, as FILE: what
// it does. The release before the migration must not read them any more.
var unread = map[string]bool{}

// breaking matches changes that make statements of the version before fail, which may
// still serve: columns that are dropped, renamed or retyped, and required ones that its
// inserts do not have.
var breaking = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\bDROP\s+(?:COLUMN|TABLE)\s+(?:IF\s+EXISTS\s+)?\w+`),
	regexp.MustCompile(`(?i)\bALTER\s+TABLE\s+\w+\s+DROP\s+(?:IF\s+EXISTS\s+)?\w+`),
	regexp.MustCompile(`(?i)\bRENAME\s+(?:(?:COLUMN\s+)?\w+\s+)?TO\s+\w+`),
	regexp.MustCompile(`(?i)\bALTER\s+COLUMN\s+\w+\s+(?:SET\s+DATA\s+)?TYPE\b`),
	regexp.MustCompile(`(?i)\bALTER\s+COLUMN\s+\w+\s+(?:SET\s+NOT\s+NULL|DROP\s+DEFAULT)`),
}

var (
	added   = regexp.MustCompile(`(?i)\bADD\s+COLUMN\s+[^,;]*`)
	comment = regexp.MustCompile(`--[^\n]*`)
)

// breaks returns the parts of a migration that an older version may not survive.
func breaks(text string) (out []string) {
	text = comment.ReplaceAllString(text, "")
	for _, b := range breaking {
		out = append(out, b.FindAllString(text, -1)...)
	}
	for _, column := range added.FindAllString(text, -1) {
		upper := strings.ToUpper(column)
		if strings.Contains(upper, "NOT NULL") && !strings.Contains(upper, "DEFAULT") && !strings.Contains(upper, "GENERATED") {
			out = append(out, column)
		}
	}
	return out
}

// TestMigrationsLeaveWhatTheVersionBeforeReads: from 0042 on, an older svcd serves
// while a newer one migrates.
func TestMigrationsLeaveWhatTheVersionBeforeReads(t *testing.T) {
	files, err := filepath.Glob("migrations/*/*.sql")
	must(t, err)
	read, used := 0, map[string]bool{}
	for _, path := range files {
		name := filepath.Base(path)
		if name < "0042" {
			continue
		}
		text, err := os.ReadFile(path)
		must(t, err)
		read++
		for _, part := range breaks(string(text)) {
			entry := name + ": " + strings.Join(strings.Fields(part), " ")
			if used[entry] = true; !unread[entry] {
				t.Errorf("%s: an older version may not survive %q", path, part)
			}
		}
	}
	if read < 14 {
		t.Errorf("%d migrations were read", read)
	}
	for entry := range unread {
		if !used[entry] {
			t.Errorf("no migration has %q", entry)
		}
	}
	for text, want := range map[string]int{
		"ALTER TABLE a ADD COLUMN b TEXT; CREATE INDEX c ON a (b); DROP INDEX d;": 0,
		"ALTER TABLE a ADD COLUMN b TEXT NOT NULL DEFAULT ''":                     0,
		"ALTER TABLE a ADD COLUMN b TEXT NOT NULL":                                1,
		"-- DROP COLUMN b": 0,
		"ALTER TABLE a\n  DROP COLUMN b, DROP COLUMN c": 2,
		"ALTER TABLE a DROP b":                          1,
		"ALTER TABLE a RENAME COLUMN b TO c":            1,
		"ALTER TABLE a RENAME TO b":                     1,
		"ALTER TABLE a ALTER COLUMN b TYPE BIGINT":      1,
		"DROP TABLE a":                                  1,
	} {
		if got := breaks(text); len(got) < want || want == 0 && len(got) > 0 {
			t.Errorf("%q: %q, want %d", text, got, want)
		}
	}
}
