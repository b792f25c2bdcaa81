package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"svc/client/action"
	"svc/client/api"
	"svc/client/settings"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
)

const (
	configSet   action.Kind = "config.set"
	configUnset action.Kind = "config.unset"
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
	}, func(ctx context.Context) error {
		if err := unchangedMeanwhile(ctx, conn, c); err != nil {
			return err
		}
		return postConfig(ctx, a, conn, c.changes)
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

func postBody(changes []settings.Change) []api.ConfigChange {
	var body []api.ConfigChange
	for _, s := range settings.Request(changes) {
		change := api.ConfigChange{Group: s.Group, Key: s.Key, Delete: s.Delete}
		if s.Value != nil {
			change.Value = output.JSON(s.Value)
		}
		if s.Subkeys != nil {
			change.Subkeys = s.Subkeys
		}
		body = append(body, change)
	}
	return body
}

// postConfig sends the changes. A lost answer is made up for by reading.
func postConfig(ctx context.Context, a *cli.App, conn *cli.Connection, changes []settings.Change) error {
	answer, err := conn.Admin.Config.Change(ctx, postBody(changes)...)
	if err != nil {
		if cli.ExitOf(err) == cli.ExitNetwork && landed(ctx, conn, changes) {
			return nil
		}
		return configOff(err)
	}
	if answer.NeedReboot && !a.Flags.Quiet && slices.ContainsFunc(changes, settings.Change.Reboot) {
		fmt.Fprintln(a.ErrOut, needsRestart)
	}
	return nil
}

// landed tells whether changes whose answer was lost are there.
func landed(ctx context.Context, conn *cli.Connection, changes []settings.Change) bool {
	saved, err := compareConfig(ctx, conn, true)
	if err != nil {
		return false
	}
	left, err := settings.Plan(saved, settings.Request(changes), false)
	return err == nil && len(left) == 0
}

// unchangedMeanwhile reads the saved settings again, just before they are
// written, and compares the places to change with the values seen before.
func unchangedMeanwhile(ctx context.Context, conn *cli.Connection, seen configChanges) error {
	now, err := compareConfig(ctx, conn, true)
	if err != nil {
		return err
	}
	for _, change := range seen.changes {
		was, is := savedAt(seen.saved, change), savedAt(now, change)
		if (was == nil) != (is == nil) || was != nil && !was.Equal(*is) {
			return &action.Conflict{Target: change.Name(), Now: "changed"}
		}
	}
	return nil
}

func savedAt(saved []settings.Setting, c settings.Change) *settings.Value {
	found := settings.Find(saved, c.Group, c.Key)
	if found == nil {
		return nil
	}
	if c.Sub == "" {
		return found.Value
	}
	if v, ok := found.Value.Get(c.Sub); ok {
		return &v
	}
	return nil
}
