package queue

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/action"
	"svc/client/safe"
	"svc/tui/desk"
	"svc/tui/draw"
	"svc/tui/keys"
	"svc/tui/shown"
	"svc/tui/staged"
)

const (
	// claimWords begin the note that claims a report; its author's name follows.
	claimWords = "claimed by "
	// claimTime is how long a claim holds.
	claimTime = 30 * time.Minute
)

// claimOf is the newest claim of a report: a note by a moderator with their own name.
func claimOf(r *shown.Report) (by string, at time.Time) {
	for _, n := range r.Notes {
		if strings.TrimSpace(n.Text.String()) == claimWords+n.By.String() && !n.At.Before(at) {
			by, at = n.By.String(), n.At
		}
	}
	return by, at
}

// claim is who works on the report of a row, and for how long; "" for nobody.
func (r *Reports) claim(m *desk.Env, row int) (by string, since time.Duration) {
	by = r.Text(row, colClaim)
	since = max(0, m.Now().Sub(time.Unix(r.Num(row, numClaim), 0)))
	if since >= claimTime {
		return "", 0
	}
	return by, since
}

// stageClaims claims the reports of rows, where answers carry the notes to read it
// from.
func (r *Reports) stageClaims(m *desk.Env, rows []int) tea.Cmd {
	if !r.noted {
		m.Say(draw.InkDim, "claims are notes, and this server does not return notes")
		return nil
	}
	var actions []action.Action
	var others []string
	for _, row := range rows {
		by, since := r.claim(m, row)
		switch {
		case by == m.Me.String():
			continue
		case by != "":
			others = append(others, fmt.Sprintf("%s (%s, %s ago)", shown.ShortID(r.ID(row)), by, safe.Age(since)))
		}
		actions = append(actions, action.Action{
			Kind: action.ReportNote, Target: "report/" + r.ID(row), Args: map[string]string{"text": claimWords + m.Me.String()},
		})
	}
	if len(actions) == 0 {
		m.Say(draw.InkDim, "claimed by you already")
		return nil
	}
	stage := func(m *desk.Env) tea.Cmd {
		r.Unmark()
		return m.Stage(actions, strings.Replace(staged.Label(action.ReportNote, actions), action.ReportNote.Verb(), "claim", 1))
	}
	if len(others) > 0 {
		m.AskNames("claim what others have claimed", others, stage)
		return nil
	}
	return stage(m)
}

// Staged says that actions are about reports that somebody else works on.
func (r *Reports) Staged(m *desk.Env, actions []action.Action) {
	warn := func(row int) bool {
		by, since := r.claim(m, row)
		if by == "" || by == m.Me.String() {
			return false
		}
		m.Say(draw.InkWarn, fmt.Sprintf("%s is claimed by %s, %s ago; %s cancels", shown.ShortID(r.ID(row)), by, safe.Age(since), m.Keys.Key(keys.Undo)))
		return true
	}
	for _, a := range actions {
		noun, name, _ := strings.Cut(a.Target, "/")
		switch {
		case noun == "report" && !strings.HasPrefix(a.Args["text"], claimWords):
			if row, known := r.Row(name); known && warn(row) {
				return
			}
		case noun == "user":
			if slices.ContainsFunc(r.with(name, colNick), warn) {
				return
			}
		}
	}
}
