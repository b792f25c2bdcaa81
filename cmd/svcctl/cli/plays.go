package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"svc/client/action"
	"svc/client/playbook"
	"svc/client/safe"
)

// Play asks about a plan of several steps as much as it deserves, and carries it
// out until the first failure. plan makes it for the targets that args name, whom
// changes of kind concern, and counts its objects in words.
func (a *App) Play(ctx context.Context, kind action.Kind, args []string, plan func(*Connection, []action.Target) ([]action.Action, string, error)) error {
	named, err := a.toChange(kind, args)
	if err != nil {
		return err
	}
	conn, err := a.Connect(ctx)
	if err != nil {
		return err
	}
	targets := make([]action.Target, len(named))
	for i, t := range named {
		targets[i] = t.Target
	}
	actions, scope, err := plan(conn, targets)
	if err != nil {
		return err
	}
	if len(actions) == 0 {
		return a.ShowResults(nil)
	}
	if err := conn.MayWrite(a, kind.Noun()+" act"); err != nil {
		return err
	}
	if err := a.checkCount(len(actions)); err != nil {
		return err
	}
	if !a.Flags.DryRun && !a.Flags.yes {
		a.showMessages(playbook.Messages(actions))
	}
	steps := scope + ": " + strings.Join(playbook.Consequences(actions, func(_ action.Kind, target string) string {
		_, name, _ := strings.Cut(target, "/")
		return safe.Line(name)
	}), "; ")
	if err := a.confirm(ctx, action.LevelOf(actions, conn.Protected), steps, strconv.Itoa(len(actions))); err != nil {
		return err
	}
	results := action.New(conn.Client, action.Options{OwnIsFine: true, Progress: a.progress()}).Play(ctx, actions)
	if a.Flags.DryRun {
		return a.ShowDryRun(results)
	}
	a.remember(a.journal(conn.Origin.String()), results, nil)
	return a.ShowResults(results)
}

// showMessages prints the texts that people would get, whole, before it is asked
// whether to send them.
func (a *App) showMessages(texts []string) {
	for _, text := range texts {
		fmt.Fprintln(a.ErrOut, "message:")
		for _, part := range safe.Wrap(safe.Clean(safe.Raw(text)).String(), messageWidth) {
			fmt.Fprintln(a.ErrOut, "  | "+part)
		}
	}
}

const messageWidth = 76
