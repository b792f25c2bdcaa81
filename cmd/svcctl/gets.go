package main

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"svc/client/action"
	"svc/cmd/svcctl/cli/output"
)

// getCommand shows objects of a noun.
func getCommand[T any](a *app, noun string, shape output.Shape[T], complete cobra.CompletionFunc,
	get func(context.Context, *connection, action.Target) (*T, error),
) *cobra.Command {
	return &cobra.Command{
		Use:               "get " + strings.ToUpper(noun) + "...",
		Short:             "Show " + noun + "s",
		ValidArgsFunction: complete,
		RunE: func(cmd *cobra.Command, args []string) error {
			targets, err := a.targets(noun, args)
			if err != nil {
				return err
			}
			conn, err := a.connect(cmd.Context())
			if err != nil {
				return err
			}
			return getEach(cmd.Context(), a, shape, targets, args, func(ctx context.Context, t action.Target) (T, error) {
				item, err := get(ctx, conn, t)
				return deref(item), err
			})
		},
	}
}

// getEach reads objects, a few at once, and prints those found in the order
// they were named; what is not found fails the command at its end.
func getEach[T any](ctx context.Context, a *app, shape output.Shape[T], targets []target, args []string, get func(context.Context, action.Target) (T, error)) error {
	p, err := a.printer()
	if err != nil {
		return err
	}
	if done, err := shape.ShowFields(p); done || err != nil {
		return err
	}
	items := make([]T, len(targets))
	errs := make([]error, len(targets))
	slots := make(chan struct{}, 4)
	var wg sync.WaitGroup
	for i, t := range targets {
		slots <- struct{}{}
		wg.Go(func() {
			items[i], errs[i] = get(ctx, t.Target)
			<-slots
		})
	}
	wg.Wait()
	var found []T
	var failed []action.Result
	for i, t := range targets {
		switch {
		case errs[i] == nil:
			found = append(found, items[i])
		case exitOf(errs[i]) == exitNotFound:
			failed = append(failed, action.Result{
				Action: action.Action{Target: t.String()}, Outcome: action.Failed, Err: errs[i],
			})
		default:
			return &about{what: spell(t.String()), err: errs[i]}
		}
	}
	one := len(targets) == 1 && args[0] != "-"
	if !one || len(found) == 1 {
		if err := printItems(a, shape, found, one); err != nil {
			return err
		}
	}
	switch {
	case len(failed) == 0:
		return nil
	case len(targets) == 1:
		_, name, _ := strings.Cut(failed[0].Action.Target, "/")
		return &about{what: spell(failed[0].Action.Target), err: failed[0].Err, hint: lookHint(targets[0].Noun, name)}
	}
	return &partialError{
		message: fmt.Sprintf("%d of %s not found", len(failed), countOf(len(targets), targets[0].Noun)),
		details: detailsOf(failed), code: exitPartial,
	}
}

func deref[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}
