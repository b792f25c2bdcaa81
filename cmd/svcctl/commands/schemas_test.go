package commands

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

// TestSchemasNameTheFieldsOfEveryCommand compares svcctl schema with --fields '?'
// of a command that prints such objects. Each noun that reads has a schema.
func TestSchemasNameTheFieldsOfEveryCommand(t *testing.T) {
	s, vars := adminWorld(t)
	said := func(args ...string) string {
		t.Helper()
		c := newCLI(t, s.URL, "")
		c.env["SVCCTL_TOKEN"] = vars["$MIKA"]
		if code := Run(c.App, args); code != 0 {
			t.Errorf("svcctl %s: exit %d: %s", strings.Join(args, " "), code, &c.stderr)
		}
		return c.stdout.String()
	}
	nouns := map[string]bool{}
	for _, one := range schemas() {
		name := strings.Fields(one.Name)
		nouns[name[0]] = true
		fields := said(append([]string{"schema", "-o", "tsv", "--no-headers", "--fields", "field"}, name...)...)
		if one.Command != "" && one.Name != "config describe" {
			args := strings.Fields(one.Command)
			for i, arg := range args {
				switch arg {
				case "kim":
					args[i] = "tom"
				case "1":
					args[i] = vars["$CHAT"]
				}
			}
			if diff := cmp.Diff(said(append(args, "--fields", "?")...), fields); diff != "" {
				t.Errorf("%s (-%s --fields ? +schema):\n%s", one.Name, one.Command, diff)
			}
		}
		var doc struct {
			Ref  string `json:"$ref"`
			Defs map[string]struct {
				Properties map[string]any
			} `json:"$defs"`
		}
		if err := json.Unmarshal([]byte(said(append([]string{"schema", "-o", "json"}, name...)...)), &doc); err != nil {
			t.Fatalf("%s: %v", one.Name, err)
		}
		properties := doc.Defs[strings.TrimPrefix(doc.Ref, "#/$defs/")].Properties
		for _, f := range one.Fields {
			if top, _, _ := strings.Cut(f.Name, "."); properties[top] == nil {
				t.Errorf("%s: the JSON Schema lacks %s", one.Name, f.Name)
			}
		}
		if len(properties) == 0 {
			t.Errorf("%s: the JSON Schema has no properties", one.Name)
		}
	}
	for _, noun := range newRoot(newCLI(t, "", "").App).Commands() {
		for _, verb := range noun.Commands() {
			if reading(verb) && !nouns[noun.Name()] && noun.Name() != "media" && noun.Name() != "mail-domain" {
				t.Errorf("%s has no schema", verb.CommandPath())
			}
		}
	}
}

// reading tells whether a verb prints objects of its noun.
func reading(verb *cobra.Command) bool {
	switch verb.Name() {
	case "list", "get", "show":
		return true
	}
	return false
}
