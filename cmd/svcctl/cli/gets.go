package cli

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"svc/client/action"
	"svc/client/api"
	"svc/cmd/svcctl/cli/output"
)

// GetCommand shows objects of a noun.
func GetCommand[T any](a *App, noun string, shape output.Shape[T], complete cobra.CompletionFunc,
	get func(context.Context, *Connection, action.Target) (*T, error),
) *cobra.Command {
	return &cobra.Command{
		Use:               "get " + strings.ToUpper(noun) + "...",
		Short:             "Show " + noun + "s",
		ValidArgsFunction: complete,
		RunE: func(cmd *cobra.Command, args []string) error {
			targets, err := a.Targets(noun, args)
			if err != nil {
				return err
			}
			conn, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			return GetEach(cmd.Context(), a, shape, targets, args, func(ctx context.Context, t action.Target) (T, error) {
				item, err := get(ctx, conn, t)
				return Deref(item), err
			})
		},
	}
}

// GetEach reads objects, a few at once, and prints those found in the order
// they were named; a missing object fails the command at its end.
func GetEach[T any](ctx context.Context, a *App, shape output.Shape[T], targets []Target, args []string, get func(context.Context, action.Target) (T, error)) error {
	p, err := a.Printer()
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
			if errs[i] == nil {
				errs[i] = a.Keep(keptSize(shape.Raw(items[i])))
			}
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
		case ExitOf(errs[i]) == ExitNotFound:
			failed = append(failed, action.Result{
				Action: action.Action{Target: t.String()}, Outcome: action.Failed, Err: errs[i],
			})
		default:
			return &About{What: Spell(t.String()), Err: errs[i]}
		}
	}
	one := len(targets) == 1 && args[0] != "-"
	if !one || len(found) == 1 {
		if err := PrintItems(a, shape, found, one); err != nil {
			return err
		}
	}
	switch {
	case len(failed) == 0:
		return nil
	case len(targets) == 1:
		_, name, _ := strings.Cut(failed[0].Action.Target, "/")
		return &About{What: Spell(failed[0].Action.Target), Err: failed[0].Err, Hint: LookHint(targets[0].Noun, name)}
	}
	return &partialError{
		message: fmt.Sprintf("%d of %s not found", len(failed), CountOf(len(targets), targets[0].Noun)),
		details: detailsOf(failed), code: ExitPartial, hint: LookHint(targets[0].Noun, failed[0].Action.Target[len(targets[0].Noun)+1:]),
	}
}

// keptSize is about how much memory an object takes that is kept as it was sent and
// as it was read.
func keptSize(raw []byte) int { return 1<<10 + 3*len(raw) }

// Deref is the value p points to, or the zero value.
func Deref[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}

// OurInstance is the instance's description of itself, which needs no right.
func (a *App) OurInstance(ctx context.Context) (*api.Instance, error) {
	conn, err := a.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return conn.Instance.Get(ctx)
}
