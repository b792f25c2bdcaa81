package tui

import (
	"fmt"
	"slices"
	"strings"

	"svc/client/action"
	"svc/tui/shown"
	"svc/tui/staged"
)

// forGood is what a label says of a kind that nothing takes back, "" for others.
func forGood(k action.Kind) string {
	switch k {
	case action.StatusDelete, action.UserDelete, action.UserApprove, action.UserConfirm, action.UserForceReset, action.UserDisableMFA,
		action.InviteRevoke, action.AppDelete, action.ChatMessageDelete:
		return " (for good)"
	case action.UserResend:
		return " (a mail, for good)"
	}
	return ""
}

// endedFollows is what a deactivation ends beside the account's use, as far as it is
// known: "3 follows".
func endedFollows(people []shown.Person) string {
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

// lossOf is what stays after a change of a kind without a way back.
func lossOf(k action.Kind) string {
	switch k {
	case action.StatusDelete:
		return "deleted posts stay deleted"
	case action.UserMessage:
		return "a message that was sent stays sent"
	case action.UserResend:
		return "the mail is out"
	case action.UserForceReset:
		return "the password stays reset"
	case action.UserDisableMFA:
		return "the second factor stays off"
	}
	return "it stays " + k.Done()
}

// losses are what an undo of d does not bring back.
func losses(d *staged.Done) string {
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
		case r.Action.Kind == action.UserDeactivate:
			add("follows that it ended do not return")
		}
	}
	return strings.Join(all, ", ")
}
