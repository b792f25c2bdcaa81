package adminapi_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client/api"
)

func TestSettingsAreDescribedForForms(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		entries, err := w.Admin("root").Admin.Config.Descriptions(t.Context())
		w.must(err)
		// One full entry of each kind: a plain one, one of a policy, one with
		// secrets, and one of a group with values of its own below each key.
		var some []api.ConfigDescription
		for _, name := range [][2]string{{":svc", ":chat"}, {":svc", ":mrf_object_age"}, {":ex_aws", ":s3"}, {":cors_plug", ""}} {
			i := slices.IndexFunc(entries, func(d api.ConfigDescription) bool { return d.Group == name[0] && d.Key == name[1] })
			if i < 0 {
				t.Fatalf("no entry of %s %s", name[0], name[1])
			}
			some = append(some, entries[i])
		}
		fit := regexp.MustCompile(`^[^\s].*\S$`)
		var check func(where string, fields []any)
		check = func(where string, fields []any) {
			if len(fields) == 0 {
				t.Errorf("%s has an empty list of children", where)
			}
			for _, f := range fields {
				field, _ := f.(map[string]any)
				where := fmt.Sprint(where, " ", field["key"])
				if text, _ := field["description"].(string); !fit.MatchString(text) {
					t.Errorf("%s is described as %q", where, text)
				}
				suggestions, ok := field["suggestions"].([]any)
				for _, s := range suggestions {
					_, text := s.(string)
					ok = ok && text
				}
				if !ok {
					t.Errorf("%s suggests %v", where, field["suggestions"])
				}
				if children, there := field["children"]; there {
					list, _ := children.([]any)
					check(where, list)
				}
			}
		}
		for _, e := range entries {
			entry, _ := tree(t, e.Raw).(map[string]any)
			children, _ := entry["children"].([]any)
			check(e.Group+" "+e.Key, children)
		}
		got, err := json.MarshalIndent(some, "", "  ")
		w.must(err)
		golden := filepath.Join("testdata", "config_descriptions.json")
		if *update {
			w.must(os.WriteFile(golden, append(got, '\n'), 0o600))
		}
		want, err := os.ReadFile(golden)
		w.must(err)
		if diff := cmp.Diff(string(want), string(got)+"\n"); diff != "" {
			t.Error(diff)
		}
		w.wantLog()
	})
}
