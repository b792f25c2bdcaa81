package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"svc/client/action"
)

// deed is one kind of change of the targets that arguments name.
type deed struct {
	kind  action.Kind
	args  map[string]string // of every action
	force bool
}

// actOn asks as much as the deed deserves and carries it out.
func (a *app) actOn(ctx context.Context, d deed, args []string) error {
	targets, err := a.targets(d.kind.Noun(), args)
	if err != nil {
		return err
	}
	conn, err := a.connect(ctx)
	if err != nil {
		return err
	}
	if err := a.confirmTargets(ctx, d.kind, targets, conn.Protected); err != nil {
		return err
	}
	actions := make([]action.Action, len(targets))
	for i, t := range targets {
		actions[i] = action.Action{Kind: d.kind, Target: t.String(), Args: d.args, Before: t.before}
	}
	return a.act(ctx, conn, action.Options{Force: d.force, OwnIsFine: true}, actions)
}

// actParts carries a deed out on parts of one object, which the argument named
// part is for each: the notes of a report, the messages of a chat.
func (a *app) actParts(ctx context.Context, kind action.Kind, object, part string, parts []string) error {
	t, err := single(kind.Noun(), object)
	if err != nil {
		return err
	}
	conn, err := a.connect(ctx)
	if err != nil {
		return err
	}
	if err := a.checkCount(len(parts)); err != nil {
		return err
	}
	what := fmt.Sprintf("delete %s %s of %s", part, parts[0], spell(t.String()))
	if len(parts) > 1 {
		what = fmt.Sprintf("delete %s of %s", countOf(len(parts), part), spell(t.String()))
	}
	if err := a.confirm(ctx, action.Level(kind, len(parts), conn.Protected), what, t.Name); err != nil {
		return err
	}
	actions := make([]action.Action, len(parts))
	for i, value := range parts {
		actions[i] = action.Action{Kind: kind, Target: t.String(), Args: map[string]string{part: value}}
	}
	return a.act(ctx, conn, action.Options{}, actions)
}

// kindCommand is the command of a deed that needs no more than its targets.
func (a *app) kindCommand(kind action.Kind, use, short string, complete completer) *cobra.Command {
	return &cobra.Command{
		Use:               use,
		Short:             short,
		ValidArgsFunction: complete,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.actOn(cmd.Context(), deed{kind: kind}, args)
		},
	}
}

// write is a change that no action covers: something new, or something that is
// done rather than wished for.
type write struct {
	kind   action.Kind // what results call it
	target string      // its typed name
	level  action.Confirmation
	what   string // what is asked: "restart example.social"
	token  string // what is typed for L2
	whole  bool   // it has no objects to count: --yes alone confirms it
}

// perform sends a write when it is allowed here and confirmed, and tells whether
// it was sent. With --dry-run the requests of send are shown instead.
func (a *app) perform(ctx context.Context, conn *connection, w write, send func(context.Context) error) (bool, error) {
	if err := conn.mayWrite(a, w.kind.Noun()+" "+w.kind.Verb()); err != nil {
		return false, err
	}
	level := w.level
	if conn.Protected && level < action.L2 {
		level++
	}
	if err := a.checkCount(1); err != nil {
		return false, err
	}
	if w.whole && (a.g.yes || !a.interactive()) {
		level = min(level, action.L1)
	}
	if err := a.confirm(ctx, level, w.what, w.token); err != nil {
		return false, err
	}
	err := send(ctx)
	if a.g.dryRun && err == nil {
		return false, a.showDryRun(nil)
	}
	return true, err
}

// carryOut sends a write that has no other answer than that it is done.
func (a *app) carryOut(ctx context.Context, conn *connection, w write, send func(context.Context) error) error {
	sent, err := a.perform(ctx, conn, w, send)
	if !sent {
		return err
	}
	return a.showResults([]action.Result{resultOf(w.kind, w.target, err)})
}

// resultOf is the end of a write that is not read again afterwards.
func resultOf(kind action.Kind, target string, err error) action.Result {
	r := action.Result{Action: action.Action{Kind: kind, Target: target}, Outcome: action.Changed, Err: err}
	if err != nil {
		r.Outcome = action.Failed
		if code := exitOf(err); code == exitNetwork || code == exitServer {
			r.Outcome = action.Unknown
		}
	}
	return r
}

// asJSON is an object as it is shown where its own bytes were not kept.
func asJSON[T any](v T) json.RawMessage {
	doc, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null") // shapes of the API always encode
	}
	return doc
}

// oneOf checks a word against those that are accepted.
func oneOf(what, word string, accepted []string) error {
	if slices.Contains(accepted, word) {
		return nil
	}
	return usagef("%s %s: %s are accepted", what, quote(word), anyOf(accepted))
}
