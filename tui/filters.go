package tui

import (
	"fmt"
	"maps"
	"slices"

	"svc/client/safe"
	"svc/tui/keys"
	"svc/tui/list"
	"svc/tui/queue"
	"svc/tui/tables"
)

// CheckFilters refuses saved filters that mean nothing on the queue of reports
// and on no other screen.
func CheckFilters(filters map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(filters)) {
		switch f := list.ParseFilter(filters[name], append(append([]string{}, queue.States...), tables.Find(string(keys.Users)).States...)); {
		case f.Wrong != "":
			return fmt.Errorf("filters: %s: %s", safe.Line(name), safe.Line(f.Wrong))
		case f.Text == "":
			return fmt.Errorf("filters: %s is empty", safe.Line(name))
		}
	}
	return nil
}
