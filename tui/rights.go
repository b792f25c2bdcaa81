package tui

import (
	"slices"

	"svc/client/action"
	"svc/tui/tables"
)

// rights says what the account may use of the admin API. The zero value allows
// all, and the server refuses by itself: for admins, and until it is known who
// asks.
type rights struct{ may func(tables.Privilege) bool }

// has reports whether all of these privileges are there.
func (r rights) has(privileges ...tables.Privilege) bool {
	for _, p := range privileges {
		if r.may != nil && !r.may(p) {
			return false
		}
	}
	return true
}

// opens reports whether a table may be shown, if only a part of its rows.
func (r rights) opens(n *tables.Noun) bool {
	return r.has(nounNeeds(n)...) || n.Part != "" && r.has(n.Part)
}

// needsOf are the privileges that kinds of change need, each once.
func needsOf(kinds ...action.Kind) []tables.Privilege {
	var all []tables.Privilege
	for _, k := range kinds {
		for _, p := range k.Needs() {
			if !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
	}
	return all
}

// adminsAlone are needs that no moderator has.
var adminsAlone = []tables.Privilege{action.Admins}
