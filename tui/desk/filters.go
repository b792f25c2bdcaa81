package desk

import (
	"maps"
	"slices"

	"svc/tui/list"
)

// savedFilters are those that mean something for a screen with these states, by
// name.
func (d *desk) savedFilters(states []string) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(d.filters)) {
		if list.ParseFilter(d.filters[name], states).Wrong == "" {
			names = append(names, name)
		}
	}
	return names
}
