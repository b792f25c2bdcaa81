package staged

import (
	"fmt"
	"slices"
	"strings"

	"svc/client/action"
	"svc/tui/shown"
)

// Announced is the loss by a kind as labels end with it, "" where nothing is lost.
func Announced(k action.Kind) string {
	if warning := k.Warning(); warning != "" {
		return " (" + warning + ")"
	}
	return ""
}

// EndedFollows is what a deactivation ends beside the account's use, as far as it is
// known: "3 follows".
func EndedFollows(people []shown.Person) string {
	n := 0
	for _, p := range people {
		n += p.Followers
	}
	switch n {
	case 0:
		return ""
	case 1:
		return "1 follow"
	}
	return fmt.Sprintf("%d follows", n)
}

// lossOf is the loss by a change that nothing takes back.
func lossOf(k action.Kind) string {
	if loss := k.Loss(); loss != "" {
		return loss
	}
	return "it stays " + k.Done()
}

// Losses are what an undo of d does not bring back.
func Losses(d *Done) string {
	var all []string
	add := func(text string) {
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	for _, r := range d.Results {
		switch {
		case r.Outcome != action.Changed:
		case r.Inverse == nil:
			add(lossOf(r.Action.Kind))
		case r.Action.Kind == action.UserDeactivate && d.Item.Lost != "":
			add(d.Item.Lost + " do not return")
		case r.Action.Kind.Loss() != "":
			add(r.Action.Kind.Loss())
		}
	}
	return strings.Join(all, ", ")
}

// UndoWord says whether an action can be taken back.
func UndoWord(d *Done) string {
	back, _, _ := action.Inverses(d.Results)
	switch {
	case d.Item.Undoes != nil:
		return ""
	case len(back) > 0 && d.Undone:
		return "undone"
	case len(back) > 0:
		return "yes"
	case slices.ContainsFunc(d.Results, func(r action.Result) bool { return r.Outcome == action.Changed }):
		return "never"
	}
	return ""
}
