package settings

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"svc/client/action"
	"svc/client/safe"
	"svc/client/settings"
	"svc/cmd/svcctl/cli"
)

const (
	configSet   = action.ConfigSet
	configUnset = action.ConfigUnset
)

// configChanges are changes on their way to the server.
type configChanges struct {
	changes []settings.Change
	saved   []settings.Setting // as read when the changes were made up
	names   []string           // of the changes in results, when not their own
	same    []string           // values asked for that stand already
	level   action.Confirmation
	what    string
	token   string
}

// changeSettings asks, looks whether somebody else changed the same meanwhile,
// and posts the changes, all or none.
func changeSettings(ctx context.Context, a *cli.App, conn *cli.Connection, c configChanges) error {
	level := c.level
	if len(c.changes) > action.ManyTargets {
		level = action.L2
	}
	sent, err := a.Perform(ctx, conn, cli.Write{
		Kind: configSet, Count: len(c.changes), Level: level, What: c.what, Token: c.token,
		Done: func(ctx context.Context) []action.Result { return c.done(ctx, a, conn) },
	}, func(ctx context.Context) error {
		answer, err := action.ChangeSettings(ctx, conn.Client, c.changes, c.saved)
		if err != nil {
			return Off(err)
		}
		if answer.NeedReboot && !a.Flags.Quiet && slices.ContainsFunc(c.changes, settings.Change.Reboot) {
			fmt.Fprintln(a.ErrOut, needsRestart)
		}
		for _, warning := range answer.Warnings {
			fmt.Fprintf(a.ErrOut, "warning: %s\n", safe.Line(warning))
		}
		return nil
	})
	if !sent {
		return err
	}
	results := c.results(err)
	var conflict *action.Conflict
	if errors.As(err, &conflict) {
		p, printErr := a.Printer()
		if printErr != nil {
			return printErr
		}
		if p.Format() != "table" && p.Format() != "wide" {
			if showErr := a.ShowResults(results); showErr != nil && cli.ExitOf(showErr) != cli.ExitPartial && cli.ExitOf(showErr) != cli.ExitConflict {
				return showErr
			}
		}
		return &cli.About{What: cli.Spell(conflict.Target), Err: err, Hint: "look at it with svcctl config get, then do it again"}
	}
	return a.ShowResults(results)
}

// done are the changes for the journal, as the server shows them: their secrets are
// masked, and those changes cannot be taken back from here.
func (c configChanges) done(ctx context.Context, a *cli.App, conn *cli.Connection) []action.Result {
	now, _, err := readConfig(ctx, conn, true, false)
	if err != nil {
		fmt.Fprintf(a.ErrOut, "warning: undo will not know of this: %v\n", err)
		return nil
	}
	return action.SettingsResults(c.changes, now)
}

// results are one for each change, or for each name that stands for them.
func (c configChanges) results(err error) []action.Result {
	names := c.names
	if names == nil {
		for _, change := range c.changes {
			names = append(names, change.Name())
		}
	}
	var results []action.Result
	for i, name := range names {
		kind := configSet
		if i < len(c.changes) && c.changes[i].New == nil {
			kind = configUnset
		}
		results = append(results, cli.ResultOf(kind, name, err))
	}
	for _, name := range c.same {
		kind := configUnset
		results = append(results, action.Result{Action: action.Action{Kind: kind, Target: name}, Outcome: action.Unchanged})
	}
	return results
}
