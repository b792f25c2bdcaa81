package config

import (
	"flag"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var update = flag.Bool("update", false, "rewrite golden files")

var exported = cmp.Exporter(func(reflect.Type) bool { return true })

// TestTheExampleHasEverySettingWithItsDefault takes away the marks before settings: what
// is left is a file that changes nothing.
func TestTheExampleHasEverySettingWithItsDefault(t *testing.T) {
	got := Example()
	const kept = "../../../docs/deploy/svcd.yaml"
	if *update {
		if err := os.WriteFile(kept, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(kept); err != nil {
		t.Error(err)
	} else if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("docs/deploy/svcd.yaml is another, run with -update:\n%s", diff)
	}
	if c, err := load(t, []string{"--config", write(t, "svcd.yaml", got)}, nil); err != nil {
		t.Errorf("as it is: %v", err)
	} else if diff := cmp.Diff(DefaultSettings(), c.Settings, exported); diff != "" {
		t.Errorf("as it is, it changes something:\n%s", diff)
	}
	set := regexp.MustCompile(`(?m)^#( *[^ #\n]+:( .*)?)$`)
	var boot []string
	for _, line := range strings.Split(got, "\n") {
		if found := regexp.MustCompile(`^#([a-z_]+):`).FindStringSubmatch(line); found != nil {
			boot = append(boot, found[1])
		}
		if len(line) > 200 && strings.HasPrefix(strings.TrimLeft(line, "# "), "# ") {
			t.Errorf("a long line: %s", line)
		}
	}
	want := []string{"settings"}
	for _, s := range bootSettings() {
		if s.inFile {
			want = append(want, s.name)
		}
	}
	slices.Sort(boot)
	slices.Sort(want)
	if diff := cmp.Diff(want, boot); diff != "" {
		t.Errorf("boot settings:\n%s", diff)
	}
	file := write(t, "svcd.yaml", set.ReplaceAllString(got, "$1"))
	c, err := load(t, []string{"--config", file}, nil)
	if err != nil {
		t.Fatalf("with every mark taken away: %v", err)
	}
	plain, err := load(t, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range Honoured() {
		if diff := cmp.Diff(s.Value(&plain.Settings), s.Value(&c.Settings), exported, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s:\n%s", s.Name(), diff)
		}
		if path := s.place(); !strings.Contains(got, strings.TrimPrefix(path[len(path)-1], ":")+":") {
			t.Errorf("%s is missing", s.Name())
		}
	}
	if diff := cmp.Diff(plain.Listen+plain.Drain.String(), c.Listen+c.Drain.String()); diff != "" {
		t.Error(diff)
	}
}
