package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"svc/client/action"
	"svc/client/api"
	"svc/client/settings"
)

const (
	configSet   action.Kind = "config.set"
	configUnset action.Kind = "config.unset"
)

// configChanges are changes on their way to the server.
type configChanges struct {
	changes []settings.Change
	saved   []settings.Setting // as read when the changes were made up
	names   []string           // what results call the changes, when not by themselves
	same    []string           // what was asked for and is so already
	level   action.Confirmation
	what    string
	token   string
}

// changeSettings asks, looks whether somebody else changed the same meanwhile,
// and posts the changes, all or none.
func (a *app) changeSettings(ctx context.Context, conn *connection, c configChanges) error {
	if err := conn.mayWrite(a, "config set"); err != nil {
		return err
	}
	if err := a.checkCount(len(c.changes)); err != nil {
		return err
	}
	level := c.level
	if len(c.changes) > action.ManyTargets {
		level = action.L2
	}
	if conn.Protected && level < action.L2 {
		level++
	}
	body := postBody(c.changes)
	if err := a.confirm(ctx, level, c.what, c.token); err != nil {
		return err
	}
	err := conn.unchangedMeanwhile(ctx, c)
	if err == nil {
		err = a.postConfig(ctx, conn, body, c.changes)
	}
	if a.g.dryRun && err == nil {
		return a.showDryRun(nil)
	}
	results := c.results(err)
	var conflict *action.Conflict
	if errors.As(err, &conflict) {
		p, printErr := a.printer()
		if printErr != nil {
			return printErr
		}
		if p.Format() != "table" && p.Format() != "wide" {
			if showErr := a.showResults(results); showErr != nil && exitOf(showErr) != exitPartial && exitOf(showErr) != exitConflict {
				return showErr
			}
		}
		return &about{what: spell(conflict.Target), err: err, hint: "look at it with svcctl config get, then do it again"}
	}
	return a.showResults(results)
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
		results = append(results, resultOf(kind, name, err))
	}
	for _, name := range c.same {
		kind := configUnset
		results = append(results, action.Result{Action: action.Action{Kind: kind, Target: name}, Outcome: action.Unchanged})
	}
	return results
}

func postBody(changes []settings.Change) api.ConfigChanges {
	var body api.ConfigChanges
	for _, s := range settings.Request(changes) {
		change := api.ConfigChange{Group: s.Group, Key: s.Key, Delete: s.Delete}
		if s.Value != nil {
			change.Value = asJSON(s.Value)
		}
		if s.Subkeys != nil {
			change.Subkeys = s.Subkeys
		}
		body.Configs = append(body.Configs, change)
	}
	return body
}

// postConfig sends the changes. A lost answer is made up for by reading.
func (a *app) postConfig(ctx context.Context, conn *connection, body api.ConfigChanges, changes []settings.Change) error {
	answer, err := conn.Admin.Config.Change(ctx, body.Configs...)
	if err != nil {
		if exitOf(err) == exitNetwork && conn.landed(ctx, changes) {
			return nil
		}
		return configOff(err)
	}
	if answer.NeedReboot && !a.g.Quiet && slices.ContainsFunc(changes, settings.Change.Reboot) {
		fmt.Fprintln(a.errOut, needsRestart)
	}
	return nil
}

// landed tells whether changes whose answer was lost are there.
func (c *connection) landed(ctx context.Context, changes []settings.Change) bool {
	saved, err := c.compareConfig(ctx, true)
	if err != nil {
		return false
	}
	left, err := settings.Plan(saved, settings.Request(changes), false)
	return err == nil && len(left) == 0
}

// unchangedMeanwhile reads the saved settings again, just before they are
// written, and compares what is about to change with what was seen.
func (c *connection) unchangedMeanwhile(ctx context.Context, seen configChanges) error {
	now, err := c.compareConfig(ctx, true)
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
