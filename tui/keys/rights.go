package keys

import (
	"slices"

	"svc/client/action"
	"svc/tui/tables"
)

// Rights says what the account may use of the admin API. The zero value allows
// all, and the server refuses by itself: for admins, and until it is known who
// asks.
type Rights struct{ May func(tables.Privilege) bool }

// Has reports whether all of these privileges are there.
func (r Rights) Has(privileges ...tables.Privilege) bool {
	for _, p := range privileges {
		if r.May != nil && !r.May(p) {
			return false
		}
	}
	return true
}

// Opens reports whether a table may be shown, if only a part of its rows.
func (r Rights) Opens(n *tables.Noun) bool {
	return r.Has(NounNeeds(n)...) || n.Part != "" && r.Has(n.Part)
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

// AdminsAlone are needs that no moderator has.
var AdminsAlone = []tables.Privilege{action.Admins}
