package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"svc/client"
	"svc/client/action"
	"svc/client/journal"
	"svc/client/login"
)

// ErrNotHere is the cause where a name of this machine is not known.
var ErrNotHere = fmt.Errorf("%w", client.ErrNotFound)

// errFinal is why a change is not taken back.
func errFinal(kind action.Kind) error {
	return errors.New("this cannot be undone: " + kind.Final())
}

// journal is the journal of a server.
func (a *App) journal(server string) *journal.Journal {
	return journal.Open(login.PathsFrom(a.Getenv).State, server, a.Now)
}

// JournalSince reads the changes that were made from this machine to the server
// of this run, from a time on where one is given, newest first.
func (a *App) JournalSince(since string) ([]journal.Entry, *journal.Journal, error) {
	s, err := a.OpenSession()
	if err != nil {
		return nil, nil, err
	}
	j := a.journal(s.Origin.String())
	entries, damaged, err := j.Entries()
	if err != nil {
		return nil, nil, err
	}
	if damaged > 0 && !a.Flags.Quiet {
		fmt.Fprintf(a.ErrOut, "warning: %s of the journal cannot be read and %s left out\n", CountOf(damaged, "line"), wasWere(damaged))
	}
	if since != "" {
		from, err := ParseTime(since, a.Now())
		if err != nil {
			return nil, nil, Usagef("--since %v", err)
		}
		entries = slices.DeleteFunc(entries, func(e journal.Entry) bool { return e.At.Before(from) })
	}
	return entries, j, nil
}

func wasWere(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// remember adds the changes to the journal. They are made even if that fails,
// so a failure is only a warning.
func (a *App) remember(j *journal.Journal, results []action.Result, undoes []string) {
	if _, err := j.Add(results, undoes); err != nil {
		fmt.Fprintf(a.ErrOut, "warning: undo will not know of this: %v\n", err)
	}
}

// Remember adds changes of a server to its journal, with their inverses.
func (a *App) Remember(conn *Connection, results []action.Result) {
	a.remember(a.journal(conn.Origin.String()), results, nil)
}

// Undo takes entries back, newest first. Where nothing takes them back, the hint names
// next, the newest entry that can be, if there is one.
func (a *App) Undo(ctx context.Context, j *journal.Journal, entries []journal.Entry, next *journal.Entry, force bool) error {
	conn, err := a.Connect(ctx)
	if err != nil {
		return err
	}
	var actions []action.Action
	var undoes []string
	var final []action.Result
	for _, e := range entries {
		if e.Undo == nil {
			final = append(final, action.Result{Action: e.Action, Outcome: action.Skipped, Err: errFinal(e.Action.Kind)})
			continue
		}
		actions, undoes = append(actions, *e.Undo), append(undoes, e.ID)
	}
	if len(entries) == 0 {
		if !a.Flags.Quiet {
			fmt.Fprintln(a.ErrOut, "nothing to undo")
		}
		return nil
	}
	if len(actions) == 0 {
		return hintAtNext(a.ShowResults(final), next)
	}
	if err := conn.MayWrite(a, "undo"); err != nil {
		return err
	}
	if err := a.checkCount(len(actions)); err != nil {
		return err
	}
	what, token := actions[0].Kind.Verb()+" "+Spell(actions[0].Target), "undo"
	if len(actions) > 1 {
		what, token = "undo "+CountOf(len(actions), "change"), fmt.Sprint(len(actions))
	}
	level := action.L0
	for _, one := range actions {
		level = max(level, action.Level(one.Kind, len(actions), conn.Protected))
	}
	if err := a.confirm(ctx, level, what, token); err != nil {
		return err
	}
	results := action.New(conn.Client, action.Options{Force: force, Progress: a.progress()}).Do(ctx, actions)
	if a.Flags.DryRun {
		return a.ShowDryRun(results)
	}
	ended := slices.Clone(results)
	for i := range ended {
		if ended[i].Outcome == action.Unchanged { // somebody else took it back
			ended[i].Outcome = action.Changed
		}
	}
	a.remember(j, ended, undoes)
	return a.ShowResults(append(results, final...))
}

// hintAtNext adds to the refusal of an undo what can be taken back.
func hintAtNext(err error, next *journal.Entry) error {
	hint := "nothing that was done here can be taken back; svcctl journal lists it"
	if next != nil {
		hint = "svcctl undo " + next.ID + " takes back the newest change that can be: " + string(next.Action.Kind) + " of " + next.Action.Target
	}
	var object *About
	var partial *partialError
	switch {
	case errors.As(err, &object):
		object.Hint = hint
	case errors.As(err, &partial):
		partial.hint = hint
	}
	return err
}
